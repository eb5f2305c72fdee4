// Pictures: light and shadow where formulas tell them, looks and overlays, the same bits for any number of threads,
// frame after frame, and what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "par/par.h"
#include "render/renderer.h"
#include "render/shapes.h"

static const mus_float3 grey = {0.7f, 0.7f, 0.7f};

// A quad of 2 m x 2 m that faces +z.
static shapes_quad facing_quad(void) { return shapes_make_quad(mus_v3(-1, -1, 0), mus_v3(2, 0, 0), mus_v3(0, 2, 0)); }

static void draw(const mus_render_scene *scene, const mus_render_quality *quality, mus_picture *picture) {
  mus_status status = shapes_draw(scene, quality, picture);
  if (status)
    fail_msg("%s", mus_last_error());
}

static void assert_byte(const mus_picture *picture, int x, int y, float expected) {
  float found = shapes_pixel(picture, x, y)[1];
  if (fabsf(found - expected) > 1.6f)
    fail_msg("pixel %d, %d is %g instead of %g", x, y, (double)found, (double)expected);
}

// --- light --------------------------------------------------------------------------------------------------------

static void a_quad_follows_lamberts_law(void **state) {
  (void)state;
  shapes_quad quad = facing_quad();
  mus_render_mesh mesh = shapes_quad_mesh(&quad, grey);
  const mus_float3 lights[] = {{0, 0, 1}, {0.6f, 0, 0.8f}, {0, 0.8f, 0.6f}, {0, -2, 0.5f}, {1, 0, -1}};
  mus_render_quality quality = shapes_quality(64, 48);
  for (size_t i = 0; i < sizeof lights / sizeof lights[0]; ++i) {
    mus_render_scene scene = shapes_scene(1, &mesh, lights[i]);
    mus_picture picture;
    draw(&scene, &quality, &picture);
    float cosine = fmaxf(0, mus_v3_unit(lights[i]).z), expected = shapes_byte(mus_srgb_decode(0.7f) * cosine);
    for (int x = 20; x < 44; x += 5)
      assert_byte(&picture, x, 24, expected);
    assert_byte(&picture, 0, 0, 0); // background
    mus_picture_free(&picture);
  }
  mus_render_scene scene = shapes_scene(1, &mesh, mus_v3(-0.8f, 0, 0.6f));
  mus_picture picture;
  scene.turn = 90; // to (0.6, 0, 0.8)
  draw(&scene, &quality, &picture);
  assert_byte(&picture, 32, 24, shapes_byte(mus_srgb_decode(0.7f) * 0.8f));
  mus_picture_free(&picture);
}

static void a_sphere_is_shaded_by_its_normals(void **state) {
  (void)state;
  static shapes_sphere sphere;
  shapes_make_sphere(&sphere);
  mus_render_mesh mesh = shapes_sphere_mesh(&sphere, grey);
  mus_float3 light = mus_v3_unit(mus_v3(-0.5f, 0.7f, 0.6f));
  mus_render_scene scene = shapes_scene(1, &mesh, light);
  mus_render_quality quality = shapes_quality(120, 90);
  mus_view view;
  assert_int_equal(mus_view_make(&scene.camera, 120, 90, &view), MUS_OK);
  mus_picture picture;
  draw(&scene, &quality, &picture);
  int lit = 0, dark = 0;
  for (int y = 5; y < 90; y += 5)
    for (int x = 5; x < 120; x += 5) {
      mus_float3 d = mus_v3_unit(mus_view_direction(&view, (float)x + 0.5f, (float)y + 0.5f));
      float b = mus_v3_dot(d, view.eye), root = b * b - mus_v3_dot(view.eye, view.eye) + 1;
      if (root < 0.05f) // outside, or at the outline
        continue;
      mus_float3 normal = mus_v3_plus(view.eye, -b - sqrtf(root), d);
      float cosine = mus_v3_dot(normal, light);
      if (cosine > 0.1f) {
        float expected = shapes_byte(mus_srgb_decode(0.7f) * cosine), found = shapes_pixel(&picture, x, y)[1];
        assert_true(fabsf(found - expected) < 4);
        ++lit;
      } else if (cosine < -0.1f) {
        assert_byte(&picture, x, y, 0);
        ++dark;
      }
    }
  assert_true(lit > 20);
  assert_true(dark > 5);
  mus_picture_free(&picture);
}

static void rough_surfaces_follow_oren_and_nayar(void **state) {
  (void)state;
  shapes_quad quad = facing_quad();
  mus_render_mesh mesh = shapes_quad_mesh(&quad, grey);
  mesh.look.roughness = 0.6f;
  mus_render_scene scene = shapes_scene(1, &mesh, mus_v3(0, 0, 1));
  mus_render_quality quality = shapes_quality(65, 65);
  scene.camera = (mus_camera){{0, 3, 2}, {0, 0, 0}, 20};
  scene.light[0].direction = scene.camera.eye; // from where the eye is: alpha = beta = the angle to the normal
  mus_picture picture;
  draw(&scene, &quality, &picture);
  float square = 0.36f, a = 1 - 0.5f * square / (square + 0.33f), b = 0.45f * square / (square + 0.09f);
  float cosine = 2 / sqrtf(13), sine = 3 / sqrtf(13), expected = cosine * (a + b * sine * (sine / cosine));
  assert_byte(&picture, 32, 32, shapes_byte(mus_srgb_decode(0.7f) * expected));
  mus_picture_free(&picture);
}

static void the_back_has_its_own_colour_and_lets_light_through(void **state) {
  (void)state;
  shapes_quad quad = facing_quad();
  mus_render_mesh mesh = shapes_quad_mesh(&quad, grey);
  mesh.look.has_back = 1;
  mesh.look.back = mus_v3(0.4f, 0.4f, 0.4f);
  mesh.look.translucency = 0.25f;
  mus_render_scene scene = shapes_scene(1, &mesh, mus_v3(0, 0, 1));
  mus_render_quality quality = shapes_quality(33, 33);
  mus_picture picture;
  draw(&scene, &quality, &picture);
  assert_byte(&picture, 16, 16, shapes_byte(0.75f * mus_srgb_decode(0.7f)));
  mus_picture_free(&picture);
  scene.camera.eye = mus_v3(0, 0, -4);
  draw(&scene, &quality, &picture);
  assert_byte(&picture, 16, 16, shapes_byte(0.25f * mus_srgb_decode(0.4f)));
  mus_picture_free(&picture);
}

// The part of a disc that a straight edge at distance d (in radii) from its middle leaves free.
static float free_part(float d) { return 1 - (acosf(d) - d * sqrtf(1 - d * d)) / 3.14159265f; }

// A plate of 2 m at a height of 1 m under a light of radius r: along the ground under its edge at x = 1, the light's
// disc is cut by a straight line that moves by 1 / tan r radii a metre.
static void shadows_have_the_width_that_the_light_gives_them(void **state) {
  (void)state;
  shapes_quad plate = shapes_make_quad(mus_v3(-1, 1, 4), mus_v3(2, 0, 0), mus_v3(0, 0, -8));
  mus_render_mesh mesh = shapes_quad_mesh(&plate, grey);
  mus_render_scene scene = shapes_scene(1, &mesh, mus_v3(0, 1, 0));
  scene.ground.shown = 1;
  scene.light[0].radius = atanf(0.3f);
  scene.camera = (mus_camera){{4, 1.5f, 0}, {1, 0, 0}, 40};
  mus_render_quality quality = shapes_quality(320, 200);
  mus_view view;
  assert_int_equal(mus_view_make(&scene.camera, 320, 200, &view), MUS_OK);
  mus_picture picture;
  draw(&scene, &quality, &picture);
  const float places[] = {-0.99f, -0.5f, 0, 0.5f, 0.99f}, far[] = {0.2f, 1.9f};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
    float x, y, expected = mus_srgb_decode(0.7f) * free_part(places[i]);
    mus_view_project(&view, mus_v3(1 + 0.3f * places[i], 0, 0), &x, &y);
    float found = shapes_radiance(&picture, (int)x, (int)y);
    if (fabsf(found - expected) > 0.025f)
      fail_msg("%g radii from the edge: %g instead of %g", (double)places[i], (double)found, (double)expected);
  }
  for (int i = 0; i < 2; ++i) {
    float x, y;
    mus_view_project(&view, mus_v3(far[i], 0, 0), &x, &y);
    assert_byte(&picture, (int)x, (int)y, i == 0 ? 0 : shapes_byte(mus_srgb_decode(0.7f)));
  }
  mus_picture_free(&picture);
}

// A long wall, 10 m high, hides half of the sky from its foot, and less from farther away.
static void the_sky_is_hidden_by_what_stands_before_it(void **state) {
  (void)state;
  shapes_quad wall = shapes_make_quad(mus_v3(0, -0.1f, 200), mus_v3(0, 0, -400), mus_v3(0, 10.1f, 0));
  mus_render_mesh mesh = shapes_quad_mesh(&wall, mus_v3(0, 0, 0));
  mus_render_scene scene = shapes_scene(1, &mesh, mus_v3(0, 1, 0));
  scene.lights = 0;
  scene.sky = (mus_sky){{1, 1, 1}, {1, 1, 1}, 1};
  scene.ground.shown = 1;
  scene.camera = (mus_camera){{30, 20, 0}, {0, 0, 0}, 50};
  mus_render_quality quality = shapes_quality(160, 100);
  mus_view view;
  assert_int_equal(mus_view_make(&scene.camera, 160, 100, &view), MUS_OK);
  mus_picture picture;
  draw(&scene, &quality, &picture);
  const float from_wall[] = {1, 12}; // m
  for (int i = 0; i < 2; ++i) {
    float x, y, open = 0.5f + 0.5f * from_wall[i] / hypotf(from_wall[i], 10); // by the cosine, of an endless wall
    mus_view_project(&view, mus_v3(from_wall[i], 0, 0), &x, &y);
    float found = shapes_radiance(&picture, (int)x, (int)y) / mus_srgb_decode(0.7f);
    if (fabsf(found - open) > 0.04f)
      fail_msg("%g m from the wall, %g of the sky is seen instead of %g", (double)from_wall[i], (double)found,
               (double)open);
  }
  mus_picture_free(&picture);
}

// --- looks --------------------------------------------------------------------------------------------------------

static void squares_alternate_along_the_material(void **state) {
  (void)state;
  shapes_quad quad = facing_quad();
  mus_render_mesh mesh = shapes_quad_mesh(&quad, grey);
  mesh.look.kind = MUS_LOOK_CHECKER;
  mesh.look.other = mus_v3(0.3f, 0.3f, 0.3f);
  mesh.look.size = 0.25f; // the quad's material runs from 0 to 1: half a metre of it
  mus_render_scene scene = shapes_scene(1, &mesh, mus_v3(0, 0, 1));
  mus_render_quality quality = shapes_quality(200, 200);
  mus_view view;
  assert_int_equal(mus_view_make(&scene.camera, 200, 200, &view), MUS_OK);
  mus_picture picture;
  draw(&scene, &quality, &picture);
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) {
      float x, y, value = (i + j) % 2 == 0 ? 0.7f : 0.3f;
      mus_view_project(&view, mus_v3(-0.75f + 0.5f * (float)i, -0.75f + 0.5f * (float)j, 0), &x, &y);
      assert_byte(&picture, (int)x, (int)y, 255 * value);
    }
  mus_picture_free(&picture);
}

// Counts the pixels at which two pictures differ, within columns from ... to.
static int differing(const mus_picture *a, const mus_picture *b, int from, int to) {
  int count = 0;
  for (int y = 0; y < a->height; ++y)
    for (int x = from; x < to; ++x)
      count += memcmp(shapes_pixel(a, x, y), shapes_pixel(b, x, y), 3) != 0;
  return count;
}

static void wireframes_darken_edges_and_nothing_else(void **state) {
  (void)state;
  shapes_quad quad = facing_quad();
  mus_render_mesh mesh = shapes_quad_mesh(&quad, grey);
  mus_render_scene scene = shapes_scene(1, &mesh, mus_v3(0, 0, 1));
  mus_render_quality quality = shapes_quality(100, 100);
  mus_picture plain, wired;
  draw(&scene, &quality, &plain);
  mesh.wireframe = 1;
  draw(&scene, &quality, &wired);
  for (int k = 25; k < 75; ++k) // the diagonal from the lower left to the upper right
    assert_true(shapes_pixel(&wired, k, 99 - k)[1] < shapes_pixel(&plain, k, 99 - k)[1] - 60);
  for (int k = 30; k < 70; ++k) {
    assert_memory_equal(shapes_pixel(&wired, k, 95 - k), shapes_pixel(&plain, k, 95 - k), 3);
    assert_memory_equal(shapes_pixel(&wired, k, 103 - k), shapes_pixel(&plain, k, 103 - k), 3);
  }
  assert_memory_equal(shapes_pixel(&wired, 2, 2), shapes_pixel(&plain, 2, 2), 3);
  assert_in_range(differing(&plain, &wired, 0, 100), 100, 1200);
  mus_picture_free(&plain);
  mus_picture_free(&wired);
}

static void heat_maps_show_numbers_as_colours(void **state) {
  (void)state;
  shapes_quad quad = facing_quad();
  mus_render_mesh mesh = shapes_quad_mesh(&quad, grey);
  const double heat[4] = {-2, 6, 6, -2}; // from left to right
  mesh.heat = heat;
  mus_render_scene scene = shapes_scene(1, &mesh, mus_v3(0, 0, 1));
  scene.heat.legend = 0;
  mus_render_quality quality = shapes_quality(100, 100);
  mus_picture picture, with_legend;
  draw(&scene, &quality, &picture);
  float left, right, y;
  mus_view view;
  assert_int_equal(mus_view_make(&scene.camera, 100, 100, &view), MUS_OK);
  mus_view_project(&view, mus_v3(-1, 0, 0), &left, &y);
  mus_view_project(&view, mus_v3(1, 0, 0), &right, &y);
  for (int x = (int)left + 3; x < (int)right - 3; x += 5) {
    float t = ((float)x + 0.5f - left) / (right - left);
    mus_float3 expected = mus_heat_colour(t); // the map's vertices are mixed linearly, which is near it at both ends
    const unsigned char *found = shapes_pixel(&picture, x, 50);
    if (t < 0.04f || t > 0.96f) {
      assert_true(fabsf(found[0] - 255 * mus_srgb_encode(expected.x)) < 12);
      assert_true(fabsf(found[1] - 255 * mus_srgb_encode(expected.y)) < 12);
    }
  }
  scene.heat.legend = 1;
  scene.heat.title = "stretch";
  draw(&scene, &quality, &with_legend);
  assert_int_equal(differing(&picture, &with_legend, 0, 25), 0);
  assert_true(differing(&picture, &with_legend, 50, 100) > 500);
  mus_picture_free(&picture);
  mus_picture_free(&with_legend);
}

static void colours_of_vertices_replace_the_look(void **state) {
  (void)state;
  shapes_quad quad = facing_quad();
  mus_render_mesh mesh = shapes_quad_mesh(&quad, mus_v3(0, 0, 0));
  const float colour[12] = {0.6f, 0.2f, 0.4f, 0.6f, 0.2f, 0.4f, 0.6f, 0.2f, 0.4f, 0.6f, 0.2f, 0.4f};
  mesh.colour = colour;
  mus_render_scene scene = shapes_scene(1, &mesh, mus_v3(0, 0, 1));
  mus_render_quality quality = shapes_quality(33, 33);
  mus_picture picture;
  draw(&scene, &quality, &picture);
  const unsigned char *found = shapes_pixel(&picture, 16, 16);
  for (int k = 0; k < 3; ++k)
    assert_true(fabsf(found[k] - 255 * colour[k]) < 1.6f);
  mus_picture_free(&picture);
}

// --- frames and threads -------------------------------------------------------------------------------------------

// A sheet with waves, everything switched on.
enum { SIDE = 40 };
typedef struct wavy {
  double position[SIDE * SIDE * 3], heat[SIDE * SIDE];
  double material[(SIDE - 1) * (SIDE - 1) * 12];
  int triangle[(SIDE - 1) * (SIDE - 1) * 6];
} wavy;

static void pose_wavy(wavy *sheet, double time) {
  for (int k = 0; k < SIDE * SIDE; ++k) {
    double u = (double)(k % SIDE) / (SIDE - 1), v = (double)(k / SIDE) / (SIDE - 1);
    sheet->position[3 * k] = u;
    sheet->position[3 * k + 1] = 0.08 * sin(9 * u + 4 * v + time);
    sheet->position[3 * k + 2] = v;
    sheet->heat[k] = u * v;
  }
}

static void make_wavy(wavy *sheet) {
  int *t = sheet->triangle;
  for (int j = 0; j + 1 < SIDE; ++j)
    for (int i = 0; i + 1 < SIDE; ++i) {
      int a = j * SIDE + i, c = a + SIDE;
      const int corners[6] = {a, c, c + 1, a, c + 1, a + 1};
      memcpy(t, corners, sizeof corners);
      t += 6;
    }
  for (int k = 0; k < (SIDE - 1) * (SIDE - 1) * 6; ++k) {
    sheet->material[2 * k] = (double)(sheet->triangle[k] % SIDE) / (SIDE - 1);
    sheet->material[2 * k + 1] = (double)(sheet->triangle[k] / SIDE) / (SIDE - 1);
  }
  pose_wavy(sheet, 0);
}

static mus_render_mesh wavy_mesh(const wavy *sheet) {
  mus_render_mesh mesh = mus_default_render_mesh();
  mesh.vertices = SIDE * SIDE;
  mesh.triangles = (SIDE - 1) * (SIDE - 1) * 2;
  mesh.position = sheet->position;
  mesh.material = sheet->material;
  mesh.triangle = sheet->triangle;
  mesh.look.size = 0.02f;
  return mesh;
}

static mus_render_scene wavy_scene(const mus_render_mesh *mesh) {
  mus_render_scene scene = mus_default_render_scene();
  mus_camera_wish wish = mus_default_camera_wish();
  mus_framing framing;
  scene.meshes = 1;
  scene.mesh = mesh;
  assert_int_equal(mus_framing_begin(&wish, 1.5f, &framing), MUS_OK);
  mus_framing_add(&framing, SIDE * SIDE, mesh->position);
  assert_int_equal(mus_scene_frame(&scene, &framing), MUS_OK);
  scene.caption = "frame 12";
  return scene;
}

static void pictures_do_not_depend_on_the_number_of_threads(void **state) {
  (void)state;
  static wavy sheet;
  make_wavy(&sheet);
  mus_render_mesh mesh = wavy_mesh(&sheet);
  mesh.wireframe = 1;
  mus_render_scene scene = wavy_scene(&mesh);
  mus_render_quality quality = shapes_quality(201, 134);
  mus_picture first, other;
  const int threads[] = {2, 7};
  int before = mus_par_set_threads(1);
  draw(&scene, &quality, &first);
  for (int i = 0; i < 2; ++i) {
    mus_par_set_threads(threads[i]);
    draw(&scene, &quality, &other);
    assert_memory_equal(first.pixel, other.pixel, 201 * 134 * 3);
    mus_picture_free(&other);
  }
  mus_par_set_threads(before);
  mus_picture_free(&first);
}

static void a_frame_is_the_same_alone_and_after_others(void **state) {
  (void)state;
  static wavy sheet;
  make_wavy(&sheet);
  mus_render_mesh mesh = wavy_mesh(&sheet);
  mus_render_scene scene = wavy_scene(&mesh);
  mus_render_quality quality = shapes_quality(120, 80);
  mus_renderer *renderer;
  mus_picture picture, alone;
  assert_int_equal(mus_renderer_create(&scene, &quality, &renderer), MUS_OK);
  assert_int_equal(mus_picture_create(120, 80, &picture), MUS_OK);
  for (int frame = 0; frame < 3; ++frame) {
    pose_wavy(&sheet, 0.7 * frame);
    assert_int_equal(mus_renderer_draw(renderer, &scene, &picture), MUS_OK);
    draw(&scene, &quality, &alone);
    assert_memory_equal(picture.pixel, alone.pixel, 120 * 80 * 3);
    mus_picture_free(&alone);
  }
  mus_picture_free(&picture);
  mus_renderer_free(renderer);
}

static void single_and_double_precision_draw_the_same(void **state) {
  (void)state;
  static wavy sheet;
  static float position[SIDE * SIDE * 3];
  make_wavy(&sheet);
  mus_render_mesh mesh = wavy_mesh(&sheet);
  mus_render_scene scene = wavy_scene(&mesh);
  mus_render_quality quality = shapes_quality(60, 40);
  mus_picture first, second;
  draw(&scene, &quality, &first);
  for (int i = 0; i < SIDE * SIDE * 3; ++i)
    position[i] = (float)sheet.position[i];
  mesh.position = NULL;
  mesh.position_float = position;
  draw(&scene, &quality, &second);
  assert_memory_equal(first.pixel, second.pixel, 60 * 40 * 3);
  mus_picture_free(&first);
  mus_picture_free(&second);
}

// --- what is refused ----------------------------------------------------------------------------------------------

static void other_meshes_are_refused(void **state) {
  (void)state;
  static wavy sheet;
  make_wavy(&sheet);
  shapes_quad quad = facing_quad();
  mus_render_mesh mesh = wavy_mesh(&sheet), other = shapes_quad_mesh(&quad, grey);
  mus_render_scene scene = wavy_scene(&mesh);
  mus_render_quality quality = shapes_quality(16, 16);
  mus_renderer *renderer;
  mus_picture picture, wrong;
  assert_int_equal(mus_renderer_create(&scene, &quality, &renderer), MUS_OK);
  assert_int_equal(mus_picture_create(16, 16, &picture), MUS_OK);
  assert_int_equal(mus_picture_create(16, 17, &wrong), MUS_OK);
  assert_int_equal(mus_renderer_draw(renderer, &scene, &wrong), MUS_BAD_INPUT);
  mesh.heat = sheet.heat; // a renderer made for no heat has no place for it
  assert_int_equal(mus_renderer_draw(renderer, &scene, &picture), MUS_BAD_INPUT);
  mesh.heat = NULL;
  sheet.position[100] = NAN;
  assert_int_equal(mus_renderer_draw(renderer, &scene, &picture), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "vertex 33"));
  sheet.position[100] = 0;
  scene.mesh = &other;
  assert_int_equal(mus_renderer_draw(renderer, &scene, &picture), MUS_BAD_INPUT);
  scene.mesh = &mesh;
  scene.camera.eye = scene.camera.target;
  assert_int_equal(mus_renderer_draw(renderer, &scene, &picture), MUS_BAD_INPUT);
  mus_picture_free(&picture);
  mus_picture_free(&wrong);
  mus_renderer_free(renderer);
}

static void degenerate_triangles_are_drawn_without_harm(void **state) {
  (void)state;
  double position[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0};
  const int triangle[9] = {0, 1, 2, 0, 0, 0, 0, 1, 3};
  mus_render_mesh mesh = shapes_plain_mesh(grey);
  mesh.vertices = 4;
  mesh.triangles = 3;
  mesh.position = position;
  mesh.triangle = triangle;
  mus_render_scene scene = shapes_scene(1, &mesh, mus_v3(0, 0, 1));
  mus_render_quality quality = shapes_quality(100, 100);
  mus_picture picture;
  draw(&scene, &quality, &picture);
  assert_byte(&picture, 55, 45, shapes_byte(mus_srgb_decode(0.7f)));
  mus_picture_free(&picture);
  for (int i = 0; i < 12; ++i)
    position[i] = 1;
  draw(&scene, &quality, &picture);
  mus_picture_free(&picture);
}

static void failing_allocations_are_reported(void **state) {
  (void)state;
  shapes_quad quad = facing_quad();
  mus_render_mesh mesh = shapes_quad_mesh(&quad, grey);
  mus_render_scene scene = shapes_scene(1, &mesh, mus_v3(0, 0, 1));
  mus_render_quality quality = shapes_quality(9, 9);
  long n = 0;
  for (mus_status status = MUS_OUT_OF_MEMORY; status; ++n) {
    mus_picture picture;
    assert_true(n < 100);
    mus_memory_fail_after(n);
    status = shapes_draw(&scene, &quality, &picture);
    mus_memory_fail_after(-1);
    mus_picture_free(&picture);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
  }
  assert_true(n > 10);
}

static void without_embree_the_answer_is_unsupported(void **state) {
  (void)state;
  shapes_quad quad = facing_quad();
  mus_render_mesh mesh = shapes_quad_mesh(&quad, grey);
  mus_render_scene scene = shapes_scene(1, &mesh, mus_v3(0, 0, 1));
  mus_render_quality quality = shapes_quality(9, 9);
  mus_picture picture;
  mus_status status = shapes_draw(&scene, &quality, &picture);
  assert_int_equal(status, shapes_can_draw() ? MUS_OK : MUS_UNSUPPORTED);
  mus_picture_free(&picture);
}

int main(void) {
  const struct CMUnitTest without_embree[] = {cmocka_unit_test(without_embree_the_answer_is_unsupported)};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_embree_the_answer_is_unsupported),
      cmocka_unit_test(a_quad_follows_lamberts_law),
      cmocka_unit_test(a_sphere_is_shaded_by_its_normals),
      cmocka_unit_test(rough_surfaces_follow_oren_and_nayar),
      cmocka_unit_test(the_back_has_its_own_colour_and_lets_light_through),
      cmocka_unit_test(shadows_have_the_width_that_the_light_gives_them),
      cmocka_unit_test(the_sky_is_hidden_by_what_stands_before_it),
      cmocka_unit_test(squares_alternate_along_the_material),
      cmocka_unit_test(wireframes_darken_edges_and_nothing_else),
      cmocka_unit_test(heat_maps_show_numbers_as_colours),
      cmocka_unit_test(colours_of_vertices_replace_the_look),
      cmocka_unit_test(pictures_do_not_depend_on_the_number_of_threads),
      cmocka_unit_test(a_frame_is_the_same_alone_and_after_others),
      cmocka_unit_test(single_and_double_precision_draw_the_same),
      cmocka_unit_test(other_meshes_are_refused),
      cmocka_unit_test(degenerate_triangles_are_drawn_without_harm),
      cmocka_unit_test(failing_allocations_are_reported),
  };
  if (!shapes_can_draw())
    return cmocka_run_group_tests(without_embree, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
