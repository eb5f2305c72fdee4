// Batches on the CPU: every member has the bits of its own simulation, whatever the others are; failures stay with the
// member that has them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "muslin/batch.h"
#include "support/check.h"

enum { MEMBERS = 5, FRAMES = 3 };

// Fabrics, densities, winds and pins differ; one falls onto a ball.
static const char *const texts[MEMBERS] = {
    "{\"frame_rate\": 60, \"time_step\": 0.01, \"cloths\": [{\"fabric\": \"silk\", \"shape\": {\"vertices\": 81}}]}",
    "{\"frame_rate\": 60, \"time_step\": 0.01, \"wind\": [3, 0, 1], \"gust\": 0.4, \"cloths\": [{\"fabric\": "
    "\"denim\", "
    "\"shape\": {\"vertices\": 81}, \"pins\": [{\"where\": {\"vertices\": [0]}}]}]}",
    "{\"frame_rate\": 60, \"time_step\": 0.01, \"cloths\": [{\"density\": 0.4, \"stiffness\": 0.3, \"shape\": "
    "{\"vertices\": 81}, \"pins\": [{\"where\": {\"vertices\": [0, 8]}, \"amplitude\": [0, 0.1, 0], \"frequency\": "
    "2}]}]}",
    "{\"frame_rate\": 60, \"time_step\": 0.005, \"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.2}, "
    "\"translate\": [0, -0.21, 0]}], \"cloths\": [{\"shape\": {\"vertices\": 100}}]}",
    "{\"frame_rate\": 60, \"time_step\": 0.01, \"integrator\": \"bdf2\", \"cloths\": [{\"fabric\": \"wool\", "
    "\"shape\": "
    "{\"vertices\": 49}}]}"};

static void parse_all(mus_scene *scene, const mus_scene **list) {
  for (int k = 0; k < MEMBERS; ++k) {
    assert_ok(mus_scene_parse("test", texts[k], &scene[k]));
    list[k] = &scene[k];
  }
}

static void expect_same(const mus_sim *is, const mus_sim *ought, int member) {
  size_t bytes = 3 * (size_t)mus_sim_vertices(ought) * sizeof(double);
  if (memcmp(mus_sim_positions(is), mus_sim_positions(ought), bytes) != 0 ||
      memcmp(mus_sim_velocities(is), mus_sim_velocities(ought), bytes) != 0)
    fail_msg("member %d differs from its own simulation", member);
  assert_true(mus_sim_time(is) == mus_sim_time(ought));
  assert_int_equal(mus_sim_frame_number(is), mus_sim_frame_number(ought));
}

static void members_have_the_bits_of_their_own(void **state) {
  (void)state;
  for (int threads = 0; threads < 3; ++threads) {
    mus_scene scene[MEMBERS];
    const mus_scene *list[MEMBERS];
    mus_sim *alone[MEMBERS];
    mus_batch *batch;
    mus_batch_options options = mus_default_batch_options();
    options.threads = threads;
    parse_all(scene, list);
    assert_ok(mus_batch_create(MEMBERS, list, &options, &batch));
    assert_int_equal(mus_batch_members(batch), MEMBERS);
    for (int k = 0; k < MEMBERS; ++k)
      assert_ok(mus_sim_create(&scene[k], &alone[k]));
    for (int frame = 0; frame < FRAMES; ++frame) {
      double gale[3] = {0, 0, 2.0 * frame};
      assert_ok(mus_sim_set_wind(alone[0], gale));
      assert_ok(mus_sim_set_wind(mus_batch_member(batch, 0), gale));
      assert_ok(frame == 1 ? mus_batch_step(batch) : mus_batch_frame(batch));
      for (int k = 0; k < MEMBERS; ++k) {
        int steps;
        assert_ok(frame == 1 ? mus_sim_step(alone[k], &steps) : mus_sim_frame(alone[k], &steps));
        expect_same(mus_batch_member(batch, k), alone[k], k);
        assert_non_null(mus_sim_step_record(mus_batch_member(batch, k), steps - 1));
        assert_null(mus_sim_step_record(mus_batch_member(batch, k), steps));
      }
    }
    for (int k = 0; k < MEMBERS; ++k) {
      mus_sim_free(alone[k]);
    }
    mus_batch_free(batch);
    for (int k = 0; k < MEMBERS; ++k)
      mus_scene_free(&scene[k]);
  }
}

// The same start leads to the same end; what is read can be given back, in the order of the files.
static void states_can_be_set(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *one, *other;
  assert_ok(mus_scene_parse("test", texts[0], &scene));
  assert_ok(mus_sim_create(&scene, &one));
  assert_ok(mus_sim_create(&scene, &other));
  size_t n = 3 * (size_t)mus_sim_vertices(one);
  double *x = malloc(n * sizeof *x), *v = malloc(n * sizeof *v);
  assert_true(x && v);
  assert_ok(mus_sim_frame(one, NULL));
  memcpy(x, mus_sim_positions(one), n * sizeof *x);
  memcpy(v, mus_sim_velocities(one), n * sizeof *v);
  for (size_t i = 1; i < n; i += 3)
    x[i] += 0.3;
  assert_ok(mus_sim_frame(other, NULL));
  assert_ok(mus_sim_frame(other, NULL));
  assert_ok(mus_sim_set_state(one, x, v));
  assert_memory_equal(mus_sim_positions(one), x, n * sizeof *x);
  assert_memory_equal(mus_sim_velocities(one), v, n * sizeof *v);
  assert_ok(mus_sim_set_state(other, x, NULL));
  assert_ok(mus_sim_set_state(other, NULL, v));

  assert_ok(mus_sim_step(one, NULL));
  assert_ok(mus_sim_step(other, NULL));
  assert_memory_equal(mus_sim_positions(one), mus_sim_positions(other), n * sizeof *x);
  x[5] = NAN;
  assert_fails(mus_sim_set_state(one, x, v), MUS_BAD_INPUT, "vertex 1 is not finite");
  free(x);
  free(v);
  mus_sim_free(one);
  mus_sim_free(other);
  mus_scene_free(&scene);
}

static void failures_stay_with_their_member(void **state) {
  (void)state;
  mus_scene scene[MEMBERS];
  const mus_scene *list[MEMBERS];
  mus_batch *batch = NULL;
  mus_batch_options options = mus_default_batch_options();
  parse_all(scene, list);
  scene[2].adaptive = 0;
  scene[2].cloths[0].pins[0].amplitude[1] = 50; // tears
  assert_ok(mus_batch_create(MEMBERS, list, &options, &batch));
  mus_status status = MUS_OK;
  for (int step = 0; step < 10 && !status; ++step)
    status = mus_batch_step(batch);
  assert_fails(status, MUS_BREAKDOWN, "member 2: ");
  for (int k = 0; k < MEMBERS; ++k)
    assert_int_equal(mus_batch_status(batch, k), k == 2 ? status : MUS_OK);
  assert_true(mus_sim_time(mus_batch_member(batch, 2)) < mus_sim_time(mus_batch_member(batch, 0)));
  assert_null(mus_batch_member(batch, MEMBERS));
  mus_batch_free(batch);
  assert_fails(mus_batch_create(0, list, &options, &batch), MUS_BAD_INPUT, "1 to 1000000 members");
  options.cookie = 0;
  assert_fails(mus_batch_create(1, list, &options, &batch), MUS_BAD_INPUT, "mus_default_batch_options");
  for (int k = 0; k < MEMBERS; ++k)
    mus_scene_free(&scene[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_have_the_bits_of_their_own),
      cmocka_unit_test(states_can_be_set),
      cmocka_unit_test(failures_stay_with_their_member),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
