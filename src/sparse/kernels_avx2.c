// Kernels for AVX2 with fused multiply-add.
//
// A block is read as one run of 9 or 36 numbers, whatever its rows: each vector of it is multiplied by x arranged to
// match (x repeats with period 3 or 6), and every lane keeps a sum of its own until the row's end. Nothing is read
// beyond the arrays.
#if MUSLIN_X86
#include <immintrin.h>

#include "sparse/galerkin_rows_avx2.h"
#include "sparse/kernels.h"
#include "sparse/kernels_prolongator.h"
#include "sparse/kernels_small.h"
#include "sparse/product_avx2.h"

static inline void row_3x3(const mus_task *t, int begin, int end, double *sum) {
  const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
  __m256d part0[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()}, part1[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  __m128d part2[2] = {_mm_setzero_pd(), _mm_setzero_pd()};
#define ADD_BLOCK(k, s)                                                                                                \
  {                                                                                                                    \
    const double *a = t->value + (size_t)(k)*9;                                                                        \
    __m256d x = _mm256_maskload_pd(t->x + (size_t)t->column[k] * 3, three);                                            \
    part0[s] = _mm256_fmadd_pd(_mm256_loadu_pd(a), _mm256_permute4x64_pd(x, 0x24), part0[s]);     /* x0 x1 x2 x0 */    \
    part1[s] = _mm256_fmadd_pd(_mm256_loadu_pd(a + 4), _mm256_permute4x64_pd(x, 0x49), part1[s]); /* x1 x2 x0 x1 */    \
    part2[s] = _mm_fmadd_sd(_mm_load_sd(a + 8), _mm256_extractf128_pd(x, 1), part2[s]);           /* x2 */             \
  }
  MUS_EVEN_AND_ODD(ADD_BLOCK)
#undef ADD_BLOCK
  double lane[10];
  _mm256_storeu_pd(lane, _mm256_add_pd(part0[0], part0[1]));
  _mm256_storeu_pd(lane + 4, _mm256_add_pd(part1[0], part1[1]));
  _mm_store_sd(lane + 8, _mm_add_sd(part2[0], part2[1]));
  MUS_FOLD(3, 3, lane, sum)
}

static inline void row_6x6(const mus_task *t, int begin, int end, double *sum) {
  __m256d part[9];
  for (int v = 0; v < 9; ++v)
    part[v] = _mm256_setzero_pd();
  for (int k = begin; k < end; ++k) {
    const double *a = t->value + (size_t)k * 36, *x = t->x + (size_t)t->column[k] * 6;
    __m128d low = _mm_loadu_pd(x), middle = _mm_loadu_pd(x + 2), high = _mm_loadu_pd(x + 4);
    __m256d arranged[3] = {_mm256_set_m128d(middle, low), _mm256_set_m128d(low, high), _mm256_set_m128d(high, middle)};
    for (int v = 0; v < 9; ++v)
      part[v] = _mm256_fmadd_pd(_mm256_loadu_pd(a + 4 * v), arranged[v % 3], part[v]);
  }
  double lane[36];
  for (int v = 0; v < 9; ++v)
    _mm256_storeu_pd(lane + 4 * v, part[v]);
  MUS_FOLD(6, 6, lane, sum)
}

static inline void row_3x3_f(const mus_task_f *t, int begin, int end, float *sum) {
  const __m128i three = _mm_setr_epi32(-1, -1, -1, 0);
  const __m256i arrange = _mm256_setr_epi32(0, 1, 2, 0, 1, 2, 0, 1);
  __m256 part0[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
  __m128 part1[2] = {_mm_setzero_ps(), _mm_setzero_ps()};
#define ADD_BLOCK(k, s)                                                                                                \
  {                                                                                                                    \
    const float *a = t->value + (size_t)(k)*9;                                                                         \
    _mm_prefetch((const char *)a + MUS_BYTES_AHEAD, _MM_HINT_T0);                                                      \
    __m128 x = _mm_maskload_ps(t->x + (size_t)t->column[k] * 3, three);                                                \
    __m256 arranged = _mm256_permutevar8x32_ps(_mm256_castps128_ps256(x), arrange);                                    \
    part0[s] = _mm256_fmadd_ps(_mm256_loadu_ps(a), arranged, part0[s]);                                                \
    part1[s] = _mm_fmadd_ss(_mm_load_ss(a + 8), _mm_movehl_ps(x, x), part1[s]);                                        \
  }
  MUS_EVEN_AND_ODD(ADD_BLOCK)
#undef ADD_BLOCK
  float lane[9];
  _mm256_storeu_ps(lane, _mm256_add_ps(part0[0], part0[1]));
  _mm_store_ss(lane + 8, _mm_add_ss(part1[0], part1[1]));
  MUS_FOLD(3, 3, lane, sum)
}

static inline void row_6x6_f(const mus_task_f *t, int begin, int end, float *sum) {
  const __m256i six = _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, 0, 0);
  const __m256i arrange[3] = {_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 0, 1), _mm256_setr_epi32(2, 3, 4, 5, 0, 1, 2, 3),
                              _mm256_setr_epi32(4, 5, 0, 1, 2, 3, 4, 5)};
  __m256 part[4];
  for (int v = 0; v < 4; ++v)
    part[v] = _mm256_setzero_ps();
  __m128 last = _mm_setzero_ps();
  for (int k = begin; k < end; ++k) {
    const float *a = t->value + (size_t)k * 36;
    __m256 x = _mm256_maskload_ps(t->x + (size_t)t->column[k] * 6, six);
    __m256 arranged[3];
    for (int v = 0; v < 3; ++v)
      arranged[v] = _mm256_permutevar8x32_ps(x, arrange[v]);
    for (int v = 0; v < 4; ++v)
      part[v] = _mm256_fmadd_ps(_mm256_loadu_ps(a + 8 * v), arranged[v % 3], part[v]);
    last = _mm_fmadd_ps(_mm_loadu_ps(a + 32), _mm256_castps256_ps128(arranged[1]), last);
  }
  float lane[36];
  for (int v = 0; v < 4; ++v)
    _mm256_storeu_ps(lane + 8 * v, part[v]);
  _mm_storeu_ps(lane + 32, last);
  MUS_FOLD(6, 6, lane, sum)
}

// Products of 3x3 blocks, for product_template.h. A sum is twelve numbers, three rows with a fourth number that means
// nothing: two rows in one vector, the third in half of one. The third row of B is read from one number before its
// start, because one number after its end may be beyond the array.
enum { SUM_f = 12 };

typedef struct factors_f {
  __m256 upper[3]; // of rows 0 and 1 of C and row q of B
  __m128 lower[3]; // of row 2
} factors_f;

static inline __attribute__((always_inline)) factors_f factors_of_f(const float *a, int transposed) {
  factors_f f;
  __m256 all = _mm256_loadu_ps(a);
  for (int q = 0; q < 3; ++q) {
    int first = transposed ? 3 * q : q, second = transposed ? 3 * q + 1 : 3 + q;
    f.upper[q] =
        _mm256_permutevar8x32_ps(all, _mm256_setr_epi32(first, first, first, first, second, second, second, second));
    f.lower[q] = _mm_broadcast_ss(a + (transposed ? 3 * q + 2 : 6 + q));
  }
  return f;
}

static inline void add_blocks_f(const factors_f *f, const float *b, float *sum) {
  __m256 row0 = _mm256_broadcast_ps((const __m128 *)b), row1 = _mm256_broadcast_ps((const __m128 *)(b + 3));
  __m256 row2 = _mm256_permute_ps(_mm256_broadcast_ps((const __m128 *)(b + 5)), 0xf9);
  __m256 upper = _mm256_mul_ps(f->upper[0], row0);
  __m128 lower = _mm_mul_ps(f->lower[0], _mm256_castps256_ps128(row0));
  upper = _mm256_fmadd_ps(f->upper[1], row1, upper);
  lower = _mm_fmadd_ps(f->lower[1], _mm256_castps256_ps128(row1), lower);
  upper = _mm256_fmadd_ps(f->upper[2], row2, upper);
  lower = _mm_fmadd_ps(f->lower[2], _mm256_castps256_ps128(row2), lower);
  _mm256_storeu_ps(sum, _mm256_add_ps(_mm256_loadu_ps(sum), upper));
  _mm_storeu_ps(sum + 8, _mm_add_ps(_mm_loadu_ps(sum + 8), lower));
}

static inline void store_block_f(const float *sum, float *c) {
  __m128 last = _mm_loadu_ps(sum + 8);
  _mm_storeu_ps(c, _mm_loadu_ps(sum));
  _mm_storeu_ps(c + 3, _mm_loadu_ps(sum + 4));
  _mm_storel_pi((__m64 *)(c + 6), last);
  _mm_store_ss(c + 8, _mm_movehl_ps(last, last));
}

#include "sparse/kernels_tables.h"

const mus_kernels mus_kernels_avx2 = {table, table_f, product_rows, product_rows_f, pass_rows, pass_rows_f};
#else
typedef int mus_kernels_avx2_not_built;
#endif
