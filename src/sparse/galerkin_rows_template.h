// Rows of the pass of galerkin_pass.h in one precision, as text for base/both_precisions.h, compiled for each machine.
// Where MUS_PASS_VECTORS is defined, these are defined before, for 3 x 3, 3 x 6 and 6 x 6 blocks of P:
//   NAME(add_left_3), NAME(add_left_6)       row += A P, where row has padded rows
//   NAME(add_across_3), NAME(add_across_6)   sums += P^T row, where both have
#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void NAME(add_left)(int block, int coarse, const REAL *a, const REAL *p, REAL *row) {
#ifdef MUS_PASS_VECTORS
  if (coarse == 6 && (block == 3 || block == 6)) {
    NAME(add_left_6)(block, a, p, row);
    return;
  }
  if (coarse == 3 && block == 3) {
    NAME(add_left_3)(a, p, row);
    return;
  }
#endif
  int stride = mus_padded(coarse);
  for (int r = 0; r < block; ++r)
    for (int q = 0; q < block; ++q)
      for (int j = 0; j < coarse; ++j)
        row[r * stride + j] += a[r * block + q] * p[q * coarse + j];
}

ALWAYS_INLINE void NAME(add_across)(int block, int coarse, const REAL *p, const REAL *row, REAL *sums) {
#ifdef MUS_PASS_VECTORS
  if (coarse == 6 && (block == 3 || block == 6)) {
    NAME(add_across_6)(block, p, row, sums);
    return;
  }
  if (coarse == 3 && block == 3) {
    NAME(add_across_3)(p, row, sums);
    return;
  }
#endif
  int stride = mus_padded(coarse);
  for (int r = 0; r < coarse; ++r)
    for (int q = 0; q < block; ++q)
      for (int j = 0; j < coarse; ++j)
        sums[r * stride + j] += p[q * coarse + r] * row[q * stride + j];
}

// Block k of row i of U: a diagonal block counts half, and what is in double precision has to be rounded.
ALWAYS_INLINE const REAL *NAME(upper_block)(const TYPE(mus_pass_task) *t, int is_diagonal, int k, int size,
                                            REAL *workspace) {
  size_t at = (size_t)k * (size_t)size;
  REAL share = is_diagonal ? (REAL)0.5 : 1;
  if (t->a_wide)
    for (int e = 0; e < size; ++e)
      workspace[e] = share * (REAL)t->a_wide[at + (size_t)e];
  else if (is_diagonal)
    for (int e = 0; e < size; ++e)
      workspace[e] = share * t->a_value[at + (size_t)e];
  else
    return t->a_value + at;
  return workspace;
}

// Only the later part of a row of A is read: the processor does not see by itself where the next one is.
ALWAYS_INLINE void NAME(fetch_ahead)(const TYPE(mus_pass_task) *t, int i, int size) {
  size_t number = t->a_wide ? sizeof *t->a_wide : sizeof *t->a_value;
  const char *a = t->a_wide ? (const char *)t->a_wide : (const char *)t->a_value;
  const char *end = a + (size_t)t->a->row_start[i + 1] * (size_t)size * number;
  for (a += (size_t)t->upper[i] * (size_t)size * number; a < end; a += MUS_ALIGNMENT)
    __builtin_prefetch(a);
}

ALWAYS_INLINE void NAME(pass_rows_of)(const TYPE(mus_pass_task) *t, int begin, int end, REAL *row, int block,
                                      int coarse) {
  size_t p_size = (size_t)(block * coarse), row_size = (size_t)(block * mus_padded(coarse)),
         size = (size_t)(coarse * mus_padded(coarse));
  const unsigned char *up_target = t->up_target, *target = t->target;
  const int *p_start = t->p->row_start, *p_column = t->p->column, *a_column = t->a->column;
  REAL left[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM];
  for (int i = begin; i < end; ++i) {
    int count = t->up_start[i + 1] - t->up_start[i], own = p_start[i], own_end = p_start[i + 1];
    if (own == own_end) { // nothing comes of what this row has
      for (int k = t->upper[i]; k < t->a->row_start[i + 1]; ++k)
        up_target += p_start[a_column[k] + 1] - p_start[a_column[k]];
      continue;
    }
    memset(row, 0, (size_t)count * row_size * sizeof *row);
    NAME(fetch_ahead)(t, i + ROWS_AHEAD < end ? i + ROWS_AHEAD : i, block * block);
    for (int k = t->upper[i]; k < t->a->row_start[i + 1]; ++k) {
      int middle = a_column[k], from = p_start[middle], to = p_start[middle + 1];
      if (from == to)
        continue;
      const REAL *a = NAME(upper_block)(t, middle == i, k, block * block, left);
      for (int l = from; l < to; ++l)
        NAME(add_left)(block, coarse, a, t->p_value + (size_t)l * p_size, row + (size_t)*up_target++ * row_size);
    }
    for (int b = 0; b < count; ++b)
      for (int l = own; l < own_end; ++l) {
        size_t at = (size_t)(t->coarse_start[p_column[l]] - t->origin + *target++);
        NAME(add_across)
        (block, coarse, t->p_value + (size_t)l * p_size, row + (size_t)b * row_size, t->sums + at * size);
      }
  }
}

static void NAME(pass_rows)(const TYPE(mus_pass_task) *t, int begin, int end, REAL *row) {
  if (t->block == 3 && t->coarse_block == 3)
    NAME(pass_rows_of)(t, begin, end, row, 3, 3);
  else if (t->block == 3 && t->coarse_block == 6)
    NAME(pass_rows_of)(t, begin, end, row, 3, 6);
  else if (t->block == 6 && t->coarse_block == 6)
    NAME(pass_rows_of)(t, begin, end, row, 6, 6);
  else
    NAME(pass_rows_of)(t, begin, end, row, t->block, t->coarse_block);
}

#undef ALWAYS_INLINE
