// A mesh of triangles or tetrahedra with numbers on it, for formats that hold more than positions.
#ifndef MUS_IO_GRID_H
#define MUS_IO_GRID_H

// Numbers of all points, or of all cells. One of `real` and `whole` is given.
typedef struct mus_grid_values {
  const char *name; // letters, digits, blanks and underscores
  int of_cells;
  int components;     // 1, 3 (a vector) or 6 (a symmetric tensor: xx, yy, zz, xy, yz, xz)
  const double *real; // components for each
  const int *whole;
} mus_grid_values;

typedef struct mus_grid {
  int points, cells;
  int corners;            // of a cell: 3 for triangles, 4 for tetrahedra
  const double *position; // points * 3, m
  const int *corner;      // cells * corners
  int value_count;
  const mus_grid_values *values;
} mus_grid;

#endif
