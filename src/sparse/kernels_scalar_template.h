// What kernels_template.h and product_template.h need, in plain C for one precision; as text for
// base/both_precisions.h.

// Products with one partial sum for each entry of a block row, added up at the end: no long dependency chains.
#define ROW_PRODUCT(stem, rows, columns)                                                                               \
  static inline void NAME(stem)(const TYPE(mus_task) *t, int begin, int end, REAL *sum) {                              \
    REAL part[(rows) * (columns)] = {0};                                                                               \
    for (int k = begin; k < end; ++k) {                                                                                \
      const REAL *a = t->value + (size_t)k * ((rows) * (columns));                                                     \
      const REAL *x = t->x + (size_t)t->column[k] * (columns);                                                         \
      for (int r = 0; r < (rows); ++r)                                                                                 \
        for (int c = 0; c < (columns); ++c)                                                                            \
          part[r * (columns) + c] += a[r * (columns) + c] * x[c];                                                      \
    }                                                                                                                  \
    MUS_FOLD(rows, columns, part, sum)                                                                                 \
  }

ROW_PRODUCT(row_1x1, 1, 1)
ROW_PRODUCT(row_2x2, 2, 2)
ROW_PRODUCT(row_3x3, 3, 3)
ROW_PRODUCT(row_4x4, 4, 4)
ROW_PRODUCT(row_5x5, 5, 5)
ROW_PRODUCT(row_6x6, 6, 6)
ROW_PRODUCT(row_3x6, 3, 6)
#undef ROW_PRODUCT

#define ROW_TRANSPOSED(stem, columns)                                                                                  \
  static inline void NAME(stem)(const TYPE(mus_task) *t, int begin, int end, int limit, REAL *sum) {                   \
    (void)limit;                                                                                                       \
    REAL part[3 * (columns)] = {0};                                                                                    \
    for (int k = begin; k < end; ++k) {                                                                                \
      const REAL *a = t->value + (size_t)t->source[k] * (3 * (columns)), *x = t->x + (size_t)t->column[k] * 3;         \
      for (int e = 0; e < 3 * (columns); ++e)                                                                          \
        part[e] += a[e] * x[e / (columns)];                                                                            \
    }                                                                                                                  \
    for (int c = 0; c < (columns); ++c)                                                                                \
      sum[c] = part[c] + part[(columns) + c] + part[2 * (columns) + c];                                                \
  }

ROW_TRANSPOSED(row_transposed_3x3, 3)
ROW_TRANSPOSED(row_transposed_3x6, 6)
#undef ROW_TRANSPOSED

#define SCATTER(stem, columns)                                                                                         \
  static inline void NAME(stem)(const REAL *a, const REAL *x, REAL *y) {                                               \
    for (int c = 0; c < (columns); ++c)                                                                                \
      y[c] += a[c] * x[0] + a[(columns) + c] * x[1] + a[2 * (columns) + c] * x[2];                                     \
  }

SCATTER(scatter_3x3, 3)
SCATTER(scatter_3x6, 6)
#undef SCATTER

// Products of 3x3 blocks, for product_template.h.
enum { NAME(SUM) = 9 };

typedef struct TYPE(factors) {
  REAL of[9]; // by rows
} TYPE(factors);

static inline TYPE(factors) NAME(factors_of)(const REAL *a, int transposed) {
  TYPE(factors) f;
  for (int k = 0; k < 9; ++k)
    f.of[k] = a[transposed ? k % 3 * 3 + k / 3 : k];
  return f;
}

static inline void NAME(add_blocks)(const TYPE(factors) *f, const REAL *b, REAL *sum) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      sum[r * 3 + c] += f->of[r * 3] * b[c] + f->of[r * 3 + 1] * b[3 + c] + f->of[r * 3 + 2] * b[6 + c];
}

static inline void NAME(store_block)(const REAL *sum, REAL *c) { memcpy(c, sum, 9 * sizeof *c); }
