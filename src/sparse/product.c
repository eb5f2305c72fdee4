// Sparse products, symbolic and numeric, and the Galerkin triple product. See product.h.
//
// Row by row (Gustavson 1978): the blocks of a row of C are gathered through a table column -> place, one a thread.
#include "sparse/product.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "par/par.h"
#include "sparse/galerkin_pass.h"
#include "sparse/kernels.h"

enum { ROWS_AT_ONCE = 64 };         // at most
enum { NUMBERS_MINIMUM = 1 << 13 }; // products with no more than this stay on one thread

// The columns of row i of A B, unordered; seen[j] == i marks j as found. A's row begins at `begin`.
static int row_columns(const mus_pattern *a, int begin, const mus_pattern *b, int i, int *seen, int *out) {
  int found = 0;
  for (int k = begin; k < a->row_start[i + 1]; ++k) {
    int middle = a->column[k];
    for (int l = b->row_start[middle]; l < b->row_start[middle + 1]; ++l)
      if (seen[b->column[l]] != i) {
        seen[b->column[l]] = i;
        out[found++] = b->column[l];
      }
  }
  return found;
}

// Columns come in runs that ascend: few are out of place.
static void sort_columns(int count, int *column) {
  enum { MANY = 96 };
  if (count > MANY) {
    qsort(column, (size_t)count, sizeof *column, mus_ascending);
    return;
  }
  for (int k = 1; k < count; ++k) {
    int own = column[k], at = k;
    for (; at > 0 && column[at - 1] > own; --at)
      column[at] = column[at - 1];
    column[at] = own;
  }
}

// Turns counts in start[1 ... rows] into row starts.
static mus_status add_up(int rows, int *start) {
  size_t total = 0;
  start[0] = 0;
  for (int i = 0; i < rows; ++i) {
    total += (size_t)start[i + 1];
    if (total > INT_MAX)
      return mus_fail(MUS_BAD_INPUT, "a sparse product has more than %d blocks: too large for this build", INT_MAX);
    start[i + 1] = (int)total;
  }
  return MUS_OK;
}

// A pattern of rows that lie some way apart, brought together.
static mus_status pack(mus_arena *arena, int rows, int columns, const size_t *from, const int *loose, int *start,
                       mus_pattern *out) {
  mus_status status = add_up(rows, start);
  int *column = status ? NULL : mus_arena_alloc(arena, (size_t)start[rows], sizeof *column);
  if (!status && !column)
    status = mus_fail_memory();
  if (status)
    return status;
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i)
    memcpy(column + start[i], loose + from[i], (size_t)(start[i + 1] - start[i]) * sizeof *column);
  *out = (mus_pattern){rows, columns, start, column};
  return MUS_OK;
}

// The pattern of A B, where A's rows begin at `begin`. Rows are listed with room for all that they may have, and
// packed.
static mus_status pattern_of(mus_arena *arena, const mus_pattern *a, const int *begin, const mus_pattern *b,
                             mus_pattern *out) {
  int rows = a->rows;
  size_t width = (size_t)b->columns;
  mus_arena scratch = {0};
  int *seen_all = mus_arena_alloc(&scratch, (size_t)mus_par_threads() * width, sizeof *seen_all);
  size_t *from = mus_arena_alloc(&scratch, (size_t)rows + 1, sizeof *from);
  int *start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *start);
  mus_status status = seen_all && from && start ? MUS_OK : mus_fail_memory();
  for (int i = 0; i < rows && !status; ++i) {
    from[i + 1] = 0;
    for (int k = begin[i]; k < a->row_start[i + 1]; ++k)
      from[i + 1] += (size_t)(b->row_start[a->column[k] + 1] - b->row_start[a->column[k]]);
    from[i + 1] = (i > 0 ? from[i] : 0) + (from[i + 1] < width ? from[i + 1] : width);
  }
  int *loose = status ? NULL : mus_arena_alloc(&scratch, rows > 0 ? from[rows] : 0, sizeof *loose);
  if (!status && !loose)
    status = mus_fail_memory();
  if (!status) {
    from[0] = 0;
    MUS_PARALLEL
    {
      int *seen = seen_all + (size_t)mus_par_index() * width;
      memset(seen, 0xff, width * sizeof *seen);
      MUS_SHARE_FOR
      for (int i = 0; i < rows; ++i) {
        start[i + 1] = row_columns(a, begin[i], b, i, seen, loose + from[i]);
        sort_columns(start[i + 1], loose + from[i]);
      }
    }
    status = pack(arena, rows, b->columns, from, loose, start, out);
  }
  mus_arena_clear(&scratch);
  return status;
}

mus_status mus_product_pattern(mus_arena *arena, const mus_pattern *a, const mus_pattern *b, mus_pattern *out) {
  return pattern_of(arena, a, a->row_start, b, out);
}

static int longest_row(const mus_pattern *pattern) {
  int longest = 0;
  for (int i = 0; i < pattern->rows; ++i) {
    int length = pattern->row_start[i + 1] - pattern->row_start[i];
    longest = length > longest ? length : longest;
  }
  return longest;
}

// Room for the products of all threads: rows of C have so many columns of blocks, and at most `longest` blocks.
typedef struct workspace {
  size_t place_bytes, bytes; // of one thread
  char *memory;
} workspace;

static mus_status workspace_create(int columns, int longest, workspace *out) {
  size_t align = MUS_ALIGNMENT;
  out->place_bytes = ((size_t)columns * sizeof(int) + align - 1) / align * align;
  out->bytes = out->place_bytes + (size_t)longest * MUS_SUM_STRIDE * sizeof(double);
  out->memory = mus_alloc((size_t)mus_par_threads(), out->bytes);
  return out->memory ? MUS_OK : mus_fail_memory();
}

static mus_product_workspace workspace_of(const workspace *all, int thread) {
  char *memory = all->memory + (size_t)thread * all->bytes;
  return (mus_product_workspace){(int *)(void *)memory, memory + all->place_bytes};
}

// Rows that a thread takes at once: several times for each thread, so that none waits long for the others.
static int run_length(int rows) {
  int length = rows / (4 * mus_par_threads());
  return length > ROWS_AT_ONCE ? ROWS_AT_ONCE : length > 0 ? length : 1;
}

// --- Galerkin --------------------------------------------------------------------------------------------------------

// Where the rows of U, the upper triangle of A, begin in those of A; NULL when memory is short.
static int *upper_triangle(mus_arena *arena, const mus_pattern *a) {
  int *begin = mus_arena_alloc(arena, (size_t)a->rows, sizeof *begin);
  if (!begin)
    return NULL;
  MUS_PARALLEL_FOR_IF(a->rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < a->rows; ++i) {
    int k = a->row_start[i];
    while (k < a->row_start[i + 1] && a->column[k] < i)
      ++k;
    begin[i] = k;
  }
  return begin;
}

// The pattern of S + S^T.
static mus_status both_sides(mus_arena *arena, const mus_pattern *s, mus_pattern *out) {
  int rows = s->rows;
  mus_arena scratch = {0};
  mus_transpose t;
  mus_status status = mus_transpose_create(&scratch, s, &t);
  size_t *from = mus_arena_alloc(&scratch, (size_t)rows + 1, sizeof *from);
  int *loose = mus_arena_alloc(&scratch, 2 * (size_t)mus_pattern_blocks(s), sizeof *loose);
  int *start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *start);
  if (!status && (!from || !loose || !start))
    status = mus_fail_memory();
  if (!status) {
    MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
    for (int i = 0; i < rows; ++i) {
      const int *here = s->column + s->row_start[i], *end = s->column + s->row_start[i + 1];
      const int *there = t.pattern.column + t.pattern.row_start[i],
                *last = t.pattern.column + t.pattern.row_start[i + 1];
      from[i] = (size_t)s->row_start[i] + (size_t)t.pattern.row_start[i];
      int *to = loose + from[i];
      while (here < end || there < last) {
        int left = here < end ? *here : INT_MAX, right = there < last ? *there : INT_MAX;
        *to++ = left < right ? left : right;
        here += left <= right;
        there += right <= left;
      }
      start[i + 1] = (int)(to - (loose + from[i]));
    }
    status = pack(arena, rows, s->columns, from, loose, start, out);
  }
  mus_arena_clear(&scratch);
  return status;
}

// The targets of one row of C = A B.
static void row_targets(const mus_pattern *a, int begin, const mus_pattern *b, const mus_pattern *c, int i, int *place,
                        unsigned char *target) {
  for (int k = c->row_start[i]; k < c->row_start[i + 1]; ++k)
    place[c->column[k]] = k - c->row_start[i];
  for (int k = begin; k < a->row_start[i + 1]; ++k) {
    int middle = a->column[k];
    for (int l = b->row_start[middle]; l < b->row_start[middle + 1]; ++l)
      *target++ = (unsigned char)place[b->column[l]];
  }
}

static mus_status targets_create(mus_arena *arena, const mus_pattern *a, const int *begin, const mus_pattern *b,
                                 const mus_pattern *c, mus_targets *out) {
  int rows = c->rows, *start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *start);
  if (!start)
    return mus_fail_memory();
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i) {
    start[i + 1] = 0;
    for (int k = begin[i]; k < a->row_start[i + 1]; ++k)
      start[i + 1] += b->row_start[a->column[k] + 1] - b->row_start[a->column[k]];
  }
  mus_status status = add_up(rows, start);
  if (status)
    return status;
  unsigned char *row = mus_arena_alloc(arena, (size_t)start[rows], 1);
  int *places = mus_alloc((size_t)mus_par_threads() * (size_t)c->columns, sizeof *places);
  if (row && places)
    MUS_PARALLEL
  {
    int *place = places + (size_t)mus_par_index() * (size_t)c->columns;
    MUS_SHARE_FOR
    for (int i = 0; i < rows; ++i)
      row_targets(a, begin[i], b, c, i, place, row + start[i]);
  }
  else status = mus_fail_memory();
  mus_free(places);
  *out = (mus_targets){start, row};
  return status;
}

// A copy of so many numbers that outlives a scratch arena; NULL when memory is short.
static int *keep(mus_arena *arena, int count, const int *from) {
  int *to = mus_arena_alloc(arena, (size_t)count, sizeof *to);
  if (to)
    memcpy(to, from, (size_t)count * sizeof *to);
  return to;
}

// Finds the targets of both products, or keeps what finds them later; U P comes from a scratch arena.
static mus_status plan_targets(mus_arena *arena, const mus_pattern *a, const mus_pattern *p, const mus_pattern *up,
                               mus_galerkin *out) {
  const mus_pattern *pt = &out->pt.pattern;
  int longest_up = longest_row(up), longest_coarse = longest_row(&out->coarse), known;
  out->longest = longest_up > longest_coarse ? longest_up : longest_coarse;
  known = out->longest <= MUS_TARGETS_MAXIMUM;
  out->up = (mus_pattern){up->rows, up->columns, keep(arena, up->rows + 1, up->row_start), NULL};
  if (out->up.row_start && !known)
    out->up.column = keep(arena, mus_pattern_blocks(up), up->column);
  if (!out->up.row_start || (!known && !out->up.column))
    return mus_fail_memory();
  out->up_targets = out->coarse_targets = (mus_targets){NULL, NULL};
  out->pass = (mus_galerkin_pass){0};
  mus_status status = known ? targets_create(arena, a, out->upper, p, up, &out->up_targets) : MUS_OK;
  if (!status && known)
    status = mus_galerkin_pass_create(arena, p, &out->pt, up, &out->coarse, &out->pass);
  if (!status && known && out->pass.chunks == 0)
    status = targets_create(arena, pt, pt->row_start, up, &out->coarse, &out->coarse_targets);
  return status;
}

// For each block (i, j) of a symmetric pattern the place of (j, i); NULL when memory is short.
static int *places_across(mus_arena *arena, const mus_pattern *pattern) {
  int *across = mus_arena_alloc(arena, (size_t)mus_pattern_blocks(pattern), sizeof *across);
  if (!across)
    return NULL;
  MUS_PARALLEL_FOR_IF(pattern->rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < pattern->rows; ++i)
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k)
      across[k] = mus_pattern_find(pattern, pattern->column[k], i);
  return across;
}

mus_status mus_galerkin_create(mus_arena *arena, const mus_pattern *a, const mus_pattern *p, mus_galerkin *out) {
  mus_arena scratch = {0};
  mus_pattern up, s;
  mus_status status = mus_transpose_create(arena, p, &out->pt);
  if (!status && !(out->upper = upper_triangle(arena, a)))
    status = mus_fail_memory();
  if (!status)
    status = pattern_of(&scratch, a, out->upper, p, &up);
  if (!status)
    status = pattern_of(&scratch, &out->pt.pattern, out->pt.pattern.row_start, &up, &s);
  if (!status)
    status = both_sides(arena, &s, &out->coarse);
  if (!status && !(out->across = places_across(arena, &out->coarse)))
    status = mus_fail_memory();
  if (!status)
    status = plan_targets(arena, a, p, &up, out);
  mus_arena_clear(&scratch);
  return status;
}

// --- values ----------------------------------------------------------------------------------------------------------

#define TEMPLATE "sparse/product_values_template.h"
#include "base/both_precisions.h"

mus_status mus_galerkin_fill_rounded(const mus_galerkin *plan, const mus_matrix *a, const mus_matrix_f *p,
                                     mus_matrix_f *coarse) {
  if (plan->pass.chunks > 0)
    return mus_galerkin_pass_fill_rounded(plan, a, p, coarse);
  mus_matrix_f shape = {a->pattern, a->row_block, a->column_block, NULL};
  mus_product_task_f first = product_task_f(&shape, a->pattern, NULL, p, p);
  first.a_wide = a->value;
  return fill_coarse_f(plan, first, p, coarse);
}

mus_status mus_product(const mus_matrix *a, const mus_matrix *b, mus_matrix *c) {
  return mus_product_part(a, a->pattern, NULL, b, c);
}

mus_status mus_product_part(const mus_matrix *a, const mus_pattern *part, const int *source, const mus_matrix *b,
                            mus_matrix *c) {
  mus_product_task task = product_task(a, part, source, b, c);
  workspace all;
  mus_status status = workspace_create(c->pattern->columns, longest_row(c->pattern), &all);
  if (!status)
    run_product(&task, &all);
  mus_free(all.memory);
  return status;
}
