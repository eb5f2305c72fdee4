// Numbers of levels of affine handles. See affine.h.
#include "multigrid/skinning/affine.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "multigrid/skinning/affine_state.h"
#include "par/par.h"
#include "par/vector.h"

enum { F = MUS_FUNCTIONS, UNKNOWNS = 3 * MUS_FUNCTIONS };

// --- life ------------------------------------------------------------------------------------------------------------

static mus_status make_blocks(mus_arena *arena, const mus_affine_level *level, mus_affine_blocks *out) {
  *out = (mus_affine_blocks){.place = mus_arena_alloc(arena, (size_t)level->nodes, sizeof *out->place)};
  for (int i = 0; i < level->nodes && out->place; ++i)
    out->place[i] = -1;
  return out->place ? MUS_OK : mus_fail_memory();
}

static mus_status make_numbers(mus_affine *a, int k) {
  mus_affine_level *l = &a->level[k];
  size_t square = (size_t)(l->width * l->width);
  l->diagonal = mus_arena_alloc(&a->arena, (size_t)l->nodes * square, sizeof *l->diagonal);
  if (k > 0)
    l->value = mus_arena_alloc(&a->arena, (size_t)mus_pattern_blocks(&l->links) * square, sizeof *l->value);
  if (!l->diagonal || (k > 0 && !l->value))
    return mus_fail_memory();
  mus_status status = make_blocks(&a->arena, l, &a->blocks[k]);
  if (status)
    return status;
  return a->single ? mus_affine_numbers_create_f(&a->arena, l, &a->number_f[k])
                   : mus_affine_numbers_create(&a->arena, l, &a->number[k]);
}

// The bottom's matrix, with its diagonal.
static mus_status make_bottom(mus_affine *a) {
  const mus_affine_level *l = &a->level[a->levels];
  mus_pattern *p = &a->bottom_pattern;
  int rows = l->nodes, entries = 0;
  *p = (mus_pattern){.rows = rows, .columns = rows};
  p->row_start = mus_arena_alloc(&a->arena, (size_t)rows + 1, sizeof *p->row_start);
  p->column = mus_arena_alloc(&a->arena, (size_t)(mus_pattern_blocks(&l->links) + rows), sizeof *p->column);
  a->bottom_right = mus_arena_alloc(&a->arena, (size_t)(UNKNOWNS * rows), sizeof *a->bottom_right);
  if (!p->row_start || !p->column || !a->bottom_right)
    return mus_fail_memory();
  for (int i = 0; i < rows; ++i) {
    int before = 1;
    p->row_start[i] = entries;
    for (int k = l->links.row_start[i]; k < l->links.row_start[i + 1]; ++k) {
      if (before && l->links.column[k] > i) {
        p->column[entries++] = i;
        before = 0;
      }
      p->column[entries++] = l->links.column[k];
    }
    if (before)
      p->column[entries++] = i;
  }
  p->row_start[rows] = entries;
  mus_status status = mus_matrix_create(&a->arena, p, UNKNOWNS, UNKNOWNS, &a->bottom);
  return status ? status : mus_factor_create(p, UNKNOWNS, MUS_FACTOR_CHOOSE, &a->factor);
}

mus_status mus_affine_create(const mus_pattern *pattern, const double *rest, const mus_solver_options *options,
                             mus_affine **out) {
  mus_affine *a = mus_alloc_zero(1, sizeof *a);
  if (!a)
    return mus_fail_memory();
  a->pattern = pattern;
  a->single = options->precision == MUS_PRECISION_SINGLE;
  mus_status status = mus_affine_make_levels(a, rest, options);
  for (int k = 0; k <= a->levels && !status; ++k)
    status = make_numbers(a, k);
  if (!status)
    status = make_bottom(a);
  if (status)
    mus_affine_free(a);
  else
    *out = a;
  return status;
}

void mus_affine_free(mus_affine *levels) {
  if (!levels)
    return;
  for (int k = 0; k <= levels->levels; ++k) {
    mus_free(levels->blocks[k].node);
    mus_free(levels->blocks[k].value);
    mus_affine_numbers_free(&levels->number[k]);
    mus_affine_numbers_free_f(&levels->number_f[k]);
  }
  mus_factor_free(levels->factor);
  mus_arena_clear(&levels->arena);
  mus_free(levels);
}

size_t mus_affine_bytes(const mus_affine *levels) {
  size_t bytes = sizeof *levels + levels->arena.bytes + mus_factor_bytes(levels->factor);
  for (int k = 0; k <= levels->levels; ++k) {
    size_t square = (size_t)(9 * levels->level[k].width * levels->level[k].width);
    bytes += (size_t)levels->blocks[k].capacity * (sizeof(int) + square * sizeof(double));
    bytes += (size_t)(levels->number[k].capacity) * 2 * square * sizeof(double);
    bytes += (size_t)(levels->number_f[k].capacity) * 2 * square * sizeof(float);
  }
  return bytes;
}

// --- coarse matrices -------------------------------------------------------------------------------------------------

// to (F x F) += T_i a T_j^T, T (F x width) and a (width x width)
static inline void add_product(int width, const double *ti, const double *a, const double *tj, double *to) {
  double half[F * F];
  for (int r = 0; r < F; ++r)
    for (int c = 0; c < width; ++c) {
      half[r * width + c] = 0;
      for (int e = 0; e < width; ++e)
        half[r * width + c] += ti[r * width + e] * a[e * width + c];
    }
  for (int r = 0; r < F; ++r)
    for (int c = 0; c < F; ++c)
      for (int e = 0; e < width; ++e)
        to[r * F + c] += half[r * width + e] * tj[c * width + e];
}

// Row I of the coarser matrix, from the rows of its handle's nodes; `value` are the finer level's numbers.
static void sum_row(const mus_affine_level *fine, const double *value, mus_affine_level *coarse, int handle) {
  const mus_pattern *to = &coarse->links;
  int width = fine->width, from = to->row_start[handle], end = to->row_start[handle + 1];
  size_t square = (size_t)(width * width), each = (size_t)(F * width);
  double *diagonal = coarse->diagonal + F * F * (size_t)handle;
  memset(diagonal, 0, F * F * sizeof *diagonal);
  memset(coarse->value + F * F * (size_t)from, 0, (size_t)(F * F * (end - from)) * sizeof *coarse->value);
  for (int n = fine->child_start[handle]; n < fine->child_start[handle + 1]; ++n) {
    int i = fine->child[n];
    const double *ti = fine->transfer + (size_t)i * each;
    add_product(width, ti, fine->diagonal + (size_t)i * square, ti, diagonal);
    for (int k = fine->links.row_start[i]; k < fine->links.row_start[i + 1]; ++k) {
      int j = fine->links.column[k], owner = fine->owner[j];
      double *sum = diagonal;
      if (owner != handle)
        sum = coarse->value + F * F * (size_t)mus_pattern_find(to, handle, owner);
      add_product(width, ti, value + (size_t)k * square, fine->transfer + (size_t)j * each, sum);
    }
  }
  for (int a = 0; a < F; ++a)
    if (!coarse->live[F * handle + a])
      diagonal[a * F + a] = 1;
}

// --- blocks of the diagonal ------------------------------------------------------------------------------------------

// Room for as many blocks, which are kept.
static mus_status reserve(mus_affine_blocks *b, int count, int square) {
  if (count <= b->capacity)
    return MUS_OK;
  int capacity = count + count / 2;
  int *node = mus_alloc((size_t)capacity, sizeof *node);
  double *value = mus_alloc((size_t)capacity * (size_t)square, sizeof *value);
  if (!node || !value) {
    mus_free(node);
    mus_free(value);
    return mus_fail_memory();
  }
  if (b->count > 0) {
    memcpy(node, b->node, (size_t)b->count * sizeof *node);
    memcpy(value, b->value, (size_t)b->count * (size_t)square * sizeof *value);
  }
  mus_free(b->node);
  mus_free(b->value);
  b->node = node;
  b->value = value;
  b->capacity = capacity;
  return MUS_OK;
}

static void clear_blocks(mus_affine_blocks *b) {
  for (int n = 0; n < b->count; ++n)
    b->place[b->node[n]] = -1;
  b->count = 0;
}

// The block of a node, zero at first.
static mus_status find_block(mus_affine_blocks *b, int node, int square, double **value) {
  if (b->place[node] < 0) {
    mus_status status = reserve(b, b->count + 1, square);
    if (status)
      return status;
    memset(b->value + (size_t)b->count * (size_t)square, 0, (size_t)square * sizeof *b->value);
    b->node[b->count] = node;
    b->place[node] = b->count++;
  }
  *value = b->value + (size_t)b->place[node] * (size_t)square;
  return MUS_OK;
}

// to (12 x 12) += (T (x) I_3) block (T (x) I_3)^T, block (3 width)^2
static void add_block(int width, const double *t, const double *block, double *to) {
  double half[UNKNOWNS * UNKNOWNS];
  int n = 3 * width;
  for (int a = 0; a < F; ++a)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < n; ++c) {
        double sum = 0;
        for (int e = 0; e < width; ++e)
          sum += t[a * width + e] * block[(3 * e + r) * n + c];
        half[(3 * a + r) * n + c] = sum;
      }
  for (int r = 0; r < UNKNOWNS; ++r)
    for (int b = 0; b < F; ++b)
      for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int e = 0; e < width; ++e)
          sum += half[r * n + 3 * e + c] * t[b * width + e];
        to[r * UNKNOWNS + 3 * b + c] += sum;
      }
}

static mus_status set_finest_blocks(mus_affine *a, const mus_shared_matrix *matrix) {
  mus_affine_blocks *b = &a->blocks[0];
  clear_blocks(b);
  mus_status status = reserve(b, matrix->count, 9);
  for (int n = 0; n < matrix->count && !status; ++n) {
    double *value;
    status = find_block(b, a->place[matrix->block[n].node], 9, &value);
    if (!status)
      memcpy(value, matrix->block[n].value, 9 * sizeof *value);
  }
  return status;
}

static mus_status sum_blocks(const mus_affine_level *fine, const mus_affine_blocks *from, mus_affine_blocks *to) {
  int width = fine->width;
  mus_status status = MUS_OK;
  clear_blocks(to);
  for (int n = 0; n < from->count && !status; ++n) {
    int i = from->node[n];
    double *sum;
    status = find_block(to, fine->owner[i], UNKNOWNS * UNKNOWNS, &sum);
    if (!status)
      add_block(width, fine->transfer + (size_t)(F * width) * (size_t)i,
                from->value + (size_t)(9 * width * width) * (size_t)n, sum);
  }
  return status;
}

// Row i of L x, for one coordinate.
static void product_row(const mus_affine_level *l, const double *value, int i, const double *x, double *sum) {
  int width = l->width;
  size_t square = (size_t)(width * width);
  for (int r = 0; r < width; ++r)
    sum[r] = 0;
  for (int k = l->links.row_start[i] - 1; k < l->links.row_start[i + 1]; ++k) {
    int own = k < l->links.row_start[i];
    const double *a = own ? l->diagonal + (size_t)i * square : value + (size_t)k * square;
    const double *from = x + (size_t)(own ? i : l->links.column[k]) * (size_t)width;
    for (int r = 0; r < width; ++r)
      for (int c = 0; c < width; ++c)
        sum[r] += a[r * width + c] * from[c];
  }
}

// --- setting ---------------------------------------------------------------------------------------------------------

// to (12 x 12) = a (F x F) (x) I_3
static void spread(const double *a, double *to) {
  memset(to, 0, UNKNOWNS * UNKNOWNS * sizeof *to);
  for (int r = 0; r < F; ++r)
    for (int c = 0; c < F; ++c)
      for (int e = 0; e < 3; ++e)
        to[(3 * r + e) * UNKNOWNS + 3 * c + e] = a[r * F + c];
}

static mus_status factorise_bottom(mus_affine *a) {
  const mus_affine_level *l = &a->level[a->levels];
  const mus_affine_blocks *b = &a->blocks[a->levels];
  for (int i = 0; i < l->nodes; ++i) {
    spread(l->diagonal + F * F * (size_t)i, mus_matrix_block(&a->bottom, i, i));
    for (int k = l->links.row_start[i]; k < l->links.row_start[i + 1]; ++k)
      spread(l->value + F * F * (size_t)k, mus_matrix_block(&a->bottom, i, l->links.column[k]));
  }
  for (int n = 0; n < b->count; ++n)
    mus_matrix_add_block(&a->bottom, b->node[n], b->node[n], 1, b->value + UNKNOWNS * UNKNOWNS * (size_t)n);
  return mus_factor_compute(a->factor, &a->bottom);
}

static mus_status set_all_blocks(mus_affine *levels, const mus_shared_matrix *a) {
  mus_status status = set_finest_blocks(levels, a);
  for (int k = 0; k < levels->levels && !status; ++k) {
    status = sum_blocks(&levels->level[k], &levels->blocks[k], &levels->blocks[k + 1]);
    if (!status)
      status = levels->single ? mus_affine_numbers_blocks_f(&levels->level[k], &levels->blocks[k], &levels->number_f[k])
                              : mus_affine_numbers_blocks(&levels->level[k], &levels->blocks[k], &levels->number[k]);
  }
  return status;
}

mus_status mus_affine_set_blocks(mus_affine *levels, const mus_shared_matrix *a) {
  int had = levels->blocks[0].count > 0;
  mus_status status = set_all_blocks(levels, a);
  return status || (!had && a->count == 0) ? status : factorise_bottom(levels);
}

// A bound on the largest eigenvalue of D^-1 L, which no block can raise: by powers, from a start that has a part of
// everything.
static mus_status find_radius(mus_affine_level *l, const double *value) {
  enum { POWERS = 20 };
  const double margin = 1.1; // what so many powers may miss
  size_t width = (size_t)l->width, n = (size_t)l->nodes * width, square = width * width;
  mus_arena scratch = {0};
  double *x = mus_arena_alloc(&scratch, n, sizeof *x), *y = mus_arena_alloc(&scratch, n, sizeof *y), growth = 0;
  double *inverse = mus_arena_alloc(&scratch, (size_t)l->nodes * square, sizeof *inverse);
  mus_status status = x && y && inverse ? MUS_OK : mus_fail_memory();
  for (int i = 0; i < l->nodes && !status; ++i)
    if (!mus_affine_invert(l->width, l->diagonal + (size_t)i * square, inverse + (size_t)i * square))
      status = mus_fail(MUS_BREAKDOWN, "a matrix of Projective Dynamics is not positive definite");
  if (!status)
    mus_fill_random(n, 1, x);
  for (int power = 0; power < POWERS && !status; ++power) {
    MUS_PARALLEL_FOR_IF(l->nodes > MUS_PAR_MINIMUM)
    for (int i = 0; i < l->nodes; ++i) {
      double sum[F];
      product_row(l, value, i, x, sum);
      for (size_t r = 0; r < width; ++r) {
        double z = 0;
        for (size_t c = 0; c < width; ++c)
          z += inverse[(size_t)i * square + r * width + c] * sum[c];
        y[(size_t)i * width + r] = z;
      }
    }
    growth = sqrt(mus_dot(n, y, y) / mus_dot(n, x, x));
    double size = sqrt(mus_dot(n, y, y));
    for (size_t i = 0; i < n; ++i)
      x[i] = y[i] / size;
  }
  l->radius = margin * growth;
  mus_arena_clear(&scratch);
  return status;
}

mus_status mus_affine_set(mus_affine *levels, const mus_shared_matrix *a) {
  mus_affine_level *finest = &levels->level[0];
  int links = mus_pattern_blocks(&finest->links);
  mus_arena scratch = {0};
  double *value = mus_arena_alloc(&scratch, (size_t)links, sizeof *value); // of the finest level, in its order
  mus_status status = value ? MUS_OK : mus_fail_memory();
  for (int k = 0; k < links && !status; ++k)
    value[k] = a->value[levels->source[k]];
  for (int i = 0; i < finest->nodes && !status; ++i)
    finest->diagonal[i] = a->value[levels->source[links + i]];
  for (int k = 0; k < levels->levels && !status; ++k) {
    mus_affine_level *fine = &levels->level[k], *coarse = &levels->level[k + 1];
    const double *numbers = k == 0 ? value : fine->value;
    MUS_PARALLEL_FOR_IF(fine->nodes > MUS_PAR_MINIMUM)
    for (int h = 0; h < coarse->nodes; ++h)
      sum_row(fine, numbers, coarse, h);
    if (fine->smoother->uses_radius)
      status = find_radius(fine, numbers);
    if (!status)
      status = levels->single ? mus_affine_numbers_set_f(fine, numbers, &levels->number_f[k])
                              : mus_affine_numbers_set(fine, numbers, &levels->number[k]);
  }
  mus_arena_clear(&scratch);
  if (!status)
    status = set_all_blocks(levels, a);
  return status ? status : factorise_bottom(levels);
}

void mus_affine_cycle(mus_affine *levels, const double *b, double *x) {
  if (levels->single)
    mus_affine_run_f(levels, b, x);
  else
    mus_affine_run(levels, b, x);
}

// --- looking at it ---------------------------------------------------------------------------------------------------

int mus_affine_levels(const mus_affine *levels) { return levels->levels; }

int mus_affine_handles(const mus_affine *levels, int level) { return levels->level[level].nodes; }

void mus_affine_dense(const mus_affine *levels, int level, double *a) {
  const mus_affine_level *l = &levels->level[level];
  const mus_affine_blocks *b = &levels->blocks[level];
  size_t n = (size_t)(UNKNOWNS * l->nodes);
  double block[UNKNOWNS * UNKNOWNS];
  memset(a, 0, n * n * sizeof *a);
  for (int i = 0; i < l->nodes; ++i)
    for (int k = l->links.row_start[i] - 1; k < l->links.row_start[i + 1]; ++k) {
      int diagonal = k < l->links.row_start[i], j = diagonal ? i : l->links.column[k];
      spread(diagonal ? l->diagonal + F * F * (size_t)i : l->value + F * F * (size_t)k, block);
      for (int e = 0; e < UNKNOWNS * UNKNOWNS; ++e) {
        if (diagonal && b->place[i] >= 0)
          block[e] += b->value[UNKNOWNS * UNKNOWNS * (size_t)b->place[i] + (size_t)e];
        a[(size_t)(UNKNOWNS * i + e / UNKNOWNS) * n + (size_t)(UNKNOWNS * j + e % UNKNOWNS)] = block[e];
      }
    }
}

int mus_affine_functions(const mus_affine *levels, int level, int vertex, double phi[4]) {
  int node = levels->place[vertex];
  memcpy(phi, levels->level[0].transfer + F * (size_t)node, F * sizeof *phi);
  node = levels->level[0].owner[node];
  for (int k = 1; k < level; ++k) {
    const double *t = levels->level[k].transfer + F * F * (size_t)node;
    double next[F];
    for (int a = 0; a < F; ++a)
      next[a] = t[F * a] * phi[0] + t[F * a + 1] * phi[1] + t[F * a + 2] * phi[2] + t[F * a + 3] * phi[3];
    memcpy(phi, next, sizeof next);
    node = levels->level[k].owner[node];
  }
  return node;
}
