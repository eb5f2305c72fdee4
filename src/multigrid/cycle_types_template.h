// A level as the cycle sees it, in one precision; as text for base/both_precisions.h.

typedef struct TYPE(mus_cycle_level) {
  TYPE(mus_level_system) system;
  const TYPE(mus_smoother_calls) *smoother; // unused at a bottom that is factored
  void *smoother_state;
  void *spare_state;             // of what stands in for a smoother, or of the smoother while that does
  TYPE(mus_matrix) p;            // leads to the next coarser level; unused at the bottom
  const mus_transpose *pt;       // of p's pattern
  mus_packed *packed;            // p in 16 bits, in single precision where that is made; NULL: not
  const mus_restriction *passes; // of p, the other way to multiply by P^T; NULL, or without chunks: none
  REAL *b, *x, *other;           // b is the caller's on the finest level
  REAL *left_over;               // right-hand side of a second visit; unused on the finest level
  double sweep_passes[2];        // over the matrix, of a sweep from a given x and from zero; see mus_smoother
  double threshold;              // of adaptive smoothing; 0: all rows are smoothed
  unsigned char *active;         // for each row, whether it is smoothed; NULL where there is no adaptive smoothing
  double *measure;               // room for a number per row, the same
  mus_cycle_work *work;          // what the cycle passes over is added to it; NULL: it is not counted
} TYPE(mus_cycle_level);
