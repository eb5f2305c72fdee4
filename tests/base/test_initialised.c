// Options and descriptions that did not start from their mus_default_...() are refused by every call that takes them,
// with a text that names the function to begin with.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "muslin/muslin.h"
#include "support/check.h"

// What memory that was never set may hold.
static const int junk[] = {0, 0xaa, 0xff};
enum { JUNK = sizeof junk / sizeof *junk };

static void solver_options(void **state) {
  (void)state;
  mus_solver *solver = NULL;
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_FAST);
  assert_ok(mus_solver_create(&options, &solver));
  mus_solver_free(solver);
  for (int k = 0; k < JUNK; ++k) {
    memset(&options, junk[k], sizeof options);
    assert_fails(mus_solver_create(&options, &solver), MUS_BAD_INPUT,
                 "the options of the solver were not initialised: start from mus_default_solver_options()");
  }
}

static void options_of_jobs(void **state) {
  (void)state;
  mus_scene scene;
  mus_run_options run;
  mus_check_options check;
  mus_render_options render;
  assert_ok(mus_scene_builtin("drooping", &scene));
  for (int k = 0; k < JUNK; ++k) {
    memset(&run, junk[k], sizeof run);
    memset(&check, junk[k], sizeof check);
    memset(&render, junk[k], sizeof render);
    assert_fails(mus_run(&scene, &run, NULL), MUS_BAD_INPUT, "start from mus_default_run_options()");
    assert_fails(mus_check("nowhere", NULL, &check, NULL), MUS_BAD_INPUT, "start from mus_default_check_options()");
    assert_fails(mus_render("nowhere", NULL, "a.png", &render, NULL), MUS_BAD_INPUT,
                 "start from mus_default_render_options()");
  }
  mus_scene_free(&scene);
}

// Every call that takes a scene.
static void assert_refused(mus_scene *scene, const char *reason) {
  mus_sim *sim = NULL;
  char name[8];
  mus_run_options options = mus_default_run_options();
  options.folder = "/nowhere/out";
  assert_fails(mus_sim_create(scene, &sim), MUS_BAD_INPUT, reason);
  assert_fails(mus_run(scene, &options, NULL), MUS_BAD_INPUT, reason);
  assert_fails(mus_scene_resize(scene, 49, MUS_TESSELLATION_REGULAR), MUS_BAD_INPUT, reason);
  assert_fails(mus_cloth_file_name(scene, 0, sizeof name, name), MUS_BAD_INPUT, reason);
  assert_null(mus_scene_text(scene));
  assert_non_null(strstr(mus_last_error(), reason));
}

static void scenes(void **state) {
  (void)state;
  mus_scene scene;
  for (int k = 0; k < JUNK; ++k) {
    memset(&scene, junk[k], sizeof scene);
    assert_refused(&scene, "the scene was not initialised: start from mus_default_scene()");
  }
  assert_ok(mus_scene_builtin("drooping", &scene));
  mus_scene_free(&scene);
  assert_refused(&scene, "the scene was not initialised"); // nothing is left of it
}

// What is inside a scene, one after the other.
static void parts_of_scenes(void **state) {
  (void)state;
  mus_scene scene = mus_default_scene();
  mus_cloth cloth[2] = {mus_default_cloth()};
  mus_pin pin[2] = {mus_default_pin()};
  mus_body body = {0};
  mus_seam seam = {0};
  cloth[0].pins = pin;
  cloth[0].pin_count = 2;
  scene.cloths = cloth;
  scene.cloth_count = 2;
  scene.bodies = &body;
  scene.seams = &seam;
  scene.body_count = scene.seam_count = 1;
  assert_refused(&scene, "cloths[0].pins[1] was not initialised: start from mus_default_pin()");
  pin[1] = mus_default_pin();
  assert_refused(&scene, "cloths[1] was not initialised: start from mus_default_cloth()");
  cloth[1] = mus_default_cloth();
  assert_refused(&scene, "bodies[0] was not initialised: start from mus_default_body()");
  body = mus_default_body();
  assert_refused(&scene, "seams[0] was not initialised: start from mus_default_seam()");
  seam = mus_default_seam();
  char *text = mus_scene_text(&scene);
  assert_non_null(text);
  free(text);
  memset(&scene.solver, 0, sizeof scene.solver);
  assert_refused(&scene, "the scene's solver options were not initialised: start from mus_default_solver_options()");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solver_options),
      cmocka_unit_test(options_of_jobs),
      cmocka_unit_test(scenes),
      cmocka_unit_test(parts_of_scenes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
