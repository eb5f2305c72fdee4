// The pass in one precision, as text for base/both_precisions.h. See galerkin_pass.h.

static TYPE(mus_pass_task) NAME(pass_task)(const mus_galerkin *plan, const mus_pattern *a, const TYPE(mus_matrix) *p) {
  return (TYPE(mus_pass_task)){.a = a,
                               .upper = plan->upper,
                               .p = p->pattern,
                               .p_value = p->value,
                               .up_start = plan->up.row_start,
                               .coarse_start = plan->coarse.row_start,
                               .block = p->row_block,
                               .coarse_block = p->column_block};
}

// One chunk: its sums from zero.
static void NAME(run_chunk)(const mus_galerkin *plan, const TYPE(mus_pass_task) *task, int chunk, REAL *sums,
                            REAL *row) {
  const mus_galerkin_pass *pass = &plan->pass;
  size_t size = (size_t)(task->coarse_block * mus_padded(task->coarse_block));
  TYPE(mus_pass_task) own = *task;
  own.up_target = plan->up_targets.row + plan->up_targets.row_start[pass->row[chunk]];
  own.target = pass->target + pass->first_target[chunk];
  own.origin = plan->coarse.row_start[pass->low[chunk]];
  own.sums = sums + pass->at[chunk] * size;
  memset(own.sums, 0, (pass->at[chunk + 1] - pass->at[chunk]) * size * sizeof *sums);
  mus_kernels_current()->NAME(pass_rows)(&own, pass->row[chunk], pass->row[chunk + 1], row);
}

// Block k of row i in the sums of a chunk.
static inline const REAL *NAME(sums_of)(const mus_galerkin *plan, int chunk, int k, size_t size, const REAL *sums) {
  const mus_galerkin_pass *pass = &plan->pass;
  return sums + (pass->at[chunk] + (size_t)(k - plan->coarse.row_start[pass->low[chunk]])) * size;
}

// What the chunks have of it together: of most rows, one has all.
static inline __attribute__((always_inline)) const REAL *NAME(gather)(const mus_galerkin *plan, int i, int k, int block,
                                                                      const REAL *sums, REAL *together) {
  static const REAL nothing[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM];
  size_t size = (size_t)(block * mus_padded(block));
  unsigned met = plan->pass.met_by[i];
  if (met == 0)
    return nothing;
  const REAL *first = NAME(sums_of)(plan, __builtin_ctz(met), k, size, sums);
  if ((met &= met - 1) == 0)
    return first;
  for (size_t e = 0; e < size; ++e)
    together[e] = first[e];
  for (; met; met &= met - 1) {
    const REAL *from = NAME(sums_of)(plan, __builtin_ctz(met), k, size, sums);
    for (size_t e = 0; e < size; ++e)
      together[e] += from[e];
  }
  return together;
}

// Row i of A_c = S + S^T from the diagonal on, and its mirror image.
static inline __attribute__((always_inline)) void NAME(mirror_row)(const mus_galerkin *plan, int i, int block,
                                                                   const REAL *sums, REAL *value) {
  REAL sum[2][MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM];
  int stride = mus_padded(block);
  for (int k = plan->coarse.row_start[i]; k < plan->coarse.row_start[i + 1]; ++k) {
    int j = plan->coarse.column[k], across = plan->across[k];
    if (j < i)
      continue;
    const REAL *here = NAME(gather)(plan, i, k, block, sums, sum[0]);
    const REAL *there = NAME(gather)(plan, j, across, block, sums, sum[1]);
    REAL *to = value + (size_t)k * (size_t)(block * block), *back = value + (size_t)across * (size_t)(block * block);
    for (int r = 0; r < block; ++r)
      for (int c = 0; c < block; ++c)
        to[r * block + c] = back[c * block + r] = here[r * stride + c] + there[c * stride + r];
  }
}

static void NAME(add_chunks)(const mus_galerkin *plan, const REAL *sums, TYPE(mus_matrix) *coarse) {
  int rows = coarse->pattern->rows, block = coarse->row_block;
  MUS_PARALLEL_FOR_IF((size_t)mus_pattern_blocks(coarse->pattern) * (size_t)(block * block) > NUMBERS_MINIMUM)
  for (int i = 0; i < rows; ++i)
    if (block == 3)
      NAME(mirror_row)(plan, i, 3, sums, coarse->value);
    else if (block == 6)
      NAME(mirror_row)(plan, i, 6, sums, coarse->value);
    else
      NAME(mirror_row)(plan, i, block, sums, coarse->value);
}

static mus_status NAME(run_pass)(const mus_galerkin *plan, const TYPE(mus_pass_task) *task, TYPE(mus_matrix) *coarse) {
  int stride = mus_padded(task->coarse_block), chunks = plan->pass.chunks;
  size_t row = (size_t)plan->longest * (size_t)(task->block * stride);
  REAL *sums = mus_alloc(plan->pass.at[chunks] * (size_t)(task->coarse_block * stride), sizeof *sums);
  REAL *rows = mus_alloc((size_t)mus_par_threads() * row, sizeof *rows);
  if (sums && rows) {
    MUS_PARALLEL
    {
      MUS_SHARE_RUNS
      for (int c = 0; c < chunks; ++c)
        NAME(run_chunk)(plan, task, c, sums, rows + (size_t)mus_par_index() * row);
    }
    NAME(add_chunks)(plan, sums, coarse);
  }
  mus_status status = sums && rows ? MUS_OK : mus_fail_memory();
  mus_free(sums);
  mus_free(rows);
  return status;
}

mus_status NAME(mus_galerkin_pass_fill)(const mus_galerkin *plan, const TYPE(mus_matrix) *a, const TYPE(mus_matrix) *p,
                                        TYPE(mus_matrix) *coarse) {
  TYPE(mus_pass_task) task = NAME(pass_task)(plan, a->pattern, p);
  task.a_value = a->value;
  return NAME(run_pass)(plan, &task, coarse);
}
