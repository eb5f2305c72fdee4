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
  print_message("%llu meetings; %llu proved apart, %llu of these found; %llu undecided\n",
                (unsigned long long)sum.meetings, (unsigned long long)sum.decided_apart,
                (unsigned long long)sum.apart_found, (unsigned long long)sum.undecided);
  assert_true(sum.meetings > 1000000);
  assert_int_equal(sum.missed, 0);
  assert_int_equal(sum.late, 0);
  assert_true(sum.decided_apart > 500000);
  assert_true(sum.apart_found < sum.decided_apart / 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_never_misses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
