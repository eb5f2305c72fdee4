// Random scenes in which bodies squeeze cloth to nothing and open again (support/squeeze.h): within 24 frames, nothing
// intersects and no vertex is left inside a body.
//
// Runs seeds for 30 seconds. MUSLIN_SQUEEZE=100 in the environment runs seeds 1 to 100 instead, and
// MUSLIN_SQUEEZE=17-20 those four; "MUSLIN_SQUEEZE_VERTICES" says of how many vertices sheets are.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/timer.h"
#include "support/squeeze.h"

static const double allowed = 30; // s
enum { VERTICES = 144 };

// Returns 1 for a failure.
static int run_seed(unsigned seed, int vertices) {
  squeeze_result r = squeeze_run(seed, vertices);
  print_message("seed %u: %d impossible, %d pairs at most, strain %.2f, slowest step %.1f medians, %.1f s, ", seed,
                r.impossible, r.tangled, r.strain, r.slowest, r.seconds);
  print_message(r.freed < 0 ? "FAILED: not free\n" : "free after %d frames\n", r.freed);
  return r.freed < 0;
}

static void what_was_squeezed_comes_free(void **state) {
  (void)state;
  const char *wanted = getenv("MUSLIN_SQUEEZE"), *size = getenv("MUSLIN_SQUEEZE_VERTICES");
  unsigned first = 1, last = 100;
  int vertices = size ? atoi(size) : VERTICES, failed = 0;
  double until = mus_seconds() + (wanted ? 1e9 : allowed);
  if (wanted && sscanf(wanted, "%u-%u", &first, &last) < 2) {
    last = first;
    first = 1;
  }
  for (unsigned seed = first; seed <= last && mus_seconds() < until; ++seed)
    failed += run_seed(seed, vertices);
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_squeezed_comes_free)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
