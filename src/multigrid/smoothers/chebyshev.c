// The Chebyshev smoother in both precisions. See chebyshev.h.
#include "multigrid/smoothers/chebyshev.h"

#include "base/error.h"

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

mus_chebyshev mus_chebyshev_for(const mus_multigrid_options *options, double radius) {
  return (mus_chebyshev){options->smoother_order, radius / options->smoother_range, radius};
}

// Of one level.
typedef struct level_state {
  mus_chebyshev chebyshev;
  const mus_multigrid_options *options;
} level_state;

static double passes_of(const mus_multigrid_options *options, int from_zero) {
  return options->smoother_order - from_zero;
}

static void report(const void *state, mus_level_report *report) {
  const level_state *s = state;
  mus_level_note(report, "chebyshev_low", s->chebyshev.low);
  mus_level_note(report, "chebyshev_high", s->chebyshev.high);
}

static int pass(const mus_multigrid_options *options, double radius, int k, double *alpha, double *beta) {
  mus_chebyshev c = mus_chebyshev_for(options, radius);
  recurrence r = first_pass(&c);
  for (int done = 0; done < k; ++done)
    next_pass(&r);
  *alpha = r.alpha;
  *beta = r.beta;
  return k < c.order;
}

#define TEMPLATE "multigrid/smoothers/chebyshev_template.h"
#include "base/both_precisions.h"

const mus_smoother mus_chebyshev_smoother = {
    .name = "chebyshev",
    .uses_radius = 1,
    .may_skip_rows = 1,
    .passes = passes_of,
    .in_double = {create, set_up, renew, pre, post, report, NULL},
    .in_single = {create_f, set_up_f, renew_f, pre_f, post_f, report, NULL},
    .pass = pass,
};
