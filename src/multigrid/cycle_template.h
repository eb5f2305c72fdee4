// V- and W-cycles in one precision, as text for base/both_precisions.h. See cycle.h.

static void NAME(restrict_to)(const TYPE(mus_cycle_level) *level, const REAL *x, REAL *y) {
  if (level->passes && level->passes->chunks > 0)
    NAME(mus_restrict)(&level->p, level->passes, x, y);
  else
    NAME(mus_multiply_transposed)(&level->p, level->pt, x, y);
}

// The residual goes into `other`, which is free between the two smoothers. A bottom that is solved directly needs no
// second visit.
REAL *NAME(mus_cycle_run)(TYPE(mus_cycle_level) *level, int levels, int visits, const mus_cycle_bottom *bottom) {
  if (levels == 1 && bottom->factor) {
    NAME(solve_bottom)(level, bottom);
    return level->x;
  }
  TYPE(mus_block_operator) a = {.a = &level->a, .beyond = level->beyond, .symmetric = level->symmetric};
  REAL *x = level->x, *other = level->other;
  NAME(mus_chebyshev_start)(&level->smoother, &a, level->inverse_diagonal, level->b, &x, &other);
  if (levels > 1) {
    TYPE(mus_cycle_level) *next = level + 1;
    NAME(mus_block_operator_residual)(&a, level->b, x, other);
    NAME(restrict_to)(level, other, next->b);
    const REAL *coarse = NAME(mus_cycle_run)(next, levels - 1, visits, bottom);
    NAME(mus_multiply_add)(&level->p, coarse, x);
    if (visits > 1 && !(levels == 2 && bottom->factor)) {
      REAL *first = next->b;
      NAME(mus_block_operator_residual)
      (&(TYPE(mus_block_operator)){.a = &next->a, .beyond = next->beyond, .symmetric = next->symmetric}, first, coarse,
       next->left_over);
      next->b = next->left_over;
      NAME(mus_multiply_add)(&level->p, NAME(mus_cycle_run)(next, levels - 1, visits, bottom), x);
      next->b = first;
    }
  }
  NAME(mus_chebyshev_sweep)(&level->smoother, &a, level->inverse_diagonal, level->b, &x, &other);
  return x;
}
