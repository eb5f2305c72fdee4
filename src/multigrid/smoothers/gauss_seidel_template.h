// Symmetric block Gauss-Seidel in one precision, as text for base/both_precisions.h. See gauss_seidel.c.

// Of one level.
typedef struct TYPE(level_state) {
  int sweeps;
  mus_sweep_plan plan; // without nodes that terms beyond the pattern touch
  TYPE(mus_sweep) half;
} TYPE(level_state);

static mus_status NAME(create)(const mus_multigrid_options *options, const TYPE(mus_level_system) *level,
                               mus_arena *arena, void **state) {
  TYPE(level_state) *s = mus_arena_alloc_zero(arena, 1, sizeof *s);
  if (!s)
    return mus_fail_memory();
  s->sweeps = options->smoother_order;
  mus_status status = mus_sweep_plan_create(arena, level->a.pattern, level->beyond ? level->beyond->count : 0,
                                            level->beyond ? level->beyond->node : NULL, &s->plan);
  if (!status)
    status = NAME(mus_sweep_create)(arena, &s->plan, level->a.row_block, &s->half);
  if (!status)
    *state = s;
  return status;
}

static mus_status NAME(set_up)(void *state, const TYPE(mus_level_system) *level) {
  NAME(mus_sweep_fill)(&level->a, level->inverse_diagonal, &((TYPE(level_state) *)state)->half);
  return MUS_OK;
}

static void NAME(report)(const void *state, mus_level_report *report) {
  mus_level_note(report, "colours", ((const TYPE(level_state) *)state)->plan.colours);
}

// residual -= A_k x for the blocks of one row.
static void NAME(take_blocks)(int block, const REAL *value, const int *column, int begin, int end, const REAL *x,
                              REAL *residual) {
  for (int k = begin; k < end; ++k) {
    const REAL *a = value + (size_t)k * (size_t)(block * block), *from = x + (size_t)column[k] * (size_t)block;
    for (int r = 0; r < block; ++r) {
      REAL sum = 0;
      for (int c = 0; c < block; ++c)
        sum += a[r * block + c] * from[c];
      residual[r] -= sum;
    }
  }
}

// x <- x + D^-1 (b - A x) at the k-th of the nodes that terms beyond the pattern touch.
static void NAME(relax_touched)(const TYPE(mus_level_system) *level, int k, const REAL *b, REAL *x) {
  const mus_pattern *p = level->a.pattern;
  const TYPE(mus_beyond) *beyond = level->beyond;
  int block = level->a.row_block, i = beyond->node[k];
  size_t at = (size_t)i * (size_t)block;
  REAL residual[MUS_BLOCK_MAXIMUM];
  memcpy(residual, b + at, (size_t)block * sizeof *residual);
  NAME(take_blocks)(block, level->a.value, p->column, p->row_start[i], p->row_start[i + 1], x, residual);
  const mus_pattern *more = &beyond->pattern;
  NAME(take_blocks)
  (block, beyond->value, more->column, more->row_start[k], more->row_start[k + 1], x, residual);
  const REAL *inverse = level->inverse_diagonal + at * (size_t)block;
  for (int r = 0; r < block; ++r) {
    REAL sum = 0;
    for (int c = 0; c < block; ++c)
      sum += inverse[r * block + c] * residual[c];
    x[at + (size_t)r] += sum;
  }
}

static void NAME(sweep)(const TYPE(level_state) *s, const TYPE(mus_level_system) *level, const REAL *b, REAL *x) {
  int touched = level->beyond ? level->beyond->count : 0;
  for (int sweep = 0; sweep < s->sweeps; ++sweep) {
    NAME(mus_sweep_forward)(&s->half, x, level->active);
    for (int k = 0; k < touched; ++k)
      NAME(relax_touched)(level, k, b, x);
    for (int k = touched - 1; k >= 0; --k)
      NAME(relax_touched)(level, k, b, x);
    NAME(mus_sweep_backward)(&s->half, x, level->active);
  }
}

static void NAME(pre)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x, REAL **other) {
  const TYPE(level_state) *s = state;
  (void)other;
  if (level->beyond || level->active) // the others are not read before they are written
    memset(*x, 0, (size_t)level->a.pattern->rows * (size_t)level->a.row_block * sizeof **x);
  NAME(mus_sweep_start)(&s->half, b, NULL, level->active);
  NAME(sweep)(s, level, b, *x);
}

static void NAME(post)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x, REAL **other) {
  const TYPE(level_state) *s = state;
  (void)other;
  NAME(mus_sweep_start)(&s->half, b, *x, level->active);
  NAME(sweep)(s, level, b, *x);
}
