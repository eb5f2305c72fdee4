// See lattice_part.h.
#include "model/lattice_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/vector3.h"
#include "energy/svd3.h"
#include "fill/body_cells.h"
#include "fill/held_cells.h"
#include "io/scene.h"
#include "model/motion.h"
#include "model/solid_mesh.h"

// What steps need besides, at most: displacements, rotations and secants of all levels.
static const double bytes_per_cell = 3000;

// --- its surface and cells -------------------------------------------------------------------------------------------

static mus_status find_body(const mus_scene *scene, const char *name, int *body) {
  *body = name ? mus_scene_body_named(scene, name) : -1;
  return *body >= 0 ? MUS_OK
                    : mus_fail(MUS_BAD_INPUT, "there is no body \"%s\": give the \"name\" of a body", name ? name : "");
}

// A body's surface where it starts.
static mus_status copy_body(mus_arena *arena, mus_bodies *bodies, int body, mus_mesh *out) {
  int first = mus_bodies_first_vertex(bodies, body), triangle = mus_bodies_first_triangle(bodies, body);
  double *position = mus_alloc(3 * (size_t)mus_bodies_vertices(bodies), sizeof *position);
  mus_status status = mus_mesh_create(arena, mus_bodies_first_vertex(bodies, body + 1) - first,
                                      mus_bodies_first_triangle(bodies, body + 1) - triangle, 0, out);
  if (!status)
    status = position ? mus_bodies_at(bodies, 0, position) : mus_fail_memory();
  if (!status) {
    memcpy(out->position, position + 3 * (size_t)first, 3 * (size_t)out->vertices * sizeof *position);
    for (size_t k = 0; k < 3 * (size_t)out->triangles; ++k)
      out->triangle[k] = mus_bodies_triangle_list(bodies)[3 * (size_t)triangle + k] - first;
  }
  mus_free(position);
  return status;
}

static mus_status from_body(mus_arena *arena, const mus_scene *scene, mus_bodies *bodies, const mus_solid *solid,
                            mus_part_shape *shape) {
  int body;
  *shape = (mus_part_shape){0};
  for (int c = 0; c < 3; ++c)
    if (solid->rotate[c] != 0 || solid->translate[c] != 0)
      return mus_fail(MUS_BAD_INPUT, "its surface is where its body starts: leave out \"rotate\" and \"translate\"");
  mus_status status = find_body(scene, solid->shape.body, &body);
  return status ? mus_fail_prefix(status, "shape") : copy_body(arena, bodies, body, &shape->mesh);
}

static mus_status make_cells(mus_arena *arena, const mus_solid_lattice *lattice, mus_part_shape *shape,
                             mus_cells *cells) {
  mus_cells_options options = {
      .spacing = lattice->cell, .along = lattice->cells, .padding = lattice->padding, .bytes_per_cell = bytes_per_cell};
  mus_cells_report report;
  mus_status status = mus_cells_of_surface(arena, &shape->mesh, &options, cells, &report);
  size_t used = strlen(shape->repairs);
  if (!status && report.repairs[0])
    snprintf(shape->repairs + used, sizeof shape->repairs - used, "%s%.200s", used > 0 ? "; " : "", report.repairs);
  return status;
}

// --- what moves its cells --------------------------------------------------------------------------------------------

// While pins are read.
typedef struct holding {
  mus_arena *arena;
  const mus_scene *scene;
  mus_bodies *bodies;
  mus_lattice_part *part;
  mus_held_cells cells;
  int room; // for regions
} holding;

static mus_status check_pin(const mus_pin *pin) {
  mus_status status = mus_pin_check(pin);
  if (status)
    return status;
  const mus_selection *s = &pin->where;
  if (s->vertex_count > 0 || s->boundary || s->material_given)
    return mus_fail(MUS_BAD_INPUT, "cells of a lattice are held by \"box\", \"sphere\", \"inside\", \"touching\" or "
                                   "\"bones\": leave out what selects vertices");
  if (pin->weight < 1 || pin->stiffness > 0)
    return mus_fail(MUS_BAD_INPUT, "cells of a lattice are held exactly: leave out \"weight\" and \"stiffness\"");
  if (pin->from > 0 || pin->to < 1e9)
    return mus_fail(MUS_BAD_INPUT, "cells of a lattice are held all the time: leave out \"from\" and \"to\"");
  if ((s->inside || s->touching || s->bones > 0) && !pin->body)
    return mus_fail(MUS_BAD_INPUT, "\"inside\", \"touching\" and \"bones\" are those of the pin's \"body\": name one");
  return MUS_OK;
}

static mus_status add_region(holding *h, const mus_pin *pin, int body, int bone, int *number) {
  if (h->part->regions >= MUS_HELD_REGIONS)
    return mus_fail(MUS_BAD_INPUT, "pins and bones move more than %d parts: leave some out", MUS_HELD_REGIONS);
  if (h->part->regions == h->room) {
    int larger = 2 * h->room + 16;
    mus_lattice_region *moved = mus_arena_alloc(h->arena, (size_t)larger, sizeof *moved);
    if (!moved)
      return mus_fail_memory();
    if (h->room > 0)
      memcpy(moved, h->part->moved, (size_t)h->room * sizeof *moved);
    h->part->moved = moved;
    h->room = larger;
  }
  *number = h->part->regions++;
  h->part->moved[*number] = (mus_lattice_region){pin, body, bone};
  return MUS_OK;
}

static mus_status hold_bones(holding *h, const mus_pin *pin, int body, size_t *held) {
  mus_arena scratch = {0};
  int count, bones = mus_bodies_bones(h->bodies, body), first = 0, number;
  mus_bone_axis *axis;
  if (bones == 0)
    return mus_fail(MUS_BAD_INPUT, "body \"%s\" has no bones: mannequins and skinned glTF files have", pin->body);
  mus_status status = mus_bodies_axes(h->bodies, body, &scratch, &count, &axis);
  mus_affine *frame = mus_arena_alloc(&scratch, (size_t)bones, sizeof *frame);
  mus_held_segment *segment = mus_arena_alloc(&scratch, status ? 1 : (size_t)count, sizeof *segment);
  if (!status && (!frame || !segment))
    status = mus_fail_memory();
  for (int b = 0; b < bones && !status; ++b) {
    status = add_region(h, pin, body, b, &number);
    first = number - b;
  }
  if (!status) {
    mus_bodies_bones_at(h->bodies, body, 0, frame);
    for (int k = 0; k < count; ++k) {
      mus_affine_apply(&frame[axis[k].bone], axis[k].from, segment[k].from);
      mus_affine_apply(&frame[axis[k].bone], axis[k].to, segment[k].to);
      segment[k].region = first + axis[k].bone;
    }
    *held += mus_hold_segments(&h->cells, count, segment, pin->where.bones);
  }
  mus_arena_clear(&scratch);
  return status;
}

// By the body's own surface.
static mus_status hold_surface(holding *h, const mus_pin *pin, int body, int region, size_t *held) {
  mus_arena scratch = {0};
  mus_mesh mesh;
  size_t count = 0;
  mus_status status = copy_body(&scratch, h->bodies, body, &mesh);
  if (!status)
    status = pin->where.inside ? mus_hold_inside(&h->cells, region, &mesh, &count)
                               : mus_hold_touched(&h->cells, region, &mesh, &count);
  *held += count;
  mus_arena_clear(&scratch);
  return status;
}

static mus_status hold(holding *h, const mus_pin *pin) {
  const mus_selection *s = &pin->where;
  int body = -1, region;
  size_t held = 0;
  mus_status status = check_pin(pin);
  if (!status && pin->body)
    status = find_body(h->scene, pin->body, &body);
  if (!status)
    status = add_region(h, pin, body, -1, &region);
  if (status)
    return status;
  if (body >= 0)
    h->part->is_holder[body] = 1;
  if (s->box_given)
    held += mus_hold_box(&h->cells, region, s->box[0], s->box[1]);
  if (s->sphere_given && s->sphere[3] >= 0)
    held += mus_hold_ball(&h->cells, region, s->sphere, s->sphere[3]);
  if (s->inside || s->touching)
    status = hold_surface(h, pin, body, region, &held);
  if (!status && s->bones > 0)
    status = hold_bones(h, pin, body, &held);
  if (!status && held == 0)
    status = mus_fail(MUS_BAD_INPUT, "holds no cell: check its \"where\" against the solid's place");
  return status;
}

static mus_status hold_all(holding *h, const mus_solid *solid) {
  mus_status status = MUS_OK;
  for (int p = 0; p < solid->pin_count && !status; ++p) {
    status = hold(h, &solid->pins[p]);
    if (status)
      return mus_fail_prefix(status, "pins[%d]", p);
  }
  size_t free = 0, total = mus_cells_total(&h->part->cells);
  for (size_t c = 0; c < total; ++c)
    free += h->part->cells.kind[c] == MUS_CELL_INTERIOR;
  double spacing = h->part->cells.spacing;
  h->part->volume = (double)free * spacing * spacing * spacing;
  return free > 0 ? MUS_OK
                  : mus_fail(MUS_BAD_INPUT, "pins hold all of its cells: leave some free, or give it more \"cells\"");
}

mus_status mus_lattice_part_create(mus_arena *arena, const mus_scene *scene, mus_bodies *bodies, const mus_solid *solid,
                                   mus_part_shape *shape, mus_lattice_part **out) {
  mus_lattice_part *part = mus_arena_alloc_zero(arena, 1, sizeof *part);
  mus_status status = part ? MUS_OK : mus_fail_memory();
  if (!status && solid->stiffness.count > 0)
    status = mus_fail(MUS_BAD_INPUT, "\"stiffness\" over time is for tetrahedra: give \"young\" instead");
  if (!status)
    status = solid->shape.kind == MUS_SOLID_SHAPE_BODY ? from_body(arena, scene, bodies, solid, shape)
                                                       : mus_solid_surface_create(arena, scene->up, solid, shape);
  if (!status)
    status = mus_topology_create(arena, &shape->mesh, &shape->topology);
  if (!status)
    status = make_cells(arena, &solid->lattice, shape, &part->cells);
  if (status)
    return status;
  part->region = mus_arena_alloc_zero(arena, mus_cells_total(&part->cells), sizeof *part->region);
  part->is_holder = mus_arena_alloc_zero(arena, (size_t)scene->body_count + 1, 1);
  if (!part->region || !part->is_holder)
    return mus_fail_memory();
  *out = part;
  holding h = {arena, scene, bodies, part, {&part->cells, part->region}, 0};
  return hold_all(&h, solid);
}

// --- over time -------------------------------------------------------------------------------------------------------

// The rigid motion that comes nearest to that of a body's vertices (Kabsch 1976): exact where the body is rigid.
static mus_affine rigid_motion(const mus_bodies *bodies, int body, const double *start, const double *now) {
  int first = mus_bodies_first_vertex(bodies, body), end = mus_bodies_first_vertex(bodies, body + 1);
  double from[3] = {0, 0, 0}, to[3] = {0, 0, 0}, h[9] = {0}, u[9], s[3], v[9];
  mus_affine map;
  for (int i = first; i < end; ++i) {
    mus_add_scaled3(1.0 / (end - first), start + 3 * (size_t)i, from);
    mus_add_scaled3(1.0 / (end - first), now + 3 * (size_t)i, to);
  }
  for (int i = first; i < end; ++i)
    for (int k = 0; k < 9; ++k)
      h[k] +=
          (now[3 * (size_t)i + (size_t)(k / 3)] - to[k / 3]) * (start[3 * (size_t)i + (size_t)(k % 3)] - from[k % 3]);
  mus_svd3(h, u, s, v);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c)
      map.m[4 * r + c] = mus_dot3(u + 3 * r, v + 3 * c);
    map.m[4 * r + 3] = to[r] - (map.m[4 * r] * from[0] + map.m[4 * r + 1] * from[1] + map.m[4 * r + 2] * from[2]);
  }
  return map;
}

// A pin's own motion, from where it takes the origin and the ends of the axes.
static mus_affine pin_motion(const mus_pin *pin, double time) {
  double origin[3];
  mus_affine map;
  mus_pin_target(pin, time, (const double[3]){0, 0, 0}, origin);
  for (int c = 0; c < 3; ++c) {
    double end[3], axis[3] = {c == 0, c == 1, c == 2};
    mus_pin_target(pin, time, axis, end);
    for (int r = 0; r < 3; ++r)
      map.m[4 * r + c] = end[r] - origin[r];
  }
  for (int r = 0; r < 3; ++r)
    map.m[4 * r + 3] = origin[r];
  return map;
}

static mus_status bone_motion(mus_bodies *bodies, const mus_lattice_region *region, double time, mus_affine *map) {
  mus_affine *frame = mus_alloc(2 * (size_t)mus_bodies_bones(bodies, region->body), sizeof *frame);
  if (!frame)
    return mus_fail_memory();
  mus_affine *start = frame + mus_bodies_bones(bodies, region->body);
  mus_bodies_bones_at(bodies, region->body, 0, start);
  mus_bodies_bones_at(bodies, region->body, time, frame);
  mus_affine back = mus_affine_inverse(&start[region->bone]);
  *map = mus_affine_join(&frame[region->bone], &back);
  mus_free(frame);
  return MUS_OK;
}

mus_status mus_lattice_region_at(const mus_lattice_region *region, mus_bodies *bodies, double time, const double *start,
                                 const double *now, mus_affine *map) {
  mus_status status = MUS_OK;
  if (region->bone >= 0)
    status = bone_motion(bodies, region, time, map);
  else
    *map = region->body >= 0 ? rigid_motion(bodies, region->body, start, now) : pin_motion(region->pin, time);
  for (int k = 0; k < 12 && !status; ++k)
    if (!isfinite(map->m[k]))
      status =
          mus_fail(MUS_BAD_INPUT, "body \"%s\": a bone of it has no size, and can carry nothing", region->pin->body);
  return status;
}
