// See soundness.h.
#include "sparse/soundness.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

// Adds up by how much the block `there` is not the mirror image of `here`.
static inline void compare(int block, const double *here, const double *there, double *sum) {
  for (int r = 0; r < block; ++r)
    for (int c = 0; c < block; ++c)
      sum[r * block + c] += fabs(here[r * block + c] - there[c * block + r]);
}

enum { LINE = 8 }; // numbers in a cache line

// Some rows: a sum that is 0 where all is well, and not finite where a value is not. Blocks below the diagonal are
// compared with those above, of which every one is the mirror image of one below: that looks at them all. Those above
// are asked for in their own rows, so that they come from memory in order and are in the cache by then.
static inline double look(int block, const mus_matrix *a, const mus_transpose *at, int begin, int end) {
  const mus_pattern *p = a->pattern;
  size_t size = (size_t)(block * block);
  double sum[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM] = {0}, total = 0; // many, so that none waits for another
  for (int i = begin; i < end; ++i) {
    int k = p->row_start[i];
    for (; k < p->row_start[i + 1] && p->column[k] <= i; ++k)
      compare(block, a->value + (size_t)k * size, a->value + (size_t)at->source[k] * size, sum);
    const double *above = a->value + (size_t)k * size, *next = a->value + (size_t)p->row_start[i + 1] * size;
    for (; above < next; above += LINE)
      __builtin_prefetch(above);
  }
  for (size_t k = 0; k < size; ++k)
    total += sum[k];
  return total;
}

// Some rows whose values are finite: whether none differs from its mirror image by more than that part of the largest.
static inline int are_nearly_symmetric(int block, const mus_matrix *a, const mus_transpose *at, int begin, int end,
                                       double allowed) {
  const mus_pattern *p = a->pattern;
  size_t size = (size_t)(block * block);
  double largest[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM] = {0}, off[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM] = {0};
  for (int i = begin; i < end; ++i)
    for (int k = p->row_start[i]; k < p->row_start[i + 1] && p->column[k] <= i; ++k) {
      const double *here = a->value + (size_t)k * size, *there = a->value + (size_t)at->source[k] * size;
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < block; ++c) {
          int e = r * block + c;
          double difference = fabs(here[e] - there[c * block + r]), value = fabs(here[e]);
          off[e] = difference > off[e] ? difference : off[e];
          largest[e] = value > largest[e] ? value : largest[e];
        }
    }
  for (size_t e = 1; e < size; ++e) {
    off[0] = fmax(off[0], off[e]);
    largest[0] = fmax(largest[0], largest[e]);
  }
  return off[0] <= allowed * largest[0];
}

static double mismatch(const mus_matrix *a, const mus_transpose *at, int begin, int end) {
#if MUSLIN_X86
  if (a->row_block == 3 && mus_instructions_current() != MUS_SCALAR)
    return mus_mismatch_avx2(a, at, begin, end);
#endif
  return a->row_block == 3 ? look(3, a, at, begin, end) : look(a->row_block, a, at, begin, end);
}

static int run_is_sound(int block, const mus_matrix *a, const mus_transpose *at, int begin, int end, double allowed) {
  double sum = mismatch(a, at, begin, end);
  return sum == 0 || (sum < HUGE_VAL && are_nearly_symmetric(block, a, at, begin, end, allowed));
}

// Copies that are larger than this would only push out of the caches what is there.
enum { PAST_CACHES = 1 << 22 }; // numbers

static void copy(size_t n, const double *from, double *to, int past_caches) {
#if MUSLIN_X86
  if (past_caches && mus_instructions_current() != MUS_SCALAR) {
    mus_copy_past_caches_avx2(n, from, to);
    return;
  }
#endif
  (void)past_caches;
  memcpy(to, from, n * sizeof *to);
}

int mus_matrix_take(const mus_matrix *a, const mus_transpose *at, double allowed, double *to) {
  enum { RUN = 64 };
  int sound = 1, rows = a->pattern->rows, runs = (rows + RUN - 1) / RUN, large = mus_matrix_values(a) > PAST_CACHES;
  size_t size = (size_t)(a->row_block * a->row_block);
  const int *start = a->pattern->row_start;
  MUS_PARALLEL
  {
    int mine = 1;
    MUS_SHARE_RUNS
    for (int run = 0; run < runs; ++run) {
      int begin = run * RUN, end = rows - begin < RUN ? rows : begin + RUN;
      mine &= a->row_block == 3 ? run_is_sound(3, a, at, begin, end, allowed)
                                : run_is_sound(a->row_block, a, at, begin, end, allowed);
      if (to) // what has just been looked at is in the caches
        copy((size_t)(start[end] - start[begin]) * size, a->value + (size_t)start[begin] * size,
             to + (size_t)start[begin] * size, large);
    }
    MUS_ONE_AT_A_TIME
    sound &= mine;
  }
  return sound;
}

int mus_matrix_is_sound(const mus_matrix *a, const mus_transpose *at, double allowed) {
  return mus_matrix_take(a, at, allowed, NULL);
}
