// Sweeps over all chunks in one precision, as text for base/both_precisions.h. See symmetric_sweep.h.

// Chunks of a colour: two by two where there are more than threads.
static void NAME(sweep_colour)(const TYPE(mus_symmetric_task) *task, const mus_symmetric_order *o, int colour, int up) {
  const mus_symmetric_kernels *kernels = mus_symmetric_kernels_current();
  const mus_symmetric_pattern *p = task->pattern;
  TYPE(mus_chunk_kernel) *one =
      kernels->NAME(chunk)[up ? MUS_SYMMETRIC_UP : MUS_SYMMETRIC_DOWN][mus_symmetric_shape_of(p->block)];
  TYPE(mus_two_chunks_kernel) *two = kernels->NAME(two)[up][p->block == 3];
  int begin = o->colour_start[colour], end = o->colour_start[colour + 1];
  int step = end - begin > mus_par_threads() ? 2 : 1, runs = (end - begin + step - 1) / step;
  MUS_PARALLEL_FOR_IF(runs > 1)
  for (int run = 0; run < runs; ++run) {
    int k = begin + run * step;
    if (step == 2 && k + 1 < end)
      two(task, rows_of(p, o->chunk[k]), rows_of(p, o->chunk[k + 1]));
    else
      one(task, rows_of(p, o->chunk[k]));
  }
}

// Rows that lead to later ones have not seen those.
static void NAME(take_late)(const TYPE(mus_symmetric_task) *task, const mus_symmetric_order *o) {
  const int chunks = task->pattern->chunks;
  const size_t block = (size_t)task->pattern->block;
  MUS_PARALLEL_FOR_IF(chunks > 1)
  for (int chunk = 0; chunk < chunks; ++chunk)
    for (int k = o->late_start[chunk]; k < o->late_start[chunk + 1]; ++k) {
      const REAL *a = task->value + (size_t)o->late_block[k] * block * block;
      const REAL *x = task->y + (size_t)o->late_column[k] * block;
      REAL *r = task->residual + (size_t)o->late_row[k] * block;
      for (size_t i = 0; i < block; ++i)
        for (size_t c = 0; c < block; ++c)
          r[i] -= a[i * block + c] * x[c];
    }
}

void NAME(mus_symmetric_sweep_down)(const TYPE(mus_symmetric) *a, const mus_symmetric_order *order,
                                    const REAL *inverse_diagonal, const REAL *b, REAL *x, REAL *r) {
  const mus_symmetric_pattern *p = a->pattern;
  const TYPE(mus_symmetric_task) task = {
      .pattern = p, .value = a->value, .x = x, .b = b, .inverse_diagonal = inverse_diagonal, .y = x, .residual = r};
  const size_t block = (size_t)p->block;
  MUS_PARALLEL_FOR_IF(p->chunks > 1)
  for (int chunk = 0; chunk < p->chunks; ++chunk) // which rows that come earlier may lead to
    memset(x + (size_t)p->chunk[chunk] * block, 0, (size_t)(p->chunk[chunk + 1] - p->chunk[chunk]) * block * sizeof *x);
  for (int colour = order->colours - 1; colour >= 0; --colour)
    NAME(sweep_colour)(&task, order, colour, 0);
  NAME(take_late)(&task, order);
}

void NAME(mus_symmetric_sweep_up)(const TYPE(mus_symmetric) *a, const mus_symmetric_order *order,
                                  const REAL *inverse_diagonal, const REAL *b, REAL *x) {
  const TYPE(mus_symmetric_task) task = {
      .pattern = a->pattern, .value = a->value, .x = x, .b = b, .inverse_diagonal = inverse_diagonal, .y = x};
  for (int colour = 0; colour < order->colours; ++colour)
    NAME(sweep_colour)(&task, order, colour, 1);
}
