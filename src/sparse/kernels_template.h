// The kernels of one precision, as text for base/both_precisions.h. Each kernels_*.c has defined before
//   NAME(row_3x3), NAME(row_6x6), NAME(row_3x6)   products of one block row:
//       sum[0 ... r-1] = sum over blocks k in [begin, end) of value_k x[column_k]
//   NAME(row_transposed_3x3), NAME(row_transposed_3x6)
//       the same with value_source[k]^T, with more blocks to come up to `limit`
//   NAME(scatter_3x3), NAME(scatter_3x6)   y += a^T x for one block, with y as in MUS_OP_SCATTER
// All loops over block entries have bounds that are constants after inlining.
#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void NAME(row_any)(const TYPE(mus_task) *t, int row_block, int column_block, int begin, int end,
                                 REAL *sum) {
  for (int r = 0; r < row_block; ++r)
    sum[r] = 0;
  for (int k = begin; k < end; ++k) {
    const REAL *a = t->value + (size_t)k * (size_t)(row_block * column_block);
    const REAL *x = t->x + (size_t)t->column[k] * (size_t)column_block;
    for (int r = 0; r < row_block; ++r) {
      REAL part = 0;
      for (int c = 0; c < column_block; ++c)
        part += a[r * column_block + c] * x[c];
      sum[r] += part;
    }
  }
}

// Rows of a block whose length is a multiple of four: four lanes for each, with a sum of their own until the end.
ALWAYS_INLINE void NAME(row_by_fours)(const TYPE(mus_task) *t, int row_block, int column_block, int begin, int end,
                                      REAL *sum) {
  REAL lane[MUS_BLOCK_MAXIMUM][4] = {{0}};
  for (int k = begin; k < end; ++k) {
    const REAL *a = t->value + (size_t)k * (size_t)(row_block * column_block);
    const REAL *x = t->x + (size_t)t->column[k] * (size_t)column_block;
    for (int r = 0; r < row_block; ++r)
      for (int c = 0; c < column_block; c += 4)
        for (int l = 0; l < 4; ++l)
          lane[r][l] += a[r * column_block + c + l] * x[c + l];
  }
  for (int r = 0; r < row_block; ++r)
    sum[r] = (lane[r][0] + lane[r][1]) + (lane[r][2] + lane[r][3]);
}

// Rows of single numbers: four sums at once, since one alone would wait for itself.
ALWAYS_INLINE void NAME(row_1x1)(const TYPE(mus_task) *t, int begin, int end, REAL *sum) {
  REAL lane[4] = {0};
  int k = begin;
  for (; k + 4 <= end; k += 4)
    for (int l = 0; l < 4; ++l)
      lane[l] += t->value[k + l] * t->x[t->column[k + l]];
  for (; k < end; ++k)
    lane[0] += t->value[k] * t->x[t->column[k]];
  *sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

// One row of A^T x; here `row_block` counts the rows of A's blocks, so the sum has column_block entries.
ALWAYS_INLINE void NAME(row_transposed)(const TYPE(mus_task) *t, int row_block, int column_block, int begin, int end,
                                        REAL *sum) {
  for (int c = 0; c < column_block; ++c)
    sum[c] = 0;
  for (int k = begin; k < end; ++k) {
    const REAL *a = t->value + (size_t)t->source[k] * (size_t)(row_block * column_block);
    const REAL *x = t->x + (size_t)t->column[k] * (size_t)row_block;
    for (int r = 0; r < row_block; ++r)
      for (int c = 0; c < column_block; ++c)
        sum[c] += a[r * column_block + c] * x[r];
  }
}

// y = x + alpha D^-1 (b - sum) + beta x - gamma y for one row.
ALWAYS_INLINE void NAME(chebyshev_row)(const TYPE(mus_task) *t, int block, int row, const REAL *sum) {
  size_t at = (size_t)row * (size_t)block;
  const REAL *inverse = t->inverse_diagonal + at * (size_t)block;
  REAL residual[MUS_BLOCK_MAXIMUM], next[MUS_BLOCK_MAXIMUM];
  for (int r = 0; r < block; ++r) {
    residual[r] = t->alpha * (t->b[at + (size_t)r] - sum[r]);
    next[r] = t->x[at + (size_t)r] + t->beta * t->x[at + (size_t)r];
  }
  if (t->gamma != 0)
    for (int r = 0; r < block; ++r)
      next[r] -= t->gamma * t->y[at + (size_t)r];
  for (int c = 0; c < block; ++c) // by columns: D^-1 is symmetric
    for (int r = 0; r < block; ++r)
      next[r] += inverse[c * block + r] * residual[c];
  for (int r = 0; r < block; ++r)
    t->y[at + (size_t)r] = next[r];
}

// relaxed = D^-1 (b - y - sum) at the node of one row, y = sum.
ALWAYS_INLINE void NAME(relax_row)(const TYPE(mus_task) *t, int block, int row, const REAL *sum) {
  size_t at = (size_t)row * (size_t)block;
  if (t->relaxed) {
    const REAL *inverse = t->inverse_diagonal + at * (size_t)block;
    REAL next[MUS_BLOCK_MAXIMUM] = {0}, *to = t->relaxed + (size_t)t->source[row] * (size_t)block;
    for (int c = 0; c < block; ++c) { // by columns: D^-1 is symmetric
      REAL residual = t->b[at + (size_t)c] - t->y[at + (size_t)c] - sum[c];
      for (int r = 0; r < block; ++r)
        next[r] += inverse[c * block + r] * residual;
    }
    for (int r = 0; r < block; ++r)
      to[r] = next[r];
  }
  for (int r = 0; r < block; ++r)
    t->y[at + (size_t)r] = sum[r];
}

// What becomes of a row's sum.
ALWAYS_INLINE void NAME(finish_row)(const TYPE(mus_task) *t, mus_operation operation, int block, int row,
                                    const REAL *sum) {
  if (operation == MUS_OP_CHEBYSHEV) {
    NAME(chebyshev_row)(t, block, row, sum);
    return;
  }
  if (operation == MUS_OP_RELAX) {
    NAME(relax_row)(t, block, row, sum);
    return;
  }
  size_t at = (size_t)row * (size_t)block;
  for (int r = 0; r < block; ++r) {
    REAL *y = &t->y[at + (size_t)r];
    *y = operation == MUS_OP_ADD ? *y + sum[r] : operation == MUS_OP_RESIDUAL ? t->b[at + (size_t)r] - sum[r] : sum[r];
  }
}

// Rows go in short runs, first all their sums, then all their ends: the processor keeps more of A in flight that way.
ALWAYS_INLINE void NAME(rows)(const TYPE(mus_task) *t, int begin, int end, mus_operation operation, int row_block,
                              int column_block) {
  enum { RUN = 16 };
  int block = operation == MUS_OP_TRANSPOSED ? column_block : row_block;
  REAL sums[RUN * MUS_BLOCK_MAXIMUM];
  for (int first = begin; first < end; first += RUN) {
    int count = end - first < RUN ? end - first : RUN;
    for (int i = 0; i < count; ++i) {
      int from = t->row_start[first + i], to = t->row_start[first + i + 1];
      REAL *sum = sums + i * block;
      if (operation == MUS_OP_TRANSPOSED && row_block == 3 && column_block == 3)
        NAME(row_transposed_3x3)(t, from, to, t->row_start[end], sum);
      else if (operation == MUS_OP_TRANSPOSED && row_block == 3 && column_block == 6)
        NAME(row_transposed_3x6)(t, from, to, t->row_start[end], sum);
      else if (operation == MUS_OP_TRANSPOSED)
        NAME(row_transposed)(t, row_block, column_block, from, to, sum);
      else if (row_block == 3 && column_block == 3)
        NAME(row_3x3)(t, from, to, sum);
      else if (row_block == 6 && column_block == 6)
        NAME(row_6x6)(t, from, to, sum);
      else if (row_block == 3 && column_block == 6)
        NAME(row_3x6)(t, from, to, sum);
      else if (row_block == 1 && column_block == 1)
        NAME(row_1x1)(t, from, to, sum);
      else if (column_block == 12)
        NAME(row_by_fours)(t, row_block, column_block, from, to, sum);
      else
        NAME(row_any)(t, row_block, column_block, from, to, sum);
    }
    for (int i = 0; i < count; ++i)
      NAME(finish_row)(t, operation, block, first + i, sums + i * block);
  }
}

ALWAYS_INLINE void NAME(scatter_rows)(const TYPE(mus_task) *t, int begin, int end, int row_block, int column_block) {
  for (int i = begin; i < end; ++i) {
    const REAL *x = t->x + (size_t)i * (size_t)row_block;
    for (int k = t->row_start[i]; k < t->row_start[i + 1]; ++k) {
      const REAL *a = t->value + (size_t)k * (size_t)(row_block * column_block);
      REAL *y = t->y + (size_t)(t->column[k] - t->first_column) * (size_t)mus_scatter_stride(column_block);
      if (row_block == 3 && column_block == 3)
        NAME(scatter_3x3)(a, x, y);
      else if (row_block == 3 && column_block == 6)
        NAME(scatter_3x6)(a, x, y);
      else
        for (int r = 0; r < row_block; ++r)
          for (int c = 0; c < column_block; ++c)
            y[c] += a[r * column_block + c] * x[r];
    }
  }
}

#define KERNEL_OF(operation, stem, shape, row_block, column_block)                                                     \
  static void NAME(stem##_##shape)(const TYPE(mus_task) *t, int begin, int end) {                                      \
    NAME(rows)(t, begin, end, operation, row_block, column_block);                                                     \
  }
#define KERNEL(operation, stem)                                                                                        \
  KERNEL_OF(operation, stem, any, t->row_block, t->column_block)                                                       \
  KERNEL_OF(operation, stem, 3x3, 3, 3)                                                                                \
  KERNEL_OF(operation, stem, 6x6, 6, 6)                                                                                \
  KERNEL_OF(operation, stem, 3x6, 3, 6)                                                                                \
  KERNEL_OF(operation, stem, 12x12, 12, 12)                                                                            \
  KERNEL_OF(operation, stem, 3x12, 3, 12)                                                                              \
  KERNEL_OF(operation, stem, 1x1, 1, 1)

KERNEL(MUS_OP_MULTIPLY, multiply)
KERNEL(MUS_OP_ADD, add)
KERNEL(MUS_OP_RESIDUAL, residual)
KERNEL(MUS_OP_CHEBYSHEV, chebyshev)
KERNEL(MUS_OP_TRANSPOSED, transposed)
KERNEL(MUS_OP_RELAX, relax)

#define SCATTER_OF(shape, row_block, column_block)                                                                     \
  static void NAME(scatter_rows_##shape)(const TYPE(mus_task) *t, int begin, int end) {                                \
    NAME(scatter_rows)(t, begin, end, row_block, column_block);                                                        \
  }
SCATTER_OF(any, t->row_block, t->column_block)
SCATTER_OF(3x3, 3, 3)
SCATTER_OF(6x6, 6, 6)
SCATTER_OF(3x6, 3, 6)
SCATTER_OF(12x12, 12, 12)
SCATTER_OF(3x12, 3, 12)
SCATTER_OF(1x1, 1, 1)

#define SHAPES(stem)                                                                                                   \
  {                                                                                                                    \
    NAME(stem##_any), NAME(stem##_3x3), NAME(stem##_6x6), NAME(stem##_3x6), NAME(stem##_12x12), NAME(stem##_3x12),     \
        NAME(stem##_1x1)                                                                                               \
  }
static TYPE(mus_row_kernel) *const NAME(table)[MUS_OPERATIONS][MUS_SHAPES] = {
    SHAPES(multiply),   SHAPES(add),          SHAPES(residual), SHAPES(chebyshev),
    SHAPES(transposed), SHAPES(scatter_rows), SHAPES(relax)};

#undef SHAPES
#undef SCATTER_OF
#undef KERNEL
#undef KERNEL_OF
#undef ALWAYS_INLINE
