// Scenes: defaults that can be drawn, and mistakes that are named.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "render/scene.h"
#include "render/shapes.h"

static shapes_quad quad;
static mus_render_mesh mesh;
static mus_render_scene scene;

static int make_scene(void **state) {
  (void)state;
  quad = shapes_make_quad(mus_v3(0, 0, 0), mus_v3(1, 0, 0), mus_v3(0, 1, 0));
  mesh = shapes_quad_mesh(&quad, mus_v3(1, 1, 1));
  scene = mus_default_render_scene();
  scene.meshes = 1;
  scene.mesh = &mesh;
  return 0;
}

static void assert_refused(const char *part) {
  assert_int_equal(mus_scene_check(&scene), MUS_BAD_INPUT);
  if (!strstr(mus_last_error(), part))
    fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), part);
  make_scene(NULL);
}

static void defaults_are_in_order(void **state) {
  (void)state;
  assert_int_equal(mus_scene_check(&scene), MUS_OK);
  mus_render_mesh plain = mus_default_render_mesh();
  plain.vertices = 4;
  plain.triangles = 2;
  plain.position = quad.position;
  plain.triangle = quad.triangle;
  scene.mesh = &plain;
  assert_int_equal(mus_scene_check(&scene), MUS_OK);
  mus_render_quality quality = mus_default_render_quality();
  assert_int_equal(mus_quality_check(&quality), MUS_OK);
  assert_int_equal(quality.width, 960);
  assert_int_equal(quality.height, 540);
}

static void meshes_without_triangles_are_refused(void **state) {
  (void)state;
  scene.meshes = 0;
  assert_refused("no triangles");
  mesh.triangles = 0;
  assert_refused("mesh 0 has no triangles");
  mesh.vertices = -1;
  assert_refused("no triangles");
  mesh.triangle = NULL;
  assert_refused("no triangles");
  mesh.position = NULL;
  assert_refused("needs positions");
  const float twice[12] = {0};
  mesh.position_float = twice;
  assert_refused("needs positions");
}

static void numbers_that_cannot_be_drawn_are_named(void **state) {
  (void)state;
  quad.position[7] = NAN;
  assert_refused("the y coordinate of vertex 2 is nan");
  quad.position[3] = INFINITY;
  assert_refused("the x coordinate of vertex 1 is inf");
  quad.position[11] = -1e10;
  assert_refused("the z coordinate of vertex 3");
  const float position[12] = {0, 0, NAN};
  mesh.position = NULL;
  mesh.position_float = position;
  assert_refused("the z coordinate of vertex 0 is nan");
  quad.material[5] = NAN;
  assert_refused("material coordinate 5");
  const float colour[12] = {0, 0, 0, 0, NAN};
  mesh.colour = colour;
  assert_refused("colour of vertex 1");
}

static void indices_out_of_range_are_named(void **state) {
  (void)state;
  quad.triangle[4] = 4;
  assert_refused("triangle 1 names vertex 4, but there are 4");
  quad.triangle[0] = -1;
  assert_refused("triangle 0 names vertex -1");
}

static void looks_and_lights_have_limits(void **state) {
  (void)state;
  mesh.look.kind = MUS_LOOK_CHECKER;
  mesh.look.size = 0;
  assert_refused("size 0");
  mesh.look.translucency = 1.5f;
  assert_refused("translucency 1.5");
  mesh.look.roughness = NAN;
  assert_refused("roughness nan");
  scene.lights = MUS_LIGHTS + 1;
  assert_refused("4 lights");
  scene.light[1].direction = mus_v3(0, 0, 0);
  assert_refused("light 1 needs a direction");
  scene.light[0].radius = 2;
  assert_refused("light 0");
  scene.exposure = 0;
  assert_refused("exposure");
  scene.ground.height = NAN;
  assert_refused("ground");
  scene.heat.shading = 2;
  assert_refused("shading");
}

static void qualities_have_limits(void **state) {
  (void)state;
  const mus_render_quality bad[] = {{0, 540, 4, 8, 8},   {960, 20000, 4, 8, 8}, {960, 540, 3, 8, 8},
                                    {960, 540, 4, 6, 8}, {960, 540, 4, 8, 0},   {960, 540, 4, 8, 2048}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    assert_int_equal(mus_quality_check(&bad[i]), MUS_BAD_INPUT);
}

static void lights_stand_by_the_camera(void **state) {
  (void)state;
  const double points[6] = {0, -3, 0, 1, 5, 1};
  mus_camera_wish wish = mus_default_camera_wish();
  const float azimuths[] = {wish.azimuth, wish.azimuth + 90};
  for (int i = 0; i < 2; ++i) {
    mus_framing framing;
    wish.azimuth = azimuths[i];
    assert_int_equal(mus_framing_begin(&wish, 1, &framing), MUS_OK);
    mus_framing_add(&framing, 2, points);
    for (int again = 0; again < 2; ++again) {
      assert_int_equal(mus_scene_frame(&scene, &framing), MUS_OK);
      assert_true(fabsf(scene.turn - (i == 0 ? 0 : 90)) < 0.01f);
    }
  }
  scene.turn = NAN;
  assert_refused("turn");
}

static void the_ground_is_put_below_everything(void **state) {
  (void)state;
  const double points[6] = {0, -3, 0, 1, 5, 1};
  mus_camera_wish wish = mus_default_camera_wish();
  mus_framing framing;
  assert_int_equal(mus_framing_begin(&wish, 1, &framing), MUS_OK);
  mus_framing_add(&framing, 2, points);
  assert_int_equal(mus_scene_frame(&scene, &framing), MUS_OK);
  assert_true(scene.ground.height < -3 && scene.ground.height > -3.1f);
  assert_true(scene.camera.eye.y > scene.ground.height);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(defaults_are_in_order, make_scene),
      cmocka_unit_test_setup(meshes_without_triangles_are_refused, make_scene),
      cmocka_unit_test_setup(numbers_that_cannot_be_drawn_are_named, make_scene),
      cmocka_unit_test_setup(indices_out_of_range_are_named, make_scene),
      cmocka_unit_test_setup(looks_and_lights_have_limits, make_scene),
      cmocka_unit_test_setup(qualities_have_limits, make_scene),
      cmocka_unit_test_setup(lights_stand_by_the_camera, make_scene),
      cmocka_unit_test_setup(the_ground_is_put_below_everything, make_scene),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
