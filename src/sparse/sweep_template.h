// Sweeps by colours in one precision, as text for base/both_precisions.h. See sweep.h.

static size_t NAME(numbers_of)(const TYPE(mus_sweep) *sweep, const mus_sweep_half *half) {
  const mus_sweep_plan *plan = sweep->plan;
  return (size_t)half->row_start[plan->start[plan->colours]] * (size_t)(sweep->block * sweep->block);
}

mus_status NAME(mus_sweep_create)(mus_arena *arena, const mus_sweep_plan *plan, int block, TYPE(mus_sweep) *out) {
  size_t unknowns = (size_t)plan->start[plan->colours] * (size_t)block;
  *out = (TYPE(mus_sweep)){.plan = plan, .block = block};
  out->lower = mus_arena_alloc(arena, NAME(numbers_of)(out, &plan->lower), sizeof *out->lower);
  out->upper = mus_arena_alloc(arena, NAME(numbers_of)(out, &plan->upper), sizeof *out->upper);
  out->inverse = mus_arena_alloc(arena, unknowns * (size_t)block, sizeof *out->inverse);
  out->right = mus_arena_alloc(arena, unknowns, sizeof *out->right);
  out->sums = mus_arena_alloc(arena, unknowns, sizeof *out->sums);
  return out->lower && out->upper && out->inverse && out->right && out->sums ? MUS_OK : mus_fail_memory();
}

// to = `width` numbers for each node, in the order of the plan.
static void NAME(take)(const mus_sweep_plan *plan, size_t width, const REAL *from, REAL *to) {
  int rows = plan->start[plan->colours];
  MUS_PARALLEL_FOR_IF((size_t)rows * width > NUMBERS_MINIMUM)
  for (int k = 0; k < rows; ++k)
    memcpy(to + (size_t)k * width, from + (size_t)plan->node[k] * width, width * sizeof *to);
}

static void NAME(fill_half)(const TYPE(mus_matrix) *a, const mus_sweep_plan *plan, const mus_sweep_half *half,
                            REAL *value) {
  int blocks = half->row_start[plan->start[plan->colours]];
  size_t size = (size_t)(a->row_block * a->row_block);
  MUS_PARALLEL_FOR_IF((size_t)blocks * size > NUMBERS_MINIMUM)
  for (int k = 0; k < blocks; ++k)
    memcpy(value + (size_t)k * size, a->value + (size_t)half->source[k] * size, size * sizeof *value);
}

void NAME(mus_sweep_fill)(const TYPE(mus_matrix) *a, const REAL *inverse_diagonal, TYPE(mus_sweep) *sweep) {
  NAME(fill_half)(a, sweep->plan, &sweep->plan->lower, sweep->lower);
  NAME(fill_half)(a, sweep->plan, &sweep->plan->upper, sweep->upper);
  NAME(take)(sweep->plan, (size_t)(sweep->block * sweep->block), inverse_diagonal, sweep->inverse);
}

// The active ones of rows begin ... end - 1, as many at a time as lie together.
static void NAME(run_active)(const TYPE(mus_task) *task, TYPE(mus_row_kernel) *kernel, int begin, int end,
                             const unsigned char *active) {
  for (int k = begin; k < end;) {
    int first = k;
    while (k < end && active[task->source[k]])
      ++k;
    if (k > first)
      kernel(task, first, k);
    while (k < end && !active[task->source[k]])
      ++k;
  }
}

// Rows begin ... end - 1 of the plan, which must not depend on each other; of these, those that are active.
static void NAME(run_part)(const TYPE(mus_task) *task, int begin, int end, const unsigned char *active) {
  mus_shape shape = mus_shape_of(task->row_block, task->column_block);
  TYPE(mus_row_kernel) *kernel = mus_kernels_current()->NAME(rows)[MUS_OP_RELAX][shape];
  size_t blocks = (size_t)(task->row_start[end] - task->row_start[begin]);
  int runs = blocks * (size_t)(task->row_block * task->column_block) > NUMBERS_MINIMUM ? mus_par_threads() : 1;
  long long rows = end - begin;
  MUS_PARALLEL_FOR_IF(runs > 1)
  for (int run = 0; run < runs; ++run) {
    int from = begin + (int)(rows * run / runs), to = begin + (int)(rows * (run + 1) / runs);
    if (active)
      NAME(run_active)(task, kernel, from, to, active);
    else
      kernel(task, from, to);
  }
}

static TYPE(mus_task) NAME(task_of)(const TYPE(mus_sweep) *sweep, const mus_sweep_half *half, const REAL *value,
                                    const REAL *x) {
  return (TYPE(mus_task)){.row_block = sweep->block,
                          .column_block = sweep->block,
                          .row_start = half->row_start,
                          .column = half->column,
                          .source = sweep->plan->node,
                          .value = value,
                          .x = x,
                          .b = sweep->right,
                          .inverse_diagonal = sweep->inverse,
                          .y = sweep->sums};
}

void NAME(mus_sweep_start)(const TYPE(mus_sweep) *sweep, const REAL *b, const REAL *x, const unsigned char *active) {
  const mus_sweep_plan *plan = sweep->plan;
  int rows = plan->start[plan->colours];
  NAME(take)(plan, (size_t)sweep->block, b, sweep->right);
  if (!x) {
    memset(sweep->sums, 0, (size_t)rows * (size_t)sweep->block * sizeof *sweep->sums);
    return;
  }
  TYPE(mus_task) task = NAME(task_of)(sweep, &plan->upper, sweep->upper, x);
  NAME(run_part)(&task, 0, rows, active);
}

void NAME(mus_sweep_forward)(const TYPE(mus_sweep) *sweep, REAL *x, const unsigned char *active) {
  const mus_sweep_plan *plan = sweep->plan;
  TYPE(mus_task) task = NAME(task_of)(sweep, &plan->lower, sweep->lower, x);
  task.relaxed = x;
  for (int c = 0; c < plan->colours; ++c)
    NAME(run_part)(&task, plan->start[c], plan->start[c + 1], active);
}

void NAME(mus_sweep_backward)(const TYPE(mus_sweep) *sweep, REAL *x, const unsigned char *active) {
  const mus_sweep_plan *plan = sweep->plan;
  TYPE(mus_task) task = NAME(task_of)(sweep, &plan->upper, sweep->upper, x);
  task.relaxed = x;
  for (int c = plan->colours - 1; c >= 0; --c)
    NAME(run_part)(&task, plan->start[c], plan->start[c + 1], active);
}
