// Direct solves, dense and sparse, against LAPACK; what is refused and why; the same bits for any number of threads.
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "par/par.h"
#include "par/vector.h"
#include "sheet_system.h"
#include "sparse/factor.h"
#include "support/dense.h"

extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

// Every test runs for each kind that this build has.
static int kinds(void) { return mus_factor_has_sparse() ? 2 : 1; }

static mus_factor *create(const mus_pattern *pattern, int block, int kind) {
  mus_factor *factor = NULL;
  assert_int_equal(mus_factor_create(pattern, block, (mus_factor_kind)kind, &factor), MUS_OK);
  return factor;
}

static void agrees_with_lapack(void **state) {
  (void)state;
  for (int kind = 0; kind < kinds(); ++kind)
    for (int block = 1; block <= 6; ++block)
      for (int rows = 1; rows <= 61; rows += 20) {
        random_system system = random_system_create(rows, block, (uint64_t)(rows + block));
        double expected[61 * 6], x[61 * 6], *a = dense_from_matrix(&system.a);
        mus_factor *factor = create(system.pattern, block, kind);
        dense_solve(system.n, a, system.b, expected);
        assert_int_equal(mus_factor_compute(factor, &system.a), MUS_OK);
        assert_int_equal(mus_factor_solve(factor, system.b, x), MUS_OK);
        assert_true(dense_difference(system.n, x, expected) < 1e-11);
        memcpy(x, system.b, (size_t)system.n * sizeof *x);
        assert_int_equal(mus_factor_solve(factor, x, x), MUS_OK); // in place
        assert_true(dense_difference(system.n, x, expected) < 1e-11);
        mus_factor_free(factor);
        free(a);
        random_system_free(&system);
      }
}

static void new_values_need_no_new_analysis(void **state) {
  (void)state;
  for (int kind = 0; kind < kinds(); ++kind) {
    random_system system = random_system_create(40, 3, 1);
    double first[120], second[120];
    mus_factor *factor = create(system.pattern, 3, kind);
    assert_int_equal(mus_factor_compute(factor, &system.a), MUS_OK);
    assert_int_equal(mus_factor_solve(factor, system.b, first), MUS_OK);
    mus_scale(mus_matrix_values(&system.a), 0.25, system.a.value);
    assert_int_equal(mus_factor_compute(factor, &system.a), MUS_OK);
    assert_int_equal(mus_factor_solve(factor, system.b, second), MUS_OK);
    for (int i = 0; i < 120; ++i)
      assert_true(second[i] == 4 * first[i]); // scaling by a power of four rounds nowhere
    mus_factor_free(factor);
    random_system_free(&system);
  }
}

static void cloth_is_solved(void **state) {
  (void)state;
  sheet_options options = sheet_default_options();
  sheet_system sheet;
  options.side = 31;
  assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
  size_t n = (size_t)sheet.rows * 3;
  double *x = mus_arena_alloc(&sheet.arena, n, sizeof *x), *r = mus_arena_alloc(&sheet.arena, n, sizeof *r);
  mus_factor *factor = NULL;
  assert_int_equal(mus_factor_create(sheet.pattern, 3, MUS_FACTOR_CHOOSE, &factor), MUS_OK);
  assert_int_equal(mus_factor_compute(factor, &sheet.a), MUS_OK);
  assert_int_equal(mus_factor_solve(factor, sheet.b, x), MUS_OK);
  mus_residual(&sheet.a, sheet.b, x, r);
  assert_true(mus_max_abs(n, r) < 1e-12 * mus_max_abs(n, sheet.b));
  assert_true((mus_factor_bytes(factor) < n * n * sizeof(double)) == mus_factor_has_sparse()); // the choice
  mus_factor_free(factor);
  sheet_system_free(&sheet);
}

static void expect_breakdown(mus_factor *factor, const mus_matrix *a, const char *text) {
  double x[400];
  assert_int_equal(mus_factor_compute(factor, a), MUS_BREAKDOWN);
  if (!strstr(mus_last_error(), text))
    fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), text);
  assert_int_equal(mus_factor_solve(factor, x, x), MUS_BAD_INPUT);
}

// A diagonal entry, a coupling, NaN and infinity spoil the matrix in turn; afterwards the good one works again.
static void not_positive_definite(void **state) {
  (void)state;
  for (int kind = 0; kind < kinds(); ++kind)
    for (int rows = 12; rows <= 60; rows += 48) { // CHOLMOD: simplicial, supernodal
      random_system system = random_system_create(rows, 3, 5);
      mus_factor *factor = create(system.pattern, 3, kind);
      double x[180], *value = system.a.value, bad[] = {-1, 0, NAN, INFINITY, -INFINITY};
      double *diagonal = &value[system.place[7] * 9 + 4], good = *diagonal;
      for (int k = 0; k < 5; ++k) {
        *diagonal = bad[k];
        expect_breakdown(factor, &system.a, "node 7, unknown 1");
      }
      *diagonal = good;
      int place[2] = {mus_pattern_find(system.pattern, 7, 8), mus_pattern_find(system.pattern, 8, 7)};
      double coupling[] = {1e3, NAN, INFINITY};
      good = value[place[0] * 9];
      for (int k = 0; k < 3; ++k) {
        value[place[0] * 9] = value[place[1] * 9] = coupling[k];
        expect_breakdown(factor, &system.a, "not positive definite");
      }
      value[place[0] * 9] = value[place[1] * 9] = good;
      assert_int_equal(mus_factor_compute(factor, &system.a), MUS_OK);
      assert_int_equal(mus_factor_solve(factor, system.b, x), MUS_OK);
      mus_factor_free(factor);
      random_system_free(&system);
    }
}

// Springs along a grid with nothing that holds them: the constant vector is in the null space.
static mus_pattern *grid_laplacian(mus_arena *arena, int side, mus_matrix *a) {
  int rows = side * side, blocks = 0;
  mus_pattern *pattern = mus_arena_alloc(arena, 1, sizeof *pattern);
  int *start = calloc((size_t)rows + 1, sizeof *start), *column = calloc((size_t)rows * 5, sizeof *column);
  for (int i = 0; i < rows; ++i) {
    int neighbour[5] = {i >= side ? i - side : -1, i % side ? i - 1 : -1, i, i % side < side - 1 ? i + 1 : -1,
                        i < rows - side ? i + side : -1};
    for (int k = 0; k < 5; ++k)
      if (neighbour[k] >= 0)
        column[blocks++] = neighbour[k];
    start[i + 1] = blocks;
  }
  assert_int_equal(mus_pattern_copy(arena, rows, rows, start, column, pattern), MUS_OK);
  assert_int_equal(mus_matrix_create(arena, pattern, 1, 1, a), MUS_OK);
  for (int i = 0; i < rows; ++i)
    for (int p = start[i]; p < start[i + 1]; ++p)
      a->value[p] = column[p] == i ? start[i + 1] - start[i] - 1 : -1;
  free(start);
  free(column);
  return pattern;
}

static void singular_matrices(void **state) {
  (void)state;
  for (int kind = 0; kind < kinds(); ++kind)
    for (int side = 2; side <= 22; side += 4) {
      mus_arena arena = {0};
      mus_matrix a;
      mus_pattern *pattern = grid_laplacian(&arena, side, &a);
      mus_factor *factor = create(pattern, 1, kind);
      expect_breakdown(factor, &a, "node "); // the last pivot rounds to either sign
      a.value[0] += 1e-6;                    // held by a thread
      assert_int_equal(mus_factor_compute(factor, &a), MUS_OK);
      mus_factor_free(factor);
      mus_arena_clear(&arena);
    }
}

// The same with 3x3 blocks: a free sheet, whose mass alone keeps translations out of the null space.
static void floating_sheet(void **state) {
  (void)state;
  sheet_options options = sheet_default_options();
  sheet_system sheet;
  options.side = 11;
  options.boundary = SHEET_FREE;
  assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
  for (int kind = 0; kind < kinds(); ++kind) {
    mus_factor *factor = create(sheet.pattern, 3, kind);
    assert_int_equal(mus_factor_compute(factor, &sheet.a), MUS_OK);
    mus_factor_free(factor);
  }
  for (int row = 0; row < sheet.rows; ++row)
    for (int k = 0; k < 3; ++k)
      sheet.a.value[mus_pattern_find(sheet.pattern, row, row) * 9 + k * 4] -= sheet.mass[row];
  for (int kind = 0; kind < kinds(); ++kind) {
    mus_factor *factor = create(sheet.pattern, 3, kind);
    expect_breakdown(factor, &sheet.a, "node ");
    mus_factor_free(factor);
  }
  sheet_system_free(&sheet);
}

// One node a million million million times heavier is badly scaled, but nothing is lost.
static void bad_scaling_is_no_fault(void **state) {
  (void)state;
  for (int kind = 0; kind < kinds(); ++kind) {
    random_system system = random_system_create(20, 3, 8);
    double x[60], r[60];
    for (int k = 0; k < 3; ++k)
      system.a.value[system.place[4] * 9 + k * 4] += 1e18;
    mus_factor *factor = create(system.pattern, 3, kind);
    assert_int_equal(mus_factor_compute(factor, &system.a), MUS_OK);
    assert_int_equal(mus_factor_solve(factor, system.b, x), MUS_OK);
    mus_residual(&system.a, system.b, x, r);
    assert_true(mus_max_abs(60, r) < 1e-12);
    mus_factor_free(factor);
    random_system_free(&system);
  }
}

// The bound between an accepted and a refused condition, on [[1, c], [c, 1]] with reciprocal condition (1 - c)/(1 + c).
static void condition_limit(void **state) {
  (void)state;
  int start[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
  mus_pattern pattern = {2, 2, start, column};
  double value[4] = {1, 0, 0, 1};
  mus_matrix a = {&pattern, 1, 1, value};
  for (int kind = 0; kind < kinds(); ++kind) {
    mus_factor *factor = create(&pattern, 1, kind);
    value[1] = value[2] = 1 - 1e-13;
    assert_int_equal(mus_factor_compute(factor, &a), MUS_OK);
    value[1] = value[2] = 1 - 4e-16;
    expect_breakdown(factor, &a, "singular to working precision");
    mus_factor_free(factor);
  }
}

static void odd_inputs(void **state) {
  (void)state;
  int start[] = {0, 1, 2}, column[] = {0, 0};
  mus_pattern no_diagonal = {2, 2, start, column}, wide = {2, 3, start, column}, empty = {0, 0, start, column};
  mus_factor *factor = NULL;
  for (int kind = 0; kind <= MUS_FACTOR_CHOOSE; ++kind) {
    if (kind == MUS_FACTOR_SPARSE && !mus_factor_has_sparse())
      continue;
    assert_int_equal(mus_factor_create(&no_diagonal, 3, (mus_factor_kind)kind, &factor), MUS_BAD_INPUT);
    assert_int_equal(mus_factor_create(&wide, 3, (mus_factor_kind)kind, &factor), MUS_BAD_INPUT);
    assert_null(factor);
    mus_matrix nothing = {&empty, 3, 3, NULL};
    factor = create(&empty, 3, kind);
    assert_int_equal(mus_factor_compute(factor, &nothing), MUS_OK);
    assert_int_equal(mus_factor_solve(factor, NULL, NULL), MUS_OK);
    mus_factor_free(factor);
    factor = NULL;
  }
  if (!mus_factor_has_sparse())
    assert_int_equal(mus_factor_create(&empty, 3, MUS_FACTOR_SPARSE, &factor), MUS_UNSUPPORTED);
  random_system system = random_system_create(10, 3, 1), other = random_system_create(12, 3, 1);
  factor = create(system.pattern, 3, MUS_FACTOR_CHOOSE);
  assert_int_equal(mus_factor_compute(factor, &other.a), MUS_BAD_INPUT);
  mus_factor_free(factor);
  mus_factor_free(NULL);
  random_system_free(&system);
  random_system_free(&other);
}

// A pattern whose dense form would not fit anywhere is refused before anything is allocated.
static void huge_dense_factors_are_refused(void **state) {
  (void)state;
  enum { ROWS = 30000 };
  int *start = malloc((ROWS + 1) * sizeof *start), *column = malloc(ROWS * sizeof *column);
  for (int i = 0; i <= ROWS; ++i)
    start[i] = i;
  for (int i = 0; i < ROWS; ++i)
    column[i] = i;
  mus_pattern pattern = {ROWS, ROWS, start, column};
  mus_factor *factor = NULL;
  assert_int_equal(mus_factor_create(&pattern, 1, MUS_FACTOR_DENSE, &factor), MUS_UNSUPPORTED);
  assert_non_null(strstr(mus_last_error(), "30000"));
  free(start);
  free(column);
}

static void bytes_are_counted(void **state) {
  (void)state;
  random_system system = random_system_create(60, 3, 2);
  for (int kind = 0; kind < kinds(); ++kind) {
    mus_factor *factor = create(system.pattern, 3, kind);
    size_t before = mus_factor_bytes(factor);
    assert_int_equal(mus_factor_compute(factor, &system.a), MUS_OK);
    size_t after = mus_factor_bytes(factor), entries = mus_matrix_values(&system.a) / 2;
    assert_true(after >= before && after > entries * sizeof(double));
    assert_true(kind == MUS_FACTOR_SPARSE || after >= 180 * 180 * sizeof(double));
    assert_true(after < 4 * 180 * 180 * sizeof(double));
    mus_factor_free(factor);
  }
  random_system_free(&system);
}

static void allocation_failures_are_clean(void **state) {
  (void)state;
  random_system system = random_system_create(20, 3, 2);
  for (int kind = 0; kind < kinds(); ++kind) {
    int failures = 0;
    for (;; ++failures) {
      mus_factor *factor = NULL;
      mus_memory_fail_after(failures);
      mus_status status = mus_factor_create(system.pattern, 3, (mus_factor_kind)kind, &factor);
      mus_memory_fail_after(-1);
      mus_factor_free(factor);
      if (status == MUS_OK)
        break;
      assert_int_equal(status, MUS_OUT_OF_MEMORY);
      assert_null(factor);
    }
    assert_true(failures > 3);
  }
  random_system_free(&system);
}

static void solve_sheet(const sheet_system *sheet, int kind, double *x) {
  mus_factor *factor = create(sheet->pattern, 3, kind);
  assert_int_equal(mus_factor_compute(factor, &sheet->a), MUS_OK);
  assert_int_equal(mus_factor_solve(factor, sheet->b, x), MUS_OK);
  mus_factor_free(factor);
}

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  sheet_options options = sheet_default_options();
  sheet_system sheet;
  options.side = 25; // large enough for BLAS to use threads
  assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
  size_t n = (size_t)sheet.rows * 3;
  double *expected = malloc(n * sizeof *expected), *x = malloc(n * sizeof *x);
  for (int kind = 0; kind < kinds(); ++kind)
    for (int k = 0; k < 3; ++k) {
      int threads = (int[]){1, 2, 7}[k];
      mus_par_set_threads(threads);
      if (openblas_set_num_threads)
        openblas_set_num_threads(threads);
      solve_sheet(&sheet, kind, k == 0 ? expected : x);
      if (openblas_get_num_threads) // what the caller chose is put back
        assert_int_equal(openblas_get_num_threads(), threads);
      if (k > 0)
        assert_memory_equal(x, expected, n * sizeof *x);
    }
  mus_factor_set_threads(2); // for measurements: other bits, the same answer
  solve_sheet(&sheet, MUS_FACTOR_DENSE, x);
  mus_factor_set_threads(0);
  assert_true(dense_difference((int)n, x, expected) < 1e-9);
  mus_par_set_threads(0);
  free(expected);
  free(x);
  sheet_system_free(&sheet);
}

// Threads that a parallel loop gets.
static int threads_of_a_loop(void) {
  int index[4];
  MUS_PARALLEL_FOR
  for (int k = 0; k < 4; ++k)
    index[k] = mus_par_index();
  return index[3] + 1;
}

// Loops are kept to one thread inside the factorisation only.
static void loops_have_their_threads_afterwards(void **state) {
  (void)state;
  random_system system = random_system_create(20, 3, 3);
  double x[60];
  mus_par_set_threads(4);
  assert_int_equal(threads_of_a_loop(), 4);
  for (int kind = 0; kind < kinds(); ++kind) {
    mus_factor *factor = create(system.pattern, 3, kind);
    assert_int_equal(mus_factor_compute(factor, &system.a), MUS_OK);
    assert_int_equal(mus_factor_solve(factor, system.b, x), MUS_OK);
    mus_factor_free(factor);
    assert_int_equal(threads_of_a_loop(), 4);
  }
  int before = mus_par_pause();
  assert_int_equal(threads_of_a_loop(), 1);
  mus_par_resume(before);
  assert_int_equal(threads_of_a_loop(), 4);
  mus_par_set_threads(0);
  random_system_free(&system);
}

static void *solve_in_thread(void *argument) {
  double *x = argument;
  random_system system = random_system_create(60, 3, 3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    mus_factor *factor = NULL;
    if (mus_factor_create(system.pattern, 3, (mus_factor_kind)(repeat % kinds()), &factor) ||
        mus_factor_compute(factor, &system.a) || mus_factor_solve(factor, system.b, x))
      x[0] = NAN;
    mus_factor_free(factor);
  }
  random_system_free(&system);
  return NULL;
}

// Solvers in several threads at once share BLAS's thread count; it is still put back at the end.
static void solvers_in_several_threads(void **state) {
  (void)state;
  enum { THREADS = 4 };
  pthread_t thread[THREADS];
  static double x[THREADS][180], expected[180];
  if (openblas_set_num_threads)
    openblas_set_num_threads(2);
  solve_in_thread(expected);
  for (int k = 0; k < THREADS; ++k)
    assert_int_equal(pthread_create(&thread[k], NULL, solve_in_thread, x[k]), 0);
  for (int k = 0; k < THREADS; ++k) {
    assert_int_equal(pthread_join(thread[k], NULL), 0);
    assert_memory_equal(x[k], expected, sizeof expected);
  }
  if (openblas_get_num_threads)
    assert_int_equal(openblas_get_num_threads(), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_lapack),
      cmocka_unit_test(new_values_need_no_new_analysis),
      cmocka_unit_test(cloth_is_solved),
      cmocka_unit_test(not_positive_definite),
      cmocka_unit_test(singular_matrices),
      cmocka_unit_test(floating_sheet),
      cmocka_unit_test(bad_scaling_is_no_fault),
      cmocka_unit_test(condition_limit),
      cmocka_unit_test(odd_inputs),
      cmocka_unit_test(huge_dense_factors_are_refused),
      cmocka_unit_test(bytes_are_counted),
      cmocka_unit_test(allocation_failures_are_clean),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(loops_have_their_threads_afterwards),
      cmocka_unit_test(solvers_in_several_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
