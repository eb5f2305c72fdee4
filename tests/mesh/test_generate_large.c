// The largest sheets of the paper, up to 1,002,001 vertices: what test_generate.c holds for the others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/cloths.h"

static void regular_sheets(void **state) {
  (void)state;
  static const int sides[] = {401, 601, 801, 1001};
  for (size_t k = 0; k < sizeof sides / sizeof *sides; ++k)
    cloths_check_square(sides[k], 0);
}

static void irregular_sheets(void **state) {
  (void)state;
  if (!cloths_have_qhull())
    skip();
  static const int sides[] = {151, 201, 301}; // qhull takes half a minute for 1001
  for (size_t k = 0; k < sizeof sides / sizeof *sides; ++k)
    cloths_check_square(sides[k], 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(regular_sheets),
      cmocka_unit_test(irregular_sheets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
