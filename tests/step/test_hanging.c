// A strip that hangs by one end is stretched by its own weight as a cord is: load times length over twice the
// stiffness, whatever the mesh, after the steps of a simulation have brought it to rest.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "energy/fabric.h"
#include "support/runs.h"

static const double length = 0.5, width = 0.05; // m

// How much longer the strip is at rest, over what theory says. It hangs along x, which is the warp, or along z, the
// weft; its vertices begin at the held end.
static double lengthening(const char *fabric, int weft, double density, const char *tessellation) {
  char text[600];
  snprintf(text, sizeof text,
           "{\"time_step\": 0.05, \"gravity\": [%g, 0, %g], \"solver\": {\"tolerance\": 1e-10}, \"cloths\": ["
           "{\"fabric\": \"%s\", \"density\": %g, \"shape\": {\"kind\": \"strip\", \"size\": [%g, %g], \"vertices\": "
           "205, \"tessellation\": \"%s\"}, \"pins\": [{\"where\": {\"box\": [-1, -1, -1, %g, 1, %g]}}]}]}",
           weft ? 0 : 9.81, weft ? 9.81 : 0, fabric, density, weft ? width : length, weft ? length : width,
           tessellation, weft ? 1 : -0.2499, weft ? -0.2499 : 1);
  run *r = runs_scene(text);
  runs_begin(r);
  runs_to_rest(r, 1e-8, 400);
  const mus_fabric *f = NULL;
  assert_int_equal(mus_fabric_find(fabric, &f), MUS_OK);
  double end = 0, load = (density > 0 ? density : f->density) * 9.81;
  int free = 0;
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i) {
    double at = mus_sim_positions(r->sim)[3 * i + 2 * weft];
    if (at > length / 2) { // the last row: all others are still above the end of the strip at rest
      end += at - length / 2;
      ++free;
    }
  }
  double theory = load * length * length / (2 * f->stretch[weft]), seen = end / free / theory;
  print_message("%s along the %s, %g kg/m^2, %s: %.4g mm longer, %.5f of theory\n", fabric, weft ? "weft" : "warp",
                load / 9.81, tessellation, 1000 * theory, seen);
  runs_free(r);
  return seen;
}

static void by_its_own_weight(void **state) {
  (void)state;
  const mus_fabric *fabric;
  for (int k = 0; (fabric = mus_fabric_at(k)); ++k)
    for (int weft = 0; weft < 2; ++weft) {
      double seen = lengthening(fabric->name, weft, 0, "regular");
      assert_true(fabs(seen - 1) < 0.01);
    }
}

// A hundred times the density of cotton stretches it by 0.8 percent.
static void by_a_heavier_one(void **state) {
  (void)state;
  for (int weft = 0; weft < 2; ++weft) {
    double regular = lengthening("cotton", weft, 17, "regular"),
           irregular = lengthening("cotton", weft, 17, "irregular");
    assert_true(fabs(regular - 1) < 0.01);
    assert_true(fabs(irregular - 1) < 0.01);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_its_own_weight), cmocka_unit_test(by_a_heavier_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
