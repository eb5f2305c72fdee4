// Products with symmetric blocks in one precision, as text for base/both_precisions.h.

// By columns, which are rows: the compiler finds vectors there.
static inline __attribute__((always_inline)) void NAME(scale_rows)(int begin, int end, int block, REAL factor,
                                                                   const REAL *b, const REAL *x, REAL *y) {
  for (size_t i = (size_t)begin * (size_t)block; i < (size_t)end * (size_t)block; i += (size_t)block) {
    REAL sum[MUS_BLOCK_MAXIMUM] = {0};
    for (int c = 0; c < block; ++c)
      for (int r = 0; r < block; ++r)
        sum[r] += b[i * (size_t)block + (size_t)(c * block + r)] * x[i + (size_t)c];
    for (int r = 0; r < block; ++r)
      y[i + (size_t)r] = factor * sum[r];
  }
}

void NAME(mus_block_diagonal_multiply)(int rows, int block, REAL factor, const REAL *b, const REAL *x, REAL *y) {
  int runs = rows > MUS_PAR_MINIMUM ? mus_par_threads() : 1;
  MUS_PARALLEL_FOR_IF(runs > 1)
  for (int run = 0; run < runs; ++run) {
    int begin = (int)((long long)rows * run / runs), end = (int)((long long)rows * (run + 1) / runs);
    if (block == 3)
      NAME(scale_rows)(begin, end, 3, factor, b, x, y);
    else if (block == 6)
      NAME(scale_rows)(begin, end, 6, factor, b, x, y);
    else
      NAME(scale_rows)(begin, end, block, factor, b, x, y);
  }
}
