// Numbers held within a range.
#ifndef MUS_RENDER_RANGE_H
#define MUS_RENDER_RANGE_H

static inline float mus_clamp(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

// From 0 at `low` to 1 at `high`, level at both ends.
static inline float mus_smoothstep(float low, float high, float x) {
  float t = mus_clamp((x - low) / (high - low), 0, 1);
  return t * t * (3 - 2 * t);
}

#endif
