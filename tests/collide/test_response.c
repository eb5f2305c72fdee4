// Response to impacts: what it must leave alone, what it must change and by how much, and that it always ends.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "collide/cuts.h"
#include "par/par.h"
#include "support/check.h"
#include "support/meshes.h"
#include "support/tangle.h"

static const double radius = 0.0005, step = 1.0 / 120;

static tangle_part flat_triangle(mus_arena *arena, double size, double height, int body) {
  const double corner[] = {-size, height, -size, size, height, -size, 0, height, size};
  return (tangle_part){
      .mesh = meshes_given(arena, 3, 1, corner, (const int[]){0, 2, 1}, NULL), .body = body, .radius = radius};
}

static tangle_part sheet(mus_arena *arena, int side, double size, double height) {
  tangle_part part = {.mesh = meshes_grid(arena, side, side), .body = -1, .radius = radius};
  tangle_place(&part.mesh, 0, size / (side - 1), 0, height, 0);
  return part;
}

// Responds and sees that nothing crosses and nothing is left.
static mus_response_record respond(tangle *t) {
  mus_response_record record;
  assert_ok(tangle_advance(t, &record));
  assert_int_equal(record.impossible, 0);
  assert_int_equal(tangle_crossings(&t->surface, t->x), 0);
  assert_true(tangle_finite(t));
  return record;
}

static size_t bytes_of(const tangle *t) { return 3 * (size_t)t->surface.vertices * sizeof(double); }

static double *copy_of(const tangle *t, const double *x) {
  double *copy = malloc(bytes_of(t));
  assert_non_null(copy);
  return memcpy(copy, x, bytes_of(t));
}

static void what_does_not_meet_is_left_alone(void **state) {
  (void)state;
  mus_arena arena = {0};
  tangle_part part[] = {sheet(&arena, 5, 0.1, 0.01), sheet(&arena, 5, 0.1, 0.03)};
  tangle *t = tangle_of(2, part, step);
  t->noise = 0.05;
  tangle_propose(t);
  double *proposed = copy_of(t, t->x1);
  mus_response_record record = respond(t);
  assert_memory_equal(proposed, t->x1, bytes_of(t));
  assert_int_equal(record.impacts, 0);
  assert_int_equal(record.rounds, 1);
  assert_int_equal(record.cuts, 0);
  free(proposed);
  tangle_free(t);
  mus_arena_clear(&arena);
}

// A vertex pointed at the middle of a triangle: both are free, so momentum is kept, linear and, about the place where
// they meet, angular; and they end with the least distance between them.
static void free_triangles_keep_momentum(void **state) {
  (void)state;
  mus_arena arena = {0};
  const double corner[] = {0.001, 0.002, 0.003, -0.02, 0.05, 0.01, 0.025, 0.06, -0.01};
  tangle_part part[] = {flat_triangle(&arena, 0.05, 0, -1),
                        {.mesh = meshes_given(&arena, 3, 1, corner, (const int[]){0, 1, 2}, NULL),
                         .body = -1,
                         .radius = radius,
                         .velocity = {0.3, -20, 0.2}}};
  tangle *t = tangle_of(2, part, step);
  t->options.friction = 0.4;
  tangle_propose(t);
  double moved[3] = {0}, turned[3] = {0}, size = 0, x1[18];
  memcpy(x1, t->x1, sizeof x1);
  double start[18];
  memcpy(start, t->x, sizeof start);
  mus_response_record record = respond(t);
  assert_true(record.impacts > 0);
  for (int v = 0; v < 6; ++v) {
    double push[3], arm[3];
    for (int c = 0; c < 3; ++c) {
      push[c] = t->mass[v] * (t->x[3 * v + c] - x1[3 * v + c]);
      moved[c] += push[c];
      size += fabs(push[c]);
      arm[c] = start[3 * v + c]; // the first contact comes early in the step
    }
    for (int c = 0; c < 3; ++c)
      turned[c] += arm[(c + 1) % 3] * push[(c + 2) % 3] - arm[(c + 2) % 3] * push[(c + 1) % 3];
  }
  assert_true(size > 0);
  for (int c = 0; c < 3; ++c) {
    assert_true(fabs(moved[c]) < 1e-12 * size);
    assert_true(fabs(turned[c]) < 0.01 * size); // arms are up to 0.07 m
  }
  tangle_free(t);
  mus_arena_clear(&arena);
}

// A loose triangle, flat, above a body's large one that moves sideways: how far it is taken along.
typedef struct landing {
  double along; // m, by which the cloth moved along x
  double down;  // m, by which the body stopped it
} landing;
static landing land(double friction, double body_speed, double fall_speed) {
  mus_arena arena = {0};
  tangle_part part[] = {flat_triangle(&arena, 0.01, 0.002, -1), flat_triangle(&arena, 1, 0, 0)};
  part[0].velocity[1] = -fall_speed;
  part[1].velocity[0] = body_speed;
  tangle *t = tangle_of(2, part, step);
  t->body_friction[0] = friction;
  tangle_propose(t);
  double proposed = t->x1[1], x = t->x[0];
  respond(t);
  landing l = {t->x[0] - x, t->x[1] - proposed};
  tangle_free(t);
  mus_arena_clear(&arena);
  return l;
}

// Asks that the first corner of the cloth be no higher than the middle of the other two by more than so much.
typedef struct levelling {
  double most; // m
  int asked;
} levelling;

static const int level_vertex[] = {0, 1, 2};
static const double level_weight[] = {-1, 0.5, 0.5}, level_normal[] = {0, 1, 0};

static mus_status ask_for_level(void *context, const double *x, const unsigned char *moved, mus_list *cuts) {
  levelling *l = context;
  double height = x[1] - 0.5 * (x[4] + x[7]);
  if (!(moved[0] || moved[1] || moved[2]) || height <= l->most + 2e-5)
    return MUS_OK;
  ++l->asked;
  return mus_cut_vertices(level_vertex, level_weight, level_normal, -l->most, 1e-5, NULL, cuts) ? MUS_OK
                                                                                                : mus_fail_memory();
}

// A body is in the way of one corner of a falling triangle; what is asked of the others is solved for together.
static void what_others_ask_for_is_kept(void **state) {
  (void)state;
  for (int asks = 0; asks < 2; ++asks) {
    mus_arena arena = {0};
    const double cloth[] = {0, 0.01, 0.05, -0.05, 0.01, -0.05, 0.05, 0.01, -0.05};
    const double body[] = {-0.03, 0, 0.03, 0.03, 0, 0.03, 0, 0, 0.09};
    tangle_part part[] = {
        {.mesh = meshes_given(&arena, 3, 1, cloth, (const int[]){0, 1, 2}, NULL),
         .body = -1,
         .radius = radius,
         .velocity = {0, -5, 0}},
        {.mesh = meshes_given(&arena, 3, 1, body, (const int[]){0, 2, 1}, NULL), .body = 0, .radius = radius}};
    tangle *t = tangle_of(2, part, step);
    levelling l = {.most = 0.005};
    mus_more_cuts more = {ask_for_level, &l};
    t->options.more = asks ? &more : NULL;
    tangle_propose(t);
    respond(t);
    double height = t->x1[1] - 0.5 * (t->x1[4] + t->x1[7]);
    assert_true(asks ? l.asked > 0 && height <= 0.005 + 5e-5 : height > 0.02);
    tangle_free(t);
    mus_arena_clear(&arena);
  }
}

static void friction_sticks_or_slides(void **state) {
  (void)state;
  double way = 1.0 / 120; // of a body at 1 m/s
  landing stick = land(0.9, 1, 2), slide = land(0.2, 1, 2), none = land(0, 1, 2);
  assert_true(stick.down > 0.01);
  assert_true(fabs(stick.along - way) < 1e-9);
  assert_true(fabs(slide.along - 0.2 * slide.down) < 1e-9 && slide.along < way);
  assert_true(fabs(none.along) < 1e-12);
}

static void held_vertices_and_bodies_keep_their_places(void **state) {
  (void)state;
  mus_arena arena = {0};
  tangle_part part[] = {sheet(&arena, 7, 0.1, 0.005), sheet(&arena, 6, 0.1, 0.01), flat_triangle(&arena, 0.3, 0, 0)};
  part[1].velocity[1] = -10;
  part[2].velocity[0] = 3;
  tangle *t = tangle_of(3, part, step);
  t->held[0] = t->held[24] = t->held[48] = 1;
  t->v[3 * 24 + 2] = 0.2; // a pin that moves
  tangle_propose(t);
  double *proposed = copy_of(t, t->x1);
  mus_response_record record = respond(t);
  assert_true(record.impacts > 0);
  for (int v = 0; v < t->surface.vertices; ++v)
    if (t->held[v] || v >= t->surface.cloth_vertices)
      assert_memory_equal(proposed + 3 * v, t->x + 3 * v, 3 * sizeof(double));
  free(proposed);
  tangle_free(t);
  mus_arena_clear(&arena);
}

// Ten sheets, 5 mm apart, that would fall 167 mm in a step.
static tangle *falling_stack(mus_arena *arena, int sheets, int side, double speed) {
  tangle_part part[12];
  for (int k = 0; k < sheets; ++k) {
    part[k] = sheet(arena, side, 0.1, 0.005 * (k + 1));
    tangle_place(&part[k].mesh, 0, 1, 0.0011 * k, 0.005 * (k + 1), 0.0007 * k);
    part[k].velocity[1] = -speed;
  }
  part[sheets] = flat_triangle(arena, 0.5, 0, 0);
  tangle *t = tangle_of(sheets + 1, part, step);
  t->noise = 0.05;
  t->options.friction = t->body_friction[0] = 0.3;
  return t;
}

static void a_stack_lands(void **state) {
  (void)state;
  mus_arena arena = {0};
  tangle *t = falling_stack(&arena, 10, 5, 20);
  for (int k = 0; k < 2; ++k) {
    tangle_propose(t);
    mus_response_record record = respond(t);
    print_message("stack, step %d: %d impacts, %d rounds, %d cuts, %d planes\n", k, record.impacts, record.rounds,
                  record.cuts, record.planes);
  }
  for (int v = 0; v < t->surface.cloth_vertices; ++v)
    assert_true(t->x[3 * v + 1] > 0);
  tangle_free(t);
  mus_arena_clear(&arena);
}

// Two bodies that close on a sheet until they go through each other: the sheet cannot be right, and that is said.
static void what_is_squeezed_is_told(void **state) {
  (void)state;
  mus_arena arena = {0};
  tangle_part part[] = {sheet(&arena, 4, 0.05, 0.002), flat_triangle(&arena, 0.3, 0, 0),
                        flat_triangle(&arena, 0.3, 0.004, 1)};
  part[2].velocity[1] = -0.003 * 120; // 3 mm a step
  tangle *t = tangle_of(3, part, step);
  tangle_propose(t);
  respond(t); // 1 mm is left between them
  assert_int_equal(t->impossible.count, 0);
  tangle_propose(t);
  mus_response_record record;
  assert_ok(tangle_advance(t, &record));
  assert_true(record.impossible > 0);
  assert_int_equal(t->impossible.count, record.impossible);
  assert_true(tangle_finite(t));
  const mus_contact *contact = mus_contacts(&t->impossible);
  for (size_t i = 0; i < t->impossible.count; ++i) {
    int bodies = 0;
    for (int k = 0; k < 4; ++k)
      bodies += contact[i].node[k] >= t->surface.cloth_vertices;
    assert_true(bodies > 0); // cloth never goes through cloth
  }
  tangle_free(t);
  mus_arena_clear(&arena);
}

// Two balls of 5 cm that close on a sheet until they overlap by 4 mm, over a circle of 14 mm: what is there is let go
// soon and alone, whether the balls are asked where they leave no room or contradictions tell.
static void squeeze(int asked) {
  mus_arena arena = {0};
  mus_winding *solids;
  mus_response_record record;
  tangle_part ball = {.mesh = meshes_ball(&arena, 4), .body = 0, .radius = radius, .velocity = {0, 0.004 / step, 0}};
  tangle_part part[] = {sheet(&arena, 12, 0.12, 0), ball, ball};
  part[2].mesh = meshes_ball(&arena, 4);
  part[2].body = 1;
  part[2].velocity[1] *= -1;
  tangle_place(&part[1].mesh, 0, 0.05, 0, -0.052, 0);
  tangle_place(&part[2].mesh, 0, 0.05, 0, 0.052, 0);
  tangle *t = tangle_of(3, part, step);
  assert_ok(mus_winding_create(&t->surface, t->x, &solids));
  t->options.solids = asked ? solids : NULL;
  tangle_propose(t);
  assert_ok(tangle_advance(t, &record));
  assert_true(record.impossible > 0);
  assert_true(asked ? 2 * record.closed > record.impossible : record.closed == 0); // others hang on those
  assert_true(record.sweeps < (asked ? 200 : 1000) && record.rounds < 14);
  assert_int_equal(record.stopped, 0);
  const mus_contact *contact = mus_contacts(&t->impossible);
  for (size_t i = 0; i < t->impossible.count; ++i) {
    double nearest = INFINITY;
    for (int k = 0; k < 4; ++k)
      nearest = fmin(nearest, hypot(t->x[3 * contact[i].node[k]], t->x[3 * contact[i].node[k] + 2]));
    assert_true(nearest < 0.02);
  }
  for (int v = 0; v < t->surface.cloth_vertices; ++v)
    assert_true(fabs(t->x[3 * v + 1]) < 0.005);
  mus_winding_free(solids);
  tangle_free(t);
  mus_arena_clear(&arena);
}

static void what_is_squeezed_is_let_go_soon(void **state) {
  (void)state;
  squeeze(0);
  squeeze(1);
}

// A cloth ball inside a body's ball that moves and turns is taken along.
static void a_body_takes_along_what_it_holds(void **state) {
  (void)state;
  mus_arena arena = {0};
  tangle_part part[] = {{.mesh = meshes_ball(&arena, 2), .body = -1, .radius = radius},
                        {.mesh = meshes_ball(&arena, 2), .body = 0, .radius = radius, .velocity = {12, 5, -3}}};
  tangle_place(&part[0].mesh, 0, 0.03, 0, 0, 0);
  tangle_place(&part[1].mesh, 0, 0.05, 0, 0, 0);
  part[1].turn[1] = 3;
  tangle *t = tangle_of(2, part, step);
  t->stiffness = 0.3;
  for (int k = 0; k < 3; ++k) {
    tangle_propose(t);
    respond(t);
  }
  tangle_free(t);
  mus_arena_clear(&arena);
}

static tangle *small_stack(mus_arena *arena) { return falling_stack(arena, 3, 6, 20); }

// Loose triangles side by side on one of a body that moves: each is a zone, and all of them have its vertices in
// common.
static tangle *confetti(mus_arena *arena) {
  enum { COUNT = 225, ROW = 15 };
  double corner[9 * COUNT];
  int triangle[3 * COUNT];
  for (int i = 0; i < 3 * COUNT; ++i) {
    triangle[i] = i;
    corner[3 * i] = 0.02 * (i / 3 % ROW - ROW / 2) + 0.01 * (i % 3 == 1);
    corner[3 * i + 1] = 0.002;
    corner[3 * i + 2] = 0.02 * (i / 3 / ROW - ROW / 2) + 0.01 * (i % 3 == 2);
  }
  tangle_part part[] = {{.mesh = meshes_given(arena, 3 * COUNT, COUNT, corner, triangle, NULL),
                         .body = -1,
                         .radius = radius,
                         .velocity = {0, -2, 0}},
                        flat_triangle(arena, 1, 0, 0)};
  part[1].velocity[0] = 1;
  tangle *t = tangle_of(2, part, step);
  t->noise = 0.05;
  t->body_friction[0] = 0.3;
  return t;
}

static void check_threads(tangle *(*make)(mus_arena *), int least_impacts) {
  static const int threads[] = {1, 2, 7};
  double *first = NULL;
  for (int k = 0; k < 3; ++k) {
    mus_arena arena = {0};
    int before = mus_par_set_threads(threads[k]), impacts = 0;
    tangle *t = make(&arena);
    for (int s = 0; s < 2; ++s) {
      tangle_propose(t);
      impacts += respond(t).impacts;
    }
    assert_true(impacts >= least_impacts);
    if (!first) {
      first = copy_of(t, t->x);
    }
    assert_memory_equal(first, t->x, bytes_of(t));
    tangle_free(t);
    mus_arena_clear(&arena);
    mus_par_set_threads(before);
  }
  free(first);
}

static void threads_change_nothing(void **state) {
  (void)state;
  check_threads(small_stack, 100);
  check_threads(confetti, MUS_PAR_MINIMUM); // so many that zones are shared among threads
}

// Every allocation fails once: the answer is an error, or right.
static void short_memory_is_told(void **state) {
  (void)state;
  mus_arena arena = {0};
  int failures = 0;
  for (long n = 0; n < 60; ++n) {
    tangle *t = falling_stack(&arena, 2, 4, 20);
    mus_response_record record;
    tangle_propose(t);
    mus_memory_fail_after(n);
    mus_status status = tangle_advance(t, &record);
    mus_memory_fail_after(-1);
    failures += status != MUS_OK;
    if (status == MUS_OK)
      assert_int_equal(tangle_crossings(&t->surface, t->x), 0);
    else
      assert_int_equal(status, MUS_OUT_OF_MEMORY);
    tangle_free(t);
  }
  assert_true(failures > 5);
  mus_arena_clear(&arena);
}

// A few of the random cases of test_response_large.c.
static void random_tangles_do_not_cross(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    tangle *t = tangle_random(seed);
    for (int k = 0; k < 4; ++k) {
      tangle_propose(t);
      respond(t);
    }
    tangle_free(t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_does_not_meet_is_left_alone),
                                     cmocka_unit_test(free_triangles_keep_momentum),
                                     cmocka_unit_test(what_others_ask_for_is_kept),
                                     cmocka_unit_test(friction_sticks_or_slides),
                                     cmocka_unit_test(held_vertices_and_bodies_keep_their_places),
                                     cmocka_unit_test(a_stack_lands),
                                     cmocka_unit_test(what_is_squeezed_is_told),
                                     cmocka_unit_test(what_is_squeezed_is_let_go_soon),
                                     cmocka_unit_test(a_body_takes_along_what_it_holds),
                                     cmocka_unit_test(threads_change_nothing),
                                     cmocka_unit_test(short_memory_is_told),
                                     cmocka_unit_test(random_tangles_do_not_cross)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
