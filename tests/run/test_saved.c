// Saved states of scenes with contact: a run goes on from one with the same bits, and memory that is short anywhere is
// told and leaks nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "run/saved.h"
#include "support/check.h"
#include "support/runs.h"

// Two sheets on a table that turns and rises to one side, over its edge, and a ball that comes along below that.
static const char on_a_table[] =
    "{\"frames\": 12, \"time_step\": 0.008333333333333333, \"solver\": {\"threads\": 1}, \"bodies\": ["
    "{\"name\": \"table\", \"shape\": {\"kind\": \"box\", \"size\": [0.3, 0.1, 0.3]}, \"rotate\": ["
    "{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 1, \"value\": [0, 60, 20]}], \"translate\": ["
    "{\"time\": 0, \"value\": [0, -0.05, 0]}, {\"time\": 1, \"value\": [0, 0.05, 0]}]},"
    "{\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", \"radius\": 0.05, \"facet\": 0.002}, \"translate\": ["
    "{\"time\": 0, \"value\": [0.3, -0.1, 0]}, {\"time\": 0.5, \"value\": [0.3, 0.1, 0]}]}], \"cloths\": ["
    "{\"name\": \"lower\", \"translate\": [0, 0.001, 0], \"shape\": {\"vertices\": 100, \"size\": [0.5, 0.4]}},"
    "{\"name\": \"upper\", \"translate\": [0, 0.002, 0], \"shape\": {\"vertices\": 25, \"size\": [0.2, 0.2], "
    "\"tessellation\": \"irregular\"}}]}";

static void run_frames(run *r, int frames) {
  for (int k = 0; k < frames; ++k)
    runs_frame(r);
}

static mus_hold *holds(const run *r) { return mus_sim_state(r->sim)->contact.hold; }

static int count_held(const run *r) {
  int held = 0;
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i)
    held += holds(r)[i].push > 0;
  return held;
}

static void restore(run *from, run *to) {
  mus_checkpoint_section sections[MUS_SAVED_SECTIONS];
  mus_saved kept = {0};
  assert_ok(mus_saved_take(from->sim, &kept));
  mus_saved_list(&kept, sections);
  mus_checkpoint checkpoint = {
      .frame = mus_sim_frame_number(from->sim), .count = MUS_SAVED_SECTIONS, .sections = sections};
  assert_ok(mus_saved_restore(&checkpoint, to->sim));
  mus_saved_free(&kept);
}

static void assert_same(const run *a, const run *b) {
  size_t vertices = (size_t)mus_sim_vertices(a->sim), bytes = 3 * vertices * sizeof(double);
  assert_memory_equal(mus_sim_positions(a->sim), mus_sim_positions(b->sim), bytes);
  assert_memory_equal(mus_sim_velocities(a->sim), mus_sim_velocities(b->sim), bytes);
  assert_memory_equal(holds(a), holds(b), vertices * sizeof *holds(a));
}

// Vertices are held by bodies that move, sheets repel each other, some vertices stick: all goes on alike, whatever the
// solver keeps of its hierarchy from step to step.
static void contact_goes_on_alike(void **state) {
  (void)state;
  for (int k = 0; k < MUS_INTEGRATORS + MUS_SETUP_AUTO + 1; ++k) {
    run *saved = runs_scene(on_a_table), *restored = runs_scene(on_a_table);
    saved->scene.integrator = restored->scene.integrator =
        k < MUS_INTEGRATORS ? (mus_integrator)k : MUS_INTEGRATOR_EULER;
    saved->scene.projective_iterations = restored->scene.projective_iterations = 1000;
    for (int cloth = 0; cloth < saved->scene.cloth_count && k == MUS_INTEGRATOR_PROJECTIVE; ++cloth)
      saved->scene.cloths[cloth].model = restored->scene.cloths[cloth].model = MUS_CLOTH_MODEL_MASS_SPRING;
    if (k >= MUS_INTEGRATORS) {
      saved->scene.solver = mus_preset_solver_options(k % 2 ? MUS_PRESET_FAST : MUS_PRESET_ROBUST);
      saved->scene.solver.setup = (mus_setup)(k - MUS_INTEGRATORS);
      saved->scene.solver.multigrid.bottom = 30;
      saved->scene.solver.threads = 1;
      restored->scene.solver = saved->scene.solver;
    }
    runs_begin(saved);
    runs_begin(restored);
    run_frames(saved, 3);
    const mus_step_record *record = runs_frame(saved);
    print_message("%d: %d vertices held, %d couplings\n", k, count_held(saved), record->cloth_contacts);
    assert_true(count_held(saved) > 20 && record->cloth_contacts > 5);
    restore(saved, restored);
    assert_same(saved, restored);
    for (int frame = 0; frame < 2; ++frame) {
      run_frames(saved, 1);
      run_frames(restored, 1);
      assert_same(saved, restored);
    }
    runs_free(saved);
    runs_free(restored);
  }
}

// Holds are part of the state: without them a run would go on differently.
static void holds_are_needed(void **state) {
  (void)state;
  run *saved = runs_start(on_a_table), *restored = runs_start(on_a_table);
  run_frames(saved, 4);
  restore(saved, restored);
  memset(holds(restored), 0, (size_t)mus_sim_vertices(restored->sim) * sizeof *holds(restored));
  run_frames(saved, 1);
  run_frames(restored, 1);
  size_t bytes = 3 * (size_t)mus_sim_vertices(saved->sim) * sizeof(double);
  assert_true(memcmp(mus_sim_positions(saved->sim), mus_sim_positions(restored->sim), bytes) != 0);
  runs_free(saved);
  runs_free(restored);
}

static void short_memory_at_the_start(void **state) {
  (void)state;
  run *r = runs_scene(on_a_table);
  int failures = 0;
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long n = 0; status; n += 1 + n / 100) {
    mus_memory_fail_after(n);
    status = mus_sim_create(&r->scene, &r->sim);
    mus_memory_fail_after(-1);
    if (status && status != MUS_OUT_OF_MEMORY)
      fail_msg("allocation %ld: %s: %s", n, mus_status_name(status), mus_last_error());
    failures += status != MUS_OK;
  }
  assert_true(failures > 50);
  runs_frame(r);
  runs_free(r);
}

// A step that finds no memory leaves the state as it was, and can be done again.
static void short_memory_in_a_step(void **state) {
  (void)state;
  run *r = runs_scene(on_a_table), *whole = runs_scene(on_a_table);
  // One whose hierarchies do not depend on what was solved, or nearly, before.
  r->scene.solver = whole->scene.solver = mus_preset_solver_options(MUS_PRESET_ROBUST);
  r->scene.solver.recycle = whole->scene.solver.recycle = 0;
  runs_begin(r);
  runs_begin(whole);
  run_frames(whole, 4);
  restore(whole, r);
  int failures = 0;
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long n = 0; status; n += 1 + n / 40) {
    mus_memory_fail_after(n);
    status = mus_sim_step(r->sim, NULL);
    mus_memory_fail_after(-1);
    if (status && status != MUS_OUT_OF_MEMORY)
      fail_msg("allocation %ld: %s: %s", n, mus_status_name(status), mus_last_error());
    failures += status != MUS_OK;
    if (status)
      assert_same(r, whole);
  }
  print_message("a step that failed %d times for want of memory\n", failures);
  assert_true(failures > 5);
  assert_ok(mus_sim_step(whole->sim, NULL));
  assert_same(r, whole);
  runs_free(whole);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(contact_goes_on_alike), cmocka_unit_test(holds_are_needed),
                                     cmocka_unit_test(short_memory_at_the_start),
                                     cmocka_unit_test(short_memory_in_a_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
