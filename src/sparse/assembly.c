// Patterns from index tuples, and coloured assembly. See assembly.h.
//
// Where an element's block goes is kept as its offset in the row of the matrix: the pattern has the row's start, so two
// bytes are enough for each of the element's k x k blocks.
#include "sparse/assembly.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "par/par.h"
#include "par/vector.h"
#include "sparse/assembly_add.h"
#include "sparse/colouring.h"
#include "sparse/product.h"

// Shares are long, so that most of what they touch is touched by one of them only, and many enough to keep threads
// busy.
enum { SHARES_MAXIMUM = 128, SHARE_MINIMUM = 3072 };
// Numbers that a thread evaluates before it adds them up: small enough for the innermost cache.
enum { WORKSPACE = 2048 };
// Elements that evaluations may take at once: as long as there are more, they get a multiple of that.
enum { AT_ONCE = 8 };

typedef struct element_list {
  mus_tuples tuples;
  uint16_t *offset; // arity * arity an element, by rows
} element_list;

struct mus_scatter {
  const mus_pattern *pattern;
  int block, lists, shares;
  element_list *list;
  mus_colouring colouring; // of the shares
  int *own_start, *own;    // the nodes that a share is the first to touch, and whose sums it starts
};

// --- checks and incidences -------------------------------------------------------------------------------------------

static const int *nodes_of(const mus_tuples *t, int element) { return t->index + (size_t)element * (size_t)t->arity; }

static mus_status check_element(int nodes, const mus_tuples *t, int list, int element) {
  const int *index = nodes_of(t, element);
  for (int c = 0; c < t->arity; ++c) {
    long long node = (long long)index[c] + t->first;
    if (node < 0 || node >= nodes)
      return mus_fail(MUS_BAD_INPUT, "element %d of list %d has node %lld, outside 0...%d", element, list, node,
                      nodes - 1);
    for (int d = 0; d < c; ++d)
      if (index[d] == index[c])
        return mus_fail(MUS_BAD_INPUT, "element %d of list %d has node %lld twice: remove the degenerate element",
                        element, list, node);
  }
  return MUS_OK;
}

static mus_status check_tuples(int nodes, int lists, const mus_tuples *tuples) {
  if (nodes < 1 || lists < 0)
    return mus_fail(MUS_BAD_INPUT, "%d nodes and %d lists of elements: 1 or more and 0 or more are possible", nodes,
                    lists);
  size_t corners = 0;
  for (int l = 0; l < lists; ++l) {
    const mus_tuples *t = &tuples[l];
    if (t->arity < 1 || t->count < 0)
      return mus_fail(MUS_BAD_INPUT, "list %d has %d elements of %d nodes: 0 or more and 1 or more are possible", l,
                      t->count, t->arity);
    for (int e = 0; e < t->count; ++e) {
      mus_status status = check_element(nodes, t, l, e);
      if (status)
        return status;
    }
    corners += (size_t)t->count * (size_t)t->arity;
  }
  if (corners > INT_MAX)
    return mus_fail(MUS_BAD_INPUT, "%zu element corners: at most %d are possible", corners, INT_MAX);
  return MUS_OK;
}

// The elements around each node: those of node i are at start[i] ... start[i + 1] - 1.
typedef struct incidence {
  int list, element;
} incidence;

typedef struct incidences {
  int *start;
  incidence *at;
} incidences;

static mus_status find_incidences(mus_arena *arena, int nodes, int lists, const mus_tuples *tuples, incidences *out) {
  int *start = mus_arena_alloc_zero(arena, (size_t)nodes + 1, sizeof *start);
  if (!start)
    return mus_fail_memory();
  for (int l = 0; l < lists; ++l)
    for (size_t k = 0; k < (size_t)tuples[l].count * (size_t)tuples[l].arity; ++k)
      ++start[tuples[l].first + tuples[l].index[k] + 1];
  for (int i = 0; i < nodes; ++i)
    start[i + 1] += start[i];
  incidence *at = mus_arena_alloc(arena, (size_t)start[nodes], sizeof *at);
  if (!at)
    return mus_fail_memory();
  for (int l = 0; l < lists; ++l)
    for (int e = 0; e < tuples[l].count; ++e)
      for (int c = 0; c < tuples[l].arity; ++c)
        at[start[tuples[l].first + nodes_of(&tuples[l], e)[c]]++] = (incidence){l, e};
  memmove(start + 1, start, (size_t)nodes * sizeof *start);
  start[0] = 0;
  *out = (incidences){start, at};
  return MUS_OK;
}

// --- the pattern -----------------------------------------------------------------------------------------------------

// The neighbours of a node, itself included, in ascending order. seen[j] == node marks j as found.
static int neighbours(int node, const incidences *around, const mus_tuples *tuples, int *seen, int *out) {
  int found = 0;
  seen[node] = node;
  out[found++] = node;
  for (int k = around->start[node]; k < around->start[node + 1]; ++k) {
    const mus_tuples *t = &tuples[around->at[k].list];
    const int *index = nodes_of(t, around->at[k].element);
    for (int c = 0; c < t->arity; ++c) {
      int other = t->first + index[c];
      if (seen[other] != node) {
        seen[other] = node;
        out[found++] = other;
      }
    }
  }
  qsort(out, (size_t)found, sizeof *out, mus_ascending);
  return found;
}

mus_status mus_pattern_from_tuples(mus_arena *arena, int nodes, int lists, const mus_tuples *tuples, mus_pattern *out) {
  mus_arena scratch = {0};
  incidences around = {0};
  int *seen = NULL, *row = NULL, *start = NULL;
  mus_status status = check_tuples(nodes, lists, tuples);
  if (!status)
    status = find_incidences(&scratch, nodes, lists, tuples, &around);
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
      int found = neighbours(i, &around, tuples, seen, row);
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

// --- shares and their colours ----------------------------------------------------------------------------------------

static int share_begin(const mus_tuples *t, int share, int shares) {
  return (int)((long long)t->count * share / shares);
}

static int choose_shares(int lists, const mus_tuples *tuples) {
  long long elements = 0;
  for (int l = 0; l < lists; ++l)
    elements += tuples[l].count;
  long long shares = elements / SHARE_MINIMUM;
  return shares < 1 ? 1 : shares > SHARES_MAXIMUM ? SHARES_MAXIMUM : (int)shares;
}

// Visits each node that a share touches once: counts its shares, or writes them where next[] says.
static void visit_share(const mus_scatter *s, int share, int *seen, int *next, int *column) {
  for (int l = 0; l < s->lists; ++l) {
    const mus_tuples *t = &s->list[l].tuples;
    size_t arity = (size_t)t->arity, end = (size_t)share_begin(t, share + 1, s->shares) * arity;
    for (size_t k = (size_t)share_begin(t, share, s->shares) * arity; k < end; ++k) {
      int node = t->first + t->index[k];
      if (seen[node] == share)
        continue;
      seen[node] = share;
      if (column)
        column[next[node]++] = share;
      else
        ++next[node];
    }
  }
}

// Nodes x shares: which shares touch a node.
static mus_status find_touches(mus_arena *arena, const mus_scatter *s, mus_pattern *out) {
  size_t nodes = (size_t)s->pattern->rows;
  int *start = mus_arena_alloc_zero(arena, nodes + 1, sizeof *start), *column = NULL;
  int *seen = mus_arena_alloc(arena, nodes, sizeof *seen);
  if (!start || !seen)
    return mus_fail_memory();
  for (int pass = 0; pass < 2; ++pass) {
    memset(seen, 0xff, nodes * sizeof *seen);
    for (int share = 0; share < s->shares; ++share)
      visit_share(s, share, seen, pass == 0 ? start + 1 : start, column);
    if (pass == 1)
      break;
    for (size_t i = 0; i < nodes; ++i)
      start[i + 1] += start[i];
    if (!(column = mus_arena_alloc(arena, (size_t)start[nodes], sizeof *column)))
      return mus_fail_memory();
  }
  memmove(start + 1, start, nodes * sizeof *start);
  start[0] = 0;
  *out = (mus_pattern){s->pattern->rows, s->shares, start, column};
  return MUS_OK;
}

// Of the shares that touch a node the one whose colour comes first; nodes that none touches go to the first share.
static int first_share(const mus_pattern *touches, int node, const int *turn) {
  int begin = touches->row_start[node], end = touches->row_start[node + 1],
      first = begin < end ? touches->column[begin] : 0;
  for (int k = begin; k < end; ++k)
    if (turn[touches->column[k]] < turn[first])
      first = touches->column[k];
  return first;
}

static mus_status deal_out_nodes(mus_arena *arena, mus_arena *scratch, mus_scatter *s, const mus_pattern *touches) {
  int *turn = mus_arena_alloc(scratch, (size_t)s->shares, sizeof *turn);
  int *start = mus_arena_alloc_zero(arena, (size_t)s->shares + 2, sizeof *start);
  int *own = mus_arena_alloc(arena, (size_t)touches->rows, sizeof *own);
  if (!turn || !start || !own)
    return mus_fail_memory();
  for (int k = 0; k < s->shares; ++k)
    turn[s->colouring.node[k]] = k;
  for (int i = 0; i < touches->rows; ++i)
    ++start[first_share(touches, i, turn) + 2];
  for (int k = 0; k < s->shares; ++k)
    start[k + 2] += start[k + 1];
  for (int i = 0; i < touches->rows; ++i)
    own[start[first_share(touches, i, turn) + 1]++] = i;
  s->own_start = start;
  s->own = own;
  return MUS_OK;
}

static mus_status colour_shares(mus_arena *arena, mus_scatter *s) {
  mus_arena scratch = {0};
  mus_pattern touches, beside;
  mus_transpose touched;
  mus_status status = find_touches(&scratch, s, &touches);
  if (!status)
    status = mus_transpose_create(&scratch, &touches, &touched);
  if (!status)
    status = mus_product_pattern(&scratch, &touched.pattern, &touches, &beside);
  if (!status)
    status = mus_colour(arena, &beside, 1, &s->colouring);
  if (!status)
    status = deal_out_nodes(arena, &scratch, s, &touches);
  mus_arena_clear(&scratch);
  return status;
}

// --- where blocks go -------------------------------------------------------------------------------------------------

// Writes the offsets of an element's blocks; 0, and which pair, where the pattern lacks one.
static int place_element(const mus_pattern *pattern, const mus_tuples *t, int element, uint16_t *offset, int *pair) {
  const int *index = nodes_of(t, element);
  for (int i = 0; i < t->arity; ++i)
    for (int j = 0; j < t->arity; ++j) {
      int row = t->first + index[i], column = t->first + index[j], place = mus_pattern_find(pattern, row, column);
      if (place < 0) {
        pair[0] = row;
        pair[1] = column;
        return 0;
      }
      *offset++ = (uint16_t)(place - pattern->row_start[row]);
    }
  return 1;
}

// All offsets of a list; its elements one after the other only when one of them has to be named.
static mus_status place_list(const mus_pattern *pattern, int which, element_list *list) {
  const mus_tuples *t = &list->tuples;
  size_t size = (size_t)(t->arity * t->arity);
  int placed = 1, pair[2];
  MUS_PARALLEL
  {
    int all = 1, missing[2];
    MUS_SHARE_FOR
    for (int e = 0; e < t->count; ++e)
      all &= place_element(pattern, t, e, list->offset + (size_t)e * size, missing);
    MUS_ONE_AT_A_TIME
    placed &= all;
  }
  for (int e = 0; e < t->count && !placed; ++e)
    if (!place_element(pattern, t, e, list->offset + (size_t)e * size, pair))
      return mus_fail(MUS_BAD_INPUT, "the pattern has no block (%d, %d), which element %d of list %d needs", pair[0],
                      pair[1], e, which);
  return MUS_OK;
}

// Numbers that an element emits for the matrix, and for the vector.
static size_t block_numbers(const mus_tuples *t, int block) {
  int rows = t->rank_one ? t->arity : mus_tuple_blocks(t->arity) * block;
  return (size_t)rows * (size_t)block;
}

static size_t vector_numbers(const mus_tuples *t, int block) { return (size_t)t->arity * (size_t)block; }

static size_t element_numbers(const mus_tuples *t, int block) {
  return block_numbers(t, block) + vector_numbers(t, block);
}

static mus_status check_sizes(const mus_pattern *pattern, int block, int lists, const mus_tuples *tuples) {
  for (int i = 0; i < pattern->rows; ++i)
    if (pattern->row_start[i + 1] - pattern->row_start[i] > UINT16_MAX + 1)
      return mus_fail(MUS_BAD_INPUT, "node %d has %d neighbours: at most %d are possible", i,
                      pattern->row_start[i + 1] - pattern->row_start[i] - 1, UINT16_MAX);
  for (int l = 0; l < lists; ++l)
    if (tuples[l].arity > WORKSPACE || element_numbers(&tuples[l], block) > WORKSPACE)
      return mus_fail(MUS_BAD_INPUT, "list %d has elements of %d nodes, which are too many with %d unknowns per node",
                      l, tuples[l].arity, block);
  return MUS_OK;
}

mus_status mus_scatter_create(mus_arena *arena, const mus_pattern *pattern, int block, int lists,
                              const mus_tuples *tuples, mus_scatter **out) {
  mus_status status = check_tuples(pattern->rows, lists, tuples);
  if (!status)
    status = check_sizes(pattern, block, lists, tuples);
  if (status)
    return status;
  mus_scatter *s = mus_arena_alloc(arena, 1, sizeof *s);
  element_list *list = mus_arena_alloc(arena, (size_t)lists, sizeof *list);
  if (!s || !list)
    return mus_fail_memory();
  *s = (mus_scatter){
      .pattern = pattern, .block = block, .lists = lists, .shares = choose_shares(lists, tuples), .list = list};
  for (int l = 0; l < lists && !status; ++l) {
    size_t numbers = (size_t)tuples[l].count * (size_t)(tuples[l].arity * tuples[l].arity);
    list[l] = (element_list){tuples[l], mus_arena_alloc(arena, numbers, sizeof *list[l].offset)};
    status = list[l].offset ? place_list(pattern, l, &list[l]) : mus_fail_memory();
  }
  if (!status)
    status = colour_shares(arena, s);
  if (!status)
    *out = s;
  return status;
}

void mus_scatter_shape(const mus_scatter *s, int *shares, int *colours) {
  *shares = s->shares;
  *colours = s->colouring.colours;
}

// --- sums ------------------------------------------------------------------------------------------------------------

static inline void add_vectors(int block, const mus_tuples *t, int first, int count, const double *from, double *y) {
  const int *index = nodes_of(t, first);
  for (int k = 0; k < count * t->arity; ++k, from += block) {
    double *to = y + (size_t)(t->first + index[k]) * (size_t)block;
    for (int c = 0; c < block; ++c)
      to[c] += from[c];
  }
}

static void add_matrices(const mus_scatter *s, const element_list *l, int first, int count, const double *from,
                         double *value) {
  const mus_tuples *t = &l->tuples;
  size_t arity = (size_t)t->arity;
  mus_add_task task = {.arity = t->arity,
                       .block = s->block,
                       .count = count,
                       .index = nodes_of(t, first),
                       .offset = l->offset + (size_t)first * arity * arity,
                       .row_start = s->pattern->row_start + t->first,
                       .from = from,
                       .value = value};
  if (t->rank_one)
    mus_add_rank_ones(&task);
  else
    mus_add_blocks(&task);
}

// Zeros to start from, just before they are needed.
static void start_sums(const mus_scatter *s, int share, double *value, double *y) {
  size_t block = (size_t)s->block;
  const int *row_start = s->pattern->row_start;
  for (int k = s->own_start[share]; k < s->own_start[share + 1]; ++k) {
    size_t i = (size_t)s->own[k], blocks = (size_t)(row_start[i + 1] - row_start[i]);
    memset(y + i * block, 0, block * sizeof *y);
    if (value)
      memset(value + (size_t)row_start[i] * block * block, 0, blocks * block * block * sizeof *value);
  }
}

// A share of a list, as many elements at once as fit the workspace.
static void run_share(const mus_scatter *s, int list, int share, mus_evaluate *evaluate, const void *context,
                      double *value, double *y) {
  const element_list *l = &s->list[list];
  const mus_tuples *t = &l->tuples;
  int end = share_begin(t, share + 1, s->shares), most = (int)(WORKSPACE / element_numbers(t, s->block));
  most -= most > AT_ONCE ? most % AT_ONCE : 0;
  double workspace[WORKSPACE + 1], *blocks = value ? workspace + (size_t)most * vector_numbers(t, s->block) : NULL;
  workspace[WORKSPACE] = 0; // the number behind the last
  for (int first = share_begin(t, share, s->shares); first < end; first += most) {
    int count = end - first < most ? end - first : most;
    evaluate(context, list, first, count, workspace, blocks);
    if (s->block == 3)
      add_vectors(3, t, first, count, workspace, y);
    else
      add_vectors(s->block, t, first, count, workspace, y);
    if (blocks)
      add_matrices(s, l, first, count, blocks, value);
  }
}

void mus_scatter_run(const mus_scatter *s, mus_evaluate *evaluate, const void *context, mus_matrix *a, double *y) {
  double *value = a ? a->value : NULL;
  const mus_colouring *colouring = &s->colouring;
  MUS_PARALLEL
  for (int colour = 0; colour < colouring->colours; ++colour) {
    MUS_SHARE_RUNS
    for (int k = colouring->start[colour]; k < colouring->start[colour + 1]; ++k) {
      start_sums(s, colouring->node[k], value, y);
      for (int list = 0; list < s->lists; ++list)
        run_share(s, list, colouring->node[k], evaluate, context, value, y);
    }
  }
}
