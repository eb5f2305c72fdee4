// Looking at blocks of 3x3 and copying with AVX2. See soundness.h.
//
// A block is two vectors of four and its last number; assembly_add_avx2.c tells how its mirror image is arranged.
#if MUSLIN_X86
#include <immintrin.h>
#include <math.h>
#include <stdint.h>

#include "sparse/soundness.h"

static inline __m256d apart(__m256d a, __m256d b) {
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_sub_pd(a, b));
}

double mus_mismatch_avx2(const mus_matrix *a, const mus_transpose *at, int begin, int end) {
  enum { ARRANGED = 0x6c, THIRD = 4, LINE = 8 };
  const int *start = a->pattern->row_start, *column = a->pattern->column, *source = at->source;
  __m256d first = _mm256_setzero_pd(), second = first;
  double last = 0, lane[4];
  for (int i = begin; i < end; ++i) {
    int k = start[i];
    for (; k < start[i + 1] && column[k] <= i; ++k) {
      const double *here = a->value + (size_t)k * 9, *there = a->value + (size_t)source[k] * 9;
      __m256d low = _mm256_loadu_pd(there), high = _mm256_loadu_pd(there + 4);
      __m256d mirrored_low = _mm256_blend_pd(_mm256_permute4x64_pd(low, ARRANGED), high, THIRD);
      __m256d mirrored_high = _mm256_blend_pd(_mm256_permute4x64_pd(high, ARRANGED), low, THIRD);
      first = _mm256_add_pd(first, apart(_mm256_loadu_pd(here), mirrored_low));
      second = _mm256_add_pd(second, apart(_mm256_loadu_pd(here + 4), mirrored_high));
      last += fabs(here[8] - there[8]);
    }
    const double *above = a->value + (size_t)k * 9, *next = a->value + (size_t)start[i + 1] * 9;
    for (; above < next; above += LINE) // as in soundness.c
      __builtin_prefetch(above);
  }
  _mm256_storeu_pd(lane, _mm256_add_pd(first, second));
  return lane[0] + lane[1] + lane[2] + lane[3] + last;
}

void mus_copy_past_caches_avx2(size_t n, const double *from, double *to) {
  size_t k = 0;
  for (; k < n && (uintptr_t)(to + k) % sizeof(__m256d) != 0; ++k)
    to[k] = from[k];
  for (; k + 4 <= n; k += 4)
    _mm256_stream_pd(to + k, _mm256_loadu_pd(from + k));
  for (; k < n; ++k)
    to[k] = from[k];
  _mm_sfence();
}
#else
typedef int mus_soundness_avx2_not_built;
#endif
