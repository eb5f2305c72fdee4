// Corrections from single levels of a hierarchy: against dense algebra, symmetric and definite on every level, and the
// same bits on any number of threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/check.h"
#include "support/given.h"

static const mus_method with_levels[] = {MUS_METHOD_SA, MUS_METHOD_GEOMETRIC, MUS_METHOD_SKINNING};
enum { WITH_LEVELS = sizeof with_levels / sizeof *with_levels };

static double *random_vector(int n, uint64_t seed) {
  double *x = malloc((size_t)n * sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < n; ++i)
    x[i] = mus_random(seed, (uint64_t)i);
  return x;
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}

// --- against dense algebra -------------------------------------------------------------------------------------------

enum { SIDE = 6, ROWS = SIDE * SIDE, N = 3 * ROWS, COARSE = ROWS / 2, NC = 3 * COARSE };

// A small sheet, some vertices of which are held wholly and one aslant, with one given level of pairs.
typedef struct pair_system {
  sheet_system sheet;
  given given;
  mus_constraint held[3];
  double a[N * N];  // S A S, column after column; unit diagonal where everything is held
  double s[N * N];  // S
  double p[N * NC]; // S P, column after column
  int carrier[3 * ROWS];
  double weight[3 * ROWS];
} pair_system;

static void hold(pair_system *d) {
  d->held[0] =
      (mus_constraint){.node = 0, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .value = {1, 2, 3}};
  d->held[1] = (mus_constraint){.node = 5, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  d->held[2] = (mus_constraint){.node = 17, .count = 1, .direction = {{0.6, 0.8, 0}}, .value = {-2}};
  for (int i = 0; i < N; ++i)
    d->s[i * N + i] = 1;
  for (int k = 0; k < 3; ++k)
    for (int e = 0; e < d->held[k].count; ++e)
      for (int i = 0; i < 9; ++i)
        d->s[(3 * d->held[k].node + i / 3) * N + 3 * d->held[k].node + i % 3] -=
            d->held[k].direction[e][i / 3] * d->held[k].direction[e][i % 3];
}

// c = a b, with matrices of these sizes column after column.
static void multiply(int rows, int inner, int columns, const double *a, const double *b, double *c) {
  memset(c, 0, (size_t)(rows * columns) * sizeof *c);
  for (int j = 0; j < columns; ++j)
    for (int k = 0; k < inner; ++k)
      for (int i = 0; i < rows; ++i)
        c[j * rows + i] += a[k * rows + i] * b[j * inner + k];
}

static void multiply_transposed(int rows, int columns, const double *a, const double *x, double *y) {
  for (int j = 0; j < columns; ++j)
    y[j] = dot(rows, a + j * rows, x);
}

static pair_system *pair_system_create(void) {
  pair_system *d = calloc(1, sizeof *d);
  double *half = malloc(N * N * sizeof *half), *plain = calloc(N * NC, sizeof *plain);
  assert_true(d && half && plain);
  d->sheet = given_cloth(SIDE);
  d->given = given_sheet(&d->sheet);
  hold(d);
  d->given.count = 3;
  d->given.constraint = d->held;
  double *dense = dense_from_matrix(&d->sheet.a);
  multiply(N, N, N, d->s, dense, half);
  multiply(N, N, N, half, d->s, d->a);
  for (int i = 0; i < ROWS; ++i) {
    d->carrier[3 * i] = i / 2;
    d->weight[3 * i] = 1;
    for (int c = 0; c < 3; ++c)
      plain[(3 * (i / 2) + c) * N + 3 * i + c] = 1;
  }
  multiply(N, N, NC, d->s, plain, d->p);
  free(dense), free(half), free(plain);
  return d;
}

static void pair_system_free(pair_system *d) {
  sheet_system_free(&d->sheet);
  free(d);
}

static mus_solver *pair_solver(const pair_system *d, const char *smoother) {
  mus_solver_options options = given_options(MUS_METHOD_GEOMETRIC, 1e-9);
  strcpy(options.multigrid.smoother, smoother);
  options.multigrid.cycle = MUS_CYCLE_V;
  mus_solver *solver = given_solver(&d->given, &options);
  mus_interpolation level = {ROWS, COARSE, d->carrier, d->weight, NULL};
  assert_ok(mus_solver_set_levels(solver, 1, &level));
  assert_ok(mus_solver_prepare(solver));
  assert_int_equal(mus_solver_levels(solver), 2);
  return solver;
}

// x += P (P^T A P)^-1 P^T r; the coarse node of vertices 0 and 1 is held in no direction, nor is any other wholly.
static void add_coarse(const pair_system *d, const double *r, double *x) {
  double *ap = malloc(N * NC * sizeof *ap), *coarse = malloc(NC * NC * sizeof *coarse), right[NC], left[NC];
  assert_true(ap && coarse);
  multiply(N, N, NC, d->a, d->p, ap);
  for (int j = 0; j < NC; ++j)
    multiply_transposed(N, NC, d->p, ap + j * N, coarse + j * NC);
  multiply_transposed(N, NC, d->p, r, right);
  dense_solve(NC, coarse, right, left);
  double change[N];
  multiply(N, NC, 1, d->p, left, change);
  for (int i = 0; i < N; ++i)
    x[i] += change[i];
  free(ap), free(coarse);
}

// x += omega D^-1 (r - A x), D the block diagonal of the filtered matrix, which is anything definite where all is held
static void add_jacobi(const pair_system *d, double omega, const double *r, double *x) {
  double ax[N];
  multiply(N, N, 1, d->a, x, ax);
  for (int node = 0; node < ROWS; ++node) {
    double block[9], right[3], change[3];
    for (int e = 0; e < 9; ++e) {
      int row = 3 * node + e / 3, column = 3 * node + e % 3;
      block[e] = d->a[column * N + row] + (e % 4 == 0) - d->s[column * N + row]; // I - S: what is held
    }
    for (int c = 0; c < 3; ++c)
      right[c] = r[3 * node + c] - ax[3 * node + c];
    dense_solve(3, block, right, change);
    for (int c = 0; c < 3; ++c)
      x[3 * node + c] += omega * change[c];
  }
}

static void corrections_are_those_of_dense_algebra(void **state) {
  (void)state;
  pair_system *d = pair_system_create();
  mus_solver *solver = pair_solver(d, "jacobi:1");
  double *given_r = random_vector(N, 3), r[N], c[N], wanted[N] = {0};
  multiply(N, N, 1, d->s, given_r, r);
  assert_ok(mus_solver_correct(solver, 1, MUS_CORRECT_SMOOTH, given_r, c));
  add_coarse(d, r, wanted);
  assert_true(dense_difference(N, c, wanted) < 1e-8);
  assert_ok(mus_solver_correct(solver, 1, MUS_CORRECT_CYCLE, given_r, c));
  assert_true(dense_difference(N, c, wanted) < 1e-8);

  const mus_level_report *report = &mus_solver_record(solver)->level[0];
  assert_int_equal(report->numbers, 1);
  assert_string_equal(report->number[0].name, "jacobi_omega");
  double omega = report->number[0].value, left[N];
  memset(wanted, 0, sizeof wanted);
  add_jacobi(d, omega, r, wanted);
  assert_ok(mus_solver_correct(solver, 0, MUS_CORRECT_SMOOTH, given_r, c));
  assert_true(dense_difference(N, c, wanted) < 1e-10);

  multiply(N, N, 1, d->a, wanted, left);
  for (int i = 0; i < N; ++i)
    left[i] = r[i] - left[i];
  add_coarse(d, left, wanted);
  add_jacobi(d, omega, r, wanted);
  assert_ok(mus_solver_correct(solver, 0, MUS_CORRECT_CYCLE, given_r, c));
  assert_true(dense_difference(N, c, wanted) < 1e-8);
  free(given_r);
  mus_solver_free(solver);
  pair_system_free(d);
}

// --- every method, level and smoother --------------------------------------------------------------------------------

static int is_held(const given *g, const double *c) {
  for (int k = 0; k < g->count; ++k)
    for (int e = 0; e < g->constraint[k].count; ++e)
      if (fabs(dot(3, g->constraint[k].direction[e], c + 3 * g->constraint[k].node)) > 1e-12)
        return 0;
  return 1;
}

static void expect_definite(mus_solver *solver, const given *g, double rounding) {
  double *r = random_vector(g->n, 1), *s = random_vector(g->n, 2), *cr = random_vector(g->n, 3),
         *cs = random_vector(g->n, 4);
  int levels = mus_solver_levels(solver);
  assert_true(levels > 1);
  for (int level = 0; level < levels; ++level)
    for (int kind = MUS_CORRECT_SMOOTH; kind <= MUS_CORRECT_CYCLE; ++kind) {
      assert_ok(mus_solver_correct(solver, level, (mus_correction)kind, r, cr));
      assert_ok(mus_solver_correct(solver, level, (mus_correction)kind, s, cs));
      double one = dot(g->n, s, cr), other = dot(g->n, r, cs), size = dot(g->n, r, cr);
      assert_true(size > 0 && dot(g->n, s, cs) > 0);
      if (!(fabs(one - other) < rounding * size))
        fail_msg("level %d, kind %d: %.17g against %.17g", level, kind, one, other);
      assert_true(is_held(g, cr) && is_held(g, cs));
    }
  free(r), free(s), free(cr), free(cs);
}

static void every_level_is_symmetric_and_definite(void **state) {
  (void)state;
  static const char *const smoother[] = {"chebyshev", "gs:2", "jacobi:3"};
  sheet_system sheet = given_cloth(14);
  given g = given_sheet(&sheet);
  int ends[2] = {20, 170};
  double apart[2] = {1, -1};
  mus_coupling spring = {.count = 2, .node = ends, .weight = apart, .block = {5, 0, 0, 0, 5, 0, 0, 0, 50}};
  for (int coupled = 0; coupled < 2; ++coupled)
    for (int m = 0; m < WITH_LEVELS; ++m)
      for (int k = 0; k < 6; ++k) {
        mus_solver_options options = given_options(with_levels[m], 1e-9);
        strcpy(options.multigrid.smoother, smoother[k / 2]);
        options.precision = k % 2 ? MUS_PRECISION_SINGLE : MUS_PRECISION_DOUBLE;
        g.coupling_count = coupled, g.coupling = &spring;
        mus_solver *solver = given_solver(&g, &options);
        assert_ok(mus_solver_prepare(solver));
        expect_definite(solver, &g, k % 2 ? 2e-4 : 1e-10);
        mus_solver_free(solver);
      }
  sheet_system_free(&sheet);
}

// Each correction, with the best step along it, makes the error smaller in the norm of A, and a round over all levels
// does so by much.
static void rounds_converge(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(20);
  given g = given_sheet(&sheet);
  double *x = calloc((size_t)g.n, sizeof *x), *r = malloc((size_t)g.n * sizeof *r),
         *c = malloc((size_t)g.n * sizeof *c), *ac = malloc((size_t)g.n * sizeof *ac);
  assert_true(x && r && c && ac);
  for (int m = 0; m < WITH_LEVELS; ++m) {
    mus_solver_options options = given_options(with_levels[m], 1e-9);
    mus_solver *solver = given_solver(&g, &options);
    assert_ok(mus_solver_prepare(solver));
    int levels = mus_solver_levels(solver);
    double gained = 0, last = 0;
    memset(x, 0, (size_t)g.n * sizeof *x);
    for (int round = 0; round < 12; ++round) {
      last = 0;
      for (int level = levels - 1; level >= 0; --level) {
        mus_residual(&sheet.a, g.b, x, r);
        assert_ok(mus_solver_correct(solver, level, MUS_CORRECT_CYCLE, r, c));
        mus_multiply(&sheet.a, c, ac);
        double rc = dot(g.n, r, c), step = rc / dot(g.n, c, ac);
        assert_true(rc >= 0);
        for (int i = 0; i < g.n; ++i)
          x[i] += step * c[i];
        last += rc * step / 2;
      }
      gained += last;
    }
    if (!(last < 1e-8 * gained))
      fail_msg("%s: the last round still gains %g of %g", mus_method_name(with_levels[m]), last, gained);
    mus_solver_free(solver);
  }
  free(x), free(r), free(c), free(ac);
  sheet_system_free(&sheet);
}

// --- calls -----------------------------------------------------------------------------------------------------------

static void new_values_are_prepared_for(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(14);
  given g = given_sheet(&sheet);
  size_t count = (size_t)g.row_start[g.rows] * 9;
  double *twice = malloc(count * sizeof *twice), *r = random_vector(g.n, 5), *c = random_vector(g.n, 6),
         *half = random_vector(g.n, 7);
  assert_non_null(twice);
  for (size_t k = 0; k < count; ++k)
    twice[k] = 2 * g.values[k];
  for (int setup = MUS_SETUP_NUMERIC; setup <= MUS_SETUP_AUTO; ++setup) {
    if (setup == MUS_SETUP_REUSE)
      continue;
    mus_solver_options options = given_options(MUS_METHOD_SA, 1e-9);
    options.setup = (mus_setup)setup;
    mus_solver *solver = given_solver(&g, &options);
    expect_status(MUS_BAD_INPUT, "mus_solver_prepare", mus_solver_correct(solver, 0, MUS_CORRECT_CYCLE, r, c));
    assert_int_equal(mus_solver_levels(solver), 0);
    assert_ok(mus_solver_prepare(solver));
    assert_ok(mus_solver_correct(solver, 1, MUS_CORRECT_CYCLE, r, c));
    assert_ok(mus_solver_set_values(solver, twice));
    expect_status(MUS_BAD_INPUT, "mus_solver_prepare", mus_solver_correct(solver, 1, MUS_CORRECT_CYCLE, r, half));
    assert_ok(mus_solver_prepare(solver));
    assert_ok(mus_solver_correct(solver, 1, MUS_CORRECT_CYCLE, r, half));
    for (int i = 0; i < g.n; ++i)
      half[i] *= 2;
    assert_true(dense_difference(g.n, half, c) < 1e-6);
    double *values;
    assert_ok(mus_solver_map_values(solver, &values));
    expect_status(MUS_BAD_INPUT, "mus_solver_prepare", mus_solver_correct(solver, 1, MUS_CORRECT_CYCLE, r, c));
    assert_ok(mus_solver_unmap_values(solver));
    assert_ok(mus_solver_prepare(solver));
    memset(c, 0, (size_t)g.n * sizeof *c);
    assert_ok(mus_solver_solve(solver, r, c)); // and solves find the matrix as it was given
    expect_status(MUS_BAD_INPUT, "mus_solver_prepare", mus_solver_correct(solver, 1, MUS_CORRECT_CYCLE, r, c));
    mus_solver_free(solver);
  }
  free(twice), free(r), free(c), free(half);
  sheet_system_free(&sheet);
}

static void bad_calls_are_refused(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(8);
  given g = given_sheet(&sheet);
  double *r = random_vector(g.n, 5), *c = random_vector(g.n, 6);
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-9);
  mus_solver *solver = NULL;
  assert_ok(mus_solver_create(&options, &solver));
  assert_int_equal(mus_solver_levels(solver), 0);
  expect_status(MUS_BAD_INPUT, "mus_solver_set_pattern", mus_solver_prepare(solver));
  expect_status(MUS_BAD_INPUT, "mus_solver_set_pattern", mus_solver_correct(solver, 0, MUS_CORRECT_CYCLE, r, c));
  mus_solver_free(solver);
  solver = given_solver(&g, &options);
  assert_ok(mus_solver_prepare(solver));
  expect_status(MUS_BAD_INPUT, "level -1", mus_solver_correct(solver, -1, MUS_CORRECT_CYCLE, r, c));
  expect_status(MUS_BAD_INPUT, "level 9", mus_solver_correct(solver, 9, MUS_CORRECT_CYCLE, r, c));
  r[7] = NAN;
  expect_status(MUS_BAD_INPUT, "the residual", mus_solver_correct(solver, 0, MUS_CORRECT_CYCLE, r, c));
  mus_solver_free(solver);
  options.method = MUS_METHOD_DIAG;
  solver = given_solver(&g, &options);
  expect_status(MUS_UNSUPPORTED, "\"diag\" has no hierarchy", mus_solver_prepare(solver));
  mus_solver_free(solver);
  free(r), free(c);
  sheet_system_free(&sheet);
}

static void threads_change_no_bits(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(40);
  given g = given_sheet(&sheet);
  size_t bytes = (size_t)g.n * sizeof(double);
  double *r = random_vector(g.n, 5), *one = random_vector(g.n, 6), *many = random_vector(g.n, 7);
  for (int m = 0; m < WITH_LEVELS; ++m)
    for (int kind = MUS_CORRECT_SMOOTH; kind <= MUS_CORRECT_CYCLE; ++kind)
      for (int threads = 1; threads <= 7; threads += 3) {
        mus_solver_options options = given_options(with_levels[m], 1e-9);
        strcpy(options.multigrid.smoother, "chebyshev/gs:2");
        options.threads = threads;
        mus_solver *solver = given_solver(&g, &options);
        assert_ok(mus_solver_prepare(solver));
        assert_ok(mus_solver_correct(solver, kind, (mus_correction)kind, r, threads == 1 ? one : many));
        if (threads > 1)
          assert_memory_equal(one, many, bytes);
        mus_solver_free(solver);
      }
  free(r), free(one), free(many);
  sheet_system_free(&sheet);
}

// --- adaptive smoothing ----------------------------------------------------------------------------------------------

// Smoothing alone leaves the rows out whose residual is small, all the others are as they would be if those were held,
// and r . c > 0 on every level.
static void rows_with_small_residuals_are_skipped(void **state) {
  (void)state;
  static const char *const smoother[] = {"chebyshev", "gs:2", "jacobi:3"};
  sheet_system sheet = given_cloth(14);
  given g = given_sheet(&sheet);
  double *r = random_vector(g.n, 5), *c = random_vector(g.n, 6);
  for (int i = 0; i < g.n; ++i)
    r[i] *= i < g.n / 3 ? 1 : 1e-3; // a third of the rows counts
  for (int m = 0; m < WITH_LEVELS; ++m)
    for (int k = 0; k < 6; ++k) {
      mus_solver_options options = given_options(with_levels[m], 1e-9);
      strcpy(options.multigrid.smoother, smoother[k / 2]);
      options.precision = k % 2 ? MUS_PRECISION_SINGLE : MUS_PRECISION_DOUBLE;
      options.multigrid.cycle = MUS_CYCLE_V;
      options.multigrid.adaptive_smoothing = 0.1;
      mus_solver *solver = given_solver(&g, &options);
      assert_ok(mus_solver_prepare(solver));
      assert_ok(mus_solver_correct(solver, 0, MUS_CORRECT_SMOOTH, r, c));
      int skipped = 0;
      for (int i = 0; i < g.n; ++i)
        skipped += c[i] == 0;
      assert_in_range(skipped, 2 * g.n / 3, 2 * g.n / 3 + g.n / 20);
      const mus_solve_record *record = mus_solver_record(solver);
      double share = record->skipped / (record->skipped + record->smoothing);
      assert_true(share > 0.5 && share < 0.7);
      for (int level = 0; level < mus_solver_levels(solver); ++level)
        for (int kind = MUS_CORRECT_SMOOTH; kind <= MUS_CORRECT_CYCLE; ++kind) {
          assert_ok(mus_solver_correct(solver, level, (mus_correction)kind, r, c));
          assert_true(dot(g.n, r, c) > 0);
        }
      mus_solver_free(solver);
    }
  free(r), free(c);
  sheet_system_free(&sheet);
}

// Conjugate gradients need what is linear: solves smooth every row, before and after corrections.
static void solves_skip_nothing(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(20);
  given g = given_sheet(&sheet);
  double *plain = random_vector(g.n, 5), *x = random_vector(g.n, 6), *c = random_vector(g.n, 7);
  for (int m = 0; m < WITH_LEVELS; ++m) {
    mus_solver_options options = given_options(with_levels[m], 1e-6);
    strcpy(options.multigrid.smoother, "gs:1");
    mus_solver *solver = given_solver(&g, &options);
    given_solve(solver, &g, plain);
    mus_solver_free(solver);
    options.multigrid.adaptive_smoothing = 0.5;
    solver = given_solver(&g, &options);
    for (int round = 0; round < 2; ++round) {
      assert_ok(mus_solver_prepare(solver));
      assert_ok(mus_solver_correct(solver, 0, MUS_CORRECT_CYCLE, c, x));
      assert_true(mus_solver_record(solver)->skipped > 0);
      given_solve(solver, &g, x);
      assert_memory_equal(x, plain, (size_t)g.n * sizeof *x);
      assert_true(mus_solver_record(solver)->skipped == 0);
    }
    mus_solver_free(solver);
  }
  free(plain), free(x), free(c);
  sheet_system_free(&sheet);
}

// --- work ------------------------------------------------------------------------------------------------------------

static void work_is_counted(void **state) {
  (void)state;
  pair_system *d = pair_system_create();
  mus_solver *solver = pair_solver(d, "jacobi:3");
  const mus_solve_record *record = mus_solver_record(solver);
  double *r = random_vector(N, 3), c[N];
  double fine = (double)record->level[0].nonzeros, p = 9.0 * ROWS / fine, bottom = (double)NC * NC / fine;
  assert_true(mus_solver_work(solver) == 0);
  assert_ok(mus_solver_correct(solver, 0, MUS_CORRECT_SMOOTH, r, c));
  assert_true(fabs(mus_solver_work(solver) - 2) < 1e-12); // three sweeps, the first of which starts from zero
  assert_ok(mus_solver_correct(solver, 1, MUS_CORRECT_SMOOTH, r, c));
  assert_true(fabs(mus_solver_work(solver) - (2 + 2 * p + bottom)) < 1e-12);
  double before = mus_solver_work(solver);
  assert_ok(mus_solver_correct(solver, 0, MUS_CORRECT_CYCLE, r, c));
  double cycle = 2 + 1 + 2 * p + bottom + 3;
  assert_true(fabs(mus_solver_work(solver) - before - cycle) < 1e-12);
  assert_ok(mus_solver_prepare(solver));
  assert_true(mus_solver_work(solver) == 0);
  memset(c, 0, sizeof c);
  assert_ok(mus_solver_solve(solver, r, c));
  int iterations = record->iterations;
  assert_true(mus_solver_work(solver) >= iterations * (1 + cycle) - 1e-9);
  assert_true(mus_solver_work(solver) <= (iterations + 1) * (1 + cycle) + 1e-9);
  mus_solver_free(solver);
  FOR_EACH_METHOD(method) {
    mus_solver_options options = given_options(method, 1e-9);
    solver = given_solver(&d->given, &options);
    given_solve(solver, &d->given, c);
    int unknown = method == MUS_METHOD_GAMG || method == MUS_METHOD_BOOMERAMG;
    assert_true(unknown ? mus_solver_work(solver) == 0 : mus_solver_work(solver) >= 1);
    mus_solver_free(solver);
  }
  free(r);
  pair_system_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corrections_are_those_of_dense_algebra),
      cmocka_unit_test(every_level_is_symmetric_and_definite),
      cmocka_unit_test(rounds_converge),
      cmocka_unit_test(new_values_are_prepared_for),
      cmocka_unit_test(bad_calls_are_refused),
      cmocka_unit_test(threads_change_no_bits),
      cmocka_unit_test(rows_with_small_residuals_are_skipped),
      cmocka_unit_test(solves_skip_nothing),
      cmocka_unit_test(work_is_counted),
  };
  return cmocka_run_group_tests_name("solve/correct", tests, NULL, NULL);
}
