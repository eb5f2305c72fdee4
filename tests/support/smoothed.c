// See smoothed.h.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "par/vector.h"
#include "support/smoothed.h"

smoothed smoothed_create(const problem *p, const mus_smoother *smoother, const char *text, mus_precision precision) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  options.multigrid.bottom = 60;
  options.multigrid.cycle = MUS_CYCLE_V;
  if (text)
    strcpy(options.multigrid.smoother, text);
  mus_hierarchy_options h = {options.multigrid, smoother, precision, MUS_SETUP_COARSE, 0, 1};
  smoothed s;
  assert_int_equal(mus_aggregation_create(&options.sa, NULL, &s.aggregation), MUS_OK);
  assert_int_equal(mus_aggregation_set_kernel(s.aggregation, p->rows, p->block, p->count, p->kernel), MUS_OK);
  assert_int_equal(mus_hierarchy_create(&mus_smoothed_aggregation, s.aggregation, &h, &s.hierarchy), MUS_OK);
  assert_int_equal(mus_hierarchy_analyse(s.hierarchy, &p->a), MUS_OK);
  return s;
}

void smoothed_free(smoothed *s) {
  mus_hierarchy_free(s->hierarchy);
  mus_aggregation_free(s->aggregation);
}

void expect_symmetric_and_definite(mus_hierarchy *h, int n, mus_precision precision) {
  double rounding = precision == MUS_PRECISION_DOUBLE ? 1e-12 : 1e-4;
  double *r = mus_alloc(4 * (size_t)n, sizeof *r), *s = r + n, *mr = s + n, *ms = mr + n;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    mus_fill_random((size_t)n, seed, r);
    mus_fill_random((size_t)n, 100 + seed, s);
    mus_hierarchy_apply(h, r, mr);
    mus_hierarchy_apply(h, s, ms);
    double rr = mus_dot((size_t)n, r, mr), ss = mus_dot((size_t)n, s, ms);
    assert_true(rr > 0 && ss > 0);
    assert_true(fabs(mus_dot((size_t)n, r, ms) - mus_dot((size_t)n, s, mr)) <= rounding * sqrt(rr * ss));
  }
  mus_free(r);
}
