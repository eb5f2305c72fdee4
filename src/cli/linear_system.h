// The system that `muslin solve` works on: matrix, right-hand side, geometry and constraints, from files.
#ifndef CLI_LINEAR_SYSTEM_H
#define CLI_LINEAR_SYSTEM_H

#include "muslin/muslin.h"

typedef struct system_files {
  const char *matrix;
  const char *right_hand_side; // NULL: made from a known solution
  const char *coordinates;     // NULL or n x 3
  const char *kernel;          // NULL or unknowns x count
  const char *fix;             // NULL or constraints as text
  int block;                   // 0: chosen from the size
} system_files;

typedef struct linear_system {
  mus_matrix_market_blocks a;
  int unknowns;
  long long stored;  // numbers in the matrix, both triangles
  int columns;       // right-hand sides
  double *b;         // `columns` vectors of `unknowns` numbers
  double *exact;     // the solution, where the right-hand side was made from it; else NULL
  double *positions; // a.rows * 3, or NULL
  double *kernel;    // kernel_count vectors of `unknowns` numbers, or NULL
  int kernel_count;
  mus_constraint *constraint;
  int constraint_count;
} linear_system;

// Returns 0 or an exit status, after saying on stderr what is wrong. What was loaded is the caller's to free either
// way.
int system_load(const char *program, const system_files *files, linear_system *out);
void system_free(linear_system *system);

// Distance of x from the exact solution, relative to the exact solution's size: in the Euclidean norm, and in the
// energy norm ||x||_A = sqrt(x . Ax).
typedef struct system_error {
  double euclidean, energy;
} system_error;
// Needs `exact`. Returns 0, or -1 when memory is short.
int system_error_of(const linear_system *system, const double *x, system_error *out);

#endif
