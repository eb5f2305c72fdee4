// A sheet that waves. See animation.h.
#include "support/animation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

mus_mesh animation_sheet(mus_arena *arena, int n) {
  int side = n + 1;
  mus_mesh mesh = {.vertices = side * side, .triangles = 2 * n * n};
  mesh.position = mus_arena_alloc(arena, 3 * (size_t)mesh.vertices, sizeof(double));
  mesh.triangle = mus_arena_alloc(arena, 3 * (size_t)mesh.triangles, sizeof(int));
  mesh.material = mus_arena_alloc(arena, 6 * (size_t)mesh.triangles, sizeof(double));
  if (!mesh.position || !mesh.triangle || !mesh.material)
    abort();
  for (int i = 0; i < mesh.vertices; ++i) {
    const double position[3] = {(double)(i % side) / n, 0, (double)(i / side) / n};
    memcpy(mesh.position + 3 * (size_t)i, position, sizeof position);
  }
  int *corner = mesh.triangle;
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      int a = row * side + column, b = a + 1, c = a + side, d = c + 1;
      const int cell[6] = {a, c, b, b, c, d};
      memcpy(corner, cell, sizeof cell);
      corner += 6;
    }
  for (size_t c = 0; c < 3 * (size_t)mesh.triangles; ++c) {
    mesh.material[2 * c] = mesh.position[3 * (size_t)mesh.triangle[c]];
    mesh.material[2 * c + 1] = mesh.position[3 * (size_t)mesh.triangle[c] + 2];
  }
  return mesh;
}

void animation_pose(const mus_mesh *mesh, int frame, double *positions) {
  for (size_t i = 0; i < (size_t)mesh->vertices; ++i) {
    const double *rest = mesh->position + 3 * i;
    positions[3 * i] = rest[0] + 0.05 * sin(0.3 * frame + 2 * rest[2]);
    positions[3 * i + 1] = 0.2 * sin(4 * rest[0] + 0.5 * frame) - 0.01 * frame;
    positions[3 * i + 2] = rest[2] + 0.1 * cos(0.2 * frame + 3 * rest[0]);
  }
}
