// See filling.h.
#include "support/filling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh/tetrahedra_check.h"
#include "support/check.h"

filling fill_surface(mus_arena *arena, const mus_mesh *mesh, double spacing) {
  filling f;
  mus_filled_surface *surface, *skin;
  assert_ok(mus_filled_surface_create(mesh, 0, NULL, &surface));
  mus_shape shape = mus_filled_surface_shape(surface, spacing);
  assert_ok(mus_stuff(arena, &shape, spacing, &f.mesh));
  assert_true(f.mesh.tetrahedra > 0);
  mus_solid_report report;
  assert_ok(mus_tetrahedra_check(&f.mesh, &report));
  assert_ok(mus_tetrahedra_require_sound(&report));
  mus_tetrahedra_measure(&f.mesh, &f.quality);
  assert_true(f.quality.least_angle >= MUS_STUFFING_LEAST_ANGLE);
  assert_true(f.quality.largest_angle <= MUS_STUFFING_LARGEST_ANGLE);
  assert_ok(mus_tetrahedra_surface(arena, &f.mesh, &f.skin));
  assert_ok(mus_filled_surface_deviation(surface, &f.skin.mesh, &f.deviation, &f.closed));
  assert_ok(mus_filled_surface_create(&f.skin.mesh, 0, NULL, &skin));
  assert_ok(mus_filled_surface_loss(surface, skin, &f.loss));
  mus_filled_surface_free(surface);
  mus_filled_surface_free(skin);
  return f;
}
