// Damped block-Jacobi in one precision, as text for base/both_precisions.h. See jacobi.c.

static mus_status NAME(create)(const mus_multigrid_options *options, const TYPE(mus_level_system) *level,
                               mus_arena *arena, void **state) {
  (void)level;
  level_state *s = mus_arena_alloc_zero(arena, 1, sizeof *s);
  if (!s)
    return mus_fail_memory();
  s->sweeps = options->smoother_order;
  *state = s;
  return MUS_OK;
}

static mus_status NAME(set_up)(void *state, const TYPE(mus_level_system) *level) {
  ((level_state *)state)->omega = omega_for(level->radius);
  return MUS_OK;
}

static void NAME(sweep)(const level_state *s, int from_zero, const TYPE(mus_level_system) *level, const REAL *b,
                        REAL **x, REAL **other) {
  TYPE(mus_block_operator) a = NAME(mus_level_operator)(level);
  int sweeps = s->sweeps - from_zero;
  NAME(mus_block_operator_rest)(&a, from_zero, *x, *other);
  for (int k = 0; k < sweeps; ++k) {
    NAME(mus_block_operator_chebyshev)(&a, level->inverse_diagonal, b, *x, (REAL)s->omega, 0, 0, *other);
    REAL *swap = *x;
    *x = *other;
    *other = swap;
  }
}

static void NAME(pre)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x, REAL **other) {
  const level_state *s = state;
  TYPE(mus_block_operator) a = NAME(mus_level_operator)(level);
  NAME(mus_block_operator_divide)(&a, (REAL)s->omega, level->inverse_diagonal, b, *x);
  NAME(sweep)(s, 1, level, b, x, other);
}

static void NAME(post)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x, REAL **other) {
  const level_state *s = state;
  NAME(sweep)(s, 0, level, b, x, other);
}
