// PETSc's preconditioners: the same solutions as other ways give, sensible iteration counts, symmetry, new values,
// reports, and manners in somebody else's process. Built with PETSc only.
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "constrain/beyond.h"
#include "krylov/cg.h"
#include "par/vector.h"
#include "sheet_system.h"
#include "solve/petsc.h"
#include "support/dense.h"

static const mus_method methods[] = {MUS_METHOD_GAMG, MUS_METHOD_BOOMERAMG};
enum { METHODS = sizeof methods / sizeof *methods };

static sheet_system create_sheet(int side, int irregular, sheet_boundary boundary) {
  sheet_options options = sheet_default_options();
  options.side = side;
  options.irregular = irregular;
  options.boundary = boundary;
  sheet_system sheet;
  assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
  return sheet;
}

static mus_solver *create_solver(mus_method method, double tolerance, const mus_matrix *a) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  options.method = method;
  options.tolerance = tolerance;
  mus_solver *solver = NULL;
  const mus_pattern *p = a->pattern;
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(solver, p->rows, a->row_block, p->row_start, p->column), MUS_OK);
  assert_int_equal(mus_solver_set_values(solver, a->value), MUS_OK);
  return solver;
}

// From a zero guess; to be freed with free().
static double *solve(mus_solver *solver, int n, const double *b) {
  double *x = calloc((size_t)n, sizeof *x);
  mus_status status = mus_solver_solve(solver, b, x);
  if (status)
    fail_msg("%s", mus_last_error());
  return x;
}

// --- solutions ------------------------------------------------------------------------------------------------------

static double *solve_sheet(const sheet_system *s, mus_method method, int with_positions, double tolerance,
                           int constraint_count, const mus_constraint *constraints, mus_solve_record *record) {
  mus_solver *solver = create_solver(method, tolerance, &s->a);
  if (with_positions)
    assert_int_equal(mus_solver_set_coordinates(solver, s->position), MUS_OK);
  assert_int_equal(mus_solver_set_constraints(solver, constraint_count, constraints), MUS_OK);
  double *x = solve(solver, 3 * s->rows, s->b);
  *record = *mus_solver_record(solver);
  mus_solver_free(solver);
  return x;
}

static void check_against_cholmod(const sheet_system *s, int constraint_count, const mus_constraint *constraints) {
  mus_solve_record record;
  double *expected = solve_sheet(s, MUS_METHOD_CHOLMOD, 0, 1e-12, constraint_count, constraints, &record);
  for (int m = 0; m < METHODS; ++m)
    for (int with_positions = 0; with_positions < 2; ++with_positions) {
      double *x = solve_sheet(s, methods[m], with_positions, 1e-11, constraint_count, constraints, &record);
      assert_true(dense_difference(3 * s->rows, x, expected) < 1e-8);
      assert_true(record.true_residual < 1e-8);
      free(x);
    }
  free(expected);
}

static void sheets_have_cholmods_solution(void **state) {
  (void)state;
  if (!mus_method_available(MUS_METHOD_CHOLMOD))
    skip();
  for (int irregular = 0; irregular < 2; ++irregular)
    for (int boundary = SHEET_FREE; boundary <= SHEET_DROOPING; ++boundary) {
      sheet_system s = create_sheet(31, irregular, (sheet_boundary)boundary);
      check_against_cholmod(&s, s.constraint_count, s.constraint);
      sheet_system_free(&s);
    }
}

static void constraints_of_every_rank_are_kept(void **state) {
  (void)state;
  if (!mus_method_available(MUS_METHOD_CHOLMOD))
    skip();
  sheet_system s = create_sheet(21, 1, SHEET_FREE);
  mus_constraint *constraints = calloc((size_t)s.rows, sizeof *constraints);
  int count = random_constraints(s.rows, 3, 5, constraints);
  check_against_cholmod(&s, count, constraints);
  free(constraints);
  sheet_system_free(&s);
}

// Random systems of any block size, block 1 among them.
static void block_sizes_agree_with_dense_solves(void **state) {
  (void)state;
  for (int block = 1; block <= 6; ++block) {
    random_system s = random_system_create(60, block, (uint64_t)block);
    double *a = dense_from_matrix(&s.a), *expected = calloc((size_t)s.n, sizeof *expected);
    dense_solve(s.n, a, s.b, expected);
    for (int m = 0; m < METHODS; ++m) {
      mus_solver *solver = create_solver(methods[m], 1e-12, &s.a);
      double *x = solve(solver, s.n, s.b);
      assert_true(dense_difference(s.n, x, expected) < 1e-9);
      free(x);
      mus_solver_free(solver);
    }
    free(a);
    free(expected);
    random_system_free(&s);
  }
}

static int iterations(const sheet_system *s, mus_method method, int with_positions) {
  mus_solve_record record;
  free(solve_sheet(s, method, with_positions, 1e-5, s->constraint_count, s->constraint, &record));
  return record.iterations;
}

// Measured on the regular sheet: block-Jacobi 168, GAMG with rotations 10 and without 19, BoomerAMG 35.
static void iterations_are_few(void **state) {
  (void)state;
  for (int irregular = 0; irregular < 2; ++irregular) {
    sheet_system s = create_sheet(61, irregular, SHEET_DROOPING);
    int diag = iterations(&s, MUS_METHOD_DIAG, 0), rotations = iterations(&s, MUS_METHOD_GAMG, 1),
        translations = iterations(&s, MUS_METHOD_GAMG, 0);
    assert_in_range(rotations, 2, 20);
    assert_in_range(translations, rotations + 1, 40);
    assert_in_range(iterations(&s, MUS_METHOD_BOOMERAMG, 1), 2, 60);
    assert_true(diag > 3 * 40);
    sheet_system_free(&s);
  }
}

// --- the preconditioner ---------------------------------------------------------------------------------------------

static mus_petsc *create(mus_method method, const mus_matrix *a, const double *positions) {
  mus_petsc *petsc = NULL;
  assert_int_equal(mus_petsc_create(method, a->pattern, a->row_block, &petsc), MUS_OK);
  assert_int_equal(mus_petsc_set_up(petsc, a, positions), MUS_OK);
  return petsc;
}

static void is_symmetric_positive_definite(void **state) {
  (void)state;
  sheet_system s = create_sheet(41, 1, SHEET_FREE);
  size_t n = 3 * (size_t)s.rows;
  double *u = malloc(4 * n * sizeof *u), *v = u + n, *mu = v + n, *mv = mu + n;
  for (int m = 0; m < METHODS; ++m)
    for (int with_positions = 0; with_positions < 2; ++with_positions) {
      mus_petsc *petsc = create(methods[m], &s.a, with_positions ? s.position : NULL);
      for (uint64_t seed = 10; seed < 13; ++seed) {
        mus_fill_random(n, seed, u);
        mus_fill_random(n, seed + 10, v);
        mus_petsc_apply(petsc, u, mu);
        mus_petsc_apply(petsc, v, mv);
        double uu = mus_dot(n, u, mu), vv = mus_dot(n, v, mv);
        assert_true(uu > 0 && vv > 0);
        assert_true(fabs(mus_dot(n, u, mv) - mus_dot(n, v, mu)) <= 1e-11 * sqrt(uu * vv));
      }
      mus_petsc_free(petsc);
    }
  free(u);
  sheet_system_free(&s);
}

// A set-up with other values and positions leaves nothing of the one before.
static void new_values_are_taken_over(void **state) {
  (void)state;
  sheet_system first = create_sheet(25, 0, SHEET_FREE), second = create_sheet(25, 0, SHEET_FREE);
  size_t n = 3 * (size_t)first.rows;
  double *r = malloc(3 * n * sizeof *r), *z = r + n, *expected = z + n;
  second.options.stretch *= 3;
  second.options.bend *= 100;
  for (size_t i = 0; i < n; ++i)
    second.position[i] += 0.01 * sin((double)i);
  assert_int_equal(sheet_system_assemble(&second), MUS_OK);
  mus_fill_random(n, 4, r);
  for (int m = 0; m < METHODS; ++m) {
    mus_petsc *fresh = create(methods[m], &second.a, second.position);
    mus_petsc *used = create(methods[m], &first.a, first.position);
    mus_petsc_apply(used, r, z);
    mus_petsc_apply(fresh, r, expected);
    assert_true(dense_difference((int)n, z, expected) > 1e-3);
    assert_int_equal(mus_petsc_set_up(used, &first.a, NULL), MUS_OK);
    assert_int_equal(mus_petsc_set_up(used, &second.a, second.position), MUS_OK);
    mus_petsc_apply(used, r, z);
    assert_memory_equal(z, expected, n * sizeof *z);
    mus_petsc_free(fresh);
    mus_petsc_free(used);
  }
  free(r);
  sheet_system_free(&first);
  sheet_system_free(&second);
}

// --- near null space ------------------------------------------------------------------------------------------------

// A star of springs, its hub in the middle of row and column 0: matching joins the hub with one node and leaves the
// others alone, where three of the six rigid-body motions have no room.
static void make_star(mus_arena *arena, int rows, mus_pattern *pattern, mus_matrix *a, double *position) {
  pattern->rows = pattern->columns = rows;
  pattern->row_start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof(int));
  pattern->column = mus_arena_alloc(arena, 3 * (size_t)rows, sizeof(int));
  int count = 0;
  for (int i = 0; i < rows; ++i) {
    pattern->row_start[i] = count;
    for (int j = 0; j < rows; ++j)
      if (i == j || i == 0 || j == 0)
        pattern->column[count++] = j;
  }
  pattern->row_start[rows] = count;
  assert_int_equal(mus_matrix_create(arena, pattern, 3, 3, a), MUS_OK);
  memset(a->value, 0, mus_matrix_values(a) * sizeof *a->value);
  for (int i = 0; i < rows; ++i)
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k)
      for (int c = 0; c < 3; ++c)
        a->value[9 * k + 4 * c] =
            pattern->column[k] == i ? 1e-3 + pattern->row_start[i + 1] - pattern->row_start[i] - 1 : -1;
  mus_fill_random(3 * (size_t)rows, 7, position);
}

static void rotations_that_break_down_are_left_out(void **state) {
  (void)state;
  enum { ROWS = 200 };
  mus_arena arena = {0};
  mus_pattern pattern;
  mus_matrix a;
  double position[3 * ROWS], b[3 * ROWS];
  make_star(&arena, ROWS, &pattern, &a, position);
  mus_fill_random(3 * ROWS, 8, b);
  mus_solver *solver = create_solver(MUS_METHOD_GAMG, 1e-8, &a);
  assert_int_equal(mus_solver_set_coordinates(solver, position), MUS_OK);
  free(solve(solver, 3 * ROWS, b));
  assert_true(mus_solver_record(solver)->levels > 1);
  assert_int_equal(mus_solver_record(solver)->level[1].block, 3);
  assert_true(mus_solver_record(solver)->true_residual < 1e-6);
  mus_solver_free(solver);
  mus_arena_clear(&arena);
}

static void few_and_collinear_nodes_are_solved(void **state) {
  (void)state;
  for (int rows = 1; rows <= 12; ++rows) {
    random_system s = random_system_create(rows, 3, 3);
    double position[3 * 12] = {0}, expected[3 * 12], *a = dense_from_matrix(&s.a);
    for (int i = 0; i < rows; ++i)
      position[3 * i] = i;
    dense_solve(s.n, a, s.b, expected);
    for (int m = 0; m < METHODS; ++m) {
      mus_solver *solver = create_solver(methods[m], 1e-12, &s.a);
      assert_int_equal(mus_solver_set_coordinates(solver, position), MUS_OK);
      double *x = solve(solver, s.n, s.b);
      assert_true(dense_difference(s.n, x, expected) < 1e-9);
      free(x);
      mus_solver_free(solver);
    }
    free(a);
    random_system_free(&s);
  }
}

// --- reports --------------------------------------------------------------------------------------------------------

static void gamg_reports_its_levels(void **state) {
  (void)state;
  sheet_system s = create_sheet(41, 0, SHEET_FREE);
  for (int with_positions = 0; with_positions < 2; ++with_positions) {
    mus_petsc *petsc = create(MUS_METHOD_GAMG, &s.a, with_positions ? s.position : NULL);
    mus_solve_record record = {0};
    mus_petsc_report(petsc, &record);
    assert_in_range(record.levels, 2, 6);
    assert_int_equal(record.level[0].rows, s.rows);
    assert_int_equal(record.level[0].block, 3);
    assert_int_equal(record.level[0].nonzeros, mus_matrix_values(&s.a));
    double all = 0;
    for (int k = 0; k < record.levels; ++k) {
      const mus_level_report *level = &record.level[k];
      all += (double)level->nonzeros;
      assert_true(level->bytes >= (size_t)level->nonzeros * sizeof(double));
      assert_true(k == record.levels - 1 ? level->spectral_radius == 0 : level->spectral_radius > 1);
      if (k > 0) {
        assert_int_equal(level->block, with_positions ? 6 : 3);
        assert_true(2 * level->rows < record.level[k - 1].rows);
      }
    }
    assert_true(fabs(record.operator_complexity - all / (double)record.level[0].nonzeros) < 1e-12);
    assert_true(mus_petsc_bytes(petsc) > mus_matrix_values(&s.a) * sizeof(double));
    mus_petsc_free(petsc);
  }
  sheet_system_free(&s);
}

static void boomeramg_tells_nothing(void **state) {
  (void)state;
  sheet_system s = create_sheet(15, 0, SHEET_FREE);
  mus_petsc *petsc = create(MUS_METHOD_BOOMERAMG, &s.a, NULL);
  mus_solve_record record = {.operator_complexity = 1};
  mus_petsc_report(petsc, &record);
  assert_int_equal(record.levels, 0);
  assert_true(isnan(record.operator_complexity));
  mus_petsc_free(petsc);
  sheet_system_free(&s);
}

// --- what goes wrong ------------------------------------------------------------------------------------------------

static void indefinite_matrices_break_down(void **state) {
  (void)state;
  sheet_system s = create_sheet(21, 0, SHEET_FREE);
  double *x = calloc(3 * (size_t)s.rows, sizeof *x);
  for (size_t k = 0; k < mus_matrix_values(&s.a); ++k)
    s.a.value[k] = -s.a.value[k];
  for (int m = 0; m < METHODS; ++m) {
    mus_solver *solver = create_solver(methods[m], 1e-5, &s.a);
    assert_int_equal(mus_solver_solve(solver, s.b, x), MUS_BREAKDOWN);
    assert_true(strlen(mus_last_error()) > 0);
    mus_solver_free(solver);
  }
  free(x);
  sheet_system_free(&s);
}

// What mus_petsc_apply answers when PETSc fails.
static void apply_nan(void *self, const double *r, double *z) {
  (void)r;
  mus_fill(*(size_t *)self, NAN, z);
}

static void conjugate_gradients_stop_at_nan(void **state) {
  (void)state;
  random_system s = random_system_create(10, 3, 1);
  size_t n = (size_t)s.n;
  double x[30] = {0}, work[MUS_CG_VECTORS * 30], residuals[11];
  mus_cg_options options = {.tolerance = 1e-5, .iterations = 10, .stop = MUS_STOP_INITIAL};
  mus_cg_result result = {.residuals = residuals};
  mus_block_operator matrix = {.a = &s.a};
  mus_operator a = mus_block_operator_view(&matrix);
  assert_int_equal(
      mus_pcg(&a, NULL, &(mus_preconditioner){.self = &n, .apply = apply_nan}, s.b, x, &options, work, &result),
      MUS_BREAKDOWN);
  assert_true(mus_max_abs(n, x) == 0);
  random_system_free(&s);
}

static void failing_allocations_are_told(void **state) {
  (void)state;
  sheet_system s = create_sheet(5, 0, SHEET_FREE);
  mus_petsc *petsc = NULL;
  mus_status status = MUS_OUT_OF_MEMORY;
  long n = 0;
  for (; status == MUS_OUT_OF_MEMORY; ++n) {
    mus_memory_fail_after(n);
    status = mus_petsc_create(MUS_METHOD_GAMG, s.pattern, 3, &petsc);
    mus_memory_fail_after(-1);
  }
  assert_int_equal(status, MUS_OK);
  assert_true(n > 3);
  mus_petsc_free(petsc);
  mus_petsc_free(NULL);
  sheet_system_free(&s);
}

// --- manners --------------------------------------------------------------------------------------------------------

static void (*handler_of(int signal_number))(int) {
  struct sigaction action;
  sigaction(signal_number, NULL, &action);
  return action.sa_handler;
}

static void own_handler(int signal_number) { (void)signal_number; }

// Runs first: PETSc starts here.
static void signal_handlers_stay(void **state) {
  (void)state;
  static const int numbers[] = {SIGABRT, SIGBUS, SIGFPE, SIGHUP, SIGILL, SIGINT, SIGPIPE, SIGSEGV, SIGTERM};
  enum { NUMBERS = sizeof numbers / sizeof *numbers };
  void (*before[NUMBERS])(int);
  struct sigaction own = {.sa_handler = own_handler}, old;
  sigaction(SIGFPE, &own, &old);
  for (int k = 0; k < NUMBERS; ++k)
    before[k] = handler_of(numbers[k]);
  assert_int_equal(mus_petsc_start(), MUS_OK);
  for (int k = 0; k < NUMBERS; ++k)
    assert_true(handler_of(numbers[k]) == before[k]);
  sigaction(SIGFPE, &old, NULL);
  assert_int_equal(mus_petsc_start(), MUS_OK);
}

static void *solve_in_a_thread(void *system) {
  sheet_system *s = system;
  mus_solve_record record;
  return solve_sheet(s, MUS_METHOD_GAMG, 1, 1e-8, s->constraint_count, s->constraint, &record);
}

static void threads_wait_for_each_other(void **state) {
  (void)state;
  enum { THREADS = 3 };
  sheet_system s = create_sheet(31, 0, SHEET_DROOPING);
  double *expected = solve_in_a_thread(&s);
  pthread_t thread[THREADS];
  for (int k = 0; k < THREADS; ++k)
    assert_int_equal(pthread_create(&thread[k], NULL, solve_in_a_thread, &s), 0);
  for (int k = 0; k < THREADS; ++k) {
    void *x;
    assert_int_equal(pthread_join(thread[k], &x), 0);
    assert_memory_equal(x, expected, 3 * (size_t)s.rows * sizeof *expected);
    free(x);
  }
  free(expected);
  sheet_system_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signal_handlers_stay),
      cmocka_unit_test(sheets_have_cholmods_solution),
      cmocka_unit_test(constraints_of_every_rank_are_kept),
      cmocka_unit_test(block_sizes_agree_with_dense_solves),
      cmocka_unit_test(iterations_are_few),
      cmocka_unit_test(is_symmetric_positive_definite),
      cmocka_unit_test(new_values_are_taken_over),
      cmocka_unit_test(rotations_that_break_down_are_left_out),
      cmocka_unit_test(few_and_collinear_nodes_are_solved),
      cmocka_unit_test(gamg_reports_its_levels),
      cmocka_unit_test(boomeramg_tells_nothing),
      cmocka_unit_test(indefinite_matrices_break_down),
      cmocka_unit_test(conjugate_gradients_stop_at_nan),
      cmocka_unit_test(failing_allocations_are_told),
      cmocka_unit_test(threads_wait_for_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
