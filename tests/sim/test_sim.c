// The simulator: conservation, pins, stability, reproducibility, errors.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "muslin/sim.h"

// A built-in scene at a size, or a text.
static mus_sim *create(const char *name, int vertices, mus_scene *scene) {
  mus_status status = *name == '{' ? mus_scene_parse("test", name, scene) : mus_scene_builtin(name, scene);
  if (status)
    fail_msg("%s", mus_last_error());
  mus_scene_resize(scene, vertices, MUS_REGULAR);
  scene->solver.tolerance = fmin(scene->solver.tolerance, 1e-8);
  mus_sim *sim = NULL;
  if (mus_sim_create(scene, &sim))
    fail_msg("%s", mus_last_error());
  return sim;
}

static const mus_step_record *run_frame(mus_sim *sim) {
  int steps = 0;
  if (mus_sim_frame(sim, &steps))
    fail_msg("%s", mus_last_error());
  assert_true(steps > 0);
  return mus_sim_step_record(sim, steps - 1);
}

static double total_energy(const mus_step_record *r) {
  return r->kinetic + r->stretch + r->shear + r->bend + r->potential;
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
    mus_scene scene;
    mus_sim *sim = create(text, 121, &scene);
    mus_step_record before = *run_frame(sim); // a pin pulls a corner along, and lets go at the frame's end
    run_frame(sim);
    before = *mus_sim_step_record(sim, 0);
    const mus_step_record *after = run_frame(sim);
    double momentum = 0, turn = 0, spin = 0;
    for (int c = 0; c < 3; ++c) {
      momentum = fmax(momentum, fabs(after->momentum[c] - before.momentum[c]));
      turn = fmax(turn, fabs(after->angular_momentum[c] - before.angular_momentum[c]));
      spin = fmax(spin, fabs(before.angular_momentum[c]));
    }
    assert_true(before.kinetic > 0.1); // 0.17 kg at some m/s
    assert_true(momentum < 1e-12);
    assert_true(turn < 0.03 * spin);
    mus_sim_free(sim);
    mus_scene_free(&scene);
  }
}

static void free_fall_is_exact_for_euler(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *sim = create("{\"air_density\": 0, \"cloths\": [{}]}", 81, &scene);
  run_frame(sim);
  double t = mus_sim_time(sim), h = t / 21; // implicit Euler falls by g t (t + h) / 2
  for (int i = 0; i < mus_sim_vertices(sim); ++i)
    assert_true(fabs(mus_sim_positions(sim)[3 * i + 1] + 9.81 * t * (t + h) / 2) < 1e-9);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

static void energy_never_grows_without_input(void **state) {
  (void)state;
  const char *names[] = {"pinned", "drooping", "re-entrant"};
  for (int k = 0; k < 3; ++k) {
    mus_scene scene;
    mus_sim *sim = create(names[k], 441, &scene);
    double before = 0;
    for (int frame = 0; frame < 6; ++frame) {
      int steps = 0;
      assert_int_equal(mus_sim_frame(sim, &steps), MUS_OK);
      for (int s = 0; s < steps; ++s) {
        double now = total_energy(mus_sim_step_record(sim, s));
        assert_true(now <= before + 1e-9);
        before = now;
      }
    }
    assert_true(before < -1e-4); // it has fallen, and swung
    mus_sim_free(sim);
    mus_scene_free(&scene);
  }
}

static void pins_hold_exactly(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *sim = create("drooping", 441, &scene);
  double start[3 * 441];
  memcpy(start, mus_sim_positions(sim), sizeof start);
  int held = 0;
  for (int frame = 0; frame < 3; ++frame)
    run_frame(sim);
  for (int i = 0; i < 441; ++i)
    if (fmin(start[3 * i], start[3 * i + 2]) < -0.4999) {
      ++held;
      for (int c = 0; c < 3; ++c)
        assert_true(fabs(mus_sim_positions(sim)[3 * i + c] - start[3 * i + c]) < 1e-12);
    }
  assert_int_equal(held, 41);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

static void threads_do_not_matter(void **state) {
  (void)state;
  double first[3 * 961];
  for (int k = 0; k < 3; ++k) {
    mus_scene scene;
    assert_int_equal(mus_scene_builtin("re-entrant", &scene), MUS_OK);
    mus_scene_resize(&scene, 900, MUS_REGULAR);
    scene.solver.threads = k == 0 ? 1 : k == 1 ? 2 : 7;
    scene.integrator = MUS_BDF2;
    mus_sim *sim = NULL;
    assert_int_equal(mus_sim_create(&scene, &sim), MUS_OK);
    size_t bytes = 3 * (size_t)mus_sim_vertices(sim) * sizeof(double);
    assert_true(bytes <= sizeof first);
    run_frame(sim);
    if (k == 0)
      memcpy(first, mus_sim_positions(sim), bytes);
    assert_memory_equal(first, mus_sim_positions(sim), bytes);
    mus_sim_free(sim);
    mus_scene_free(&scene);
  }
}

// Steps one by one make the same frame, and the system that the simulator shows is the one that it solves.
static void steps_make_frames(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *by_frames = create("drooping", 121, &scene), *by_steps = NULL;
  assert_int_equal(mus_sim_create(&scene, &by_steps), MUS_OK);
  run_frame(by_frames);
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
  mus_solver_options options = scene.solver;
  options.method = MUS_METHOD_MPCG;
  options.tolerance = 1e-12;
  mus_solver *solver = NULL;
  double change[363] = {0}, before[363];
  memcpy(before, mus_sim_velocities(by_steps), n * sizeof(double));
  mus_sim_next_system(by_steps, &system);
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
  mus_sim_free(by_frames);
  mus_sim_free(by_steps);
  mus_scene_free(&scene);
}

static void large_steps_stay_finite(void **state) {
  (void)state;
  const char *name;
  for (int k = 0; (name = mus_scene_builtin_name(k, NULL)); ++k) {
    mus_scene scene;
    mus_sim *sim = create(name, 441, &scene);
    scene.time_step = 1.0 / 24;
    for (int frame = 0; frame < 8; ++frame)
      assert_true(isfinite(total_energy(run_frame(sim))));
    mus_sim_free(sim);
    mus_scene_free(&scene);
  }
}

static void refuses(const char *text, mus_status expected, const char *reason) {
  mus_scene scene;
  if (mus_scene_parse("test", text, &scene))
    fail_msg("%s", mus_last_error());
  mus_sim *sim = NULL;
  assert_int_equal(mus_sim_create(&scene, &sim), expected);
  assert_null(sim);
  if (!strstr(mus_last_error(), reason))
    fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), reason);
  mus_scene_free(&scene);
}

static void errors_name_cloth_and_pin(void **state) {
  (void)state;
  refuses("{\"cloths\": [{}, {\"fabric\": \"steel\"}]}", MUS_BAD_INPUT, "cloths[1]: ");
  refuses("{\"cloths\": [{\"pins\": [{\"where\": {\"boundary\": true}}, {\"where\": {\"sphere\": [9, 9, 9, 1]}}]}]}",
          MUS_BAD_INPUT, "cloths[0].pins[1]: holds no vertex");
  refuses("{\"cloths\": [{\"pins\": [{\"where\": {\"vertices\": [99999999]}}]}]}", MUS_BAD_INPUT, "vertex 99999999");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_flight_keeps_momentum),
                                     cmocka_unit_test(free_fall_is_exact_for_euler),
                                     cmocka_unit_test(energy_never_grows_without_input),
                                     cmocka_unit_test(pins_hold_exactly),
                                     cmocka_unit_test(threads_do_not_matter),
                                     cmocka_unit_test(steps_make_frames),
                                     cmocka_unit_test(large_steps_stay_finite),
                                     cmocka_unit_test(errors_name_cloth_and_pin)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
