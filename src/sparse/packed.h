// Prolongators of rigid motions with numbers of 16 bits, for cycles in single precision, whose time is that of reading
// them.
//
//   P_i = s_i Z_i,   Z_ij whole numbers of at most 2^15 - 1 in size, s_i a power of two for each block row i
//
// A row keeps 15 bits of its largest number, so that near-null vectors are interpolated to about 3e-5 instead of 1e-7.
// P itself is rounded to that: products with P and with its packed copy are the same but for the order of sums, and
// coarse matrices P^T A P belong to the prolongator that is applied.
#ifndef MUS_SPARSE_PACKED_H
#define MUS_SPARSE_PACKED_H

#include <stdint.h>

#include "sparse/matrix.h"

enum { MUS_PACKED_COLUMNS = 6 }; // of a block

typedef struct mus_packed {
  const mus_pattern *pattern;
  int row_block;
  int16_t *value; // by blocks as P's, with two numbers more at the end, which are read and don't count
  float *scale;   // one for each block row
} mus_packed;

// Whether blocks of that shape can be packed: 3x6 and 6x6.
int mus_packed_takes(int row_block, int column_block);
mus_status mus_packed_create(mus_arena *arena, const mus_pattern *pattern, int row_block, mus_packed *out);
// 0 without values.
size_t mus_packed_bytes(const mus_packed *p);
// Rounds P and packs it.
void mus_packed_round(mus_matrix_f *p, mus_packed *packed);
// The same for some of its rows.
void mus_packed_round_rows(mus_matrix_f *p, int count, const int *row, mus_packed *packed);

// y += P x
void mus_packed_multiply_add(const mus_packed *p, const float *x, float *y);
// y = P^T x, by the chunks of mus_restrict(), of which there must be some.
void mus_packed_restrict(const mus_packed *p, const mus_restriction *plan, const float *x, float *y);

// Private to sparse/: some rows of these. Sums of the second are padded and start with the block column first_column,
// as those of MUS_OP_SCATTER are.
void mus_packed_add_rows_scalar(const mus_packed *p, const float *x, int begin, int end, float *y);
void mus_packed_scatter_rows_scalar(const mus_packed *p, const float *x, int begin, int end, int first_column,
                                    float *sums);
#if MUSLIN_X86
void mus_packed_add_rows_avx2(const mus_packed *p, const float *x, int begin, int end, float *y);
void mus_packed_scatter_rows_avx2(const mus_packed *p, const float *x, int begin, int end, int first_column,
                                  float *sums);
#endif

#endif
