// Levels of affine handles: coarse matrices against dense triple products, blocks of the diagonal updated against set
// anew, a cycle that is symmetric, positive definite and converges, alike for any number of threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "mesh/tetrahedra_generate.h"
#include "multigrid/skinning/affine.h"
#include "par/par.h"
#include "par/vector.h"
#include "sparse/assembly.h"
#include "support/check.h"

#define assert_close(a, b, bound) assert_true(fabs((a) - (b)) <= (bound))

// A matrix over the edges of a body: masses, and springs of random stiffness; and some blocks.
typedef struct problem {
  mus_arena arena;
  mus_pattern pattern;
  double *rest;
  double *value;
  mus_shared_block block[8];
  mus_shared_matrix a;
} problem;

static void problem_create(const int cells[3], double thickness, double stiffness, problem *p) {
  *p = (problem){.arena = {0}};
  mus_tetrahedra mesh;
  const double size[3] = {0.1 * cells[0], 0.1 * cells[1], 0.1 * cells[2]};
  assert_ok(mus_solid_box_of_cells(&p->arena, size, cells, &mesh));
  mus_tuples tuples = {4, mesh.tetrahedra, mesh.corner, 0, 0};
  assert_ok(mus_pattern_from_tuples(&p->arena, mesh.vertices, 1, &tuples, &p->pattern));
  p->rest = mesh.position;
  for (int i = 0; i < mesh.vertices; ++i)
    p->rest[3 * i + 2] *= thickness;
  p->value = mus_arena_alloc_zero(&p->arena, (size_t)mus_pattern_blocks(&p->pattern), sizeof *p->value);
  for (int i = 0; i < p->pattern.rows; ++i) {
    double *own = &p->value[mus_pattern_find(&p->pattern, i, i)];
    *own += 1 + 0.5 * mus_random(1, (uint64_t)i);
    for (int k = p->pattern.row_start[i]; k < p->pattern.row_start[i + 1]; ++k) {
      int j = p->pattern.column[k], low = i < j ? i : j, high = i < j ? j : i;
      if (i == j)
        continue;
      double w = stiffness * (1.5 + mus_random(2, (uint64_t)(low * 100000 + high)));
      p->value[k] = -w;
      *own += w;
    }
  }
  for (int n = 0; n < 8; ++n) {
    double u[3];
    for (int c = 0; c < 3; ++c)
      u[c] = mus_random(3, (uint64_t)(3 * n + c));
    p->block[n].node = n * (p->pattern.rows - 1) / 7;
    for (int e = 0; e < 9; ++e)
      p->block[n].value[e] = 100 * stiffness * u[e / 3] * u[e % 3];
  }
  p->a = (mus_shared_matrix){&p->pattern, p->value, 8, p->block};
}

static mus_solver_options options_for(const char *levels, const char *smoother, mus_precision precision) {
  mus_solver_options o = mus_preset_solver_options(MUS_PRESET_ROBUST);
  snprintf(o.skinning.levels, sizeof o.skinning.levels, "%s", levels);
  snprintf(o.multigrid.smoother, sizeof o.multigrid.smoother, "%s", smoother);
  o.precision = precision;
  return o;
}

static mus_affine *make(const problem *p, const char *levels, const char *smoother, mus_precision precision) {
  mus_solver_options o = options_for(levels, smoother, precision);
  mus_affine *made = NULL;
  assert_ok(mus_affine_create(&p->pattern, p->rest, &o, &made));
  assert_ok(mus_affine_set(made, &p->a));
  return made;
}

static double *zeros(size_t n) {
  double *x = calloc(n, sizeof *x);
  assert_non_null(x);
  return x;
}

// A as it stands in memory, dense.
static double *dense_of(const mus_shared_matrix *a) {
  size_t n = 3 * (size_t)a->pattern->rows;
  double *dense = zeros(n * n), *x = zeros(n), *y = zeros(n);
  for (int i = 0; i < a->pattern->rows; ++i)
    for (int k = a->pattern->row_start[i]; k < a->pattern->row_start[i + 1]; ++k)
      for (size_t c = 0; c < 3; ++c)
        dense[(3 * (size_t)i + c) * n + 3 * (size_t)a->pattern->column[k] + c] = a->value[k];
  for (int b = 0; b < a->count; ++b)
    for (size_t e = 0; e < 9; ++e)
      dense[(3 * (size_t)a->block[b].node + e / 3) * n + 3 * (size_t)a->block[b].node + e % 3] += a->block[b].value[e];
  mus_fill_random(n, 5, x);
  mus_shared_multiply(a, x, y);
  for (size_t r = 0; r < n; ++r) {
    double sum = 0;
    for (size_t c = 0; c < n; ++c)
      sum += dense[r * n + c] * x[c];
    assert_close(y[r], sum, 1e-12 * (1 + fabs(sum)));
  }
  free(x);
  free(y);
  return dense;
}

// U^T A U of a level.
static void check_level(const problem *p, const mus_affine *levels, int level, const double *dense) {
  size_t n = 3 * (size_t)p->pattern.rows, m = 12 * (size_t)mus_affine_handles(levels, level);
  double *u = zeros(n * m), *half = zeros(n * m), *coarse = zeros(m * m), largest = 0;
  for (int i = 0; i < p->pattern.rows; ++i) {
    double phi[4];
    size_t handle = (size_t)mus_affine_functions(levels, level, i, phi);
    for (size_t a = 0; a < 4; ++a)
      for (size_t c = 0; c < 3; ++c)
        u[(3 * (size_t)i + c) * m + 12 * handle + 3 * a + c] = phi[a];
  }
  for (size_t r = 0; r < n; ++r)
    for (size_t k = 0; k < n; ++k)
      for (size_t c = 0; c < m && dense[r * n + k] != 0; ++c)
        half[r * m + c] += dense[r * n + k] * u[k * m + c];
  mus_affine_dense(levels, level, coarse);
  for (size_t e = 0; e < m * m; ++e)
    largest = fmax(largest, fabs(coarse[e]));
  for (size_t r = 0; r < m; ++r)
    for (size_t c = 0; c < m; ++c) {
      double sum = 0, size = 0;
      for (size_t k = 0; k < n; ++k) {
        sum += u[k * m + r] * half[k * m + c];
        size += fabs(u[k * m + r]);
      }
      assert_close(coarse[r * m + c], size == 0 && r == c ? 1 : sum, 1e-12 * largest);
    }
  free(u);
  free(half);
  free(coarse);
}

static void coarse_matrices_are_triple_products(void **state) {
  (void)state;
  const int cells[3] = {4, 3, 2};
  for (int flat = 0; flat < 2; ++flat) {
    problem p;
    problem_create(cells, flat ? 0 : 1, 3, &p);
    mus_affine *levels = make(&p, "2/9/all", "gs:2", MUS_PRECISION_DOUBLE);
    double *dense = dense_of(&p.a);
    assert_int_equal(mus_affine_levels(levels), 2);
    assert_int_equal(mus_affine_handles(levels, 1), 9);
    assert_int_equal(mus_affine_handles(levels, 2), 2);
    check_level(&p, levels, 1, dense);
    check_level(&p, levels, 2, dense);
    free(dense);
    mus_affine_free(levels);
    mus_arena_clear(&p.arena);
  }
}

// Blocks that come and go leave what setting everything anew gives, bit for bit.
static void updated_blocks_are_those_set_anew(void **state) {
  (void)state;
  const int cells[3] = {5, 4, 3};
  problem p;
  problem_create(cells, 1, 3, &p);
  mus_affine *updated = make(&p, "3/12/all", "gs:1", MUS_PRECISION_DOUBLE);
  const int counts[] = {3, 0, 8, 5};
  size_t n = 3 * (size_t)p.pattern.rows, m = 36;
  double *b = zeros(n), *x = zeros(n), *y = zeros(n), *one = zeros(m * m), *other = zeros(m * m);
  mus_fill_random(n, 7, b);
  for (int k = 0; k < 4; ++k) {
    p.a.count = counts[k];
    p.a.block = p.block + (8 - counts[k]);
    assert_ok(mus_affine_set_blocks(updated, &p.a));
    mus_affine *fresh = make(&p, "3/12/all", "gs:1", MUS_PRECISION_DOUBLE);
    mus_affine_dense(updated, 2, one);
    mus_affine_dense(fresh, 2, other);
    assert_memory_equal(one, other, m * m * sizeof *one);
    mus_affine_cycle(updated, b, x);
    mus_affine_cycle(fresh, b, y);
    assert_memory_equal(x, y, n * sizeof *x);
    mus_affine_free(fresh);
  }
  free(b), free(x), free(y), free(one), free(other);
  mus_affine_free(updated);
  mus_arena_clear(&p.arena);
}

static const char *const smoothers[] = {"gs:3", "jacobi:5", "chebyshev:3", "jacobi:2/gs:1"};
enum { SMOOTHERS = sizeof smoothers / sizeof *smoothers };

static void the_cycle_is_symmetric_and_converges(void **state) {
  (void)state;
  const int cells[3] = {9, 6, 6};
  problem p;
  problem_create(cells, 1, 40, &p);
  size_t n = 3 * (size_t)p.pattern.rows;
  double *u = zeros(n), *v = zeros(n), *cu = zeros(n), *cv = zeros(n), *r = zeros(n), *exact = zeros(n);
  mus_shared_factor *factor = NULL;
  assert_ok(mus_shared_factor_create(&p.pattern, &factor));
  for (int with = 1; with >= 0; --with) {
    p.a.count = with ? 8 : 0;
    assert_ok(mus_shared_factor_compute(factor, &p.a));
    for (int s = 0; s < 2 * SMOOTHERS; ++s) {
      int single = s >= SMOOTHERS;
      mus_affine *levels =
          make(&p, "4/40/all", smoothers[s % SMOOTHERS], single ? MUS_PRECISION_SINGLE : MUS_PRECISION_DOUBLE);
      mus_fill_random(n, 11, u);
      mus_fill_random(n, 12, v);
      mus_affine_cycle(levels, u, cu);
      mus_affine_cycle(levels, v, cv);
      double across = mus_dot(n, u, cv), size = sqrt(mus_dot(n, u, cu) * mus_dot(n, v, cv));
      assert_true(mus_dot(n, u, cu) > 0);
      assert_close(across, mus_dot(n, v, cu), (single ? 1e-5 : 1e-12) * size);
      // Ten cycles for A x = u, against the direct solution.
      assert_ok(mus_shared_factor_solve(factor, u, exact));
      mus_fill(n, 0, v);
      for (int cycle = 0; cycle < 10; ++cycle) {
        mus_shared_multiply(&p.a, v, r);
        mus_xpay(n, u, -1, r);
        mus_affine_cycle(levels, r, cv);
        mus_axpy(n, 1, cv, v);
      }
      mus_axpy(n, -1, exact, v);
      double error = sqrt(mus_dot(n, v, v) / mus_dot(n, exact, exact));
      // Stiff blocks at single nodes are not what a few handles can follow: they take more cycles.
      assert_true(error < (with ? 0.03 : 1e-5));
      mus_affine_free(levels);
    }
  }
  mus_shared_factor_free(factor);
  free(u), free(v), free(cu), free(cv), free(r), free(exact);
  mus_arena_clear(&p.arena);
}

static void bits_do_not_depend_on_threads(void **state) {
  (void)state;
  const int cells[3] = {12, 12, 11}, threads[] = {1, 2, 7};
  problem p;
  problem_create(cells, 1, 40, &p);
  size_t n = 3 * (size_t)p.pattern.rows;
  double *b = zeros(n), *first = zeros(n), *x = zeros(n);
  mus_fill_random(n, 11, b);
  for (int s = 0; s < 2; ++s)
    for (int t = 0; t < 3; ++t) {
      int before = mus_par_set_threads(threads[t]);
      mus_affine *levels =
          make(&p, "", smoothers[s == 0 ? 0 : 2], s == 0 ? MUS_PRECISION_SINGLE : MUS_PRECISION_DOUBLE);
      mus_affine_cycle(levels, b, x);
      mus_par_set_threads(before);
      if (t == 0)
        mus_copy(n, x, first);
      assert_memory_equal(x, first, n * sizeof *x);
      mus_affine_free(levels);
    }
  free(b), free(first), free(x);
  mus_arena_clear(&p.arena);
}

static void wrong_texts_are_refused(void **state) {
  (void)state;
  const int cells[3] = {2, 2, 2};
  problem p;
  problem_create(cells, 1, 1, &p);
  mus_affine *levels = NULL;
  mus_solver_options o = options_for("9/3/all", "gs:3", MUS_PRECISION_DOUBLE);
  assert_fails(mus_affine_create(&p.pattern, p.rest, &o, &levels), MUS_BAD_INPUT, "levels");
  o = options_for("", "sor", MUS_PRECISION_DOUBLE);
  assert_fails(mus_affine_create(&p.pattern, p.rest, &o, &levels), MUS_BAD_INPUT, "smoother");
  mus_arena_clear(&p.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coarse_matrices_are_triple_products), cmocka_unit_test(updated_blocks_are_those_set_anew),
      cmocka_unit_test(the_cycle_is_symmetric_and_converges), cmocka_unit_test(bits_do_not_depend_on_threads),
      cmocka_unit_test(wrong_texts_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
