// Requests to stop: every step ends soon after one, at whatever point it comes, with the state of its beginning.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "muslin/sim.h"
#include "par/par.h"
#include "sim/access.h"
#include "support/check.h"

// Says yes from a certain question on.
typedef struct stopper {
  long asked, limit;
} stopper;

static int stop_soon(void *data) {
  stopper *s = data;
  return ++s->asked > s->limit;
}

// What a step must leave as it was.
typedef struct snapshot {
  double time, *position, *velocity;
  size_t bytes;
} snapshot;

static snapshot take(const mus_sim *sim) {
  size_t bytes = 3 * (size_t)mus_sim_vertices(sim) * sizeof(double);
  snapshot s = {mus_sim_time(sim), malloc(bytes), malloc(bytes), bytes};
  memcpy(s.position, mus_sim_positions(sim), bytes);
  memcpy(s.velocity, mus_sim_velocities(sim), bytes);
  return s;
}

static void assert_at(const snapshot *s, const mus_sim *sim) {
  assert_true(mus_sim_time(sim) == s->time);
  assert_memory_equal(mus_sim_positions(sim), s->position, s->bytes);
  assert_memory_equal(mus_sim_velocities(sim), s->velocity, s->bytes);
}

static void drop(snapshot *s) {
  free(s->position);
  free(s->velocity);
}

static mus_sim *start(const char *text, mus_scene *scene) {
  mus_sim *sim = NULL;
  assert_ok(mus_scene_parse("scene", text, scene));
  assert_ok(mus_sim_create(scene, &sim));
  return sim;
}

static mus_status step_with(mus_sim *sim, stopper *s, int *steps) {
  mus_set_stop(stop_soon, s);
  mus_status status = mus_sim_step(sim, steps);
  mus_set_stop(NULL, NULL);
  return status;
}

// Stops the next step at its first question, its second, ever later ones, and then lets it pass. Once the answer was
// yes, nobody asks again: it stops there. Returns how many questions the step has.
static long stop_everywhere(mus_sim *sim, int *steps) {
  snapshot before = take(sim);
  mus_status status = MUS_STOPPED;
  stopper s = {0};
  for (long limit = 0; status == MUS_STOPPED; limit += 1 + limit / 2) {
    assert_true(limit < 1000000);
    s = (stopper){.limit = limit};
    status = step_with(sim, &s, steps);
    if (status == MUS_STOPPED) {
      assert_string_equal(mus_last_error(), "stopped on request");
      assert_int_equal(s.asked, limit + 1);
      assert_int_equal(*steps, 0);
      assert_at(&before, sim);
    }
  }
  assert_int_equal(status, MUS_OK);
  drop(&before);
  return s.asked;
}

// A sheet that falls fast onto a ball, and folds: two sheets, so that there is cloth against cloth.
static const char falling[] =
    "{\"frames\": 5, \"time_step\": 0.02, \"solver\": {\"method\": \"diag\", \"recycle\": 0, \"threads\": 2},"
    " \"bodies\": [{\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", \"radius\": 0.1, \"facet\": 0.01}}],"
    " \"cloths\": [{\"name\": \"upper\", \"translate\": [0, 0.14, 0], \"velocity\": [0, -4, 0],"
    " \"shape\": {\"vertices\": 144, \"size\": [0.4, 0.4]}}, {\"name\": \"lower\", \"translate\": [0, 0.12, 0],"
    " \"velocity\": [0, -1, 0], \"shape\": {\"vertices\": 144, \"size\": [0.4, 0.4]}}]}";

// With contact, and without anything that solvers remember: the step that is made in the end is the same.
static void steps_stop_anywhere(void **state) {
  (void)state;
  mus_scene scene, other;
  mus_sim *stopped = start(falling, &scene), *whole = start(falling, &other);
  int steps = 0, zones = 0, iterations = 0;
  long questions = 0;
  for (int k = 0; k < 4; ++k) {
    questions += stop_everywhere(stopped, &steps);
    for (int i = 0; i < steps; ++i) {
      zones += mus_sim_step_record(stopped, i)->zones;
      iterations += mus_sim_step_record(stopped, i)->iterations;
    }
    assert_ok(mus_sim_step(whole, NULL));
    snapshot s = take(whole);
    assert_at(&s, stopped);
    drop(&s);
  }
  print_message("%ld questions in 4 steps with %d iterations and %d zones\n", questions, iterations, zones);
  assert_true(zones > 10);
  assert_true(questions > iterations + zones);
  mus_sim_free(stopped);
  mus_sim_free(whole);
  mus_scene_free(&scene);
  mus_scene_free(&other);
}

// A linear solve that takes many iterations ends in the middle.
static void long_solves_stop(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *sim =
      start("{\"time_step\": 0.04, \"adaptive\": false, \"contact\": false, \"solver\": {\"method\": \"diag\","
            " \"tolerance\": 1e-16, \"iterations\": 1000000, \"threads\": 1}, \"cloths\": [{\"shape\":"
            " {\"vertices\": 400}, \"pins\": [{\"where\": {\"vertices\": [0]}}]}]}",
            &scene);
  snapshot before = take(sim);
  stopper s = {.limit = 50};
  assert_int_equal(step_with(sim, &s, NULL), MUS_STOPPED);
  assert_int_equal(s.asked, 51);
  assert_in_range(mus_sim_solve_record(sim)->iterations, 30, 50);
  assert_int_equal(mus_sim_solve_record(sim)->status, MUS_STOPPED);
  assert_at(&before, sim);
  assert_ok(mus_sim_step(sim, NULL));
  assert_true(mus_sim_solve_record(sim)->iterations > 60);
  drop(&before);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

// Steps that are made in halves, because Newton's method is not given the iterations that it needs, go back to their
// beginning, however many halves are done. None of this is a rejected attempt.
static void halves_are_undone(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *sim = start("{\"time_step\": 0.02, \"integrator\": \"newton\", \"newton_iterations\": 2,"
                       " \"newton_tolerance\": 1e-8, \"solver\": {\"threads\": 1}, \"cloths\": [{\"shape\":"
                       " {\"vertices\": 25}, \"pins\": [{\"where\": {\"vertices\": [0]}}]}]}",
                       &scene);
  int steps = 0;
  stop_everywhere(sim, &steps);
  assert_true(steps > 2);
  snapshot before = take(sim);
  stopper s = {.limit = 0};
  int rejected = mus_sim_rejected(sim)->rejected;
  assert_int_equal(step_with(sim, &s, &steps), MUS_STOPPED);
  assert_int_equal(mus_sim_rejected(sim)->rejected, rejected);
  assert_at(&before, sim);
  drop(&before);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

// A simulator that is stopped while it is made is not made.
static void models_stop(void **state) {
  (void)state;
  mus_scene scene;
  assert_ok(mus_scene_parse("scene", falling, &scene));
  mus_status status = MUS_STOPPED;
  int stops = 0;
  for (long limit = 0; status == MUS_STOPPED; ++limit, ++stops) {
    mus_sim *sim = NULL;
    stopper s = {.limit = limit};
    mus_set_stop(stop_soon, &s);
    status = mus_sim_create(&scene, &sim);
    mus_set_stop(NULL, NULL);
    assert_true((status == MUS_OK) == (sim != NULL));
    mus_sim_free(sim);
  }
  assert_int_equal(status, MUS_OK);
  assert_true(stops > 3);
  mus_scene_free(&scene);
}

// Inner requests end before outer ones, and both count.
static void requests_nest(void **state) {
  (void)state;
  stopper outer = {.limit = LONG_MAX}, inner = {.limit = 1};
  mus_stop_request request;
  assert_ok(mus_stop_check());
  mus_set_stop(stop_soon, &outer);
  mus_stop_begin(&request, stop_soon, &inner);
  assert_ok(mus_stop_check());
  assert_int_equal(mus_stop_check(), MUS_STOPPED);
  assert_int_equal(mus_stop_check(), MUS_STOPPED); // and stays so, without being asked again
  assert_int_equal(inner.asked, 2);
  mus_stop_end(&request);
  assert_ok(mus_stop_check());
  outer.limit = 0;
  inner = (stopper){.limit = LONG_MAX};
  mus_stop_begin(&request, stop_soon, &inner);
  assert_int_equal(mus_stop_check(), MUS_STOPPED);
  mus_stop_end(&request);
  mus_set_stop(NULL, NULL);
  assert_ok(mus_stop_check());
  assert_string_equal(mus_status_name(MUS_STOPPED), "stopped");
}

// Threads of a parallel region share the request, and no two ask at once.
static int alone(void *data) {
  atomic_int *inside = data;
  assert_int_equal(atomic_fetch_add(inside, 1), 0);
  atomic_fetch_sub(inside, 1);
  return 0;
}

static void threads_ask_in_turn(void **state) {
  (void)state;
  atomic_int inside;
  atomic_init(&inside, 0);
  mus_set_stop(alone, &inside);
  mus_stop_request *stop = mus_stop_current();
  int before = mus_par_set_threads(4), asked = 0;
  MUS_PARALLEL_FOR
  for (int i = 0; i < 10000; ++i)
    if (mus_stop_is_asked(stop))
      asked = 1;
  mus_par_set_threads(before);
  mus_set_stop(NULL, NULL);
  assert_false(asked);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(requests_nest),     cmocka_unit_test(threads_ask_in_turn), cmocka_unit_test(long_solves_stop),
      cmocka_unit_test(halves_are_undone), cmocka_unit_test(models_stop),         cmocka_unit_test(steps_stop_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
