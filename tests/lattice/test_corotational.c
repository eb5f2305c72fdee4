// Co-rotational elasticity: rotations against LAPACK's, the frozen equations against a dense matrix and against the
// derivative of an energy, motions that are known, and beams whose ends are turned.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "lattice/corotational.h"
#include "lattice/rotations.h"
#include "par/par.h"
#include "support/beams.h"
#include "support/check.h"
#include "support/dense.h"
#include "support/lattices.h"
#include "support/sweep.h"

static const double pi = 3.14159265358979323846;

static void random_matrix(uint64_t seed, double f[9]) {
  for (uint64_t k = 0; k < 9; ++k)
    f[k] = 2 * mus_random(seed, k) - 1;
}

// A rotation around an axis that is none of the lattice's.
static void turn(double angle, double r[9]) {
  const double n[3] = {2.0 / 7, -3.0 / 7, 6.0 / 7};
  double c = cos(angle), s = sin(angle);
  const double cross[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
  for (int k = 0; k < 9; ++k)
    r[k] = (k % 4 == 0 ? c : 0) + (1 - c) * n[k / 3] * n[k % 3] + s * cross[k];
}

static void rotations_are_those_of_lapack(void **state) {
  (void)state;
  int inverted = 0;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    double f[9], r[9], reference[9];
    random_matrix(seed, f);
    f[0] *= seed % 5 == 0 ? 1e3 : 1;
    mus_rotation_of(f, r);
    dense_rotation(f, reference);
    for (int k = 0; k < 9; ++k)
      assert_true(fabs(r[k] - reference[k]) < 1e-10);
    inverted +=
        f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) + f[2] * (f[3] * f[7] - f[4] * f[6]) <
        0;
  }
  assert_true(inverted > 500);
  double r[9];
  mus_rotation_of((const double[9]){0}, r);
  for (int k = 0; k < 9; ++k)
    assert_true(isfinite(r[k]));
}

// A level with random rotations and couplings.
typedef struct problem {
  mus_arena arena;
  mus_cells cells;
  mus_turned_level turned;
  int unknowns, displacements;
  int *number; // of the unknown of a field in a cell, -1: none; 4 for each cell
} problem;

static problem problem_create(mus_cells cells, double compressibility, double inertia) {
  problem p = {.cells = cells};
  mus_lattice_domain *d;
  int levels;
  assert_ok(mus_lattice_domains_create(&p.arena, &cells, &d, &levels));
  assert_ok(mus_turned_create(&p.arena, d, compressibility, inertia, &p.turned));
  p.number = malloc(4 * d->cells * sizeof *p.number);
  assert_non_null(p.number);
  for (int f = 0; f < 4; ++f) {
    for (size_t n = 0; n < d->cells; ++n) {
      uint32_t flag = f < 3 ? (uint32_t)MUS_LATTICE_UNKNOWN << f : MUS_LATTICE_SOLID;
      p.number[4 * n + (size_t)f] = mus_lattice_is(d, n, flag) ? p.unknowns++ : -1;
    }
    if (f == 2)
      p.displacements = p.unknowns;
  }
  for (size_t n = 0; n < d->cells; ++n) {
    double f[9], r[9];
    random_matrix(n, f);
    mus_rotation_of(f, r);
    for (int k = 0; k < 9 && mus_lattice_is(d, n, MUS_LATTICE_SOLID); ++k) {
      p.turned.rotation[k][n] = r[k];
      p.turned.coupling[k][n] = r[k] + 0.3 * f[k];
    }
  }
  mus_turned_renew(&p.turned);
  return p;
}

static void problem_free(problem *p) {
  mus_arena_clear(&p->arena);
  cells_free(&p->cells);
  free(p->number);
}

static double *level_matrix(const problem *p) {
  const mus_lattice_level *l = &p->turned.level;
  size_t n = (size_t)p->unknowns;
  double *a = calloc(n * n, sizeof *a);
  assert_non_null(a);
  for (size_t k = 0; k < 4 * l->domain->cells; ++k) {
    if (p->number[k] < 0)
      continue;
    l->x[k % 4][k / 4] = 1;
    mus_turned_residual(&p->turned, 0);
    for (size_t i = 0; i < 4 * l->domain->cells; ++i)
      if (p->number[i] >= 0)
        a[(size_t)p->number[k] * n + (size_t)p->number[i]] = -l->r[i % 4][i / 4];
    l->x[k % 4][k / 4] = 0;
  }
  return a;
}

// A gradient D_b u_a as a row over unknowns, times a factor.
static void add_gradient(const problem *p, int a, size_t plus, size_t minus, double factor, double *row) {
  int at = p->number[4 * plus + (size_t)a], from = p->number[4 * minus + (size_t)a];
  if (at >= 0)
    row[at] += factor;
  if (from >= 0)
    row[from] -= factor;
}

// a -= 2 factor row^T row
static void subtract_square(size_t n, double factor, const double *row, double *a) {
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n && row[i] != 0; ++j)
      a[j * n + i] -= 2 * factor * row[i] * row[j];
}

// How much of P_ab is computed, from its definition: a quarter for each cell around, and a half where the cell has a
// free boundary along b opposite.
static double weight(const problem *p, int a, int b, size_t edge) {
  const mus_lattice_domain *d = p->turned.level.domain;
  const uint32_t shear = (uint32_t)MUS_LATTICE_SHEAR << (3 - a - b);
  double sum = 0;
  if (!mus_lattice_is(d, edge, shear))
    return 0;
  for (int k = 0; k < 4; ++k) {
    size_t cell = edge - (k & 1 ? d->stride[a] : 0) - (k & 2 ? d->stride[b] : 0);
    size_t opposite = k & 1 ? edge - d->stride[a] : edge + d->stride[a], face = k & 2 ? cell + d->stride[b] : cell;
    int along = (d->flags[face] & (uint32_t)(MUS_LATTICE_UNKNOWN | MUS_LATTICE_HELD) << b) != 0;
    int twice = mus_lattice_is(d, cell, MUS_LATTICE_SOLID) && along && !mus_lattice_is(d, opposite, shear);
    sum += twice ? 0.5 : 0.25;
  }
  return sum;
}

// The equation of an interior cell.
static void add_cell(const problem *p, size_t cell, double *row, double *a) {
  const size_t *stride = p->turned.level.domain->stride, n = (size_t)p->unknowns;
  size_t pressure = (size_t)p->number[4 * cell + 3];
  memset(row, 0, n * sizeof *row);
  row[pressure] = p->turned.level.compressibility / 2; // added twice
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double r = p->turned.coupling[3 * i + j][cell];
      if (i == j && mus_lattice_is(p->turned.level.domain, cell, (uint32_t)MUS_LATTICE_NORMAL << i))
        add_gradient(p, i, cell + stride[i], cell, r, row);
      else if (i == j)
        row[pressure] += r * r / 4;
      for (int k = 0; k < 4 && i != j; ++k) {
        mus_turned_sample sample = mus_turned_sample_at(&p->turned, cell, i, j, k & 1, k >> 1);
        size_t at = mus_turned_edge(p->turned.level.domain, cell, i, j, k & 1, k >> 1);
        add_gradient(p, i, at, at - stride[j], r * mus_turned_part(sample), row);
        row[pressure] += sample == MUS_SAMPLE_GIVEN ? r * r / 16 : 0;
      }
    }
  for (size_t k = 0; k < n; ++k) {
    a[k * n + pressure] += row[k];
    a[pressure * n + k] += row[k];
  }
}

static double *reference_matrix(const problem *p) {
  const mus_lattice_domain *d = p->turned.level.domain;
  size_t n = (size_t)p->unknowns;
  double *a = calloc(n * n, sizeof *a), *row = calloc(n, sizeof *row);
  assert_non_null(a);
  assert_non_null(row);
  for (size_t cell = 0; cell < d->cells; ++cell) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double factor = i == j ? mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_NORMAL << i) : weight(p, i, j, cell);
        if (!(factor > 0))
          continue;
        memset(row, 0, n * sizeof *row);
        add_gradient(p, i, i == j ? cell + d->stride[i] : cell, i == j ? cell : cell - d->stride[j], 1, row);
        subtract_square(n, factor, row, a);
      }
    if (p->number[4 * cell + 3] >= 0)
      add_cell(p, cell, row, a);
    for (size_t f = 0; f < 3; ++f)
      if (p->number[4 * cell + f] >= 0)
        a[(size_t)p->number[4 * cell + f] * (n + 1)] -= p->turned.level.inertia;
  }
  free(row);
  return a;
}

// -(L_u - G D_p^-1 G^T) has no eigenvalue below the inertia.
static void check_definite(const problem *p, const double *a) {
  size_t n = (size_t)p->unknowns, m = (size_t)p->displacements;
  double *reduced = calloc(m * m, sizeof *reduced), *values = malloc(m * sizeof *values);
  assert_non_null(reduced);
  assert_non_null(values);
  for (size_t j = 0; j < m; ++j)
    for (size_t i = 0; i < m; ++i) {
      reduced[j * m + i] = -a[j * n + i];
      for (size_t k = m; k < n; ++k)
        reduced[j * m + i] += a[k * n + i] * a[j * n + k] / a[k * n + k];
    }
  dense_eigenvalues(p->displacements, reduced, values);
  assert_true(values[0] >= 0.999 * p->turned.level.inertia);
  free(reduced);
  free(values);
}

static void frozen_equations_are_symmetric_and_definite(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    problem p = problem_create(random_cells(4, 40 + seed), seed % 2 ? 0.1 : 1e-5, 0.02);
    double *a = level_matrix(&p), *reference = reference_matrix(&p);
    size_t n = (size_t)p.unknowns;
    assert_true(dense_difference(p.unknowns * p.unknowns, a, reference) < 1e-14);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < i; ++j)
        assert_true(fabs(a[i * n + j] - a[j * n + i]) < 1e-15);
    check_definite(&p, a);
    free(a);
    free(reference);
    problem_free(&p);
  }
}

static void sweeps_keep_solutions(void **state) {
  (void)state;
  problem p = problem_create(random_cells(7, 3), 0.05, 0.2);
  const mus_lattice_level *l = &p.turned.level;
  size_t n = 4 * mus_lattice_field(l->domain);
  double *before = malloc(n * sizeof *before);
  assert_non_null(before);
  for (size_t k = 0; k < 4 * l->domain->cells; ++k)
    if (p.number[k] >= 0)
      l->x[k % 4][k / 4] = mus_random(5, k);
  mus_turned_residual(&p.turned, 0);
  for (size_t k = 0; k < n; ++k)
    l->b[0][k] = -l->r[0][k];
  memcpy(before, l->x[0], n * sizeof *before);
  mus_turned_sweep(&p.turned, 0, 0);
  mus_turned_sweep(&p.turned, 0, 1);
  for (size_t k = 0; k < n; ++k)
    assert_true(fabs(l->x[0][k] - before[k]) < 1e-12);
  free(before);
  problem_free(&p);
}

// Displacements x -> R x on all faces.
static void set_turned(mus_lattice *lattice, const mus_cells *cells, const double r[9]) {
  for (int a = 0; a < 3; ++a)
    for (size_t n = 0; n < mus_cells_total(cells); ++n) {
      double x[3];
      variable_place(cells, a, n, x);
      mus_lattice_displacement(lattice, a)[n] = r[3 * a] * x[0] + r[3 * a + 1] * x[1] + r[3 * a + 2] * x[2] - x[a];
    }
}

static void rigid_rotations_have_no_force(void **state) {
  (void)state;
  for (int k = 1; k <= 12; ++k) {
    mus_cells cells = random_cells(6, 60 + (uint64_t)k);
    mus_lattice_material material = {.young = 1e5, .poisson = 0.4, .inertia = 1e-9};
    mus_lattice *lattice;
    double r[9];
    turn(k * pi / 6, r);
    assert_ok(mus_lattice_create(&cells, &material, NULL, &lattice));
    assert_ok(mus_corotational_create(lattice));
    set_turned(lattice, &cells, r);
    for (size_t n = 0; n < mus_cells_total(&cells); ++n)
      assert_ok(mus_lattice_set_rotation(lattice, n, r));
    assert_true(mus_corotational_evaluate(lattice, 0) < 1e-12);
    mus_lattice_free(lattice);
    cells_free(&cells);
  }
}

// Rotations are found from displacements alone, by up to 60 degrees at once; at corners, where tractions give most
// gradients, one evaluation after another.
static void rotations_are_found_from_displacements(void **state) {
  (void)state;
  for (int k = 1; k <= 2; ++k) {
    mus_cells cells = box_cells(6, 0);
    mus_lattice_material material = {.young = 1e5, .poisson = 0.4, .inertia = 1e-9};
    mus_lattice *lattice;
    double r[9], found[9];
    turn(k * pi / 6, r);
    assert_ok(mus_lattice_create(&cells, &material, NULL, &lattice));
    assert_ok(mus_corotational_create(lattice));
    set_turned(lattice, &cells, r);
    for (int pass = 0; pass < 40; ++pass)
      mus_corotational_evaluate(lattice, 0);
    assert_true(mus_corotational_evaluate(lattice, 0) < 1e-9);
    mus_lattice_get_rotation(lattice, mus_cells_number(&cells, 3, 3, 3), found); // a corner
    for (int i = 0; i < 9; ++i)
      assert_true(fabs(found[i] - r[i]) < 1e-9);
    mus_lattice_free(lattice);
    cells_free(&cells);
  }
}

// mu/lambda times what is given as pressures, and rotations, until both fit the displacements.
static void settle(mus_lattice *lattice) {
  const mus_turned_level *t = &lattice->corotational->solved;
  for (int pass = 0; pass < 60; ++pass) {
    mus_corotational_evaluate(lattice, 0);
    for (size_t k = 0; k < lattice->domain->solid; ++k) {
      size_t cell = (size_t)t->cell[k];
      t->level.x[3][cell] += t->level.r[3][cell] / (lattice->weight * t->diagonal[cell]);
    }
  }
}

// The energy over mu: of each cell, with a quarter of the squares on its edges.
static double energy(mus_lattice *lattice) {
  const mus_turned_level *t = &lattice->corotational->solved;
  const mus_lattice_domain *d = lattice->domain;
  double total = 0, h = lattice->spacing;
  settle(lattice);
  for (size_t n = 0; n < d->solid; ++n) {
    size_t cell = (size_t)t->cell[n];
    double r[9], c[9], f[9], square = 0, trace = 0;
    mus_rotations_get(t, cell, r, c);
    mus_rotations_gradient(t, cell, h, r, c, f);
    for (int i = 0; i < 9; ++i) {
      int a = i / 3, b = i % 3;
      trace += r[i] * f[i];
      square += a == b ? f[i] * f[i] : 0;
      for (int k = 0; k < 4 && a != b; ++k) {
        size_t edge = mus_turned_edge(d, cell, a, b, k & 1, k >> 1);
        mus_turned_sample sample = mus_turned_sample_at(t, cell, a, b, k & 1, k >> 1);
        double slope = (t->level.x[a][edge] - t->level.x[a][edge - d->stride[b]]) / h;
        double given = r[i] + c[i] * t->level.x[3][cell] / (2 * h);
        square += sample == MUS_SAMPLE_GIVEN ? given * given / 4 : mus_turned_part(sample) * slope * slope;
      }
    }
    double change = mus_rotations_cofactors(f, c) - 1;
    total += square - 2 * trace + 3 + change * change / (2 * lattice->finest.compressibility);
  }
  return total;
}

// On a free box, residuals are the derivative of the energy.
static void forces_are_derivatives_of_an_energy(void **state) {
  (void)state;
  mus_cells cells = box_cells(3, 0);
  mus_lattice_material material = {.young = 1e5, .poisson = 0.4, .inertia = 1e-12};
  mus_lattice *lattice;
  double r[9], step = 1e-5, h = cells.spacing;
  turn(0.8, r);
  assert_ok(mus_lattice_create(&cells, &material, NULL, &lattice));
  assert_ok(mus_corotational_create(lattice));
  set_turned(lattice, &cells, r);
  for (int a = 0; a < 3; ++a)
    for (size_t n = 0; n < mus_cells_total(&cells); ++n)
      mus_lattice_displacement(lattice, a)[n] += 0.03 * h * mus_random(8, 3 * n + (size_t)a);
  for (size_t n = 0; n < mus_cells_total(&cells); n += 7)
    for (int a = 0; a < 3; ++a) {
      double *u = &mus_lattice_displacement(lattice, a)[n], at = *u;
      if (!mus_lattice_is(lattice->domain, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
        continue;
      *u = at + step * h;
      double more = energy(lattice);
      *u = at - step * h;
      double less = energy(lattice);
      *u = at;
      settle(lattice);
      mus_corotational_evaluate(lattice, 0);
      assert_true(fabs(lattice->finest.r[a][n] / h - (more - less) / (2 * step)) < 1e-6);
    }
  mus_lattice_free(lattice);
  cells_free(&cells);
}

// A free box whose inertia takes it around, 36 degrees per step: it follows, and feels nothing.
static void spinning_boxes_stay_rigid(void **state) {
  (void)state;
  mus_cells cells = box_cells(8, 0);
  mus_lattice_material material = {.young = 1e4, .poisson = 0.45, .inertia = 1000 * 24.0 * 24};
  mus_lattice_record record;
  mus_lattice *lattice, *shape;
  assert_ok(mus_lattice_create(&cells, &material, NULL, &lattice));
  assert_ok(mus_lattice_create(&cells, &material, NULL, &shape)); // the exact displacements
  for (int step = 1; step <= 5; ++step) {
    double r[9];
    const double *predicted[3];
    turn(step * pi / 5, r);
    set_turned(shape, &cells, r);
    for (int a = 0; a < 3; ++a) {
      memset(mus_lattice_force(lattice, a), 0, mus_cells_total(&cells) * sizeof(double));
      predicted[a] = mus_lattice_displacement(shape, a);
    }
    mus_lattice_add_inertia(lattice, predicted);
    assert_ok(mus_lattice_solve_corotational(lattice, 1e-9, 100, &record));
    for (int a = 0; a < 3; ++a)
      for (size_t n = 0; n < mus_cells_total(&cells); ++n)
        if (mus_lattice_is(mus_lattice_get_domain(lattice), n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
          assert_true(fabs(mus_lattice_displacement(lattice, a)[n] - predicted[a][n]) < 1e-6);
  }
  mus_lattice_free(lattice);
  mus_lattice_free(shape);
  cells_free(&cells);
}

static double *bent_beam(int threads, double *volume, size_t *count) {
  mus_cells cells = beam_cells(40, 4);
  mus_lattice_material material = {.young = 1e5, .poisson = 0.49};
  mus_lattice_record record;
  mus_lattice *lattice;
  double least;
  int before = mus_par_set_threads(threads);
  assert_ok(mus_lattice_create(&cells, &material, NULL, &lattice));
  for (int step = 1; step <= 4; ++step) {
    beam_turn_end(lattice, &cells, BEAM_BENT, step * pi / 4);
    assert_ok(mus_lattice_solve_corotational(lattice, 1e-4, 100, &record));
  }
  *volume = beam_volume(lattice, &least);
  assert_true(least > 0);
  assert_ok(mus_lattice_solve_corotational(lattice, 1e-2, 100, &record)); // relative to stresses, not to the last turn
  assert_int_equal(record.cycles, 0);                                     // it is solved
  *count = mus_cells_total(&cells);
  double *copy = malloc(*count * sizeof *copy);
  assert_non_null(copy);
  memcpy(copy, mus_lattice_displacement(lattice, 0), *count * sizeof *copy);
  mus_par_set_threads(before);
  mus_lattice_free(lattice);
  cells_free(&cells);
  return copy;
}

static void beams_bend_by_half_a_turn(void **state) {
  (void)state;
  size_t count;
  double volume, *one = bent_beam(1, &volume, &count), *more = bent_beam(2, &volume, &count);
  assert_memory_equal(one, more, count * sizeof *one); // whatever the number of threads
  assert_true(fabs(volume - 1) < 0.01);
  free(one);
  free(more);
}

static mus_status make_and_solve(mus_arena *arena, void *data) {
  mus_lattice_material material = {.young = 1e5, .poisson = 0.3};
  mus_lattice_record record;
  mus_lattice *lattice;
  (void)arena;
  mus_status status = mus_lattice_create(data, &material, NULL, &lattice);
  if (status)
    return status;
  mus_lattice_add_weight(lattice, 1000, (double[]){0, -1, 0});
  status = mus_lattice_solve_corotational(lattice, 1e-2, 40, &record);
  mus_lattice_free(lattice);
  return status;
}

static void failing_allocations_are_reported(void **state) {
  (void)state;
  mus_cells cells = box_cells(6, 1);
  mus_arena arena = {0};
  assert_true(sweep_allocations(&arena, make_and_solve, &cells) > 10);
  mus_arena_clear(&arena);
  cells_free(&cells);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotations_are_those_of_lapack),
      cmocka_unit_test(frozen_equations_are_symmetric_and_definite),
      cmocka_unit_test(sweeps_keep_solutions),
      cmocka_unit_test(rigid_rotations_have_no_force),
      cmocka_unit_test(rotations_are_found_from_displacements),
      cmocka_unit_test(forces_are_derivatives_of_an_energy),
      cmocka_unit_test(spinning_boxes_stay_rigid),
      cmocka_unit_test(beams_bend_by_half_a_turn),
      cmocka_unit_test(failing_allocations_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
