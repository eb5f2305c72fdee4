// See touched_cells.h. Coordinates are in cells, from the lattice's low corner.
#include "fill/touched_cells.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/vector3.h"
#include "par/par.h"

enum { DIRECTIONS = 13 };
// How far cells reach beyond their size.
static const double reach_of[] = {[MUS_BORDER_OUT] = -1e-6, [MUS_BORDER_IN] = 1e-6};

// Middles of cells that no direction separates from a triangle lie between two planes for each direction.
typedef struct slabs {
  double direction[DIRECTIONS][3], low[DIRECTIONS], high[DIRECTIONS];
} slabs;

static void find_corners(const mus_cells *cells, const mus_mesh *mesh, int triangle, double corner[3][3]) {
  for (int k = 0; k < 3; ++k)
    for (int a = 0; a < 3; ++a)
      corner[k][a] =
          (mesh->position[3 * (size_t)mesh->triangle[3 * (size_t)triangle + (size_t)k] + (size_t)a] - cells->low[a]) /
          cells->spacing;
}

// The cells along an axis that a range reaches into, within the lattice; none where the first is above the last.
static void find_range(const mus_cells *cells, const double corner[3][3], int axis, double reach, int range[2]) {
  double low = fmin(corner[0][axis], fmin(corner[1][axis], corner[2][axis]));
  double high = fmax(corner[0][axis], fmax(corner[1][axis], corner[2][axis]));
  range[0] = (int)fmin(fmax(floor(low - reach), 0), cells->count[axis]);
  range[1] = (int)fmax(fmin(ceil(high + reach) - 1, cells->count[axis] - 1), -1);
}

static void find_slab(const double corner[3][3], const double direction[3], double half, slabs *s, int number) {
  double low = INFINITY, high = -INFINITY, reach = 0;
  for (int k = 0; k < 3; ++k) {
    double along = mus_dot3(direction, corner[k]);
    low = fmin(low, along);
    high = fmax(high, along);
    reach += half * fabs(direction[k]);
    s->direction[number][k] = direction[k];
  }
  s->low[number] = low - reach;
  s->high[number] = high + reach;
}

static void find_slabs(const double corner[3][3], double half, slabs *s) {
  static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double side[3][3], direction[3];
  for (int k = 0; k < 3; ++k) {
    mus_subtract3(corner[(k + 1) % 3], corner[k], side[k]);
    find_slab(corner, axis[k], half, s, k);
  }
  mus_cross3(side[0], side[1], direction);
  find_slab(corner, direction, half, s, 3);
  for (int k = 0; k < 9; ++k) {
    mus_cross3(side[k / 3], axis[k % 3], direction);
    find_slab(corner, direction, half, s, 4 + k);
  }
}

static void touch_row(const slabs *s, const int columns[2], int j, int k, unsigned char *row) {
  double first = columns[0], last = columns[1];
  for (int d = 0; d < DIRECTIONS; ++d) {
    double along = s->direction[d][0], rest = s->direction[d][1] * (j + 0.5) + s->direction[d][2] * (k + 0.5);
    if (along == 0) {
      if (rest < s->low[d] || rest > s->high[d])
        return;
      continue;
    }
    double a = (s->low[d] - rest) / along - 0.5, b = (s->high[d] - rest) / along - 0.5;
    first = fmax(first, ceil(fmin(a, b)));
    last = fmin(last, floor(fmax(a, b)));
  }
  if (first <= last)
    memset(row + (int)first, 1, (size_t)(last - first) + 1);
}

static void touch_layer(const mus_cells *cells, const mus_mesh *mesh, int triangle, int layer, double reach,
                        unsigned char *touched) {
  double corner[3][3];
  int columns[2], rows[2];
  slabs s;
  find_corners(cells, mesh, triangle, corner);
  find_range(cells, (const double(*)[3])corner, 0, reach, columns);
  find_range(cells, (const double(*)[3])corner, 1, reach, rows);
  if (columns[0] > columns[1] || rows[0] > rows[1])
    return;
  find_slabs((const double(*)[3])corner, 0.5 + reach, &s);
  for (int j = rows[0]; j <= rows[1]; ++j)
    touch_row(&s, columns, j, layer, touched + mus_cells_number(cells, 0, j, layer));
}

// Triangles by layer, so that each layer is written by one thread: those of layer k from start[k] to start[k + 1].
typedef struct layers {
  size_t *start;
  int *triangle;
} layers;

static mus_status sort_into_layers(mus_arena *scratch, const mus_cells *cells, const mus_mesh *mesh, double reach,
                                   layers *out) {
  size_t count = (size_t)cells->count[2];
  int(*range)[2] = mus_arena_alloc(scratch, (size_t)mesh->triangles, sizeof *range);
  out->start = mus_arena_alloc_zero(scratch, count + 2, sizeof *out->start);
  if (!range || !out->start)
    return mus_fail_memory();
  for (int t = 0; t < mesh->triangles; ++t) {
    double corner[3][3];
    find_corners(cells, mesh, t, corner);
    find_range(cells, (const double(*)[3])corner, 2, reach, range[t]);
    for (int k = range[t][0]; k <= range[t][1]; ++k)
      ++out->start[k + 2];
  }
  for (size_t k = 2; k < count + 2; ++k)
    out->start[k] += out->start[k - 1];
  out->triangle = mus_arena_alloc(scratch, out->start[count + 1], sizeof *out->triangle);
  if (!out->triangle)
    return mus_fail_memory();
  for (int t = 0; t < mesh->triangles; ++t)
    for (int k = range[t][0]; k <= range[t][1]; ++k)
      out->triangle[out->start[k + 1]++] = t;
  return MUS_OK;
}

mus_status mus_touched_cells(const mus_cells *cells, const mus_mesh *mesh, mus_cell_border border,
                             unsigned char *touched) {
  mus_arena scratch = {0};
  layers sorted;
  mus_status status = sort_into_layers(&scratch, cells, mesh, reach_of[border], &sorted);
  mus_stop_request *stop = mus_stop_current();
  MUS_PARALLEL
  MUS_SHARE_RUNS
  for (int k = 0; k < (status ? 0 : cells->count[2]); ++k)
    for (size_t i = sorted.start[k]; i < sorted.start[k + 1] && !mus_stop_is_asked(stop); ++i)
      touch_layer(cells, mesh, sorted.triangle[i], k, reach_of[border], touched);
  mus_arena_clear(&scratch);
  return status ? status : mus_stop_check();
}
