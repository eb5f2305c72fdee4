// Symmetric block Gauss-Seidel, by colours: nodes of one colour share no block and are relaxed at once, so that results
// do not depend on the number of threads (Fratarcangeli, Tibaldo and Pellacini 2016). See smoother.h.
//
// A sweep goes through all colours forward, then backward, which makes it its own adjoint. Nodes that terms beyond the
// pattern touch may share blocks within a colour: they come after all colours, one after the other.
#include <string.h>

#include "base/error.h"
#include "multigrid/smoother.h"
#include "par/par.h"
#include "par/vector.h"
#include "sparse/colouring.h"

// Of one level.
typedef struct level_state {
  int sweeps;
  int colours; // nodes of colour c are node[start[c]] ... node[start[c + 1] - 1]
  int *start;  // colours + 1
  int *node;   // without those that terms beyond the pattern touch
} level_state;

// Forward and backward, before and after.
static double passes_of_both(const mus_multigrid_options *options) { return 4.0 * options->smoother_order; }

static void report(const void *state, mus_level_report *report) {
  mus_level_note(report, "colours", ((const level_state *)state)->colours);
}

// Takes the nodes in the list out, which ascend.
static void leave_out(int count, const int *node, const mus_colouring *found, level_state *s) {
  int kept = 0;
  for (int c = 0; c < s->colours; ++c) {
    int from = found->start[c], to = found->start[c + 1], next = 0;
    s->start[c] = kept;
    for (int k = from; k < to; ++k) {
      while (next < count && node[next] < found->node[k])
        ++next;
      if (next == count || node[next] != found->node[k])
        s->node[kept++] = found->node[k];
    }
  }
  s->start[s->colours] = kept;
}

#define TEMPLATE "multigrid/smoothers/gauss_seidel_template.h"
#include "base/both_precisions.h"

const mus_smoother mus_gauss_seidel_smoother = {
    .name = "gs",
    .reads_rows = 1,
    .passes = passes_of_both,
    .in_double = {create, NULL, NULL, pre, post, report},
    .in_single = {create_f, NULL, NULL, pre_f, post_f, report},
};
