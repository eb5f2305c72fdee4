// Growing arrays: what is added stays, capacity follows what is there, and a short memory changes nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/list.h"
#include "base/memory.h"

static void what_is_added_stays(void **state) {
  (void)state;
  mus_list list = {0};
  for (int i = 0; i < 100000; ++i) {
    int *item = mus_list_add(&list, sizeof *item);
    assert_non_null(item);
    *item = 7 * i;
  }
  assert_int_equal(list.count, 100000);
  assert_true(list.capacity < 200000);
  for (int i = 0; i < 100000; ++i)
    assert_int_equal(((int *)list.items)[i], 7 * i);
  mus_free(list.items);
}

static void the_limit_spares_the_last_doubling(void **state) {
  (void)state;
  mus_list list = {.limit = 1500};
  for (int i = 0; i < 1500; ++i)
    assert_non_null(mus_list_add(&list, 8));
  assert_int_equal(list.capacity, 1500);
  assert_non_null(mus_list_add(&list, 8)); // a limit that was wrong does no harm
  assert_true(list.capacity >= 1501);
  mus_free(list.items);
}

static void reserving_makes_room_at_once(void **state) {
  (void)state;
  mus_list list = {0};
  assert_true(mus_list_reserve(&list, 5000, 4));
  void *before = list.items;
  for (int i = 0; i < 5000; ++i)
    mus_list_add(&list, 4);
  assert_ptr_equal(list.items, before);
  assert_false(mus_list_reserve(&list, SIZE_MAX - 10, 4));
  assert_false(mus_list_reserve(&list, SIZE_MAX / 8, 4));
  assert_ptr_equal(list.items, before);
  mus_free(list.items);
}

static void short_memory_changes_nothing(void **state) {
  (void)state;
  mus_list list = {0};
  mus_memory_fail_after(0);
  assert_null(mus_list_add(&list, 4));
  mus_memory_fail_after(-1);
  assert_int_equal(list.count, 0);
  while (list.count == 0 || list.count < list.capacity)
    *(int *)mus_list_add(&list, 4) = 3;
  size_t count = list.count;
  mus_memory_fail_after(0);
  assert_null(mus_list_add(&list, 4));
  mus_memory_fail_after(-1);
  assert_int_equal(list.count, count);
  assert_int_equal(((int *)list.items)[count - 1], 3);
  mus_free(list.items);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_added_stays),
      cmocka_unit_test(the_limit_spares_the_last_doubling),
      cmocka_unit_test(reserving_makes_room_at_once),
      cmocka_unit_test(short_memory_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
