// The Chebyshev smoother in both precisions. See chebyshev.h.
#include "multigrid/chebyshev.h"

#include "par/par.h"

// The recurrence's coefficients of one pass after the other.
typedef struct recurrence {
  double sigma, delta, rho;
  double alpha, beta; // of the pass at hand
} recurrence;

static recurrence first_pass(const mus_chebyshev *c) {
  double theta = (c->high + c->low) / 2, delta = (c->high - c->low) / 2;
  return (recurrence){theta / delta, delta, delta / theta, 1 / theta, 0};
}

static void next_pass(recurrence *r) {
  double rho = 1 / (2 * r->sigma - r->rho);
  r->alpha = 2 * rho / r->delta;
  r->beta = rho * r->rho;
  r->rho = rho;
}

// Rows that are scaled in one go.
enum { RUN = 256 };

// The pass after a start from zero has no x_{k-1} to read.
#define SMOOTHER(real, matrix, step, sweep, start, passes, scaled, scaled_rows)                                        \
  static void passes(const mus_chebyshev *c, int from_zero, recurrence r, const matrix *a,                             \
                     const real *inverse_diagonal, const real *b, real **x, real **other) {                            \
    for (int k = from_zero; k < c->order; ++k) {                                                                       \
      if (k > 0)                                                                                                       \
        next_pass(&r);                                                                                                 \
      real gamma = (real)(k == from_zero ? 0 : r.beta);                                                                \
      step(a, inverse_diagonal, b, *x, (real)r.alpha, (real)r.beta, gamma, *other);                                    \
      real *swap = *x;                                                                                                 \
      *x = *other;                                                                                                     \
      *other = swap;                                                                                                   \
    }                                                                                                                  \
  }                                                                                                                    \
  void sweep(const mus_chebyshev *c, const matrix *a, const real *inverse_diagonal, const real *b, real **x,           \
             real **other) {                                                                                           \
    passes(c, 0, first_pass(c), a, inverse_diagonal, b, x, other);                                                     \
  }                                                                                                                    \
  /* x = factor D^-1 b for some rows; D^-1 is symmetric */                                                             \
  static inline __attribute__((always_inline)) void scaled_rows(int begin, int end, int block, const real *inverse,    \
                                                                real factor, const real *b, real *x) {                 \
    for (size_t i = (size_t)begin * (size_t)block; i < (size_t)end * (size_t)block; i += (size_t)block) {              \
      real sum[MUS_BLOCK_MAXIMUM] = {0};                                                                               \
      for (int j = 0; j < block; ++j)                                                                                  \
        for (int r = 0; r < block; ++r)                                                                                \
          sum[r] += inverse[i * (size_t)block + (size_t)(j * block + r)] * b[i + (size_t)j];                           \
      for (int r = 0; r < block; ++r)                                                                                  \
        x[i + (size_t)r] = factor * sum[r];                                                                            \
    }                                                                                                                  \
  }                                                                                                                    \
  static void scaled(int rows, int block, const real *inverse, real factor, const real *b, real *x) {                  \
    MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)                                                                        \
    for (int begin = 0; begin < rows; begin += RUN) {                                                                  \
      int end = begin + RUN < rows ? begin + RUN : rows;                                                               \
      if (block == 3)                                                                                                  \
        scaled_rows(begin, end, 3, inverse, factor, b, x);                                                             \
      else if (block == 6)                                                                                             \
        scaled_rows(begin, end, 6, inverse, factor, b, x);                                                             \
      else                                                                                                             \
        scaled_rows(begin, end, block, inverse, factor, b, x);                                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  void start(const mus_chebyshev *c, const matrix *a, const real *inverse_diagonal, const real *b, real **x,           \
             real **other) {                                                                                           \
    recurrence r = first_pass(c);                                                                                      \
    scaled(a->a->pattern->rows, a->a->row_block, inverse_diagonal, (real)r.alpha, b, *x);                              \
    passes(c, 1, r, a, inverse_diagonal, b, x, other);                                                                 \
  }

SMOOTHER(double, mus_operator, mus_operator_chebyshev, mus_chebyshev_sweep, mus_chebyshev_start, passes, scaled,
         scaled_rows)
SMOOTHER(float, mus_operator_f, mus_operator_chebyshev_f, mus_chebyshev_sweep_f, mus_chebyshev_start_f, passes_f,
         scaled_f, scaled_rows_f)
