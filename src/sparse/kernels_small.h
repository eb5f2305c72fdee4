// Row products with square blocks of 1, 2, 4 and 5 in AVX2 with fused multiply-add, both precisions; see
// kernels_template.h. As with 3x3 blocks, a block is one run of numbers, x is arranged to match, and every lane keeps a
// sum of its own until the row's end. Nothing is read beyond the arrays.
#ifndef MUS_SPARSE_KERNELS_SMALL_H
#define MUS_SPARSE_KERNELS_SMALL_H

#include <immintrin.h>

#include "sparse/kernels.h"

// What the processor does not read ahead by itself, found by measurement as MUS_BYTES_AHEAD was. Columns are as many
// bytes as values here, or half as many: both are asked for.
#define FETCH_AHEAD(from) _mm_prefetch((const char *)(from) + MUS_BYTES_AHEAD, _MM_HINT_T0)

// --- 1x1 -------------------------------------------------------------------------------------------------------------

// Gathers are slower than numbers of x that are loaded one by one.

static inline void row_1x1(const mus_task *t, int begin, int end, double *sum) {
  const double *a = t->value, *x = t->x;
  const int *column = t->column;
  __m128d part = _mm_setzero_pd();
  int k = begin;
  FETCH_AHEAD(a + begin);
  FETCH_AHEAD(a + begin + 8);
  FETCH_AHEAD(column + begin);
  for (; k + 1 < end; k += 2) {
    __m128d two = _mm_loadh_pd(_mm_load_sd(x + column[k]), x + column[k + 1]);
    part = _mm_fmadd_pd(_mm_loadu_pd(a + k), two, part);
  }
  if (k < end)
    part = _mm_fmadd_pd(_mm_load_sd(a + k), _mm_load_sd(x + column[k]), part);
  _mm_store_sd(sum, _mm_add_sd(part, _mm_unpackhi_pd(part, part)));
}

static inline void row_1x1_f(const mus_task_f *t, int begin, int end, float *sum) {
  const float *a = t->value, *x = t->x;
  const int *column = t->column;
  __m128 part = _mm_setzero_ps();
  int k = begin;
  FETCH_AHEAD(a + begin);
  FETCH_AHEAD(column + begin);
  for (; k + 3 < end; k += 4) {
    __m128 four = _mm_insert_ps(_mm_load_ss(x + column[k]), _mm_load_ss(x + column[k + 1]), 0x10);
    four = _mm_insert_ps(four, _mm_load_ss(x + column[k + 2]), 0x20);
    four = _mm_insert_ps(four, _mm_load_ss(x + column[k + 3]), 0x30);
    part = _mm_fmadd_ps(_mm_loadu_ps(a + k), four, part);
  }
  for (; k < end; ++k)
    part = _mm_fmadd_ps(_mm_load_ss(a + k), _mm_load_ss(x + column[k]), part);
  part = _mm_add_ps(part, _mm_movehl_ps(part, part));
  _mm_store_ss(sum, _mm_add_ss(part, _mm_movehdup_ps(part)));
}

// --- 2x2 -------------------------------------------------------------------------------------------------------------

static inline void row_2x2(const mus_task *t, int begin, int end, double *sum) {
  __m256d part[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
#define ADD_BLOCK(k, s)                                                                                                \
  {                                                                                                                    \
    const double *a = t->value + (size_t)(k)*4;                                                                        \
    __m256d x = _mm256_broadcast_pd((const __m128d *)(t->x + (size_t)t->column[k] * 2));                               \
    if ((s) == 0)                                                                                                      \
      FETCH_AHEAD(a);                                                                                                  \
    part[s] = _mm256_fmadd_pd(_mm256_loadu_pd(a), x, part[s]);                                                         \
  }
  FETCH_AHEAD(t->column + begin);
  MUS_EVEN_AND_ODD(ADD_BLOCK)
#undef ADD_BLOCK
  __m256d both = _mm256_add_pd(part[0], part[1]);
  _mm_storeu_pd(sum, _mm_hadd_pd(_mm256_castpd256_pd128(both), _mm256_extractf128_pd(both, 1)));
}

static inline void row_2x2_f(const mus_task_f *t, int begin, int end, float *sum) {
  __m128 part[2] = {_mm_setzero_ps(), _mm_setzero_ps()};
#define ADD_BLOCK(k, s)                                                                                                \
  {                                                                                                                    \
    const float *a = t->value + (size_t)(k)*4, *x = t->x + (size_t)t->column[k] * 2;                                   \
    __m128 both = _mm_castpd_ps(_mm_loaddup_pd((const double *)(const void *)x));                                      \
    if ((s) == 0)                                                                                                      \
      FETCH_AHEAD(a);                                                                                                  \
    part[s] = _mm_fmadd_ps(_mm_loadu_ps(a), both, part[s]);                                                            \
  }
  FETCH_AHEAD(t->column + begin);
  MUS_EVEN_AND_ODD(ADD_BLOCK)
#undef ADD_BLOCK
  __m128 both = _mm_add_ps(part[0], part[1]);
  _mm_storel_pi((__m64 *)sum, _mm_hadd_ps(both, both));
}

// --- 4x4 -------------------------------------------------------------------------------------------------------------

static inline void row_4x4(const mus_task *t, int begin, int end, double *sum) {
  __m256d part[4];
  for (int r = 0; r < 4; ++r)
    part[r] = _mm256_setzero_pd();
  for (int k = begin; k < end; ++k) {
    const double *a = t->value + (size_t)k * 16;
    __m256d x = _mm256_loadu_pd(t->x + (size_t)t->column[k] * 4);
    for (int r = 0; r < 4; ++r)
      part[r] = _mm256_fmadd_pd(_mm256_loadu_pd(a + 4 * r), x, part[r]);
  }
  __m256d upper = _mm256_hadd_pd(part[0], part[1]), lower = _mm256_hadd_pd(part[2], part[3]);
  _mm256_storeu_pd(
      sum, _mm256_add_pd(_mm256_permute2f128_pd(upper, lower, 0x20), _mm256_permute2f128_pd(upper, lower, 0x31)));
}

static inline void row_4x4_f(const mus_task_f *t, int begin, int end, float *sum) {
  __m256 part0[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()}, part1[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
#define ADD_BLOCK(k, s)                                                                                                \
  {                                                                                                                    \
    const float *a = t->value + (size_t)(k)*16;                                                                        \
    FETCH_AHEAD(a);                                                                                                    \
    __m256 x = _mm256_broadcast_ps((const __m128 *)(t->x + (size_t)t->column[k] * 4));                                 \
    part0[s] = _mm256_fmadd_ps(_mm256_loadu_ps(a), x, part0[s]);                                                       \
    part1[s] = _mm256_fmadd_ps(_mm256_loadu_ps(a + 8), x, part1[s]);                                                   \
  }
  MUS_EVEN_AND_ODD(ADD_BLOCK)
#undef ADD_BLOCK
  __m256 upper = _mm256_add_ps(part0[0], part0[1]), lower = _mm256_add_ps(part1[0], part1[1]);
  __m256 pairs = _mm256_hadd_ps(upper, lower); // rows 0 and 2, then 1 and 3
  __m128 first = _mm256_castps256_ps128(pairs), second = _mm256_extractf128_ps(pairs, 1);
  __m128 all = _mm_hadd_ps(first, second); // rows 0, 2, 1, 3
  _mm_storeu_ps(sum, _mm_permute_ps(all, 0xd8));
}

// --- 5x5 -------------------------------------------------------------------------------------------------------------

static inline void row_5x5(const mus_task *t, int begin, int end, double *sum) {
  __m256d part[6];
  for (int v = 0; v < 6; ++v)
    part[v] = _mm256_setzero_pd();
  __m128d last = _mm_setzero_pd();
  for (int k = begin; k < end; ++k) {
    const double *a = t->value + (size_t)k * 25, *x = t->x + (size_t)t->column[k] * 5;
    __m256d low = _mm256_loadu_pd(x), high = _mm256_loadu_pd(x + 1), fifth = _mm256_broadcast_sd(x + 4);
    __m256d turned = _mm256_permute4x64_pd(low, 0x93);                     // x3 x0 x1 x2
    __m256d arranged[6] = {low,                                            // x0 x1 x2 x3
                           _mm256_blend_pd(turned, fifth, 1),              // x4 x0 x1 x2
                           _mm256_permute2f128_pd(high, low, 0x21),        // x3 x4 x0 x1
                           _mm256_permute4x64_pd(high, 0x39),              // x2 x3 x4 x1
                           high,                                           // x1 x2 x3 x4
                           low};                                           // x0 x1 x2 x3
    arranged[3] = _mm256_blend_pd(arranged[3], _mm256_broadcast_sd(x), 8); // x2 x3 x4 x0
    for (int v = 0; v < 6; ++v)
      part[v] = _mm256_fmadd_pd(_mm256_loadu_pd(a + 4 * v), arranged[v], part[v]);
    last = _mm_fmadd_sd(_mm_load_sd(a + 24), _mm256_castpd256_pd128(fifth), last);
  }
  double lane[25];
  for (int v = 0; v < 6; ++v)
    _mm256_storeu_pd(lane + 4 * v, part[v]);
  _mm_store_sd(lane + 24, last);
  MUS_FOLD(5, 5, lane, sum)
}

static inline void row_5x5_f(const mus_task_f *t, int begin, int end, float *sum) {
  const __m256i five = _mm256_setr_epi32(-1, -1, -1, -1, -1, 0, 0, 0);
  const __m256i arrange[3] = {_mm256_setr_epi32(0, 1, 2, 3, 4, 0, 1, 2), _mm256_setr_epi32(3, 4, 0, 1, 2, 3, 4, 0),
                              _mm256_setr_epi32(1, 2, 3, 4, 0, 1, 2, 3)};
  __m256 part[3];
  for (int v = 0; v < 3; ++v)
    part[v] = _mm256_setzero_ps();
  __m128 last = _mm_setzero_ps();
  for (int k = begin; k < end; ++k) {
    const float *a = t->value + (size_t)k * 25, *from = t->x + (size_t)t->column[k] * 5;
    FETCH_AHEAD(a);
    FETCH_AHEAD(a + 16);
    __m256 x = _mm256_maskload_ps(from, five);
    for (int v = 0; v < 3; ++v)
      part[v] = _mm256_fmadd_ps(_mm256_loadu_ps(a + 8 * v), _mm256_permutevar8x32_ps(x, arrange[v]), part[v]);
    last = _mm_fmadd_ss(_mm_load_ss(a + 24), _mm_load_ss(from + 4), last);
  }
  float lane[25];
  for (int v = 0; v < 3; ++v)
    _mm256_storeu_ps(lane + 8 * v, part[v]);
  _mm_store_ss(lane + 24, last);
  MUS_FOLD(5, 5, lane, sum)
}

#undef FETCH_AHEAD

#endif
