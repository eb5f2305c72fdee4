// The simulator: conservation, pins, stability, reproducibility, errors.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/builtin.h"
#include "sim/access.h"
#include "support/check.h"
#include "support/runs.h"

// A built-in scene or a text at a size, solved well.
static run *start(const char *name, int vertices) {
  run *r = runs_scene(name);
  mus_scene_resize(&r->scene, vertices, MUS_TESSELLATION_REGULAR);
  r->scene.solver.tolerance = fmin(r->scene.solver.tolerance, 1e-8);
  runs_begin(r);
  return r;
}

// Free of pins, gravity and air, inner forces alone turn and deform a cloth: they cannot change its momentum. Its
// angular momentum drifts as implicit Euler's does, by h sum of m v' x v a step.
static void free_flight_keeps_momentum(void **state) {
  (void)state;
  const char *models[] = {"baraff-witkin", "choi-ko", "mass-spring"};
  for (int m = 0; m < 3; ++m) {
    char text[512];
    snprintf(text, sizeof text,
             "{\"frames\": 1, \"gravity\": [0, 0, 0], \"air_density\": 0, \"cloths\": [{\"model\": \"%s\","
             "\"velocity\": [1, 2, 3], \"pins\": [{\"where\": {\"sphere\": [0.5, 0, 0.5, 0.1]},"
             "\"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 0.04, \"value\": [0.1, 0.2, 0.1]}],"
             "\"to\": 0.041}]}]}",
             models[m]);
    run *r = start(text, 121);
    runs_frame(r); // a pin pulls a corner along, and lets go at the frame's end
    runs_frame(r);
    const mus_step_record before = *mus_sim_step_record(r->sim, 0), *after = runs_frame(r);
    double momentum = 0, turn = 0, spin = 0;
    for (int c = 0; c < 3; ++c) {
      momentum = fmax(momentum, fabs(after->momentum[c] - before.momentum[c]));
      turn = fmax(turn, fabs(after->angular_momentum[c] - before.angular_momentum[c]));
      spin = fmax(spin, fabs(before.angular_momentum[c]));
    }
    assert_true(before.kinetic > 0.1); // 0.17 kg at some m/s
    assert_true(momentum < 1e-12);
    assert_true(turn < 0.03 * spin);
    runs_free(r);
  }
}

static void free_fall_is_exact_for_euler(void **state) {
  (void)state;
  run *r = start("{\"air_density\": 0, \"cloths\": [{}]}", 81);
  runs_frame(r);
  double t = mus_sim_time(r->sim), h = t / 21; // implicit Euler falls by g t (t + h) / 2
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i)
    assert_true(fabs(mus_sim_positions(r->sim)[3 * i + 1] + 9.81 * t * (t + h) / 2) < 1e-9);
  runs_free(r);
}

static void pins_hold_exactly(void **state) {
  (void)state;
  run *r = start("drooping", 441);
  double first[3 * 441];
  memcpy(first, mus_sim_positions(r->sim), sizeof first);
  int held = 0;
  for (int frame = 0; frame < 3; ++frame)
    runs_frame(r);
  for (int i = 0; i < 441; ++i)
    if (fmin(first[3 * i], first[3 * i + 2]) < -0.4999) {
      ++held;
      for (int c = 0; c < 3; ++c)
        assert_true(fabs(mus_sim_positions(r->sim)[3 * i + c] - first[3 * i + c]) < 1e-12);
    }
  assert_int_equal(held, 41);
  runs_free(r);
}

static void threads_do_not_matter(void **state) {
  (void)state;
  enum { LEAST = 1400, MOST = 1700 }; // sums are split between threads from 4096 numbers on
  static double first[3 * MOST];
  for (int k = 0; k < 3; ++k) {
    run *r = runs_scene("re-entrant");
    mus_scene_resize(&r->scene, 1500, MUS_TESSELLATION_REGULAR);
    r->scene.solver.threads = k == 0 ? 1 : k == 1 ? 2 : 7;
    r->scene.integrator = MUS_INTEGRATOR_BDF2;
    r->scene.time_step = 0.01;
    runs_begin(r);
    size_t bytes = 3 * (size_t)mus_sim_vertices(r->sim) * sizeof(double);
    assert_in_range(mus_sim_vertices(r->sim), LEAST, MOST);
    runs_frame(r);
    if (k == 0)
      memcpy(first, mus_sim_positions(r->sim), bytes);
    assert_memory_equal(first, mus_sim_positions(r->sim), bytes);
    runs_free(r);
  }
}

// Steps one by one make the same frame, and the system that the simulator shows is the one that it solves.
static void steps_make_frames(void **state) {
  (void)state;
  run *r = start("drooping", 121);
  mus_sim *by_frames = r->sim, *by_steps = NULL;
  assert_ok(mus_sim_create(&r->scene, &by_steps));
  runs_frame(r);
  int steps = 0;
  for (; mus_sim_frame_number(by_steps) == 0; ++steps) {
    int records;
    assert_int_equal(mus_sim_step(by_steps, &records), MUS_OK);
    assert_int_equal(records, 1);
  }
  assert_int_equal(steps, 21);
  size_t n = 3 * (size_t)mus_sim_vertices(by_steps);
  assert_memory_equal(mus_sim_positions(by_frames), mus_sim_positions(by_steps), n * sizeof(double));
  assert_true(mus_sim_time(by_frames) == mus_sim_time(by_steps));

  mus_sim_system system;
  mus_solver_options options = r->scene.solver;
  options.method = MUS_METHOD_MPCG;
  options.tolerance = 1e-12;
  mus_solver *solver = NULL;
  double change[363] = {0}, before[363];
  memcpy(before, mus_sim_velocities(by_steps), n * sizeof(double));
  assert_int_equal(mus_sim_next_system(by_steps, &system), MUS_OK);
  assert_int_equal(3 * system.rows, (int)n);
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(solver, system.rows, 3, system.row_start, system.column), MUS_OK);
  assert_int_equal(mus_solver_set_values(solver, system.values), MUS_OK);
  assert_int_equal(mus_solver_set_constraints(solver, system.constraint_count, system.constraints), MUS_OK);
  assert_int_equal(mus_solver_solve(solver, system.right, change), MUS_OK);
  assert_int_equal(mus_sim_step(by_steps, NULL), MUS_OK);
  for (size_t i = 0; i < n; ++i)
    assert_true(fabs(before[i] + change[i] - mus_sim_velocities(by_steps)[i]) < 1e-7);
  mus_solver_free(solver);
  mus_sim_free(by_steps);
  runs_free(r);
}

static void large_steps_stay_finite(void **state) {
  (void)state;
  const char *name;
  for (int k = 0; k < mus_builtin_free_count && (name = mus_scene_builtin_name(k, NULL)); ++k) {
    run *r = start(name, 441);
    r->scene.time_step = 1.0 / 24;
    for (int frame = 0; frame < 8; ++frame)
      assert_true(isfinite(runs_energy(runs_frame(r))));
    runs_free(r);
  }
}

static void refuses(const char *text, mus_status expected, const char *reason) {
  run *r = runs_scene(text);
  assert_fails(mus_sim_create(&r->scene, &r->sim), expected, reason);
  assert_null(r->sim);
  runs_free(r);
}

static void errors_name_cloth_and_pin(void **state) {
  (void)state;
  refuses("{\"cloths\": [{}, {\"fabric\": \"steel\"}]}", MUS_BAD_INPUT, "cloths[1]: ");
  refuses("{\"cloths\": [{\"pins\": [{\"where\": {\"boundary\": true}}, {\"where\": {\"sphere\": [9, 9, 9, 1]}}]}]}",
          MUS_BAD_INPUT, "cloths[0].pins[1]: holds no vertex");
  refuses("{\"cloths\": [{\"pins\": [{\"where\": {\"vertices\": [99999999]}}]}]}", MUS_BAD_INPUT, "vertex 99999999");
}

static void bytes_count_bodies(void **state) {
  (void)state;
  run *without = runs_start("{\"contact\": false, \"cloths\": [{}]}");
  run *with =
      runs_start("{\"contact\": false, \"cloths\": [{}], \"bodies\": [{\"shape\": {\"kind\": \"mannequin\"}}]}");
  size_t none = mus_bodies_bytes(mus_sim_model(without->sim)->bodies),
         bodies = mus_bodies_bytes(mus_sim_model(with->sim)->bodies);
  assert_true(bodies > none + 1000);
  assert_int_equal(mus_sim_bytes(with->sim) - mus_sim_bytes(without->sim), bodies - none);
  runs_free(without);
  runs_free(with);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_flight_keeps_momentum), cmocka_unit_test(free_fall_is_exact_for_euler),
      cmocka_unit_test(pins_hold_exactly),          cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(steps_make_frames),          cmocka_unit_test(large_steps_stay_finite),
      cmocka_unit_test(errors_name_cloth_and_pin),  cmocka_unit_test(bytes_count_bodies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
