// Subnormal numbers are flushed by every thread between the two calls, and by none before and after.
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#if defined __SSE__
#include <xmmintrin.h>
#endif

#include "par/par.h"
#include "par/subnormal.h"

enum { THREADS = 5 };

// How many threads do not get the subnormal quarter of the smallest normal number, in single or double precision.
static int threads_that_flush(int threads) {
  int flushed[16] = {0}, count = 0;
  mus_par_set_threads(threads);
  MUS_PARALLEL
  {
    volatile float small = FLT_MIN, quarter = 0.25f;
    volatile double tiny = DBL_MIN, half = 0.5;
    volatile float result = small * quarter;
    volatile double other = tiny * half;
    flushed[mus_par_index()] = result == 0 && other == 0;
  }
  for (int k = 0; k < threads; ++k)
    count += flushed[k];
  mus_par_set_threads(0);
  return count;
}

static int is_flushing_possible(void) {
#if defined __SSE__
  return 1;
#else
  return 0;
#endif
}

static void all_threads_flush_in_between(void **state) {
  (void)state;
  for (int threads = 1; threads <= THREADS; ++threads) {
    assert_int_equal(threads_that_flush(threads), 0);
    mus_par_set_threads(threads);
    unsigned before = mus_subnormal_flush();
    mus_par_set_threads(0);
    assert_int_equal(threads_that_flush(threads), is_flushing_possible() ? threads : 0);
    mus_par_set_threads(threads);
    mus_subnormal_restore(before);
    mus_par_set_threads(0);
    assert_int_equal(threads_that_flush(threads), 0);
  }
}

// Smaller teams in between may end threads; those that come after them have the same state.
static void teams_of_other_sizes_in_between(void **state) {
  (void)state;
  mus_par_set_threads(THREADS);
  unsigned before = mus_subnormal_flush();
  assert_int_equal(threads_that_flush(2), is_flushing_possible() ? 2 : 0);
  assert_int_equal(threads_that_flush(THREADS), is_flushing_possible() ? THREADS : 0);
  mus_par_set_threads(THREADS);
  mus_subnormal_restore(before);
  mus_par_set_threads(0);
  assert_int_equal(threads_that_flush(THREADS), 0);
}

#if defined __SSE__
static void the_callers_state_is_restored(void **state) {
  (void)state;
  unsigned usual = _mm_getcsr();
  for (unsigned mode = 0; mode < 3; ++mode) { // rounding down, flushing already, neither
    unsigned mine = usual | (mode == 0 ? 0x2000u : mode == 1 ? 0x8040u : 0u);
    _mm_setcsr(mine);
    unsigned before = mus_subnormal_flush();
    assert_int_equal(_mm_getcsr() & 0xffc0u, (mine | 0x8040u) & 0xffc0u);
    mus_subnormal_restore(before);
    assert_int_equal(_mm_getcsr(), mine);
    _mm_setcsr(usual);
  }
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_threads_flush_in_between),
    cmocka_unit_test(teams_of_other_sizes_in_between),
#if defined __SSE__
    cmocka_unit_test(the_callers_state_is_restored),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
