// Scenes with z up: the same as with y up, but turned.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "muslin/render.h"
#include "muslin/run.h"
#include "support/files.h"
#include "support/runs.h"

// The largest distance between points with y up and with z up, once the second are turned.
static double apart(int count, const double *y_up, const double *z_up) {
  double most = 0;
  for (int i = 0; i < 3 * count; i += 3)
    most = fmax(most,
                fmax(fabs(y_up[i] - z_up[i]), fmax(fabs(y_up[i + 1] - z_up[i + 2]), fabs(y_up[i + 2] + z_up[i + 1]))));
  return most;
}

static double bodies_apart(run *a, run *b) {
  size_t count = (size_t)mus_sim_body_vertices(a->sim);
  double *y = calloc(3 * count, sizeof *y), *z = calloc(3 * count, sizeof *z);
  assert_int_equal(count, mus_sim_body_vertices(b->sim));
  assert_int_equal(mus_sim_body_positions(a->sim, y), MUS_OK);
  assert_int_equal(mus_sim_body_positions(b->sim, z), MUS_OK);
  double most = apart((int)count, y, z);
  free(y);
  free(z);
  return most;
}

static void same_motion(const char *y_up, const char *z_up, int frames, double tolerance) {
  run *a = runs_start(y_up), *b = runs_start(z_up);
  int vertices = mus_sim_vertices(a->sim);
  double start = mus_sim_positions(a->sim)[1], fallen = 0;
  assert_int_equal(vertices, mus_sim_vertices(b->sim));
  assert_true(apart(vertices, mus_sim_positions(a->sim), mus_sim_positions(b->sim)) < 1e-12);
  assert_true(bodies_apart(a, b) < 1e-12);
  for (int frame = 0; frame < frames; ++frame) {
    runs_frame(a);
    runs_frame(b);
    assert_true(bodies_apart(a, b) < 1e-12);
    fallen = fmax(fallen, fabs(mus_sim_positions(a->sim)[1] - start));
  }
  double most = apart(vertices, mus_sim_positions(a->sim), mus_sim_positions(b->sim));
  print_message("%d vertices, %d frames: %.2g m apart; %.2g m fallen\n", vertices, frames, most, fallen);
  assert_true(most < tolerance);
  assert_true(frames == 0 || fallen > 100 * tolerance);
  runs_free(a);
  runs_free(b);
}

#define SOLVER "\"solver\": {\"tolerance\": 1e-12, \"precision\": \"double\"}, "

static void cloth_on_solids(void **state) {
  (void)state;
  same_motion("{" SOLVER "\"time_step\": 0.01, \"wind\": [0.5, 0.2, 1], \"bodies\": ["
              "{\"shape\": {\"kind\": \"box\", \"size\": [0.3, 0.2, 0.5]}, \"translate\": [5, -0.12, 0.05]},"
              "{\"shape\": {\"kind\": \"capsule\", \"radius\": 0.05, \"length\": 0.3}, \"translate\": [0.3, -0.25, 0]},"
              "{\"shape\": {\"kind\": \"plane\", \"size\": [3, 1, 2]}, \"translate\": [0, -0.9, 0]},"
              "{\"shape\": {\"kind\": \"box-with-hole\", \"size\": [0.6, 0.1, 0.8]}, \"translate\": [2, 0, 0]},"
              "{\"shape\": {\"kind\": \"funnel\", \"size\": [0.9, 0.5, 0.9]}, \"translate\": [-2, 0, 0]}],"
              " \"cloths\": [{\"shape\": {\"vertices\": 300, \"size\": [0.9, 0.6]}, \"translate\": [0.05, 0, 0.03],"
              " \"velocity\": [0.1, 0, 0.2]}]}",
              "{\"up\": \"z\", " SOLVER "\"time_step\": 0.01, \"wind\": [0.5, -1, 0.2], \"bodies\": ["
              "{\"shape\": {\"kind\": \"box\", \"size\": [0.3, 0.5, 0.2]}, \"translate\": [5, -0.05, -0.12]},"
              "{\"shape\": {\"kind\": \"capsule\", \"radius\": 0.05, \"length\": 0.3}, \"translate\": [0.3, 0, -0.25]},"
              "{\"shape\": {\"kind\": \"plane\", \"size\": [3, 2, 1]}, \"translate\": [0, 0, -0.9]},"
              "{\"shape\": {\"kind\": \"box-with-hole\", \"size\": [0.6, 0.8, 0.1]}, \"translate\": [2, 0, 0]},"
              "{\"shape\": {\"kind\": \"funnel\", \"size\": [0.9, 0.9, 0.5]}, \"translate\": [-2, 0, 0]}],"
              " \"cloths\": [{\"shape\": {\"vertices\": 300, \"size\": [0.9, 0.6]}, \"translate\": [0.05, -0.03, 0],"
              " \"velocity\": [0.1, -0.2, 0]}]}",
              6, 1e-4);
}

// The mannequin stands on z = 0 and walks along -y, and its dress is cut as ever.
static void dresses(void **state) {
  (void)state;
  same_motion(
      "{" SOLVER "\"bodies\": [{\"name\": \"m\", \"shape\": {\"kind\": \"mannequin\", \"speed\": 1}}], \"cloths\": "
      "[{\"shape\": {\"kind\": \"garment\", \"around\": \"m\", \"vertices\": 700}}], \"contact\": false}",
      "{\"up\": \"z\", " SOLVER "\"bodies\": [{\"name\": \"m\", \"shape\": {\"kind\": \"mannequin\", \"speed\": 1}}], "
      "\"cloths\": [{\"shape\": {\"kind\": \"garment\", \"around\": \"m\", \"vertices\": 700}}], \"contact\": false}",
      1, 1e-5);
}

// --- files -----------------------------------------------------------------------------------------------------------

static void first_vertex(const void *folder, const char *scene_up, const char *shape, const double expected[3]) {
  char text[1200];
  snprintf(text, sizeof text,
           "{\"up\": \"%s\", \"cloths\": [{\"shape\": {\"kind\": \"file\", %s}}], \"bodies\": [{\"shape\": {\"kind\": "
           "\"file\", "
           "\"file\": \"%s\", \"up\": \"z\"}}]}",
           scene_up, shape, files_path(folder, "mesh.obj"));
  run *r = runs_start(text);
  for (int c = 0; c < 3; ++c)
    assert_true(mus_sim_positions(r->sim)[c] == expected[c]);
  double body[9];
  assert_int_equal(mus_sim_body_positions(r->sim, body), MUS_OK);
  assert_true(body[0] == 1 && body[1] == (scene_up[0] == 'z' ? 2 : 3) && body[2] == (scene_up[0] == 'z' ? 3 : -2));
  runs_free(r);
}

static void files_are_turned_upright(void **state) {
  static const char pattern[] = "v 1 2 3\nv 2 2 3\nv 1 2 4\nf 1 2 3\n",
                    drape[] = "v 5 6 7\nv 6 6 7\nv 5 7 7\nf 1 2 3\n";
  char text[600], mesh[200], start[200];
  snprintf(mesh, sizeof mesh, "%s", files_path(*state, "mesh.obj"));
  snprintf(start, sizeof start, "%s", files_path(*state, "start.obj"));
  files_write(mesh, pattern, sizeof pattern - 1);
  files_write(start, drape, sizeof drape - 1);
  snprintf(text, sizeof text, "\"file\": \"%s\"", mesh); // as they are, in either
  first_vertex(*state, "y", text, (const double[3]){1, 2, 3});
  first_vertex(*state, "z", text, (const double[3]){1, 2, 3});
  snprintf(text, sizeof text, "\"file\": \"%s\", \"up\": \"z\"", mesh);
  first_vertex(*state, "y", text, (const double[3]){1, 3, -2});
  first_vertex(*state, "z", text, (const double[3]){1, 2, 3});
  snprintf(text, sizeof text, "\"file\": \"%s\", \"up\": \"y\"", mesh);
  first_vertex(*state, "y", text, (const double[3]){1, 2, 3});
  first_vertex(*state, "z", text, (const double[3]){1, -3, 2});
  // A pattern with z up, draped with y up.
  snprintf(text, sizeof text, "\"file\": \"%s\", \"up\": \"z\", \"start\": \"%s\", \"start_up\": \"y\"", mesh, start);
  first_vertex(*state, "y", text, (const double[3]){5, 6, 7});
  first_vertex(*state, "z", text, (const double[3]){5, -7, 6});
  snprintf(text, sizeof text, "\"file\": \"%s\", \"up\": \"z\", \"start\": \"%s\"", mesh, start);
  first_vertex(*state, "y", text, (const double[3]){5, 7, -6});
}

// Runs and draws a scene; eye and target are in its own coordinates.
static void draw(const void *folder, const char *name, const char *text, const double *eye) {
  char result[200], picture[220];
  mus_scene scene;
  snprintf(result, sizeof result, "%s", files_path(folder, name));
  snprintf(picture, sizeof picture, "%s.png", result);
  assert_int_equal(mus_scene_parse(name, text, &scene), MUS_OK);
  mus_run_options options = mus_default_run_options();
  options.folder = result;
  assert_int_equal(mus_run(&scene, &options, NULL), MUS_OK);
  mus_scene_free(&scene);
  mus_render_options wish = mus_default_render_options();
  wish.width = 64;
  wish.height = 48;
  wish.samples = 1;
  wish.eye_given = wish.target_given = eye != NULL;
  if (eye)
    memcpy(wish.eye, eye, sizeof wish.eye);
  assert_int_equal(mus_render(result, NULL, picture, &wish, NULL), MUS_OK);
}

static void pictures_are_upright(void **state) {
  static const char
      y_up[] = "{\"frames\": 0, \"bodies\": [{\"shape\": {\"kind\": \"box\", \"size\": [0.2, 0.3, 0.4]}}],"
               " \"cloths\": [{\"shape\": {\"vertices\": 25}, \"translate\": [0, 0.25, 0.125]}]}",
      z_up[] = "{\"up\": \"z\", \"frames\": 0, \"bodies\": [{\"shape\": {\"kind\": \"box\", \"size\": [0.2, "
               "0.4, 0.3]}}], \"cloths\": [{\"shape\": {\"vertices\": 25}, \"translate\": [0, -0.125, 0.25]}]}";
  draw(*state, "y", y_up, NULL);
  draw(*state, "z", z_up, NULL);
  files_assert_same(files_path(*state, "y.png"), files_path(*state, "z.png"));
  draw(*state, "y", y_up, (const double[3]){1, 2, 3});
  draw(*state, "z", z_up, (const double[3]){1, -3, 2});
  files_assert_same(files_path(*state, "y.png"), files_path(*state, "z.png"));
}

static void gravity_points_down(void **state) {
  (void)state;
  run *r = runs_start("{\"up\": \"z\", \"cloths\": [{\"shape\": {\"vertices\": 9}}]}");
  double gravity[3];
  mus_sim_gravity(r->sim, gravity);
  assert_true(gravity[0] == 0 && gravity[1] == 0 && gravity[2] == -9.81);
  char *text = mus_scene_text(&r->scene);
  assert_non_null(strstr(text, "\"up\": \"z\""));
  assert_non_null(strstr(text, "-9.81]"));
  free(text);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cloth_on_solids), cmocka_unit_test(dresses),
      cmocka_unit_test_setup_teardown(files_are_turned_upright, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(pictures_are_upright, files_setup, files_teardown),
      cmocka_unit_test(gravity_points_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
