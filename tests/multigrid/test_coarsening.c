// What a hierarchy asks of a coarsening and does with the answers: by one that joins nodes in pairs, or does what it is
// told.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "par/vector.h"
#include "support/problem.h"
#include "support/rig.h"

// Joins nodes 2k and 2k + 1, or does what it is told.
typedef struct pairs {
  int analysed, filled;                     // calls
  int stop_at;                              // the level that is not made coarser, or
  int stall_at;                             // ... hardly, or
  int fail_at;                              // ... that fails
  int dead;                                 // 1: the first unknown of every coarse node has no basis vector
  double radius[8];                         // seen while analysing the levels
  const double *coordinates[8], *middle[8]; // what was seen, and what was said before
  const mus_filter *held[8];
} pairs;

// The middles of pairs; NULL where the nodes' places are not known.
static const double *middles(const mus_level_view *fine, mus_arena *arena) {
  int rows = fine->a->pattern->rows;
  double *middle = mus_arena_alloc(arena, (size_t)(3 * rows), sizeof *middle);
  if (!middle || !fine->coordinates)
    return NULL;
  for (int i = 0; i < rows; i += 2)
    for (int k = 0; k < 3; ++k)
      middle[i / 2 * 3 + k] =
          (fine->coordinates[3 * i + k] + fine->coordinates[3 * (i + 1 < rows ? i + 1 : i) + k]) / 2;
  return middle;
}

static mus_status pairs_analyse(void *self, const mus_level_view *fine, mus_arena *arena, mus_coarse_level *coarse) {
  pairs *t = self;
  assert_int_equal(fine->level, t->analysed++);
  t->radius[fine->level] = fine->spectral_radius;
  if (fine->level == t->fail_at)
    return mus_fail(MUS_UNSUPPORTED, "no pairs today");
  int rows = fine->a->pattern->rows, factor = fine->level == t->stall_at ? 1 : 2;
  int *start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *start);
  int *column = mus_arena_alloc(arena, (size_t)rows, sizeof *column);
  if (!start || !column)
    return mus_fail_memory();
  for (int i = 0; i <= rows; ++i)
    start[i] = i;
  for (int i = 0; i < rows; ++i)
    column[i] = i / factor;
  coarse->prolongator =
      (mus_pattern){rows, fine->level == t->stop_at ? 0 : (rows + factor - 1) / factor, start, column};
  coarse->block = fine->a->row_block;
  coarse->coordinates = t->middle[fine->level + 1] = middles(fine, arena);
  t->coordinates[fine->level] = fine->coordinates;
  t->held[fine->level] = fine->held;
  return MUS_OK;
}

static mus_status pairs_fill(void *self, const mus_level_view *fine, mus_matrix *p, unsigned char *live) {
  pairs *t = self;
  int block = p->row_block;
  ++t->filled;
  assert_true(fine->spectral_radius > 0 && fine->inverse_diagonal);
  assert_true(fine->spectral_radius == t->radius[fine->level]);
  memset(p->value, 0, mus_matrix_values(p) * sizeof(double));
  for (int i = 0; i < p->pattern->columns * block; ++i)
    live[i] = !(t->dead && i % block == 0);
  for (int i = 0; i < p->pattern->rows; ++i)
    for (int k = t->dead; k < block; ++k)
      p->value[(i * block + k) * block + k] = 1;
  return MUS_OK;
}

static int pairs_special(const void *self, int level) {
  (void)self;
  return 100 + level;
}

static void pairs_report(const void *self, int level, mus_level_report *report) {
  mus_level_note(report, "pairs", ((const pairs *)self)->filled + 10 * level);
}

static const mus_coarsening pairing = {.name = "pairs",
                                       .uses_radius = 1,
                                       .analyse = pairs_analyse,
                                       .fill = pairs_fill,
                                       .special_nodes = pairs_special,
                                       .report = pairs_report};

static const pairs plain = {.stop_at = -1, .stall_at = -1, .fail_at = -1};

static mus_hierarchy *pair_up(pairs *t, const problem *p, mus_status expected, mus_solve_record *record) {
  mus_solver_options options = rig_options();
  options.multigrid.bottom = 12;
  mus_hierarchy *h;
  assert_int_equal(mus_hierarchy_create(&pairing, t, &(mus_hierarchy_options){.multigrid = options.multigrid}, &h),
                   MUS_OK);
  assert_int_equal(mus_hierarchy_analyse(h, &p->a), expected);
  mus_hierarchy_report(h, record);
  return h;
}

static void any_coarsening_will_do(void **state) {
  (void)state;
  problem p = problem_poisson(8, 2); // 64 nodes, then 32, 16, 8, 4
  mus_solve_record record;
  for (int dead = 0; dead < 2; ++dead) {
    pairs t = plain;
    t.dead = dead;
    mus_hierarchy *h = pair_up(&t, &p, MUS_OK, &record);
    const int rows[] = {64, 32, 16, 8, 4};
    assert_int_equal(record.levels, 5);
    for (int k = 0; k < 5; ++k) {
      assert_int_equal(record.level[k].rows, rows[k]);
      assert_int_equal(record.level[k].special, k < 4 ? 100 + k : 0);
      assert_int_equal(record.level[k].dropped, k > 0 && dead ? rows[k] : 0);
    }
    assert_int_equal(t.analysed, 4);
    assert_int_equal(t.filled, 4);
    assert_int_equal(mus_hierarchy_refresh(h, &p.a), MUS_OK);
    assert_int_equal(t.analysed, 4); // patterns are kept, numbers redone
    assert_int_equal(t.filled, 8);
    mus_hierarchy_free(h);
  }
  problem_free(&p);
}

static void a_coarsening_sees_where_nodes_are_and_what_is_held(void **state) {
  (void)state;
  problem p = problem_poisson(8, 2);
  pairs t = plain;
  double *place = vector_random(3 * p.rows, 5);
  mus_filter held = {0};
  mus_multigrid_options multigrid = rig_options().multigrid;
  multigrid.bottom = 12;
  mus_hierarchy *h;
  assert_int_equal(mus_hierarchy_create(&pairing, &t, &(mus_hierarchy_options){.multigrid = multigrid}, &h), MUS_OK);
  mus_hierarchy_set_geometry(h, place, &held);
  assert_int_equal(mus_hierarchy_analyse(h, &p.a), MUS_OK);
  assert_ptr_equal(t.coordinates[0], place);
  assert_ptr_equal(t.held[0], &held);
  for (int k = 1; k < 4; ++k) {
    assert_non_null(t.coordinates[k]);
    assert_ptr_equal(t.coordinates[k], t.middle[k]);
    assert_null(t.held[k]);
  }
  double first = 0;
  for (int i = 0; i < 8; ++i)
    first += place[3 * i] / 8;
  assert_true(fabs(t.coordinates[3][0] - first) < 1e-12);
  mus_hierarchy_free(h);
  mus_free(place);
  problem_free(&p);
}

// Coarsening and smoother add numbers of their own.
static void levels_are_reported_with_what_methods_tell(void **state) {
  (void)state;
  problem p = problem_poisson(8, 2);
  mus_solve_record record;
  pairs t = plain;
  mus_hierarchy *h = pair_up(&t, &p, MUS_OK, &record);
  for (int k = 0; k < 4; ++k) {
    const mus_level_report *l = &record.level[k];
    assert_int_equal(l->numbers, 3);
    assert_string_equal(l->number[0].name, "pairs");
    assert_true(l->number[0].value == 4 + 10 * k);
    assert_string_equal(l->number[1].name, "chebyshev_low");
    assert_true(l->number[1].value == l->spectral_radius / 10);
    assert_string_equal(l->number[2].name, "chebyshev_high");
    assert_true(l->number[2].value == l->spectral_radius);
  }
  assert_int_equal(record.level[4].numbers, 0); // solved directly
  mus_level_report full = {0};
  for (int k = 0; k < MUS_LEVEL_NUMBERS + 3; ++k)
    mus_level_note(&full, "more", k);
  assert_int_equal(full.numbers, MUS_LEVEL_NUMBERS);
  assert_true(full.number[MUS_LEVEL_NUMBERS - 1].value == MUS_LEVEL_NUMBERS - 1);
  mus_hierarchy_free(h);
  problem_free(&p);
}

static void coarsening_ends_when_it_stops_or_stalls(void **state) {
  (void)state;
  problem p = problem_poisson(8, 2);
  mus_solve_record record;
  for (int stall = 0; stall < 2; ++stall) {
    pairs t = plain;
    *(stall ? &t.stall_at : &t.stop_at) = 2;
    mus_hierarchy *h = pair_up(&t, &p, MUS_OK, &record);
    assert_int_equal(record.levels, 3);
    assert_int_equal(t.analysed, 3);
    assert_int_equal(t.filled, 2);
    double *z = vector_zero(p.n);
    mus_hierarchy_apply(h, p.b, z);
    assert_true(mus_dot((size_t)p.n, z, p.b) > 0);
    mus_free(z);
    assert_int_equal(mus_hierarchy_refresh(h, &p.a), MUS_OK);
    assert_int_equal(t.analysed, 3);
    mus_hierarchy_free(h);
  }
  problem_free(&p);
}

static void errors_of_a_coarsening_name_the_level(void **state) {
  (void)state;
  problem p = problem_poisson(8, 2);
  mus_solve_record record;
  pairs t = plain;
  t.fail_at = 1;
  mus_hierarchy *h = pair_up(&t, &p, MUS_UNSUPPORTED, &record);
  assert_non_null(strstr(mus_last_error(), "no pairs today"));
  assert_non_null(strstr(mus_last_error(), "level 1"));
  assert_int_equal(record.levels, 0);
  mus_hierarchy_free(h);
  mus_hierarchy_free(NULL);
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_coarsening_will_do),
      cmocka_unit_test(a_coarsening_sees_where_nodes_are_and_what_is_held),
      cmocka_unit_test(levels_are_reported_with_what_methods_tell),
      cmocka_unit_test(coarsening_ends_when_it_stops_or_stalls),
      cmocka_unit_test(errors_of_a_coarsening_name_the_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
