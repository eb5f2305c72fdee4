// Strength of connection and special nodes. See strength.h.
#include "multigrid/aggregation/strength.h"

#include <math.h>

#include "base/error.h"
#include "base/small.h"
#include "par/par.h"

// A block that maps a node's unknowns around in a circle has a small spectral radius and yet couples: never let the
// strength fall below this part of the norm.
static const double norm_share = 1e-3;

// B = D_i^(-1/2) A_ij D_j^(-1/2): its strength, and its Frobenius norm.
static double scaled_strength(int block, const double *root_i, const double *a, const double *root_j, double *norm) {
  double half[MUS_SMALL_MAXIMUM * MUS_SMALL_MAXIMUM], scaled[MUS_SMALL_MAXIMUM * MUS_SMALL_MAXIMUM];
  mus_small_multiply(block, root_i, a, half);
  mus_small_multiply(block, half, root_j, scaled);
  double square = 0;
  for (int k = 0; k < block * block; ++k)
    square += scaled[k] * scaled[k];
  *norm = sqrt(square);
  return fmax(mus_small_radius(block, scaled), norm_share * *norm);
}

// Strengths and norms of the blocks right of the diagonal, each mirrored to the left, since both are the same there.
static void compute_values(const mus_level_view *level, const double *root, double *value, double *norm) {
  const mus_pattern *pattern = level->a->pattern;
  int rows = pattern->rows, block = level->a->row_block;
  size_t size = (size_t)(block * block);
  MUS_PARALLEL
  {
    MUS_SHARE_FOR
    for (int i = 0; i < rows; ++i)
      for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
        int j = pattern->column[k];
        if (j == i)
          value[k] = norm[k] = 0;
        else if (j > i)
          value[k] = scaled_strength(block, root + (size_t)i * size, level->a->value + (size_t)k * size,
                                     root + (size_t)j * size, &norm[k]);
      }
    MUS_SHARE_FOR
    for (int i = 0; i < rows; ++i)
      for (int k = pattern->row_start[i]; pattern->column[k] < i; ++k) {
        int mirrored = mus_pattern_find(pattern, pattern->column[k], i);
        value[k] = value[mirrored];
        norm[k] = norm[mirrored];
      }
  }
}

// Marks dominated rows as special, then strong connections among the others.
static int mark(const mus_pattern *pattern, double theta, double dominance, const double *norm, mus_strength *s) {
  int count = 0;
  for (int i = 0; i < pattern->rows; ++i) {
    double sum = 0;
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k)
      sum += norm[k];
    s->special[i] = sum <= dominance;
    count += s->special[i];
  }
  for (int i = 0; i < pattern->rows; ++i) {
    double largest = 0;
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k)
      largest = fmax(largest, s->value[k]);
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k)
      s->strong[k] = !s->special[i] && !s->special[pattern->column[k]] && s->value[k] > theta * largest;
  }
  return count;
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
  if (!out->value || !out->strong || !out->special || !root || !norm) {
    mus_arena_clear(&scratch);
    return mus_fail_memory();
  }
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i)
    mus_small_inverse_root(block, level->a->value + (size_t)level->diagonal[i] * size, root + (size_t)i * size);
  compute_values(level, root, out->value, norm);
  out->special_nodes = mark(pattern, theta, dominance, norm, out);
  mus_arena_clear(&scratch);
  return MUS_OK;
}
