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
  int coupling_count;
  const mus_coupling *coupling;
  int equality_count;
  const mus_equality *equality;
} given;

// The methods of this build, in turn, but for those that iterate without conjugate gradients, and for AMGCL's,
// which is there to be measured and has few block sizes.
mus_method given_method_from(int method);
#define FOR_EACH_METHOD(method)                                                                                        \
  for (mus_method method = given_method_from(0); method < MUS_METHODS; method = given_method_from((int)method + 1))

// Views of systems that must stay; constraints, couplings and equalities may be put in afterwards.
given given_random(const random_system *system);
given given_sheet(const sheet_system *sheet);

// A sheet as sheet_default_options() has it, of another size; to be freed with sheet_system_free().
sheet_system given_cloth(int side);

// Default options for a method, with a tolerance, with several levels even for small systems, and without a start from
// earlier solutions.
mus_solver_options given_options(mus_method method, double tolerance);
// Gives a solver of a method that needs them levels for any system: nodes are joined in pairs, down to a few. Nothing
// for other methods.
mus_status given_levels(mus_solver *solver, mus_method method, int rows);
// A solver with everything but the right-hand side.
mus_solver *given_solver(const given *system, const mus_solver_options *options);
// Solves from zero and ends the test unless that works.
void given_solve(mus_solver *solver, const given *system, double *x);
// The solution by dense algebra, with everything that was given; to be freed with free().
double *given_reference(const given *system);
// ||S(b - Ax)|| / ||S(b - Az)|| by dense algebra, for a few hundred unknowns without couplings or equalities.
double given_residual(const given *system, const double *x);

// Ends the test unless the solver, started from zero, comes as close to the reference as allowed.
void expect_solution(mus_solver *solver, const given *system, const double *reference, double allowed);
// The same of a new solver of every method.
void expect_solution_by_every_method(const given *system, double allowed);
// Ends the test unless all methods but PETSc's find the same bits on 1, 2 and 7 threads.
void expect_same_bits(const given *system, double tolerance);
// Ends the test unless each allocation that fails while couplings and equalities are given and solved with is told, and
// leaves a solver that solves once it is given them again. Not for PETSc's methods.
void expect_clean_failures(const given *system);

// Ends the test unless the call answered `wanted` with a text that has `words` in it.
void expect_status(mus_status wanted, const char *words, mus_status answered);

#endif
