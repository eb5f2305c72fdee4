// Which axis is up: y where shapes are made and pictures are drawn, y or z in a user's world. Turning from one to the
// other is a quarter turn about x, which is exact: (x, y, z) with y up is (x, -z, y) with z up.
#ifndef MUS_BASE_UP_H
#define MUS_BASE_UP_H

#include <stddef.h>

#include "muslin/scene.h"

// Turns points of three numbers each.
static inline void mus_turn_up(mus_up from, mus_up to, size_t points, double *position) {
  for (size_t i = 0; i < points && from != to; ++i) {
    double *x = position + 3 * i, y = x[1], z = x[2];
    x[1] = to == MUS_UP_Z ? 0 - z : z; // 0 - z, since nobody wants to read -0
    x[2] = to == MUS_UP_Z ? y : 0 - y;
  }
}

#endif
