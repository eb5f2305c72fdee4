// C += A B for blocks with six columns, in AVX2 with fused multiply-add: the inner loop of the Galerkin product.
//
// Two rows of C lie side by side as twelve numbers, three vectors: [r0 r1 r2 r3] [r4 r5 s0 s1] [s2 s3 s4 s5]. A row of
// B is arranged to match, and the factors of the two rows of A are blended for the vector in the middle.
#ifndef MUS_SPARSE_PRODUCT_AVX2_H
#define MUS_SPARSE_PRODUCT_AVX2_H

#include <immintrin.h>

static inline __attribute__((always_inline)) void add_product_6(int rows, int inner, int transposed, const double *a,
                                                                const double *b, double *c) {
#define FACTOR(r, q) _mm256_broadcast_sd(transposed ? &a[(q)*rows + (r)] : &a[(r)*inner + (q)])
  __m256d left[6], middle[6], right[6]; // the rows of B, arranged
  for (int q = 0; q < inner; ++q) {
    left[q] = _mm256_loadu_pd(b + q * 6);
    middle[q] = _mm256_set_m128d(_mm_loadu_pd(b + q * 6), _mm_loadu_pd(b + q * 6 + 4));
    right[q] = _mm256_loadu_pd(b + q * 6 + 2);
  }
  for (int r = 0; r + 1 < rows; r += 2) {
    double *to = c + r * 6;
    __m256d sum0 = _mm256_loadu_pd(to), sum1 = _mm256_loadu_pd(to + 4), sum2 = _mm256_loadu_pd(to + 8);
    for (int q = 0; q < inner; ++q) {
      __m256d first = FACTOR(r, q), second = FACTOR(r + 1, q);
      sum0 = _mm256_fmadd_pd(first, left[q], sum0);
      sum1 = _mm256_fmadd_pd(_mm256_blend_pd(first, second, 0xc), middle[q], sum1);
      sum2 = _mm256_fmadd_pd(second, right[q], sum2);
    }
    _mm256_storeu_pd(to, sum0);
    _mm256_storeu_pd(to + 4, sum1);
    _mm256_storeu_pd(to + 8, sum2);
  }
  if (rows % 2 == 1) {
    double *to = c + (rows - 1) * 6;
    __m256d sum0 = _mm256_loadu_pd(to);
    __m128d sum1 = _mm_loadu_pd(to + 4);
    for (int q = 0; q < inner; ++q) {
      __m256d factor = FACTOR(rows - 1, q);
      sum0 = _mm256_fmadd_pd(factor, left[q], sum0);
      sum1 = _mm_fmadd_pd(_mm256_castpd256_pd128(factor), _mm256_castpd256_pd128(middle[q]), sum1);
    }
    _mm256_storeu_pd(to, sum0);
    _mm_storeu_pd(to + 4, sum1);
  }
#undef FACTOR
}
#define MUS_ADD_PRODUCT_6 add_product_6

#endif
