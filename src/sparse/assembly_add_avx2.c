// Blocks of 3x3 with AVX2. See assembly_add.h.
//
// A block is two vectors of four and its last number. Those of a b^T are products of numbers of a and of b that are
// arranged like this:
//   a: 0 0 0 1  1 1 2 2  2
//   b: 0 1 2 0  1 2 0 1  2
#if MUSLIN_X86
#include <immintrin.h>

#include "sparse/assembly_add.h"

static inline void add_four(double *to, __m256d more) {
  _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), more));
}

static inline void add_block(const double *from, double *to) {
  add_four(to, _mm256_loadu_pd(from));
  add_four(to + 4, _mm256_loadu_pd(from + 4));
  to[8] += from[8];
}

// Of a block 0 ... 8 the mirror image has 0 3 6 1, 4 7 2 5, 8: the first four's 0 3 . 1 and the second four's third,
// and the other way round.
static inline void add_transposed(const double *from, double *to) {
  enum { ARRANGED = 0x6c, THIRD = 4 }; // 0 3 2 1
  __m256d low = _mm256_loadu_pd(from), high = _mm256_loadu_pd(from + 4);
  add_four(to, _mm256_blend_pd(_mm256_permute4x64_pd(low, ARRANGED), high, THIRD));
  add_four(to + 4, _mm256_blend_pd(_mm256_permute4x64_pd(high, ARRANGED), low, THIRD));
  to[8] += from[8];
}

static inline double *place(const mus_add_task *t, int row, uint16_t offset) {
  return t->value + ((size_t)t->row_start[row] + offset) * 9;
}

static inline void add_elements(size_t arity, const mus_add_task *t) {
  const int *index = t->index;
  const uint16_t *offset = t->offset;
  const double *from = t->from;
  for (int e = 0; e < t->count; ++e, index += arity, offset += arity * arity)
    for (size_t i = 0; i < arity; ++i) {
      add_block(from, place(t, index[i], offset[i * arity + i]));
      from += 9;
      for (size_t j = i + 1; j < arity; ++j, from += 9) {
        add_block(from, place(t, index[i], offset[i * arity + j]));
        add_transposed(from, place(t, index[j], offset[j * arity + i]));
      }
    }
}

void mus_add_blocks_avx2(const mus_add_task *t) {
  if (t->arity == 3)
    add_elements(3, t);
  else
    add_elements((size_t)t->arity, t);
}

void mus_add_rank_ones_avx2(const mus_add_task *t) {
  const int *index = t->index;
  const uint16_t *offset = t->offset;
  const double *r = t->from;
  for (int e = 0; e < t->count; ++e, index += 4, r += 12) {
    __m256d column[4][2];
    for (int j = 0; j < 4; ++j) {
      __m256d b = _mm256_loadu_pd(r + 3 * j);
      column[j][0] = _mm256_permute4x64_pd(b, 0x24); // 0 1 2 0
      column[j][1] = _mm256_permute4x64_pd(b, 0x49); // 1 2 0 1
    }
    for (int i = 0; i < 4; ++i) {
      __m256d a = _mm256_loadu_pd(r + 3 * i);
      __m256d low = _mm256_permute4x64_pd(a, 0x40), high = _mm256_permute4x64_pd(a, 0xa5); // 0 0 0 1, 1 1 2 2
      double *row = t->value + (size_t)t->row_start[index[i]] * 9, last = r[3 * i + 2];
      for (int j = 0; j < 4; ++j, ++offset) {
        double *to = row + (size_t)*offset * 9;
        add_four(to, _mm256_mul_pd(low, column[j][0]));
        add_four(to + 4, _mm256_mul_pd(high, column[j][1]));
        to[8] += last * r[3 * j + 2];
      }
    }
  }
}
#else
typedef int mus_assembly_add_avx2_not_built;
#endif
