// Symmetric block Gauss-Seidel in one precision, as text for base/both_precisions.h. See gauss_seidel.c.

static mus_status NAME(create)(const mus_multigrid_options *options, const TYPE(mus_level_system) *level,
                               mus_arena *arena, void **state) {
  mus_colouring found;
  mus_status status = mus_colour(arena, level->a.pattern, 1, &found);
  level_state *s = status ? NULL : mus_arena_alloc_zero(arena, 1, sizeof *s);
  if (!s)
    return status ? status : mus_fail_memory();
  *s = (level_state){options->smoother_order, found.colours, found.start, found.node};
  if (level->beyond) {
    s->start = mus_arena_alloc(arena, (size_t)found.colours + 1, sizeof *s->start);
    s->node = mus_arena_alloc(arena, (size_t)level->a.pattern->rows, sizeof *s->node);
    if (!s->start || !s->node)
      return mus_fail_memory();
    leave_out(level->beyond->count, level->beyond->node, &found, s);
  }
  *state = s;
  return MUS_OK;
}

// residual -= A_k x for the blocks of one row.
static inline void NAME(take_blocks)(int block, const REAL *value, const int *column, int begin, int end, const REAL *x,
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

// Node i of x <- x + D^-1 (b - A x). `touched` is the node's place among those that terms beyond the pattern touch; -1:
// none.
static inline void NAME(relax)(int block, const TYPE(mus_level_system) *level, int i, int touched, const REAL *b,
                               REAL *x) {
  const mus_pattern *p = level->a.pattern;
  size_t at = (size_t)i * (size_t)block;
  REAL residual[MUS_BLOCK_MAXIMUM];
  memcpy(residual, b + at, (size_t)block * sizeof *residual);
  NAME(take_blocks)(block, level->a.value, p->column, p->row_start[i], p->row_start[i + 1], x, residual);
  if (touched >= 0) {
    const TYPE(mus_beyond) *c = level->beyond;
    NAME(take_blocks)
    (block, c->value, c->pattern.column, c->pattern.row_start[touched], c->pattern.row_start[touched + 1], x, residual);
  }
  const REAL *inverse = level->inverse_diagonal + at * (size_t)block;
  for (int r = 0; r < block; ++r) {
    REAL sum = 0;
    for (int c = 0; c < block; ++c)
      sum += inverse[r * block + c] * residual[c];
    x[at + (size_t)r] += sum;
  }
}

// With the block size known to the compiler where it is a common one.
static void NAME(relax_node)(const TYPE(mus_level_system) *level, int i, int touched, const REAL *b, REAL *x) {
  switch (level->a.row_block) {
  case 3:
    NAME(relax)(3, level, i, touched, b, x);
    return;
  case 6:
    NAME(relax)(6, level, i, touched, b, x);
    return;
  case 12:
    NAME(relax)(12, level, i, touched, b, x);
    return;
  default:
    NAME(relax)(level->a.row_block, level, i, touched, b, x);
  }
}

static void NAME(relax_colour)(const level_state *s, int colour, const TYPE(mus_level_system) *level, const REAL *b,
                               REAL *x) {
  MUS_PARALLEL_FOR_IF((s->start[colour + 1] - s->start[colour]) * level->a.row_block > MUS_PAR_MINIMUM)
  for (int k = s->start[colour]; k < s->start[colour + 1]; ++k)
    NAME(relax_node)(level, s->node[k], -1, b, x);
}

static void NAME(post)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x, REAL **other) {
  const level_state *s = state;
  int touched = level->beyond ? level->beyond->count : 0;
  (void)other;
  for (int sweep = 0; sweep < s->sweeps; ++sweep) {
    for (int c = 0; c < s->colours; ++c)
      NAME(relax_colour)(s, c, level, b, *x);
    for (int k = 0; k < touched; ++k)
      NAME(relax_node)(level, level->beyond->node[k], k, b, *x);
    for (int k = touched - 1; k >= 0; --k)
      NAME(relax_node)(level, level->beyond->node[k], k, b, *x);
    for (int c = s->colours - 1; c >= 0; --c)
      NAME(relax_colour)(s, c, level, b, *x);
  }
}

static void NAME(pre)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x, REAL **other) {
  memset(*x, 0, (size_t)level->a.pattern->rows * (size_t)level->a.row_block * sizeof **x);
  NAME(post)(state, level, b, x, other);
}
