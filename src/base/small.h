// Small dense matrices, up to 12 x 12, stored by rows: the blocks of a matrix seen on their own.
#ifndef MUS_BASE_SMALL_H
#define MUS_BASE_SMALL_H

enum { MUS_SMALL_MAXIMUM = 12 };

// Eigenvalues (any order) and orthonormal eigenvectors (the columns of `vectors`) of a symmetric n x n matrix, by
// Jacobi's cyclic method. Only the lower triangle is read.
void mus_small_eigen(int n, const double *a, double *values, double *vectors);

// root = A^(-1/2) for symmetric positive definite A; eigenvalues below 1e-14 of the largest count as that much.
void mus_small_inverse_root(int n, const double *a, double *root);

// The spectral radius of any n x n matrix from the norm of its 128th power (Gelfand's formula by repeated squaring):
// never too small, and too large by at most the 128th root of n times the eigenvectors' condition number. A radius
// below 1e-150 of the norm may count as 0. NaN where an entry is NaN, else infinite where one is infinite.
double mus_small_radius(int n, const double *a);

// Several matrices of 3 x 3 at once: entry e of matrix l is a[e][l]. `a` is only read.
enum { MUS_SMALL_LANES = 8 };
// Spectral radii, at most 1.4 % too large and never too small, but for those below 1e-4 of the largest entry, which
// rounding may change by that much.
void mus_small_radii(double a[9][MUS_SMALL_LANES], double radius[MUS_SMALL_LANES]);
// As mus_small_inverse_root() does it, with errors up to 1e-8 where eigenvalues are far apart.
void mus_small_inverse_roots(double a[9][MUS_SMALL_LANES], double root[9][MUS_SMALL_LANES]);
// The same of 6 x 6: radii as mus_small_radius() has them, roots as mus_small_inverse_root().
void mus_small_radii_6(double a[36][MUS_SMALL_LANES], double radius[MUS_SMALL_LANES]);
void mus_small_inverse_roots_6(double a[36][MUS_SMALL_LANES], double root[36][MUS_SMALL_LANES]);

// c = a b
void mus_small_multiply(int n, const double *a, const double *b, double *c);

#endif
