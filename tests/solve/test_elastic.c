// Solvers on elastic solids of tetrahedra: the right solution by all of them, aggregates with rotations from the start,
// handles whose nodes lie in a plane or are too few, and iterations that hardly grow with size.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh/tetrahedra_generate.h"
#include "sheet_system.h"
#include "solid_system.h"
#include "solve/near_kernel.h"

static solid_system box(const double size[3], const int cells[3]) {
  mus_arena arena = {0};
  mus_tetrahedra mesh;
  solid_system s;
  solid_options options = solid_default_options();
  assert_int_equal(mus_solid_box_of_cells(&arena, size, cells, &mesh), MUS_OK);
  assert_int_equal(solid_system_create(&options, &mesh, &s), MUS_OK);
  mus_arena_clear(&arena);
  return s;
}

static solid_system cube(int cells) { return box((const double[]){1, 1, 1}, (const int[]){cells, cells, cells}); }

static mus_solver *solver_of(const solid_system *s, const mus_solver_options *options) {
  mus_solver *solver;
  assert_int_equal(solid_system_solver(s, options, &solver), MUS_OK);
  return solver;
}

// From zero; `x` has a number for each unknown, or is NULL.
static mus_solve_record solve(const solid_system *s, const mus_solver_options *options, double *x) {
  mus_solver *solver = solver_of(s, options);
  size_t n = 3 * (size_t)s->mesh.vertices;
  double *own = calloc(n, sizeof *own);
  if (mus_solver_solve(solver, s->b, own))
    fail_msg("%s", mus_last_error());
  mus_solve_record record = *mus_solver_record(solver);
  record.residuals = NULL;
  if (x)
    memcpy(x, own, n * sizeof *own);
  free(own);
  mus_solver_free(solver);
  return record;
}

static double difference(size_t n, const double *x, const double *y) {
  double off = 0, size = 0;
  for (size_t i = 0; i < n; ++i) {
    off = fmax(off, fabs(x[i] - y[i]));
    size = fmax(size, fabs(y[i]));
  }
  return off / size;
}

static void all_methods_agree(void **state) {
  (void)state;
  solid_system s = cube(6);
  size_t n = 3 * (size_t)s.mesh.vertices;
  double *first = calloc(n, sizeof *first), *x = calloc(n, sizeof *x);
  const mus_method methods[] = {MUS_METHOD_DIAG, MUS_METHOD_SA,        MUS_METHOD_SKINNING, MUS_METHOD_MPCG,
                                MUS_METHOD_AUTO, MUS_METHOD_CHEBYSHEV, MUS_METHOD_CHOLMOD};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
    for (int preset = MUS_PRESET_PAPER; preset <= MUS_PRESET_ROBUST && mus_method_available(methods[m]); ++preset) {
      mus_solver_options options = mus_preset_solver_options((mus_preset)preset);
      options.method = methods[m];
      options.tolerance = 1e-10;
      options.multigrid.bottom = 60;
      solve(&s, &options, m == 0 ? first : x);
      if (m > 0 && !(difference(n, x, first) < 1e-7))
        fail_msg("%s, %s: off by %g", mus_method_name(methods[m]), mus_preset_name((mus_preset)preset),
                 difference(n, x, first));
    }
  free(first), free(x);
  solid_system_free(&s);
}

static void solids_are_told_from_cloth(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; ++kind) {
    sheet_options options = sheet_default_options();
    options.irregular = kind % 2;
    options.wave = kind < 2 ? 0 : 0.2;
    sheet_system sheet;
    assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
    assert_false(mus_fills_space(sheet.pattern, sheet.position));
    sheet_system_free(&sheet);
  }
  const int cells[3][3] = {{5, 5, 5}, {40, 2, 2}, {12, 3, 12}};
  for (int k = 0; k < 3; ++k) {
    solid_system s = box((const double[]){0.1 * cells[k][0], 0.1 * cells[k][1], 0.1 * cells[k][2]}, cells[k]);
    assert_true(mus_fills_space(s.pattern, s.position));
    solid_system_free(&s);
  }
}

// The preset fast begins with rotations, and a solver that recalls another knows that too.
static void rotations_are_there_from_the_start(void **state) {
  (void)state;
  solid_system s = cube(8);
  size_t n = 3 * (size_t)s.mesh.vertices;
  double *x = calloc(2 * n, sizeof *x), *y = x + n;
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_FAST);
  options.multigrid.bottom = 60;
  mus_solver *solver = solver_of(&s, &options), *other = solver_of(&s, &options);
  assert_int_equal(mus_solver_solve(solver, s.b, x), MUS_OK);
  const mus_solve_record *record = mus_solver_record(solver);
  assert_true(record->levels > 1 && record->level[1].block == 6);
  const void *bytes;
  size_t size;
  assert_int_equal(mus_solver_remember(solver, &bytes, &size), MUS_OK);
  assert_int_equal(mus_solver_recall(other, bytes, size), MUS_OK);
  for (int step = 0; step < 3; ++step) {
    memset(x, 0, 2 * n * sizeof *x);
    assert_int_equal(mus_solver_set_values(solver, s.a.value), MUS_OK);
    assert_int_equal(mus_solver_set_values(other, s.a.value), MUS_OK);
    assert_int_equal(mus_solver_solve(solver, s.b, x), MUS_OK);
    assert_int_equal(mus_solver_solve(other, s.b, y), MUS_OK);
    assert_memory_equal(x, y, n * sizeof *x);
    assert_int_equal(mus_solver_record(other)->level[1].block, 6);
  }
  mus_solver_free(solver), mus_solver_free(other);
  free(x);
  solid_system_free(&s);
}

// Handles of one to three nodes, of nodes in a line and in a plane: they lose what they cannot tell apart.
static void deficient_handles_lose_unknowns(void **state) {
  (void)state;
  const int cells[3][3] = {{9, 1, 9}, {30, 1, 1}, {5, 5, 5}};
  const char *const smoothers[] = {"chebyshev:2", "gs:1"};
  for (int k = 0; k < 3; ++k) {
    solid_system s = box((const double[]){0.1 * cells[k][0], 0.1 * cells[k][1], 0.1 * cells[k][2]}, cells[k]);
    for (int few = 0; few < 2; ++few)
      for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
        mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
        options.method = MUS_METHOD_SKINNING;
        options.precision = (mus_precision)precision;
        strcpy(options.multigrid.smoother, smoothers[few]);
        snprintf(options.skinning.levels, sizeof options.skinning.levels, "6/%d/all", s.mesh.vertices / (few ? 5 : 6));
        mus_solve_record record = solve(&s, &options, NULL);
        assert_true(record.level[1].dropped > 0);
        assert_true(record.true_residual < 1e-3);
        assert_in_range(record.iterations, 2, 60);
      }
    solid_system_free(&s);
  }
}

static void iterations_hardly_grow(void **state) {
  (void)state;
  const struct {
    mus_method method;
    mus_preset preset;
  } kinds[] = {{MUS_METHOD_SA, MUS_PRESET_ROBUST},
               {MUS_METHOD_SA, MUS_PRESET_FAST},
               {MUS_METHOD_SKINNING, MUS_PRESET_ROBUST},
               {MUS_METHOD_SKINNING, MUS_PRESET_FAST}};
  solid_system small = cube(9), large = cube(14);
  assert_true(large.mesh.vertices > 3 * small.mesh.vertices);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    mus_solver_options options = mus_preset_solver_options(kinds[k].preset);
    options.method = kinds[k].method;
    int before = solve(&small, &options, NULL).iterations, after = solve(&large, &options, NULL).iterations;
    print_message("%s, %s: %d and %d iterations\n", mus_method_name(kinds[k].method), mus_preset_name(kinds[k].preset),
                  before, after);
    assert_true(after <= 1.4 * before);
  }
  solid_system_free(&small), solid_system_free(&large);
}

// Rubber in long steps is for multigrid, soft stuff in short ones for block-Jacobi.
static void auto_picks_by_cost(void **state) {
  (void)state;
  solid_system s = box((const double[]){4, 0.4, 0.4}, (const int[]){60, 5, 5});
  mus_solver_options options = mus_default_solver_options();
  options.method = MUS_METHOD_AUTO;
  options.tolerance = 1e-9;
  const double young[2] = {1e9, 1e3}, step[2] = {1.0 / 30, 1e-3};
  const mus_method wanted[2] = {MUS_METHOD_SA, MUS_METHOD_DIAG};
  for (int k = 0; k < 2; ++k) {
    s.options.young = young[k], s.options.time_step = step[k];
    s.options.poisson = k == 0 ? 0.49 : 0.3;
    assert_int_equal(solid_system_assemble(&s), MUS_OK);
    mus_solve_record record = solve(&s, &options, NULL);
    print_message("%s: %d iterations\n", mus_method_name(record.method), record.iterations);
    assert_int_equal(record.method, wanted[k]);
  }
  solid_system_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_methods_agree),
                                     cmocka_unit_test(solids_are_told_from_cloth),
                                     cmocka_unit_test(rotations_are_there_from_the_start),
                                     cmocka_unit_test(deficient_handles_lose_unknowns),
                                     cmocka_unit_test(iterations_hardly_grow),
                                     cmocka_unit_test(auto_picks_by_cost)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
