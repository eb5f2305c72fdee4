// The version in the public header is the one of the build.
#include "muslin/version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void header_has_the_version_of_the_build(void **state) {
  (void)state;
  char numbers[64];
  snprintf(numbers, sizeof numbers, "%d.%d.%d", MUSLIN_VERSION_MAJOR, MUSLIN_VERSION_MINOR, MUSLIN_VERSION_PATCH);
  assert_string_equal(numbers, PROJECT_VERSION);
  assert_string_equal(MUSLIN_VERSION_STRING, PROJECT_VERSION);
}

static void library_has_the_version_of_its_header(void **state) {
  (void)state;
  assert_string_equal(mus_version(), MUSLIN_VERSION_STRING);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(header_has_the_version_of_the_build),
      cmocka_unit_test(library_has_the_version_of_its_header),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
