// Rest shapes. See rest.h.
#include "mesh/rest.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/small.h"
#include "base/vector3.h"
#include "mesh/measure.h"

static const double FLAT = 1e-6;           // distance from a plane, as a part of the mesh's size, that counts as none
static const double TOO_STEEP = 0.1;       // length of a unit vector's projection that gives no direction any more
static const double LEAST_TEXTURE = 1e-12; // area of usable texture coordinates, as a part of their box's
static const double LIKELY_STRAIN = 2;     // no edge of a likely rest shape differs by more than this factor

mus_rest_options mus_rest_default_options(void) {
  return (mus_rest_options){.source = MUS_REST_AUTOMATIC, .warp = {0, 1, 0}};
}

// --- frames --------------------------------------------------------------------------------------------------------

typedef struct frame {
  double normal[3], u[3], v[3];
} frame;

static int normalise(double *a) {
  double length = sqrt(mus_dot3(a, a));
  for (int c = 0; c < 3; ++c)
    a[c] /= length;
  return length > 0;
}

// u along the direction's projection onto the plane; false when the direction is too steep on it.
static int project(const double *direction, frame *f) {
  double unit[3] = {direction[0], direction[1], direction[2]};
  if (!normalise(unit))
    return 0;
  double along = mus_dot3(unit, f->normal);
  for (int c = 0; c < 3; ++c)
    f->u[c] = unit[c] - along * f->normal[c];
  return mus_dot3(f->u, f->u) > TOO_STEEP * TOO_STEEP && normalise(f->u);
}

// Completes a frame with a unit normal. One of the axes is always flat enough on the plane.
static void complete(const double *warp, frame *f) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (!project(warp, f))
    for (int k = 0; k < 3 && !project(axes[k], f); ++k)
      ;
  mus_cross3(f->normal, f->u, f->v);
}

static const double *corner_of(const mus_mesh *mesh, int t, int k) {
  return mesh->position + (size_t)mesh->triangle[(size_t)t * 3 + (size_t)k] * 3;
}

// Twice the area, along the normal.
static void area_vector(const mus_mesh *mesh, int t, double *area) {
  const double *a = corner_of(mesh, t, 0), *b = corner_of(mesh, t, 1), *c = corner_of(mesh, t, 2);
  double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, f[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  mus_cross3(e, f, area);
}

static void set_material(mus_mesh *mesh, int t, const frame *f) {
  for (int k = 0; k < 3; ++k) {
    double *m = mesh->material + (size_t)t * 6 + 2 * (size_t)k;
    m[0] = mus_dot3(corner_of(mesh, t, k), f->u);
    m[1] = mus_dot3(corner_of(mesh, t, k), f->v);
  }
}

// --- positions -----------------------------------------------------------------------------------------------------

// The plane through the middle of all corners that they are nearest to; its normal on the side of most fronts.
static void fit_plane(const mus_mesh *mesh, double *middle, double *normal) {
  double covariance[9] = {0}, value[3], vector[9], area[3], front = 0;
  size_t corners = (size_t)mesh->triangles * 3;
  for (size_t i = 0; i < corners; ++i)
    for (int c = 0; c < 3; ++c)
      middle[c] += mesh->position[(size_t)mesh->triangle[i] * 3 + (size_t)c] / (double)corners;
  for (size_t i = 0; i < corners; ++i) {
    const double *p = mesh->position + (size_t)mesh->triangle[i] * 3;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        covariance[3 * r + c] += (p[r] - middle[r]) * (p[c] - middle[c]);
  }
  mus_small_eigen(3, covariance, value, vector);
  int least = value[1] < value[0] ? 1 : 0;
  least = value[2] < value[least] ? 2 : least;
  for (int c = 0; c < 3; ++c)
    normal[c] = vector[3 * c + least];
  for (int t = 0; t < mesh->triangles; ++t) {
    area_vector(mesh, t, area);
    front += mus_dot3(area, normal);
  }
  for (int c = 0; c < 3 && front < 0; ++c)
    normal[c] = -normal[c];
}

static int is_flat(const mus_mesh *mesh, const double *middle, const double *normal) {
  mus_box box = mus_mesh_box(mesh);
  double limit = FLAT * mus_box_diagonal(&box);
  for (size_t i = 0; i < (size_t)mesh->triangles * 3; ++i) {
    const double *p = mesh->position + (size_t)mesh->triangle[i] * 3;
    double away[3] = {p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]};
    if (!(fabs(mus_dot3(away, normal)) <= limit))
      return 0;
  }
  return 1;
}

static mus_rest_source shape_from_positions(mus_mesh *mesh, const double *warp) {
  double middle[3] = {0};
  frame f;
  fit_plane(mesh, middle, f.normal);
  if (is_flat(mesh, middle, f.normal)) {
    complete(warp, &f);
    for (int t = 0; t < mesh->triangles; ++t)
      set_material(mesh, t, &f);
    return MUS_REST_FLAT;
  }
  for (int t = 0; t < mesh->triangles; ++t) {
    area_vector(mesh, t, f.normal);
    if (normalise(f.normal)) {
      complete(warp, &f);
      set_material(mesh, t, &f);
    } else { // no area, no frame: none at rest either, and the mesh's check says so
      memset(mesh->material + (size_t)t * 6, 0, 6 * sizeof *mesh->material);
    }
  }
  return MUS_REST_TRIANGLES;
}

// --- strain --------------------------------------------------------------------------------------------------------

// Infinite where an edge has a length in space only.
static void measure_strain(const mus_mesh *mesh, mus_rest_record *record) {
  record->shortest = INFINITY;
  record->longest = 0;
  for (int t = 0; t < mesh->triangles; ++t)
    for (int k = 0; k < 3; ++k) {
      const double *p = corner_of(mesh, t, k), *q = corner_of(mesh, t, (k + 1) % 3);
      const double *m = mesh->material + (size_t)t * 6, *a = m + 2 * k, *b = m + 2 * ((k + 1) % 3);
      double at_rest = hypot(b[0] - a[0], b[1] - a[1]);
      double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2], now = sqrt(x * x + y * y + z * z);
      if (at_rest > 0 || now > 0) {
        record->shortest = fmin(record->shortest, now / at_rest);
        record->longest = fmax(record->longest, now / at_rest);
      }
    }
}

// --- texture coordinates -------------------------------------------------------------------------------------------

// Coordinates that are all on a line or in a point, as some programs write them, are none.
static int has_usable_texture(const mus_mesh *mesh) {
  if (!mesh->material || mesh->triangles == 0)
    return 0;
  double low[2] = {mesh->material[0], mesh->material[1]}, high[2] = {low[0], low[1]};
  for (size_t i = 0; i < (size_t)mesh->triangles * 6; ++i) {
    if (!isfinite(mesh->material[i]))
      return 0;
    low[i % 2] = fmin(low[i % 2], mesh->material[i]);
    high[i % 2] = fmax(high[i % 2], mesh->material[i]);
  }
  double size = fmax(high[0] - low[0], high[1] - low[1]);
  return mus_total_material_area(mesh) > LEAST_TEXTURE * size * size;
}

static double texture_scale(const mus_mesh *mesh, double wanted) {
  return wanted > 0 ? wanted : sqrt(mus_total_space_area(mesh) / mus_total_material_area(mesh));
}

// Texture coordinates made for pictures are stretched and squeezed where it suits them; cut pieces are not.
static int looks_like_a_rest_shape(const mus_mesh *mesh, double scale) {
  mus_rest_record strain;
  if (!has_usable_texture(mesh))
    return 0;
  scale = texture_scale(mesh, scale);
  measure_strain(mesh, &strain);
  return strain.shortest * LIKELY_STRAIN >= scale && strain.longest <= scale * LIKELY_STRAIN;
}

static double shape_from_texture(mus_mesh *mesh, double scale) {
  scale = texture_scale(mesh, scale);
  for (size_t i = 0; i < (size_t)mesh->triangles * 6; ++i)
    mesh->material[i] *= scale;
  return scale;
}

// --- all of it -----------------------------------------------------------------------------------------------------

static mus_status check_options(const mus_mesh *mesh, const mus_rest_options *o) {
  if (mesh->triangles == 0)
    return mus_fail(MUS_BAD_INPUT, "a mesh without triangles has no rest shape: give it faces");
  if (!(o->scale >= 0 && isfinite(o->scale)))
    return mus_fail(MUS_BAD_INPUT, "%g metres per unit of texture coordinates: give a positive number", o->scale);
  if (!(mus_dot3(o->warp, o->warp) > 0 && isfinite(mus_dot3(o->warp, o->warp))))
    return mus_fail(MUS_BAD_INPUT, "the warp direction (%g, %g, %g) has no length: give one that has", o->warp[0],
                    o->warp[1], o->warp[2]);
  if (o->source == MUS_REST_TEXTURE && !has_usable_texture(mesh))
    return mus_fail(MUS_BAD_INPUT,
                    "the mesh has no texture coordinates, or they have no area: take the rest shape from "
                    "the positions");
  return MUS_OK;
}

mus_status mus_rest_shape(mus_arena *arena, mus_mesh *mesh, const mus_rest_options *o, mus_rest_record *record) {
  mus_status status = check_options(mesh, o);
  if (status != MUS_OK)
    return status;
  mus_rest_record done = {.source = MUS_REST_TEXTURE, .scale = 1};
  if (o->source == MUS_REST_TEXTURE || (o->source == MUS_REST_AUTOMATIC && looks_like_a_rest_shape(mesh, o->scale))) {
    done.scale = shape_from_texture(mesh, o->scale);
  } else {
    if (!mesh->material)
      mesh->material = mus_arena_alloc(arena, (size_t)mesh->triangles * 6, sizeof *mesh->material);
    if (!mesh->material)
      return mus_fail_memory();
    done.source = shape_from_positions(mesh, o->warp);
  }
  measure_strain(mesh, &done);
  *record = done;
  return MUS_OK;
}
