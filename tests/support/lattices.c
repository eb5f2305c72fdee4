#include "support/lattices.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

enum { PAD = MUS_CELLS_MARGIN + 1 };

static mus_cells empty_cells(int side) {
  int count = side + 2 * PAD;
  double h = 1.0 / side;
  mus_cells cells = {{count, count, count}, {-PAD * h, -PAD * h, -PAD * h}, h, NULL};
  cells.kind = calloc(mus_cells_total(&cells), 1);
  if (!cells.kind)
    abort();
  return cells;
}

mus_cells box_cells(int side, int held) {
  mus_cells cells = empty_cells(side);
  for (int k = -1; k <= side; ++k)
    for (int j = -1; j <= side; ++j)
      for (int i = -1; i <= side; ++i) {
        int at[3] = {i, j, k}, kind = MUS_CELL_INTERIOR;
        for (int a = 0; a < 3; ++a)
          if (at[a] < 0 || at[a] >= side) {
            int is_held = held >> (2 * a + (at[a] >= side)) & 1;
            kind = is_held ? MUS_CELL_DIRICHLET : kind == MUS_CELL_DIRICHLET ? kind : MUS_CELL_EXTERIOR;
          }
        cells.kind[mus_cells_number(&cells, i + PAD, j + PAD, k + PAD)] = (unsigned char)kind;
      }
  return cells;
}

mus_cells random_cells(int side, uint64_t seed) {
  mus_cells cells = empty_cells(side);
  for (int k = 0; k < side; ++k)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) {
        double draw = mus_random(seed, (uint64_t)((k * side + j) * side + i));
        cells.kind[mus_cells_number(&cells, i + PAD, j + PAD, k + PAD)] = draw < 0.5    ? MUS_CELL_INTERIOR
                                                                          : draw < 0.75 ? MUS_CELL_EXTERIOR
                                                                                        : MUS_CELL_DIRICHLET;
      }
  return cells;
}

mus_cells ball_cells(int side) {
  mus_cells cells = empty_cells(side);
  for (size_t cell = 0; cell < mus_cells_total(&cells); ++cell) {
    double x[3];
    variable_place(&cells, 3, cell, x);
    double radius = sqrt(pow(x[0] - 0.5, 2) + pow(x[1] - 0.5, 2) + pow(x[2] - 0.5, 2));
    if (radius < 0.5)
      cells.kind[cell] = fabs(x[0] - 0.5) > 0.45 ? MUS_CELL_DIRICHLET : MUS_CELL_INTERIOR;
  }
  return cells;
}

void cells_free(mus_cells *cells) {
  free(cells->kind);
  cells->kind = NULL;
}

void variable_place(const mus_cells *cells, int field, size_t cell, double x[3]) {
  for (int a = 0; a < 3; ++a) {
    size_t at = cell % (size_t)cells->count[a];
    cell /= (size_t)cells->count[a];
    x[a] = cells->low[a] + cells->spacing * ((double)at + (a == field ? 0 : 0.5));
  }
}
