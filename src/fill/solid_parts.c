// See solid_parts.h.
#include "fill/solid_parts.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/vector3.h"
#include "mesh/topology.h"
#include "par/par.h"

// Winding numbers are asked beside so many triangles, this part of their size away from them. Sheets have a mean of
// about a half, whatever their folds; half a sphere has 0.8.
enum { SAMPLES = 20000 };
static const double beside = 1e-3, least_number = 0.6;

typedef struct part {
  double area, weighted; // of its samples; times the number behind them
  int open;              // edges of one triangle
} part;

static double area_vector(const mus_mesh *mesh, int triangle, double middle[3], double vector[3]) {
  const double *corner[3];
  double u[3], v[3];
  for (int k = 0; k < 3; ++k)
    corner[k] = mesh->position + 3 * (size_t)mesh->triangle[3 * (size_t)triangle + (size_t)k];
  for (int a = 0; a < 3; ++a)
    middle[a] = (corner[0][a] + corner[1][a] + corner[2][a]) / 3;
  mus_subtract3(corner[1], corner[0], u);
  mus_subtract3(corner[2], corner[0], v);
  mus_cross3(u, v, vector);
  mus_scale3(0.5, vector, vector);
  return mus_length3(vector);
}

// How often the surface winds around what lies behind a triangle, once at most, whichever side that is.
static double number_beside(const mus_filled_surface *surface, int triangle, double *area) {
  double middle[3], vector[3], number = 0;
  *area = area_vector(mus_filled_surface_mesh(surface), triangle, middle, vector);
  double step = *area > 0 ? beside / sqrt(*area) : 0;
  for (int side = -1; side <= 1; side += 2) {
    double p[3] = {middle[0], middle[1], middle[2]};
    mus_add_scaled3(side * step, vector, p);
    number = fmax(number, fabs(mus_filled_surface_number(surface, p)));
  }
  return fmin(number, 1);
}

// Of every part the first triangle and then every `stride`-th.
static int choose_samples(const mus_mesh *mesh, const mus_topology *topology, int *seen, int *sample) {
  int stride = mesh->triangles / SAMPLES + 1, count = 0;
  for (int t = 0; t < mesh->triangles; ++t)
    if (seen[topology->component[mesh->triangle[3 * (size_t)t]]]++ % stride == 0)
      sample[count++] = t;
  return count;
}

static mus_status measure_parts(mus_arena *scratch, const mus_filled_surface *surface, const mus_topology *topology,
                                part *parts) {
  const mus_mesh *mesh = mus_filled_surface_mesh(surface);
  int *seen = mus_arena_alloc_zero(scratch, (size_t)topology->components, sizeof *seen);
  int *sample = mus_arena_alloc(scratch, (size_t)mesh->triangles, sizeof *sample);
  double(*found)[2] = mus_arena_alloc(scratch, (size_t)mesh->triangles, sizeof *found);
  if (!seen || !sample || !found)
    return mus_fail_memory();
  int count = choose_samples(mesh, topology, seen, sample);
  MUS_PARALLEL
  MUS_SHARE_FOR
  for (int i = 0; i < count; ++i)
    found[i][1] = number_beside(surface, sample[i], &found[i][0]);
  for (int i = 0; i < count; ++i) {
    part *p = parts + topology->component[mesh->triangle[3 * (size_t)sample[i]]];
    p->area += found[i][0];
    p->weighted += found[i][0] * found[i][1];
  }
  return MUS_OK;
}

static int count_open(const mus_topology *topology, part *parts) {
  int open = 0;
  for (int e = 0; e < topology->edges; ++e)
    if (mus_edge_sides(topology, e) == 1) {
      ++parts[topology->component[topology->edge[2 * (size_t)e]]].open;
      ++open;
    }
  return open;
}

static int is_sheet(const part *p) { return p->open > 0 && !(p->weighted >= least_number * p->area); }

static mus_status leave_out_sheets(const mus_topology *topology, const part *parts, mus_mesh *mesh,
                                   mus_solid_parts *out) {
  int kept = 0, open = out->holes;
  for (int c = 0; c < topology->components; ++c)
    if (is_sheet(parts + c)) {
      ++out->sheets;
      out->holes -= parts[c].open;
    }
  for (int t = 0; t < mesh->triangles; ++t)
    if (!is_sheet(parts + topology->component[mesh->triangle[3 * (size_t)t]])) {
      memmove(mesh->triangle + 3 * (size_t)kept, mesh->triangle + 3 * (size_t)t, 3 * sizeof(int));
      ++kept;
    }
  if (kept == 0)
    return mus_fail(MUS_BAD_INPUT,
                    "the surface is closed nowhere: it has %d triangles and %d open edges, and encloses nothing. "
                    "Close it, or give it a thickness",
                    mesh->triangles, open);
  mesh->triangles = kept;
  return MUS_OK;
}

static double volume_of(const mus_mesh *mesh) {
  double volume = 0;
  for (int t = 0; t < mesh->triangles; ++t) {
    double middle[3], vector[3], arm[3];
    area_vector(mesh, t, middle, vector);
    mus_subtract3(middle, mesh->position, arm);
    volume += mus_dot3(arm, vector) / 3;
  }
  return volume;
}

static mus_status judge(mus_arena *scratch, mus_solid_parts *out) {
  mus_topology topology;
  mus_mesh mesh;
  mus_status status = mus_mesh_copy(scratch, mus_filled_surface_mesh(out->surface), &mesh);
  if (!status)
    status = mus_topology_create(scratch, &mesh, &topology);
  if (status)
    return status;
  part *parts = mus_arena_alloc_zero(scratch, (size_t)topology.components, sizeof *parts);
  if (!parts)
    return mus_fail_memory();
  out->holes = count_open(&topology, parts);
  status = measure_parts(scratch, out->surface, &topology, parts);
  if (!status)
    status = leave_out_sheets(&topology, parts, &mesh, out);
  if (status || out->sheets == 0)
    return status;
  mus_filled_surface_free(out->surface);
  out->surface = NULL;
  return mus_filled_surface_create(&mesh, 0, NULL, &out->surface);
}

mus_status mus_solid_parts_create(const mus_mesh *mesh, size_t size, char *repairs, mus_solid_parts *out) {
  mus_arena scratch = {0};
  *out = (mus_solid_parts){0};
  mus_status status = mus_filled_surface_create(mesh, size, repairs, &out->surface);
  if (!status && !mus_filled_surface_is_closed(out->surface))
    status = judge(&scratch, out);
  if (!status)
    out->inside_out = volume_of(mus_filled_surface_mesh(out->surface)) < 0;
  mus_arena_clear(&scratch);
  return status;
}

void mus_solid_parts_free(mus_solid_parts *parts) { mus_filled_surface_free(parts->surface); }
