// Solids by name: closed where they should be, within the size that was asked for, with y or z up.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "mesh/measure.h"
#include "mesh/topology.h"
#include "model/body_shapes.h"
#include "support/check.h"

static mus_box box_of(const char *shape, int closed, mus_up up) {
  char text[300];
  mus_scene scene;
  mus_arena arena = {0};
  mus_mesh mesh;
  mus_topology topology;
  snprintf(text, sizeof text, "{\"cloths\": [{}], \"bodies\": [{\"shape\": {%s}}]}", shape);
  assert_ok(mus_scene_parse("s", text, &scene));
  assert_ok(mus_body_shape_make(&arena, &scene.bodies[0].shape, up, &mesh));
  assert_ok(mus_topology_create(&arena, &mesh, &topology));
  assert_int_equal(topology.boundary_edges == 0, closed);
  mus_box box = mus_mesh_box(&mesh);
  mus_arena_clear(&arena);
  mus_scene_free(&scene);
  return box;
}

static void sizes(void **state) {
  (void)state;
  static const struct {
    const char *shape;
    int closed;
    double half[3];
  } cases[] = {{"\"kind\": \"plane\", \"size\": [2, 7, 4]", 0, {1, 0, 2}},
               {"\"kind\": \"floor\"", 0, {50, 0, 50}},
               {"\"kind\": \"cylinder\", \"radius\": 0.5, \"length\": 3", 1, {0.5, 1.5, 0.5}},
               {"\"kind\": \"cone\", \"radius\": 0.5, \"length\": 3", 1, {0.5, 1.5, 0.5}},
               {"\"kind\": \"torus\", \"radius\": 0.5, \"tube\": 0.25", 1, {0.75, 0.25, 0.75}},
               {"\"kind\": \"rounded-box\", \"size\": [2, 3, 4], \"radius\": 0.25", 1, {1, 1.5, 2}},
               {"\"kind\": \"box\", \"size\": [2, 3, 4]", 1, {1, 1.5, 2}},
               {"\"kind\": \"capsule\", \"radius\": 0.5, \"length\": 3", 1, {0.5, 2, 0.5}},
               {"\"kind\": \"sphere\"", 1, {0.25, 0.25, 0.25}}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    mus_box box = box_of(cases[k].shape, cases[k].closed, MUS_UP_Y);
    for (int c = 0; c < 3; ++c) {
      assert_true(box.high[c] <= cases[k].half[c] + 1e-12 && box.high[c] >= cases[k].half[c] - 2e-3);
      assert_true(box.low[c] >= -cases[k].half[c] - 1e-12 && box.low[c] <= -cases[k].half[c] + 2e-3);
    }
  }
  mus_box turned = box_of("\"kind\": \"box\", \"size\": [2, 3, 4]", 1, MUS_UP_Z); // 4 m high
  assert_true(turned.high[1] == 2 && turned.high[2] == 1.5);
}

static void wrong_ones(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh;
  mus_body_shape shape = mus_default_body().shape;
  shape.kind = MUS_BODY_SHAPE_FILE;
  assert_fails(mus_body_shape_make(&arena, &shape, MUS_UP_Y, &mesh), MUS_BAD_INPUT, "none of a body's");
  shape.kind = (mus_body_shape_kind)-1;
  assert_fails(mus_body_shape_make(&arena, &shape, MUS_UP_Y, &mesh), MUS_BAD_INPUT, "none of a body's");
  shape.kind = MUS_BODY_SHAPE_CYLINDER;
  shape.length = 0;
  assert_fails(mus_body_shape_make(&arena, &shape, MUS_UP_Y, &mesh), MUS_BAD_INPUT, "\"length\" is 0");
  shape.kind = MUS_BODY_SHAPE_TORUS;
  shape.tube = 1;
  assert_fails(mus_body_shape_make(&arena, &shape, MUS_UP_Y, &mesh), MUS_BAD_INPUT, "make \"tube\" thinner");
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(wrong_ones)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
