// V- and W-cycles in both precisions. See cycle.h.
#include "multigrid/cycle.h"

#include "par/vector.h"

static size_t unknowns(const mus_pattern *pattern, int block) { return (size_t)pattern->rows * (size_t)block; }

static void solve_bottom(mus_cycle_level *level, const mus_cycle_bottom *bottom) {
  mus_factor_solve(bottom->factor, level->b, level->x);
}

static void solve_bottom_f(mus_cycle_level_f *level, const mus_cycle_bottom *bottom) {
  size_t n = unknowns(level->a.pattern, level->a.row_block);
  mus_to_double(n, 1, level->b, bottom->right);
  mus_factor_solve(bottom->factor, bottom->right, bottom->left);
  mus_to_float(n, 1, bottom->left, level->x);
}

#define RESTRICT_TO(name, real, level_type, by_passes, by_transpose)                                                   \
  static void name(const level_type *level, const real *x, real *y) {                                                  \
    if (level->passes && level->passes->chunks > 0)                                                                    \
      by_passes(&level->p, level->passes, x, y);                                                                       \
    else                                                                                                               \
      by_transpose(&level->p, level->pt, x, y);                                                                        \
  }

RESTRICT_TO(restrict_to, double, mus_cycle_level, mus_restrict, mus_multiply_transposed)
RESTRICT_TO(restrict_to_f, float, mus_cycle_level_f, mus_restrict_f, mus_multiply_transposed_f)

// The residual goes into `other`, which is free between the two smoothers. A bottom that is solved directly needs no
// second visit.
#define CYCLE(real, level_type, operator, cycle, bottom_solve, start, sweep, residual, restrict_down, prolong_add)     \
  real *cycle(level_type *level, int levels, int visits, const mus_cycle_bottom *bottom) {                             \
    if (levels == 1 && bottom->factor) {                                                                               \
      bottom_solve(level, bottom);                                                                                     \
      return level->x;                                                                                                 \
    }                                                                                                                  \
    operator a = {.a = &level->a, .beyond = level->beyond, .symmetric = level->symmetric};                             \
    real *x = level->x, *other = level->other;                                                                         \
    start(&level->smoother, &a, level->inverse_diagonal, level->b, &x, &other);                                        \
    if (levels > 1) {                                                                                                  \
      level_type *next = level + 1;                                                                                    \
      residual(&a, level->b, x, other);                                                                                \
      restrict_down(level, other, next->b);                                                                            \
      const real *coarse = cycle(next, levels - 1, visits, bottom);                                                    \
      prolong_add(&level->p, coarse, x);                                                                               \
      if (visits > 1 && !(levels == 2 && bottom->factor)) {                                                            \
        real *first = next->b;                                                                                         \
        residual(&(operator){.a = &next->a, .beyond = next->beyond, .symmetric = next->symmetric}, first, coarse,      \
                 next->left_over);                                                                                     \
        next->b = next->left_over;                                                                                     \
        prolong_add(&level->p, cycle(next, levels - 1, visits, bottom), x);                                            \
        next->b = first;                                                                                               \
      }                                                                                                                \
    }                                                                                                                  \
    sweep(&level->smoother, &a, level->inverse_diagonal, level->b, &x, &other);                                        \
    return x;                                                                                                          \
  }

CYCLE(double, mus_cycle_level, mus_operator, mus_cycle_run, solve_bottom, mus_chebyshev_start, mus_chebyshev_sweep,
      mus_operator_residual, restrict_to, mus_multiply_add)
CYCLE(float, mus_cycle_level_f, mus_operator_f, mus_cycle_run_f, solve_bottom_f, mus_chebyshev_start_f,
      mus_chebyshev_sweep_f, mus_operator_residual_f, restrict_to_f, mus_multiply_add_f)
