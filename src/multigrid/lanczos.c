// The generalised Lanczos method for A x = lambda D x. See lanczos.h.
//
// Vectors v_j are orthonormal in the inner product of D; u_j = D v_j is carried along so that D itself is never needed,
// only its inverse:
//   w = A v_j - beta_j u_{j-1},  alpha_j = w . v_j,  w -= alpha_j u_j,  beta_{j+1} = sqrt(w . D^-1 w)
// The eigenvalues of the tridiagonal (alpha, beta) approach those of D^-1 A, the largest ones first. The largest Ritz
// value plus beta_{m+1} times the last entry of its vector bounds some eigenvalue, mostly the largest. Where the start
// holds little of the largest one's vector, the iteration settles below it for a while; the margin makes up for that.
#include "multigrid/lanczos.h"

#include <math.h>

#include "base/error.h"
#include "par/vector.h"

enum { STEPS_MAXIMUM = 64, START_SEED = 20150701 };
enum { STEPS_TRUSTED = 8 }; // after fewer, a small residual is no sign of having seen the whole spectrum
static const double margin = 0.03;
static const double allowed = 0.1; // how far above the radius a value may be that counts as converged

void dstev_(const char *job, const int *n, double *diagonal, double *off, double *vectors, const int *leading,
            double *work, int *info);

static mus_status not_definite(void) {
  return mus_fail(MUS_BREAKDOWN, "the matrix is not positive definite: Lanczos found a direction of negative energy");
}

// Ritz values of the m x m tridiagonal; `next` is the beta that would follow. In an exhausted Krylov space they are
// exact.
static mus_status largest_ritz(int m, double *alpha, double *beta, double next, int exhausted, mus_radius *out) {
  double vectors[STEPS_MAXIMUM * STEPS_MAXIMUM], work[2 * STEPS_MAXIMUM];
  int info;
  dstev_("V", &m, alpha, beta, vectors, &m, work, &info);
  if (info != 0 || !isfinite(alpha[m - 1]))
    return mus_fail(MUS_BREAKDOWN,
                    "the spectral radius could not be computed: the matrix holds huge or invalid numbers");
  if (alpha[0] < -1e-10 * fabs(alpha[m - 1]) || alpha[m - 1] <= 0)
    return not_definite();
  double residual = fabs(next * vectors[(m - 1) * m + (m - 1)]);
  out->ritz = alpha[m - 1];
  out->value = (exhausted ? 1 : 1 + margin) * (out->ritz + residual);
  out->converged = (exhausted || m >= STEPS_TRUSTED) && out->value <= (1 + allowed) * out->ritz;
  return MUS_OK;
}

mus_status mus_spectral_radius(const mus_block_operator *a, const double *inverse_diagonal, int steps, double *work,
                               mus_radius *out) {
  int rows = a->a->pattern->rows, block = a->a->row_block;
  size_t n = (size_t)rows * (size_t)block;
  double *v = work, *u = work + n, *u_before = work + 2 * n, *w = work + 3 * n;
  double alpha[STEPS_MAXIMUM], beta[STEPS_MAXIMUM + 1];
  if (steps > STEPS_MAXIMUM || n <= STEPS_MAXIMUM) // small systems cost nothing and are treated in full
    steps = STEPS_MAXIMUM;
  if ((size_t)steps > n)
    steps = (int)n;

  mus_fill(n, 0, u_before);
  mus_fill_random(n, START_SEED, u);
  mus_block_operator_divide(a, 1, inverse_diagonal, u, v);
  double norm = sqrt(mus_dot(n, u, v));
  if (!(norm > 0) || !isfinite(norm))
    return not_definite();
  mus_scale(n, 1 / norm, u);
  mus_scale(n, 1 / norm, v);
  beta[0] = 0;
  int m = 0;
  double scale = 0; // of the tridiagonal, to tell when the Krylov space is exhausted
  while (m < steps) {
    mus_block_operator_multiply(a, v, w);
    mus_axpy(n, -beta[m], u_before, w);
    alpha[m] = mus_dot(n, w, v);
    mus_axpy(n, -alpha[m], u, w);
    mus_block_operator_divide(a, 1, inverse_diagonal, w, v);
    double square = mus_dot(n, w, v);
    scale = fmax(scale, fabs(alpha[m]));
    ++m;
    beta[m] = square > 0 ? sqrt(square) : 0;
    if (!isfinite(alpha[m - 1]) || !isfinite(square))
      return not_definite();
    if (!(beta[m] > 1e-12 * scale)) {
      beta[m] = 0;
      break;
    }
    mus_scale(n, 1 / beta[m], v);
    mus_scale(n, 1 / beta[m], w);
    double *free_vector = u_before;
    u_before = u;
    u = w;
    w = free_vector;
  }
  return largest_ritz(m, alpha, beta + 1, beta[m], beta[m] == 0 || (size_t)m == n, out);
}
