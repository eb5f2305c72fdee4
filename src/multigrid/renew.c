// Coarse matrices for prolongators that are kept. See renew.h.
#include "multigrid/renew.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "par/par.h"

// Part of its mean that a coarse diagonal block gets: well above rounding, well below what inertia adds.
static const double propped = 1e-10, propped_f = 1e-6;
// Products that a new probe gets.
enum { PROBE_STEPS = 8, RUNS = 256 };

// A probe that is still on its way to the end of the spectrum grows by less than this for a matrix that stays the same.
static const double on_its_way = 1.1;

// The radius of a matrix that has changed since the probe grew by `before`.
static double followed(double radius, double before, double growth) {
  return growth > on_its_way * before ? radius * growth / before : radius;
}

// The finest matrix is given in double precision, whatever the cycle's is.
static mus_status invert_finest(const mus_matrix *a, const int *diagonal, double *inverse) {
  return mus_inverse_diagonal(a, diagonal, inverse);
}

static mus_status invert_finest_f(const mus_matrix *a, const int *diagonal, float *inverse) {
  return mus_inverse_diagonal_rounded(a, diagonal, inverse);
}

static mus_status galerkin_finest(const mus_galerkin *plan, const mus_matrix *a, const mus_matrix *p, mus_matrix *c) {
  return mus_galerkin_fill(plan, a, p, c);
}

static mus_status galerkin_finest_f(const mus_galerkin *plan, const mus_matrix *a, const mus_matrix_f *p,
                                    mus_matrix_f *c) {
  return mus_galerkin_fill_rounded(plan, a, p, c);
}

#define TEMPLATE "multigrid/renew_template.h"
#include "base/both_precisions.h"

void mus_prop_up_for_rounding(mus_matrix *a, const int *diagonal) { prop_up_by(propped_f, a, diagonal); }
