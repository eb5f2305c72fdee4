// The symmetric kernels of one precision, as text: included twice by each symmetric_*.c, with
//   REAL, TASK, CHUNK_KERNEL   the number type, its task and the kernels' type
//   NAME(stem)                 the stem with this precision's ending
//   NAME(vector)               three numbers, in the low lanes of whatever it is, and on it, already defined:
//     NAME(load), NAME(store)            exactly three numbers
//     NAME(load_over)                    may read a fourth, which is some finite number
//     NAME(load_four), NAME(store_four)  a place of the ring
//     NAME(fetch)                        asks for what lies some way ahead of this
//     NAME(all)(a), NAME(lane)(a, k)     a, or its lane k, in every lane
//     NAME(add_product)(a, b, c)         a b + c
//     NAME(add), NAME(subtract), NAME(multiply_lanes)
//     NAME(fold)(a, b, c)                the sums of the low three lanes of each, as a vector
// and undefines the first four at its end. load leaves 0 in a fourth lane.
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// --- blocks of 3x3 -----------------------------------------------------------------------------------------------

// The sum of row i: what pairs have left in the ring, and its own blocks. Gives pairs above the diagonal their part.
ALWAYS_INLINE NAME(vector) NAME(row_3)(const TASK *t, int i, unsigned mask, REAL *ring) {
  const mus_symmetric_pattern *p = t->pattern;
  const REAL *x_i = t->x + (size_t)i * 3;
  NAME(vector) x0 = NAME(all)(x_i[0]), x1 = NAME(all)(x_i[1]), x2 = NAME(all)(x_i[2]);
  NAME(vector) zero = NAME(all)(0), sum0 = zero, sum1 = zero, sum2 = zero;
  int k = p->row_start[i], pairs = p->pair_start[i], end = p->row_start[i + 1];
  for (const REAL *next = t->value + (size_t)k * 9; next < t->value + (size_t)end * 9; next += 64 / sizeof *next)
    NAME(fetch)(next);
  for (; k < pairs; ++k) {
    const REAL *a = t->value + (size_t)k * 9;
    NAME(vector) x = NAME(load)(t->x + (size_t)p->column[k] * 3);
    sum0 = NAME(add_product)(NAME(load_over)(a), x, sum0);
    sum1 = NAME(add_product)(NAME(load_over)(a + 3), x, sum1);
    sum2 = NAME(add_product)(NAME(load_over)(a + 6), x, sum2);
  }
  for (; k < end; ++k) {
    const REAL *a = t->value + (size_t)k * 9;
    REAL *y_j = ring + ((unsigned)p->column[k] & mask) * 4;
    NAME(vector) a0 = NAME(load_over)(a), a1 = NAME(load_over)(a + 3), a2 = NAME(load_over)(a + 6);
    NAME(vector) x = NAME(load)(t->x + (size_t)p->column[k] * 3), y = NAME(load_four)(y_j);
    sum0 = NAME(add_product)(a0, x, sum0);
    sum1 = NAME(add_product)(a1, x, sum1);
    sum2 = NAME(add_product)(a2, x, sum2);
    NAME(vector) part = NAME(add_product)(a2, x2, NAME(add_product)(a1, x1, NAME(multiply_lanes)(a0, x0)));
    NAME(store_four)(y_j, NAME(add)(y, part)); // y comes late where the row before has just stored it
  }
  REAL *y_i = ring + ((unsigned)i & mask) * 4;
  NAME(vector) sum = NAME(add)(NAME(load_four)(y_i), NAME(fold)(sum0, sum1, sum2));
  NAME(store_four)(y_i, zero);
  return sum;
}

// What becomes of a row's sum; see mus_symmetric_operation.
ALWAYS_INLINE void NAME(finish_3)(const TASK *t, mus_symmetric_operation operation, int i, NAME(vector) sum,
                                  NAME(vector) * dot) {
  size_t at = (size_t)i * 3;
  if (operation == MUS_SYMMETRIC_DOT)
    *dot = NAME(add_product)(NAME(load)(t->x + at), sum, *dot);
  if (operation == MUS_SYMMETRIC_RESIDUAL)
    sum = NAME(subtract)(NAME(load)(t->b + at), sum);
  if (operation == MUS_SYMMETRIC_CHEBYSHEV) {
    const REAL *inverse = t->inverse_diagonal + at * 3;
    NAME(vector) x = NAME(load)(t->x + at);
    NAME(vector) next = NAME(add_product)(NAME(all)(t->beta), x, x);
    if (t->gamma != 0)
      next = NAME(subtract)(next, NAME(multiply_lanes)(NAME(all)(t->gamma), NAME(load)(t->y + at)));
    NAME(vector) r = NAME(multiply_lanes)(NAME(all)(t->alpha), NAME(subtract)(NAME(load)(t->b + at), sum));
    next = NAME(add_product)(NAME(load_over)(inverse), NAME(lane)(r, 0), next); // by columns: D^-1 is symmetric
    next = NAME(add_product)(NAME(load_over)(inverse + 3), NAME(lane)(r, 1), next);
    sum = NAME(add_product)(NAME(load)(inverse + 6), NAME(lane)(r, 2), next);
  }
  NAME(store)(t->y + at, sum);
}

ALWAYS_INLINE REAL NAME(chunk_3)(const TASK *t, int chunk, mus_symmetric_operation operation) {
  const mus_symmetric_pattern *p = t->pattern;
  _Alignas(MUS_ALIGNMENT) REAL ring[MUS_RING_NUMBERS];
  memset(ring, 0, (size_t)p->ring * 4 * sizeof *ring);
  unsigned mask = (unsigned)p->ring - 1;
  NAME(vector) dot = NAME(all)(0);
  for (int i = p->chunk[chunk]; i < p->chunk[chunk + 1]; ++i)
    NAME(finish_3)(t, operation, i, NAME(row_3)(t, i, mask, ring), &dot);
  REAL lane[4];
  NAME(store_four)(lane, dot);
  return lane[0] + lane[1] + lane[2];
}

// --- blocks of any size ------------------------------------------------------------------------------------------

ALWAYS_INLINE void NAME(row_any)(const TASK *t, int block, int i, unsigned mask, REAL *ring, REAL *sum) {
  const mus_symmetric_pattern *p = t->pattern;
  const REAL *x_i = t->x + (size_t)i * (size_t)block;
  REAL *y_i = ring + ((unsigned)i & mask) * (unsigned)block;
  for (int r = 0; r < block; ++r) {
    sum[r] = y_i[r];
    y_i[r] = 0;
  }
  for (int k = p->row_start[i]; k < p->row_start[i + 1]; ++k) {
    const REAL *a = t->value + (size_t)k * (size_t)(block * block);
    const REAL *x = t->x + (size_t)p->column[k] * (size_t)block;
    for (int r = 0; r < block; ++r) {
      REAL part = 0;
      for (int c = 0; c < block; ++c)
        part += a[r * block + c] * x[c];
      sum[r] += part;
    }
    if (k < p->pair_start[i])
      continue;
    REAL *y = ring + ((unsigned)p->column[k] & mask) * (unsigned)block;
    for (int r = 0; r < block; ++r)
      for (int c = 0; c < block; ++c)
        y[c] += a[r * block + c] * x_i[r];
  }
}

ALWAYS_INLINE void NAME(finish_any)(const TASK *t, mus_symmetric_operation operation, int block, int i, REAL *sum,
                                    REAL *dot) {
  size_t at = (size_t)i * (size_t)block;
  const REAL *x = t->x + at, *b = t->b + at;
  REAL *y = t->y + at, next[MUS_BLOCK_MAXIMUM];
  for (int r = 0; r < block; ++r) {
    if (operation == MUS_SYMMETRIC_DOT)
      *dot += x[r] * sum[r];
    if (operation == MUS_SYMMETRIC_RESIDUAL)
      sum[r] = b[r] - sum[r];
    if (operation == MUS_SYMMETRIC_CHEBYSHEV) {
      sum[r] = t->alpha * (b[r] - sum[r]);
      next[r] = x[r] + t->beta * x[r];
      if (t->gamma != 0)
        next[r] -= t->gamma * y[r];
    }
  }
  if (operation == MUS_SYMMETRIC_CHEBYSHEV) {
    const REAL *inverse = t->inverse_diagonal + at * (size_t)block;
    for (int c = 0; c < block; ++c)
      for (int r = 0; r < block; ++r)
        next[r] += inverse[c * block + r] * sum[c];
  }
  for (int r = 0; r < block; ++r)
    y[r] = operation == MUS_SYMMETRIC_CHEBYSHEV ? next[r] : sum[r];
}

ALWAYS_INLINE REAL NAME(chunk_block)(const TASK *t, int block, int chunk, mus_symmetric_operation operation) {
  const mus_symmetric_pattern *p = t->pattern;
  _Alignas(MUS_ALIGNMENT) REAL ring[MUS_RING_NUMBERS];
  memset(ring, 0, (size_t)p->ring * (size_t)block * sizeof *ring);
  REAL dot = 0, sum[MUS_BLOCK_MAXIMUM];
  for (int i = p->chunk[chunk]; i < p->chunk[chunk + 1]; ++i) {
    NAME(row_any)(t, block, i, (unsigned)p->ring - 1, ring, sum);
    NAME(finish_any)(t, operation, block, i, sum, &dot);
  }
  return dot;
}

// --- the table ---------------------------------------------------------------------------------------------------

#define KERNEL(operation, stem)                                                                                        \
  static REAL NAME(stem##_any)(const TASK *t, int chunk) {                                                             \
    return NAME(chunk_block)(t, t->pattern->block, chunk, operation);                                                  \
  }                                                                                                                    \
  static REAL NAME(stem##_3x3)(const TASK *t, int chunk) { return NAME(chunk_3)(t, chunk, operation); }                \
  static REAL NAME(stem##_6x6)(const TASK *t, int chunk) { return NAME(chunk_block)(t, 6, chunk, operation); }

KERNEL(MUS_SYMMETRIC_MULTIPLY, multiply)
KERNEL(MUS_SYMMETRIC_DOT, multiply_dot)
KERNEL(MUS_SYMMETRIC_RESIDUAL, residual)
KERNEL(MUS_SYMMETRIC_CHEBYSHEV, chebyshev)

#define SHAPES(stem)                                                                                                   \
  { NAME(stem##_any), NAME(stem##_3x3), NAME(stem##_6x6) }
static CHUNK_KERNEL *const NAME(table)[MUS_SYMMETRIC_OPERATIONS][MUS_SYMMETRIC_SHAPES] = {
    SHAPES(multiply), SHAPES(multiply_dot), SHAPES(residual), SHAPES(chebyshev)};

#undef SHAPES
#undef KERNEL
#undef ALWAYS_INLINE
#undef NAME
#undef CHUNK_KERNEL
#undef TASK
#undef REAL
