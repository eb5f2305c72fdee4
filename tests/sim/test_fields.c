// Numbers a vertex, aggregates and bodies, as the simulator shows them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/check.h"
#include "support/runs.h"

static double *field(const run *r, mus_field which) {
  double *value = calloc((size_t)mus_sim_vertices(r->sim), sizeof *value);
  assert_non_null(value);
  assert_ok(mus_sim_field(r->sim, which, value));
  return value;
}

static double sum(const run *r, const double *value) {
  double all = 0;
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i)
    all += value[i];
  return all;
}

static void fields_say_what_is(void **state) {
  (void)state;
  run *r = runs_scene("drooping");
  mus_scene_resize(&r->scene, 441, MUS_TESSELLATION_REGULAR);
  runs_begin(r);
  for (int k = 0; k < MUS_FIELD_STRESS; ++k) { // flat, at rest, before the first step
    double *value = field(r, (mus_field)k);
    assert_true(fabs(sum(r, value)) < 1e-6);
    free(value);
  }
  for (int frame = 0; frame < 8; ++frame)
    runs_frame(r);
  for (int k = 0; k < MUS_FIELDS; ++k) {
    double *value = field(r, (mus_field)k);
    if (k >= MUS_FIELD_STRESS) // those of solids
      assert_true(isnan(value[0]) && isnan(sum(r, value)));
    else
      assert_true(k == MUS_FIELD_CONTACT || sum(r, value) > 0);
    free(value);
  }
  double *none = NULL;
  assert_fails(mus_sim_field(r->sim, MUS_FIELDS, none), MUS_BAD_INPUT, "no field");
  assert_string_equal(mus_field_name(MUS_FIELD_CONTACT), "contact");
  assert_null(mus_field_name(MUS_FIELDS));
  runs_free(r);
}

// What lies on a plane presses on it with its weight.
static void contact_bears_the_weight(void **state) {
  (void)state;
  run *r =
      runs_start("{\"air_density\": 0, \"time_step\": 0.01, \"cloths\": [{\"shape\": {\"vertices\": 49, \"size\":"
                 "[0.2, 0.2]}, \"translate\": [0, 0.0012, 0]}], \"bodies\": [{\"shape\": {\"kind\": \"plane\"}}]}");
  const mus_step_record *record = NULL;
  for (int frame = 0; frame < 10; ++frame)
    record = runs_frame(r);
  double *value = field(r, MUS_FIELD_CONTACT);
  assert_true(record->body_contacts > 0);
  double weight = record->potential / mus_sim_positions(r->sim)[1]; // all are as high
  assert_true(fabs(sum(r, value) / weight - 1) < 0.1);
  free(value);
  assert_int_equal(mus_sim_body_triangles(r->sim), 2);
  assert_int_equal(mus_sim_body_vertices(r->sim), 4);
  assert_int_equal(mus_sim_bodies_move(r->sim), 0);
  double place[12] = {1, 1};
  assert_ok(mus_sim_body_positions(r->sim, place));
  for (int k = 0; k < 4; ++k)
    assert_true(place[3 * k + 1] == 0);
  for (int k = 0; k < 6; ++k)
    assert_in_range(mus_sim_body_triangle_list(r->sim)[k], 0, 3);
  runs_free(r);
}

static void aggregates_nest(void **state) {
  (void)state;
  enum { N = 2601 };
  run *r = runs_scene("drooping");
  mus_scene_resize(&r->scene, N, MUS_TESSELLATION_REGULAR);
  runs_begin(r);
  static int first[N], second[N], of_first[N];
  assert_int_equal(mus_sim_aggregates(r->sim, 1, first), 0); // no hierarchy yet
  runs_frame(r);
  const mus_solve_record *record = mus_sim_solve_record(r->sim);
  assert_true(record->levels >= 2);
  int count = mus_sim_aggregates(r->sim, 1, first), fewer = mus_sim_aggregates(r->sim, 2, second);
  assert_int_equal(count, record->level[1].rows);
  assert_true(record->levels < 3 || fewer == record->level[2].rows);
  assert_int_equal(mus_sim_aggregates(r->sim, 0, first), 0);
  assert_int_equal(mus_sim_aggregates(r->sim, record->levels, second), 0);
  memset(of_first, -1, sizeof of_first);
  for (int i = 0; i < N; ++i) {
    assert_in_range(first[i] + 1, 0, count);
    if (fewer == 0 || first[i] < 0)
      continue;
    assert_true(second[i] < fewer);
    assert_true(of_first[first[i]] < 0 || of_first[first[i]] == second[i]); // whole aggregates go together
    of_first[first[i]] = second[i];
  }
  runs_free(r);
}

static void short_memory_is_told(void **state) {
  (void)state;
  run *r = runs_scene("drooping");
  mus_scene_resize(&r->scene, 49, MUS_TESSELLATION_REGULAR);
  runs_begin(r);
  double value[49];
  mus_attachment pull = {.count = 1, .vertex = {5}, .weight = {1}};
  int hand;
  long n = 0;
  mus_status status;
  do {
    mus_memory_fail_after(n++);
    status = mus_sim_field(r->sim, MUS_FIELD_BEND, value);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
  } while (status);
  assert_true(n > 3);
  mus_memory_fail_after(0);
  assert_int_equal(mus_sim_attach(r->sim, &pull, &hand), MUS_OUT_OF_MEMORY);
  mus_memory_fail_after(-1);
  assert_int_equal(mus_sim_attachments(r->sim), 0);
  assert_ok(mus_sim_attach(r->sim, &pull, &hand));
  mus_solver_options options = *mus_sim_solver_options(r->sim);
  options.method = MUS_METHOD_DIAG;
  mus_memory_fail_after(0);
  assert_int_equal(mus_sim_set_solver(r->sim, &options), MUS_OUT_OF_MEMORY);
  mus_memory_fail_after(-1);
  assert_int_equal(mus_sim_solver_options(r->sim)->method, MUS_METHOD_SA);
  runs_frame(r);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fields_say_what_is), cmocka_unit_test(contact_bears_the_weight),
                                     cmocka_unit_test(aggregates_nest), cmocka_unit_test(short_memory_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
