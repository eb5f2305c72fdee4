// A start for conjugate gradients from solves before: the best approximation in the span of the last few solutions
// (Fischer 1998, who keeps them orthogonal for one matrix; here the matrix changes too).
//
// With V = [earlier solutions, z], z = M^-1 r the direction in which conjugate gradients would begin, and r the
// residual of the caller's guess,
//   x += V c,   (V^T A V) c = V^T r
// leaves the least error in the norm of A that any start from those vectors can. z is at hand, since the norm of r that
// solves are judged by needs it. So this takes the place of the first iteration, whatever the vectors are worth, and
// costs one pass over half of the matrix more (par/operator.h: gram).
//
// Vectors are kept in single precision and side by side. Rounding makes them slightly different vectors, with which all
// else is exact.
//
// Where solutions have little to do with each other that pass is wasted: after a solve in which it has saved less than
// it cost, counted in iterations at the rate of that solve, the next one does without, then two, four and so on.
// Nothing is measured in seconds, so that results do not depend on the machine.
#ifndef MUS_KRYLOV_RECYCLE_H
#define MUS_KRYLOV_RECYCLE_H

#include "muslin/status.h"
#include "par/lanes.h"
#include "par/operator.h"

enum { MUS_RECYCLE_MAXIMUM = MUS_LANES_MAXIMUM - 1 }; // vectors; one more lane is that of z

// `mus_recycle recycle = {.most = 4};` is a valid one that holds nothing yet.
typedef struct mus_recycle {
  int most;        // vectors that are kept; 0: none
  size_t n;        // unknowns, once there are vectors
  float *v;        // most + 1 lanes; lanes without a vector hold zeros. NULL: nobody has asked for them yet
  int count, next; // vectors that there are; the lane that is overwritten next
  int rest, pause; // solves to do without, and how many after the next one that was in vain
} mus_recycle;

// It holds nothing after that, and is valid.
void mus_recycle_free(mus_recycle *recycle);
static inline size_t mus_recycle_bytes(const mus_recycle *recycle) {
  return recycle->v ? mus_lanes_size(recycle->n, recycle->most + 1) * sizeof *recycle->v : 0;
}
// Memory for vectors of n numbers, where there is none yet: mus_recycle_keep() keeps some from now on.
mus_status mus_recycle_open(mus_recycle *recycle, size_t n);
// Once before each solve: whether it should be used in this one.
int mus_recycle_is_due(mus_recycle *recycle);
// Keeps a solution, in place of the oldest. Without memory nothing is kept.
void mus_recycle_keep(mus_recycle *recycle, const double *x);

// The lane of z, whose numbers the caller puts there before the following.
static inline int mus_recycle_lane(const mus_recycle *recycle) { return recycle->most; }
// x += V c. Returns by how much that makes the square of the error's norm smaller; 0: nothing was done, because the
// vectors do not help.
double mus_recycle_project(const mus_recycle *recycle, const mus_operator *a, const double *r, double *x);
// After a solve that has made use of it: the norms of its residuals, the last of them at `iterations`, and what an
// iteration costs in products, at least.
void mus_recycle_note(mus_recycle *recycle, const double *norm, int iterations, double iteration_cost);

#endif
