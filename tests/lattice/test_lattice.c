// Solves on lattices: what is known exactly, errors under refinement, threads, failing memory, bad input.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lattice/conjugate.h"
#include "lattice/lattice.h"
#include "par/par.h"
#include "support/check.h"
#include "support/lattices.h"
#include "support/sweep.h"

enum { ALL_SIDES = 63, ENDS = 3 };

static int is_unknown(const mus_lattice *lattice, int axis, size_t cell) {
  return mus_lattice_is(mus_lattice_get_domain(lattice), cell, (uint32_t)MUS_LATTICE_UNKNOWN << axis);
}

static int is_solid(const mus_lattice *lattice, size_t cell) {
  return mus_lattice_is(mus_lattice_get_domain(lattice), cell, MUS_LATTICE_SOLID);
}

static int has_result(const mus_lattice *lattice, int axis, size_t cell) {
  return (mus_lattice_get_domain(lattice)->flags[cell] &
          (uint32_t)(MUS_LATTICE_UNKNOWN | MUS_LATTICE_HELD | MUS_LATTICE_NEAR | MUS_LATTICE_FAR) << axis) != 0;
}

static double affine(const double gradient[9], int axis, const double x[3]) {
  return 0.1 * axis + gradient[3 * axis] * x[0] + gradient[3 * axis + 1] * x[1] + gradient[3 * axis + 2] * x[2];
}

// Writes an affine displacement on held faces.
static void hold_affine(mus_lattice *lattice, const mus_cells *cells, const double gradient[9]) {
  for (int a = 0; a < 3; ++a)
    for (size_t n = 0; n < mus_cells_total(cells); ++n) {
      double x[3];
      variable_place(cells, a, n, x);
      if (mus_lattice_is(mus_lattice_get_domain(lattice), n, (uint32_t)MUS_LATTICE_HELD << a))
        mus_lattice_displacement(lattice, a)[n] = affine(gradient, a, x);
    }
}

static void assert_affine(mus_lattice *lattice, const mus_cells *cells, const double gradient[9], double within) {
  for (int a = 0; a < 3; ++a)
    for (size_t n = 0; n < mus_cells_total(cells); ++n) {
      double x[3];
      variable_place(cells, a, n, x);
      if (has_result(lattice, a, n))
        assert_true(fabs(mus_lattice_displacement(lattice, a)[n] - affine(gradient, a, x)) < within);
    }
}

static void affine_displacements_are_reproduced(void **state) {
  (void)state;
  const double gradient[9] = {0.1, 0.2, -0.3, 0.05, -0.2, 0.1, 0.3, 0.02, 0.15};
  mus_cells cells = box_cells(12, ALL_SIDES);
  mus_lattice_material material = {.young = 1e5, .poisson = 0.3};
  mus_lattice_record record;
  mus_lattice *lattice;
  assert_ok(mus_lattice_create(&cells, &material, NULL, &lattice));
  hold_affine(lattice, &cells, gradient);
  assert_ok(mus_lattice_solve(lattice, 1e-11, 40, &record));
  assert_affine(lattice, &cells, gradient, 1e-9);
  double lambda = 1e5 * 0.3 / (1.3 * 0.4);
  for (size_t n = 0; n < mus_cells_total(&cells); ++n)
    if (is_solid(lattice, n))
      assert_true(fabs(mus_lattice_pressure(lattice, n) + lambda * (0.1 - 0.2 + 0.15)) < 1e-4);
  mus_lattice_free(lattice);
  cells_free(&cells);
}

// A bar that is stretched along axis 0 has sides without traction if it becomes thinner by Poisson's ratio, and then
// its ends are pulled by Young's modulus. One end is held as it would be, at the other a traction pulls.
static void uniaxial_stretch_gives_both_moduli(void **state) {
  (void)state;
  const double ratios[] = {-0.3, 0, 0.2, 0.45, 0.499};
  for (size_t k = 0; k < sizeof ratios / sizeof *ratios; ++k) {
    const double strain = 0.01, nu = ratios[k], young = 3e4;
    const double gradient[9] = {strain, 0, 0, 0, -nu * strain, 0, 0, 0, -nu * strain};
    mus_cells cells = box_cells(10, 1);
    mus_lattice_material material = {.young = young, .poisson = nu};
    mus_lattice_record record;
    mus_lattice *lattice;
    assert_ok(mus_lattice_create(&cells, &material, NULL, &lattice));
    hold_affine(lattice, &cells, gradient);
    for (size_t n = 0; n < mus_cells_total(&cells); ++n)
      if (is_solid(lattice, n) && !is_solid(lattice, n + 1))
        mus_lattice_add_traction(lattice, n, 0, 1, (double[]){young * strain, 0, 0});
    assert_ok(mus_lattice_solve(lattice, 1e-11, 60, &record));
    assert_affine(lattice, &cells, gradient, 1e-5 * strain);
    mus_lattice_free(lattice);
    cells_free(&cells);
  }
}

// u = sin(pi (x + y / 2)) and the like, which is not free of divergence.
static double wave(int axis, const double x[3], double *second, double *slope) {
  const double pi = acos(-1), k[3][3] = {{1, 0.5, 0}, {0.3, 1, -0.6}, {-0.4, 0.7, 1}};
  double phase = pi * (k[axis][0] * x[0] + k[axis][1] * x[1] + k[axis][2] * x[2]) + axis;
  for (int b = 0; b < 3; ++b) {
    slope[b] = pi * k[axis][b] * cos(phase);
    for (int c = 0; c < 3; ++c)
      second[3 * b + c] = -pi * pi * k[axis][b] * k[axis][c] * sin(phase);
  }
  return sin(phase);
}

// -(mu Laplacian u + (mu + lambda) grad div u)
static double wave_load(int axis, const double x[3], double mu, double lambda) {
  double second[9], slope[3], load = 0;
  for (int b = 0; b < 3; ++b) {
    wave(b, x, second, slope);
    load -= (mu + lambda) * second[3 * axis + b];
    if (b == axis)
      load -= mu * (second[0] + second[4] + second[8]);
  }
  return load;
}

static double wave_error(int side, double nu) {
  mus_cells cells = box_cells(side, ALL_SIDES);
  mus_lattice_material material = {.young = 1, .poisson = nu};
  double mu = 1 / (2 + 2 * nu), lambda = nu / ((1 + nu) * (1 - 2 * nu)), volume = pow(cells.spacing, 3), error = 0;
  mus_lattice_record record;
  mus_lattice *lattice;
  assert_ok(mus_lattice_create(&cells, &material, NULL, &lattice));
  for (int pass = 0; pass < 2; ++pass) {
    for (int a = 0; a < 3; ++a)
      for (size_t n = 0; n < mus_cells_total(&cells); ++n) {
        double x[3], second[9], slope[3];
        variable_place(&cells, a, n, x);
        double exact = wave(a, x, second, slope);
        if (pass == 0) {
          mus_lattice_displacement(lattice, a)[n] = is_unknown(lattice, a, n) ? 0 : exact;
          mus_lattice_force(lattice, a)[n] = volume * wave_load(a, x, mu, lambda);
        } else if (is_unknown(lattice, a, n)) {
          error = fmax(error, fabs(mus_lattice_displacement(lattice, a)[n] - exact));
        }
      }
    if (pass == 0)
      assert_ok(mus_lattice_solve(lattice, 1e-9, 50, &record));
  }
  mus_lattice_free(lattice);
  cells_free(&cells);
  return error;
}

static void errors_inside_are_of_second_order(void **state) {
  (void)state;
  const double ratios[] = {0.2, 0.49};
  for (size_t k = 0; k < 2; ++k)
    assert_true(wave_error(8, ratios[k]) / wave_error(16, ratios[k]) > 3.4);
}

// A box on its lower side under its own weight: what holds it carries all of it, so that the mean stress on a level
// is the weight above; and pressures are -lambda div u where nothing is given by tractions.
static void pressures_are_those_of_divergences(void **state) {
  (void)state;
  mus_cells cells = box_cells(12, 16);
  mus_lattice_material material = {.young = 1e4, .poisson = 0.45};
  mus_lattice_record record;
  mus_lattice *lattice;
  assert_ok(mus_lattice_create(&cells, &material, NULL, &lattice));
  mus_lattice_add_weight(lattice, 1000, (double[]){0, 0, -9.81});
  assert_ok(mus_lattice_solve(lattice, 1e-10, 60, &record));
  const mus_lattice_domain *d = mus_lattice_get_domain(lattice);
  double lambda = 1e4 * 0.45 / (1.45 * 0.1), mu = 1e4 / 2.9, h = cells.spacing, carried = 0;
  const double *u = mus_lattice_displacement(lattice, 2);
  for (size_t n = 0; n < d->cells; ++n) {
    if (!is_solid(lattice, n))
      continue;
    double divergence = 0;
    for (int a = 0; a < 3; ++a)
      divergence +=
          (mus_lattice_displacement(lattice, a)[n + d->stride[a]] - mus_lattice_displacement(lattice, a)[n]) / h;
    assert_true(fabs(mus_lattice_pressure(lattice, n) + lambda * divergence) < 1e-4 * lambda * 0.01);
    if (!is_solid(lattice, n - d->stride[2]))
      carried -= h * h * (2 * mu * (u[n + d->stride[2]] - u[n]) / h - mus_lattice_pressure(lattice, n));
  }
  assert_true(fabs(carried - 9810 * (1 - h / 2)) < 1e-3); // all but the lower half of the lowest cells
  mus_lattice_free(lattice);
  cells_free(&cells);
}

// Conjugate gradients, which share nothing with cycles, find the same.
static void conjugate_gradients_agree(void **state) {
  (void)state;
  mus_cells cells = ball_cells(12);
  mus_lattice_material material = {.young = 1e4, .poisson = 0.4};
  mus_lattice_record record;
  mus_lattice *lattice[3];
  for (int k = 0; k < 3; ++k) {
    assert_ok(mus_lattice_create(&cells, &material, NULL, &lattice[k]));
    mus_lattice_add_weight(lattice[k], 1000, (double[]){0, 3, -9.81});
    if (k == 0)
      assert_ok(mus_lattice_solve(lattice[k], 1e-12, 60, &record));
    else
      assert_ok(mus_lattice_solve_cg(lattice[k], k - 1, 1e-12, 2000, &record));
  }
  double most = 0, apart = 0;
  for (size_t n = 0; n < mus_cells_total(&cells); ++n)
    for (int a = 0; a < 3; ++a)
      for (int k = 1; k < 3; ++k) {
        most = fmax(most, fabs(mus_lattice_displacement(lattice[0], a)[n]));
        apart =
            fmax(apart, fabs(mus_lattice_displacement(lattice[0], a)[n] - mus_lattice_displacement(lattice[k], a)[n]));
      }
  assert_true(most > 0 && apart < 1e-8 * most);
  for (int k = 0; k < 3; ++k)
    mus_lattice_free(lattice[k]);
  cells_free(&cells);
}

// Whether nothing happens where nothing acts.
static void nothing_acts_and_nothing_moves(void **state) {
  (void)state;
  mus_cells cells = box_cells(8, ENDS);
  mus_lattice_material material = {.young = 1e5, .poisson = 0.3};
  mus_lattice_record record;
  mus_lattice *lattice;
  assert_ok(mus_lattice_create(&cells, &material, NULL, &lattice));
  for (size_t n = 0; n < mus_cells_total(&cells); ++n)
    mus_lattice_displacement(lattice, 1)[n] = is_unknown(lattice, 1, n) ? 0.3 : 0;
  assert_ok(mus_lattice_solve(lattice, 1e-6, 10, &record));
  assert_int_equal(record.cycles, 0);
  for (int a = 0; a < 3; ++a)
    for (size_t n = 0; n < mus_cells_total(&cells); ++n)
      assert_true(mus_lattice_displacement(lattice, a)[n] == 0);
  mus_lattice_free(lattice);
  cells_free(&cells);
}

// A ball that is pulled, with threads and options as given; returns its displacements.
static double *pulled_ball(int threads, int directions, size_t *count) {
  mus_cells cells = ball_cells(14);
  mus_lattice_material material = {.young = 1e5, .poisson = 0.49};
  mus_lattice_options options = mus_lattice_default_options();
  mus_lattice_record record;
  mus_lattice *lattice;
  int before = mus_par_set_threads(threads);
  options.directions = directions;
  assert_ok(mus_lattice_create(&cells, &material, &options, &lattice));
  *count = mus_cells_total(&cells);
  for (size_t n = 0; n < *count; ++n)
    if (n % (size_t)cells.count[0] > (size_t)cells.count[0] / 2)
      mus_lattice_displacement(lattice, 0)[n] = 0.1;
  assert_ok(mus_lattice_solve(lattice, 1e-8, 60, &record));
  double *copy = malloc(*count * sizeof *copy);
  assert_non_null(copy);
  memcpy(copy, mus_lattice_displacement(lattice, 0), *count * sizeof *copy);
  mus_par_set_threads(before);
  mus_lattice_free(lattice);
  cells_free(&cells);
  return copy;
}

static void threads_change_no_bit(void **state) {
  (void)state;
  for (int directions = 0; directions <= 2; directions += 2) {
    size_t count;
    double *one = pulled_ball(1, directions, &count);
    for (int threads = 2; threads <= 3; ++threads) {
      double *more = pulled_ball(threads, directions, &count);
      assert_memory_equal(one, more, count * sizeof *one);
      free(more);
    }
    free(one);
  }
}

static mus_status make_and_solve(mus_arena *arena, void *data) {
  mus_lattice_material material = {.young = 1e5, .poisson = 0.3};
  mus_lattice_record record;
  mus_lattice *lattice;
  (void)arena;
  mus_status status = mus_lattice_create(data, &material, NULL, &lattice);
  if (status)
    return status;
  mus_lattice_add_weight(lattice, 1000, (double[]){0, -10, 0});
  status = mus_lattice_solve(lattice, 1e-3, 20, &record);
  mus_lattice_free(lattice);
  return status;
}

static void failing_allocations_are_reported(void **state) {
  (void)state;
  mus_cells cells = ball_cells(12);
  mus_arena arena = {0};
  assert_true(sweep_allocations(&arena, make_and_solve, &cells) > 10);
  mus_arena_clear(&arena);
  cells_free(&cells);
}

static void bad_input_is_rejected(void **state) {
  (void)state;
  mus_cells cells = box_cells(6, ENDS);
  mus_lattice_record record;
  mus_lattice *lattice;
  const mus_lattice_material bad[] = {{.young = 0, .poisson = 0.3},
                                      {.young = 1, .poisson = 0.5},
                                      {.young = 1, .poisson = -1},
                                      {.young = NAN, .poisson = 0},
                                      {.young = 1, .poisson = 0.3, .inertia = -1}};
  const char *why[] = {"Young's modulus", "Poisson's ratio", "Poisson's ratio", "Young's modulus", "inertia"};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
    assert_fails(mus_lattice_create(&cells, &bad[k], NULL, &lattice), MUS_BAD_INPUT, why[k]);
  mus_lattice_material good = {.young = 1, .poisson = 0.3};
  assert_ok(mus_lattice_create(&cells, &good, NULL, &lattice));
  mus_lattice_force(lattice, 0)[mus_cells_number(&cells, 6, 6, 6)] = 1;
  assert_fails(mus_lattice_solve(lattice, 1e-9, 1, &record), MUS_NOT_CONVERGED, "1 cycles");
  mus_lattice_force(lattice, 0)[mus_cells_number(&cells, 6, 6, 6)] = NAN;
  assert_fails(mus_lattice_solve(lattice, 1e-9, 1, &record), MUS_BAD_INPUT, "not finite");
  mus_lattice_free(lattice);
  cells.kind[mus_cells_number(&cells, 1, 5, 5)] = MUS_CELL_INTERIOR;
  assert_fails(mus_lattice_create(&cells, &good, NULL, &lattice), MUS_BAD_INPUT, "must be exterior");
  cells_free(&cells);
  cells = box_cells(6, 0);
  assert_fails(mus_lattice_create(&cells, &good, NULL, &lattice), MUS_BAD_INPUT, "no Dirichlet cell");
  for (int j = 0; j < cells.count[1]; ++j) // two halves, one of them held
    for (int k = 0; k < cells.count[2]; ++k) {
      cells.kind[mus_cells_number(&cells, 5, j, k)] = MUS_CELL_EXTERIOR;
      if (cells.kind[mus_cells_number(&cells, 3, j, k)] == MUS_CELL_INTERIOR)
        cells.kind[mus_cells_number(&cells, 3, j, k)] = MUS_CELL_DIRICHLET;
    }
  assert_fails(mus_lattice_create(&cells, &good, NULL, &lattice), MUS_BAD_INPUT, "108 of 144 interior cells");
  memset(cells.kind, 0, mus_cells_total(&cells));
  assert_fails(mus_lattice_create(&cells, &good, NULL, &lattice), MUS_BAD_INPUT, "no two interior cells");
  cells_free(&cells);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(affine_displacements_are_reproduced),
      cmocka_unit_test(uniaxial_stretch_gives_both_moduli),
      cmocka_unit_test(errors_inside_are_of_second_order),
      cmocka_unit_test(pressures_are_those_of_divergences),
      cmocka_unit_test(conjugate_gradients_agree),
      cmocka_unit_test(nothing_acts_and_nothing_moves),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(failing_allocations_are_reported),
      cmocka_unit_test(bad_input_is_rejected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
