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
#include "sparse/kernels.h"

enum { ROWS_AT_ONCE = 64 };

// The columns of row i of A B, unordered; seen[j] == i marks j as found. Writes them where out is not NULL.
static int row_columns(const mus_pattern *a, const mus_pattern *b, int i, int *seen, int *out) {
  int found = 0;
  for (int k = a->row_start[i]; k < a->row_start[i + 1]; ++k) {
    int middle = a->column[k];
    for (int l = b->row_start[middle]; l < b->row_start[middle + 1]; ++l)
      if (seen[b->column[l]] != i) {
        seen[b->column[l]] = i;
        if (out)
          out[found] = b->column[l];
        ++found;
      }
  }
  return found;
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

mus_status mus_product_pattern(mus_arena *arena, const mus_pattern *a, const mus_pattern *b, mus_pattern *out) {
  int rows = a->rows, *column = NULL;
  size_t width = (size_t)b->columns;
  int *seen_all = mus_alloc((size_t)mus_par_threads() * width, sizeof *seen_all);
  int *start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *start);
  mus_status status = seen_all && start ? MUS_OK : mus_fail_memory();
  for (int pass = 0; pass < 2 && !status; ++pass) { // count, then fill
    MUS_PARALLEL
    {
      int *seen = seen_all + (size_t)mus_par_index() * width;
      memset(seen, 0xff, width * sizeof *seen);
      MUS_SHARE_FOR
      for (int i = 0; i < rows; ++i)
        if (pass == 0) {
          start[i + 1] = row_columns(a, b, i, seen, NULL);
        } else {
          int found = row_columns(a, b, i, seen, column + start[i]);
          qsort(column + start[i], (size_t)found, sizeof *column, mus_ascending);
        }
    }
    if (pass == 0 && !(status = add_up(rows, start))) {
      column = mus_arena_alloc(arena, (size_t)start[rows], sizeof *column);
      if (!column)
        status = mus_fail_memory();
    }
  }
  mus_free(seen_all);
  if (!status)
    *out = (mus_pattern){rows, b->columns, start, column};
  return status;
}

static mus_status run_product(const mus_product_task *task) {
  const mus_kernels *kernels = mus_kernels_current();
  int rows = task->c->rows;
  int runs = (rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
  size_t width = (size_t)task->c->columns;
  int *place_all = mus_alloc((size_t)mus_par_threads() * width, sizeof *place_all);
  if (!place_all)
    return mus_fail_memory();
  MUS_PARALLEL
  {
    int *place = place_all + (size_t)mus_par_index() * width;
    MUS_SHARE_RUNS
    for (int run = 0; run < runs; ++run) {
      int begin = run * ROWS_AT_ONCE, end = rows - begin > ROWS_AT_ONCE ? begin + ROWS_AT_ONCE : rows;
      kernels->product_rows(task, begin, end, place);
    }
  }
  mus_free(place_all);
  return MUS_OK;
}

mus_status mus_product(const mus_matrix *a, const mus_matrix *b, mus_matrix *c) {
  return mus_product_part(a, a->pattern, NULL, b, c);
}

mus_status mus_product_part(const mus_matrix *a, const mus_pattern *part, const int *source, const mus_matrix *b,
                            mus_matrix *c) {
  mus_product_task task = {.a = part,
                           .b = b->pattern,
                           .c = c->pattern,
                           .source = source,
                           .a_value = a->value,
                           .b_value = b->value,
                           .c_value = c->value,
                           .rows = c->row_block,
                           .inner = a->column_block,
                           .columns = c->column_block};
  return run_product(&task);
}

mus_status mus_galerkin_create(mus_arena *arena, const mus_pattern *a, const mus_pattern *p, mus_galerkin *out) {
  mus_status status = mus_product_pattern(arena, a, p, &out->ap);
  if (!status)
    status = mus_transpose_create(arena, p, &out->pt);
  if (!status)
    status = mus_product_pattern(arena, &out->pt.pattern, &out->ap, &out->coarse);
  if (!status)
    status = mus_transpose_create(arena, &out->coarse, &out->coarse_transpose);
  return status;
}

// Copies the upper triangle of a symmetric matrix to its lower one, inside the diagonal blocks too.
static void mirror(const mus_transpose *transpose, mus_matrix *a) {
  int rows = a->pattern->rows, block = a->row_block;
  size_t size = (size_t)(block * block);
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i)
    for (int k = a->pattern->row_start[i]; k < a->pattern->row_start[i + 1] && a->pattern->column[k] <= i; ++k) {
      double *to = a->value + (size_t)k * size;
      const double *from = a->value + (size_t)transpose->source[k] * size;
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < (a->pattern->column[k] == i ? r : block); ++c)
          to[r * block + c] = from[c * block + r];
    }
}

mus_status mus_galerkin_fill(const mus_galerkin *plan, const mus_matrix *a, const mus_matrix *p, mus_matrix *ap,
                             mus_matrix *coarse) {
  mus_status status = mus_product(a, p, ap);
  if (status)
    return status;
  mus_product_task task = {.a = &plan->pt.pattern,
                           .b = ap->pattern,
                           .c = coarse->pattern,
                           .source = plan->pt.source,
                           .transposed = 1,
                           .a_value = p->value,
                           .b_value = ap->value,
                           .c_value = coarse->value,
                           .rows = coarse->row_block,
                           .inner = p->row_block,
                           .columns = coarse->column_block,
                           .upper = 1};
  if ((status = run_product(&task)))
    return status;
  mirror(&plan->coarse_transpose, coarse);
  return MUS_OK;
}
