// Small meshes for tests, with everything in one arena.
#ifndef TESTS_SUPPORT_MESHES_H
#define TESTS_SUPPORT_MESHES_H

#include <stdint.h>

#include "mesh/mesh.h"

// A mesh from literal arrays; positions may be NULL (then vertex v is a random point) and so may material coordinates.
mus_mesh meshes_given(mus_arena *arena, int vertices, int triangles, const double *position, const int *triangle,
                      const double *material);

// columns x rows vertices with spacing 1 in the x-z plane, vertex row * columns + column, material coordinates (x, z).
mus_mesh meshes_grid(mus_arena *arena, int columns, int rows);

// Triangles with three different random vertices: branching edges, bow ties, duplicates and loose vertices galore.
mus_mesh meshes_soup(mus_arena *arena, int vertices, int triangles, uint64_t seed);

// Cloth-like damage: a grid with triangles dropped and turned over at random.
mus_mesh meshes_tattered(mus_arena *arena, int side, uint64_t seed);

// Sphere-like closed surface: an octahedron, each face cut into 4^levels.
mus_mesh meshes_ball(mus_arena *arena, int levels);

// A band of `length` quads twisted by half a turn and closed: it has one side and one boundary.
mus_mesh meshes_moebius(mus_arena *arena, int length);

// Whether the two have the same contents, bit for bit.
int meshes_same(const mus_mesh *a, const mus_mesh *b);

#endif
