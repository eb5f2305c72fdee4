// Solids on lattices in scenes: they fall as bodies do, rest on planes, follow pins, bodies and bones, carry cloth, are
// pulled by attachments, and what they cannot do is said.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/runs.h"

#define LATTICE(cells) "\"method\": \"lattice\", \"lattice\": {\"cells\": " #cells "}, "
#define CUBE "\"shape\": {\"size\": [0.2, 0.2, 0.2], \"vertices\": 200}, \"young\": 2e4, \"poisson\": 0.45, "

static double mean(const run *r, int part, int axis) {
  int first = mus_sim_first_vertex(r->sim, part), end = mus_sim_first_vertex(r->sim, part + 1);
  double sum = 0;
  for (int v = first; v < end; ++v)
    sum += mus_sim_positions(r->sim)[3 * v + axis] / (end - first);
  return sum;
}

// Implicit Euler's fall by g h^2 n (n + 1) / 2, and energies of a mass that moves as one.
static void solids_fall(void **state) {
  (void)state;
  run *r = runs_start("{\"time_step\": 0.01, \"frame_rate\": 100, \"solids\": [{" LATTICE(6) CUBE
                      "\"density\": 1000, \"velocity\": [0.5, 0, 0], \"translate\": [0, 2, 0]}]}");
  const mus_step_record *record = NULL;
  for (int frame = 0; frame < 10; ++frame)
    record = runs_frame(r);
  assert_true(fabs(mean(r, 0, 1) - (2 - 9.81 * 1e-4 * 55)) < 1e-9);
  assert_true(fabs(mean(r, 0, 0) - 0.05) < 1e-9);
  double mass = 8; // cells are as long as the cube, over six
  assert_true(fabs(record->momentum[0] - mass * 0.5) < 1e-6 * mass);
  assert_true(fabs(record->momentum[1] + mass * 9.81 * 0.1) < 1e-6 * mass);
  assert_true(fabs(record->kinetic - mass / 2 * (0.25 + 0.981 * 0.981)) < 1e-6 * mass);
  assert_true(record->stretch < 1e-9);
  assert_true(record->lattice_volume == 1 || fabs(record->lattice_volume - 1) < 1e-9);
  runs_free(r);
}

static void solids_rest_on_bodies(void **state) {
  (void)state;
  static const char *const shapes[] = {"\"plane\", \"size\": [2, 1, 2]}",
                                       "\"box\", \"size\": [1, 0.1, 1]}, \"translate\": [0, -0.05, 0]"};
  for (int k = 0; k < 2; ++k) {
    char text[800];
    snprintf(text, sizeof text,
             "{\"time_step\": 0.042, \"solids\": [{" LATTICE(4) CUBE
             "\"damping\": 0.02, \"translate\": [0, 0.105, 0]}], \"bodies\": [{\"shape\": {\"kind\": %s}]}",
             shapes[k]);
    run *r = runs_start(text);
    const mus_step_record *record = NULL;
    for (int frame = 0; frame < 12; ++frame)
      record = runs_frame(r);
    assert_true(record->lattice_contacts > 8);
    assert_true(runs_lowest(r) > -0.004 && runs_lowest(r) < 0.002);
    assert_true(runs_speed(r) < 0.05);
    assert_true(fabs(record->lattice_volume - 1) < 0.02);
    runs_free(r);
  }
}

// A pin that turns all but a few cells by 90 degrees takes the others along; so does a body.
static void pins_and_bodies_move_cells(void **state) {
  (void)state;
  static const char *const how[] = {
      "\"pins\": [{\"where\": {\"box\": [-1, -1, -1, 1, 0.05, 1]}, \"turn\": [{\"time\": 0, \"value\": [0, 0, 0]}, "
      "{\"time\": 1, \"value\": [0, 0, 90]}]}]}]}",
      "\"pins\": [{\"body\": \"hand\", \"where\": {\"inside\": true}}]}], \"bodies\": [{\"name\": \"hand\", "
      "\"shape\": {\"kind\": \"box\", \"size\": [0.4, 0.15, 0.4]}, \"translate\": [{\"time\": 0, \"value\": [0, -0.05, "
      "0]}, {\"time\": 1, \"value\": [0.05, 0, 0]}], \"rotate\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 1, "
      "\"value\": [0, 0, 90]}]}]}"};
  for (int k = 0; k < 2; ++k) {
    char text[1200];
    snprintf(text, sizeof text, "{\"gravity\": [0, 0, 0], \"time_step\": 0.05, \"solids\": [{" LATTICE(6) CUBE "%s",
             how[k]);
    run *r = runs_start(text);
    const double *start = mus_sim_positions(r->sim);
    int vertices = mus_sim_vertices(r->sim);
    double before[3 * 1000];
    assert_true(vertices < 1000);
    memcpy(before, start, 3 * (size_t)vertices * sizeof *before);
    for (int frame = 0; frame < 36; ++frame)
      runs_frame(r);
    for (int v = 0; v < vertices; ++v) {
      const double *x = mus_sim_positions(r->sim) + 3 * v, *y = before + 3 * v;
      double height = k ? y[1] + 0.05 : y[1]; // over what is turned about
      const double to[3] = {k ? 0.05 - height : -height, y[0], y[2]};
      for (int c = 0; c < 3; ++c)
        assert_true(fabs(x[c] - to[c]) < 0.02); // what is free still swings a little
    }
    runs_free(r);
  }
}

// The figure goes on, and its flesh with it, which keeps its volume.
static void flesh_follows_bones(void **state) {
  (void)state;
  run *r = runs_start("{\"time_step\": 0.042, \"solids\": [{" LATTICE(
      20) "\"shape\": {\"kind\": \"body\", \"body\": \"walker\"}, \"material\": \"flesh\", \"poisson\": 0.49, "
          "\"pins\": [{\"body\": \"walker\", \"where\": {\"bones\": 0.03}}]}], \"bodies\": [{\"name\": "
          "\"walker\", \"shape\": {\"kind\": \"mannequin\", \"speed\": 1.2}}]}");
  const mus_step_record *record = NULL;
  double begin = mean(r, 0, 2);
  for (int frame = 0; frame < 6; ++frame)
    record = runs_frame(r);
  assert_true(fabs(mean(r, 0, 2) - begin - 1.2 * 6 / 24) < 0.05);
  assert_int_equal(record->lattice_contacts, 0); // the body that holds it is not touched
  assert_true(fabs(record->lattice_volume - 1) < 0.01);
  assert_int_equal(record->lattice_inverted, 0);
  runs_free(r);
}

static void cloth_lies_on_solids(void **state) {
  (void)state;
  run *r = runs_start("{\"time_step\": 0.021, \"cloths\": [{\"shape\": {\"vertices\": 289, \"size\": [0.5, 0.5]}, "
                      "\"translate\": [0, 0.25, 0]}], \"solids\": [{" LATTICE(4) CUBE
                      "\"translate\": [0, 0.1, 0], \"pins\": [{\"where\": {\"box\": [-1, -1, -1, 1, 0.03, 1]}}]}]}");
  const mus_step_record *record = NULL;
  for (int frame = 0; frame < 10; ++frame) {
    record = runs_frame(r);
    assert_int_equal(runs_crossings(r), 0);
  }
  assert_true(record->body_contacts > 10);
  double middle = mus_sim_positions(r->sim)[3 * 144 + 1];
  assert_true(middle > 0.18 && middle < 0.22);
  runs_free(r);
}

// Pulled towards a target at half a metre.
static void attachments_pull(void **state) {
  (void)state;
  run *r = runs_start("{\"gravity\": [0, 0, 0], \"time_step\": 0.042, \"solids\": [{" LATTICE(4) CUBE
                      "\"density\": 100, \"damping\": 0.02}]}");
  const int *corner = mus_sim_triangle_list(r->sim);
  mus_attachment pull = {.count = 3,
                         .vertex = {corner[0], corner[1], corner[2]},
                         .weight = {0.5, 0.25, 0.25},
                         .target = {0.5, 0, 0},
                         .limit = 5};
  int handle;
  assert_ok(mus_sim_attach(r->sim, &pull, &handle));
  for (int frame = 0; frame < 6; ++frame)
    runs_frame(r);
  assert_true(mean(r, 0, 0) > 0.03 && mean(r, 0, 0) < 0.5);
  assert_ok(mus_sim_detach(r->sim, handle));
  double speed = runs_frame(r)->momentum[0];
  assert_true(fabs(runs_frame(r)->momentum[0] - speed) < 1e-3 * speed);
  runs_free(r);
}

static void mistakes_are_named(void **state) {
  (void)state;
  static const struct {
    const char *solid, *part;
  } cases[] = {{"\"poisson\": 0.5", "poisson is 0.5"},
               {"\"stiffness\": 2", "\"stiffness\" over time"},
               {"\"shape\": {\"kind\": \"body\", \"body\": \"nobody\"}", "no body \"nobody\""},
               {"\"pins\": [{\"where\": {\"vertices\": [1]}}]", "leave out what selects vertices"},
               {"\"pins\": [{\"where\": {\"box\": [5, 5, 5, 6, 6, 6]}}]", "holds no cell"},
               {"\"pins\": [{\"where\": {\"box\": [-5, -5, -5, 6, 6, 6]}}]", "all of its cells"},
               {"\"pins\": [{\"where\": {\"box\": [0, 0, 0, 1, 1, 1]}, \"weight\": 0.5}]", "held exactly"},
               {"\"pins\": [{\"where\": {\"box\": [0, 0, 0, 1, 1, 1]}, \"to\": 1}]", "all the time"},
               {"\"pins\": [{\"where\": {\"inside\": true}}]", "name one"},
               {"\"pins\": [{\"body\": \"plate\", \"where\": {\"bones\": 0.1}}]", "has no bones"},
               {"\"lattice\": {\"cell\": 1e-7}", "memory"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char text[900];
    mus_scene scene;
    mus_sim *sim = NULL;
    snprintf(
        text, sizeof text,
        "{\"solids\": [{\"method\": \"lattice\", %s}], \"bodies\": [{\"name\": \"plate\", \"translate\": [0, -3, 0]}]}",
        cases[k].solid);
    mus_status status = mus_scene_parse("s.json", text, &scene);
    if (!status) {
      status = mus_sim_create(&scene, &sim);
      mus_scene_free(&scene);
    }
    assert_int_equal(status, MUS_BAD_INPUT);
    if (!strstr(mus_last_error(), cases[k].part))
      print_message("%s\n", mus_last_error());
    assert_non_null(strstr(mus_last_error(), cases[k].part));
  }
}

static void tetrahedra_have_no_cells(void **state) {
  (void)state;
  static const char *const solids[] = {"\"shape\": {\"kind\": \"body\", \"body\": \"plate\"}",
                                       "\"pins\": [{\"body\": \"plate\", \"where\": {\"inside\": true}}]"};
  for (int k = 0; k < 2; ++k) {
    char text[400];
    mus_scene scene;
    mus_sim *sim = NULL;
    snprintf(text, sizeof text, "{\"solids\": [{%s}], \"bodies\": [{\"name\": \"plate\"}]}", solids[k]);
    assert_ok(mus_scene_parse("s.json", text, &scene));
    assert_int_equal(mus_sim_create(&scene, &sim), MUS_BAD_INPUT);
    assert_non_null(strstr(mus_last_error(), "lattice"));
    mus_scene_free(&scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_fall),         cmocka_unit_test(solids_rest_on_bodies),
      cmocka_unit_test(flesh_follows_bones), cmocka_unit_test(cloth_lies_on_solids),
      cmocka_unit_test(attachments_pull),    cmocka_unit_test(pins_and_bodies_move_cells),
      cmocka_unit_test(mistakes_are_named),  cmocka_unit_test(tetrahedra_have_no_cells)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
