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
  TYPE(mus_block_operator) a = NAME(mus_level_operator)(&level->system);
  REAL *x = level->x, *other = level->other;
  level->smoother->pre(level->smoother_state, &level->system, level->b, &x, &other);
  if (levels > 1) {
    TYPE(mus_cycle_level) *next = level + 1;
    NAME(mus_block_operator_residual)(&a, level->b, x, other);
    NAME(restrict_to)(level, other, next->b);
    const REAL *coarse = NAME(mus_cycle_run)(next, levels - 1, visits, bottom);
    NAME(mus_multiply_add)(&level->p, coarse, x);
    if (visits > 1 && !(levels == 2 && bottom->factor)) {
      REAL *first = next->b;
      TYPE(mus_block_operator) next_a = NAME(mus_level_operator)(&next->system);
      NAME(mus_block_operator_residual)(&next_a, first, coarse, next->left_over);
      next->b = next->left_over;
      NAME(mus_multiply_add)(&level->p, NAME(mus_cycle_run)(next, levels - 1, visits, bottom), x);
      next->b = first;
    }
  }
  level->smoother->post(level->smoother_state, &level->system, level->b, &x, &other);
  return x;
}
