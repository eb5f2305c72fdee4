// The equations of a level against a dense matrix that is put together from stresses, for random shapes; symmetry and
// definiteness; and single parts of the cycle.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "lattice/level.h"
#include "support/check.h"
#include "support/dense.h"
#include "support/lattices.h"

enum { SIDE = 4 };

typedef struct problem {
  mus_cells cells;
  mus_arena arena;
  mus_lattice_domain *domain;
  mus_lattice_level level;
  int unknowns;      // all: displacements and pressures
  int displacements; // which come first
  int *number;       // of the unknown of a field in a cell, -1: none; 4 for each cell
} problem;

// 0: exterior, 1: unknown, 2: held; from the definition.
static int face_kind(const mus_cells *cells, int axis, size_t cell) {
  const size_t stride[3] = {1, (size_t)cells->count[0], (size_t)cells->count[0] * (size_t)cells->count[1]};
  int lower = cells->kind[cell - stride[axis]], upper = cells->kind[cell];
  if (lower == MUS_CELL_DIRICHLET || upper == MUS_CELL_DIRICHLET)
    return 2;
  return lower == MUS_CELL_INTERIOR && upper == MUS_CELL_INTERIOR;
}

static int has_unknowns(const mus_cells *cells) {
  const size_t edge = mus_cells_number(cells, 1, 1, 1);
  for (size_t cell = edge; cell < mus_cells_total(cells) - edge; ++cell)
    for (int a = 0; a < 3; ++a)
      if (face_kind(cells, a, cell) == 1)
        return 1;
  return 0;
}

static problem problem_create(mus_cells cells, double compressibility, double inertia) {
  problem p = {.cells = cells};
  int levels;
  assert_ok(mus_lattice_domains_create(&p.arena, &cells, &p.domain, &levels));
  assert_ok(mus_lattice_level_create(&p.arena, p.domain, compressibility, inertia, &p.level));
  p.number = malloc(4 * p.domain->cells * sizeof *p.number);
  assert_non_null(p.number);
  for (int f = 0; f < 4; ++f) {
    for (size_t n = 0; n < p.domain->cells; ++n) {
      int inner = n >= p.domain->stride[2] && n < p.domain->cells - p.domain->stride[2];
      int is_unknown = inner && (f < 3 ? face_kind(&cells, f, n) == 1 : cells.kind[n] == MUS_CELL_INTERIOR);
      p.number[4 * n + (size_t)f] = is_unknown ? p.unknowns++ : -1;
    }
    if (f == 2)
      p.displacements = p.unknowns;
  }
  return p;
}

static void problem_free(problem *p) {
  mus_arena_clear(&p->arena);
  cells_free(&p->cells);
  free(p->number);
}

// A row over unknowns of a difference of displacements; 0 if one of its variables is beyond a free boundary.
static int add_difference(const problem *p, int field, size_t plus, size_t minus, double *row) {
  if (face_kind(&p->cells, field, plus) == 0 || face_kind(&p->cells, field, minus) == 0)
    return 0;
  int at = p->number[4 * plus + (size_t)field], from = p->number[4 * minus + (size_t)field];
  if (at >= 0)
    row[at] += 1;
  if (from >= 0)
    row[from] -= 1;
  return 1;
}

// a -= factor * row^T row
static void subtract_square(int n, double factor, const double *row, double *a) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n && row[i] != 0; ++j)
      a[(size_t)j * (size_t)n + (size_t)i] -= factor * row[i] * row[j];
}

static void add_normal(const problem *p, int axis, size_t cell, double *row, double *a) {
  size_t n = (size_t)p->unknowns, pressure = (size_t)p->number[4 * cell + 3];
  memset(row, 0, n * sizeof *row);
  if (!add_difference(p, axis, cell + p->domain->stride[axis], cell, row)) {
    a[pressure * n + pressure] += 0.5; // D u = p / 2
    return;
  }
  subtract_square(p->unknowns, 2, row, a);
  for (size_t i = 0; i < n; ++i) {
    a[i * n + pressure] += row[i];
    a[pressure * n + i] += row[i];
  }
}

// The symmetric matrix of the mixed system, stress by stress.
static double *reference_matrix(const problem *p, double compressibility, double inertia) {
  size_t n = (size_t)p->unknowns;
  double *a = calloc(n * n, sizeof *a), *row = calloc(n, sizeof *row);
  assert_non_null(a);
  assert_non_null(row);
  for (size_t cell = p->domain->stride[2]; cell < p->domain->cells - p->domain->stride[2]; ++cell) {
    for (int c = 0; c < 3; ++c) {
      int d = (c + 1) % 3, e = (c + 2) % 3, number = p->number[4 * cell + (size_t)c];
      if (p->cells.kind[cell] == MUS_CELL_INTERIOR)
        add_normal(p, c, cell, row, a);
      memset(row, 0, n * sizeof *row);
      if (cell >= p->domain->stride[2] + p->domain->stride[2] &&
          add_difference(p, d, cell, cell - p->domain->stride[e], row) &&
          add_difference(p, e, cell, cell - p->domain->stride[d], row))
        subtract_square(p->unknowns, 1, row, a);
      if (number >= 0)
        a[(size_t)number * n + (size_t)number] -= inertia;
    }
    if (p->number[4 * cell + 3] >= 0)
      a[(size_t)p->number[4 * cell + 3] * (n + 1)] += compressibility;
  }
  free(row);
  return a;
}

// The matrix of the level, column by column, from residuals.
static double *level_matrix(const problem *p) {
  size_t n = (size_t)p->unknowns;
  double *a = calloc(n * n, sizeof *a);
  assert_non_null(a);
  for (size_t k = 0; k < 4 * p->domain->cells; ++k) {
    if (p->number[k] < 0)
      continue;
    p->level.x[k % 4][k / 4] = 1;
    mus_lattice_residual(&p->level);
    for (size_t i = 0; i < 4 * p->domain->cells; ++i) {
      double value = -p->level.r[i % 4][i / 4];
      if (p->number[i] >= 0)
        a[(size_t)p->number[k] * n + (size_t)p->number[i]] = value;
      else
        assert_true(value == 0);
    }
    p->level.x[k % 4][k / 4] = 0;
  }
  return a;
}

static void operators_are_those_of_stresses(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    mus_cells cells = random_cells(SIDE, seed);
    if (!has_unknowns(&cells)) {
      cells_free(&cells);
      continue;
    }
    double compressibility = seed % 3 ? 0.1 : 1e-6, inertia = seed % 2 ? 0.3 : 0;
    problem p = problem_create(cells, compressibility, inertia);
    double *reference = reference_matrix(&p, compressibility, inertia), *a = level_matrix(&p);
    int n = p.unknowns;
    assert_true(dense_difference(n * n, a, reference) < 1e-14);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j)
        assert_true(a[i * n + j] == a[j * n + i]);
    free(reference);
    free(a);
    problem_free(&p);
  }
}

// L_u - G D_p^-1 G^T, negated
static double *reduced_matrix(const problem *p, const double *a) {
  size_t n = (size_t)p->unknowns, m = (size_t)p->displacements;
  double *reduced = calloc(m * m, sizeof *reduced);
  assert_non_null(reduced);
  for (size_t j = 0; j < m; ++j)
    for (size_t i = 0; i < m; ++i) {
      double sum = a[j * n + i];
      for (size_t k = m; k < n; ++k)
        sum -= a[k * n + i] * a[j * n + k] / a[k * n + k];
      reduced[j * m + i] = -sum;
    }
  return reduced;
}

static void reduced_systems_are_definite(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    double inertia = 0.01;
    problem p = problem_create(random_cells(SIDE, 100 + seed), seed % 2 ? 0.01 : 1e-4, inertia);
    double *a = level_matrix(&p), *reduced = reduced_matrix(&p, a);
    double *values = malloc((size_t)p.displacements * sizeof *values);
    assert_non_null(values);
    dense_eigenvalues(p.displacements, reduced, values);
    assert_true(values[0] >= 0.999 * inertia);
    free(values);
    free(a);
    free(reduced);
    problem_free(&p);
  }
}

static void held_boxes_are_definite_without_inertia(void **state) {
  (void)state;
  problem p = problem_create(box_cells(SIDE, 1), 0.01, 0);
  double *a = level_matrix(&p), *reduced = reduced_matrix(&p, a);
  double *values = malloc((size_t)p.displacements * sizeof *values);
  assert_non_null(values);
  dense_eigenvalues(p.displacements, reduced, values);
  assert_true(values[0] > 1e-4);
  free(values);
  free(a);
  free(reduced);
  problem_free(&p);
}

// A translation with a small rotation, on every face there is.
static void rigid_motions_have_no_force(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    problem p = problem_create(random_cells(SIDE + 2, 20 + seed), 0.1, 0);
    for (int f = 0; f < 3; ++f)
      for (size_t n = 0; n < p.domain->cells; ++n) {
        double x[3], turn[3] = {0.3, -0.2, 0.7};
        variable_place(&p.cells, f, n, x);
        p.level.x[f][n] = 0.5 * f + turn[(f + 1) % 3] * x[(f + 2) % 3] - turn[(f + 2) % 3] * x[(f + 1) % 3];
      }
    mus_lattice_residual(&p.level);
    for (int f = 0; f < 4; ++f)
      for (size_t n = 0; n < p.domain->cells; ++n)
        assert_true(fabs(p.level.r[f][n]) < 1e-13);
    problem_free(&p);
  }
}

// What sweeps leave alone: a solution.
static void sweeps_keep_solutions(void **state) {
  (void)state;
  problem p = problem_create(box_cells(8, 3), 0.05, 0.2);
  for (size_t k = 0; k < 4 * p.domain->cells; ++k)
    if (p.number[k] >= 0)
      p.level.x[k % 4][k / 4] = mus_random(5, k);
  mus_lattice_residual(&p.level);
  size_t n = 4 * mus_lattice_field(p.domain);
  double *before = malloc(n * sizeof *before);
  assert_non_null(before);
  for (size_t k = 0; k < n; ++k)
    p.level.b[0][k] = -p.level.r[0][k];
  memcpy(before, p.level.x[0], n * sizeof *before);
  mus_lattice_sweep(&p.level);
  mus_lattice_sweep_band(&p.level, &p.domain->band, 2, 0);
  mus_lattice_sweep_band(&p.level, &p.domain->band, 1, 1);
  for (size_t k = 0; k < n; ++k)
    assert_true(fabs(p.level.x[0][k] - before[k]) < 1e-12);
  free(before);
  problem_free(&p);
}

// Both precisions do the same.
static void single_precision_is_double_rounded(void **state) {
  (void)state;
  problem p = problem_create(random_cells(6, 77), 0.05, 0);
  mus_lattice_level_f single;
  size_t n = 4 * mus_lattice_field(p.domain);
  assert_ok(mus_lattice_level_create_f(&p.arena, p.domain, 0.05, 0, &single));
  for (size_t k = 0; k < 4 * p.domain->cells; ++k)
    if (p.number[k] >= 0) {
      p.level.x[k % 4][k / 4] = single.x[k % 4][k / 4] = (float)mus_random(6, k);
      p.level.b[k % 4][k / 4] = single.b[k % 4][k / 4] = (float)mus_random(7, k);
    }
  mus_lattice_sweep(&p.level);
  mus_lattice_sweep_f(&single);
  mus_lattice_sweep_band(&p.level, &p.domain->band, 1, 0);
  mus_lattice_sweep_band_f(&single, &p.domain->band, 1, 0);
  mus_lattice_extend(&p.level);
  mus_lattice_extend_f(&single);
  mus_lattice_residual(&p.level);
  mus_lattice_residual_f(&single);
  for (size_t k = 0; k < n; ++k) {
    assert_true(fabs(p.level.x[0][k] - (double)single.x[0][k]) < 1e-4);
    assert_true(fabs(p.level.r[0][k] - (double)single.r[0][k]) < 1e-4);
  }
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_are_those_of_stresses),
      cmocka_unit_test(reduced_systems_are_definite),
      cmocka_unit_test(held_boxes_are_definite_without_inertia),
      cmocka_unit_test(rigid_motions_have_no_force),
      cmocka_unit_test(sweeps_keep_solutions),
      cmocka_unit_test(single_precision_is_double_rounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
