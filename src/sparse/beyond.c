// Terms beyond a matrix's pattern. See beyond.h.
#include "sparse/beyond.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "par/par.h"

enum { ENTRIES_MAXIMUM = MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM };

// --- which blocks there are -----------------------------------------------------------------------------------------

// Whether the nodes that are in `set`, as bits, are all neighbours of each other.
static int are_neighbours(const mus_pattern *pattern, int count, const int *node, unsigned set) {
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j)
      if ((set >> i & 1) && (set >> j & 1) && mus_pattern_find(pattern, node[i], node[j]) < 0)
        return 0;
  return 1;
}

static int bits(unsigned set) {
  int count = 0;
  for (; set; set &= set - 1)
    ++count;
  return count;
}

// Takes the largest set of neighbours, then the largest among what is left, and so on.
static void part_nodes(const mus_pattern *pattern, int count, const int *node, unsigned char *part) {
  unsigned left = (1u << count) - 1;
  for (unsigned char number = 0; left; ++number) {
    unsigned best = 0;
    for (unsigned set = 1; set <= left; ++set)
      if ((set & ~left) == 0 && bits(set) > bits(best) && are_neighbours(pattern, count, node, set))
        best = set;
    for (int i = 0; i < count; ++i)
      if (best >> i & 1)
        part[i] = number;
    left &= ~best;
  }
}

// Lists the touched nodes, and for each the terms that touch it.
static mus_status find_incidence(mus_arena *arena, int rows, const mus_terms *terms, mus_beyond *out) {
  int *start = mus_alloc_zero((size_t)rows + 1, sizeof *start);
  if (!start)
    return mus_fail_memory();
  const int *node;
  for (int t = 0; t < terms->count; ++t)
    for (int i = 0, n = terms->nodes(terms->self, t, &node); i < n; ++i)
      ++start[node[i]];
  int touched = 0, incidents = 0;
  for (int row = 0; row < rows; ++row) {
    touched += start[row] > 0;
    incidents += start[row];
  }
  out->node = mus_arena_alloc(arena, (size_t)touched, sizeof *out->node);
  out->incident_start = mus_arena_alloc(arena, (size_t)touched + 1, sizeof *out->incident_start);
  out->incident = mus_arena_alloc(arena, (size_t)incidents, sizeof *out->incident);
  if (!out->node || !out->incident_start || !out->incident) {
    mus_free(start);
    return mus_fail_memory();
  }
  incidents = 0;
  for (int row = 0; row < rows; ++row)
    if (start[row] > 0) {
      int here = start[row];
      out->node[out->count] = row;
      out->incident_start[out->count++] = incidents;
      start[row] = incidents;
      incidents += here;
    }
  out->incident_start[out->count] = incidents;
  for (int t = 0; t < terms->count; ++t)
    for (int i = 0, n = terms->nodes(terms->self, t, &node); i < n; ++i)
      out->incident[start[node[i]]++] = MUS_TERM_NODES * t + i;
  mus_free(start);
  return MUS_OK;
}

// The columns of one touched node's row, sorted, each once; how many. `column` has room for all repetitions.
static int row_columns(const mus_beyond *b, int k, int *column) {
  int count = 0;
  for (int at = b->incident_start[k]; at < b->incident_start[k + 1]; ++at) {
    int term = b->incident[at] / MUS_TERM_NODES, i = b->incident[at] % MUS_TERM_NODES;
    const unsigned char *part = b->part + MUS_TERM_NODES * (size_t)term;
    const int *node;
    int n = b->terms.nodes(b->terms.self, term, &node);
    for (int j = 0; j < n; ++j)
      if (part[j] != part[i])
        column[count++] = node[j];
  }
  qsort(column, (size_t)count, sizeof *column, mus_ascending);
  int kept = 0;
  for (int m = 0; m < count; ++m)
    if (m == 0 || column[m] != column[m - 1])
      column[kept++] = column[m];
  return kept;
}

static mus_status find_pattern(mus_arena *arena, int rows, mus_beyond *out) {
  int *start = mus_arena_alloc(arena, (size_t)out->count + 1, sizeof *start);
  size_t room = (size_t)out->incident_start[out->count] * (MUS_TERM_NODES - 1);
  int *loose = mus_alloc(room, sizeof *loose);
  if (!start || !loose) {
    mus_free(loose);
    return mus_fail_memory();
  }
  start[0] = 0;
  MUS_PARALLEL_FOR_IF(out->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < out->count; ++k)
    start[k + 1] = row_columns(out, k, loose + (size_t)out->incident_start[k] * (MUS_TERM_NODES - 1));
  for (int k = 0; k < out->count; ++k)
    start[k + 1] += start[k];
  int *column = mus_arena_alloc(arena, (size_t)start[out->count], sizeof *column);
  if (column)
    for (int k = 0; k < out->count; ++k)
      memcpy(column + start[k], loose + (size_t)out->incident_start[k] * (MUS_TERM_NODES - 1),
             (size_t)(start[k + 1] - start[k]) * sizeof *column);
  mus_free(loose);
  out->pattern = (mus_pattern){out->count, rows, start, column};
  return column ? MUS_OK : mus_fail_memory();
}

// --- values ---------------------------------------------------------------------------------------------------------

// Adds the blocks of one touched node's row that are within (1) or beyond (0) `pattern` to the values; the row has
// number `row` there.
static void add_row(const mus_beyond *b, int k, int within, const mus_pattern *pattern, int row, double *value) {
  int entries = b->block * b->block;
  for (int at = b->incident_start[k]; at < b->incident_start[k + 1]; ++at) {
    int term = b->incident[at] / MUS_TERM_NODES, i = b->incident[at] % MUS_TERM_NODES;
    const unsigned char *part = b->part + MUS_TERM_NODES * (size_t)term;
    const int *node;
    int n = b->terms.nodes(b->terms.self, term, &node);
    for (int j = 0; j < n; ++j) {
      if ((part[j] == part[i]) != within)
        continue;
      double term_block[ENTRIES_MAXIMUM];
      double *to = value + (size_t)mus_pattern_find(pattern, row, node[j]) * (size_t)entries;
      b->terms.block(b->terms.self, term, i, j, term_block);
      for (int e = 0; e < entries; ++e)
        to[e] += term_block[e];
    }
  }
}

void mus_beyond_add_within(const mus_beyond *beyond, mus_matrix *a) {
  MUS_PARALLEL_FOR_IF(beyond->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < beyond->count; ++k)
    add_row(beyond, k, 1, a->pattern, beyond->node[k], a->value);
}

mus_status mus_beyond_create(mus_arena *arena, const mus_pattern *within, int block, const mus_terms *terms,
                             mus_beyond *out) {
  mus_beyond b = {.block = block, .terms = *terms};
  mus_status status = find_incidence(arena, within->rows, terms, &b);
  if (!status && !(b.part = mus_arena_alloc(arena, MUS_TERM_NODES * (size_t)terms->count, sizeof *b.part)))
    status = mus_fail_memory();
  if (status)
    return status;
  MUS_PARALLEL_FOR_IF(terms->count >= MUS_PAR_MINIMUM)
  for (int t = 0; t < terms->count; ++t) {
    const int *node;
    int n = terms->nodes(terms->self, t, &node);
    part_nodes(within, n, node, b.part + MUS_TERM_NODES * (size_t)t);
  }
  if ((status = find_pattern(arena, within->rows, &b)))
    return status;
  size_t values = (size_t)mus_pattern_blocks(&b.pattern) * (size_t)(block * block);
  if (!(b.value = mus_arena_alloc_zero(arena, values, sizeof *b.value)))
    return mus_fail_memory();
  MUS_PARALLEL_FOR_IF(b.count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < b.count; ++k)
    add_row(&b, k, 0, &b.pattern, k, b.value);
  *out = b;
  return MUS_OK;
}

// --- products -------------------------------------------------------------------------------------------------------

// y += factor A x for one block
static inline void multiply_block(int block, const double *a, double factor, const double *x, double *y) {
  for (int r = 0; r < block; ++r) {
    double sum = 0;
    for (int c = 0; c < block; ++c)
      sum += a[r * block + c] * x[c];
    y[r] += factor * sum;
  }
}

void mus_beyond_multiply_add(const mus_beyond *beyond, double factor, const double *x, double *y) {
  const mus_pattern *p = &beyond->pattern;
  int block = beyond->block;
  MUS_PARALLEL_FOR_IF(beyond->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < beyond->count; ++k) {
    double *row = y + (size_t)beyond->node[k] * (size_t)block;
    for (int place = p->row_start[k]; place < p->row_start[k + 1]; ++place) {
      const double *a = beyond->value + (size_t)place * (size_t)(block * block);
      const double *from = x + (size_t)p->column[place] * (size_t)block;
      if (block == 3) // a constant, so that the compiler unrolls the loops
        multiply_block(3, a, factor, from, row);
      else
        multiply_block(block, a, factor, from, row);
    }
  }
}

void mus_terms_multiply_add(const mus_beyond *beyond, double factor, const double *x, double *y) {
  const mus_terms *terms = &beyond->terms;
  size_t block = (size_t)beyond->block;
  MUS_PARALLEL_FOR_IF(beyond->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < beyond->count; ++k)
    for (int at = beyond->incident_start[k]; at < beyond->incident_start[k + 1]; ++at) {
      int term = beyond->incident[at] / MUS_TERM_NODES, i = beyond->incident[at] % MUS_TERM_NODES;
      const int *node;
      int n = terms->nodes(terms->self, term, &node);
      for (int j = 0; j < n; ++j) {
        double a[ENTRIES_MAXIMUM];
        terms->block(terms->self, term, i, j, a);
        multiply_block(beyond->block, a, factor, x + (size_t)node[j] * block, y + (size_t)beyond->node[k] * block);
      }
    }
}

void mus_operator_multiply(const mus_operator *o, const double *x, double *y) {
  mus_multiply(o->a, x, y);
  if (o->beyond)
    mus_beyond_multiply_add(o->beyond, 1, x, y);
}

void mus_operator_residual(const mus_operator *o, const double *b, const double *x, double *r) {
  mus_residual(o->a, b, x, r);
  if (o->beyond)
    mus_beyond_multiply_add(o->beyond, -1, x, r);
}

// --- one matrix of both ---------------------------------------------------------------------------------------------

typedef struct row_part {
  int count;
  const int *column;
  const double *value;
} row_part;

// Merges two rows; how many blocks there are then.
static int merge_rows(int entries, const row_part *first, const row_part *second, int *column, double *value) {
  int count = 0;
  for (int i = 0, j = 0; i < first->count || j < second->count; ++count) {
    int take_first = j >= second->count || (i < first->count && first->column[i] <= second->column[j]);
    int take_second = i >= first->count || (j < second->count && second->column[j] <= first->column[i]);
    column[count] = take_first ? first->column[i] : second->column[j];
    for (int e = 0; e < entries; ++e)
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

mus_status mus_beyond_merge(mus_arena *arena, const mus_matrix *a, const mus_beyond *beyond, mus_pattern *pattern,
                            mus_matrix *out) {
  int rows = a->pattern->rows, entries = beyond->block * beyond->block;
  size_t most = (size_t)mus_pattern_blocks(a->pattern) + (size_t)mus_pattern_blocks(&beyond->pattern);
  int *start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *start);
  int *column = mus_arena_alloc(arena, most, sizeof *column);
  double *value = mus_arena_alloc(arena, most * (size_t)entries, sizeof *value);
  if (!start || !column || !value)
    return mus_fail_memory();
  start[0] = 0;
  for (int row = 0, k = 0; row < rows; ++row) {
    row_part first = part_of(a->pattern, row, a->value, entries), second = {0};
    if (k < beyond->count && beyond->node[k] == row)
      second = part_of(&beyond->pattern, k++, beyond->value, entries);
    start[row + 1] = start[row] + merge_rows(entries, &first, &second, column + start[row],
                                             value + (size_t)start[row] * (size_t)entries);
  }
  *pattern = (mus_pattern){rows, rows, start, column};
  *out = (mus_matrix){pattern, beyond->block, beyond->block, value};
  return MUS_OK;
}
