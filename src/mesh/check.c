// Defects of meshes. See check.h.
#include "mesh/check.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "mesh/groups.h"
#include "mesh/measure.h"
#include "mesh/sort.h"
#include "mesh/topology.h"

static void note(mus_mesh_report *report, mus_defect defect, int first, int second) {
  int count = report->count[defect]++;
  if (count < MUS_DEFECT_PLACES) {
    report->place[defect][count][0] = first;
    report->place[defect][count][1] = second;
  }
}

// --- vertices ------------------------------------------------------------------------------------------------------

static int is_finite(size_t count, const double *x) {
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(x[i]))
      return 0;
  return 1;
}

static uint64_t hash_position(const double *p) {
  uint64_t hash = 0;
  for (int c = 0; c < 3; ++c) {
    double coordinate = p[c] + 0.0; // -0 becomes 0
    uint64_t bits;
    memcpy(&bits, &coordinate, sizeof bits);
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

// A table with open addressing holds the first vertex at each place.
mus_status mus_first_at_place(const mus_mesh *mesh, int *first) {
  size_t slots = 16;
  while (slots < 2 * (size_t)mesh->vertices)
    slots *= 2;
  int *table = mus_alloc_zero(slots, sizeof *table); // vertices from 1; 0 is free
  if (!table)
    return mus_fail_memory();
  for (int v = 0; v < mesh->vertices; ++v) {
    const double *p = mesh->position + (size_t)v * 3;
    first[v] = v;
    if (!is_finite(3, p))
      continue;
    for (size_t slot = hash_position(p) & (slots - 1);; slot = (slot + 1) & (slots - 1)) {
      if (table[slot] == 0) {
        table[slot] = v + 1;
        break;
      }
      const double *q = mesh->position + (size_t)(table[slot] - 1) * 3;
      if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) {
        first[v] = table[slot] - 1;
        break;
      }
    }
  }
  mus_free(table);
  return MUS_OK;
}

static mus_status check_vertices(mus_arena *scratch, const mus_mesh *mesh, mus_mesh_report *report) {
  int *first = mus_arena_alloc(scratch, (size_t)mesh->vertices, sizeof *first);
  if (!first)
    return mus_fail_memory();
  mus_status status = mus_first_at_place(mesh, first);
  for (int v = 0; status == MUS_OK && v < mesh->vertices; ++v) {
    if (!is_finite(3, mesh->position + (size_t)v * 3))
      note(report, MUS_DEFECT_POSITION, v, -1);
    if (first[v] != v)
      note(report, MUS_DEFECT_COINCIDENT, v, first[v]);
  }
  return status;
}

// --- triangles -----------------------------------------------------------------------------------------------------

// Twice the area is the longest edge times the height above it. What overflows, or is NaN, counts as no area.
static int has_no_area(double area, double longest_squared) {
  return !(2 * area > MUS_AREA_TOLERANCE * longest_squared);
}

int mus_is_degenerate(const mus_mesh *mesh, int triangle) {
  const int *corner = mesh->triangle + (size_t)triangle * 3;
  double longest = 0;
  for (int k = 0; k < 3; ++k) {
    const double *p = mesh->position + (size_t)corner[k] * 3, *q = mesh->position + (size_t)corner[(k + 1) % 3] * 3;
    double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
    longest = fmax(longest, x * x + y * y + z * z);
  }
  return has_no_area(mus_space_area(mesh, triangle), longest);
}

int mus_is_degenerate_in_material(const mus_mesh *mesh, int triangle) {
  const double *m = mesh->material + (size_t)triangle * 6;
  double longest = 0;
  for (int k = 0; k < 3; ++k) {
    double u = m[(2 * k + 2) % 6] - m[2 * k], v = m[(2 * k + 3) % 6] - m[2 * k + 1];
    longest = fmax(longest, u * u + v * v);
  }
  return has_no_area(fabs(mus_material_area(mesh, triangle)), longest);
}

static void check_material(const mus_mesh *mesh, int t, mus_mesh_report *report) {
  if (!is_finite(6, mesh->material + (size_t)t * 6))
    note(report, MUS_DEFECT_MATERIAL, t, -1);
  else if (mus_is_degenerate_in_material(mesh, t))
    note(report, MUS_DEFECT_DEGENERATE_MATERIAL, t, -1);
  else if (mus_material_area(mesh, t) < 0)
    note(report, MUS_DEFECT_FLIPPED, t, -1);
}

// True when all three vertices are there and differ.
static int check_corners(const mus_mesh *mesh, int t, mus_mesh_report *report) {
  const int *corner = mesh->triangle + (size_t)t * 3;
  for (int k = 0; k < 3; ++k)
    if (corner[k] < 0 || corner[k] >= mesh->vertices) {
      note(report, MUS_DEFECT_INDEX, t, -1);
      return 0;
    }
  if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) {
    note(report, MUS_DEFECT_REPEATED, t, -1);
    return 0;
  }
  return 1;
}

static int has_finite_corners(const mus_mesh *mesh, int t) {
  for (int k = 0; k < 3; ++k)
    if (!is_finite(3, mesh->position + (size_t)mesh->triangle[(size_t)t * 3 + (size_t)k] * 3))
      return 0;
  return 1;
}

// The triangles that topology can be made of, with their numbers in the whole mesh.
typedef struct sound_part {
  mus_mesh mesh;
  int *number;
} sound_part;

static mus_status check_triangles(mus_arena *scratch, const mus_mesh *mesh, mus_mesh_report *report, sound_part *part) {
  part->mesh = (mus_mesh){.vertices = mesh->vertices, .position = mesh->position};
  part->mesh.triangle = mus_arena_alloc(scratch, (size_t)mesh->triangles * 3, sizeof *part->mesh.triangle);
  part->number = mus_arena_alloc(scratch, (size_t)mesh->triangles, sizeof *part->number);
  if (!part->mesh.triangle || !part->number)
    return mus_fail_memory();
  for (int t = 0; t < mesh->triangles; ++t) {
    if (mesh->material)
      check_material(mesh, t, report);
    if (!check_corners(mesh, t, report))
      continue;
    if (has_finite_corners(mesh, t) && mus_is_degenerate(mesh, t))
      note(report, MUS_DEFECT_DEGENERATE, t, -1);
    memcpy(part->mesh.triangle + (size_t)part->mesh.triangles * 3, mesh->triangle + (size_t)t * 3, 3 * sizeof(int));
    part->number[part->mesh.triangles++] = t;
  }
  return MUS_OK;
}

static void order_corners(const int *corner, int *low, int *middle, int *high) {
  int a = corner[0], b = corner[1], c = corner[2], swap;
  if (a > b)
    swap = a, a = b, b = swap;
  if (b > c)
    swap = b, b = c, c = swap;
  if (a > b)
    swap = a, a = b, b = swap;
  *low = a, *middle = b, *high = c;
}

mus_status mus_first_with_corners(const mus_mesh *mesh, int *first) {
  mus_arena scratch = {0};
  size_t n = (size_t)mesh->triangles;
  int *low = mus_arena_alloc(&scratch, n, sizeof *low), *middle = mus_arena_alloc(&scratch, n, sizeof *middle);
  int *high = mus_arena_alloc(&scratch, n, sizeof *high), *one = mus_arena_alloc(&scratch, n, sizeof *one);
  int *other = mus_arena_alloc(&scratch, n, sizeof *other);
  int *start = mus_arena_alloc(&scratch, (size_t)mesh->vertices + 1, sizeof *start);
  if (!low || !middle || !high || !one || !other || !start) {
    mus_arena_clear(&scratch);
    return mus_fail_memory();
  }
  for (int t = 0; t < mesh->triangles; ++t)
    order_corners(mesh->triangle + (size_t)t * 3, low + t, middle + t, high + t);
  mus_sort_by_key(mesh->triangles, mesh->vertices, high, NULL, start, one);
  mus_sort_by_key(mesh->triangles, mesh->vertices, middle, one, start, other);
  mus_sort_by_key(mesh->triangles, mesh->vertices, low, other, start, one);
  for (int i = 0; i < mesh->triangles; ++i) {
    int t = one[i], before = i > 0 ? one[i - 1] : -1;
    int same = i > 0 && low[t] == low[before] && middle[t] == middle[before] && high[t] == high[before];
    first[t] = same ? first[before] : t;
  }
  mus_arena_clear(&scratch);
  return MUS_OK;
}

static mus_status check_duplicates(mus_arena *scratch, const sound_part *part, mus_mesh_report *report) {
  int *first = mus_arena_alloc(scratch, (size_t)part->mesh.triangles, sizeof *first);
  if (!first)
    return mus_fail_memory();
  mus_status status = mus_first_with_corners(&part->mesh, first);
  for (int t = 0; status == MUS_OK && t < part->mesh.triangles; ++t)
    if (first[t] != t)
      note(report, MUS_DEFECT_DUPLICATE, part->number[t], part->number[first[t]]);
  return status;
}

// --- how they hang together ----------------------------------------------------------------------------------------

static void check_edges(const sound_part *part, const mus_topology *topology, mus_mesh_report *report) {
  for (int e = 0; e < topology->edges; ++e) {
    const int *side = topology->edge_side + topology->edge_side_start[e], *end = topology->edge + (size_t)e * 2;
    int sides = mus_edge_sides(topology, e);
    if (sides > 2)
      note(report, MUS_DEFECT_BRANCHING_EDGE, end[0], end[1]);
    else if (sides == 2 && mus_side_from(&part->mesh, side[0]) == mus_side_from(&part->mesh, side[1]))
      note(report, MUS_DEFECT_TURNED, end[0], end[1]);
  }
}

// The corner of a side's triangle at a vertex.
static int corner_at(const mus_mesh *mesh, int side, int vertex) {
  int first = side - side % 3;
  return mesh->triangle[first] == vertex ? first : mesh->triangle[first + 1] == vertex ? first + 1 : first + 2;
}

// Corners of a vertex are joined where their triangles share an edge; what is left apart are the fans around it.
static mus_status check_fans(mus_arena *scratch, const sound_part *part, const mus_topology *topology,
                             mus_mesh_report *report) {
  int corners = part->mesh.triangles * 3;
  int *parent = mus_arena_alloc(scratch, (size_t)corners, sizeof *parent);
  int *fans = mus_arena_alloc_zero(scratch, (size_t)part->mesh.vertices, sizeof *fans);
  if (!parent || !fans)
    return mus_fail_memory();
  for (int i = 0; i < corners; ++i)
    parent[i] = i;
  for (int e = 0; e < topology->edges; ++e)
    for (int k = topology->edge_side_start[e] + 1; k < topology->edge_side_start[e + 1]; ++k)
      for (int end = 0; end < 2; ++end) {
        int v = topology->edge[(size_t)e * 2 + (size_t)end];
        mus_group_join(parent, corner_at(&part->mesh, topology->edge_side[k - 1], v),
                       corner_at(&part->mesh, topology->edge_side[k], v));
      }
  for (int i = 0; i < corners; ++i)
    fans[part->mesh.triangle[i]] += parent[i] == i;
  for (int v = 0; v < part->mesh.vertices; ++v)
    if (fans[v] > 1)
      note(report, MUS_DEFECT_BRANCHING_VERTEX, v, -1);
  return MUS_OK;
}

// A vertex of nothing but faulty triangles counts as referenced.
static mus_status check_unreferenced(mus_arena *scratch, const mus_mesh *mesh, mus_mesh_report *report) {
  unsigned char *used = mus_arena_alloc_zero(scratch, (size_t)mesh->vertices, 1);
  if (!used)
    return mus_fail_memory();
  for (size_t i = 0; i < (size_t)mesh->triangles * 3; ++i)
    if (mesh->triangle[i] >= 0 && mesh->triangle[i] < mesh->vertices)
      used[mesh->triangle[i]] = 1;
  for (int v = 0; v < mesh->vertices; ++v)
    if (!used[v])
      note(report, MUS_DEFECT_UNREFERENCED, v, -1);
  return MUS_OK;
}

mus_status mus_mesh_check(const mus_mesh *mesh, mus_mesh_report *report) {
  mus_arena scratch = {0};
  mus_mesh_report found = {0};
  sound_part part;
  mus_topology topology;
  mus_status status = check_vertices(&scratch, mesh, &found);
  if (status == MUS_OK)
    status = check_unreferenced(&scratch, mesh, &found);
  if (status == MUS_OK)
    status = check_triangles(&scratch, mesh, &found, &part);
  if (status == MUS_OK)
    status = check_duplicates(&scratch, &part, &found);
  if (status == MUS_OK)
    status = mus_topology_create(&scratch, &part.mesh, &topology);
  if (status == MUS_OK) {
    check_edges(&part, &topology, &found);
    status = check_fans(&scratch, &part, &topology, &found);
  }
  mus_arena_clear(&scratch);
  if (status == MUS_OK)
    *report = found;
  return status;
}

// --- in words ------------------------------------------------------------------------------------------------------

static const char *const WORDS[MUS_DEFECTS][2] = {
    [MUS_DEFECT_INDEX] = {"triangle with a missing vertex", "triangles with missing vertices"},
    [MUS_DEFECT_POSITION] = {"vertex whose position is not finite", "vertices whose positions are not finite"},
    [MUS_DEFECT_MATERIAL] = {"triangle whose material coordinates are not finite",
                             "triangles whose material coordinates are not finite"},
    [MUS_DEFECT_REPEATED] = {"triangle with a vertex twice", "triangles with a vertex twice"},
    [MUS_DEFECT_DEGENERATE] = {"triangle without area in space", "triangles without area in space"},
    [MUS_DEFECT_DEGENERATE_MATERIAL] = {"triangle without area in the material",
                                        "triangles without area in the material"},
    [MUS_DEFECT_FLIPPED] = {"triangle flipped in the material", "triangles flipped in the material"},
    [MUS_DEFECT_DUPLICATE] = {"triangle that repeats another", "triangles that repeat others"},
    [MUS_DEFECT_BRANCHING_EDGE] = {"edge of more than two triangles", "edges of more than two triangles"},
    [MUS_DEFECT_BRANCHING_VERTEX] = {"vertex where parts touch only at a point",
                                     "vertices where parts touch only at a point"},
    [MUS_DEFECT_TURNED] = {"edge between triangles with opposite fronts",
                           "edges between triangles with opposite fronts"},
    [MUS_DEFECT_UNREFERENCED] = {"vertex without triangles", "vertices without triangles"},
    [MUS_DEFECT_COINCIDENT] = {"vertex at the position of another", "vertices at the positions of others"},
};

// One number, the two ends of an edge, or one that repeats another.
static int write_place(mus_defect defect, const int *place, size_t size, char *text) {
  if (defect == MUS_DEFECT_BRANCHING_EDGE || defect == MUS_DEFECT_TURNED)
    return snprintf(text, size, "%d-%d", place[0], place[1]);
  if (defect == MUS_DEFECT_DUPLICATE || defect == MUS_DEFECT_COINCIDENT)
    return snprintf(text, size, "%d (of %d)", place[0], place[1]);
  return snprintf(text, size, "%d", place[0]);
}

void mus_defect_text(const mus_mesh_report *report, mus_defect defect, size_t size, char *text) {
  char whole[512]; // the longest text and all its places fit
  int count = report->count[defect], length = 0;
  whole[0] = '\0';
  if (count > 0)
    length = snprintf(whole, sizeof whole, "%d %s", count, WORDS[defect][count > 1]);
  for (int i = 0; i < count && i < MUS_DEFECT_PLACES; ++i) {
    length += snprintf(whole + length, sizeof whole - (size_t)length, i == 0 ? ": " : ", ");
    length += write_place(defect, report->place[defect][i], sizeof whole - (size_t)length, whole + length);
  }
  snprintf(text, size, "%s%s", whole, count > MUS_DEFECT_PLACES ? " ..." : "");
}

mus_status mus_mesh_require_sound(const mus_mesh_report *report) {
  static const struct {
    mus_defect defect;
    const char *remedy;
  } fatal[] = {
      {MUS_DEFECT_INDEX, "correct the file"},
      {MUS_DEFECT_POSITION, "check the program that wrote them"},
      {MUS_DEFECT_MATERIAL, "check the program that wrote them"},
      {MUS_DEFECT_REPEATED, "repair the mesh"},
      {MUS_DEFECT_DEGENERATE_MATERIAL, "repair the mesh, or take the rest shape from the positions"},
  };
  for (size_t k = 0; k < sizeof fatal / sizeof *fatal; ++k)
    if (report->count[fatal[k].defect] > 0) {
      char text[256];
      mus_defect_text(report, fatal[k].defect, sizeof text, text);
      return mus_fail(MUS_BAD_INPUT, "the mesh has %s: %s", text, fatal[k].remedy);
    }
  return MUS_OK;
}
