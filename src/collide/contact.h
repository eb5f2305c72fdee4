// What collision code speaks of: pairs of features of a surface, and contacts between them.
//
// A contact is a vector from one feature to the other, as a weighted sum of four nodes:
//   u = sum_k weight[k] x[node[k]].
// VERTEX_FACE: the vertex (weight 1) minus the closest point of the triangle. EDGE_EDGE: the closest point of the first
// edge minus that of the second. So sum_k weight[k] = 0, `normal` = u / |u| points from the second feature to the
// first, and pushing node k along weight[k] * normal drives the two apart.
#ifndef MUS_COLLIDE_CONTACT_H
#define MUS_COLLIDE_CONTACT_H

#include "base/list.h"

typedef enum mus_pair_kind { MUS_VERTEX_FACE, MUS_EDGE_EDGE } mus_pair_kind;

typedef struct mus_contact {
  mus_pair_kind kind;
  int first, second; // vertex and triangle, or two edges, the smaller number first
  int node[4];       // the vertex and the triangle's corners, or the ends of the two edges
  double weight[4];
  double normal[3]; // unit
  double distance;  // m, at `time`
  double time;      // 0 ... 1: part of the step that has gone by; 0 where nothing moves
} mus_contact;

// Lists of contacts are mus_list of mus_contact, sorted by kind, first, second; no pair is there twice.
static inline mus_contact *mus_contacts(const mus_list *list) { return (mus_contact *)list->items; }

#endif
