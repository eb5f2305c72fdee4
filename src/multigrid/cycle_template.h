// V- and W-cycles in one precision, as text for base/both_precisions.h. See cycle.h.

static void NAME(restrict_to)(const TYPE(mus_cycle_level) *level, const REAL *x, REAL *y) {
#if SINGLE
  if (level->packed && level->passes && level->passes->chunks > 0) {
    mus_packed_restrict(level->packed, level->passes, x, y);
    return;
  }
#endif
  if (level->passes && level->passes->chunks > 0)
    NAME(mus_restrict)(&level->p, level->passes, x, y);
  else
    NAME(mus_multiply_transposed)(&level->p, level->pt, x, y);
}

static void NAME(count)(const TYPE(mus_cycle_level) *level, double numbers) {
  if (level->work)
    level->work->all += numbers;
}

static void NAME(count_smoothing)(const TYPE(mus_cycle_level) *level, double numbers, double skipped) {
  NAME(count)(level, numbers);
  if (!level->work)
    return;
  level->work->smoothing += numbers;
  level->work->skipped += skipped;
}

static double NAME(numbers)(const TYPE(mus_level_system) *system) {
  const mus_pattern *p = system->a.pattern;
  double blocks = mus_pattern_blocks(p);
  if (system->beyond)
    blocks += mus_pattern_blocks(&system->beyond->pattern);
  return blocks * system->a.row_block * system->a.row_block;
}

static double NAME(prolongator_numbers)(const TYPE(mus_cycle_level) *level) {
  return (double)mus_pattern_blocks(level->p.pattern) * level->p.row_block * level->p.column_block;
}

static void NAME(descend)(const TYPE(mus_cycle_level) *level, const REAL *residual, REAL *coarse) {
  NAME(count)(level, NAME(prolongator_numbers)(level));
  NAME(restrict_to)(level, residual, coarse);
}

// measure_i = (b_i . D_i^-1 b_i)^1/2
static void NAME(measure_rows)(const TYPE(mus_cycle_level) *level, int rows, int block) {
  MUS_PARALLEL_FOR_IF(rows >= MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i) {
    const REAL *b = level->b + (size_t)i * (size_t)block;
    const REAL *inverse = level->system.inverse_diagonal + (size_t)i * (size_t)(block * block);
    double energy = 0;
    for (int r = 0; r < block; ++r)
      for (int c = 0; c < block; ++c)
        energy += (double)b[r] * (double)inverse[r * block + c] * (double)b[c];
    level->measure[i] = sqrt(fmax(energy, 0));
  }
}

// Chooses the rows to smooth for the residual b.
static void NAME(choose_rows)(TYPE(mus_cycle_level) *level) {
  int rows = level->system.a.pattern->rows, block = level->system.a.row_block;
  level->system.active = NULL;
  if (!(level->threshold > 0) || !level->active || level->system.beyond)
    return;
  NAME(measure_rows)(level, rows, block);
  double least = level->threshold * sqrt(mus_dot((size_t)rows, level->measure, level->measure) / rows);
  for (int i = 0; i < rows; ++i)
    level->active[i] = level->measure[i] >= least;
  level->system.active = level->active;
  NAME(count_smoothing)(level, (double)rows * block * block, 0);
}

// The part of a level's numbers that lies in rows which are smoothed.
static double NAME(active_part)(const TYPE(mus_level_system) *system) {
  const int *start = system->a.pattern->row_start;
  int rows = system->a.pattern->rows;
  double blocks = 0;
  for (int i = 0; i < rows && system->active; ++i)
    blocks += system->active[i] ? start[i + 1] - start[i] : 0;
  return system->active ? blocks / start[rows] : 1;
}

static void NAME(smooth_with)(TYPE(mus_cycle_level) *level, int from_zero, int with_residual, REAL **x, REAL **other) {
  const TYPE(mus_smoother_calls) *calls = level->smoother;
  if (from_zero)
    NAME(choose_rows)(level);
  if (with_residual)
    calls->pre_with_residual(level->smoother_state, &level->system, level->b, x, other);
  else
    (from_zero ? calls->pre : calls->post)(level->smoother_state, &level->system, level->b, x, other);
  double all = level->sweep_passes[from_zero] * NAME(numbers)(&level->system);
  int divides = level->system.clusters && !calls->pre_with_residual; // sweeps know no clusters
  if (divides) // once for each division, also where a pass over the matrix is saved
    all += (level->sweep_passes[from_zero] + from_zero) * level->system.clusters->place[level->system.clusters->count];
  double part = NAME(active_part)(&level->system);
  NAME(count_smoothing)(level, part * all, (1 - part) * all);
}

static void NAME(smooth)(TYPE(mus_cycle_level) *level, int from_zero, REAL **x, REAL **other) {
  NAME(smooth_with)(level, from_zero, 0, x, other);
}

static void NAME(take_residual)(const TYPE(mus_cycle_level) *level, const REAL *b, const REAL *x, REAL *out) {
  TYPE(mus_block_operator) a = NAME(mus_level_operator)(&level->system);
  NAME(mus_block_operator_residual)(&a, b, x, out);
  NAME(count)(level, NAME(numbers)(&level->system));
}

// The first sweep and what it leaves, in *other.
static void NAME(smooth_down)(TYPE(mus_cycle_level) *level, REAL **x, REAL **other) {
  int at_once = level->smoother->pre_with_residual != NULL;
  NAME(smooth_with)(level, 1, at_once, x, other);
  if (at_once)
    NAME(count)(level, NAME(numbers)(&level->system));
  else
    NAME(take_residual)(level, level->b, *x, *other);
}

static void NAME(add_coarse)(const TYPE(mus_cycle_level) *level, const REAL *coarse, REAL *x) {
  NAME(count)(level, NAME(prolongator_numbers)(level));
#if SINGLE
  if (level->packed) {
    mus_packed_multiply_add(level->packed, coarse, x);
    return;
  }
#endif
  NAME(mus_multiply_add)(&level->p, coarse, x);
}

static REAL *NAME(finish)(TYPE(mus_cycle_level) *level, const mus_cycle_bottom *bottom) {
  NAME(solve_bottom)(level, bottom);
  NAME(count)(level, mus_factor_numbers(bottom->factor));
  return level->x;
}

// The residual goes into `other`, which is free between the two smoothers. A bottom that is solved directly needs no
// second visit.
REAL *NAME(mus_cycle_run)(TYPE(mus_cycle_level) *level, int levels, int visits, const mus_cycle_bottom *bottom) {
  if (levels == 1 && bottom->factor)
    return NAME(finish)(level, bottom);
  REAL *x = level->x, *other = level->other;
  if (levels == 1)
    NAME(smooth)(level, 1, &x, &other);
  else {
    TYPE(mus_cycle_level) *next = level + 1;
    NAME(smooth_down)(level, &x, &other);
    NAME(descend)(level, other, next->b);
    const REAL *coarse = NAME(mus_cycle_run)(next, levels - 1, visits, bottom);
    NAME(add_coarse)(level, coarse, x);
    if (visits > 1 && !(levels == 2 && bottom->factor)) {
      REAL *first = next->b;
      NAME(take_residual)(next, first, coarse, next->left_over);
      next->b = next->left_over;
      NAME(add_coarse)(level, NAME(mus_cycle_run)(next, levels - 1, visits, bottom), x);
      next->b = first;
    }
  }
  NAME(smooth)(level, 0, &x, &other);
  return x;
}

// Right-hand sides on the way down, and x on the way up, are each level's own.
REAL *NAME(mus_cycle_correct)(TYPE(mus_cycle_level) *level, int levels, int at, int visits,
                              const mus_cycle_bottom *bottom) {
  for (int k = 0; k < at; ++k)
    NAME(descend)(&level[k], level[k].b, level[k + 1].b);
  REAL *x = level[at].x, *other = level[at].other;
  if (visits > 0)
    x = NAME(mus_cycle_run)(level + at, levels - at, visits, bottom);
  else if (at + 1 == levels && bottom->factor)
    x = NAME(finish)(&level[at], bottom);
  else
    NAME(smooth)(&level[at], 1, &x, &other);
  for (int k = at - 1; k >= 0; --k) {
    NAME(mus_multiply)(&level[k].p, x, level[k].x);
    NAME(count)(&level[k], NAME(prolongator_numbers)(&level[k]));
    x = level[k].x;
  }
  return x;
}
