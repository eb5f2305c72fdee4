// The inner loops of symmetric products, one table for each instruction set. Private to sparse/; see kernels.h, whose
// order of things they follow.
#ifndef MUS_SPARSE_SYMMETRIC_KERNELS_H
#define MUS_SPARSE_SYMMETRIC_KERNELS_H

#include "sparse/symmetric.h"

typedef enum mus_symmetric_operation {
  MUS_SYMMETRIC_MULTIPLY,
  MUS_SYMMETRIC_DOT, // multiply and x . y
  MUS_SYMMETRIC_RESIDUAL,
  MUS_SYMMETRIC_CHEBYSHEV,
  MUS_SYMMETRIC_DOT_ALONE, // x . y of what is there, added up as MUS_SYMMETRIC_DOT does
  MUS_SYMMETRIC_DOWN,      // Gauss-Seidel in y, from the last row to the first; see symmetric_sweep.h
  MUS_SYMMETRIC_UP,        // the same from the first row to the last
  MUS_SYMMETRIC_OPERATIONS
} mus_symmetric_operation;

// Rows begin ... end - 1 of a chunk, and before them those from `lead` on, whose pairs have a part in their sums.
typedef struct mus_symmetric_rows {
  int lead, begin, end;
} mus_symmetric_rows;

typedef enum mus_symmetric_shape {
  MUS_SYMMETRIC_ANY,
  MUS_SYMMETRIC_1X1,
  MUS_SYMMETRIC_2X2,
  MUS_SYMMETRIC_3X3,
  MUS_SYMMETRIC_4X4,
  MUS_SYMMETRIC_5X5,
  MUS_SYMMETRIC_6X6,
  MUS_SYMMETRIC_12X12,
  MUS_SYMMETRIC_SHAPES
} mus_symmetric_shape;

// Numbers in the ring: 128 KiB in double precision, which fits any second-level cache and any thread's stack.
enum { MUS_RING_NUMBERS = 16384 };

// How many of them a node takes: sums of three are kept as vectors of four, those of five and six as vectors of eight.
static inline int mus_ring_stride(int block) { return block == 3 ? 4 : block == 5 || block == 6 ? 8 : block; }

// What is kept of a pair (i, j): how far x_j lies behind x_i, and the place of y_j in the ring, both in numbers.
static inline int mus_pair_pack(int apart, int place) { return (int)((unsigned)place << 16 | (unsigned)apart); }
static inline unsigned mus_pair_apart(int pair) { return (unsigned)pair & 0xffff; }
static inline unsigned mus_pair_place(int pair) { return (unsigned)pair >> 16; }

#define TEMPLATE "sparse/symmetric_types_template.h"
#include "base/both_precisions.h"

typedef struct mus_symmetric_kernels {
  mus_chunk_kernel *const (*chunk)[MUS_SYMMETRIC_SHAPES]; // indexed by operation, then shape
  mus_chunk_kernel_f *const (*chunk_f)[MUS_SYMMETRIC_SHAPES];
  mus_two_chunks_kernel *const (*two)[2]; // indexed by whether the sweep goes up, and whether blocks are 3x3
  mus_two_chunks_kernel_f *const (*two_f)[2];
} mus_symmetric_kernels;

// The kernels in use; see mus_instructions_use.
const mus_symmetric_kernels *mus_symmetric_kernels_current(void);
mus_symmetric_shape mus_symmetric_shape_of(int block);

extern const mus_symmetric_kernels mus_symmetric_scalar;
#if MUSLIN_X86
extern const mus_symmetric_kernels mus_symmetric_avx2;
#endif

#endif
