// The colour of a place on a surface. See shade.h.
#include "render/shade.h"

#include "base/random.h"
#include "render/range.h"

// What the look comes to at one place.
typedef struct surface_matter {
  mus_float3 colour; // linear
  mus_float3 normal; // with the threads' relief
} surface_matter;

// --- patterns -----------------------------------------------------------------------------------------------------

// A wave of period 2 that is +1 and -1 in turn, averaged over a window of the given width.
static float square_wave(float x, float width) {
  width = fmaxf(width, 1e-4f);
  float a = (x - 0.5f * width) / 2, b = (x + 0.5f * width) / 2;
  float from = fabsf(a - floorf(a) - 0.5f), to = fabsf(b - floorf(b) - 0.5f); // triangle waves: its integral
  return mus_clamp(2 * (from - to) / width, -1, 1);
}

static mus_float3 checker_colour(const mus_surface_look *look, mus_float3 base, float u, float v, float pixel) {
  float width = pixel / look->size;
  float wave = square_wave(u / look->size, width) * square_wave(v / look->size, width);
  return mus_v3_mix(base, look->other, 0.5f - 0.5f * wave);
}

// Threads differ a little, as yarn does: -1 to 1 for each.
static float thread_tint(int direction, float index) {
  return (float)mus_random((uint64_t)direction, (uint64_t)(int64_t)index);
}

// Plain weave: warp threads run along u, weft threads along v, and they pass over each other in turn. Each shows a
// rounded top. The relief fades into its mean where threads are smaller than pixels.
static surface_matter weave(const mus_surface_look *look, mus_float3 base, float u, float v, float pixel,
                            const mus_spot *spot, mus_float3 along_u, mus_float3 along_v) {
  float a = u / look->size, b = v / look->size, i = floorf(a), j = floorf(b);
  float across_u = a - i - 0.5f, across_v = b - j - 0.5f;
  int warp_on_top = ((int64_t)i + (int64_t)j) % 2 == 0;
  float detail = 1 - mus_smoothstep(0.18f, 0.5f, pixel / look->size);
  float coarse = 1 - mus_smoothstep(2.0f, 8.0f, pixel / look->size); // tints are seen longer than threads
  mus_float3 mean = mus_v3_mix(base, look->other, 0.5f), top = warp_on_top ? base : look->other;
  float across = warp_on_top ? across_v : across_u, along = warp_on_top ? across_u : across_v;
  float shade = 1.19f - 1.3f * across * across - 0.7f * along * along;
  float tint = 0.5f * (thread_tint(0, j) + thread_tint(1, i));
  mus_float3 colour = mus_v3_mix(mean, mus_v3_scale(shade, top), detail);
  colour = mus_v3_scale(1 + 0.05f * coarse * tint, colour);
  float slope_u = (warp_on_top ? 0.5f : 1.1f) * across_u * detail;
  float slope_v = (warp_on_top ? 1.1f : 0.5f) * across_v * detail;
  mus_float3 normal = mus_v3_plus(mus_v3_plus(spot->normal, slope_u, along_u), slope_v, along_v);
  return (surface_matter){colour, mus_v3_unit(normal)};
}

// Unit vectors on the surface along which u and v grow; zero where the material has no area.
static void material_axes(const mus_render_surface *surface, int triangle, mus_float3 *along_u, mus_float3 *along_v) {
  const int *t = &surface->triangle[3 * triangle];
  const float *m = &surface->material[6 * triangle];
  mus_float3 a = mus_v3_from(&surface->position[3 * t[0]]);
  mus_float3 p = mus_v3_subtract(mus_v3_from(&surface->position[3 * t[1]]), a);
  mus_float3 q = mus_v3_subtract(mus_v3_from(&surface->position[3 * t[2]]), a);
  float u1 = m[2] - m[0], v1 = m[3] - m[1], u2 = m[4] - m[0], v2 = m[5] - m[1];
  float sign = u1 * v2 - u2 * v1 < 0 ? -1.0f : 1.0f;
  *along_u = mus_v3_unit(mus_v3_scale(sign, mus_v3_plus(mus_v3_scale(v2, p), -v1, q)));
  *along_v = mus_v3_unit(mus_v3_scale(sign, mus_v3_plus(mus_v3_scale(u1, q), -u2, p)));
}

static mus_float3 painted_colour(const mus_render_surface *surface, const mus_sight *sight) {
  const int *t = &surface->triangle[3 * sight->triangle];
  mus_float3 colour = mus_v3_scale(1 - sight->u - sight->v, mus_v3_from(&surface->paint[3 * t[0]]));
  colour = mus_v3_plus(colour, sight->u, mus_v3_from(&surface->paint[3 * t[1]]));
  return mus_v3_plus(colour, sight->v, mus_v3_from(&surface->paint[3 * t[2]]));
}

static surface_matter find_matter(const mus_render_surface *surface, const mus_sight *sight) {
  const mus_surface_look *look = &surface->look;
  surface_matter plain = {sight->spot.back && look->has_back ? look->back : look->colour, sight->spot.normal};
  if (surface->paint) {
    plain.colour = painted_colour(surface, sight);
    return plain;
  }
  if (look->kind == MUS_LOOK_PLAIN || !surface->material)
    return plain;
  const float *m = &surface->material[6 * sight->triangle];
  float w = 1 - sight->u - sight->v;
  float u = w * m[0] + sight->u * m[2] + sight->v * m[4], v = w * m[1] + sight->u * m[3] + sight->v * m[5];
  // Four rays per pixel let each see about half of it. At an angle it covers more, but that only one way.
  float facing = fmaxf(0.2f, -mus_v3_dot(sight->direction, sight->spot.normal)), pixel = 0.6f * sight->pixel;
  if (look->kind == MUS_LOOK_CHECKER) {
    plain.colour = checker_colour(look, plain.colour, u, v, pixel / sqrtf(facing));
    return plain;
  }
  mus_float3 along_u, along_v;
  material_axes(surface, sight->triangle, &along_u, &along_v);
  return weave(look, plain.colour, u, v, pixel / facing, &sight->spot, along_u, along_v);
}

// --- light --------------------------------------------------------------------------------------------------------

// Oren and Nayar 1994, their qualitative model: the factor on Lambert's law. n_l and n_v are cosines above 0.
static float rough_factor(float roughness, float n_l, float n_v, float l_v) {
  float square = roughness * roughness;
  float a = 1 - 0.5f * square / (square + 0.33f), b = 0.45f * square / (square + 0.09f);
  float s = l_v - n_l * n_v;
  return s > 0 ? a + b * s / fmaxf(n_l, n_v) : a;
}

// Light that is thrown to and fro in a fold makes up for a part of the sky that the fold hides, the more the brighter
// the matter: the fit of Jimenez and others 2016. Returns the factor on the light of the open part.
static float many_bounces(float open, float albedo) {
  float a = 2.0404f * albedo - 0.3324f, b = 4.7951f * albedo - 0.6417f, c = 2.7552f * albedo + 0.6903f;
  return fmaxf(1, (open * a - b) * open + c);
}

static mus_float3 sky_light(const surface_matter *matter, const mus_lit *lit) {
  float open = lit->channel[MUS_OPEN];
  mus_float3 factor = {many_bounces(open, matter->colour.x), many_bounces(open, matter->colour.y),
                       many_bounces(open, matter->colour.z)};
  return mus_v3_times(factor, mus_v3_from(&lit->channel[MUS_SKY]));
}

mus_float3 mus_shade_mesh(const mus_world *world, const mus_sight *sight, const mus_lit *lit) {
  const mus_render_surface *surface = &world->surface[sight->mesh];
  const mus_surface_look *look = &surface->look;
  surface_matter matter = find_matter(surface, sight);
  mus_float3 eye = mus_v3_scale(-1, sight->direction), sky = sky_light(&matter, lit), light = sky;
  float n_v = mus_clamp(mus_v3_dot(matter.normal, eye), 0.02f, 1);
  mus_float3 fuzz = sky; // what fibres that stand out of the surface get, which no fold's slope shades
  for (int i = 0; i < world->lights; ++i) {
    const mus_world_light *from = &world->light[i];
    float n_l = mus_v3_dot(matter.normal, from->direction), amount;
    if (n_l > 0)
      amount =
          (1 - look->translucency) * n_l * rough_factor(look->roughness, n_l, n_v, mus_v3_dot(from->direction, eye));
    else
      amount = -n_l * look->translucency;
    light = mus_v3_plus(light, lit->channel[MUS_SEEN + i] * amount, from->colour);
    fuzz = mus_v3_plus(fuzz, lit->channel[MUS_SEEN + i] * fmaxf(0, 0.5f + 0.5f * n_l), from->colour);
  }
  if (surface->shading < 1)
    light = mus_v3_mix(mus_v3(1, 1, 1), light, surface->shading);
  float edge = 1 - n_v, rim = surface->shading * look->sheen * edge * edge * edge;
  mus_float3 fibre = mus_v3_mix(matter.colour, mus_v3(1, 1, 1), 0.35f);
  return mus_v3_plus(mus_v3_times(matter.colour, light), rim, mus_v3_times(fibre, fuzz));
}

mus_float3 mus_shade_ground(const mus_world *world, const mus_lit *lit) {
  mus_float3 light = mus_v3_from(&lit->channel[MUS_SKY]);
  for (int i = 0; i < world->lights; ++i)
    light =
        mus_v3_plus(light, lit->channel[MUS_SEEN + i] * fmaxf(0, world->light[i].direction.y), world->light[i].colour);
  return mus_v3_times(world->ground_colour, light);
}

// --- wireframe ----------------------------------------------------------------------------------------------------

float mus_wire_cover(const mus_world *world, const mus_view *view, const mus_sight *sight) {
  const mus_render_surface *surface = &world->surface[sight->mesh];
  const int *t = &surface->triangle[3 * sight->triangle];
  float x[3], y[3], nearest = 1e9f, lowest = 1e9f;
  for (int k = 0; k < 3; ++k)
    if (mus_view_project(view, mus_v3_from(&surface->position[3 * t[k]]), &x[k], &y[k]) <= 0)
      return 0;
  float area = fabsf((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]));
  for (int k = 0; k < 3; ++k) {
    int next = (k + 1) % 3;
    float dx = x[next] - x[k], dy = y[next] - y[k], length = fmaxf(sqrtf(dx * dx + dy * dy), 1e-6f);
    float distance = fabsf(dx * (sight->y - y[k]) - dy * (sight->x - x[k])) / length;
    nearest = fminf(nearest, distance);
    lowest = fminf(lowest, area / length);
  }
  const float half_width = 0.45f;
  return mus_clamp(half_width + 0.5f - nearest, 0, 1) * mus_smoothstep(0.8f, 5, lowest);
}
