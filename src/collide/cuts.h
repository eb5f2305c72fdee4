// Half-spaces in which the end of a step must lie, for pairs of features that would meet.
//
// A cut says of one vector u = sum_k weight[k] x1[node[k]] that it must keep to one side:
//   normal . u >= target.
// Two kinds, both of which x1 = x0 satisfies unless bodies or pins bring the two sides together by themselves, so that
// any number of them can be satisfied at once:
//   impacts: weights and normal of the contact at the time when it happens. The distance is falling then, and
//     normal . u is linear in time for fixed weights, so it was larger at the start, and is smaller at the proposed
//     end, which the cut takes away (inelastic: Bridson et al. 2002).
//   planes: the vector between the closest points at the start is the normal of planes that separate two convex
//     features by their distance. One cut for each two corners: satisfied at the end as at the start they are satisfied
//     at all times between, since normal . u is linear in time; so the features do not meet.
#ifndef MUS_COLLIDE_CUTS_H
#define MUS_COLLIDE_CUTS_H

#include "collide/detector.h"
#include "mesh/ties.h"

// Ties are kept as accurately as this, m.
#define MUS_TIE_ACCURACY 2e-7

// A pair that met at least once in a step.
typedef enum mus_pair_stage { MUS_PAIR_IMPACTS, MUS_PAIR_PLANES, MUS_PAIR_GIVEN_UP } mus_pair_stage;
typedef struct mus_pair {
  mus_contact contact; // the latest
  mus_pair_stage stage;
  int closed;          // 1: bodies do not leave as much room as `room` where it meets
  double room;         // m, that was asked for last; 0: it was not
  double apart;        // m, at the start
  double direction[3]; // at the start, from the second feature to the first
  double safe;         // m: separation times gap
  double near;         // m: it is not reported when it stays farther than (1 + MUS_CCD_TOLERANCE) times this
} mus_pair;

enum { MUS_CUT_NODES = 4 * MUS_TIE_NODES };
typedef struct mus_cut {
  int pair;  // whose; -1: of none
  int plane; // 1: of a plane, 0: of an impact
  int equal; // 1: an equation, normal . u = target
  int nodes; // 4, or 2 for planes; others where vertices follow others
  int fresh; // 1 until zones have been solved with it
  int gone;  // 1: counts no more, and is taken out when zones have been solved without it
  int anew;  // 1: because its pair was given up
  int vain;  // 1: it is one of those that cannot all be satisfied (zones.h)
  int node[MUS_CUT_NODES];
  double weight[MUS_CUT_NODES];
  double normal[3];
  double target;   // m
  double accuracy; // m: it counts as satisfied by this much less
  double least;    // m: planes keep the pair from meeting down to this
  double mass;     // kg, 1 / sum_k weight[k]^2 / mass_k
  double push;     // kg m along the normal, >= 0: what node k was moved by is weight[k] / mass_k times this
  double last;     // kg m: the push before the last sweep ...
  double course;   // ... and what sweeps have changed it by, older ones less and less
  double mark;     // kg m: the push at the last look for cuts that contradict each other
  double drag[3];  // kg m across the normal, from friction
  double friction;
} mus_cut;

mus_pair mus_pair_met(const mus_surface *surface, const mus_contact *contact, double separation, const double *x0);

// Cuts are added to `cuts`. False when memory is short. In place of vertices that follow others (`ties`, may be NULL),
// they name those.
bool mus_cut_impact(const mus_pair *pair, int number, double friction, const mus_ties *ties, const double *x0,
                    mus_list *cuts);
bool mus_cut_planes(const mus_pair *pair, int number, const mus_ties *ties, const double *x0, mus_list *cuts);

// normal . u
double mus_cut_value(const mus_cut *cut, const double *x);

// What a tie asks for, in three directions.
bool mus_cut_tie(const mus_tie_row *row, mus_list *cuts);

// One of no pair: normal . sum_k weight[k] x[vertex[k]] >= target, to this accuracy. Weights of the three sum to 0.
bool mus_cut_vertices(const int vertex[3], const double weight[3], const double normal[3], double target,
                      double accuracy, const mus_ties *ties, mus_list *cuts);

static inline mus_cut *mus_cuts(const mus_list *list) { return (mus_cut *)list->items; }
static inline mus_pair *mus_pairs(const mus_list *list) { return (mus_pair *)list->items; }

#endif
