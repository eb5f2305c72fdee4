// Block products of the pass of galerkin_pass.h, in AVX2 with fused multiply-add. Rows of sums are padded to whole
// vectors, of which the last numbers mean nothing. The last row of a block of P is read from before its start, because
// what is behind its end may be beyond the array.
#ifndef MUS_SPARSE_GALERKIN_ROWS_AVX2_H
#define MUS_SPARSE_GALERKIN_ROWS_AVX2_H

#include <immintrin.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// --- six columns -----------------------------------------------------------------------------------------------------

ALWAYS_INLINE void add_left_6_f(int block, const float *a, const float *p, float *row) {
  __m256 b[6];
  for (int q = 0; q + 1 < block; ++q)
    b[q] = _mm256_loadu_ps(p + 6 * q);
  b[block - 1] =
      _mm256_permutevar8x32_ps(_mm256_loadu_ps(p + 6 * block - 8), _mm256_setr_epi32(2, 3, 4, 5, 6, 7, 7, 7));
  for (int r = 0; r < block; ++r) {
    __m256 sum = _mm256_loadu_ps(row + 8 * r);
    for (int q = 0; q < block; ++q)
      sum = _mm256_fmadd_ps(_mm256_broadcast_ss(a + r * block + q), b[q], sum);
    _mm256_storeu_ps(row + 8 * r, sum);
  }
}

ALWAYS_INLINE void add_across_6_f(int block, const float *p, const float *row, float *sums) {
  __m256 b[6];
  for (int q = 0; q < block; ++q)
    b[q] = _mm256_loadu_ps(row + 8 * q);
  for (int r = 0; r < 6; ++r) {
    __m256 sum = _mm256_loadu_ps(sums + 8 * r);
    for (int q = 0; q < block; ++q)
      sum = _mm256_fmadd_ps(_mm256_broadcast_ss(p + 6 * q + r), b[q], sum);
    _mm256_storeu_ps(sums + 8 * r, sum);
  }
}

ALWAYS_INLINE void add_left_6(int block, const double *a, const double *p, double *row) {
  for (int r = 0; r < block; ++r) {
    __m256d left = _mm256_loadu_pd(row + 8 * r);
    __m128d right = _mm_loadu_pd(row + 8 * r + 4);
    for (int q = 0; q < block; ++q) {
      __m256d factor = _mm256_broadcast_sd(a + r * block + q);
      left = _mm256_fmadd_pd(factor, _mm256_loadu_pd(p + 6 * q), left);
      right = _mm_fmadd_pd(_mm256_castpd256_pd128(factor), _mm_loadu_pd(p + 6 * q + 4), right);
    }
    _mm256_storeu_pd(row + 8 * r, left);
    _mm_storeu_pd(row + 8 * r + 4, right);
  }
}

ALWAYS_INLINE void add_across_6(int block, const double *p, const double *row, double *sums) {
  for (int r = 0; r < 6; ++r) {
    __m256d left = _mm256_loadu_pd(sums + 8 * r);
    __m128d right = _mm_loadu_pd(sums + 8 * r + 4);
    for (int q = 0; q < block; ++q) {
      __m256d factor = _mm256_broadcast_sd(p + 6 * q + r);
      left = _mm256_fmadd_pd(factor, _mm256_loadu_pd(row + 8 * q), left);
      right = _mm_fmadd_pd(_mm256_castpd256_pd128(factor), _mm_loadu_pd(row + 8 * q + 4), right);
    }
    _mm256_storeu_pd(sums + 8 * r, left);
    _mm_storeu_pd(sums + 8 * r + 4, right);
  }
}

// --- three columns ---------------------------------------------------------------------------------------------------

// sum += F B, where rows 0 and 1 of the sum are one vector, and rows of B are in both halves of theirs.
ALWAYS_INLINE void add_three_f(const float *first, int next_row, int next, const __m256 *b, float *sum) {
  __m256 upper = _mm256_loadu_ps(sum);
  __m128 lower = _mm_loadu_ps(sum + 8);
  for (int q = 0; q < 3; ++q) {
    const float *f = first + q * next;
    __m256 factor = _mm256_set_m128(_mm_broadcast_ss(f + next_row), _mm_broadcast_ss(f));
    upper = _mm256_fmadd_ps(factor, b[q], upper);
    lower = _mm_fmadd_ps(_mm_broadcast_ss(f + 2 * next_row), _mm256_castps256_ps128(b[q]), lower);
  }
  _mm256_storeu_ps(sum, upper);
  _mm_storeu_ps(sum + 8, lower);
}

ALWAYS_INLINE void add_left_3_f(const float *a, const float *p, float *row) {
  const __m256 b[3] = {_mm256_broadcast_ps((const __m128 *)p), _mm256_broadcast_ps((const __m128 *)(p + 3)),
                       _mm256_permute_ps(_mm256_broadcast_ps((const __m128 *)(p + 5)), 0xf9)};
  add_three_f(a, 3, 1, b, row);
}

ALWAYS_INLINE void add_across_3_f(const float *p, const float *row, float *sums) {
  const __m256 b[3] = {_mm256_broadcast_ps((const __m128 *)row), _mm256_broadcast_ps((const __m128 *)(row + 4)),
                       _mm256_broadcast_ps((const __m128 *)(row + 8))};
  add_three_f(p, 1, 3, b, sums);
}

ALWAYS_INLINE void add_three(const double *first, int next_row, int next, const __m256d *b, double *sum) {
  for (int r = 0; r < 3; ++r) {
    __m256d own = _mm256_loadu_pd(sum + 4 * r);
    for (int q = 0; q < 3; ++q)
      own = _mm256_fmadd_pd(_mm256_broadcast_sd(first + r * next_row + q * next), b[q], own);
    _mm256_storeu_pd(sum + 4 * r, own);
  }
}

ALWAYS_INLINE void add_left_3(const double *a, const double *p, double *row) {
  const __m256d b[3] = {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 3),
                        _mm256_permute4x64_pd(_mm256_loadu_pd(p + 5), 0xf9)};
  add_three(a, 3, 1, b, row);
}

ALWAYS_INLINE void add_across_3(const double *p, const double *row, double *sums) {
  const __m256d b[3] = {_mm256_loadu_pd(row), _mm256_loadu_pd(row + 4), _mm256_loadu_pd(row + 8)};
  add_three(p, 1, 3, b, sums);
}

#define MUS_PASS_VECTORS
#undef ALWAYS_INLINE

#endif
