// Solids in scenes: as parts beside cloths, falling, pinned, resting on bodies, cloth and each other.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/tetrahedra.h"
#include "muslin/fill.h"
#include "sim/access.h"
#include "support/files.h"
#include "support/runs.h"

static void centre_of(const run *r, int part, double centre[3]) {
  const mus_model *model = mus_sim_model(r->sim);
  const double *x = mus_sim_state(r->sim)->position;
  double mass = 0;
  centre[0] = centre[1] = centre[2] = 0;
  for (int i = mus_sim_first_vertex(r->sim, part); i < mus_sim_first_vertex(r->sim, part + 1); ++i) {
    mass += model->mass[i];
    for (int c = 0; c < 3; ++c)
      centre[c] += model->mass[i] * x[3 * i + c];
  }
  for (int c = 0; c < 3; ++c)
    centre[c] /= mass;
}

static double lowest(const run *r, int part) {
  double low = INFINITY;
  for (int i = mus_sim_first_vertex(r->sim, part); i < mus_sim_first_vertex(r->sim, part + 1); ++i)
    low = fmin(low, mus_sim_positions(r->sim)[3 * i + 1]);
  return low;
}

// The least volume of a tetrahedron over what it was.
static double least_volume(const run *r, const double *start) {
  mus_tetrahedra now = {.vertices = mus_sim_vertices(r->sim), .tetrahedra = mus_sim_tetrahedra(r->sim)};
  mus_tetrahedra before = now;
  double least = INFINITY;
  now.corner = before.corner = (int *)(uintptr_t)mus_sim_tetrahedron_list(r->sim);
  now.position = (double *)(uintptr_t)mus_sim_positions(r->sim);
  before.position = (double *)(uintptr_t)start;
  for (int t = 0; t < now.tetrahedra; ++t)
    least = fmin(least, mus_tetrahedron_volume(&now, t) / mus_tetrahedron_volume(&before, t));
  return least;
}

static double *start_of(const run *r) {
  size_t bytes = 3 * (size_t)mus_sim_vertices(r->sim) * sizeof(double);
  double *start = malloc(bytes);
  assert_non_null(start);
  return memcpy(start, mus_sim_positions(r->sim), bytes);
}

static void parts_are_cloths_then_solids(void **state) {
  (void)state;
  run *r = runs_start("{\"cloths\": [{\"name\": \"towel\", \"shape\": {\"vertices\": 81}}],"
                      " \"solids\": [{\"name\": \"jelly\", \"shape\": {\"vertices\": 300}, \"translate\": [0, -2, 0]},"
                      " {\"shape\": {\"kind\": \"ball\", \"radius\": 0.1, \"vertices\": 200}, \"translate\": [3, 0, 0],"
                      " \"density\": 500}]}");
  assert_int_equal(mus_sim_parts(r->sim), 3);
  assert_string_equal(mus_sim_part_name(r->sim, 0), "towel");
  assert_string_equal(mus_sim_part_name(r->sim, 1), "jelly");
  assert_string_equal(mus_sim_part_name(r->sim, 2), "solid");
  assert_null(mus_sim_part_name(r->sim, 3));
  assert_int_equal(mus_sim_first_vertex(r->sim, 1), 81);
  assert_int_equal(mus_sim_first_tetrahedron(r->sim, 1), 0);
  assert_int_equal(mus_sim_first_tetrahedron(r->sim, 3), mus_sim_tetrahedra(r->sim));
  double ball = 0;
  for (int i = mus_sim_first_vertex(r->sim, 2); i < mus_sim_vertices(r->sim); ++i)
    ball += mus_sim_model(r->sim)->mass[i];
  assert_true(fabs(ball / (500 * 4.18879 * 0.001) - 1) < 0.1); // facets lie inside
  const int *corner = mus_sim_tetrahedron_list(r->sim);
  for (int t = 0; t < mus_sim_tetrahedra(r->sim); ++t) {
    int part = t < mus_sim_first_tetrahedron(r->sim, 2) ? 1 : 2;
    for (int k = 0; k < 4; ++k)
      assert_true(corner[4 * t + k] >= mus_sim_first_vertex(r->sim, part) &&
                  corner[4 * t + k] < mus_sim_first_vertex(r->sim, part + 1));
  }
  double *start = start_of(r);
  assert_true(fabs(least_volume(r, start) - 1) < 1e-12);
  free(start);
  runs_free(r);
}

static void falls_without_strain(void **state) {
  (void)state;
  run *r =
      runs_start("{\"time_step\": 0.01, \"frame_rate\": 50, \"air_density\": 0, \"solver\": {\"tolerance\": 1e-12},"
                 " \"solids\": [{\"shape\": {\"kind\": \"ball\", \"vertices\": 400}, \"velocity\": [1, 2, 0]}]}");
  double before[3], after[3], *start = start_of(r);
  centre_of(r, 0, before);
  for (int frame = 0; frame < 10; ++frame)
    runs_frame(r);
  centre_of(r, 0, after);
  double fall = 0.01 * 0.01 * 9.81 * 20 * 21 / 2; // implicit Euler's
  assert_true(fabs(after[0] - before[0] - 0.2) < 1e-9);
  assert_true(fabs(after[1] - before[1] - 0.4 + fall) < 1e-9);
  assert_true(fabs(least_volume(r, start) - 1) < 1e-7);
  free(start);
  runs_free(r);
}

static void a_pinned_beam_hangs_from_its_pin(void **state) {
  (void)state;
  run *r = runs_start("{\"time_step\": 0.01, \"frame_rate\": 10, \"contact\": false, \"solids\": [{\"young\": 1e5,"
                      " \"shape\": {\"size\": [1, 0.2, 0.2], \"vertices\": 400}, \"damping\": 0.1,"
                      " \"pins\": [{\"where\": {\"box\": [-0.51, -1, -1, -0.49, 1, 1]}}]}]}");
  double *start = start_of(r), held = 0;
  for (int frame = 0; frame < 10; ++frame)
    runs_frame(r);
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i)
    for (int c = 0; c < 3 && start[3 * i] < -0.49; ++c)
      held = fmax(held, fabs(mus_sim_positions(r->sim)[3 * i + c] - start[3 * i + c]));
  assert_true(held == 0);
  print_message("its end hangs at %.3f m, least volume %.3f\n", lowest(r, 0), least_volume(r, start));
  assert_true(lowest(r, 0) < -0.15);
  assert_true(least_volume(r, start) > 0);
  free(start);
  runs_free(r);
}

static void comes_to_rest_on_a_floor(void **state) {
  (void)state;
  run *r = runs_start("{\"time_step\": 0.01, \"frame_rate\": 25, \"bodies\": [{\"shape\": {\"kind\": \"floor\"}}],"
                      " \"solids\": [{\"shape\": {\"kind\": \"ball\", \"radius\": 0.2, \"vertices\": 600},"
                      " \"translate\": [0, 0.5, 0], \"young\": 20000, \"damping\": 0.01}]}");
  double *start = start_of(r), least = 1;
  for (int frame = 0; frame < 40; ++frame) {
    runs_frame(r);
    least = fmin(least, least_volume(r, start));
    assert_true(lowest(r, 0) > 0);
  }
  double centre[3];
  centre_of(r, 0, centre);
  print_message("least volume %.3f, lowest %.5f, centre at %.4f\n", least, lowest(r, 0), centre[1]);
  assert_true(least > 0 && centre[1] > 0.1 && centre[1] < 0.2);
  assert_true(lowest(r, 0) < 0.002);
  free(start);
  runs_free(r);
}

static void carries_cloth_and_another(void **state) {
  (void)state;
  run *r = runs_start(
      "{\"time_step\": 0.01, \"frame_rate\": 25, \"bodies\": [{\"shape\": {\"kind\": \"floor\"}}],"
      " \"cloths\": [{\"shape\": {\"vertices\": 441, \"size\": [0.6, 0.6]}, \"translate\": [0, 0.75, 0]}],"
      " \"solids\": [{\"shape\": {\"vertices\": 300, \"size\": [0.4, 0.3, 0.4]}, \"translate\": [0, 0.152, 0]},"
      " {\"shape\": {\"kind\": \"ball\", \"radius\": 0.15, \"vertices\": 300}, \"translate\": [0, 0.47, 0],"
      " \"material\": \"gel\"}]}");
  for (int frame = 0; frame < 20; ++frame) {
    int crossings;
    runs_frame(r);
    assert_int_equal(mus_sim_crossings(r->sim, 0, NULL, &crossings), MUS_OK);
    assert_int_equal(crossings, 0);
  }
  double box[3], ball[3], cloth[3];
  centre_of(r, 0, cloth);
  centre_of(r, 1, box);
  centre_of(r, 2, ball);
  print_message("heights: box %.3f, ball %.3f, cloth %.3f\n", box[1], ball[1], cloth[1]);
  assert_true(box[1] > 0.12 && ball[1] > 0.35 && cloth[1] > 0.4);
  runs_free(r);
}

// A solid on a floor under a cloth, and a hand that pulls at it: the same bits for any number of threads.
static void threads_change_no_bit(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 7};
  double *first = NULL;
  for (int k = 0; k < 3; ++k) {
    run *r =
        runs_scene("{\"time_step\": 0.01, \"frame_rate\": 25, \"bodies\": [{\"shape\": {\"kind\": \"floor\"}}],"
                   " \"cloths\": [{\"shape\": {\"vertices\": 625, \"size\": [0.6, 0.6]}, \"translate\": [0, 0.47, 0]}],"
                   " \"solids\": [{\"shape\": {\"kind\": \"ball\", \"radius\": 0.2, \"vertices\": 2500},"
                   " \"young\": 4e4, \"translate\": [0, 0.25, 0]}]}");
    r->scene.solver.threads = threads[k];
    runs_begin(r);
    const int *corner = mus_sim_triangle_list(r->sim) + 3 * mus_sim_first_triangle(r->sim, 1);
    mus_attachment hand = {.count = 3,
                           .vertex = {corner[0], corner[1], corner[2]},
                           .weight = {0.25, 0.25, 0.5},
                           .target = {0.5, 0.3, 0.2}};
    int handle;
    assert_int_equal(mus_sim_attach(r->sim, &hand, &handle), MUS_OK);
    for (int frame = 0; frame < 5; ++frame)
      runs_frame(r);
    double *end = start_of(r);
    if (first)
      assert_memory_equal(first, end, 3 * (size_t)mus_sim_vertices(r->sim) * sizeof *end);
    else
      first = start_of(r);
    free(end);
    runs_free(r);
  }
  free(first);
}

// A hand pulls a solid where it wants it.
static void a_hand_carries_a_solid(void **state) {
  (void)state;
  run *r = runs_start("{\"time_step\": 0.01, \"frame_rate\": 25, \"solids\": [{\"young\": 1e5, \"damping\": 0.02,"
                      " \"shape\": {\"kind\": \"ball\", \"radius\": 0.1, \"vertices\": 300}}]}");
  const int *corner = mus_sim_triangle_list(r->sim);
  mus_attachment hand = {.count = 1, .vertex = {corner[0]}, .weight = {1}, .target = {0, 1, 0}};
  int handle;
  double centre[3];
  assert_int_equal(mus_sim_attach(r->sim, &hand, &handle), MUS_OK);
  for (int frame = 0; frame < 100; ++frame)
    runs_frame(r);
  centre_of(r, 0, centre);
  assert_true(fabs(centre[1] - 0.9) < 0.05); // it hangs below the hand
  assert_int_equal(mus_sim_detach(r->sim, handle), MUS_OK);
  for (int frame = 0; frame < 10; ++frame)
    runs_frame(r);
  centre_of(r, 0, centre);
  assert_true(centre[1] < 0.5);
  runs_free(r);
}

// A file's numbers are those that users see, whatever is simulated.
static void files_keep_their_numbers(void **state) {
  mus_fill_options options = mus_default_fill_options();
  options.vertices = 300;
  char text[800];
  const char *path = files_path(*state, "ball.msh");
  assert_int_equal(mus_fill_solid("ball", path, &options, NULL), MUS_OK);
  snprintf(text, sizeof text,
           "{\"solids\": [{\"shape\": {\"kind\": \"file\", \"file\": \"%s\"},"
           " \"pins\": [{\"where\": {\"vertices\": [7]}}]}]}",
           path);
  run *r = runs_start(text);
  const mus_model *model = mus_sim_model(r->sim);
  assert_int_equal(model->pins[0].count, 1);
  assert_int_equal(mus_part_seen(&model->parts[0].shape, model->pins[0].vertex[0]), 7);
  runs_free(r);
}

static void refuse(const char *text, const char *words) {
  mus_scene scene;
  mus_sim *sim = NULL;
  mus_status status = mus_scene_parse("s.json", text, &scene);
  if (!status) {
    status = mus_sim_create(&scene, &sim);
    mus_scene_free(&scene);
  }
  assert_int_equal(status, MUS_BAD_INPUT);
  if (!strstr(mus_last_error(), words))
    fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), words);
}

static void bad_solids_are_refused(void **state) {
  (void)state;
  refuse("{}", "no cloths and no solids");
  refuse("{\"solids\": [{\"material\": \"cheese\"}]}", "solids[0]: material");
  refuse("{\"solids\": [{\"poisson\": 0.4999}]}", "solids[0]");
  refuse("{\"solids\": [{\"shape\": {\"kind\": \"file\"}}]}", "solids[0].shape");
  refuse("{\"solids\": [{\"pins\": [{\"where\": {\"box\": [5, 5, 5, 6, 6, 6]}}]}]}", "solids[0].pins[0]");
  refuse("{\"solids\": [{\"pins\": [{\"where\": {\"material\": [0, 0, 1, 1]}}]}]}", "is for cloth");
  refuse("{\"solids\": [{\"shape\": {\"vertices\": 100}}], \"seams\": [{\"from\": \"solid\", \"to\": \"solid\"}]}",
         "no cloth");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_cloths_then_solids),
      cmocka_unit_test(falls_without_strain),
      cmocka_unit_test(a_pinned_beam_hangs_from_its_pin),
      cmocka_unit_test(comes_to_rest_on_a_floor),
      cmocka_unit_test(carries_cloth_and_another),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(a_hand_carries_a_solid),
      cmocka_unit_test_setup_teardown(files_keep_their_numbers, files_setup, files_teardown),
      cmocka_unit_test(bad_solids_are_refused)};
  return cmocka_run_group_tests_name("sim/solid_parts", tests, NULL, NULL);
}
