// Which smoother is at work where clusters hold up sweeps: sweeps, unless solves are hard or clusters are many.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "support/smoothed.h"

enum { SIDE = 48 };

// Ties node i to the next in its first direction.
static void stitch(problem *p, int i) {
  for (int r = i; r <= i + 1; ++r)
    for (int c = i; c <= i + 1; ++c)
      p->a.value[9 * (size_t)mus_pattern_find(p->pattern, r, c)] += r == c ? 1000 : -1000;
}

static int sweeps(const mus_hierarchy *h) {
  mus_solve_record record = {0};
  mus_hierarchy_report(h, &record);
  for (int k = 0; k < record.level[0].numbers; ++k)
    if (strcmp(record.level[0].number[k].name, "colours") == 0)
      return 1;
  return 0;
}

static int sweeps_after(mus_hierarchy *h, const problem *p, int is_hard) {
  mus_hierarchy_set_hard(h, is_hard);
  assert_int_equal(mus_hierarchy_refresh(h, &p->a), MUS_OK);
  return sweeps(h);
}

static void check(int stitches, int when_easy, int when_hard) {
  problem p = problem_poisson(SIDE, 3);
  for (int k = 0; k < stitches; ++k)
    stitch(&p, 2 * SIDE * (k + 1) + 5);
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_FAST);
  mus_hierarchy_options settings = {
      .multigrid = options.multigrid, .precision = MUS_PRECISION_SINGLE, .setup = MUS_SETUP_COARSE, .clusters = 1};
  mus_aggregation *aggregation;
  mus_hierarchy *h;
  assert_int_equal(mus_aggregation_create(&options.sa, NULL, &aggregation), MUS_OK);
  assert_int_equal(mus_aggregation_set_kernel(aggregation, p.rows, p.block, p.count, p.kernel), MUS_OK);
  assert_int_equal(mus_hierarchy_create(&mus_smoothed_aggregation, aggregation, &settings, &h), MUS_OK);
  assert_int_equal(mus_hierarchy_analyse(h, &p.a), MUS_OK);
  assert_int_equal(sweeps(h), when_easy);
  assert_int_equal(sweeps_after(h, &p, 1), when_hard);
  expect_symmetric_and_definite(h, p.n, MUS_PRECISION_SINGLE);
  assert_int_equal(sweeps_after(h, &p, 0), when_easy);
  expect_symmetric_and_definite(h, p.n, MUS_PRECISION_SINGLE);
  mus_hierarchy_free(h);
  mus_aggregation_free(aggregation);
  problem_free(&p);
}

static void sweeps_stand_back_where_it_is_hard(void **state) {
  (void)state;
  check(0, 1, 1);
  check(3, 1, 0);  // ends: three in a thousand nodes
  check(20, 0, 0); // more than one in a hundred
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sweeps_stand_back_where_it_is_hard)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
