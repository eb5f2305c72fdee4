// Gram matrices by blocks of 3x3 with AVX2. See gram.h.
//
// Vectors are the lanes of registers: a number of a block is broadcast and multiplies all of them at once. One register
// serves up to four, two up to eight.
#if MUSLIN_X86
#include <immintrin.h>

#include "sparse/gram.h"
#include "sparse/symmetric_kernels.h"

// What follows a node's numbers is read too, and does not count.
static inline __m256d numbers(const float *v) { return _mm256_cvtps_pd(_mm_loadu_ps(v)); }

static inline void add_block(int registers, const double *b, const float *v, size_t step, __m256d w[3][2]) {
  for (size_t c = 0; c < 3; ++c)
    for (int g = 0; g < registers; ++g) {
      __m256d x = numbers(v + c * step + 4 * g);
      for (size_t r = 0; r < 3; ++r)
        w[r][g] = _mm256_fmadd_pd(_mm256_broadcast_sd(b + 3 * r + c), x, w[r][g]);
    }
}

// sum += v_i^T w_i
static inline void add_row(int registers, const float *v, size_t step, __m256d w[3][2], mus_gram_sum sum) {
  double left[3][MUS_LANES_MAXIMUM];
  for (size_t r = 0; r < 3; ++r)
    for (int g = 0; g < registers; ++g)
      _mm256_storeu_pd(left[r] + 4 * g, numbers(v + r * step + 4 * g));
  for (size_t j = 0; j < step; ++j)
    for (int g = 0; g < registers; ++g) {
      __m256d s = _mm256_loadu_pd(&sum[j][4 * g]);
      for (size_t r = 0; r < 3; ++r)
        s = _mm256_fmadd_pd(_mm256_broadcast_sd(&left[r][j]), w[r][g], s);
      _mm256_storeu_pd(&sum[j][4 * g], s);
    }
}

static inline void rows(int registers, int is_symmetric, const mus_gram_rows *a, int begin, int end, int count,
                        const float *v, mus_gram_sum sum) {
  size_t step = (size_t)count;
  for (int i = begin; i < end; ++i) {
    int row = a->node ? a->node[i] : i, e, pairs, last = a->row_start[i + 1];
    const float *here = v + (size_t)row * 3 * step;
    __m256d w[3][2];
    for (int r = 0; r < 3; ++r)
      w[r][0] = w[r][1] = _mm256_setzero_pd();
    mus_gram_row(a, i, row, &e, &pairs);
    for (; e < pairs; ++e)
      add_block(registers, a->value + (size_t)e * 9, v + (size_t)a->where[e] * 3 * step, step, w);
    for (int r = 0; r < 3; ++r)
      for (int g = 0; g < registers; ++g)
        w[r][g] = _mm256_mul_pd(w[r][g], _mm256_set1_pd(0.5));
    for (; e < last; ++e) {
      const float *there =
          is_symmetric ? here + mus_pair_apart(a->where[e]) * step : v + (size_t)a->where[e] * 3 * step;
      add_block(registers, a->value + (size_t)e * 9, there, step, w);
    }
    add_row(registers, here, step, w, sum);
  }
}

void mus_gram_rows_avx2(const mus_gram_rows *a, int begin, int end, int count, const float *v, mus_gram_sum sum) {
  int is_symmetric = a->pair_start != NULL;
  if (count <= 4 && is_symmetric)
    rows(1, 1, a, begin, end, count, v, sum);
  else if (count <= 4)
    rows(1, 0, a, begin, end, count, v, sum);
  else if (is_symmetric)
    rows(2, 1, a, begin, end, count, v, sum);
  else
    rows(2, 0, a, begin, end, count, v, sum);
}
#else
typedef int mus_gram_avx2_not_built;
#endif
