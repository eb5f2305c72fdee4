// Ties: followers lie where ties say, momentum goes to what they follow, and what cannot be had is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "mesh/ties.h"
#include "support/check.h"

enum { VERTICES = 12, MOST = 8 };

typedef struct knot {
  mus_arena arena;
  mus_ties ties;
} knot;

static void tie_all(knot *k, int count, const mus_tie *tie, const int *pinned) {
  unsigned char holds[MOST];
  *k = (knot){0};
  memset(holds, 1, sizeof holds);
  assert_ok(mus_ties_create(&k->arena, VERTICES, count, tie, &k->ties));
  assert_int_equal(k->ties.count, 0);
  mus_ties_make(&k->ties, holds, pinned);
}

// Whatever values nodes have, all ties that are not refused hold for what follows.
static void assert_kept(const knot *k) {
  double value[3 * VERTICES], gap[3];
  for (int i = 0; i < 3 * VERTICES; ++i)
    value[i] = sin(7.0 * i);
  mus_ties_follow(&k->ties, value);
  for (int t = 0; t < k->ties.all; ++t) {
    mus_tie_gap(&k->ties.tie[t], value, gap);
    if (!k->ties.refused[t])
      assert_true(mus_length3(gap) < 1e-15);
  }
}

static int refused(const knot *k) {
  int count = 0;
  for (int t = 0; t < k->ties.all; ++t)
    count += k->ties.refused[t];
  return count;
}

static void vertices_that_are_tied_are_one(void **state) {
  (void)state;
  const mus_tie tie[] = {{5, 2, 2, 0}, {7, 5, 5, 0}, {9, 8, 8, 0}};
  knot k;
  tie_all(&k, 3, tie, NULL);
  assert_int_equal(k.ties.count, 3); // 5 and 7 follow 2, 9 follows 8
  assert_kept(&k);
  assert_true(k.ties.node[0] == 2 && k.ties.node[1] == 2 && k.ties.node[2] == 8);
  assert_int_equal(refused(&k), 0);
  mus_arena_clear(&k.arena);
}

// A point of an edge whose end is tied to another edge: three nodes.
static void chains_lead_to_the_end(void **state) {
  (void)state;
  const mus_tie tie[] = {{0, 1, 2, 0.25}, {2, 3, 4, 0.5}, {5, 0, 0, 0}};
  knot k;
  tie_all(&k, 3, tie, NULL);
  assert_int_equal(refused(&k), 0);
  assert_kept(&k);
  int vertex = 5;
  mus_followed f = mus_ties_followed(&k.ties, &vertex);
  assert_int_equal(f.count, 3);
  assert_true(f.node[0] == 1 && f.node[1] == 3 && f.node[2] == 4);
  assert_true(f.weight[0] == 0.75 && f.weight[1] == 0.125 && f.weight[2] == 0.125);
  mus_arena_clear(&k.arena);
}

static void pinned_vertices_lead(void **state) {
  (void)state;
  const mus_tie tie[] = {{5, 2, 2, 0}, {6, 2, 2, 0}, {1, 5, 8, 0.5}};
  int pinned[VERTICES];
  knot k;
  memset(pinned, 0xff, sizeof pinned);
  pinned[6] = 0;
  tie_all(&k, 3, tie, pinned);
  assert_kept(&k);
  assert_true(k.ties.place[6] < 0 && k.ties.place[2] >= 0 && k.ties.place[5] >= 0);
  assert_int_equal(refused(&k), 0);
  mus_arena_clear(&k.arena);
  pinned[1] = 1; // where pins hold both sides, neither gives way
  pinned[2] = 2;
  tie_all(&k, 3, tie, pinned);
  assert_kept(&k);
  assert_true(k.ties.refused[1] && k.ties.refused[2] && !k.ties.refused[0]);
  mus_arena_clear(&k.arena);
}

static void rings_and_second_edges_are_refused(void **state) {
  (void)state;
  const mus_tie ring[] = {{0, 1, 2, 0.5}, {1, 0, 3, 0.5}}, twice[] = {{0, 1, 2, 0.5}, {0, 3, 4, 0.5}};
  knot k;
  tie_all(&k, 2, ring, NULL);
  assert_int_equal(refused(&k), 1);
  assert_kept(&k);
  mus_arena_clear(&k.arena);
  tie_all(&k, 2, twice, NULL);
  assert_true(!k.ties.refused[0] && k.ties.refused[1]);
  assert_kept(&k);
  mus_arena_clear(&k.arena);
}

// Two edges that are tied to each other all along would make each vertex follow all others.
static void vertices_do_not_follow_too_many(void **state) {
  (void)state;
  enum { STITCHES = 40, ALL = 2 * STITCHES + 2 };
  mus_arena arena = {0};
  mus_ties ties;
  mus_tie tie[STITCHES];
  unsigned char holds[STITCHES];
  for (int k = 0; k < STITCHES; ++k) // sides are even and odd numbers
    tie[k] = (mus_tie){k, k + 1, k + 3, 0.4};
  memset(holds, 1, sizeof holds);
  assert_ok(mus_ties_create(&arena, ALL, STITCHES, tie, &ties));
  mus_ties_make(&ties, holds, NULL);
  int found[MUS_TIE_REACH], followed = 0;
  for (int v = 0; v < ALL; ++v) {
    mus_followed f = mus_ties_followed(&ties, &v);
    int reach = mus_ties_reach(&ties, v, found);
    assert_true(reach >= 1 && f.count <= MUS_TIE_NODES);
    for (int n = 0; n < f.count; ++n) {
      int known = 0;
      for (int r = 0; r < reach; ++r)
        known |= found[r] == f.node[n];
      assert_true(known);
    }
    followed += mus_is_follower(&ties, v);
  }
  assert_true(followed > 0);
  mus_arena_clear(&arena);
}

// Momentum, and work: f . P v = P^T f . v.
static void forces_go_to_what_is_followed(void **state) {
  (void)state;
  const mus_tie tie[] = {{0, 1, 2, 0.25}, {2, 3, 4, 0.5}, {5, 0, 0, 0}, {9, 8, 8, 0}};
  double force[3 * VERTICES], velocity[3 * VERTICES], mass[VERTICES], shared[VERTICES];
  double sum[3] = {0}, work = 0, total = 0;
  knot k;
  tie_all(&k, 4, tie, NULL);
  for (int i = 0; i < 3 * VERTICES; ++i) {
    force[i] = cos(3.0 * i);
    velocity[i] = sin(5.0 * i);
    sum[i % 3] += force[i];
  }
  mus_ties_follow(&k.ties, velocity);
  for (int i = 0; i < 3 * VERTICES; ++i)
    work += force[i] * velocity[i];
  mus_ties_lead(&k.ties, force);
  for (int i = 0; i < 3 * VERTICES; ++i) {
    work -= force[i] * velocity[i];
    sum[i % 3] -= force[i];
  }
  assert_true(fabs(work) < 1e-13 && mus_length3(sum) < 1e-13);
  for (int i = 0; i < VERTICES; ++i)
    mass[i] = 1 + i;
  mus_ties_share_mass(&k.ties, mass, shared);
  for (int i = 0; i < VERTICES; ++i)
    total += mus_is_follower(&k.ties, i) ? mass[i] : mass[i] - shared[i];
  assert_true(fabs(total) < 1e-13);
  mus_arena_clear(&k.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(vertices_that_are_tied_are_one),
                                     cmocka_unit_test(chains_lead_to_the_end),
                                     cmocka_unit_test(pinned_vertices_lead),
                                     cmocka_unit_test(rings_and_second_edges_are_refused),
                                     cmocka_unit_test(vertices_do_not_follow_too_many),
                                     cmocka_unit_test(forces_go_to_what_is_followed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
