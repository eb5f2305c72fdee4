// Files written beside and renamed: numbers that come back, a failure that leaves the old file, and nothing left
// behind. The Matrix Market tests hold devices, links and full disks.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/random.h"
#include "base/scan.h"

static char folder[] = "/tmp/muslin_output_XXXXXX";
static char path[64];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder))
    return -1;
  snprintf(path, sizeof path, "%s/file", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder); // fails when anything else was left
}

static void assert_holds(const char *expected) {
  char text[256];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(text, expected);
}

static void numbers_and_text(void **state) {
  (void)state;
  mus_output out;
  assert_int_equal(mus_output_open(&out, path), MUS_OK);
  static const long long whole[] = {0, -1, 42, INT_MIN, LLONG_MAX, LLONG_MIN};
  for (size_t k = 0; k < sizeof whole / sizeof *whole; ++k) {
    mus_output_integer(&out, whole[k]);
    mus_output_text(&out, "\n");
  }
  static const double real[] = {0, -0.0, 0.1, 1.0 / 3, 1e300, -2.5, 100, 0.001, -1e-5, 123456.75};
  for (size_t k = 0; k < sizeof real / sizeof *real; ++k) {
    mus_output_real(&out, real[k]);
    mus_output_bytes(&out, " ", 1);
  }
  assert_int_equal(mus_output_close(&out, MUS_OK), MUS_OK);
  assert_holds("0\n-1\n42\n-2147483648\n9223372036854775807\n-9223372036854775808\n"
               "0 -0 0.1 0.3333333333333333 1e+300 -2.5 100 0.001 -1e-05 123456.75 ");
}

// A number of any size, and decimals of any length, as generated meshes have them.
static double some_number(uint64_t k) {
  if (k % 2 == 0) {
    uint64_t bits = mus_random_bits(1, k);
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : DBL_MAX;
  }
  double digits = (double)(long long)(mus_random(2, k) * 1e9);
  return digits / pow(10, (double)(k % 16));
}

static void every_number_comes_back(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  mus_output out;
  assert_int_equal(mus_output_open(&out, path), MUS_OK);
  for (uint64_t k = 0; k < COUNT; ++k) {
    mus_output_real(&out, some_number(k));
    mus_output_text(&out, "\n");
  }
  assert_int_equal(mus_output_close(&out, MUS_OK), MUS_OK);
  mus_scanner scanner;
  assert_int_equal(mus_scan_open_file(&scanner, path), MUS_OK);
  for (uint64_t k = 0; k < COUNT; ++k) {
    int found;
    bool there;
    double value, expected = some_number(k);
    assert_int_equal(mus_scan_next(&scanner, &there), MUS_OK);
    assert_int_equal(mus_scan_real(&scanner, "number", &value), MUS_OK);
    found = memcmp(&value, &expected, sizeof value) == 0;
    if (!found)
      fail_msg("%.17g came back as %.17g", expected, value);
  }
  mus_scan_close(&scanner);
}

// The fast way for short numbers writes what printf does.
static void short_numbers_are_written_as_printf_does(void **state) {
  (void)state;
  enum { COUNT = 50000 };
  mus_output out;
  assert_int_equal(mus_output_open(&out, path), MUS_OK);
  static const double edges[] = {1e-4,
                                 9.9999e-5,
                                 999999999999999,
                                 1e15,
                                 0.000100000000000001,
                                 99999999999.9999,
                                 1e11,
                                 123456789012345e-14,
                                 0.5,
                                 1e-15,
                                 8.3e-5,
                                 2,
                                 1e10,
                                 0.1 + 0.2};
  for (uint64_t k = 0; k < COUNT; ++k) {
    double number = k < sizeof edges / sizeof *edges ? edges[k] : some_number(2 * k + 1);
    mus_output_real(&out, number);
    mus_output_text(&out, "\n");
  }
  assert_int_equal(mus_output_close(&out, MUS_OK), MUS_OK);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  for (uint64_t k = 0; k < COUNT; ++k) {
    double number = k < sizeof edges / sizeof *edges ? edges[k] : some_number(2 * k + 1);
    char expected[64], line[64];
    for (int digits = 15; digits <= 17; ++digits) {
      snprintf(expected, sizeof expected, "%.*g\n", digits, number);
      if (strtod(expected, NULL) == number)
        break;
    }
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, expected);
  }
  fclose(file);
}

// Pieces larger than the buffer, in order.
static void large_pieces(void **state) {
  (void)state;
  enum { SIZE = 1000003 };
  unsigned char *bytes = malloc(SIZE), *back = malloc(2 * SIZE);
  assert_true(bytes && back);
  for (size_t k = 0; k < SIZE; ++k)
    bytes[k] = (unsigned char)mus_random_bits(3, k);
  mus_output out;
  assert_int_equal(mus_output_open(&out, path), MUS_OK);
  mus_output_bytes(&out, bytes, 7);
  mus_output_bytes(&out, bytes + 7, SIZE - 7);
  assert_int_equal(mus_output_close(&out, MUS_OK), MUS_OK);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fread(back, 1, 2 * SIZE, file), SIZE);
  fclose(file);
  assert_memory_equal(bytes, back, SIZE);
  free(bytes);
  free(back);
}

static void a_failure_keeps_the_old_file(void **state) {
  (void)state;
  mus_output out;
  assert_int_equal(mus_output_open(&out, path), MUS_OK);
  mus_output_text(&out, "old");
  assert_int_equal(mus_output_close(&out, MUS_OK), MUS_OK);
  assert_int_equal(mus_output_open(&out, path), MUS_OK);
  mus_output_text(&out, "new");
  assert_int_equal(mus_output_close(&out, mus_fail(MUS_BAD_INPUT, "the caller's reason")), MUS_BAD_INPUT);
  assert_string_equal(mus_last_error(), "the caller's reason");
  assert_holds("old");
}

static void failures_are_kept_until_the_end(void **state) {
  (void)state;
  char nowhere[80];
  snprintf(nowhere, sizeof nowhere, "%s/none/file", folder);
  mus_output out;
  mus_status status = mus_output_open(&out, nowhere);
  assert_int_equal(status, MUS_IO_ERROR);
  mus_output_text(&out, "nothing");
  mus_output_real(&out, 1);
  mus_output_integer(&out, 1);
  assert_int_equal(mus_output_close(&out, MUS_OK), MUS_IO_ERROR);
  assert_non_null(strstr(mus_last_error(), "none/file: cannot be written (No such file or directory)"));
  for (int n = 0; n < 3; ++n) {
    mus_memory_fail_after(n);
    status = mus_output_open(&out, path);
    mus_memory_fail_after(-1);
    assert_int_equal(status, MUS_OUT_OF_MEMORY);
    assert_int_equal(mus_output_close(&out, status), MUS_OUT_OF_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_and_text),
      cmocka_unit_test(every_number_comes_back),
      cmocka_unit_test(short_numbers_are_written_as_printf_does),
      cmocka_unit_test(large_pieces),
      cmocka_unit_test(a_failure_keeps_the_old_file),
      cmocka_unit_test(failures_are_kept_until_the_end),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
