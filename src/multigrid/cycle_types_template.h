// A level as the cycle sees it, in one precision; as text for base/both_precisions.h.

typedef struct TYPE(mus_cycle_level) {
  TYPE(mus_level_system) system;
  const TYPE(mus_smoother_calls) *smoother; // unused at a bottom that is factored
  void *smoother_state;
  TYPE(mus_matrix) p;            // leads to the next coarser level; unused at the bottom
  const mus_transpose *pt;       // of p's pattern
  const mus_restriction *passes; // of p, the other way to multiply by P^T; NULL, or without chunks: none
  REAL *b, *x, *other;           // b is the caller's on the finest level
  REAL *left_over;               // right-hand side of a second visit; unused on the finest level
  double sweep_passes[2];        // over the matrix, of a sweep from a given x and from zero; see mus_smoother
  double *work;                  // numbers that the cycle passes over are added to it; NULL: they are not counted
} TYPE(mus_cycle_level);
