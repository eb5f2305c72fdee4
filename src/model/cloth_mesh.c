// See cloth_mesh.h.
#include "model/cloth_mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/up.h"
#include "mesh/garment.h"
#include "mesh/generate.h"
#include "mesh/repair.h"
#include "mesh/rest.h"
#include "model/resew.h"

// --- from a file -----------------------------------------------------------------------------------------------------

// A cloth with three triangles at an edge has no two sides there; what else is left after the repair is no hindrance.
static mus_status check_repaired(const mus_mesh *mesh) {
  mus_mesh_report report;
  mus_status status = mus_mesh_check(mesh, &report);
  if (!status)
    status = mus_mesh_require_sound(&report);
  if (status)
    return status;
  if (report.count[MUS_DEFECT_BRANCHING_EDGE] > 0) {
    char text[160];
    mus_defect_text(&report, MUS_DEFECT_BRANCHING_EDGE, sizeof text, text);
    return mus_fail(MUS_BAD_INPUT, "%s: split the mesh there, cloth has two sides", text);
  }
  return MUS_OK;
}

static void note(char *repairs, size_t size, const char *text) {
  size_t length = strlen(repairs);
  snprintf(repairs + length, size - length, "%s%s", length > 0 && text[0] ? ", " : "", text);
}

static mus_status refuse_empty(const mus_repair_record *repaired) {
  if (repaired->dropped[MUS_DEFECT_DEGENERATE_MATERIAL] > 0)
    return mus_fail(MUS_BAD_INPUT,
                    "its texture coordinates have no area: leave \"material_scale\" out, which takes the "
                    "rest shape from the positions");
  return mus_fail(MUS_BAD_INPUT, "no triangle with an area is in it: a cloth needs a surface");
}

// Positions of the first vertices of the mesh that `start` names, for all of the file's.
static mus_status read_start(const mus_cloth_shape *shape, mus_up up, const int *kept, int vertices, mus_mesh *mesh) {
  mus_arena scratch = {0};
  mus_mesh_file start;
  mus_status status = mus_mesh_file_read(shape->start, &scratch, &start);
  if (!status && start.mesh.vertices < vertices)
    status = mus_fail(MUS_BAD_INPUT, "%s: %d vertices are too few for the %d of %s: give a mesh that begins with them",
                      shape->start, start.mesh.vertices, vertices, shape->file);
  for (size_t v = 0; v < (size_t)mesh->vertices && !status; ++v)
    for (size_t c = 0; c < 3; ++c)
      mesh->position[3 * v + c] = start.mesh.position[3 * (kept ? (size_t)kept[v] : v) + c] * shape->scale;
  if (!status)
    mus_turn_up(mus_file_up_of(shape->start_up, mus_file_up_of(shape->up, up)), up, (size_t)mesh->vertices,
                mesh->position);
  mus_arena_clear(&scratch);
  return status;
}

// The file's mesh, repaired and with a rest shape.
static mus_status mend(mus_arena *arena, const mus_cloth_shape *shape, mus_mesh *found, mus_part_shape *out) {
  mus_rest_options rest = mus_rest_default_options();
  rest.source = shape->material_scale > 0 ? MUS_REST_TEXTURE : MUS_REST_POSITIONS;
  rest.scale = shape->material_scale;
  mus_rest_record record;
  mus_repair_record repaired;
  char text[200];
  // Faults that would spoil the rest shape go first, those that only a rest shape can have after it.
  // Texture coordinates that nobody asked for may have any faults.
  mus_mesh clean;
  if (rest.source == MUS_REST_POSITIONS)
    found->material = NULL;
  mus_status status = mus_mesh_repair(arena, found, MUS_REPAIR_USUAL, &clean, &repaired);
  if (!status) {
    mus_repair_text(&repaired, sizeof text, text);
    note(out->repairs, sizeof out->repairs, text);
    out->kept = repaired.removed > 0 ? repaired.vertex_source : NULL;
    status = clean.triangles > 0 ? mus_rest_shape(arena, &clean, &rest, &record) : refuse_empty(&repaired);
  }
  if (!status)
    status = mus_mesh_repair(arena, &clean, MUS_REPAIR(MUS_DEFECT_FLIPPED), &out->mesh, &repaired);
  if (!status) {
    mus_repair_text(&repaired, sizeof text, text);
    note(out->repairs, sizeof out->repairs, text);
    out->shaped = record.source == MUS_REST_TRIANGLES;
  }
  return status;
}

static mus_status read_mesh(mus_arena *arena, const mus_cloth_shape *shape, mus_up up, mus_mesh_file *file,
                            mus_part_shape *out) {
  mus_status status = mus_mesh_file_read(shape->file, arena, file);
  if (status)
    return status; // it names the file
  for (size_t i = 0; i < 3 * (size_t)file->mesh.vertices; ++i)
    file->mesh.position[i] *= shape->scale;
  mus_turn_up(mus_file_up_of(shape->up, up), up, (size_t)file->mesh.vertices, file->mesh.position);
  status = mend(arena, shape, &file->mesh, out);
  if (status)
    return mus_fail_prefix(status, "%s", shape->file);
  if (shape->start && (status = read_start(shape, up, out->kept, file->mesh.vertices, &out->mesh)))
    return status;
  status = check_repaired(&out->mesh);
  return status ? mus_fail_prefix(status, "%s", shape->file) : MUS_OK;
}

// A better order where the file's scatters neighbours over the memory: products are then several times faster.
static mus_status reorder(mus_arena *arena, mus_part_shape *out) {
  mus_order *order = mus_arena_alloc(arena, 1, sizeof *order);
  if (!order)
    return mus_fail_memory();
  mus_status status = mus_order_find(arena, &out->mesh, &out->topology, order);
  if (status || mus_order_spread(order, &out->topology).mean >= mus_mesh_spread(&out->topology).mean / 2)
    return status;
  mus_mesh seen = out->mesh;
  out->order = order;
  status = mus_order_apply(arena, order, &seen, &out->mesh);
  return status ? status : mus_topology_create(arena, &out->mesh, &out->topology);
}

// --- refined ---------------------------------------------------------------------------------------------------------

static mus_status add_pair(const mus_part_shape *out, int a, int b, mus_list *pairs) {
  int vertex[2];
  if (mus_part_vertex(out, a, &vertex[0]) || mus_part_vertex(out, b, &vertex[1]))
    return MUS_OK; // what is wrong with a stitch is told where it is made
  int *pair = mus_list_add(pairs, sizeof vertex);
  if (!pair)
    return mus_fail_memory();
  memcpy(pair, vertex, sizeof vertex);
  return MUS_OK;
}

// Vertices that are sewn to vertices, as they are numbered before anything is reordered.
static mus_status list_pairs(const mus_cloth *cloth, const mus_mesh_file *file, const mus_part_shape *out,
                             mus_list *pairs) {
  mus_status status = MUS_OK;
  for (int k = 0; k < file->stitches && !status; ++k) {
    const mus_stitch *s = &file->stitch[k];
    if (s->b == s->c || s->ratio <= 0 || s->ratio >= 1)
      status = add_pair(out, s->a, s->ratio >= 1 ? s->c : s->b, pairs);
  }
  for (int k = 0; k < cloth->stitch_count && !status; ++k)
    status = add_pair(out, cloth->stitches[k][0], cloth->stitches[k][1], pairs);
  return status;
}

// New vertices are numbered after those of the file, whether all of these were kept or not.
static mus_status number_new(mus_arena *arena, int in_file, mus_part_shape *out) {
  const mus_refinement *r = out->refined;
  int *kept = out->kept ? mus_arena_alloc(arena, (size_t)r->vertices, sizeof *kept) : NULL;
  if (out->kept && !kept)
    return mus_fail_memory();
  for (int v = 0; v < r->vertices && kept; ++v)
    kept[v] = v < r->before ? out->kept[v] : in_file + v - r->before;
  out->kept = kept;
  return MUS_OK;
}

static mus_status refine(mus_arena *arena, const mus_cloth *cloth, const mus_mesh_file *file, mus_part_shape *out) {
  mus_list pairs = {0};
  mus_mesh coarse = out->mesh;
  mus_refinement *refined = mus_arena_alloc(arena, 1, sizeof *refined);
  mus_status status = refined ? list_pairs(cloth, file, out, &pairs) : mus_fail_memory();
  if (!status)
    status = mus_mesh_refine(arena, &coarse, cloth->shape.edge, (int)pairs.count, pairs.items, &out->mesh, refined);
  mus_free(pairs.items);
  if (status)
    return mus_fail_prefix(status, "%s", cloth->shape.file);
  out->refined = refined;
  return number_new(arena, file->mesh.vertices, out);
}

// Sews what has come between the stitches that are there.
static mus_status sew_refined(mus_arena *arena, mus_part_shape *out) {
  mus_list all = {0};
  mus_status status = MUS_OK;
  for (int k = 0; k < out->stitches && !status; ++k) {
    mus_stitch *s = mus_list_add(&all, sizeof *s), given = out->stitch[k];
    if (!s)
      status = mus_fail_memory();
    else
      *s = (mus_stitch){mus_part_seen(out, given.a), mus_part_seen(out, given.b), mus_part_seen(out, given.c),
                        given.ratio};
  }
  if (!status)
    status = mus_resew(out->refined, out->refined, &all, &all);
  mus_stitch *stitch = mus_arena_alloc(arena, all.count, sizeof *stitch);
  if (!status && !stitch)
    status = mus_fail_memory();
  for (size_t k = 0; k < all.count && !status; ++k) {
    mus_stitch s = ((const mus_stitch *)all.items)[k];
    stitch[k] =
        (mus_stitch){mus_part_simulated(out, s.a), mus_part_simulated(out, s.b), mus_part_simulated(out, s.c), s.ratio};
  }
  out->stitch = stitch;
  out->stitches = status ? 0 : (int)all.count;
  mus_free(all.items);
  return status;
}

// --- generated -------------------------------------------------------------------------------------------------------

static mus_status generate(mus_arena *arena, const mus_cloth_shape *shape, mus_mesh *mesh) {
  mus_generate_options options = {.vertices = shape->vertices,
                                  .width = shape->size[0],
                                  .depth = shape->size[1],
                                  .irregular = shape->tessellation == MUS_TESSELLATION_IRREGULAR,
                                  .seed = shape->seed};
  switch (shape->kind) {
  case MUS_CLOTH_SHAPE_L:
    return mus_generate_l(arena, &options, mesh);
  case MUS_CLOTH_SHAPE_DISC:
    return mus_generate_disc(arena, &options, mesh);
  case MUS_CLOTH_SHAPE_TUBE:
    options.width = shape->size[1];
    options.depth = shape->size[0];
    return mus_generate_tube(arena, &options, mesh);
  default:
    return mus_generate_rectangle(arena, &options, mesh);
  }
}

// Its seams come as stitches, as those of a file do.
static mus_status make_garment(mus_arena *arena, const mus_cloth_shape *shape, const mus_mesh *around,
                               mus_mesh_file *seams, mus_part_shape *out) {
  if (!around)
    return mus_fail(MUS_BAD_INPUT, "a garment is made around a body: name it in \"around\"");
  mus_garment_options options = {shape->vertices, shape->tessellation == MUS_TESSELLATION_IRREGULAR, shape->seed};
  mus_garment garment;
  mus_status status = mus_garment_create(arena, around, &options, &garment);
  if (status)
    return status;
  seams->stitches = garment.stitches;
  seams->stitch = mus_arena_alloc(arena, (size_t)garment.stitches, sizeof *seams->stitch);
  if (!seams->stitch)
    return mus_fail_memory();
  for (int k = 0; k < garment.stitches; ++k) {
    const int *pair = garment.stitch + 2 * (size_t)k;
    seams->stitch[k] = (mus_stitch){pair[0], pair[1], pair[1], 0};
  }
  out->mesh = garment.mesh;
  return MUS_OK;
}

// --- either ----------------------------------------------------------------------------------------------------------

// Stitches of a file whose vertices belong to no triangle have nothing to hold and are left out.
static void add_file_stitches(const mus_mesh_file *file, mus_part_shape *out) {
  for (int k = 0; k < file->stitches; ++k) {
    mus_stitch s = file->stitch[k];
    if (!mus_part_vertex(out, s.a, &s.a) && !mus_part_vertex(out, s.b, &s.b) && !mus_part_vertex(out, s.c, &s.c))
      out->stitch[out->stitches++] = s;
  }
  if (out->stitches < file->stitches) {
    char text[100];
    snprintf(text, sizeof text, "left out %d stitches of vertices without triangles", file->stitches - out->stitches);
    note(out->repairs, sizeof out->repairs, text);
  }
}

static mus_status add_pairs(const mus_cloth *cloth, mus_part_shape *out) {
  for (int k = 0; k < cloth->stitch_count; ++k) {
    mus_stitch s = {0};
    mus_status status = mus_part_vertex(out, cloth->stitches[k][0], &s.a);
    if (!status)
      status = mus_part_vertex(out, cloth->stitches[k][1], &s.b);
    if (!status && s.a == s.b)
      status = mus_fail(MUS_BAD_INPUT, "vertex %d is stitched to itself: name two", cloth->stitches[k][0]);
    if (status)
      return mus_fail_prefix(status, "stitches[%d]", k);
    s.c = s.b;
    out->stitch[out->stitches++] = s;
  }
  return MUS_OK;
}

static mus_status add_stitches(mus_arena *arena, const mus_cloth *cloth, const mus_mesh_file *file,
                               mus_part_shape *out) {
  size_t most = (size_t)file->stitches + (size_t)cloth->stitch_count;
  if (most > 0 && !(out->stitch = mus_arena_alloc(arena, most, sizeof *out->stitch)))
    return mus_fail_memory();
  add_file_stitches(file, out);
  return add_pairs(cloth, out);
}

mus_status mus_cloth_mesh_create(mus_arena *arena, mus_up up, const mus_cloth *cloth, const mus_mesh *around,
                                 mus_part_shape *out) {
  *out = (mus_part_shape){0};
  mus_mesh_file file = {0};
  int from_file = cloth->shape.kind == MUS_CLOTH_SHAPE_FILE;
  mus_status status = from_file ? read_mesh(arena, &cloth->shape, up, &file, out)
                      : cloth->shape.kind == MUS_CLOTH_SHAPE_GARMENT
                          ? make_garment(arena, &cloth->shape, around, &file, out)
                          : generate(arena, &cloth->shape, &out->mesh);
  if (status)
    return status;
  if (from_file && cloth->shape.edge > 0)
    status = refine(arena, cloth, &file, out);
  if (status)
    return status;
  if (!from_file)
    mus_turn_up(MUS_UP_Y, up, (size_t)out->mesh.vertices, out->mesh.position);
  mus_part_place(cloth->rotate, cloth->translate, &out->mesh);
  status = mus_topology_create(arena, &out->mesh, &out->topology);
  if (!status && from_file)
    status = reorder(arena, out);
  if (!status)
    status = add_stitches(arena, cloth, &file, out);
  return status || !out->refined ? status : sew_refined(arena, out);
}
