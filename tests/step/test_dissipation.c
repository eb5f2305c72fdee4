// Energy never grows without input: cloth that falls from rest while its pins stand still can only turn what it has
// from one kind into another, and lose some of it to damping, air, and implicit Euler.
//
// One linearisation a step promises this only where steps are short beside what they linearise. With the scenes' own
// 2 ms it holds for all three models; steps of 1/24 s are halved where they would gain some.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "support/runs.h"

static const char *const models[] = {"baraff-witkin", "choi-ko", "mass-spring"};

// The largest growth in one step of a scene's first frames, in J; negative where there is none.
static double largest_growth(const char *name, mus_cloth_model model, double time_step, int *halved) {
  run *r = runs_scene(name);
  mus_scene_resize(&r->scene, 225, MUS_TESSELLATION_REGULAR);
  r->scene.cloths[0].model = model;
  r->scene.solver.tolerance = 1e-8;
  r->scene.time_step = time_step;
  r->scene.contact = 0; // which pushes apart what has come too close
  *halved = 0;
  r->scene.wind.count = 0; // keys stay allocated, and are freed
  runs_begin(r);
  double growth = -INFINITY, before = 0, first = 0;
  for (int frame = 0; frame < 6; ++frame) {
    int steps = 0;
    assert_int_equal(mus_sim_frame(r->sim, &steps), MUS_OK);
    for (int s = 0; s < steps; ++s) {
      const mus_step_record *record = mus_sim_step_record(r->sim, s);
      double now = runs_energy(record);
      *halved += record->halvings > 0;
      if (frame + s > 0)
        growth = fmax(growth, now - before);
      else
        first = now;
      before = now;
    }
  }
  print_message("%s, %s: %.2g J more in a step at most; %.4f J less in the end\n", name, models[model], growth,
                first - before);
  runs_free(r);
  return growth;
}

static const char *const names[] = {"pinned", "drooping", "re-entrant", "flag"};

static void fixed_pins_give_no_energy(void **state) {
  (void)state;
  for (int k = 0; k < 4; ++k)
    for (int model = 0; model < 3; ++model) {
      int halved;
      assert_true(largest_growth(names[k], (mus_cloth_model)model, 0.002, &halved) < 1e-9);
      assert_int_equal(halved, 0);
    }
}

// A fall of 1/24 s gives these sheets some 0.01 J; without halving, the first steps gain joules.
static void long_steps_are_halved_before_they_gain(void **state) {
  (void)state;
  int halved, all = 0;
  for (int k = 0; k < 4; ++k, all += halved)
    assert_true(largest_growth(names[k], MUS_CLOTH_MODEL_BARAFF_WITKIN, 1.0 / 24, &halved) < 2e-3);
  assert_true(all > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fixed_pins_give_no_energy),
                                     cmocka_unit_test(long_steps_are_halved_before_they_gain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
