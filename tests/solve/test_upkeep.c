// When hierarchies are set up how thoroughly, by made-up histories of iterations.
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solve/upkeep.h"

static const double cost = 4; // products an iteration

// Iterations of a solve for a hierarchy that wears by so many a solve after each kind of set-up.
typedef struct world {
  double base, wear[MUS_UPKEEP_KINDS];
  int age[MUS_UPKEEP_KINDS];
} world;

typedef struct tally {
  int done[MUS_UPKEEP_KINDS];
  double iterations;
} tally;

static tally live(world *w, mus_upkeep *upkeep, int solves) {
  tally t = {{0}, 0};
  for (int s = 0; s < solves; ++s) {
    mus_upkeep_kind kind = s == 0 ? MUS_UPKEEP_ALL : mus_upkeep_due(upkeep);
    double iterations = w->base;
    for (int k = MUS_UPKEEP_FINEST; k < MUS_UPKEEP_KINDS; ++k) {
      w->age[k] = k <= (int)kind ? 0 : w->age[k] + 1;
      iterations += w->wear[k] * w->age[k];
    }
    ++t.done[kind];
    t.iterations += iterations;
    mus_upkeep_note(upkeep, kind, (int)iterations, cost);
  }
  return t;
}

static void what_does_not_wear_is_reused(void **state) {
  (void)state;
  mus_upkeep upkeep = {0};
  world w = {.base = 15};
  tally t = live(&w, &upkeep, 200);
  assert_int_equal(t.done[MUS_UPKEEP_NONE], 198); // after everything, and once the finest level
}

// Coarse matrices that wear fast are renewed nearly always, the rest is left alone.
static void what_wears_fast_is_renewed(void **state) {
  (void)state;
  mus_upkeep upkeep = {0};
  world w = {.base = 15, .wear = {[MUS_UPKEEP_COARSE] = 8}};
  tally t = live(&w, &upkeep, 200);
  assert_true(t.done[MUS_UPKEEP_COARSE] > 180);
  assert_int_equal(t.done[MUS_UPKEEP_NUMBERS] + t.done[MUS_UPKEEP_ALL], 1);
}

// Where the finest level wears fast and the others do not, it alone is renewed, and they now and then.
static void the_finest_level_is_renewed_alone(void **state) {
  (void)state;
  mus_upkeep upkeep = {0};
  world w = {.base = 10, .wear = {[MUS_UPKEEP_FINEST] = 2, [MUS_UPKEEP_COARSE] = 0.5}};
  tally t = live(&w, &upkeep, 200);
  assert_in_range(t.done[MUS_UPKEEP_FINEST], 110, 170);
  assert_in_range(t.done[MUS_UPKEEP_COARSE], 30, 80);
  assert_in_range(t.done[MUS_UPKEEP_NONE], 0, 10);
}

static void what_wears_slowly_is_renewed_now_and_then(void **state) {
  (void)state;
  mus_upkeep upkeep = {0};
  world w = {.base = 15, .wear = {[MUS_UPKEEP_COARSE] = 0.5, [MUS_UPKEEP_NUMBERS] = 0.05}};
  tally t = live(&w, &upkeep, 400);
  assert_in_range(t.done[MUS_UPKEEP_COARSE], 40, 250);
  assert_in_range(t.done[MUS_UPKEEP_NUMBERS], 2, 40);
}

// Iterations that grow for reasons of their own: rebuilding is tried, and given up.
static void what_is_in_vain_is_given_up(void **state) {
  (void)state;
  mus_upkeep upkeep = {0};
  world w = {.base = 15};
  live(&w, &upkeep, 10);
  int thorough = 0;
  for (int s = 0; s < 300; ++s) {
    w.base = 15 + 0.2 * s;
    tally t = {{0}, 0};
    mus_upkeep_kind kind = mus_upkeep_due(&upkeep);
    ++t.done[kind];
    thorough += kind >= MUS_UPKEEP_NUMBERS;
    mus_upkeep_note(&upkeep, kind, (int)w.base, cost);
  }
  assert_in_range(thorough, 1, 30);
}

static void patience_has_a_price(void **state) {
  (void)state;
  mus_upkeep upkeep = {0};
  assert_int_equal(mus_upkeep_patience(&upkeep, MUS_UPKEEP_NONE, 0), INT_MAX); // nothing is known
  world w = {.base = 15};
  live(&w, &upkeep, 3);
  int none = mus_upkeep_patience(&upkeep, MUS_UPKEEP_NONE, cost),
      coarse = mus_upkeep_patience(&upkeep, MUS_UPKEEP_COARSE, cost);
  assert_in_range(none, 16, 40);
  assert_true(coarse > none);
  mus_upkeep_end_patience(&upkeep, MUS_UPKEEP_NONE);
  int banned = 0;
  while (mus_upkeep_due(&upkeep) == MUS_UPKEEP_COARSE) {
    mus_upkeep_note(&upkeep, MUS_UPKEEP_COARSE, 15, cost);
    ++banned;
  }
  assert_in_range(banned, 1, 8);
  mus_upkeep_end_patience(&upkeep, MUS_UPKEEP_NONE);
  int again = 0;
  while (mus_upkeep_due(&upkeep) == MUS_UPKEEP_COARSE) {
    mus_upkeep_note(&upkeep, MUS_UPKEEP_COARSE, 15, cost);
    ++again;
  }
  assert_true(again > banned);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_does_not_wear_is_reused),
      cmocka_unit_test(what_wears_fast_is_renewed),
      cmocka_unit_test(the_finest_level_is_renewed_alone),
      cmocka_unit_test(what_wears_slowly_is_renewed_now_and_then),
      cmocka_unit_test(what_is_in_vain_is_given_up),
      cmocka_unit_test(patience_has_a_price),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
