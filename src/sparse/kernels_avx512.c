// Kernels for AVX-512: as kernels_avx2.c, with vectors twice as long and masks for the ragged ends.
#if MUSLIN_X86
#include <immintrin.h>

#include "sparse/galerkin_rows_avx2.h"
#include "sparse/kernels.h"
#include "sparse/kernels_prolongator.h"
#include "sparse/kernels_small.h"
#include "sparse/product_avx2.h"

static inline void row_3x3(const mus_task *t, int begin, int end, double *sum) {
  const __m512i arrange = _mm512_setr_epi64(0, 1, 2, 0, 1, 2, 0, 1);
  __m512d part0[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
  __m128d part1[2] = {_mm_setzero_pd(), _mm_setzero_pd()};
#define ADD_BLOCK(k, s)                                                                                                \
  {                                                                                                                    \
    const double *a = t->value + (size_t)(k)*9, *x = t->x + (size_t)t->column[k] * 3;                                  \
    __m512d arranged = _mm512_permutexvar_pd(arrange, _mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, x)));            \
    part0[s] = _mm512_fmadd_pd(_mm512_loadu_pd(a), arranged, part0[s]);                                                \
    part1[s] = _mm_fmadd_sd(_mm_load_sd(a + 8), _mm_load_sd(x + 2), part1[s]);                                         \
  }
  MUS_EVEN_AND_ODD(ADD_BLOCK)
#undef ADD_BLOCK
  double lane[10];
  _mm512_storeu_pd(lane, _mm512_add_pd(part0[0], part0[1]));
  _mm_store_sd(lane + 8, _mm_add_sd(part1[0], part1[1]));
  MUS_FOLD(3, 3, lane, sum)
}

static inline void row_6x6(const mus_task *t, int begin, int end, double *sum) {
  const __m512i arrange[3] = {_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 0, 1), _mm512_setr_epi64(2, 3, 4, 5, 0, 1, 2, 3),
                              _mm512_setr_epi64(4, 5, 0, 1, 2, 3, 4, 5)};
  __m512d part[4];
  for (int v = 0; v < 4; ++v)
    part[v] = _mm512_setzero_pd();
  __m256d last = _mm256_setzero_pd();
  for (int k = begin; k < end; ++k) {
    const double *a = t->value + (size_t)k * 36;
    __m512d x = _mm512_maskz_loadu_pd(0x3f, t->x + (size_t)t->column[k] * 6);
    __m512d arranged[3];
    for (int v = 0; v < 3; ++v)
      arranged[v] = _mm512_permutexvar_pd(arrange[v], x);
    for (int v = 0; v < 4; ++v)
      part[v] = _mm512_fmadd_pd(_mm512_loadu_pd(a + 8 * v), arranged[v % 3], part[v]);
    last = _mm256_fmadd_pd(_mm256_loadu_pd(a + 32), _mm512_castpd512_pd256(arranged[1]), last);
  }
  double lane[36];
  for (int v = 0; v < 4; ++v)
    _mm512_storeu_pd(lane + 8 * v, part[v]);
  _mm256_storeu_pd(lane + 32, last);
  MUS_FOLD(6, 6, lane, sum)
}

static inline void row_3x3_f(const mus_task_f *t, int begin, int end, float *sum) {
  const __m512i arrange = _mm512_setr_epi32(0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3);
  __m512 part[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
#define ADD_BLOCK(k, s)                                                                                                \
  {                                                                                                                    \
    _mm_prefetch((const char *)(t->value + (size_t)(k)*9) + MUS_BYTES_AHEAD, _MM_HINT_T0);                             \
    __m128 x = _mm_maskz_loadu_ps(7, t->x + (size_t)t->column[k] * 3);                                                 \
    __m512 arranged = _mm512_permutexvar_ps(arrange, _mm512_castps128_ps512(x));                                       \
    part[s] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(0x1ff, t->value + (size_t)(k)*9), arranged, part[s]);              \
  }
  MUS_EVEN_AND_ODD(ADD_BLOCK)
#undef ADD_BLOCK
  float lane[16];
  _mm512_storeu_ps(lane, _mm512_add_ps(part[0], part[1]));
  MUS_FOLD(3, 3, lane, sum)
}

static inline void row_6x6_f(const mus_task_f *t, int begin, int end, float *sum) {
  const __m512i arrange[2] = {_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3),
                              _mm512_setr_epi32(4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1)};
  const __m256i arrange_last = _mm256_setr_epi32(2, 3, 4, 5, 6, 6, 6, 6);
  __m512 part0 = _mm512_setzero_ps(), part1 = _mm512_setzero_ps();
  __m128 last = _mm_setzero_ps();
  for (int k = begin; k < end; ++k) {
    const float *a = t->value + (size_t)k * 36;
    __m256 x = _mm256_maskz_loadu_ps(0x3f, t->x + (size_t)t->column[k] * 6);
    __m512 wide = _mm512_castps256_ps512(x);
    part0 = _mm512_fmadd_ps(_mm512_loadu_ps(a), _mm512_permutexvar_ps(arrange[0], wide), part0);
    part1 = _mm512_fmadd_ps(_mm512_loadu_ps(a + 16), _mm512_permutexvar_ps(arrange[1], wide), part1);
    __m128 x2 = _mm256_castps256_ps128(_mm256_permutevar8x32_ps(x, arrange_last));
    last = _mm_fmadd_ps(_mm_loadu_ps(a + 32), x2, last);
  }
  float lane[36];
  _mm512_storeu_ps(lane, part0);
  _mm512_storeu_ps(lane + 16, part1);
  _mm_storeu_ps(lane + 32, last);
  MUS_FOLD(6, 6, lane, sum)
}

// Products of 3x3 blocks, for product_template.h. A sum is one vector: three rows of four numbers, of which the fourth
// means nothing. The third row of B is read from one number before its start, because one number after its end may be
// beyond the array.
enum { SUM_f = 16 };

typedef struct factors_f {
  __m512 row[3]; // for row q of B
} factors_f;

static inline __attribute__((always_inline)) factors_f factors_of_f(const float *a, int transposed) {
  factors_f f;
  __m512 all = _mm512_maskz_loadu_ps(0x1ff, a);
  for (int q = 0; q < 3; ++q) {
    int i = transposed ? 3 * q : q, j = transposed ? 3 * q + 1 : 3 + q, k = transposed ? 3 * q + 2 : 6 + q;
    f.row[q] = _mm512_permutexvar_ps(_mm512_setr_epi32(i, i, i, i, j, j, j, j, k, k, k, k, 9, 9, 9, 9), all);
  }
  return f;
}

static inline void add_blocks_f(const factors_f *f, const float *b, float *sum) {
  __m512 row0 = _mm512_broadcast_f32x4(_mm_loadu_ps(b)), row1 = _mm512_broadcast_f32x4(_mm_loadu_ps(b + 3));
  __m512 row2 = _mm512_permute_ps(_mm512_broadcast_f32x4(_mm_loadu_ps(b + 5)), 0xf9);
  __m512 product = _mm512_mul_ps(f->row[0], row0);
  product = _mm512_fmadd_ps(f->row[1], row1, product);
  product = _mm512_fmadd_ps(f->row[2], row2, product);
  _mm512_store_ps(sum, _mm512_add_ps(_mm512_load_ps(sum), product));
}

static inline void store_block_f(const float *sum, float *c) {
  const __m512i pack = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 12, 12, 12, 12, 12, 12);
  _mm512_mask_storeu_ps(c, 0x1ff, _mm512_permutexvar_ps(pack, _mm512_load_ps(sum)));
}

#include "sparse/kernels_tables.h"

const mus_kernels mus_kernels_avx512 = {table, table_f, product_rows, product_rows_f, pass_rows, pass_rows_f};
#else
typedef int mus_kernels_avx512_not_built;
#endif
