// More dense algebra over LAPACK for the multigrid tests: products, and the symmetric pencil A v = lambda D v of a
// block matrix and its block diagonal. Stored column after column, as in dense.h; what goes wrong ends the test.
#ifndef TESTS_SUPPORT_ALGEBRA_H
#define TESTS_SUPPORT_ALGEBRA_H

#include "sparse/matrix.h"

// A B and A^T B as new arrays, to be freed with free(). The result is rows x columns.
double *dense_product(int rows, int inner, int columns, const double *a, const double *b);
double *dense_transposed_product(int rows, int inner, int columns, const double *a, const double *b);
// max |A - A^T| / max |A| of an n x n matrix
double dense_asymmetry(int n, const double *a);
// The spectral radius of any n x n matrix, by LAPACK.
double dense_radius(int n, const double *a);

// A^(-1/2) of a symmetric positive definite n x n matrix; to be freed with free().
double *dense_inverse_root(int n, const double *a);

// The eigenvalues of M A, ascending, for M symmetric (its lower triangle is read) and A symmetric positive definite.
void dense_product_eigenvalues(int n, const double *m, const double *a, double *eigenvalues);

// A V = D V Lambda with V^T D V = I, D the block diagonal of A. Eigenvalues ascend.
typedef struct pencil {
  int n;
  double *a, *d;
  double *values, *vectors;
} pencil;

pencil pencil_create(const mus_matrix *a);
void pencil_free(pencil *pencil);
// The largest eigenvalue of D^-1 A.
double pencil_radius(const pencil *pencil);

#endif
