// Writing in pictures: every letter leaves its mark, in its place; ticks are round numbers inside the range.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "render/legend.h"
#include "render/text.h"

static const mus_float3 white = {1, 1, 1};

// The bounding box of what is not black.
typedef struct marked {
  int left, right, top, bottom, count;
} marked;

static marked find_marked(const mus_picture *picture) {
  marked found = {picture->width, -1, picture->height, -1, 0};
  for (int y = 0; y < picture->height; ++y)
    for (int x = 0; x < picture->width; ++x)
      if (picture->pixel[3 * (y * picture->width + x)] > 20) {
        found.left = x < found.left ? x : found.left;
        found.right = x > found.right ? x : found.right;
        found.top = y < found.top ? y : found.top;
        found.bottom = y > found.bottom ? y : found.bottom;
        ++found.count;
      }
  return found;
}

static void every_letter_and_digit_is_drawn_in_its_place(void **state) {
  (void)state;
  const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:-+=/()%^_<>!#*[]|'~";
  for (; *letters; ++letters) {
    const char text[2] = {*letters, 0};
    mus_picture picture;
    assert_int_equal(mus_picture_create(60, 60, &picture), MUS_OK);
    mus_text_draw(&picture, 20, 40, 14, white, text);
    marked found = find_marked(&picture);
    assert_true(found.count > 2);
    assert_true(found.left >= 18 && found.left <= 22);
    assert_true((float)found.right <= 20 + mus_text_width(text, 14) + 2);
    assert_true(found.top >= 24 && found.bottom <= 46);
    mus_picture_free(&picture);
  }
}

static void digits_differ_from_each_other(void **state) {
  (void)state;
  mus_picture picture[10];
  for (int i = 0; i < 10; ++i) {
    const char text[2] = {(char)('0' + i), 0};
    assert_int_equal(mus_picture_create(30, 30, &picture[i]), MUS_OK);
    mus_text_draw(&picture[i], 5, 25, 16, white, text);
    for (int k = 0; k < i; ++k) {
      int differ = 0;
      for (int p = 0; p < 30 * 30 * 3; ++p)
        differ += (picture[i].pixel[p] > 127) != (picture[k].pixel[p] > 127);
      assert_true(differ > 30);
    }
  }
  for (int i = 0; i < 10; ++i)
    mus_picture_free(&picture[i]);
}

static void text_may_lie_outside_the_picture(void **state) {
  (void)state;
  mus_picture picture;
  assert_int_equal(mus_picture_create(20, 20, &picture), MUS_OK);
  mus_text_draw(&picture, -50, 5, 12, white, "far left");
  mus_text_draw(&picture, 15, 100, 12, white, "below");
  mus_text_draw(&picture, 5, 15, 300, white, "Wm");            // larger than the picture
  mus_text_draw(&picture, 5, 15, 12, white, "\xc3\xa4\t\x7f"); // not in the font
  mus_caption_draw(&picture, "a caption that is longer than the picture is wide");
  mus_picture_free(&picture);
}

static void ticks_are_round_and_inside(void **state) {
  (void)state;
  const double ranges[][2] = {{0, 1}, {-0.256, 1.66}, {1e-9, 3e-9}, {-5e6, 7.3e6}, {0.999, 1.001}, {-3, -1}};
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i) {
    double low = ranges[i][0], high = ranges[i][1], first, step;
    int count = mus_legend_ticks(low, high, &first, &step);
    assert_in_range(count, 3, 9);
    assert_true(first > low - 1e-3 * step && first + (count - 1) * step < high + 1e-3 * step);
    double power = pow(10, floor(log10(step * 1.0001))), digit = step / power;
    assert_true(fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 || fabs(digit - 5) < 1e-6);
    assert_true(fabs(first / step - round(first / step)) < 1e-6);
  }
}

static void the_legend_stays_at_the_right(void **state) {
  (void)state;
  mus_picture picture;
  mus_heat_map heat = {.low = -1, .high = 3, .title = "bend"};
  assert_int_equal(mus_picture_create(480, 270, &picture), MUS_OK);
  mus_legend_draw(&picture, &heat);
  marked found = find_marked(&picture);
  assert_true(found.left > 360 && found.right < 480);
  assert_true(found.top > 20 && found.bottom < 250);
  mus_picture_free(&picture);
  assert_int_equal(mus_picture_create(8, 8, &picture), MUS_OK); // too small for it: whatever fits
  mus_legend_draw(&picture, &heat);
  mus_picture_free(&picture);
}

static void the_key_stays_at_the_right(void **state) {
  (void)state;
  mus_picture picture;
  const mus_key_line lines[] = {{{1, 0, 0}, "red"}, {{0, 1, 0}, "green"}};
  assert_int_equal(mus_picture_create(480, 270, &picture), MUS_OK);
  mus_key_draw(&picture, "colours", 2, lines);
  marked found = find_marked(&picture);
  assert_true(found.left > 360 && found.right < 480);
  assert_true(found.top > 90 && found.bottom < 180);
  int red = 0, green = 0;
  for (int i = 0; i < 480 * 270; ++i) {
    const unsigned char *p = &picture.pixel[3 * i];
    red += p[0] == 255 && p[1] == 0 && p[2] == 0;
    green += p[0] == 0 && p[1] == 255 && p[2] == 0;
  }
  assert_true(red > 40 && red == green);
  mus_picture_free(&picture);
  assert_int_equal(mus_picture_create(8, 8, &picture), MUS_OK);
  mus_key_draw(&picture, "colours", 2, lines);
  mus_picture_free(&picture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_letter_and_digit_is_drawn_in_its_place),
      cmocka_unit_test(digits_differ_from_each_other),
      cmocka_unit_test(text_may_lie_outside_the_picture),
      cmocka_unit_test(ticks_are_round_and_inside),
      cmocka_unit_test(the_legend_stays_at_the_right),
      cmocka_unit_test(the_key_stays_at_the_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
