// Error texts: formats, prefixes, truncation, and that each thread has its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"

static void every_status_has_its_own_name(void **state) {
  (void)state;
  for (int a = MUS_OK; a <= MUS_NOT_CONVERGED; ++a) {
    assert_true(strlen(mus_status_name((mus_status)a)) > 0);
    assert_string_not_equal(mus_status_name((mus_status)a), mus_status_name((mus_status)1000));
    for (int b = MUS_OK; b < a; ++b)
      assert_string_not_equal(mus_status_name((mus_status)a), mus_status_name((mus_status)b));
  }
  assert_string_equal(mus_status_name(MUS_BAD_INPUT), "bad input");
}

static void fail_formats_and_passes_the_status_on(void **state) {
  (void)state;
  assert_int_equal(mus_fail(MUS_BAD_INPUT, "row %d of %s", 7, "A"), MUS_BAD_INPUT);
  assert_string_equal(mus_last_error(), "row 7 of A");
  assert_int_equal(mus_fail(MUS_IO_ERROR, "no such file"), MUS_IO_ERROR);
  assert_string_equal(mus_last_error(), "no such file");
}

static void prefix_goes_before_the_text(void **state) {
  (void)state;
  mus_status status = mus_fail(MUS_BAD_INPUT, "line %d: no number", 3);
  assert_int_equal(mus_fail_prefix(status, "%s", "A.mtx"), MUS_BAD_INPUT);
  assert_string_equal(mus_last_error(), "A.mtx: line 3: no number");
  mus_fail_prefix(status, "solve");
  assert_string_equal(mus_last_error(), "solve: A.mtx: line 3: no number");
}

static void memory_has_a_text(void **state) {
  (void)state;
  assert_int_equal(mus_fail_memory(), MUS_OUT_OF_MEMORY);
  assert_non_null(strstr(mus_last_error(), "memory"));
}

static void long_texts_are_cut_not_overrun(void **state) {
  (void)state;
  char longer[2000];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  mus_fail(MUS_BAD_INPUT, "%s", longer);
  size_t kept = strlen(mus_last_error());
  assert_in_range(kept, 200, 1999);
  mus_fail_prefix(MUS_BAD_INPUT, "front");
  assert_int_equal(strncmp(mus_last_error(), "front: xxx", 10), 0);
  assert_int_equal(strlen(mus_last_error()), kept);
  mus_fail_prefix(MUS_BAD_INPUT, "%s", longer);
  assert_int_equal(strlen(mus_last_error()), kept);
}

static void *fail_elsewhere(void *result) {
  int *clean = result;
  *clean = strcmp(mus_last_error(), "") == 0;
  mus_fail(MUS_BREAKDOWN, "elsewhere");
  return NULL;
}

static void each_thread_has_its_own_text(void **state) {
  (void)state;
  mus_fail(MUS_BAD_INPUT, "here");
  int clean = 0;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &clean), 0);
  pthread_join(thread, NULL);
  assert_true(clean);
  assert_string_equal(mus_last_error(), "here");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_its_own_name),  cmocka_unit_test(fail_formats_and_passes_the_status_on),
      cmocka_unit_test(prefix_goes_before_the_text),    cmocka_unit_test(memory_has_a_text),
      cmocka_unit_test(long_texts_are_cut_not_overrun), cmocka_unit_test(each_thread_has_its_own_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
