// The light of every pixel: few rays and smoothing come to what many rays find, and do not blur across edges.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "par/par.h"
#include "render/light_buffer.h"
#include "render/sampling.h"
#include "render/shapes.h"

enum { WIDTH = 150, HEIGHT = 90 };

// A ground seen from straight above, 3 m x 1.8 m, with a plate over its middle; the picture sees through the plate.
typedef struct setting {
  shapes_quad plate;
  mus_render_mesh mesh;
  mus_arena arena;
  mus_world *world;
  mus_light_samples samples;
  mus_light_buffer buffer;
} setting;

static mus_site ground_site(int x, int y) {
  mus_float3 p = {0.02f * ((float)x + 0.5f) - 1.5f, 0, 0.02f * ((float)y + 0.5f) - 0.9f};
  return (mus_site){p, p, {0, 1, 0}, {0, 1, 0}, 0.02f, MUS_SEES_GROUND};
}

static void make_setting(setting *s) {
  memset(s, 0, sizeof *s);
  s->plate = shapes_make_quad(mus_v3(-0.5f, 0.4f, 0.4f), mus_v3(1, 0, 0), mus_v3(0, 0, -0.8f));
  s->mesh = shapes_quad_mesh(&s->plate, mus_v3(1, 1, 1));
  mus_render_scene scene = shapes_scene(1, &s->mesh, mus_v3(0.3f, 1, 0));
  scene.light[0].radius = 0.25f;
  scene.sky = (mus_sky){{1, 1, 1}, {1, 1, 1}, 1};
  scene.ground.shown = 1;
  assert_int_equal(mus_world_create(&scene, &s->world), MUS_OK);
  assert_int_equal(mus_world_update(s->world, &scene), MUS_OK);
  assert_int_equal(mus_light_samples_make(&s->arena, 8, 8, &s->samples), MUS_OK);
  assert_int_equal(mus_light_buffer_create(&s->arena, WIDTH, HEIGHT, &s->buffer), MUS_OK);
  for (int y = 0; y < HEIGHT; ++y)
    for (int x = 0; x < WIDTH; ++x)
      s->buffer.site[y * WIDTH + x] = ground_site(x, y);
}

static void free_setting(setting *s) {
  mus_world_free(s->world);
  mus_arena_clear(&s->arena);
}

static void few_rays_come_to_what_many_find(void **state) {
  (void)state;
  static setting s;
  mus_light_samples many;
  const int channel[] = {MUS_SEEN, MUS_OPEN, MUS_SKY};
  float worst[3] = {0}, sum[3] = {0};
  int half = 0, count = 0;
  make_setting(&s);
  assert_int_equal(mus_light_samples_make(&s.arena, 128, 128, &many), MUS_OK);
  mus_light_buffer_fill(&s.buffer, s.world, &s.samples);
  for (int y = 0; y < HEIGHT; y += 7)
    for (int x = 0; x < WIDTH; x += 5, ++count) {
      const mus_lit *found = &s.buffer.lit[y * WIDTH + x];
      mus_lit expected = mus_light_site(s.world, &many, &s.buffer.site[y * WIDTH + x]);
      for (int k = 0; k < 3; ++k) {
        float off = fabsf(found->channel[channel[k]] - expected.channel[channel[k]]);
        worst[k] = fmaxf(worst[k], off);
        sum[k] += off;
      }
      half += expected.channel[MUS_SEEN] > 0.1f && expected.channel[MUS_SEEN] < 0.9f;
    }
  for (int k = 0; k < 3; ++k)
    assert_true(worst[k] < 0.08f && sum[k] / (float)count < 0.01f);
  assert_true(half > 20); // there was a half-shadow to find
  free_setting(&s);
}

// Pixels of another mesh in between: a column that sees the plate from above.
static void light_is_not_blurred_across_surfaces(void **state) {
  (void)state;
  static setting s;
  make_setting(&s);
  for (int y = 0; y < HEIGHT; ++y) {
    mus_site *site = &s.buffer.site[y * WIDTH + WIDTH / 2];
    site->position.y = site->start.y = 0.5f;
    site->what = 0;
  }
  mus_light_buffer_fill(&s.buffer, s.world, &s.samples);
  const mus_lit *middle = &s.buffer.lit[HEIGHT / 2 * WIDTH + WIDTH / 2];
  assert_true(middle->channel[MUS_SEEN] == 1 && middle->channel[MUS_OPEN] == 1);
  assert_true(middle[1].channel[MUS_SEEN] < 0.3f && middle[1].channel[MUS_OPEN] < 0.7f);

  mus_lit lit;
  const mus_site *above = &s.buffer.site[HEIGHT / 2 * WIDTH + WIDTH / 2];
  assert_true(mus_light_buffer_at(&s.buffer, above, WIDTH / 2 + 0.9f, HEIGHT / 2 + 0.5f, &lit));
  assert_true(lit.channel[MUS_SEEN] == 1);
  assert_false(mus_light_buffer_at(&s.buffer, above, WIDTH / 2 + 3.5f, HEIGHT / 2 + 0.5f, &lit));
  free_setting(&s);
}

static void threads_change_nothing(void **state) {
  (void)state;
  static setting s;
  static mus_lit first[WIDTH * HEIGHT];
  make_setting(&s);
  int before = mus_par_set_threads(1);
  mus_light_buffer_fill(&s.buffer, s.world, &s.samples);
  memcpy(first, s.buffer.lit, sizeof first);
  mus_par_set_threads(5);
  mus_light_buffer_fill(&s.buffer, s.world, &s.samples);
  assert_memory_equal(first, s.buffer.lit, sizeof first);
  mus_par_set_threads(before);
  free_setting(&s);
}

// A band of rows gets the light that all rows at once get, but for its margins, up to the last bit.
static void bands_change_nothing(void **state) {
  (void)state;
  static setting s;
  mus_light_buffer band;
  mus_lit lit[2];
  make_setting(&s);
  mus_light_buffer_fill(&s.buffer, s.world, &s.samples);
  for (int top = 0; top < HEIGHT - 30; top += 11) {
    assert_int_equal(mus_light_buffer_create(&s.arena, WIDTH, 30, &band), MUS_OK);
    band.top = top;
    band.bottom = top + 30;
    memcpy(band.site, s.buffer.site + (size_t)top * WIDTH, 30 * WIDTH * sizeof *band.site);
    mus_light_buffer_fill(&band, s.world, &s.samples);
    int first = top > 0 ? top + MUS_LIGHT_MARGIN : 0, end = band.bottom - MUS_LIGHT_MARGIN;
    assert_memory_equal(&band.lit[mus_light_buffer_index(&band, 0, first)], &s.buffer.lit[first * WIDTH],
                        (size_t)(end - first) * WIDTH * sizeof *band.lit);
    const mus_site *site = &s.buffer.site[first * WIDTH + 60];
    for (int k = 0; k < 2; ++k) // at the edge of what is drawn, between rows
      assert_true(mus_light_buffer_at(k ? &band : &s.buffer, site, 60.2f, (float)first + 0.1f, &lit[k]));
    assert_memory_equal(&lit[0], &lit[1], sizeof lit[0]);
  }
  free_setting(&s);
}

// The ground under the plate sends up less than the ground around it, and the open ground what Lambert's law says.
static void the_ground_throws_light_back(void **state) {
  (void)state;
  static setting s;
  make_setting(&s);
  mus_light_ground(s.world, &s.samples);
  mus_float3 under = mus_world_bounce(s.world, mus_v3(0, 0.3f, 0), mus_v3(0, -1, 0));
  mus_float3 open = mus_world_bounce(s.world, mus_v3(0.9f, 5, 0.8f), mus_v3(0, -1, 0));
  mus_float3 outside = mus_world_bounce(s.world, mus_v3(100, 1, 0), mus_v3(0, -1, 0));
  float albedo = mus_srgb_decode(0.7f), expected = albedo * (1 + 1 / hypotf(1, 0.3f));
  assert_true(fabsf(outside.x - expected) < 1e-4f);
  assert_true(fabsf(open.x - expected) < 0.05f * expected);
  assert_true(under.x < 0.5f * expected);
  free_setting(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_rays_come_to_what_many_find), cmocka_unit_test(light_is_not_blurred_across_surfaces),
      cmocka_unit_test(threads_change_nothing),          cmocka_unit_test(bands_change_nothing),
      cmocka_unit_test(the_ground_throws_light_back),
  };
  if (!shapes_can_draw()) {
    print_message("no Embree in this build: left out\n");
    return 0;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
