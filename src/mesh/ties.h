// Vertices that follow others, as those of closed seams do.
//
// A tie says of a vertex that it lies at a point of an edge, x_a = (1 - ratio) x_b + ratio x_c, or at another vertex.
// All ties that hold at a time together make some vertices followers: x_s = sum_n w_sn x_n over a few nodes that follow
// nobody, or x = P x_n for all. Forces on followers go to nodes by the transpose, so that they do the same work and,
// since the weights of a follower sum to 1, no momentum is lost.
//
// Of vertices that are tied to each other one leads: a pinned one if there is any, then one where an edge ends that
// something is tied to. What cannot be had in this way is refused: a second edge for the same vertex, edges that are
// tied to each other in a ring, vertices that pins hold in two places, and vertices that would follow too many.
#ifndef MUS_MESH_TIES_H
#define MUS_MESH_TIES_H

#include "base/memory.h"
#include "base/vector3.h"
#include "muslin/status.h"

typedef struct mus_tie {
  int a, b, c; // three different vertices, or b = c: a vertex is tied to a vertex
  double ratio;
} mus_tie;

// How far a tie is from holding, x_a - (1 - ratio) x_b - ratio x_c.
static inline void mus_tie_gap(const mus_tie *tie, const double *x, double gap[3]) {
  for (int c = 0; c < 3; ++c)
    gap[c] = x[3 * (size_t)tie->a + (size_t)c] - (1 - tie->ratio) * x[3 * (size_t)tie->b + (size_t)c] -
             tie->ratio * x[3 * (size_t)tie->c + (size_t)c];
}

enum { MUS_TIE_NODES = 3 };  // that a vertex may follow
enum { MUS_TIE_REACH = 12 }; // that it may come to follow, whichever ties hold

typedef struct mus_ties {
  int vertices;
  // What follows what, now.
  int count;
  int *vertex;    // count, ascending: the followers
  int *start;     // count + 1
  int *node;      // start[count]
  double *weight; // start[count]
  int *place;     // vertices: a follower's place in `vertex`, -1
  // All ties, whether they hold or not.
  int all;
  mus_tie *tie;
  unsigned char *refused; // all: 1 where it was to hold, but is not kept by following
  unsigned char *never;   // all: 1 where it would lead to too many
  int members;            // vertices that ties name
  int *member;            // members, ascending
  int *member_of;         // vertices: place in `member`, -1
  int *naming_start;      // members + 1
  int *naming;            // the ties that name a member
  struct mus_tie_scratch *scratch;
} mus_ties;

// No tie holds at first. Ties are copied; memory comes from the arena. Vertices must be in range.
mus_status mus_ties_create(mus_arena *arena, int vertices, int count, const mus_tie *tie, mus_ties *out);
// Makes those ties hold for which `holds` (all) is 1. `pinned` (vertices) is 0 or more for those that a pin holds, else
// -1; NULL: none.
void mus_ties_make(mus_ties *ties, const unsigned char *holds, const int *pinned);
// Writes the vertices that a vertex may come to follow, itself first, to `found` (MUS_TIE_REACH). Returns how many.
int mus_ties_reach(const mus_ties *ties, int vertex, int *found);

// What a vertex is made of: itself, or what it follows. For those that follow nobody, `vertex` must stay.
typedef struct mus_followed {
  int count;
  const int *node;
  const double *weight;
} mus_followed;

static inline mus_followed mus_ties_followed(const mus_ties *ties, const int *vertex) {
  static const double whole = 1;
  int place = ties ? ties->place[*vertex] : -1;
  if (place < 0)
    return (mus_followed){1, vertex, &whole};
  int first = ties->start[place];
  return (mus_followed){ties->start[place + 1] - first, ties->node + first, ties->weight + first};
}

// 1 where a vertex follows others. NULL: none does.
static inline int mus_is_follower(const mus_ties *ties, int vertex) { return ties && ties->place[vertex] >= 0; }

// A tie in terms of vertices that follow nobody: it holds where sum_k weight[k] x[node[k]] = 0.
enum { MUS_TIE_ROW = 3 * MUS_TIE_NODES };
typedef struct mus_tie_row {
  int count, node[MUS_TIE_ROW];
  double weight[MUS_TIE_ROW];
} mus_tie_row;
mus_tie_row mus_ties_row(const mus_ties *ties, const mus_tie *tie);

// value = P value: followers get what their nodes have (vertices * 3 numbers).
void mus_ties_follow(const mus_ties *ties, double *value);
// value = P^T value: nodes get what acts on followers, which are left with nothing.
void mus_ties_lead(const mus_ties *ties, double *value);
// Masses of nodes with their shares of followers' added (vertices).
void mus_ties_share_mass(const mus_ties *ties, const double *mass, double *shared);

#endif
