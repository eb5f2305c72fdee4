// Repair of tetrahedra. See tetrahedra_check.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "mesh/groups.h"
#include "mesh/repair_parts.h"
#include "mesh/sort.h"
#include "mesh/tetrahedra_check.h"
#include "mesh/tetrahedra_private.h"

// --- what checks use too -------------------------------------------------------------------------------------------

int mus_solid_corners_exist(const mus_tetrahedra *mesh, int tetrahedron) {
  const int *corner = mesh->corner + (size_t)tetrahedron * 4;
  for (int k = 0; k < 4; ++k)
    if (corner[k] < 0 || corner[k] >= mesh->vertices)
      return 0;
  return 1;
}

int mus_solid_corners_differ(const mus_tetrahedra *mesh, int tetrahedron) {
  const int *c = mesh->corner + (size_t)tetrahedron * 4;
  return c[0] != c[1] && c[0] != c[2] && c[0] != c[3] && c[1] != c[2] && c[1] != c[3] && c[2] != c[3];
}

static void sorted_corners(const mus_tetrahedra *mesh, int t, int out[4]) {
  memcpy(out, mesh->corner + (size_t)t * 4, 4 * sizeof *out);
  for (int i = 1; i < 4; ++i)
    for (int k = i; k > 0 && out[k - 1] > out[k]; --k) {
      int other = out[k];
      out[k] = out[k - 1];
      out[k - 1] = other;
    }
}

mus_status mus_solid_first_alike(const mus_tetrahedra *mesh, int *first) {
  mus_arena scratch = {0};
  size_t n = (size_t)mesh->tetrahedra;
  int *key = mus_arena_alloc(&scratch, n, sizeof *key), *one = mus_arena_alloc(&scratch, n, sizeof *one);
  int *other = mus_arena_alloc(&scratch, n, sizeof *other), a[4], b[4];
  int *start = mus_arena_alloc(&scratch, (size_t)mesh->vertices + 1, sizeof *start);
  if (!key || !one || !other || !start) {
    mus_arena_clear(&scratch);
    return mus_fail_memory();
  }
  for (int k = 3; k >= 0; --k) { // the last corner first: each sort keeps the order of equals
    for (int t = 0; t < mesh->tetrahedra; ++t) {
      sorted_corners(mesh, t, a);
      key[t] = a[k];
    }
    mus_sort_by_key(mesh->tetrahedra, mesh->vertices, key,
                    k == 3  ? NULL
                    : k % 2 ? one
                            : other,
                    start, k % 2 ? other : one);
  }
  for (int i = 0; i < mesh->tetrahedra; ++i) {
    sorted_corners(mesh, one[i], a);
    if (i > 0)
      sorted_corners(mesh, one[i - 1], b);
    first[one[i]] = i > 0 && memcmp(a, b, sizeof a) == 0 ? first[one[i - 1]] : one[i];
  }
  mus_arena_clear(&scratch);
  return MUS_OK;
}

void mus_solid_find_pieces(const mus_tetrahedra *mesh, int *piece) {
  for (int v = 0; v < mesh->vertices; ++v)
    piece[v] = v;
  for (size_t i = 0; i < (size_t)mesh->tetrahedra * 4; ++i)
    if (i % 4 > 0)
      mus_group_join(piece, mesh->corner[i - 1], mesh->corner[i]);
  for (int v = 0; v < mesh->vertices; ++v)
    piece[v] = mus_group_first(piece, v);
}

// --- dropping and turning ------------------------------------------------------------------------------------------

static int is_asked_for(unsigned what, mus_solid_defect defect) { return (what & MUS_SOLID_REPAIR(defect)) != 0; }

static mus_status refuse(const mus_tetrahedra *mesh, unsigned what) {
  for (size_t i = 0; i < (size_t)mesh->vertices * 3; ++i)
    if (!isfinite(mesh->position[i]))
      return mus_fail(MUS_BAD_INPUT, "the position of vertex %zu is not finite: check the program that wrote it",
                      i / 3);
  for (int t = 0; t < mesh->tetrahedra && !is_asked_for(what, MUS_SOLID_INDEX); ++t)
    if (!mus_solid_corners_exist(mesh, t))
      return mus_fail(MUS_BAD_INPUT, "tetrahedron %d has a vertex outside 0...%d: correct the mesh", t,
                      mesh->vertices - 1);
  return MUS_OK;
}

static mus_cornered corners_of(const mus_tetrahedra *mesh) {
  return (mus_cornered){mesh->vertices, mesh->position, (size_t)mesh->tetrahedra * 4, mesh->corner};
}

static mus_status weld(mus_arena *scratch, const mus_tetrahedra *mesh, mus_solid_repair *record) {
  mus_cornered all = corners_of(mesh);
  return mus_repair_weld(scratch, &all, &record->welded);
}

// The defect that a tetrahedron is to be dropped for, or MUS_SOLID_DEFECTS.
static mus_solid_defect reason_to_drop(const mus_tetrahedra *mesh, int t, unsigned what) {
  if (!mus_solid_corners_exist(mesh, t))
    return MUS_SOLID_INDEX; // asked for, or it would have been rejected
  if (!mus_solid_corners_differ(mesh, t))
    return is_asked_for(what, MUS_SOLID_REPEATED) ? MUS_SOLID_REPEATED : MUS_SOLID_DEFECTS;
  int flat = is_asked_for(what, MUS_SOLID_FLAT) && mus_tetrahedron_sign(mesh, t) == 0;
  return flat ? MUS_SOLID_FLAT : MUS_SOLID_DEFECTS;
}

static void keep(mus_tetrahedra *mesh, int from, int to, mus_solid_repair *record) {
  memmove(mesh->corner + 4 * (size_t)to, mesh->corner + 4 * (size_t)from, 4 * sizeof *mesh->corner);
  if (mesh->region)
    mesh->region[to] = mesh->region[from];
  record->tetrahedron_source[to] = record->tetrahedron_source[from];
}

static void drop_faulty(mus_tetrahedra *mesh, unsigned what, mus_solid_repair *record) {
  int kept = 0;
  for (int t = 0; t < mesh->tetrahedra; ++t) {
    mus_solid_defect reason = reason_to_drop(mesh, t, what);
    if (reason != MUS_SOLID_DEFECTS)
      ++record->dropped[reason];
    else
      keep(mesh, t, kept++, record);
  }
  mesh->tetrahedra = kept;
}

static void turn_inverted(mus_tetrahedra *mesh, mus_solid_repair *record) {
  for (int t = 0; t < mesh->tetrahedra; ++t)
    if (mus_tetrahedron_sign(mesh, t) < 0) {
      int *corner = mesh->corner + 4 * (size_t)t, other = corner[2];
      corner[2] = corner[3];
      corner[3] = other;
      ++record->turned;
    }
}

static mus_status drop_duplicates(mus_arena *scratch, mus_tetrahedra *mesh, mus_solid_repair *record) {
  int *first = mus_arena_alloc(scratch, (size_t)mesh->tetrahedra, sizeof *first), kept = 0;
  mus_status status = first ? mus_solid_first_alike(mesh, first) : mus_fail_memory();
  if (status)
    return status;
  for (int t = 0; t < mesh->tetrahedra; ++t)
    if (first[t] == t)
      keep(mesh, t, kept++, record);
    else
      ++record->dropped[MUS_SOLID_DUPLICATE];
  mesh->tetrahedra = kept;
  return MUS_OK;
}

// --- pieces --------------------------------------------------------------------------------------------------------

// The piece of the greatest volume, and those that have at least `part` of that.
static mus_status keep_large_pieces(mus_arena *scratch, mus_tetrahedra *mesh, double part, mus_solid_repair *record) {
  int *piece = mus_arena_alloc(scratch, (size_t)mesh->vertices, sizeof *piece), kept = 0, largest = 0;
  double *volume = mus_arena_alloc_zero(scratch, (size_t)mesh->vertices, sizeof *volume);
  if (!piece || !volume)
    return mus_fail_memory();
  mus_solid_find_pieces(mesh, piece);
  for (int t = 0; t < mesh->tetrahedra; ++t)
    volume[piece[mesh->corner[4 * (size_t)t]]] += fabs(mus_tetrahedron_volume(mesh, t));
  for (int v = 0; v < mesh->vertices; ++v)
    if (volume[v] > volume[largest])
      largest = v;
  for (int t = 0; t < mesh->tetrahedra; ++t) {
    int of = piece[mesh->corner[4 * (size_t)t]];
    if (of == piece[largest] || volume[of] >= part * volume[largest])
      keep(mesh, t, kept++, record);
    else
      ++record->dropped[MUS_SOLID_PIECE];
  }
  mesh->tetrahedra = kept;
  return MUS_OK;
}

// Corners of tetrahedra are joined across faces; those of one vertex that stay apart get vertices of their own. The
// first group of a vertex keeps it; every other one's first corner, which comes before its others, makes a copy.
typedef struct vertex_split {
  int *parent; // corners: the first of their group
  int *number; // corners: the vertex that they get
  int *source; // the vertices that are added: what they are copies of
  int added;
} vertex_split;

static void join_corners(const mus_tetrahedra *mesh, const mus_faces *faces, int *parent) {
  for (int i = 0; i < mesh->tetrahedra * 4; ++i)
    parent[i] = i;
  for (int f = 0; f < faces->faces; ++f)
    for (int i = faces->start[f] + 1; i < faces->start[f + 1]; ++i)
      for (int k = 0; k < 3; ++k) {
        int a = faces->side[i - 1], b = faces->side[i], at = a - a % 4 + mus_tetrahedron_face[a % 4][k];
        int with = b - b % 4;
        while (mesh->corner[with] != mesh->corner[at])
          ++with;
        mus_group_join(parent, at, with);
      }
}

static mus_status find_split(mus_arena *scratch, const mus_tetrahedra *mesh, vertex_split *split) {
  mus_faces faces;
  mus_status status = mus_faces_create(scratch, mesh, &faces);
  size_t corners = (size_t)mesh->tetrahedra * 4;
  split->parent = mus_arena_alloc(scratch, corners, sizeof *split->parent);
  split->number = mus_arena_alloc(scratch, corners, sizeof *split->number);
  split->source = mus_arena_alloc(scratch, corners, sizeof *split->source);
  unsigned char *taken = mus_arena_alloc_zero(scratch, (size_t)mesh->vertices, 1);
  if (status || !split->parent || !split->number || !split->source || !taken)
    return status ? status : mus_fail_memory();
  join_corners(mesh, &faces, split->parent);
  for (int i = 0; i < (int)corners; ++i) {
    int v = mesh->corner[i], first = mus_group_first(split->parent, i);
    if (first < i)
      split->number[i] = split->number[first];
    else if (!taken[v])
      split->number[i] = v;
    else {
      split->source[split->added] = v;
      split->number[i] = mesh->vertices + split->added++;
    }
    taken[v] = 1;
  }
  return MUS_OK;
}

static mus_status split_vertices(mus_arena *arena, mus_arena *scratch, mus_tetrahedra *mesh, mus_solid_repair *record) {
  vertex_split split = {0};
  mus_tetrahedra out;
  mus_status status = find_split(scratch, mesh, &split);
  if (status || split.added == 0)
    return status;
  size_t before = (size_t)mesh->vertices, now = before + (size_t)split.added;
  status = mus_tetrahedra_create(arena, (long long)now, mesh->tetrahedra, 0, &out);
  int *vertex_source = mus_arena_alloc(arena, now, sizeof *vertex_source);
  if (status || !vertex_source)
    return status ? status : mus_fail_memory();
  for (size_t v = 0; v < now; ++v) {
    size_t source = v < before ? v : (size_t)split.source[v - before];
    memcpy(out.position + 3 * v, mesh->position + 3 * source, 3 * sizeof *out.position);
    vertex_source[v] = record->vertex_source[source];
  }
  memcpy(out.corner, split.number, (size_t)mesh->tetrahedra * 4 * sizeof *out.corner);
  out.region = mesh->region;
  record->vertex_source = vertex_source;
  record->split = split.added;
  *mesh = out;
  return MUS_OK;
}

static mus_status remove_unreferenced(mus_arena *scratch, mus_tetrahedra *mesh, mus_solid_repair *record) {
  mus_cornered all = corners_of(mesh);
  mus_status status = mus_repair_remove_unused(scratch, &all, record->vertex_source, &record->removed);
  mesh->vertices = all.vertices;
  return status;
}

// --- all of it -----------------------------------------------------------------------------------------------------

static mus_status prepare(mus_arena *arena, const mus_tetrahedra *mesh, mus_tetrahedra *copy,
                          mus_solid_repair *record) {
  mus_status status = mus_tetrahedra_copy(arena, mesh, copy);
  if (status)
    return status;
  record->vertex_source = mus_arena_alloc(arena, (size_t)mesh->vertices, sizeof *record->vertex_source);
  record->tetrahedron_source = mus_arena_alloc(arena, (size_t)mesh->tetrahedra, sizeof *record->tetrahedron_source);
  if (!record->vertex_source || !record->tetrahedron_source)
    return mus_fail_memory();
  for (int v = 0; v < mesh->vertices; ++v)
    record->vertex_source[v] = v;
  for (int t = 0; t < mesh->tetrahedra; ++t)
    record->tetrahedron_source[t] = t;
  return MUS_OK;
}

static mus_status repair(mus_arena *arena, mus_arena *scratch, mus_tetrahedra *mesh, unsigned what,
                         mus_solid_repair *record) {
  mus_status status = is_asked_for(what, MUS_SOLID_COINCIDENT) ? weld(scratch, mesh, record) : MUS_OK;
  if (status)
    return status;
  drop_faulty(mesh, what, record);
  if (is_asked_for(what, MUS_SOLID_INVERTED))
    turn_inverted(mesh, record);
  if (is_asked_for(what, MUS_SOLID_DUPLICATE))
    status = drop_duplicates(scratch, mesh, record);
  if (!status && is_asked_for(what, MUS_SOLID_BRANCHING_VERTEX))
    status = split_vertices(arena, scratch, mesh, record);
  if (!status && is_asked_for(what, MUS_SOLID_PIECE))
    status = keep_large_pieces(scratch, mesh, INFINITY, record);
  if (!status && is_asked_for(what, MUS_SOLID_UNREFERENCED))
    status = remove_unreferenced(scratch, mesh, record);
  return status;
}

mus_status mus_tetrahedra_repair(mus_arena *arena, const mus_tetrahedra *mesh, unsigned what, mus_tetrahedra *out,
                                 mus_solid_repair *record) {
  mus_status status = refuse(mesh, what);
  if (status)
    return status;
  mus_arena scratch = {0};
  mus_tetrahedra copy;
  mus_solid_repair done = {0};
  status = prepare(arena, mesh, &copy, &done);
  if (!status)
    status = repair(arena, &scratch, &copy, what, &done);
  mus_arena_clear(&scratch);
  if (status)
    return status;
  *out = copy;
  *record = done;
  return MUS_OK;
}

mus_status mus_tetrahedra_drop_pieces(mus_arena *arena, const mus_tetrahedra *mesh, double part, mus_tetrahedra *out,
                                      mus_solid_repair *record) {
  mus_status status = refuse(mesh, 0);
  if (status)
    return status;
  mus_arena scratch = {0};
  mus_tetrahedra copy;
  mus_solid_repair done = {0};
  status = prepare(arena, mesh, &copy, &done);
  if (!status)
    status = keep_large_pieces(&scratch, &copy, part, &done);
  if (!status)
    status = remove_unreferenced(&scratch, &copy, &done);
  mus_arena_clear(&scratch);
  if (status)
    return status;
  *out = copy;
  *record = done;
  return MUS_OK;
}

// --- in words ------------------------------------------------------------------------------------------------------

void mus_solid_repair_text(const mus_solid_repair *record, size_t size, char *text) {
  mus_repair_words words = {{0}, 0};
  const int *dropped = record->dropped;
  mus_repair_say(&words, "welded ", record->welded, "vertex", "vertices");
  mus_repair_say(&words, "dropped ", dropped[MUS_SOLID_INDEX], "tetrahedron with a missing vertex",
                 "tetrahedra with missing vertices");
  mus_repair_say(&words, "dropped ", dropped[MUS_SOLID_REPEATED] + dropped[MUS_SOLID_FLAT], "flat tetrahedron",
                 "flat tetrahedra");
  mus_repair_say(&words, "turned ", record->turned, "inverted tetrahedron", "inverted tetrahedra");
  mus_repair_say(&words, "dropped ", dropped[MUS_SOLID_DUPLICATE], "duplicate tetrahedron", "duplicate tetrahedra");
  mus_repair_say(&words, "split off ", record->split, "vertex", "vertices");
  mus_repair_say(&words, "dropped ", dropped[MUS_SOLID_PIECE], "tetrahedron of smaller pieces",
                 "tetrahedra of smaller pieces");
  mus_repair_say(&words, "removed ", record->removed, "vertex without tetrahedra", "vertices without tetrahedra");
  snprintf(text, size, "%s", words.text);
}
