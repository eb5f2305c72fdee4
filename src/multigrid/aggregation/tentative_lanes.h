// Local QR of several aggregates at once, compiled for each machine. Private to tentative.c.
#ifndef MUS_MULTIGRID_TENTATIVE_LANES_H
#define MUS_MULTIGRID_TENTATIVE_LANES_H

#include "multigrid/aggregation/tentative.h"

// A column counts as dependent when this little of it is left.
#define MUS_DEPENDENT 1e-8

typedef struct mus_tentative_task {
  const mus_aggregates *aggregates;
  int block, count; // count: 3 or 6
  const double *kernel;
  double *q, *coarse_kernel;
  unsigned char *live;
} mus_tentative_task;

typedef struct mus_tentative_lanes {
  int groups; // at once
  // Aggregates begin ... end - 1, at most so many. `local` has room for `groups` times the rows of the largest.
  void (*factor)(const mus_tentative_task *task, int begin, int end, double *local);
} mus_tentative_lanes;

// They give the same bits.
extern const mus_tentative_lanes mus_tentative_lanes_scalar;
#if MUSLIN_X86
extern const mus_tentative_lanes mus_tentative_lanes_avx2;
#endif

#endif
