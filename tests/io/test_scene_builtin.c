// The built-in scenes: how large they are, and what their parts are called.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "io/scene_builtin.h"
#include "muslin/sim.h"
#include "support/check.h"

static mus_scene made(int k) {
  mus_scene scene;
  assert_ok(mus_scene_builtin(mus_scene_builtin_name(k, NULL), &scene));
  return scene;
}

// Cloths, and bodies, can be told apart by their names.
static void names_are_given(void **state) {
  (void)state;
  for (int k = 0; mus_scene_builtin_name(k, NULL); ++k) {
    mus_scene s = made(k);
    for (int a = 0; a < s.cloth_count; ++a)
      for (int b = 0; b <= a; ++b)
        assert_true(s.cloths[a].name && (a == b || strcmp(s.cloths[a].name, s.cloths[b].name) != 0));
    for (int a = 0; a < s.body_count; ++a)
      for (int b = 0; b <= a; ++b)
        assert_true(s.bodies[a].name && (a == b || strcmp(s.bodies[a].name, s.bodies[b].name) != 0));
    mus_scene_free(&s);
  }
}

static void contact_scenes_meet_something(void **state) {
  (void)state;
  for (int k = 0; k < mus_builtin_contact_count; ++k) {
    mus_scene s = made(mus_builtin_free_count + k);
    assert_true(s.contact && s.frames >= 48 && s.frames <= 120);
    assert_true(s.body_count > 0 || strcmp(s.name, "twist") == 0);
    mus_scene_free(&s);
  }
}

// As many vertices as were asked for, whatever the shapes and however many.
static void sizes_are_kept(void **state) {
  (void)state;
  static const int vertices[] = {0, 2000};
  for (int k = 0; mus_scene_builtin_name(k, NULL); ++k)
    for (int n = 0; n < 2; ++n) {
      mus_scene s = made(k);
      int wanted = vertices[n];
      mus_scene_resize(&s, wanted, MUS_REGULAR);
      for (int c = 0; c < s.cloth_count && vertices[n] == 0; ++c)
        wanted += s.cloths[c].shape.vertices;
      mus_sim *sim;
      assert_ok(mus_sim_create(&s, &sim));
      int found = mus_sim_vertices(sim);
      if (abs(found - wanted) > wanted / 20)
        fail_msg("%s has %d vertices instead of %d", s.name, found, wanted);
      mus_sim_free(sim);
      mus_scene_free(&s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_given), cmocka_unit_test(contact_scenes_meet_something),
                                     cmocka_unit_test(sizes_are_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
