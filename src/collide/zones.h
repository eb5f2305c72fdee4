// Impact zones: cuts that share vertices are solved together (Provot 1997; Harmon et al. 2008, as inequalities).
//
// Each zone's end of the step is the point that lies within all of its cuts and closest to what was proposed, in the
// norm of the masses:
//   x1 = proposed + M^-1 J^T push,   push >= 0,   J x1 >= target,   push . (J x1 - target) = 0,
// by Gauss-Seidel sweeps over the pushes (Hildreth 1957), which keep momentum in every single change. Friction is
// Coulomb's: what is pushed drags along, by `friction` times the push at most (Bridson et al. 2002).
//
// Sweeps that end too soon leave planes that do not hold; then vertices go back towards where all of them hold, no
// farther than needed: to x0, moved along with the bodies that push the zone.
//
// Where bodies or pins close on cloth, there may be no such point. Pushes that contradict each other then grow for
// ever, and what they grow by, d >= 0, proves it (Farkas): all x within R of x0 have
//   d . (J x - target) <= R sum_v |(J^T d)_v| + d . (J x0 - target),   x0 with bodies and pins at their ends,
// and where that is negative, none of them satisfies the cuts. R is many times as long as anything moves. Sweeps end
// with such a proof, and the cuts of bodies and pins that it is made of are marked as being in vain.
//
// Zones are independent of each other, and within a zone the order is fixed: same bits for any number of threads.
#ifndef MUS_COLLIDE_ZONES_H
#define MUS_COLLIDE_ZONES_H

#include "base/stop.h"
#include "collide/cuts.h"

typedef struct mus_zones {
  const double *x0;
  double *proposed; // changes where planes make zones go back
  double *x1;
  double *inverse;      // vertices: 1 / mass, 1 / kg, and 0 for those that do not give way
  unsigned char *moved; // vertices: set where x1 changes
  // Scratch.
  double *before;       // vertices * 3
  double *pull;         // vertices * 3: J^T d
  int *parent, *number; // vertices
  mus_list zone, order, start;
  mus_stop_request *stop; // of whoever has the zones solved
  // What was done.
  int solved;         // zones
  int sweeps;         // the most of any zone
  double relaxations; // of cuts, all rounds together
  int vain;           // cuts that the last call has marked
} mus_zones;

typedef struct mus_zone_effort {
  int sweeps;      // at most
  int relaxations; // of all of a zone's cuts together, about: large zones are swept less often
  int friction;    // 1: it acts; else what it did before stays
} mus_zone_effort;

// Everything but x0, proposed, x1 and moved is made here: masses and scratch from the arena.
mus_status mus_zones_begin(mus_arena *arena, const mus_surface *surface, const double *mass, const unsigned char *held,
                           mus_zones *zones);
void mus_zones_end(mus_zones *zones);

// Solves all zones that have a fresh cut. Those with cuts that are in vain are not solved: take these out and solve
// again. MUS_STOPPED leaves x1 anywhere.
mus_status mus_zones_solve(mus_zones *zones, mus_list *cuts, mus_zone_effort effort);

#endif
