// See cell_layers.h.
#include "fill/cell_layers.h"

#include <string.h>

#include "base/error.h"
#include "par/par.h"

static void find_strides(const mus_cells *cells, size_t stride[3]) {
  stride[0] = 1;
  stride[1] = (size_t)cells->count[0];
  stride[2] = stride[1] * (size_t)cells->count[1];
}

size_t mus_cells_count(const mus_cells *cells, mus_cell_kind kind) {
  size_t total = mus_cells_total(cells), count = 0;
  for (size_t c = 0; c < total; ++c)
    count += cells->kind[c] == kind;
  return count;
}

// `result` is true of the cells within the margin for which `holds` is; the others keep their value.
typedef int condition(const unsigned char *kind, size_t cell, const size_t stride[3]);

static void select(const mus_cells *cells, const unsigned char *kind, condition *holds, unsigned char *result) {
  size_t stride[3];
  find_strides(cells, stride);
  MUS_PARALLEL_FOR
  for (int k = MUS_CELLS_MARGIN; k < cells->count[2] - MUS_CELLS_MARGIN; ++k)
    for (int j = MUS_CELLS_MARGIN; j < cells->count[1] - MUS_CELLS_MARGIN; ++j)
      for (int i = MUS_CELLS_MARGIN; i < cells->count[0] - MUS_CELLS_MARGIN; ++i) {
        size_t cell = mus_cells_number(cells, i, j, k);
        if (holds(kind, cell, stride))
          result[cell] = 1;
      }
}

static unsigned char *copy_kinds(mus_arena *scratch, const mus_cells *cells) {
  size_t total = mus_cells_total(cells);
  unsigned char *copy = mus_arena_alloc(scratch, total, 1);
  if (copy)
    memcpy(copy, cells->kind, total);
  return copy;
}

static int is_beside_x(const unsigned char *kind, size_t cell, const size_t stride[3]) {
  return kind[cell - stride[0]] || kind[cell + stride[0]];
}

static int is_beside_y(const unsigned char *kind, size_t cell, const size_t stride[3]) {
  return kind[cell - stride[1]] || kind[cell + stride[1]];
}

static int is_beside_z(const unsigned char *kind, size_t cell, const size_t stride[3]) {
  return kind[cell - stride[2]] || kind[cell + stride[2]];
}

static condition *const is_beside_along[3] = {is_beside_x, is_beside_y, is_beside_z};

mus_status mus_cell_layers_pad(mus_arena *scratch, mus_cells *cells) {
  mus_arena_mark mark = mus_arena_here(scratch);
  for (int axis = 0; axis < 3; ++axis) { // one after the other makes edges and corners as well
    unsigned char *before = copy_kinds(scratch, cells);
    if (!before)
      return mus_fail_memory();
    select(cells, before, is_beside_along[axis], cells->kind);
    mus_arena_rewind(scratch, mark);
  }
  return MUS_OK;
}

static int is_in_block(const unsigned char *kind, size_t cell, const size_t stride[3]) {
  for (int corner = 0; corner < 8 && kind[cell]; ++corner) {
    size_t first = cell;
    int all = 1;
    for (int a = 0; a < 3; ++a)
      first -= (corner >> a & 1) * stride[a];
    for (size_t part = 0; part < 8; ++part)
      all &= kind[first + (part & 1) * stride[0] + (part >> 1 & 1) * stride[1] + (part >> 2) * stride[2]] != 0;
    if (all)
      return 1;
  }
  return 0;
}

static int is_beside(const unsigned char *kind, size_t cell, const size_t stride[3]) {
  return kind[cell] || is_beside_x(kind, cell, stride) || is_beside_y(kind, cell, stride) ||
         is_beside_z(kind, cell, stride);
}

// Thin cells are marked as 1, and what is added beside them as well, which then is thin along the other axes.
static void widen(const mus_cells *cells, const unsigned char *before, unsigned char *thin, int axis) {
  size_t stride[3], total = mus_cells_total(cells);
  find_strides(cells, stride);
  for (size_t c = 0; c < total; ++c)
    if (thin[c] == 1 && before[c] && !before[c - stride[axis]] && !before[c + stride[axis]]) {
      for (int side = 0; side < 2; ++side) {
        size_t to = side ? c + stride[axis] : c - stride[axis];
        cells->kind[to] = MUS_CELL_INTERIOR;
        thin[to] = thin[to] == 0 ? 2 : thin[to]; // from the next axis on
      }
    }
  for (size_t c = 0; c < total; ++c)
    thin[c] = thin[c] != 0;
}

mus_status mus_cell_layers_thicken(mus_arena *scratch, mus_cells *cells, size_t *added) {
  size_t total = mus_cells_total(cells), thick = mus_cells_count(cells, MUS_CELL_INTERIOR);
  mus_arena_mark mark = mus_arena_here(scratch);
  unsigned char *block = mus_arena_alloc_zero(scratch, total, 1), *thin = mus_arena_alloc_zero(scratch, total, 1);
  *added = 0;
  if (!block || !thin)
    return mus_fail_memory();
  select(cells, cells->kind, is_in_block, block);
  select(cells, block, is_beside, thin);
  for (size_t c = 0; c < total; ++c)
    thin[c] = cells->kind[c] && !thin[c];
  for (int axis = 0; axis < 3; ++axis) {
    memcpy(block, cells->kind, total);
    widen(cells, block, thin, axis);
  }
  *added = mus_cells_count(cells, MUS_CELL_INTERIOR) - thick;
  mus_arena_rewind(scratch, mark);
  return MUS_OK;
}

mus_status mus_cell_layers_pieces(mus_arena *scratch, const mus_cells *cells, int *pieces) {
  size_t total = mus_cells_total(cells), stride[3], open = 0;
  mus_arena_mark mark = mus_arena_here(scratch);
  unsigned char *left = copy_kinds(scratch, cells);
  size_t *stack = mus_arena_alloc(scratch, total - mus_cells_count(cells, MUS_CELL_EXTERIOR), sizeof *stack);
  if (!left || !stack)
    return mus_fail_memory();
  find_strides(cells, stride);
  *pieces = 0;
  for (size_t c = 0; c < total; ++c) {
    if (!left[c])
      continue;
    ++*pieces;
    left[c] = 0;
    for (stack[open++] = c; open > 0;) {
      size_t from = stack[--open];
      for (int side = 0; side < 6; ++side) {
        size_t to = side & 1 ? from + stride[side / 2] : from - stride[side / 2];
        if (left[to]) {
          left[to] = 0;
          stack[open++] = to;
        }
      }
    }
  }
  mus_arena_rewind(scratch, mark);
  return MUS_OK;
}
