// What heat maps show. See heat.h.
#include "energy/heat.h"

#include <stdlib.h>

#include "base/error.h"
#include "energy/bend.h"
#include "par/par.h"

mus_status mus_heat_plan_create(mus_arena *arena, const mus_mesh *mesh, mus_heat_plan *out) {
  *out = (mus_heat_plan){.mesh = mesh};
  mus_status status = mus_topology_create(arena, mesh, &out->topology);
  if (status)
    return status;
  int parts = out->topology.hinges > mesh->triangles ? out->topology.hinges : mesh->triangles;
  out->rest = mus_arena_alloc(arena, (size_t)mesh->triangles, sizeof *out->rest);
  out->part = mus_arena_alloc(arena, (size_t)parts, sizeof *out->part);
  out->area = mus_arena_alloc(arena, (size_t)mesh->vertices, sizeof *out->area);
  if (!out->rest || !out->part || !out->area)
    return mus_fail_memory();
  for (int t = 0; t < mesh->triangles; ++t)
    if (!mus_membrane_rest_make(mesh->material + 6 * (size_t)t, &out->rest[t]))
      out->rest[t].area = 0;
  return MUS_OK;
}

static double larger(double a, double b) { return fabs(a) < fabs(b) || isnan(a) ? b : a; }

static void corners(const mus_mesh *mesh, const double *position, int t, double *x) {
  for (int k = 0; k < 3; ++k)
    for (int c = 0; c < 3; ++c)
      x[3 * k + c] = position[3 * (size_t)mesh->triangle[3 * (size_t)t + (size_t)k] + (size_t)c];
}

void mus_heat_stretch(mus_heat_plan *plan, const double *position, double *heat) {
  const mus_mesh *mesh = plan->mesh;
  MUS_PARALLEL_FOR
  for (int t = 0; t < mesh->triangles; ++t) {
    double x[9];
    mus_membrane_state state;
    plan->part[t] = NAN;
    if (plan->rest[t].area <= 0)
      continue;
    corners(mesh, position, t, x);
    mus_membrane_state_make(&plan->rest[t], x, &state);
    plan->part[t] = 100 * larger(state.length_u - 1, state.length_v - 1);
  }
  MUS_PARALLEL_FOR
  for (int v = 0; v < mesh->vertices; ++v) {
    heat[v] = NAN;
    for (int i = plan->topology.vertex_start[v]; i < plan->topology.vertex_start[v + 1]; ++i)
      heat[v] = larger(heat[v], plan->part[plan->topology.vertex_triangle[i]]);
  }
}

static double triangle_area(const mus_mesh *mesh, const double *position, int t) {
  double x[9], e[3], f[3], normal[3];
  corners(mesh, position, t, x);
  mus_subtract3(x + 3, x, e);
  mus_subtract3(x + 6, x, f);
  mus_cross3(e, f, normal);
  return sqrt(mus_dot3(normal, normal)) / 2;
}

// Replaces a vertex's number by the sum over its triangles of the sums over their corners: a mean over the neighbours
// where it is done above and below the line. `part` is workspace, a number per triangle.
static void spread(const mus_heat_plan *plan, double *number) {
  const mus_mesh *mesh = plan->mesh;
  MUS_PARALLEL_FOR
  for (int t = 0; t < mesh->triangles; ++t) {
    const int *corner = &mesh->triangle[3 * (size_t)t];
    plan->part[t] = number[corner[0]] + number[corner[1]] + number[corner[2]];
  }
  MUS_PARALLEL_FOR
  for (int v = 0; v < mesh->vertices; ++v) {
    number[v] = 0;
    for (int i = plan->topology.vertex_start[v]; i < plan->topology.vertex_start[v + 1]; ++i)
      number[v] += plan->part[plan->topology.vertex_triangle[i]];
  }
}

void mus_heat_bend(mus_heat_plan *plan, const double *position, double *heat) {
  const mus_topology *topology = &plan->topology;
  const mus_mesh *mesh = plan->mesh;
  MUS_PARALLEL_FOR
  for (int h = 0; h < topology->hinges; ++h) {
    double x[12];
    mus_hinge_state state;
    for (int k = 0; k < 4; ++k)
      for (int c = 0; c < 3; ++c)
        x[3 * k + c] = position[3 * (size_t)topology->hinge[4 * (size_t)h + (size_t)k] + (size_t)c];
    mus_hinge_state_make(x, &state);
    plan->part[h] = state.angle * state.length / 2;
  }
  for (int v = 0; v < mesh->vertices; ++v)
    heat[v] = plan->area[v] = 0;
  for (int h = 0; h < topology->hinges; ++h)
    for (int k = 0; k < 2; ++k) // the edge's ends
      heat[topology->hinge[4 * (size_t)h + (size_t)k]] += plan->part[h];
  for (int t = 0; t < mesh->triangles; ++t)
    for (int k = 0; k < 3; ++k)
      plan->area[mesh->triangle[3 * t + k]] += triangle_area(mesh, position, t) / 3;
  spread(plan, heat);
  spread(plan, plan->area);
  for (int v = 0; v < mesh->vertices; ++v)
    heat[v] = fabs(heat[v]) / plan->area[v];
}

void mus_heat_length(int vertices, const double *vector, double *heat) {
  for (int v = 0; v < vertices; ++v)
    heat[v] = sqrt(mus_dot3(vector + 3 * (size_t)v, vector + 3 * (size_t)v));
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void mus_heat_range(int count, const double *heat, double *workspace, double *low, double *high) {
  int finite = 0;
  for (int i = 0; i < count; ++i)
    if (isfinite(heat[i]))
      workspace[finite++] = heat[i];
  *low = INFINITY;
  *high = -INFINITY;
  if (finite == 0)
    return;
  qsort(workspace, (size_t)finite, sizeof *workspace, ascending);
  int outside = finite / 200;
  *low = workspace[outside];
  *high = workspace[finite - 1 - outside];
}
