// The inner loops of sparse products in one precision, as text: included twice by kernels_tables.h, and so compiled for
// each machine, with
//   REAL, PRODUCT_TASK   the number type and its task
//   NAME(stem)           the stem with this precision's ending
//   ADD_PRODUCT_6        where defined: what takes blocks with six columns
// C += A B, or C += A^T B where A is stored as inner x rows.
static inline __attribute__((always_inline)) void NAME(add_product)(int rows, int inner, int columns, int transposed,
                                                                    const REAL *a, const REAL *b, REAL *c) {
#ifdef ADD_PRODUCT_6
  if (columns == 6 && rows <= 6 && inner <= 6) {
    ADD_PRODUCT_6(rows, inner, transposed, a, b, c);
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

static inline __attribute__((always_inline)) void NAME(product_rows_of)(const PRODUCT_TASK *t, int begin, int end,
                                                                        int *place, int rows, int inner, int columns,
                                                                        int transposed) {
  size_t a_size = (size_t)(rows * inner), b_size = (size_t)(inner * columns), c_size = (size_t)(rows * columns);
  for (int i = begin; i < end; ++i) {
    for (int k = t->c->row_start[i]; k < t->c->row_start[i + 1]; ++k) {
      place[t->c->column[k]] = k - t->c_origin;
      memset(t->c_value + (size_t)(k - t->c_origin) * c_size, 0, c_size * sizeof(REAL));
    }
    for (int k = t->a->row_start[i]; k < t->a->row_start[i + 1]; ++k) {
      const REAL *a = t->a_value + (size_t)(t->source ? t->source[k] : k) * a_size;
      int middle = t->a->column[k];
      for (int l = t->b->row_start[middle]; l < t->b->row_start[middle + 1]; ++l) {
        int j = t->b->column[l];
        if (t->upper && j < i)
          continue;
        NAME(add_product)
        (rows, inner, columns, transposed, a, t->b_value + (size_t)(l - t->b_origin) * b_size,
         t->c_value + (size_t)place[j] * c_size);
      }
    }
  }
}

static void NAME(product_rows)(const PRODUCT_TASK *t, int begin, int end, int *place) {
  int rows = t->rows, inner = t->inner, columns = t->columns, transposed = t->transposed;
  if (rows == 3 && inner == 3 && columns == 6 && !transposed)
    NAME(product_rows_of)(t, begin, end, place, 3, 3, 6, 0);
  else if (rows == 6 && inner == 6 && columns == 6 && !transposed)
    NAME(product_rows_of)(t, begin, end, place, 6, 6, 6, 0);
  else if (rows == 6 && inner == 3 && columns == 6 && transposed)
    NAME(product_rows_of)(t, begin, end, place, 6, 3, 6, 1);
  else if (rows == 6 && inner == 6 && columns == 6 && transposed)
    NAME(product_rows_of)(t, begin, end, place, 6, 6, 6, 1);
  else if (rows == 3 && inner == 3 && columns == 3)
    NAME(product_rows_of)(t, begin, end, place, 3, 3, 3, transposed);
  else
    NAME(product_rows_of)(t, begin, end, place, rows, inner, columns, transposed);
}
