// P^T A P in one pass over the rows of A. See galerkin_pass.h.
#include "sparse/galerkin_pass.h"

#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "sparse/kernels.h"

enum { ROWS_MINIMUM = 1024 }; // of a chunk
// Above this many rows, one chunk for all of them would leave threads without work.
enum { ROWS_ALONE = 1 << 13 };
// Sums of all chunks have at most so many times the blocks of A_c.
static const double most_overlap = 2;
enum { NUMBERS_MINIMUM = 1 << 13 }; // A_c with no more than this stays on one thread

// Cuts the rows of P into chunks; returns how much larger all their sums together are than A_c.
static double cut(const mus_pattern *p, const mus_pattern *coarse, int chunks, mus_galerkin_pass *pass) {
  pass->chunks = chunks;
  pass->at[0] = 0;
  for (int c = 0; c <= chunks; ++c)
    pass->row[c] = (int)((long long)p->rows * c / chunks);
  for (int c = 0; c < chunks; ++c) {
    mus_pattern_columns(p, pass->row[c], pass->row[c + 1], &pass->low[c], &pass->high[c]);
    pass->at[c + 1] = pass->at[c] + (size_t)(coarse->row_start[pass->high[c]] - coarse->row_start[pass->low[c]]);
  }
  size_t blocks = (size_t)mus_pattern_blocks(coarse);
  return blocks > 0 ? (double)pass->at[chunks] / (double)blocks : 1;
}

static void choose_chunks(const mus_pattern *p, const mus_pattern *coarse, mus_galerkin_pass *pass) {
  int chunks = p->rows / ROWS_MINIMUM;
  chunks = chunks < 1 ? 1 : chunks > MUS_GALERKIN_CHUNKS ? MUS_GALERKIN_CHUNKS : chunks;
  while (cut(p, coarse, chunks, pass) > most_overlap && chunks > 1)
    chunks /= 2;
  if (chunks == 1 && p->rows > ROWS_ALONE)
    pass->chunks = 0;
}

// The targets of all products that end in one row of A_c. place: one for each column.
static void row_targets(const mus_transpose *pt, const mus_pattern *p, const mus_pattern *up, const mus_pattern *coarse,
                        int row, const size_t *start, int *place, unsigned char *target) {
  for (int k = coarse->row_start[row]; k < coarse->row_start[row + 1]; ++k)
    place[coarse->column[k]] = k - coarse->row_start[row];
  for (int k = pt->pattern.row_start[row]; k < pt->pattern.row_start[row + 1]; ++k) {
    int i = pt->pattern.column[k], own = p->row_start[i + 1] - p->row_start[i];
    unsigned char *to = target + start[i] + (pt->source[k] - p->row_start[i]);
    for (int b = up->row_start[i]; b < up->row_start[i + 1]; ++b, to += own)
      *to = (unsigned char)place[up->column[b]];
  }
}

static mus_status find_targets(mus_arena *arena, const mus_transpose *pt, const mus_pattern *p, const mus_pattern *up,
                               const mus_pattern *coarse, mus_arena *scratch, mus_galerkin_pass *pass) {
  size_t *start = mus_arena_alloc(scratch, (size_t)p->rows + 1, sizeof *start);
  int *places = mus_arena_alloc(scratch, (size_t)mus_par_threads() * (size_t)coarse->columns, sizeof *places);
  if (!start || !places)
    return mus_fail_memory();
  start[0] = 0;
  for (int i = 0; i < p->rows; ++i)
    start[i + 1] =
        start[i] + (size_t)(up->row_start[i + 1] - up->row_start[i]) * (size_t)(p->row_start[i + 1] - p->row_start[i]);
  for (int c = 0; c < pass->chunks; ++c)
    pass->first_target[c] = start[pass->row[c]];
  pass->target = mus_arena_alloc(arena, start[p->rows], 1);
  if (!pass->target)
    return mus_fail_memory();
  MUS_PARALLEL
  {
    int *place = places + (size_t)mus_par_index() * (size_t)coarse->columns;
    MUS_SHARE_FOR
    for (int row = 0; row < coarse->rows; ++row)
      row_targets(pt, p, up, coarse, row, start, place, pass->target);
  }
  return MUS_OK;
}

static mus_status find_met(mus_arena *arena, int rows, mus_galerkin_pass *pass) {
  pass->met_by = mus_arena_alloc_zero(arena, (size_t)rows, sizeof *pass->met_by);
  if (!pass->met_by)
    return mus_fail_memory();
  for (int c = 0; c < pass->chunks; ++c)
    for (int i = pass->low[c]; i < pass->high[c]; ++i)
      pass->met_by[i] = (uint16_t)(pass->met_by[i] | 1u << c);
  return MUS_OK;
}

mus_status mus_galerkin_pass_create(mus_arena *arena, const mus_pattern *p, const mus_transpose *pt,
                                    const mus_pattern *up, const mus_pattern *coarse, mus_galerkin_pass *pass) {
  choose_chunks(p, coarse, pass);
  if (pass->chunks == 0)
    return MUS_OK;
  mus_arena scratch = {0};
  mus_status status = find_targets(arena, pt, p, up, coarse, &scratch, pass);
  if (!status)
    status = find_met(arena, coarse->rows, pass);
  mus_arena_clear(&scratch);
  return status;
}

#define TEMPLATE "sparse/galerkin_pass_template.h"
#include "base/both_precisions.h"

mus_status mus_galerkin_pass_fill_rounded(const mus_galerkin *plan, const mus_matrix *a, const mus_matrix_f *p,
                                          mus_matrix_f *coarse) {
  mus_pass_task_f task = pass_task_f(plan, a->pattern, p);
  task.a_wide = a->value;
  return run_pass_f(plan, &task, coarse);
}
