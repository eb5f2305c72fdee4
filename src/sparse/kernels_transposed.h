// One row of y = A^T x for 3x3 blocks in AVX2 with fused multiply-add, both precisions; see kernels_template.h. The
// rows of A's blocks are vectors, each with a sum of its own. The third is read from one number before its start,
// because one number after its end may be beyond the array.
#ifndef MUS_SPARSE_KERNELS_TRANSPOSED_H
#define MUS_SPARSE_KERNELS_TRANSPOSED_H

#include <immintrin.h>

#include "sparse/kernels.h"

enum { BLOCKS_AHEAD = 64 };

// Asks for the block that comes so much later, if it comes before the block `limit`.
#define FETCH_AHEAD(t, k, limit)                                                                                       \
  {                                                                                                                    \
    const char *block =                                                                                                \
        (const char *)((t)->value + (size_t)(t)->source[(k) + BLOCKS_AHEAD < (limit) ? (k) + BLOCKS_AHEAD : (k)] * 9); \
    _mm_prefetch(block, _MM_HINT_T0);                                                                                  \
    _mm_prefetch(block + 8 * sizeof *(t)->value, _MM_HINT_T0);                                                         \
  }

static inline void row_transposed_3x3_d(const mus_task *t, int begin, int end, int limit, double *sum) {
  __m256d part0 = _mm256_setzero_pd(), part1 = part0, part2 = part0;
  for (int k = begin; k < end; ++k) {
    FETCH_AHEAD(t, k, limit)
    const double *a = t->value + (size_t)t->source[k] * 9, *x = t->x + (size_t)t->column[k] * 3;
    part0 = _mm256_fmadd_pd(_mm256_loadu_pd(a), _mm256_broadcast_sd(x), part0);
    part1 = _mm256_fmadd_pd(_mm256_loadu_pd(a + 3), _mm256_broadcast_sd(x + 1), part1);
    part2 = _mm256_fmadd_pd(_mm256_loadu_pd(a + 5), _mm256_broadcast_sd(x + 2), part2);
  }
  double lane[4];
  _mm256_storeu_pd(lane, _mm256_add_pd(_mm256_add_pd(part0, part1), _mm256_permute4x64_pd(part2, 0xf9)));
  for (int c = 0; c < 3; ++c)
    sum[c] = lane[c];
}

static inline void row_transposed_3x3_f(const mus_task_f *t, int begin, int end, int limit, float *sum) {
  __m128 part0 = _mm_setzero_ps(), part1 = part0, part2 = part0;
  for (int k = begin; k < end; ++k) {
    FETCH_AHEAD(t, k, limit)
    const float *a = t->value + (size_t)t->source[k] * 9, *x = t->x + (size_t)t->column[k] * 3;
    part0 = _mm_fmadd_ps(_mm_loadu_ps(a), _mm_broadcast_ss(x), part0);
    part1 = _mm_fmadd_ps(_mm_loadu_ps(a + 3), _mm_broadcast_ss(x + 1), part1);
    part2 = _mm_fmadd_ps(_mm_loadu_ps(a + 5), _mm_broadcast_ss(x + 2), part2);
  }
  float lane[4];
  _mm_storeu_ps(lane, _mm_add_ps(_mm_add_ps(part0, part1), _mm_permute_ps(part2, 0xf9)));
  for (int c = 0; c < 3; ++c)
    sum[c] = lane[c];
}

#undef FETCH_AHEAD

#endif
