// What a caller gives to the public solver, gathered in one place, and solvers that have been given it.
//
// What goes wrong ends the test.
#ifndef TESTS_SUPPORT_GIVEN_H
#define TESTS_SUPPORT_GIVEN_H

#include "sheet_system.h"
#include "support/dense.h"

typedef struct given {
  int rows, block, n;
  const int *row_start, *column;
  const double *values, *b;
  const double *positions; // NULL: none
  int count;
  const mus_constraint *constraint;
} given;

// Views of systems that must stay; constraints may be put in afterwards.
given given_random(const random_system *system);
given given_sheet(const sheet_system *sheet);

// Default options for a method, with a tolerance and with several levels even for small systems.
mus_solver_options given_options(mus_method method, double tolerance);
// A solver with everything but the right-hand side.
mus_solver *given_solver(const given *system, const mus_solver_options *options);
// Solves from zero and ends the test unless that works.
void given_solve(mus_solver *solver, const given *system, double *x);
// The solution by dense algebra, constraints included; to be freed with free().
double *given_reference(const given *system);
// ||S(b - Ax)|| / ||S(b - Az)|| by dense algebra, for a few hundred unknowns.
double given_residual(const given *system, const double *x);

// Ends the test unless the call answered `wanted` with a text that has `words` in it.
void expect_status(mus_status wanted, const char *words, mus_status answered);

#endif
