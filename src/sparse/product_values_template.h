// Products' values in one precision, as text for base/both_precisions.h.

// Few rows may be much work: those of coarse levels have many blocks, and large ones.
static void NAME(run_product)(const TYPE(mus_product_task) *task, const workspace *all) {
  const mus_kernels *kernels = mus_kernels_current();
  int rows = task->c->rows, length = run_length(rows), runs = (rows + length - 1) / length;
  size_t numbers = (size_t)mus_pattern_blocks(task->c) * (size_t)(task->rows * task->columns);
  if (numbers <= NUMBERS_MINIMUM || runs < 2) {
    mus_product_workspace mine = workspace_of(all, 0);
    kernels->NAME(product_rows)(task, 0, rows, &mine);
    return;
  }
  MUS_PARALLEL
  {
    mus_product_workspace mine = workspace_of(all, mus_par_index());
    MUS_SHARE_RUNS
    for (int run = 0; run < runs; ++run) {
      int begin = run * length, end = rows - begin > length ? begin + length : rows;
      kernels->NAME(product_rows)(task, begin, end, &mine);
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
  size_t numbers = (size_t)mus_pattern_blocks(&plan->up) * (size_t)(p->row_block * p->column_block);
  REAL *value = mus_alloc(numbers, sizeof *value);
  workspace all;
  mus_status status = workspace_create(plan->coarse.columns, plan->longest, &all);
  if (!value)
    status = mus_fail_memory();
  TYPE(mus_matrix) up = {&plan->up, p->row_block, p->column_block, value};
  first.c = up.pattern;
  first.c_value = value;
  first.upper = plan->upper;
  first.targets = plan->up_targets.row_start ? &plan->up_targets : NULL;
  TYPE(mus_product_task) second = NAME(product_task)(p, &plan->pt.pattern, plan->pt.source, &up, coarse);
  second.targets = plan->coarse_targets.row_start ? &plan->coarse_targets : NULL;
  second.transposed = 1;
  second.inner = p->row_block;
  if (!status) {
    NAME(run_product)(&first, &all);
    NAME(run_product)(&second, &all);
  }
  mus_free(value);
  mus_free(all.memory);
  if (!status)
    NAME(add_transpose)(plan->across, coarse);
  return status;
}

mus_status NAME(mus_galerkin_fill)(const mus_galerkin *plan, const TYPE(mus_matrix) *a, const TYPE(mus_matrix) *p,
                                   TYPE(mus_matrix) *coarse) {
  if (plan->pass.chunks > 0)
    return NAME(mus_galerkin_pass_fill)(plan, a, p, coarse);
  return NAME(fill_coarse)(plan, NAME(product_task)(a, a->pattern, NULL, p, p), p, coarse);
}
