// Hierarchies for new matrices with old prolongators, and with terms beyond the pattern.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "constrain/filter.h"
#include "krylov/cg.h"
#include "multigrid/hierarchy_state.h"
#include "par/par.h"
#include "par/vector.h"
#include "solve/constraints.h"
#include "support/dense.h"
#include "support/filtered.h"
#include "support/rig.h"

enum { SIDE = 25 };

static mus_solver_options lean_options(void) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_FAST);
  options.multigrid.bottom = 60;
  return options;
}

static problem wavy_sheet(double wave) {
  sheet_options options = sheet_default_options();
  options.side = SIDE;
  options.irregular = 1;
  options.wave = wave;
  return problem_sheet(&options);
}

static rig *kept_rig(const problem *p, const mus_solver_options *options, mus_precision precision) {
  rig *r = rig_create(p, options, precision, MUS_SETUP_COARSE);
  assert_int_equal(mus_hierarchy_analyse(r->hierarchy, &p->a), MUS_OK);
  return r;
}

static double *applied(rig *r, int n, const double *x) {
  double *z = vector_zero(n);
  mus_hierarchy_apply(r->hierarchy, x, z);
  return z;
}

// Symmetric and positive definite by random vectors.
static void check_definite(rig *r, int n, double rounding) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    double *u = vector_random(n, seed), *v = vector_random(n, seed + 100);
    double *mu = applied(r, n, u), *mv = applied(r, n, v);
    size_t count = (size_t)n;
    double across = mus_dot(count, u, mv), back = mus_dot(count, v, mu);
    assert_true(mus_dot(count, u, mu) > 0);
    assert_true(fabs(across - back) < rounding * sqrt(mus_dot(count, u, u) * mus_dot(count, mv, mv)));
    mus_free(u), mus_free(v), mus_free(mu), mus_free(mv);
  }
}

// Renewed for the matrix that it was made for, a hierarchy is what it was, but for what props up coarse diagonals.
static void renewing_for_the_same_matrix_changes_little(void **state) {
  (void)state;
  problem p = wavy_sheet(0.05);
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    mus_solver_options options = lean_options();
    rig *r = kept_rig(&p, &options, (mus_precision)precision);
    double *v = vector_random(p.n, 5), *before = applied(r, p.n, v);
    for (int again = 0; again < 3; ++again)
      assert_int_equal(mus_hierarchy_renew(r->hierarchy, &p.a, NULL), MUS_OK);
    double *after = applied(r, p.n, v);
    assert_true(dense_difference(p.n, after, before) < (precision == MUS_PRECISION_DOUBLE ? 1e-6 : 1e-3));
    mus_free(v), mus_free(before), mus_free(after);
    rig_free(r);
  }
  problem_free(&p);
}

// After some steps it serves the new matrix nearly as well as one that was made for it, and better than the old one.
static void renewing_for_a_new_matrix_is_nearly_as_good_as_new(void **state) {
  (void)state;
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    problem p = wavy_sheet(0.05);
    mus_solver_options options = lean_options();
    rig *kept = kept_rig(&p, &options, (mus_precision)precision);
    for (int step = 1; step <= 4; ++step) {
      problem next = wavy_sheet(0.05 + 0.01 * step);
      problem_take_values(&p, &next);
      problem_free(&next);
      assert_int_equal(mus_hierarchy_renew(kept->hierarchy, &p.a, NULL), MUS_OK);
      rig *fresh = rig_analysed(&p, &options, (mus_precision)precision);
      int renewed = rig_iterations(kept, &p, 1e-8), analysed = rig_iterations(fresh, &p, 1e-8);
      assert_true(renewed > 0 && analysed > 0);
      assert_in_range(renewed, 1, analysed + analysed / 3 + 1);
      check_definite(kept, p.n, precision == MUS_PRECISION_DOUBLE ? 1e-11 : 1e-3);
      rig_free(fresh);
    }
    rig_free(kept);
    problem_free(&p);
  }
}

// With the finest level renewed alone, the cycle is better than the old one, and no better than one that is renewed
// whole.
static void renewing_the_finest_level_is_half_the_way(void **state) {
  (void)state;
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    problem p = wavy_sheet(0.05), next = wavy_sheet(0.07);
    mus_solver_options options = lean_options();
    rig *old = kept_rig(&p, &options, (mus_precision)precision),
        *finest = kept_rig(&p, &options, (mus_precision)precision),
        *whole = kept_rig(&p, &options, (mus_precision)precision);
    double *v = vector_random(p.n, 5), *before = applied(finest, p.n, v);
    assert_int_equal(mus_hierarchy_renew_finest(finest->hierarchy, &p.a, NULL), MUS_OK);
    double *after = applied(finest, p.n, v);
    assert_true(dense_difference(p.n, after, before) < (precision == MUS_PRECISION_DOUBLE ? 1e-6 : 1e-3));
    problem_take_values(&p, &next);
    assert_int_equal(mus_hierarchy_renew_finest(finest->hierarchy, &p.a, NULL), MUS_OK);
    assert_int_equal(mus_hierarchy_renew(whole->hierarchy, &p.a, NULL), MUS_OK);
    check_definite(finest, p.n, precision == MUS_PRECISION_DOUBLE ? 1e-11 : 1e-3);
    int worn = rig_iterations(old, &p, 1e-8), half = rig_iterations(finest, &p, 1e-8),
        renewed = rig_iterations(whole, &p, 1e-8);
    assert_true(renewed > 0 && renewed <= half && (worn < 0 || half < worn)); // below 0: it broke down
    mus_free(v), mus_free(before), mus_free(after);
    rig_free(old), rig_free(finest), rig_free(whole);
    problem_free(&p), problem_free(&next);
  }
}

// A matrix so much stiffer that the radii which were computed are too small: the probe tells, and the cycle stays
// definite.
static void radii_follow_the_matrix(void **state) {
  (void)state;
  problem p = wavy_sheet(0.05);
  double *stiff = mus_alloc(mus_matrix_values(&p.a), sizeof *stiff);
  assert_non_null(stiff);
  memcpy(stiff, p.a.value, mus_matrix_values(&p.a) * sizeof *stiff);
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    for (int i = 0; i < p.rows; ++i) // inertia that hides the stiffness: the radius is about 1
      for (int r = 0; r < 3; ++r)
        p.a.value[9 * (size_t)p.place[i] + (size_t)(4 * r)] += 1e3 * fabs(stiff[9 * (size_t)p.place[i]]);
    mus_solver_options options = lean_options();
    options.sa.dominance = 0; // nothing is left to the smoother alone
    rig *r = kept_rig(&p, &options, (mus_precision)precision);
    memcpy(p.a.value, stiff, mus_matrix_values(&p.a) * sizeof *stiff);
    assert_int_equal(mus_hierarchy_renew(r->hierarchy, &p.a, NULL), MUS_OK);
    check_definite(r, p.n, precision == MUS_PRECISION_DOUBLE ? 1e-10 : 1e-2);
    rig_free(r);
  }
  mus_free(stiff);
  problem_free(&p);
}

// The finest prolongator is what its packed copy says, to the last bit.
static void expect_packed(const rig *r) {
  const mus_cycle_level_f *finest = &r->hierarchy->f[0];
  const mus_pattern *p = finest->p.pattern;
  size_t size = (size_t)(finest->p.row_block * finest->p.column_block);
  assert_non_null(finest->packed);
  for (int i = 0; i < p->rows; ++i)
    for (size_t k = (size_t)p->row_start[i] * size; k < (size_t)p->row_start[i + 1] * size; ++k)
      assert_true(finest->p.value[k] == finest->packed->scale[i] * (float)finest->packed->value[k]);
}

// What is held after prolongators were made: corrections leave it alone, and when it is let go all is as before.
static void held_directions_are_left_alone(void **state) {
  (void)state;
  problem p = wavy_sheet(0.05);
  enum { HELD = 60 };
  mus_constraint constraints[HELD];
  for (int k = 0; k < HELD; ++k) // a patch, so that whole aggregates are held; some along a slanted normal only
    constraints[k] = (mus_constraint){.node = (6 + k / 8) * SIDE + 6 + k % 8,
                                      .count = k % 3 == 0 ? 3 : 1,
                                      .direction = {{0.6, 0.8, 0}, {0, 0, 1}, {0.8, -0.6, 0}}};
  mus_arena arena = {0};
  mus_filter filter = {.rows = p.rows, .block = 3};
  assert_int_equal(mus_constraints_filter(&arena, p.rows, 3, HELD, constraints, &filter), MUS_OK);
  mus_matrix filtered;
  assert_int_equal(mus_matrix_create(&arena, p.pattern, 3, 3, &filtered), MUS_OK);
  filtered_matrix(&filter, &p.a, p.place, mus_filter_scale(&p.a, p.place), &filtered);
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    mus_solver_options options = lean_options();
    rig *r = kept_rig(&p, &options, (mus_precision)precision);
    double *v = vector_random(p.n, 7);
    assert_int_equal(mus_hierarchy_renew(r->hierarchy, &p.a, NULL), MUS_OK);
    double *before = applied(r, p.n, v), *u = vector_random(p.n, 8);
    assert_int_equal(mus_hierarchy_renew(r->hierarchy, &filtered, &filter), MUS_OK);
    if (precision == MUS_PRECISION_SINGLE)
      expect_packed(r);
    check_definite(r, p.n, precision == MUS_PRECISION_DOUBLE ? 1e-10 : 1e-3);
    mus_filter_apply(&filter, u);
    double *z = applied(r, p.n, u), *free_part = vector_zero(p.n);
    mus_copy((size_t)p.n, z, free_part);
    mus_filter_apply(&filter, free_part);
    assert_true(dense_difference(p.n, z, free_part) < (precision == MUS_PRECISION_DOUBLE ? 1e-12 : 1e-5));
    assert_int_equal(mus_hierarchy_renew(r->hierarchy, &p.a, NULL), MUS_OK);
    if (precision == MUS_PRECISION_SINGLE)
      expect_packed(r);
    double *after = applied(r, p.n, v);
    assert_true(dense_difference(p.n, after, before) < (precision == MUS_PRECISION_DOUBLE ? 1e-3 : 1e-2));
    mus_free(u), mus_free(v), mus_free(before), mus_free(z), mus_free(free_part), mus_free(after);
    rig_free(r);
  }
  mus_arena_clear(&arena);
  problem_free(&p);
}

static void threads_change_no_bit(void **state) {
  (void)state;
  problem p = wavy_sheet(0.05), next = wavy_sheet(0.06);
  double *v = vector_random(p.n, 9), *first = NULL;
  static const int threads[] = {1, 2, 7};
  for (int t = 0; t < 3; ++t) {
    int before = mus_par_set_threads(threads[t]);
    mus_solver_options options = lean_options();
    rig *r = kept_rig(&p, &options, MUS_PRECISION_SINGLE);
    mus_matrix moved = {p.pattern, 3, 3, next.a.value};
    assert_int_equal(mus_hierarchy_renew(r->hierarchy, &moved, NULL), MUS_OK);
    double *z = applied(r, p.n, v);
    if (first)
      assert_memory_equal(first, z, (size_t)p.n * sizeof *z);
    rig_free(r);
    mus_par_set_threads(before);
    if (first)
      mus_free(z);
    else
      first = z;
  }
  mus_free(first), mus_free(v);
  problem_free(&p), problem_free(&next);
}

// --- terms beyond the pattern ---------------------------------------------------------------------------------------

// Two sheets of the problem's, one on the other, and springs between them.
typedef struct pair {
  int nodes; // of one sheet
  double stiffness;
} pair;

static int spring_nodes(const void *self, int t, const int **node) {
  static _Thread_local int ends[2];
  const pair *s = self;
  ends[0] = t;
  ends[1] = t + s->nodes;
  *node = ends;
  return 2;
}

static void spring_block(const void *self, int t, int i, int j, double *out) {
  const pair *s = self;
  (void)t;
  memset(out, 0, 9 * sizeof *out);
  out[0] = out[4] = out[8] = i == j ? s->stiffness : -s->stiffness;
}

// The block diagonal matrix of two equal sheets.
static problem two_sheets(const problem *one) {
  problem p = {.rows = 2 * one->rows, .block = 3, .n = 2 * one->n, .count = 3};
  int blocks = mus_pattern_blocks(one->pattern);
  int *start = mus_arena_alloc(&p.arena, (size_t)p.rows + 1, sizeof *start);
  int *column = mus_arena_alloc(&p.arena, 2 * (size_t)blocks, sizeof *column);
  p.pattern = mus_arena_alloc(&p.arena, 1, sizeof *p.pattern);
  p.kernel = mus_arena_alloc_zero(&p.arena, 3 * (size_t)p.n, sizeof *p.kernel);
  p.b = mus_arena_alloc(&p.arena, (size_t)p.n, sizeof *p.b);
  assert_true(start && column && p.pattern && p.kernel && p.b);
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < one->rows; ++i)
      start[half * one->rows + i] = half * blocks + one->pattern->row_start[i];
    for (int k = 0; k < blocks; ++k)
      column[half * blocks + k] = half * one->rows + one->pattern->column[k];
  }
  start[p.rows] = 2 * blocks;
  *p.pattern = (mus_pattern){p.rows, p.rows, start, column};
  assert_int_equal(mus_matrix_create(&p.arena, p.pattern, 3, 3, &p.a), MUS_OK);
  for (int half = 0; half < 2; ++half)
    memcpy(p.a.value + 9 * (size_t)(half * blocks), one->a.value, 9 * (size_t)blocks * sizeof(double));
  for (int i = 0; i < p.n; ++i) {
    p.kernel[(i % 3) * p.n + i] = 1;
    p.b[i] = one->b[i % one->n] * (i < one->n ? 1 : -0.5);
  }
  return p;
}

static void apply_hierarchy(void *self, const double *r, double *z) { mus_hierarchy_apply(self, r, z); }

static int coupled_iterations(rig *r, const problem *p, const mus_beyond *beyond) {
  double *x = vector_zero(p->n), *work = mus_alloc(MUS_CG_VECTORS * (size_t)p->n, sizeof *work);
  double residuals[1001];
  mus_cg_result result = {.residuals = residuals};
  mus_block_operator system = {.a = &p->a, .beyond = beyond};
  mus_operator a = mus_block_operator_view(&system);
  mus_status status = mus_pcg(&a, NULL, &(mus_preconditioner){.self = r->hierarchy, .apply = apply_hierarchy}, p->b, x,
                              &(mus_cg_options){.tolerance = 1e-8, .iterations = 1000}, work, &result);
  mus_free(x), mus_free(work);
  return status ? -(int)status : result.iterations;
}

static void coarse_levels_see_couplings(void **state) {
  (void)state;
  problem one = wavy_sheet(0.05), p = two_sheets(&one);
  pair springs = {one.rows, 100 * one.a.value[9 * (size_t)one.place[one.rows / 2]]};
  mus_terms terms = {one.rows, &springs, spring_nodes, spring_block};
  mus_arena arena = {0};
  mus_beyond beyond;
  assert_int_equal(mus_beyond_create(&arena, p.rows, 3, &terms, &beyond), MUS_OK);
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    mus_solver_options options = lean_options();
    rig *r = kept_rig(&p, &options, (mus_precision)precision);
    int without = coupled_iterations(r, &p, &beyond);
    assert_int_equal(mus_hierarchy_couple(r->hierarchy, &p.a, &beyond), MUS_OK);
    check_definite(r, p.n, precision == MUS_PRECISION_DOUBLE ? 1e-10 : 1e-3);
    int with = coupled_iterations(r, &p, &beyond);
    assert_true(with > 0);
    if (!(without < 0 || 2 * with < without))
      fail_msg("%d iterations with couplings in the hierarchy, %d without", with, without);
    // Taken out again, they leave nothing behind.
    double *v = vector_random(p.n, 3);
    assert_int_equal(mus_hierarchy_couple(r->hierarchy, &p.a, NULL), MUS_OK);
    double *after = applied(r, p.n, v);
    rig *fresh = kept_rig(&p, &options, (mus_precision)precision);
    double *before = applied(fresh, p.n, v);
    assert_memory_equal(before, after, (size_t)p.n * sizeof *after);
    mus_free(v), mus_free(before), mus_free(after);
    rig_free(r), rig_free(fresh);
  }
  mus_arena_clear(&arena);
  mus_arena_clear(&p.arena);
  problem_free(&one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(renewing_for_the_same_matrix_changes_little),
      cmocka_unit_test(renewing_for_a_new_matrix_is_nearly_as_good_as_new),
      cmocka_unit_test(renewing_the_finest_level_is_half_the_way),
      cmocka_unit_test(radii_follow_the_matrix),
      cmocka_unit_test(held_directions_are_left_alone),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(coarse_levels_see_couplings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
