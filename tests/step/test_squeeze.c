// Bodies that close on cloth and open again: it is caught, and comes free.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/squeeze.h"

static void what_was_squeezed_comes_free(void **state) {
  (void)state;
  squeeze_result r = squeeze_run(2, 64);
  assert_true(r.impossible > 0 && r.tangled > 0);
  assert_true(r.freed >= 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_squeezed_comes_free)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
