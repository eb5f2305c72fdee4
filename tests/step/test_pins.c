// Pins that bodies carry, pins that are springs, and pins with weights.
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
#include "sim/access.h"
#include "support/check.h"
#include "support/files.h"
#include "support/runs.h"

// A box turns by 90 degrees about y while it moves; the sheet's edge, 1 cm above it, goes along exactly.
static void bound_vertices_move_like_the_body(void **state) {
  (void)state;
  run *r =
      runs_start("{\"time_step\": 0.01, \"bodies\": [{\"name\": \"box\", \"shape\": {\"kind\": \"box\", \"size\": "
                 "[0.4, 0.2, 0.4]},"
                 "\"translate\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 0.25, \"value\": [0.1, 0.2, 0]}],"
                 "\"rotate\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 0.25, \"value\": [0, 90, 0]}]}],"
                 "\"cloths\": [{\"shape\": {\"vertices\": 121, \"size\": [0.2, 0.4]}, \"translate\": [0, 0.11, 0.3],"
                 "\"pins\": [{\"where\": {\"box\": [-1, 0, 0, 1, 1, 0.101]}, \"body\": \"box\"}]}]}");
  int vertices = mus_sim_vertices(r->sim), bound = 0, impossible = 0;
  double *start = malloc(3 * (size_t)vertices * sizeof *start);
  memcpy(start, mus_sim_positions(r->sim), 3 * (size_t)vertices * sizeof *start);
  for (int frame = 0; frame < 6; ++frame)
    impossible += runs_frame(r)->impossible;
  const double *x = mus_sim_positions(r->sim);
  for (int i = 0; i < vertices; ++i) {
    if (start[3 * i + 2] > 0.101)
      continue;
    ++bound;
    assert_true(fabs(x[3 * i] - (start[3 * i + 2] + 0.1)) < 1e-12); // z goes to x
    assert_true(fabs(x[3 * i + 1] - (start[3 * i + 1] + 0.2)) < 1e-12);
    assert_true(fabs(x[3 * i + 2] + start[3 * i]) < 1e-12);
  }
  assert_true(bound > 3);
  assert_int_equal(impossible, 0);
  assert_int_equal(runs_crossings(r), 0);
  free(start);
  runs_free(r);
}

// A pin that begins later binds vertices where they have come to by then.
static void a_late_pin_binds_where_cloth_is(void **state) {
  (void)state;
  run *r =
      runs_start("{\"time_step\": 0.01, \"contact\": false, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"kind\": "
                 "\"plane\"}}], \"cloths\": [{\"shape\": {\"vertices\": 25}, \"translate\": [0, 1, 0],"
                 "\"pins\": [{\"where\": {\"vertices\": [0, 24]}, \"body\": \"floor\", \"from\": 0.2}]}]}");
  double x[3];
  for (int frame = 0; frame < 4; ++frame)
    runs_frame(r);
  runs_frame(r);
  memcpy(x, mus_sim_positions(r->sim), sizeof x);
  assert_true(x[1] < 0.9);
  for (int frame = 0; frame < 3; ++frame)
    runs_frame(r);
  for (int c = 0; c < 3; ++c)
    assert_true(fabs(mus_sim_positions(r->sim)[c] - x[c]) < 1e-12);
  runs_free(r);
}

// A cape on the walking mannequin keeps its places on the back, and passes through nothing.
static void a_cape_is_carried_along(void **state) {
  (void)state;
  run *r = runs_start(
      "{\"time_step\": 0.0083, \"bodies\": [{\"name\": \"mannequin\", \"shape\": {\"kind\": \"mannequin\", \"height\": "
      "1.75,"
      "\"facet\": 0.004, \"speed\": 1.2}}], \"cloths\": [{\"name\": \"cape\", \"fabric\": \"silk\","
      "\"shape\": {\"vertices\": 225, \"size\": [0.5, 0.9]}, \"rotate\": [90, 0, 0], \"translate\": [0, 1.0, -0.25],"
      "\"pins\": [{\"where\": {\"box\": [-1, 1.449, -1, 1, 1.5, 1]}, \"body\": \"mannequin\"}]}]}");
  const mus_model *model = mus_sim_model(r->sim);
  const mus_state *now = mus_sim_state(r->sim);
  int body_vertices = mus_sim_body_vertices(r->sim), impossible = 0;
  double *body = malloc(3 * (size_t)body_vertices * sizeof *body), moved = 0;
  for (int frame = 0; frame < 8; ++frame)
    impossible += runs_frame(r)->impossible;
  assert_ok(mus_sim_body_positions(r->sim, body));
  assert_int_equal(model->pin_count, 1);
  assert_true(model->pins[0].count >= 8);
  for (int k = 0; k < model->pins[0].count; ++k) {
    double wanted[3];
    size_t at = 3 * (size_t)model->pins[0].vertex[k];
    mus_bond_place(&now->bonds[k], mus_sim_body_triangle_list(r->sim), body, wanted);
    for (int c = 0; c < 3; ++c)
      assert_true(fabs(now->position[at + (size_t)c] - wanted[c]) < 1e-9);
    moved = fmax(moved, fabs(wanted[2] - model->start[at + 2]) + fabs(wanted[0] - model->start[at]));
  }
  assert_true(moved > 0.1);
  assert_int_equal(impossible, 0);
  assert_int_equal(runs_crossings(r), 0);
  free(body);
  runs_free(r);
}

// All of a sheet on springs: it sinks until these bear its weight, exactly.
static void soft_pins_give_by_weight_over_stiffness(void **state) {
  (void)state;
  const char *integrators[] = {"euler", "newton", "bdf2"};
  for (int k = 0; k < 3; ++k) {
    char text[600];
    snprintf(text, sizeof text,
             "{\"integrator\": \"%s\", \"time_step\": 0.02, \"air_density\": 0, \"contact\": false,"
             "\"solver\": {\"tolerance\": 1e-12}, \"cloths\": [{\"shape\": {\"vertices\": 36},"
             "\"pins\": [{\"where\": {\"box\": [-1, -1, -1, 1, 1, 1]}, \"stiffness\": 0.4, \"damping\": 0.2}]}]}",
             integrators[k]);
    run *r = runs_start(text);
    for (int frame = 0; frame < 96; ++frame)
      runs_frame(r);
    const mus_model *model = mus_sim_model(r->sim);
    const mus_state *now = mus_sim_state(r->sim);
    double sunk = 0;
    for (int i = 0; i < model->vertices; ++i)
      sunk += model->start[3 * i + 1] - now->position[3 * i + 1];
    assert_true(fabs(0.4 * sunk / (9.81 * model->total_mass) - 1) < 1e-6);
    runs_free(r);
  }
}

// How far a sheet hangs below a pin of this weight along its upper edge, in the mean over what the edge weighs, m.
static double sag(double weight, int vertices, double time_step) {
  char text[600];
  snprintf(text, sizeof text,
           "{\"time_step\": %g, \"air_density\": 0, \"contact\": false, \"solver\": {\"tolerance\": 1e-12},"
           "\"cloths\": [{\"shape\": {\"vertices\": %d, \"tessellation\": \"irregular\"}, \"rotate\": [90, 0, 0],"
           "\"pins\": [{\"where\": {\"box\": [-1, 0.4999, -1, 1, 1, 1]}, \"weight\": %g, \"damping\": 0.05}]}]}",
           time_step, vertices, weight);
  run *r = runs_start(text);
  for (int frame = 0; frame < 72; ++frame)
    runs_frame(r);
  const mus_model *model = mus_sim_model(r->sim);
  const mus_model_pin *pin = &model->pins[0];
  double mass = 0, sum = 0;
  assert_true(pin->count >= 5);
  for (int k = 0; k < pin->count; ++k) {
    size_t i = (size_t)pin->vertex[k];
    mass += model->mass[i];
    sum += model->mass[i] * (model->start[3 * i + 1] - mus_sim_state(r->sim)->position[3 * i + 1]);
  }
  runs_free(r);
  return sum / mass;
}

// Weights give by 1 cm (1 - w) / w, whatever the time step and the mesh.
static void weights_give_by_centimetres(void **state) {
  (void)state;
  const struct {
    double weight, time_step;
    int vertices;
  } cases[] = {{0.5, 0.02, 36}, {0.5, 0.02, 144}, {0.5, 0.005, 36}, {0.9, 0.02, 36}, {0.2, 0.02, 36}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    double w = cases[k].weight, wanted = 0.01 * (1 - w) / w, found = sag(w, cases[k].vertices, cases[k].time_step);
    assert_true(fabs(found - wanted) <= 1e-4 * wanted);
  }
}

// A run of a sheet with a pin of these keys, four frames long.
static run *pinned_by(const char *pin) {
  char text[600];
  snprintf(text, sizeof text, "{\"time_step\": 0.01, \"cloths\": [{\"shape\": {\"vertices\": 25}, \"pins\": [{%s}]}]}",
           pin);
  run *r = runs_start(text);
  for (int frame = 0; frame < 4; ++frame)
    runs_frame(r);
  return r;
}

static void assert_same_places(const char *pin, const char *other) {
  run *a = pinned_by(pin), *b = pinned_by(other);
  assert_memory_equal(mus_sim_positions(a->sim), mus_sim_positions(b->sim), 75 * sizeof(double));
  runs_free(a);
  runs_free(b);
}

// 1 holds exactly and 0 leaves free, bit for bit; weights of vertices go before the pin's own.
static void weights_of_vertices(void **state) {
  (void)state;
  assert_same_places("\"where\": {\"vertices\": [0, 4]}", "\"where\": {\"vertices\": [0, 4]}, \"weight\": 1");
  assert_same_places("\"where\": {\"vertices\": [4]}", "\"where\": {\"vertices\": [0, 4]}, \"weights\": [0, 1]");
  assert_same_places("\"where\": {\"vertices\": [0, 4]}, \"to\": 0",
                     "\"where\": {\"vertices\": [0, 4]}, \"weight\": 0");
  run *r = pinned_by("\"where\": {\"vertices\": [4, 20], \"boundary\": true}, \"weights\": [0.25, 1], \"weight\": 0.5");
  const mus_model_pin *pin = &mus_sim_model(r->sim)->pins[0];
  int found[3] = {0};
  assert_int_equal(pin->count, 16);
  for (int k = 0; k < pin->count; ++k) {
    assert_int_equal(pin->stiffness[k] > 0, pin->weight[k] < 1);
    found[pin->weight[k] == 0.25 ? 0 : pin->weight[k] == 1 ? 1 : 2] += 1;
  }
  assert_true(found[0] == 1 && found[1] == 1 && found[2] == 14);
  // Heavier cloth is held as firmly.
  double before = pin->stiffness[0], density = mus_sim_model(r->sim)->parts[0].fabric.density;
  assert_ok(mus_sim_set_fabric(r->sim, 0, "denim"));
  double heavier = mus_sim_model(r->sim)->parts[0].fabric.density / density;
  assert_true(heavier > 1.5 && fabs(pin->stiffness[0] / before - heavier) < 1e-12 * heavier);
  runs_free(r);
}

// Vertices that refining puts between two named ones have the mean of their weights.
static void refined_edges_have_weights_between(void **state) {
  (void)state;
  run *r = runs_start("{\"cloths\": [{\"shape\": {\"kind\": \"file\", \"file\": \"tests/data/obj/good_crlf.obj\","
                      " \"edge\": 0.3}, \"pins\": [{\"where\": {\"vertices\": [0, 1]}, \"weights\": [0.2, 0.6]}]}]}");
  const mus_model *model = mus_sim_model(r->sim);
  const mus_model_pin *pin = &model->pins[0];
  assert_true(pin->count >= 5);
  size_t low = 0, high = 0;
  for (int k = 0; k < pin->count; ++k) {
    low = pin->weight[k] < pin->weight[low] ? (size_t)k : low;
    high = pin->weight[k] > pin->weight[high] ? (size_t)k : high;
  }
  assert_true(pin->weight[low] == 0.2 && pin->weight[high] == 0.6);
  const double *from = model->start + 3 * (size_t)pin->vertex[low], *to = model->start + 3 * (size_t)pin->vertex[high];
  for (int k = 0; k < pin->count; ++k) {
    double part = (pin->weight[k] - 0.2) / 0.4;
    for (int c = 0; c < 3; ++c)
      assert_true(fabs(model->start[3 * pin->vertex[k] + c] - from[c] - part * (to[c] - from[c])) < 1e-12);
  }
  runs_free(r);
}

// A soft pin whose target moves steadily drags the cloth along without lag in the end, damping or not.
static void soft_pins_follow_their_motion(void **state) {
  (void)state;
  run *r =
      runs_start("{\"time_step\": 0.01, \"gravity\": [0, 0, 0], \"air_density\": 0, \"contact\": false, \"cloths\": [{"
                 "\"shape\": {\"vertices\": 25, \"size\": [0.2, 0.2]}, \"pins\": [{\"where\": {\"box\": [-1, -1, "
                 "-1, 1, 1, 1]}, \"stiffness\": 2, \"damping\": 0.2, \"offset\": [{\"time\": 0, \"value\": [0, 0, "
                 "0]}, {\"time\": 10, \"value\": [0, 0, 10]}]}]}]}");
  double begin = mus_sim_positions(r->sim)[2];
  for (int frame = 0; frame < 48; ++frame)
    runs_frame(r);
  assert_true(fabs(mus_sim_positions(r->sim)[2] - begin - 2) < 1e-3);
  runs_free(r);
}

// Bonds, and cloth at its strain limit, in a run that is resumed.
static void a_resumed_run_has_the_same_bits(void **state) {
  const char *text =
      "{\"time_step\": 0.01, \"frames\": 8, \"bodies\": [{\"name\": \"floor\", \"translate\": [{\"time\": 0, "
      "\"value\": [0, 0, 0]}, {\"time\": 1, \"value\": [2, 0, 0]}], \"shape\": {\"kind\": \"plane\"}}],"
      "\"cloths\": [{\"name\": \"cloth\", \"fabric\": \"jersey\", \"strain_limit\": 0.02, \"shape\": "
      "{\"vertices\": 64}, \"translate\": [0, 1, 0], \"pins\": [{\"where\": {\"vertices\": [0, 7]},"
      "\"body\": \"floor\", \"from\": 0.1}]}]}";
  mus_scene scene;
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  assert_ok(mus_scene_parse("s.json", text, &scene));
  char whole[256], parts[256];
  snprintf(whole, sizeof whole, "%s", files_path(*state, "whole"));
  snprintf(parts, sizeof parts, "%s", files_path(*state, "parts"));
  options.folder = whole;
  assert_ok(mus_run(&scene, &options, &record));
  assert_true(record.strain_reached > 0.5 && record.strain_reached < 1.02);
  options.folder = parts;
  scene.frames = 5;
  assert_ok(mus_run(&scene, &options, &record));
  scene.frames = 8;
  options.resume = 1;
  assert_ok(mus_run(&scene, &options, &record));
  assert_int_equal(record.from, 5);
  files_assert_same(files_path(whole, "cloth.pc2"), files_path(parts, "cloth.pc2"));
  mus_scene_free(&scene);
}

static void mistakes_are_named(void **state) {
  (void)state;
  const struct {
    const char *pin, *part;
  } cases[] = {{"\"body\": \"nobody\"", "there is no body \"nobody\""},
               {"\"body\": \"floor\", \"offset\": [0, 1, 0]", "leave out \"offset\""},
               {"\"damping\": 0.1", "give its \"stiffness\", or a \"weight\" below 1"},
               {"\"weight\": 1.5", "weight is 1.5: it must be in 0...1"},
               {"\"weights\": [0.5, -1]", "weights[1] is -1: it must be in 0...1"},
               {"\"weights\": [0.5, 0.5]", "2 \"weights\" for 1 \"vertices\": give one for each"},
               {"\"weights\": 0.5", "weights must be a list of numbers"},
               {"\"weight\": 0.5, \"stiffness\": 3", "give one of them"},
               {"\"stiffness\": -1", "stiffness"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char text[400];
    mus_scene scene;
    mus_sim *sim = NULL;
    snprintf(text, sizeof text,
             "{\"bodies\": [{\"name\": \"floor\", \"shape\": {\"kind\": \"plane\"}}], \"cloths\": [{\"translate\": [0, "
             "1, 0],"
             "\"shape\": {\"vertices\": 25}, \"pins\": [{\"where\": {\"vertices\": [0]}, %s}]}]}",
             cases[k].pin);
    mus_status status = mus_scene_parse("s.json", text, &scene);
    if (!status) {
      status = mus_sim_create(&scene, &sim);
      mus_scene_free(&scene);
    }
    assert_int_equal(status, MUS_BAD_INPUT);
    assert_non_null(strstr(mus_last_error(), "cloths[0].pins[0]"));
    assert_non_null(strstr(mus_last_error(), cases[k].part));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bound_vertices_move_like_the_body),
      cmocka_unit_test(a_late_pin_binds_where_cloth_is),
      cmocka_unit_test(a_cape_is_carried_along),
      cmocka_unit_test(soft_pins_give_by_weight_over_stiffness),
      cmocka_unit_test(weights_give_by_centimetres),
      cmocka_unit_test(weights_of_vertices),
      cmocka_unit_test(refined_edges_have_weights_between),
      cmocka_unit_test(soft_pins_follow_their_motion),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test_setup_teardown(a_resumed_run_has_the_same_bits, files_setup, files_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
