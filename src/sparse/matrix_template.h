// Products of matrices of one precision, as text for base/both_precisions.h: each thread gets a run of rows.

static void NAME(run_rows)(const TYPE(mus_task) *task, mus_operation operation, int rows) {
  mus_shape shape = mus_shape_of(task->row_block, task->column_block);
  void (*kernel)(const TYPE(mus_task) *, int, int) = mus_kernels_current()->NAME(rows)[operation][shape];
  size_t numbers = (size_t)task->row_start[rows] * (size_t)(task->row_block * task->column_block);
  int runs = numbers > NUMBERS_MINIMUM ? mus_par_threads() : 1;
  MUS_PARALLEL_FOR_IF(runs > 1)
  for (int run = 0; run < runs; ++run)
    kernel(task, run_begin(task->row_start, rows, run, runs), run_begin(task->row_start, rows, run + 1, runs));
}

// The active ones of rows begin ... end - 1, as many at a time as lie together.
static void NAME(run_active)(const TYPE(mus_task) *task, TYPE(mus_row_kernel) *kernel, int begin, int end,
                             const unsigned char *active) {
  for (int i = begin; i < end;) {
    int first = i;
    while (i < end && active[i])
      ++i;
    if (i > first)
      kernel(task, first, i);
    while (i < end && !active[i])
      ++i;
  }
}

static void NAME(run_active_rows)(const TYPE(mus_task) *task, mus_operation operation, int rows,
                                  const unsigned char *active) {
  mus_shape shape = mus_shape_of(task->row_block, task->column_block);
  TYPE(mus_row_kernel) *kernel = mus_kernels_current()->NAME(rows)[operation][shape];
  size_t numbers = (size_t)task->row_start[rows] * (size_t)(task->row_block * task->column_block);
  int runs = numbers > NUMBERS_MINIMUM ? mus_par_threads() : 1;
  MUS_PARALLEL_FOR_IF(runs > 1)
  for (int run = 0; run < runs; ++run)
    NAME(run_active)
  (task, kernel, run_begin(task->row_start, rows, run, runs), run_begin(task->row_start, rows, run + 1, runs), active);
}

static TYPE(mus_task) NAME(task_of)(const TYPE(mus_matrix) *a, const REAL *x, REAL *y) {
  return (TYPE(mus_task)){.row_block = a->row_block,
                          .column_block = a->column_block,
                          .row_start = a->pattern->row_start,
                          .column = a->pattern->column,
                          .value = a->value,
                          .x = x,
                          .y = y};
}

void NAME(mus_multiply)(const TYPE(mus_matrix) *a, const REAL *x, REAL *y) {
  TYPE(mus_task) task = NAME(task_of)(a, x, y);
  NAME(run_rows)(&task, MUS_OP_MULTIPLY, a->pattern->rows);
}

void NAME(mus_multiply_add)(const TYPE(mus_matrix) *a, const REAL *x, REAL *y) {
  TYPE(mus_task) task = NAME(task_of)(a, x, y);
  NAME(run_rows)(&task, MUS_OP_ADD, a->pattern->rows);
}

void NAME(mus_residual)(const TYPE(mus_matrix) *a, const REAL *b, const REAL *x, REAL *r) {
  TYPE(mus_task) task = NAME(task_of)(a, x, r);
  task.b = b;
  NAME(run_rows)(&task, MUS_OP_RESIDUAL, a->pattern->rows);
}

void NAME(mus_multiply_transposed)(const TYPE(mus_matrix) *a, const mus_transpose *at, const REAL *x, REAL *y) {
  TYPE(mus_task) task = NAME(task_of)(a, x, y);
  task.row_start = at->pattern.row_start;
  task.column = at->pattern.column;
  task.source = at->source;
  NAME(run_rows)(&task, MUS_OP_TRANSPOSED, at->pattern.rows);
}

static TYPE(mus_task) NAME(chebyshev_task)(const TYPE(mus_matrix) *a, const REAL *inverse_diagonal, const REAL *b,
                                           const REAL *x, REAL alpha, REAL beta, REAL gamma, REAL *next) {
  TYPE(mus_task) task = NAME(task_of)(a, x, next);
  task.b = b;
  task.inverse_diagonal = inverse_diagonal;
  task.alpha = alpha;
  task.beta = beta;
  task.gamma = gamma;
  return task;
}

void NAME(mus_chebyshev_step)(const TYPE(mus_matrix) *a, const REAL *inverse_diagonal, const REAL *b, const REAL *x,
                              REAL alpha, REAL beta, REAL gamma, REAL *next) {
  TYPE(mus_task) task = NAME(chebyshev_task)(a, inverse_diagonal, b, x, alpha, beta, gamma, next);
  NAME(run_rows)(&task, MUS_OP_CHEBYSHEV, a->pattern->rows);
}

void NAME(mus_chebyshev_step_of)(const TYPE(mus_matrix) *a, const unsigned char *active, const REAL *inverse_diagonal,
                                 const REAL *b, const REAL *x, REAL alpha, REAL beta, REAL gamma, REAL *next) {
  TYPE(mus_task) task = NAME(chebyshev_task)(a, inverse_diagonal, b, x, alpha, beta, gamma, next);
  NAME(run_active_rows)(&task, MUS_OP_CHEBYSHEV, a->pattern->rows, active);
}
