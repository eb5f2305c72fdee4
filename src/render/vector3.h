// Points, directions and colours of pictures: three floats, passed by value.
#ifndef MUS_RENDER_VECTOR3_H
#define MUS_RENDER_VECTOR3_H

#include <math.h>

typedef struct mus_float3 {
  float x, y, z;
} mus_float3;

static inline mus_float3 mus_v3(float x, float y, float z) { return (mus_float3){x, y, z}; }
static inline mus_float3 mus_v3_add(mus_float3 a, mus_float3 b) { return mus_v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline mus_float3 mus_v3_sub(mus_float3 a, mus_float3 b) { return mus_v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline mus_float3 mus_v3_scale(float s, mus_float3 a) { return mus_v3(s * a.x, s * a.y, s * a.z); }
// Entry by entry: a colour seen through another.
static inline mus_float3 mus_v3_times(mus_float3 a, mus_float3 b) { return mus_v3(a.x * b.x, a.y * b.y, a.z * b.z); }
// a + s b
static inline mus_float3 mus_v3_plus(mus_float3 a, float s, mus_float3 b) {
  return mus_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline float mus_v3_dot(mus_float3 a, mus_float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline mus_float3 mus_v3_cross(mus_float3 a, mus_float3 b) {
  return mus_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline float mus_v3_length(mus_float3 a) { return sqrtf(mus_v3_dot(a, a)); }
// The zero vector stays zero.
static inline mus_float3 mus_v3_unit(mus_float3 a) {
  float length = mus_v3_length(a);
  return length > 0 ? mus_v3_scale(1 / length, a) : a;
}
// From a at t = 0 to b at t = 1
static inline mus_float3 mus_v3_mix(mus_float3 a, mus_float3 b, float t) { return mus_v3_plus(a, t, mus_v3_sub(b, a)); }
static inline mus_float3 mus_v3_from(const float *p) { return mus_v3(p[0], p[1], p[2]); }

static inline float mus_clamp(float x, float low, float high) { return x < low ? low : x > high ? high : x; }
static inline float mus_smoothstep(float low, float high, float x) {
  float t = mus_clamp((x - low) / (high - low), 0, 1);
  return t * t * (3 - 2 * t);
}

// Two unit vectors that make a right-handed frame with the unit vector n (Duff and others 2017: no branch, no pole).
static inline void mus_v3_frame(mus_float3 n, mus_float3 *tangent, mus_float3 *bitangent) {
  float sign = copysignf(1, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
  *tangent = mus_v3(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
  *bitangent = mus_v3(b, sign + n.y * n.y * a, -n.y);
}

#endif
