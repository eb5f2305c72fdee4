// Small meshes for tests. See meshes.h.
#include "support/meshes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"

static mus_mesh create(mus_arena *arena, int vertices, int triangles, int with_material) {
  mus_mesh mesh = {0};
  assert_int_equal(mus_mesh_create(arena, vertices, triangles, with_material, &mesh), MUS_OK);
  return mesh;
}

mus_mesh meshes_given(mus_arena *arena, int vertices, int triangles, const double *position, const int *triangle,
                      const double *material) {
  mus_mesh mesh = create(arena, vertices, triangles, material != NULL);
  for (int i = 0; i < vertices * 3; ++i)
    mesh.position[i] = position ? position[i] : mus_random(1, (uint64_t)i);
  memcpy(mesh.triangle, triangle, (size_t)triangles * 3 * sizeof *triangle);
  if (material)
    memcpy(mesh.material, material, (size_t)triangles * 6 * sizeof *material);
  return mesh;
}

static void flatten(mus_mesh *mesh) {
  for (int i = 0; i < mesh->triangles * 3; ++i) {
    mesh->material[2 * i] = mesh->position[3 * mesh->triangle[i]];
    mesh->material[2 * i + 1] = mesh->position[3 * mesh->triangle[i] + 2];
  }
}

mus_mesh meshes_grid(mus_arena *arena, int columns, int rows) {
  mus_mesh mesh = create(arena, columns * rows, 2 * (columns - 1) * (rows - 1), 1);
  for (int v = 0; v < mesh.vertices; ++v) {
    mesh.position[3 * v] = v % columns;
    mesh.position[3 * v + 1] = 0;
    mesh.position[3 * v + 2] = v / columns;
  }
  int *next = mesh.triangle;
  for (int row = 0; row + 1 < rows; ++row)
    for (int column = 0; column + 1 < columns; ++column) {
      int a = row * columns + column, b = a + 1, c = a + columns, d = c + 1;
      const int two[] = {a, b, d, a, d, c};
      memcpy(next, two, sizeof two);
      next += 6;
    }
  flatten(&mesh);
  return mesh;
}

mus_mesh meshes_soup(mus_arena *arena, int vertices, int triangles, uint64_t seed) {
  mus_mesh mesh = create(arena, vertices, triangles, 0);
  for (int i = 0; i < vertices * 3; ++i)
    mesh.position[i] = mus_random(seed, (uint64_t)i);
  uint64_t k = 0;
  for (int t = 0; t < triangles; ++t) {
    int *corner = mesh.triangle + 3 * t;
    do
      for (int i = 0; i < 3; ++i)
        corner[i] = (int)(mus_random_bits(seed + 1, k++) % (uint64_t)vertices);
    while (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]);
  }
  return mesh;
}

mus_mesh meshes_tattered(mus_arena *arena, int side, uint64_t seed) {
  mus_mesh mesh = meshes_grid(arena, side, side);
  int kept = 0;
  for (int t = 0; t < mesh.triangles; ++t) {
    uint64_t random = mus_random_bits(seed, (uint64_t)t);
    if (random % 4 == 0)
      continue;
    memmove(mesh.triangle + 3 * kept, mesh.triangle + 3 * t, 3 * sizeof(int));
    if (random / 4 % 8 == 0) {
      int other = mesh.triangle[3 * kept];
      mesh.triangle[3 * kept] = mesh.triangle[3 * kept + 1];
      mesh.triangle[3 * kept + 1] = other;
    }
    ++kept;
  }
  mesh.triangles = kept;
  flatten(&mesh);
  return mesh;
}

static const double OCTAHEDRON[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};

// The vertex half-way between two, found among those made since `first` or made anew.
static int midpoint(mus_mesh *mesh, int first, int a, int b) {
  double p[3], length = 0;
  for (int c = 0; c < 3; ++c) {
    p[c] = mesh->position[3 * a + c] + mesh->position[3 * b + c];
    length += p[c] * p[c];
  }
  for (int c = 0; c < 3; ++c)
    p[c] /= sqrt(length);
  for (int v = first; v < mesh->vertices; ++v)
    if (memcmp(mesh->position + 3 * v, p, sizeof p) == 0)
      return v;
  memcpy(mesh->position + 3 * mesh->vertices, p, sizeof p);
  return mesh->vertices++;
}

mus_mesh meshes_ball(mus_arena *arena, int levels) {
  int most = 8;
  for (int level = 0; level < levels; ++level)
    most *= 4;
  mus_mesh mesh = create(arena, most / 2 + 2, most, 0);
  mesh.vertices = 6;
  mesh.triangles = 0;
  memcpy(mesh.position, OCTAHEDRON, sizeof OCTAHEDRON);
  for (int x = 0; x < 2; ++x)
    for (int y = 2; y < 4; ++y)
      for (int z = 4; z < 6; ++z) {
        int turned = (x + y + z) % 2, face[] = {x, turned ? z : y, turned ? y : z};
        memcpy(mesh.triangle + 3 * mesh.triangles++, face, sizeof face);
      }
  for (int level = 0; level < levels; ++level) {
    int first = mesh.vertices, coarse = mesh.triangles;
    for (int t = coarse - 1; t >= 0; --t) {
      int a = mesh.triangle[3 * t], b = mesh.triangle[3 * t + 1], c = mesh.triangle[3 * t + 2];
      int ab = midpoint(&mesh, first, a, b), bc = midpoint(&mesh, first, b, c), ca = midpoint(&mesh, first, c, a);
      const int four[] = {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca};
      memcpy(mesh.triangle + 12 * t, four, sizeof four);
    }
    mesh.triangles *= 4;
  }
  return mesh;
}

mus_mesh meshes_moebius(mus_arena *arena, int length) {
  mus_mesh mesh = create(arena, 2 * length, 2 * length, 0);
  const double turn = 3.14159265358979323846 / length;
  for (int i = 0; i < length; ++i)
    for (int k = 0; k < 2; ++k) {
      double *p = mesh.position + 6 * i + 3 * k, width = k == 0 ? -0.3 : 0.3;
      p[0] = (1 + width * cos(turn * i)) * cos(2 * turn * i);
      p[1] = width * sin(turn * i);
      p[2] = (1 + width * cos(turn * i)) * sin(2 * turn * i);
    }
  for (int i = 0; i < length; ++i) {
    int next = (i + 1) % length, twist = next == 0;
    int a = 2 * i, b = a + 1, c = 2 * next + twist, d = 2 * next + 1 - twist;
    const int two[] = {a, c, d, a, d, b};
    memcpy(mesh.triangle + 6 * i, two, sizeof two);
  }
  return mesh;
}

int meshes_same(const mus_mesh *a, const mus_mesh *b) {
  return a->vertices == b->vertices && a->triangles == b->triangles && !a->material == !b->material &&
         memcmp(a->position, b->position, (size_t)a->vertices * 3 * sizeof(double)) == 0 &&
         memcmp(a->triangle, b->triangle, (size_t)a->triangles * 3 * sizeof(int)) == 0 &&
         (!a->material || memcmp(a->material, b->material, (size_t)a->triangles * 6 * sizeof(double)) == 0);
}
