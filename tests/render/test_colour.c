// Colours: sRGB back and forth, the tone map's promises, and a heat map that reads in grey.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "render/colour.h"

static void srgb_is_inverted(void **state) {
  (void)state;
  for (int i = 0; i <= 255; ++i) {
    float value = (float)i / 255;
    assert_true(fabsf(mus_srgb_encode(mus_srgb_decode(value)) - value) < 1e-5f);
  }
  assert_true(fabsf(mus_srgb_decode(0.5f) - 0.21404f) < 1e-4f);
}

static void the_tone_map_keeps_colours_and_never_leaves_the_range(void **state) {
  (void)state;
  mus_float3 plain = {0.1f, 0.7f, 0.3f}, kept = mus_tone_map(plain);
  assert_memory_equal(&plain, &kept, sizeof plain);
  float before = 0;
  for (float peak = 0.01f; peak < 1e4f; peak *= 1.05f) {
    mus_float3 shown = mus_tone_map(mus_v3(peak, 0.5f * peak, 0.2f * peak));
    assert_true(shown.x > before - 1e-7f && shown.x <= 1);
    assert_true(shown.x >= shown.y && shown.y >= shown.z && shown.z >= 0);
    before = shown.x;
  }
  mus_float3 bright = mus_tone_map(mus_v3(1000, 500, 200));
  assert_true(bright.z > 0.9f); // towards white
}

static float lightness(mus_float3 linear) {
  float y = 0.2126f * linear.x + 0.7152f * linear.y + 0.0722f * linear.z;
  return y > 0.008856f ? 116 * cbrtf(y) - 16 : 903.3f * y;
}

static void the_heat_map_gets_steadily_lighter(void **state) {
  (void)state;
  for (int i = 0; i <= 100; ++i) {
    mus_float3 colour = mus_heat_colour((float)i / 100);
    assert_true(fabsf(lightness(colour) - (18 + 0.74f * (float)i)) < 1.5f);
    assert_true(fminf(colour.x, fminf(colour.y, colour.z)) >= 0 && fmaxf(colour.x, fmaxf(colour.y, colour.z)) <= 1);
  }
}

static void numbers_outside_get_the_ends_and_no_number_grey(void **state) {
  (void)state;
  mus_float3 low = mus_heat_colour(0), high = mus_heat_colour(1), below = mus_heat_colour(-3), none;
  mus_float3 above = mus_heat_colour(INFINITY);
  assert_memory_equal(&low, &below, sizeof low);
  assert_memory_equal(&high, &above, sizeof high);
  none = mus_heat_colour(NAN);
  assert_true(none.x == none.y && none.y == none.z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(srgb_is_inverted),
      cmocka_unit_test(the_tone_map_keeps_colours_and_never_leaves_the_range),
      cmocka_unit_test(the_heat_map_gets_steadily_lighter),
      cmocka_unit_test(numbers_outside_get_the_ends_and_no_number_grey),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
