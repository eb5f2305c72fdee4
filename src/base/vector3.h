// Vectors of three numbers: positions, directions, forces and colours.
//
// In arrays of doubles, as meshes and states keep them: mus_dot3(a, b), mus_cross3(a, b, c) and so on. As values, for
// code that is written as formulas: mus_point with doubles (mus_point_add(a, b), ...) and mus_float3 with floats
// (mus_v3_add(a, b), ...); those are for C only.
#ifndef MUS_BASE_VECTOR3_H
#define MUS_BASE_VECTOR3_H

#include <math.h>

#define REAL double
#ifdef __CUDACC__
#define DECLARE static __host__ __device__ inline
#else
#define DECLARE static inline
#endif
#include "base/vector3_template.h"

static inline double mus_length3(const double *a) { return sqrt(mus_dot3(a, a)); }

#ifndef __cplusplus
#define REAL double
#define POINT mus_point
#define NAME(word) mus_point_##word
#define ROOT sqrt
#include "base/point_template.h"

#define REAL float
#define POINT mus_float3
#define NAME(word) mus_v3_##word
#define ROOT sqrtf
#include "base/point_template.h"

static inline mus_float3 mus_v3(float x, float y, float z) { return (mus_float3){x, y, z}; }
#endif

#endif
