// See held_cells.h.
#include "fill/held_cells.h"

#include <math.h>

#include "base/error.h"
#include "base/vector3.h"
#include "fill/body_cells.h"
#include "fill/solid_parts.h"
#include "fill/touched_cells.h"

static const double touch = 1e-6; // of a cell: less is not overlapping, as for triangles

static int can_be_held(const mus_held_cells *to, size_t cell) { return to->cells->kind[cell] != MUS_CELL_EXTERIOR; }

static void hold(const mus_held_cells *to, int region, size_t cell) {
  to->cells->kind[cell] = MUS_CELL_DIRICHLET;
  to->region[cell] = (unsigned short)(region + 1);
}

// The cells along an axis between two places; none where the first is above the last.
static void find_range(const mus_cells *cells, int axis, double low, double high, int range[2]) {
  double first = floor((low - cells->low[axis]) / cells->spacing + touch);
  double last = ceil((high - cells->low[axis]) / cells->spacing - touch) - 1;
  range[0] = (int)fmin(fmax(first, 0), cells->count[axis]);
  range[1] = (int)fmax(fmin(last, cells->count[axis] - 1), -1);
}

// The square of the distance between a point and a cell.
static double away_from(const mus_cells *cells, const int cell[3], const double p[3]) {
  double square = 0;
  for (int a = 0; a < 3; ++a) {
    double low = cells->low[a] + cells->spacing * cell[a], high = low + cells->spacing;
    double beyond = fmax(fmax(low - p[a], p[a] - high), 0);
    square += beyond * beyond;
  }
  return square;
}

// Those in a box, and in a ball if there is one.
static size_t hold_between(const mus_held_cells *to, int region, const double low[3], const double high[3],
                           const double *centre, double radius) {
  int range[3][2], cell[3];
  size_t held = 0;
  for (int a = 0; a < 3; ++a)
    find_range(to->cells, a, low[a], high[a], range[a]);
  for (cell[2] = range[2][0]; cell[2] <= range[2][1]; ++cell[2])
    for (cell[1] = range[1][0]; cell[1] <= range[1][1]; ++cell[1])
      for (cell[0] = range[0][0]; cell[0] <= range[0][1]; ++cell[0]) {
        size_t number = mus_cells_number(to->cells, cell[0], cell[1], cell[2]);
        if (can_be_held(to, number) && (!centre || away_from(to->cells, cell, centre) < radius * radius)) {
          hold(to, region, number);
          ++held;
        }
      }
  return held;
}

size_t mus_hold_box(const mus_held_cells *to, int region, const double low[3], const double high[3]) {
  return hold_between(to, region, low, high, NULL, 0);
}

size_t mus_hold_ball(const mus_held_cells *to, int region, const double centre[3], double radius) {
  double low[3], high[3];
  for (int a = 0; a < 3; ++a) {
    low[a] = centre[a] - radius;
    high[a] = centre[a] + radius;
  }
  return hold_between(to, region, low, high, centre, radius);
}

// The square of the distance between a point and a segment.
static double away_from_segment(const mus_held_segment *s, const double p[3]) {
  double along[3], to[3];
  mus_subtract3(s->to, s->from, along);
  mus_subtract3(p, s->from, to);
  double square = mus_dot3(along, along), part = square > 0 ? mus_dot3(to, along) / square : 0;
  mus_add_scaled3(-fmin(fmax(part, 0), 1), along, to);
  return mus_dot3(to, to);
}

size_t mus_hold_segments(const mus_held_cells *to, int count, const mus_held_segment *segments, double radius) {
  const mus_cells *cells = to->cells;
  double reach = radius + cells->spacing / 2;
  size_t held = 0;
  for (int k = 0; k < cells->count[2]; ++k)
    for (int j = 0; j < cells->count[1]; ++j)
      for (int i = 0; i < cells->count[0]; ++i) {
        size_t number = mus_cells_number(cells, i, j, k);
        const int cell[3] = {i, j, k};
        double middle[3], least = reach * reach;
        int nearest = -1;
        for (int a = 0; a < 3; ++a)
          middle[a] = cells->low[a] + cells->spacing * (cell[a] + 0.5);
        for (int s = 0; s < count && can_be_held(to, number); ++s) {
          double square = away_from_segment(&segments[s], middle);
          if (square < least) {
            least = square;
            nearest = s;
          }
        }
        if (nearest >= 0) {
          hold(to, segments[nearest].region, number);
          ++held;
        }
      }
  return held;
}

static size_t hold_found(const mus_held_cells *to, int region, const unsigned char *found) {
  size_t total = mus_cells_total(to->cells), held = 0;
  for (size_t c = 0; c < total; ++c)
    if (found[c] && can_be_held(to, c)) {
      hold(to, region, c);
      ++held;
    }
  return held;
}

mus_status mus_hold_inside(const mus_held_cells *to, int region, const mus_mesh *mesh, size_t *held) {
  mus_solid_parts parts = {0};
  unsigned char *found = mus_alloc_zero(mus_cells_total(to->cells), 1);
  mus_status status = found ? mus_solid_parts_create(mesh, 0, NULL, &parts) : mus_fail_memory();
  if (!status)
    status = mus_cells_inside_surface(to->cells, parts.surface, found, NULL);
  *held = status ? 0 : hold_found(to, region, found);
  mus_solid_parts_free(&parts);
  mus_free(found);
  return status;
}

mus_status mus_hold_touched(const mus_held_cells *to, int region, const mus_mesh *mesh, size_t *held) {
  for (size_t i = 0; i < 3 * (size_t)mesh->vertices; ++i)
    if (!isfinite(mesh->position[i]))
      return mus_fail(MUS_BAD_INPUT, "vertex %zu of the surface has a coordinate that is not finite", i / 3);
  unsigned char *found = mus_alloc_zero(mus_cells_total(to->cells), 1);
  mus_status status = found ? mus_touched_cells(to->cells, mesh, MUS_BORDER_OUT, found) : mus_fail_memory();
  *held = status ? 0 : hold_found(to, region, found);
  mus_free(found);
  return status;
}
