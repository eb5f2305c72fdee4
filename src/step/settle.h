// Settling: cloth that starts tangled is drawn apart before time begins.
//
// Steps are taken while time stands still: bodies, pins and whatever else is driven stay as they are, nothing weighs
// anything, nothing rubs, and each step begins at rest, so what is tangled moves no faster than it is led, and all that
// hangs on it follows. This ends when nothing is tangled. Cloth that is free at the start is not touched.
#ifndef MUS_STEP_SETTLE_H
#define MUS_STEP_SETTLE_H

#include "step/step.h"

typedef struct mus_settled {
  int crossings; // edges that pierced a triangle when it began
  int steps;     // that were taken
  int tangled;   // 1: something still is tangled
  int gave_up;   // 1: a step could not be made however short it was, and so no more were
} mus_settled;

// At most so many steps. Positions change; velocities and time are as before. A step that breaks down ends it, with the
// state of the last one that succeeded, and so does any failure; why is in mus_last_error().
mus_status mus_settle(const mus_step_context *c, int most, mus_settled *out);

#endif
