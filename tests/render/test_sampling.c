// Sample points: each pixel's and each block's lie one a box, on the disc and around the hemisphere evenly.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "render/sampling.h"

// Whether the 2^m points from `first` on lie one in each box of 2^-a x 2^-(m-a), for every a.
static int is_net(uint32_t first, int m) {
  for (int a = 0; a <= m; ++a) {
    unsigned char seen[256] = {0};
    for (uint32_t i = 0; i < 1u << m; ++i) {
      float x, y;
      mus_sobol(first + i, &x, &y);
      unsigned box = ((unsigned)(x * (float)(1 << a)) << (m - a)) + (unsigned)(y * (float)(1 << (m - a)));
      if (seen[box]++)
        return 0;
    }
  }
  return 1;
}

static void runs_of_points_are_nets(void **state) {
  (void)state;
  for (int m = 0; m <= 8; ++m)
    for (uint32_t run = 0; run < 16; ++run)
      assert_true(is_net(run << m, m));
  assert_false(is_net(1, 3)); // not aligned: the check can fail
}

static void each_pixel_of_a_block_takes_its_own_run(void **state) {
  (void)state;
  int seen[MUS_PIXEL_RUNS] = {0};
  for (int y = 4; y < 8; ++y)
    for (int x = 8; x < 12; ++x)
      ++seen[mus_pixel_run(x, y)];
  for (int i = 0; i < MUS_PIXEL_RUNS; ++i)
    assert_int_equal(seen[i], 1);
}

static void tables_are_directions_by_the_cosine(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_float3 *table = mus_sample_table(&arena, 16), sum = {0, 0, 0};
  assert_non_null(table);
  int count = 16 * MUS_PIXEL_RUNS, inside = 0;
  for (int i = 0; i < count; ++i) {
    assert_true(fabsf(mus_v3_length(table[i]) - 1) < 1e-5f && table[i].z >= 0);
    sum = mus_v3_add(sum, table[i]);
    inside += hypotf(table[i].x, table[i].y) < sqrtf(0.5f); // half of the disc's area
  }
  sum = mus_v3_scale(1 / (float)count, sum);
  assert_true(fabsf(sum.x) < 0.01f && fabsf(sum.y) < 0.01f);
  assert_true(fabsf(sum.z - 2.0f / 3) < 0.01f); // the cosine's mean by the cosine
  assert_in_range(inside, count / 2 - 8, count / 2 + 8);
  mus_arena_clear(&arena);
  mus_memory_fail_after(0);
  table = mus_sample_table(&arena, 16);
  mus_memory_fail_after(-1);
  assert_null(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_of_points_are_nets),
      cmocka_unit_test(each_pixel_of_a_block_takes_its_own_run),
      cmocka_unit_test(tables_are_directions_by_the_cosine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
