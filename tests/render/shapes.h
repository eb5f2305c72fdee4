// Small meshes and plain scenes for the tests of pictures: surfaces that follow Lambert's law, one light, no sky.
#ifndef TESTS_RENDER_SHAPES_H
#define TESTS_RENDER_SHAPES_H

#include "base/memory.h"
#include "render/colour.h"
#include "render/embree.h"
#include "render/range.h"
#include "render/renderer.h"

// Whether Embree is built in.
static inline int shapes_can_draw(void) { return mus_tracer_version()[0] != 0; }

static inline mus_render_mesh shapes_plain_mesh(mus_float3 colour) {
  mus_render_mesh mesh = mus_default_render_mesh();
  mesh.look = (mus_surface_look){.kind = MUS_LOOK_PLAIN, .colour = colour, .size = 1};
  return mesh;
}

// A parallelogram from a corner along two edges; its front is where edge_u x edge_v points.
typedef struct shapes_quad {
  double position[12], material[12];
  int triangle[6];
} shapes_quad;

static inline shapes_quad shapes_make_quad(mus_float3 corner, mus_float3 edge_u, mus_float3 edge_v) {
  shapes_quad quad = {.triangle = {0, 1, 2, 0, 2, 3}};
  const float u[4] = {0, 1, 1, 0}, v[4] = {0, 0, 1, 1};
  for (int i = 0; i < 4; ++i) {
    mus_float3 p = mus_v3_plus(mus_v3_plus(corner, u[i], edge_u), v[i], edge_v);
    quad.position[3 * i] = (double)p.x;
    quad.position[3 * i + 1] = (double)p.y;
    quad.position[3 * i + 2] = (double)p.z;
  }
  for (int k = 0; k < 6; ++k) {
    quad.material[2 * k] = (double)u[quad.triangle[k]];
    quad.material[2 * k + 1] = (double)v[quad.triangle[k]];
  }
  return quad;
}

static inline mus_render_mesh shapes_quad_mesh(const shapes_quad *quad, mus_float3 colour) {
  mus_render_mesh mesh = shapes_plain_mesh(colour);
  mesh.vertices = 4;
  mesh.triangles = 2;
  mesh.position = quad->position;
  mesh.triangle = quad->triangle;
  mesh.material = quad->material;
  return mesh;
}

// A unit sphere around the origin with so many rings of twice as many segments.
enum { SHAPES_RINGS = 60, SHAPES_SEGMENTS = 120 };
typedef struct shapes_sphere {
  float position[(SHAPES_RINGS + 1) * SHAPES_SEGMENTS * 3];
  int triangle[SHAPES_RINGS * SHAPES_SEGMENTS * 6];
} shapes_sphere;

static inline void shapes_make_sphere(shapes_sphere *sphere) {
  const double pi = 3.14159265358979;
  for (int j = 0; j <= SHAPES_RINGS; ++j)
    for (int i = 0; i < SHAPES_SEGMENTS; ++i) {
      double down = pi * j / SHAPES_RINGS, around = 2 * pi * i / SHAPES_SEGMENTS;
      float *p = &sphere->position[3 * (j * SHAPES_SEGMENTS + i)];
      p[0] = (float)(sin(down) * sin(around));
      p[1] = (float)cos(down);
      p[2] = (float)(sin(down) * cos(around));
    }
  int *t = sphere->triangle;
  for (int j = 0; j < SHAPES_RINGS; ++j)
    for (int i = 0; i < SHAPES_SEGMENTS; ++i) {
      int next = (i + 1) % SHAPES_SEGMENTS, a = j * SHAPES_SEGMENTS + i, b = j * SHAPES_SEGMENTS + next;
      int c = a + SHAPES_SEGMENTS, d = b + SHAPES_SEGMENTS;
      const int corners[6] = {a, c, d, a, d, b};
      for (int k = 0; k < 6; ++k)
        *t++ = corners[k];
    }
}

static inline mus_render_mesh shapes_sphere_mesh(const shapes_sphere *sphere, mus_float3 colour) {
  mus_render_mesh mesh = shapes_plain_mesh(colour);
  mesh.vertices = (SHAPES_RINGS + 1) * SHAPES_SEGMENTS;
  mesh.triangles = SHAPES_RINGS * SHAPES_SEGMENTS * 2;
  mesh.position_float = sphere->position;
  mesh.triangle = sphere->triangle;
  return mesh;
}

// White light of strength 1 and no width from `light`; no sky, no ground, black background.
static inline mus_render_scene shapes_scene(int meshes, const mus_render_mesh *mesh, mus_float3 light) {
  mus_render_scene scene = mus_default_render_scene();
  scene.meshes = meshes;
  scene.mesh = mesh;
  scene.lights = 1;
  scene.light[0] = (mus_light){.direction = light, .colour = {1, 1, 1}, .strength = 1};
  scene.sky.strength = 0;
  scene.ground = (mus_ground){.shown = 0, .colour = {0.7f, 0.7f, 0.7f}, .fade = 1e6f};
  scene.background_top = scene.background_bottom = mus_v3(0, 0, 0);
  scene.camera = (mus_camera){{0, 0, 4}, {0, 0, 0}, 40};
  return scene;
}

static inline mus_render_quality shapes_quality(int width, int height) {
  mus_render_quality quality = mus_default_render_quality();
  quality.width = width;
  quality.height = height;
  return quality;
}

// Draws a scene anew; the caller frees the picture.
static inline mus_status shapes_draw(const mus_render_scene *scene, const mus_render_quality *quality,
                                     mus_picture *picture) {
  mus_renderer *renderer = NULL;
  *picture = (mus_picture){0};
  mus_status status = mus_renderer_create(scene, quality, &renderer);
  if (!status)
    status = mus_picture_create(quality->width, quality->height, picture);
  if (!status)
    status = mus_renderer_draw(renderer, scene, picture);
  mus_renderer_free(renderer);
  return status;
}

static inline const unsigned char *shapes_pixel(const mus_picture *picture, int x, int y) {
  return &picture->pixel[3 * (y * picture->width + x)];
}

// The byte that a linear radiance is shown as, before rounding.
static inline float shapes_byte(float radiance) {
  mus_float3 shown = mus_tone_map(mus_v3(radiance, radiance, radiance));
  return 255 * mus_srgb_encode(mus_clamp(shown.x, 0, 1));
}

// What a grey pixel stands for, as long as it is below the tone map's knee.
static inline float shapes_radiance(const mus_picture *picture, int x, int y) {
  return mus_srgb_decode((float)shapes_pixel(picture, x, y)[1] / 255);
}

#endif
