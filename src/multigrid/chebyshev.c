// The Chebyshev smoother in both precisions. See chebyshev.h.
#include "multigrid/chebyshev.h"

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

#define TEMPLATE "multigrid/chebyshev_template.h"
#include "base/both_precisions.h"
