// Prolongators with numbers of 16 bits. See packed.h.
#include "sparse/packed.h"

#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "sparse/kernels.h"

enum { PADDING = 2, ROWS_AT_ONCE = 1024 };

int mus_packed_takes(int row_block, int column_block) {
  return column_block == MUS_PACKED_COLUMNS && (row_block == 3 || row_block == 6);
}

static size_t numbers_before(const mus_packed *p, int row) {
  return (size_t)p->pattern->row_start[row] * (size_t)(p->row_block * MUS_PACKED_COLUMNS);
}

mus_status mus_packed_create(mus_arena *arena, const mus_pattern *pattern, int row_block, mus_packed *out) {
  *out = (mus_packed){.pattern = pattern, .row_block = row_block};
  size_t numbers = numbers_before(out, pattern->rows);
  out->value = mus_arena_alloc(arena, numbers + PADDING, sizeof *out->value);
  out->scale = mus_arena_alloc(arena, (size_t)pattern->rows, sizeof *out->scale);
  if (!out->value || !out->scale)
    return mus_fail_memory();
  memset(out->value + numbers, 0, PADDING * sizeof *out->value);
  return MUS_OK;
}

size_t mus_packed_bytes(const mus_packed *p) {
  if (!p->value)
    return 0;
  return numbers_before(p, p->pattern->rows) * sizeof *p->value + (size_t)p->pattern->rows * sizeof *p->scale;
}

// --- rounding -------------------------------------------------------------------------------------------------------

// 2^(exponent - 127), for exponents from 1 to 254.
static float power(int32_t exponent) {
  float result;
  int32_t bits = exponent * (1 << 23);
  memcpy(&result, &bits, sizeof result);
  return result;
}

// The exponent of the largest number, as floating-point numbers have it.
static int32_t largest_exponent(size_t count, const float *value) {
  int32_t largest = 0;
  for (size_t k = 0; k < count; ++k) {
    int32_t bits;
    memcpy(&bits, value + k, sizeof bits);
    bits &= 0x7fffffff;
    largest = bits > largest ? bits : largest;
  }
  return largest / (1 << 23);
}

// The largest number of a row lies between 2^14 and 2^15 times its scale. What is tiny throughout becomes zero.
static float round_row(size_t count, float *value, int16_t *to) {
  const int32_t least = 64, bits = 14;
  const float shift = 3 << 22, most = 32767; // x + shift - shift is x without its fraction
  int32_t exponent = largest_exponent(count, value);
  exponent = (exponent < least ? least : exponent) - bits;
  float scale = power(exponent), inverse = power(254 - exponent);
  for (size_t k = 0; k < count; ++k) {
    float whole = value[k] * inverse + shift - shift;
    whole = whole < most ? whole : most;
    whole = whole > -most ? whole : -most;
    to[k] = (int16_t)whole;
    value[k] = scale * whole;
  }
  return scale;
}

static void round_one(mus_matrix_f *p, int row, mus_packed *packed) {
  size_t begin = numbers_before(packed, row), count = numbers_before(packed, row + 1) - begin;
  packed->scale[row] = round_row(count, p->value + begin, packed->value + begin);
}

void mus_packed_round(mus_matrix_f *p, mus_packed *packed) {
  int rows = packed->pattern->rows;
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i)
    round_one(p, i, packed);
}

void mus_packed_round_rows(mus_matrix_f *p, int count, const int *row, mus_packed *packed) {
  MUS_PARALLEL_FOR_IF(count > MUS_PAR_MINIMUM)
  for (int k = 0; k < count; ++k)
    round_one(p, row[k], packed);
}

// --- products -------------------------------------------------------------------------------------------------------

void mus_packed_add_rows_scalar(const mus_packed *p, const float *x, int begin, int end, float *y) {
  enum { COLUMNS = MUS_PACKED_COLUMNS };
  int block = p->row_block;
  const int16_t *a = p->value + numbers_before(p, begin);
  for (int i = begin; i < end; ++i) {
    float sum[MUS_PACKED_COLUMNS] = {0};
    for (int k = p->pattern->row_start[i]; k < p->pattern->row_start[i + 1]; ++k, a += block * COLUMNS) {
      const float *from = x + (size_t)p->pattern->column[k] * COLUMNS;
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < COLUMNS; ++c)
          sum[r] += (float)a[r * COLUMNS + c] * from[c];
    }
    for (int r = 0; r < block; ++r)
      y[(size_t)i * (size_t)block + (size_t)r] += p->scale[i] * sum[r];
  }
}

void mus_packed_scatter_rows_scalar(const mus_packed *p, const float *x, int begin, int end, int first_column,
                                    float *sums) {
  enum { COLUMNS = MUS_PACKED_COLUMNS };
  int block = p->row_block;
  const int16_t *a = p->value + numbers_before(p, begin);
  for (int i = begin; i < end; ++i) {
    const float *from = x + (size_t)i * (size_t)block;
    for (int k = p->pattern->row_start[i]; k < p->pattern->row_start[i + 1]; ++k, a += block * COLUMNS) {
      float *to = sums + (size_t)(p->pattern->column[k] - first_column) * (size_t)mus_scatter_stride(COLUMNS);
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < COLUMNS; ++c)
          to[c] += p->scale[i] * from[r] * (float)a[r * COLUMNS + c];
    }
  }
}

void mus_packed_multiply_add(const mus_packed *p, const float *x, float *y) {
  void (*add_rows)(const mus_packed *, const float *, int, int, float *) = mus_packed_add_rows_scalar;
#if MUSLIN_X86
  if (mus_instructions_current() != MUS_SCALAR)
    add_rows = mus_packed_add_rows_avx2;
#endif
  int rows = p->pattern->rows;
  MUS_PARALLEL_FOR_IF(rows > ROWS_AT_ONCE)
  for (int begin = 0; begin < rows; begin += ROWS_AT_ONCE)
    add_rows(p, x, begin, rows - begin > ROWS_AT_ONCE ? begin + ROWS_AT_ONCE : rows, y);
}

void mus_packed_restrict(const mus_packed *p, const mus_restriction *plan, const float *x, float *y) {
  void (*scatter_rows)(const mus_packed *, const float *, int, int, int, float *) = mus_packed_scatter_rows_scalar;
#if MUSLIN_X86
  if (mus_instructions_current() != MUS_SCALAR)
    scatter_rows = mus_packed_scatter_rows_avx2;
#endif
  MUS_PARALLEL_FOR_IF(plan->chunks > 1)
  for (int c = 0; c < plan->chunks; ++c)
    scatter_rows(p, x, plan->row[c], plan->row[c + 1], plan->low[c],
                 mus_restriction_zero_f(plan, c, MUS_PACKED_COLUMNS));
  mus_restriction_add_up_f(plan, p->pattern->columns, MUS_PACKED_COLUMNS, y);
}
