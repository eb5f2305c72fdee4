// Damped block-Jacobi: x <- x + omega D^-1 (b - A x), so many times. See smoother.h.
//
// Undamped where the spectral radius rho of D^-1 A allows that (Xian, Tong and Liu 2019 use it so for springs, whose
// matrices are diagonally dominant). Where rho is larger, omega = 4 / (3 rho): a sweep then leaves at most a third of
// the error in the upper half of the spectrum, and makes none larger. A polynomial in D^-1 A is its own adjoint.
#include <math.h>

#include "base/error.h"
#include "multigrid/smoother.h"

// Of one level.
typedef struct level_state {
  int sweeps;
  double omega;
} level_state;

static double omega_for(double radius) { return fmin(1, 4 / (3 * radius)); }

static double passes_of(const mus_multigrid_options *options, int from_zero) {
  return options->smoother_order - from_zero;
}

static void report(const void *state, mus_level_report *report) {
  mus_level_note(report, "jacobi_omega", ((const level_state *)state)->omega);
}

static int pass(const mus_multigrid_options *options, double radius, int k, double *alpha, double *beta) {
  *alpha = omega_for(radius);
  *beta = 0;
  return k < options->smoother_order;
}

#define TEMPLATE "multigrid/smoothers/jacobi_template.h"
#include "base/both_precisions.h"

const mus_smoother mus_jacobi_smoother = {
    .name = "jacobi",
    .uses_radius = 1,
    .may_skip_rows = 1,
    .passes = passes_of,
    .in_double = {create, set_up, set_up, pre, post, report, NULL},
    .in_single = {create_f, set_up_f, set_up_f, pre_f, post_f, report, NULL},
    .pass = pass,
};
