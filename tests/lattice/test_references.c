// The plain methods that measurements compare the lattice solver with: their matrices, transfers and cycles.
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
#include "reference_solids.h"
#include "support/check.h"
#include "support/lattices.h"

enum { ENDS = 3 };

// --- the staggered lattice ------------------------------------------------------------------------------------------

// Random unknown displacements, which do not depend on axis 2 where `flat`; all else is 0.
static double number_at(const mus_lattice_domain *d, size_t cell, int axis, int flat) {
  if (!mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_UNKNOWN << axis) || (flat && axis == 2))
    return 0;
  return mus_random(5, 3 * (flat ? cell % d->stride[2] : cell) + (size_t)axis);
}

// r = -L x with the pressures that belong to x. They follow from residuals where they are 0, as each cell's equation
// has only its own.
static void eliminate(const mus_lattice_level *l) {
  const mus_lattice_domain *d = l->domain;
  mus_lattice_residual(l);
  for (size_t n = 0; n < d->cells; ++n) {
    int given = 3;
    for (int a = 0; a < 3; ++a)
      given -= mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_NORMAL << a);
    l->x[3][n] = mus_lattice_is(d, n, MUS_LATTICE_SOLID) ? l->r[3][n] / (l->compressibility + given / 2.0) : 0;
  }
  mus_lattice_residual(l);
}

static void assert_lattice_agrees(const mus_cells *cells, int layer, double compressibility) {
  mus_arena arena = {0};
  mus_lattice_domain *d;
  mus_lattice_level level;
  reference_lattice l;
  reference_matrix a;
  int levels, compared = 0;
  assert_ok(mus_lattice_domains_create(&arena, cells, &d, &levels));
  assert_ok(mus_lattice_level_create(&arena, d, compressibility, 0, &level));
  assert_ok(reference_lattice_create(&arena, d, layer, compressibility, &l));
  assert_ok(reference_assemble(&arena, &l.elements, l.rows, l.row, &a));
  double *x = mus_arena_alloc(&arena, (size_t)l.rows, sizeof *x),
         *y = mus_arena_alloc(&arena, (size_t)l.rows, sizeof *y);
  for (size_t n = 0; n < 3 * d->cells; ++n) {
    double value = number_at(d, n / 3, (int)(n % 3), layer >= 0);
    level.x[n % 3][n / 3] = value;
    if (l.row[n] >= 0)
      x[l.row[n]] = value;
  }
  reference_multiply(&a, x, y);
  eliminate(&level);
  for (size_t n = 0; n < 3 * d->cells; ++n)
    if (l.row[n] >= 0) {
      assert_true(fabs(y[l.row[n]] - level.r[n % 3][n / 3]) < 1e-10 * (1 + 1 / compressibility));
      ++compared;
    }
  assert_true(compared > 20 && compared == l.rows);
  mus_arena_clear(&arena);
}

static void lattice_is_that_of_the_solver(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 6; ++seed) {
    mus_cells cells = random_cells(7, seed);
    assert_lattice_agrees(&cells, -1, seed % 2 ? 0.04 : 1.5);
    cells_free(&cells);
  }
}

// Columns of cells of any kind: away from their ends, displacements that are the same in all layers behave as in the
// plane.
static void layer_is_that_of_the_solver(void **state) {
  (void)state;
  mus_cells cells = random_cells(9, 3);
  size_t sheet = (size_t)cells.count[0] * (size_t)cells.count[1];
  int middle = cells.count[2] / 2;
  for (int k = MUS_CELLS_MARGIN; k < cells.count[2] - MUS_CELLS_MARGIN; ++k)
    if (k != middle)
      memcpy(cells.kind + (size_t)k * sheet, cells.kind + (size_t)middle * sheet, sheet);
  assert_lattice_agrees(&cells, middle, 0.04);
  cells_free(&cells);
}

static double largest_asymmetry(const reference_matrix *a) {
  double most = 0;
  for (int i = 0; i < a->rows; ++i)
    for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
      double other = 0;
      for (int l = a->start[a->column[k]]; l < a->start[a->column[k] + 1]; ++l)
        other += a->column[l] == i ? a->value[l] : 0;
      most = fmax(most, fabs(a->value[k] - other));
    }
  return most;
}

// --- finite elements ------------------------------------------------------------------------------------------------

static double corner_place(int corner, int axis) { return corner >> axis & 1; }

// An affine displacement, u_a = sum_b g_ab x_b.
static void fill_affine(int axes, const double g[3][3], double *u) {
  for (int v = 0; v < axes << axes; ++v) {
    u[v] = 0.3;
    for (int b = 0; b < axes; ++b)
      u[v] += g[v % axes][b] * corner_place(v / axes, b);
  }
}

static double energy(int size, const double *matrix, const double *u) {
  double sum = 0;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      sum += u[i] * matrix[i * size + j] * u[j];
  return sum;
}

// u . K u of a unit cube is 2 |e|^2 + lambda (tr e)^2, with the strain e.
static void assert_element(int axes, double lambda, const double *matrix) {
  const double turn[3][3] = {{0, 0.7, -0.2}, {-0.7, 0, 0.4}, {0.2, -0.4, 0}};
  const double any[3][3] = {{0.2, 0.7, -0.2}, {0.1, -0.4, 0.3}, {0.6, -0.1, 0.5}};
  double u[REFERENCE_ELEMENT], wanted = 0, trace = 0;
  int size = axes << axes;
  fill_affine(axes, turn, u);
  for (int i = 0; i < size; ++i) {
    double force = 0;
    for (int j = 0; j < size; ++j) {
      force += matrix[i * size + j] * u[j];
      assert_true(fabs(matrix[i * size + j] - matrix[j * size + i]) < 1e-12 * lambda);
    }
    assert_true(fabs(force) < 1e-12 * lambda);
  }
  for (int a = 0; a < axes; ++a) {
    trace += any[a][a];
    for (int b = 0; b < axes; ++b)
      wanted += 2 * pow((any[a][b] + any[b][a]) / 2, 2);
  }
  fill_affine(axes, any, u);
  assert_true(fabs(energy(size, matrix, u) - wanted - lambda * trace * trace) < 1e-11 * lambda);
}

static void elements_know_rigid_motions_and_strains(void **state) {
  (void)state;
  double matrix[REFERENCE_ELEMENT * REFERENCE_ELEMENT];
  for (int axes = 2; axes <= 3; ++axes) {
    reference_simplices(axes, 24, matrix);
    assert_element(axes, 24, matrix);
  }
  reference_trilinear(24, matrix);
  assert_element(3, 24, matrix);
}

static void weights_in_simplices_are_linear(void **state) {
  (void)state;
  for (int axes = 2; axes <= 3; ++axes)
    for (uint64_t k = 0; k < 50; ++k) {
      double x[3], weight[8], sum = 0, at[3] = {0};
      int used = 0;
      for (int a = 0; a < 3; ++a)
        x[a] = (mus_random(8, 3 * k + (uint64_t)a) + 1) / 2;
      reference_simplex_weights(axes, x, weight);
      for (int c = 0; c < 1 << axes; ++c) {
        assert_true(weight[c] >= 0);
        used += weight[c] > 0;
        sum += weight[c];
        for (int a = 0; a < axes; ++a)
          at[a] += weight[c] * corner_place(c, a);
      }
      assert_true(fabs(sum - 1) < 1e-14 && used <= axes + 1);
      for (int a = 0; a < axes; ++a)
        assert_true(fabs(at[a] - x[a]) < 1e-14);
    }
}

// The patch test: an affine displacement on the held ends and the free sides leaves no force inside.
static void boxes_pass_the_patch_test(void **state) {
  (void)state;
  enum { SIDE = 4, NODES = (SIDE + 1) * (SIDE + 1) * (SIDE + 1) };
  for (int simplices = 0; simplices < 2; ++simplices) {
    mus_arena arena = {0};
    double matrix[REFERENCE_ELEMENT * REFERENCE_ELEMENT], value[3 * NODES], right[3 * NODES] = {0};
    int inside[3 * NODES], rows = 0;
    reference_box box;
    if (simplices)
      reference_simplices(3, 24, matrix);
    else
      reference_trilinear(24, matrix);
    assert_ok(reference_box_create(&arena, SIDE, matrix, &box));
    for (int v = 0; v < 3 * NODES; ++v) {
      int i = v / 3 % (SIDE + 1), j = v / 3 / (SIDE + 1) % (SIDE + 1), k = v / 3 / (SIDE + 1) / (SIDE + 1);
      int is_inside = i % SIDE && j % SIDE && k % SIDE;
      value[v] = 0.1 * i - 0.3 * j * (v % 3) + 0.2 * k;
      inside[v] = is_inside ? rows++ : -1;
    }
    reference_matrix a;
    double x[3 * NODES], y[3 * NODES];
    assert_ok(reference_assemble(&arena, &box.elements, rows, inside, &a));
    assert_true(largest_asymmetry(&a) < 1e-12);
    reference_hold(&box.elements, inside, value, right);
    for (int v = 0; v < 3 * NODES; ++v)
      if (inside[v] >= 0)
        x[inside[v]] = value[v];
    reference_multiply(&a, x, y);
    for (int i = 0; i < rows; ++i)
      assert_true(fabs(y[i] - right[i]) < 1e-10);
    int iterations;
    assert_ok(reference_solve(&a, 1e-12, right, y, &iterations));
    for (int i = 0; i < rows; ++i)
      assert_true(fabs(y[i] - x[i]) < 1e-9);
    mus_arena_clear(&arena);
  }
}

// --- multigrid ------------------------------------------------------------------------------------------------------

// Away from what is held, rows of transfers add up to 1.
static void assert_sums(const reference_matrix *p) {
  int ones = 0;
  for (int i = 0; i < p->rows; ++i) {
    double sum = 0;
    for (int k = p->start[i]; k < p->start[i + 1]; ++k)
      sum += p->value[k];
    assert_true(sum >= 0 && sum < 1 + 1e-12);
    ones += fabs(sum - 1) < 1e-12;
  }
  assert_true(ones > p->rows / 2);
}

static void transposes_and_products_are_right(void **state) {
  (void)state;
  mus_arena arena = {0};
  double matrix[REFERENCE_ELEMENT * REFERENCE_ELEMENT];
  reference_box fine, coarse;
  reference_matrix a, p, r, ap, rap;
  reference_trilinear(3, matrix);
  assert_ok(reference_box_create(&arena, 8, matrix, &fine));
  assert_ok(reference_box_create(&arena, 4, matrix, &coarse));
  assert_ok(reference_assemble(&arena, &fine.elements, fine.rows, fine.row, &a));
  assert_ok(reference_box_prolong(&arena, &fine, &coarse, 0, &p));
  assert_sums(&p);
  assert_ok(reference_transpose(&arena, &p, &r));
  assert_ok(reference_product(&arena, &a, &p, &ap));
  assert_ok(reference_product(&arena, &r, &ap, &rap));
  // Nested elements: Galerkin's coarse matrix is that of the coarse elements, whose size is twice that of fine ones.
  reference_matrix wanted;
  assert_ok(reference_assemble(&arena, &coarse.elements, coarse.rows, coarse.row, &wanted));
  double *x = mus_arena_alloc(&arena, (size_t)coarse.rows, 3 * sizeof *x), *y = x + coarse.rows, *z = y + coarse.rows;
  for (int i = 0; i < coarse.rows; ++i)
    x[i] = mus_random(2, (uint64_t)i);
  reference_multiply(&rap, x, y);
  reference_multiply(&wanted, x, z);
  for (int i = 0; i < coarse.rows; ++i)
    assert_true(fabs(y[i] - 2 * z[i]) < 1e-10);
  mus_arena_clear(&arena);
}

// At a Poisson's ratio of 0.2 cycles are fast, and near 1/2 slow.
static double lattice_rate(double compressibility) {
  mus_arena arena = {0};
  mus_cells cells = box_cells(16, ENDS);
  mus_lattice_domain *d;
  reference_lattice l[REFERENCE_LEVELS];
  reference_matrix a, p[REFERENCE_LEVELS];
  reference_multigrid m;
  double residuals[21];
  int levels;
  assert_ok(mus_lattice_domains_create(&arena, &cells, &d, &levels));
  for (int k = 0; k < levels; ++k, d = d->coarse) {
    assert_ok(reference_lattice_create(&arena, d, -1, compressibility, &l[k]));
    if (k > 0) {
      assert_ok(reference_lattice_prolong(&arena, &l[k - 1], &l[k], &p[k - 1]));
      assert_sums(&p[k - 1]);
    }
  }
  assert_ok(reference_assemble(&arena, &l[0].elements, l[0].rows, l[0].row, &a));
  assert_ok(reference_multigrid_create(&arena, &a, levels, p, &m));
  reference_residuals(&m, 20, residuals);
  mus_arena_clear(&arena);
  cells_free(&cells);
  return pow(residuals[20] / residuals[10], 0.1);
}

static void gauss_seidel_stalls_near_incompressibility(void **state) {
  (void)state;
  assert_true(lattice_rate(1.5) < 0.6);
  assert_true(lattice_rate(0.02 / 0.98) > 0.8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lattice_is_that_of_the_solver),
      cmocka_unit_test(layer_is_that_of_the_solver),
      cmocka_unit_test(elements_know_rigid_motions_and_strains),
      cmocka_unit_test(weights_in_simplices_are_linear),
      cmocka_unit_test(boxes_pass_the_patch_test),
      cmocka_unit_test(transposes_and_products_are_right),
      cmocka_unit_test(gauss_seidel_stalls_near_incompressibility),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
