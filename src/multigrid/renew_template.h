// Coarse matrices for kept prolongators in one precision, as text for base/both_precisions.h. See renew.h.

static double NAME(square)(size_t n, const REAL *x) {
  double part[RUNS], sum = 0;
  MUS_PARALLEL_FOR_IF(n > MUS_PAR_MINIMUM)
  for (int run = 0; run < RUNS; ++run) {
    double own = 0;
    for (size_t i = n * (size_t)run / RUNS; i < n * (size_t)(run + 1) / RUNS; ++i)
      own += (double)x[i] * (double)x[i];
    part[run] = own;
  }
  for (int run = 0; run < RUNS; ++run)
    sum += part[run];
  return sum;
}

static void NAME(scale_probe)(size_t n, double factor, const REAL *from, REAL *to) {
  MUS_PARALLEL_FOR_IF(n > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < n; ++i)
    to[i] = (REAL)(factor * (double)from[i]);
}

// probe <- D^-1 A probe, brought to length 1; returns how much longer it had become
static double NAME(advance)(TYPE(mus_cycle_level) *level, TYPE(mus_renewal) *r) {
  size_t n = (size_t)level->system.a.pattern->rows * (size_t)level->system.a.row_block;
  memset(level->x, 0, n * sizeof(REAL));
  TYPE(mus_block_operator) a = {
      .a = &level->system.a, .symmetric = level->system.symmetric, .clusters = level->system.clusters};
  NAME(mus_block_operator_chebyshev)(&a, level->system.inverse_diagonal, level->x, r->probe, 1, -1, 0, level->other);
  double growth = sqrt(NAME(square)(n, level->other));
  NAME(scale_probe)(n, growth > 0 ? 1 / growth : 0, level->other, r->probe);
  return growth;
}

void NAME(mus_renewal_start)(TYPE(mus_cycle_level) *level, TYPE(mus_renewal) *r) {
  size_t n = (size_t)level->system.a.pattern->rows * (size_t)level->system.a.row_block;
  MUS_PARALLEL_FOR_IF(n > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < n; ++i)
    r->probe[i] = (REAL)mus_random(1, (uint64_t)i);
  for (int k = 0; k < PROBE_STEPS; ++k)
    r->growth = NAME(advance)(level, r);
  r->radius = level->system.radius;
}

// to = S_i from
static void NAME(project)(const double *s, int rows, int columns, const REAL *from, REAL *to) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      double sum = 0;
      for (int q = 0; q < rows; ++q)
        sum += s[r * rows + q] * (double)from[q * columns + c];
      to[r * columns + c] = (REAL)sum;
    }
}

// Lists the rows of P that are held, with memory for them. What it held before is gone.
static mus_status NAME(list_held)(const TYPE(mus_matrix) *p, const mus_filter *held, TYPE(mus_renewal) *r,
                                  mus_arena *arena) {
  size_t rows = (size_t)held->count, blocks = 0;
  const int *start = p->pattern->row_start;
  for (int h = 0; h < held->count; ++h)
    blocks += (size_t)(start[held->node[h] + 1] - start[held->node[h]]);
  if (rows > r->rows_capacity || blocks > r->blocks_capacity) {
    mus_arena_clear(arena);
    r->rows_capacity = rows + rows / 4;
    r->blocks_capacity = blocks + blocks / 4;
    r->held_row = mus_arena_alloc(arena, r->rows_capacity, sizeof *r->held_row);
    r->held_start = mus_arena_alloc(arena, r->rows_capacity + 1, sizeof *r->held_start);
    r->made = mus_arena_alloc(arena, r->blocks_capacity * (size_t)(p->row_block * p->column_block), sizeof *r->made);
    if (!r->held_row || !r->held_start || !r->made) {
      r->rows_capacity = r->blocks_capacity = 0;
      return mus_fail_memory();
    }
  }
  r->held_start[0] = 0;
  for (int h = 0; h < held->count; ++h) {
    r->held_row[h] = held->node[h];
    r->held_start[h + 1] = r->held_start[h] + start[held->node[h] + 1] - start[held->node[h]];
  }
  return MUS_OK;
}

// Rows of P that have changed are packed again.
static void NAME(pack_held)(TYPE(mus_cycle_level) *level, const TYPE(mus_renewal) *r) {
#if SINGLE
  if (level->packed)
    mus_packed_round_rows(&level->p, r->held, r->held_row, level->packed);
#else
  (void)level;
  (void)r;
#endif
}

// S P for P as it was made
static mus_status NAME(hold)(TYPE(mus_cycle_level) *level, TYPE(mus_renewal) *r, const mus_filter *held,
                             mus_arena *arena) {
  TYPE(mus_matrix) *p = &level->p;
  size_t size = (size_t)(p->row_block * p->column_block), s_size = (size_t)(p->row_block * p->row_block);
  const int *start = p->pattern->row_start;
  MUS_PARALLEL_FOR_IF(r->held > MUS_PAR_MINIMUM)
  for (int h = 0; h < r->held; ++h)
    memcpy(p->value + (size_t)start[r->held_row[h]] * size, r->made + (size_t)r->held_start[h] * size,
           (size_t)(r->held_start[h + 1] - r->held_start[h]) * size * sizeof(REAL));
  NAME(pack_held)(level, r);
  r->held = 0;
  if (!held || held->count == 0)
    return MUS_OK;
  mus_status status = NAME(list_held)(p, held, r, arena);
  if (status)
    return status;
  r->held = held->count;
  MUS_PARALLEL_FOR_IF(r->held > MUS_PAR_MINIMUM)
  for (int h = 0; h < r->held; ++h) {
    REAL *value = p->value + (size_t)start[r->held_row[h]] * size, *made = r->made + (size_t)r->held_start[h] * size;
    size_t numbers = (size_t)(r->held_start[h + 1] - r->held_start[h]) * size;
    memcpy(made, value, numbers * sizeof(REAL));
    for (size_t k = 0; k < numbers; k += size)
      NAME(project)(held->projection + (size_t)h * s_size, p->row_block, p->column_block, made + k, value + k);
  }
  NAME(pack_held)(level, r);
  return MUS_OK;
}

// Blocks of nothing, where all of an aggregate is held, get the mean of the others.
static void NAME(prop_up_by)(double part, TYPE(mus_matrix) *a, const int *diagonal) {
  int rows = a->pattern->rows, block = a->row_block;
  size_t size = (size_t)(block * block);
  double sum = 0;
  for (int i = 0; i < rows; ++i)
    for (int r = 0; r < block; ++r)
      sum += (double)a->value[(size_t)diagonal[i] * size + (size_t)(r * (block + 1))];
  double mean = sum > 0 ? sum / ((double)rows * block) : 1;
  for (int i = 0; i < rows; ++i) {
    REAL *d = a->value + (size_t)diagonal[i] * size;
    double own = 0;
    for (int r = 0; r < block; ++r)
      own += (double)d[r * (block + 1)] / block;
    REAL more = (REAL)(own > part * mean ? part * own : mean);
    for (int r = 0; r < block; ++r)
      d[r * (block + 1)] += more;
  }
}

void NAME(mus_prop_up)(TYPE(mus_matrix) *a, const int *diagonal) { NAME(prop_up_by)(NAME(propped), a, diagonal); }

mus_status NAME(mus_renew)(const mus_matrix *finest, TYPE(mus_cycle_level) *level, TYPE(mus_renewal) *r, int levels,
                           int renewed, int factored, const mus_filter *held, mus_arena *arena) {
  mus_status status = levels > 1 ? NAME(hold)(level, r, held, arena) : MUS_OK;
  for (int k = 0; k < renewed && !status; ++k) {
    if (k + 1 < levels || !factored) {
      REAL *inverse = (REAL *)level[k].system.inverse_diagonal;
      status = k == 0 ? NAME(invert_finest)(finest, r->diagonal, inverse)
                      : NAME(mus_inverse_diagonal)(&level[k].system.a, r[k].diagonal, inverse);
      if (!status && level[k].system.clusters)
        NAME(mus_clusters_fill)(level[k].system.clusters, finest, inverse);
      if (!status && r[k].probe)
        level[k].system.radius = followed(r[k].radius, r[k].growth, NAME(advance)(&level[k], &r[k]));
      if (!status && level[k].smoother->renew)
        status = level[k].smoother->renew(level[k].smoother_state, &level[k].system);
    }
    if (k + 1 < renewed && !status)
      status = k == 0 ? NAME(galerkin_finest)(r->plan, finest, &level->p, &level[1].system.a)
                      : NAME(mus_galerkin_fill)(r[k].plan, &level[k].system.a, &level[k].p, &level[k + 1].system.a);
    if (k + 1 < renewed && !status)
      NAME(mus_prop_up)(&level[k + 1].system.a, r[k + 1].diagonal);
  }
  return status;
}
