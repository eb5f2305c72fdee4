// Contact with bodies only on a device that is emulated: steps end where the host's do; with MUSLIN_TEST_DEVICE=cuda,
// on the device that there is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/device.h"
#include "cuda/emulated.h"
#include "cuda/step_device.h"
#include "cuda/step_emulated.h"
#include "muslin/sim.h"
#include "support/check.h"

static int use_emulation(void **state) {
  (void)state;
  const char *asked = getenv("MUSLIN_TEST_DEVICE");
  int is_real = asked && strcmp(asked, "cuda") == 0;
  mus_device_use(is_real ? NULL : mus_emulated_stages());
  mus_device_step_use(is_real ? NULL : mus_emulated_step_stages());
  return 0;
}

// Under a sheet that falls; the third moves, the last has a grid.
static const char *const bodies[] = {
    "{\"shape\": {\"kind\": \"floor\"}, \"translate\": [0, -0.02, 0]}",
    "{\"shape\": {\"kind\": \"box\", \"size\": [0.4, 0.2, 0.4]}, \"translate\": [0, -0.12, 0]}",
    "{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.2}, \"rotate\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": "
    "1, "
    "\"value\": [0, 300, 0]}], \"translate\": [{\"time\": 0, \"value\": [0, -0.22, 0]}, {\"time\": 1, \"value\": [0, "
    "0.5, 0]}]}",
    "{\"shape\": {\"kind\": \"capsule\", \"radius\": 0.1, \"length\": 0.3}, \"rotate\": [0, 0, 90], \"translate\": [0, "
    "-0.12, 0]}, {\"shape\": {\"kind\": \"torus\", \"radius\": 0.3, \"tube\": 0.05}, \"translate\": [0, -0.09, 0]}",
    "{\"shape\": {\"kind\": \"cone\", \"radius\": 0.3, \"length\": 0.4, \"facet\": 0.02}, \"rotate\": [180, 0, 0], "
    "\"translate\": [0, -0.23, 0]}"};
enum { BODIES = sizeof bodies / sizeof *bodies, STEPS = 40, FRAMES = 3 };

static mus_sim *falling(int k, int vertices, const char *steps, mus_device_choice device, mus_scene *scene) {
  char text[2000];
  mus_sim *sim;
  snprintf(
      text, sizeof text,
      "{\"contact_with\": \"bodies\", %s, \"bodies\": [%s], \"cloths\": [{\"velocity\": [0.1, -0.5, 0], \"shape\": "
      "{\"vertices\": %d}, \"pins\": [{\"where\": {\"vertices\": [0]}}]}]}",
      steps, bodies[k], vertices);
  assert_ok(mus_scene_parse("test", text, scene));
  scene->solver = mus_preset_solver_options(MUS_PRESET_FAST);
  scene->solver.tolerance = scene->integrator == MUS_INTEGRATOR_NEWTON ? 1e-6 : 1e-11;
  scene->solver.threads = 1;
  scene->solver.device = device;
  assert_ok(mus_sim_create(scene, &sim));
  return sim;
}

static void steps_are_the_hosts(void **state) {
  (void)state;
  for (int k = 0; k < BODIES; ++k) {
    mus_scene scene[2];
    const char *steps = k == 1 ? "\"time_step\": 0.002, \"frame_rate\": 500, \"integrator\": \"bdf2\""
                               : "\"time_step\": 0.002, \"frame_rate\": 500, \"integrator\": \"euler\"";
    mus_sim *here = falling(k, 225, steps, MUS_DEVICE_CPU, &scene[0]);
    mus_sim *there = falling(k, 225, steps, MUS_DEVICE_CUDA, &scene[1]);
    int touched = 0, whole = 0;
    for (int step = 0; step < STEPS; ++step) {
      assert_ok(mus_sim_frame(here, NULL));
      assert_ok(mus_sim_frame(there, NULL));
      const mus_step_record *a = mus_sim_step_record(here, 0), *b = mus_sim_step_record(there, 0);
      assert_int_equal(a->halvings, b->halvings);
      if (a->body_contacts != b->body_contacts)
        fail_msg("bodies %d, step %d: %d vertices touch instead of %d", k, step, b->body_contacts, a->body_contacts);
      touched += b->body_contacts;
      whole += b->on_device;
      double off = 0;
      for (int i = 0; i < 3 * mus_sim_vertices(here); ++i)
        off = fmax(off, fabs(mus_sim_positions(here)[i] - mus_sim_positions(there)[i]));
      if (!(off < 1e-6))
        fail_msg("bodies %d, step %d: positions are off by %g m", k, step, off);
    }
    assert_true(touched > 50);
    assert_true(whole > STEPS / 2);
    assert_null(mus_sim_device_used(there).obstacle);
    mus_sim_free(here);
    mus_sim_free(there);
    for (int s = 0; s < 2; ++s)
      mus_scene_free(&scene[s]);
  }
}

// Steps as long as a frame, which are minimised to the end; the same bits twice.
static void minimised_steps_are_the_hosts(void **state) {
  (void)state;
  const char *steps = "\"integrator\": \"newton\", \"newton_tolerance\": 5e-7, \"newton_iterations\": 400, "
                      "\"time_step\": 0.0417, \"frame_rate\": 24";
  for (int k = 0; k < BODIES; ++k) {
    mus_scene scene[3];
    int twice = k == 2, touched = 0;
    mus_sim *here = falling(k, 121, steps, MUS_DEVICE_CPU, &scene[0]);
    mus_sim *there = falling(k, 121, steps, MUS_DEVICE_CUDA, &scene[1]);
    mus_sim *again = twice ? falling(k, 121, steps, MUS_DEVICE_CUDA, &scene[2]) : NULL;
    size_t n = 3 * (size_t)mus_sim_vertices(here);
    for (int frame = 0; frame < FRAMES; ++frame) {
      assert_ok(mus_sim_frame(here, NULL));
      assert_ok(mus_sim_frame(there, NULL));
      const mus_step_record *a = mus_sim_step_record(here, 0), *b = mus_sim_step_record(there, 0);
      assert_int_equal(a->halvings, b->halvings);
      assert_int_equal(b->on_device, 1);
      assert_true(abs(a->body_contacts - b->body_contacts) < 3); // some bear next to nothing
      touched += b->body_contacts;
      double off = 0;
      for (size_t i = 0; i < n; ++i)
        off = fmax(off, fabs(mus_sim_positions(here)[i] - mus_sim_positions(there)[i]));
      print_message("bodies %d, frame %d: %d iterations, %d on the host; %d vertices touch; %g m off\n", k, frame,
                    b->newton_iterations, a->newton_iterations, b->body_contacts, off);
      if (!(off < 1e-6))
        fail_msg("bodies %d, frame %d: positions are off by %g m", k, frame, off);
      if (twice) {
        assert_ok(mus_sim_frame(again, NULL));
        assert_memory_equal(mus_sim_positions(there), mus_sim_positions(again), n * sizeof(double));
      }
    }
    assert_true(touched > 5);
    assert_null(mus_sim_device_used(there).obstacle);
    mus_sim_free(here);
    mus_sim_free(there);
    if (twice)
      mus_sim_free(again);
    for (int s = 0; s < 2 + twice; ++s)
      mus_scene_free(&scene[s]);
  }
}

// Threads that reach their limits, which the host brings back: it ends such steps, and pushes are those of the
// device's.
static void limited_steps_end_on_the_host(void **state) {
  (void)state;
  const char *text = "{\"contact_with\": \"bodies\", \"integrator\": \"newton\", \"newton_tolerance\": 1e-6, "
                     "\"newton_iterations\": 400, "
                     "\"time_step\": 0.0417, \"frame_rate\": 24, \"gravity\": [0, -200, 0], \"bodies\": [{\"shape\": "
                     "{\"kind\": \"sphere\", "
                     "\"radius\": 0.1}, \"translate\": [0.1, -0.15, 0]}], \"cloths\": [{\"fabric\": \"silk\", "
                     "\"stiffness\": 0.005, \"shape\": "
                     "{\"vertices\": 100}, \"pins\": [{\"where\": {\"box\": [-0.6, -1, -1, -0.4999, 1, 1]}}]}]}";
  mus_scene scene[2];
  mus_sim *sim[2];
  int on_device = 0, touched = 0;
  for (int k = 0; k < 2; ++k) {
    assert_ok(mus_scene_parse("test", text, &scene[k]));
    scene[k].solver = mus_preset_solver_options(MUS_PRESET_FAST);
    scene[k].solver.tolerance = 1e-8;
    scene[k].solver.threads = 1;
    scene[k].solver.device = k ? MUS_DEVICE_CUDA : MUS_DEVICE_CPU;
    assert_ok(mus_sim_create(&scene[k], &sim[k]));
  }
  for (int frame = 0; frame < FRAMES; ++frame) {
    for (int k = 0; k < 2; ++k)
      assert_ok(mus_sim_frame(sim[k], NULL));
    const mus_step_record *record = mus_sim_step_record(sim[1], 0);
    on_device += record->on_device;
    touched += record->body_contacts;
    assert_int_equal(record->halvings, mus_sim_step_record(sim[0], 0)->halvings);
    double off = 0;
    for (int i = 0; i < 3 * mus_sim_vertices(sim[0]); ++i)
      off = fmax(off, fabs(mus_sim_positions(sim[0])[i] - mus_sim_positions(sim[1])[i]));
    if (!(off < 1e-6))
      fail_msg("frame %d: positions are off by %g m", frame, off);
  }
  assert_true(on_device < FRAMES);
  assert_true(touched > 0);
  for (int k = 0; k < 2; ++k) {
    mus_sim_free(sim[k]);
    mus_scene_free(&scene[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_the_hosts),
                                     cmocka_unit_test(minimised_steps_are_the_hosts),
                                     cmocka_unit_test(limited_steps_end_on_the_host)};
  return cmocka_run_group_tests_name("contact with bodies on a device", tests, use_emulation, NULL);
}
