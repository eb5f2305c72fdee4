#include "lattice/boxes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lattice/domain.h"

// Blocks of cells: a vector of them along axis 0, along which memory lies. Across, of 12 cells 4 are three apart, so
// that in a plane that looks along axis 0 a batch has 16 cells as well.
static const int block_size[3] = {MUS_LATTICE_LANES, 12, 12};
enum { BLOCK_CELLS = MUS_LATTICE_LANES * 12 * 12 };

typedef struct block_counts {
  int along[3];
  size_t total;
  int *cells; // of each block, then where its next cell goes
} block_counts;

static int is(const mus_lattice_domain *d, size_t cell, uint32_t flag) { return mus_lattice_is(d, cell, flag); }

static void place_of(const mus_lattice_domain *d, size_t cell, int *at) {
  at[0] = (int)(cell % d->stride[1]);
  at[1] = (int)(cell % d->stride[2] / d->stride[1]);
  at[2] = (int)(cell / d->stride[2]);
}

static size_t block_of(const mus_lattice_domain *d, const block_counts *blocks, size_t cell) {
  int at[3];
  place_of(d, cell, at);
  for (int a = 0; a < 3; ++a)
    at[a] /= block_size[a];
  return ((size_t)at[2] * (size_t)blocks->along[1] + (size_t)at[1]) * (size_t)blocks->along[0] + (size_t)at[0];
}

static int group_of_block(const block_counts *blocks, size_t block) {
  size_t x = (size_t)blocks->along[0], y = (size_t)blocks->along[1];
  return (int)(block % x % 2 + 2 * (block / x % y % 2) + 4 * (block / x / y % 2));
}

// Where the blocks of each group lie, and their cells: the counts become places.
static void place_blocks(block_counts *blocks, mus_lattice_list *list, int *first) {
  int block = 0, cell = 0;
  for (int g = 0; g < MUS_LATTICE_GROUPS; ++g) {
    list->start[g] = block;
    for (size_t k = 0; k < blocks->total; ++k) {
      int count = blocks->cells[k];
      if (count == 0 || group_of_block(blocks, k) != g)
        continue;
      first[block++] = cell;
      blocks->cells[k] = cell;
      cell += count;
    }
  }
  list->start[MUS_LATTICE_GROUPS] = block;
  first[block] = cell;
}

static mus_status count_blocks(mus_arena *scratch, const mus_lattice_domain *d, const unsigned char *mark,
                               block_counts *out, size_t *used, size_t *cells) {
  out->total = 1;
  for (int a = 0; a < 3; ++a) {
    out->along[a] = d->count[a] / block_size[a] + 1;
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

// --- patterns -------------------------------------------------------------------------------------------------------

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

// --- batches --------------------------------------------------------------------------------------------------------

// A cell of a block with what it is sorted by.
typedef struct member {
  int class, cell; // class: remainders by three along all axes
  mus_lattice_pattern pattern;
} member;

static member make_member(const mus_lattice_domain *d, int cell) {
  int at[3];
  place_of(d, (size_t)cell, at);
  return (member){.class = at[0] % 3 + 3 * (at[1] % 3) + 9 * (at[2] % 3),
                  .cell = cell,
                  .pattern = {box_stresses(d, (size_t)cell), box_weights(d, (size_t)cell), box_walls(d, (size_t)cell)}};
}

static int compare_patterns(const mus_lattice_pattern *x, const mus_lattice_pattern *y) {
  if (x->stresses != y->stresses)
    return x->stresses < y->stresses ? -1 : 1;
  if (x->weights != y->weights)
    return x->weights < y->weights ? -1 : 1;
  return x->walls == y->walls ? 0 : x->walls < y->walls ? -1 : 1;
}

static int compare_members(const void *a, const void *b) {
  const member *x = a, *y = b;
  if (x->class != y->class)
    return x->class - y->class;
  int pattern = compare_patterns(&x->pattern, &y->pattern);
  return pattern ? pattern : x->cell - y->cell;
}

// The batch of cells that follow each other in a row, if there are several; how many is returned. Lanes begin with the
// block, or as far before as makes them end with the row: what lies in them and is not of the batch is only read.
static int make_row(const mus_lattice_domain *d, const member *members, int count, mus_lattice_batch *out) {
  int begin[3], row = members->cell / (int)d->stride[1], cells = 1;
  place_of(d, (size_t)members->cell, begin);
  begin[0] -= begin[0] % MUS_LATTICE_LANES;
  if (begin[0] > d->count[0] - MUS_LATTICE_LANES - 1)
    begin[0] = d->count[0] - MUS_LATTICE_LANES - 1;
  while (cells < count && members[cells].cell / (int)d->stride[1] == row)
    ++cells;
  if (begin[0] < 0 || cells == 1)
    return 0;
  *out = (mus_lattice_batch){.pattern = members->pattern, .first = row * (int)d->stride[1] + begin[0]};
  for (int k = 0; k < cells; ++k)
    out->lanes |= (uint16_t)(1 << (members[k].cell - out->first));
  return cells;
}

// What a list is made in: as much room as it may need at most.
typedef struct builder {
  int batches, others;
  mus_lattice_batch *batch;
  int *cell;
} builder;

// Adds the batches of cells of one class and pattern: rows, and then all others.
static void add_alike(const mus_lattice_domain *d, const member *members, int count, builder *to) {
  int first = to->others, in_row;
  for (int k = 0; k<count; k += in_row> 0 ? in_row : 1) {
    in_row = make_row(d, members + k, count - k, &to->batch[to->batches]);
    if (in_row > 0)
      ++to->batches;
    else
      to->cell[to->others++] = members[k].cell;
  }
  for (int k = first; k < to->others; k += MUS_LATTICE_LANES) {
    int some = to->others - k < MUS_LATTICE_LANES ? to->others - k : MUS_LATTICE_LANES;
    to->batch[to->batches++] = (mus_lattice_batch){.pattern = members->pattern, .first = k, .count = (uint16_t)some};
  }
}

// Adds the batches of a block.
static void add_block(const mus_lattice_domain *d, const int *cell, int count, builder *to) {
  member members[BLOCK_CELLS];
  for (int k = 0; k < count; ++k)
    members[k] = make_member(d, cell[k]);
  qsort(members, (size_t)count, sizeof *members, compare_members);
  for (int k = 0, alike; k < count; k += alike) {
    for (alike = 1; k + alike < count; ++alike)
      if (members[k + alike].class != members[k].class ||
          compare_patterns(&members[k + alike].pattern, &members[k].pattern))
        break;
    add_alike(d, members + k, alike, to);
  }
}

static mus_status keep(mus_arena *arena, const builder *made, mus_lattice_list *list) {
  list->batch = mus_arena_alloc(arena, (size_t)made->batches, sizeof *list->batch);
  list->cell = mus_arena_alloc(arena, (size_t)made->others, sizeof *list->cell);
  if (!list->batch || !list->cell)
    return mus_fail_memory();
  memcpy(list->batch, made->batch, (size_t)made->batches * sizeof *made->batch);
  memcpy(list->cell, made->cell, (size_t)made->others * sizeof *made->cell);
  return MUS_OK;
}

static mus_status make_list(mus_arena *arena, mus_arena *scratch, const mus_lattice_domain *d,
                            const unsigned char *mark, mus_lattice_list *list) {
  block_counts blocks;
  size_t used;
  mus_status status = count_blocks(scratch, d, mark, &blocks, &used, &list->cells);
  if (status)
    return status;
  builder made = {.batch = mus_arena_alloc(scratch, list->cells, sizeof *made.batch),
                  .cell = mus_arena_alloc(scratch, list->cells, sizeof *made.cell)};
  int *first = mus_arena_alloc(scratch, used + 1, sizeof *first);
  int *cell = mus_arena_alloc(scratch, list->cells, sizeof *cell);
  list->block = mus_arena_alloc(arena, used + 1, sizeof *list->block);
  if (!made.batch || !made.cell || !first || !cell || !list->block)
    return mus_fail_memory();
  place_blocks(&blocks, list, first);
  for (size_t n = 0; n < d->cells; ++n)
    if (mark[n])
      cell[blocks.cells[block_of(d, &blocks, n)]++] = (int)n;
  for (size_t k = 0; k < used; ++k) {
    list->block[k] = made.batches;
    add_block(d, cell + first[k], first[k + 1] - first[k], &made);
  }
  list->block[used] = made.batches;
  return keep(arena, &made, list);
}

mus_status mus_lattice_list_create(mus_arena *arena, const mus_lattice_domain *d, const unsigned char *mark,
                                   mus_lattice_list *list) {
  mus_arena scratch = {0};
  mus_status status = make_list(arena, &scratch, d, mark, list);
  mus_arena_clear(&scratch);
  return status;
}
