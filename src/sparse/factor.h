// Direct solution of A x = b, A symmetric positive definite: dense by LAPACK, sparse by CHOLMOD where it is built in.
//
// Serves the bottom of the hierarchies and the `cholmod` solver. The symbolic analysis of the sparse kind is kept while
// the pattern stays the same.
#ifndef MUS_SPARSE_FACTOR_H
#define MUS_SPARSE_FACTOR_H

#include "sparse/matrix.h"

typedef enum mus_factor_kind {
  MUS_FACTOR_DENSE,
  MUS_FACTOR_SPARSE,
  MUS_FACTOR_CHOOSE // dense for small systems or where CHOLMOD is missing, sparse otherwise
} mus_factor_kind;

typedef struct mus_factor mus_factor;

// 1 when MUS_FACTOR_SPARSE is in this build.
int mus_factor_has_sparse(void);

// Threads that BLAS uses inside the functions below, for the whole process. 0 or 1, the default: one, so that results
// have the same bits on any number of cores. More are for measurements only: OpenBLAS splits sums by thread.
void mus_factor_set_threads(int threads);

// Analyses a square pattern, which must hold every diagonal block. MUS_UNSUPPORTED for MUS_FACTOR_SPARSE without
// CHOLMOD, and for dense systems of more than 20,000 unknowns.
mus_status mus_factor_create(const mus_pattern *pattern, int block, mus_factor_kind kind, mus_factor **out);
// Factorises the values. MUS_BREAKDOWN, with the place of the failing pivot, when A is not positive definite or is
// singular to working precision: an estimated reciprocal condition below 1e-15 after scaling to a unit diagonal, so
// that a heavy node beside light ones is no fault. May be called again for new values of the same pattern, after a
// breakdown too.
mus_status mus_factor_compute(mus_factor *factor, const mus_matrix *a);
// Solves; b and x may be the same array. Only after a successful mus_factor_compute.
mus_status mus_factor_solve(mus_factor *factor, const double *b, double *x);
// What it holds now; the factor itself is there after mus_factor_compute.
size_t mus_factor_bytes(const mus_factor *factor);
// Numbers of the factor that a solution passes over, both ways.
double mus_factor_numbers(const mus_factor *factor);
// Multiplications, each with an addition, that mus_factor_compute makes, as the analysis has found.
double mus_factor_work(const mus_factor *factor);
void mus_factor_free(mus_factor *factor); // NULL is fine

#endif
