// Settling: what starts tangled is free before time begins, and stays so; what is free is not touched; breakdowns do
// not matter.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "energy/gather.h"
#include "sim/access.h"
#include "support/check.h"
#include "support/runs.h"

static size_t bytes_of(const run *r) { return 3 * (size_t)mus_sim_vertices(r->sim) * sizeof(double); }

static void free_cloth_is_not_touched(void **state) {
  (void)state;
  run *r =
      runs_start("{\"cloths\": [{\"translate\": [0, 0.2, 0], \"velocity\": [1, 2, 3], \"shape\": {\"vertices\": 225}}],"
                 "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.1, \"facet\": 0.002}}]}");
  double *before = memcpy(malloc(bytes_of(r)), mus_sim_positions(r->sim), bytes_of(r));
  mus_settling settling;
  assert_ok(mus_sim_settle(r->sim, &settling));
  assert_int_equal(settling.steps, 0);
  assert_int_equal(settling.crossings, 0);
  assert_int_equal(settling.tangled, 0);
  assert_memory_equal(before, mus_sim_positions(r->sim), bytes_of(r));
  assert_true(mus_sim_velocities(r->sim)[2] == 3);
  free(before);
  runs_free(r);
}

// Settles, then runs with steps as long as frames: nothing is tangled at any time.
static void comes_free(const char *scene, int most) {
  run *r = runs_scene(scene);
  r->scene.settle = most;
  runs_begin(r);
  int before = runs_crossings(r);
  mus_settling settling;
  assert_ok(mus_sim_settle(r->sim, &settling));
  print_message("%d crossings, free after %d steps\n", before, settling.steps);
  assert_true(before > 0);
  assert_int_equal(settling.crossings, before);
  assert_true(settling.steps > 0);
  assert_int_equal(settling.tangled, 0);
  assert_int_equal(runs_crossings(r), 0);
  assert_true(mus_sim_time(r->sim) == 0);
  for (int i = 0; i < 3 * mus_sim_vertices(r->sim); ++i)
    assert_true(mus_sim_velocities(r->sim)[i] == 0);
  for (int f = 0; f < 4; ++f) {
    runs_frame(r);
    assert_int_equal(runs_crossings(r), 0);
  }
  runs_free(r);
}

// Its middle lies 14 mm inside all around, and it must stretch to come out.
static const char tight[] = "{\"time_step\": 0.0416666667, \"gravity\": [0, 0, 0],"
                            "\"cloths\": [{\"shape\": {\"kind\": \"tube\", \"size\": [1.8, 0.9], \"vertices\": 700}}],"
                            "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.3, \"facet\": 0.002}}]}";

static void a_tight_tube_comes_out_of_a_sphere(void **state) {
  (void)state;
  comes_free(tight, 100);
}

static void a_tube_beside_the_middle_comes_out(void **state) {
  (void)state;
  comes_free("{\"time_step\": 0.0416666667, \"gravity\": [0, 0, 0], \"cloths\": [{\"translate\": [0, 0.1, 0],"
             "\"shape\": {\"kind\": \"tube\", \"size\": [2.2, 0.9], \"vertices\": 700}}],"
             "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.3, \"facet\": 0.002}}]}",
             100);
}

// A sleeve that is too narrow for the limb, and tilted, so that the limb goes in by its end and out by its side. For
// half of it the far side of the limb is nearer than the near one.
static void a_sleeve_comes_out_of_a_limb(void **state) {
  (void)state;
  comes_free("{\"time_step\": 0.0416666667, \"gravity\": [0, 0, 0], \"cloths\": [{\"rotate\": [0, 0, 12],"
             "\"shape\": {\"kind\": \"tube\", \"size\": [0.36, 0.2], \"vertices\": 900}}],"
             "\"bodies\": [{\"rotate\": [0, 0, 90],"
             "\"shape\": {\"kind\": \"capsule\", \"radius\": 0.055, \"length\": 0.6, \"facet\": 0.001}}]}",
             200);
}

// A limb goes in by one side of a sleeve and out by the other: nothing is left but the way over its end.
static void a_sleeve_that_a_limb_pierces_slides_off_it(void **state) {
  (void)state;
  comes_free("{\"time_step\": 0.0416666667, \"gravity\": [0, 0, 0], \"cloths\": [{"
             "\"shape\": {\"kind\": \"tube\", \"size\": [0.3, 0.3], \"vertices\": 900}}],"
             "\"bodies\": [{\"rotate\": [0, 0, 30], \"translate\": [0, -0.2, 0],"
             "\"shape\": {\"kind\": \"capsule\", \"radius\": 0.04, \"length\": 1.2, \"facet\": 0.001}}]}",
             50);
}

static void sheets_come_apart(void **state) {
  (void)state;
  comes_free("{\"time_step\": 0.0416666667, \"gravity\": [0, 0, 0], \"cloths\": ["
             "{\"name\": \"one\", \"shape\": {\"vertices\": 225, \"size\": [0.4, 0.4]}},"
             "{\"name\": \"two\", \"shape\": {\"vertices\": 225, \"size\": [0.4, 0.4]}, \"rotate\": [0, 20, 6],"
             "\"translate\": [0.1, 0.015, 0.03]}]}",
             200);
}

static void settling_can_be_turned_off(void **state) {
  (void)state;
  run *r = runs_scene(tight);
  r->scene.settle = 0;
  runs_begin(r);
  int before = runs_crossings(r);
  mus_settling settling;
  assert_ok(mus_sim_settle(r->sim, &settling));
  assert_int_equal(settling.steps, 0);
  assert_int_equal(runs_crossings(r), before);
  runs_free(r);
}

static void threads_change_nothing(void **state) {
  (void)state;
  double *first = NULL;
  int threads[] = {1, 2, 7};
  for (int k = 0; k < 3; ++k) {
    run *r = runs_scene(tight);
    r->scene.solver.threads = threads[k];
    r->scene.settle = 4;
    runs_begin(r);
    mus_settling settling;
    assert_ok(mus_sim_settle(r->sim, &settling));
    assert_int_equal(settling.steps, 4);
    if (!first)
      first = memcpy(malloc(bytes_of(r)), mus_sim_positions(r->sim), bytes_of(r));
    assert_memory_equal(first, mus_sim_positions(r->sim), bytes_of(r));
    runs_free(r);
  }
  free(first);
}

// An element at every vertex that lets no solver succeed once the vertex has gone farther than this, m.
static const double fragile_reach = 0.004;

typedef struct fragile_rest {
  double start[3]; // m
} fragile_rest;

static mus_status create_fragile(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  int *vertex = mus_arena_alloc(arena, (size_t)source->mesh->vertices, sizeof *vertex);
  mus_status status = vertex ? mus_element_list_allocate(arena, source->mesh->vertices, out) : mus_fail_memory();
  fragile_rest *rest = out->rest;
  out->vertex = vertex;
  for (int i = 0; i < out->count && !status; ++i) {
    vertex[i] = i;
    memcpy(rest[i].start, source->mesh->position + 3 * (size_t)i, sizeof rest[i].start);
  }
  return status;
}

static void evaluate_fragile(const mus_element_list *list, int first, int count, const mus_evaluation *e) {
  const fragile_rest *rest = (const fragile_rest *)list->rest + first;
  for (int k = 0; k < count; ++k) {
    double away[3];
    mus_gathered p;
    mus_gather(1, &list->vertex[first + k], k, e, &p);
    mus_subtract3(p.x, rest[k].start, away);
    mus_keep_energy(e, k, 0);
    for (int c = 0; c < 3 && p.gradient; ++c)
      p.gradient[c] = 0;
    for (int c = 0; c < 9 && p.block; ++c)
      p.block[c] = c % 4 == 0 && mus_dot3(away, away) > fragile_reach * fragile_reach ? -1e12 : 0;
  }
}

static const mus_element_kind fragile_kind = {.name = "fragile",
                                              .arity = 1,
                                              .rest_bytes = sizeof(fragile_rest),
                                              .energy = MUS_ENERGY_STRETCH,
                                              .create = create_fragile,
                                              .evaluate = evaluate_fragile};

// A step that cannot be made, however short it is, ends settling with what there is by then.
static void a_breakdown_ends_it(void **state) {
  (void)state;
  const mus_element_kind *extra[] = {&fragile_kind, NULL};
  run *r = runs_scene(tight);
  assert_ok(mus_sim_create_with(&r->scene, extra, &r->sim));
  double *before = memcpy(malloc(bytes_of(r)), mus_sim_positions(r->sim), bytes_of(r));
  mus_settling settling;
  assert_ok(mus_sim_settle(r->sim, &settling));
  assert_int_equal(settling.gave_up, 1);
  assert_int_equal(settling.tangled, 1);
  assert_true(settling.steps > 0 && settling.steps < r->scene.settle);
  assert_true(strlen(mus_last_error()) > 0);
  double farthest = 0;
  for (int i = 0; i < 3 * mus_sim_vertices(r->sim); ++i) {
    assert_true(isfinite(mus_sim_positions(r->sim)[i]));
    farthest = fmax(farthest, fabs(mus_sim_positions(r->sim)[i] - before[i]));
  }
  assert_true(farthest > 0); // what was done before is kept
  free(before);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_cloth_is_not_touched),
                                     cmocka_unit_test(a_tight_tube_comes_out_of_a_sphere),
                                     cmocka_unit_test(a_tube_beside_the_middle_comes_out),
                                     cmocka_unit_test(a_sleeve_comes_out_of_a_limb),
                                     cmocka_unit_test(a_sleeve_that_a_limb_pierces_slides_off_it),
                                     cmocka_unit_test(sheets_come_apart),
                                     cmocka_unit_test(settling_can_be_turned_off),
                                     cmocka_unit_test(a_breakdown_ends_it),
                                     cmocka_unit_test(threads_change_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
