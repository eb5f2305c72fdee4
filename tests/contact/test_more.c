// Contact within a minimised step: what is met on the way becomes part of what is minimised, holds follow the surface,
// what bodies would have to pull is let go, and friction is what presses allows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "par/par.h"
#include "sim/simulator.h"
#include "support/check.h"
#include "support/potential.h"
#include "support/runs.h"

static const double length = 1.0 / 24;

#define SHEET(height, vertices)                                                                                        \
  "{\"translate\": [0.003, " height ", 0.004], \"shape\": {\"vertices\": " vertices ", \"size\": [0.2, 0.2]}}"
#define floored(height)                                                                                                \
  "{\"bodies\": [{\"shape\": {\"kind\": \"plane\", \"size\": [1, 1, 1]}}], \"cloths\": [" SHEET(height, "36") "]}"
static const char on_sphere[] =
    "{\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.1, \"facet\": 0.0005}}],"
    "\"cloths\": [" SHEET("0.1006", "441") "]}";
static const char two_sheets[] = "{\"cloths\": [" SHEET("0", "36") ", " SHEET("0.01", "49") "]}";

// A step whose end is where these velocities, of all vertices, lead.
typedef struct trial {
  run *r;
  mus_contact_workspace *work;
  mus_step_record record;
  size_t n;
  double *position, *velocity, *left;
  mus_prescribed *prescribed;
  double off; // of the last look
} trial;

static trial trial_begin(const char *scene, double down) {
  trial t = {.r = runs_start(scene)};
  mus_sim *sim = t.r->sim;
  t.n = 3 * (size_t)sim->model.vertices;
  t.work = sim->contact;
  t.prescribed = &sim->work.prescribed;
  t.position = calloc(t.n, sizeof *t.position);
  t.velocity = calloc(t.n, sizeof *t.velocity);
  t.left = calloc(t.n, sizeof *t.left);
  assert_true(t.position && t.velocity && t.left);
  sim->state.contact.tangled = sim->state.contact.search = 0;
  for (int i = 0; i < sim->model.vertices; ++i) {
    sim->work.prescribed.pinned[i] = -1;
    sim->state.contact.hold[i] = (mus_hold){.state = MUS_HOLD_SLIDES};
  }
  memcpy(sim->work.predicted, sim->state.position, t.n * sizeof *t.position);
  mus_contact_step step = {.h = length,
                           .length = length,
                           .position = sim->state.position,
                           .velocity = sim->state.velocity,
                           .predicted = sim->work.predicted,
                           .pinned = sim->work.prescribed.pinned,
                           .one_sided = 1};
  assert_ok(mus_contact_find(&step, &sim->state.contact, t.work, &t.record));
  for (size_t i = 1; i < t.n; i += 3)
    t.velocity[i] = -down / length;
  return t;
}

static void trial_end(trial *t) {
  free(t->position), free(t->velocity), free(t->left);
  runs_free(t->r);
}

static int look(trial *t, int settled) {
  int changed = -1;
  for (size_t i = 0; i < t->n; ++i)
    t->position[i] = t->r->sim->state.position[i] + length * t->velocity[i];
  mus_contact_iterate at = {t->position, t->velocity, settled ? t->left : NULL};
  assert_ok(mus_contact_find_more(t->work, &at, &t->record, &changed, &t->off));
  assert_true(changed ? t->off > 0 : t->off == 0);
  t->prescribed->pins = 0;
  assert_ok(mus_prescribe_contacts_again(t->work, t->velocity, t->prescribed));
  mus_prescribed_go(t->prescribed, t->velocity);
  return changed;
}

// What would end below a floor is pushed back above it, and by no more than that.
static void vertices_that_meet_a_floor_are_kept_above(void **state) {
  (void)state;
  trial t = trial_begin(floored("0.01"), 0.05); // far below the floor
  assert_int_equal(t.work->holds.held.count, 0);
  assert_int_equal(look(&t, 0), 1);
  assert_true(t.work->within.couplings.count >= 36 && t.work->beyond.couplings.count == 0);
  assert_true(fabs(t.off - 0.04) < 2e-3);
  potential_check_one_sided(t.r->sim, 1);
  double *right = calloc(t.n, sizeof *right);
  assert_non_null(right);
  mus_contact_load(t.work, t.velocity, NULL, right);
  for (size_t i = 0; i < t.n; i += 3)
    assert_true(right[i + 1] > 0.04 / length * t.r->sim->model.mass[i / 3]);
  assert_int_equal(look(&t, 0), 0); // it has not moved
  for (size_t i = 0; i < t.n; i += 3)
    t.velocity[i + 1] = -0.009 / length; // on the floor, a little more than the gap above
  mus_repulsions_revise(&t.work->within, t.velocity);
  assert_true(mus_contact_energy(t.work, t.velocity) == 0);
  assert_int_equal(look(&t, 0), 0);
  assert_int_equal(t.work->impacts.count, 0);
  free(right);
  trial_end(&t);
}

// What a step has pressed against a floor is held there in the next one.
static void what_was_pressed_is_held(void **state) {
  (void)state;
  trial t = trial_begin(floored("0.01"), 0.05);
  look(&t, 0);
  for (size_t i = 0; i < t.n; i += 3)
    t.velocity[i + 1] = (i < 30 ? -0.0095 : -0.005) / length;
  mus_contact_measure_left(t.work, t.left, t.velocity);
  mus_contact_keep(t.work, t.velocity, &t.r->sim->state.contact);
  for (size_t i = 0; i < t.n; i += 3) {
    const mus_hold *hold = &t.r->sim->state.contact.hold[i / 3];
    assert_int_equal(hold->state, i < 30 ? MUS_HOLD_SLIDES : MUS_HOLD_FREE);
    assert_true(i < 30 ? hold->push > 0 : hold->push == 0);
  }
  trial_end(&t);
}

// Bodies do not pull: what was held is let go, and kept from passing when it comes back.
static void what_is_pulled_is_let_go(void **state) {
  (void)state;
  trial t = trial_begin(floored("0.0006"), 0);
  assert_int_equal(t.work->holds.held.count, 36);
  for (size_t i = 1; i < t.n; i += 3)
    t.left[i] = i < 54 ? 1e-3 : -1e-3; // r > 0: half of them would rise if they could
  assert_int_equal(look(&t, 1), 1);
  assert_true(isinf(t.off));
  assert_int_equal(t.work->holds.held.count, 18);
  for (int k = 0; k < 18; ++k)
    assert_int_equal(mus_held_vertices(&t.work->holds)[k].vertex, 18 + k);
  size_t couplings = t.work->within.couplings.count;
  for (size_t i = 1; i < 54; i += 3)
    t.velocity[i] = -0.05 / length;
  assert_int_equal(look(&t, 0), 1);
  assert_int_equal(t.work->holds.held.count, 18);
  assert_true(t.work->within.couplings.count >= couplings + 18);
  trial_end(&t);
}

static void friction_follows_what_presses(void **state) {
  (void)state;
  trial t = trial_begin(floored("0.0006"), 0);
  for (size_t i = 0; i < t.n; i += 3) {
    t.velocity[i] = 0.1;
    t.left[i + 1] = -2e-3;
  }
  assert_int_equal(look(&t, 1), 1);
  const mus_held *held = mus_held_vertices(&t.work->holds);
  for (int i = 0; i < 36; ++i)
    assert_true(fabs(held[i].limit - held[i].friction * 2e-3) < 1e-15 && held[i].friction > 0);
  assert_int_equal(look(&t, 1), 0); // as it is
  potential_check_one_sided(t.r->sim, 7);
  trial_end(&t);
}

// What sticks and is drawn along harder than friction can hold slides on.
static void what_friction_does_not_hold_slides(void **state) {
  (void)state;
  trial t = trial_begin(floored("0.0006"), 0);
  mus_held *held = t.work->holds.held.items;
  for (int i = 0; i < 36; ++i) {
    held[i].state = MUS_HOLD_STICKS;
    t.left[3 * i + 1] = -2e-3;
    t.left[3 * i] = i < 10 ? 1e-2 : 1e-5;
  }
  assert_int_equal(look(&t, 1), 1);
  for (int i = 0; i < 36; ++i)
    assert_int_equal(held[i].state, i < 10 ? MUS_HOLD_SLIDES : MUS_HOLD_STICKS);
  trial_end(&t);
}

// Vertices that slide far over a sphere are led along it, not along the plane that they started on.
static void holds_follow_a_sphere(void **state) {
  (void)state;
  trial t = trial_begin(on_sphere, 0);
  int looks = 0;
  assert_true(t.work->holds.held.count > 0);
  for (size_t i = 0; i < t.n; i += 3)
    t.velocity[i] = 0.03 / length;
  while (look(&t, 0) && looks < 10)
    ++looks;
  assert_true(looks > 0 && looks < 10);
  for (size_t k = 0; k < t.work->holds.held.count; ++k) {
    const mus_held *h = &mus_held_vertices(&t.work->holds)[k];
    double gap = mus_vertex_face_gap(&t.work->model.surface, h->vertex, h->face), end[3];
    memcpy(end, t.r->sim->state.position + 3 * (size_t)h->vertex, sizeof end);
    mus_add_scaled3(length, t.velocity + 3 * (size_t)h->vertex, end);
    assert_true(mus_length3(end) > 0.099 && mus_length3(end) < 0.1 + 1.2 * gap);
  }
  potential_check_one_sided(t.r->sim, 2);
  trial_end(&t);
}

// Between cloths: the terms cost nothing where the two end apart, and keep them apart where they are stiff enough.
static void sheets_that_meet_are_kept_apart(void **state) {
  (void)state;
  trial t = trial_begin(two_sheets, 0);
  for (size_t i = 3 * 36; i < t.n; i += 3)
    t.velocity[i + 1] = -0.05 / length;
  assert_int_equal(t.work->beyond.couplings.count, 0);
  assert_int_equal(look(&t, 0), 1);
  assert_true(t.work->beyond.couplings.count > 49 && t.work->holds.held.count == 0);
  assert_true(mus_contact_energy(t.work, t.velocity) > 0);
  potential_check_one_sided(t.r->sim, 4);
  size_t couplings = t.work->beyond.couplings.count;
  assert_int_equal(look(&t, 0), 0); // has not moved since
  assert_int_equal(t.work->beyond.couplings.count, couplings);
  double *right = calloc(t.n, sizeof *right);
  assert_non_null(right);
  mus_contact_load(t.work, t.velocity, NULL, right);
  double sum[3] = {0}, up = 0;
  for (size_t i = 0; i < t.n; i += 3) {
    mus_add_scaled3(1, right + i, sum);
    up += i < 3 * 36 ? 0 : right[i + 1];
  }
  assert_true(up > 0 && mus_length3(sum) < 1e-12 * up); // momentum is kept
  for (size_t i = 3 * 36; i < t.n; i += 3)
    t.velocity[i + 1] = 0;
  mus_repulsions_revise(&t.work->beyond, t.velocity);
  assert_true(mus_contact_energy(t.work, t.velocity) == 0);
  free(right);
  trial_end(&t);
}

static void same_contacts_for_any_number_of_threads(void **state) {
  (void)state;
  mus_repulsion *kept[2] = {NULL, NULL};
  size_t count[2];
  for (int k = 0; k < 2; ++k) {
    mus_par_set_threads(k ? 4 : 1);
    trial t = trial_begin(on_sphere, 0.01);
    look(&t, 0);
    count[k] = t.work->within.effects.count;
    kept[k] = calloc(count[k] + 1, sizeof *kept[k]);
    assert_non_null(kept[k]);
    memcpy(kept[k], t.work->within.effects.items, count[k] * sizeof *kept[k]);
    trial_end(&t);
  }
  mus_par_set_threads(0);
  assert_true(count[0] > 20 && count[0] == count[1]);
  for (size_t k = 0; k < count[0]; ++k) // not what lies between members
    assert_true(memcmp(kept[0][k].normal, kept[1][k].normal, sizeof kept[0][k].normal) == 0 &&
                kept[0][k].apart == kept[1][k].apart && kept[0][k].along == kept[1][k].along &&
                kept[0][k].limit == kept[1][k].limit && kept[0][k].first == kept[1][k].first);
  free(kept[0]), free(kept[1]);
}

static void failing_allocations_are_clean(void **state) {
  (void)state;
  for (int sheets = 0; sheets < 2; ++sheets) {
    mus_status status = MUS_OUT_OF_MEMORY;
    for (long n = 0; status; ++n) {
      trial t = trial_begin(sheets ? two_sheets : floored("0.01"), 0.05);
      for (size_t i = 0; i < t.n; i += 3) {
        memcpy(t.position + i, t.r->sim->state.position + i, 3 * sizeof *t.position);
        t.position[i + 1] -= sheets && i < 3 * 36 ? 0 : 0.05;
      }
      int changed;
      double off;
      mus_contact_iterate at = {t.position, t.velocity, NULL};
      mus_memory_fail_after(n);
      status = mus_contact_find_more(t.work, &at, &t.record, &changed, &off);
      mus_memory_fail_after(-1);
      assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
      assert_true(status || changed);
      trial_end(&t);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(vertices_that_meet_a_floor_are_kept_above),
                                     cmocka_unit_test(what_was_pressed_is_held),
                                     cmocka_unit_test(what_is_pulled_is_let_go),
                                     cmocka_unit_test(friction_follows_what_presses),
                                     cmocka_unit_test(what_friction_does_not_hold_slides),
                                     cmocka_unit_test(holds_follow_a_sphere),
                                     cmocka_unit_test(sheets_that_meet_are_kept_apart),
                                     cmocka_unit_test(same_contacts_for_any_number_of_threads),
                                     cmocka_unit_test(failing_allocations_are_clean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
