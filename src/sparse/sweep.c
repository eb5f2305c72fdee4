// Sweeps of symmetric block Gauss-Seidel by colours. See sweep.h.
#include "sparse/sweep.h"

#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "sparse/colouring.h"
#include "sparse/kernels.h"

// Numbers of L or U in a colour below which one thread passes over it: waking the others costs more.
enum { NUMBERS_MINIMUM = 16384 };

// Takes the nodes in the list out of their colours. colour_of becomes one that comes after all for them.
static void leave_out(int count, const int *last, const mus_colouring *found, mus_sweep_plan *plan) {
  for (int k = 0; k < count; ++k)
    found->colour_of[last[k]] = plan->colours;
  int kept = 0;
  for (int c = 0; c < plan->colours; ++c) {
    plan->start[c] = kept;
    for (int k = found->start[c]; k < found->start[c + 1]; ++k)
      if (found->colour_of[found->node[k]] == c)
        plan->node[kept++] = found->node[k];
  }
  plan->start[plan->colours] = kept;
}

// The blocks of the plan's rows whose columns have an earlier colour than the row (`earlier`) or a later one: where
// rows begin, and their columns and places, unless these are NULL.
static void list_half(const mus_pattern *pattern, const int *colour_of, const mus_sweep_plan *plan, int earlier,
                      mus_sweep_half *half) {
  int rows = plan->start[plan->colours], at = 0;
  for (int k = 0; k < rows; ++k) {
    int i = plan->node[k];
    half->row_start[k] = at;
    for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; ++e) {
      int j = pattern->column[e];
      if (j == i || (colour_of[j] < colour_of[i]) != earlier)
        continue;
      if (half->column) {
        half->column[at] = j;
        half->source[at] = e;
      }
      ++at;
    }
  }
  half->row_start[rows] = at;
}

static mus_status plan_half(mus_arena *arena, const mus_pattern *pattern, const int *colour_of,
                            const mus_sweep_plan *plan, int earlier, mus_sweep_half *half) {
  int rows = plan->start[plan->colours];
  half->row_start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *half->row_start);
  if (!half->row_start)
    return mus_fail_memory();
  list_half(pattern, colour_of, plan, earlier, half);
  size_t blocks = (size_t)half->row_start[rows];
  half->column = mus_arena_alloc(arena, blocks, sizeof *half->column);
  half->source = mus_arena_alloc(arena, blocks, sizeof *half->source);
  if (!half->column || !half->source)
    return mus_fail_memory();
  list_half(pattern, colour_of, plan, earlier, half);
  return MUS_OK;
}

mus_status mus_sweep_plan_create(mus_arena *arena, const mus_pattern *pattern, int last_count, const int *last,
                                 mus_sweep_plan *out) {
  mus_arena scratch = {0};
  mus_colouring found;
  mus_status status = mus_colour(&scratch, pattern, 1, &found);
  if (!status) {
    *out = (mus_sweep_plan){.colours = found.colours};
    out->start = mus_arena_alloc(arena, (size_t)found.colours + 1, sizeof *out->start);
    out->node = mus_arena_alloc(arena, (size_t)pattern->rows, sizeof *out->node);
    status = out->start && out->node ? MUS_OK : mus_fail_memory();
  }
  if (!status) {
    leave_out(last_count, last, &found, out);
    status = plan_half(arena, pattern, found.colour_of, out, 1, &out->lower);
  }
  if (!status)
    status = plan_half(arena, pattern, found.colour_of, out, 0, &out->upper);
  mus_arena_clear(&scratch);
  return status;
}

#define TEMPLATE "sparse/sweep_template.h"
#include "base/both_precisions.h"
