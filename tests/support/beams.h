// Beams on a lattice whose ends are turned, for tests of co-rotational elasticity.
#ifndef TESTS_SUPPORT_BEAMS_H
#define TESTS_SUPPORT_BEAMS_H

#include "lattice/lattice.h"

// A beam of `across` x `across` cells, 1 m thick, from x = 0 to along / across, around the axis y = z = 0, with a layer
// of Dirichlet cells at either end.
mus_cells beam_cells(int along, int across);

typedef enum beam_turn {
  BEAM_BENT,   // into a part of a circle
  BEAM_TWISTED // around its axis
} beam_turn;

// Turns the held end at x > 0 by an angle, rad.
void beam_turn_end(mus_lattice *lattice, const mus_cells *cells, beam_turn turn, double angle);

// The mean of det F over interior cells, and the least of them.
double beam_volume(mus_lattice *lattice, double *least);

#endif
