// See centred.h.
#include "fill/centred.h"

#include <math.h>

#include "base/error.h"
#include "base/stop.h"
#include "par/par.h"

enum { MOST_POINTS = 1 << 27 }; // of both grids

void mus_centred_cell(const mus_centred *lattice, int point, int cell[3]) {
  int rest = point % lattice->points;
  cell[0] = rest % lattice->count[0];
  cell[1] = rest / lattice->count[0] % lattice->count[1];
  cell[2] = rest / lattice->count[0] / lattice->count[1];
}

void mus_centred_position(const mus_centred *lattice, int point, double p[3]) {
  int cell[3];
  double shift = point < lattice->points ? 0 : 0.5;
  mus_centred_cell(lattice, point, cell);
  for (int k = 0; k < 3; ++k)
    p[k] = lattice->low[k] + lattice->spacing * (cell[k] + shift);
}

int mus_centred_neighbour(const mus_centred *lattice, int point, int edge) {
  int cell[3], grid = point < lattice->points ? 0 : 1;
  mus_centred_cell(lattice, point, cell);
  if (mus_centred_is_long(edge)) {
    cell[edge / 2] += edge & 1 ? 1 : -1;
  } else {
    for (int k = 0; k < 3; ++k)
      cell[k] += ((edge - 6) >> k & 1) - (grid == 0);
    grid = 1 - grid;
  }
  for (int k = 0; k < 3; ++k)
    if (cell[k] < 0 || cell[k] >= lattice->count[k])
      return -1;
  return grid * lattice->points + (cell[2] * lattice->count[1] + cell[1]) * lattice->count[0] + cell[0];
}

static mus_status span(const mus_shape *shape, double spacing, mus_centred *lattice) {
  double points = 2;
  if (!(spacing > 0) || !isfinite(spacing))
    return mus_fail(MUS_BAD_INPUT, "edges of %g m: give a positive length", spacing);
  lattice->spacing = spacing;
  for (int k = 0; k < 3; ++k) {
    double size = shape->high[k] - shape->low[k];
    if (!(size >= 0) || !isfinite(size))
      return mus_fail(MUS_BAD_INPUT, "the shape has no finite size: check its coordinates");
    double count = ceil(size / spacing + 2.5) + 1;
    points *= count;
    if (!(points <= MOST_POINTS))
      return mus_fail(
          MUS_BAD_INPUT,
          "edges of %g m are too short for a shape of %g x %g x %g m, since its lattice would have more than "
          "%d points: choose longer ones",
          spacing, shape->high[0] - shape->low[0], shape->high[1] - shape->low[1], shape->high[2] - shape->low[2],
          MOST_POINTS);
    lattice->count[k] = (int)count;
    // Symmetric around the middle of the box, so that both ends are cut alike.
    lattice->low[k] = 0.5 * (shape->low[k] + shape->high[k]) - 0.5 * spacing * (count - 0.5);
  }
  lattice->points = lattice->count[0] * lattice->count[1] * lattice->count[2];
  return MUS_OK;
}

// Points so far from the surface that none of their edges is cut need no value of their own, only its sign.
static void sample_row(const mus_shape *shape, const mus_centred *lattice, int first) {
  for (int i = 0; i < lattice->count[0];) {
    double p[3];
    mus_centred_position(lattice, first + i, p);
    double d = shape->distance(shape->data, p);
    int same = shape->slope > 0 ? (int)fmin(fabs(d) / (shape->slope * lattice->spacing) - 1, lattice->count[0]) : 1;
    for (int n = 0; n < (same < 1 ? 1 : same) && i < lattice->count[0]; ++n, ++i)
      lattice->value[first + i] = isnan(d) ? 1 : d;
  }
}

static void keep_rim_outside(const mus_centred *lattice) {
  for (int point = 0; point < 2 * lattice->points; ++point) {
    int cell[3];
    mus_centred_cell(lattice, point, cell);
    for (int k = 0; k < 3; ++k)
      if ((cell[k] == 0 || cell[k] == lattice->count[k] - 1) && !(lattice->value[point] > 0))
        lattice->value[point] = lattice->spacing;
  }
}

mus_status mus_centred_create(mus_arena *scratch, const mus_shape *shape, double spacing, mus_centred *out) {
  mus_centred lattice;
  mus_status status = span(shape, spacing, &lattice);
  if (status)
    return status;
  lattice.value = mus_arena_alloc(scratch, 2 * (size_t)lattice.points, sizeof *lattice.value);
  if (!lattice.value)
    return mus_fail_memory();
  int rows = lattice.count[1], layers = 2 * lattice.count[2];
  for (int layer = 0; layer < layers && !status; ++layer) {
    MUS_PARALLEL
    MUS_SHARE_RUNS
    for (int row = 0; row < rows; ++row)
      sample_row(shape, &lattice, (layer * rows + row) * lattice.count[0]);
    status = mus_stop_check();
  }
  keep_rim_outside(&lattice);
  *out = lattice;
  return status;
}
