// Iterations against the number of vertices on the octopus, of rubber in steps of 1/30 s: those of smoothed aggregation
// and of skinning grow by at most 1.4 from 6,500 vertices to 49,000. Prints the figures.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "solid_system.h"

static int iterations(const solid_system *s, mus_method method, mus_preset preset) {
  mus_solver_options options = mus_preset_solver_options(preset);
  options.method = method;
  mus_solver *solver;
  double *x = calloc(3 * (size_t)s->mesh.vertices, sizeof *x);
  assert_int_equal(solid_system_solver(s, &options, &solver), MUS_OK);
  assert_int_equal(mus_solver_solve(solver, s->b, x), MUS_OK);
  int count = mus_solver_record(solver)->iterations;
  print_message("  %6d vertices, %s, %s: %d iterations\n", s->mesh.vertices, mus_method_name(method),
                mus_preset_name(preset), count);
  free(x);
  mus_solver_free(solver);
  return count;
}

static void iterations_hardly_grow(void **state) {
  (void)state;
  solid_options options = solid_default_options();
  solid_system small, large;
  assert_int_equal(solid_system_of_shape(&options, "octopus", 6600, &small), MUS_OK);
  assert_int_equal(solid_system_of_shape(&options, "octopus", 50000, &large), MUS_OK);
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_SKINNING};
  for (int m = 0; m < 2; ++m)
    for (int preset = MUS_PRESET_FAST; preset <= MUS_PRESET_ROBUST; ++preset) {
      int before = iterations(&small, methods[m], (mus_preset)preset);
      assert_true(iterations(&large, methods[m], (mus_preset)preset) <= 1.4 * before);
    }
  solid_system_free(&small), solid_system_free(&large);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(iterations_hardly_grow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
