// Adding elements' blocks to where they belong in a matrix. Private to sparse/; see assembly.h for the layouts.
//
// Products and sums are the same on every machine, to the last bit.
#ifndef MUS_SPARSE_ASSEMBLY_ADD_H
#define MUS_SPARSE_ASSEMBLY_ADD_H

#include <stdint.h>

#include "sparse/assembly.h"

// A run of elements.
typedef struct mus_add_task {
  int arity, block, count;
  const int *index;       // count * arity: rows, counted from the first that row_start has
  const uint16_t *offset; // count * arity * arity: places in a row
  const int *row_start;
  const double *from; // blocks, or r of r r^T; one more number behind the last may be read
  double *value;
} mus_add_task;

void mus_add_blocks(const mus_add_task *task);
void mus_add_rank_ones(const mus_add_task *task);

#if MUSLIN_X86
// For blocks of 3x3, and for elements of any arity and of four nodes respectively.
void mus_add_blocks_avx2(const mus_add_task *task);
void mus_add_rank_ones_avx2(const mus_add_task *task);
#endif

#endif
