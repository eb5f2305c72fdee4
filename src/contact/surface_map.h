// From the surface that collides to the unknowns that move it.
//
// A vertex s of the surface is carried by a few nodes of the linear system: x_s = sum_n w_sn x_n, or x_s = P x_n for
// the whole surface. Cloth carries itself: its map is the identity, has no arrays and costs nothing; only vertices of
// closed seams may follow others (mesh/ties.h), with which they are in the same place anyway. A surface embedded
// in something coarser (a lattice, tetrahedra, a coarse cloth) has several nodes per vertex.
//
// Forces and impulses on the surface go to nodes by the transpose, f_n = P^T f_s. So they do the same work on both
// sides, and since the weights of a vertex sum to 1, no momentum is lost. A block B between two vertices becomes
// w_i w_j B between their nodes.
#ifndef MUS_CONTACT_SURFACE_MAP_H
#define MUS_CONTACT_SURFACE_MAP_H

#include <string.h>

#include "energy/element.h"
#include "mesh/ties.h"
#include "sparse/matrix.h"

// Nodes that may carry one vertex: the corners of a cell of a lattice.
enum { MUS_CARRIERS_MAXIMUM = 8 };

typedef struct mus_surface_map {
  int vertices, nodes;
  const int *start;     // vertices + 1; NULL: the identity
  const int *node;      // start[vertices]
  const double *weight; // start[vertices]; those of a vertex sum to 1
  const mus_ties *ties; // of the identity: vertices that follow others in this step; NULL: none
} mus_surface_map;

static inline mus_surface_map mus_identity_map(int vertices) {
  return (mus_surface_map){.vertices = vertices, .nodes = vertices};
}

// A copy of the arrays. MUS_BAD_INPUT names a vertex with no or too many nodes, with nodes out of range, or with
// weights that do not sum to 1.
mus_status mus_surface_map_create(mus_arena *arena, const mus_surface_map *from, mus_surface_map *out);

static inline int mus_map_is_identity(const mus_surface_map *map) { return !map->start; }

// The nodes that carry a vertex. For the identity they are the vertex itself or what it follows, so `vertex` must stay.
typedef struct mus_carriers {
  int count;
  const int *node;
  const double *weight;
} mus_carriers;

static inline mus_carriers mus_map_carriers(const mus_surface_map *map, const int *vertex) {
  if (mus_map_is_identity(map)) {
    mus_followed f = mus_ties_followed(map->ties, vertex);
    return (mus_carriers){f.count, f.node, f.weight};
  }
  int first = map->start[*vertex];
  return (mus_carriers){map->start[*vertex + 1] - first, map->node + first, map->weight + first};
}

// Of one vertex, from numbers of the nodes, 3 each.
static inline void mus_map_value(const mus_surface_map *map, int vertex, const double *nodal, double *value) {
  if (mus_map_is_identity(map)) {
    memcpy(value, nodal + 3 * (size_t)vertex, 3 * sizeof *value);
    return;
  }
  value[0] = value[1] = value[2] = 0;
  for (int k = map->start[vertex]; k < map->start[vertex + 1]; ++k)
    mus_add_scaled3(map->weight[k], nodal + 3 * (size_t)map->node[k], value);
}

// nodal += P^T f for a force f on one vertex.
static inline void mus_map_add(const mus_surface_map *map, int vertex, const double *force, double *nodal) {
  mus_carriers c = mus_map_carriers(map, &vertex);
  for (int k = 0; k < c.count; ++k)
    mus_add_scaled3(c.weight[k], force, nodal + 3 * (size_t)c.node[k]);
}

// matrix += P^T B P for a 3x3 block B between two vertices. The matrix must have the blocks of their nodes.
void mus_map_add_block(const mus_surface_map *map, int row, int column, const double *block, mus_matrix *matrix);

// surface = P nodal, vertices * 3 numbers from nodes * 3.
void mus_map_to_surface(const mus_surface_map *map, const double *nodal, double *surface);
// The same without a copy where there is none to make: `nodal` for the identity, else `surface`, which is written.
const double *mus_map_on_surface(const mus_surface_map *map, const double *nodal, double *surface);
// Masses of vertices: each node's mass is shared out by the weights with which it carries them.
void mus_map_share_mass(const mus_surface_map *map, const double *nodal, double *scratch, double *surface);

#endif
