// Products with packed prolongators in AVX2 with fused multiply-add. See packed.h.
//
// A row of a block is six numbers, read as eight: what follows is there to be read, and does not count.
#if MUSLIN_X86
#include <immintrin.h>

#include "sparse/kernels.h"
#include "sparse/packed.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { COLUMNS = MUS_PACKED_COLUMNS, STRIDE = 8, RUN = 16 };

ALWAYS_INLINE __m256 numbers(const int16_t *a) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)a)));
}

// Asks for the block that comes so much later.
ALWAYS_INLINE void fetch_ahead(int block, const int16_t *a) {
  for (int at = 0; at < block * COLUMNS * 2; at += 64)
    _mm_prefetch((const char *)a + MUS_BYTES_AHEAD + at, _MM_HINT_T0);
}

// The sums of four vectors, or of three.
ALWAYS_INLINE __m128 fold(__m256 a, __m256 b, __m256 c, __m256 d) {
  __m256 four = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
  return _mm_add_ps(_mm256_castps256_ps128(four), _mm256_extractf128_ps(four, 1));
}

// sum = s_i Z_i x, followed by a number that means nothing
ALWAYS_INLINE void multiply_row(int block, const mus_packed *p, const float *x, int i, const int16_t *a, float *sum) {
  const __m256i six = _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, 0, 0);
  __m256 part[COLUMNS];
  for (int r = 0; r < block; ++r)
    part[r] = _mm256_setzero_ps();
  for (int k = p->pattern->row_start[i]; k < p->pattern->row_start[i + 1]; ++k, a += block * COLUMNS) {
    fetch_ahead(block, a);
    __m256 from = _mm256_maskload_ps(x + (size_t)p->pattern->column[k] * COLUMNS, six);
    for (int r = 0; r < block; ++r)
      part[r] = _mm256_fmadd_ps(numbers(a + r * COLUMNS), from, part[r]);
  }
  __m128 scale = _mm_broadcast_ss(p->scale + i);
  if (block == 3) {
    _mm_storeu_ps(sum, _mm_mul_ps(scale, fold(part[0], part[1], part[2], part[2])));
    return;
  }
  _mm_storeu_ps(sum, _mm_mul_ps(scale, fold(part[0], part[1], part[2], part[3])));
  _mm_storeu_ps(sum + 4, _mm_mul_ps(scale, fold(part[4], part[5], part[4], part[5])));
}

ALWAYS_INLINE void add_rows(int block, const mus_packed *p, const float *x, int begin, int end, float *y) {
  float sums[RUN * COLUMNS + 2];
  for (int first = begin; first < end; first += RUN) {
    int count = end - first < RUN ? end - first : RUN;
    for (int i = 0; i < count; ++i) {
      size_t at = (size_t)p->pattern->row_start[first + i] * (size_t)(block * COLUMNS);
      multiply_row(block, p, x, first + i, p->value + at, sums + i * block);
    }
    float *to = y + (size_t)first * (size_t)block;
    for (int k = 0; k < count * block; ++k)
      to[k] += sums[k];
  }
}

void mus_packed_add_rows_avx2(const mus_packed *p, const float *x, int begin, int end, float *y) {
  if (p->row_block == 3)
    add_rows(3, p, x, begin, end, y);
  else
    add_rows(6, p, x, begin, end, y);
}

ALWAYS_INLINE void scatter_rows(int block, const mus_packed *p, const float *x, int begin, int end, int first_column,
                                float *sums) {
  const int16_t *a = p->value + (size_t)p->pattern->row_start[begin] * (size_t)(block * COLUMNS);
  for (int i = begin; i < end; ++i) {
    __m256 factor[COLUMNS], scale = _mm256_broadcast_ss(p->scale + i);
    for (int r = 0; r < block; ++r)
      factor[r] = _mm256_mul_ps(scale, _mm256_broadcast_ss(x + (size_t)i * (size_t)block + r));
    for (int k = p->pattern->row_start[i]; k < p->pattern->row_start[i + 1]; ++k, a += block * COLUMNS) {
      fetch_ahead(block, a);
      float *to = sums + (size_t)(p->pattern->column[k] - first_column) * STRIDE;
      __m256 sum = _mm256_mul_ps(numbers(a), factor[0]);
      for (int r = 1; r < block; ++r)
        sum = _mm256_fmadd_ps(numbers(a + r * COLUMNS), factor[r], sum);
      _mm256_storeu_ps(to, _mm256_add_ps(_mm256_loadu_ps(to), sum));
    }
  }
}

void mus_packed_scatter_rows_avx2(const mus_packed *p, const float *x, int begin, int end, int first_column,
                                  float *sums) {
  if (p->row_block == 3)
    scatter_rows(3, p, x, begin, end, first_column, sums);
  else
    scatter_rows(6, p, x, begin, end, first_column, sums);
}
#else
typedef int mus_packed_avx2_not_built;
#endif
