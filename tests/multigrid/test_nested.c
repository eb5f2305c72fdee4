// Nested levels as a coarsening: prolongators as they are given, cycles that are symmetric and definite, and iterations
// that hardly grow with the number of nodes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "krylov/cg.h"
#include "mesh/coarsen.h"
#include "mesh/generate.h"
#include "multigrid/geometric/nested.h"
#include "par/vector.h"
#include "support/check.h"
#include "support/smoothed.h"

// Levels of a square sheet of side x side vertices, row by row, four times fewer each, down to a hundred or so.
static void make_levels(mus_arena *arena, int side, mus_nested *out) {
  mus_mesh mesh;
  mus_generate_options options = {.vertices = side * side, .width = 1, .depth = 1};
  assert_ok(mus_generate_rectangle(arena, &options, &mesh));
  assert_int_equal(mesh.vertices, side * side);
  for (out->levels = 0; mesh.vertices > 150; ++out->levels) {
    mus_coarser coarser;
    assert_ok(mus_mesh_coarsen(arena, &mesh, mesh.vertices / 4, 0, NULL, &coarser));
    out->level[out->levels] =
        (mus_interpolation){mesh.vertices, coarser.mesh.vertices, coarser.carrier, coarser.weight, NULL};
    mesh = coarser.mesh;
  }
}

// Joints for every two of the nodes of the last level that has a coarser one.
static void add_joints(mus_arena *arena, mus_nested *nested) {
  mus_interpolation *l = &nested->level[nested->levels - 1];
  int *joint = mus_arena_alloc(arena, (size_t)l->nodes, sizeof *joint), first = l->coarse;
  for (int i = 0; i < l->nodes; ++i) {
    joint[i] = i < 40 ? first + i / 2 : -1;
    l->coarse = joint[i] >= l->coarse ? joint[i] + 1 : l->coarse;
  }
  l->joint = joint;
}

static void apply(void *self, const double *r, double *z) { mus_hierarchy_apply(self, r, z); }

static int iterations(mus_hierarchy *h, const problem *p) {
  enum { LIMIT = 300 };
  mus_preconditioner m = {.self = h, .apply = apply};
  mus_cg_options options = {.tolerance = 1e-6, .iterations = LIMIT, .stop = MUS_STOP_INITIAL};
  double *work = mus_alloc((size_t)(MUS_CG_VECTORS * p->n), sizeof *work), *x = vector_zero(p->n);
  mus_cg_result result = {.residuals = mus_alloc(LIMIT + 1, sizeof(double))};
  mus_block_operator system = {.a = &p->a};
  mus_operator a = mus_block_operator_view(&system);
  assert_ok(mus_pcg(&a, NULL, &m, p->b, x, &options, work, &result));
  mus_free(work), mus_free(x), mus_free(result.residuals);
  return result.iterations;
}

static mus_hierarchy *hierarchy_of(const problem *p, mus_nested *nested, mus_precision precision) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  options.multigrid.bottom = 60;
  strcpy(options.multigrid.smoother, "gs:2");
  mus_hierarchy_options h = {options.multigrid, NULL, precision, MUS_SETUP_COARSE, 0, 0};
  mus_hierarchy *out;
  assert_ok(mus_hierarchy_create(&mus_nested_coarsening, nested, &h, &out));
  assert_ok(mus_hierarchy_analyse(out, &p->a));
  return out;
}

static void cycles_are_symmetric_and_definite(void **state) {
  (void)state;
  for (int k = 0; k < 4; ++k) {
    int precision = k % 2 ? MUS_PRECISION_SINGLE : MUS_PRECISION_DOUBLE;
    mus_arena arena = {0};
    mus_nested nested;
    problem p = problem_small_sheet(33, 0, SHEET_DROOPING);
    make_levels(&arena, 33, &nested);
    if (k >= 2)
      add_joints(&arena, &nested);
    mus_hierarchy *h = hierarchy_of(&p, &nested, (mus_precision)precision);
    expect_symmetric_and_definite(h, p.n, (mus_precision)precision);
    mus_hierarchy_free(h);
    problem_free(&p);
    mus_arena_clear(&arena);
  }
}

static void iterations_hardly_grow(void **state) {
  (void)state;
  int count[3];
  for (int k = 0; k < 3; ++k) {
    int side = (16 << k) + 1;
    mus_arena arena = {0};
    mus_nested nested;
    problem p = problem_small_sheet(side, 0, SHEET_DROOPING), poisson = problem_poisson(side, 3);
    make_levels(&arena, side, &nested);
    mus_hierarchy *h = hierarchy_of(&p, &nested, MUS_PRECISION_DOUBLE);
    mus_hierarchy *simple = hierarchy_of(&poisson, &nested, MUS_PRECISION_DOUBLE);
    count[k] = iterations(simple, &poisson);
    print_message("%d vertices, %d levels: sheet %d iterations, Laplacian %d\n", p.rows, nested.levels + 1,
                  iterations(h, &p), count[k]);
    mus_hierarchy_free(h);
    mus_hierarchy_free(simple);
    problem_free(&p);
    problem_free(&poisson);
    mus_arena_clear(&arena);
  }
  assert_true(count[2] <= count[0] + 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_are_symmetric_and_definite),
                                     cmocka_unit_test(iterations_hardly_grow)};
  return cmocka_run_group_tests_name("multigrid/nested", tests, NULL, NULL);
}
