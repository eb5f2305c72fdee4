// Strengths of several blocks at once, as text: TABLE is the name of the table that it defines. See strength_lanes.h.
#include "base/small_lanes.h"
#include "multigrid/aggregation/strength_lanes.h"

enum { ENTRIES = 36 };

// Blocks A_ij on their way to D_i^(-1/2) A_ij D_j^(-1/2). Two vectors of them are finished together, so that one is
// computed while the other waits for its roots.
enum { TOGETHER = 2, FULL = TOGETHER * LANES };
typedef struct queue {
  int count;
  int place[FULL]; // of the blocks
  lanes left[TOGETHER][ENTRIES], middle[TOGETHER][ENTRIES], right[TOGETHER][ENTRIES];
} queue;

LANES_INLINE void add_lane(int size, queue *q, int place, const double *root_i, const double *a, const double *root_j) {
  int v = q->count / LANES, l = q->count % LANES;
  double *left = (double *)q->left[v] + l, *middle = (double *)q->middle[v] + l, *right = (double *)q->right[v] + l;
  q->place[q->count++] = place;
  for (int e = 0; e < size; ++e) {
    left[e * LANES] = root_i[e];
    middle[e * LANES] = a[e];
    right[e * LANES] = root_j[e];
  }
}

LANES_INLINE void finish_lanes(int block, queue *q, double *value, double *norm) {
  lanes half[ENTRIES], scaled[TOGETHER][ENTRIES], radius[TOGETHER], size[TOGETHER];
  for (int v = 0; v < TOGETHER; ++v) {
    lanes square = {0};
    small_multiply_lanes(block, q->left[v], q->middle[v], half);
    small_multiply_lanes(block, half, q->right[v], scaled[v]);
    for (int e = 0; e < block * block; ++e)
      square += scaled[v][e] * scaled[v][e];
    size[v] = lanes_root(square);
  }
  for (int v = 0; v < TOGETHER; ++v)
    if (block == 3)
      small_radii_3(scaled[v], &radius[v]);
    else
      small_radii_n(block, scaled[v], &radius[v]);
  for (int v = 0; v < TOGETHER; ++v) {
    lanes least = MUS_NORM_SHARE * size[v];
    radius[v] = lanes_larger(radius[v], least);
  }
  for (int l = 0; l < q->count; ++l) {
    norm[q->place[l]] = ((double *)size)[l];
    value[q->place[l]] = ((double *)radius)[l];
  }
  q->count = 0;
}

// Asks for blocks begin ... end - 1 of A. What is read of it lies in short runs, far apart: the processor does not see
// by itself where the next one is.
LANES_INLINE void fetch(const mus_level_view *level, int size, int begin, int end) {
  enum { LINE = 8 }; // numbers in a cache line
  const double *last = level->a->value + (size_t)end * (size_t)size;
  for (const double *a = level->a->value + (size_t)begin * (size_t)size; a < last; a += LINE)
    __builtin_prefetch(a);
}

LANES_INLINE void values_of(int block, const mus_level_view *level, const double *root, int begin, int end,
                            double *value, double *norm) {
  const mus_pattern *pattern = level->a->pattern;
  size_t size = (size_t)(block * block);
  enum { ROWS_AHEAD = 6 };
  queue q = {0};
  for (int i = begin; i < end; ++i) {
    int ahead = i + ROWS_AHEAD < pattern->rows ? i + ROWS_AHEAD : i;
    fetch(level, block * block, level->diagonal[ahead] + 1, pattern->row_start[ahead + 1]);
    for (int k = level->diagonal[i] + 1; k < pattern->row_start[i + 1]; ++k) {
      add_lane(block * block, &q, k, root + (size_t)i * size, level->a->value + (size_t)k * size,
               root + (size_t)pattern->column[k] * size);
      if (q.count == FULL)
        finish_lanes(block, &q, value, norm);
    }
  }
  if (q.count > 0)
    finish_lanes(block, &q, value, norm);
}

static void values(const mus_level_view *level, const double *root, int begin, int end, double *value, double *norm) {
  if (level->a->row_block == 3)
    values_of(3, level, root, begin, end, value, norm);
  else
    values_of(6, level, root, begin, end, value, norm);
}

LANES_INLINE void roots_of(int block, const mus_level_view *level, int begin, int end, double *root) {
  enum { ROWS_AHEAD = 32 };
  int size = block * block, rows = level->a->pattern->rows;
  for (int first = begin; first < end; first += LANES) {
    lanes a[ENTRIES], result[ENTRIES];
    for (int l = 0; l < LANES; ++l) { // the last row fills up what is left
      int row = first + l < end ? first + l : end - 1, ahead = row + ROWS_AHEAD < rows ? row + ROWS_AHEAD : row;
      fetch(level, size, level->diagonal[ahead], level->diagonal[ahead] + 1);
      for (int e = 0; e < size; ++e)
        ((double *)a)[e * LANES + l] = level->a->value[(size_t)level->diagonal[row] * (size_t)size + (size_t)e];
    }
    if (block == 3)
      small_inverse_roots_3(a, result);
    else
      small_inverse_roots_n(block, a, result);
    for (int l = 0; first + l < end && l < LANES; ++l)
      for (int e = 0; e < size; ++e)
        root[(size_t)(first + l) * (size_t)size + (size_t)e] = ((double *)result)[e * LANES + l];
  }
}

static void roots(const mus_level_view *level, int begin, int end, double *root) {
  if (level->a->row_block == 3)
    roots_of(3, level, begin, end, root);
  else
    roots_of(6, level, begin, end, root);
}

const mus_strength_lanes TABLE = {roots, values};
