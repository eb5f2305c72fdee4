// Plain C, for blocks of any size. See assembly_add.h.
#include "sparse/assembly_add.h"

static inline void add_block(int block, const double *from, double *to) {
  for (int k = 0; k < block * block; ++k)
    to[k] += from[k];
}

static inline void add_transposed(int block, const double *from, double *to) {
  for (int i = 0; i < block; ++i)
    for (int j = 0; j < block; ++j)
      to[i * block + j] += from[j * block + i];
}

// to += a b^T
static inline void add_outer(int block, const double *a, const double *b, double *to) {
  for (int i = 0; i < block; ++i)
    for (int j = 0; j < block; ++j)
      to[i * block + j] += a[i] * b[j];
}

static inline void add_blocks(int block, const mus_add_task *t) {
  size_t arity = (size_t)t->arity, size = (size_t)(block * block);
  const int *index = t->index;
  const uint16_t *offset = t->offset;
  const double *from = t->from;
  for (int e = 0; e < t->count; ++e, index += arity, offset += arity * arity)
    for (size_t i = 0; i < arity; ++i) {
      double *row = t->value + (size_t)t->row_start[index[i]] * size;
      add_block(block, from, row + offset[i * arity + i] * size);
      from += size;
      for (size_t j = i + 1; j < arity; ++j, from += size) {
        double *mirrored = t->value + (size_t)t->row_start[index[j]] * size;
        add_block(block, from, row + offset[i * arity + j] * size);
        add_transposed(block, from, mirrored + offset[j * arity + i] * size);
      }
    }
}

static inline void add_rank_ones(int block, const mus_add_task *t) {
  size_t arity = (size_t)t->arity, size = (size_t)(block * block);
  const int *index = t->index;
  const uint16_t *offset = t->offset;
  const double *r = t->from;
  for (int e = 0; e < t->count; ++e, index += arity, r += arity * (size_t)block)
    for (size_t i = 0; i < arity; ++i) {
      double *row = t->value + (size_t)t->row_start[index[i]] * size;
      for (size_t j = 0; j < arity; ++j, ++offset)
        add_outer(block, r + i * (size_t)block, r + j * (size_t)block, row + *offset * size);
    }
}

static int has_avx2(const mus_add_task *t) { return t->block == 3 && mus_instructions_current() != MUS_SCALAR; }

void mus_add_blocks(const mus_add_task *t) {
#if MUSLIN_X86
  if (has_avx2(t)) {
    mus_add_blocks_avx2(t);
    return;
  }
#endif
  if (t->block == 3)
    add_blocks(3, t);
  else
    add_blocks(t->block, t);
}

void mus_add_rank_ones(const mus_add_task *t) {
#if MUSLIN_X86
  if (has_avx2(t) && t->arity == 4) {
    mus_add_rank_ones_avx2(t);
    return;
  }
#endif
  if (t->block == 3)
    add_rank_ones(3, t);
  else
    add_rank_ones(t->block, t);
}
