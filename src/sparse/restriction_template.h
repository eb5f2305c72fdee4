// y = A^T x by chunks of A's rows in one precision, as text for base/both_precisions.h. See matrix.h.

// y = the chunks' sums for the block columns begin ... end - 1
static void NAME(add_sums)(const mus_restriction *plan, int begin, int end, int block, REAL *y) {
  int stride = mus_scatter_stride(block);
  memset(y + (size_t)begin * (size_t)block, 0, (size_t)(end - begin) * (size_t)block * sizeof(REAL));
  for (int c = 0; c < plan->chunks; ++c) {
    int low = plan->low[c] > begin ? plan->low[c] : begin, high = plan->high[c] < end ? plan->high[c] : end;
    const REAL *sum = (const REAL *)plan->sums + plan->at[c];
    for (int j = low; j < high; ++j)
      for (int e = 0; e < block; ++e)
        y[(size_t)j * (size_t)block + (size_t)e] += sum[(size_t)(j - plan->low[c]) * (size_t)stride + (size_t)e];
  }
}

REAL *NAME(mus_restriction_zero)(const mus_restriction *plan, int chunk, int block) {
  REAL *sums = (REAL *)plan->sums + plan->at[chunk];
  size_t columns = (size_t)(plan->high[chunk] - plan->low[chunk]);
  memset(sums, 0, columns * (size_t)mus_scatter_stride(block) * sizeof(REAL));
  return sums;
}

void NAME(mus_restriction_add_up)(const mus_restriction *plan, int columns, int block, REAL *y) {
  MUS_PARALLEL_FOR_IF(columns > MUS_PAR_MINIMUM)
  for (int begin = 0; begin < columns; begin += COLUMNS_AT_ONCE) {
    int end = columns - begin > COLUMNS_AT_ONCE ? begin + COLUMNS_AT_ONCE : columns;
    NAME(add_sums)(plan, begin, end, block, y);
  }
}

void NAME(mus_restrict)(const TYPE(mus_matrix) *a, const mus_restriction *plan, const REAL *x, REAL *y) {
  mus_shape shape = mus_shape_of(a->row_block, a->column_block);
  void (*kernel)(const TYPE(mus_task) *, int, int) = mus_kernels_current()->NAME(rows)[MUS_OP_SCATTER][shape];
  MUS_PARALLEL_FOR_IF(plan->chunks > 1)
  for (int c = 0; c < plan->chunks; ++c)
    kernel(&(TYPE(mus_task)){.row_block = a->row_block,
                             .column_block = a->column_block,
                             .row_start = a->pattern->row_start,
                             .column = a->pattern->column,
                             .first_column = plan->low[c],
                             .value = a->value,
                             .x = x,
                             .y = NAME(mus_restriction_zero)(plan, c, a->column_block)},
           plan->row[c], plan->row[c + 1]);
  NAME(mus_restriction_add_up)(plan, a->pattern->columns, a->column_block, y);
}
