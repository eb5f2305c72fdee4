// One Gauss-Seidel sweep from the last row to the first before the coarser levels, and its adjoint after them, over the
// finest matrix in symmetric storage (sparse/symmetric_sweep.h). With the residual that the first one brings along,
// both cost two passes over the matrix, as many as a damped block-Jacobi step before and after, and take about as many
// iterations as a polynomial of order 2, which makes four. On levels without symmetric storage, with terms beyond their
// pattern, or with strong clusters, a Chebyshev polynomial stands in.
#include "base/error.h"
#include "multigrid/smoother.h"
#include "sparse/symmetric_sweep.h"

// The residual counts as a pass by itself.
static double passes_of(const mus_multigrid_options *options, int from_zero) {
  (void)options;
  return from_zero ? 0 : 1;
}

static void report(const void *state, mus_level_report *report) {
  mus_level_note(report, "colours", ((const mus_symmetric_order *)state)->colours);
}

#define TEMPLATE "multigrid/smoothers/sweep_template.h"
#include "base/both_precisions.h"

static int pass(const mus_multigrid_options *options, double radius, int k, double *alpha, double *beta) {
  return mus_chebyshev_smoother.pass(options, radius, k, alpha, beta);
}

const mus_smoother mus_sweep_smoother = {
    .name = "sweep",
    .uses_radius = 1, // for what stands in
    .may_skip_rows = 1,
    .stand_in = &mus_chebyshev_smoother,
    .passes = passes_of,
    .in_double = {.create = create, .pre = pre, .post = post, .report = report, .pre_with_residual = pre_with_residual},
    .in_single =
        {.create = create_f, .pre = pre_f, .post = post_f, .report = report, .pre_with_residual = pre_with_residual_f},
    .pass = pass,
};
