// Heat maps: strains and curvatures of shapes that have known ones, lengths, and the range of a scale.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "energy/heat.h"
#include "support/animation.h"
#include "support/check.h"

enum { CELLS = 20, SIDE = CELLS + 1, VERTICES = SIDE * SIDE };

typedef struct sheet {
  mus_arena arena;
  mus_mesh mesh;
  mus_heat_plan plan;
  double position[3 * VERTICES], heat[VERTICES];
} sheet;

static int make_sheet(void **state) {
  static sheet it;
  it = (sheet){0};
  it.mesh = animation_sheet(&it.arena, CELLS);
  *state = &it;
  return mus_heat_plan_create(&it.arena, &it.mesh, &it.plan) == MUS_OK ? 0 : -1;
}

static int free_sheet(void **state) {
  mus_arena_clear(&((sheet *)*state)->arena);
  return 0;
}

// u and v, which are x and z at rest, times a factor each.
static void pull(sheet *it, double along_u, double along_v) {
  for (int i = 0; i < VERTICES; ++i) {
    it->position[3 * i] = along_u * it->mesh.position[3 * i];
    it->position[3 * i + 1] = 0.3;
    it->position[3 * i + 2] = along_v * it->mesh.position[3 * i + 2];
  }
}

static void stretch_is_the_larger_strain_with_its_sign(void **state) {
  sheet *it = *state;
  pull(it, 1.1, 0.95);
  mus_heat_stretch(&it->plan, it->position, it->heat);
  for (int i = 0; i < VERTICES; ++i)
    assert_true(fabs(it->heat[i] - 10) < 1e-9);
  pull(it, 1.1, 0.75);
  mus_heat_stretch(&it->plan, it->position, it->heat);
  for (int i = 0; i < VERTICES; ++i)
    assert_true(fabs(it->heat[i] + 25) < 1e-9);
}

static void one_pulled_vertex_is_seen_by_its_neighbours_only(void **state) {
  sheet *it = *state;
  pull(it, 1, 1);
  int middle = (CELLS / 2) * SIDE + CELLS / 2, far = 0;
  it->position[3 * middle] += 0.02; // of a cell's 0.05
  mus_heat_stretch(&it->plan, it->position, it->heat);
  for (int i = 0; i < VERTICES; ++i) {
    int near = abs(i % SIDE - middle % SIDE) <= 1 && abs(i / SIDE - middle / SIDE) <= 1;
    far += !near;
    assert_true(near || fabs(it->heat[i]) < 1e-9);
  }
  assert_true(fabs(fabs(it->heat[middle]) - 40) < 1e-9);
  assert_int_equal(far, VERTICES - 9);
}

static void a_roll_bends_by_one_over_its_radius(void **state) {
  sheet *it = *state;
  const double radius = 0.4;
  for (int i = 0; i < VERTICES; ++i) {
    double angle = it->mesh.position[3 * i] / radius;
    it->position[3 * i] = radius * sin(angle);
    it->position[3 * i + 1] = radius * cos(angle);
    it->position[3 * i + 2] = it->mesh.position[3 * i + 2];
  }
  mus_heat_bend(&it->plan, it->position, it->heat);
  for (int i = 0; i < VERTICES; ++i)
    if (i % SIDE > 1 && i % SIDE < CELLS - 1) // sides along the roll have hinges on one hand only
      assert_true(fabs(it->heat[i] - 1 / radius) < 0.05 / radius);
  pull(it, 1, 1);
  mus_heat_bend(&it->plan, it->position, it->heat);
  for (int i = 0; i < VERTICES; ++i)
    assert_true(it->heat[i] < 1e-9);
}

static void a_ball_bends_by_two_over_its_radius(void **state) {
  sheet *it = *state;
  const double radius = 3; // so large that the sheet covers little of it
  for (int i = 0; i < VERTICES; ++i) {
    double x = it->mesh.position[3 * i] - 0.5, z = it->mesh.position[3 * i + 2] - 0.5;
    it->position[3 * i] = x;
    it->position[3 * i + 1] = sqrt(radius * radius - x * x - z * z);
    it->position[3 * i + 2] = z;
  }
  mus_heat_bend(&it->plan, it->position, it->heat);
  for (int i = 0; i < VERTICES; ++i)
    if (i % SIDE > 1 && i % SIDE < CELLS - 1 && i / SIDE > 1 && i / SIDE < CELLS - 1)
      assert_true(fabs(it->heat[i] - 2 / radius) < 0.05 / radius);
}

static void lengths_are_euclidean(void **state) {
  (void)state;
  const double vector[6] = {2, -3, 6, NAN, 0, 0};
  double heat[2];
  mus_heat_length(2, vector, heat);
  assert_true(heat[0] == 7);
  assert_true(isnan(heat[1]));
}

static void ranges_leave_out_the_few(void **state) {
  (void)state;
  enum { COUNT = 1000 };
  double heat[COUNT], workspace[COUNT], low, high;
  for (int i = 0; i < COUNT; ++i)
    heat[i] = (i * 7919) % COUNT; // 0 to 999, mixed
  heat[3] = 1e9;
  heat[4] = -1e9;
  heat[5] = NAN;
  mus_heat_range(COUNT, heat, workspace, &low, &high);
  assert_true(low >= 2 && low <= 6);
  assert_true(high >= 993 && high <= 997);
  for (int i = 0; i < 10; ++i)
    heat[i] = i;
  mus_heat_range(10, heat, workspace, &low, &high); // too few to leave any out
  assert_true(low == 0 && high == 9);
  heat[0] = NAN;
  mus_heat_range(1, heat, workspace, &low, &high);
  assert_true(low > high);
}

static void memory_that_is_short_is_said(void **state) {
  sheet *it = *state;
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long failures = 0; status != MUS_OK; ++failures) {
    mus_arena arena = {0};
    mus_heat_plan plan;
    mus_memory_fail_after(failures);
    status = mus_heat_plan_create(&arena, &it->mesh, &plan);
    mus_memory_fail_after(-1);
    mus_arena_clear(&arena);
    assert_true(failures < 1000 && (status == MUS_OK || status == MUS_OUT_OF_MEMORY));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stretch_is_the_larger_strain_with_its_sign),
      cmocka_unit_test(one_pulled_vertex_is_seen_by_its_neighbours_only),
      cmocka_unit_test(a_roll_bends_by_one_over_its_radius),
      cmocka_unit_test(a_ball_bends_by_two_over_its_radius),
      cmocka_unit_test(lengths_are_euclidean),
      cmocka_unit_test(ranges_leave_out_the_few),
      cmocka_unit_test(memory_that_is_short_is_said),
  };
  return cmocka_run_group_tests(tests, make_sheet, free_sheet);
}
