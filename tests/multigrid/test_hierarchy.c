// Hierarchies: Galerkin matrices and cycles against dense algebra, symmetry in both precisions, the parts of set-up,
// the level report, threads, failing allocations, and the contract with a coarsening.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "par/par.h"
#include "par/vector.h"
#include "support/algebra.h"
#include "support/dense.h"
#include "support/problem.h"
#include "support/rig.h"

static const mus_cycle cycles[] = {MUS_CYCLE_V, MUS_CYCLE_W};

// As many levels as possible.
static mus_solver_options deep_options(void) {
  mus_solver_options options = rig_options();
  options.multigrid.bottom = 20;
  return options;
}

static double *applied(rig *r, int n, const double *x) {
  double *z = vector_zero(n);
  mus_hierarchy_apply(r->hierarchy, x, z);
  return z;
}

static int levels_of(const rig *r) {
  mus_solve_record record;
  mus_hierarchy_report(r->hierarchy, &record);
  return record.levels;
}

// --- the matrices of the levels -----------------------------------------------------------------------------------

// A_c = P^T A P where there are basis vectors, something positive on the diagonal where there are none.
static void check_galerkin(const rig_level *fine, const mus_matrix *coarse) {
  int n = fine->a.pattern->rows * fine->a.row_block, m = coarse->pattern->rows * coarse->row_block;
  double *a = dense_from_matrix(&fine->a), *p = dense_from_matrix(&fine->p), *ac = dense_from_matrix(coarse);
  double *ap = dense_product(n, n, m, a, p), *expected = dense_transposed_product(m, n, m, p, ap);
  assert_true(dense_asymmetry(m, ac) == 0);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j)
      if (!fine->live[i] || !fine->live[j]) {
        assert_true(i == j ? ac[i * m + i] > 0 : ac[j * m + i] == 0);
        ac[j * m + i] = 0;
      }
  assert_true(dense_difference(m * m, ac, expected) < 1e-12);
  free(a), free(p), free(ac), free(ap), free(expected);
}

// Frees the problem.
static void check_levels(problem p) {
  for (int kind = 0; kind < 3; ++kind) {
    mus_solver_options options = deep_options();
    options.sa.smooth_prolongator = kind > 0;
    options.sa.filter_prolongator = kind == 2;
    rig *r = rig_analysed(&p, &options, MUS_PRECISION_DOUBLE);
    assert_true(r->seen >= 2);
    assert_memory_equal(r->level[0].a.value, p.a.value, mus_matrix_values(&p.a) * sizeof(double));
    for (int k = 0; k + 1 < r->seen; ++k)
      check_galerkin(&r->level[k], &r->level[k + 1].a);
    rig_free(r);
  }
  problem_free(&p);
}

static void coarse_matrices_are_galerkin_products(void **state) {
  (void)state;
  for (int boundary = SHEET_FREE; boundary <= SHEET_DROOPING; ++boundary)
    check_levels(problem_small_sheet(13, boundary != SHEET_PINNED, (sheet_boundary)boundary));
  check_levels(problem_chain(80));
  check_levels(problem_poisson(12, 1));
  check_levels(problem_random(90, 4, 3));
}

// --- the cycle ----------------------------------------------------------------------------------------------------

static void check_cycle(const problem *p, const mus_solver_options *options, mus_precision precision, int levels) {
  int n = p->n;
  double tolerance = precision == MUS_PRECISION_DOUBLE ? 1e-8 : 2e-3,
         rounding = precision == MUS_PRECISION_DOUBLE ? 1e-12 : 2e-5;
  rig *r = rig_analysed(p, options, precision);
  assert_int_equal(levels_of(r), levels);
  double *m = rig_matrix(r, n), *expected = rig_reference(r), *a = dense_from_matrix(&p->a);
  double *values = calloc((size_t)n, sizeof *values);
  double difference = dense_difference(n * n, m, expected), asymmetry = dense_asymmetry(n, m);
  dense_product_eigenvalues(n, m, a, values);
  if (!(difference < tolerance) || !(asymmetry < rounding) || !(values[0] > 0) || !(values[n - 1] < 1 + tolerance))
    fail_msg("%s, cycle %d, order %d, precision %d: difference %g, asymmetry %g, eigenvalues of M A from %g to %g",
             p->name, (int)options->multigrid.cycle, options->multigrid.smoother_order, (int)precision, difference,
             asymmetry, values[0], values[n - 1]);
  free(m), free(expected), free(a), free(values);
  rig_free(r);
}

// Frees the problem.
static void check_cycles(problem p, int levels) {
  for (size_t c = 0; c < sizeof cycles / sizeof *cycles; ++c)
    for (int order = 1; order <= 4; ++order)
      for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
        mus_solver_options options = deep_options();
        options.multigrid.cycle = cycles[c];
        options.multigrid.smoother_order = order;
        options.multigrid.smoother_range = 5 + 5 * order;
        check_cycle(&p, &options, (mus_precision)precision, levels);
      }
  problem_free(&p);
}

static void cycles_follow_the_formulas_on_cloth(void **state) {
  (void)state;
  check_cycles(problem_small_sheet(8, 1, SHEET_DROOPING), 3);
  check_cycles(problem_small_sheet(7, 0, SHEET_PINNED), 3);
}

static void cycles_follow_the_formulas_elsewhere(void **state) {
  (void)state;
  check_cycles(problem_poisson(9, 1), 2);
  check_cycles(problem_chain(40), 4);
  check_cycles(problem_diagonal(9, 3, 1), 1); // nothing to coarsen, nothing to solve
}

static void the_number_of_levels_can_be_limited(void **state) {
  (void)state;
  problem p = problem_small_sheet(9, 1, SHEET_DROOPING);
  mus_solver_options options = deep_options();
  for (options.multigrid.levels = 2; options.multigrid.levels <= 5; ++options.multigrid.levels)
    check_cycle(&p, &options, MUS_PRECISION_DOUBLE, options.multigrid.levels < 3 ? options.multigrid.levels : 3);
  options.multigrid.levels = 1;
  rig *r = rig_analysed(&p, &options, MUS_PRECISION_DOUBLE);
  assert_int_equal(levels_of(r), 1);
  assert_int_equal(rig_iterations(r, &p, 1e-8), 1); // solved directly
  rig_free(r);
  problem_free(&p);
}

// u . M v = v . M u and v . M v > 0, to the rounding of the precision, and M (3u - v/4) = 3 M u - M v / 4.
static void check_inner_products(rig *r, int n, double rounding) {
  double *u = vector_random(n, 31), *v = vector_random(n, 32), *w = vector_zero(n);
  for (int i = 0; i < n; ++i)
    w[i] = 3 * u[i] - v[i] / 4;
  double *mu = applied(r, n, u), *mv = applied(r, n, v), *mw = applied(r, n, w);
  size_t count = (size_t)n;
  double across = mus_dot(count, u, mv), back = mus_dot(count, v, mu);
  double size = sqrt(mus_dot(count, u, u) * mus_dot(count, mv, mv));
  assert_true(mus_dot(count, u, mu) > 0 && mus_dot(count, v, mv) > 0);
  if (!(fabs(across - back) < rounding * size))
    fail_msg("u . M v and v . M u differ by %g of their size", fabs(across - back) / size);
  for (int i = 0; i < n; ++i)
    mu[i] = 3 * mu[i] - mv[i] / 4;
  double difference = dense_difference(n, mw, mu);
  if (!(difference < rounding))
    fail_msg("M is not linear: off by %g", difference);
  mus_free(u), mus_free(v), mus_free(w), mus_free(mu), mus_free(mv), mus_free(mw);
}

static void cycles_are_symmetric_positive_definite_and_linear(void **state) {
  (void)state;
  for (int boundary = SHEET_FREE; boundary <= SHEET_DROOPING; ++boundary) {
    problem p = problem_small_sheet(21, 1, (sheet_boundary)boundary);
    for (size_t c = 0; c < sizeof cycles / sizeof *cycles; ++c)
      for (int order = 1; order <= 4; ++order)
        for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
          mus_solver_options options = deep_options();
          options.multigrid.cycle = cycles[c];
          options.multigrid.smoother_order = order;
          rig *r = rig_analysed(&p, &options, (mus_precision)precision);
          assert_true(levels_of(r) >= 3);
          check_inner_products(r, p.n, precision == MUS_PRECISION_DOUBLE ? 1e-11 : 1e-4);
          rig_free(r);
        }
    problem_free(&p);
  }
}

// --- right-hand sides of any size ---------------------------------------------------------------------------------

static void residuals_may_be_tiny_or_huge(void **state) {
  (void)state;
  problem p = problem_small_sheet(15, 1, SHEET_DROOPING);
  const double scales[] = {1e-250, 1e-60, 1e60, 1e250};
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    mus_solver_options options = deep_options();
    rig *r = rig_analysed(&p, &options, (mus_precision)precision);
    double *v = vector_random(p.n, 3), *mv = applied(r, p.n, v), *scaled = vector_zero(p.n);
    for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s) {
      for (int i = 0; i < p.n; ++i)
        scaled[i] = scales[s] * v[i];
      double *z = applied(r, p.n, scaled);
      for (int i = 0; i < p.n; ++i)
        z[i] /= scales[s];
      assert_true(dense_difference(p.n, z, mv) < (precision == MUS_PRECISION_DOUBLE ? 1e-10 : 1e-4));
      mus_free(z);
    }
    mus_free(v), mus_free(mv), mus_free(scaled);
    rig_free(r);
  }
  problem_free(&p);
}

static void zero_gives_zero_and_nan_gives_nan(void **state) {
  (void)state;
  problem p = problem_small_sheet(9, 0, SHEET_DROOPING);
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    mus_solver_options options = deep_options();
    rig *r = rig_analysed(&p, &options, (mus_precision)precision);
    double *v = vector_zero(p.n), *z = applied(r, p.n, v);
    assert_true(mus_max_abs((size_t)p.n, z) == 0);
    v[100] = NAN;
    mus_free(z);
    z = applied(r, p.n, v);
    assert_true(isnan(mus_max_abs((size_t)p.n, z)));
    mus_free(v), mus_free(z);
    rig_free(r);
  }
  problem_free(&p);
}

// --- the parts of set-up ------------------------------------------------------------------------------------------

static void check_same_bits(rig *one, rig *other, int n) {
  double *v = vector_random(n, 41), *a = applied(one, n, v), *b = applied(other, n, v);
  assert_memory_equal(a, b, (size_t)n * sizeof *a);
  mus_free(v), mus_free(a), mus_free(b);
}

static void refreshing_with_the_same_values_changes_no_bit(void **state) {
  (void)state;
  problem p = problem_small_sheet(21, 1, SHEET_DROOPING);
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision)
    for (int own = 0; own < 2; ++own) {
      mus_solver_options options = deep_options();
      rig *fresh = rig_analysed(&p, &options, (mus_precision)precision);
      rig *kept = rig_create(&p, &options, (mus_precision)precision, own ? MUS_SETUP_REUSE : MUS_SETUP_NUMERIC);
      assert_int_equal(mus_hierarchy_refresh(kept->hierarchy, &p.a), MUS_OK); // analyses: there is nothing yet
      check_same_bits(fresh, kept, p.n);
      for (int again = 0; again < 3; ++again) {
        assert_int_equal(mus_hierarchy_refresh(kept->hierarchy, &p.a), MUS_OK);
        check_same_bits(fresh, kept, p.n);
      }
      assert_int_equal(mus_hierarchy_analyse(kept->hierarchy, &p.a), MUS_OK);
      check_same_bits(fresh, kept, p.n);
      rig_free(fresh), rig_free(kept);
    }
  problem_free(&p);
}

// An irregular drooping sheet, some time steps later the more it is wavy.
static problem wavy_sheet(int side, double wave) {
  sheet_options options = sheet_default_options();
  options.side = side;
  options.irregular = 1;
  options.wave = wave;
  return problem_sheet(&options);
}

static void move_on(problem *p, int side, double wave) {
  problem next = wavy_sheet(side, wave);
  problem_take_values(p, &next);
  problem_free(&next);
}

// New numbers in the old patterns are as good as a new analysis, or nearly.
static void refreshing_with_new_values_works_like_a_new_analysis(void **state) {
  (void)state;
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    problem p = wavy_sheet(31, 0.05);
    mus_solver_options options = deep_options();
    rig *kept = rig_analysed(&p, &options, (mus_precision)precision);
    double *v = vector_random(p.n, 5), *before = applied(kept, p.n, v);
    for (int step = 1; step <= 3; ++step) {
      move_on(&p, 31, 0.05 + 0.02 * step);
      assert_int_equal(mus_hierarchy_refresh(kept->hierarchy, &p.a), MUS_OK);
      rig *fresh = rig_analysed(&p, &options, (mus_precision)precision);
      int refreshed = rig_iterations(kept, &p, 1e-8), analysed = rig_iterations(fresh, &p, 1e-8);
      assert_true(refreshed > 0 && analysed > 0);
      assert_in_range(refreshed, analysed - 1, analysed + 1);
      rig_free(fresh);
    }
    double *after = applied(kept, p.n, v);
    assert_true(dense_difference(p.n, after, before) > 1e-3); // the numbers are really new
    mus_free(v), mus_free(before), mus_free(after);
    rig_free(kept);
    problem_free(&p);
  }
}

// A hierarchy with a copy of its matrix stays what it was while the matrix moves on, and still preconditions it.
static void an_old_hierarchy_preconditions_a_new_matrix(void **state) {
  (void)state;
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    problem p = wavy_sheet(25, 0.05);
    mus_solver_options options = deep_options();
    rig *old = rig_create(&p, &options, (mus_precision)precision, MUS_SETUP_REUSE);
    assert_int_equal(mus_hierarchy_analyse(old->hierarchy, &p.a), MUS_OK);
    double *v = vector_random(p.n, 6), *before = applied(old, p.n, v);
    int first = rig_iterations(old, &p, 1e-8);
    move_on(&p, 25, 0.0505);
    double *after = applied(old, p.n, v);
    assert_memory_equal(before, after, (size_t)p.n * sizeof *before);
    check_inner_products(old, p.n, precision == MUS_PRECISION_DOUBLE ? 1e-11 : 1e-4);
    int second = rig_iterations(old, &p, 1e-8);
    assert_true(first > 0);
    assert_in_range(second, first, 3 * first);
    // Not even the old values have to be there.
    memset(p.a.value, 0, mus_matrix_values(&p.a) * sizeof(double));
    mus_free(after);
    after = applied(old, p.n, v);
    assert_memory_equal(before, after, (size_t)p.n * sizeof *before);
    mus_free(v), mus_free(before), mus_free(after);
    rig_free(old);
    problem_free(&p);
  }
}

// Another pattern, or another block size, is a new matrix.
static void refreshing_with_another_pattern_analyses(void **state) {
  (void)state;
  problem p = problem_small_sheet(15, 0, SHEET_DROOPING), q = problem_small_sheet(17, 1, SHEET_PINNED);
  mus_solver_options options = deep_options();
  rig *moved = rig_analysed(&p, &options, MUS_PRECISION_DOUBLE),
      *fresh = rig_analysed(&q, &options, MUS_PRECISION_DOUBLE);
  assert_int_equal(mus_aggregation_set_kernel(moved->aggregation, q.rows, 3, 6, q.kernel), MUS_OK);
  assert_int_equal(mus_hierarchy_refresh(moved->hierarchy, &q.a), MUS_OK);
  check_same_bits(moved, fresh, q.n);
  rig_free(moved), rig_free(fresh);
  problem_free(&p), problem_free(&q);
}

static void a_bad_matrix_is_refused_and_the_next_one_taken(void **state) {
  (void)state;
  problem p = problem_small_sheet(21, 1, SHEET_DROOPING);
  mus_solver_options options = deep_options();
  rig *fresh = rig_analysed(&p, &options, MUS_PRECISION_DOUBLE),
      *tried = rig_analysed(&p, &options, MUS_PRECISION_DOUBLE);
  double kept = p.a.value[p.place[200] * 9];
  const double bad[] = {-kept, 0, NAN};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
    for (int refresh = 0; refresh < 2; ++refresh) {
      p.a.value[p.place[200] * 9] = bad[k];
      mus_status status =
          refresh ? mus_hierarchy_refresh(tried->hierarchy, &p.a) : mus_hierarchy_analyse(tried->hierarchy, &p.a);
      assert_int_equal(status, MUS_BREAKDOWN);
      p.a.value[p.place[200] * 9] = kept;
      assert_int_equal(mus_hierarchy_refresh(tried->hierarchy, &p.a), MUS_OK);
      check_same_bits(fresh, tried, p.n);
    }
  rig_free(fresh), rig_free(tried);
  problem_free(&p);
}

// --- rank-deficient aggregates ------------------------------------------------------------------------------------

// Vertices held in some directions here and there, rows of nodes, pairs at the same place: it all converges.
static void deficient_systems_converge(void **state) {
  (void)state;
  enum { NODES = 240 };
  double positions[3 * NODES] = {0}, stiffness[2 * NODES];
  int ends[4 * NODES], springs = 0;
  for (int i = 0; i < NODES; ++i)
    for (int c = 0; c < 3; ++c)
      positions[3 * i + c] = c == i / 80 ? i % 80 / 2 : 10 * (i / 80); // three rows of pairs, along x, y and z
  for (int i = 0; i + 1 < NODES; ++i)
    for (int step = 1; step <= 2; ++step)
      if ((i + step) / 80 == i / 80) {
        ends[2 * springs] = i;
        ends[2 * springs + 1] = i + step;
        stiffness[springs++] = 1 + i % 3;
      }
  mus_constraint held[NODES];
  int count = random_constraints(NODES, 3, 5, held);
  for (int constraints = 0; constraints <= count; constraints += count / 2) {
    problem p = problem_springs(NODES, positions, springs, ends, stiffness, 1e-3, constraints, held);
    for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
      mus_solver_options options = deep_options();
      rig *r = rig_analysed(&p, &options, (mus_precision)precision);
      mus_solve_record record;
      mus_hierarchy_report(r->hierarchy, &record);
      int dropped = 0;
      for (int k = 0; k < record.levels; ++k)
        dropped += record.level[k].dropped;
      assert_true(dropped > 0);
      assert_in_range(rig_iterations(r, &p, 1e-8), 1, 60);
      check_inner_products(r, p.n, precision == MUS_PRECISION_DOUBLE ? 1e-10 : 1e-3);
      rig_free(r);
    }
    problem_free(&p);
  }
}

// --- the level report ---------------------------------------------------------------------------------------------

static void check_report(const problem *p, mus_precision precision, mus_cycle cycle, size_t *bytes) {
  mus_solver_options options = deep_options();
  options.multigrid.cycle = cycle;
  rig *r = rig_analysed(p, &options, precision);
  mus_solve_record record;
  memset(&record, 77, sizeof record);
  mus_hierarchy_report(r->hierarchy, &record);
  size_t real = precision == MUS_PRECISION_DOUBLE ? sizeof(double) : sizeof(float), sum = 0;
  long long nonzeros = 0;
  assert_int_equal(record.levels, r->seen + 1);
  for (int k = 0; k < record.levels; ++k) {
    const mus_level_report *l = &record.level[k];
    if (k < r->seen) {
      const rig_level *seen = &r->level[k];
      assert_int_equal(l->rows, seen->a.pattern->rows);
      assert_int_equal(l->block, seen->a.row_block);
      assert_int_equal(l->nonzeros, mus_matrix_values(&seen->a));
      assert_int_equal(l->special, seen->special);
      assert_true(l->spectral_radius == seen->radius && l->radius_converged);
    } else { // the bottom
      assert_int_equal(l->rows, r->level[k - 1].p.pattern->columns);
      assert_true(l->spectral_radius == 0);
    }
    int dropped = 0;
    for (int i = 0; k > 0 && i < l->rows * l->block; ++i)
      dropped += !r->level[k - 1].live[i];
    assert_int_equal(l->dropped, dropped);
    assert_true(l->bytes >= (size_t)l->nonzeros * real + (size_t)(l->rows * l->block) * 3 * real);
    nonzeros += l->nonzeros;
    sum += l->bytes;
  }
  assert_true(fabs(record.operator_complexity - (double)nonzeros / (double)record.level[0].nonzeros) < 1e-12);
  // The finest matrix is the caller's in double precision; all else is the hierarchy's.
  size_t lent = precision == MUS_PRECISION_DOUBLE ? mus_matrix_values(&p->a) * sizeof(double) : 0;
  size_t pattern = (size_t)(p->rows + 1 + mus_pattern_blocks(p->pattern)) * sizeof(int);
  assert_true(mus_hierarchy_bytes(r->hierarchy) + lent + pattern >= sum);
  *bytes = sum;
  rig_free(r);
}

static void the_report_adds_up(void **state) {
  (void)state;
  problem p = problem_small_sheet(25, 1, SHEET_DROOPING);
  for (size_t c = 0; c < sizeof cycles / sizeof *cycles; ++c) {
    size_t wide, narrow;
    check_report(&p, MUS_PRECISION_DOUBLE, cycles[c], &wide);
    check_report(&p, MUS_PRECISION_SINGLE, cycles[c], &narrow);
    assert_true(10 * narrow < 7 * wide);
  }
  problem_free(&p);
}

// --- precision and threads ----------------------------------------------------------------------------------------

static void single_precision_costs_at_most_one_iteration(void **state) {
  (void)state;
  for (int irregular = 0; irregular < 2; ++irregular)
    for (int boundary = SHEET_FREE; boundary <= SHEET_DROOPING; ++boundary) {
      problem p = problem_small_sheet(25, irregular, (sheet_boundary)boundary);
      for (size_t c = 0; c < sizeof cycles / sizeof *cycles; ++c) {
        mus_solver_options options = rig_options();
        options.multigrid.cycle = cycles[c];
        rig *wide = rig_analysed(&p, &options, MUS_PRECISION_DOUBLE),
            *narrow = rig_analysed(&p, &options, MUS_PRECISION_SINGLE);
        for (double tolerance = 1e-5; tolerance >= 1e-10; tolerance /= 1e5) {
          int first = rig_iterations(wide, &p, tolerance), second = rig_iterations(narrow, &p, tolerance);
          assert_in_range(first, 1, 40);
          assert_in_range(second, 1, first + 1);
        }
        rig_free(wide), rig_free(narrow);
      }
      problem_free(&p);
    }
}

// Through the public solver: set-up, prefiltering and conjugate gradients included.
static double *solution(const sheet_system *s, const mus_solver_options *options) {
  mus_solver *solver;
  double *x = vector_zero(3 * s->rows);
  assert_int_equal(mus_solver_create(options, &solver), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(solver, s->rows, 3, s->pattern->row_start, s->pattern->column), MUS_OK);
  assert_int_equal(mus_solver_set_values(solver, s->a.value), MUS_OK);
  assert_int_equal(mus_solver_set_coordinates(solver, s->position), MUS_OK);
  assert_int_equal(mus_solver_set_constraints(solver, s->constraint_count, s->constraint), MUS_OK);
  assert_int_equal(mus_solver_solve(solver, s->b, x), MUS_OK);
  assert_true(mus_solver_record(solver)->levels >= 3);
  mus_solver_free(solver);
  return x;
}

static void threads_do_not_change_a_bit_of_the_solution(void **state) {
  (void)state;
  sheet_options o = sheet_default_options();
  o.side = 31;
  o.irregular = 1;
  sheet_system s;
  assert_int_equal(sheet_system_create(&o, &s), MUS_OK);
  for (size_t c = 0; c < sizeof cycles / sizeof *cycles; ++c)
    for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
      mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
      options.precision = (mus_precision)precision;
      options.multigrid.cycle = cycles[c];
      options.multigrid.bottom = 100;
      options.threads = 1;
      double *one = solution(&s, &options);
      for (options.threads = 2; options.threads <= 7; options.threads += 5) {
        double *many = solution(&s, &options);
        assert_memory_equal(one, many, (size_t)(3 * s.rows) * sizeof *one);
        mus_free(many);
      }
      mus_free(one);
    }
  sheet_system_free(&s);
}

// --- failing allocations ------------------------------------------------------------------------------------------

// Sets up with fewer and fewer allocations failing until it works; what fails must say so and leave no trace.
static void sweep_failures(const problem *p, mus_precision precision, int refresh) {
  mus_solver_options options = deep_options();
  rig *good = rig_analysed(p, &options, precision), *unused = rig_create(p, &options, precision, MUS_SETUP_REUSE);
  size_t empty = mus_hierarchy_bytes(unused->hierarchy);
  mus_status status = MUS_OUT_OF_MEMORY;
  long allowed = 0;
  for (; status == MUS_OUT_OF_MEMORY && allowed < 1000; ++allowed) {
    rig *r = refresh ? rig_analysed(p, &options, precision) : rig_create(p, &options, precision, MUS_SETUP_REUSE);
    mus_memory_fail_after(allowed);
    status = refresh ? mus_hierarchy_refresh(r->hierarchy, &p->a) : mus_hierarchy_analyse(r->hierarchy, &p->a);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
    assert_true(status == MUS_OK || mus_hierarchy_bytes(r->hierarchy) == empty); // nothing half made stays
    if (allowed % 5 == 0) {                                                      // it works as if nothing had been
      assert_int_equal(mus_hierarchy_refresh(r->hierarchy, &p->a), MUS_OK);
      check_same_bits(good, r, p->n);
    }
    rig_free(r);
  }
  assert_int_equal(status, MUS_OK);
  assert_true(allowed > 10);
  rig_free(good), rig_free(unused);
}

static void set_up_survives_failing_allocations(void **state) {
  (void)state;
  problem p = problem_small_sheet(9, 1, SHEET_DROOPING);
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision)
    for (int refresh = 0; refresh < 2; ++refresh)
      sweep_failures(&p, (mus_precision)precision, refresh);
  problem_free(&p);
}

// The same through the public solver, which is used again after each failure.
static void solves_survive_failing_allocations(void **state) {
  (void)state;
  sheet_options o = sheet_default_options();
  o.side = 9;
  sheet_system s;
  assert_int_equal(sheet_system_create(&o, &s), MUS_OK);
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  options.multigrid.bottom = 20;
  double *expected = solution(&s, &options), *x = vector_zero(3 * s.rows);
  mus_solver *solver;
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(solver, s.rows, 3, s.pattern->row_start, s.pattern->column), MUS_OK);
  assert_int_equal(mus_solver_set_values(solver, s.a.value), MUS_OK);
  assert_int_equal(mus_solver_set_coordinates(solver, s.position), MUS_OK);
  assert_int_equal(mus_solver_set_constraints(solver, s.constraint_count, s.constraint), MUS_OK);
  long allowed = 0;
  mus_status status = MUS_OUT_OF_MEMORY;
  for (; status == MUS_OUT_OF_MEMORY && allowed < 1000; ++allowed) {
    mus_memory_fail_after(allowed);
    status = mus_solver_solve(solver, s.b, x);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || mus_max_abs((size_t)(3 * s.rows), x) == 0); // x is as it was
  }
  assert_int_equal(status, MUS_OK);
  assert_true(allowed > 10);
  assert_memory_equal(x, expected, (size_t)(3 * s.rows) * sizeof *x);
  mus_solver_free(solver);
  mus_free(expected), mus_free(x);
  sheet_system_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coarse_matrices_are_galerkin_products),
      cmocka_unit_test(cycles_follow_the_formulas_on_cloth),
      cmocka_unit_test(cycles_follow_the_formulas_elsewhere),
      cmocka_unit_test(the_number_of_levels_can_be_limited),
      cmocka_unit_test(cycles_are_symmetric_positive_definite_and_linear),
      cmocka_unit_test(residuals_may_be_tiny_or_huge),
      cmocka_unit_test(zero_gives_zero_and_nan_gives_nan),
      cmocka_unit_test(refreshing_with_the_same_values_changes_no_bit),
      cmocka_unit_test(refreshing_with_new_values_works_like_a_new_analysis),
      cmocka_unit_test(an_old_hierarchy_preconditions_a_new_matrix),
      cmocka_unit_test(refreshing_with_another_pattern_analyses),
      cmocka_unit_test(a_bad_matrix_is_refused_and_the_next_one_taken),
      cmocka_unit_test(deficient_systems_converge),
      cmocka_unit_test(the_report_adds_up),
      cmocka_unit_test(single_precision_costs_at_most_one_iteration),
      cmocka_unit_test(threads_do_not_change_a_bit_of_the_solution),
      cmocka_unit_test(set_up_survives_failing_allocations),
      cmocka_unit_test(solves_survive_failing_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
