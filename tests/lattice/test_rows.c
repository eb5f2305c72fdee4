// Every instruction set gives the same bits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "lattice/rows.h"
#include "par/par.h"
#include "support/check.h"
#include "support/lattices.h"

// Two sweeps, one of the band, what coarse random numbers add and a residual, from random numbers; the level's memory,
// to be freed with free().
static float *swept(const mus_lattice_kernels *kernels, size_t *count) {
  mus_cells cells = ball_cells(20);
  mus_arena arena = {0};
  mus_lattice_domain *domain;
  mus_lattice_level_f level, coarse;
  int levels;
  mus_lattice_kernels_use(kernels);
  assert_ok(mus_lattice_domains_create(&arena, &cells, &domain, &levels));
  assert_ok(mus_lattice_level_create_f(&arena, domain, 0.01, 0.2, &level));
  *count = 13 * mus_lattice_field(domain);
  for (size_t k = 0; k < 8 * mus_lattice_field(domain); ++k)
    level.x[0][k] = (float)mus_random(3, k);
  assert_ok(mus_lattice_level_create_f(&arena, domain->coarse, 0.01, 0.8, &coarse));
  for (size_t k = 0; k < 4 * mus_lattice_field(domain->coarse); ++k)
    coarse.x[0][k] = (float)mus_random(5, k);
  mus_lattice_sweep_f(&level);
  mus_lattice_sweep_f(&level);
  mus_lattice_sweep_band_f(&level, &domain->band, 2, 0);
  mus_lattice_sweep_band_f(&level, &domain->relocated, 1, 1);
  mus_lattice_prolong_f(&coarse, &level);
  mus_lattice_residual_f(&level);
  mus_lattice_kernels_use(NULL);
  float *copy = malloc(*count * sizeof *copy);
  assert_non_null(copy);
  memcpy(copy, level.x[0], *count * sizeof *copy);
  mus_arena_clear(&arena);
  cells_free(&cells);
  return copy;
}

static void all_instruction_sets_agree(void **state) {
  (void)state;
  size_t count;
  float *plain = swept(mus_lattice_kernels_number(0), &count);
  for (int k = 1; mus_lattice_kernels_number(k); ++k) {
    float *other = swept(mus_lattice_kernels_number(k), &count);
    assert_memory_equal(plain, other, count * sizeof *plain);
    free(other);
  }
  free(plain);
}

// Nothing but the order in memory tells one pass from nine.
static void one_pass_gives_the_same_bits(void **state) {
  (void)state;
  mus_cells cells = ball_cells(26);
  mus_arena arena = {0};
  mus_lattice_domain *domain;
  mus_lattice_level_f level[2];
  int levels;
  assert_ok(mus_lattice_domains_create(&arena, &cells, &domain, &levels));
  for (int way = 0; way < 2; ++way) {
    assert_ok(mus_lattice_level_create_f(&arena, domain, 0.01, 0, &level[way]));
    for (size_t k = 0; k < 8 * mus_lattice_field(domain); ++k)
      level[way].x[0][k] = (float)mus_random(4, k);
  }
  int before = mus_par_set_threads(3);
  for (int sweep = 0; sweep < 3; ++sweep) {
    mus_lattice_sweep_by_stage_f(&level[0]);
    mus_lattice_sweep_in_one_pass_f(&level[1]);
  }
  mus_par_set_threads(before);
  assert_memory_equal(level[0].x[0], level[1].x[0], 4 * mus_lattice_field(domain) * sizeof(float));
  mus_arena_clear(&arena);
  cells_free(&cells);
}

// Restricting residuals plane by plane gives what restricting all of them does, for any number of threads, and leaves
// no residual behind.
static void residuals_are_restricted_at_once(void **state) {
  (void)state;
  mus_cells cells = ball_cells(26);
  mus_arena arena = {0};
  mus_lattice_domain *domain;
  mus_lattice_level_f fine, coarse[2];
  int levels;
  assert_ok(mus_lattice_domains_create(&arena, &cells, &domain, &levels));
  assert_ok(mus_lattice_level_create_f(&arena, domain, 0.01, 0, &fine));
  size_t field = mus_lattice_field(domain);
  for (int way = 0; way < 2; ++way) {
    assert_ok(mus_lattice_level_create_f(&arena, domain->coarse, 0.01, 0, &coarse[way]));
    for (size_t k = 0; k < 4 * mus_lattice_field(domain->coarse); ++k)
      coarse[way].x[0][k] = 1;
  }
  for (size_t k = 0; k < 8 * field; ++k)
    fine.x[0][k] = (float)mus_random(6, k);
  for (int threads = 1; threads <= 5; threads += 2) {
    int before = mus_par_set_threads(threads);
    mus_lattice_restrict_residual_f(&fine, &coarse[0]);
    mus_par_set_threads(before);
    for (size_t k = 0; k < 4 * field; ++k)
      assert_true(fine.r[0][k] == 0);
    mus_lattice_residual_f(&fine);
    mus_lattice_restrict_f(&fine, &coarse[1]);
    memset(fine.r[0], 0, 4 * field * sizeof(float));
    for (size_t f = 0; f < 4; ++f) {
      assert_memory_equal(coarse[0].x[f], coarse[1].x[f], domain->coarse->cells * sizeof(float));
      assert_memory_equal(coarse[0].b[f], coarse[1].b[f], domain->coarse->cells * sizeof(float));
    }
  }
  mus_arena_clear(&arena);
  cells_free(&cells);
}

static void the_widest_is_used(void **state) {
  (void)state;
  int count = 0;
  while (mus_lattice_kernels_number(count))
    ++count;
  assert_ptr_equal(mus_lattice_kernels_current(), mus_lattice_kernels_number(count - 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_instruction_sets_agree),
      cmocka_unit_test(one_pass_gives_the_same_bits),
      cmocka_unit_test(residuals_are_restricted_at_once),
      cmocka_unit_test(the_widest_is_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
