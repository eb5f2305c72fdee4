// V- and W-cycles in both precisions. See cycle.h.
#include "multigrid/cycle.h"

#include <math.h>

#include "par/par.h"
#include "par/vector.h"

static size_t unknowns(const mus_pattern *pattern, int block) { return (size_t)pattern->rows * (size_t)block; }

static void solve_bottom(mus_cycle_level *level, const mus_cycle_bottom *bottom) {
  mus_factor_solve(bottom->factor, level->b, level->x);
}

static void solve_bottom_f(mus_cycle_level_f *level, const mus_cycle_bottom *bottom) {
  size_t n = unknowns(level->system.a.pattern, level->system.a.row_block);
  mus_to_double(n, 1, level->b, bottom->right);
  mus_factor_solve(bottom->factor, bottom->right, bottom->left);
  mus_to_float(n, 1, bottom->left, level->x);
}

#define TEMPLATE "multigrid/cycle_template.h"
#include "base/both_precisions.h"
