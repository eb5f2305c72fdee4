// Cycles for co-rotational elasticity over the levels of a lattice, with rotations frozen, and what solves keep.
#ifndef MUS_LATTICE_COROTATIONAL_H
#define MUS_LATTICE_COROTATIONAL_H

#include "lattice/lattice_state.h"
#include "lattice/turned.h"
#include "lattice/turned_on_device.h"

// A change of x and by how much it lessened the residual, each a vector of 4 fields.
typedef struct mus_corotational_secant {
  double *x, *r;
  double square; // |r|^2; 0: there is none
} mus_corotational_secant;

enum { MUS_COROTATIONAL_SECANTS = 12 };

typedef struct mus_corotational {
  mus_turned_level solved; // the lattice's own displacements and pressures; its rotations are those of level[0], c_a
                           // and Z its own
  mus_turned_level *level; // of corrections, the finest first
  int levels, visits;
  int turns;    // whether corrections turn cells (turned.h)
  int unknowns; // of the coarsest level, which is solved by a dense factor
  int *cell;
  unsigned char *axis;
  double *factor, *right;
  mus_corotational_secant secant[MUS_COROTATIONAL_SECANTS];
  double *start, *residual; // vectors: of the iterate before
  double *change;           // a vector, for estimates
  // Called with displacements that have changed: adds to the right-hand sides of `solved` what depends on them, or on
  // rotations (frozen or not). NULL: nothing does.
  void (*act)(void *context);
  // Called before a cycle: writes `held` of level[0], with a bound for what `act` adds per displacement; that of the
  // other levels follows.
  void (*stiffen)(void *context);
  void *context;
  mus_turned_gpu gpu;
} mus_corotational;

// When to stop.
typedef struct mus_corotational_goal {
  double reference; // the norm that residuals are relative to
  double tolerance; // of residuals, relative
  double error;     // of displacements, as estimated; 0: residuals count alone, otherwise one of both is enough
  int cycles;       // the most
  int follows;      // what is held may have moved: follow it first
} mus_corotational_goal;

// What a lattice needs for co-rotational solves; nothing if it is there.
mus_status mus_corotational_create(mus_lattice *lattice);

// Rotations from the displacements and pressures of the solid, right-hand sides, and the residuals of the nonlinear
// equations; where rotations are frozen, of the equations for these. Returns the residuals' norm.
double mus_corotational_evaluate(mus_lattice *lattice, int is_frozen);
// Coarse levels from the finest one: c_a, and R and C if these were renewed; and whether corrections turn cells.
void mus_corotational_coarsen(mus_corotational *corotational, int is_renewed, int turns);

// The norm of stresses in cells, as they are in equations.
double mus_corotational_stresses(mus_lattice *lattice);
// From the variables as they are, for as many cycles as the lattice has room to record. `error`: of displacements, the
// largest, as estimated from the last cycles.
mus_status mus_corotational_solve(mus_lattice *lattice, const mus_corotational_goal *goal, mus_lattice_record *record,
                                  double *error);

// x of the finest level's corrections from its b, by one cycle.
void mus_corotational_cycle(mus_corotational *corotational);

#endif
