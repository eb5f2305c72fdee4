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
// Where a coarse Dirichlet cell has interior children, what is held lies deeper in it than its side, and the level is
// not too soft: shear there is left as it is. `reaching` marks such cells.
static int is_on_wall(const mus_lattice_domain *d, const unsigned char *reaching, size_t cell, int axis, int across) {
  int along = 3 - axis - across;
  size_t below = cell - d->stride[across];
  uint32_t held = (uint32_t)MUS_LATTICE_HELD << along;
  if (is(d, cell, held) == is(d, below, held))
    return 0;
  size_t beyond = is(d, cell, held) ? cell : below;
  size_t beside = beyond - d->stride[along];
  return !is(d, beyond, MUS_LATTICE_SOLID) && !is(d, beside, MUS_LATTICE_SOLID) && !reaching[beyond] &&
         !reaching[beside];
}

static void classify_walls(mus_lattice_domain *d, size_t cell, const void *data) {
  const unsigned char *reaching = data;
  for (int a = 0; a < 3; ++a)
    if (is(d, cell, (uint32_t)MUS_LATTICE_SHEAR << a) &&
        (is_on_wall(d, reaching, cell, a, (a + 1) % 3) || is_on_wall(d, reaching, cell, a, (a + 2) % 3)))
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
  if (kind >= MUS_LATTICE_RUN_UNKNOWN && kind < MUS_LATTICE_RUN_SOLID)
    return (uint32_t)MUS_LATTICE_UNKNOWN << (kind - MUS_LATTICE_RUN_UNKNOWN);
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
  d->irregular_start = mus_arena_alloc(arena, (size_t)d->count[2] + 1, sizeof *d->irregular_start);
  if (!d->irregular || !d->irregular_start)
    return mus_fail_memory();
  for (int k = 0; k < d->count[2]; ++k) {
    d->irregular_start[k] = d->irregular_count;
    for (size_t cell = (size_t)k * d->stride[2]; cell < (size_t)(k + 1) * d->stride[2]; ++cell)
      if (is_irregular(d, cell))
        d->irregular[d->irregular_count++] = (int)cell;
  }
  d->irregular_start[d->count[2]] = d->irregular_count;
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

static mus_status make_band(mus_arena *arena, mus_lattice_domain *d, unsigned char *mark) {
  for (size_t cell = 0; cell < d->cells; ++cell)
    mark[cell] = is(d, cell, MUS_LATTICE_SOLID) && !is(d, cell, MUS_LATTICE_SWEPT_P);
  return mus_lattice_list_create(arena, d, mark, &d->band);
}

static mus_status classify(mus_arena *arena, const mus_cells *cells, const unsigned char *reaching,
                           mus_lattice_domain *d) {
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
    for_inner_cells(d, classify_walls, reaching);
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
    status = mus_lattice_list_create(arena, d, mark, &d->relocated);
  }
  mus_arena_clear(&scratch);
  return status;
}

// The domain of a level, the finest being 0.
static mus_status add_domain(mus_arena *arena, const mus_cells *cells, const unsigned char *reaching, int level,
                             mus_lattice_domain **out) {
  mus_lattice_domain *d = mus_arena_alloc_zero(arena, 1, sizeof *d);
  if (!d)
    return mus_fail_memory();
  d->wall = 2 / (1 + ldexp(1, -level));
  mus_status status = classify(arena, cells, reaching, d);
  if (status)
    return status;
  unsigned char *mark = mus_alloc(d->cells, 1);
  status = mark ? make_band(arena, d, mark) : mus_fail_memory();
  mus_free(mark);
  *out = d;
  return status;
}

// Marks coarse Dirichlet cells that have interior children, or children that are so marked.
static mus_status mark_reaching(mus_arena *arena, const mus_lattice_domain *d, const mus_cells *fine,
                                const mus_cells *coarse, unsigned char **reaching) {
  const unsigned char *before = *reaching;
  unsigned char *mark = mus_arena_alloc_zero(arena, mus_cells_total(coarse), 1);
  if (!mark)
    return mus_fail_memory();
  for (int k = 0; k < fine->count[2]; ++k)
    for (int j = 0; j < fine->count[1]; ++j)
      for (int i = 0; i < fine->count[0]; ++i) {
        size_t parent = mus_cells_number(coarse, (i + d->shift[0]) / 2, (j + d->shift[1]) / 2, (k + d->shift[2]) / 2);
        size_t cell = mus_cells_number(fine, i, j, k);
        if (coarse->kind[parent] == MUS_CELL_DIRICHLET &&
            (fine->kind[cell] == MUS_CELL_INTERIOR || (before && before[cell])))
          mark[parent] = 1;
      }
  *reaching = mark;
  return MUS_OK;
}

// Whether a face is interpolated from coarse ones that have no values.
static int is_partial(const mus_lattice_domain *d, size_t cell, int axis) {
  const mus_lattice_domain *from = d->coarse;
  const uint32_t value = (uint32_t)(MUS_LATTICE_UNKNOWN | MUS_LATTICE_HELD | MUS_LATTICE_NEAR | MUS_LATTICE_FAR)
                         << axis;
  const int at[3] = {(int)(cell % d->stride[1]), (int)(cell % d->stride[2] / d->stride[1]), (int)(cell / d->stride[2])};
  for (int k = 0; k < 8; ++k) {
    size_t n = 0;
    for (int b = 0; b < 3; ++b) {
      int parent = (at[b] + d->shift[b]) / 2, upper = (at[b] + d->shift[b]) & 1;
      n += (size_t)(parent + (k >> b & 1 ? mus_lattice_other_parent(upper, b == axis) : 0)) * from->stride[b];
    }
    if (!(from->flags[n] & value))
      return 1;
  }
  return 0;
}

static mus_status list_partial(mus_arena *arena, mus_lattice_domain *d) {
  for (int pass = 0; pass < 2; ++pass) {
    d->partial_count = 0;
    for (size_t cell = 0; cell < d->cells; ++cell)
      for (int a = 0; a < 3; ++a)
        if (is(d, cell, (uint32_t)MUS_LATTICE_UNKNOWN << a) && is_partial(d, cell, a)) {
          if (pass == 1)
            d->partial[d->partial_count] = (mus_lattice_face){(int)cell, a};
          ++d->partial_count;
        }
    if (pass == 0)
      d->partial = mus_arena_alloc(arena, (size_t)d->partial_count, sizeof *d->partial);
    if (!d->partial)
      return mus_fail_memory();
  }
  return MUS_OK;
}

mus_status mus_lattice_domains_create(mus_arena *arena, const mus_cells *cells, mus_lattice_domain **finest,
                                      int *levels) {
  mus_arena scratch = {0};
  mus_cells now = *cells, next = {0};
  mus_lattice_domain *d = NULL;
  unsigned char *reaching = NULL; // none on the finest level
  mus_status status = add_domain(arena, cells, NULL, 0, &d);
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
      status = mark_reaching(&scratch, d, &now, &next, &reaching);
    if (!status)
      status = add_domain(arena, &next, reaching, *levels, &coarse);
    if (!status && (coarse->unknowns == 0 || coarse->unknowns >= d->unknowns)) {
      mus_arena_rewind(arena, here);
      break;
    }
    if (!status)
      status = make_relocated(arena, &now, &next, d);
    d->coarse = coarse;
    if (!status)
      status = list_partial(arena, d);
    d = coarse;
    now = next;
    *levels += !status;
  }
  mus_arena_clear(&scratch);
  return status;
}
