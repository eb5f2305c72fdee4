// The linear system of one implicit Euler step of an elastic solid of tetrahedra, for tests and measurements of
// solvers.
//
//   A = M + h^2 K,   b = h (f(x) + m g),   K ~ d^2 E / dx^2 made semi-definite,   f = -dE/dx
//
// The solid is bent and twisted smoothly out of its rest shape, and held where it is highest. Vertices are in the order
// that simulations give them.
#ifndef BENCH_SOLID_SYSTEM_H
#define BENCH_SOLID_SYSTEM_H

#include "energy/element_list.h"
#include "mesh/tetrahedra.h"
#include "muslin/solver.h"
#include "sparse/assembly.h"

typedef enum solid_law {
  SOLID_NEO_HOOKEAN,
  SOLID_COROTATED,
  SOLID_VENANT_KIRCHHOFF,
  SOLID_PROJECTIVE, // co-rotated, with the constant matrix of Projective Dynamics: K_ab = 2 mu V g_a . g_b I
  SOLID_LAWS
} solid_law;

typedef struct solid_options {
  solid_law law;
  double young;     // Pa (1e6)
  double poisson;   // (0.45)
  double density;   // kg/m^3 (1000)
  double time_step; // s (1/30)
  double wave;      // of the solid's size: how far the current shape is from the one at rest (0.05)
  double held;      // of the solid's height: what is higher is held; 0: nothing (0.03)
} solid_options;

solid_options solid_default_options(void);

typedef struct solid_system {
  solid_options options;
  mus_arena arena;    // owns everything below
  mus_arena elements; // owns the list
  mus_tetrahedra mesh;
  mus_element_list list;
  mus_tuples *tuples;
  mus_pattern *pattern;
  mus_scatter *scatter;
  mus_matrix a;
  double *position, *mass, *b;
  int constraint_count;
  mus_constraint *constraint;
  double size; // m, the longest side of the rest shape's box
} solid_system;

// The mesh is copied. MUS_BAD_INPUT names an option that makes no sense. On failure `out` is all zero.
mus_status solid_system_create(const solid_options *options, const mus_tetrahedra *mesh, solid_system *out);
// The same of a file, or of a built-in shape with about so many vertices.
mus_status solid_system_of_file(const solid_options *options, const char *path, solid_system *out);
mus_status solid_system_of_shape(const solid_options *options, const char *shape, int vertices, solid_system *out);
// NULL and all zero are fine.
void solid_system_free(solid_system *system);

// Refills a and b after the caller changed positions, or the time step, density and moduli in `options`.
mus_status solid_system_assemble(solid_system *system);

// mu h^2 / (rho size^2): what decides how hard the system is for solvers, together with the number of vertices.
double solid_system_hardness(const solid_system *system);

// A solver with the system's matrix, positions and constraints.
mus_status solid_system_solver(const solid_system *system, const mus_solver_options *options, mus_solver **solver);

#endif
