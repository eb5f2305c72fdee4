// Terms beyond a matrix's pattern. See beyond.h.
#include "constrain/beyond.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "par/par.h"
#include "par/vector.h"
#include "sparse/gram.h"

enum { ENTRIES_MAXIMUM = MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM };

// --- which blocks there are -----------------------------------------------------------------------------------------

// For each touched node the terms that touch it, in their order.
typedef struct incidence {
  int *start; // one for each touched node, and one more
  int *item;  // widest * term + which of its nodes
} incidence;

// How many terms touch each node, how many nodes are touched, and how often; the most nodes of a term.
static int count_touched(int rows, const mus_terms *terms, int *next, int *incidents, int *widest) {
  const int *node;
  int touched = 0;
  *widest = 1;
  for (int t = 0; t < terms->count; ++t) {
    int n = terms->nodes(terms->self, t, &node);
    *widest = n > *widest ? n : *widest;
    for (int i = 0; i < n; ++i)
      ++next[node[i]];
  }
  *incidents = 0;
  for (int row = 0; row < rows; ++row) {
    touched += next[row] > 0;
    *incidents += next[row];
  }
  return touched;
}

static mus_status find_incidence(mus_arena *arena, mus_arena *scratch, int rows, const mus_terms *terms,
                                 incidence *found, mus_beyond *out) {
  int *next = mus_arena_alloc_zero(scratch, (size_t)rows, sizeof *next), incidents;
  if (!next)
    return mus_fail_memory();
  int touched = count_touched(rows, terms, next, &incidents, &out->widest);
  out->node = mus_arena_alloc(arena, (size_t)touched, sizeof *out->node);
  found->start = mus_arena_alloc(scratch, (size_t)touched + 1, sizeof *found->start);
  found->item = mus_arena_alloc(scratch, (size_t)incidents, sizeof *found->item);
  if (!out->node || !found->start || !found->item)
    return mus_fail_memory();
  incidents = 0;
  for (int row = 0; row < rows; ++row) {
    int here = next[row];
    if (here == 0)
      continue;
    out->node[out->count] = row;
    found->start[out->count++] = next[row] = incidents;
    incidents += here;
  }
  found->start[out->count] = incidents;
  const int *node;
  for (int t = 0; t < terms->count; ++t)
    for (int i = 0, n = terms->nodes(terms->self, t, &node); i < n; ++i)
      found->item[next[node[i]]++] = out->widest * t + i;
  return MUS_OK;
}

// The columns of one touched node's row, sorted, each once; how many. `column` is long enough for all repetitions.
static int row_columns(const incidence *found, const mus_terms *terms, int widest, int k, int *column) {
  int count = 0;
  for (int at = found->start[k]; at < found->start[k + 1]; ++at) {
    const int *node;
    for (int j = 0, n = terms->nodes(terms->self, found->item[at] / widest, &node); j < n; ++j)
      column[count++] = node[j];
  }
  qsort(column, (size_t)count, sizeof *column, mus_ascending);
  int kept = 0;
  for (int m = 0; m < count; ++m)
    if (m == 0 || column[m] != column[m - 1])
      column[kept++] = column[m];
  return kept;
}

static mus_status find_pattern(mus_arena *arena, mus_arena *scratch, int rows, const mus_terms *terms,
                               const incidence *found, mus_beyond *out) {
  int *start = mus_arena_alloc(arena, (size_t)out->count + 1, sizeof *start);
  size_t widest = (size_t)out->widest;
  int *loose = mus_arena_alloc(scratch, (size_t)found->start[out->count] * widest, sizeof *loose);
  if (!start || !loose)
    return mus_fail_memory();
  start[0] = 0;
  MUS_PARALLEL_FOR_IF(out->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < out->count; ++k)
    start[k + 1] = row_columns(found, terms, out->widest, k, loose + (size_t)found->start[k] * widest);
  for (int k = 0; k < out->count; ++k)
    start[k + 1] += start[k];
  int *column = mus_arena_alloc(arena, (size_t)start[out->count], sizeof *column);
  if (!column)
    return mus_fail_memory();
  for (int k = 0; k < out->count; ++k)
    memcpy(column + start[k], loose + (size_t)found->start[k] * widest,
           (size_t)(start[k + 1] - start[k]) * sizeof *column);
  out->pattern = (mus_pattern){out->count, rows, start, column};
  return MUS_OK;
}

// --- values ---------------------------------------------------------------------------------------------------------

static void add_row(const mus_terms *terms, const incidence *found, int k, mus_beyond *b) {
  int entries = b->block * b->block;
  for (int at = found->start[k]; at < found->start[k + 1]; ++at) {
    int term = found->item[at] / b->widest, i = found->item[at] % b->widest;
    const int *node;
    for (int j = 0, n = terms->nodes(terms->self, term, &node); j < n; ++j) {
      double one[ENTRIES_MAXIMUM];
      double *to = b->value + (size_t)mus_pattern_find(&b->pattern, k, node[j]) * (size_t)entries;
      terms->block(terms->self, term, i, j, one);
      for (int e = 0; e < entries; ++e)
        to[e] += one[e];
    }
  }
}

static mus_status create(mus_arena *arena, mus_arena *scratch, int rows, const mus_terms *terms, mus_beyond *b) {
  incidence found;
  mus_status status = find_incidence(arena, scratch, rows, terms, &found, b);
  if (!status)
    status = find_pattern(arena, scratch, rows, terms, &found, b);
  if (status)
    return status;
  size_t values = (size_t)mus_pattern_blocks(&b->pattern) * (size_t)(b->block * b->block);
  b->value = mus_arena_alloc_zero(arena, values, sizeof *b->value);
  b->product = mus_arena_alloc(arena, (size_t)b->count * (size_t)b->block, sizeof *b->product);
  if (!b->value || !b->product)
    return mus_fail_memory();
  MUS_PARALLEL_FOR_IF(b->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < b->count; ++k)
    add_row(terms, &found, k, b);
  return MUS_OK;
}

mus_status mus_beyond_create(mus_arena *arena, int rows, int block, const mus_terms *terms, mus_beyond *out) {
  mus_arena scratch = {0};
  mus_beyond b = {.block = block};
  mus_status status = create(arena, &scratch, rows, terms, &b);
  mus_arena_clear(&scratch);
  if (!status)
    *out = b;
  return status;
}

// --- products -------------------------------------------------------------------------------------------------------

#define TEMPLATE "constrain/beyond_template.h"
#include "base/both_precisions.h"

mus_status mus_beyond_round(mus_arena *arena, const mus_beyond *from, mus_beyond_f *to) {
  size_t numbers = (size_t)mus_pattern_blocks(&from->pattern) * (size_t)(from->block * from->block);
  float *value = mus_arena_alloc(arena, numbers, sizeof *value);
  float *product = mus_arena_alloc(arena, (size_t)from->count * (size_t)from->block, sizeof *product);
  if (!value || !product)
    return mus_fail_memory();
  mus_to_float(numbers, 1, from->value, value);
  *to = (mus_beyond_f){from->block, from->count, from->node, from->pattern, value, product};
  return MUS_OK;
}

mus_status mus_beyond_expand(mus_arena *arena, const mus_beyond *from, int rows, mus_pattern *pattern, mus_matrix *to) {
  int *start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *start), k = 0;
  if (!start)
    return mus_fail_memory();
  for (int row = 0; row <= rows; ++row) {
    start[row] = from->pattern.row_start[k];
    k += k < from->count && from->node[k] == row;
  }
  *pattern = (mus_pattern){rows, rows, start, from->pattern.column};
  *to = (mus_matrix){pattern, from->block, from->block, from->value};
  return MUS_OK;
}

void mus_block_operator_multiply(const mus_block_operator *o, const double *x, double *y) {
  if (o->symmetric)
    mus_symmetric_multiply(o->symmetric, x, y);
  else
    mus_multiply(o->a, x, y);
  if (o->beyond)
    mus_beyond_multiply_add(o->beyond, 1, x, y);
}

double mus_block_operator_multiply_dot(const mus_block_operator *o, const double *x, double *y) {
  if (o->symmetric && !o->beyond)
    return mus_symmetric_multiply_dot(o->symmetric, x, y);
  mus_block_operator_multiply(o, x, y);
  return mus_dot((size_t)o->a->pattern->rows * (size_t)o->a->row_block, x, y);
}

void mus_block_operator_gram(const mus_block_operator *o, int count, const float *v, double *gram) {
  for (int k = 0; k < count * count; ++k)
    gram[k] = 0;
  if (o->symmetric)
    mus_symmetric_gram_add(o->symmetric, count, v, gram);
  else
    mus_gram_add(o->a, NULL, count, v, gram);
  if (!o->beyond)
    return;
  mus_matrix c = {&o->beyond->pattern, o->beyond->block, o->beyond->block, o->beyond->value};
  mus_gram_add(&c, o->beyond->node, count, v, gram);
}

static void multiply(const void *self, const double *x, double *y) { mus_block_operator_multiply(self, x, y); }

static double multiply_dot(const void *self, const double *x, double *y) {
  return mus_block_operator_multiply_dot(self, x, y);
}

static void residual(const void *self, const double *b, const double *x, double *r) {
  mus_block_operator_residual(self, b, x, r);
}

static void gram(const void *self, int count, const float *v, double *out) {
  mus_block_operator_gram(self, count, v, out);
}

mus_operator mus_block_operator_view(const mus_block_operator *o) {
  size_t size = (size_t)o->a->pattern->rows * (size_t)o->a->row_block;
  return (mus_operator){&mus_host, size, o, multiply, multiply_dot, residual, gram};
}

// The diagonal blocks of the sum, as a matrix that holds nothing else.
static void add_diagonals(const mus_block_operator *o, const int *place, double *diagonal) {
  size_t entries = (size_t)(o->a->row_block * o->a->row_block);
  MUS_PARALLEL_FOR_IF(o->a->pattern->rows >= MUS_PAR_MINIMUM)
  for (int row = 0; row < o->a->pattern->rows; ++row)
    memcpy(diagonal + (size_t)row * entries, o->a->value + (size_t)place[row] * entries, entries * sizeof *diagonal);
  MUS_PARALLEL_FOR_IF(o->beyond->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < o->beyond->count; ++k) {
    int node = o->beyond->node[k];
    const double *from = o->beyond->value + (size_t)mus_pattern_find(&o->beyond->pattern, k, node) * entries;
    for (size_t e = 0; e < entries; ++e)
      diagonal[(size_t)node * entries + e] += from[e];
  }
}

mus_status mus_block_operator_inverse_diagonal(const mus_block_operator *o, const int *place, double *inverse) {
  if (!o->beyond)
    return mus_inverse_diagonal(o->a, place, inverse);
  int rows = o->a->pattern->rows, block = o->a->row_block;
  mus_arena arena = {0};
  int *identity = mus_arena_alloc(&arena, (size_t)rows + 1, sizeof *identity);
  double *value = mus_arena_alloc(&arena, (size_t)rows * (size_t)(block * block), sizeof *value);
  mus_status status = identity && value ? MUS_OK : mus_fail_memory();
  if (!status) {
    for (int row = 0; row <= rows; ++row)
      identity[row] = row;
    add_diagonals(o, place, value);
    mus_pattern pattern = {rows, rows, identity, identity};
    status = mus_inverse_diagonal(&(mus_matrix){&pattern, block, block, value}, identity, inverse);
  }
  mus_arena_clear(&arena);
  return status;
}

// --- one matrix of both ---------------------------------------------------------------------------------------------

typedef struct row_part {
  int count;
  const int *column;
  const double *value;
} row_part;

// Merges two rows; how many blocks there are then. NULL for `column` and `value`: they are only counted.
static int merge_rows(int entries, const row_part *first, const row_part *second, int *column, double *value) {
  int count = 0;
  for (int i = 0, j = 0; i < first->count || j < second->count; ++count) {
    int take_first = j >= second->count || (i < first->count && first->column[i] <= second->column[j]);
    int take_second = i >= first->count || (j < second->count && second->column[j] <= first->column[i]);
    if (column)
      column[count] = take_first ? first->column[i] : second->column[j];
    for (int e = 0; e < entries && value; ++e)
      value[(size_t)count * (size_t)entries + (size_t)e] =
          (take_first ? first->value[(size_t)i * (size_t)entries + (size_t)e] : 0) +
          (take_second ? second->value[(size_t)j * (size_t)entries + (size_t)e] : 0);
    i += take_first;
    j += take_second;
  }
  return count;
}

static row_part part_of(const mus_pattern *pattern, int row, const double *value, int entries) {
  size_t begin = (size_t)pattern->row_start[row];
  return (row_part){pattern->row_start[row + 1] - (int)begin, pattern->column + begin, value + begin * (size_t)entries};
}

// The row of `beyond` that belongs to a row of the matrix; empty where there is none.
static row_part part_beyond(const mus_beyond *beyond, int row, int entries) {
  int low = 0, high = beyond->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (beyond->node[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low < beyond->count && beyond->node[low] == row ? part_of(&beyond->pattern, low, beyond->value, entries)
                                                         : (row_part){0};
}

// Merges all rows, whose blocks begin at `start`, or counts the blocks of row i into start[i + 1] where there is no
// place for them.
static void merge_all(const mus_block_operator *o, int *start, int *column, double *value) {
  int rows = o->a->pattern->rows, entries = o->beyond->block * o->beyond->block;
  MUS_PARALLEL_FOR_IF(rows >= MUS_PAR_MINIMUM)
  for (int row = 0; row < rows; ++row) {
    row_part first = part_of(o->a->pattern, row, o->a->value, entries), second = part_beyond(o->beyond, row, entries);
    if (column)
      merge_rows(entries, &first, &second, column + start[row], value + (size_t)start[row] * (size_t)entries);
    else
      start[row + 1] = merge_rows(entries, &first, &second, NULL, NULL);
  }
}

mus_status mus_block_operator_merge(mus_arena *arena, const mus_block_operator *o, mus_pattern *pattern,
                                    mus_matrix *out) {
  int rows = o->a->pattern->rows, block = o->beyond->block;
  int *start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *start);
  if (!start)
    return mus_fail_memory();
  merge_all(o, start, NULL, NULL);
  start[0] = 0;
  for (int row = 0; row < rows; ++row)
    start[row + 1] += start[row];
  int *column = mus_arena_alloc(arena, (size_t)start[rows], sizeof *column);
  double *value = mus_arena_alloc(arena, (size_t)start[rows] * (size_t)(block * block), sizeof *value);
  if (!column || !value)
    return mus_fail_memory();
  merge_all(o, start, column, value);
  *pattern = (mus_pattern){rows, rows, start, column};
  *out = (mus_matrix){pattern, block, block, value};
  return MUS_OK;
}
