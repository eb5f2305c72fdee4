// The linear system of one implicit Euler step of a square cloth sheet, of any size, for tests, measurements and the
// demo. It stands in for a simulator: block sizes, near-null space, stiffness ratios and constraints are those of real
// cloth.
//
//   A = M + (h damping + h^2) K,   b = h (f(x) + m g),   K ~ d^2 E / dx^2,   f = -dE/dx
//
// The sheet lies in the x-z plane at rest, gravity points along -y, velocities are zero. The energy E of the current
// positions x adds up, with rest areas a,
//   triangles: a/2 [stretch (C_u^2 + C_v^2) + shear C_s^2],  C_u = |w_u| - 1, C_v = |w_v| - 1, C_s = w_u . w_v,
//     with w_u, w_v the images of the two thread directions (Baraff and Witkin 1998, section 4);
//   interior edges: bend/2 * 3/(a_0 + a_1) * |sum_i k_i x_i|^2, k from the cotangents of the two triangles (Bergou et
//     al. 2006, isometric bending: quadratic in x).
// K keeps only the Gauss-Newton part of the membrane, a k (dC/dx)(dC/dx)^T, and drops C d^2C/dx^2, which is indefinite
// under compression: A is positive definite for every state.
#ifndef BENCH_SHEET_SYSTEM_H
#define BENCH_SHEET_SYSTEM_H

#include "muslin/solver.h"
#include "sparse/assembly.h"

typedef enum sheet_boundary {
  SHEET_FREE,
  SHEET_PINNED,  // all four sides held
  SHEET_DROOPING // two opposite sides held
} sheet_boundary;

typedef struct sheet_options {
  int side;                // vertices a side, 2 to 4096 (61)
  int irregular;           // 1: interior vertices are jittered and diagonals chosen at random (0)
  double size;             // m, of a side (1)
  double density;          // kg/m^2 (0.17)
  double stretch;          // N/m (5000)
  double shear;            // N/m (750)
  double bend;             // N m; 0 leaves the bending elements and their blocks out (5e-5)
  double damping;          // s, proportional to stiffness (0)
  double time_step;        // s (0.002)
  double wave;             // m, amplitude of a smooth out-of-plane deformation of the current state (0.05)
  sheet_boundary boundary; // (SHEET_DROOPING)
  unsigned seed;           // of an irregular sheet (1)
} sheet_options;

sheet_options sheet_default_options(void);

typedef struct sheet_system {
  sheet_options options;
  mus_arena arena; // owns everything below
  int rows, block; // vertices; 3
  mus_pattern *pattern;
  mus_matrix a;
  double *rest;     // rows * 3, flat
  double *position; // rows * 3, current
  double *mass;     // rows, kg
  double *b;        // rows * 3
  int constraint_count;
  mus_constraint *constraint; // held vertices, ascending: all three directions, value 0
  mus_tuples tuples[3];       // triangles (rest orientation), hinges (edge, then the two opposite vertices), vertices
  mus_scatter *scatter;
} sheet_system;

// MUS_BAD_INPUT names the option that makes no sense. On failure `out` is all zero.
mus_status sheet_system_create(const sheet_options *options, sheet_system *out);
// NULL and all zero are fine.
void sheet_system_free(sheet_system *system);

// Refills a and b after the caller changed `position` or the stiffnesses and time step in `options`.
mus_status sheet_system_assemble(sheet_system *system);

// The elastic energy E of any positions (rows * 3), in joules, and the force -dE/dx in newtons.
mus_status sheet_energy(const sheet_system *system, const double *position, double *energy);
mus_status sheet_force(const sheet_system *system, const double *position, double *force);

// `count` vectors of random numbers, one for each unknown, in both precisions. They belong to the system.
mus_status sheet_random_vectors(sheet_system *system, int count, double **vector[], float **vector_f[]);

#endif
