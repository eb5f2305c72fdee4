// Patterns from index tuples and gathered assembly. See assembly.h.
//
// Both rest on one table, node -> (element, corner) in element order, made by counting sort. The scatter turns it into
// one list a matrix block: which element blocks add up to it. A list entry packs the place of the element block and a
// bit that says whether it is to be read transposed.
#include "sparse/assembly.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "par/par.h"

enum { KINDS_MAXIMUM = 16 };

// Where a node occurs: corners start[i] ... start[i + 1] - 1, each as kind, element and corner.
typedef struct incidence {
  int kind, element, corner;
} incidence;

typedef struct incidences {
  int *start;
  incidence *list;
} incidences;

struct mus_scatter {
  int kinds, nodes;
  int arity[KINDS_MAXIMUM];
  incidences at;    // for vectors
  int *block_start; // a matrix block -> its contributions
  uint64_t *source; // kind << 56 | transposed << 55 | element block
};

enum { KIND_SHIFT = 56, TRANSPOSED_SHIFT = 55 };
static const uint64_t place_mask = ((uint64_t)1 << TRANSPOSED_SHIFT) - 1;

static mus_status check_tuples(int nodes, int kinds, const mus_tuples *tuples, size_t *corners) {
  if (nodes < 1 || kinds < 0 || kinds > KINDS_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "%d nodes and %d kinds of elements: 1 or more and 0 to %d are possible", nodes,
                    kinds, KINDS_MAXIMUM);
  *corners = 0;
  for (int kind = 0; kind < kinds; ++kind) {
    const mus_tuples *t = &tuples[kind];
    if (t->arity < 0 || t->count < 0)
      return mus_fail(MUS_BAD_INPUT, "kind %d has %d elements of %d nodes: neither can be negative", kind, t->count,
                      t->arity);
    for (int e = 0; e < t->count; ++e)
      for (int c = 0; c < t->arity; ++c) {
        int node = t->index[(size_t)e * (size_t)t->arity + (size_t)c];
        if (node < 0 || node >= nodes)
          return mus_fail(MUS_BAD_INPUT, "element %d of kind %d has node %d, outside 0...%d", e, kind, node, nodes - 1);
        for (int d = 0; d < c; ++d)
          if (t->index[(size_t)e * (size_t)t->arity + (size_t)d] == node)
            return mus_fail(MUS_BAD_INPUT, "element %d of kind %d has node %d twice: remove the degenerate element", e,
                            kind, node);
      }
    *corners += (size_t)t->count * (size_t)t->arity;
  }
  if (*corners > INT_MAX)
    return mus_fail(MUS_BAD_INPUT, "%zu element corners: at most %d are possible", *corners, INT_MAX);
  return MUS_OK;
}

static mus_status find_incidences(mus_arena *arena, int nodes, int kinds, const mus_tuples *tuples, incidences *out) {
  size_t corners = 0;
  mus_status status = check_tuples(nodes, kinds, tuples, &corners);
  if (status)
    return status;
  int *start = mus_arena_alloc_zero(arena, (size_t)nodes + 1, sizeof *start);
  incidence *list = mus_arena_alloc(arena, corners, sizeof *list);
  if (!start || !list)
    return mus_fail_memory();
  for (int kind = 0; kind < kinds; ++kind)
    for (size_t k = 0; k < (size_t)tuples[kind].count * (size_t)tuples[kind].arity; ++k)
      ++start[tuples[kind].index[k] + 1];
  for (int i = 0; i < nodes; ++i)
    start[i + 1] += start[i];
  for (int kind = 0; kind < kinds; ++kind)
    for (int e = 0; e < tuples[kind].count; ++e)
      for (int c = 0; c < tuples[kind].arity; ++c) {
        int node = tuples[kind].index[(size_t)e * (size_t)tuples[kind].arity + (size_t)c];
        list[start[node]++] = (incidence){kind, e, c};
      }
  memmove(start + 1, start, (size_t)nodes * sizeof *start);
  start[0] = 0;
  *out = (incidences){start, list};
  return MUS_OK;
}

// The neighbours of a node, itself included, in ascending order. seen[j] == node marks j as found.
static int neighbours(int node, const incidences *at, const mus_tuples *tuples, int *seen, int *out) {
  int found = 0;
  seen[node] = node;
  out[found++] = node;
  for (int k = at->start[node]; k < at->start[node + 1]; ++k) {
    const mus_tuples *t = &tuples[at->list[k].kind];
    const int *corner = t->index + (size_t)at->list[k].element * (size_t)t->arity;
    for (int c = 0; c < t->arity; ++c)
      if (seen[corner[c]] != node) {
        seen[corner[c]] = node;
        out[found++] = corner[c];
      }
  }
  qsort(out, (size_t)found, sizeof *out, mus_ascending);
  return found;
}

mus_status mus_pattern_from_tuples(mus_arena *arena, int nodes, int kinds, const mus_tuples *tuples, mus_pattern *out) {
  mus_arena scratch = {0};
  incidences at;
  mus_status status = find_incidences(&scratch, nodes, kinds, tuples, &at);
  int *seen = NULL, *row = NULL, *start = NULL;
  if (!status) {
    seen = mus_arena_alloc(&scratch, (size_t)nodes, sizeof *seen);
    row = mus_arena_alloc(&scratch, (size_t)nodes, sizeof *row);
    start = mus_arena_alloc(arena, (size_t)nodes + 1, sizeof *start);
    if (!seen || !row || !start)
      status = mus_fail_memory();
  }
  for (int pass = 0; pass < 2 && !status; ++pass) { // count, then fill
    size_t blocks = 0;
    memset(seen, 0xff, (size_t)nodes * sizeof *seen);
    for (int i = 0; i < nodes; ++i) {
      int found = neighbours(i, &at, tuples, seen, row);
      if (pass == 1)
        memcpy(out->column + blocks, row, (size_t)found * sizeof *row);
      start[i] = (int)blocks;
      blocks += (size_t)found;
      if (blocks > INT_MAX) {
        status = mus_fail(MUS_BAD_INPUT, "the matrix has more than %d blocks: too large for this build", INT_MAX);
        break;
      }
    }
    start[nodes] = (int)blocks;
    if (pass == 0 && !status) {
      *out = (mus_pattern){nodes, nodes, start, mus_arena_alloc(arena, blocks, sizeof *out->column)};
      if (!out->column)
        status = mus_fail_memory();
    }
  }
  mus_arena_clear(&scratch);
  return status;
}

// Place of block (i, j), i <= j, in an element's upper triangle.
static int triangle_place(int arity, int i, int j) { return i * arity - i * (i - 1) / 2 + (j - i); }

// Visits the contributions to row `node` in order; counts them a block, or writes them where next[] says.
static mus_status visit_row(int node, const mus_pattern *pattern, const incidences *at, const mus_tuples *tuples,
                            int *next, uint64_t *source) {
  for (int k = at->start[node]; k < at->start[node + 1]; ++k) {
    incidence here = at->list[k];
    const mus_tuples *t = &tuples[here.kind];
    const int *corner = t->index + (size_t)here.element * (size_t)t->arity;
    for (int c = 0; c < t->arity; ++c) {
      int block = mus_pattern_find(pattern, node, corner[c]);
      if (block < 0)
        return mus_fail(MUS_BAD_INPUT, "the pattern has no block (%d, %d), which element %d of kind %d needs", node,
                        corner[c], here.element, here.kind);
      if (!source) {
        ++next[block];
        continue;
      }
      int transposed = c < here.corner;
      int i = transposed ? c : here.corner, j = transposed ? here.corner : c;
      uint64_t place =
          (uint64_t)here.element * (uint64_t)mus_tuple_blocks(t->arity) + (uint64_t)triangle_place(t->arity, i, j);
      source[next[block]++] = (uint64_t)here.kind << KIND_SHIFT | (uint64_t)transposed << TRANSPOSED_SHIFT | place;
    }
  }
  return MUS_OK;
}

mus_status mus_scatter_create(mus_arena *arena, const mus_pattern *pattern, int kinds, const mus_tuples *tuples,
                              mus_scatter **out) {
  int blocks = mus_pattern_blocks(pattern);
  mus_scatter *s = mus_arena_alloc_zero(arena, 1, sizeof *s);
  int *start = mus_arena_alloc_zero(arena, (size_t)blocks + 1, sizeof *start);
  if (!s || !start)
    return mus_fail_memory();
  s->kinds = kinds;
  s->nodes = pattern->rows;
  mus_status status = find_incidences(arena, pattern->rows, kinds, tuples, &s->at);
  if (status)
    return status;
  for (int kind = 0; kind < kinds; ++kind)
    s->arity[kind] = tuples[kind].arity;
  for (int i = 0; i < pattern->rows; ++i) // counts, shifted by one so that the sum below gives starts
    if ((status = visit_row(i, pattern, &s->at, tuples, start + 1, NULL)))
      return status;
  size_t total = 0;
  for (int k = 0; k < blocks; ++k) {
    total += (size_t)start[k + 1];
    if (total > INT_MAX)
      return mus_fail(MUS_BAD_INPUT, "more than %d element blocks: too large for this build", INT_MAX);
    start[k + 1] = (int)total;
  }
  s->source = mus_arena_alloc(arena, total, sizeof *s->source);
  if (!s->source)
    return mus_fail_memory();
  for (int i = 0; i < pattern->rows; ++i)
    if ((status = visit_row(i, pattern, &s->at, tuples, start, s->source)))
      return status;
  memmove(start + 1, start, (size_t)blocks * sizeof *start);
  start[0] = 0;
  s->block_start = start;
  *out = s;
  return MUS_OK;
}

static void add_block(int block, const double *from, double *to) {
  for (int k = 0; k < block * block; ++k)
    to[k] += from[k];
}

static void add_transposed(int block, const double *from, double *to) {
  for (int i = 0; i < block; ++i)
    for (int j = 0; j < block; ++j)
      to[i * block + j] += from[j * block + i];
}

void mus_scatter_matrix(const mus_scatter *s, const double *const *element_blocks, mus_matrix *a) {
  int block = a->row_block;
  size_t size = (size_t)(block * block);
  int blocks = mus_pattern_blocks(a->pattern);
  MUS_PARALLEL_FOR_IF(blocks > MUS_PAR_MINIMUM)
  for (int k = 0; k < blocks; ++k) {
    double *to = a->value + (size_t)k * size;
    memset(to, 0, size * sizeof *to);
    for (int c = s->block_start[k]; c < s->block_start[k + 1]; ++c) {
      uint64_t source = s->source[c];
      const double *from = element_blocks[source >> KIND_SHIFT] + (source & place_mask) * size;
      if (source >> TRANSPOSED_SHIFT & 1)
        add_transposed(block, from, to);
      else
        add_block(block, from, to);
    }
  }
}

void mus_scatter_vector(const mus_scatter *s, int block, const double *const *element_vectors, double *y) {
  size_t size = (size_t)block;
  MUS_PARALLEL_FOR_IF(s->nodes > MUS_PAR_MINIMUM)
  for (int i = 0; i < s->nodes; ++i) {
    double *to = y + (size_t)i * size;
    memset(to, 0, size * sizeof *to);
    for (int k = s->at.start[i]; k < s->at.start[i + 1]; ++k) {
      incidence here = s->at.list[k];
      const double *from = element_vectors[here.kind] +
                           ((size_t)here.element * (size_t)s->arity[here.kind] + (size_t)here.corner) * size;
      for (size_t c = 0; c < size; ++c)
        to[c] += from[c];
    }
  }
}
