// See nested.h.
#include "multigrid/geometric/nested.h"

#include <string.h>

#include "base/error.h"

enum { CARRIERS = 3, COLUMNS = CARRIERS + 1 };

// The carriers that count, and the joint, each once, ascending, with the sums of their weights.
static int carriers_of(const mus_interpolation *l, int node, int *column, double *weight) {
  int count = 0;
  for (int k = 0; k < COLUMNS; ++k) {
    size_t entry = CARRIERS * (size_t)node + (size_t)k;
    int carrier = k < CARRIERS ? l->carrier[entry] : l->joint ? l->joint[node] : -1, at = 0;
    double w = k < CARRIERS ? l->weight[entry] : 1;
    if (w == 0 || carrier < 0)
      continue;
    while (at < count && column[at] < carrier)
      ++at;
    if (at < count && column[at] == carrier) {
      weight[at] += w;
      continue;
    }
    for (int later = count++; later > at; --later) {
      column[later] = column[later - 1];
      weight[later] = weight[later - 1];
    }
    column[at] = carrier;
    weight[at] = w;
  }
  return count;
}

static mus_status analyse(void *self, const mus_level_view *fine, mus_arena *arena, mus_coarse_level *coarse) {
  const mus_nested *nested = self;
  int rows = fine->a->pattern->rows, column[COLUMNS];
  double weight[COLUMNS];
  if (fine->level >= nested->levels)
    return MUS_OK;
  const mus_interpolation *l = &nested->level[fine->level];
  if (l->nodes != rows)
    return mus_fail(MUS_BAD_INPUT, "level %d of the nested levels has %d nodes, but the matrix has %d rows",
                    fine->level, l->nodes, rows);
  mus_pattern *p = &coarse->prolongator;
  p->row_start = mus_arena_alloc_zero(arena, (size_t)rows + 1, sizeof *p->row_start);
  p->column = mus_arena_alloc(arena, COLUMNS * (size_t)rows, sizeof *p->column);
  if (!p->row_start || !p->column)
    return mus_fail_memory();
  for (int i = 0; i < rows; ++i) {
    int count = carriers_of(l, i, column, weight);
    memcpy(p->column + p->row_start[i], column, (size_t)count * sizeof *column);
    p->row_start[i + 1] = p->row_start[i] + count;
  }
  p->rows = rows;
  p->columns = l->coarse;
  coarse->block = fine->a->row_block;
  return MUS_OK;
}

// A node that nothing is coupled to, as one that follows others over a closed seam, is the smoother's alone: coarse
// nodes would pay for moving it.
static int is_alone(const mus_matrix *a, int row) {
  size_t size = (size_t)(a->row_block * a->row_block);
  for (int k = a->pattern->row_start[row]; k < a->pattern->row_start[row + 1]; ++k)
    for (size_t e = 0; e < size && a->pattern->column[k] != row; ++e)
      if (a->value[(size_t)k * size + e] != 0)
        return 0;
  return 1;
}

// Rows of nodes where something is held are S_i P_i: corrections leave held directions alone.
static mus_status fill(void *self, const mus_level_view *fine, mus_matrix *p, unsigned char *live) {
  const mus_nested *nested = self;
  const mus_interpolation *l = &nested->level[fine->level];
  size_t b = (size_t)p->row_block, size = b * b;
  memset(live, 0, (size_t)l->coarse * b);
  for (int i = 0; i < l->nodes; ++i) {
    int column[COLUMNS], held = fine->held && fine->held->count > 0 ? fine->held->index_of[i] : -1;
    double weight[COLUMNS];
    int count = carriers_of(l, i, column, weight), alone = is_alone(fine->a, i);
    double *to = p->value + size * (size_t)p->pattern->row_start[i];
    for (int k = 0; k < count; ++k)
      for (size_t e = 0; e < size; ++e, ++to) {
        double identity = e % (b + 1) == 0;
        *to = alone ? 0 : weight[k] * (held >= 0 ? fine->held->projection[size * (size_t)held + e] : identity);
        if (*to != 0)
          live[(size_t)column[k] * b + e % b] = 1;
      }
  }
  return MUS_OK;
}

static int special_nodes(const void *self, int level) {
  (void)self;
  (void)level;
  return 0;
}

const mus_coarsening mus_nested_coarsening = {
    .name = "nested levels", .may_be_singular = 1, .analyse = analyse, .fill = fill, .special_nodes = special_nodes};
