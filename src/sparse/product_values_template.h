// Products' values in one precision, as text for base/both_precisions.h.

// Rows begin ... end - 1 of C. Few rows may be much work: those of coarse levels have many blocks, and large ones.
static void NAME(run_product)(const TYPE(mus_product_task) *task, int begin, int end, const workspace *all) {
  const mus_kernels *kernels = mus_kernels_current();
  size_t numbers = (size_t)(task->c->row_start[end] - task->c->row_start[begin]) * (size_t)(task->rows * task->columns);
  int length = run_length(end - begin), runs = (end - begin + length - 1) / length;
  if (numbers <= NUMBERS_MINIMUM || runs < 2) {
    mus_product_workspace mine = workspace_of(all, 0);
    kernels->NAME(product_rows)(task, begin, end, &mine);
    return;
  }
  MUS_PARALLEL
  {
    mus_product_workspace mine = workspace_of(all, mus_par_index());
    MUS_SHARE_RUNS
    for (int run = 0; run < runs; ++run) {
      int from = begin + run * length, to = end - from > length ? from + length : end;
      kernels->NAME(product_rows)(task, from, to, &mine);
    }
  }
}

static TYPE(mus_product_task) NAME(product_task)(const TYPE(mus_matrix) *a, const mus_pattern *part, const int *source,
                                                 const TYPE(mus_matrix) *b, const TYPE(mus_matrix) *c) {
  return (TYPE(mus_product_task)){.a = part,
                                  .b = b->pattern,
                                  .c = c->pattern,
                                  .source = source,
                                  .a_value = a->value,
                                  .b_value = b->value,
                                  .c_value = c->value,
                                  .rows = c->row_block,
                                  .inner = a->column_block,
                                  .columns = c->column_block};
}

// Two blocks of A and A^T: both become their sum, one of them transposed. They may be the same.
static inline __attribute__((always_inline)) void NAME(add_pair)(int block, REAL *here, REAL *there) {
  REAL sum[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM];
  for (int r = 0; r < block; ++r)
    for (int c = 0; c < block; ++c)
      sum[r * block + c] = here[r * block + c] + there[c * block + r];
  for (int r = 0; r < block; ++r)
    for (int c = 0; c < block; ++c)
      here[r * block + c] = there[c * block + r] = sum[r * block + c];
}

// A <- A + A^T, symmetric to the last bit. A's pattern is symmetric.
static void NAME(add_transpose)(const int *across, TYPE(mus_matrix) *a) {
  int rows = a->pattern->rows, block = a->row_block;
  size_t size = (size_t)(block * block);
  MUS_PARALLEL_FOR_IF((size_t)mus_pattern_blocks(a->pattern) * size > NUMBERS_MINIMUM)
  for (int i = 0; i < rows; ++i)
    for (int k = a->pattern->row_start[i]; k < a->pattern->row_start[i + 1]; ++k) {
      REAL *here = a->value + (size_t)k * size, *there = a->value + (size_t)across[k] * size;
      if (a->pattern->column[k] < i)
        continue;
      if (block == 3)
        NAME(add_pair)(3, here, there);
      else
        NAME(add_pair)(block, here, there);
    }
}

// `first` is the task of U P, but for what becomes of it.
static mus_status NAME(fill_coarse)(const mus_galerkin *plan, TYPE(mus_product_task) first, const TYPE(mus_matrix) *p,
                                    TYPE(mus_matrix) *coarse) {
  size_t most = 0;
  for (int t = 0; t < plan->tiles; ++t)
    most = tile_blocks(plan, t) > most ? tile_blocks(plan, t) : most;
  REAL *tile = mus_alloc(most * (size_t)(p->row_block * p->column_block), sizeof *tile);
  workspace all;
  mus_status status = workspace_create(plan->coarse.columns, plan->longest, &all);
  if (!tile)
    status = mus_fail_memory();
  TYPE(mus_matrix) up = {&plan->up, p->row_block, p->column_block, tile};
  first.c = up.pattern;
  first.c_value = tile;
  first.upper = plan->upper;
  first.targets = plan->up_targets.row_start ? &plan->up_targets : NULL;
  TYPE(mus_product_task) second = NAME(product_task)(p, &plan->pt.pattern, plan->pt.source, &up, coarse);
  second.targets = plan->coarse_targets.row_start ? &plan->coarse_targets : NULL;
  second.transposed = 1;
  second.inner = p->row_block;
  for (int t = 0; t < plan->tiles && !status; ++t) {
    first.c_origin = second.b_origin = plan->up.row_start[plan->needed[t][0]];
    NAME(run_product)(&first, plan->needed[t][0], plan->needed[t][1], &all);
    NAME(run_product)(&second, plan->tile[t], plan->tile[t + 1], &all);
  }
  mus_free(tile);
  mus_free(all.memory);
  if (!status)
    NAME(add_transpose)(plan->across, coarse);
  return status;
}

mus_status NAME(mus_galerkin_fill)(const mus_galerkin *plan, const TYPE(mus_matrix) *a, const TYPE(mus_matrix) *p,
                                   TYPE(mus_matrix) *coarse) {
  return NAME(fill_coarse)(plan, NAME(product_task)(a, a->pattern, NULL, p, p), p, coarse);
}
