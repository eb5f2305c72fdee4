// The potential of contact, by differences. What goes wrong ends the test.
#ifndef TESTS_SUPPORT_POTENTIAL_H
#define TESTS_SUPPORT_POTENTIAL_H

#include <stdint.h>

#include "muslin/sim.h"

// At random velocities about those of the simulator: what contact adds to the right-hand side of a step is minus the
// gradient of mus_contact_energy() in every unknown, and what it adds to the matrix, with its couplings, is the
// derivative of that along random directions.
void potential_check(mus_sim *sim, uint64_t seed);
// The same of contacts of a minimised step, whose matrix is never below the derivative.
void potential_check_one_sided(mus_sim *sim, uint64_t seed);

#endif
