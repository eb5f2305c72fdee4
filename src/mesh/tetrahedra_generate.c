// See tetrahedra_generate.h.
#include "mesh/tetrahedra_generate.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

typedef struct grid {
  int cells[3];
  int count; // tetrahedra so far
  mus_tetrahedra mesh;
} grid;

static int corner_vertex(const grid *g, const int at[3]) {
  return (at[2] * (g->cells[1] + 1) + at[1]) * (g->cells[0] + 1) + at[0];
}

static int middle_vertex(const grid *g, const int at[3]) {
  int corners = (g->cells[0] + 1) * (g->cells[1] + 1) * (g->cells[2] + 1);
  return corners + (at[2] * g->cells[1] + at[1]) * g->cells[0] + at[0];
}

static void add(grid *g, int a, int b, int c, int d) {
  const int corner[4] = {a, b, c, d};
  memcpy(g->mesh.corner + 4 * (size_t)g->count++, corner, sizeof corner);
}

// The face between the cell at `at` and the one before it along the axis; either may be outside.
static void add_face(grid *g, const int at[3], int axis) {
  int a = (axis + 1) % 3, b = (axis + 2) % 3, ring[4], before[3] = {at[0], at[1], at[2]};
  --before[axis];
  for (int k = 0; k < 4; ++k) { // counter-clockwise seen from the far end of the axis
    int p[3] = {at[0], at[1], at[2]};
    p[a] += k == 1 || k == 2;
    p[b] += k >= 2;
    ring[k] = corner_vertex(g, p);
  }
  if (before[axis] >= 0 && at[axis] < g->cells[axis]) {
    for (int k = 0; k < 4; ++k)
      add(g, middle_vertex(g, before), ring[k], ring[(k + 1) % 4], middle_vertex(g, at));
    return;
  }
  int above = before[axis] < 0, apex = middle_vertex(g, above ? at : before), f = (at[0] + at[1] + at[2]) % 2;
  for (int k = f + 1; k < f + 3; ++k) {
    int b1 = ring[k % 4], b2 = ring[(k + 1) % 4];
    add(g, ring[f], above ? b1 : b2, above ? b2 : b1, apex);
  }
}

static void place_vertices(const grid *g, const double size[3]) {
  for (int middle = 0; middle < 2; ++middle)
    for (int k = 0; k < g->cells[2] + 1 - middle; ++k)
      for (int j = 0; j < g->cells[1] + 1 - middle; ++j)
        for (int i = 0; i < g->cells[0] + 1 - middle; ++i) {
          const int at[3] = {i, j, k};
          double *p = g->mesh.position + 3 * (size_t)(middle ? middle_vertex(g, at) : corner_vertex(g, at));
          for (int c = 0; c < 3; ++c)
            p[c] = size[c] * ((at[c] + 0.5 * middle) / g->cells[c] - 0.5);
        }
}

static mus_status check_size(const double size[3]) {
  for (int k = 0; k < 3; ++k)
    if (!(size[k] > 0) || !isfinite(size[k]))
      return mus_fail(MUS_BAD_INPUT, "a box of %g m along %c: give a positive length", size[k], "xyz"[k]);
  return MUS_OK;
}

mus_status mus_solid_box_of_cells(mus_arena *arena, const double size[3], const int cells[3], mus_tetrahedra *out) {
  mus_status status = check_size(size);
  double corners = 1, middles = 1;
  for (int k = 0; k < 3 && !status; ++k) {
    if (cells[k] < 1)
      status = mus_fail(MUS_BAD_INPUT, "%d cells along %c: give at least 1", cells[k], "xyz"[k]);
    corners *= cells[k] + 1.0;
    middles *= cells[k];
  }
  if (!status && !(12 * middles < MUS_TETRAHEDRA_MAXIMUM))
    status = mus_fail(MUS_BAD_INPUT, "a box of %d x %d x %d cells is too fine: choose longer edges", cells[0], cells[1],
                      cells[2]);
  if (status)
    return status;
  grid g = {.cells = {cells[0], cells[1], cells[2]}};
  long long tetrahedra =
      12 * (long long)middles; // 4 a face between cells, which is half a cell's, and 2 at the surface
  status = mus_tetrahedra_create(arena, (long long)(corners + middles), tetrahedra, 0, &g.mesh);
  if (status)
    return status;
  place_vertices(&g, size);
  for (int axis = 0; axis < 3; ++axis)
    for (int k = 0; k < cells[2] + (axis == 2); ++k)
      for (int j = 0; j < cells[1] + (axis == 1); ++j)
        for (int i = 0; i < cells[0] + (axis == 0); ++i)
          add_face(&g, (const int[]){i, j, k}, axis);
  *out = g.mesh;
  return MUS_OK;
}

mus_status mus_solid_box_cells(const double size[3], double edge, int cells[3]) {
  mus_status status = check_size(size);
  if (!status && (!(edge > 0) || !isfinite(edge)))
    status = mus_fail(MUS_BAD_INPUT, "edges of %g m: give a positive length", edge);
  for (int k = 0; k < 3 && !status; ++k) {
    double count = round(size[k] / edge);
    if (!(count < MUS_TETRAHEDRA_MAXIMUM))
      status =
          mus_fail(MUS_BAD_INPUT, "edges of %g m are too short for a box of %g m: choose longer ones", edge, size[k]);
    else
      cells[k] = count < 1 ? 1 : (int)count;
  }
  return status;
}

// Two vertices a cell, and half a corner's more at the surface.
mus_status mus_solid_box_cells_for(const double size[3], long long vertices, int cells[3]) {
  mus_status status = check_size(size);
  if (!status && (vertices < 9 || vertices > MUS_TETRAHEDRA_MAXIMUM))
    status = mus_fail(MUS_BAD_INPUT, "a box of %lld vertices: give 9 to %d", vertices, MUS_TETRAHEDRA_MAXIMUM);
  if (status)
    return status;
  double best = INFINITY;
  double edge = cbrt(2 * size[0] * size[1] * size[2] / (double)vertices);
  for (int step = 0; step < 400; ++step) { // from edges of this length up to twice as long ones
    int trial[3];
    status = mus_solid_box_cells(size, edge * (0.8 + 0.005 * step), trial);
    if (status)
      return status;
    double count = (trial[0] + 1.0) * (trial[1] + 1.0) * (trial[2] + 1.0) + (double)trial[0] * trial[1] * trial[2];
    if (fabs(count - (double)vertices) < best) {
      best = fabs(count - (double)vertices);
      memcpy(cells, trial, sizeof trial);
    }
  }
  return MUS_OK;
}
