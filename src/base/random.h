// Reproducible pseudo-random numbers (splitmix64): the same on every machine, thread count and run.
//
// The k-th number of a stream is a pure function of (seed, k), so that parallel loops can fill vectors in any order.
#ifndef MUS_BASE_RANDOM_H
#define MUS_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t mus_random_bits(uint64_t seed, uint64_t k) {
  uint64_t z = seed * 0xD1342543DE82EF95u + (k + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// Uniform in [-1, 1).
static inline double mus_random(uint64_t seed, uint64_t k) {
  return (double)(int64_t)(mus_random_bits(seed, k) >> 11) * (2.0 / 9007199254740992.0) - 1.0;
}

#endif
