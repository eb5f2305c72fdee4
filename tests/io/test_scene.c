// Scenes: reading strictly, writing back, the built-in ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene.h"

static void refuses(const char *text, const char *place, const char *reason) {
  mus_scene scene = {.frames = 12345};
  assert_int_equal(mus_scene_parse("s.json", text, &scene), MUS_BAD_INPUT);
  assert_int_equal(scene.frames, 12345); // written on success only
  if (!strstr(mus_last_error(), place) || !strstr(mus_last_error(), reason))
    fail_msg("\"%s\" names neither \"%s\" nor \"%s\"", mus_last_error(), place, reason);
}

static void errors_name_line_key_and_reason(void **state) {
  (void)state;
  refuses("{\"cloths\": [{}],\n \"frmes\": 3}", "s.json:2: frmes", "not a key of a scene");
  refuses("{\"cloths\": [{},\n\n {\"pins\": [{\"where\":\n {\"boundary\": 1}}]}]}",
          "s.json:4: cloths[1].pins[0].where.boundary", "true or false");
  refuses("{\"time_step\": -1, \"cloths\": [{}]}", "s.json:1: time_step", "must be in");
  refuses("{\"cloths\": [{\"density\":\n -0.1}]}", "s.json:1: cloths[0].density", "must be in");
  refuses("{\"cloths\": [{\"model\": \"rubber\"}]}", "cloths[0].model", "\"choi-ko\"");
  refuses("{\"cloths\": [{\"translate\": [1, 2]}]}", "cloths[0].translate", "3 numbers");
  refuses("{\"cloths\": [{\"translate\": [1,\n \"a \\\" [{\",\n 3]}]}", "s.json:2: cloths[0].translate[1]", "number");
  refuses("{\"cloths\": [{\"stitches\": [1,\n 2, 3]}]}", "s.json:1: cloths[0].stitches",
          "has 3 numbers: give a multiple of 2");
  refuses("{\"cloths\": [{}], \"seams\": [{\"pairs\": [7]}]}", "seams[0].pairs", "has 1 numbers: give a multiple of 2");
  refuses("{\"frames\": 1.5, \"cloths\": [{}]}", "frames", "whole number");
  refuses("{\"frames\": 3}", "s.json", "no cloths");
  refuses("{\"cloths\": [{\"shape\": {\"kind\": \"file\"}}]}", "cloths[0].shape", "go together");
  refuses("{\"cloths\": {}}", "cloths", "list");
  refuses("[]", "s.json:1: must", "object");
  refuses("{\"cloths\": [{}, {\"pins\": [{\"from\": 2, \"to\": 1}]}]}", "cloths[1].pins[0]", "after \"to\"");
  refuses("{\"frames\": 1, \"frames\": 2}", "s.json:1", "duplicate");
  refuses("{\"frames\": ", "s.json:1", "");
  refuses("{\"gravity\": [{\"time\": 1, \"value\": [0,0,0]},\n {\"time\": 1, \"value\": [0,0,0]}], \"cloths\": [{}]}",
          "s.json:2: gravity[1]", "not after");
  refuses("{\"gravity\": [{\"time\": 1}], \"cloths\": [{}]}", "gravity[0]", "both");
  refuses("{\"wind\": [{\"time\": 1, \"val\": 3}], \"cloths\": [{}]}", "wind[0].val", "keyframe");
}

// Editors of Windows write a mark before the text.
static void byte_order_marks_are_no_hindrance(void **state) {
  (void)state;
  mus_scene s;
  assert_int_equal(mus_scene_parse("s", "\xEF\xBB\xBF{\"frames\": 7,\r\n \"cloths\": [{}]}\r\n", &s), MUS_OK);
  assert_int_equal(s.frames, 7);
  mus_scene_free(&s);
  refuses("\xEF\xBB\xBF{\"cloths\": [{}],\r\n \"frmes\": 3}", "s.json:2: frmes", "not a key");
}

// Writing a scene and reading it gives the same text again: nothing is lost or invented.
static void assert_round_trip(const char *name, const mus_scene *first) {
  mus_scene second;
  char *text = mus_scene_text(first);
  assert_non_null(text);
  if (mus_scene_parse(name, text, &second) != MUS_OK)
    fail_msg("%s", mus_last_error());
  char *again = mus_scene_text(&second);
  assert_string_equal(text, again);
  free(text);
  free(again);
  mus_scene_free(&second);
}

static void values_arrive(void **state) {
  (void)state;
  mus_scene s;
  assert_int_equal(
      mus_scene_parse("s",
                      "{\"name\": \"n\", \"frames\": 7, \"integrator\": \"bdf2\", \"adaptive\": false,"
                      " \"gravity\": [0, -1, 0], \"wind\": [{\"time\": 0, \"value\": [1, 0, 0]},"
                      " {\"time\": 2, \"value\": [3, 4, 5]}],"
                      " \"solver\": {\"method\": \"diag\", \"sa\": {\"cycle\": \"v\", \"smoother\": \"gs:3\"},"
                      "              \"stationary\": true, \"recycle\": 6, \"skinning\": {\"levels\": \"25/all\"}},"
                      " \"seams\": [{\"pairs\": [1, 2]}], \"cloths\": [{\"fabric\": \"silk\", \"stiffness\": 2, "
                      "\"stitches\": [5, 6, 7, 8], \"pins\": ["
                      "{\"where\": {\"vertices\": [3, 1], \"sphere\": [0, 1, 2, 0.5]}, \"from\": 1,"
                      " \"weights\": [0, 0.5], \"weight\": 0.25}]}]}",
                      &s),
      MUS_OK);
  assert_string_equal(s.name, "n");
  assert_int_equal(s.frames, 7);
  assert_int_equal(s.integrator, MUS_INTEGRATOR_BDF2);
  assert_int_equal(s.adaptive, 0);
  assert_int_equal(s.gravity.count, 1);
  assert_true(s.gravity.value[1] == -1);
  assert_int_equal(s.wind.count, 2);
  assert_true(s.wind.time[1] == 2 && s.wind.value[5] == 5);
  assert_int_equal(s.solver.method, MUS_METHOD_DIAG);
  assert_int_equal(s.solver.multigrid.cycle, MUS_CYCLE_V);
  assert_string_equal(s.solver.multigrid.smoother, "gs:3");
  assert_string_equal(s.solver.skinning.levels, "25/all");
  assert_int_equal(s.solver.stationary, 1);
  assert_int_equal(s.solver.recycle, 6);
  assert_string_equal(s.cloths[0].fabric, "silk");
  assert_true(s.cloths[0].stiffness.value[0] == 2);
  assert_int_equal(s.cloths[0].stitch_count, 2);
  assert_true(s.cloths[0].stitches[1][0] == 7 && s.cloths[0].stitches[1][1] == 8);
  assert_true(s.seams[0].pair_count == 1 && s.seams[0].pairs[0][1] == 2);
  const mus_pin *pin = &s.cloths[0].pins[0];
  assert_int_equal(pin->where.vertex_count, 2);
  assert_int_equal(pin->where.vertices[1], 1);
  assert_true(pin->where.sphere_given && !pin->where.box_given && pin->where.sphere[3] == 0.5);
  assert_true(pin->from == 1);
  assert_true(pin->weight == 0.25 && pin->weight_count == 2 && pin->weights[0] == 0 && pin->weights[1] == 0.5);
  assert_round_trip("s", &s);
  // what was not given has its default
  assert_true(s.time_step == mus_default_scene().time_step);
  assert_int_equal(s.cloths[0].shape.vertices, mus_default_cloth().shape.vertices);
  assert_true(pin->to == mus_default_pin().to);
  mus_scene_free(&s);
  assert_int_equal(s.cloth_count, 0);
}

// Steps that are minimised are whole frames unless the scene gives a time step; "auto" is no method in particular.
static void steps_that_are_minimised(void **state) {
  (void)state;
  mus_scene s;
  assert_int_equal(mus_scene_parse("s", "{\"integrator\": \"minimise\", \"frame_rate\": 30, \"cloths\": [{}]}", &s),
                   MUS_OK);
  assert_int_equal(s.integrator, MUS_INTEGRATOR_MINIMISE);
  assert_true(s.time_step == 1.0 / 30);
  assert_true(s.accuracy == mus_default_scene().accuracy);
  assert_string_equal(s.minimiser, "");
  char *text = mus_scene_text(&s);
  assert_non_null(strstr(text, "\"minimiser\": \"auto\""));
  free(text);
  assert_round_trip("s", &s);
  mus_scene_free(&s);
  assert_int_equal(mus_scene_parse("s",
                                   "{\"integrator\": \"minimise\", \"time_step\": 0.01, \"accuracy\": 0.03,"
                                   " \"minimiser\": \"newton-sa\", \"cloths\": [{}]}",
                                   &s),
                   MUS_OK);
  assert_true(s.time_step == 0.01 && s.accuracy == 0.03);
  assert_string_equal(s.minimiser, "newton-sa");
  assert_round_trip("s", &s);
  mus_scene_free(&s);
  assert_int_equal(mus_scene_parse("s", "{\"minimiser\": \"auto\", \"cloths\": [{}]}", &s), MUS_OK);
  assert_string_equal(s.minimiser, "");
  assert_true(s.time_step == mus_default_scene().time_step);
  mus_scene_free(&s);
  refuses("{\"cloths\": [{}],\n \"accuracy\": 0}", "s.json:2: accuracy", "must be in");
  refuses("{\"cloths\": [{}],\n \"accuracy\": -0.1}", "s.json:2: accuracy", "must be in");
  refuses("{\"cloths\": [{}],\n \"accuracy\": \"fine\"}", "s.json:2: accuracy", "number");
  refuses("{\"cloths\": [{}],\n \"minimiser\": 3}", "s.json:2: minimiser", "string");
}

static void bodies(void **state) {
  (void)state;
  mus_scene s;
  assert_int_equal(mus_scene_parse("s",
                                   "{\"cloths\": [{}], \"bodies\": [{}, {\"name\": \"ball\", \"friction\": 0.5,"
                                   " \"thickness\": 0.001, \"rotate\": [{\"time\": 0, \"value\": [0, 0, 0]},"
                                   " {\"time\": 2, \"value\": [0, 360, 0]}], \"translate\": [1, 2, 3],"
                                   " \"shape\": {\"kind\": \"sphere\", \"radius\": 2, \"facet\": 0.001}},"
                                   " {\"shape\": {\"kind\": \"file\", \"file\": \"a.obj\", \"motion\": \"a.pc2\","
                                   " \"rate\": 25, \"scale\": 0.01}}]}",
                                   &s),
                   MUS_OK);
  assert_int_equal(s.body_count, 3);
  assert_int_equal(s.bodies[0].shape.kind, MUS_BODY_SHAPE_PLANE);
  assert_true(s.bodies[0].friction == mus_default_body().friction);
  const mus_body *ball = &s.bodies[1];
  assert_string_equal(ball->name, "ball");
  assert_int_equal(ball->shape.kind, MUS_BODY_SHAPE_SPHERE);
  assert_true(ball->shape.radius == 2 && ball->shape.facet == 0.001 && ball->shape.length == 0.5);
  assert_true(ball->friction == 0.5 && ball->thickness == 0.001);
  assert_true(ball->rotate.count == 2 && ball->rotate.value[4] == 360);
  assert_true(ball->translate.count == 1 && ball->translate.value[2] == 3);
  assert_string_equal(s.bodies[2].shape.motion, "a.pc2");
  assert_true(s.bodies[2].shape.rate == 25 && s.bodies[2].shape.scale == 0.01);
  mus_scene_free(&s);
  refuses("{\"cloths\": [{}], \"bodies\": [{\"shape\": {\"file\": \"a.obj\"}}]}", "bodies[0].shape", "go together");
  refuses("{\"cloths\": [{}], \"bodies\": [{\"shape\": {\"kind\": \"file\"}}]}", "bodies[0].shape", "go together");
  refuses("{\"cloths\": [{}], \"bodies\": [{}, {\"shape\": {\"motion\": \"a.pc2\"}}]}", "bodies[1].shape",
          "\"motion\" needs a \"file\"");
  refuses("{\"cloths\": [{}], \"bodies\": [{\"name\": \"a\"}, {}, {}, {\"name\": \"a\"}]}", "bodies[0] and bodies[3]",
          "both named \"a\"");
}

static void fabrics(void **state) {
  (void)state;
  mus_scene s;
  assert_int_equal(mus_scene_parse("s",
                                   "{\"fabrics\": [{\"density\": 0.3, \"name\": \"canvas\", \"stretch\": [1, 2],"
                                   " \"like\": \"denim\", \"thickness\": 0.002, \"friction\": 0}, {\"name\": \"b\"}],"
                                   " \"cloths\": [{\"fabric\": \"canvas\"}, {\"fabric\": \"canvas\", \"thickness\": "
                                   "0.003}, {}]}",
                                   &s),
                   MUS_OK);
  const mus_scene_fabric *f = &s.fabrics[0];
  assert_int_equal(s.fabric_count, 2);
  assert_string_equal(f->name, "canvas");
  assert_string_equal(mus_fabric_name(f->like), "denim");
  assert_true(f->density == 0.3 && f->stretch[0] == 1 && f->stretch[1] == 2 && f->friction == 0);
  assert_true(f->shear == 120 && f->bend[0] == 9.7e-5 && f->damping[2] == 2e-2); // denim's
  assert_true(s.fabrics[1].density == 0.17 && s.fabrics[1].thickness == 0.001);  // cotton's, and the usual
  assert_true(mus_cloth_thickness(&s, &s.cloths[0]) == 0.002 && mus_cloth_friction(&s, &s.cloths[0]) == 0);
  assert_true(mus_cloth_thickness(&s, &s.cloths[1]) == 0.003);
  assert_true(mus_cloth_thickness(&s, &s.cloths[2]) == 0.001 && mus_cloth_friction(&s, &s.cloths[2]) == 0.3);
  assert_string_equal(mus_cloth_look(&s, &s.cloths[0]), "denim");
  assert_round_trip("fabrics", &s);
  mus_scene_free(&s);
  refuses("{\"cloths\": [{}], \"fabrics\": [{}]}", "s.json: fabrics[0]", "has no name");
  refuses("{\"cloths\": [{}], \"fabrics\": [{\"name\": \"silk\"}]}", "s.json: fabrics[0]", "is a built-in fabric");
  refuses("{\"cloths\": [{}], \"fabrics\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", "fabrics[0] and fabrics[1]",
          "both named \"a\"");
  refuses("{\"cloths\": [{}], \"fabrics\": [\n{\"name\": \"a\", \"density\": 0}]}", "s.json:2: fabrics[0].density",
          "must be in 1e-06...10000");
  refuses("{\"cloths\": [{}], \"fabrics\": [{\"like\": \"canvas\"}]}", "fabrics[0].like", "must be one of \"cotton\"");
  refuses("{\"cloths\": [{}], \"fabrics\": [{\"stretch\": 3}]}", "fabrics[0].stretch", "list of 2 numbers");
  refuses("{\"cloths\": [{}], \"fabrics\": [{\"weight\": 3}]}", "fabrics[0].weight", "not a key of a fabric");
}

static void colours(void **state) {
  (void)state;
  mus_scene s;
  assert_int_equal(mus_scene_parse("s",
                                   "{\"cloths\": [{\"colour\": \"#204080\"}, {\"colour\": [0.7, 0.25, 1]}, {}],"
                                   " \"bodies\": [{\"name\": \"a\", \"colour\": \"#FFffff\", \"hidden\": true},"
                                   " {\"name\": \"b\", \"colour\": null}]}",
                                   &s),
                   MUS_OK);
  const double *blue = s.cloths[0].colour.rgb;
  assert_true(s.cloths[0].colour.given && blue[0] == 32.0 / 255 && blue[1] == 64.0 / 255 && blue[2] == 128.0 / 255);
  assert_true(s.cloths[1].colour.given && s.cloths[1].colour.rgb[1] == 0.25 && s.cloths[1].colour.rgb[2] == 1);
  assert_true(!s.cloths[2].colour.given && !s.bodies[1].colour.given && !s.bodies[1].hidden);
  assert_true(s.bodies[0].hidden && s.bodies[0].colour.rgb[2] == 1);
  assert_round_trip("colours", &s);
  mus_scene_free(&s);
  refuses("{\"cloths\": [\n{\"colour\": \"red\"}]}", "s.json:2: cloths[0].colour", "give \"#rrggbb\"");
  refuses("{\"cloths\": [{\"colour\": \"#12345g\"}]}", "cloths[0].colour", "two hexadecimal digits each");
  refuses("{\"cloths\": [{\"colour\": [1, 2, 0]}]}", "cloths[0].colour[1]", "must be in 0...1");
  refuses("{\"cloths\": [{\"colour\": [1, 0]}]}", "cloths[0].colour", "list of 3 numbers");
  refuses("{\"cloths\": [{\"colour\": 3}]}", "cloths[0].colour", "must be a colour");
  refuses("{\"cloths\": [{}], \"bodies\": [{\"hidden\": 1}]}", "bodies[0].hidden", "true or false");
}

static void text_round_trips(void **state) {
  (void)state;
  const char *name;
  int k = 0;
  for (; (name = mus_scene_builtin_name(k, NULL)); ++k) {
    mus_scene scene;
    assert_int_equal(mus_scene_builtin(name, &scene), MUS_OK);
    assert_string_equal(scene.name, name);
    assert_round_trip(name, &scene);
    mus_scene_free(&scene);
  }
  assert_true(k > 12);
}

static void builtins(void **state) {
  (void)state;
  mus_scene s;
  assert_int_equal(mus_scene_builtin("no such", &s), MUS_BAD_INPUT);
  const char *name;
  for (int k = 0; (name = mus_scene_builtin_name(k, NULL)); ++k)
    assert_non_null(strstr(mus_last_error(), name)); // the error lists them all
  assert_int_equal(mus_scene_builtin("drooping", &s), MUS_OK);
  mus_scene_resize(&s, 961, MUS_TESSELLATION_IRREGULAR);
  assert_int_equal(s.cloths[0].shape.vertices, 961);
  assert_int_equal(s.cloths[0].shape.tessellation, MUS_TESSELLATION_IRREGULAR);
  mus_scene_resize(&s, 0, MUS_TESSELLATION_REGULAR);
  assert_int_equal(s.cloths[0].shape.vertices, 961);
  mus_scene_free(&s);
  assert_int_equal(mus_scene_builtin("stack", &s), MUS_OK);
  mus_scene_resize(&s, 500, MUS_TESSELLATION_REGULAR); // of all sheets together
  for (int k = 0; k < s.cloth_count; ++k)
    assert_int_equal(s.cloths[k].shape.vertices, 50);
  mus_scene_free(&s);
  assert_null(mus_scene_builtin_name(-1, NULL));
}

static void missing_file(void **state) {
  (void)state;
  mus_scene s;
  assert_int_equal(mus_scene_load("/nowhere/scene.json", &s), MUS_IO_ERROR);
  assert_non_null(strstr(mus_last_error(), "/nowhere/scene.json"));
}

// Files of tests/data/scene: good_... are read and come back the same when written and read again; bad_... are refused.
// found_... were found by fuzzing and may be either.
static void check_file(const char *name) {
  char path[512];
  mus_scene scene;
  snprintf(path, sizeof path, "tests/data/scene/%s", name);
  mus_status status = mus_scene_load(path, &scene);
  if (strncmp(name, "found_", 6) != 0)
    assert_int_equal(status, strncmp(name, "good_", 5) == 0 ? MUS_OK : MUS_BAD_INPUT);
  if (status) {
    assert_non_null(strstr(mus_last_error(), path));
    return;
  }
  assert_round_trip(name, &scene);
  mus_scene_free(&scene);
}

static void files_of_scenes(void **state) {
  (void)state;
  int files = 0;
  DIR *folder = opendir("tests/data/scene");
  assert_non_null(folder);
  for (struct dirent *item; (item = readdir(folder));)
    if (strstr(item->d_name, ".json")) {
      check_file(item->d_name);
      ++files;
    }
  closedir(folder);
  assert_true(files > 20);
}

// Meshes lie beside the scene that names them.
static void files_are_relative_to_the_scene(void **state) {
  (void)state;
  mus_scene scene;
  assert_int_equal(mus_scene_load("tests/data/scene/good_file.json", &scene), MUS_OK);
  assert_string_equal(scene.cloths[0].shape.file, "tests/data/scene/mesh.obj");
  mus_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(errors_name_line_key_and_reason),
                                     cmocka_unit_test(byte_order_marks_are_no_hindrance),
                                     cmocka_unit_test(values_arrive),
                                     cmocka_unit_test(steps_that_are_minimised),
                                     cmocka_unit_test(bodies),
                                     cmocka_unit_test(fabrics),
                                     cmocka_unit_test(colours),
                                     cmocka_unit_test(text_round_trips),
                                     cmocka_unit_test(builtins),
                                     cmocka_unit_test(missing_file),
                                     cmocka_unit_test(files_of_scenes),
                                     cmocka_unit_test(files_are_relative_to_the_scene)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
