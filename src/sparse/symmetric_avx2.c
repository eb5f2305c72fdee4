// Symmetric kernels for AVX2 with fused multiply-add: a row of three is a vector of four whose last lane counts for
// nothing. Numbers that are used twice are loaded by lddqu, which no compiler folds into both uses. Masked stores are
// slow on many processors, so three numbers are stored as two and one.
#if MUSLIN_X86
#include <immintrin.h>
#include <string.h>

#include "sparse/symmetric_kernels.h"
#include "sparse/symmetric_rows_avx2.h"

// The processor's own reading ahead does not keep up with so much work a byte. Bytes, by measurement: from 8 to 16 KiB
// into the second-level cache make products with large matrices 1.6 times as fast as none.
enum { AHEAD = 8192 };
// Macros, because gcc takes a function that does nothing else for one without effect and leaves it out.
#define fetch(from) _mm_prefetch((const char *)(from) + AHEAD, _MM_HINT_T1)
#define fetch_f(from) fetch(from)
#define fetch_back(from) _mm_prefetch((const char *)(from)-AHEAD, _MM_HINT_T1)
#define fetch_back_f(from) fetch_back(from)

typedef __m256d vector;
static inline vector load(const double *from) { return _mm256_maskload_pd(from, _mm256_setr_epi64x(-1, -1, -1, 0)); }
static inline vector load_over(const double *from) { return _mm256_loadu_pd(from); }
static inline vector load_four(const double *from) { return _mm256_loadu_pd(from); }
static inline void store(double *to, vector a) {
  _mm_storeu_pd(to, _mm256_castpd256_pd128(a));
  _mm_store_sd(to + 2, _mm256_extractf128_pd(a, 1));
}
static inline void store_four(double *to, vector a) { _mm256_storeu_pd(to, a); }
static inline vector all(double a) { return _mm256_set1_pd(a); }
#define lane(a, k) _mm256_permute4x64_pd(a, (k)*0x55)
static inline vector add(vector a, vector b) { return _mm256_add_pd(a, b); }
static inline vector subtract(vector a, vector b) { return _mm256_sub_pd(a, b); }
static inline vector multiply_lanes(vector a, vector b) { return _mm256_mul_pd(a, b); }
static inline vector add_product(vector a, vector b, vector c) { return _mm256_fmadd_pd(a, b, c); }

typedef vector wide;
static inline wide widen(vector a) { return a; }
static inline vector low(wide a) { return a; }
static inline wide wide_load(const double *from) {
  return _mm256_castsi256_pd(_mm256_lddqu_si256((const __m256i *)from));
}
static inline wide wide_product(wide a, wide b) { return _mm256_mul_pd(a, b); }
static inline wide wide_add_product(wide a, wide b, wide c) { return _mm256_fmadd_pd(a, b, c); }
// The fourth lanes are products with a fourth lane of x, which is 0.
static inline vector fold(wide a, wide b, wide c) {
  __m256d ab = _mm256_hadd_pd(a, b), cc = _mm256_hadd_pd(c, _mm256_setzero_pd());
  return _mm256_add_pd(_mm256_permute2f128_pd(ab, cc, 0x20), _mm256_permute2f128_pd(ab, cc, 0x31));
}

typedef __m128 vector_f;
static inline vector_f load_f(const float *from) { return _mm_maskload_ps(from, _mm_setr_epi32(-1, -1, -1, 0)); }
static inline vector_f load_over_f(const float *from) { return _mm_loadu_ps(from); }
static inline vector_f load_four_f(const float *from) { return _mm_loadu_ps(from); }
static inline void store_f(float *to, vector_f a) {
  _mm_storel_pi((__m64 *)to, a);
  _mm_store_ss(to + 2, _mm_movehl_ps(a, a));
}
static inline void store_four_f(float *to, vector_f a) { _mm_storeu_ps(to, a); }
static inline vector_f all_f(float a) { return _mm_set1_ps(a); }
#define lane_f(a, k) _mm_permute_ps(a, (k)*0x55)
static inline vector_f add_f(vector_f a, vector_f b) { return _mm_add_ps(a, b); }
static inline vector_f subtract_f(vector_f a, vector_f b) { return _mm_sub_ps(a, b); }
static inline vector_f multiply_lanes_f(vector_f a, vector_f b) { return _mm_mul_ps(a, b); }
static inline vector_f add_product_f(vector_f a, vector_f b, vector_f c) { return _mm_fmadd_ps(a, b, c); }

// Two rows of three are a vector of eight whose last two lanes count for nothing.
typedef __m256 wide_f;
static inline wide_f widen_f(vector_f a) { return _mm256_zextps128_ps256(a); }
static inline vector_f low_f(wide_f a) { return _mm256_castps256_ps128(a); }
static inline wide_f wide_load_f(const float *from) {
  return _mm256_castsi256_ps(_mm256_lddqu_si256((const __m256i *)from));
}
static inline wide_f wide_product_f(wide_f a, wide_f b) { return _mm256_mul_ps(a, b); }
static inline wide_f wide_add_product_f(wide_f a, wide_f b, wide_f c) { return _mm256_fmadd_ps(a, b, c); }
static inline vector_f fold_f(wide_f a, wide_f b, wide_f c) {
  const __m256 zero = _mm256_setzero_ps();
  __m256 ab = _mm256_blend_ps(_mm256_hadd_ps(a, b), zero, 0xa0), cc = _mm256_blend_ps(_mm256_hadd_ps(c, c), zero, 0xa0);
  __m256 all = _mm256_hadd_ps(ab, cc);
  return _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
}
// The nodes j and l come after another one, so what lies before their x may be read.
static inline void add_two_f(const float *a, const float *x_i, const float *x_j, const float *x_l, wide_f *sum0,
                             wide_f *sum1, wide_f *sum2, float *y_j, float *y_l) {
  const __m256i join = _mm256_setr_epi32(1, 2, 3, 5, 6, 7, 0, 0), part = _mm256_setr_epi32(0, 1, 2, 6, 3, 4, 5, 7);
  wide_f x = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(x_j - 1)), _mm_loadu_ps(x_l - 1), 1);
  x = _mm256_permutevar8x32_ps(x, join);
  wide_f a0 = wide_load_f(a), a1 = wide_load_f(a + 6), a2 = wide_load_f(a + 12);
  *sum0 = _mm256_fmadd_ps(a0, x, *sum0);
  *sum1 = _mm256_fmadd_ps(a1, x, *sum1);
  *sum2 = _mm256_fmadd_ps(a2, x, *sum2);
  wide_f y = _mm256_mul_ps(a0, _mm256_set1_ps(x_i[0]));
  y = _mm256_fmadd_ps(a1, _mm256_set1_ps(x_i[1]), y);
  y = _mm256_permutevar8x32_ps(_mm256_fmadd_ps(a2, _mm256_set1_ps(x_i[2]), y), part);
  _mm_storeu_ps(y_j, _mm_add_ps(_mm_loadu_ps(y_j), _mm256_castps256_ps128(y)));
  _mm_storeu_ps(y_l, _mm_add_ps(_mm_loadu_ps(y_l), _mm256_extractf128_ps(y, 1)));
}

static inline void add_gathered_f(const float *a, wide_f x, wide_f *sum0, wide_f *sum1, wide_f *sum2) {
  *sum0 = _mm256_fmadd_ps(_mm256_loadu_ps(a), x, *sum0);
  *sum1 = _mm256_fmadd_ps(_mm256_loadu_ps(a + 6), x, *sum1);
  *sum2 = _mm256_fmadd_ps(_mm256_loadu_ps(a + 12), x, *sum2);
}
// As in add_two_f, what lies before x may be read.
static inline void gather_two_f(const float *a, const float *x_j, const float *x_l, wide_f *sum0, wide_f *sum1,
                                wide_f *sum2) {
  const __m256i join = _mm256_setr_epi32(1, 2, 3, 5, 6, 7, 0, 0);
  wide_f x = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(x_j - 1)), _mm_loadu_ps(x_l - 1), 1);
  add_gathered_f(a, _mm256_permutevar8x32_ps(x, join), sum0, sum1, sum2);
}
// x in places of a ring.
static inline void gather_ring_f(const float *a, const float *x_j, const float *x_l, wide_f *sum0, wide_f *sum1,
                                 wide_f *sum2) {
  const __m256i join = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 0, 0);
  wide_f x = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(x_j)), _mm_loadu_ps(x_l), 1);
  add_gathered_f(a, _mm256_permutevar8x32_ps(x, join), sum0, sum1, sum2);
}
static inline void scatter_two_f(const float *a, vector_f x_i, float *y_j, float *y_l) {
  const __m256i part = _mm256_setr_epi32(0, 1, 2, 6, 3, 4, 5, 7);
  wide_f x0 = _mm256_broadcastss_ps(x_i), x1 = _mm256_broadcastss_ps(lane_f(x_i, 1)),
         x2 = _mm256_broadcastss_ps(lane_f(x_i, 2));
  wide_f y = _mm256_mul_ps(_mm256_loadu_ps(a), x0);
  y = _mm256_fmadd_ps(_mm256_loadu_ps(a + 6), x1, y);
  y = _mm256_permutevar8x32_ps(_mm256_fmadd_ps(_mm256_loadu_ps(a + 12), x2, y), part);
  _mm_storeu_ps(y_j, _mm_add_ps(_mm_loadu_ps(y_j), _mm256_castps256_ps128(y)));
  _mm_storeu_ps(y_l, _mm_add_ps(_mm_loadu_ps(y_l), _mm256_extractf128_ps(y, 1)));
}

#include "sparse/symmetric_tables.h"

const mus_symmetric_kernels mus_symmetric_avx2 = {table, table_f, two_table, two_table_f};
#else
typedef int mus_symmetric_avx2_not_built;
#endif
