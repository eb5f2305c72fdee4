// Colourings: no two neighbours of one colour, no more colours than promised, lists that say the same.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "sparse/colouring.h"
#include "support/patterns.h"

enum { MOST = 40 };

// Which nodes may not share a colour: neighbours in either direction, and theirs at distance 2.
static void find_conflicts(const mus_pattern *p, int distance, char *conflict) {
  char near[MOST * MOST] = {0};
  int n = p->rows;
  for (int i = 0; i < n; ++i)
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; ++k)
      near[i * n + p->column[k]] = near[p->column[k] * n + i] = 1;
  memcpy(conflict, near, (size_t)(n * n));
  for (int i = 0; distance == 2 && i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        conflict[i * n + j] |= near[i * n + k] && near[k * n + j];
  for (int i = 0; i < n; ++i)
    conflict[i * n + i] = 0;
}

static void assert_lists(int n, const mus_colouring *c) {
  char seen[MOST] = {0};
  assert_int_equal(c->start[0], 0);
  assert_int_equal(c->start[c->colours], n);
  for (int colour = 0; colour < c->colours; ++colour) {
    assert_true(c->start[colour] < c->start[colour + 1]); // no colour without nodes
    for (int k = c->start[colour]; k < c->start[colour + 1]; ++k) {
      assert_int_equal(c->colour_of[c->node[k]], colour);
      assert_true(k == c->start[colour] || c->node[k - 1] < c->node[k]);
      assert_false(seen[c->node[k]]);
      seen[c->node[k]] = 1;
    }
  }
}

static int check(const mus_pattern *p, int distance) {
  mus_arena arena = {0};
  mus_colouring c;
  char conflict[MOST * MOST];
  int n = p->rows, most = 0;
  assert_int_equal(mus_colour(&arena, p, distance, &c), MUS_OK);
  find_conflicts(p, distance, conflict);
  for (int i = 0; i < n; ++i) {
    int degree = 0;
    for (int j = 0; j < n; ++j) {
      degree += conflict[i * n + j];
      assert_false(conflict[i * n + j] && c.colour_of[i] == c.colour_of[j]);
    }
    most = degree > most ? degree : most;
    assert_true(c.colour_of[i] >= 0 && c.colour_of[i] < c.colours);
  }
  assert_true(c.colours >= 1 && c.colours <= most + 1);
  assert_lists(n, &c);
  int colours = c.colours;
  mus_arena_clear(&arena);
  return colours;
}

// Directed graphs too: one block between two nodes is enough to tell them apart.
static void random_graphs(void **state) {
  (void)state;
  for (int most = 0; most <= 8; ++most)
    for (uint64_t seed = 0; seed < 20; ++seed)
      for (int distance = 1; distance <= 2; ++distance) {
        mus_arena arena = {0};
        mus_pattern p = random_pattern(&arena, MOST, MOST, 0, most, seed);
        int colours = check(&p, distance);
        assert_true(most > 0 || colours == 1);
        mus_arena_clear(&arena);
      }
}

static mus_pattern band(mus_arena *arena, int n, int reach, int closed) {
  int start[MOST + 1] = {0}, column[MOST * MOST], blocks = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      int apart = abs(i - j);
      if (apart <= reach || (closed && n - apart <= reach))
        column[blocks++] = j;
    }
    start[i + 1] = blocks;
  }
  mus_pattern p;
  assert_int_equal(mus_pattern_copy(arena, n, n, start, column, &p), MUS_OK);
  return p;
}

// Graphs for which the greedy colouring in node order is known.
static void known_graphs(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_pattern diagonal = band(&arena, 20, 0, 0), path = band(&arena, 20, 1, 0), complete = band(&arena, 9, 8, 0);
  mus_pattern even_ring = band(&arena, 12, 1, 1), odd_ring = band(&arena, 13, 1, 1), one = band(&arena, 1, 0, 0);
  assert_int_equal(check(&diagonal, 1), 1);
  assert_int_equal(check(&diagonal, 2), 1);
  assert_int_equal(check(&path, 1), 2);
  assert_int_equal(check(&path, 2), 3);
  assert_int_equal(check(&complete, 1), 9);
  assert_int_equal(check(&complete, 2), 9);
  assert_int_equal(check(&even_ring, 1), 2);
  assert_int_equal(check(&even_ring, 2), 3);
  assert_int_equal(check(&odd_ring, 1), 3);
  assert_int_equal(check(&one, 1), 1);
  mus_arena_clear(&arena);
}

// Two nodes whose rows both point at a third, and two that a third points at: in both cases they share a neighbour.
static void shared_neighbours_count_in_every_direction(void **state) {
  (void)state;
  mus_pattern in = {3, 3, (int[]){0, 1, 2, 2}, (int[]){2, 2}}, out = {3, 3, (int[]){0, 0, 0, 2}, (int[]){0, 1}};
  mus_pattern through = {3, 3, (int[]){0, 1, 1, 2}, (int[]){2, 1}}, back = {3, 3, (int[]){0, 0, 1, 2}, (int[]){2, 0}};
  const mus_pattern *all[] = {&in, &out, &through, &back};
  for (int k = 0; k < 4; ++k) {
    assert_int_equal(check(all[k], 1), 2);
    assert_int_equal(check(all[k], 2), 3);
  }
}

static void what_cannot_be_coloured_is_refused(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_colouring c;
  mus_pattern wide = random_pattern(&arena, 3, 4, 1, 1, 1), tall = random_pattern(&arena, 4, 3, 1, 1, 1);
  mus_pattern square = random_pattern(&arena, 4, 4, 1, 1, 1);
  assert_int_equal(mus_colour(&arena, &wide, 1, &c), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "3 x 4"));
  assert_int_equal(mus_colour(&arena, &tall, 2, &c), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "4 x 3"));
  for (int distance = -1; distance <= 3; distance += distance == 0 ? 3 : 1) {
    assert_int_equal(mus_colour(&arena, &square, distance, &c), MUS_BAD_INPUT);
    assert_non_null(strstr(mus_last_error(), "distance"));
  }
  mus_arena_clear(&arena);
}

static void failing_allocations(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_pattern p = random_pattern(&arena, 10, 10, 0, 4, 1);
  mus_colouring c;
  mus_status status = MUS_OUT_OF_MEMORY;
  long n = 0;
  for (; status; ++n) {
    mus_arena local = {0};
    mus_memory_fail_after(n);
    status = mus_colour(&local, &p, 2, &c);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
    mus_arena_clear(&local);
  }
  assert_true(n > 6);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs),
      cmocka_unit_test(known_graphs),
      cmocka_unit_test(shared_neighbours_count_in_every_direction),
      cmocka_unit_test(what_cannot_be_coloured_is_refused),
      cmocka_unit_test(failing_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
