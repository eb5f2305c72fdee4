// Rows of smoothed prolongators, as text: ROWS is the name of the function that it defines. See smooth_rows.h.
//
// Nothing is fused, and sums are in the same order on all machines.
#include <math.h>
#include <string.h>

#include "multigrid/aggregation/smooth_rows.h"

// For loops over the entries of blocks, whose usual sizes are constants where they are called.
#define INLINE static inline __attribute__((always_inline))

enum { ENTRIES = MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM };

// W += B K_j
INLINE void add_product(int block, int count, const double *b, const double *k, double *w) {
  for (int r = 0; r < block; ++r)
    for (int m = 0; m < block; ++m)
      for (int c = 0; c < count; ++c)
        w[r * count + c] += b[r * block + m] * k[m * count + c];
}

// Of row i: the sum of its weak blocks, and W = sum_j A_ij K_j over them.
INLINE void sum_weak(const mus_smooth_task *t, int i, int block, int count, double *sum, double *moved) {
  const mus_pattern *a = t->fine->a->pattern;
  int size = block * block, kept = t->part->row_start[i], last = t->part->row_start[i + 1];
  memset(sum, 0, (size_t)size * sizeof *sum);
  memset(moved, 0, (size_t)(block * count) * sizeof *moved);
  for (int k = a->row_start[i]; k < a->row_start[i + 1]; ++k) {
    if (kept < last && t->part_source[kept] == k) {
      ++kept;
      continue;
    }
    if (t->aggregate[a->column[k]] < 0)
      continue; // special: its kernel is zero
    const double *weak = t->fine->a->value + (size_t)k * (size_t)size;
    for (int c = 0; c < size; ++c)
      sum[c] += weak[c];
    add_product(block, count, weak, t->kernel + (size_t)a->column[k] * (size_t)(block * count), moved);
  }
}

// Motions that carry weak neighbours further than this, in units of what the node's own block makes of a motion by 1,
// are not carried over: the aggregate's own nodes hardly show them, because they are held for instance.
static const double carried_most = 3;

static inline double diagonal_sum(int block, const double *b) {
  double sum = 0;
  for (int r = 0; r < block; ++r)
    sum += b[r * block + r];
  return sum;
}

// to += W R^-1: weak neighbours count as if they moved with the aggregate of node i, K_j = Q_j R. So what is dropped
// leaves all of the near-null space as smooth as it was, rotations too. A_ii has the diagonal sum `most` /
// carried_most.
INLINE void add_weak(int block, int count, const double *moved, const double *kernel_of_aggregate, double most,
                     double *to) {
  double local[ENTRIES];
  for (int c = 0; c < count; ++c) {
    double length = 0, own = kernel_of_aggregate[c * count + c];
    for (int r = 0; r < block; ++r) {
      double sum = moved[r * count + c];
      for (int k = 0; k < c; ++k)
        sum -= local[r * count + k] * kernel_of_aggregate[k * count + c];
      local[r * count + c] = sum;
      length += sum * sum;
    }
    int carried = own > 0 && length <= most * most * own * own;
    for (int r = 0; r < block; ++r) {
      local[r * count + c] = carried ? local[r * count + c] / own : 0;
      to[r * count + c] += local[r * count + c];
    }
  }
}

// Where weak connections leave less than this part of D on the diagonal, they do not count as weak there.
static const double lumped_least = 0.3;
static const double lumped_damping = 2.0 / 3;

// D_F^-1 of row i; 0 where D_F is too small. Single blocks beside the diagonal need not be symmetric, D_F^-1 has to be.
INLINE int invert_lumped(const mus_level_view *fine, int i, int block, const double *weak, double *inverse) {
  const double *own = fine->a->value + (size_t)fine->diagonal[i] * (size_t)(block * block);
  double lumped[ENTRIES], rest[ENTRIES];
  for (int r = 0; r < block; ++r)
    for (int c = 0; c < block; ++c) {
      lumped[r * block + c] = own[r * block + c] + 0.5 * (weak[r * block + c] + weak[c * block + r]);
      rest[r * block + c] = lumped[r * block + c] - lumped_least * own[r * block + c];
    }
  return mus_block_is_definite(block, rest) && mus_invert_block(block, lumped, inverse);
}

// Row i of P = P^ - omega D^-1 A P^, of which p holds A P^.
INLINE void smooth_row(const mus_smooth_task *t, int i, int block, int count) {
  size_t size = (size_t)(block * count);
  int aggregate = t->aggregate[i];
  if (aggregate < 0)
    return;
  const double *own = t->q + (size_t)t->tentative->row_start[i] * size;
  const double *inverse = t->fine->inverse_diagonal + (size_t)i * (size_t)(block * block);
  double *home = t->p->value + (size_t)mus_pattern_find(t->p->pattern, i, aggregate) * size, omega = t->omega;
  double weak[ENTRIES], lumped[ENTRIES], moved[ENTRIES];
  if (t->is_filtered) {
    sum_weak(t, i, block, count, weak, moved);
    const double *diagonal = t->fine->a->value + (size_t)t->fine->diagonal[i] * (size_t)(block * block);
    add_weak(block, count, moved, t->coarse_kernel + (size_t)aggregate * (size_t)(count * count),
             carried_most * diagonal_sum(block, diagonal), home);
    if (invert_lumped(t->fine, i, block, weak, lumped)) {
      inverse = lumped;
      omega = lumped_damping;
    }
  }
  for (int k = t->p->pattern->row_start[i]; k < t->p->pattern->row_start[i + 1]; ++k)
    mus_scale_block(block, count, omega, inverse, t->p->value + (size_t)k * size);
  for (size_t c = 0; c < size; ++c)
    home[c] += own[c];
}

void ROWS(const mus_smooth_task *t, int begin, int end) {
  int block = t->fine->a->row_block, count = t->count;
  for (int i = begin; i < end; ++i)
    if (block == 3 && count == 3)
      smooth_row(t, i, 3, 3);
    else if (block == 3 && count == 6)
      smooth_row(t, i, 3, 6);
    else if (block == 6 && count == 6)
      smooth_row(t, i, 6, 6);
    else
      smooth_row(t, i, block, count);
}
