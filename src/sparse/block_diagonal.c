// The block diagonal of a matrix: where it is, its inverse, products with that. See matrix.h.
#include <math.h>

#include "base/error.h"
#include "par/par.h"
#include "sparse/matrix.h"

enum { ROWS_AT_ONCE = 64, ROWS_AHEAD = 16 };

mus_status mus_diagonal_places(const mus_pattern *pattern, int *place) {
  for (int i = 0; i < pattern->rows; ++i) {
    place[i] = mus_pattern_find(pattern, i, i);
    if (place[i] < 0)
      return mus_fail(MUS_BAD_INPUT, "node %d has no diagonal block: every node needs one", mus_counted(i));
  }
  return MUS_OK;
}

// Pivots in units of their diagonal entry below which a block is singular to working precision.
static const double smallest_pivot = 1e-14, smallest_pivot_f = 5e-7;

// L D L^T of a symmetric positive definite block: L without its diagonal, and D^-1; 0 when it is not one. Pivots that
// vanish against their own diagonal entry, by `smallest`, count as not positive: the block is singular to working
// precision.
static inline __attribute__((always_inline)) int factor_block(int block, double smallest, const double *a,
                                                              double *lower, double *reciprocal) {
  int good = 1;
  for (int i = 0; i < block; ++i) {
    double pivot = a[i * block + i], scaled[MUS_BLOCK_MAXIMUM]; // row i of L D
    for (int j = 0; j < i; ++j) {
      scaled[j] = a[i * block + j];
      for (int k = 0; k < j; ++k)
        scaled[j] -= scaled[k] * lower[j * block + k];
      lower[i * block + j] = scaled[j] * reciprocal[j];
      pivot -= scaled[j] * lower[i * block + j];
    }
    good &= pivot > smallest * fabs(a[i * block + i]) && isfinite(pivot);
    reciprocal[i] = 1 / pivot;
  }
  return good;
}

// The inverse of a symmetric positive definite block; 0 when it is not one.
static inline __attribute__((always_inline)) int invert_block(int block, double smallest, const double *a,
                                                              double *inverse) {
  double lower[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM], reciprocal[MUS_BLOCK_MAXIMUM]; // L, then L^-1; D^-1
  if (!factor_block(block, smallest, a, lower, reciprocal))
    return 0;
  for (int i = 0; i < block; ++i)
    for (int j = 0; j < i; ++j) {
      double sum = lower[i * block + j];
      for (int k = j + 1; k < i; ++k)
        sum += lower[i * block + k] * lower[k * block + j];
      lower[i * block + j] = -sum;
    }
  for (int i = 0; i < block; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = (i == j ? 1 : lower[i * block + j]) * reciprocal[i];
      for (int k = i + 1; k < block; ++k)
        sum += lower[k * block + i] * lower[k * block + j] * reciprocal[k];
      inverse[i * block + j] = inverse[j * block + i] = sum;
    }
  return 1;
}

int mus_block_is_definite(int block, const double *a) {
  double lower[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM], reciprocal[MUS_BLOCK_MAXIMUM];
  return block == 3 ? factor_block(3, smallest_pivot, a, lower, reciprocal)
                    : factor_block(block, smallest_pivot, a, lower, reciprocal);
}

int mus_invert_block(int block, const double *a, double *inverse) {
  return block == 3 ? invert_block(3, smallest_pivot, a, inverse) : invert_block(block, smallest_pivot, a, inverse);
}

static mus_status not_positive(int row) {
  return mus_fail(MUS_BREAKDOWN,
                  "the diagonal block of node %d is not positive definite: the matrix is indefinite or singular",
                  mus_counted(row));
}

#define TEMPLATE "sparse/block_diagonal_template.h"
#include "base/both_precisions.h"

// Inverses of the matrix's own precision ...
#define FROM REAL
#define TEMPLATE "sparse/inverse_template.h"
#include "base/both_precisions.h"
#undef FROM

// ... and those of a matrix in double precision, rounded.
#define REAL float
#define FROM double
#define NAME(stem) stem##_rounded
#define TYPE(stem) stem
#define SINGLE 1
#include "sparse/inverse_template.h"
#undef SINGLE
#undef TYPE
#undef NAME
#undef FROM
#undef REAL
