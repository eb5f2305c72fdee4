// See shared.h.
#include "sparse/shared.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "sparse/factor.h"

void mus_shared_multiply(const mus_shared_matrix *a, const double *x, double *y) {
  const mus_pattern *p = a->pattern;
  MUS_PARALLEL_FOR_IF(p->rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < p->rows; ++i) {
    double sum[3] = {0, 0, 0};
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; ++k)
      for (size_t c = 0; c < 3; ++c)
        sum[c] += a->value[k] * x[3 * (size_t)p->column[k] + c];
    memcpy(y + 3 * (size_t)i, sum, sizeof sum);
  }
  for (int n = 0; n < a->count; ++n) {
    size_t at = 3 * (size_t)a->block[n].node;
    const double *b = a->block[n].value;
    for (size_t c = 0; c < 3; ++c)
      y[at + c] += b[3 * c] * x[at] + b[3 * c + 1] * x[at + 1] + b[3 * c + 2] * x[at + 2];
  }
}

void mus_shared_expand(const mus_shared_matrix *a, mus_matrix *out) {
  memset(out->value, 0, mus_matrix_values(out) * sizeof *out->value);
  for (int k = 0; k < mus_pattern_blocks(a->pattern); ++k)
    for (int c = 0; c < 3; ++c)
      mus_matrix_at(out, k)[4 * c] = a->value[k];
  for (int n = 0; n < a->count; ++n)
    mus_matrix_add_block(out, a->block[n].node, a->block[n].node, 1, a->block[n].value);
}

// --- blocks ----------------------------------------------------------------------------------------------------------

mus_status mus_shared_blocks_create(mus_arena *arena, int rows, mus_shared_blocks *out) {
  *out = (mus_shared_blocks){.place = mus_arena_alloc(arena, (size_t)rows, sizeof *out->place)};
  for (int i = 0; i < rows && out->place; ++i)
    out->place[i] = -1;
  return out->place ? MUS_OK : mus_fail_memory();
}

void mus_shared_blocks_free(mus_shared_blocks *blocks) { mus_free(blocks->list.items); }

void mus_shared_blocks_clear(mus_shared_blocks *blocks) {
  const mus_shared_block *block = blocks->list.items;
  for (size_t k = 0; k < blocks->list.count; ++k)
    blocks->place[block[k].node] = -1;
  blocks->list.count = 0;
}

mus_status mus_shared_blocks_add(mus_shared_blocks *blocks, int node, double factor, const double *block) {
  mus_shared_block *to;
  if (blocks->place[node] >= 0) {
    to = (mus_shared_block *)blocks->list.items + blocks->place[node];
  } else {
    to = mus_list_add(&blocks->list, sizeof *to);
    if (!to)
      return mus_fail_memory();
    memset(to, 0, sizeof *to); // what lies between its members too: lists are compared byte by byte
    to->node = node;
    blocks->place[node] = (int)blocks->list.count - 1;
  }
  for (int e = 0; e < 9; ++e)
    to->value[e] += factor * block[e];
  return MUS_OK;
}

const double *mus_shared_blocks_at(const mus_shared_blocks *blocks, int node) {
  int place = blocks->place[node];
  return place < 0 ? NULL : ((const mus_shared_block *)blocks->list.items)[place].value;
}

mus_status mus_shared_blocks_lump(mus_shared_blocks *blocks, int count, const int *node, const double *weight,
                                  const double *block) {
  double sum = 0;
  mus_status status = MUS_OK;
  for (int k = 0; k < count; ++k)
    sum += fabs(weight[k]);
  for (int k = 0; k < count && !status; ++k)
    if (weight[k] != 0)
      status = mus_shared_blocks_add(blocks, node[k], fabs(weight[k]) * sum, block);
  return status;
}

// --- the direct solution ---------------------------------------------------------------------------------------------

struct mus_shared_factor {
  const mus_pattern *pattern;
  mus_factor *scalar, *blocks; // NULL until they are needed
  int has_blocks;              // which of them holds
  double *coordinate;          // rows
};

mus_status mus_shared_factor_create(const mus_pattern *pattern, mus_shared_factor **out) {
  mus_shared_factor *f = mus_alloc_zero(1, sizeof *f);
  if (!f)
    return mus_fail_memory();
  f->pattern = pattern;
  f->coordinate = mus_alloc_zero((size_t)pattern->rows, sizeof *f->coordinate);
  if (!f->coordinate) {
    mus_free(f);
    return mus_fail_memory();
  }
  *out = f;
  return MUS_OK;
}

void mus_shared_factor_free(mus_shared_factor *factor) {
  if (!factor)
    return;
  mus_factor_free(factor->scalar);
  mus_factor_free(factor->blocks);
  mus_free(factor->coordinate);
  mus_free(factor);
}

size_t mus_shared_factor_bytes(const mus_shared_factor *factor) {
  return sizeof *factor + (size_t)factor->pattern->rows * sizeof *factor->coordinate +
         (factor->scalar ? mus_factor_bytes(factor->scalar) : 0) +
         (factor->blocks ? mus_factor_bytes(factor->blocks) : 0);
}

// Whether a block acts on all coordinates alike.
static int is_alike(const double *block) {
  for (int e = 0; e < 9; ++e)
    if (fabs(block[e] - (e % 4 == 0 ? block[0] : 0)) > 1e-14 * fabs(block[0]))
      return 0;
  return 1;
}

static mus_status compute_scalar(mus_shared_factor *f, const mus_shared_matrix *a) {
  mus_status status = f->scalar ? MUS_OK : mus_factor_create(f->pattern, 1, MUS_FACTOR_CHOOSE, &f->scalar);
  mus_arena scratch = {0};
  mus_matrix sum;
  if (!status)
    status = mus_matrix_create(&scratch, a->pattern, 1, 1, &sum);
  if (!status) {
    memcpy(sum.value, a->value, mus_matrix_values(&sum) * sizeof *sum.value);
    for (int n = 0; n < a->count; ++n)
      sum.value[mus_pattern_find(a->pattern, a->block[n].node, a->block[n].node)] += a->block[n].value[0];
    status = mus_factor_compute(f->scalar, &sum);
  }
  mus_arena_clear(&scratch);
  return status;
}

static mus_status compute_blocks(mus_shared_factor *f, const mus_shared_matrix *a) {
  mus_status status = f->blocks ? MUS_OK : mus_factor_create(f->pattern, 3, MUS_FACTOR_CHOOSE, &f->blocks);
  mus_arena scratch = {0};
  mus_matrix expanded;
  if (!status)
    status = mus_matrix_create(&scratch, a->pattern, 3, 3, &expanded);
  if (!status) {
    mus_shared_expand(a, &expanded);
    status = mus_factor_compute(f->blocks, &expanded);
  }
  mus_arena_clear(&scratch);
  return status;
}

mus_status mus_shared_factor_compute(mus_shared_factor *factor, const mus_shared_matrix *a) {
  factor->has_blocks = 0;
  for (int n = 0; n < a->count; ++n)
    factor->has_blocks |= !is_alike(a->block[n].value);
  return factor->has_blocks ? compute_blocks(factor, a) : compute_scalar(factor, a);
}

double mus_shared_factor_work(const mus_shared_factor *factor) {
  const mus_factor *used = factor->has_blocks ? factor->blocks : factor->scalar;
  double numbers = (double)mus_factor_bytes(used) / sizeof(double);
  return 2 * numbers * (factor->has_blocks ? 1 : 3);
}

mus_status mus_shared_factor_solve(mus_shared_factor *factor, const double *b, double *x) {
  if (factor->has_blocks)
    return mus_factor_solve(factor->blocks, b, x);
  int rows = factor->pattern->rows;
  mus_status status = MUS_OK;
  for (int c = 0; c < 3 && !status; ++c) {
    for (int i = 0; i < rows; ++i)
      factor->coordinate[i] = b[3 * (size_t)i + (size_t)c];
    status = mus_factor_solve(factor->scalar, factor->coordinate, factor->coordinate);
    for (int i = 0; i < rows && !status; ++i)
      x[3 * (size_t)i + (size_t)c] = factor->coordinate[i];
  }
  return status;
}
