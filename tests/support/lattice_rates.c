#include "support/lattice_rates.h"

#include <stdlib.h>

#include "base/random.h"
#include "lattice/lattice.h"
#include "support/lattices.h"

double box_rate(int side, int held, double poisson, double inertia, int visits) {
  mus_cells cells = box_cells(side, held);
  mus_lattice_material material = {.young = 1e4, .poisson = poisson, .inertia = inertia};
  mus_lattice_options options = mus_lattice_default_options();
  mus_lattice_record record;
  mus_lattice *lattice;
  options.directions = 0;
  options.visits = visits;
  if (mus_lattice_create(&cells, &material, &options, &lattice))
    abort();
  for (int a = 0; a < 3; ++a)
    for (size_t n = 0; n < mus_cells_total(&cells); ++n)
      mus_lattice_displacement(lattice, a)[n] = mus_random(9, 3 * n + (size_t)a);
  if (mus_lattice_solve(lattice, 1e-8, 24, &record))
    abort();
  mus_lattice_free(lattice);
  cells_free(&cells);
  return record.rate;
}

double ball_residual(int side, double poisson, int cycles) {
  mus_cells cells = ball_cells(side);
  mus_lattice_material material = {.young = 1e4, .poisson = poisson};
  mus_lattice_record record;
  mus_lattice *lattice;
  if (mus_lattice_create(&cells, &material, NULL, &lattice))
    abort();
  for (size_t n = 0; n < mus_cells_total(&cells); ++n)
    if (n % (size_t)cells.count[0] > (size_t)cells.count[0] / 2)
      mus_lattice_displacement(lattice, 1)[n] = 0.1;
  if (mus_lattice_solve(lattice, 1e-14, cycles, &record) != MUS_NOT_CONVERGED)
    abort();
  double residual = record.residuals[cycles] / record.residuals[0];
  mus_lattice_free(lattice);
  cells_free(&cells);
  return residual;
}
