#include "support/beams.h"

#include <math.h>
#include <stdlib.h>

#include "lattice/corotational.h"
#include "lattice/rotations.h"
#include "support/lattices.h"

enum { PAD = MUS_CELLS_MARGIN + 1 };

mus_cells beam_cells(int along, int across) {
  double h = 1.0 / across;
  mus_cells cells = {
      {along + 2 * PAD, across + 2 * PAD, across + 2 * PAD}, {-PAD * h, -0.5 - PAD * h, -0.5 - PAD * h}, h, NULL};
  cells.kind = calloc(mus_cells_total(&cells), 1);
  if (!cells.kind)
    abort();
  for (int k = 0; k < across; ++k)
    for (int j = 0; j < across; ++j)
      for (int i = -1; i <= along; ++i)
        cells.kind[mus_cells_number(&cells, i + PAD, j + PAD, k + PAD)] =
            i < 0 || i == along ? MUS_CELL_DIRICHLET : MUS_CELL_INTERIOR;
  return cells;
}

void beam_turn_end(mus_lattice *lattice, const mus_cells *cells, beam_turn turn, double angle) {
  const mus_lattice_domain *d = mus_lattice_get_domain(lattice);
  double length = cells->spacing * (cells->count[0] - 2 * PAD), c = cos(angle), s = sin(angle);
  for (int a = 0; a < 3; ++a)
    for (size_t n = 0; n < d->cells; ++n) {
      double x[3], along, radius = length / angle;
      variable_place(cells, a, n, x);
      if (!mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_HELD << a) || x[0] < length / 2)
        continue;
      along = x[0] - length;
      double bent[3] = {(radius - x[1]) * s + along * c, radius - (radius - x[1]) * c + along * s, x[2]};
      double twisted[3] = {x[0], c * x[1] - s * x[2], s * x[1] + c * x[2]};
      mus_lattice_displacement(lattice, a)[n] = (turn == BEAM_BENT ? bent[a] : twisted[a]) - x[a];
    }
}

double beam_volume(mus_lattice *lattice, double *least) {
  const mus_turned_level *t = &lattice->corotational->solved;
  double sum = 0;
  *least = INFINITY;
  for (size_t k = 0; k < lattice->domain->solid; ++k) {
    double r[9], c[9], f[9];
    mus_rotations_get(t, (size_t)t->cell[k], r, c);
    mus_rotations_gradient(t, (size_t)t->cell[k], lattice->spacing, r, c, f);
    double volume = mus_rotations_cofactors(f, c);
    sum += volume;
    *least = fmin(*least, volume);
  }
  return sum / (double)lattice->domain->solid;
}
