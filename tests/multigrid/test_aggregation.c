// Smoothed aggregation as a coarsening: tentative and smoothed prolongators against their formulas in dense algebra,
// coarse kernels, and aggregates whose near-null space is rank deficient.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/small.h"
#include "multigrid/aggregation/aggregation.h"
#include "multigrid/aggregation/strength.h"
#include "par/par.h"
#include "sparse/product.h"
#include "support/algebra.h"
#include "support/dense.h"
#include "support/problem.h"
#include "support/rig.h"

static const double radius = 1.9; // stands in for the spectral radius: only the damping depends on it

static double along; // the strength along which filtered prolongators are smoothed; 0: that of aggregates

// --- one coarsening -----------------------------------------------------------------------------------------------

typedef struct coarse {
  mus_solver_options options;
  mus_aggregation *aggregation;
  mus_arena arena;
  mus_pattern *pattern;
  mus_matrix p;
  int block, unknowns; // of the coarser level
  unsigned char *live;
  const int *of;
  int aggregates;
  double *dense; // P
} coarse;

static coarse coarsen(const problem *p, const mus_solver_options *options) {
  coarse c = {.options = *options};
  mus_level_view view = problem_view(p, radius);
  c.pattern = mus_arena_alloc(&c.arena, 1, sizeof *c.pattern);
  assert_int_equal(mus_aggregation_create(&options->sa, NULL, &c.aggregation), MUS_OK);
  if (along > 0)
    mus_aggregation_smooth_along(c.aggregation, along);
  assert_int_equal(mus_aggregation_set_kernel(c.aggregation, p->rows, p->block, p->count, p->kernel), MUS_OK);
  mus_coarse_level found = {0};
  assert_int_equal(mus_smoothed_aggregation.analyse(c.aggregation, &view, &c.arena, &found), MUS_OK);
  *c.pattern = found.prolongator;
  c.block = found.block;
  int nodes;
  c.of = mus_aggregation_of(c.aggregation, 0, &nodes, &c.aggregates);
  assert_non_null(c.of);
  assert_int_equal(nodes, p->rows);
  assert_int_equal(c.pattern->rows, p->rows);
  assert_int_equal(c.pattern->columns, c.aggregates);
  assert_int_equal(c.block, p->count);
  assert_int_equal(mus_pattern_check(c.pattern->rows, c.pattern->columns, c.pattern->row_start, c.pattern->column),
                   MUS_OK);
  c.unknowns = c.aggregates * c.block;
  assert_int_equal(mus_matrix_create(&c.arena, c.pattern, p->block, c.block, &c.p), MUS_OK);
  for (size_t k = 0; k < mus_matrix_values(&c.p); ++k)
    c.p.value[k] = NAN;
  c.live = mus_arena_alloc(&c.arena, (size_t)c.unknowns, 1);
  memset(c.live, 77, (size_t)c.unknowns);
  assert_int_equal(mus_smoothed_aggregation.fill(c.aggregation, &view, &c.p, c.live), MUS_OK);
  c.dense = dense_from_matrix(&c.p);
  return c;
}

static void free_coarse(coarse *c) {
  mus_aggregation_free(c->aggregation);
  mus_arena_clear(&c->arena);
  free(c->dense);
}

// The same with the prolongator left tentative.
static coarse tentative(const problem *p, mus_solver_options options) {
  options.sa.smooth_prolongator = 0;
  return coarsen(p, &options);
}

// --- the formulas, densely ----------------------------------------------------------------------------------------

// X - G B X for any dense B and block diagonal G; in place of X.
static void relax_by(const problem *p, const double *g, const double *b, int columns, double *x) {
  double *product = dense_product(p->n, p->n, columns, b, x);
  for (int c = 0; c < columns; ++c)
    for (int i = 0; i < p->rows; ++i)
      for (int r = 0; r < p->block; ++r)
        for (int e = 0; e < p->block; ++e)
          x[c * p->n + i * p->block + r] -= g[(i * p->block + r) * p->block + e] * product[c * p->n + i * p->block + e];
  free(product);
}

// omega D^-1
static double *damped_diagonal(const problem *p) {
  size_t numbers = (size_t)(p->n * p->block);
  double *g = malloc(numbers * sizeof *g);
  for (size_t k = 0; k < numbers; ++k)
    g[k] = 4 / (3 * radius) * p->inverse_diagonal[k];
  return g;
}

static void relax(const problem *p, const double *b, int columns, double *x) {
  double *g = damped_diagonal(p);
  relax_by(p, g, b, columns, x);
  free(g);
}

static void mask_special(const problem *p, const coarse *c, int columns, double *x) {
  for (int i = 0; i < p->n; ++i)
    for (int k = 0; k < columns && c->of[i / p->block] < 0; ++k)
      x[k * p->n + i] = 0;
}

// The near-null space after its relaxation sweeps, zero at special nodes: what the prolongator is made of.
static double *fitted_kernel(const problem *p, const coarse *c) {
  double *k = malloc((size_t)(p->n * p->count) * sizeof *k), *a = dense_from_matrix(&p->a);
  memcpy(k, p->kernel, (size_t)(p->n * p->count) * sizeof *k);
  for (int sweep = 0; sweep < c->options.sa.kernel_sweeps; ++sweep)
    relax(p, a, p->count, k);
  mask_special(p, c, p->count, k);
  free(a);
  return k;
}

static int weak_seen; // blocks that the filter dropped, or it would not be tested at all

// A as the prolongator is smoothed with: all of it, or, filtered, without its weak blocks between nodes that are not
// special. What smooths row i, G_i: omega D_i^-1, or, filtered, 2/3 of the inverse of A_ii and those blocks, symmetric,
// unless that leaves less than three tenths of A_ii.
static double *smoothing_matrix(const problem *p, const coarse *c, double **g) {
  *g = damped_diagonal(p);
  if (!c->options.sa.filter_prolongator)
    return dense_from_matrix(&p->a);
  mus_arena arena = {0};
  mus_strength s;
  mus_level_view view = problem_view(p, radius);
  double theta = along > 0 ? along : c->options.sa.strength;
  assert_int_equal(mus_strength_create(&arena, &view, theta, c->options.sa.dominance, &s), MUS_OK);
  mus_matrix filtered;
  assert_int_equal(mus_matrix_create(&arena, p->pattern, p->block, p->block, &filtered), MUS_OK);
  int block = p->block, size = block * block;
  memcpy(filtered.value, p->a.value, mus_matrix_values(&p->a) * sizeof *filtered.value);
  for (int i = 0; i < p->rows; ++i) {
    const double *own = p->a.value + p->place[i] * size;
    double lumped[36], rest[36], value[6], vector[36];
    memcpy(lumped, own, (size_t)size * sizeof *lumped);
    for (int k = p->pattern->row_start[i]; k < p->pattern->row_start[i + 1]; ++k) {
      int j = p->pattern->column[k];
      if (i == j || s.strong[k] || s.special[i] || s.special[j])
        continue;
      ++weak_seen;
      for (int e = 0; e < size; ++e) {
        lumped[e] += (p->a.value[k * size + e] + p->a.value[k * size + e % block * block + e / block]) / 2;
        filtered.value[k * size + e] = 0;
      }
    }
    for (int e = 0; e < size; ++e)
      rest[e] = lumped[e] - 0.3 * own[e];
    mus_small_eigen(block, rest, value, vector);
    double least = value[0];
    for (int k = 1; k < block; ++k)
      least = fmin(least, value[k]);
    mus_small_eigen(block, lumped, value, vector);
    for (int e = 0; e < size && least > 0; ++e) {
      double sum = 0;
      for (int k = 0; k < block; ++k)
        sum += vector[e / block * block + k] * vector[e % block * block + k] / value[k];
      (*g)[i * size + e] = 2 / 3.0 * sum;
    }
  }
  double *dense = dense_from_matrix(&filtered);
  mus_arena_clear(&arena);
  return dense;
}

// --- properties ---------------------------------------------------------------------------------------------------

static void check_orthonormal(const char *name, const coarse *hat, int n) {
  int m = hat->unknowns;
  double *gram = dense_transposed_product(m, n, m, hat->dense, hat->dense);
  for (int i = 0; i < m; ++i) {
    assert_true(hat->live[i] == 0 || hat->live[i] == 1);
    for (int j = 0; j < m; ++j) {
      double expected = i == j && hat->live[i];
      int exact = !hat->live[i] || !hat->live[j];
      if (exact ? gram[j * m + i] != 0 : !(fabs(gram[j * m + i] - expected) < 1e-13))
        fail_msg("%s: (P^T P)(%d, %d) = %g", name, i, j, gram[j * m + i]);
    }
  }
  free(gram);
}

// P^ P^T K = K, with K zero at special nodes.
static void check_range(const problem *p, const coarse *hat, const double *kernel) {
  double *kc = dense_transposed_product(hat->unknowns, p->n, p->count, hat->dense, kernel);
  double *again = dense_product(p->n, hat->unknowns, p->count, hat->dense, kc);
  assert_true(dense_difference(p->n * p->count, again, kernel) < 1e-12);
  free(kc), free(again);
}

// P = P^ - G A P^ on rows that are not special, filtered, without weak blocks; nothing on the others. What stands in
// for weak blocks is added where a row's own aggregate is.
static void check_smoothed(const problem *p, const coarse *c, const coarse *hat) {
  double *expected = malloc((size_t)(p->n * hat->unknowns) * sizeof *expected), *g;
  double *a = smoothing_matrix(p, c, &g);
  memcpy(expected, hat->dense, (size_t)(p->n * hat->unknowns) * sizeof *expected);
  relax_by(p, g, a, hat->unknowns, expected);
  mask_special(p, c, hat->unknowns, expected);
  assert_int_equal(c->unknowns, hat->unknowns);
  assert_memory_equal(c->live, hat->live, (size_t)c->unknowns);
  for (int i = 0; i < p->n; ++i)
    for (int k = 0; k < c->unknowns; ++k)
      if (c->options.sa.filter_prolongator && c->of[i / p->block] == k / p->count)
        expected[k * p->n + i] = c->dense[k * p->n + i];
  double difference = dense_difference(p->n * c->unknowns, c->dense, expected);
  if (!(difference < 1e-12))
    fail_msg("%s: P is off by %g", p->name, difference);
  for (int i = 0; i < p->rows; ++i)
    assert_true(c->of[i] >= 0 || c->pattern->row_start[i + 1] == c->pattern->row_start[i]);
  free(expected), free(a), free(g);
}

// Whether an aggregate's own nodes show all of the near-null space, by its R.
static int shows_all(const problem *p, const coarse *hat, const double *kc, int aggregate) {
  for (int c = 0; c < p->count; ++c) {
    double length = 0, own = kc[c * hat->unknowns + aggregate * p->count + c];
    for (int r = 0; r < p->count; ++r)
      length += pow(kc[c * hat->unknowns + aggregate * p->count + r], 2);
    if (!(fabs(own) > 0.011 * sqrt(length)))
      return 0;
  }
  return 1;
}

static int shown_seen; // the same as weak_seen

// P K_c = (I - G A) K with all of A, K_c = P^^T K being the kernel that the coarser level gets: filtering leaves the
// near-null space as smooth as it was.
static void check_smoothed_kernel(const problem *p, const coarse *c, const coarse *hat, const double *kernel) {
  double *g, *kc = dense_transposed_product(hat->unknowns, p->n, p->count, hat->dense, kernel);
  double *image = dense_product(p->n, c->unknowns, p->count, c->dense, kc), *all = dense_from_matrix(&p->a);
  double *expected = malloc((size_t)(p->n * p->count) * sizeof *expected), difference = 0;
  free(smoothing_matrix(p, c, &g));
  memcpy(expected, kernel, (size_t)(p->n * p->count) * sizeof *expected);
  relax_by(p, g, all, p->count, expected);
  mask_special(p, c, p->count, expected);
  for (int i = 0; i < p->n; ++i) {
    int aggregate = c->of[i / p->block];
    if (c->options.sa.filter_prolongator && aggregate >= 0 && !shows_all(p, hat, kc, aggregate))
      continue;
    shown_seen += c->options.sa.filter_prolongator;
    for (int k = 0; k < p->count; ++k)
      difference = fmax(difference, fabs(image[k * p->n + i] - expected[k * p->n + i]));
  }
  if (!(difference < 1e-11))
    fail_msg("%s: P K_c is off by %g", p->name, difference);
  free(kc), free(image), free(all), free(expected), free(g);
}

static void check_options(const problem *p, mus_solver_options options) {
  coarse hat = tentative(p, options);
  double *kernel = fitted_kernel(p, &hat);
  check_orthonormal(p->name, &hat, p->n);
  check_range(p, &hat, kernel);
  for (options.sa.filter_prolongator = 0; options.sa.filter_prolongator < 2; ++options.sa.filter_prolongator) {
    if (options.sa.filter_prolongator && options.sa.strength == 0)
      continue; // nothing is weak
    coarse c = coarsen(p, &options);
    check_smoothed(p, &c, &hat);
    check_smoothed_kernel(p, &c, &hat, kernel);
    free_coarse(&c);
  }
  free(kernel);
  free_coarse(&hat);
}

// Frees the problem.
static void check_problem(problem p) {
  mus_solver_options options = rig_options();
  for (options.sa.kernel_sweeps = 0; options.sa.kernel_sweeps <= 2; ++options.sa.kernel_sweeps)
    check_options(&p, options);
  options.sa.kernel_sweeps = 1;
  options.sa.strength = 0;
  check_options(&p, options);
  problem_free(&p);
}

static void prolongators_of_cloth(void **state) {
  (void)state;
  for (int irregular = 0; irregular < 2; ++irregular)
    for (int boundary = SHEET_FREE; boundary <= SHEET_DROOPING; ++boundary)
      check_problem(problem_small_sheet(9, irregular, (sheet_boundary)boundary));
  assert_true(weak_seen > 0 && shown_seen > 0);
}

static void smoothing_reaches_further_than_aggregates(void **state) {
  (void)state;
  problem p = problem_small_sheet(13, 1, SHEET_DROOPING);
  mus_solver_options options = rig_options();
  options.sa.filter_prolongator = 1;
  coarse narrow = coarsen(&p, &options);
  along = 0.3;
  coarse wide = coarsen(&p, &options);
  assert_int_equal(wide.aggregates, narrow.aggregates);
  assert_memory_equal(wide.of, narrow.of, (size_t)p.rows * sizeof *wide.of);
  assert_true(mus_pattern_blocks(wide.pattern) > mus_pattern_blocks(narrow.pattern));
  free_coarse(&narrow), free_coarse(&wide);
  check_problem(p);
  along = 0;
}

static void prolongators_of_random_springs(void **state) {
  (void)state;
  for (int block = 1; block <= 6; ++block)
    check_problem(problem_random(24, block, (uint64_t)block + 20));
}

// With special nodes besides held ones, and constraints of every rank between them.
static void prolongators_of_half_held_sheets(void **state) {
  (void)state;
  enum { SIDE = 8, HELD = SIDE * SIDE };
  sheet_options o = sheet_default_options();
  o.side = SIDE;
  o.boundary = SHEET_FREE;
  sheet_system s;
  assert_int_equal(sheet_system_create(&o, &s), MUS_OK);
  mus_constraint held[HELD];
  int count = random_constraints(SIDE * SIDE, 3, 11, held), springs = 0, ends[2 * 8 * HELD];
  double stiffness[8 * HELD];
  for (int i = 0; i < s.rows; ++i)
    for (int k = s.pattern->row_start[i]; k < s.pattern->row_start[i + 1]; ++k)
      if (s.pattern->column[k] > i) {
        ends[2 * springs] = i;
        ends[2 * springs + 1] = s.pattern->column[k];
        stiffness[springs++] = 1 + (i * 7 + k) % 5;
      }
  problem p = problem_springs(s.rows, s.position, springs, ends, stiffness, 0.05, count, held);
  sheet_system_free(&s);
  check_problem(p);
}

// --- rank-deficient aggregates ------------------------------------------------------------------------------------

static int dropped(const coarse *c) {
  int count = 0;
  for (int i = 0; i < c->unknowns; ++i)
    count += !c->live[i];
  return count;
}

// A problem whose aggregates miss `missing` basis vectors; frees it.
static void check_deficient(problem p, int missing) {
  mus_solver_options options = rig_options();
  options.sa.kernel_sweeps = 0;
  coarse c = coarsen(&p, &options);
  assert_int_equal(dropped(&c), missing);
  free_coarse(&c);
  check_problem(p);
}

// Nodes in a row: no aggregate can turn about the row.
static void collinear_nodes(void **state) {
  (void)state;
  problem p = problem_chain(30);
  mus_solver_options options = rig_options();
  coarse c = coarsen(&p, &options);
  int aggregates = c.aggregates;
  free_coarse(&c);
  assert_true(aggregates > 3);
  check_deficient(p, aggregates);
}

// Pairs of nodes at the same place, joined to nothing else: three motions each.
static void coincident_nodes(void **state) {
  (void)state;
  enum { PAIRS = 6 };
  double positions[6 * PAIRS], stiffness[PAIRS];
  int ends[2 * PAIRS];
  for (int k = 0; k < PAIRS; ++k) {
    for (int c = 0; c < 6; ++c)
      positions[6 * k + c] = (c % 3 + 1) * k * k;
    ends[2 * k] = 2 * k;
    ends[2 * k + 1] = 2 * k + 1;
    stiffness[k] = 1 + k;
  }
  check_deficient(problem_springs(2 * PAIRS, positions, PAIRS, ends, stiffness, 0.1, 0, NULL), 3 * PAIRS);
}

// Everything at one place.
static void all_nodes_at_one_place(void **state) {
  (void)state;
  problem chain = problem_chain(12);
  problem p = problem_springs(2, (double[6]){0}, 1, (int[]){0, 1}, (double[]){1}, 0.1, 0, NULL);
  check_deficient(p, 3);
  memset(chain.kernel + 3 * chain.n, 0, (size_t)(3 * chain.n) * sizeof *chain.kernel);
  mus_solver_options options = rig_options();
  coarse c = coarsen(&chain, &options);
  assert_int_equal(dropped(&c), 3 * c.aggregates);
  free_coarse(&c);
  check_problem(chain);
}

// A node among heavy ones, which are special: an aggregate of its own, with the three translations.
static void single_nodes(void **state) {
  (void)state;
  enum { LEAVES = 6, NODES = LEAVES + 3 };
  double positions[3 * NODES] = {0}, stiffness[LEAVES + 1];
  int ends[2 * (LEAVES + 1)];
  for (int k = 0; k <= LEAVES; ++k) { // 0 to the leaves 1 ... 6, and 7 to 8 beside them
    positions[3 * k + k % 3] = k;
    positions[3 * (NODES - 1)] = 1;
    stiffness[k] = 1;
    ends[2 * k] = k < LEAVES ? 0 : LEAVES + 1;
    ends[2 * k + 1] = k < LEAVES ? k + 1 : LEAVES + 2;
  }
  problem p = problem_springs(NODES, positions, LEAVES + 1, ends, stiffness, 0.1, 0, NULL);
  for (int k = 1; k <= LEAVES; ++k)
    for (int c = 0; c < 3; ++c)
      p.a.value[(p.place[k] * 3 + c) * 3 + c] = 100;
  assert_int_equal(mus_inverse_diagonal(&p.a, p.place, p.inverse_diagonal), MUS_OK);
  mus_solver_options options = rig_options();
  coarse c = coarsen(&p, &options);
  assert_int_equal(mus_smoothed_aggregation.special_nodes(c.aggregation, 0), LEAVES);
  assert_int_equal(c.aggregates, 2);
  free_coarse(&c);
  check_deficient(p, 3 + 1);
}

// Vertices held in all directions that stay connected (as they would without prefiltering the matrix): the kernel is
// zero there, and an aggregate of such nodes alone has no basis at all.
static void aggregates_of_held_nodes(void **state) {
  (void)state;
  problem p = problem_chain(30);
  for (int k = 0; k < p.count; ++k)
    memset(p.kernel + k * p.n, 0, (size_t)(3 * 12) * sizeof *p.kernel);
  mus_solver_options options = rig_options();
  options.sa.kernel_sweeps = 0;
  coarse c = coarsen(&p, &options);
  int empty = 0;
  for (int g = 0; g < c.aggregates; ++g) {
    int live = 0;
    for (int k = 0; k < 6; ++k)
      live += c.live[g * 6 + k];
    empty += live == 0;
  }
  assert_true(empty >= 3);
  free_coarse(&c);
  check_problem(p);
}

// --- the coarse kernel --------------------------------------------------------------------------------------------

// The next level is made from K_c: with everything plain there, its prolongator holds K_c in its range.
static void the_coarse_kernel_reaches_the_next_level(void **state) {
  (void)state;
  problem all[] = {problem_small_sheet(13, 1, SHEET_DROOPING), problem_small_sheet(12, 0, SHEET_FREE),
                   problem_chain(60), problem_poisson(10, 2)};
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
    problem *p = &all[k];
    mus_solver_options options = rig_options();
    options.sa.kernel_sweeps = 0;
    options.sa.smooth_prolongator = 0;
    options.multigrid.bottom = 1;
    rig *r = rig_analysed(p, &options, MUS_PRECISION_DOUBLE);
    assert_true(r->seen >= 2 && r->level[1].p.value);
    const mus_matrix *p0 = &r->level[0].p, *p1 = &r->level[1].p;
    int n1 = p1->pattern->rows * p1->row_block, n2 = p1->pattern->columns * p1->column_block;
    double *fine = dense_from_matrix(p0), *next = dense_from_matrix(p1);
    double *kc = dense_transposed_product(n1, p->n, p->count, fine, p->kernel);
    int nodes, aggregates;
    const int *of = mus_aggregation_of(r->aggregation, 1, &nodes, &aggregates);
    assert_int_equal(nodes * p->count, n1);
    for (int i = 0; i < n1; ++i) // special nodes of the coarse level
      for (int c = 0; c < p->count && of[i / p->count] < 0; ++c)
        kc[c * n1 + i] = 0;
    double *kcc = dense_transposed_product(n2, n1, p->count, next, kc);
    double *again = dense_product(n1, n2, p->count, next, kcc);
    assert_true(dense_difference(n1 * p->count, again, kc) < 1e-12);
    free(fine), free(next), free(kc), free(kcc), free(again);
    rig_free(r);
    problem_free(p);
  }
}

// --- the rest of the contract -------------------------------------------------------------------------------------

static void a_kernel_is_needed(void **state) {
  (void)state;
  problem p = problem_poisson(4, 1);
  mus_solver_options options = rig_options();
  mus_aggregation *aggregation;
  mus_level_view view = problem_view(&p, radius);
  mus_arena arena = {0};
  mus_coarse_level coarser = {0};
  assert_int_equal(mus_aggregation_create(&options.sa, NULL, &aggregation), MUS_OK);
  assert_int_equal(mus_smoothed_aggregation.analyse(aggregation, &view, &arena, &coarser), MUS_BAD_INPUT);
  assert_int_equal(mus_aggregation_set_kernel(aggregation, p.rows - 1, 1, 1, p.kernel), MUS_OK);
  assert_int_equal(mus_smoothed_aggregation.analyse(aggregation, &view, &arena, &coarser), MUS_BAD_INPUT);
  assert_int_equal(mus_aggregation_set_kernel(aggregation, p.rows, 1, 1, p.kernel), MUS_OK);
  assert_int_equal(mus_smoothed_aggregation.analyse(aggregation, &view, &arena, &coarser), MUS_OK);
  mus_aggregation_free(aggregation);
  mus_aggregation_free(NULL);
  mus_arena_clear(&arena);
  problem_free(&p);
}

// A level of special nodes only cannot be made coarser.
static void special_nodes_only(void **state) {
  (void)state;
  problem p = problem_diagonal(7, 3, 1);
  mus_solver_options options = rig_options();
  mus_aggregation *aggregation;
  mus_level_view view = problem_view(&p, radius);
  mus_arena arena = {0};
  mus_coarse_level coarser = {0};
  int nodes, aggregates;
  assert_int_equal(mus_aggregation_create(&options.sa, NULL, &aggregation), MUS_OK);
  assert_int_equal(mus_aggregation_set_kernel(aggregation, 7, 3, 3, p.kernel), MUS_OK);
  assert_int_equal(mus_smoothed_aggregation.analyse(aggregation, &view, &arena, &coarser), MUS_OK);
  assert_int_equal(coarser.prolongator.columns, 0);
  assert_int_equal(mus_smoothed_aggregation.special_nodes(aggregation, 0), 7);
  assert_null(mus_aggregation_of(aggregation, 0, &nodes, &aggregates));
  assert_null(mus_aggregation_of(aggregation, -1, &nodes, &aggregates));
  assert_null(mus_aggregation_of(aggregation, MUS_LEVELS_MAXIMUM, &nodes, &aggregates));
  mus_aggregation_free(aggregation);
  mus_arena_clear(&arena);
  problem_free(&p);
}

// New kernel vectors go into the numbers without a new analysis.
static void the_kernel_may_change_between_fills(void **state) {
  (void)state;
  problem p = problem_small_sheet(9, 0, SHEET_DROOPING);
  mus_solver_options options = rig_options();
  coarse before = coarsen(&p, &options);
  for (int i = 0; i < p.n * p.count; ++i)
    p.kernel[i] *= 1 + 0.1 * (i % 7);
  coarse after = coarsen(&p, &options);
  mus_level_view view = problem_view(&p, radius);
  assert_int_equal(mus_aggregation_set_kernel(before.aggregation, p.rows, 3, p.count, p.kernel), MUS_OK);
  assert_int_equal(mus_smoothed_aggregation.fill(before.aggregation, &view, &before.p, before.live), MUS_OK);
  assert_memory_equal(before.p.value, after.p.value, mus_matrix_values(&after.p) * sizeof(double));
  free_coarse(&before), free_coarse(&after);
  problem_free(&p);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  problem p = problem_small_sheet(31, 1, SHEET_DROOPING);
  for (int filtered = 0; filtered < 2; ++filtered) {
    mus_solver_options options = rig_options();
    options.sa.filter_prolongator = filtered;
    mus_par_set_threads(1);
    coarse one = coarsen(&p, &options);
    for (int threads = 2; threads <= 7; threads += 5) {
      mus_par_set_threads(threads);
      coarse many = coarsen(&p, &options);
      assert_int_equal(one.aggregates, many.aggregates);
      assert_memory_equal(one.of, many.of, (size_t)p.rows * sizeof *one.of);
      assert_int_equal(mus_pattern_blocks(one.pattern), mus_pattern_blocks(many.pattern));
      assert_memory_equal(one.p.value, many.p.value, mus_matrix_values(&one.p) * sizeof(double));
      free_coarse(&many);
    }
    free_coarse(&one);
  }
  mus_par_set_threads(0);
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prolongators_of_cloth),
      cmocka_unit_test(smoothing_reaches_further_than_aggregates),
      cmocka_unit_test(prolongators_of_random_springs),
      cmocka_unit_test(prolongators_of_half_held_sheets),
      cmocka_unit_test(collinear_nodes),
      cmocka_unit_test(coincident_nodes),
      cmocka_unit_test(all_nodes_at_one_place),
      cmocka_unit_test(single_nodes),
      cmocka_unit_test(aggregates_of_held_nodes),
      cmocka_unit_test(the_coarse_kernel_reaches_the_next_level),
      cmocka_unit_test(a_kernel_is_needed),
      cmocka_unit_test(special_nodes_only),
      cmocka_unit_test(the_kernel_may_change_between_fills),
      cmocka_unit_test(threads_do_not_change_a_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
