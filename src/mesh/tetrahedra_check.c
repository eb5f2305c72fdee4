// Defects of tetrahedra. See tetrahedra_check.h.
#include "mesh/tetrahedra_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "mesh/check.h"
#include "mesh/groups.h"
#include "mesh/tetrahedra_private.h"

static void note(mus_solid_report *report, mus_solid_defect defect, int first, int second) {
  int count = report->count[defect]++;
  if (count < MUS_SOLID_PLACES) {
    report->place[defect][count][0] = first;
    report->place[defect][count][1] = second;
  }
}

// --- vertices ------------------------------------------------------------------------------------------------------

static mus_status check_vertices(mus_arena *scratch, const mus_tetrahedra *mesh, mus_solid_report *report) {
  unsigned char *used = mus_arena_alloc_zero(scratch, (size_t)mesh->vertices, 1);
  int *first = mus_arena_alloc(scratch, (size_t)mesh->vertices, sizeof *first);
  mus_mesh points = {.vertices = mesh->vertices, .position = mesh->position};
  if (!used || !first)
    return mus_fail_memory();
  mus_status status = mus_first_at_place(&points, first);
  if (status)
    return status;
  for (size_t i = 0; i < (size_t)mesh->tetrahedra * 4; ++i)
    if (mesh->corner[i] >= 0 && mesh->corner[i] < mesh->vertices)
      used[mesh->corner[i]] = 1;
  for (int v = 0; v < mesh->vertices; ++v) {
    const double *p = mesh->position + 3 * (size_t)v;
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
      note(report, MUS_SOLID_POSITION, v, -1);
    if (first[v] != v)
      note(report, MUS_SOLID_COINCIDENT, v, first[v]);
    if (!used[v])
      note(report, MUS_SOLID_UNREFERENCED, v, -1);
  }
  return MUS_OK;
}

// --- tetrahedra ----------------------------------------------------------------------------------------------------

static int has_finite_corners(const mus_tetrahedra *mesh, int t) {
  for (int k = 0; k < 4; ++k) {
    const double *p = mesh->position + 3 * (size_t)mesh->corner[4 * (size_t)t + (size_t)k];
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
      return 0;
  }
  return 1;
}

// The tetrahedra whose four vertices are there and differ, with their numbers in the whole mesh.
typedef struct sound_part {
  mus_tetrahedra mesh;
  int *number;
} sound_part;

static mus_status check_each(mus_arena *scratch, const mus_tetrahedra *mesh, mus_solid_report *report,
                             sound_part *part) {
  part->mesh = (mus_tetrahedra){.vertices = mesh->vertices, .position = mesh->position};
  part->mesh.corner = mus_arena_alloc(scratch, (size_t)mesh->tetrahedra * 4, sizeof *part->mesh.corner);
  part->number = mus_arena_alloc(scratch, (size_t)mesh->tetrahedra, sizeof *part->number);
  if (!part->mesh.corner || !part->number)
    return mus_fail_memory();
  for (int t = 0; t < mesh->tetrahedra; ++t) {
    if (!mus_solid_corners_exist(mesh, t))
      note(report, MUS_SOLID_INDEX, t, -1);
    else if (!mus_solid_corners_differ(mesh, t))
      note(report, MUS_SOLID_REPEATED, t, -1);
    else {
      int sign = has_finite_corners(mesh, t) ? mus_tetrahedron_sign(mesh, t) : 1;
      if (sign <= 0)
        note(report, sign < 0 ? MUS_SOLID_INVERTED : MUS_SOLID_FLAT, t, -1);
      memcpy(part->mesh.corner + (size_t)part->mesh.tetrahedra * 4, mesh->corner + (size_t)t * 4, 4 * sizeof(int));
      part->number[part->mesh.tetrahedra++] = t;
    }
  }
  return MUS_OK;
}

static mus_status check_duplicates(mus_arena *scratch, const sound_part *part, mus_solid_report *report) {
  int *first = mus_arena_alloc(scratch, (size_t)part->mesh.tetrahedra, sizeof *first);
  if (!first)
    return mus_fail_memory();
  mus_status status = mus_solid_first_alike(&part->mesh, first);
  for (int t = 0; !status && t < part->mesh.tetrahedra; ++t)
    if (first[t] != t)
      note(report, MUS_SOLID_DUPLICATE, part->number[t], part->number[first[t]]);
  return status;
}

// --- how they hang together ----------------------------------------------------------------------------------------

// Whether the face runs the same way around in both, in which case both lie on one side of it.
static int runs_alike(const mus_tetrahedra *mesh, int f, int g) {
  const int *a = mesh->corner + (size_t)(f / 4) * 4, *b = mesh->corner + (size_t)(g / 4) * 4;
  const int *i = mus_tetrahedron_face[f % 4], *j = mus_tetrahedron_face[g % 4];
  for (int k = 0; k < 3; ++k)
    if (b[j[k]] == a[i[0]])
      return b[j[(k + 1) % 3]] == a[i[1]];
  return 0;
}

// What is inverted or flat is counted as that, and lies on no side.
static void check_faces(const sound_part *part, const mus_faces *faces, mus_solid_report *report) {
  const mus_tetrahedra *mesh = &part->mesh;
  for (int f = 0; f < faces->faces; ++f) {
    const int *side = faces->side + faces->start[f];
    int sides = faces->start[f + 1] - faces->start[f];
    if (sides > 2)
      note(report, MUS_SOLID_BRANCHING_FACE, part->number[side[0] / 4], -1);
    else if (sides == 2 && runs_alike(mesh, side[0], side[1])) {
      int first = mus_tetrahedron_sign(mesh, side[0] / 4), second = mus_tetrahedron_sign(mesh, side[1] / 4);
      if (first != 0 && first == second)
        note(report, MUS_SOLID_FOLDED, part->number[side[0] / 4], part->number[side[1] / 4]);
    }
  }
}

static mus_status check_surface(mus_arena *scratch, const mus_tetrahedra *mesh, mus_solid_report *report) {
  static const struct {
    mus_defect from;
    mus_solid_defect to;
  } kinds[] = {{MUS_DEFECT_BRANCHING_EDGE, MUS_SOLID_BRANCHING_EDGE},
               {MUS_DEFECT_BRANCHING_VERTEX, MUS_SOLID_BRANCHING_VERTEX}};
  mus_solid_surface surface;
  mus_mesh_report found;
  mus_status status = mus_tetrahedra_surface(scratch, mesh, &surface);
  if (!status)
    status = mus_mesh_check(&surface.mesh, &found);
  for (int k = 0; k < 2 && !status; ++k) {
    int count = found.count[kinds[k].from];
    report->count[kinds[k].to] = count;
    for (int i = 0; i < count && i < MUS_SOLID_PLACES && i < MUS_DEFECT_PLACES; ++i)
      for (int end = 0; end < 2; ++end) {
        int v = found.place[kinds[k].from][i][end];
        report->place[kinds[k].to][i][end] = v < 0 ? v : surface.vertex[v];
      }
  }
  return status;
}

static mus_status check_pieces(mus_arena *scratch, const mus_tetrahedra *mesh, mus_solid_report *report) {
  int *piece = mus_arena_alloc(scratch, (size_t)mesh->vertices, sizeof *piece);
  unsigned char *used = mus_arena_alloc_zero(scratch, (size_t)mesh->vertices, 1);
  if (!piece || !used)
    return mus_fail_memory();
  mus_solid_find_pieces(mesh, piece);
  for (size_t i = 0; i < (size_t)mesh->tetrahedra * 4; ++i)
    used[mesh->corner[i]] = 1;
  for (int v = 0; v < mesh->vertices; ++v)
    if (used[v] && piece[v] == v && report->pieces++ > 0)
      note(report, MUS_SOLID_PIECE, v, -1);
  return MUS_OK;
}

static mus_status check_connections(mus_arena *scratch, const sound_part *part, mus_solid_report *report) {
  mus_faces faces;
  mus_status status = check_duplicates(scratch, part, report);
  if (!status)
    status = mus_faces_create(scratch, &part->mesh, &faces);
  if (status)
    return status;
  check_faces(part, &faces, report);
  status = check_surface(scratch, &part->mesh, report);
  return status ? status : check_pieces(scratch, &part->mesh, report);
}

mus_status mus_tetrahedra_check(const mus_tetrahedra *mesh, mus_solid_report *report) {
  mus_arena scratch = {0};
  mus_solid_report found = {0};
  sound_part part;
  mus_status status = check_vertices(&scratch, mesh, &found);
  if (!status)
    status = check_each(&scratch, mesh, &found, &part);
  if (!status && found.count[MUS_SOLID_INDEX] == 0)
    status = check_connections(&scratch, &part, &found);
  mus_arena_clear(&scratch);
  if (!status)
    *report = found;
  return status;
}

// --- in words ------------------------------------------------------------------------------------------------------

static const char *const words[MUS_SOLID_DEFECTS][2] = {
    [MUS_SOLID_INDEX] = {"tetrahedron with a missing vertex", "tetrahedra with missing vertices"},
    [MUS_SOLID_POSITION] = {"vertex whose position is not finite", "vertices whose positions are not finite"},
    [MUS_SOLID_REPEATED] = {"tetrahedron with a vertex twice", "tetrahedra with a vertex twice"},
    [MUS_SOLID_FLAT] = {"flat tetrahedron", "flat tetrahedra"},
    [MUS_SOLID_INVERTED] = {"inverted tetrahedron", "inverted tetrahedra"},
    [MUS_SOLID_DUPLICATE] = {"tetrahedron that repeats another", "tetrahedra that repeat others"},
    [MUS_SOLID_BRANCHING_FACE] = {"face of more than two tetrahedra", "faces of more than two tetrahedra"},
    [MUS_SOLID_FOLDED] = {"pair of tetrahedra on one side of their common face",
                          "pairs of tetrahedra on one side of their common face"},
    [MUS_SOLID_BRANCHING_EDGE] = {"edge where the surface meets itself", "edges where the surface meets itself"},
    [MUS_SOLID_BRANCHING_VERTEX] = {"vertex where the surface meets itself", "vertices where the surface meets itself"},
    [MUS_SOLID_UNREFERENCED] = {"vertex without tetrahedra", "vertices without tetrahedra"},
    [MUS_SOLID_COINCIDENT] = {"vertex at the position of another", "vertices at the positions of others"},
    [MUS_SOLID_PIECE] = {"more piece, beginning at vertex", "more pieces, beginning at vertices"},
};

static int write_place(mus_solid_defect defect, const int *place, size_t size, char *text) {
  if (defect == MUS_SOLID_BRANCHING_EDGE || defect == MUS_SOLID_FOLDED)
    return snprintf(text, size, "%d-%d", place[0], place[1]);
  if (defect == MUS_SOLID_DUPLICATE || defect == MUS_SOLID_COINCIDENT)
    return snprintf(text, size, "%d (of %d)", place[0], place[1]);
  return snprintf(text, size, "%d", place[0]);
}

void mus_solid_defect_text(const mus_solid_report *report, mus_solid_defect defect, size_t size, char *text) {
  char whole[512]; // the longest text and all its places fit
  int count = report->count[defect], length = 0;
  whole[0] = '\0';
  if (count > 0)
    length = snprintf(whole, sizeof whole, "%d %s", count, words[defect][count > 1]);
  for (int i = 0; i < count && i < MUS_SOLID_PLACES; ++i) {
    const char *between = i > 0 ? ", " : defect == MUS_SOLID_PIECE ? " " : ": ";
    length += snprintf(whole + length, sizeof whole - (size_t)length, "%s", between);
    length += write_place(defect, report->place[defect][i], sizeof whole - (size_t)length, whole + length);
  }
  snprintf(text, size, "%s%s", whole, count > MUS_SOLID_PLACES ? " ..." : "");
}

mus_status mus_tetrahedra_require_sound(const mus_solid_report *report) {
  static const struct {
    mus_solid_defect defect;
    const char *remedy;
  } fatal[] = {
      {MUS_SOLID_INDEX, "correct the file"},
      {MUS_SOLID_POSITION, "check the program that wrote them"},
      {MUS_SOLID_REPEATED, "repair the mesh"},
      {MUS_SOLID_FLAT, "repair the mesh"},
      {MUS_SOLID_INVERTED, "repair the mesh"},
      {MUS_SOLID_DUPLICATE, "repair the mesh"},
      {MUS_SOLID_BRANCHING_FACE, "leave out what overlaps there"},
      {MUS_SOLID_FOLDED, "mesh the shape again, since they overlap"},
  };
  for (size_t k = 0; k < sizeof fatal / sizeof *fatal; ++k)
    if (report->count[fatal[k].defect] > 0) {
      char text[256];
      mus_solid_defect_text(report, fatal[k].defect, sizeof text, text);
      return mus_fail(MUS_BAD_INPUT, "the mesh has %s: %s", text, fatal[k].remedy);
    }
  return MUS_OK;
}
