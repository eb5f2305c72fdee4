// Strength of connection and special nodes. See strength.h.
#include "multigrid/aggregation/strength.h"

#include <math.h>

#include "base/error.h"
#include "base/small.h"
#include "multigrid/aggregation/strength_lanes.h"
#include "par/par.h"

// B = D_i^(-1/2) A_ij D_j^(-1/2): its strength, and its Frobenius norm.
static double scaled_strength(int block, const double *root_i, const double *a, const double *root_j, double *norm) {
  double half[MUS_SMALL_MAXIMUM * MUS_SMALL_MAXIMUM], scaled[MUS_SMALL_MAXIMUM * MUS_SMALL_MAXIMUM];
  mus_small_multiply(block, root_i, a, half);
  mus_small_multiply(block, half, root_j, scaled);
  double square = 0;
  for (int k = 0; k < block * block; ++k)
    square += scaled[k] * scaled[k];
  *norm = sqrt(square);
  return fmax(mus_small_radius(block, scaled), MUS_NORM_SHARE * *norm);
}

// Blocks of 3 x 3 and 6 x 6 are taken several at once; NULL for others.
static const mus_strength_lanes *lanes_for(int block) {
  if (block != 3 && block != 6)
    return NULL;
#if MUSLIN_X86
  if (mus_instructions_current() != MUS_SCALAR)
    return &mus_strength_lanes_avx2;
#endif
  return &mus_strength_lanes_scalar;
}

enum { ROWS_AT_ONCE = 64 };

// D_i^(-1/2) of all rows.
static void compute_roots(const mus_level_view *level, const mus_strength_lanes *lanes, double *root) {
  int rows = level->a->pattern->rows, block = level->a->row_block;
  size_t size = (size_t)(block * block);
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int begin = 0; begin < rows; begin += ROWS_AT_ONCE) {
    int end = rows - begin < ROWS_AT_ONCE ? rows : begin + ROWS_AT_ONCE;
    if (lanes)
      lanes->roots(level, begin, end, root);
    for (int i = begin; i < end && !lanes; ++i)
      mus_small_inverse_root(block, level->a->value + (size_t)level->diagonal[i] * size, root + (size_t)i * size);
  }
}

// Strengths and norms of the blocks right of the diagonal in some rows, one after the other.
static void values_of_rows(const mus_level_view *level, const double *root, int begin, int end, double *value,
                           double *norm) {
  const mus_pattern *pattern = level->a->pattern;
  int block = level->a->row_block;
  size_t size = (size_t)(block * block);
  for (int i = begin; i < end; ++i)
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
      int j = pattern->column[k];
      if (j > i)
        value[k] = scaled_strength(block, root + (size_t)i * size, level->a->value + (size_t)k * size,
                                   root + (size_t)j * size, &norm[k]);
    }
}

// What is right of the diagonal, copied to the left of it. Rows are read in order, so that a row finds its mirror
// images in order too: next[j] is where the next one is in row j.
static void mirror_values(const mus_pattern *pattern, int *next, double *value, double *norm) {
  for (int i = 0; i < pattern->rows; ++i)
    next[i] = pattern->row_start[i];
  for (int i = 0; i < pattern->rows; ++i) {
    int k = next[i]; // all to the left have been
    value[k] = norm[k] = 0;
    for (++k; k < pattern->row_start[i + 1]; ++k) {
      int to = next[pattern->column[k]]++;
      value[to] = value[k];
      norm[to] = norm[k];
    }
  }
}

// Strengths and norms of all blocks. Those left of the diagonal are the same as their mirror images.
static void compute_values(const mus_level_view *level, const mus_strength_lanes *lanes, const double *root, int *next,
                           double *value, double *norm) {
  int rows = level->a->pattern->rows, runs = (rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
  MUS_PARALLEL
  {
    MUS_SHARE_RUNS
    for (int run = 0; run < runs; ++run) {
      int begin = run * ROWS_AT_ONCE, end = rows - begin < ROWS_AT_ONCE ? rows : begin + ROWS_AT_ONCE;
      (lanes ? lanes->values : values_of_rows)(level, root, begin, end, value, norm);
    }
  }
  mirror_values(level->a->pattern, next, value, norm);
}

static int mark_special(const mus_pattern *pattern, double dominance, const double *norm, mus_strength *s) {
  int count = 0;
  for (int i = 0; i < pattern->rows; ++i) {
    double sum = 0;
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k)
      sum += norm[k];
    s->special[i] = sum <= dominance;
    count += s->special[i];
  }
  return count;
}

void mus_strength_mark(const mus_pattern *pattern, double theta, mus_strength *s) {
  for (int i = 0; i < pattern->rows; ++i) {
    double largest = 0;
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k)
      largest = s->value[k] > largest ? s->value[k] : largest;
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k)
      s->strong[k] = !s->special[i] && !s->special[pattern->column[k]] && s->value[k] > theta * largest;
  }
}

mus_status mus_strength_create(mus_arena *arena, const mus_level_view *level, double theta, double dominance,
                               mus_strength *out) {
  const mus_pattern *pattern = level->a->pattern;
  int rows = pattern->rows, block = level->a->row_block;
  size_t blocks = (size_t)mus_pattern_blocks(pattern), size = (size_t)(block * block);
  out->value = mus_arena_alloc(arena, blocks, sizeof *out->value);
  out->strong = mus_arena_alloc(arena, blocks, sizeof *out->strong);
  out->special = mus_arena_alloc(arena, (size_t)rows, sizeof *out->special);
  mus_arena scratch = {0};
  double *root = mus_arena_alloc(&scratch, (size_t)rows * size, sizeof *root);
  double *norm = mus_arena_alloc(&scratch, blocks, sizeof *norm);
  int *next = mus_arena_alloc(&scratch, (size_t)rows, sizeof *next);
  if (!out->value || !out->strong || !out->special || !root || !norm || !next) {
    mus_arena_clear(&scratch);
    return mus_fail_memory();
  }
  const mus_strength_lanes *lanes = lanes_for(block);
  compute_roots(level, lanes, root);
  compute_values(level, lanes, root, next, out->value, norm);
  out->special_nodes = mark_special(pattern, dominance, norm, out);
  mus_strength_mark(pattern, theta, out);
  mus_arena_clear(&scratch);
  return MUS_OK;
}
