// Batches on a device that is emulated: every member ends where its own simulation does, and goes on on the host where
// the device fails; with MUSLIN_TEST_DEVICE=cuda, on the device that there is.
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
#include "muslin/batch.h"
#include "support/check.h"

enum { MEMBERS = 7, FRAMES = 6 };

static int use_emulation(void **state) {
  (void)state;
  const char *asked = getenv("MUSLIN_TEST_DEVICE");
  int is_real = asked && strcmp(asked, "cuda") == 0;
  mus_device_use(is_real ? NULL : mus_emulated_stages());
  mus_device_step_use(is_real ? NULL : mus_emulated_step_stages());
  return 0;
}

static const char *const fabrics[] = {"silk", "denim", "cotton"};

// Two cloths, one of them of springs.
static mus_scene member_scene(int k) {
  char text[2000];
  mus_scene scene;
  snprintf(
      text, sizeof text,
      "{\"contact\": false, \"time_step\": 0.002, \"frame_rate\": 500, \"wind\": [%d, 0, 0.5], \"gust\": %g, "
      "\"integrator\": \"%s\", \"gravity\": [0, -9.81, %g], \"cloths\": [{\"fabric\": \"%s\", \"density\": %g, "
      "\"stiffness\": %g, \"shape\": {\"vertices\": 81}, \"pins\": [{\"where\": {\"vertices\": [%d]}}]}, "
      "{\"model\": \"mass-spring\", \"translate\": [2, 0, 0], \"shape\": {\"vertices\": 36}, \"pins\": [{\"where\": "
      "{\"vertices\": [0, 1]}, \"amplitude\": [0, 0.01, 0], \"frequency\": %d}]}]}",
      k % 3, k % 2 ? 0.3 : 0, k % 4 == 3 ? "bdf2" : "euler", 0.1 * k, fabrics[k % 3], 0.1 + 0.05 * k, 1 + 0.2 * k, k,
      1 + k);
  assert_ok(mus_scene_parse("test", text, &scene));
  scene.solver = mus_preset_solver_options(MUS_PRESET_FAST);
  scene.solver.tolerance = 1e-10;
  scene.solver.threads = 1;
  return scene;
}

typedef struct given {
  mus_scene scene[MEMBERS];
  const mus_scene *list[MEMBERS];
  mus_sim *alone[MEMBERS]; // on the host
} given;

static void begin(given *g) {
  for (int k = 0; k < MEMBERS; ++k) {
    g->scene[k] = member_scene(k);
    g->list[k] = &g->scene[k];
    assert_ok(mus_sim_create(&g->scene[k], &g->alone[k]));
  }
}

static void end(given *g) {
  for (int k = 0; k < MEMBERS; ++k) {
    mus_sim_free(g->alone[k]);
    mus_scene_free(&g->scene[k]);
  }
}

// Another start for each.
static void throw_up(mus_sim *sim, int k) {
  size_t n = 3 * (size_t)mus_sim_vertices(sim);
  double *v = calloc(n, sizeof *v);
  assert_non_null(v);
  for (size_t i = 0; i < n; ++i)
    v[i] = 0.1 * sin((double)i + k);
  assert_ok(mus_sim_set_state(sim, NULL, v));
  free(v);
}

static void expect_near(mus_batch *batch, const given *g) {
  for (int k = 0; k < MEMBERS; ++k) {
    mus_sim *is = mus_batch_member(batch, k);
    double off = 0;
    for (int i = 0; i < 3 * mus_sim_vertices(is); ++i)
      off = fmax(off, fabs(mus_sim_positions(is)[i] - mus_sim_positions(g->alone[k])[i]));
    if (!(off < 1e-6))
      fail_msg("member %d is off by %g m", k, off);
    assert_true(mus_sim_time(is) == mus_sim_time(g->alone[k]));
    const mus_step_record *a = mus_sim_step_record(is, 0), *b = mus_sim_step_record(g->alone[k], 0);
    double all = b->kinetic + b->stretch + b->shear + b->bend + fabs(b->potential);
    assert_true(fabs(a->kinetic - b->kinetic) < 1e-5 * all && fabs(a->stretch - b->stretch) < 1e-5 * all);
    assert_true(fabs(a->potential - b->potential) < 1e-5 * all && fabs(a->bend - b->bend) < 1e-5 * all);
    assert_true(fabs(a->strain_maximum - b->strain_maximum) < 1e-5);
    assert_true(fabs(a->strain_reached - b->strain_reached) < 1e-5);
    for (int c = 0; c < 3; ++c)
      assert_true(fabs(a->momentum[c] - b->momentum[c]) < 1e-5);
  }
}

static void members_end_as_alone(void **state) {
  (void)state;
  given g;
  mus_batch *batch[2];
  mus_batch_options options = mus_default_batch_options();
  options.device = MUS_DEVICE_CUDA;
  begin(&g);
  for (int b = 0; b < 2; ++b)
    assert_ok(mus_batch_create(MEMBERS, g.list, &options, &batch[b]));
  for (int k = 0; k < MEMBERS; ++k) {
    throw_up(g.alone[k], k);
    for (int b = 0; b < 2; ++b)
      throw_up(mus_batch_member(batch[b], k), k);
  }
  for (int frame = 0; frame < FRAMES; ++frame) {
    if (frame == 4) { // in the middle of it
      assert_ok(mus_sim_set_fabric(g.alone[2], 0, "wool"));
      assert_ok(mus_sim_set_stiffness(g.alone[3], 0, 0.5));
      for (int b = 0; b < 2; ++b) {
        assert_ok(mus_sim_set_fabric(mus_batch_member(batch[b], 2), 0, "wool"));
        assert_ok(mus_sim_set_stiffness(mus_batch_member(batch[b], 3), 0, 0.5));
      }
    }
    for (int k = 0; k < MEMBERS; ++k)
      assert_ok(mus_sim_frame(g.alone[k], NULL));
    for (int b = 0; b < 2; ++b)
      assert_ok(frame % 2 ? mus_batch_step(batch[b]) : mus_batch_frame(batch[b]));
    expect_near(batch[0], &g);
  }
  mus_sim_device device = mus_batch_device_used(batch[0]);
  assert_int_equal(device.steps, MEMBERS * FRAMES);
  assert_true(*device.name && device.bytes > 0);
  for (int k = 0; k < MEMBERS; ++k) { // and the same bits again
    const mus_sim *a = mus_batch_member(batch[0], k), *b = mus_batch_member(batch[1], k);
    assert_memory_equal(mus_sim_positions(a), mus_sim_positions(b), 3 * (size_t)mus_sim_vertices(a) * sizeof(double));
    assert_int_equal(mus_sim_step_record(a, 0)->on_device, 1);
  }
  mus_batch_free(batch[0]);
  mus_batch_free(batch[1]);
  end(&g);
}

// More members than fit into one system.
static void groups_are_stepped_one_after_another(void **state) {
  (void)state;
  enum { MANY = 150 };
  mus_scene scene;
  const mus_scene *list[MANY];
  mus_batch *batch;
  mus_batch_options options = mus_default_batch_options();
  options.device = MUS_DEVICE_CUDA;
  assert_ok(mus_scene_parse("test",
                            "{\"contact\": false, \"time_step\": 0.002, \"frame_rate\": 500, \"cloths\": "
                            "[{\"shape\": {\"vertices\": 25}, \"pins\": [{\"where\": {\"vertices\": [0]}}]}]}",
                            &scene));
  scene.solver.tolerance = 1e-10;
  for (int k = 0; k < MANY; ++k)
    list[k] = &scene;
  assert_ok(mus_batch_create(MANY, list, &options, &batch));
  mus_sim *alone;
  assert_ok(mus_sim_create(&scene, &alone));
  for (int step = 0; step < 2; ++step) {
    assert_ok(mus_batch_step(batch));
    assert_ok(mus_sim_step(alone, NULL));
  }
  for (int k = 0; k < MANY; k += 149)
    for (int i = 0; i < 75; ++i)
      assert_true(fabs(mus_sim_positions(mus_batch_member(batch, k))[i] - mus_sim_positions(alone)[i]) < 1e-8);
  assert_int_equal(mus_batch_device_used(batch).steps, 2 * MANY);
  mus_sim_free(alone);
  mus_batch_free(batch);
  mus_scene_free(&scene);
}

static void what_cannot_run_there_is_said(void **state) {
  (void)state;
  given g;
  mus_batch *batch = NULL;
  mus_batch_options options = mus_default_batch_options();
  begin(&g);
  mus_scene other;
  assert_ok(mus_scene_parse("test", "{\"contact\": false, \"cloths\": [{\"shape\": {\"vertices\": 49}}]}", &other));
  g.list[1] = &other;
  options.device = MUS_DEVICE_CUDA;
  assert_fails(mus_batch_create(MEMBERS, g.list, &options, &batch), MUS_UNSUPPORTED, "0 and 1 have different meshes");
  options.device = MUS_DEVICE_AUTO;
  assert_ok(mus_batch_create(MEMBERS, g.list, &options, &batch));
  assert_ok(mus_batch_step(batch));
  assert_non_null(strstr(mus_batch_device_used(batch).failure, "different meshes"));
  mus_batch_free(batch);
  mus_scene_free(&other);
  end(&g);
}

// Only where failures can be planned.
static void host_goes_on(void **state) {
  (void)state;
  const char *asked = getenv("MUSLIN_TEST_DEVICE");
  if (asked && strcmp(asked, "cuda") == 0)
    skip();
  for (int after = 0; after < 2100; after += 600) {
    given g;
    mus_batch *batch = NULL;
    mus_batch_options options = mus_default_batch_options();
    begin(&g);
    options.device = MUS_DEVICE_AUTO;
    mus_emulated_fail(MUS_DEVICE_FAILED, after);
    assert_ok(mus_batch_create(MEMBERS, g.list, &options, &batch));
    for (int frame = 0; frame < FRAMES; ++frame) {
      assert_ok(mus_batch_frame(batch));
      for (int k = 0; k < MEMBERS; ++k)
        assert_ok(mus_sim_frame(g.alone[k], NULL));
      expect_near(batch, &g);
    }
    mus_emulated_fail(MUS_OK, 0);
    assert_non_null(strstr(mus_batch_device_used(batch).failure, "lost"));
    mus_batch_free(batch);
    end(&g);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_end_as_alone),
      cmocka_unit_test(groups_are_stepped_one_after_another),
      cmocka_unit_test(what_cannot_run_there_is_said),
      cmocka_unit_test(host_goes_on),
  };
  return cmocka_run_group_tests_name("batches on a device", tests, use_emulation, NULL);
}
