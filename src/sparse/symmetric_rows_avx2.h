// Rows of symmetric products in AVX2 with fused multiply-add, for blocks of 1, 2, 4, 5, 6 and 12 in both precisions;
// see symmetric_template.h. Blocks are row after row, so what follows a row of a block may be read with it: the next
// row, the next block or, at the end of the array, zeros that memory is padded with. Such lanes meet zeros in x, and
// lanes of the ring that nobody reads.
#ifndef MUS_SPARSE_SYMMETRIC_ROWS_AVX2_H
#define MUS_SPARSE_SYMMETRIC_ROWS_AVX2_H

#include <immintrin.h>

#include "sparse/symmetric_kernels.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// Where blocks of a row are: `own` of them, then pairs up to `end`. x_i and y_i belong to the row itself.
#define ROW_ARGUMENTS(real)                                                                                            \
  const real *a, const int *where, const int *pairs, const int *end, const real *x, const real *x_i, real *ring,       \
      real *sum

// --- 1x1 -------------------------------------------------------------------------------------------------------------

ALWAYS_INLINE void row_1(ROW_ARGUMENTS(double)) {
  double mine = *x_i, part = 0;
  for (; where < pairs; ++where, ++a)
    part = __builtin_fma(*a, x[*where], part);
  for (; where < end; ++where, ++a) {
    double *y = ring + mus_pair_place(*where);
    part = __builtin_fma(*a, x_i[mus_pair_apart(*where)], part);
    *y = __builtin_fma(*a, mine, *y);
  }
  *sum += part;
}

ALWAYS_INLINE void row_1_f(ROW_ARGUMENTS(float)) {
  float mine = *x_i, part = 0;
  for (; where < pairs; ++where, ++a)
    part = __builtin_fmaf(*a, x[*where], part);
  for (; where < end; ++where, ++a) {
    float *y = ring + mus_pair_place(*where);
    part = __builtin_fmaf(*a, x_i[mus_pair_apart(*where)], part);
    *y = __builtin_fmaf(*a, mine, *y);
  }
  *sum += part;
}

// --- 2x2: a block is one vector --------------------------------------------------------------------------------------

ALWAYS_INLINE void row_2(ROW_ARGUMENTS(double)) {
  __m256d mine = _mm256_permute4x64_pd(_mm256_castpd128_pd256(_mm_loadu_pd(x_i)), 0x50); // x0 x0 x1 x1
  __m256d part = _mm256_setzero_pd();
  for (; where < pairs; ++where, a += 4)
    part = _mm256_fmadd_pd(_mm256_loadu_pd(a), _mm256_broadcast_pd((const __m128d *)(x + (size_t)*where * 2)), part);
  for (; where < end; ++where, a += 4) {
    double *y = ring + mus_pair_place(*where);
    __m256d block = _mm256_loadu_pd(a), across = _mm256_mul_pd(block, mine);
    part = _mm256_fmadd_pd(block, _mm256_broadcast_pd((const __m128d *)(x_i + mus_pair_apart(*where))), part);
    __m128d both = _mm_add_pd(_mm256_castpd256_pd128(across), _mm256_extractf128_pd(across, 1));
    _mm_storeu_pd(y, _mm_add_pd(_mm_loadu_pd(y), both));
  }
  __m128d rows = _mm_hadd_pd(_mm256_castpd256_pd128(part), _mm256_extractf128_pd(part, 1));
  _mm_storeu_pd(sum, _mm_add_pd(_mm_loadu_pd(sum), rows));
}

ALWAYS_INLINE __m128 load_two(const float *from) { return _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)from)); }

ALWAYS_INLINE void row_2_f(ROW_ARGUMENTS(float)) {
  __m128 two = load_two(x_i), mine = _mm_unpacklo_ps(two, two), part = _mm_setzero_ps();
  for (; where < pairs; ++where, a += 4) {
    two = load_two(x + (size_t)*where * 2);
    part = _mm_fmadd_ps(_mm_loadu_ps(a), _mm_movelh_ps(two, two), part);
  }
  for (; where < end; ++where, a += 4) {
    float *y = ring + mus_pair_place(*where);
    __m128 block = _mm_loadu_ps(a), across = _mm_mul_ps(block, mine);
    two = load_two(x_i + mus_pair_apart(*where));
    part = _mm_fmadd_ps(block, _mm_movelh_ps(two, two), part);
    _mm_storel_pi((__m64 *)y, _mm_add_ps(load_two(y), _mm_add_ps(across, _mm_movehl_ps(across, across))));
  }
  _mm_storel_pi((__m64 *)sum, _mm_add_ps(load_two(sum), _mm_hadd_ps(part, part)));
}

// --- 4x4 in single precision: a block is two vectors of two rows
// ------------------------------------------------------

ALWAYS_INLINE void row_4_f(ROW_ARGUMENTS(float)) {
  __m256 all = _mm256_broadcast_ps((const __m128 *)x_i), part0 = _mm256_setzero_ps(), part1 = part0;
  __m256 upper = _mm256_permutevar_ps(all, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
  __m256 lower = _mm256_permutevar_ps(all, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3));
  for (; where < pairs; ++where, a += 16) {
    all = _mm256_broadcast_ps((const __m128 *)(x + (size_t)*where * 4));
    part0 = _mm256_fmadd_ps(_mm256_loadu_ps(a), all, part0);
    part1 = _mm256_fmadd_ps(_mm256_loadu_ps(a + 8), all, part1);
  }
  for (; where < end; ++where, a += 16) {
    float *y = ring + mus_pair_place(*where);
    __m256 a0 = _mm256_loadu_ps(a), a1 = _mm256_loadu_ps(a + 8);
    all = _mm256_broadcast_ps((const __m128 *)(x_i + mus_pair_apart(*where)));
    part0 = _mm256_fmadd_ps(a0, all, part0);
    part1 = _mm256_fmadd_ps(a1, all, part1);
    __m256 across = _mm256_fmadd_ps(a1, lower, _mm256_mul_ps(a0, upper));
    __m128 both = _mm_add_ps(_mm256_castps256_ps128(across), _mm256_extractf128_ps(across, 1));
    _mm_storeu_ps(y, _mm_add_ps(_mm_loadu_ps(y), both));
  }
  __m256 pairs_of = _mm256_hadd_ps(part0, part1); // rows 0 and 2, then 1 and 3
  __m128 rows = _mm_hadd_ps(_mm256_castps256_ps128(pairs_of), _mm256_extractf128_ps(pairs_of, 1));
  _mm_storeu_ps(sum, _mm_add_ps(_mm_loadu_ps(sum), _mm_permute_ps(rows, 0xd8)));
}

// --- rows of a block as vectors --------------------------------------------------------------------------------------

// The sums of lanes of each.
ALWAYS_INLINE __m256d fold_four(__m256d a, __m256d b, __m256d c, __m256d d) {
  __m256d ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
  return _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31));
}

ALWAYS_INLINE __m128 fold_four_f(__m256 a, __m256 b, __m256 c, __m256 d) {
  __m256 all = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
  return _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
}

// x of a node as vectors of four, with zeros beyond its numbers.
ALWAYS_INLINE void load_x(int block, const double *x, __m256d *out) {
  for (int v = 0; v < block / 4; ++v)
    out[v] = _mm256_loadu_pd(x + 4 * v);
  if (block % 4)
    out[block / 4] = _mm256_maskload_pd(x + block / 4 * 4, _mm256_setr_epi64x(-1, block % 4 > 1 ? -1 : 0, 0, 0));
}

// Of 4, 5, 6 and 12.
ALWAYS_INLINE void row_of_fours(int block, ROW_ARGUMENTS(double)) {
  const int count = (block + 3) / 4, size = block * block;
  __m256d part[MUS_BLOCK_MAXIMUM], other[MUS_BLOCK_MAXIMUM / 4];
  for (int r = 0; r < MUS_BLOCK_MAXIMUM; ++r)
    part[r] = _mm256_setzero_pd();
  for (; where < pairs; ++where, a += size) {
    load_x(block, x + (size_t)*where * (size_t)block, other);
    for (int r = 0; r < block; ++r)
      for (int v = 0; v < count; ++v)
        part[r] = _mm256_fmadd_pd(_mm256_loadu_pd(a + r * block + 4 * v), other[v], part[r]);
  }
  for (; where < end; ++where, a += size) {
    double *y = ring + mus_pair_place(*where);
    __m256d across[MUS_BLOCK_MAXIMUM / 4];
    load_x(block, x_i + mus_pair_apart(*where), other);
    for (int v = 0; v < count; ++v)
      across[v] = _mm256_setzero_pd();
    for (int r = 0; r < block; ++r) {
      __m256d mine = _mm256_broadcast_sd(x_i + r);
      for (int v = 0; v < count; ++v) {
        __m256d four = _mm256_castsi256_pd(_mm256_lddqu_si256((const __m256i *)(a + r * block + 4 * v)));
        part[r] = _mm256_fmadd_pd(four, other[v], part[r]);
        across[v] = _mm256_fmadd_pd(four, mine, across[v]);
      }
    }
    for (int v = 0; v < count; ++v) // what the row before stored comes late
      _mm256_storeu_pd(y + 4 * v, _mm256_add_pd(_mm256_loadu_pd(y + 4 * v), across[v]));
  }
  for (int r = 0; r < block; r += 4) {
    __m256d rows = fold_four(part[r], part[r + 1], part[r + 2], part[r + 3]);
    _mm256_storeu_pd(sum + r, _mm256_add_pd(_mm256_loadu_pd(sum + r), rows));
  }
}

// Of 5 and 6: a row is a vector of eight.
ALWAYS_INLINE void row_of_eights_f(int block, ROW_ARGUMENTS(float)) {
  const int size = block * block;
  const __m256i mask = _mm256_setr_epi32(-1, -1, -1, -1, -1, block > 5 ? -1 : 0, 0, 0);
  __m256 part[8];
  for (int r = 0; r < 8; ++r)
    part[r] = _mm256_setzero_ps();
  for (; where < pairs; ++where, a += size) {
    __m256 other = _mm256_maskload_ps(x + (size_t)*where * (size_t)block, mask);
    for (int r = 0; r < block; ++r)
      part[r] = _mm256_fmadd_ps(_mm256_loadu_ps(a + r * block), other, part[r]);
  }
  for (; where < end; ++where, a += size) {
    float *y = ring + mus_pair_place(*where);
    __m256 other = _mm256_maskload_ps(x_i + mus_pair_apart(*where), mask), across = _mm256_setzero_ps();
    for (int r = 0; r < block; ++r) {
      __m256 eight = _mm256_castsi256_ps(_mm256_lddqu_si256((const __m256i *)(a + r * block)));
      part[r] = _mm256_fmadd_ps(eight, other, part[r]);
      across = _mm256_fmadd_ps(eight, _mm256_broadcast_ss(x_i + r), across);
    }
    _mm256_storeu_ps(y, _mm256_add_ps(_mm256_loadu_ps(y), across));
  }
  for (int r = 0; r < 8; r += 4) {
    __m128 rows = fold_four_f(part[r], part[r + 1], part[r + 2], part[r + 3]);
    _mm_storeu_ps(sum + r, _mm_add_ps(_mm_loadu_ps(sum + r), rows));
  }
}

// A row is a vector of eight and one of four.
ALWAYS_INLINE void row_12_f(ROW_ARGUMENTS(float)) {
  __m256 part[12];
  for (int r = 0; r < 12; ++r)
    part[r] = _mm256_setzero_ps();
  for (; where < pairs; ++where, a += 144) {
    const float *from = x + (size_t)*where * 12;
    __m256 first = _mm256_loadu_ps(from), last = _mm256_zextps128_ps256(_mm_loadu_ps(from + 8));
    for (int r = 0; r < 12; ++r) {
      part[r] = _mm256_fmadd_ps(_mm256_loadu_ps(a + 12 * r), first, part[r]);
      part[r] = _mm256_fmadd_ps(_mm256_zextps128_ps256(_mm_loadu_ps(a + 12 * r + 8)), last, part[r]);
    }
  }
  for (; where < end; ++where, a += 144) {
    float *y = ring + mus_pair_place(*where);
    const float *from = x_i + mus_pair_apart(*where);
    __m256 first = _mm256_loadu_ps(from), last = _mm256_zextps128_ps256(_mm_loadu_ps(from + 8));
    __m256 across = _mm256_setzero_ps();
    __m128 across_last = _mm_setzero_ps();
    for (int r = 0; r < 12; ++r) {
      __m256 eight = _mm256_castsi256_ps(_mm256_lddqu_si256((const __m256i *)(a + 12 * r)));
      __m128 four = _mm_castsi128_ps(_mm_lddqu_si128((const __m128i *)(a + 12 * r + 8)));
      __m256 mine = _mm256_broadcast_ss(x_i + r);
      part[r] = _mm256_fmadd_ps(eight, first, part[r]);
      part[r] = _mm256_fmadd_ps(_mm256_zextps128_ps256(four), last, part[r]);
      across = _mm256_fmadd_ps(eight, mine, across);
      across_last = _mm_fmadd_ps(four, _mm256_castps256_ps128(mine), across_last);
    }
    _mm256_storeu_ps(y, _mm256_add_ps(_mm256_loadu_ps(y), across));
    _mm_storeu_ps(y + 8, _mm_add_ps(_mm_loadu_ps(y + 8), across_last));
  }
  for (int r = 0; r < 12; r += 4) {
    __m128 rows = fold_four_f(part[r], part[r + 1], part[r + 2], part[r + 3]);
    _mm_storeu_ps(sum + r, _mm_add_ps(_mm_loadu_ps(sum + r), rows));
  }
}

// --- all of them -----------------------------------------------------------------------------------------------------

#define ARGUMENTS a, where, pairs, end, x, x_i, ring, sum

#define HAS_ROW(block) ((block) <= 2 || ((block) >= 4 && (block) <= 6) || (block) == 12)

ALWAYS_INLINE void row_of(int block, ROW_ARGUMENTS(double)) {
  if (block == 1)
    row_1(ARGUMENTS);
  else if (block == 2)
    row_2(ARGUMENTS);
  else
    row_of_fours(block, ARGUMENTS);
}

ALWAYS_INLINE void row_of_f(int block, ROW_ARGUMENTS(float)) {
  if (block == 1)
    row_1_f(ARGUMENTS);
  else if (block == 2)
    row_2_f(ARGUMENTS);
  else if (block == 4)
    row_4_f(ARGUMENTS);
  else if (block == 12)
    row_12_f(ARGUMENTS);
  else
    row_of_eights_f(block, ARGUMENTS);
}

#undef ARGUMENTS
#undef ROW_ARGUMENTS
#undef ALWAYS_INLINE

#endif
