// C += A B for blocks with six columns and for 3x3 blocks in double precision, in AVX2 with fused multiply-add: the
// inner loops of the Galerkin product.
//
// Six columns: two rows of C lie side by side as twelve numbers, three vectors: [r0 r1 r2 r3] [r4 r5 s0 s1] [s2 s3 s4
// s5]. A row of B is arranged to match, and the factors of the two rows of A are blended for the vector in the middle.
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

// Products of 3x3 blocks, for product_template.h. A sum is three vectors, a row each, with a fourth number that means
// nothing. The third row of B is read from one number before its start, because one number after its end may be beyond
// the array.
enum { SUM_d = 12 };

typedef struct factors_d {
  __m256d of[9]; // by rows
} factors_d;

static inline __attribute__((always_inline)) factors_d factors_of_d(const double *a, int transposed) {
  factors_d f;
  for (int k = 0; k < 9; ++k)
    f.of[k] = _mm256_broadcast_sd(a + (transposed ? k % 3 * 3 + k / 3 : k));
  return f;
}

static inline void add_blocks_d(const factors_d *f, const double *b, double *sum) {
  __m256d row0 = _mm256_loadu_pd(b), row1 = _mm256_loadu_pd(b + 3);
  __m256d row2 = _mm256_permute4x64_pd(_mm256_loadu_pd(b + 5), 0xf9);
  for (int r = 0; r < 3; ++r) {
    __m256d product = _mm256_mul_pd(f->of[3 * r], row0);
    product = _mm256_fmadd_pd(f->of[3 * r + 1], row1, product);
    product = _mm256_fmadd_pd(f->of[3 * r + 2], row2, product);
    _mm256_storeu_pd(sum + 4 * r, _mm256_add_pd(_mm256_loadu_pd(sum + 4 * r), product));
  }
}

static inline void store_block_d(const double *sum, double *c) {
  _mm256_storeu_pd(c, _mm256_loadu_pd(sum));
  _mm256_storeu_pd(c + 3, _mm256_loadu_pd(sum + 4));
  _mm_storeu_pd(c + 6, _mm_loadu_pd(sum + 8));
  c[8] = sum[10];
}

#endif
