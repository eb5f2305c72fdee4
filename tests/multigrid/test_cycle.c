// The cycle against dense algebra: V and W, every order, depth, bottom and precision. The levels are made here, from a
// random system and random prolongators, so that nothing of a coarsening method comes in.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "multigrid/cycle.h"
#include "par/vector.h"
#include "sparse/product.h"
#include "support/dense.h"
#include "support/problem.h"
#include "support/reference_cycle.h"

enum { LEVELS = 4, ORDERS = 4 };

// --- levels -------------------------------------------------------------------------------------------------------

typedef struct tower {
  problem finest;
  mus_arena arena;
  mus_restriction passes[2][LEVELS]; // double, single
  int levels;
  mus_pattern p_pattern[LEVELS];
  mus_galerkin plan[LEVELS];
  pencil dense[LEVELS];
  double *dense_p[LEVELS];
  mus_cycle_level d[LEVELS];
  mus_cycle_level_f f[LEVELS];
  mus_multigrid_options options; // the smoother's
  mus_cycle_bottom direct, smoothed;
} tower;

// Every node is interpolated from the group that it belongs to and from the next one, by random blocks.
static mus_matrix random_prolongator(tower *t, int level, int block) {
  const mus_matrix *a = &t->d[level].system.a;
  int rows = a->pattern->rows, groups = rows / 3, *start = calloc((size_t)rows + 1, sizeof *start);
  int *column = calloc((size_t)(2 * rows), sizeof *column);
  for (int i = 0; i < rows; ++i) {
    int own = i % groups, next = (own + 1) % groups;
    start[i + 1] = start[i];
    column[start[i + 1]++] = own < next ? own : next;
    if (groups > 1)
      column[start[i + 1]++] = own < next ? next : own;
  }
  mus_matrix p;
  assert_int_equal(mus_pattern_copy(&t->arena, rows, groups, start, column, &t->p_pattern[level]), MUS_OK);
  assert_int_equal(mus_matrix_create(&t->arena, &t->p_pattern[level], a->row_block, block, &p), MUS_OK);
  for (size_t k = 0; k < mus_matrix_values(&p); ++k)
    p.value[k] = mus_random(500 + (uint64_t)level, k);
  free(start), free(column);
  return p;
}

static void make_coarser(tower *t, int level) {
  mus_cycle_level *l = &t->d[level], *next = l + 1;
  l->p = random_prolongator(t, level, level == 0 ? 4 : 5);
  assert_int_equal(mus_galerkin_create(&t->arena, l->system.a.pattern, l->p.pattern, &t->plan[level]), MUS_OK);
  l->pt = &t->plan[level].pt;
  mus_matrix *coarse = &next->system.a;
  assert_int_equal(mus_matrix_create(&t->arena, &t->plan[level].coarse, l->p.column_block, l->p.column_block, coarse),
                   MUS_OK);
  assert_int_equal(mus_galerkin_fill(&t->plan[level], &l->system.a, &l->p, coarse), MUS_OK);
  t->dense_p[level] = dense_from_matrix(&l->p);
}

static float *rounded(tower *t, size_t n, const double *x) {
  float *y = mus_arena_alloc(&t->arena, n, sizeof *y);
  mus_to_float(n, 1, x, y);
  return y;
}

// Vectors, dense twin and single-precision twin of a level whose matrix is there, and smoothers without numbers.
static void furnish(tower *t, int level) {
  mus_cycle_level *l = &t->d[level];
  mus_cycle_level_f *f = &t->f[level];
  const mus_matrix *a = &l->system.a;
  int rows = a->pattern->rows, block = a->row_block, *place = calloc((size_t)rows, sizeof *place);
  size_t n = (size_t)(rows * block);
  t->dense[level] = pencil_create(a);
  double *inverse = mus_arena_alloc(&t->arena, n * (size_t)block, sizeof *inverse);
  assert_int_equal(mus_diagonal_places(a->pattern, place), MUS_OK);
  assert_int_equal(mus_inverse_diagonal(a, place, inverse), MUS_OK);
  free(place);
  l->system.inverse_diagonal = inverse;
  l->system.radius = f->system.radius = 1.02 * pencil_radius(&t->dense[level]);
  double **vectors[] = {&l->b, &l->x, &l->other, &l->left_over};
  float **vectors_f[] = {&f->b, &f->x, &f->other, &f->left_over};
  for (int k = 0; k < 4; ++k) {
    *vectors[k] = mus_arena_alloc(&t->arena, n, sizeof(double));
    *vectors_f[k] = mus_arena_alloc(&t->arena, n, sizeof(float));
  }
  f->system.inverse_diagonal = rounded(t, n * (size_t)block, inverse);
  f->system.a = (mus_matrix_f){a->pattern, block, block, rounded(t, mus_matrix_values(a), a->value)};
  l->smoother = &mus_chebyshev_smoother.in_double;
  f->smoother = &mus_chebyshev_smoother.in_single;
  assert_int_equal(l->smoother->create(&t->options, &l->system, &t->arena, &l->smoother_state), MUS_OK);
  assert_int_equal(f->smoother->create(&t->options, &f->system, &t->arena, &f->smoother_state), MUS_OK);
}

static void make_bottom(tower *t) {
  const mus_matrix *a = &t->d[t->levels - 1].system.a;
  size_t n = (size_t)(a->pattern->rows * a->row_block);
  t->direct.right = mus_arena_alloc(&t->arena, n, sizeof(double));
  t->direct.left = mus_arena_alloc(&t->arena, n, sizeof(double));
  t->smoothed = t->direct;
  assert_int_equal(mus_factor_create(a->pattern, a->row_block, MUS_FACTOR_DENSE, &t->direct.factor), MUS_OK);
  assert_int_equal(mus_factor_compute(t->direct.factor, a), MUS_OK);
}

// 27 nodes of 4 unknowns, then 9 of 4, 3 of 5, 1 of 5.
static tower *create_tower(int levels) {
  tower *t = calloc(1, sizeof *t);
  t->levels = levels;
  t->finest = problem_random(27, 4, 8);
  t->options = mus_preset_solver_options(MUS_PRESET_ROBUST).multigrid;
  t->d[0].system.a = t->finest.a;
  for (int level = 0; level < levels; ++level) {
    if (level > 0)
      make_coarser(t, level - 1);
    furnish(t, level);
  }
  for (int level = 0; level + 1 < levels; ++level) {
    const mus_matrix *p = &t->d[level].p;
    t->f[level].p =
        (mus_matrix_f){p->pattern, p->row_block, p->column_block, rounded(t, mus_matrix_values(p), p->value)};
    t->f[level].pt = t->d[level].pt;
    // one level by passes over P's rows, the next by its transpose
    for (int single = 0; single < 2; ++single)
      assert_int_equal(mus_restriction_create(&t->arena, p->pattern, p->column_block,
                                              single ? sizeof(float) : sizeof(double), &t->passes[single][level]),
                       MUS_OK);
    t->d[level].passes = level % 2 == 0 ? &t->passes[0][level] : NULL;
    t->f[level].passes = level % 2 == 0 ? &t->passes[1][level] : NULL;
  }
  make_bottom(t);
  return t;
}

static void free_tower(tower *t) {
  for (int level = 0; level < t->levels; ++level) {
    pencil_free(&t->dense[level]);
    free(t->dense_p[level]);
  }
  mus_factor_free(t->direct.factor);
  mus_arena_clear(&t->arena);
  problem_free(&t->finest);
  free(t);
}

// --- running ------------------------------------------------------------------------------------------------------

typedef struct variant {
  int visits, order, direct, single;
} variant;

static int unknowns(const tower *t, int level) {
  return t->d[level].system.a.pattern->rows * t->d[level].system.a.row_block;
}

// Fills every vector with NaN: what a cycle reads, it must have written.
static void poison(tower *t) {
  for (int level = 0; level < t->levels; ++level)
    for (int i = 0; i < unknowns(t, level); ++i) {
      mus_cycle_level *d = &t->d[level];
      mus_cycle_level_f *f = &t->f[level];
      d->b[i] = d->x[i] = d->other[i] = d->left_over[i] = NAN;
      f->b[i] = f->x[i] = f->other[i] = f->left_over[i] = NAN;
    }
}

static const double *run_double(tower *t, variant v, const double *b) {
  mus_cycle_level kept[LEVELS];
  memcpy(t->d[0].b, b, (size_t)t->finest.n * sizeof *b);
  memcpy(kept, t->d, sizeof kept);
  double *x = mus_cycle_run(t->d, t->levels, v.visits, v.direct ? &t->direct : &t->smoothed);
  assert_true(x == t->d[0].x || x == t->d[0].other);
  for (int level = 0; level < t->levels; ++level)
    assert_ptr_equal(t->d[level].b, kept[level].b);
  assert_memory_equal(t->d[0].b, b, (size_t)t->finest.n * sizeof *b);
  return x;
}

static const double *run_single(tower *t, variant v, const double *b, double *wide) {
  size_t n = (size_t)t->finest.n;
  mus_to_float(n, 1, b, t->f[0].b);
  float *x = mus_cycle_run_f(t->f, t->levels, v.visits, v.direct ? &t->direct : &t->smoothed);
  assert_true(x == t->f[0].x || x == t->f[0].other);
  mus_to_double(n, 1, x, wide);
  return wide;
}

static void run(tower *t, variant v, const double *b, double *x) {
  poison(t);
  t->options.smoother_order = v.order;
  for (int level = 0; level < t->levels; ++level) {
    mus_cycle_level *d = &t->d[level];
    mus_cycle_level_f *f = &t->f[level];
    assert_int_equal(d->smoother->set_up(d->smoother_state, &d->system), MUS_OK);
    assert_int_equal(f->smoother->set_up(f->smoother_state, &f->system), MUS_OK);
  }
  const double *result = v.single ? run_single(t, v, b, x) : run_double(t, v, b);
  memmove(x, result, (size_t)t->finest.n * sizeof *x);
}

// The cycle as a matrix.
static double *matrix_of(tower *t, variant v) {
  int n = t->finest.n;
  double *matrix = calloc((size_t)(n * n), sizeof *matrix), *unit = vector_zero(n);
  for (int k = 0; k < n; ++k) {
    unit[k] = 1;
    run(t, v, unit, matrix + k * n);
    unit[k] = 0;
  }
  mus_free(unit);
  return matrix;
}

static double *reference(const tower *t, variant v, int level) {
  const pencil *p = &t->dense[level];
  mus_chebyshev c = mus_chebyshev_for(&t->options, t->d[level].system.radius);
  c.order = v.order;
  double *smoother = reference_smoother(p, &c), *result;
  if (level + 1 == t->levels) {
    result = v.direct ? reference_inverse(p->n, p->a) : reference_two_sweeps(p->n, p->a, smoother);
  } else {
    double *below = reference(t, v, level + 1);
    result = reference_cycle(p->n, p->a, smoother, p[1].n, t->dense_p[level], p[1].a, below, v.visits);
    free(below);
  }
  free(smoother);
  return result;
}

// --- properties ---------------------------------------------------------------------------------------------------

static void check_variant(tower *t, variant v) {
  int n = t->finest.n;
  double tolerance = v.single ? 2e-4 : 1e-9, rounding = v.single ? 1e-5 : 1e-13;
  double *m = matrix_of(t, v), *expected = reference(t, v, 0), *values = calloc((size_t)n, sizeof *values);
  double difference = dense_difference(n * n, m, expected), asymmetry = dense_asymmetry(n, m);
  dense_eigenvalues(n, m, values);
  double smallest = values[0];
  dense_product_eigenvalues(n, m, t->dense[0].a, values);
  if (!(difference <= tolerance) || !(asymmetry <= rounding) || !(smallest > 0) || !(values[0] > 0) ||
      !(values[n - 1] <= 1 + tolerance))
    fail_msg("%d levels, %d visits, order %d, %s bottom, %s: difference %g, asymmetry %g, eigenvalues from %g, of M A "
             "from %g to %g",
             t->levels, v.visits, v.order, v.direct ? "direct" : "smoothed", v.single ? "single" : "double", difference,
             asymmetry, smallest, values[0], values[n - 1]);
  free(m), free(expected), free(values);
}

static void check_depth(int levels) {
  tower *t = create_tower(levels);
  for (int visits = 1; visits <= 2; ++visits)
    for (int order = 1; order <= ORDERS; ++order)
      for (int direct = 0; direct < 2; ++direct)
        for (int single = 0; single < 2; ++single)
          check_variant(t, (variant){visits, order, direct, single});
  free_tower(t);
}

static void one_level(void **state) {
  (void)state;
  check_depth(1);
}

static void two_levels(void **state) {
  (void)state;
  check_depth(2);
}

static void three_levels(void **state) {
  (void)state;
  check_depth(3);
}

static void four_levels(void **state) {
  (void)state;
  check_depth(4);
}

// Second visits never harm: each eigenvalue of M A comes closer to 1, or stays.
static void second_visits_improve(void **state) {
  (void)state;
  tower *t = create_tower(LEVELS);
  int n = t->finest.n;
  double *once = calloc((size_t)n, sizeof *once), *twice = calloc((size_t)n, sizeof *twice), gain = 0;
  double *v = matrix_of(t, (variant){1, 1, 0, 0}), *w = matrix_of(t, (variant){2, 1, 0, 0});
  dense_product_eigenvalues(n, v, t->dense[0].a, once);
  dense_product_eigenvalues(n, w, t->dense[0].a, twice);
  for (int k = 0; k < n; ++k) {
    assert_true(twice[k] >= once[k] - 1e-12);
    gain += twice[k] - once[k];
  }
  assert_true(gain > 0.01);
  free(once), free(twice), free(v), free(w);
  free_tower(t);
}

static void the_cycle_is_linear(void **state) {
  (void)state;
  tower *t = create_tower(LEVELS);
  int n = t->finest.n;
  for (int single = 0; single < 2; ++single)
    for (int visits = 1; visits <= 2; ++visits) {
      variant v = {visits, 2, 1, single};
      double *u = vector_random(n, 1), *w = vector_random(n, 2), *both = vector_zero(n);
      for (int i = 0; i < n; ++i)
        both[i] = 3 * u[i] - 0.25 * w[i];
      run(t, v, u, u);
      run(t, v, w, w);
      run(t, v, both, both);
      for (int i = 0; i < n; ++i)
        u[i] = 3 * u[i] - 0.25 * w[i];
      assert_true(dense_difference(n, both, u) < (single ? 1e-5 : 1e-13));
      mus_free(u), mus_free(w), mus_free(both);
    }
  free_tower(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_level),
      cmocka_unit_test(two_levels),
      cmocka_unit_test(three_levels),
      cmocka_unit_test(four_levels),
      cmocka_unit_test(second_visits_improve),
      cmocka_unit_test(the_cycle_is_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
