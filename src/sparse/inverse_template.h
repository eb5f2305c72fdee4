// The inverses of a matrix's diagonal blocks, as text: for base/both_precisions.h, and once more for a matrix of other
// precision than the inverses:
//   FROM, TYPE(mus_matrix)   the matrix's numbers, and its type
//   REAL, SINGLE             the inverses' precision

#if SINGLE
// In double inside: rounding the input costs enough.
static inline __attribute__((always_inline)) int NAME(invert_of)(int block, const FROM *a, REAL *inverse) {
  double wide[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM], wide_inverse[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM];
  for (int k = 0; k < block * block; ++k)
    wide[k] = (double)a[k];
  int good = invert_block(block, smallest_pivot_f, wide, wide_inverse);
  for (int k = 0; good && k < block * block; ++k)
    inverse[k] = (REAL)wide_inverse[k];
  return good;
}
#else
static inline __attribute__((always_inline)) int NAME(invert_of)(int block, const FROM *a, REAL *inverse) {
  return invert_block(block, smallest_pivot, a, inverse);
}
#endif

static int NAME(invert_row)(int block, const FROM *a, REAL *inverse) {
  return block == 3 ? NAME(invert_of)(3, a, inverse) : NAME(invert_of)(block, a, inverse);
}

mus_status NAME(mus_inverse_diagonal)(const TYPE(mus_matrix) *a, const int *place, REAL *inverse) {
  int rows = a->pattern->rows, block = a->row_block;
  size_t size = (size_t)(block * block);
  int runs = (rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
  int failed = rows; // the first bad row, whichever thread met it
  MUS_PARALLEL
  {
    int first = rows;
    MUS_SHARE_RUNS
    for (int run = 0; run < runs; ++run)
      for (int i = run * ROWS_AT_ONCE; i < rows && i < (run + 1) * ROWS_AT_ONCE; ++i) {
        const FROM *ahead = a->value + (size_t)place[i + ROWS_AHEAD < rows ? i + ROWS_AHEAD : i] * size;
        __builtin_prefetch(ahead); // they lie far apart
        __builtin_prefetch(ahead + size - 1);
        if (!NAME(invert_row)(block, a->value + (size_t)place[i] * size, inverse + (size_t)i * size) && i < first)
          first = i;
      }
    MUS_ONE_AT_A_TIME
    if (first < failed)
      failed = first;
  }
  return failed < rows ? not_positive(failed) : MUS_OK;
}
