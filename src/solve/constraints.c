// Constraints to filter: Gram-Schmidt a node, directions and values together. See constraints.h.
//
// A constraint d . x = v is a row of a small linear system. Dividing it by |d| and subtracting multiples of earlier
// rows keeps its meaning, so the orthonormalised rows q_k . x = t_k say the same as the given ones, and
//   S_i = I - sum_k q_k q_k^T,   (I - S_i) z_i = sum_k t_k q_k.
#include "solve/constraints.h"

#include <math.h>

#include "base/error.h"

enum { BLOCK_MAXIMUM = 3 };

// A direction whose part across the earlier ones is below this counts as dependent, and values that differ by less,
// relatively, agree. Well above single precision's rounding: contact code often computes normals in that, and two
// copies of one normal must not be taken for two directions.
static const double DEPENDENT = 1e-6;

// The orthonormal form of one node's constraints.
typedef struct node_rows {
  int rank;
  double direction[BLOCK_MAXIMUM][BLOCK_MAXIMUM];
  double value[BLOCK_MAXIMUM];
} node_rows;

static double dot(int block, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < block; ++k)
    sum += a[k] * b[k];
  return sum;
}

// Divides direction and value by the direction's length. 0 when there is no length or something is not finite.
static int normalise(int block, double *direction, double *value) {
  double largest = 0;
  for (int k = 0; k < block; ++k) {
    if (!isfinite(direction[k]))
      return 0;
    largest = fmax(largest, fabs(direction[k]));
  }
  if (largest == 0)
    return 0;
  // In two steps, so that the squares of very long or short directions neither overflow nor vanish.
  for (int k = 0; k < block; ++k)
    direction[k] /= largest;
  double length = sqrt(dot(block, direction, direction));
  for (int k = 0; k < block; ++k)
    direction[k] /= length;
  *value = *value / largest / length;
  return isfinite(*value);
}

// Adds one row; 0 when it contradicts the earlier ones. The second pass removes what rounding left of the first.
static int add_row(int block, node_rows *rows, const double *unit, double given) {
  double direction[BLOCK_MAXIMUM], value = given, largest = fabs(given);
  for (int k = 0; k < block; ++k)
    direction[k] = unit[k];
  for (int pass = 0; pass < 2; ++pass)
    for (int j = 0; j < rows->rank; ++j) {
      double along = dot(block, rows->direction[j], direction);
      for (int k = 0; k < block; ++k)
        direction[k] -= along * rows->direction[j][k];
      value -= along * rows->value[j];
      largest = fmax(largest, fabs(rows->value[j]));
    }
  double length = sqrt(dot(block, direction, direction));
  if (length <= DEPENDENT || rows->rank == block)
    return fabs(value) <= DEPENDENT * largest;
  for (int k = 0; k < block; ++k)
    rows->direction[rows->rank][k] = direction[k] / length;
  rows->value[rows->rank++] = value / length;
  return 1;
}

static mus_status orthonormalise(int block, const mus_constraint *constraint, node_rows *rows) {
  rows->rank = 0;
  for (int k = 0; k < constraint->count; ++k) {
    double direction[BLOCK_MAXIMUM], value = constraint->value[k];
    for (int m = 0; m < block; ++m)
      direction[m] = constraint->direction[k][m];
    if (!isfinite(value))
      return mus_fail(MUS_BAD_INPUT, "the constraint of node %d prescribes a value that is not finite",
                      mus_counted(constraint->node));
    if (!normalise(block, direction, &value))
      return mus_fail(MUS_BAD_INPUT,
                      "direction %d of the constraint of node %d is zero or not finite: give a direction of any length "
                      "or leave it out",
                      mus_counted(k), mus_counted(constraint->node));
    if (!add_row(block, rows, direction, value))
      return mus_fail(MUS_BAD_INPUT,
                      "the constraint of node %d contradicts itself: direction %d depends on the earlier ones but its "
                      "value does not follow from theirs",
                      mus_counted(constraint->node), mus_counted(k));
  }
  return MUS_OK;
}

static mus_status check(int rows, int block, const mus_constraint *constraint) {
  if (constraint->node < 0 || constraint->node >= rows)
    return mus_fail(MUS_BAD_INPUT, "a constraint names node %d, but nodes go from %d to %d",
                    mus_counted(constraint->node), mus_counted(0), mus_counted(rows - 1));
  if (constraint->count < 0 || constraint->count > block)
    return mus_fail(MUS_BAD_INPUT, "the constraint of node %d has %d directions, but a node has %d unknowns",
                    mus_counted(constraint->node), constraint->count, block);
  return MUS_OK;
}

// S_i and its target. Row k and column k see the same products in the same order, so S_i is symmetric to the last bit.
static void write_node(int block, const node_rows *rows, double *projection, double *target) {
  for (int k = 0; k < block; ++k) {
    target[k] = 0;
    for (int j = 0; j < rows->rank; ++j)
      target[k] += rows->value[j] * rows->direction[j][k];
    for (int l = 0; l < block; ++l) {
      double sum = k == l ? 1.0 : 0.0;
      for (int j = 0; j < rows->rank; ++j)
        sum -= rows->direction[j][k] * rows->direction[j][l];
      projection[k * block + l] = rows->rank == block ? 0.0 : sum;
    }
  }
}

static mus_status allocate(mus_arena *arena, int rows, int block, int count, mus_filter *filter) {
  size_t n = (size_t)(count < rows ? count : rows), b = (size_t)block; // more would name a node twice
  *filter = (mus_filter){.rows = rows, .block = block};
  filter->node = mus_arena_alloc(arena, n, sizeof *filter->node);
  filter->rank = mus_arena_alloc(arena, n, sizeof *filter->rank);
  filter->projection = mus_arena_alloc(arena, n * b * b, sizeof *filter->projection);
  filter->target = mus_arena_alloc(arena, n * b, sizeof *filter->target);
  filter->index_of = mus_arena_alloc(arena, (size_t)rows, sizeof *filter->index_of);
  if (!filter->node || !filter->rank || !filter->projection || !filter->target || !filter->index_of)
    return mus_fail_memory();
  for (int row = 0; row < rows; ++row)
    filter->index_of[row] = -1;
  return MUS_OK;
}

// index_of[node] becomes the place of the node's constraint in the caller's list.
static mus_status find_nodes(int count, const mus_constraint *constraints, mus_filter *filter) {
  for (int k = 0; k < count; ++k) {
    mus_status status = check(filter->rows, filter->block, &constraints[k]);
    if (status)
      return status;
    if (filter->index_of[constraints[k].node] >= 0)
      return mus_fail(MUS_BAD_INPUT, "node %d has two constraints: give all its directions in one",
                      mus_counted(constraints[k].node));
    filter->index_of[constraints[k].node] = k;
  }
  return MUS_OK;
}

// Walks the nodes upwards, so that the lists ascend whatever the caller's order was.
static mus_status fill(const mus_constraint *constraints, mus_filter *filter) {
  size_t block = (size_t)filter->block;
  for (int row = 0; row < filter->rows; ++row) {
    if (filter->index_of[row] < 0)
      continue;
    node_rows rows;
    mus_status status = orthonormalise(filter->block, &constraints[filter->index_of[row]], &rows);
    if (status)
      return status;
    filter->index_of[row] = rows.rank > 0 ? filter->count : -1;
    if (rows.rank == 0)
      continue;
    size_t k = (size_t)filter->count++;
    filter->node[k] = row;
    filter->rank[k] = rows.rank;
    write_node(filter->block, &rows, filter->projection + k * block * block, filter->target + k * block);
  }
  return MUS_OK;
}

mus_status mus_constraints_filter(mus_arena *arena, int rows, int block, int count, const mus_constraint *constraints,
                                  mus_filter *out) {
  if (count < 0)
    return mus_fail(MUS_BAD_INPUT, "the number of constraints is %d", count);
  if (count > 0 && block > BLOCK_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "constraints are for nodes of 1 to %d unknowns, and these have %d", BLOCK_MAXIMUM,
                    block);
  mus_arena_mark mark = mus_arena_here(arena);
  mus_filter filter;
  mus_status status = allocate(arena, rows, block, count, &filter);
  if (!status)
    status = find_nodes(count, constraints, &filter);
  if (!status)
    status = fill(constraints, &filter);
  if (status)
    mus_arena_rewind(arena, mark);
  else
    *out = filter;
  return status;
}
