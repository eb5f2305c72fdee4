// What pins prescribe: the last that names a vertex counts, and only while it holds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "sim/access.h"
#include "step/prescribe.h"
#include "support/check.h"
#include "support/runs.h"

static void the_last_pin_counts(void **state) {
  (void)state;
  run *r = runs_start("{\"cloths\": [{\"shape\": {\"vertices\": 25}, \"pins\": [{\"where\": {\"vertices\": [0, 1]}},"
                      "{\"where\": {\"vertices\": [1]}, \"offset\": [0, 0.5, 0]},"
                      "{\"where\": {\"vertices\": [2]}, \"to\": 0.05}]}]}");
  const mus_model *model = mus_sim_model(r->sim);
  mus_state *now = mus_sim_state(r->sim);
  mus_arena arena = {0};
  mus_prescribed prescribed;
  assert_ok(mus_prescribed_create(&arena, model, &prescribed));
  for (int late = 0; late < 2; ++late) {
    mus_scheme s = {.time = late ? 0.1 : 0.01, .h = 0.01, .length = 0.01, .order = 1};
    assert_ok(mus_prescribe_pins(model, &s, now->position, NULL, now, &prescribed));
    assert_int_equal(prescribed.count, late ? 2 : 3);
    assert_int_equal(prescribed.pins, prescribed.count);
    int lifted = 0, pinned = 0;
    for (int k = 0; k < prescribed.count; ++k) {
      const mus_constraint *c = &prescribed.list[k];
      assert_int_equal(prescribed.pinned[c->node], k);
      assert_true(c->value[0] == 0 && c->value[2] == 0 && (c->value[1] == 0 || fabs(c->value[1] - 50) < 1e-12));
      lifted += c->value[1] != 0; // by 0.5 m in 0.01 s
    }
    for (int i = 0; i < model->vertices; ++i)
      pinned += prescribed.pinned[i] >= 0;
    assert_int_equal(lifted, 1);
    assert_int_equal(pinned, prescribed.count);
  }
  mus_prescribe_rest(&prescribed);
  for (int k = 0; k < prescribed.count; ++k)
    assert_true(prescribed.list[k].value[1] == 0);
  mus_prescribed_free(&prescribed);
  mus_arena_clear(&arena);
  runs_free(r);
}

static void only_prescribed_directions_are_cleared(void **state) {
  (void)state;
  mus_constraint list[] = {{.node = 1, .count = 1, .direction = {{0.6, 0.8, 0}}},
                           {.node = 2, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
  mus_prescribed prescribed = {.list = list, .count = 2};
  double value[9] = {1, 2, 3, 0.6 + 0.8, 0.8 - 0.6, 5, 7, 8, 9};
  mus_prescribed_clear(&prescribed, value);
  const double wanted[9] = {1, 2, 3, 0.8, -0.6, 5, 0, 0, 0};
  for (int i = 0; i < 9; ++i)
    assert_true(fabs(value[i] - wanted[i]) < 1e-15);
}

// Soft pins with damping and moving targets: what they add to a step is minus the gradient of their potential.
static void potentials_belong_to_loads(void **state) {
  (void)state;
  mus_soft_pin soft[2] = {
      {.vertex = 0, .stiffness = 20, .damping = 3, .target = {0.1, 0.2, 0}, .velocity = {1, 0, -2}},
      {.vertex = 1, .stiffness = 50, .damping = 1, .target = {0, -0.2, 0.3}, .velocity = {0, 0.5, 0}}};
  mus_prescribed prescribed = {.soft = soft, .soft_count = 2};
  const double start[6] = {0.1, 0.15, 0.02, -0.1, 0, 0.2}, length = 0.04;
  double v[6] = {0.4, -1, 0.3, 0.2, 0.6, -0.7}, x[6], right[6];
  mus_instant at = {.position = x, .velocity = v, .length = length};
  for (int i = 0; i < 6; ++i) {
    double here = v[i], e = 1e-4, value[2];
    for (int side = 0; side < 2; ++side) {
      v[i] = here + (side ? e : -e);
      for (int j = 0; j < 6; ++j)
        x[j] = start[j] + length * v[j];
      value[side] = mus_soft_pins_potential(&prescribed, &at);
    }
    v[i] = here;
    x[i] = start[i] + length * here;
    memset(right, 0, sizeof right);
    mus_soft_pins_load(NULL, &prescribed, &at, NULL, right);
    assert_true(fabs((value[1] - value[0]) / (2 * e) + right[i]) < 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_last_pin_counts),
                                     cmocka_unit_test(only_prescribed_directions_are_cleared),
                                     cmocka_unit_test(potentials_belong_to_loads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
