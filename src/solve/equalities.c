// Equalities to rows: d . x = v with the constraints of its nodes taken out. See equalities.h.
//
// x_i = S_i x_i + (I - S_i) z_i, so that sum_i d_i . x_i = v says the same as sum_i (S_i d_i) . x_i = v - sum_i d_i .
// (I - S_i) z_i.
#include "solve/equalities.h"

#include <limits.h>
#include <math.h>

#include "base/error.h"

// What constraints leave of a row of unit length: below this, nothing. As for the constraints of single nodes.
static const double DEPENDENT = 1e-6;

static mus_status check(int rows, int block, int number, const mus_equality *equality) {
  if (equality->count < 1 || equality->count > MUS_TERM_NODES)
    return mus_fail(MUS_BAD_INPUT, "equality %d has %d nodes: 1 to %d are possible", mus_counted(number),
                    equality->count, MUS_TERM_NODES);
  double largest = 0;
  for (int i = 0; i < equality->count; ++i) {
    if (equality->node[i] < 0 || equality->node[i] >= rows)
      return mus_fail(MUS_BAD_INPUT, "equality %d names node %d, but nodes go from %d to %d", mus_counted(number),
                      mus_counted(equality->node[i]), mus_counted(0), mus_counted(rows - 1));
    for (int c = 0; c < block; ++c) {
      if (!isfinite(equality->direction[i][c]))
        return mus_fail(MUS_BAD_INPUT, "equality %d gives node %d a direction that is not finite", mus_counted(number),
                        mus_counted(equality->node[i]));
      largest = fmax(largest, fabs(equality->direction[i][c]));
    }
  }
  if (largest == 0)
    return mus_fail(MUS_BAD_INPUT, "equality %d has no direction: all are zero", mus_counted(number));
  if (!isfinite(equality->value) || !isfinite(equality->value / largest))
    return mus_fail(MUS_BAD_INPUT, "equality %d prescribes a value that is not finite", mus_counted(number));
  return MUS_OK;
}

mus_status mus_equalities_check(int rows, int block, int count, const mus_equality *equalities) {
  if (count < 0 || count > INT_MAX / (4 * MUS_TERM_NODES))
    return mus_fail(MUS_BAD_INPUT, "the number of equalities is %d", count);
  if (count > 0 && block > 3)
    return mus_fail(MUS_BAD_INPUT, "equalities are for 1 to 3 unknowns per node, not %d", block);
  mus_status status = MUS_OK;
  for (int k = 0; k < count && !status; ++k)
    status = check(rows, block, k, &equalities[k]);
  return status;
}

// Each node once; directions divided by the largest entry, so that squares neither overflow nor vanish.
static mus_equality_row gather(int block, const mus_equality *equality) {
  mus_equality_row row = {0};
  double largest = 0;
  for (int i = 0; i < equality->count; ++i)
    for (int c = 0; c < block; ++c)
      largest = fmax(largest, fabs(equality->direction[i][c]));
  row.value = equality->value / largest;
  for (int i = 0; i < equality->count; ++i) {
    int at = 0;
    while (at < row.count && row.node[at] != equality->node[i])
      ++at;
    if (at == row.count)
      row.node[row.count++] = equality->node[i];
    for (int c = 0; c < block; ++c)
      row.direction[at][c] += equality->direction[i][c] / largest;
  }
  return row;
}

static double length(int block, const mus_equality_row *row) {
  double square = 0;
  for (int i = 0; i < row->count; ++i)
    for (int c = 0; c < block; ++c)
      square += row->direction[i][c] * row->direction[i][c];
  return sqrt(square);
}

static void divide(int block, double by, mus_equality_row *row) {
  for (int i = 0; i < row->count; ++i)
    for (int c = 0; c < block; ++c)
      row->direction[i][c] /= by;
  row->value /= by;
}

// Takes out what the constraints of the row's nodes fix. Returns the largest of the numbers that the value is made of.
static double take_out(const mus_filter *nodes, mus_equality_row *row) {
  int block = nodes->block, kept = 0;
  double largest = fabs(row->value);
  for (int i = 0; i < row->count; ++i) {
    int held = nodes->count > 0 ? nodes->index_of[row->node[i]] : -1;
    double direction[3] = {0};
    for (int c = 0; c < block; ++c) {
      direction[c] = row->direction[i][c];
      if (held < 0)
        continue;
      double fixed = direction[c] * nodes->target[held * block + c];
      row->value -= fixed;
      largest = fmax(largest, fabs(fixed));
      direction[c] = 0;
      for (int m = 0; m < block; ++m)
        direction[c] += nodes->projection[(held * block + c) * block + m] * row->direction[i][m];
    }
    if (held >= 0 && nodes->rank[held] == block)
      continue;
    row->node[kept] = row->node[i];
    for (int c = 0; c < block; ++c)
      row->direction[kept][c] = direction[c];
    ++kept;
  }
  row->count = kept;
  return largest;
}

mus_status mus_equalities_beside(mus_arena *arena, const mus_filter *nodes, int count, const mus_equality *equalities,
                                 mus_equalities *out) {
  mus_arena scratch = {0};
  int left = 0;
  mus_equality_row *row = mus_arena_alloc(&scratch, (size_t)count, sizeof *row);
  int *given = mus_arena_alloc(&scratch, (size_t)count, sizeof *given);
  mus_status status = row && given ? MUS_OK : mus_fail_memory();
  for (int k = 0; k < count && !status; ++k) {
    mus_equality_row one = gather(nodes->block, &equalities[k]);
    double all = length(nodes->block, &one); // zero where a node's directions cancel each other
    if (all > 0)
      divide(nodes->block, all, &one);
    double largest = take_out(nodes, &one), free = length(nodes->block, &one);
    if (free <= DEPENDENT) {
      if (fabs(one.value) > DEPENDENT * largest)
        status = mus_fail(MUS_BAD_INPUT,
                          "equality %d contradicts the constraints of its nodes, which leave nothing of it free",
                          mus_counted(k));
      continue;
    }
    divide(nodes->block, free, &one);
    row[left] = one;
    given[left++] = k;
  }
  *out = (mus_equalities){.block = nodes->block};
  if (!status && left > 0)
    status = mus_equalities_create(arena, nodes->rows, nodes->block, left, row, given, out);
  mus_arena_clear(&scratch);
  return status;
}
