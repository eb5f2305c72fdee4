// The constraint projection S on vectors, and S A S + scale (I - S). See filter.h.
#include "constrain/filter.h"

#include <string.h>

#include "base/error.h"
#include "par/lanes.h"
#include "par/par.h"
#include "par/vector.h"

enum { BLOCK_MAXIMUM = 3, ENTRIES_MAXIMUM = BLOCK_MAXIMUM * BLOCK_MAXIMUM };

// Calls a function whose first argument is the block size with a constant there, so that the compiler unrolls its
// loops.
#define FOR_BLOCK(block, function, ...)                                                                                \
  ((block) == 3 ? function(3, __VA_ARGS__) : (block) == 2 ? function(2, __VA_ARGS__) : function(1, __VA_ARGS__))

// y <- B y + t, or B y where t is NULL
static inline void project_node(int block, const double *b, const double *t, double *y) {
  double old[BLOCK_MAXIMUM];
  for (int k = 0; k < block; ++k)
    old[k] = y[k];
  for (int k = 0; k < block; ++k) {
    double sum = 0;
    for (int m = 0; m < block; ++m)
      sum += b[k * block + m] * old[m];
    y[k] = t ? sum + t[k] : sum;
  }
}

static void project(const mus_filter *s, const double *target, double *x) {
  size_t block = (size_t)s->block;
  MUS_PARALLEL_FOR_IF(s->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < s->count; ++k) {
    const double *t = target ? target + (size_t)k * block : NULL;
    FOR_BLOCK(s->block, project_node, s->projection + (size_t)k * block * block, t, x + (size_t)s->node[k] * block);
  }
}

void mus_filter_apply(const mus_filter *s, double *x) {
  project(s, NULL, x);
  if (s->across)
    mus_equalities_project(s->across, x);
}

// The same for each of the vectors of one node.
static inline void project_lanes(int block, const double *b, int count, float *v) {
  double y[BLOCK_MAXIMUM];
  for (int k = 0; k < count; ++k) {
    for (int r = 0; r < block; ++r)
      y[r] = (double)v[r * count + k];
    project_node(block, b, NULL, y);
    for (int r = 0; r < block; ++r)
      v[r * count + k] = (float)y[r];
  }
}

void mus_filter_apply_lanes(const mus_filter *s, int count, double *work, float *v) {
  size_t block = (size_t)s->block, n = (size_t)s->rows * block;
  if (!s->across) {
    MUS_PARALLEL_FOR_IF(s->count >= MUS_PAR_MINIMUM)
    for (int k = 0; k < s->count; ++k)
      FOR_BLOCK(s->block, project_lanes, s->projection + (size_t)k * block * block, count,
                v + (size_t)s->node[k] * block * (size_t)count);
    return;
  }
  for (int k = 0; k < count; ++k) {
    mus_lanes_get(n, count, k, v, work);
    mus_filter_apply(s, work);
    mus_lanes_put(n, count, k, 1, work, v);
  }
}

void mus_filter_impose(const mus_filter *s, double *x) {
  project(s, s->target, x);
  if (s->across)
    mus_equalities_impose(s->across, x);
}

void mus_filter_target(const mus_filter *s, double *x) {
  size_t block = (size_t)s->block;
  mus_fill((size_t)s->rows * block, 0.0, x);
  for (int k = 0; k < s->count; ++k)
    memcpy(x + (size_t)s->node[k] * block, s->target + (size_t)k * block, block * sizeof *x);
  if (s->across)
    mus_equalities_impose(s->across, x);
}

static void apply(const void *self, double *x) { mus_filter_apply(self, x); }
static void impose(const void *self, double *x) { mus_filter_impose(self, x); }
static void target(const void *self, double *x) { mus_filter_target(self, x); }

mus_projection mus_filter_view(const mus_filter *s) { return (mus_projection){s, apply, impose, target}; }

// c <- a b
static inline void multiply_blocks(int block, const double *a, const double *b, double *c) {
  for (int k = 0; k < block; ++k)
    for (int l = 0; l < block; ++l) {
      double sum = 0;
      for (int m = 0; m < block; ++m)
        sum += a[k * block + m] * b[m * block + l];
      c[k * block + l] = sum;
    }
}

// a <- left a right, NULL standing for the identity. The projection of the lower-numbered node comes first, whichever
// side it is on: block (j, i) then goes through the same roundings as block (i, j), transposed.
static inline void project_block(int block, const double *left, const double *right, int left_first, double *a) {
  double middle[ENTRIES_MAXIMUM];
  size_t bytes = (size_t)(block * block) * sizeof *a;
  if (left && right) {
    multiply_blocks(block, left_first ? left : a, left_first ? a : right, middle);
    multiply_blocks(block, left_first ? middle : left, left_first ? right : middle, a);
  } else if (left) {
    memcpy(middle, a, bytes);
    multiply_blocks(block, left, middle, a);
  } else if (right) {
    memcpy(middle, a, bytes);
    multiply_blocks(block, middle, right, a);
  }
}

// a <- S a S + scale (I - S); the mean with its transpose removes the asymmetry of the roundings.
static inline void project_diagonal(int block, const double *s, double scale, double *a) {
  project_block(block, s, s, 1, a);
  for (int k = 0; k < block; ++k)
    for (int l = k; l < block; ++l) {
      double mean = 0.5 * (a[k * block + l] + a[l * block + k]) + scale * ((k == l ? 1.0 : 0.0) - s[k * block + l]);
      a[k * block + l] = mean;
      a[l * block + k] = mean;
    }
}

// One row of the pattern, which belongs to node `node`. `diagonal` is the place of its diagonal block, or -1.
static inline void filter_row(int block, const mus_filter *s, const mus_pattern *pattern, int row, int node,
                              int diagonal, double scale, double *value) {
  int entries = block * block;
  int here = s->index_of[node];
  const double *left = here < 0 ? NULL : s->projection + (size_t)here * (size_t)entries;
  for (int place = pattern->row_start[row]; place < pattern->row_start[row + 1]; ++place) {
    int there = s->index_of[pattern->column[place]];
    if (here < 0 && there < 0)
      continue;
    double *a = value + (size_t)place * (size_t)entries;
    if (place == diagonal)
      project_diagonal(block, left, scale, a);
    else
      project_block(block, left, there < 0 ? NULL : s->projection + (size_t)there * (size_t)entries,
                    node < pattern->column[place], a);
  }
}

// --- in place --------------------------------------------------------------------------------------

mus_status mus_filter_saved_create(mus_arena *arena, const mus_filter *s, const mus_pattern *pattern,
                                   mus_filter_saved *out) {
  *out = (mus_filter_saved){0};
  if (s->count == 0)
    return MUS_OK;
  int *start = mus_arena_alloc(arena, (size_t)s->count + 1, sizeof *start);
  if (!start)
    return mus_fail_memory();
  start[0] = 0;
  for (int c = 0; c < s->count; ++c)
    start[c + 1] = start[c] + 2 * (pattern->row_start[s->node[c] + 1] - pattern->row_start[s->node[c]]);
  double *value = mus_arena_alloc(arena, (size_t)start[s->count] * (size_t)(s->block * s->block), sizeof *value);
  if (!value)
    return mus_fail_memory();
  *out = (mus_filter_saved){start, value};
  return MUS_OK;
}

// The blocks of constrained node c: its row, and of its column those in rows of free nodes, for the others belong to
// the rows of their own.
typedef struct cross {
  int node, begin, end; // places of its row
  double *row, *column; // saved
  const int *mirror;    // places of the column
  const int *other;     // nodes at the other end
  const int *index_of;  // as the filter's
} cross;

static cross cross_of(const mus_filter *s, const mus_transpose *at, const mus_filter_saved *saved,
                      const mus_pattern *pattern, int c) {
  int node = s->node[c], begin = pattern->row_start[node], end = pattern->row_start[node + 1];
  size_t entries = (size_t)(s->block * s->block);
  double *row = saved->value + (size_t)saved->start[c] * entries;
  return (cross){node,       begin,           end,        row, row + (size_t)(end - begin) * entries,
                 at->source, pattern->column, s->index_of};
}

static inline int has_mirror(const cross *o, int place) { return o->index_of[o->other[place]] < 0; }

// Keeps the blocks of a cross, or puts them back.
static inline void copy_cross(int block, const cross *o, int back, double *value) {
  size_t entries = (size_t)(block * block), bytes = entries * sizeof *value;
  size_t run = (size_t)(o->end - o->begin) * bytes;
  double *row = value + (size_t)o->begin * entries;
  memcpy(back ? row : o->row, back ? o->row : row, run);
  for (int place = o->begin; place < o->end; ++place) {
    if (!has_mirror(o, place))
      continue;
    double *here = value + (size_t)o->mirror[place] * entries, *kept = o->column + (size_t)(place - o->begin) * entries;
    memcpy(back ? here : kept, back ? kept : here, bytes);
  }
}

static inline void filter_cross(int block, const mus_filter *s, const mus_pattern *pattern, const cross *o,
                                int diagonal, double scale, double *value) {
  size_t entries = (size_t)(block * block);
  const double *projection = s->projection + (size_t)s->index_of[o->node] * entries;
  copy_cross(block, o, 0, value);
  filter_row(block, s, pattern, o->node, o->node, diagonal, scale, value);
  for (int place = o->begin; place < o->end; ++place)
    if (has_mirror(o, place))
      project_block(block, NULL, projection, 0, value + (size_t)o->mirror[place] * entries);
}

void mus_filter_in_place(const mus_filter *s, const mus_transpose *at, const int *place, double scale, mus_matrix *a,
                         mus_filter_saved *saved) {
  MUS_PARALLEL_FOR_IF(s->count >= MUS_PAR_MINIMUM)
  for (int c = 0; c < s->count; ++c) {
    cross o = cross_of(s, at, saved, a->pattern, c);
    FOR_BLOCK(s->block, filter_cross, s, a->pattern, &o, place[o.node], scale, a->value);
  }
}

void mus_filter_undo(const mus_filter *s, const mus_transpose *at, const mus_filter_saved *saved, mus_matrix *a) {
  MUS_PARALLEL_FOR_IF(s->count >= MUS_PAR_MINIMUM)
  for (int c = 0; c < s->count; ++c) {
    cross o = cross_of(s, at, saved, a->pattern, c);
    FOR_BLOCK(s->block, copy_cross, &o, 1, a->value);
  }
}

// r -= (A - B) z for one block, B = 0 where it is NULL
static inline void subtract_product(int block, const double *a, const double *b, const double *z, double *r) {
  for (int k = 0; k < block; ++k) {
    double sum = 0;
    for (int m = 0; m < block; ++m)
      sum += (b ? a[k * block + m] - b[k * block + m] : a[k * block + m]) * z[m];
    r[k] -= sum;
  }
}

// The part of r -= (A - `now`) z that the blocks of a cross have. Where z is zero beside constrained nodes, `now` may
// be NULL, for the matrix without all that leads to them.
static inline void subtract_cross(int block, const cross *o, const double *now, const double *z, double *r) {
  size_t entries = (size_t)(block * block), width = (size_t)block, at = (size_t)o->node * width;
  for (int place = o->begin; place < o->end; ++place) {
    size_t there = (size_t)o->other[place] * width, kept = (size_t)(place - o->begin) * entries;
    const double *row = now ? now + (size_t)place * entries : NULL;
    if (now || !has_mirror(o, place))
      subtract_product(block, o->row + kept, row, z + there, r + at);
    if (has_mirror(o, place))
      subtract_product(block, o->column + kept, now ? now + (size_t)o->mirror[place] * entries : NULL, z + at,
                       r + there);
  }
}

void mus_filter_target_residual(const mus_filter *s, const mus_transpose *at, const mus_filter_saved *saved,
                                const mus_matrix *a, const double *b, const double *z, double *r) {
  if (s->across)
    mus_residual(a, b, z, r);
  else
    mus_copy((size_t)s->rows * (size_t)s->block, b, r);
  for (int c = 0; c < s->count; ++c) { // in order, for columns meet in rows
    cross o = cross_of(s, at, saved, a->pattern, c);
    FOR_BLOCK(s->block, subtract_cross, &o, s->across ? a->value : NULL, z, r);
  }
}

// --- beyond a pattern, and scales ------------------------------------------------------------------

void mus_filter_beyond(const mus_filter *s, const mus_beyond *from, double *to) {
  const mus_pattern *pattern = &from->pattern;
  if (from->value != to)
    mus_copy((size_t)mus_pattern_blocks(pattern) * (size_t)(from->block * from->block), from->value, to);
  if (s->count == 0)
    return;
  MUS_PARALLEL_FOR_IF(from->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < from->count; ++k)
    FOR_BLOCK(s->block, filter_row, s, pattern, k, from->node[k], -1, 0.0, to);
}

// Rows that are looked at, evenly spread: the mean over some of the diagonal lies in the field of values as well, and
// each block of a large matrix is a wait for memory.
enum { SCALE_ROWS = 4096 };

double mus_filter_scale(const mus_matrix *a, const int *place) {
  size_t block = (size_t)a->row_block;
  int rows = a->pattern->rows, looked_at = rows < SCALE_ROWS ? rows : SCALE_ROWS;
  double trace = 0;
  for (int k = 0; k < looked_at; ++k) {
    const double *diagonal = a->value + (size_t)place[(long long)rows * k / looked_at] * block * block;
    for (size_t d = 0; d < block; ++d)
      trace += diagonal[d * (block + 1)];
  }
  return looked_at > 0 ? trace / ((double)looked_at * (double)block) : 1.0;
}
