// The inner loops of sparse products in one precision, as text for base/both_precisions.h, compiled for each machine.
// Each kernels_*.c has defined before
//   MUS_ADD_PRODUCT_6    where defined: NAME(add_product_6) takes blocks with six columns
//   TYPE(factors), NAME(factors_of), NAME(add_blocks), NAME(store_block), NAME(SUM)
//                        3x3 blocks: a left factor arranged for use with several right ones, its product with one of
//                        them added to a sum of NAME(SUM) numbers, and what is stored of that sum
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// C += A B, or C += A^T B where A is stored as inner x rows.
ALWAYS_INLINE void NAME(add_product)(int rows, int inner, int columns, int transposed, const REAL *a, const REAL *b,
                                     REAL *c) {
#ifdef MUS_ADD_PRODUCT_6
  if (columns == 6 && rows <= 6 && inner <= 6) {
    NAME(add_product_6)(rows, inner, transposed, a, b, c);
    return;
  }
#endif
  for (int r = 0; r < rows; ++r)
    for (int q = 0; q < inner; ++q) {
      REAL factor = transposed ? a[q * rows + r] : a[r * inner + q];
      for (int j = 0; j < columns; ++j)
        c[r * columns + j] += factor * b[q * columns + j];
    }
}

// Block k of row i of A. A diagonal block that counts half, or one that has to be rounded, is put into `workspace`.
ALWAYS_INLINE const REAL *NAME(left_block)(const TYPE(mus_product_task) *t, int i, int k, int size, REAL *workspace) {
  size_t at = (size_t)(t->source ? t->source[k] : k) * (size_t)size;
  REAL share = t->upper && t->a->column[k] == i ? (REAL)0.5 : 1;
  if (t->a_wide)
    for (int e = 0; e < size; ++e)
      workspace[e] = share * (REAL)t->a_wide[at + (size_t)e];
  else if (share != 1)
    for (int e = 0; e < size; ++e)
      workspace[e] = share * t->a_value[at + (size_t)e];
  else
    return t->a_value + at;
  return workspace;
}

ALWAYS_INLINE void NAME(product_rows_of)(const TYPE(mus_product_task) *t, int begin, int end, int *place, int rows,
                                         int inner, int columns, int transposed) {
  size_t b_size = (size_t)(inner * columns), c_size = (size_t)(rows * columns);
  REAL left[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM];
  for (int i = begin; i < end; ++i) {
    const unsigned char *target = t->targets ? t->targets->row + t->targets->row_start[i] : NULL;
    int first = t->c->row_start[i], count = t->c->row_start[i + 1] - first;
    REAL *c = t->c_value + (size_t)first * c_size;
    memset(c, 0, (size_t)count * c_size * sizeof *c);
    for (int k = 0; k < count && !target; ++k)
      place[t->c->column[first + k]] = k;
    for (int k = t->upper ? t->upper[i] : t->a->row_start[i]; k < t->a->row_start[i + 1]; ++k) {
      const REAL *a = NAME(left_block)(t, i, k, rows * inner, left);
      int middle = t->a->column[k];
      for (int l = t->b->row_start[middle]; l < t->b->row_start[middle + 1]; ++l) {
        const REAL *b = t->b_value + (size_t)l * b_size;
        int at = target ? *target++ : place[t->b->column[l]];
        NAME(add_product)(rows, inner, columns, transposed, a, b, c + (size_t)at * c_size);
      }
    }
  }
}

// The same for 3x3 blocks: a row of C is summed up in blocks that suit the machine, and stored when it is complete.
ALWAYS_INLINE void NAME(product_rows_3x3)(const TYPE(mus_product_task) *t, int begin, int end,
                                          const mus_product_workspace *workspace, int transposed, int targets) {
  const int *a_column = t->a->column, *b_start = t->b->row_start, *b_column = t->b->column;
  const unsigned char *target = targets ? t->targets->row + t->targets->row_start[begin] : NULL;
  REAL *sums = workspace->sums, left[9];
  int *place = workspace->place;
  for (int i = begin; i < end; ++i) {
    int first = t->c->row_start[i], count = t->c->row_start[i + 1] - first, a_end = t->a->row_start[i + 1];
    for (int k = 0; k < count; ++k) {
      memset(sums + k * NAME(SUM), 0, NAME(SUM) * sizeof *sums);
      if (!targets)
        place[t->c->column[first + k]] = k;
    }
    for (int k = t->upper ? t->upper[i] : t->a->row_start[i]; k < a_end; ++k) {
      TYPE(factors) left_factors = NAME(factors_of)(NAME(left_block)(t, i, k, 9, left), transposed);
      int middle = a_column[k], b_end = b_start[middle + 1];
      for (int l = b_start[middle]; l < b_end; ++l) {
        int at = targets ? *target++ : place[b_column[l]];
        NAME(add_blocks)(&left_factors, t->b_value + (size_t)l * 9, sums + at * NAME(SUM));
      }
    }
    REAL *c = t->c_value + (size_t)first * 9;
    for (int k = 0; k < count; ++k)
      NAME(store_block)(sums + k * NAME(SUM), c + (size_t)k * 9);
  }
}

static void NAME(product_rows)(const TYPE(mus_product_task) *t, int begin, int end,
                               const mus_product_workspace *workspace) {
  int rows = t->rows, inner = t->inner, columns = t->columns, transposed = t->transposed;
  if (rows == 3 && inner == 3 && columns == 3 && !t->targets)
    NAME(product_rows_3x3)(t, begin, end, workspace, transposed, 0);
  else if (rows == 3 && inner == 3 && columns == 3 && transposed)
    NAME(product_rows_3x3)(t, begin, end, workspace, 1, 1);
  else if (rows == 3 && inner == 3 && columns == 3)
    NAME(product_rows_3x3)(t, begin, end, workspace, 0, 1);
  else if (rows == 3 && inner == 3 && columns == 6 && !transposed)
    NAME(product_rows_of)(t, begin, end, workspace->place, 3, 3, 6, 0);
  else if (rows == 6 && inner == 6 && columns == 6 && !transposed)
    NAME(product_rows_of)(t, begin, end, workspace->place, 6, 6, 6, 0);
  else if (rows == 6 && inner == 3 && columns == 6 && transposed)
    NAME(product_rows_of)(t, begin, end, workspace->place, 6, 3, 6, 1);
  else if (rows == 6 && inner == 6 && columns == 6 && transposed)
    NAME(product_rows_of)(t, begin, end, workspace->place, 6, 6, 6, 1);
  else if (rows == 1 && inner == 1 && columns == 1)
    NAME(product_rows_of)(t, begin, end, workspace->place, 1, 1, 1, transposed);
  else
    NAME(product_rows_of)(t, begin, end, workspace->place, rows, inner, columns, transposed);
}

#undef ALWAYS_INLINE
