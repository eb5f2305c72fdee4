// What intersects in a run, found exactly as `muslin check` finds it in the frames that have been written: at the
// start, at the end, and in between where steps say that something is tangled. Private to run/.
#ifndef MUS_RUN_TANGLES_H
#define MUS_RUN_TANGLES_H

#include "base/list.h"
#include "base/memory.h"
#include "io/result.h"
#include "muslin/run.h"
#include "result/checker.h"

// A cloth and what it intersects, and since when.
typedef struct mus_tangled_since {
  char cloth[MUS_RESULT_NAME], other[MUS_RESULT_NAME];
  int frame;
  int seen; // 1: in the frame that was searched last
} mus_tangled_since;

typedef struct mus_tangles {
  mus_checker *checker; // NULL: nothing is counted
  double reach;         // m: intersections that are closer to each other are in one region
  mus_checked_frame found;
  long long start, last; // pairs, seams and solids on lattices aside, in frame 0 and in the frame searched last
  mus_list since;        // mus_tangled_since
} mus_tangles;

// Searches frame 0 of the folder. Where its caches cannot be read, nothing is counted: no failure.
mus_status mus_tangles_open(const char *folder, const mus_sim *sim, int threads, mus_tangles *out);
void mus_tangles_close(mus_tangles *tangles);

// Searches a frame that has been written.
mus_status mus_tangles_search(mus_tangles *tangles, int frame);
// Regions of the frame that was searched last, the largest first: writes up to `most`, returns how many there are.
int mus_tangles_regions(const mus_tangles *tangles, int most, mus_run_tangle *regions);
// The same as a JSON array, from mus_alloc; NULL if memory is short.
char *mus_tangles_json(const mus_tangles *tangles);

#endif
