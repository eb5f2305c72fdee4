// Parallel loops: every iteration once, thread counts obeyed and kept to the calling thread.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "par/par.h"

enum { COUNT = 1000, THREADS = 7 };

static int restore_threads(void **state) {
  (void)state;
  mus_par_set_threads(0);
  return 0;
}

static void thread_count_is_set_and_restored(void **state) {
  (void)state;
  int usual = mus_par_threads();
  assert_true(usual >= 1);
  assert_int_equal(mus_par_set_threads(THREADS), 0);
  assert_int_equal(mus_par_threads(), THREADS);
  assert_int_equal(mus_par_set_threads(0), THREADS);
  assert_int_equal(mus_par_threads(), usual);
  mus_par_set_threads(-3);
  assert_int_equal(mus_par_threads(), usual);
}

static void *read_threads(void *result) {
  *(int *)result = mus_par_threads();
  return NULL;
}

static void thread_count_belongs_to_the_calling_thread(void **state) {
  (void)state;
  int usual = mus_par_threads(), elsewhere = 0;
  mus_par_set_threads(usual + 3);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, read_threads, &elsewhere), 0);
  pthread_join(thread, NULL);
  assert_int_equal(elsewhere, usual);
}

static void every_iteration_runs_once(void **state) {
  (void)state;
  for (int threads = 1; threads <= THREADS; ++threads) {
    int visits[COUNT] = {0};
    mus_par_set_threads(threads);
    MUS_PARALLEL_FOR
    for (int i = 0; i < COUNT; ++i)
      ++visits[i];
    MUS_PARALLEL_FOR_IF(threads % 2 == 0)
    for (int i = 0; i < COUNT; ++i)
      ++visits[i];
    MUS_PARALLEL
    {
      MUS_SHARE_FOR
      for (int i = 0; i < COUNT; ++i)
        ++visits[i];
      MUS_SHARE_RUNS
      for (int i = 0; i < COUNT; ++i)
        ++visits[i];
    }
    for (int i = 0; i < COUNT; ++i)
      assert_int_equal(visits[i], 4);
  }
}

static void threads_have_indices_of_their_own(void **state) {
  (void)state;
  int visits[THREADS] = {0};
  mus_par_set_threads(THREADS);
  MUS_PARALLEL
  { ++visits[mus_par_index()]; }
  for (int i = 0; i < THREADS; ++i)
    assert_int_equal(visits[i], 1);
}

// Contiguous runs in thread order: what first touched a page will work on it again.
static void loops_are_dealt_out_in_contiguous_runs(void **state) {
  (void)state;
  int owner[COUNT];
  mus_par_set_threads(THREADS);
  MUS_PARALLEL_FOR
  for (int i = 0; i < COUNT; ++i)
    owner[i] = mus_par_index();
  assert_int_equal(owner[0], 0);
  assert_int_equal(owner[COUNT - 1], THREADS - 1);
  for (int i = 1; i < COUNT; ++i)
    assert_in_range(owner[i], owner[i - 1], owner[i - 1] + 1);
}

static void a_false_condition_keeps_to_one_thread(void **state) {
  (void)state;
  int index[COUNT];
  memset(index, -1, sizeof index);
  mus_par_set_threads(THREADS);
  MUS_PARALLEL_FOR_IF(COUNT < 0)
  for (int i = 0; i < COUNT; ++i)
    index[i] = mus_par_index();
  for (int i = 0; i < COUNT; ++i)
    assert_int_equal(index[i], 0);
}

static void one_at_a_time_loses_nothing(void **state) {
  (void)state;
  int sum = 0;
  mus_par_set_threads(THREADS);
  MUS_PARALLEL
  {
    for (int i = 0; i < COUNT; ++i) {
      MUS_ONE_AT_A_TIME
      ++sum;
    }
  }
  assert_int_equal(sum, THREADS * COUNT);
}

// Threads that a parallel region of the calling thread really gets.
static int region_size(void) {
  int visits[THREADS] = {0}, size = 0;
  MUS_PARALLEL
  { visits[mus_par_index()] = 1; }
  for (int i = 0; i < THREADS; ++i)
    size += visits[i];
  return size;
}

static void *measure_region(void *result) {
  mus_par_set_threads(THREADS);
  *(int *)result = region_size();
  return NULL;
}

static void pausing_keeps_regions_of_the_calling_thread_to_one_thread(void **state) {
  (void)state;
  mus_par_set_threads(THREADS);
  assert_int_equal(region_size(), THREADS);
  int before = mus_par_pause(), paused = region_size(), elsewhere = 0;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, measure_region, &elsewhere), 0);
  pthread_join(thread, NULL);
  mus_par_resume(before);
  assert_int_equal(paused, 1);
  assert_int_equal(elsewhere, THREADS);
  assert_int_equal(region_size(), THREADS);
}

static void other_libraries_get_the_same_threads(void **state) {
  (void)state;
  int all = mus_par_threads(), before = mus_par_set_threads(1), lent = mus_par_lend();
  mus_par_set_threads(0);
  assert_int_equal(mus_par_threads(), 1); // OpenMP's own number
  mus_par_take_back(lent);
  assert_int_equal(mus_par_threads(), all);
  mus_par_set_threads(before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(thread_count_is_set_and_restored, restore_threads),
      cmocka_unit_test_teardown(thread_count_belongs_to_the_calling_thread, restore_threads),
      cmocka_unit_test_teardown(every_iteration_runs_once, restore_threads),
      cmocka_unit_test_teardown(threads_have_indices_of_their_own, restore_threads),
      cmocka_unit_test_teardown(loops_are_dealt_out_in_contiguous_runs, restore_threads),
      cmocka_unit_test_teardown(a_false_condition_keeps_to_one_thread, restore_threads),
      cmocka_unit_test_teardown(one_at_a_time_loses_nothing, restore_threads),
      cmocka_unit_test_teardown(pausing_keeps_regions_of_the_calling_thread_to_one_thread, restore_threads),
      cmocka_unit_test_teardown(other_libraries_get_the_same_threads, restore_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
