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

// The same for blocks of 3 x 3, several at once.
typedef struct lanes {
  int count;
  int place[MUS_SMALL_LANES]; // of the blocks
  double left[9][MUS_SMALL_LANES], middle[9][MUS_SMALL_LANES], right[9][MUS_SMALL_LANES];
} lanes;

static inline void multiply_lanes(double a[9][MUS_SMALL_LANES], double b[9][MUS_SMALL_LANES],
                                  double c[9][MUS_SMALL_LANES]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int l = 0; l < MUS_SMALL_LANES; ++l)
        c[3 * i + j][l] = a[3 * i][l] * b[j][l] + a[3 * i + 1][l] * b[3 + j][l] + a[3 * i + 2][l] * b[6 + j][l];
}

static void finish_lanes(lanes *q, double *value, double *norm) {
  double half[9][MUS_SMALL_LANES], scaled[9][MUS_SMALL_LANES], radius[MUS_SMALL_LANES], square[MUS_SMALL_LANES] = {0};
  multiply_lanes(q->left, q->middle, half);
  multiply_lanes(half, q->right, scaled);
  for (int e = 0; e < 9; ++e)
    for (int l = 0; l < MUS_SMALL_LANES; ++l)
      square[l] += scaled[e][l] * scaled[e][l];
  mus_small_radii(scaled, radius);
  for (int l = 0; l < q->count; ++l) {
    norm[q->place[l]] = sqrt(square[l]);
    value[q->place[l]] = fmax(radius[l], norm_share * norm[q->place[l]]);
  }
  q->count = 0;
}

static void add_lane(lanes *q, int place, const double *root_i, const double *a, const double *root_j) {
  int l = q->count++;
  q->place[l] = place;
  for (int e = 0; e < 9; ++e) {
    q->left[e][l] = root_i[e];
    q->middle[e][l] = a[e];
    q->right[e][l] = root_j[e];
  }
}

static void three_by_three_roots(const mus_level_view *level, int begin, int end, double *root) {
  double a[9][MUS_SMALL_LANES], result[9][MUS_SMALL_LANES];
  for (int l = 0; l < MUS_SMALL_LANES; ++l)
    for (int e = 0; e < 9; ++e)
      a[e][l] = begin + l < end ? level->a->value[(size_t)level->diagonal[begin + l] * 9 + (size_t)e] : e % 4 == 0;
  mus_small_inverse_roots(a, result);
  for (int l = 0; begin + l < end && l < MUS_SMALL_LANES; ++l)
    for (int e = 0; e < 9; ++e)
      root[(size_t)(begin + l) * 9 + (size_t)e] = result[e][l];
}

// D_i^(-1/2) of all rows.
static void compute_roots(const mus_level_view *level, double *root) {
  int rows = level->a->pattern->rows, block = level->a->row_block;
  size_t size = (size_t)(block * block);
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int begin = 0; begin < rows; begin += MUS_SMALL_LANES) {
    int end = rows - begin < MUS_SMALL_LANES ? rows : begin + MUS_SMALL_LANES;
    if (block == 3)
      three_by_three_roots(level, begin, end, root);
    for (int i = begin; i < end && block != 3; ++i)
      mus_small_inverse_root(block, level->a->value + (size_t)level->diagonal[i] * size, root + (size_t)i * size);
  }
}

// Strengths and norms of the blocks right of the diagonal, each mirrored to the left, since both are the same there.
static void compute_values(const mus_level_view *level, const double *root, double *value, double *norm) {
  const mus_pattern *pattern = level->a->pattern;
  int rows = pattern->rows, block = level->a->row_block;
  size_t size = (size_t)(block * block);
  MUS_PARALLEL
  {
    lanes queue = {0};
    MUS_SHARE_FOR
    for (int i = 0; i < rows; ++i)
      for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
        int j = pattern->column[k];
        if (j == i)
          value[k] = norm[k] = 0;
        else if (j > i && block == 3) {
          add_lane(&queue, k, root + (size_t)i * size, level->a->value + (size_t)k * size, root + (size_t)j * size);
          if (queue.count == MUS_SMALL_LANES)
            finish_lanes(&queue, value, norm);
        } else if (j > i)
          value[k] = scaled_strength(block, root + (size_t)i * size, level->a->value + (size_t)k * size,
                                     root + (size_t)j * size, &norm[k]);
      }
    finish_lanes(&queue, value, norm);
  }
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i)
    for (int k = pattern->row_start[i]; pattern->column[k] < i; ++k) {
      int mirrored = mus_pattern_find(pattern, pattern->column[k], i);
      value[k] = value[mirrored];
      norm[k] = norm[mirrored];
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
  compute_roots(level, root);
  compute_values(level, root, out->value, norm);
  out->special_nodes = mark(pattern, theta, dominance, norm, out);
  mus_arena_clear(&scratch);
  return MUS_OK;
}
