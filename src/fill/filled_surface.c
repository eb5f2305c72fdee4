// See filled_surface.h.
#include "fill/filled_surface.h"

#include <math.h>

#include "base/error.h"
#include "base/vector3.h"
#include "collide/winding.h"
#include "mesh/repair.h"
#include "mesh/topology.h"
#include "par/par.h"

struct mus_filled_surface {
  mus_arena arena;
  mus_mesh mesh; // repaired
  mus_surface surface;
  mus_winding *winding;
  int closed;   // the winding number changes only at triangles
  double reach; // where it is not closed: distances beyond are of no interest
};

static mus_status repair(mus_filled_surface *f, const mus_mesh *mesh, size_t size, char *repairs) {
  mus_mesh shape = *mesh;
  mus_repair_record record;
  shape.material = NULL; // which has no say
  mus_status status =
      mus_mesh_repair(&f->arena, &shape, MUS_REPAIR_USUAL | MUS_REPAIR(MUS_DEFECT_COINCIDENT), &f->mesh, &record);
  if (!status && repairs)
    mus_repair_text(&record, size, repairs);
  return status;
}

static mus_status find_holes(mus_filled_surface *f) {
  mus_topology topology;
  mus_mesh_report report;
  mus_status status = mus_topology_create(&f->arena, &f->mesh, &topology);
  if (!status)
    status = mus_mesh_check(&f->mesh, &report);
  if (!status)
    f->closed = topology.boundary_edges + topology.branching_edges + report.count[MUS_DEFECT_TURNED] == 0;
  return status;
}

static mus_status find_inside(mus_filled_surface *f) {
  int *body = mus_arena_alloc_zero(&f->arena, (size_t)f->mesh.vertices, sizeof *body);
  double *radius = mus_arena_alloc(&f->arena, (size_t)f->mesh.vertices, sizeof *radius);
  if (!body || !radius)
    return mus_fail_memory();
  for (int v = 0; v < f->mesh.vertices; ++v)
    radius[v] = 1; // surfaces that collide have a thickness, which means nothing here
  mus_surface_parts parts = {.vertices = f->mesh.vertices,
                             .triangles = f->mesh.triangles,
                             .triangle = f->mesh.triangle,
                             .body = body,
                             .radius = radius};
  mus_status status = mus_surface_create(&f->arena, &parts, &f->surface);
  if (!status)
    status = mus_winding_create_of_all(&f->surface, f->mesh.position, &f->winding);
  if (!status && (f->mesh.triangles == 0 || !mus_winding_is_solid(f->winding, 0)))
    status = mus_fail(MUS_BAD_INPUT, "the surface has no area: check that this is a mesh");
  return status ? status : find_holes(f);
}

mus_status mus_filled_surface_create(const mus_mesh *mesh, size_t size, char *repairs, mus_filled_surface **out) {
  mus_filled_surface *f = mus_alloc_zero(1, sizeof *f);
  if (!f)
    return mus_fail_memory();
  mus_status status = repair(f, mesh, size, repairs);
  if (!status)
    status = find_inside(f);
  if (status)
    mus_filled_surface_free(f);
  else
    *out = f;
  return status;
}

void mus_filled_surface_free(mus_filled_surface *surface) {
  if (!surface)
    return;
  mus_winding_free(surface->winding);
  mus_arena_clear(&surface->arena);
  mus_free(surface);
}

static double distance(const void *data, const double p[3]) {
  const mus_filled_surface *f = data;
  mus_surface_point nearest;
  double away = f->reach;
  if (mus_winding_closest(f->winding, p, (mus_winding_filter){.reach = f->closed ? 0 : f->reach}, &nearest))
    away = nearest.distance;
  return mus_winding_is_inside(f->winding, p) ? -away : away;
}

mus_box mus_filled_surface_box(const mus_filled_surface *surface) { return mus_mesh_box(&surface->mesh); }

const mus_mesh *mus_filled_surface_mesh(const mus_filled_surface *surface) { return &surface->mesh; }

int mus_filled_surface_is_closed(const mus_filled_surface *surface) { return surface->closed; }

double mus_filled_surface_number(const mus_filled_surface *surface, const double p[3]) {
  return mus_winding_number(surface->winding, p);
}

int mus_filled_surface_is_inside(const mus_filled_surface *surface, const double p[3]) {
  return mus_winding_is_inside(surface->winding, p);
}

mus_shape mus_filled_surface_shape(mus_filled_surface *surface, double spacing) {
  mus_shape shape = {.distance = distance, .data = surface, .slope = surface->closed ? 1 : 0};
  surface->reach = 2 * spacing;
  mus_box box = mus_mesh_box(&surface->mesh);
  for (int k = 0; k < 3; ++k) {
    shape.low[k] = box.low[k];
    shape.high[k] = box.high[k];
  }
  return shape;
}

static double away_from(const mus_filled_surface *surface, const double p[3]) {
  mus_surface_point nearest;
  return mus_winding_closest(surface->winding, p, (mus_winding_filter){0}, &nearest) ? nearest.distance : INFINITY;
}

// Four points in each triangle: its middle, and halfway from there to its corners.
static void sample_triangle(const mus_mesh *mesh, int triangle, double p[4][3]) {
  const int *corner = mesh->triangle + 3 * (size_t)triangle;
  for (size_t c = 0; c < 3; ++c) {
    p[0][c] = 0;
    for (int k = 0; k < 3; ++k)
      p[0][c] += mesh->position[3 * (size_t)corner[k] + c] / 3;
    for (int k = 0; k < 3; ++k)
      p[1 + k][c] = 0.5 * (p[0][c] + mesh->position[3 * (size_t)corner[k] + c]);
  }
}

// Cuts are found to a thousandth of an edge.
static const double on_surface = 0.01;

mus_status mus_filled_surface_deviation(const mus_filled_surface *surface, const mus_mesh *mesh, double *farthest,
                                        double *closed) {
  double *at_vertex = mus_alloc((size_t)mesh->vertices, sizeof *at_vertex),
         touching = 0.5 * on_surface * surface->reach;
  double *at_middle = mus_alloc((size_t)mesh->triangles, sizeof *at_middle);
  *farthest = *closed = 0;
  MUS_PARALLEL
  MUS_SHARE_FOR
  for (int v = 0; v < (at_vertex ? mesh->vertices : 0); ++v)
    at_vertex[v] = away_from(surface, mesh->position + 3 * (size_t)v);
  MUS_PARALLEL
  MUS_SHARE_FOR
  for (int t = 0; t < (at_middle ? mesh->triangles : 0); ++t) {
    double p[4][3];
    sample_triangle(mesh, t, p);
    at_middle[t] = away_from(surface, p[0]);
  }
  for (int t = 0; at_vertex && at_middle && t < mesh->triangles; ++t) {
    double corner = 0;
    for (size_t k = 0; k < 3; ++k)
      corner = fmax(corner, at_vertex[mesh->triangle[3 * (size_t)t + k]]);
    double *where = corner > touching ? closed : farthest;
    *where = fmax(*where, fmax(corner, at_middle[t]));
  }
  mus_status status = at_vertex && at_middle ? MUS_OK : mus_fail_memory();
  mus_free(at_vertex);
  mus_free(at_middle);
  return status;
}

// How far beside a triangle it is looked what is inside, in parts of its size.
static const double beside = 0.01;

static int is_border(const mus_filled_surface *f, const double p[3], const double step[3]) {
  int inside[2];
  for (int side = 0; side < 2; ++side) {
    double x[3] = {p[0], p[1], p[2]};
    mus_add_scaled3(side == 0 ? 1 : -1, step, x);
    inside[side] = mus_winding_is_inside(f->winding, x);
  }
  return inside[0] != inside[1];
}

static double lost_at(const mus_filled_surface *surface, const mus_filled_surface *skin, int triangle) {
  const mus_mesh *mesh = &surface->mesh;
  const int *corner = mesh->triangle + 3 * (size_t)triangle;
  double p[4][3], u[3], v[3], step[3], lost = 0;
  mus_subtract3(mesh->position + 3 * (size_t)corner[1], mesh->position + 3 * (size_t)corner[0], u);
  mus_subtract3(mesh->position + 3 * (size_t)corner[2], mesh->position + 3 * (size_t)corner[0], v);
  mus_cross3(u, v, step);
  double size = mus_length3(step);
  mus_scale3(size > 0 ? beside / sqrt(size) : 0, step, step);
  sample_triangle(mesh, triangle, p);
  if (!is_border(surface, p[0], step))
    return 0;
  for (int k = 0; k < 4; ++k)
    lost = fmax(lost, away_from(skin, p[k]));
  return lost;
}

mus_status mus_filled_surface_loss(const mus_filled_surface *surface, const mus_filled_surface *skin,
                                   double *farthest) {
  double *lost = mus_alloc((size_t)surface->mesh.triangles, sizeof *lost);
  if (!lost)
    return mus_fail_memory();
  MUS_PARALLEL
  MUS_SHARE_FOR
  for (int t = 0; t < surface->mesh.triangles; ++t)
    lost[t] = lost_at(surface, skin, t);
  *farthest = 0;
  for (int t = 0; t < surface->mesh.triangles; ++t)
    *farthest = fmax(*farthest, lost[t]);
  mus_free(lost);
  return MUS_OK;
}
