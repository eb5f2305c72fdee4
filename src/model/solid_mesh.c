// See solid_mesh.h.
#include "model/solid_mesh.h"

#include <stdio.h>

#include "base/error.h"
#include "base/scan.h"
#include "base/up.h"
#include "fill/fill.h"
#include "io/scene.h"
#include "io/solid_file.h"
#include "mesh/tetrahedra_check.h"
#include "mesh/tetrahedra_generate.h"
#include "mesh/tetrahedra_order.h"

// --- order -----------------------------------------------------------------------------------------------------------

// The order that is simulated, where the one found scatters neighbours over the memory. What is filled has a good one.
static mus_status reorder(mus_arena *arena, mus_tetrahedra *mesh, mus_part_shape *out) {
  mus_solid_order found;
  mus_tetrahedra ordered;
  mus_order *order = mus_arena_alloc(arena, 1, sizeof *order);
  mus_status status = order ? mus_solid_order_find(arena, mesh, &found) : mus_fail_memory();
  if (!status)
    status = mus_solid_order_apply(arena, &found, mesh, &ordered);
  if (status || mus_tetrahedra_spread(&ordered) >= mus_tetrahedra_spread(mesh) / 2)
    return status;
  *mesh = ordered;
  *order = (mus_order){.vertices = found.vertices, .vertex = found.vertex, .new_vertex = found.new_vertex};
  out->order = order;
  out->tetrahedron = found.tetrahedron;
  return MUS_OK;
}

// --- files -----------------------------------------------------------------------------------------------------------

// Faults that change no shape are mended; what is left must be sound.
static mus_status mend(mus_arena *arena, const mus_tetrahedra *found, mus_part_shape *out, mus_tetrahedra *mended) {
  mus_solid_repair repaired;
  mus_solid_report report;
  mus_status status = mus_tetrahedra_repair(arena, found, MUS_SOLID_REPAIR_USUAL, mended, &repaired);
  if (!status && mended->tetrahedra == 0)
    status = mus_fail(MUS_BAD_INPUT, "no tetrahedron with a volume is in it: a solid needs some");
  if (!status) {
    mus_solid_repair_text(&repaired, sizeof out->repairs, out->repairs);
    out->kept = repaired.removed > 0 ? repaired.vertex_source : NULL;
    status = mus_tetrahedra_check(mended, &report);
  }
  return status ? status : mus_tetrahedra_require_sound(&report);
}

static mus_status read_tetrahedra(mus_arena *arena, const mus_solid_shape *shape, mus_part_shape *out,
                                  mus_tetrahedra *mesh) {
  mus_solid_file file;
  mus_status status = mus_solid_file_read(shape->file, arena, &file);
  if (status)
    return status; // it names the file
  for (size_t i = 0; i < 3 * (size_t)file.mesh.vertices; ++i)
    file.mesh.position[i] *= shape->scale;
  status = mend(arena, &file.mesh, out, mesh);
  return status ? mus_fail_prefix(status, "%s", shape->file) : reorder(arena, mesh, out);
}

// --- generated -------------------------------------------------------------------------------------------------------

static mus_status fill(mus_arena *arena, const mus_solid_shape *shape, mus_part_shape *out, mus_tetrahedra *mesh) {
  int is_file = shape->kind == MUS_SOLID_SHAPE_FILE;
  mus_fill_options options = mus_default_fill_options();
  options.edge = shape->edge;
  options.vertices = shape->vertices;
  options.scale = shape->kind == MUS_SOLID_SHAPE_BALL ? 2 * shape->radius : shape->scale;
  return mus_fill_shape(arena, is_file ? shape->file : mus_solid_shape_name(shape->kind), is_file, &options,
                        sizeof out->repairs, out->repairs, mesh);
}

// Whether a file is one of tetrahedra, or else of a surface.
static mus_status look_into(const mus_solid_shape *shape, int *is_solid) {
  char begin[MUS_FILE_BEGIN];
  mus_status status =
      shape->file ? mus_file_begin(shape->file, begin) : mus_fail(MUS_BAD_INPUT, "shape.file: names no file: give one");
  if (!status)
    *is_solid = mus_solid_file_is(shape->file, begin);
  return status;
}

// Tetrahedra, or a surface, which is filled.
static mus_status from_file(mus_arena *arena, const mus_solid_shape *shape, mus_part_shape *out, mus_tetrahedra *mesh) {
  int is_solid;
  mus_status status = look_into(shape, &is_solid);
  if (status)
    return status;
  return is_solid ? read_tetrahedra(arena, shape, out, mesh) : fill(arena, shape, out, mesh);
}

static mus_status make_box(mus_arena *arena, const mus_solid_shape *shape, mus_up up, mus_part_shape *out,
                           mus_tetrahedra *mesh) {
  int cells[3];
  double size[3] = {shape->size[0], shape->size[up == MUS_UP_Z ? 2 : 1], shape->size[up == MUS_UP_Z ? 1 : 2]};
  mus_status status = shape->edge > 0 ? mus_solid_box_cells(size, shape->edge, cells)
                                      : mus_solid_box_cells_for(size, shape->vertices, cells);
  if (!status)
    status = mus_solid_box_of_cells(arena, size, cells, mesh);
  return status ? status : reorder(arena, mesh, out);
}

static mus_status make(mus_arena *arena, mus_up up, const mus_solid_shape *shape, mus_part_shape *out,
                       mus_tetrahedra *mesh) {
  if (!mus_solid_shape_name(shape->kind))
    return mus_fail(MUS_BAD_INPUT, "a solid has no shape of kind %d", (int)shape->kind);
  if (shape->kind == MUS_SOLID_SHAPE_BODY)
    return mus_fail(MUS_BAD_INPUT, "shape: \"body\" is for solids on a lattice: give \"method\": \"lattice\" as well");
  mus_up as_made = MUS_UP_Y;
  mus_status status;
  if (shape->kind == MUS_SOLID_SHAPE_FILE) {
    as_made = mus_file_up_of(shape->up, up);
    status = from_file(arena, shape, out, mesh);
  } else {
    status = shape->kind == MUS_SOLID_SHAPE_BOX ? make_box(arena, shape, up, out, mesh) : fill(arena, shape, out, mesh);
  }
  if (!status)
    mus_turn_up(as_made, up, (size_t)mesh->vertices, mesh->position);
  return status;
}

// --- either ----------------------------------------------------------------------------------------------------------

// Its surface, by the numbers of its own vertices.
static mus_status find_surface(mus_arena *arena, const mus_tetrahedra *mesh, mus_part_shape *out) {
  mus_solid_surface skin;
  mus_status status = mus_tetrahedra_surface(arena, mesh, &skin);
  if (status)
    return status;
  for (size_t k = 0; k < 3 * (size_t)skin.mesh.triangles; ++k)
    skin.mesh.triangle[k] = skin.vertex[skin.mesh.triangle[k]];
  out->mesh = (mus_mesh){.vertices = mesh->vertices,
                         .triangles = skin.mesh.triangles,
                         .position = mesh->position,
                         .triangle = skin.mesh.triangle};
  if (out->order) { // triangles are seen in the order in which they are simulated
    int *triangle = mus_arena_alloc(arena, (size_t)skin.mesh.triangles, sizeof *triangle);
    if (!triangle)
      return mus_fail_memory();
    for (int t = 0; t < skin.mesh.triangles; ++t)
      triangle[t] = t;
    out->order->triangles = skin.mesh.triangles;
    out->order->triangle = triangle;
  }
  return mus_topology_create(arena, &out->mesh, &out->topology);
}

mus_status mus_solid_mesh_create(mus_arena *arena, mus_up up, const mus_solid *solid, mus_part_shape *out) {
  *out = (mus_part_shape){0};
  mus_tetrahedra mesh;
  mus_status status = make(arena, up, &solid->shape, out, &mesh);
  if (!status)
    status = find_surface(arena, &mesh, out);
  if (status)
    return status;
  out->tetrahedra = mesh.tetrahedra;
  out->corner = mesh.corner;
  out->region = mesh.region;
  mus_part_place(solid->rotate, solid->translate, &out->mesh);
  return MUS_OK;
}

// --- surfaces --------------------------------------------------------------------------------------------------------

// The surface in the file, every vertex of it in its place.
static mus_status read_surface(mus_arena *arena, mus_up up, const mus_solid_shape *shape, mus_mesh *mesh) {
  mus_status status = mus_fill_read_surface(arena, shape->file, mesh);
  if (status)
    return status; // it names the file
  mesh->material = NULL;
  for (size_t i = 0; i < 3 * (size_t)mesh->vertices; ++i)
    mesh->position[i] *= shape->scale;
  mus_turn_up(mus_file_up_of(shape->up, up), up, (size_t)mesh->vertices, mesh->position);
  return MUS_OK;
}

// That of the tetrahedra, without what is inside.
static mus_status take_surface(mus_arena *arena, mus_up up, const mus_solid_shape *shape, mus_part_shape *out) {
  mus_tetrahedra mesh;
  mus_solid_surface skin;
  mus_status status = make(arena, up, shape, out, &mesh);
  if (!status)
    status = mus_tetrahedra_surface(arena, &mesh, &skin);
  if (status)
    return status;
  out->mesh = skin.mesh;
  out->order = NULL; // what is seen is what is made here
  out->kept = out->tetrahedron = NULL;
  return MUS_OK;
}

mus_status mus_solid_surface_create(mus_arena *arena, mus_up up, const mus_solid *solid, mus_part_shape *out) {
  *out = (mus_part_shape){0};
  int is_file = solid->shape.kind == MUS_SOLID_SHAPE_FILE, is_solid = 0;
  mus_status status = is_file ? look_into(&solid->shape, &is_solid) : MUS_OK;
  if (!status)
    status = is_file && !is_solid ? read_surface(arena, up, &solid->shape, &out->mesh)
                                  : take_surface(arena, up, &solid->shape, out);
  if (!status)
    mus_part_place(solid->rotate, solid->translate, &out->mesh);
  return status;
}
