// Gram matrices against products with each vector: all block sizes and numbers of vectors, both kinds of storage, every
// instruction set, terms beyond the pattern, and any number of threads.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "constrain/beyond.h"
#include "par/par.h"
#include "par/vector.h"
#include "sparse/gram.h"
#include "support/dense.h"
#include "support/problem.h"

enum { COUNT = MUS_LANES_MAXIMUM };

static float *random_lanes(size_t n, int count) {
  float *v = calloc(mus_lanes_size(n, count), sizeof *v);
  for (size_t i = 0; i < n * (size_t)count; ++i)
    v[i] = (float)mus_random(5, i);
  return v;
}

// v_j . A v_k for all j and k.
static void expected_gram(const mus_block_operator *o, int count, const float *v, double *gram) {
  size_t n = (size_t)o->a->pattern->rows * (size_t)o->a->row_block;
  double *x = vector_zero((int)n), *y = vector_zero((int)n), dot[COUNT];
  mus_block_operator plain = {.a = o->a, .beyond = o->beyond};
  for (int k = 0; k < count; ++k) {
    mus_lanes_get(n, count, k, v, x);
    mus_block_operator_multiply(&plain, x, y);
    mus_lanes_dot(n, count, v, y, dot);
    for (int j = 0; j < count; ++j)
      gram[j * count + k] = dot[j];
  }
  mus_free(x), mus_free(y);
}

static void expect_gram(const mus_block_operator *o) {
  size_t n = (size_t)o->a->pattern->rows * (size_t)o->a->row_block;
  for (int count = 1; count <= COUNT; ++count) {
    float *v = random_lanes(n, count);
    double expected[COUNT * COUNT], gram[COUNT * COUNT], again[COUNT * COUNT], largest = 0;
    expected_gram(o, count, v, expected);
    mus_par_set_threads(1);
    mus_block_operator_gram(o, count, v, gram);
    for (int k = 0; k < count * count; ++k)
      largest = fmax(largest, fabs(expected[k]));
    for (int j = 0; j < count; ++j)
      for (int k = 0; k < count; ++k) {
        assert_true(fabs(gram[j * count + k] - expected[j * count + k]) <= 1e-12 * largest);
        assert_true(gram[j * count + k] == gram[k * count + j]);
      }
    for (int threads = 2; threads <= 7; threads += 5) {
      mus_par_set_threads(threads);
      mus_block_operator_gram(o, count, v, again);
      assert_memory_equal(gram, again, (size_t)(count * count) * sizeof *gram);
    }
    mus_par_set_threads(0);
    free(v);
  }
}

static void expect_gram_by_every_instruction_set(const mus_block_operator *o) {
  mus_instructions before = mus_instructions_current();
  for (int which = 0; which < MUS_INSTRUCTION_SETS; ++which)
    if (mus_instructions_available((mus_instructions)which)) {
      assert_int_equal(mus_instructions_use((mus_instructions)which), MUS_OK);
      expect_gram(o);
    }
  assert_int_equal(mus_instructions_use(before), MUS_OK);
}

static void they_are_those_of_products(void **state) {
  (void)state;
  for (int block = 1; block <= 12; block += block < 6 ? 1 : 6) {
    random_system s = random_system_create(700, block, 3);
    expect_gram_by_every_instruction_set(&(mus_block_operator){.a = &s.a});
    random_system_free(&s);
  }
}

static void symmetric_storage_gives_them_too(void **state) {
  (void)state;
  problem p = problem_small_sheet(101, 1, SHEET_DROOPING);
  mus_arena arena = {0};
  mus_symmetric_pattern pattern;
  mus_symmetric symmetric;
  assert_int_equal(mus_symmetric_pattern_create(&arena, p.pattern, p.block, &pattern), MUS_OK);
  assert_int_equal(mus_symmetric_create(&arena, &pattern, &symmetric), MUS_OK);
  mus_symmetric_fill(&p.a, &symmetric);
  assert_true(pattern.chunks > 1);
  expect_gram_by_every_instruction_set(&(mus_block_operator){.a = &p.a, .symmetric = &symmetric});
  mus_arena_clear(&arena);
  problem_free(&p);
}

// Terms of two nodes each.
static int nodes_of(const void *self, int term, const int **node) {
  *node = (const int *)self + 2 * term;
  return 2;
}

static void block_of(const void *self, int term, int i, int j, double *out) {
  (void)self;
  for (int e = 0; e < 9; ++e)
    out[e] = (i == j ? 1 : -1) * (e % 4 == 0 ? 2 + term : 0.5);
}

static void terms_beyond_the_pattern_count(void **state) {
  (void)state;
  random_system s = random_system_create(300, 3, 4);
  int node[] = {0, 299, 17, 150, 299, 17};
  mus_terms terms = {.count = 3, .self = node, .nodes = nodes_of, .block = block_of};
  mus_beyond beyond;
  assert_int_equal(mus_beyond_create(&s.arena, 300, 3, &terms, &beyond), MUS_OK);
  expect_gram_by_every_instruction_set(&(mus_block_operator){.a = &s.a, .beyond = &beyond});
  random_system_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_are_those_of_products),
      cmocka_unit_test(symmetric_storage_gives_them_too),
      cmocka_unit_test(terms_beyond_the_pattern_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
