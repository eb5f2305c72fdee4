// Cameras: everything is in the picture, nothing is smaller than need be, and wishes are heeded.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "render/camera.h"

enum { POINTS = 200 };

// Points in a box that is not around the origin.
static void scatter(double *position, uint64_t seed, double width, double height, double depth) {
  for (uint64_t i = 0; i < POINTS; ++i) {
    position[3 * i] = 3 + width * mus_random(seed, 3 * i);
    position[3 * i + 1] = -1 + height * mus_random(seed, 3 * i + 1);
    position[3 * i + 2] = 7 + depth * mus_random(seed, 3 * i + 2);
  }
}

// The frame that the points fill, as parts of half the width and height: left, right, bottom, top within -1 ... 1.
typedef struct extent {
  float left, right, bottom, top;
} extent;

static extent measure(const mus_camera *camera, int width, int height, const double *position) {
  mus_view view;
  extent found = {9, -9, 9, -9};
  assert_int_equal(mus_view_make(camera, width, height, &view), MUS_OK);
  for (int i = 0; i < POINTS; ++i) {
    const double *p = &position[3 * i];
    float x, y;
    assert_true(mus_view_project(&view, mus_v3((float)p[0], (float)p[1], (float)p[2]), &x, &y) > 0);
    x = 2 * x / (float)width - 1;
    y = 1 - 2 * y / (float)height;
    found = (extent){fminf(found.left, x), fmaxf(found.right, x), fminf(found.bottom, y), fmaxf(found.top, y)};
  }
  return found;
}

static mus_camera frame(const mus_camera_wish *wish, float aspect, const double *position) {
  mus_framing framing;
  mus_camera camera;
  assert_int_equal(mus_framing_begin(wish, aspect, &framing), MUS_OK);
  mus_framing_add(&framing, POINTS, position);
  assert_int_equal(mus_framing_end(&framing, &camera), MUS_OK);
  return camera;
}

static void everything_is_framed_tightly_and_in_the_middle(void **state) {
  (void)state;
  const double sizes[][3] = {{1, 1, 1}, {5, 0.1, 0.2}, {0.1, 4, 0.1}, {1, 0, 1}, {0.001, 0.002, 0.001}};
  const int pictures[][2] = {{960, 540}, {400, 900}, {300, 300}};
  double position[3 * POINTS];
  for (size_t i = 0; i < 5; ++i)
    for (size_t k = 0; k < 3; ++k) {
      mus_camera_wish wish = mus_default_camera_wish();
      wish.azimuth = 40 * (float)i - 70;
      scatter(position, i, sizes[i][0], sizes[i][1], sizes[i][2]);
      mus_camera camera = frame(&wish, (float)pictures[k][0] / (float)pictures[k][1], position);
      extent found = measure(&camera, pictures[k][0], pictures[k][1], position);
      float edge = 1 - wish.border, slack = 2e-3f;
      assert_true(found.left >= -edge - slack && found.right <= edge + slack);
      assert_true(found.bottom >= -edge - slack && found.top <= edge + slack);
      int wide = found.left < -edge + slack && found.right > edge - slack;
      int high = found.bottom < -edge + slack && found.top > edge - slack;
      assert_true(wide || high);
    }
}

static void the_border_and_the_legend_stay_free(void **state) {
  (void)state;
  double position[3 * POINTS];
  scatter(position, 3, 4, 0.5, 0.5);
  mus_camera_wish wish = mus_default_camera_wish();
  wish.border = 0;
  wish.legend = 0.2f;
  mus_camera camera = frame(&wish, 2, position);
  extent found = measure(&camera, 400, 200, position);
  assert_true(fabsf(found.left + 1) < 2e-3f);
  assert_true(fabsf(found.right - 0.6f) < 2e-3f);
}

static void all_frames_are_in_the_picture(void **state) {
  (void)state;
  double first[3 * POINTS], second[3 * POINTS];
  scatter(first, 1, 1, 1, 1);
  scatter(second, 2, 1, 1, 1);
  for (int i = 0; i < POINTS; ++i)
    second[3 * i] += 5;
  mus_camera_wish wish = mus_default_camera_wish();
  mus_framing framing;
  mus_camera camera;
  assert_int_equal(mus_framing_begin(&wish, 1.5f, &framing), MUS_OK);
  mus_framing_add(&framing, POINTS, first);
  mus_framing_add(&framing, POINTS, second);
  assert_int_equal(mus_framing_end(&framing, &camera), MUS_OK);
  extent a = measure(&camera, 300, 200, first), b = measure(&camera, 300, 200, second);
  assert_true(fminf(a.left, b.left) > -1 && fmaxf(a.right, b.right) < 1);
  assert_true(fminf(a.bottom, b.bottom) > -1 && fmaxf(a.top, b.top) < 1);
}

static void the_default_looks_down_from_front_and_right(void **state) {
  (void)state;
  double position[3 * POINTS];
  scatter(position, 4, 1, 1, 1);
  mus_camera_wish wish = mus_default_camera_wish();
  mus_camera camera = frame(&wish, 1.5f, position);
  mus_float3 from = mus_v3_unit(mus_v3_subtract(camera.eye, camera.target));
  assert_true(from.y > 0.2f && from.y < 0.6f);
  assert_true(from.x > 0.2f && from.z > 0.5f);
}

static void eye_and_target_can_be_given(void **state) {
  (void)state;
  double position[3 * POINTS];
  scatter(position, 5, 1, 1, 1);
  mus_camera_wish wish = mus_default_camera_wish();
  wish.has_target = 1;
  wish.target = mus_v3(3.5f, -1, 7);
  mus_camera camera = frame(&wish, 1.5f, position);
  assert_memory_equal(&camera.target, &wish.target, sizeof wish.target);
  extent found = measure(&camera, 300, 200, position);
  float edge = 1 - wish.border, most = fmaxf(fmaxf(-found.left, found.right), fmaxf(-found.bottom, found.top));
  assert_true(fabsf(most - edge) < 2e-3f);
  wish.has_eye = 1;
  wish.eye = mus_v3(0, 10, 0);
  wish.field = 50;
  camera = frame(&wish, 1.5f, position);
  assert_memory_equal(&camera.eye, &wish.eye, sizeof wish.eye);
  assert_memory_equal(&camera.target, &wish.target, sizeof wish.target);
  assert_true(camera.field == 50);
}

static void a_single_point_can_be_framed(void **state) {
  (void)state;
  const double point[3] = {1, 2, 3};
  mus_camera_wish wish = mus_default_camera_wish();
  mus_framing framing;
  mus_camera camera;
  mus_view view;
  float x, y;
  assert_int_equal(mus_framing_begin(&wish, 1, &framing), MUS_OK);
  mus_framing_add(&framing, 1, point);
  assert_int_equal(mus_framing_end(&framing, &camera), MUS_OK);
  assert_int_equal(mus_view_make(&camera, 100, 100, &view), MUS_OK);
  assert_true(mus_view_project(&view, mus_v3(1, 2, 3), &x, &y) > 0);
}

static void rays_and_projections_are_inverse(void **state) {
  (void)state;
  const mus_camera cameras[] = {{{1, 2, 3}, {0, 0, 0}, 40}, {{0, 5, 0}, {0, 0, 0}, 60}, {{0, -5, 0}, {0, 0, 0}, 20}};
  for (size_t i = 0; i < 3; ++i) {
    mus_view view;
    assert_int_equal(mus_view_make(&cameras[i], 320, 200, &view), MUS_OK);
    assert_true(fabsf(mus_v3_dot(view.right, view.up)) < 1e-6f);
    for (float x = 0.5f; x < 320; x += 63) {
      float px, py, y = 0.61f * x;
      mus_float3 p = mus_v3_plus(view.eye, 3, mus_view_direction(&view, x, y));
      assert_true(fabsf(mus_view_project(&view, p, &px, &py) - 3) < 1e-4f);
      assert_true(fabsf(px - x) < 1e-2f && fabsf(py - y) < 1e-2f);
    }
    float x, y; // the target is in the middle, and what lies above it is higher in the picture
    mus_view_project(&view, cameras[i].target, &x, &y);
    assert_true(fabsf(x - 160) < 1e-3f && fabsf(y - 100) < 1e-3f);
  }
}

static void bad_wishes_are_refused(void **state) {
  (void)state;
  mus_camera_wish wish = mus_default_camera_wish();
  const double nothing[6] = {NAN, 0, 0, 0, INFINITY, 0};
  mus_framing framing;
  mus_camera camera;
  mus_view view;
  assert_int_equal(mus_framing_begin(&wish, 1, &framing), MUS_OK);
  mus_framing_add(&framing, 2, nothing);
  assert_int_equal(mus_framing_end(&framing, &camera), MUS_BAD_INPUT);
  assert_int_equal(mus_framing_begin(&wish, 0, &framing), MUS_BAD_INPUT);
  wish.field = 180;
  assert_int_equal(mus_framing_begin(&wish, 1, &framing), MUS_BAD_INPUT);
  wish.field = NAN;
  assert_int_equal(mus_framing_begin(&wish, 1, &framing), MUS_BAD_INPUT);
  camera = (mus_camera){{1, 1, 1}, {1, 1, 1}, 30};
  assert_int_equal(mus_view_make(&camera, 10, 10, &view), MUS_BAD_INPUT);
  camera = (mus_camera){{NAN, 1, 1}, {0, 1, 1}, 30};
  assert_int_equal(mus_view_make(&camera, 10, 10, &view), MUS_BAD_INPUT);
  camera = (mus_camera){{0, 0, 1}, {0, 0, 0}, 0};
  assert_int_equal(mus_view_make(&camera, 10, 10, &view), MUS_BAD_INPUT);
}

static void views_follow_the_shape(void **state) {
  (void)state;
  mus_bounds flat = {{-1, 0, -1}, {1, 0.02f, 1}}, upright = {{-1, 0, -0.1f}, {1, 2, 0.1f}};
  mus_bounds aside = {{-0.1f, 0, -1}, {0.1f, 2, 1}}, none = mus_bounds_empty();
  assert_true(mus_camera_wish_for(&flat).elevation > 30);
  assert_true(mus_camera_wish_for(&upright).elevation > 10 && mus_camera_wish_for(&upright).elevation < 20);
  assert_true(mus_camera_wish_for(&upright).azimuth < 45); // towards z, where it is broad
  assert_true(mus_camera_wish_for(&aside).azimuth > 45);
  assert_true(mus_camera_wish_for(&none).elevation == mus_default_camera_wish().elevation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_is_framed_tightly_and_in_the_middle),
      cmocka_unit_test(the_border_and_the_legend_stay_free),
      cmocka_unit_test(all_frames_are_in_the_picture),
      cmocka_unit_test(the_default_looks_down_from_front_and_right),
      cmocka_unit_test(eye_and_target_can_be_given),
      cmocka_unit_test(a_single_point_can_be_framed),
      cmocka_unit_test(rays_and_projections_are_inverse),
      cmocka_unit_test(views_follow_the_shape),
      cmocka_unit_test(bad_wishes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
