// Row products with prolongators of the finest level in AVX2 with fused multiply-add, both precisions; see
// kernels_template.h. Blocks are 3x3 (translations) or 3x6 (rigid motions). Nothing is read beyond the arrays.
#ifndef MUS_SPARSE_KERNELS_PROLONGATOR_H
#define MUS_SPARSE_KERNELS_PROLONGATOR_H

#include <immintrin.h>

#include "sparse/kernels.h"

// P x: as for square blocks, a block is one run of 18 numbers, and x is arranged to match.

static inline void row_3x6(const mus_task *t, int begin, int end, double *sum) {
  __m256d part[4];
  for (int v = 0; v < 4; ++v)
    part[v] = _mm256_setzero_pd();
  __m128d last = _mm_setzero_pd();
  for (int k = begin; k < end; ++k) {
    const double *a = t->value + (size_t)k * 18, *x = t->x + (size_t)t->column[k] * 6;
    __m128d low = _mm_loadu_pd(x), middle = _mm_loadu_pd(x + 2), high = _mm_loadu_pd(x + 4);
    __m256d arranged[3] = {_mm256_set_m128d(middle, low), _mm256_set_m128d(low, high), _mm256_set_m128d(high, middle)};
    for (int v = 0; v < 4; ++v)
      part[v] = _mm256_fmadd_pd(_mm256_loadu_pd(a + 4 * v), arranged[v % 3], part[v]);
    last = _mm_fmadd_pd(_mm_loadu_pd(a + 16), high, last);
  }
  double lane[18];
  for (int v = 0; v < 4; ++v)
    _mm256_storeu_pd(lane + 4 * v, part[v]);
  _mm_storeu_pd(lane + 16, last);
  MUS_FOLD(3, 6, lane, sum)
}

static inline void row_3x6_f(const mus_task_f *t, int begin, int end, float *sum) {
  const __m256i six = _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, 0, 0);
  const __m256i arrange[2] = {_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 0, 1), _mm256_setr_epi32(2, 3, 4, 5, 0, 1, 2, 3)};
  __m256 part[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
  __m128 last = _mm_setzero_ps();
  for (int k = begin; k < end; ++k) {
    const float *a = t->value + (size_t)k * 18;
    __m256 x = _mm256_maskload_ps(t->x + (size_t)t->column[k] * 6, six);
    for (int v = 0; v < 2; ++v)
      part[v] = _mm256_fmadd_ps(_mm256_loadu_ps(a + 8 * v), _mm256_permutevar8x32_ps(x, arrange[v]), part[v]);
    __m128 two = _mm_castpd_ps(_mm_load_sd((const double *)(const void *)(a + 16)));
    last = _mm_fmadd_ps(two, _mm256_extractf128_ps(x, 1), last);
  }
  float lane[20];
  for (int v = 0; v < 2; ++v)
    _mm256_storeu_ps(lane + 8 * v, part[v]);
  _mm_storeu_ps(lane + 16, last);
  MUS_FOLD(3, 6, lane, sum)
}

// P^T x: the rows of P's blocks are vectors, each with a sum of its own. Last rows are read from before their start,
// because what comes after their end may be beyond the array.

enum { BLOCKS_AHEAD = 64 };

// Asks for the block that comes so much later, if it comes before the block `limit`.
#define FETCH_AHEAD(t, k, limit, size)                                                                                 \
  {                                                                                                                    \
    int ahead = (t)->source[(k) + BLOCKS_AHEAD < (limit) ? (k) + BLOCKS_AHEAD : (k)];                                  \
    const char *block = (const char *)((t)->value + (size_t)ahead * (size));                                           \
    for (size_t at = 0; at < (size) * sizeof *(t)->value; at += 64)                                                    \
      _mm_prefetch(block + at, _MM_HINT_T0);                                                                           \
    _mm_prefetch(block + ((size)-1) * sizeof *(t)->value, _MM_HINT_T0);                                                \
  }

static inline void row_transposed_3x3(const mus_task *t, int begin, int end, int limit, double *sum) {
  __m256d part0 = _mm256_setzero_pd(), part1 = part0, part2 = part0;
  for (int k = begin; k < end; ++k) {
    FETCH_AHEAD(t, k, limit, 9)
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
    FETCH_AHEAD(t, k, limit, 9)
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

static inline void row_transposed_3x6(const mus_task *t, int begin, int end, int limit, double *sum) {
  __m256d four[3] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
  __m128d two[3] = {_mm_setzero_pd(), _mm_setzero_pd(), _mm_setzero_pd()};
  for (int k = begin; k < end; ++k) {
    FETCH_AHEAD(t, k, limit, 18)
    const double *a = t->value + (size_t)t->source[k] * 18, *x = t->x + (size_t)t->column[k] * 3;
    for (int r = 0; r < 3; ++r) {
      __m256d factor = _mm256_broadcast_sd(x + r);
      four[r] = _mm256_fmadd_pd(_mm256_loadu_pd(a + 6 * r), factor, four[r]);
      two[r] = _mm_fmadd_pd(_mm_loadu_pd(a + 6 * r + 4), _mm256_castpd256_pd128(factor), two[r]);
    }
  }
  _mm256_storeu_pd(sum, _mm256_add_pd(_mm256_add_pd(four[0], four[1]), four[2]));
  _mm_storeu_pd(sum + 4, _mm_add_pd(_mm_add_pd(two[0], two[1]), two[2]));
}

static inline void row_transposed_3x6_f(const mus_task_f *t, int begin, int end, int limit, float *sum) {
  __m256 part0 = _mm256_setzero_ps(), part1 = part0, part2 = part0;
  for (int k = begin; k < end; ++k) {
    FETCH_AHEAD(t, k, limit, 18)
    const float *a = t->value + (size_t)t->source[k] * 18, *x = t->x + (size_t)t->column[k] * 3;
    part0 = _mm256_fmadd_ps(_mm256_loadu_ps(a), _mm256_broadcast_ss(x), part0);
    part1 = _mm256_fmadd_ps(_mm256_loadu_ps(a + 6), _mm256_broadcast_ss(x + 1), part1);
    part2 = _mm256_fmadd_ps(_mm256_loadu_ps(a + 10), _mm256_broadcast_ss(x + 2), part2);
  }
  float lane[2][8];
  _mm256_storeu_ps(lane[0], _mm256_add_ps(part0, part1));
  _mm256_storeu_ps(lane[1], part2);
  for (int c = 0; c < 6; ++c)
    sum[c] = lane[0][c] + lane[1][c + 2];
}

#undef FETCH_AHEAD

// y += a^T x for one block, the other way to P^T x. Sums of a block come first, so that blocks after each other with
// the same y wait for one addition only.

static inline void scatter_3x3(const double *a, const double *x, double *y) {
  __m256d sum = _mm256_mul_pd(_mm256_loadu_pd(a), _mm256_broadcast_sd(x));
  sum = _mm256_fmadd_pd(_mm256_loadu_pd(a + 3), _mm256_broadcast_sd(x + 1), sum);
  sum = _mm256_fmadd_pd(_mm256_permute4x64_pd(_mm256_loadu_pd(a + 5), 0xf9), _mm256_broadcast_sd(x + 2), sum);
  _mm256_storeu_pd(y, _mm256_add_pd(_mm256_loadu_pd(y), sum));
}

static inline void scatter_3x3_f(const float *a, const float *x, float *y) {
  __m128 sum = _mm_mul_ps(_mm_loadu_ps(a), _mm_broadcast_ss(x));
  sum = _mm_fmadd_ps(_mm_loadu_ps(a + 3), _mm_broadcast_ss(x + 1), sum);
  sum = _mm_fmadd_ps(_mm_permute_ps(_mm_loadu_ps(a + 5), 0xf9), _mm_broadcast_ss(x + 2), sum);
  _mm_storeu_ps(y, _mm_add_ps(_mm_loadu_ps(y), sum));
}

static inline void scatter_3x6(const double *a, const double *x, double *y) {
  __m256d four = _mm256_setzero_pd();
  __m128d two = _mm_setzero_pd();
  for (int r = 0; r < 3; ++r) {
    __m256d factor = _mm256_broadcast_sd(x + r);
    four = _mm256_fmadd_pd(_mm256_loadu_pd(a + 6 * r), factor, four);
    two = _mm_fmadd_pd(_mm_loadu_pd(a + 6 * r + 4), _mm256_castpd256_pd128(factor), two);
  }
  _mm256_storeu_pd(y, _mm256_add_pd(_mm256_loadu_pd(y), four));
  _mm_storeu_pd(y + 4, _mm_add_pd(_mm_loadu_pd(y + 4), two));
}

static inline void scatter_3x6_f(const float *a, const float *x, float *y) {
  const __m256i last = _mm256_setr_epi32(2, 3, 4, 5, 6, 7, 0, 0);
  __m256 sum = _mm256_mul_ps(_mm256_loadu_ps(a), _mm256_broadcast_ss(x));
  sum = _mm256_fmadd_ps(_mm256_loadu_ps(a + 6), _mm256_broadcast_ss(x + 1), sum);
  sum = _mm256_fmadd_ps(_mm256_permutevar8x32_ps(_mm256_loadu_ps(a + 10), last), _mm256_broadcast_ss(x + 2), sum);
  _mm256_storeu_ps(y, _mm256_add_ps(_mm256_loadu_ps(y), sum));
}

#endif
