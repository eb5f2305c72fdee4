#include "lattice/domain.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// Domains of at most so many unknowns are not coarsened: their systems are solved directly.
enum { SMALL = 450 };

static int is(const mus_lattice_domain *d, size_t cell, uint32_t flag) { return mus_lattice_is(d, cell, flag); }

// The kind of a face between two cells, in flags of axis 0.
static uint32_t face_flag(int lower, int upper) {
  if (lower == MUS_CELL_DIRICHLET || upper == MUS_CELL_DIRICHLET)
    return MUS_LATTICE_HELD;
  return lower == MUS_CELL_INTERIOR && upper == MUS_CELL_INTERIOR ? MUS_LATTICE_UNKNOWN : 0;
}

// Whether the displacement on the lower face of a cell is known or unknown, but not beyond a free boundary.
static int has_value(const mus_lattice_domain *d, size_t cell, int axis) {
  return (d->flags[cell] & (uint32_t)(MUS_LATTICE_UNKNOWN | MUS_LATTICE_HELD) << axis) != 0;
}

// Calls `visit` for each cell that has a neighbour in every direction.
static void for_inner_cells(mus_lattice_domain *d, void (*visit)(mus_lattice_domain *d, size_t cell, const void *data),
                            const void *data) {
  for (int k = 1; k < d->count[2] - 1; ++k)
    for (int j = 1; j < d->count[1] - 1; ++j)
      for (int i = 1; i < d->count[0] - 1; ++i)
        visit(d, (size_t)i + (size_t)j * d->stride[1] + (size_t)k * d->stride[2], data);
}

static void classify_variables(mus_lattice_domain *d, size_t cell, const void *data) {
  const unsigned char *kind = data;
  uint32_t flags = kind[cell] == MUS_CELL_INTERIOR ? MUS_LATTICE_SOLID : 0;
  for (int a = 0; a < 3; ++a)
    flags |= face_flag(kind[cell - d->stride[a]], kind[cell]) << a;
  d->flags[cell] = flags;
}

static void classify_stresses(mus_lattice_domain *d, size_t cell, const void *data) {
  (void)data;
  for (int a = 0; a < 3; ++a) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    if (is(d, cell, MUS_LATTICE_SOLID) && has_value(d, cell, a) && has_value(d, cell + d->stride[a], a))
      d->flags[cell] |= (uint32_t)MUS_LATTICE_NORMAL << a;
    if (has_value(d, cell, b) && has_value(d, cell - d->stride[c], b) && has_value(d, cell, c) &&
        has_value(d, cell - d->stride[b], c))
      d->flags[cell] |= (uint32_t)MUS_LATTICE_SHEAR << a;
  }
}

// Components along a wall, the side of a Dirichlet cell, are held in the middle of that cell, half a cell beyond. A
// coarse level would have them held farther away than the finest, and be too soft to correct it: a box that is held at
// two ends twists and shears up to twice as easily on 4^3 cells as on many. So shear on walls is computed as if they
// were held where the finest level holds them, H / 2 + h / 2 from the first unknown in place of H, which multiplies it
// by `wall`.
static int is_on_wall(const mus_lattice_domain *d, size_t cell, int axis, int across) {
  int along = 3 - axis - across;
  size_t below = cell - d->stride[across];
  uint32_t held = (uint32_t)MUS_LATTICE_HELD << along;
  if (is(d, cell, held) == is(d, below, held))
    return 0;
  size_t beyond = is(d, cell, held) ? cell : below;
  return !is(d, beyond, MUS_LATTICE_SOLID) && !is(d, beyond - d->stride[along], MUS_LATTICE_SOLID);
}

static void classify_walls(mus_lattice_domain *d, size_t cell, const void *data) {
  (void)data;
  for (int a = 0; a < 3; ++a)
    if (is(d, cell, (uint32_t)MUS_LATTICE_SHEAR << a) &&
        (is_on_wall(d, cell, a, (a + 1) % 3) || is_on_wall(d, cell, a, (a + 2) % 3)))
      d->flags[cell] |= (uint32_t)MUS_LATTICE_WALL << a;
}

static int is_regular(const mus_lattice_domain *d, size_t cell, int axis) {
  uint32_t normal = (uint32_t)MUS_LATTICE_NORMAL << axis;
  int regular = is(d, cell, (uint32_t)MUS_LATTICE_UNKNOWN << axis) && is(d, cell, normal) &&
                is(d, cell - d->stride[axis], normal);
  for (int b = 0; b < 3; ++b) {
    uint32_t shear = b == axis ? 0 : (uint32_t)MUS_LATTICE_SHEAR << (3 - axis - b);
    uint32_t wall = b == axis ? 0 : (uint32_t)MUS_LATTICE_WALL << (3 - axis - b);
    if (b != axis)
      regular = regular && is(d, cell, shear) && is(d, cell + d->stride[b], shear) && !is(d, cell, wall) &&
                !is(d, cell + d->stride[b], wall);
  }
  return regular;
}

// The composed system L M has the stencil of the Laplacian for a displacement, and of the divergence and the Laplacian
// for a pressure. Equations are smoothed distributively if these stay among unknowns.
static void classify_equations(mus_lattice_domain *d, size_t cell, const void *data) {
  uint32_t more = 0;
  int inside = is(d, cell, MUS_LATTICE_SOLID);
  (void)data;
  for (int a = 0; a < 3; ++a) {
    uint32_t unknown = (uint32_t)MUS_LATTICE_UNKNOWN << a;
    int swept = is(d, cell, unknown);
    for (int b = 0; b < 3; ++b)
      swept = swept && is(d, cell - d->stride[b], unknown) && is(d, cell + d->stride[b], unknown);
    more |= swept ? (uint32_t)MUS_LATTICE_SWEPT << a : 0;
    more |= is_regular(d, cell, a) ? (uint32_t)MUS_LATTICE_REGULAR << a : 0;
    inside = inside && is(d, cell - d->stride[a], MUS_LATTICE_SOLID) && is(d, cell + d->stride[a], MUS_LATTICE_SOLID);
  }
  more |= inside ? MUS_LATTICE_SWEPT_P : 0;
  more |= is(d, cell, MUS_LATTICE_SOLID | 7 * MUS_LATTICE_NORMAL) ? MUS_LATTICE_REGULAR_P : 0;
  d->flags[cell] |= more;
}

// Faces beyond free boundaries whose displacements tractions give.
static void classify_outer(mus_lattice_domain *d, size_t cell, const void *data) {
  (void)data;
  for (int a = 0; a < 3; ++a) {
    uint32_t unknown = (uint32_t)MUS_LATTICE_UNKNOWN << a;
    size_t below = cell - d->stride[a];
    int above_is = is(d, cell, MUS_LATTICE_SOLID), below_is = is(d, below, MUS_LATTICE_SOLID);
    if (has_value(d, cell, a))
      continue;
    if ((above_is && has_value(d, cell + d->stride[a], a)) || (below_is && has_value(d, below, a)))
      d->flags[cell] |= (uint32_t)MUS_LATTICE_NEAR << a;
    for (int b = 0; b < 3 && !above_is && !below_is; ++b)
      if (b != a && (is(d, cell - d->stride[b], unknown) || is(d, cell + d->stride[b], unknown)))
        d->flags[cell] |= (uint32_t)MUS_LATTICE_FAR << a;
  }
}

static mus_status list_outer(mus_arena *arena, mus_lattice_domain *d) {
  const uint32_t outer = 7 * (MUS_LATTICE_NEAR | MUS_LATTICE_FAR);
  int count = 0;
  for (size_t cell = 0; cell < d->cells; ++cell)
    count += (d->flags[cell] & outer) != 0;
  d->outer = mus_arena_alloc(arena, (size_t)count, sizeof *d->outer);
  if (!d->outer)
    return mus_fail_memory();
  for (size_t cell = 0; cell < d->cells; ++cell)
    if (d->flags[cell] & outer)
      d->outer[d->outer_count++] = (int)cell;
  return MUS_OK;
}

static uint32_t flag_of_runs(int kind) {
  if (kind < MUS_LATTICE_RUN_SWEPT_P)
    return (uint32_t)MUS_LATTICE_SWEPT << (kind - MUS_LATTICE_RUN_SWEPT);
  if (kind >= MUS_LATTICE_RUN_REGULAR && kind < MUS_LATTICE_RUN_REGULAR_P)
    return (uint32_t)MUS_LATTICE_REGULAR << (kind - MUS_LATTICE_RUN_REGULAR);
  return kind == MUS_LATTICE_RUN_SWEPT_P     ? MUS_LATTICE_SWEPT_P
         : kind == MUS_LATTICE_RUN_REGULAR_P ? MUS_LATTICE_REGULAR_P
                                             : MUS_LATTICE_SOLID;
}

// Writes the runs into `range`, unless it is NULL, and their starts; returns how many there are.
static int find_runs(const mus_lattice_domain *d, uint32_t flag, int *start, int (*range)[2]) {
  int count = 0;
  for (int row = 0; row < mus_lattice_rows(d); ++row) {
    const uint32_t *flags = d->flags + (size_t)row * d->stride[1];
    start[row] = count;
    for (int i = 0, begin = 0; i <= d->count[0]; ++i) {
      if (i < d->count[0] && flags[i] & flag)
        continue;
      if (i > begin && range) {
        range[count][0] = begin;
        range[count][1] = i;
      }
      count += i > begin;
      begin = i + 1;
    }
  }
  start[mus_lattice_rows(d)] = count;
  return count;
}

static mus_status make_runs(mus_arena *arena, mus_lattice_domain *d) {
  for (int kind = 0; kind < MUS_LATTICE_RUNS; ++kind) {
    mus_lattice_runs *runs = &d->runs[kind];
    runs->start = mus_arena_alloc(arena, (size_t)mus_lattice_rows(d) + 1, sizeof *runs->start);
    if (!runs->start)
      return mus_fail_memory();
    int count = find_runs(d, flag_of_runs(kind), runs->start, NULL);
    runs->range = mus_arena_alloc(arena, (size_t)count, sizeof *runs->range);
    if (!runs->range)
      return mus_fail_memory();
    find_runs(d, flag_of_runs(kind), runs->start, runs->range);
  }
  return MUS_OK;
}

static int is_irregular(const mus_lattice_domain *d, size_t cell) {
  uint32_t flags = d->flags[cell];
  int irregular = flags & MUS_LATTICE_SOLID && !(flags & MUS_LATTICE_REGULAR_P);
  for (int a = 0; a < 3; ++a)
    irregular |= flags & (uint32_t)MUS_LATTICE_UNKNOWN << a && !(flags & (uint32_t)MUS_LATTICE_REGULAR << a);
  return irregular;
}

static mus_status list_irregular(mus_arena *arena, mus_lattice_domain *d) {
  int count = 0;
  for (size_t cell = 0; cell < d->cells; ++cell)
    count += is_irregular(d, cell);
  d->irregular = mus_arena_alloc(arena, (size_t)count, sizeof *d->irregular);
  if (!d->irregular)
    return mus_fail_memory();
  for (size_t cell = 0; cell < d->cells; ++cell)
    if (is_irregular(d, cell))
      d->irregular[d->irregular_count++] = (int)cell;
  return MUS_OK;
}

static void measure_rows(mus_lattice_domain *d) {
  for (int row = 0; row < mus_lattice_rows(d); ++row) {
    const uint32_t *flags = d->flags + (size_t)row * d->stride[1], all = MUS_LATTICE_SOLID | 7 * MUS_LATTICE_UNKNOWN;
    int begin = 0, end = d->count[0];
    while (begin < end && !(flags[begin] & all))
      ++begin;
    while (end > begin && !(flags[end - 1] & all))
      --end;
    d->begin[row] = begin;
    d->end[row] = end;
  }
}

static void count_unknowns(mus_lattice_domain *d) {
  d->solid = d->unknowns = 0;
  for (size_t cell = 0; cell < d->cells; ++cell) {
    d->solid += is(d, cell, MUS_LATTICE_SOLID) != 0;
    for (int a = 0; a < 3; ++a)
      d->unknowns += is(d, cell, (uint32_t)MUS_LATTICE_UNKNOWN << a) != 0;
  }
}

// Blocks of cells, long along axis 0, along which memory lies.
static const int block_shift[3] = {4, 2, 2};
enum { BLOCK_BITS = 8 };

typedef struct block_counts {
  int along[3];
  size_t total;
  int *cells; // of each block, then where its next cell goes
} block_counts;

static size_t block_of(const mus_lattice_domain *d, const block_counts *blocks, size_t cell) {
  size_t at[3] = {cell % d->stride[1], cell % d->stride[2] / d->stride[1], cell / d->stride[2]};
  for (int a = 0; a < 3; ++a)
    at[a] >>= block_shift[a];
  return (at[2] * (size_t)blocks->along[1] + at[1]) * (size_t)blocks->along[0] + at[0];
}

static int group_of_block(const block_counts *blocks, size_t block) {
  size_t x = (size_t)blocks->along[0], y = (size_t)blocks->along[1];
  return (int)(block % x % 2 + 2 * (block / x % y % 2) + 4 * (block / x / y % 2));
}

// Where the blocks of each group lie, and their cells: the counts become places.
static void place_blocks(block_counts *blocks, mus_lattice_list *list) {
  int block = 0, cell = 0;
  for (int g = 0; g < MUS_LATTICE_GROUPS; ++g) {
    list->start[g] = block;
    for (size_t k = 0; k < blocks->total; ++k) {
      int count = blocks->cells[k];
      if (count == 0 || group_of_block(blocks, k) != g)
        continue;
      list->block[block++] = cell;
      blocks->cells[k] = cell;
      cell += count;
    }
  }
  list->start[MUS_LATTICE_GROUPS] = block;
  list->block[block] = cell;
}

static mus_status count_blocks(mus_arena *scratch, const mus_lattice_domain *d, const unsigned char *mark,
                               block_counts *out, size_t *used, size_t *cells) {
  out->total = 1;
  for (int a = 0; a < 3; ++a) {
    out->along[a] = (d->count[a] >> block_shift[a]) + 1;
    out->total *= (size_t)out->along[a];
  }
  *used = *cells = 0;
  out->cells = mus_arena_alloc_zero(scratch, out->total, sizeof *out->cells);
  if (!out->cells)
    return mus_fail_memory();
  for (size_t cell = 0; cell < d->cells; ++cell)
    if (mark[cell]) {
      *used += out->cells[block_of(d, out, cell)]++ == 0;
      ++*cells;
    }
  return MUS_OK;
}

// Cells three apart along every axis have nothing to do with each other: within a block, those whose numbers leave the
// same remainders follow each other, so that processors can begin one while they end another.
static int class_of(const mus_lattice_domain *d, int cell) {
  size_t n = (size_t)cell;
  return (int)(n % d->stride[1] % 3 + 3 * (n % d->stride[2] / d->stride[1] % 3) + 9 * (n / d->stride[2] % 3));
}

static void order_block(const mus_lattice_domain *d, int count, int *cell) {
  int ordered[1 << BLOCK_BITS], place[28] = {0};
  for (int k = 0; k < count; ++k)
    ++place[class_of(d, cell[k]) + 1];
  for (int k = 0; k < 27; ++k)
    place[k + 1] += place[k];
  for (int k = 0; k < count; ++k)
    ordered[place[class_of(d, cell[k])]++] = cell[k];
  memcpy(cell, ordered, (size_t)count * sizeof *cell);
}

static uint32_t box_stresses(const mus_lattice_domain *d, size_t cell) {
  uint32_t bits = 0;
  for (int a = 0; a < 3; ++a) {
    size_t next = d->stride[(a + 1) % 3], after = d->stride[(a + 2) % 3];
    for (int k = 0; k < 3; ++k)
      bits |= (uint32_t)is(d, cell + (size_t)k * d->stride[a] - d->stride[a], (uint32_t)MUS_LATTICE_NORMAL << a)
              << (MUS_LATTICE_BOX_NORMAL + 3 * a + k);
    for (int k = 0; k < 4; ++k)
      bits |= (uint32_t)is(d, cell + (k & 1 ? next : 0) + (k & 2 ? after : 0), (uint32_t)MUS_LATTICE_SHEAR << a)
              << (MUS_LATTICE_BOX_SHEAR + 4 * a + k);
  }
  return bits;
}

static uint32_t box_weights(const mus_lattice_domain *d, size_t cell) {
  uint32_t bits = 0;
  for (int f = 0; f < 6; ++f) {
    int a = f / 2;
    size_t n = f % 2 ? cell + d->stride[a] : cell;
    uint32_t normal = (uint32_t)MUS_LATTICE_NORMAL << a, weight = 0;
    if (!is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
      continue;
    weight = 2 * (uint32_t)(is(d, n, normal) + is(d, n - d->stride[a], normal));
    for (int b = 0; b < 3; ++b) {
      uint32_t shear = b == a ? 0 : (uint32_t)MUS_LATTICE_SHEAR << (3 - a - b);
      weight += b != a ? (uint32_t)(is(d, n, shear) + is(d, n + d->stride[b], shear)) : 0;
    }
    bits |= weight << (4 * f);
  }
  return bits;
}

static uint32_t box_walls(const mus_lattice_domain *d, size_t cell) {
  uint32_t bits = 0;
  for (int a = 0; a < 3; ++a) {
    size_t next = d->stride[(a + 1) % 3], after = d->stride[(a + 2) % 3];
    for (int k = 0; k < 4; ++k)
      bits |= (uint32_t)is(d, cell + (k & 1 ? next : 0) + (k & 2 ? after : 0), (uint32_t)MUS_LATTICE_WALL << a)
              << (MUS_LATTICE_BOX_WALL + 4 * a + k);
  }
  for (int f = 0; f < 6; ++f) {
    size_t n = f % 2 ? cell + d->stride[f / 2] : cell;
    uint32_t count = 0;
    for (int b = 0; b < 3; ++b) {
      if (b == f / 2)
        continue;
      uint32_t wall = (uint32_t)MUS_LATTICE_WALL << (3 - f / 2 - b);
      count += (uint32_t)(is(d, n, wall) + is(d, n + d->stride[b], wall));
    }
    bits |= count << (MUS_LATTICE_BOX_WALLS + 3 * f);
  }
  return bits;
}

// The cells that are marked.
static mus_status make_list(mus_arena *arena, const mus_lattice_domain *d, const unsigned char *mark,
                            mus_lattice_list *list) {
  mus_arena scratch = {0};
  block_counts blocks;
  size_t used, cells;
  mus_status status = count_blocks(&scratch, d, mark, &blocks, &used, &cells);
  if (!status) {
    list->block = mus_arena_alloc(arena, used + 1, sizeof *list->block);
    list->cell = mus_arena_alloc(arena, cells, sizeof *list->cell);
    list->stresses = mus_arena_alloc(arena, cells, sizeof *list->stresses);
    list->weights = mus_arena_alloc(arena, cells, sizeof *list->weights);
    list->walls = d->wall != 1 ? mus_arena_alloc(arena, cells, sizeof *list->walls) : NULL;
    status = list->block && list->cell && list->stresses && list->weights && (d->wall == 1 || list->walls)
                 ? MUS_OK
                 : mus_fail_memory();
  }
  if (!status) {
    place_blocks(&blocks, list);
    for (size_t cell = 0; cell < d->cells; ++cell)
      if (mark[cell])
        list->cell[blocks.cells[block_of(d, &blocks, cell)]++] = (int)cell;
    for (size_t k = 0; k < used; ++k)
      order_block(d, list->block[k + 1] - list->block[k], list->cell + list->block[k]);
    for (size_t k = 0; k < cells; ++k) {
      list->stresses[k] = box_stresses(d, (size_t)list->cell[k]);
      list->weights[k] = box_weights(d, (size_t)list->cell[k]);
      if (list->walls)
        list->walls[k] = box_walls(d, (size_t)list->cell[k]);
    }
  }
  mus_arena_clear(&scratch);
  return status;
}

static mus_status make_band(mus_arena *arena, mus_lattice_domain *d, unsigned char *mark) {
  for (size_t cell = 0; cell < d->cells; ++cell)
    mark[cell] = is(d, cell, MUS_LATTICE_SOLID) && !is(d, cell, MUS_LATTICE_SWEPT_P);
  return make_list(arena, d, mark, &d->band);
}

static mus_status classify(mus_arena *arena, const mus_cells *cells, mus_lattice_domain *d) {
  memcpy(d->count, cells->count, sizeof d->count);
  d->stride[0] = 1;
  d->stride[1] = (size_t)d->count[0];
  d->stride[2] = d->stride[1] * (size_t)d->count[1];
  d->cells = mus_cells_total(cells);
  d->coarse = NULL;
  d->flags = mus_arena_alloc_zero(arena, d->cells, sizeof *d->flags);
  d->begin = mus_arena_alloc(arena, (size_t)mus_lattice_rows(d), sizeof *d->begin);
  d->end = mus_arena_alloc(arena, (size_t)mus_lattice_rows(d), sizeof *d->end);
  if (!d->flags || !d->begin || !d->end)
    return mus_fail_memory();
  for_inner_cells(d, classify_variables, cells->kind);
  for_inner_cells(d, classify_stresses, NULL);
  if (d->wall != 1)
    for_inner_cells(d, classify_walls, NULL);
  for_inner_cells(d, classify_equations, NULL);
  for_inner_cells(d, classify_outer, NULL);
  measure_rows(d);
  count_unknowns(d);
  mus_status status = make_runs(arena, d);
  if (!status)
    status = list_irregular(arena, d);
  return status ? status : list_outer(arena, d);
}

// Any Dirichlet child makes a coarse cell a Dirichlet cell, then any interior child an interior cell.
static void merge(const mus_cells *fine, const int *shift, mus_cells *coarse) {
  memset(coarse->kind, MUS_CELL_EXTERIOR, mus_cells_total(coarse));
  for (int k = 0; k < fine->count[2]; ++k)
    for (int j = 0; j < fine->count[1]; ++j)
      for (int i = 0; i < fine->count[0]; ++i) {
        unsigned char kind = fine->kind[mus_cells_number(fine, i, j, k)];
        unsigned char *to =
            &coarse->kind[mus_cells_number(coarse, (i + shift[0]) / 2, (j + shift[1]) / 2, (k + shift[2]) / 2)];
        if (kind == MUS_CELL_DIRICHLET || (kind == MUS_CELL_INTERIOR && *to == MUS_CELL_EXTERIOR))
          *to = kind;
      }
}

static void coarse_counts(const mus_cells *fine, const int *shift, mus_cells *coarse) {
  for (int a = 0; a < 3; ++a)
    coarse->count[a] = (fine->count[a] - 1 - MUS_CELLS_MARGIN + shift[a]) / 2 + 1 + MUS_CELLS_MARGIN;
}

// How far the boundaries move: fine cells whose parent is of another kind, and those that become held, which leaves
// equations without any coarse ones, twice.
static size_t moved_cells(const mus_cells *fine, const int *shift, const mus_cells *coarse) {
  size_t moved = 0;
  for (int k = 0; k < fine->count[2]; ++k)
    for (int j = 0; j < fine->count[1]; ++j)
      for (int i = 0; i < fine->count[0]; ++i) {
        int kind = fine->kind[mus_cells_number(fine, i, j, k)];
        int to = coarse->kind[mus_cells_number(coarse, (i + shift[0]) / 2, (j + shift[1]) / 2, (k + shift[2]) / 2)];
        moved += kind == MUS_CELL_INTERIOR && to == MUS_CELL_DIRICHLET ? 2 : 0;
        moved += kind == MUS_CELL_EXTERIOR && to == MUS_CELL_INTERIOR ? 1 : 0;
      }
  return moved;
}

// Chooses which cells are taken together: of the two ways along each axis those that move boundaries least.
static mus_status coarsen(mus_arena *arena, const mus_cells *fine, int *shift, mus_cells *coarse) {
  size_t least = SIZE_MAX;
  int best = 0;
  *coarse = *fine;
  coarse_counts(fine, (const int[]){MUS_CELLS_MARGIN + 1, MUS_CELLS_MARGIN + 1, MUS_CELLS_MARGIN + 1}, coarse);
  coarse->kind = mus_arena_alloc(arena, mus_cells_total(coarse), 1);
  if (!coarse->kind)
    return mus_fail_memory();
  for (int way = 0; way <= 8; ++way) { // the last time as it was best
    int now = way < 8 ? way : best;
    for (int a = 0; a < 3; ++a)
      shift[a] = MUS_CELLS_MARGIN + (now >> a & 1);
    coarse_counts(fine, shift, coarse);
    merge(fine, shift, coarse);
    size_t moved = way < 8 ? moved_cells(fine, shift, coarse) : least;
    if (moved < least) {
      least = moved;
      best = way;
    }
  }
  return MUS_OK;
}

// Whether the children of a coarse cell are of different kinds, so that a boundary moves there.
static void mark_mixed(const mus_lattice_domain *d, const mus_cells *fine, const mus_cells *coarse,
                       unsigned char *mixed) {
  memset(mixed, 0, mus_cells_total(coarse));
  for (int k = 0; k < fine->count[2]; ++k)
    for (int j = 0; j < fine->count[1]; ++j)
      for (int i = 0; i < fine->count[0]; ++i) {
        size_t parent = mus_cells_number(coarse, (i + d->shift[0]) / 2, (j + d->shift[1]) / 2, (k + d->shift[2]) / 2);
        int kind = fine->kind[mus_cells_number(fine, i, j, k)], to = coarse->kind[parent];
        if ((kind == MUS_CELL_INTERIOR && to != kind) || (kind == MUS_CELL_EXTERIOR && to == MUS_CELL_INTERIOR))
          mixed[parent] = 1;
      }
}

// Interior cells in a coarse cell whose children differ, or next to one (section 6).
static mus_status make_relocated(mus_arena *arena, const mus_cells *fine, const mus_cells *coarse,
                                 mus_lattice_domain *d) {
  mus_arena scratch = {0};
  unsigned char *mixed = mus_arena_alloc(&scratch, mus_cells_total(coarse), 1);
  unsigned char *mark = mus_arena_alloc_zero(&scratch, d->cells, 1);
  mus_status status = mixed && mark ? MUS_OK : mus_fail_memory();
  if (!status) {
    mark_mixed(d, fine, coarse, mixed);
    for (int k = 1; k < fine->count[2] - 1; ++k)
      for (int j = 1; j < fine->count[1] - 1; ++j)
        for (int i = 1; i < fine->count[0] - 1; ++i) {
          size_t cell = mus_cells_number(fine, i, j, k);
          for (int n = 0; n < 27 && is(d, cell, MUS_LATTICE_SOLID); ++n) {
            int at[3] = {i + n % 3 - 1, j + n / 3 % 3 - 1, k + n / 9 - 1};
            for (int a = 0; a < 3; ++a)
              at[a] = (at[a] + d->shift[a]) / 2;
            mark[cell] |= mixed[mus_cells_number(coarse, at[0], at[1], at[2])];
          }
        }
    status = make_list(arena, d, mark, &d->relocated);
  }
  mus_arena_clear(&scratch);
  return status;
}

// Adds a domain for the cells, and its band.
// The domain of a level, the finest being 0.
static mus_status add_domain(mus_arena *arena, const mus_cells *cells, int level, mus_lattice_domain **out) {
  mus_lattice_domain *d = mus_arena_alloc_zero(arena, 1, sizeof *d);
  if (!d)
    return mus_fail_memory();
  d->wall = 2 / (1 + ldexp(1, -level));
  mus_status status = classify(arena, cells, d);
  if (status)
    return status;
  unsigned char *mark = mus_alloc(d->cells, 1);
  status = mark ? make_band(arena, d, mark) : mus_fail_memory();
  mus_free(mark);
  *out = d;
  return status;
}

mus_status mus_lattice_domains_create(mus_arena *arena, const mus_cells *cells, mus_lattice_domain **finest,
                                      int *levels) {
  mus_arena scratch = {0};
  mus_cells now = *cells, next = {0};
  mus_lattice_domain *d = NULL;
  mus_status status = add_domain(arena, cells, 0, &d);
  *finest = d;
  *levels = 1;
  if (!status && d->unknowns == 0)
    status =
        mus_fail(MUS_BAD_INPUT, "lattice: no two interior cells share a face: use smaller cells, or a thicker shape");
  while (!status && d->unknowns > SMALL) {
    mus_lattice_domain *coarse = NULL;
    mus_arena_mark here = mus_arena_here(arena);
    status = coarsen(&scratch, &now, d->shift, &next);
    if (!status)
      status = add_domain(arena, &next, *levels, &coarse);
    if (!status && (coarse->unknowns == 0 || coarse->unknowns >= d->unknowns)) {
      mus_arena_rewind(arena, here);
      break;
    }
    if (!status)
      status = make_relocated(arena, &now, &next, d);
    d->coarse = coarse;
    d = coarse;
    now = next;
    *levels += !status;
  }
  mus_arena_clear(&scratch);
  return status;
}
