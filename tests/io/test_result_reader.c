// Results: folders, finished and growing, meshes with caches, and what does not fit together.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/result_reader.h"
#include "support/animation.h"
#include "support/check.h"
#include "support/files.h"
#include "support/results.h"

enum { CELLS = 4, VERTICES = 25, FRAMES = 5 };

static const char *const fabrics[] = {"cotton", "denim"};
static const results_wish two = {.cloths = 2, .cells = CELLS, .frames = FRAMES, .fabrics = fabrics, .format = "pc2"};

static void check_positions(const mus_result *result, int cloth, int frame) {
  mus_arena arena = {0};
  mus_mesh mesh = animation_sheet(&arena, CELLS);
  double expected[3 * VERTICES], x[3 * VERTICES];
  animation_pose(&mesh, frame, expected);
  assert_ok(mus_result_positions(result, cloth, frame, x));
  for (int i = 0; i < 3 * VERTICES; ++i)
    assert_true(fabs(x[i] - expected[i] - (i % 3 == 0 ? 1.2 * cloth : 0)) < 1e-6); // single precision
  mus_arena_clear(&arena);
}

static void folders_are_read(void **state) {
  const char *folder = files_path(*state, "r");
  mus_result result;
  for (int k = 0; k < 4; ++k) {
    results_wish wish = two;
    wish.format = k % 2 ? "mdd" : "pc2";
    wish.unfinished = k / 2;
    char name[256];
    snprintf(name, sizeof name, "%s%d", folder, k);
    results_make(name, &wish);
    assert_ok(mus_result_open(name, NULL, &result));
    assert_int_equal(result.part_count, 2);
    assert_int_equal(result.frames, FRAMES);
    assert_true(result.frame_rate == 12);
    assert_string_equal(result.parts[1].fabric, "denim");
    assert_int_equal(result.parts[0].mesh.vertices, VERTICES);
    for (int cloth = 0; cloth < 2; ++cloth)
      for (int frame = 0; frame < FRAMES; ++frame)
        check_positions(&result, cloth, frame);
    mus_result_close(&result);
  }
}

// Material coordinates of a result are metres, however its mesh is pulled when it starts.
static void material_coordinates_are_kept(void **state) {
  const char *folder = files_path(*state, "r");
  results_make(folder, &two);
  mus_result result;
  assert_ok(mus_result_open(folder, NULL, &result));
  const mus_mesh *mesh = &result.parts[0].mesh;
  for (int c = 0; c < 3 * mesh->triangles; ++c) {
    assert_true(fabs(mesh->material[2 * c] - mesh->position[3 * mesh->triangle[c]]) < 1e-12);
    assert_true(fabs(mesh->material[2 * c + 1] - mesh->position[3 * mesh->triangle[c] + 2]) < 1e-12);
  }
  mus_result_close(&result);
}

static void a_run_that_starts_anew_hides_what_was_finished(void **state) {
  const char *folder = files_path(*state, "r");
  results_wish wish = two;
  results_make(folder, &wish);
  wish.frames = 2;
  wish.unfinished = 1;
  results_make(folder, &wish);
  mus_result result;
  assert_ok(mus_result_open(folder, NULL, &result));
  assert_int_equal(result.frames, 2);
  mus_result_close(&result);
}

// While a run writes, one cloth may be a frame ahead of the other.
static void frames_are_those_that_all_have(void **state) {
  const char *folder = files_path(*state, "r"), *more = files_path(*state, "more");
  results_wish wish = two;
  results_make(folder, &wish);
  wish.frames = FRAMES - 2;
  results_make(more, &wish);
  assert_int_equal(rename(files_path(more, "b.pc2"), files_path(folder, "b.pc2")), 0);
  mus_result result;
  assert_ok(mus_result_open(folder, NULL, &result));
  assert_int_equal(result.frames, FRAMES - 2);
  mus_result_close(&result);
}

static void meshes_are_read_with_and_without_caches(void **state) {
  const char *folder = files_path(*state, "r");
  results_make(folder, &two);
  mus_result result;
  assert_ok(mus_result_open(files_path(folder, "a.obj"), files_path(folder, "a.pc2"), &result));
  assert_int_equal(result.frames, FRAMES);
  assert_null(result.parts[0].fabric);
  check_positions(&result, 0, 3);
  mus_result_close(&result);
  assert_ok(mus_result_open(files_path(folder, "a.obj"), NULL, &result));
  assert_int_equal(result.frames, 1);
  double x[3 * VERTICES];
  assert_ok(mus_result_positions(&result, 0, 0, x));
  assert_memory_equal(x, result.parts[0].mesh.position, sizeof x);
  mus_result_close(&result);
}

static void residuals_are_read(void **state) {
  const char *folder = files_path(*state, "r");
  results_wish wish = two;
  double r[3 * VERTICES];
  mus_result result;
  results_make(folder, &wish);
  assert_ok(mus_result_open(folder, NULL, &result));
  assert_fails(mus_result_open_residuals(&result), MUS_BAD_INPUT, "run the scene with --residual");
  mus_result_close(&result);
  wish.residual = 1;
  results_make(folder, &wish);
  assert_ok(mus_result_open(folder, NULL, &result));
  assert_ok(mus_result_open_residuals(&result));
  assert_ok(mus_result_residuals(&result, 1, 3, r));
  assert_true(r[0] == 3 && r[1] == 0 && r[3 * VERTICES - 3] == 3);
  assert_ok(mus_result_residuals(&result, 1, FRAMES, r));
  assert_true(isnan(r[0]));
  mus_result_close(&result);
  assert_ok(mus_result_open(files_path(folder, "a.obj"), NULL, &result));
  assert_fails(mus_result_open_residuals(&result), MUS_BAD_INPUT, "only result folders have residuals");
  mus_result_close(&result);
}

static void bodies_are_added(void **state) {
  char folder[256], small[256];
  snprintf(folder, sizeof folder, "%s", files_path(*state, "r"));
  snprintf(small, sizeof small, "%s", files_path(*state, "small"));
  results_wish wish = two;
  mus_result result;
  double x[3 * VERTICES];
  results_make(folder, &wish);
  wish.cells = 2;
  wish.frames = FRAMES - 1;
  results_make(small, &wish);
  assert_ok(mus_result_open(folder, NULL, &result));
  assert_int_equal(result.body_count, 0);
  assert_ok(mus_result_add_body(&result, files_path(small, "a.obj"), NULL));
  assert_int_equal(result.frames, FRAMES);
  assert_fails(mus_result_add_body(&result, files_path(folder, "a.obj"), files_path(small, "a.pc2")), MUS_BAD_INPUT,
               "they do not belong together");
  assert_int_not_equal(mus_result_add_body(&result, files_path(folder, "none.obj"), NULL), MUS_OK);
  assert_int_equal(result.body_count, 1);
  assert_int_equal(result.frames, FRAMES);
  assert_ok(mus_result_add_body(&result, files_path(small, "b.obj"), files_path(small, "b.pc2")));
  assert_int_equal(result.body_count, 2);
  assert_int_equal(result.frames, FRAMES - 1); // those that all have
  assert_int_equal(result.bodies[0].mesh.vertices, 9);
  assert_ok(mus_result_body_positions(&result, 0, 3, x));
  assert_memory_equal(x, result.bodies[0].mesh.position, 27 * sizeof *x);
  assert_ok(mus_result_body_positions(&result, 1, 3, x));
  assert_true(x[0] > 0.5 + result.bodies[1].mesh.position[0]); // the cache has it beside the first
  mus_result_close(&result);
}

static void what_does_not_fit_is_refused(void **state) {
  char folder[256], small[256];
  snprintf(folder, sizeof folder, "%s", files_path(*state, "r"));
  snprintf(small, sizeof small, "%s", files_path(*state, "small"));
  results_wish wish = two;
  mus_result result;
  results_make(folder, &wish);
  wish.cells = 2;
  results_make(small, &wish);
  assert_fails(mus_result_open(files_path(*state, "none"), NULL, &result), MUS_BAD_INPUT,
               "there is no such result folder or mesh");
  assert_fails(mus_result_open(*state, NULL, &result), MUS_BAD_INPUT, "it contains no scene.json");
  assert_fails(mus_result_open(folder, files_path(folder, "a.pc2"), &result), MUS_BAD_INPUT, "has its own caches");
  assert_fails(mus_result_open(files_path(small, "a.obj"), files_path(folder, "a.pc2"), &result), MUS_BAD_INPUT,
               "a.pc2 has 25 vertices, but ");
  assert_int_not_equal(mus_result_open(files_path(folder, "a.pc2"), NULL, &result), MUS_OK);
  assert_int_equal(rename(files_path(small, "b.pc2"), files_path(folder, "b.pc2")), 0);
  assert_fails(mus_result_open(folder, NULL, &result), MUS_BAD_INPUT, "b.pc2 has 9 vertices, but ");
  assert_int_equal(unlink(files_path(folder, "b.pc2")), 0);
  assert_fails(mus_result_open(folder, NULL, &result), MUS_BAD_INPUT, "there is neither b.pc2 nor b.mdd");
  assert_int_equal(unlink(files_path(folder, "a.obj")), 0);
  assert_int_not_equal(mus_result_open(folder, NULL, &result), MUS_OK);
}

static void memory_that_is_short_is_said(void **state) {
  const char *folder = files_path(*state, "r");
  results_wish wish = two;
  wish.residual = 1;
  results_make(folder, &wish);
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long failures = 0; status != MUS_OK; ++failures) {
    mus_result result;
    mus_memory_fail_after(failures);
    status = mus_result_open(folder, NULL, &result);
    if (!status) {
      status = mus_result_open_residuals(&result);
      mus_result_close(&result);
    }
    mus_memory_fail_after(-1);
    assert_true(failures < 10000 && (status == MUS_OK || status == MUS_OUT_OF_MEMORY));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(folders_are_read, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(material_coordinates_are_kept, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(a_run_that_starts_anew_hides_what_was_finished, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(frames_are_those_that_all_have, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(meshes_are_read_with_and_without_caches, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(residuals_are_read, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(bodies_are_added, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(memory_that_is_short_is_said, files_setup, files_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
