// The stages on a device that is emulated, number by number against the host's hierarchy; with MUSLIN_TEST_DEVICE=cuda,
// on the device that there is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/device.h"
#include "cuda/emulated.h"
#include "multigrid/aggregation/aggregation.h"
#include "multigrid/hierarchy_state.h"
#include "support/check.h"
#include "support/dense.h"
#include "support/problem.h"

static const mus_stages *stages;
static mus_device *device;

static int open_device(void **state) {
  (void)state;
  const char *asked = getenv("MUSLIN_TEST_DEVICE");
  mus_stage_failure failure;
  stages = mus_emulated_stages();
  if (asked && strcmp(asked, "cuda") == 0)
    assert_ok(mus_device_stages(&stages));
  assert_int_equal(stages->version, MUS_STAGES_VERSION);
  return stages->open(&device, &failure);
}

static int close_device(void **state) {
  (void)state;
  stages->close(device);
  return 0;
}

static mus_stage_pattern pattern_of(const mus_pattern *p) {
  return (mus_stage_pattern){p->rows, p->columns, p->row_start, p->column};
}

static void check_stage(mus_status status, const mus_stage_failure *failure) {
  if (status)
    fail_msg("%s", failure->text);
}

// A hierarchy in single precision on the host, for the first `count` vectors of the problem's near-null space.
typedef struct made {
  mus_sa_options options;
  mus_aggregation *aggregation;
  mus_hierarchy *hierarchy;
} made;

static made make(const problem *p, mus_preset preset, int count) {
  mus_solver_options options = mus_preset_solver_options(preset);
  options.multigrid.bottom = 60;
  options.multigrid.smoother_order = 2;
  mus_hierarchy_options h = {options.multigrid, NULL, MUS_PRECISION_SINGLE, MUS_SETUP_COARSE, 0, 0};
  made m = {.options = options.sa};
  assert_ok(mus_aggregation_create(&options.sa, NULL, &m.aggregation));
  assert_ok(mus_aggregation_set_kernel(m.aggregation, p->rows, p->block, count, p->kernel));
  assert_ok(mus_hierarchy_create(&mus_smoothed_aggregation, m.aggregation, &h, &m.hierarchy));
  assert_ok(mus_hierarchy_analyse(m.hierarchy, &p->a));
  return m;
}

static void made_free(made *m) {
  mus_hierarchy_free(m->hierarchy);
  mus_aggregation_free(m->aggregation);
}

static mus_stage_grouping grouping_of(const mus_aggregation *aggregation, int level) {
  mus_aggregation_parts parts = mus_aggregation_look(aggregation, level);
  return (mus_stage_grouping){.aggregates = parts.aggregates->count,
                              .aggregate = parts.aggregates->of,
                              .part = pattern_of(parts.part),
                              .source = parts.part_source,
                              .is_filtered = parts.is_filtered};
}

// What the host knows of the spectra.
static void start(mus_device_solver *solver, mus_hierarchy *h) {
  mus_stage_spectrum spectrum[MUS_STAGES_LEVELS] = {{0}};
  mus_stage_failure failure;
  for (int k = 0; k + 1 < mus_hierarchy_levels(h); ++k) {
    mus_level_parts parts = mus_hierarchy_parts(h, k);
    spectrum[k] = (mus_stage_spectrum){parts.probe, parts.growth, parts.radius};
  }
  check_stage(stages->start(solver, spectrum, &failure), &failure);
}

// The hierarchy on the device, without values.
static mus_device_solver *solver_of(const made *m, int visits) {
  mus_hierarchy *h = m->hierarchy;
  mus_stage_hierarchy described = {.levels = mus_hierarchy_levels(h), .visits = visits, .iterations_most = 200};
  mus_stage_failure failure;
  mus_device_solver *solver = NULL;
  described.kernel_sweeps = m->options.kernel_sweeps;
  for (int k = 0; k < described.levels; ++k) {
    mus_level_parts parts = mus_hierarchy_parts(h, k);
    mus_stage_level *l = &described.level[k];
    *l = (mus_stage_level){.a = pattern_of(parts.a), .block = parts.block};
    if (!parts.p)
      continue;
    l->p = pattern_of(parts.p);
    l->grouping = grouping_of(m->aggregation, k);
    const mus_level_smoother *smoother = parts.smoother;
    while (smoother->kind->pass(&smoother->options, 1, l->passes, &l->alpha[l->passes], &l->beta[l->passes]))
      ++l->passes;
  }
  check_stage(stages->create(device, &described, &solver, &failure), &failure);
  assert_true(stages->bytes(solver) > 0);
  start(solver, h);
  return solver;
}

static void give_values(mus_device_solver *solver, const problem *p, mus_stage_renewal what) {
  mus_stage_failure failure;
  check_stage(stages->set_values(solver, p->a.value, &failure), &failure);
  check_stage(stages->renew(solver, what, &failure), &failure);
}

static void give(mus_device_solver *solver, const problem *p) {
  mus_stage_failure failure;
  check_stage(stages->set_kernel(solver, MUS_STAGE_VECTORS, p->kernel, &failure), &failure);
  give_values(solver, p, MUS_STAGE_EVERYTHING);
}

static void expect_close(size_t n, const float *is, const float *ought, double allowed, const char *what, int level) {
  double off = 0, size = 0;
  for (size_t i = 0; i < n; ++i) {
    off = fmax(off, fabs((double)is[i] - (double)ought[i]));
    size = fmax(size, fabs((double)ought[i]));
    assert_true(isfinite(is[i]));
  }
  if (!(off <= allowed * size))
    fail_msg("level %d: %s is off by %g of %g", level, what, off, size);
}

// Block by block, in parts of the largest number of a block's row.
static void expect_same_blocks(const mus_matrix_f *ought, const float *is, double allowed, int level) {
  size_t size = (size_t)(ought->row_block * ought->column_block);
  for (int i = 0; i < ought->pattern->rows; ++i) {
    int begin = ought->pattern->row_start[i], end = ought->pattern->row_start[i + 1];
    double largest = 0;
    for (size_t e = (size_t)begin * size; e < (size_t)end * size; ++e)
      largest = fmax(largest, fabs((double)ought->value[e]));
    for (int k = begin; k < end; ++k)
      for (size_t e = (size_t)k * size; e < ((size_t)k + 1) * size; ++e)
        if (!(fabs((double)is[e] - (double)ought->value[e]) <= allowed * largest))
          fail_msg("level %d: block (%d, %d) of the prolongator has %g instead of %g, beside %g", level, i,
                   ought->pattern->column[k], (double)is[e], (double)ought->value[e], largest);
  }
}

// Level by level what the host has made of the same matrix. The host works in double precision and rounds; coarse
// blocks of stiff sheets are close to singular, and propped up on the device.
static void expect_same_levels(mus_device_solver *solver, const mus_hierarchy *h, int is_stiff) {
  mus_stage_failure failure;
  for (int k = 0; k < h->levels; ++k) {
    const mus_level_system_f *system = &h->f[k].system;
    const mus_matrix_f *p = &h->f[k].p;
    size_t rows = (size_t)system->a.pattern->rows, size = (size_t)(system->a.row_block * system->a.row_block);
    size_t values = (size_t)mus_pattern_blocks(system->a.pattern) * size;
    size_t steps = p->value ? (size_t)mus_pattern_blocks(p->pattern) * (size_t)(p->row_block * p->column_block) : 0;
    float *a = malloc(values * sizeof *a), *inverse = malloc(rows * size * sizeof *inverse);
    float *prolongator = malloc((steps + 1) * sizeof *prolongator);
    double radius;
    assert_true(a && inverse && prolongator);
    check_stage(stages->look(solver, k, a, prolongator, inverse, &radius, &failure), &failure);
    if (k > 0)
      expect_close(values, a, system->a.value, is_stiff ? 1e-3 : 1e-4, "the matrix", k);
    if (k + 1 < h->levels) {
      double allowed = k == 0 ? (is_stiff ? 1e-3 : 1e-4) : is_stiff ? 3e-2 : 2e-3;
      expect_close(rows * size, inverse, system->inverse_diagonal, allowed, "the inverse diagonal", k);
      expect_same_blocks(p, prolongator, allowed, k);
      assert_true(fabs(radius - system->radius) <= 1e-4 * system->radius);
    }
    free(a);
    free(inverse);
    free(prolongator);
  }
}

static problem sheet_problem(double wave, double stretch) {
  sheet_options options = sheet_default_options();
  options.side = 27;
  options.wave = wave;
  options.stretch = stretch;
  return problem_sheet(&options);
}

// Of the matrix that aggregates were made for, and of others: what the host makes of them anew.
static void check_renewal(mus_preset preset, int count) {
  const double stretch[] = {5000, 5500, 500000};
  problem p = sheet_problem(0.05, 5000);
  made m = make(&p, preset, count);
  assert_true(mus_hierarchy_levels(m.hierarchy) > 2);
  mus_device_solver *solver = solver_of(&m, 1);
  for (int k = 0; k < 3; ++k) {
    problem q = sheet_problem(0.05 + 0.01 * k, stretch[k]);
    problem_take_values(&p, &q);
    assert_ok(mus_hierarchy_refresh(m.hierarchy, &p.a));
    start(solver, m.hierarchy);
    give(solver, &p);
    expect_same_levels(solver, m.hierarchy, k == 2);
    problem_free(&q);
  }
  stages->free(solver);
  made_free(&m);
  problem_free(&p);
}

static void numbers_are_those_of_the_host(void **state) {
  (void)state;
  check_renewal(MUS_PRESET_FAST, 3);   // filtered prolongators
  check_renewal(MUS_PRESET_FAST, 6);   // with rotations
  check_renewal(MUS_PRESET_ROBUST, 6); // relaxed near-null space
}

// With prolongators that are kept, and with coarse matrices that are kept too.
static void less_is_renewed(void **state) {
  (void)state;
  problem p = sheet_problem(0.05, 5000);
  made m = make(&p, MUS_PRESET_FAST, 6);
  mus_device_solver *solver = solver_of(&m, 1);
  mus_stage_failure failure;
  check_stage(stages->set_kernel(solver, MUS_STAGE_VECTORS, p.kernel, &failure), &failure);
  give_values(solver, &p, MUS_STAGE_FINEST); // everything is renewed the first time
  expect_same_levels(solver, m.hierarchy, 0);
  for (int k = 1; k < 3; ++k) {
    problem q = sheet_problem(0.05 + 0.01 * k, 5000 + 500 * k);
    problem_take_values(&p, &q);
    if (k == 1)
      assert_ok(mus_hierarchy_renew(m.hierarchy, &p.a, NULL));
    else
      assert_ok(mus_hierarchy_renew_finest(m.hierarchy, &p.a, NULL));
    give_values(solver, &p, k == 1 ? MUS_STAGE_COARSE : MUS_STAGE_FINEST);
    expect_same_levels(solver, m.hierarchy, 0);
    problem_free(&q);
  }
  stages->free(solver);
  made_free(&m);
  problem_free(&p);
}

// Radii grow with those of the matrix, within what the host would find.
static void radii_follow(void **state) {
  (void)state;
  mus_stage_failure failure;
  problem p = sheet_problem(0.05, 5000), q = sheet_problem(0.08, 500000);
  made m = make(&p, MUS_PRESET_FAST, 3);
  mus_device_solver *solver = solver_of(&m, 1);
  give(solver, &p);
  problem_take_values(&p, &q);
  for (int k = 0; k < 8; ++k)
    give(solver, &p);
  assert_ok(mus_hierarchy_refresh(m.hierarchy, &p.a));
  for (int k = 0; k + 1 < mus_hierarchy_levels(m.hierarchy); ++k) {
    double radius;
    check_stage(stages->look(solver, k, NULL, NULL, NULL, &radius, &failure), &failure);
    double ought = mus_hierarchy_parts(m.hierarchy, k).radius;
    if (!(radius > 0.9 * ought && radius < 2 * ought))
      fail_msg("level %d: a radius of %g where the host finds %g", k, radius, ought);
  }
  stages->free(solver);
  made_free(&m);
  problem_free(&p);
  problem_free(&q);
}

// V- and W-cycles, and a tight tolerance: what is solved is the matrix in double precision.
static void solutions_are_those_of_the_matrix(void **state) {
  (void)state;
  mus_stage_failure failure;
  problem p = sheet_problem(0.05, 5000);
  made m = make(&p, MUS_PRESET_ROBUST, 6);
  for (int visits = 1; visits <= 2; ++visits) {
    mus_device_solver *solver = solver_of(&m, visits);
    double *x = vector_zero(p.n), *r = vector_zero(p.n), residuals[201];
    mus_stage_limits limits = {.tolerance = 1e-11, .iterations = 200};
    mus_stage_result result = {.residuals = residuals};
    give(solver, &p);
    check_stage(stages->solve(solver, p.b, x, &limits, &result, &failure), &failure);
    assert_int_equal(result.end, MUS_STAGE_CONVERGED);
    assert_in_range(result.iterations, 2, 60);
    assert_true(residuals[result.iterations] <= 1e-11 * result.reference);
    mus_residual(&p.a, p.b, x, r);
    double left = 0, all = 0;
    for (int i = 0; i < p.n; ++i) {
      left += r[i] * r[i];
      all += p.b[i] * p.b[i];
    }
    assert_true(sqrt(left / all) < 1e-9);
    assert_true(fabs(result.true_residual - sqrt(left / all)) < 1e-2 * sqrt(left / all) + 1e-15);
    limits.iterations = 1;
    memset(x, 0, (size_t)p.n * sizeof *x);
    check_stage(stages->solve(solver, p.b, x, &limits, &result, &failure), &failure);
    assert_int_equal(result.end, MUS_STAGE_EXHAUSTED);
    assert_int_equal(result.iterations, 1);
    memset(r, 0, (size_t)p.n * sizeof *r); // nothing to solve
    check_stage(stages->solve(solver, r, x, &limits, &result, &failure), &failure);
    stages->free(solver);
    mus_free(x);
    mus_free(r);
  }
  made_free(&m);
  problem_free(&p);
}

static void matrices_that_break_down_are_told(void **state) {
  (void)state;
  mus_stage_failure failure;
  problem p = sheet_problem(0.05, 5000);
  made m = make(&p, MUS_PRESET_ROBUST, 6);
  mus_device_solver *solver = solver_of(&m, 1);
  double *x = vector_zero(p.n), residuals[201], *values = vector_zero((int)mus_matrix_values(&p.a));
  mus_stage_limits limits = {.tolerance = 1e-5, .iterations = 200};
  mus_stage_result result = {.residuals = residuals};
  assert_int_equal(stages->renew(solver, MUS_STAGE_FINEST, &failure), MUS_BAD_INPUT); // there are no values yet
  for (size_t k = 0; k < mus_matrix_values(&p.a); ++k)
    values[k] = -p.a.value[k];
  check_stage(stages->set_kernel(solver, MUS_STAGE_VECTORS, p.kernel, &failure), &failure);
  check_stage(stages->set_values(solver, values, &failure), &failure);
  check_stage(stages->renew(solver, MUS_STAGE_EVERYTHING, &failure), &failure);
  check_stage(stages->solve(solver, p.b, x, &limits, &result, &failure), &failure);
  assert_int_equal(result.end, MUS_STAGE_BAD_LEVEL);
  for (int i = 0; i < p.n; ++i)
    assert_true(x[i] == 0);
  stages->free(solver);
  mus_free(values);
  mus_free(x);
  made_free(&m);
  problem_free(&p);
}

static void what_does_not_fit_is_rejected(void **state) {
  (void)state;
  mus_stage_failure failure = {""};
  mus_device_solver *solver = NULL;
  problem p = problem_poisson(40, 2);
  mus_stage_hierarchy h = {.levels = 1, .visits = 1, .iterations_most = 10};
  h.level[0] = (mus_stage_level){.a = pattern_of(p.pattern), .block = 2};
  assert_int_equal(stages->create(device, &h, &solver, &failure), MUS_UNSUPPORTED);
  assert_non_null(strstr(failure.text, "3 or 6 unknowns"));
  h.level[0].block = 3;
  assert_int_equal(stages->create(device, &h, &solver, &failure), MUS_UNSUPPORTED);
  assert_non_null(strstr(failure.text, "coarsest level is too large"));
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_those_of_the_host),
      cmocka_unit_test(less_is_renewed),
      cmocka_unit_test(radii_follow),
      cmocka_unit_test(solutions_are_those_of_the_matrix),
      cmocka_unit_test(matrices_that_break_down_are_told),
      cmocka_unit_test(what_does_not_fit_is_rejected),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
