// Numbers of a level in one precision, as text for base/both_precisions.h. See affine_state.h.

// Vectors have `width` rows of four numbers a node, of which the fourth is unused.
typedef struct TYPE(mus_affine_numbers) {
  REAL *value;                 // links * width^2
  REAL *diagonal, *inverse;    // nodes * width^2: L's own, without blocks
  REAL *transfer;              // as in the level
  REAL *x, *b, *other;         // nodes * width * 4
  int *place;                  // nodes: place among the blocks, -1
  int capacity;                // of blocks
  REAL *block, *block_inverse; // (3 width)^2 each: what is added to the diagonal, and the inverse of the sum
} TYPE(mus_affine_numbers);
