// Strength of connection and special nodes against their definition, computed by LAPACK.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "multigrid/aggregation/strength.h"
#include "par/par.h"
#include "support/algebra.h"
#include "support/problem.h"

static const double theta = 0.48, dominance = 0.1; // the defaults

// The spectral radius is found from a high power of the matrix, which overestimates by a few percent.
static const double slack = 1.08;
// Blocks that only shift unknowns around have no spectral radius to speak of; they count by this part of their norm.
static const double norm_share = 1e-3;

static mus_strength strength_of(mus_arena *arena, const problem *p, double part, double least) {
  mus_strength s;
  mus_level_view view = problem_view(p, 1);
  assert_int_equal(mus_strength_create(arena, &view, part, least, &s), MUS_OK);
  return s;
}

// --- the definition -----------------------------------------------------------------------------------------------

typedef struct definition {
  double *radius, *norm; // for each block: spectral radius and Frobenius norm of the scaled block; 0 on the diagonal
} definition;

// A block of A, column after column.
static void block_at(const problem *p, int place, double *out) {
  for (int r = 0; r < p->block; ++r)
    for (int c = 0; c < p->block; ++c)
      out[c * p->block + r] = p->a.value[(place * p->block + r) * p->block + c];
}

static definition define(const problem *p) {
  int blocks = mus_pattern_blocks(p->pattern), b = p->block;
  definition d = {calloc((size_t)blocks, sizeof(double)), calloc((size_t)blocks, sizeof(double))};
  double **root = calloc((size_t)p->rows, sizeof *root), block[12 * 12];
  for (int i = 0; i < p->rows; ++i) {
    block_at(p, p->place[i], block);
    root[i] = dense_inverse_root(b, block);
  }
  for (int i = 0; i < p->rows; ++i)
    for (int k = p->pattern->row_start[i]; k < p->pattern->row_start[i + 1]; ++k) {
      int j = p->pattern->column[k];
      if (j == i)
        continue;
      block_at(p, k, block);
      double *half = dense_product(b, b, b, root[i], block), *scaled = dense_product(b, b, b, half, root[j]);
      d.radius[k] = dense_radius(b, scaled);
      for (int e = 0; e < b * b; ++e)
        d.norm[k] += scaled[e] * scaled[e];
      d.norm[k] = sqrt(d.norm[k]);
      free(half), free(scaled);
    }
  for (int i = 0; i < p->rows; ++i)
    free(root[i]);
  free(root);
  return d;
}

static void free_definition(definition *d) { free(d->radius), free(d->norm); }

// --- checks -------------------------------------------------------------------------------------------------------

static void check_values(const problem *p, const definition *d, const mus_strength *s) {
  for (int i = 0; i < p->rows; ++i)
    for (int k = p->pattern->row_start[i]; k < p->pattern->row_start[i + 1]; ++k) {
      int j = p->pattern->column[k], mirrored = mus_pattern_find(p->pattern, j, i);
      double low = fmax(d->radius[k], norm_share * d->norm[k]);
      if (i == j ? s->value[k] != 0 : !(s->value[k] >= low * (1 - 1e-9) && s->value[k] <= slack * low))
        fail_msg("%s: strength (%d, %d) is %g, should be %g", p->name, i, j, s->value[k], low);
      assert_true(s->value[k] == s->value[mirrored]);
    }
}

static void check_special(const problem *p, const definition *d, double least, const mus_strength *s) {
  int count = 0;
  for (int i = 0; i < p->rows; ++i) {
    double sum = 0;
    for (int k = p->pattern->row_start[i]; k < p->pattern->row_start[i + 1]; ++k)
      sum += d->norm[k];
    assert_true(s->special[i] == 0 || s->special[i] == 1);
    if (fabs(sum - least) > 1e-9 && s->special[i] != (sum < least))
      fail_msg("%s: node %d with sum %g is%s special", p->name, i, sum, s->special[i] ? "" : " not");
    count += s->special[i];
  }
  assert_int_equal(s->special_nodes, count);
}

static double largest_of(const problem *p, const double *value, int i) {
  double largest = 0;
  for (int k = p->pattern->row_start[i]; k < p->pattern->row_start[i + 1]; ++k)
    largest = fmax(largest, value[k]);
  return largest;
}

// Strong as the definition says, where rounding the radius up cannot have turned the comparison; and always as the
// values say.
static void check_strong(const problem *p, const definition *d, double part, const mus_strength *s) {
  for (int i = 0; i < p->rows; ++i) {
    double limit = part * largest_of(p, d->radius, i), reported = part * largest_of(p, s->value, i);
    for (int k = p->pattern->row_start[i]; k < p->pattern->row_start[i + 1]; ++k) {
      int j = p->pattern->column[k], barred = i == j || s->special[i] || s->special[j];
      assert_int_equal(s->strong[k], !barred && s->value[k] > reported);
      if (barred)
        continue;
      if (d->radius[k] > slack * limit)
        assert_true(s->strong[k]);
      if (slack * fmax(d->radius[k], norm_share * d->norm[k]) < limit)
        assert_false(s->strong[k]);
    }
  }
}

// Frees the problem.
static void check_system(problem p) {
  definition d = define(&p);
  const double parts[] = {0, 0.25, theta, 0.9, 0.999}, leasts[] = {0, dominance, 0.7};
  for (size_t a = 0; a < sizeof parts / sizeof *parts; ++a)
    for (size_t b = 0; b < sizeof leasts / sizeof *leasts; ++b) {
      mus_arena arena = {0};
      mus_strength s = strength_of(&arena, &p, parts[a], leasts[b]);
      check_values(&p, &d, &s);
      check_special(&p, &d, leasts[b], &s);
      check_strong(&p, &d, parts[a], &s);
      mus_arena_clear(&arena);
    }
  free_definition(&d);
  problem_free(&p);
}

static void random_springs_follow_the_definition(void **state) {
  (void)state;
  for (int block = 1; block <= 6; ++block)
    for (uint64_t seed = 1; seed <= 4; ++seed)
      check_system(problem_random(25, block, 10 * seed + (uint64_t)block));
}

static void cloth_follows_the_definition(void **state) {
  (void)state;
  for (int irregular = 0; irregular < 2; ++irregular)
    for (int boundary = SHEET_FREE; boundary <= SHEET_DROOPING; ++boundary)
      check_system(problem_small_sheet(9, irregular, (sheet_boundary)boundary));
}

static void connections_are_marked_again_by_another_part(void **state) {
  (void)state;
  problem p = problem_small_sheet(9, 1, SHEET_DROOPING);
  mus_arena arena = {0};
  const size_t blocks = (size_t)mus_pattern_blocks(p.pattern);
  mus_strength wide = strength_of(&arena, &p, 0.3, dominance), narrow = strength_of(&arena, &p, theta, dominance);
  assert_memory_not_equal(wide.strong, narrow.strong, blocks);
  mus_strength_mark(p.pattern, 0.3, &narrow);
  assert_memory_equal(wide.strong, narrow.strong, blocks);
  mus_arena_clear(&arena);
  problem_free(&p);
}

static void small_and_plain_systems_follow_the_definition(void **state) {
  (void)state;
  check_system(problem_poisson(5, 1));
  check_system(problem_poisson(4, 2));
  check_system(problem_chain(7));
  check_system(problem_diagonal(6, 3, 1));
  check_system(problem_random(1, 3, 1));
}

// --- special nodes ------------------------------------------------------------------------------------------------

// Held vertices are cut off from the others by prefiltering; no other vertex of a sheet is so dominated.
static void held_vertices_are_the_special_nodes(void **state) {
  (void)state;
  for (int boundary = SHEET_FREE; boundary <= SHEET_DROOPING; ++boundary) {
    enum { SIDE = 12 };
    problem p = problem_small_sheet(SIDE, 1, (sheet_boundary)boundary);
    mus_arena arena = {0};
    mus_strength s = strength_of(&arena, &p, theta, dominance);
    for (int i = 0; i < p.rows; ++i) {
      int side = i % SIDE == 0 || i % SIDE == SIDE - 1, end = i / SIDE == 0 || i / SIDE == SIDE - 1;
      int held = boundary == SHEET_PINNED ? side || end : boundary == SHEET_DROOPING && side;
      assert_int_equal(s.special[i], held);
    }
    mus_arena_clear(&arena);
    problem_free(&p);
  }
}

// A node without connections is special whatever the limit.
static void nodes_on_their_own_are_special(void **state) {
  (void)state;
  problem p = problem_diagonal(4, 3, 2);
  mus_arena arena = {0};
  mus_strength s = strength_of(&arena, &p, theta, 0);
  assert_int_equal(s.special_nodes, 4);
  mus_arena_clear(&arena);
  problem_free(&p);
}

// A heavy node hardly feels its springs.
static void heavy_nodes_are_special(void **state) {
  (void)state;
  problem p = problem_chain(9);
  for (int c = 0; c < 3; ++c)
    p.a.value[(p.place[4] * 3 + c) * 3 + c] *= 1e6;
  mus_arena arena = {0};
  mus_strength s = strength_of(&arena, &p, theta, dominance);
  for (int i = 0; i < 9; ++i)
    assert_int_equal(s.special[i], i == 4);
  for (int k = 0; k < mus_pattern_blocks(p.pattern); ++k)
    assert_true(p.pattern->column[k] != 4 || !s.strong[k]);
  mus_arena_clear(&arena);
  problem_free(&p);
}

// --- odd blocks ---------------------------------------------------------------------------------------------------

// A block that carries x of one node into y of the other has spectral radius zero, and yet joins the two.
static void blocks_without_a_radius_still_couple(void **state) {
  (void)state;
  problem p = problem_chain(2);
  int upper = mus_pattern_find(p.pattern, 0, 1), lower = mus_pattern_find(p.pattern, 1, 0);
  memset(p.a.value + upper * 9, 0, 9 * sizeof *p.a.value);
  memset(p.a.value + lower * 9, 0, 9 * sizeof *p.a.value);
  p.a.value[upper * 9 + 1] = p.a.value[lower * 9 + 3] = 0.5;
  mus_arena arena = {0};
  mus_strength s = strength_of(&arena, &p, theta, dominance);
  assert_true(s.value[upper] > 0 && s.value[upper] < 0.05);
  assert_true(s.strong[upper] && s.strong[lower]);
  mus_arena_clear(&arena);
  problem_free(&p);
}

// Scaling by the diagonal takes units out: blocks of very different size are compared for what they do.
static void strength_does_not_depend_on_units(void **state) {
  (void)state;
  problem p = problem_random(20, 3, 5);
  mus_arena arena = {0};
  mus_strength before = strength_of(&arena, &p, theta, dominance);
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.pattern->row_start[i]; k < p.pattern->row_start[i + 1]; ++k)
      for (int e = 0; e < 9; ++e) // node i measured in another unit: 2^(i - 10)
        p.a.value[k * 9 + e] *= ldexp(1, i - 10) * ldexp(1, p.pattern->column[k] - 10);
  mus_strength after = strength_of(&arena, &p, theta, dominance);
  for (int k = 0; k < mus_pattern_blocks(p.pattern); ++k) {
    assert_true(fabs(after.value[k] - before.value[k]) < 1e-9);
    assert_int_equal(after.strong[k], before.strong[k]);
  }
  mus_arena_clear(&arena);
  problem_free(&p);
}

// --- machine ------------------------------------------------------------------------------------------------------

static void instructions_do_not_change_a_bit(void **state) {
  (void)state;
  for (int block = 3; block <= 6; block += 3) {
    problem p = problem_random(100, block, 7);
    mus_arena arena = {0};
    mus_instructions usual = mus_instructions_current();
    assert_int_equal(mus_instructions_use(MUS_SCALAR), MUS_OK);
    mus_strength plain = strength_of(&arena, &p, theta, dominance);
    assert_int_equal(mus_instructions_use(usual), MUS_OK);
    mus_strength fast = strength_of(&arena, &p, theta, dominance);
    assert_memory_equal(plain.value, fast.value, (size_t)mus_pattern_blocks(p.pattern) * sizeof *plain.value);
    mus_arena_clear(&arena);
    problem_free(&p);
  }
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  problem p = problem_small_sheet(41, 1, SHEET_DROOPING);
  mus_arena arena = {0};
  size_t blocks = (size_t)mus_pattern_blocks(p.pattern);
  mus_par_set_threads(1);
  mus_strength one = strength_of(&arena, &p, theta, dominance);
  for (int threads = 2; threads <= 7; threads += 5) {
    mus_par_set_threads(threads);
    mus_strength many = strength_of(&arena, &p, theta, dominance);
    assert_memory_equal(one.value, many.value, blocks * sizeof *one.value);
    assert_memory_equal(one.strong, many.strong, blocks);
    assert_memory_equal(one.special, many.special, (size_t)p.rows);
  }
  mus_par_set_threads(0);
  mus_arena_clear(&arena);
  problem_free(&p);
}

static void failing_allocations_are_reported(void **state) {
  (void)state;
  problem p = problem_poisson(4, 3);
  mus_level_view view = problem_view(&p, 1);
  mus_status status = MUS_OUT_OF_MEMORY;
  long allowed = 0;
  for (; status == MUS_OUT_OF_MEMORY && allowed < 100; ++allowed) {
    mus_arena arena = {0};
    mus_strength s;
    mus_memory_fail_after(allowed);
    status = mus_strength_create(&arena, &view, theta, dominance, &s);
    mus_memory_fail_after(-1);
    mus_arena_clear(&arena);
  }
  assert_int_equal(status, MUS_OK);
  assert_true(allowed > 3);
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_springs_follow_the_definition),
      cmocka_unit_test(cloth_follows_the_definition),
      cmocka_unit_test(connections_are_marked_again_by_another_part),
      cmocka_unit_test(small_and_plain_systems_follow_the_definition),
      cmocka_unit_test(held_vertices_are_the_special_nodes),
      cmocka_unit_test(nodes_on_their_own_are_special),
      cmocka_unit_test(heavy_nodes_are_special),
      cmocka_unit_test(blocks_without_a_radius_still_couple),
      cmocka_unit_test(strength_does_not_depend_on_units),
      cmocka_unit_test(instructions_do_not_change_a_bit),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(failing_allocations_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
