// What stitches and buttons have in common: damping of a thread from a vertex to a point of others, as a potential of
// the step (element.h). Its condition is the length |y| of the way y between them.
#ifndef MUS_ENERGY_TIE_H
#define MUS_ENERGY_TIE_H

#include "energy/element.h"

// Returns P of a thread whose ends are `distance` apart; `way` is y at the beginning of the step, and becomes zero:
// there is no rate. Adds P's tension to `pull`, and to `across`, what acts across the thread per length: pull /
// distance where the thread has a direction to keep (`pulls` = 1; otherwise what E gives is there whatever the
// direction). The sum counts as zero where it is negative, unless it is wanted exactly.
MUS_ELEMENT mus_real mus_tie_in_step(const mus_blend *blend, mus_real damping, mus_real distance, mus_real *way,
                                     int pulls, mus_real *pull, mus_real *across) {
  mus_real moved = distance - mus_root(mus_dot3(way, way)), damper = blend->per_second * damping * moved;
  mus_zero(3, way);
  if (distance > MUS_NO_LENGTH)
    *across = pulls ? (*pull + damper) / distance : *across + damper / distance;
  *across = blend->exact || *across > 0 ? *across : 0;
  *pull += damper;
  return damper / 2 * moved;
}

#endif
