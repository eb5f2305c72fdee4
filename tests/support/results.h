// Small result folders as a run leaves them, made without a run: a sheet that waves (animation.h), of any fabrics.
#ifndef SUPPORT_RESULTS_H
#define SUPPORT_RESULTS_H

// Cloths "a", "b", ... of (cells + 1)^2 vertices side by side, `frames` samples each. `fabrics` has `cloths` names.
// What goes wrong ends the test.
typedef struct results_wish {
  int cloths, cells, frames;
  const char *const *fabrics;
  const char *format; // "pc2" or "mdd"
  int unfinished;     // 1: as a run leaves it that is going on
  int residual;       // 1: with residuals; frame f leaves (f, 0, 0) at every vertex, from frame 0 on
} results_wish;

void results_make(const char *folder, const results_wish *wish);

#endif
