// Rates at which cycles on lattices converge.
#ifndef TESTS_SUPPORT_LATTICE_RATES_H
#define TESTS_SUPPORT_LATTICE_RATES_H

// Of V-cycles (1 visit) or K-cycles (2) by themselves, on a box of 1 m and 10 kPa with sides held as box_cells() says,
// which is moved at random: what is unknown starts from random numbers.
double box_rate(int side, int held, double poisson, double inertia, int visits);

// The residual, relative to the first, after some cycles on a ball one end of which is moved, solved as by default.
double ball_residual(int side, double poisson, int cycles);

#endif
