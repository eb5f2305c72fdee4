// Intersections of whole surfaces: what is planted is found, clean folds are left alone, and the tree of boxes misses
// nothing that looking at all pairs finds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check/intersections.h"
#include "check/triangle_pairs.h"
#include "par/par.h"
#include "support/check.h"

enum { CELLS = 12, SIDE = CELLS + 1, VERTICES = SIDE * SIDE, TRIANGLES = 2 * CELLS * CELLS, SHEETS = 4 };

// Sheets of 1 m, one after the other.
typedef struct sheets {
  int count;
  double x[3 * VERTICES * SHEETS];
  int triangle[3 * TRIANGLES * SHEETS];
  mus_check_surface surface;
  mus_list pairs;
} sheets;

// (u, v) from 0 to 1 to a place.
typedef void (*shape)(double u, double v, double *x);

static void add_sheet(sheets *s, shape place) {
  double *x = s->x + 3 * VERTICES * s->count;
  int *t = s->triangle + 3 * TRIANGLES * s->count, first = VERTICES * s->count;
  for (int i = 0; i < VERTICES; ++i) {
    place((double)(i % SIDE) / CELLS, (double)(i / SIDE) / CELLS, x + 3 * i);
    for (int k = 0; k < 3; ++k)
      x[3 * i + k] = (double)(float)x[3 * i + k]; // as caches have them
  }
  for (int c = 0; c < CELLS * CELLS; ++c, t += 6) {
    int a = first + c / CELLS * SIDE + c % CELLS;
    const int two[6] = {a, a + 1, a + SIDE, a + SIDE, a + 1, a + SIDE + 1};
    memcpy(t, two, sizeof two);
  }
  ++s->count;
  s->surface.vertices = VERTICES * s->count;
  s->surface.triangles = s->surface.cloth_triangles = TRIANGLES * s->count;
  s->surface.triangle = s->triangle;
}

static int find(sheets *s) {
  mus_intersections *finder = NULL;
  assert_ok(mus_intersections_create(&s->surface, &finder));
  assert_ok(mus_intersections_find(finder, s->x, &s->pairs));
  mus_intersections_free(finder);
  return (int)s->pairs.count;
}

static const mus_intersection *pairs_of(const sheets *s) { return s->pairs.items; }

static int setup(void **state) {
  *state = calloc(1, sizeof(sheets));
  return *state == NULL;
}

static int teardown(void **state) {
  mus_free(((sheets *)*state)->pairs.items);
  free(*state);
  return 0;
}

// --- clean surfaces --------------------------------------------------------------------------------------------------

static void flat(double u, double v, double *x) { memcpy(x, (double[3]){u, 0.3, v}, 3 * sizeof *x); }
static void tilted(double u, double v, double *x) {
  memcpy(x, (double[3]){0.8 * u - 0.6 * v, 0.3 + 0.48 * u + 0.64 * v, 0.36 * u + 0.48 * v}, 3 * sizeof *x);
}
static void pleated(double u, double v, double *x) { // leaves of a cell each, 0.5 mm apart where they are closest
  int cell = (int)(u * CELLS + 0.5);
  memcpy(x, (double[3]){0.0005 * cell, cell % 2 ? 0.08 : 0, v}, 3 * sizeof *x);
}
static void rolled(double u, double v, double *x) {
  double angle = 12 * u, radius = 0.02 + 0.002 * angle;
  memcpy(x, (double[3]){radius * cos(angle), radius * sin(angle), v}, 3 * sizeof *x);
}
static void crumpled(double u, double v, double *x) {
  memcpy(x, (double[3]){u, 0.1 * sin(17 * u + 3 * v) * cos(11 * v - 5 * u), v}, 3 * sizeof *x);
}
static void above(double u, double v, double *x) { memcpy(x, (double[3]){u, 0.3 + 1e-6, v}, 3 * sizeof *x); }

static void clean_folds_are_left_alone(void **state) {
  const shape clean[] = {flat, tilted, pleated, rolled, crumpled};
  sheets *s = *state;
  for (size_t k = 0; k < sizeof clean / sizeof *clean; ++k) {
    s->count = 0;
    add_sheet(s, clean[k]);
    assert_int_equal(find(s), 0);
  }
  s->count = 0;
  add_sheet(s, flat);
  add_sheet(s, above);
  assert_int_equal(find(s), 0);
}

// --- planted intersections -------------------------------------------------------------------------------------------

static void standing(double u, double v, double *x) { memcpy(x, (double[3]){u, v, 0.517}, 3 * sizeof *x); }
static void far_away(double u, double v, double *x) { memcpy(x, (double[3]){50 + u, 0.3, 50 + v}, 3 * sizeof *x); }

static void crossing_sheets_are_found(void **state) {
  sheets *s = *state;
  add_sheet(s, flat);
  add_sheet(s, standing);
  int count = find(s);
  assert_in_range(count, 2 * CELLS, 6 * CELLS); // along the line where they cross
  for (int k = 0; k < count; ++k) {
    double place[3];
    mus_intersection_place(&s->surface, s->x, &pairs_of(s)[k], place);
    assert_true(pairs_of(s)[k].first < TRIANGLES && pairs_of(s)[k].second >= TRIANGLES && !pairs_of(s)[k].at_seam);
    assert_true(fabs(place[1] - 0.3) < 0.1 && fabs(place[2] - 0.517) < 0.1);
  }
}

// As a body the second sheet may cross itself and others of its kind, but not cloth.
static void bodies_may_cross_bodies(void **state) {
  sheets *s = *state;
  add_sheet(s, far_away);
  add_sheet(s, flat);
  add_sheet(s, standing);
  s->surface.cloth_triangles = TRIANGLES;
  assert_int_equal(find(s), 0);
  flat(0, 0, s->x);
  s->x[1] += 1e-3;
  assert_true(find(s) > 0);
  assert_true(pairs_of(s)[0].first == 0 && pairs_of(s)[0].second >= TRIANGLES);
}

// A corner that is pulled through the sheet's middle, from one side to the other.
static void a_sheet_through_itself_is_found(void **state) {
  sheets *s = *state;
  add_sheet(s, flat);
  s->x[0] = 0.51;
  s->x[1] = 0.31;
  s->x[2] = 0.52;
  assert_int_equal(find(s), 0);
  s->x[1] = 0.29; // its triangle now reaches over the sheet and dives into it
  assert_int_equal(find(s), 0);
  double *second = s->x + 3; // the corner's neighbour goes up, so that the edge between them cuts the sheet
  second[1] = 0.35;
  assert_true(find(s) > 0);
  for (size_t k = 0; k < s->pairs.count; ++k)
    assert_true(pairs_of(s)[k].first < 4); // those at the two vertices
}

static void touching_counts(void **state) {
  sheets *s = *state;
  add_sheet(s, flat);
  add_sheet(s, above);
  double *corner = s->x + 3 * VERTICES; // of the upper sheet
  flat(0.3, 0.3, corner);
  corner[1] = (double)(float)corner[1];
  assert_true(find(s) > 0);
  corner[1] = nextafterf((float)corner[1], 1);
  assert_int_equal(find(s), 0);
}

static void sheets_that_coincide_are_found(void **state) {
  sheets *s = *state;
  add_sheet(s, tilted);
  add_sheet(s, tilted);
  assert_true(find(s) >= TRIANGLES);
}

// --- triangles that are neighbours or none ---------------------------------------------------------------------------

static void what_is_no_surface_is_left_out(void **state) {
  (void)state;
  const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, -1, 0.2, 0.2, 1};
  const int triangle[] = {0, 1, 2, 3, 4, 4};
  sheets s = {.surface = {.vertices = 5, .triangles = 2, .cloth_triangles = 2, .triangle = triangle}};
  mus_intersections *finder = NULL;
  assert_ok(mus_intersections_create(&s.surface, &finder));
  assert_ok(mus_intersections_find(finder, x, &s.pairs));
  assert_int_equal(s.pairs.count, 0);
  mus_intersections_free(finder);
  mus_free(s.pairs.items);
}

static void a_triangle_that_is_there_twice_is_found(void **state) {
  (void)state;
  const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const int triangle[] = {0, 1, 2, 1, 0, 2};
  sheets s = {.surface = {.vertices = 3, .triangles = 2, .cloth_triangles = 2, .triangle = triangle}};
  mus_intersections *finder = NULL;
  assert_ok(mus_intersections_create(&s.surface, &finder));
  assert_ok(mus_intersections_find(finder, x, &s.pairs));
  assert_int_equal(s.pairs.count, 1);
  mus_intersections_free(finder);
  mus_free(s.pairs.items);
}

// The left edge of the second sheet lies on the right edge of the first; sewn to it, they touch at a seam.
static void beside(double u, double v, double *x) { memcpy(x, (double[3]){1 + u, 0.3, v}, 3 * sizeof *x); }

static void seams_are_told_apart(void **state) {
  sheets *s = *state;
  mus_sewn sewn[2 * SIDE];
  add_sheet(s, flat);
  add_sheet(s, beside);
  int count = find(s), at_seam = 0, seen = 0;
  assert_true(count > CELLS);
  for (int i = 0; i < SIDE; ++i)
    sewn[i] = (mus_sewn){i * SIDE + CELLS, VERTICES + i * SIDE, 0};
  s->surface.sewn = sewn;
  s->surface.sewn_count = SIDE;
  assert_int_equal(find(s), count);
  for (int k = 0; k < count; ++k)
    at_seam += pairs_of(s)[k].at_seam;
  assert_int_equal(at_seam, count);
  // Half of the seam is open, and a vertex there is sewn to two others' edge.
  s->surface.sewn_count = SIDE / 2;
  sewn[SIDE / 2] = (mus_sewn){(SIDE - 1) * SIDE + CELLS, VERTICES + (SIDE - 1) * SIDE, 1};
  ++s->surface.sewn_count;
  assert_int_equal(find(s), count);
  at_seam = 0;
  for (int k = 0; k < count; ++k) {
    const mus_intersection *pair = &pairs_of(s)[k];
    at_seam += pair->at_seam;
    seen |= pair->at_seam && pair->first == TRIANGLES - 1;
  }
  assert_true(seen);
  assert_in_range(at_seam, count / 3, count * 2 / 3);
}

// Partly sewn vertices make no neighbours of what else is sewn to them.
static void partly_sewn_is_no_chain(void **state) {
  sheets *s = *state;
  add_sheet(s, flat);
  add_sheet(s, above);
  add_sheet(s, standing);
  const int low = CELLS / 2 * SIDE + 3; // in the middle of the flat sheet
  const mus_sewn sewn[] = {{low, VERTICES + low, 1}, {VERTICES + low, 2 * VERTICES + 5 * SIDE + 3, 1}};
  s->surface.sewn = sewn;
  s->surface.sewn_count = 2;
  assert_true(find(s) > 0);
  for (size_t k = 0; k < s->pairs.count; ++k) {
    const mus_intersection *pair = &pairs_of(s)[k];
    if (pair->at_seam)
      assert_true(pair->first >= TRIANGLES && pair->second >= 2 * TRIANGLES);
  }
}

// --- all pairs -------------------------------------------------------------------------------------------------------

enum { SOUP = 400 };

typedef struct soup {
  double x[9 * SOUP];
  int triangle[3 * SOUP];
  mus_check_surface surface;
} soup;

// Triangles anywhere, of many sizes, the last quarter of a body.
static soup *make_soup(uint64_t seed) {
  soup *s = calloc(1, sizeof *s);
  assert_non_null(s);
  for (uint64_t t = 0; t < SOUP; ++t) {
    double size = 0.1 + 0.5 * pow(fabs(mus_random(seed, 20 * t)), 4);
    size = t == SOUP - 1 ? 100 : size;
    for (uint64_t i = 0; i < 9; ++i)
      s->x[9 * t + i] = (double)(float)(mus_random(seed, 20 * t + 1 + i % 3) + size * mus_random(seed, 20 * t + 5 + i));
    for (int i = 0; i < 3; ++i)
      s->triangle[3 * t + (uint64_t)i] = 3 * (int)t + i;
  }
  s->surface = (mus_check_surface){
      .vertices = 3 * SOUP, .triangles = SOUP, .cloth_triangles = 3 * SOUP / 4, .triangle = s->triangle};
  return s;
}

static void nothing_is_missed(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    soup *s = make_soup(seed);
    s->surface.triangles -= (int)seed; // trees of other shapes
    mus_intersections *finder = NULL;
    mus_list pairs = {0};
    size_t at = 0;
    assert_ok(mus_intersections_create(&s->surface, &finder));
    assert_ok(mus_intersections_find(finder, s->x, &pairs));
    const mus_intersection *pair = pairs.items;
    for (int i = 0; i < s->surface.cloth_triangles; ++i)
      for (int j = i + 1; j < s->surface.triangles; ++j) {
        const double *p = s->x + 9 * i, *q = s->x + 9 * j;
        if (!mus_triangles_meet((const double *const[3]){p, p + 3, p + 6}, (const double *const[3]){q, q + 3, q + 6}))
          continue;
        assert_true(at < pairs.count && pair[at].first == i && pair[at].second == j);
        ++at;
      }
    assert_int_equal(at, pairs.count);
    assert_true(at > 20);
    mus_intersections_free(finder);
    mus_free(pairs.items);
    free(s);
  }
}

static void threads_change_nothing(void **state) {
  (void)state;
  soup *s = make_soup(9);
  mus_list pairs[2] = {{0}};
  for (int k = 0; k < 2; ++k) {
    mus_intersections *finder = NULL;
    int before = mus_par_set_threads(k ? 4 : 1);
    assert_ok(mus_intersections_create(&s->surface, &finder));
    assert_ok(mus_intersections_find(finder, s->x, &pairs[k]));
    mus_intersections_free(finder);
    mus_par_set_threads(before);
  }
  assert_int_equal(pairs[0].count, pairs[1].count);
  assert_memory_equal(pairs[0].items, pairs[1].items, pairs[0].count * sizeof(mus_intersection));
  mus_free(pairs[0].items);
  mus_free(pairs[1].items);
  free(s);
}

static void memory_that_is_short_is_said(void **state) {
  (void)state;
  const mus_sewn sewn = {0, 7, 1};
  soup *s = make_soup(3);
  s->surface.sewn = &sewn;
  s->surface.sewn_count = 1;
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long failures = 0; status != MUS_OK; ++failures) {
    mus_intersections *finder = NULL;
    mus_list pairs = {0};
    mus_memory_fail_after(failures);
    status = mus_intersections_create(&s->surface, &finder);
    if (!status)
      status = mus_intersections_find(finder, s->x, &pairs);
    mus_memory_fail_after(-1);
    mus_intersections_free(finder);
    mus_free(pairs.items);
    assert_true(failures < 1000 && (status == MUS_OK || status == MUS_OUT_OF_MEMORY));
  }
  free(s);
}

#define WITH_SHEETS(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {WITH_SHEETS(clean_folds_are_left_alone),
                                     WITH_SHEETS(crossing_sheets_are_found),
                                     WITH_SHEETS(bodies_may_cross_bodies),
                                     WITH_SHEETS(a_sheet_through_itself_is_found),
                                     WITH_SHEETS(touching_counts),
                                     WITH_SHEETS(sheets_that_coincide_are_found),
                                     cmocka_unit_test(what_is_no_surface_is_left_out),
                                     cmocka_unit_test(a_triangle_that_is_there_twice_is_found),
                                     WITH_SHEETS(seams_are_told_apart),
                                     WITH_SHEETS(partly_sewn_is_no_chain),
                                     cmocka_unit_test(nothing_is_missed),
                                     cmocka_unit_test(threads_change_nothing),
                                     cmocka_unit_test(memory_that_is_short_is_said)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
