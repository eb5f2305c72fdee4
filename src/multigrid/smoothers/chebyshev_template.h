// The Chebyshev smoother in one precision, as text for base/both_precisions.h. See chebyshev.h.

// The pass after a start from zero has no x_{k-1} to read.
static void NAME(passes)(const mus_chebyshev *c, int from_zero, recurrence r, const TYPE(mus_block_operator) *a,
                         const REAL *inverse_diagonal, const REAL *b, REAL **x, REAL **other) {
  NAME(mus_block_operator_rest)(a, from_zero, *x, *other);
  for (int k = from_zero; k < c->order; ++k) {
    if (k > 0)
      next_pass(&r);
    REAL gamma = (REAL)(k == from_zero ? 0 : r.beta);
    NAME(mus_block_operator_chebyshev)(a, inverse_diagonal, b, *x, (REAL)r.alpha, (REAL)r.beta, gamma, *other);
    REAL *swap = *x;
    *x = *other;
    *other = swap;
  }
}

void NAME(mus_chebyshev_sweep)(const mus_chebyshev *c, const TYPE(mus_block_operator) *a, const REAL *inverse_diagonal,
                               const REAL *b, REAL **x, REAL **other) {
  NAME(passes)(c, 0, first_pass(c), a, inverse_diagonal, b, x, other);
}

void NAME(mus_chebyshev_start)(const mus_chebyshev *c, const TYPE(mus_block_operator) *a, const REAL *inverse_diagonal,
                               const REAL *b, REAL **x, REAL **other) {
  recurrence r = first_pass(c);
  NAME(mus_block_operator_divide)(a, (REAL)r.alpha, inverse_diagonal, b, *x);
  NAME(passes)(c, 1, r, a, inverse_diagonal, b, x, other);
}

// --- the table's functions ------------------------------------------------------------------------------------------

static mus_status NAME(create)(const mus_multigrid_options *options, const TYPE(mus_level_system) *level,
                               mus_arena *arena, void **state) {
  (void)level;
  level_state *s = mus_arena_alloc_zero(arena, 1, sizeof *s);
  if (!s)
    return mus_fail_memory();
  s->options = options;
  *state = s;
  return MUS_OK;
}

static mus_status NAME(set_up)(void *state, const TYPE(mus_level_system) *level) {
  level_state *s = state;
  s->chebyshev = mus_chebyshev_for(s->options, level->radius);
  return MUS_OK;
}

// The interval follows the radius.
static mus_status NAME(renew)(void *state, const TYPE(mus_level_system) *level) {
  mus_chebyshev *c = &((level_state *)state)->chebyshev;
  c->low *= level->radius / c->high;
  c->high = level->radius;
  return MUS_OK;
}

static void NAME(pre)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x, REAL **other) {
  TYPE(mus_block_operator) a = NAME(mus_level_operator)(level);
  NAME(mus_chebyshev_start)(&((const level_state *)state)->chebyshev, &a, level->inverse_diagonal, b, x, other);
}

static void NAME(post)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x, REAL **other) {
  TYPE(mus_block_operator) a = NAME(mus_level_operator)(level);
  NAME(mus_chebyshev_sweep)(&((const level_state *)state)->chebyshev, &a, level->inverse_diagonal, b, x, other);
}
