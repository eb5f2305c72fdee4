// Products with symmetric storage in one precision, as text for base/both_precisions.h: chunks are dealt to threads.

// Of whole chunks; returns x . y where the operation asks for it.
static REAL NAME(run_whole)(const TYPE(mus_symmetric_task) *task, mus_symmetric_operation operation) {
  const mus_symmetric_pattern *p = task->pattern;
  TYPE(mus_chunk_kernel) *kernel =
      mus_symmetric_kernels_current()->NAME(chunk)[operation][mus_symmetric_shape_of(p->block)];
  REAL part[MUS_SYMMETRIC_CHUNKS], sum = 0;
  MUS_PARALLEL_FOR_IF(p->chunks > 1)
  for (int chunk = 0; chunk < p->chunks; ++chunk)
    part[chunk] = kernel(task, rows_of(p, 1, chunk));
  for (int chunk = 0; chunk < p->chunks; ++chunk)
    sum += part[chunk];
  return sum;
}

static REAL NAME(run_chunks)(const TYPE(mus_symmetric_task) *task, mus_symmetric_operation operation) {
  const mus_symmetric_pattern *p = task->pattern;
  int pieces = choose_pieces(p), with_sum = operation == MUS_SYMMETRIC_DOT;
  if (pieces == 1)
    return NAME(run_whole)(task, operation);
  TYPE(mus_chunk_kernel) *kernel = mus_symmetric_kernels_current()->NAME(
      chunk)[with_sum ? MUS_SYMMETRIC_MULTIPLY : operation][mus_symmetric_shape_of(p->block)];
  MUS_PARALLEL_FOR
  for (int k = 0; k < p->chunks * pieces; ++k)
    kernel(task, rows_of(p, pieces, k));
  return with_sum ? NAME(run_whole)(task, MUS_SYMMETRIC_DOT_ALONE) : 0; // sums run through whole chunks
}

void NAME(mus_symmetric_multiply)(const TYPE(mus_symmetric) *a, const REAL *x, REAL *y) {
  NAME(run_chunks)
  (&(TYPE(mus_symmetric_task)){.pattern = a->pattern, .value = a->value, .x = x, .b = x, .y = y},
   MUS_SYMMETRIC_MULTIPLY);
}

void NAME(mus_symmetric_residual)(const TYPE(mus_symmetric) *a, const REAL *b, const REAL *x, REAL *r) {
  NAME(run_chunks)
  (&(TYPE(mus_symmetric_task)){.pattern = a->pattern, .value = a->value, .x = x, .b = b, .y = r},
   MUS_SYMMETRIC_RESIDUAL);
}

void NAME(mus_symmetric_chebyshev)(const TYPE(mus_symmetric) *a, const REAL *inverse_diagonal, const REAL *b,
                                   const REAL *x, REAL alpha, REAL beta, REAL gamma, REAL *next) {
  NAME(run_chunks)
  (&(TYPE(mus_symmetric_task)){a->pattern, a->value, x, b, inverse_diagonal, alpha, beta, gamma, next, NULL},
   MUS_SYMMETRIC_CHEBYSHEV);
}
