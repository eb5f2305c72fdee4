// The sweeps of sweep.c in one precision, as text for base/both_precisions.h.

static mus_status NAME(create)(const mus_multigrid_options *options, const TYPE(mus_level_system) *level,
                               mus_arena *arena, void **state) {
  mus_symmetric_order *order = mus_arena_alloc(arena, 1, sizeof *order);
  (void)options;
  if (!order)
    return mus_fail_memory();
  *state = order;
  return mus_symmetric_order_create(arena, level->symmetric->pattern, order);
}

static void NAME(pre_with_residual)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x,
                                    REAL **other) {
  NAME(mus_symmetric_sweep_down)(level->symmetric, state, level->inverse_diagonal, b, *x, *other);
}

static void NAME(pre)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x, REAL **other) {
  NAME(pre_with_residual)(state, level, b, x, other);
}

static void NAME(post)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x, REAL **other) {
  (void)other;
  NAME(mus_symmetric_sweep_up)(level->symmetric, state, level->inverse_diagonal, b, *x);
}
