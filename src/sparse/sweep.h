// Sweeps of symmetric block Gauss-Seidel by colours: nodes of one colour share no block and are relaxed at once, so
// that results do not depend on the number of threads.
//
// A is split by its colouring into blocks L that lead to nodes of earlier colours, the block diagonal D, and blocks U
// that lead to later ones. Half a sweep, forward or backward, relaxes every node once:
//   x_i = D_i^-1 (b_i - (L x)_i - (U x)_i)
// On the way forward U x is what the last way backward found, and on the way backward L x is what the way forward found
// (Conrad and Wallach 1979). So each half passes over half of A, and a whole sweep costs as much as one product.
//
// L, U and the inverse of D are copies, with rows in the order of their colours, as is b while sweeps run: what a
// colour reads lies together. Only x is where the caller has it.
#ifndef MUS_SPARSE_SWEEP_H
#define MUS_SPARSE_SWEEP_H

#include "sparse/matrix.h"

// One of L and U: row k is that of the plan's node[k].
typedef struct mus_sweep_half {
  int *row_start, *column;
  int *source; // the place of each block in A
} mus_sweep_half;

typedef struct mus_sweep_plan {
  int colours;
  int *start; // colours + 1: nodes of colour c are node[start[c]] ... node[start[c + 1] - 1]
  int *node;
  mus_sweep_half lower, upper;
} mus_sweep_plan;

// `last` lists nodes, ascending, that have no colour because the caller relaxes them itself, between the ways forward
// and backward: blocks that lead to them are in U.
mus_status mus_sweep_plan_create(mus_arena *arena, const mus_pattern *pattern, int last_count, const int *last,
                                 mus_sweep_plan *out);

// mus_sweep and the same with _f: the plan with values.
#define TEMPLATE "sparse/sweep_types_template.h"
#include "base/both_precisions.h"

#endif
