// Arrays, faces, edges and the surface of tetrahedra. See tetrahedra.h.
#include "mesh/tetrahedra.h"

#include <string.h>

#include "base/error.h"
#include "mesh/sort.h"

const int mus_tetrahedron_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

mus_status mus_tetrahedra_create(mus_arena *arena, long long vertices, long long tetrahedra, int with_regions,
                                 mus_tetrahedra *out) {
  if (vertices < 0 || tetrahedra < 0 || vertices > MUS_TETRAHEDRA_MAXIMUM || tetrahedra > MUS_TETRAHEDRA_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT,
                    "a mesh of %lld vertices and %lld tetrahedra exceeds the limit of %d of each: choose longer edges",
                    vertices, tetrahedra, MUS_TETRAHEDRA_MAXIMUM);
  mus_tetrahedra mesh = {.vertices = (int)vertices, .tetrahedra = (int)tetrahedra};
  mesh.position = mus_arena_alloc(arena, (size_t)vertices * 3, sizeof *mesh.position);
  mesh.corner = mus_arena_alloc(arena, (size_t)tetrahedra * 4, sizeof *mesh.corner);
  if (with_regions)
    mesh.region = mus_arena_alloc(arena, (size_t)tetrahedra, sizeof *mesh.region);
  if (!mesh.position || !mesh.corner || (with_regions && !mesh.region))
    return mus_fail_memory();
  *out = mesh;
  return MUS_OK;
}

mus_status mus_tetrahedra_copy(mus_arena *arena, const mus_tetrahedra *mesh, mus_tetrahedra *out) {
  mus_tetrahedra copy;
  mus_status status = mus_tetrahedra_create(arena, mesh->vertices, mesh->tetrahedra, mesh->region != NULL, &copy);
  if (status)
    return status;
  memcpy(copy.position, mesh->position, (size_t)mesh->vertices * 3 * sizeof *mesh->position);
  memcpy(copy.corner, mesh->corner, (size_t)mesh->tetrahedra * 4 * sizeof *mesh->corner);
  if (mesh->region)
    memcpy(copy.region, mesh->region, (size_t)mesh->tetrahedra * sizeof *mesh->region);
  *out = copy;
  return MUS_OK;
}

// --- faces ---------------------------------------------------------------------------------------------------------

// The three vertices of a face, ascending.
static void sorted_face(const mus_tetrahedra *mesh, int face, int vertex[3]) {
  const int *corner = mesh->corner + (size_t)(face / 4) * 4, *local = mus_tetrahedron_face[face % 4];
  int a = corner[local[0]], b = corner[local[1]], c = corner[local[2]], low = a < b ? a : b, high = a < b ? b : a;
  vertex[0] = c < low ? c : low;
  vertex[2] = c > high ? c : high;
  vertex[1] = c < low ? low : c > high ? high : c;
}

// All faces, ordered by their vertices: a stable counting sort for each, the last first.
static mus_status sort_faces(mus_arena *scratch, const mus_tetrahedra *mesh, int *sorted) {
  int count = mesh->tetrahedra * 4, vertex[3];
  int *key = mus_arena_alloc(scratch, (size_t)count, sizeof *key);
  int *other = mus_arena_alloc(scratch, (size_t)count, sizeof *other);
  int *start = mus_arena_alloc(scratch, (size_t)mesh->vertices + 1, sizeof *start);
  if (!key || !other || !start)
    return mus_fail_memory();
  int *const to[3] = {sorted, other, sorted}; // by the third, the second, the first vertex
  for (int round = 0; round < 3; ++round) {
    for (int f = 0; f < count; ++f) {
      sorted_face(mesh, f, vertex);
      key[f] = vertex[2 - round];
    }
    mus_sort_by_key(count, mesh->vertices, key, round == 0 ? NULL : to[round - 1], start, to[round]);
  }
  return MUS_OK;
}

static int same_face(const mus_tetrahedra *mesh, int f, int g) {
  int a[3], b[3];
  sorted_face(mesh, f, a);
  sorted_face(mesh, g, b);
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static void find_neighbours(const mus_faces *faces, int *neighbour) {
  for (int f = 0; f < faces->faces; ++f) {
    int begin = faces->start[f], sides = faces->start[f + 1] - begin;
    for (int k = 0; k < sides; ++k)
      neighbour[faces->side[begin + k]] = sides == 1 ? -1 : sides > 2 ? -2 : faces->side[begin + 1 - k] / 4;
  }
}

mus_status mus_faces_create(mus_arena *arena, const mus_tetrahedra *mesh, mus_faces *out) {
  mus_arena scratch = {0};
  size_t sides = (size_t)mesh->tetrahedra * 4;
  mus_faces faces = {.side = mus_arena_alloc(arena, sides, sizeof *faces.side),
                     .start = mus_arena_alloc(arena, sides + 1, sizeof *faces.start),
                     .neighbour = mus_arena_alloc(arena, sides, sizeof *faces.neighbour)};
  mus_status status = faces.side && faces.start && faces.neighbour ? MUS_OK : mus_fail_memory();
  if (!status)
    status = sort_faces(&scratch, mesh, faces.side);
  for (int i = 0; !status && i < (int)sides; ++i)
    if (i == 0 || !same_face(mesh, faces.side[i - 1], faces.side[i]))
      faces.start[faces.faces++] = i;
  mus_arena_clear(&scratch);
  if (status)
    return status;
  faces.start[faces.faces] = (int)sides;
  find_neighbours(&faces, faces.neighbour);
  *out = faces;
  return MUS_OK;
}

// --- the surface ---------------------------------------------------------------------------------------------------

static mus_status fill_surface(mus_arena *arena, const mus_tetrahedra *mesh, const mus_faces *faces, int triangles,
                               mus_solid_surface *skin) {
  int count = 0, vertices = 0;
  skin->surface = mus_arena_alloc(arena, (size_t)mesh->vertices, sizeof *skin->surface);
  skin->face = mus_arena_alloc(arena, (size_t)triangles, sizeof *skin->face);
  if (!skin->surface || !skin->face)
    return mus_fail_memory();
  for (int v = 0; v < mesh->vertices; ++v)
    skin->surface[v] = -1;
  for (int f = 0; f < mesh->tetrahedra * 4; ++f) {
    if (faces->neighbour[f] != -1)
      continue;
    skin->face[count++] = f;
    for (int k = 0; k < 3; ++k)
      skin->surface[mesh->corner[(size_t)(f / 4) * 4 + (size_t)mus_tetrahedron_face[f % 4][k]]] = 0;
  }
  for (int v = 0; v < mesh->vertices; ++v)
    if (skin->surface[v] == 0)
      skin->surface[v] = vertices++;
  mus_status status = mus_mesh_create(arena, vertices, triangles, 0, &skin->mesh);
  skin->vertex = mus_arena_alloc(arena, (size_t)vertices, sizeof *skin->vertex);
  if (status || !skin->vertex)
    return status ? status : mus_fail_memory();
  for (int v = 0; v < mesh->vertices; ++v)
    if (skin->surface[v] >= 0) {
      skin->vertex[skin->surface[v]] = v;
      memcpy(skin->mesh.position + 3 * (size_t)skin->surface[v], mesh->position + 3 * (size_t)v,
             3 * sizeof *mesh->position);
    }
  for (int t = 0; t < triangles; ++t)
    for (int k = 0; k < 3; ++k) {
      int f = skin->face[t], v = mesh->corner[(size_t)(f / 4) * 4 + (size_t)mus_tetrahedron_face[f % 4][k]];
      skin->mesh.triangle[3 * (size_t)t + (size_t)k] = skin->surface[v];
    }
  return MUS_OK;
}

mus_status mus_tetrahedra_surface(mus_arena *arena, const mus_tetrahedra *mesh, mus_solid_surface *out) {
  mus_arena scratch = {0};
  mus_faces faces;
  mus_solid_surface skin = {0};
  mus_status status = mus_faces_create(&scratch, mesh, &faces);
  int triangles = 0;
  for (int f = 0; !status && f < mesh->tetrahedra * 4; ++f)
    triangles += faces.neighbour[f] == -1;
  if (!status)
    status = fill_surface(arena, mesh, &faces, triangles, &skin);
  mus_arena_clear(&scratch);
  if (!status)
    *out = skin;
  return status;
}

// --- edges ---------------------------------------------------------------------------------------------------------

static void edge_ends(const mus_tetrahedra *mesh, int edge, int *low, int *high) {
  static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  const int *corner = mesh->corner + (size_t)(edge / 6) * 4;
  int a = corner[ends[edge % 6][0]], b = corner[ends[edge % 6][1]];
  *low = a < b ? a : b;
  *high = a < b ? b : a;
}

// For each vertex in turn, the larger ends of its edges, each once: those of all its tetrahedra, sorted.
static mus_status gather_edges(mus_arena *arena, mus_arena *scratch, const mus_tetrahedra *mesh, mus_edges *out) {
  size_t sides = (size_t)mesh->tetrahedra * 6;
  int *start = mus_arena_alloc_zero(scratch, (size_t)mesh->vertices + 1, sizeof *start), low, high;
  int *by_high = mus_arena_alloc(scratch, sides, sizeof *by_high);
  int *pair = mus_arena_alloc(scratch, sides * 2, sizeof *pair);
  if (!start || !by_high || !pair)
    return mus_fail_memory();
  for (int e = 0; e < (int)sides; ++e) {
    edge_ends(mesh, e, &low, &high);
    ++start[high];
  }
  mus_accumulate(mesh->vertices, start);
  for (int e = 0; e < (int)sides; ++e) {
    edge_ends(mesh, e, &low, &high);
    by_high[start[high]++] = e;
  }
  memset(start, 0, ((size_t)mesh->vertices + 1) * sizeof *start);
  for (int e = 0; e < (int)sides; ++e) {
    edge_ends(mesh, e, &low, &high);
    ++start[low];
  }
  mus_accumulate(mesh->vertices, start);
  for (int i = 0; i < (int)sides; ++i) {
    edge_ends(mesh, by_high[i], &low, &high);
    int at = start[low]++;
    pair[2 * (size_t)at] = low;
    pair[2 * (size_t)at + 1] = high;
  }
  size_t kept = 0;
  for (size_t i = 0; i < sides; ++i)
    if (i == 0 || pair[2 * i] != pair[2 * kept - 2] || pair[2 * i + 1] != pair[2 * kept - 1]) {
      memmove(pair + 2 * kept, pair + 2 * i, 2 * sizeof *pair);
      ++kept;
    }
  mus_edges edges = {.edges = (int)kept, .edge = mus_arena_alloc(arena, kept * 2, sizeof *edges.edge)};
  if (!edges.edge)
    return mus_fail_memory();
  memcpy(edges.edge, pair, kept * 2 * sizeof *pair);
  *out = edges;
  return MUS_OK;
}

mus_status mus_tetrahedra_edges(mus_arena *arena, const mus_tetrahedra *mesh, mus_edges *out) {
  mus_arena scratch = {0};
  mus_status status = gather_edges(arena, &scratch, mesh, out);
  mus_arena_clear(&scratch);
  return status;
}
