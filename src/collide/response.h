// From positions that a step proposes to positions that it may take: the fail-safe after the linear solve.
//
// Given x0, free of intersections among the pairs that are not released, and x1, where the step would go, x1 is
// changed, as little as seems possible in the norm of the masses, until the straight motion from x0 to x1 brings no
// pair within its distance (detector.h). Rounds of detection and response, in three stages, each used only where the
// one before it has not been enough:
//   1. impulses: each pair that would meet gives a half-space that x1 must lie in (cuts.h; Bridson et al. 2002), with
//      friction. All that were found so far are solved for, in groups that share vertices, with limited effort;
//   2. impact zones: the same to the end, without more friction (Harmon et al. 2008, as inequalities);
//   3. planes: each pair that still meets gets a plane that separated it at x0 and must separate it at x1. A pair so
//      held cannot meet at any time between, x1 = x0 satisfies all planes of pairs that do not move by themselves, and
//      there are only so many pairs: this ends. Zones whose solution takes too long end their motion early instead.
// Vertices that follow others (mesh/ties.h) are moved by moving these, and still do so in the end. Ties that x0 does
// not satisfy are kept as equations of the first two stages, and half-spaces that others ask for in the first. Bodies
// and pinned vertices do not give way (inverse mass 0). Where these alone bring two sides together with cloth between
// them, no x1 is right; such pairs are counted in `impossible`, and listed. Looking for one all the same is what takes
// long. So pairs are given up as soon as their cuts are found to contradict each other (zones.h), or where the bodies'
// ends leave no room: where the place that the other side of the cloth would take is inside a body. With a pair, the
// feature of cloth and all that it is part of is let go: whatever else bodies would do to it is given up as well.
//
// Zones are independent of each other, and within a zone the order is fixed: same bits for any number of threads.
#ifndef MUS_COLLIDE_RESPONSE_H
#define MUS_COLLIDE_RESPONSE_H

#include "collide/cuts.h"
#include "collide/winding.h"

// Half-spaces that x1 is to lie in, if it can, besides those of impacts.
typedef struct mus_more_cuts {
  // Adds cuts (cuts.h) that x1 violates and that concern vertices which have `moved` (vertices of the surface).
  mus_status (*add)(void *context, const double *x1, const unsigned char *moved, mus_list *cuts);
  void *context;
} mus_more_cuts;

typedef struct mus_response_options {
  double separation;                             // of the gap, at which impacts are looked for (0.25)
  const double *mass;                            // cloth vertices, kg
  const unsigned char *held;                     // cloth vertices: 1 where a pin prescribes the motion
  const mus_ties *ties;                          // cloth vertices that follow others, at x0 and x1; NULL: none
  const mus_list *joined;                        // mus_tie_row: ties that hold at x1, to be kept if possible; or NULL
  mus_winding *solids;                           // of the bodies; is fitted to x1 when it is needed; NULL: not known
  const mus_more_cuts *more;                     // NULL: none
  double friction;                               // of cloth on cloth
  const double *body_friction;                   // bodies
  int impulse_rounds, zone_rounds, plane_rounds; // at most
  int asked_rounds;                              // so many more of the first where others ask for cuts
  double relaxations;                            // of cuts: after so many, vertices of pairs that still meet stop
} mus_response_options;

mus_response_options mus_default_response_options(void);

typedef struct mus_response_record {
  int impacts;    // pairs that would have met in the motion that was proposed
  int rounds;     // of detection
  int cuts;       // half-spaces that the end had to lie in (cuts.h)
  int zones;      // solved, all rounds together
  int sweeps;     // the most that any zone took in a round
  int planes;     // pairs of stage 3
  int stopped;    // vertices that had to stay where they were
  int impossible; // pairs that meet all the same
  int closed;     // those of them where bodies have closed on the cloth, so that no smaller step helps
  double detect_seconds, respond_seconds;
} mus_response_record;

// `impossible`, where given, receives the contacts that could not be prevented. Positions are those of the whole
// surface, bodies included; only cloth vertices that are not held change.
mus_status mus_respond(mus_detector *detector, const mus_surface *surface, const mus_response_options *options,
                       const double *x0, double *x1, mus_list *impossible, mus_response_record *record);

#endif
