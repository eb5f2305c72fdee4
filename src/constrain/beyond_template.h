// Products with what lies beyond a pattern in one precision, as text for base/both_precisions.h. Rows are multiplied as
// a matrix of their own, then added where they belong. NULL stands for D = I.

static inline void NAME(add_rows)(int block, const TYPE(mus_beyond) *beyond, const REAL *inverse_diagonal, REAL factor,
                                  REAL *y) {
  MUS_PARALLEL_FOR_IF(beyond->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < beyond->count; ++k) {
    size_t node = (size_t)beyond->node[k];
    const REAL *from = beyond->product + (size_t)k * (size_t)block;
    const REAL *inverse = inverse_diagonal ? inverse_diagonal + node * (size_t)(block * block) : NULL;
    for (int r = 0; r < block; ++r) {
      REAL sum = inverse ? 0 : from[r];
      for (int c = 0; inverse && c < block; ++c)
        sum += inverse[r * block + c] * from[c];
      y[node * (size_t)block + (size_t)r] += factor * sum;
    }
  }
}

void NAME(mus_beyond_scaled_add)(const TYPE(mus_beyond) *beyond, const REAL *inverse_diagonal, REAL factor,
                                 const REAL *x, REAL *y) {
  NAME(mus_multiply)
  (&(TYPE(mus_matrix)){&beyond->pattern, beyond->block, beyond->block, beyond->value}, x, beyond->product);
  if (beyond->block == 3) // a constant, so that the compiler unrolls the loops
    NAME(add_rows)(3, beyond, inverse_diagonal, factor, y);
  else
    NAME(add_rows)(beyond->block, beyond, inverse_diagonal, factor, y);
}

void NAME(mus_beyond_multiply_add)(const TYPE(mus_beyond) *beyond, REAL factor, const REAL *x, REAL *y) {
  NAME(mus_beyond_scaled_add)(beyond, NULL, factor, x, y);
}

void NAME(mus_block_operator_residual)(const TYPE(mus_block_operator) *o, const REAL *b, const REAL *x, REAL *r) {
  if (o->symmetric)
    NAME(mus_symmetric_residual)(o->symmetric, b, x, r);
  else
    NAME(mus_residual)(o->a, b, x, r);
  if (o->beyond)
    NAME(mus_beyond_multiply_add)(o->beyond, -1, x, r);
}

void NAME(mus_block_operator_chebyshev)(const TYPE(mus_block_operator) *o, const REAL *inverse_diagonal, const REAL *b,
                                        const REAL *x, REAL alpha, REAL beta, REAL gamma, REAL *next) {
  if (o->clusters)
    NAME(mus_clusters_before)(o->clusters, beta, gamma, x, next);
  if (o->active)
    NAME(mus_chebyshev_step_of)(o->a, o->active, inverse_diagonal, b, x, alpha, beta, gamma, next);
  else if (o->symmetric)
    NAME(mus_symmetric_chebyshev)(o->symmetric, inverse_diagonal, b, x, alpha, beta, gamma, next);
  else
    NAME(mus_chebyshev_step)(o->a, inverse_diagonal, b, x, alpha, beta, gamma, next);
  if (o->beyond)
    NAME(mus_beyond_scaled_add)(o->beyond, inverse_diagonal, -alpha, x, next);
  if (o->clusters)
    NAME(mus_clusters_after)(o->clusters, next);
}

void NAME(mus_block_operator_divide)(const TYPE(mus_block_operator) *o, REAL factor, const REAL *inverse_diagonal,
                                     const REAL *b, REAL *x) {
  NAME(mus_block_diagonal_multiply)(o->a->pattern->rows, o->a->row_block, factor, inverse_diagonal, b, x);
  if (o->clusters)
    NAME(mus_clusters_apply)(o->clusters, x);
}

void NAME(mus_block_operator_rest)(const TYPE(mus_block_operator) *o, int from_zero, REAL *x, REAL *other) {
  int rows = o->a->pattern->rows;
  size_t block = (size_t)o->a->row_block;
  if (!o->active)
    return;
  MUS_PARALLEL_FOR_IF(rows >= MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i)
    for (size_t k = (size_t)i * block; k < (size_t)(i + 1) * block && !o->active[i]; ++k) {
      if (from_zero)
        x[k] = 0;
      other[k] = x[k];
    }
}
