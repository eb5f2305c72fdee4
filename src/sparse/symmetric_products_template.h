// Products with symmetric storage in one precision, as text for base/both_precisions.h: chunks are dealt to threads.

static REAL NAME(run_chunks)(const TYPE(mus_symmetric_task) *task, mus_symmetric_operation operation) {
  const mus_symmetric_pattern *p = task->pattern;
  REAL (*kernel)(const TYPE(mus_symmetric_task) *, int) = kernels()->NAME(chunk)[operation][shape_of(p->block)];
  REAL part[MUS_SYMMETRIC_CHUNKS], sum = 0;
  MUS_PARALLEL_FOR_IF(p->chunks > 1)
  for (int chunk = 0; chunk < p->chunks; ++chunk)
    part[chunk] = kernel(task, chunk);
  for (int chunk = 0; chunk < p->chunks; ++chunk)
    sum += part[chunk];
  return sum;
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
  (&(TYPE(mus_symmetric_task)){a->pattern, a->value, x, b, inverse_diagonal, alpha, beta, gamma, next},
   MUS_SYMMETRIC_CHEBYSHEV);
}
