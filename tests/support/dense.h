// Small dense reference linear algebra over LAPACK, and small random block systems to hold against it.
//
// Dense matrices are stored column after column. Everything here is for systems of a few hundred unknowns; what goes
// wrong ends the test.
#ifndef TESTS_SUPPORT_DENSE_H
#define TESTS_SUPPORT_DENSE_H

#include <stdint.h>

#include "muslin/solver.h"
#include "sparse/matrix.h"

// A block matrix with all its zeros; to be freed with free().
double *dense_from_matrix(const mus_matrix *a);

// Eigenvalues of a symmetric matrix, ascending.
void dense_eigenvalues(int n, const double *a, double *eigenvalues);
// Largest over smallest eigenvalue of a symmetric positive definite matrix.
double dense_condition(int n, const double *a);

// A x = b with A symmetric positive definite.
void dense_solve(int n, const double *a, const double *b, double *x);

// The minimum of x.Ax/2 - b.x among all x with C x = d, through an orthonormal basis of C's null space from its
// singular value decomposition. C is `equations` x n, row after row, of any rank.
void dense_null_space_solve(int n, const double *a, const double *b, int equations, const double *c, const double *d,
                            double *x);

// The rotation nearest to a 3x3 matrix, both by rows, from its singular value decomposition.
void dense_rotation(const double f[9], double r[9]);

// max |x - y| / max |y|
double dense_difference(int n, const double *x, const double *y);

// A random symmetric positive definite block system: springs of random stiffness between the nodes of a random graph,
// and some mass. Symmetric to the last bit.
typedef struct random_system {
  mus_arena arena;
  int rows, block, n;
  mus_pattern *pattern;
  mus_matrix a;
  int *place; // diagonal blocks
  double *b;
} random_system;

random_system random_system_create(int rows, int block, uint64_t seed);
void random_system_free(random_system *system);

// One constraint for about half of the nodes, in random order, with 0 to `block` random directions each that are
// neither normal nor orthogonal. Returns how many; `out` holds `rows`.
int random_constraints(int rows, int block, uint64_t seed, mus_constraint *out);
// The same as equations C x = d over all unknowns, for dense_null_space_solve; both to be freed with free().
int constraint_equations(int rows, int block, int count, const mus_constraint *constraints, double **c, double **d);

#endif
