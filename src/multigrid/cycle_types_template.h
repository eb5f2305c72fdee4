// A level as the cycle sees it, in one precision; as text for base/both_precisions.h.

typedef struct TYPE(mus_cycle_level) {
  TYPE(mus_matrix) a, p;                // p leads to the next coarser level; unused at the bottom
  const TYPE(mus_beyond) *beyond;       // what is added to a beyond its pattern; NULL: nothing
  const TYPE(mus_symmetric) *symmetric; // a once more, for products; NULL: none
  const mus_transpose *pt;              // of p's pattern
  const mus_restriction *passes;        // of p, the other way to multiply by P^T; NULL, or without chunks: none
  const REAL *inverse_diagonal;
  mus_chebyshev smoother;
  REAL *b, *x, *other; // b is the caller's on the finest level
  REAL *left_over;     // right-hand side of a second visit; unused on the finest level
} TYPE(mus_cycle_level);
