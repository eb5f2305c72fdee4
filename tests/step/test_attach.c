// Attachments: exactly the impulse of a spring, at most its limit, at the vertex that was named.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "muslin/run.h"
#include "step/attach.h"
#include "support/check.h"
#include "support/files.h"
#include "support/runs.h"

#define FREE                                                                                                           \
  "{\"gravity\": [0, 0, 0], \"air_density\": 0, \"contact\": false, \"frame_rate\": 100, \"time_step\": 0.01,"

static double momentum(const run *r, int axis) { return mus_sim_step_record(r->sim, 0)->momentum[axis]; }

// Inner forces change no momentum, so what a free sheet gains is the spring's: H k (target - p'), with p' the point at
// the step's end, less the damping.
static void a_step_gives_the_springs_impulse(void **state) {
  (void)state;
  const char *integrators[] = {"euler", "newton"};
  for (int k = 0; k < 2; ++k) {
    char text[512];
    snprintf(text, sizeof text,
             FREE "\"integrator\": \"%s\", \"solver\": {\"tolerance\": 1e-11}, \"newton_tolerance\": 1e-10,"
                  "\"cloths\": [{\"shape\": {\"vertices\": 121}, \"velocity\": [0, 0.5, 0]}]}",
             integrators[k]);
    run *r = runs_start(text);
    const int *corner = mus_sim_triangle_list(r->sim) + 3 * 57;
    mus_attachment pull = {.count = 3, .weight = {0.5, 0.2, 0.3}, .stiffness = 40, .limit = 1e6, .damping = 0.05};
    const double *x = mus_sim_positions(r->sim), *v = mus_sim_velocities(r->sim);
    for (int n = 0; n < 3; ++n) {
      pull.vertex[n] = corner[n];
      for (int c = 0; c < 3; ++c)
        pull.target[c] += pull.weight[n] * x[3 * corner[n] + c];
    }
    pull.target[0] += 0.01;
    pull.target[1] += 0.02;
    int hand;
    assert_ok(mus_sim_attach(r->sim, &pull, &hand));
    assert_int_equal(mus_sim_attachments(r->sim), 1);
    double h = 0.01, before[3];
    assert_ok(mus_sim_step(r->sim, NULL)); // from here on, velocities differ
    for (int c = 0; c < 3; ++c)
      before[c] = momentum(r, c);
    assert_ok(mus_sim_step(r->sim, NULL));
    for (int c = 0; c < 3; ++c) {
      double point = 0, speed = 0;
      for (int n = 0; n < 3; ++n) {
        point += pull.weight[n] * x[3 * corner[n] + c];
        speed += pull.weight[n] * v[3 * corner[n] + c];
      }
      double impulse = h * (pull.stiffness * (pull.target[c] - point) - pull.stiffness * pull.damping * speed);
      assert_true(fabs(momentum(r, c) - before[c] - impulse) < 1e-7);
      assert_true(c != 0 || fabs(impulse) > 1e-4);
    }
    runs_free(r);
  }
}

static void the_limit_holds(void **state) {
  (void)state;
  run *r = runs_start(FREE "\"cloths\": [{\"shape\": {\"vertices\": 121}}]}");
  mus_attachment pull = {.count = 1, .vertex = {60}, .weight = {1}, .target = {0, 1000, 0}, .limit = 2};
  int hand;
  assert_ok(mus_sim_attach(r->sim, &pull, &hand));
  assert_ok(mus_sim_step(r->sim, NULL));
  assert_true(momentum(r, 1) > 0.001 && momentum(r, 1) <= 2 * 0.01 + 1e-9);
  runs_free(r);
}

// A point that is drawn to follows; let go, it flies on.
static void a_vertex_follows_and_flies_on(void **state) {
  (void)state;
  run *r = runs_start(FREE "\"cloths\": [{\"shape\": {\"vertices\": 121}}]}");
  mus_attachment pull = {.count = 1, .vertex = {60}, .weight = {1}};
  memcpy(pull.target, mus_sim_positions(r->sim) + 180, sizeof pull.target);
  int hand, other;
  assert_ok(mus_sim_attach(r->sim, &pull, &hand));
  for (int k = 0; k < 100; ++k) {
    pull.target[1] += 0.005;
    assert_ok(mus_sim_move_attachment(r->sim, hand, pull.target));
    assert_ok(mus_sim_step(r->sim, NULL));
  }
  assert_true(fabs(mus_sim_positions(r->sim)[181] - pull.target[1]) < 0.03);
  double speed = momentum(r, 1);
  assert_true(speed > 0.02);
  assert_ok(mus_sim_attach(r->sim, &pull, &other));
  assert_ok(mus_sim_detach(r->sim, hand));
  assert_ok(mus_sim_detach(r->sim, other));
  assert_int_equal(mus_sim_attachments(r->sim), 0);
  assert_ok(mus_sim_step(r->sim, NULL));
  assert_true(fabs(momentum(r, 1) - speed) < 1e-6);
  assert_fails(mus_sim_detach(r->sim, hand), MUS_BAD_INPUT, "there is no attachment 1");
  assert_fails(mus_sim_move_attachment(r->sim, hand, pull.target), MUS_BAD_INPUT, "there is no attachment 1");
  runs_free(r);
}

// Beyond the limit, too, the force is what the energy falls by along the way.
static void energies_belong_to_forces(void **state) {
  (void)state;
  double x[9] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0.02}, still[9] = {0}, right[9];
  mus_attached spring = {
      .spring = {
          .count = 3, .vertex = {0, 1, 2}, .weight = {0.5, 0.2, 0.3}, .target = {0.03, 0.04, -0.05}, .stiffness = 30}};
  mus_attachments all = {.springs = {.items = &spring, .count = 1}};
  for (int k = 0; k < 2; ++k) {
    mus_instant at = {.position = x, .velocity = still, .length = 1};
    spring.spring.limit = k == 0 ? 100 : 0.5; // of 1.8 N
    memset(right, 0, sizeof right);
    mus_attachments_load(&all, &at, NULL, right);
    for (int i = 0; i < 9; ++i) {
      double here = x[i], e = 1e-6;
      x[i] = here + e;
      double more = mus_attachments_energy(&all, x);
      x[i] = here - e;
      double less = mus_attachments_energy(&all, x);
      x[i] = here;
      assert_true(fabs((more - less) / (2 * e) + right[i]) < 1e-8);
    }
  }
}

// The same of the potential of a step, damping included, by the velocity at its end.
static void potentials_belong_to_loads(void **state) {
  (void)state;
  const double start[9] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0.02}, length = 0.02;
  double v[9] = {0.3, -0.2, 0.1, 0.5, 0.1, -0.4, -0.1, 0.2, 0.6}, x[9], right[9];
  mus_attached spring = {.spring = {.count = 3,
                                    .vertex = {0, 1, 2},
                                    .weight = {0.5, 0.2, 0.3},
                                    .target = {0.03, 0.04, -0.05},
                                    .stiffness = 30,
                                    .damping = 0.1}};
  mus_attachments all = {.springs = {.items = &spring, .count = 1}};
  mus_instant at = {.position = x, .velocity = v, .length = length};
  for (int k = 0; k < 2; ++k) {
    spring.spring.limit = k == 0 ? 100 : 0.5;
    for (int i = 0; i < 9; ++i) {
      double here = v[i], e = 1e-4, value[2];
      for (int side = 0; side < 2; ++side) {
        v[i] = here + (side ? e : -e);
        for (int j = 0; j < 9; ++j)
          x[j] = start[j] + length * v[j];
        value[side] = mus_attachments_potential(&all, &at);
      }
      v[i] = here;
      x[i] = start[i] + length * here;
      memset(right, 0, sizeof right);
      mus_attachments_load(&all, &at, NULL, right);
      assert_true(fabs((value[1] - value[0]) / (2 * e) + right[i]) < 1e-9);
    }
  }
}

// J, of a spring at one vertex.
static double hand_energy(const mus_attachment *pull, const double *point) {
  double way[3], most = pull->limit / pull->stiffness;
  mus_subtract3(pull->target, point, way);
  double length = mus_length3(way);
  return length > most ? pull->limit * (length - most / 2) : pull->stiffness / 2 * length * length;
}

// Someone pulls hard at a hanging sheet, and holds. What the cloth gains in a step, the hand has lost, even at steps so
// long that the first of them would overshoot: they are halved.
static void pulling_gives_no_energy_from_nowhere(void **state) {
  (void)state;
  run *r = runs_start("{\"frame_rate\": 60, \"time_step\": 0.0167, \"air_density\": 0, \"contact\": false,"
                      "\"solver\": {\"tolerance\": 1e-8}, \"cloths\": [{\"shape\": {\"vertices\": 441},"
                      "\"rotate\": [90, 0, 0], \"strain_limit\": 0, \"fabric\": \"wool\","
                      "\"pins\": [{\"where\": {\"box\": [-1, 0.4999, -1, 1, 1, 1]}}]}]}");
  for (int step = 0; step < 10; ++step)
    assert_ok(mus_sim_step(r->sim, NULL));
  mus_attachment pull = {.count = 1, .vertex = {220}, .weight = {1}, .stiffness = 2000, .limit = 100, .damping = -1};
  const double *point = mus_sim_positions(r->sim) + 660;
  pull.target[0] = point[0];
  pull.target[1] = point[1];
  pull.target[2] = point[2] + 0.6;
  int hand, halved = 0;
  assert_ok(mus_sim_attach(r->sim, &pull, &hand));
  double fall = 0.264 * 0.164 * 0.164 / 2,
         before = hand_energy(&pull, point) + runs_energy(mus_sim_step_record(r->sim, 0));
  for (int step = 0; step < 30; ++step) {
    int steps;
    assert_ok(mus_sim_step(r->sim, &steps));
    const mus_step_record *record = mus_sim_step_record(r->sim, steps - 1);
    double now = hand_energy(&pull, point) + runs_energy(record);
    assert_true(now - before <= 0.02 * (runs_energy(record) - record->potential) + 0.1 * fall);
    before = now;
    halved += steps > 1;
  }
  assert_true(halved > 0);
  runs_free(r);
}

// Cloths from files are simulated in another order; users name vertices as the file does.
static void vertices_are_those_of_files(void **state) {
  run *sheet = runs_start(FREE "\"cloths\": [{\"shape\": {\"vertices\": 121}}]}");
  const char *path = files_path(*state, "sheet.obj");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < 121; ++i)
    fprintf(file, "v %.17g %.17g %.17g\n", mus_sim_positions(sheet->sim)[3 * i],
            mus_sim_positions(sheet->sim)[3 * i + 1], mus_sim_positions(sheet->sim)[3 * i + 2]);
  for (int t = 0; t < mus_sim_triangles(sheet->sim); ++t) {
    const int *corner = mus_sim_triangle_list(sheet->sim) + 3 * t;
    fprintf(file, "f %d %d %d\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
  }
  assert_int_equal(fclose(file), 0);
  char text[512];
  snprintf(text, sizeof text, FREE "\"cloths\": [{\"shape\": {\"kind\": \"file\", \"file\": \"%s\"}}]}", path);
  run *r = runs_start(text);
  for (int vertex = 3; vertex < 121; vertex += 50) {
    mus_attachment pull = {.count = 1, .vertex = {vertex}, .weight = {1}};
    memcpy(pull.target, mus_sim_positions(r->sim) + 3 * (size_t)vertex, sizeof pull.target);
    pull.target[1] += 0.05;
    int hand, fastest = 0;
    assert_ok(mus_sim_attach(r->sim, &pull, &hand));
    assert_ok(mus_sim_step(r->sim, NULL));
    assert_ok(mus_sim_detach(r->sim, hand));
    for (int i = 0; i < 121; ++i)
      if (mus_sim_velocities(r->sim)[3 * i + 1] > mus_sim_velocities(r->sim)[3 * fastest + 1])
        fastest = i;
    assert_int_equal(fastest, vertex);
    runs_free(r);
    r = runs_start(text);
  }
  runs_free(r);
  runs_free(sheet);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  run *r = runs_start(FREE "\"cloths\": [{\"shape\": {\"vertices\": 121}}]}");
  const mus_attachment good = {.count = 1, .vertex = {5}, .weight = {1}};
  mus_attachment bad = good;
  int hand;
  bad.count = 4;
  assert_fails(mus_sim_attach(r->sim, &bad, &hand), MUS_BAD_INPUT, "a point of 4 vertices");
  bad = good;
  bad.vertex[0] = 121;
  assert_fails(mus_sim_attach(r->sim, &bad, &hand), MUS_BAD_INPUT, "vertex 121 is outside 0...120");
  bad = good;
  bad.weight[0] = 0.5;
  assert_fails(mus_sim_attach(r->sim, &bad, &hand), MUS_BAD_INPUT, "sum up to 0.5");
  bad = good;
  bad.target[2] = NAN;
  assert_fails(mus_sim_attach(r->sim, &bad, &hand), MUS_BAD_INPUT, "target[2]");
  bad = good;
  bad.stiffness = -1;
  assert_fails(mus_sim_attach(r->sim, &bad, &hand), MUS_BAD_INPUT, "stiffness");
  bad = (mus_attachment){.count = 2, .vertex = {0, 120}, .weight = {0.5, 0.5}};
  assert_fails(mus_sim_attach(r->sim, &bad, &hand), MUS_BAD_INPUT, "not two corners of one triangle");
  bad.vertex[1] = 0;
  assert_fails(mus_sim_attach(r->sim, &bad, &hand), MUS_BAD_INPUT, "not two corners of one triangle");
  assert_int_equal(mus_sim_attachments(r->sim), 0);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_gives_the_springs_impulse),
      cmocka_unit_test(the_limit_holds),
      cmocka_unit_test(energies_belong_to_forces),
      cmocka_unit_test(potentials_belong_to_loads),
      cmocka_unit_test(pulling_gives_no_energy_from_nowhere),
      cmocka_unit_test(a_vertex_follows_and_flies_on),
      cmocka_unit_test_setup_teardown(vertices_are_those_of_files, files_setup, files_teardown),
      cmocka_unit_test(nonsense_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
