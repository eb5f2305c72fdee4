// The symmetric kernels of one precision, as text for base/both_precisions.h. Each symmetric_*.c has defined before
//   TYPE(vector)               three numbers, in the low lanes of whatever it is, and on it, already defined:
//     NAME(load), NAME(store)            exactly three numbers; load leaves 0 in other lanes
//     NAME(load_over)                    may read a fourth
//     NAME(load_four), NAME(store_four)  a place of the ring
//     NAME(all)(a), NAME(lane)(a, k)     a, or its lane k, in every lane
//     NAME(add_product)(a, b, c)         a b + c
//     NAME(add), NAME(subtract), NAME(multiply_lanes)
//   TYPE(wide)                 the same or a longer one, for sums of products with whole rows of blocks:
//     NAME(widen), NAME(low)             of and to a vector, with 0 in further lanes
//     NAME(wide_load)                    a row of a block and whatever finite numbers follow
//     NAME(wide_product), NAME(wide_add_product)
//     NAME(fold)(a, b, c)                the sums of lanes of each, as a vector
//   NAME(fetch)                asks for what lies some way ahead of this
//   HAS_ROW(block)             if defined, whether NAME(row_of) is there for blocks of this size, in place of
//                              NAME(row_any)
// In single precision pairs of a row are stored two by two, rows of one beside rows of the other, and two are added at
// once, add_two_f(a, x_i, x_j, x_l, sum0, sum1, sum2, y_j, y_l). Lanes beyond six count for nothing in fold_f. Sweeps
// do so in two halves, gather_two_f(a, x_j, x_l, sum0, sum1, sum2) and scatter_two_f(a, x_i, y_j, y_l).
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// --- blocks of 3x3 -----------------------------------------------------------------------------------------------

// Where a chunk has got to: blocks of a row follow those of the row before.
typedef struct TYPE(place) {
  const REAL *a;
  const int *where;
} TYPE(place);

// What the blocks of a row give it. Gives pairs above the diagonal their part.
ALWAYS_INLINE TYPE(vector) NAME(row_3)(TYPE(place) *at, int own, int pairs, const REAL *x, const REAL *x_i,
                                       REAL *ring) {
  const REAL *a = at->a;
  const int *where = at->where + 1, *last_own = at->where + own, *end = last_own + pairs;
  TYPE(vector) x0 = NAME(all)(x_i[0]), x1 = NAME(all)(x_i[1]), x2 = NAME(all)(x_i[2]);
  TYPE(wide) x_own = NAME(widen)(NAME(load)(x_i)); // the diagonal comes first
  TYPE(wide) sum0 = NAME(wide_product)(NAME(wide_load)(a), x_own);
  TYPE(wide) sum1 = NAME(wide_product)(NAME(wide_load)(a + 3), x_own);
  TYPE(wide) sum2 = NAME(wide_product)(NAME(wide_load)(a + 6), x_own);
  for (a += 9; where < last_own; ++where, a += 9) {
    TYPE(wide) x_j = NAME(widen)(NAME(load)(x + (size_t)*where * 3));
    sum0 = NAME(wide_add_product)(NAME(wide_load)(a), x_j, sum0);
    sum1 = NAME(wide_add_product)(NAME(wide_load)(a + 3), x_j, sum1);
    sum2 = NAME(wide_add_product)(NAME(wide_load)(a + 6), x_j, sum2);
  }
#if SINGLE
  for (; end - where > 1; where += 2, a += 18)
    NAME(add_two)
  (a, x_i, x_i + mus_pair_apart(where[0]), x_i + mus_pair_apart(where[1]), &sum0, &sum1, &sum2,
   ring + mus_pair_place(where[0]), ring + mus_pair_place(where[1]));
#endif
  for (; where < end; ++where, a += 9) {
    REAL *y_j = ring + mus_pair_place(*where);
    TYPE(wide) a0 = NAME(wide_load)(a), a1 = NAME(wide_load)(a + 3), a2 = NAME(wide_load)(a + 6);
    TYPE(wide) x_j = NAME(widen)(NAME(load)(x_i + mus_pair_apart(*where)));
    sum0 = NAME(wide_add_product)(a0, x_j, sum0);
    sum1 = NAME(wide_add_product)(a1, x_j, sum1);
    sum2 = NAME(wide_add_product)(a2, x_j, sum2);
    TYPE(vector) part = NAME(multiply_lanes)(NAME(low)(a0), x0);
    part = NAME(add_product)(NAME(low)(a1), x1, part);
    part = NAME(add_product)(NAME(low)(a2), x2, part);
    NAME(store_four)(y_j, NAME(add)(NAME(load_four)(y_j), part)); // what the row before stored comes late
  }
  *at = (TYPE(place)){a, where};
  return NAME(fold)(sum0, sum1, sum2);
}

// Row i of a lead: pairs with rows from `begin` on get their part, by the same sums as in row_3. Some of those before
// get one too, which is not wanted.
ALWAYS_INLINE void NAME(lead_row_3)(const TYPE(mus_symmetric_task) *t, int i, int begin, REAL *ring) {
  const mus_symmetric_pattern *p = t->pattern;
  const int *where = p->where + p->pair_start[i], *end = p->where + p->row_start[i + 1];
  const REAL *a = t->value + (size_t)p->pair_start[i] * 9, *x_i = t->x + (size_t)i * 3;
  unsigned least = (unsigned)(begin - i) * 3;
  TYPE(vector) x0 = NAME(all)(x_i[0]), x1 = NAME(all)(x_i[1]), x2 = NAME(all)(x_i[2]);
#if SINGLE
  TYPE(wide) unused = NAME(widen)(NAME(all)(0));
  for (; end - where > 1; where += 2, a += 18)
    if (mus_pair_apart(where[1]) >= least) // columns ascend
      NAME(add_two)
  (a, x_i, x_i + mus_pair_apart(where[0]), x_i + mus_pair_apart(where[1]), &unused, &unused, &unused,
   ring + mus_pair_place(where[0]), ring + mus_pair_place(where[1]));
#endif
  for (; where < end; ++where, a += 9) {
    if (mus_pair_apart(*where) < least)
      continue;
    REAL *y_j = ring + mus_pair_place(*where);
    TYPE(vector) part = NAME(multiply_lanes)(NAME(low)(NAME(wide_load)(a)), x0);
    part = NAME(add_product)(NAME(low)(NAME(wide_load)(a + 3)), x1, part);
    part = NAME(add_product)(NAME(low)(NAME(wide_load)(a + 6)), x2, part);
    NAME(store_four)(y_j, NAME(add)(NAME(load_four)(y_j), part));
  }
}

// What becomes of a row's sum; see mus_symmetric_operation.
ALWAYS_INLINE void NAME(finish_3)(const TYPE(mus_symmetric_task) *t, mus_symmetric_operation operation, int i,
                                  TYPE(vector) sum, TYPE(vector) *dot) {
  size_t at = (size_t)i * 3;
  if (operation == MUS_SYMMETRIC_DOT)
    *dot = NAME(add_product)(NAME(load)(t->x + at), sum, *dot);
  if (operation == MUS_SYMMETRIC_RESIDUAL)
    sum = NAME(subtract)(NAME(load)(t->b + at), sum);
  if (operation == MUS_SYMMETRIC_CHEBYSHEV) {
    const REAL *inverse = t->inverse_diagonal + at * 3;
    TYPE(vector) x = NAME(load)(t->x + at);
    TYPE(vector) next = NAME(add_product)(NAME(all)(t->beta), x, x);
    if (t->gamma != 0)
      next = NAME(subtract)(next, NAME(multiply_lanes)(NAME(all)(t->gamma), NAME(load)(t->y + at)));
    TYPE(vector) r = NAME(multiply_lanes)(NAME(all)(t->alpha), NAME(subtract)(NAME(load)(t->b + at), sum));
    next = NAME(add_product)(NAME(load_over)(inverse), NAME(lane)(r, 0), next); // by columns: D^-1 is symmetric
    next = NAME(add_product)(NAME(load_over)(inverse + 3), NAME(lane)(r, 1), next);
    sum = NAME(add_product)(NAME(load)(inverse + 6), NAME(lane)(r, 2), next);
  }
  NAME(store)(t->y + at, sum);
}

ALWAYS_INLINE REAL NAME(sum_of_lanes)(TYPE(vector) a) {
  REAL lane[4];
  NAME(store_four)(lane, a);
  return lane[0] + lane[1] + lane[2];
}

ALWAYS_INLINE REAL NAME(chunk_3)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows rows,
                                 mus_symmetric_operation operation) {
  enum { LINE = 64 / sizeof(REAL), USUAL_LINES = sizeof(REAL) }; // of a row of seven blocks, as sheets have them
  _Alignas(MUS_ALIGNMENT) REAL ring[MUS_RING_NUMBERS];
  const mus_symmetric_pattern *p = t->pattern;
  const int *row_start = p->row_start, *pair_start = p->pair_start;
  const REAL *x = t->x;
  unsigned mask = (unsigned)p->ring - 1;
  TYPE(place) here = {t->value + (size_t)row_start[rows.begin] * 9, p->where + row_start[rows.begin]};
  TYPE(vector) dot = NAME(all)(0);
  memset(ring, 0, (size_t)p->ring * 4 * sizeof *ring);
  for (int i = rows.lead; i < rows.begin; ++i) {
    NAME(lead_row_3)(t, i, rows.begin, ring);
    NAME(store_four)(ring + ((unsigned)i & mask) * 4, NAME(all)(0));
  }
  for (int i = rows.begin; i < rows.end; ++i) {
    REAL *y_i = ring + ((unsigned)i & mask) * 4;
    int start = row_start[i], pairs = pair_start[i], next = row_start[i + 1];
    for (int line = 0; line < USUAL_LINES; ++line)
      NAME(fetch)(here.a + line * LINE);
    TYPE(vector) sum = NAME(row_3)(&here, pairs - start, next - pairs, x, x + (size_t)i * 3, ring);
    sum = NAME(add)(NAME(load_four)(y_i), sum);
    NAME(store_four)(y_i, NAME(all)(0));
    NAME(finish_3)(t, operation, i, sum, &dot);
  }
  return NAME(sum_of_lanes)(dot);
}

static REAL NAME(dot_alone_3x3)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows rows) {
  TYPE(vector) dot = NAME(all)(0);
  for (size_t at = (size_t)rows.begin * 3; at < (size_t)rows.end * 3; at += 3)
    dot = NAME(add_product)(NAME(load)(t->x + at), NAME(load)(t->y + at), dot);
  return NAME(sum_of_lanes)(dot);
}

// --- blocks of any size ------------------------------------------------------------------------------------------

// Lanes that sums of a row of a block are kept in until the row of the matrix ends: one for each number, or four where
// those would be too many for registers.
#define LANES(block) ((block) % 4 == 0 ? 4 : (block))

// lane += A x, row by row
ALWAYS_INLINE void NAME(add_block)(int block, const REAL *a, const REAL *x, REAL *lane) {
  for (int r = 0; r < block; ++r)
    for (int c = 0; c < block; c += LANES(block))
      for (int l = 0; l < LANES(block); ++l)
        lane[r * LANES(block) + l] += a[r * block + c + l] * x[c + l];
}

// y += A^T x
ALWAYS_INLINE void NAME(add_transposed)(int block, const REAL *a, const REAL *x, REAL *y) {
  REAL part[MUS_BLOCK_MAXIMUM];
  for (int c = 0; c < block; ++c)
    part[c] = a[c] * x[0];
  for (int r = 1; r < block; ++r)
    for (int c = 0; c < block; ++c)
      part[c] += a[r * block + c] * x[r];
  for (int c = 0; c < block; ++c) // what the row before stored comes late
    y[c] += part[c];
}

// sum += what the blocks of a row give it: its own up to `pairs`, then pairs up to `end`, which get their part.
ALWAYS_INLINE void NAME(row_any)(int block, const REAL *a, const int *where, const int *pairs, const int *end,
                                 const REAL *x, const REAL *x_i, REAL *ring, REAL *sum) {
  REAL lane[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM];
  for (int e = 0; e < block * LANES(block); ++e)
    lane[e] = 0;
  for (; where < pairs; ++where, a += block * block)
    NAME(add_block)(block, a, x + (size_t)*where * (size_t)block, lane);
  for (; where < end; ++where, a += block * block) {
    NAME(add_block)(block, a, x_i + mus_pair_apart(*where), lane);
    NAME(add_transposed)(block, a, x_i, ring + mus_pair_place(*where));
  }
  for (int r = 0; r < block; ++r)
    for (int l = 0; l < LANES(block); ++l)
      sum[r] += lane[r * LANES(block) + l];
}

ALWAYS_INLINE void NAME(finish_any)(const TYPE(mus_symmetric_task) *t, mus_symmetric_operation operation, int block,
                                    int i, REAL *sum, REAL *dot) {
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

ALWAYS_INLINE REAL NAME(chunk_block)(const TYPE(mus_symmetric_task) *t, int block, mus_symmetric_rows rows,
                                     mus_symmetric_operation operation) {
  enum { LINE = 64 / sizeof(REAL) };
  const mus_symmetric_pattern *p = t->pattern;
  const int *row_start = p->row_start, *pair_start = p->pair_start, *where = p->where;
  const REAL *value = t->value, *x = t->x;
  const unsigned mask = (unsigned)p->ring - 1, stride = (unsigned)mus_ring_stride(block);
  const size_t size = (size_t)(block * block);
  _Alignas(MUS_ALIGNMENT) REAL ring[MUS_RING_NUMBERS];
  memset(ring, 0, (size_t)p->ring * stride * sizeof *ring);
  REAL dot = 0, sum[MUS_BLOCK_MAXIMUM + 4];
  for (int i = rows.lead; i < rows.end; ++i) {
    const int start = row_start[i], pairs = pair_start[i], next = row_start[i + 1];
    const REAL *x_i = x + (size_t)i * (size_t)block, *a = value + (size_t)start * size;
    REAL *y_i = ring + ((unsigned)i & mask) * stride;
    if (block <= 8) // longer rows are read ahead without being asked for, and so many requests at once delay that
      for (const REAL *last = value + (size_t)next * size, *line = a; line < last; line += LINE)
        NAME(fetch)(line);
    for (unsigned r = 0; r < stride; ++r) {
      sum[r] = y_i[r];
      y_i[r] = 0;
    }
#ifdef HAS_ROW
    if (HAS_ROW(block))
      NAME(row_of)(block, a, where + start, where + pairs, where + next, x, x_i, ring, sum);
    else
#endif
      NAME(row_any)(block, a, where + start, where + pairs, where + next, x, x_i, ring, sum);
    if (i >= rows.begin)
      NAME(finish_any)(t, operation, block, i, sum, &dot);
  }
  return dot;
}

static REAL NAME(dot_alone_any)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows rows) {
  size_t block = (size_t)t->pattern->block;
  REAL dot = 0;
  for (size_t at = (size_t)rows.begin * block; at < (size_t)rows.end * block; ++at)
    dot += t->x[at] * t->y[at];
  return dot;
}

// --- the table ---------------------------------------------------------------------------------------------------

#define KERNEL_OF(operation, stem, shape, block)                                                                       \
  static REAL NAME(stem##_##shape)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows rows) {                       \
    return NAME(chunk_block)(t, block, rows, operation);                                                               \
  }
#define KERNEL(operation, stem)                                                                                        \
  KERNEL_OF(operation, stem, any, t->pattern->block)                                                                   \
  KERNEL_OF(operation, stem, 1x1, 1)                                                                                   \
  KERNEL_OF(operation, stem, 2x2, 2)                                                                                   \
  static REAL NAME(stem##_3x3)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows rows) {                           \
    return NAME(chunk_3)(t, rows, operation);                                                                          \
  }                                                                                                                    \
  KERNEL_OF(operation, stem, 4x4, 4)                                                                                   \
  KERNEL_OF(operation, stem, 5x5, 5)                                                                                   \
  KERNEL_OF(operation, stem, 6x6, 6)                                                                                   \
  KERNEL_OF(operation, stem, 12x12, 12)

KERNEL(MUS_SYMMETRIC_MULTIPLY, multiply)
KERNEL(MUS_SYMMETRIC_DOT, multiply_dot)
KERNEL(MUS_SYMMETRIC_RESIDUAL, residual)
KERNEL(MUS_SYMMETRIC_CHEBYSHEV, chebyshev)

#define SHAPES(stem)                                                                                                   \
  {                                                                                                                    \
    NAME(stem##_any), NAME(stem##_1x1), NAME(stem##_2x2), NAME(stem##_3x3), NAME(stem##_4x4), NAME(stem##_5x5),        \
        NAME(stem##_6x6), NAME(stem##_12x12)                                                                           \
  }
static TYPE(mus_chunk_kernel) *const NAME(table)[MUS_SYMMETRIC_OPERATIONS][MUS_SYMMETRIC_SHAPES] = {
    SHAPES(multiply),
    SHAPES(multiply_dot),
    SHAPES(residual),
    SHAPES(chebyshev),
    {NAME(dot_alone_any), NAME(dot_alone_any), NAME(dot_alone_any), NAME(dot_alone_3x3), NAME(dot_alone_any),
     NAME(dot_alone_any), NAME(dot_alone_any), NAME(dot_alone_any)},
    {NAME(down_any), NAME(down_any), NAME(down_any), NAME(down_3x3), NAME(down_any), NAME(down_any), NAME(down_any),
     NAME(down_any)},
    {NAME(up_any), NAME(up_any), NAME(up_any), NAME(up_3x3), NAME(up_any), NAME(up_any), NAME(up_any), NAME(up_any)}};

#undef SHAPES
#undef KERNEL
#undef KERNEL_OF
#undef LANES
#undef ALWAYS_INLINE
