// Beams on lattices that turn far: against tetrahedra of the same material, twisted by a whole turn, and the rates of
// cycles.
#include "energy/solid_body.h"

#include "lattice/corotational.h"
#include "support/beams.h"
#include "support/check.h"
#include "support/lattices.h"

static const double pi = 3.14159265358979323846;
static const double young = 1e6, poisson = 0.3, length = 5, weight = 1100 * 25; // Pa, -, m, N

// Newton's method for a body of tetrahedra, with the load in parts.
static void bend_tetrahedra(body *b, const double *load, int parts) {
  size_t n = 3 * (size_t)b->mesh.vertices;
  double *change = calloc(n, sizeof *change), *right = calloc(n, sizeof *right);
  mus_solver *solver = body_solver(b, 1e-8);
  for (int step = 1; step <= parts + 5; ++step) {
    mus_scatter_run(b->scatter, evaluate, b, &b->a, b->gradient);
    for (size_t k = 0; k < n; ++k) {
      right[k] = load[k] * fmin(1, (double)step / parts) - b->gradient[k];
      change[k] = 0;
    }
    assert_int_equal(mus_solver_set_values(solver, b->a.value), MUS_OK);
    assert_int_equal(mus_solver_set_constraints(solver, b->constraints, b->constraint), MUS_OK);
    assert_int_equal(mus_solver_solve(solver, right, change), MUS_OK);
    for (size_t k = 0; k < n; ++k)
      b->position[k] += change[k];
  }
  double last = 0, most = 0;
  for (size_t k = 0; k < n; ++k) {
    last = fmax(last, fabs(change[k]));
    most = fmax(most, fabs(b->position[k] - b->mesh.position[k]));
  }
  assert_true(last < 1e-3 * most);
  mus_solver_free(solver);
  free(change), free(right);
}

// How far the end of a cantilever of 1 m x 1 m comes down under its weight, and by which angle it turns.
static void tetrahedra_droop(int cells, double *droop, double *angle) {
  body b;
  double ends[2][2] = {{0}};
  int count[2] = {0};
  body_create((const double[]){length, 1, 1}, (const int[]){(int)length * cells, cells, cells}, 0, &mus_corotated_kind,
              young, poisson, &b);
  double *mass = numbers(&b, (size_t)b.mesh.vertices), *load = numbers(&b, 3 * (size_t)b.mesh.vertices);
  mus_tetrahedra_masses(&b.mesh, weight / length, mass);
  for (int i = 0; i < b.mesh.vertices; ++i) {
    load[3 * i + 1] = -mass[i];
    if (at_end(&b, i, -length / 2))
      hold(&b, i, 7);
  }
  bend_tetrahedra(&b, load, 30);
  for (int i = 0; i < b.mesh.vertices; ++i) {
    const double *x = b.mesh.position + 3 * i;
    if (!at_end(&b, i, length / 2) || fabs(x[1]) < 0.49)
      continue;
    int upper = x[1] > 0;
    ++count[upper];
    for (int k = 0; k < 2; ++k)
      ends[upper][k] += b.position[3 * i + k];
  }
  double across[2], middle = 0;
  for (int k = 0; k < 2; ++k)
    across[k] = ends[1][k] / count[1] - ends[0][k] / count[0];
  middle = (ends[1][1] / count[1] + ends[0][1] / count[0]) / 2;
  *droop = -middle;
  *angle = atan2(across[0], across[1]) * 180 / pi;
  mus_arena_clear(&b.arena);
}

// The same of the lattice, from the last two layers of cells.
static void lattice_droop(int cells, double *droop, double *angle) {
  mus_cells at = beam_cells((int)length * cells, cells);
  mus_lattice_material material = {.young = young, .poisson = poisson};
  mus_lattice_record record;
  mus_lattice *lattice;
  double layer[2] = {0}, turned = 0;
  int last = (int)length * cells + MUS_CELLS_MARGIN; // the number of the last layer
  for (size_t n = 0; n < mus_cells_total(&at); ++n)
    if ((int)(n % (size_t)at.count[0]) == last + 1)
      at.kind[n] = MUS_CELL_EXTERIOR;
  assert_ok(mus_lattice_create(&at, &material, NULL, &lattice));
  for (int step = 1; step <= 6; ++step) {
    mus_lattice_add_weight(lattice, weight / length / 6, (const double[]){0, -1, 0});
    assert_ok(mus_lattice_solve_corotational(lattice, 1e-5, 300, &record));
  }
  for (int back = 0; back < 2; ++back)
    for (int j = 0; j < cells; ++j)
      for (int k = 0; k < cells; ++k) {
        size_t n = mus_cells_number(&at, last - back, j + 3, k + 3);
        const double *u = mus_lattice_displacement(lattice, 1);
        double r[9];
        mus_lattice_get_rotation(lattice, n, r);
        layer[back] += (u[n] + u[n + (size_t)at.count[0]]) / (2 * cells * cells);
        turned += back == 0 ? atan2(r[1], r[0]) / (cells * cells) : 0;
      }
  *droop = -(1.5 * layer[0] - 0.5 * layer[1]);
  *angle = turned * 180 / pi;
  mus_lattice_free(lattice);
  cells_free(&at);
}

// With 4 and 6 cells across, of which one is too stiff and the other too soft, and in the limit, for errors of second
// order (Richardson).
static void beams_droop_like_tetrahedra(void **state) {
  (void)state;
  double lattice[2], tetrahedra[2], turned, angle;
  for (int k = 0; k < 2; ++k) {
    tetrahedra_droop(4 + 2 * k, &tetrahedra[k], &angle);
    lattice_droop(4 + 2 * k, &lattice[k], &turned);
    print_message("%d cells across: tetrahedra %.4f m, %.1f degrees; lattice %.4f m, %.1f degrees\n", 4 + 2 * k,
                  tetrahedra[k], angle, lattice[k], turned);
  }
  double limit = (36 * lattice[1] - 16 * lattice[0]) / 20, other = (36 * tetrahedra[1] - 16 * tetrahedra[0]) / 20;
  print_message("in the limit %.4f and %.4f m\n", other, limit);
  assert_true(angle > 50);
  assert_true(fabs(lattice[1] / tetrahedra[1] - 1) < 0.05);
  assert_true(fabs(limit / other - 1) < 0.03);
}

// With residuals of each part of the turn.
static void turn_beam(beam_turn turn, int along, int across, double angle, int parts, double ratio) {
  mus_cells cells = beam_cells(along, across);
  mus_lattice_material material = {.young = 1e5, .poisson = ratio};
  mus_lattice_record record;
  mus_lattice *lattice;
  double least;
  assert_ok(mus_lattice_create(&cells, &material, NULL, &lattice));
  for (int part = 1; part <= parts; ++part) {
    beam_turn_end(lattice, &cells, turn, angle * part / parts);
    assert_ok(mus_lattice_solve_corotational(lattice, 1e-4, 300, &record));
    double volume = beam_volume(lattice, &least);
    print_message("nu %g, %3.0f degrees: %d cycles, rate %.2f, volume %.4f\n", ratio, angle * part / parts * 180 / pi,
                  record.cycles, record.rate, volume);
    assert_true(least > 0);
  }
  mus_lattice_free(lattice);
  cells_free(&cells);
}

static void beams_twist_by_a_turn(void **state) {
  (void)state;
  turn_beam(BEAM_TWISTED, 32, 8, 2 * pi, 8, 0.3);
  turn_beam(BEAM_TWISTED, 32, 8, 2 * pi, 8, 0.49);
}

static void beams_bend_by_half_a_turn(void **state) {
  (void)state;
  turn_beam(BEAM_BENT, 32, 8, pi, 4, 0.3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beams_bend_by_half_a_turn),
      cmocka_unit_test(beams_twist_by_a_turn),
      cmocka_unit_test(beams_droop_like_tetrahedra),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
