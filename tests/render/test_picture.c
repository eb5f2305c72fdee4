// PNG files: they decode to the same pixels, and a failure leaves what was there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "render/picture.h"
#include "support/drawing.h"
#include "support/files.h"

static void make_noise(int width, int height, mus_picture *picture) {
  assert_int_equal(mus_picture_create(width, height, picture), MUS_OK);
  for (int i = 0; i < width * height * 3; ++i)
    picture->pixel[i] = (unsigned char)mus_random_bits(3, (uint64_t)i);
}

static void pictures_decode_to_the_same_pixels(void **state) {
  const int sizes[][2] = {{1, 1}, {7, 3}, {301, 200}};
  for (int i = 0; i < 3; ++i) {
    mus_picture picture;
    make_noise(sizes[i][0], sizes[i][1], &picture);
    const char *path = files_path(*state, "noise.png");
    assert_int_equal(mus_picture_write_png(&picture, path), MUS_OK);
    image decoded = drawing_load(path);
    assert_int_equal(decoded.width, picture.width);
    assert_int_equal(decoded.height, picture.height);
    assert_memory_equal(decoded.pixel, picture.pixel, (size_t)picture.width * (size_t)picture.height * 3);
    free(decoded.pixel);
    mus_picture_free(&picture);
    assert_int_equal(files_count(*state), 1);
  }
}

static void failures_leave_what_was_there(void **state) {
  mus_picture picture;
  make_noise(20, 10, &picture);
  const char *path = files_path(*state, "kept.png");
  files_write(path, "before", 6);
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long n = 0; status; ++n) {
    assert_true(n < 50);
    mus_memory_fail_after(n);
    status = mus_picture_write_png(&picture, path);
    mus_memory_fail_after(-1);
    if (status)
      files_assert_bytes(path, "before", 6);
    assert_int_equal(files_count(*state), 1);
  }
  assert_int_equal(mus_picture_write_png(&picture, files_path(*state, "no/such/folder.png")), MUS_IO_ERROR);
  assert_non_null(strstr(mus_last_error(), "no/such/folder.png"));
  assert_int_equal(mus_picture_write_png(&picture, "/dev/full"), MUS_IO_ERROR);
  mus_picture_free(&picture);
}

static void colours_are_mixed_and_kept_inside(void **state) {
  (void)state;
  mus_picture picture;
  assert_int_equal(mus_picture_create(4, 4, &picture), MUS_OK);
  mus_picture_mix(&picture, 1, 2, mus_v3(1, 0.5f, 2), 0.5f);
  const unsigned char expected[3] = {128, 64, 128};
  assert_memory_equal(&picture.pixel[3 * 9], expected, 3);
  mus_picture_mix(&picture, -1, 0, mus_v3(1, 1, 1), 1);
  mus_picture_mix(&picture, 4, 0, mus_v3(1, 1, 1), 1);
  mus_picture_mix(&picture, 0, 4, mus_v3(1, 1, 1), 1);
  int sum = 0;
  for (int i = 0; i < 48; ++i)
    sum += picture.pixel[i];
  assert_int_equal(sum, 128 + 64 + 128);
  mus_picture_free(&picture);
}

static void sizes_have_limits(void **state) {
  (void)state;
  mus_picture picture;
  assert_int_equal(mus_picture_create(0, 5, &picture), MUS_BAD_INPUT);
  assert_int_equal(mus_picture_create(5, 20000, &picture), MUS_BAD_INPUT);
  mus_memory_fail_after(0);
  mus_status status = mus_picture_create(5, 5, &picture);
  mus_memory_fail_after(-1);
  assert_int_equal(status, MUS_OUT_OF_MEMORY);
  assert_null(picture.pixel);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(pictures_decode_to_the_same_pixels, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(failures_leave_what_was_there, files_setup, files_teardown),
      cmocka_unit_test(colours_are_mixed_and_kept_inside),
      cmocka_unit_test(sizes_have_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
