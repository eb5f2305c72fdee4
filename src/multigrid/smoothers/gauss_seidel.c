// Symmetric block Gauss-Seidel, by colours (Fratarcangeli, Tibaldo and Pellacini 2016). See smoother.h and
// sparse/sweep.h.
//
// A sweep goes through all colours forward, then backward, which makes it its own adjoint. Nodes that terms beyond the
// pattern touch may share blocks within a colour: they come after all colours, one after the other.
#include <string.h>

#include "base/error.h"
#include "multigrid/smoother.h"
#include "sparse/sweep.h"

// A sweep costs one pass, and from a given x half of one more to begin with.
static double passes_of(const mus_multigrid_options *options, int from_zero) {
  return options->smoother_order + (from_zero ? 0 : 0.5);
}

#define TEMPLATE "multigrid/smoothers/gauss_seidel_template.h"
#include "base/both_precisions.h"

const mus_smoother mus_gauss_seidel_smoother = {
    .name = "gs",
    .reads_rows = 1,
    .may_skip_rows = 1,
    .passes = passes_of,
    .in_double = {create, set_up, set_up, pre, post, report, NULL},
    .in_single = {create_f, set_up_f, set_up_f, pre_f, post_f, report_f, NULL},
};
