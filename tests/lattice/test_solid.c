// Solids that move: steps against what is known of implicit Euler, contact against springs, and what a step leaves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lattice/solid.h"
#include "support/check.h"
#include "support/lattices.h"

// A cube of side^3 cells, 1 m wide, whose surface has a point at each corner of the cells on it.
typedef struct cube {
  mus_cells cells;
  int points;
  double *position;
  mus_lattice_solid *solid;
} cube;

static cube cube_create(int side, int held, const mus_lattice_solid_settings *settings) {
  cube c = {.cells = box_cells(side, held)};
  int nodes = side + 1;
  c.position = malloc(3 * (size_t)(nodes * nodes * nodes) * sizeof *c.position);
  assert_non_null(c.position);
  for (int n = 0; n < nodes * nodes * nodes; ++n) {
    int at[3] = {n % nodes, n / nodes % nodes, n / nodes / nodes}, is_outside = 0;
    for (int a = 0; a < 3; ++a)
      is_outside |= at[a] == 0 || at[a] == side;
    for (int a = 0; a < 3 && is_outside; ++a)
      c.position[3 * c.points + a] = (double)at[a] / side;
    c.points += is_outside;
  }
  mus_lattice_surface surface = {.points = c.points, .position = c.position, .order = MUS_EMBED_CUBIC};
  assert_ok(mus_lattice_solid_create(&c.cells, NULL, settings, &surface, &c.solid));
  return c;
}

static void cube_free(cube *c) {
  mus_lattice_solid_free(c->solid);
  cells_free(&c->cells);
  free(c->position);
}

// u_n = g h^2 n (n + 1) / 2
static void falls_as_implicit_euler_does(void **state) {
  (void)state;
  mus_lattice_solid_settings settings = mus_lattice_solid_default_settings();
  cube c = cube_create(5, 0, &settings);
  double *now = malloc(3 * (size_t)c.points * sizeof *now);
  assert_non_null(now);
  mus_lattice_step step = {.seconds = 1.0 / 24, .gravity = {1, -9.81, 3}};
  for (int n = 1; n <= 5; ++n) {
    mus_lattice_step_record record;
    assert_ok(mus_lattice_solid_step(c.solid, &step, &record));
    assert_true(fabs(record.volume - 1) < 1e-12);
    mus_lattice_solid_positions(c.solid, now);
    for (int k = 0; k < 3 * c.points; ++k) {
      double fallen = step.gravity[k % 3] * step.seconds * step.seconds * n * (n + 1) / 2;
      assert_true(fabs(now[k] - c.position[k] - fallen) < 1e-12);
    }
  }
  free(now);
  cube_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(falls_as_implicit_euler_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
