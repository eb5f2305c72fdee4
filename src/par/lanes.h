// A few vectors whose numbers lie side by side, in single precision: number i of vector k is v[i * count + k].
//
// What needs all of them at once then reads each place of memory once, and the numbers of a node lie together. After
// the last number follow MUS_LANES_MAXIMUM that are read and do not count, so that kernels need not look where the end
// is. Sums have the same bits for any number of threads.
#ifndef MUS_PAR_LANES_H
#define MUS_PAR_LANES_H

#include <stddef.h>

enum { MUS_LANES_MAXIMUM = 8 };

// Numbers that `count` vectors of n take, with those at the end.
static inline size_t mus_lanes_size(size_t n, int count) { return n * (size_t)count + MUS_LANES_MAXIMUM; }

// Vector `lane` becomes factor x, rounded; and the way back, x = vector `lane`.
void mus_lanes_put(size_t n, int count, int lane, double factor, const double *x, float *v);
void mus_lanes_put_f(size_t n, int count, int lane, const float *x, float *v);
void mus_lanes_get(size_t n, int count, int lane, const float *v, double *x);
// out_k = v_k . r
void mus_lanes_dot(size_t n, int count, const float *v, const double *r, double *out);
// x += sum_k factor_k v_k
void mus_lanes_add(size_t n, int count, const double *factor, const float *v, double *x);

#endif
