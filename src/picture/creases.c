// Vertices doubled along sharp edges. See creases.h.
#include "picture/creases.h"

#include <math.h>

#include "base/error.h"
#include "mesh/groups.h"
#include "mesh/sort.h"

// Of unit length; zero where the triangle has no area.
static void find_normal(const mus_mesh *mesh, int triangle, double normal[3]) {
  const int *t = mesh->triangle + 3 * (size_t)triangle;
  const double *a = mesh->position + 3 * (size_t)t[0], *b = mesh->position + 3 * (size_t)t[1];
  const double *c = mesh->position + 3 * (size_t)t[2];
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    normal[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
  }
  double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  for (int k = 0; k < 3; ++k)
    normal[k] = length > 0 ? normal[k] / length : 0;
}

// A triangle without area has no normal, and goes with any other.
static int is_smooth(double sharp, const double *a, const double *b) {
  double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  return dot >= sharp || (a[0] == 0 && a[1] == 0 && a[2] == 0) || (b[0] == 0 && b[1] == 0 && b[2] == 0);
}

// The corners at one vertex, in `corner`, fall into groups; each becomes a vertex.
static void split(double sharp, const double *normal, int count, const int *corner, int vertex, int *group,
                  mus_creased *out) {
  for (int i = 0; i < count; ++i)
    group[i] = i;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < i; ++j)
      if (is_smooth(sharp, normal + 3 * (size_t)(corner[i] / 3), normal + 3 * (size_t)(corner[j] / 3)))
        mus_group_join(group, i, j);
  for (int i = 0; i < count; ++i) {
    int first = mus_group_first(group, i);
    if (first == i)
      out->source[out->vertices++] = vertex;
    out->triangle[corner[i]] = first == i ? out->vertices - 1 : out->triangle[corner[first]];
  }
}

mus_status mus_crease(mus_arena *arena, const mus_mesh *mesh, double degrees, mus_creased *out) {
  mus_arena scratch = {0};
  double sharp = cos(degrees * acos(-1) / 180);
  size_t corners = 3 * (size_t)mesh->triangles;
  mus_creased made = {.triangles = mesh->triangles};
  made.source = mus_arena_alloc(arena, corners, sizeof *made.source);
  made.triangle = mus_arena_alloc(arena, corners, sizeof *made.triangle);
  double *normal = mus_arena_alloc(&scratch, corners, sizeof *normal);
  int *start = mus_arena_alloc(&scratch, (size_t)mesh->vertices + 1, sizeof *start);
  int *corner = mus_arena_alloc(&scratch, corners, sizeof *corner);
  int *group = mus_arena_alloc(&scratch, corners, sizeof *group);
  mus_status status = made.source && made.triangle && normal && start && corner && group ? MUS_OK : mus_fail_memory();
  if (!status) {
    for (int t = 0; t < mesh->triangles; ++t)
      find_normal(mesh, t, normal + 3 * (size_t)t);
    mus_sort_by_key((int)corners, mesh->vertices, mesh->triangle, NULL, start, corner);
    for (size_t first = 0, end = 0; first < corners; first = end) {
      int vertex = mesh->triangle[corner[first]];
      while (end < corners && mesh->triangle[corner[end]] == vertex)
        ++end;
      split(sharp, normal, (int)(end - first), corner + first, vertex, group, &made);
    }
    *out = made;
  }
  mus_arena_clear(&scratch);
  return status;
}
