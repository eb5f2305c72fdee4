// The experiments of Xian, Tong and Liu 2019, section 5, that concern the linear solver. seed_004.c runs them and
// writes tables and figures; the others measure.
#ifndef BENCH_SEED_004_H
#define BENCH_SEED_004_H

#include "solid_system.h"

// --- coarse spaces (seed_004_spaces.c) -----------------------------------------------------------------------------

// A coarse space of handles: x_i = sum over handles h of weight_ih A_h (x_i, y_i, z_i, 1), affine or by translations
// alone.
typedef struct space {
  const char *name;
  int handles;
  int columns; // 4, or 1 for translations
  int smooth;  // 0: each vertex belongs to its nearest handle; 1: to the eight nearest ones
} space;

// rho = |e - S e| / |e| for the error e that three symmetric sweeps of Gauss-Seidel from zero leave of the system's
// solution x, with S = U (U^T A U)^-1 U^T A: section 5.2.
mus_status space_reduction(const solid_system *system, const space *which, const double *x, double *rho);
// Non-zeros of U^T A U: figure 3.
mus_status space_nonzeros(const solid_system *system, const space *which, double *nonzeros);

// --- convergence (seed_004_curves.c) -------------------------------------------------------------------------------

enum { CURVE_POINTS = 16 };

// The system that curves are of.
typedef struct curve_system {
  int rows;
  const int *row_start, *column;
  const double *values, *b, *positions;
  int held;
  const mus_constraint *constraints;
} curve_system;

typedef struct curve {
  int count;
  double iterations[CURVE_POINTS];
  double seconds[CURVE_POINTS];  // of processor time on one thread, without set-up
  double error[CURVE_POINTS];    // |x - x*|_A^2 / |x_0 - x*|_A^2, as in equation 9
  double residual[CURVE_POINTS]; // |b - A x| / |b - A x_0|
} curve;

curve_system curve_system_of_solid(const solid_system *system);
// The solution, to 1e-12.
mus_status curve_solution(const curve_system *system, double *x);
// After each of `count` numbers of iterations, as long as a point takes at most `most` seconds.
mus_status curve_measure(const curve_system *system, const mus_solver_options *options, const double *solution,
                         int count, const int *iterations, double most, curve *out);

#endif
