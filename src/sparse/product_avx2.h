// C += A B for blocks with six columns in both precisions and for 3x3 blocks in double precision, in AVX2 with fused
// multiply-add: the inner loops of the Galerkin product.
//
// Six columns: two rows of C lie side by side as twelve numbers. In double they are three vectors: [r0 r1 r2 r3] [r4 r5
// s0 s1] [s2 s3 s4 s5]; in single, one and a half: [r0 ... r5 s0 s1] [s2 s3 s4 s5]. A row of B is arranged to match,
// and the factors of the two rows of A are blended for the vector that has both.
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

static inline __attribute__((always_inline)) void add_product_6_f(int rows, int inner, int transposed, const float *a,
                                                                  const float *b, float *c) {
#define FACTOR(r, q) _mm256_broadcast_ss(transposed ? &a[(q)*rows + (r)] : &a[(r)*inner + (q)])
#define TWO(from) _mm_castpd_ps(_mm_load_sd((const double *)(const void *)(from)))
  __m256 left[6]; // the rows of B, arranged
  __m128 right[6];
  for (int q = 0; q < inner; ++q) {
    const float *row = b + q * 6;
    left[q] = _mm256_set_m128(_mm_movelh_ps(TWO(row + 4), TWO(row)), _mm_loadu_ps(row));
    right[q] = _mm_loadu_ps(row + 2);
  }
  for (int r = 0; r + 1 < rows; r += 2) {
    float *to = c + r * 6;
    __m256 sum0 = _mm256_loadu_ps(to);
    __m128 sum1 = _mm_loadu_ps(to + 8);
    for (int q = 0; q < inner; ++q) {
      __m256 first = FACTOR(r, q), second = FACTOR(r + 1, q);
      sum0 = _mm256_fmadd_ps(_mm256_blend_ps(first, second, 0xc0), left[q], sum0);
      sum1 = _mm_fmadd_ps(_mm256_castps256_ps128(second), right[q], sum1);
    }
    _mm256_storeu_ps(to, sum0);
    _mm_storeu_ps(to + 8, sum1);
  }
  if (rows % 2 == 1) {
    float *to = c + (rows - 1) * 6;
    __m128 sum0 = _mm_loadu_ps(to), sum1 = TWO(to + 4);
    for (int q = 0; q < inner; ++q) {
      __m128 factor = _mm256_castps256_ps128(FACTOR(rows - 1, q));
      sum0 = _mm_fmadd_ps(factor, _mm256_castps256_ps128(left[q]), sum0);
      sum1 = _mm_fmadd_ps(factor, _mm256_extractf128_ps(left[q], 1), sum1);
    }
    _mm_storeu_ps(to, sum0);
    _mm_store_sd((double *)(void *)(to + 4), _mm_castps_pd(sum1));
  }
#undef TWO
#undef FACTOR
}
#define MUS_ADD_PRODUCT_6

// Products of 3x3 blocks, for product_template.h. A sum is three vectors, a row each, with a fourth number that means
// nothing. The third row of B is read from one number before its start, because one number after its end may be beyond
// the array.
enum { SUM = 12 };

typedef struct factors {
  __m256d of[9]; // by rows
} factors;

static inline __attribute__((always_inline)) factors factors_of(const double *a, int transposed) {
  factors f;
  for (int k = 0; k < 9; ++k)
    f.of[k] = _mm256_broadcast_sd(a + (transposed ? k % 3 * 3 + k / 3 : k));
  return f;
}

static inline void add_blocks(const factors *f, const double *b, double *sum) {
  __m256d row0 = _mm256_loadu_pd(b), row1 = _mm256_loadu_pd(b + 3);
  __m256d row2 = _mm256_permute4x64_pd(_mm256_loadu_pd(b + 5), 0xf9);
  for (int r = 0; r < 3; ++r) {
    __m256d product = _mm256_mul_pd(f->of[3 * r], row0);
    product = _mm256_fmadd_pd(f->of[3 * r + 1], row1, product);
    product = _mm256_fmadd_pd(f->of[3 * r + 2], row2, product);
    _mm256_storeu_pd(sum + 4 * r, _mm256_add_pd(_mm256_loadu_pd(sum + 4 * r), product));
  }
}

static inline void store_block(const double *sum, double *c) {
  _mm256_storeu_pd(c, _mm256_loadu_pd(sum));
  _mm256_storeu_pd(c + 3, _mm256_loadu_pd(sum + 4));
  _mm_storeu_pd(c + 6, _mm_loadu_pd(sum + 8));
  c[8] = sum[10];
}

#endif
