// Sample points that are spread evenly in every pixel, and evenly again over each block of 4 x 4 pixels.
//
// The points are those of Sobol's sequence in two dimensions: any aligned run of 2^m of them has one point in each of
// the 2^m boxes of any shape 2^-a x 2^-(m-a) (Niederreiter 1992). The pixels of a block take consecutive runs, in the
// order of an ordered dither; so a filter that weighs the block's pixels equally sees 16 times as many samples, without
// noise, and the pattern is the same in each frame and for any number of threads.
#ifndef MUS_RENDER_SAMPLING_H
#define MUS_RENDER_SAMPLING_H

#include <stdint.h>

#include "base/memory.h"
#include "base/vector3.h"

// The i-th point of the sequence, in [0, 1)^2.
static inline void mus_sobol(uint32_t i, float *x, float *y) {
  uint32_t first = 0, second = 0;
  for (uint32_t bit = 0x80000000u, column = 0x80000000u; i; i >>= 1, bit >>= 1, column ^= column >> 1)
    if (i & 1) {
      first ^= bit;
      second ^= column;
    }
  *x = (float)(first >> 8) * (1.0f / 16777216);
  *y = (float)(second >> 8) * (1.0f / 16777216);
}

// The unit square onto the unit disc, areas kept in proportion (Shirley and Chiu 1997).
static inline void mus_disc(float *x, float *y) {
  float a = 2 * *x - 1, b = 2 * *y - 1, radius = 0, angle = 0;
  const float quarter = 0.785398163f;
  if (fabsf(a) > fabsf(b)) {
    radius = a;
    angle = quarter * (b / a);
  } else if (b != 0) {
    radius = b;
    angle = quarter * (2 - a / b);
  }
  *x = radius * cosf(angle);
  *y = radius * sinf(angle);
}

// Two unit vectors that make a right-handed frame with the unit vector n (Duff and others 2017: no branch, no pole).
static inline void mus_v3_frame(mus_float3 n, mus_float3 *tangent, mus_float3 *bitangent) {
  float sign = copysignf(1, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
  *tangent = mus_v3(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
  *bitangent = mus_v3(b, sign + n.y * n.y * a, -n.y);
}

// Which of the 16 runs a pixel takes.
static inline int mus_pixel_run(int x, int y) {
  static const unsigned char order[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
  return order[y & 3][x & 3];
}

enum { MUS_PIXEL_RUNS = 16 };

// For all 16 runs of `samples` points: points of the unit disc with height sqrt(1 - r^2) over it, which are at the same
// time directions around +z by the cosine. NULL when memory is short.
static inline mus_float3 *mus_sample_table(mus_arena *arena, int samples) {
  int count = samples * MUS_PIXEL_RUNS;
  mus_float3 *table = mus_arena_alloc(arena, (size_t)count, sizeof *table);
  for (int i = 0; i < count && table; ++i) {
    float x, y;
    mus_sobol((uint32_t)i, &x, &y);
    x += 0.5f / (float)count; // to the middle of its box: the first point is no corner
    y += 0.5f / (float)count;
    mus_disc(&x, &y);
    table[i] = mus_v3(x, y, sqrtf(fmaxf(0, 1 - x * x - y * y)));
  }
  return table;
}

#endif
