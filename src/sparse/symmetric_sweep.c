// The order of sweeps, and sweeps over all chunks. See symmetric_sweep.h.
#include "sparse/symmetric_sweep.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "sparse/symmetric_kernels.h"

// --- the order ---------------------------------------------------------------------------------------------------

static int chunk_of(const mus_symmetric_pattern *p, int row) {
  int low = 0, high = p->chunks;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (p->chunk[middle] <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Visits the blocks beside the diagonal that are stored for their row alone.
typedef void visit_own(void *self, int chunk, int row, int other_chunk, int column, int block);

static void visit_all_own(const mus_symmetric_pattern *p, visit_own *visit, void *self) {
  for (int chunk = 0; chunk < p->chunks; ++chunk)
    for (int i = p->chunk[chunk]; i < p->chunk[chunk + 1]; ++i)
      for (int k = p->row_start[i] + 1; k < p->pair_start[i]; ++k)
        visit(self, chunk, i, chunk_of(p, p->where[k]), p->where[k], k);
}

typedef struct neighbours {
  uint64_t of[MUS_SYMMETRIC_CHUNKS]; // a bit for each chunk
} neighbours;

static void note_neighbour(void *self, int chunk, int row, int other_chunk, int column, int block) {
  (void)row;
  (void)column;
  (void)block;
  if (other_chunk != chunk)
    ((neighbours *)self)->of[chunk] |= UINT64_C(1) << other_chunk;
}

// Each chunk gets the first colour that none of its neighbours has.
static int colour_chunks(const mus_symmetric_pattern *p, int *colour) {
  neighbours found = {{0}};
  int colours = 0;
  visit_all_own(p, note_neighbour, &found);
  for (int chunk = 0; chunk < p->chunks; ++chunk) {
    uint64_t taken = 0;
    for (int other = 0; other < chunk; ++other)
      if (found.of[chunk] >> other & 1)
        taken |= UINT64_C(1) << colour[other];
    colour[chunk] = 0;
    while (taken >> colour[chunk] & 1)
      ++colour[chunk];
    colours = colour[chunk] >= colours ? colour[chunk] + 1 : colours;
  }
  return colours;
}

static void order_by_colours(int chunks, const int *colour, mus_symmetric_order *out) {
  int count = 0;
  for (int c = 0; c < out->colours; ++c) {
    out->colour_start[c] = count;
    for (int chunk = 0; chunk < chunks; ++chunk)
      if (colour[chunk] == c)
        out->chunk[count++] = chunk;
  }
  out->colour_start[out->colours] = count;
}

typedef struct listing {
  mus_symmetric_order *order;
  const int *colour;
  int count, lists; // lists: 0 counts only
} listing;

// On the way down, colours descend, and so do rows in a chunk.
static void list_late(void *self, int chunk, int row, int other_chunk, int column, int block) {
  listing *l = self;
  int is_late = chunk == other_chunk ? column < row : l->colour[other_chunk] < l->colour[chunk];
  if (!is_late)
    return;
  if (l->lists) {
    l->order->late_row[l->count] = row;
    l->order->late_column[l->count] = column;
    l->order->late_block[l->count] = block;
  }
  l->order->late_start[chunk + 1] = ++l->count;
}

static void list_all_late(const mus_symmetric_pattern *p, listing *l) {
  l->count = 0;
  memset(l->order->late_start, 0, sizeof l->order->late_start);
  visit_all_own(p, list_late, l);
  for (int chunk = 0; chunk < p->chunks; ++chunk) // some have none
    if (l->order->late_start[chunk + 1] < l->order->late_start[chunk])
      l->order->late_start[chunk + 1] = l->order->late_start[chunk];
}

mus_status mus_symmetric_order_create(mus_arena *arena, const mus_symmetric_pattern *pattern,
                                      mus_symmetric_order *out) {
  int colour[MUS_SYMMETRIC_CHUNKS];
  *out = (mus_symmetric_order){.pattern = pattern, .colours = colour_chunks(pattern, colour)};
  order_by_colours(pattern->chunks, colour, out);
  listing l = {.order = out, .colour = colour};
  list_all_late(pattern, &l);
  out->late_row = mus_arena_alloc(arena, (size_t)l.count, sizeof *out->late_row);
  out->late_column = mus_arena_alloc(arena, (size_t)l.count, sizeof *out->late_column);
  out->late_block = mus_arena_alloc(arena, (size_t)l.count, sizeof *out->late_block);
  if (!out->late_row || !out->late_column || !out->late_block)
    return mus_fail_memory();
  l.lists = 1;
  list_all_late(pattern, &l);
  return MUS_OK;
}

static mus_symmetric_rows rows_of(const mus_symmetric_pattern *p, int chunk) {
  return (mus_symmetric_rows){p->chunk[chunk], p->chunk[chunk], p->chunk[chunk + 1]};
}

// --- sweeps ------------------------------------------------------------------------------------------------------

#define TEMPLATE "sparse/symmetric_sweeps_template.h"
#include "base/both_precisions.h"
