// Repairs. See repair.h.
#include "mesh/repair.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "mesh/measure.h"
#include "mesh/repair_parts.h"
#include "mesh/topology.h"

static int is_asked_for(unsigned what, mus_defect defect) { return (what & MUS_REPAIR(defect)) != 0; }

static mus_status refuse(const mus_mesh *mesh, unsigned what) {
  mus_mesh_report report;
  mus_status status = mus_mesh_check(mesh, &report);
  if (status != MUS_OK)
    return status;
  for (mus_defect defect = 0; defect < MUS_DEFECTS; ++defect) {
    int hopeless = defect == MUS_DEFECT_POSITION || defect == MUS_DEFECT_MATERIAL ||
                   (defect == MUS_DEFECT_INDEX && !is_asked_for(what, defect));
    if (!hopeless)
      report.count[defect] = 0;
  }
  return mus_mesh_require_sound(&report);
}

// --- welding -------------------------------------------------------------------------------------------------------

static mus_cornered corners_of(const mus_mesh *mesh) {
  return (mus_cornered){mesh->vertices, mesh->position, (size_t)mesh->triangles * 3, mesh->triangle};
}

static mus_status weld(mus_arena *scratch, const mus_mesh *mesh, mus_repair_record *record) {
  mus_cornered all = corners_of(mesh);
  return mus_repair_weld(scratch, &all, &record->welded);
}

// --- dropping ------------------------------------------------------------------------------------------------------

static void move_triangle(mus_mesh *mesh, mus_repair_record *record, int from, int to) {
  memmove(mesh->triangle + (size_t)to * 3, mesh->triangle + (size_t)from * 3, 3 * sizeof *mesh->triangle);
  if (mesh->material)
    memmove(mesh->material + (size_t)to * 6, mesh->material + (size_t)from * 6, 6 * sizeof *mesh->material);
  record->triangle_source[to] = record->triangle_source[from];
}

// The first reason to drop a triangle; MUS_DEFECTS when there is none.
static mus_defect reason_to_drop(const mus_mesh *mesh, int t, unsigned what) {
  const int *corner = mesh->triangle + (size_t)t * 3;
  for (int k = 0; k < 3; ++k)
    if (corner[k] < 0 || corner[k] >= mesh->vertices)
      return MUS_DEFECT_INDEX;
  int repeated = corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
  if (is_asked_for(what, MUS_DEFECT_REPEATED) && repeated)
    return MUS_DEFECT_REPEATED;
  if (is_asked_for(what, MUS_DEFECT_DEGENERATE) && mus_is_degenerate(mesh, t))
    return MUS_DEFECT_DEGENERATE;
  if (is_asked_for(what, MUS_DEFECT_DEGENERATE_MATERIAL) && mesh->material && mus_is_degenerate_in_material(mesh, t))
    return MUS_DEFECT_DEGENERATE_MATERIAL;
  return MUS_DEFECTS;
}

static void drop_faulty(mus_mesh *mesh, unsigned what, mus_repair_record *record) {
  int kept = 0;
  for (int t = 0; t < mesh->triangles; ++t) {
    mus_defect reason = reason_to_drop(mesh, t, what);
    if (reason < MUS_DEFECTS)
      ++record->dropped[reason];
    else
      move_triangle(mesh, record, t, kept++);
  }
  mesh->triangles = kept;
}

static mus_status drop_duplicates(mus_arena *scratch, mus_mesh *mesh, mus_repair_record *record) {
  int *first = mus_arena_alloc(scratch, (size_t)mesh->triangles, sizeof *first), kept = 0;
  if (!first)
    return mus_fail_memory();
  mus_status status = mus_first_with_corners(mesh, first);
  if (status != MUS_OK)
    return status;
  for (int t = 0; t < mesh->triangles; ++t)
    if (first[t] == t)
      move_triangle(mesh, record, t, kept++);
  record->dropped[MUS_DEFECT_DUPLICATE] = mesh->triangles - kept;
  mesh->triangles = kept;
  return MUS_OK;
}

// --- turning -------------------------------------------------------------------------------------------------------

static void turn(mus_mesh *mesh, int t) {
  int *corner = mesh->triangle + (size_t)t * 3, vertex = corner[1];
  corner[1] = corner[2];
  corner[2] = vertex;
  for (size_t c = 2; mesh->material && c < 4; ++c) {
    double *m = mesh->material + (size_t)t * 6 + c, coordinate = m[0];
    m[0] = m[2];
    m[2] = coordinate;
  }
}

// The triangles that hang together by edges of two sides, in the order of a breadth-first walk, and for each whether it
// faces the other way than the first.
typedef struct patch {
  int *member, count;
  signed char *turned; // of all triangles; -1 before they are reached
} patch;

static void walk_patch(const mus_mesh *mesh, const mus_topology *topology, int seed, patch *p) {
  p->count = 0;
  p->member[p->count++] = seed;
  p->turned[seed] = 0;
  for (int i = 0; i < p->count; ++i)
    for (int side = p->member[i] * 3; side < p->member[i] * 3 + 3; ++side) {
      int edge = topology->side_edge[side];
      const int *both = topology->edge_side + topology->edge_side_start[edge];
      if (mus_edge_sides(topology, edge) != 2)
        continue;
      int other = both[0] == side ? both[1] : both[0];
      if (p->turned[other / 3] >= 0)
        continue;
      int opposite = mus_side_from(mesh, side) == mus_side_from(mesh, other);
      p->turned[other / 3] = (signed char)(p->turned[p->member[i]] ^ opposite);
      p->member[p->count++] = other / 3;
    }
}

// Turns the members that leave fewer triangles turned over in the material or, where that is even, the smaller part.
static int turn_patch(mus_mesh *mesh, const patch *p) {
  int turned = 0, flipped_if_turned = 0, flipped_if_not = 0;
  for (int i = 0; i < p->count; ++i) {
    int t = p->member[i];
    double area = mesh->material ? mus_material_area(mesh, t) : 0;
    turned += p->turned[t];
    flipped_if_turned += p->turned[t] ? area > 0 : area < 0; // when those that face the other way are turned
    flipped_if_not += p->turned[t] ? area < 0 : area > 0;    // when the rest is
  }
  if (turned == 0)
    return 0;
  int rest = flipped_if_not != flipped_if_turned ? flipped_if_not < flipped_if_turned : p->count - turned < turned;
  for (int i = 0; i < p->count; ++i)
    if (p->turned[p->member[i]] != rest)
      turn(mesh, p->member[i]);
  return rest ? p->count - turned : turned;
}

static mus_status turn_all(mus_arena *scratch, mus_mesh *mesh, mus_repair_record *record) {
  mus_topology topology;
  mus_status status = mus_topology_create(scratch, mesh, &topology);
  if (status != MUS_OK)
    return status;
  patch p = {.member = mus_arena_alloc(scratch, (size_t)mesh->triangles, sizeof *p.member),
             .turned = mus_arena_alloc(scratch, (size_t)mesh->triangles, 1)};
  if (!p.member || !p.turned)
    return mus_fail_memory();
  memset(p.turned, -1, (size_t)mesh->triangles);
  for (int t = 0; t < mesh->triangles; ++t)
    if (p.turned[t] < 0) {
      walk_patch(mesh, &topology, t, &p);
      record->turned += turn_patch(mesh, &p);
    }
  return MUS_OK;
}

static void mirror(mus_mesh *mesh, mus_repair_record *record) {
  for (int t = 0; mesh->material && t < mesh->triangles; ++t)
    if (mus_material_area(mesh, t) < 0) {
      for (int k = 0; k < 3; ++k)
        mesh->material[(size_t)t * 6 + 2 * (size_t)k] *= -1;
      ++record->mirrored;
    }
}

// --- removing vertices ---------------------------------------------------------------------------------------------

static mus_status remove_unreferenced(mus_arena *scratch, mus_mesh *mesh, mus_repair_record *record) {
  mus_cornered all = corners_of(mesh);
  mus_status status = mus_repair_remove_unused(scratch, &all, record->vertex_source, &record->removed);
  mesh->vertices = all.vertices;
  return status;
}

// --- all of it -----------------------------------------------------------------------------------------------------

static mus_status prepare(mus_arena *arena, const mus_mesh *mesh, mus_mesh *copy, mus_repair_record *record) {
  mus_status status = mus_mesh_copy(arena, mesh, copy);
  if (status != MUS_OK)
    return status;
  record->vertex_source = mus_arena_alloc(arena, (size_t)mesh->vertices, sizeof *record->vertex_source);
  record->triangle_source = mus_arena_alloc(arena, (size_t)mesh->triangles, sizeof *record->triangle_source);
  if (!record->vertex_source || !record->triangle_source)
    return mus_fail_memory();
  for (int v = 0; v < mesh->vertices; ++v)
    record->vertex_source[v] = v;
  for (int t = 0; t < mesh->triangles; ++t)
    record->triangle_source[t] = t;
  return MUS_OK;
}

static mus_status repair(mus_arena *scratch, mus_mesh *mesh, unsigned what, mus_repair_record *record) {
  mus_status status = MUS_OK;
  if (is_asked_for(what, MUS_DEFECT_COINCIDENT))
    status = weld(scratch, mesh, record);
  if (status != MUS_OK)
    return status;
  drop_faulty(mesh, what, record);
  if (is_asked_for(what, MUS_DEFECT_DUPLICATE))
    status = drop_duplicates(scratch, mesh, record);
  if (status == MUS_OK && is_asked_for(what, MUS_DEFECT_TURNED))
    status = turn_all(scratch, mesh, record);
  if (is_asked_for(what, MUS_DEFECT_FLIPPED))
    mirror(mesh, record);
  if (status == MUS_OK && is_asked_for(what, MUS_DEFECT_UNREFERENCED))
    status = remove_unreferenced(scratch, mesh, record);
  return status;
}

mus_status mus_mesh_repair(mus_arena *arena, const mus_mesh *mesh, unsigned what, mus_mesh *out,
                           mus_repair_record *record) {
  mus_status status = refuse(mesh, what);
  if (status != MUS_OK)
    return status;
  mus_arena scratch = {0};
  mus_mesh copy;
  mus_repair_record done = {0};
  status = prepare(arena, mesh, &copy, &done);
  if (status == MUS_OK)
    status = repair(&scratch, &copy, what, &done);
  mus_arena_clear(&scratch);
  if (status != MUS_OK)
    return status;
  *out = copy;
  *record = done;
  return MUS_OK;
}

// --- in words ------------------------------------------------------------------------------------------------------

void mus_repair_text(const mus_repair_record *record, size_t size, char *text) {
  mus_repair_words words = {{0}, 0};
  mus_repair_say(&words, "welded ", record->welded, "vertex", "vertices");
  const int *dropped = record->dropped;
  mus_repair_say(&words, "dropped ", dropped[MUS_DEFECT_INDEX], "triangle with a missing vertex",
                 "triangles with missing vertices");
  mus_repair_say(&words, "dropped ", dropped[MUS_DEFECT_REPEATED] + dropped[MUS_DEFECT_DEGENERATE],
                 "triangle without area", "triangles without area");
  mus_repair_say(&words, "dropped ", dropped[MUS_DEFECT_DEGENERATE_MATERIAL], "triangle without area in the material",
                 "triangles without area in the material");
  mus_repair_say(&words, "dropped ", dropped[MUS_DEFECT_DUPLICATE], "duplicate triangle", "duplicate triangles");
  mus_repair_say(&words, "flipped ", record->turned, "triangle", "triangles");
  mus_repair_say(&words, "mirrored ", record->mirrored, "triangle in the material", "triangles in the material");
  mus_repair_say(&words, "removed ", record->removed, "vertex without triangles", "vertices without triangles");
  snprintf(text, size, "%s", words.text);
}
