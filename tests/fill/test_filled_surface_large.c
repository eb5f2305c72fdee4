// Surfaces of figures and from elsewhere, filled so finely that their parts are resolved.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "io/mesh_file.h"
#include "mesh/mannequin.h"
#include "support/check.h"
#include "support/filling.h"

static void the_mannequin_is_filled(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mannequin *mannequin;
  assert_ok(mus_mannequin_create(&arena, 1.75, 0, NULL, NULL, &mannequin));
  filling f = fill_surface(&arena, mus_mannequin_mesh(mannequin), 0.03);
  assert_true(f.deviation < 0.5 * 0.03 && f.closed == 0);
  mus_arena_clear(&arena);
}

// Surfaces from elsewhere, two of them open and branching.
static void dirty_surfaces_are_filled(void **state) {
  (void)state;
  static const struct {
    const char *path;
    double spacing;
  } models[] = {{"../shared/data/models/spot.obj.gz", 0.06},
                {"../shared/data/models/suzanne.obj", 0.08},
                {"../shared/data/models/beetle.obj", 0.02}};
  for (size_t k = 0; k < sizeof models / sizeof *models; ++k) {
    if (access(models[k].path, R_OK) != 0)
      skip();
    mus_arena arena = {0};
    mus_mesh_file file;
    assert_ok(mus_mesh_file_read(models[k].path, &arena, &file));
    filling f = fill_surface(&arena, &file.mesh, models[k].spacing);
    assert_true(f.deviation < 0.5 * models[k].spacing);
    mus_arena_clear(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_mannequin_is_filled),
      cmocka_unit_test(dirty_surfaces_are_filled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
