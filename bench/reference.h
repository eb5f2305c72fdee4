// Plain methods that the lattice solver is compared with: sparse matrices that are summed up from elements, and
// multigrid with Gauss-Seidel and Galerkin's coarse matrices on them. Clear rather than fast, on one thread.
//
// Everything lives in the arena that functions are given.
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include "base/memory.h"
#include "muslin/status.h"

typedef struct reference_matrix {
  int rows, columns;
  int *start, *column; // entries of a row, in any order
  double *value;
} reference_matrix;

// Elements over variables, each with one of a few symmetric matrices. Variables are unknown, held or of no concern.
typedef struct reference_elements {
  int count;
  int *start;            // count + 1, in `variable`
  int *variable;         // of each element
  const double **matrix; // of each element: its variables squared, by rows
} reference_elements;

// Room for so many elements with so many variables altogether; `count` is 0.
mus_status reference_elements_create(mus_arena *arena, int elements, int variables, reference_elements *out);
void reference_elements_add(reference_elements *elements, int count, const int *variable, const double *matrix);

// The matrix of the unknowns. `row`: for each variable its row, or -1.
mus_status reference_assemble(mus_arena *arena, const reference_elements *elements, int rows, const int *row,
                              reference_matrix *out);
// right -= what variables that are not unknown, and have these values, do to the rows.
void reference_hold(const reference_elements *elements, const int *row, const double *value, double *right);

void reference_multiply(const reference_matrix *a, const double *x, double *y);
mus_status reference_transpose(mus_arena *arena, const reference_matrix *a, reference_matrix *out);
mus_status reference_product(mus_arena *arena, const reference_matrix *a, const reference_matrix *b,
                             reference_matrix *out);

// a x = b from x = 0 by conjugate gradients with the diagonal as preconditioner.
mus_status reference_solve(const reference_matrix *a, double tolerance, const double *b, double *x, int *iterations);

enum { REFERENCE_LEVELS = 12 };
typedef struct reference_multigrid {
  int levels;
  reference_matrix a[REFERENCE_LEVELS], p[REFERENCE_LEVELS], restriction[REFERENCE_LEVELS]; // the finest first
  double *x[REFERENCE_LEVELS], *b[REFERENCE_LEVELS], *r[REFERENCE_LEVELS];
  double *factor; // Cholesky's of the last
} reference_multigrid;

// p[k] takes level k + 1 to level k.
mus_status reference_multigrid_create(mus_arena *arena, const reference_matrix *a, int levels,
                                      const reference_matrix *p, reference_multigrid *out);
// V(1,1) from x[0] for b[0]: a sweep of Gauss-Seidel forth on the way down, and back on the way up.
void reference_multigrid_cycle(reference_multigrid *m);
// Cycles for b = 0 from random numbers: |r_k| / |r_0|, k = 0 ... cycles.
void reference_residuals(reference_multigrid *m, int cycles, double *residuals);

#endif
