// Continuous detection never misses: a million pairs that meet, by construction or by proof in 128-bit arithmetic, and
// a million more that move as they like.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ccd_cases.h"
#include "par/par.h"

enum { RUNS = 256 };

static void test_never_misses(void **state) {
  (void)state;
  ccd_counts sum = {0};
  static ccd_counts counts[RUNS];
  MUS_PARALLEL_FOR
  for (int run = 0; run < RUNS; ++run)
    counts[run] = ask_cases(1000 + 2 * (uint64_t)run, 4000, 4000);
  for (int run = 0; run < RUNS; ++run) {
    sum.meetings += counts[run].meetings;
    sum.missed += counts[run].missed;
    sum.late += counts[run].late;
    sum.decided_apart += counts[run].decided_apart;
    sum.undecided += counts[run].undecided;
    sum.apart_found += counts[run].apart_found;
  }
  expect_all_found(&sum, 1000000, 500000, 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_never_misses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
