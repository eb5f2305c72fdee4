// Meshes made ready for drawing. See surface.h.
#include "render/surface.h"

#include "base/error.h"
#include "par/par.h"
#include "render/colour.h"
#include "render/range.h"

// Lists the corners at each vertex by counting them.
static mus_status list_corners(mus_arena *arena, mus_render_surface *surface) {
  int corners = surface->triangles * 3;
  surface->corner_start = mus_arena_alloc_zero(arena, (size_t)surface->vertices + 2, sizeof(int));
  surface->corner = mus_arena_alloc(arena, (size_t)corners, sizeof(int));
  if (!surface->corner_start || !surface->corner)
    return mus_fail_memory();
  int *end = surface->corner_start + 1; // while filling: where the next corner of a vertex goes
  for (int i = 0; i < corners; ++i)
    ++end[surface->triangle[i] + 1];
  for (int i = 0; i < surface->vertices; ++i)
    end[i + 1] += end[i];
  for (int i = 0; i < corners; ++i)
    surface->corner[end[surface->triangle[i]]++] = i;
  return MUS_OK;
}

mus_status mus_render_surface_create(mus_arena *arena, const mus_render_mesh *mesh, mus_render_surface *out) {
  size_t corners = (size_t)mesh->triangles * 3, entries = (size_t)mesh->vertices * 3;
  if (corners > 0x7FFFFFFF || entries > 0x7FFFFFFF)
    return mus_fail(MUS_BAD_INPUT, "a mesh of %d vertices and %d triangles is too large to draw", mesh->vertices,
                    mesh->triangles);
  *out = (mus_render_surface){.vertices = mesh->vertices, .triangles = mesh->triangles};
  out->triangle = mus_arena_alloc(arena, corners, sizeof(int));
  out->position = mus_arena_alloc(arena, entries, sizeof(float));
  out->normal = mus_arena_alloc(arena, entries, sizeof(float));
  out->angle = mus_arena_alloc(arena, corners, sizeof(float));
  int painted = mesh->colour || mesh->heat;
  out->paint = painted ? mus_arena_alloc(arena, entries, sizeof(float)) : NULL;
  out->material = mesh->material ? mus_arena_alloc(arena, corners * 2, sizeof(float)) : NULL;
  if (!out->triangle || !out->position || !out->normal || !out->angle || (painted && !out->paint) ||
      (mesh->material && !out->material))
    return mus_fail_memory();
  for (size_t i = 0; i < corners; ++i)
    out->triangle[i] = mesh->triangle[i];
  for (size_t i = 0; mesh->material && i < corners * 2; ++i)
    out->material[i] = (float)mesh->material[i];
  return list_corners(arena, out);
}

static mus_float3 vertex(const mus_render_surface *surface, int i) { return mus_v3_from(&surface->position[3 * i]); }

static mus_float3 triangle_normal(const mus_render_surface *surface, int triangle) {
  const int *t = &surface->triangle[3 * triangle];
  mus_float3 a = vertex(surface, t[0]);
  return mus_v3_cross(mus_v3_subtract(vertex(surface, t[1]), a), mus_v3_subtract(vertex(surface, t[2]), a));
}

// A polynomial for acos, good to 7e-5: enough for weights, and the same with every mathematical library.
static float angle_of_cosine(float c) {
  float x = fabsf(mus_clamp(c, -1, 1));
  float a = sqrtf(1 - x) * (1.5707288f + x * (-0.2121144f + x * (0.0742610f - 0.0187293f * x)));
  return c < 0 ? 3.14159265f - a : a;
}

static void find_angles(mus_render_surface *surface) {
  MUS_PARALLEL_FOR_IF(surface->triangles > MUS_PAR_MINIMUM)
  for (int i = 0; i < surface->triangles; ++i) {
    const int *t = &surface->triangle[3 * i];
    mus_float3 edge[3];
    for (int k = 0; k < 3; ++k)
      edge[k] = mus_v3_unit(mus_v3_subtract(vertex(surface, t[(k + 1) % 3]), vertex(surface, t[k])));
    for (int k = 0; k < 3; ++k)
      surface->angle[3 * i + k] = angle_of_cosine(-mus_v3_dot(edge[k], edge[(k + 2) % 3]));
  }
}

static void find_normals(mus_render_surface *surface) {
  MUS_PARALLEL_FOR_IF(surface->vertices > MUS_PAR_MINIMUM)
  for (int i = 0; i < surface->vertices; ++i) {
    mus_float3 sum = {0, 0, 0};
    for (int k = surface->corner_start[i]; k < surface->corner_start[i + 1]; ++k) {
      int corner = surface->corner[k];
      sum = mus_v3_plus(sum, surface->angle[corner], mus_v3_unit(triangle_normal(surface, corner / 3)));
    }
    sum = mus_v3_unit(sum);
    surface->normal[3 * i] = sum.x;
    surface->normal[3 * i + 1] = sum.y;
    surface->normal[3 * i + 2] = sum.z;
  }
}

static void paint_vertices(mus_render_surface *surface, const mus_render_mesh *mesh, const mus_heat_map *heat) {
  double low = heat->low, scale = 1 / (heat->high - heat->low);
  MUS_PARALLEL_FOR_IF(surface->vertices > MUS_PAR_MINIMUM)
  for (int i = 0; i < surface->vertices; ++i) {
    mus_float3 colour = mesh->heat ? mus_heat_colour((float)((mesh->heat[i] - low) * scale))
                                   : mus_linear_from_srgb(mus_v3_from(&mesh->colour[3 * i]));
    surface->paint[3 * i] = colour.x;
    surface->paint[3 * i + 1] = colour.y;
    surface->paint[3 * i + 2] = colour.z;
  }
}

void mus_render_surface_update(mus_render_surface *surface, const mus_render_mesh *mesh, const mus_heat_map *heat) {
  int entries = surface->vertices * 3;
  MUS_PARALLEL_FOR_IF(entries > MUS_PAR_MINIMUM)
  for (int i = 0; i < entries; ++i)
    surface->position[i] = mesh->position ? (float)mesh->position[i] : mesh->position_float[i];
  surface->look = mesh->look;
  surface->look.colour = mus_linear_from_srgb(mesh->look.colour);
  surface->look.other = mus_linear_from_srgb(mesh->look.other);
  surface->look.back = mus_linear_from_srgb(mesh->look.back);
  surface->wireframe = mesh->wireframe;
  surface->shading = mesh->heat ? heat->shading : 1;
  if (surface->paint)
    paint_vertices(surface, mesh, heat);
  find_angles(surface);
  find_normals(surface);
}

// Where the smooth surface would lie (Hanika 2021): the mean of the point's projections onto the corners' tangent
// planes, as far as they lie above it on the viewer's side. Shadow rays that start there do not see the facets.
static mus_float3 raised_position(mus_float3 p, const mus_float3 corner[3], const mus_float3 normal[3],
                                  const float weight[3], float side) {
  mus_float3 raised = p;
  for (int k = 0; k < 3; ++k) {
    mus_float3 n = mus_v3_scale(side, normal[k]);
    float below = mus_v3_dot(mus_v3_subtract(p, corner[k]), n);
    if (below < 0)
      raised = mus_v3_plus(raised, -below * weight[k], n);
  }
  return raised;
}

mus_spot mus_render_surface_spot(const mus_render_surface *surface, int triangle, float u, float v,
                                 mus_float3 direction) {
  const int *t = &surface->triangle[3 * triangle];
  const float weight[3] = {1 - u - v, u, v};
  mus_float3 corner[3], normal[3];
  mus_spot spot = {.position = {0, 0, 0}, .normal = {0, 0, 0}};
  for (int k = 0; k < 3; ++k) {
    corner[k] = vertex(surface, t[k]);
    normal[k] = mus_v3_from(&surface->normal[3 * t[k]]);
    spot.position = mus_v3_plus(spot.position, weight[k], corner[k]);
    spot.normal = mus_v3_plus(spot.normal, weight[k], normal[k]);
  }
  spot.geometric = mus_v3_unit(triangle_normal(surface, triangle));
  spot.normal = mus_v3_unit(spot.normal);
  spot.back = mus_v3_dot(spot.geometric, direction) > 0;
  float side = spot.back ? -1.0f : 1.0f;
  if (mus_v3_dot(spot.normal, spot.geometric) <= 0) // folded over itself, or without area
    spot.normal = spot.geometric;
  spot.geometric = mus_v3_scale(side, spot.geometric);
  spot.normal = mus_v3_scale(side, spot.normal);
  spot.raised = raised_position(spot.position, corner, normal, weight, side);
  return spot;
}
