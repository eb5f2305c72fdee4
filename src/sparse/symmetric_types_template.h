// What symmetric kernels are given, in one precision; as text for base/both_precisions.h.

typedef struct TYPE(mus_symmetric_task) {
  const mus_symmetric_pattern *pattern;
  const REAL *value, *x, *b, *inverse_diagonal;
  REAL alpha, beta, gamma;
  REAL *y;
  REAL *residual; // of MUS_SYMMETRIC_DOWN
} TYPE(mus_symmetric_task);

// A chunk or a piece of it; returns its part of x . y for MUS_SYMMETRIC_DOT and MUS_SYMMETRIC_DOT_ALONE, otherwise 0.
typedef REAL TYPE(mus_chunk_kernel)(const TYPE(mus_symmetric_task) *task, mus_symmetric_rows rows);
// Two chunks at once, of a sweep.
typedef void TYPE(mus_two_chunks_kernel)(const TYPE(mus_symmetric_task) *task, mus_symmetric_rows one,
                                         mus_symmetric_rows two);
