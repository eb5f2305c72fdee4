// Gauss-Seidel sweeps over a chunk of symmetric storage in one precision, as text for base/both_precisions.h; the
// vectors are those of symmetric_template.h, and the sweeps those of symmetric_sweep.h. A row's pairs are passed twice,
// before and after its x is known, while they are in the first-level cache.
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// --- blocks of 3x3 -----------------------------------------------------------------------------------------------

// sum += A x, row by row of a block
ALWAYS_INLINE void NAME(gather_one_3)(const REAL *a, TYPE(vector) x, TYPE(wide) sum[3]) {
  TYPE(wide) x_j = NAME(widen)(x);
  sum[0] = NAME(wide_add_product)(NAME(wide_load)(a), x_j, sum[0]);
  sum[1] = NAME(wide_add_product)(NAME(wide_load)(a + 3), x_j, sum[1]);
  sum[2] = NAME(wide_add_product)(NAME(wide_load)(a + 6), x_j, sum[2]);
}

// The sums of a row's blocks that lead out of the chunk, without its diagonal.
ALWAYS_INLINE void NAME(gather_own_3)(const REAL *a, const int *where, const int *end, const REAL *x,
                                      TYPE(wide) sum[3]) {
  sum[0] = sum[1] = sum[2] = NAME(widen)(NAME(all)(0));
  for (++where, a += 9; where < end; ++where, a += 9)
    NAME(gather_one_3)(a, NAME(load)(x + (size_t)*where * 3), sum);
}

// The same of pairs, with x as it is in the vector.
ALWAYS_INLINE TYPE(vector) NAME(gather_pairs_3)(const REAL *a, const int *where, const int *end, const REAL *x_i,
                                                TYPE(wide) sum[3]) {
#if SINGLE
  for (; end - where > 1; where += 2, a += 18)
    gather_two_f(a, x_i + mus_pair_apart(where[0]), x_i + mus_pair_apart(where[1]), &sum[0], &sum[1], &sum[2]);
#endif
  for (; where < end; ++where, a += 9)
    NAME(gather_one_3)(a, NAME(load)(x_i + mus_pair_apart(*where)), sum);
  return NAME(fold)(sum[0], sum[1], sum[2]);
}

// The same with x as it is beside the sums, where its fourth numbers are 0.
ALWAYS_INLINE TYPE(vector) NAME(gather_ring_3)(const REAL *a, const int *where, const int *end, const REAL *known,
                                               TYPE(wide) sum[3]) {
#if SINGLE
  for (; end - where > 1; where += 2, a += 18)
    gather_ring_f(a, known + 2 * mus_pair_place(where[0]), known + 2 * mus_pair_place(where[1]), &sum[0], &sum[1],
                  &sum[2]);
#endif
  for (; where < end; ++where, a += 9)
    NAME(gather_one_3)(a, NAME(load_four)(known + 2 * mus_pair_place(*where)), sum);
  return NAME(fold)(sum[0], sum[1], sum[2]);
}

// ring_j += A_ij^T x_i, where sums are `apart` times as far from each other as in a ring of nothing else
ALWAYS_INLINE void NAME(scatter_3)(const REAL *a, const int *where, const int *end, TYPE(vector) x_i, REAL *ring,
                                   unsigned apart) {
#if SINGLE
  for (; end - where > 1; where += 2, a += 18)
    scatter_two_f(a, x_i, ring + apart * mus_pair_place(where[0]), ring + apart * mus_pair_place(where[1]));
#endif
  for (; where < end; ++where, a += 9) {
    REAL *y_j = ring + apart * mus_pair_place(*where);
    TYPE(vector) part = NAME(multiply_lanes)(NAME(low)(NAME(wide_load)(a)), NAME(lane)(x_i, 0));
    part = NAME(add_product)(NAME(low)(NAME(wide_load)(a + 3)), NAME(lane)(x_i, 1), part);
    part = NAME(add_product)(NAME(low)(NAME(wide_load)(a + 6)), NAME(lane)(x_i, 2), part);
    NAME(store_four)(y_j, NAME(add)(NAME(load_four)(y_j), part));
  }
}

// D^-1 r, by columns, because D^-1 is symmetric; with 0 in further lanes.
ALWAYS_INLINE TYPE(vector) NAME(divide_3)(const REAL *inverse, TYPE(vector) r) {
  TYPE(vector) x = NAME(multiply_lanes)(NAME(load)(inverse), NAME(lane)(r, 0));
  x = NAME(add_product)(NAME(load)(inverse + 3), NAME(lane)(r, 1), x);
  return NAME(add_product)(NAME(load)(inverse + 6), NAME(lane)(r, 2), x);
}

// What rows have gathered that no row before them adds to any more is their residual.
ALWAYS_INLINE void NAME(flush_3)(const TYPE(mus_symmetric_task) *t, int i, const REAL *place) {
  NAME(store)(t->residual + (size_t)i * 3, NAME(subtract)(NAME(all)(0), NAME(load_four)(place)));
}

// Sums and x of a chunk on the way down, four numbers of each in turn: what a pair needs of both lies in one line of
// the cache. Two rings that begin at the same place of a page would get into each other's way.
typedef struct TYPE(down_ring) {
  _Alignas(MUS_ALIGNMENT) REAL number[2 * MUS_RING_NUMBERS + 17 * MUS_ALIGNMENT / sizeof(REAL)];
} TYPE(down_ring);

ALWAYS_INLINE size_t NAME(down_place)(const mus_symmetric_pattern *p, int i) {
  return ((unsigned)i & ((unsigned)p->ring - 1)) * 8;
}

ALWAYS_INLINE void NAME(down_row_3)(const TYPE(mus_symmetric_task) *t, int i, int end, TYPE(down_ring) *ring) {
  enum { LINE = 64 / sizeof(REAL), USUAL_LINES = sizeof(REAL) }; // as in symmetric_template.h
  const mus_symmetric_pattern *p = t->pattern;
  const int start = p->row_start[i], pairs = p->pair_start[i], next = p->row_start[i + 1];
  const REAL *a = t->value + (size_t)start * 9, *a_pairs = t->value + (size_t)pairs * 9;
  REAL *place = ring->number + NAME(down_place)(p, i);
  TYPE(wide) sum[3];
  for (int line = 0; line < USUAL_LINES; ++line)
    NAME(fetch_back)(a + line * LINE);
  NAME(fetch_back)(t->inverse_diagonal + (size_t)i * 9);
  if (end - i > p->ring)
    NAME(flush_3)(t, i + p->ring, place);
  NAME(gather_own_3)(a, p->where + start, p->where + pairs, t->y, sum);
  TYPE(vector) known = NAME(gather_ring_3)(a_pairs, p->where + pairs, p->where + next, ring->number + 4, sum);
  TYPE(vector) r = NAME(subtract)(NAME(load)(t->b + (size_t)i * 3), known);
  TYPE(vector) x = NAME(divide_3)(t->inverse_diagonal + (size_t)i * 9, r);
  NAME(store)(t->y + (size_t)i * 3, x);
  NAME(store_four)(place + 4, x);
  NAME(store_four)(place, NAME(all)(0));
  NAME(scatter_3)(a_pairs, p->where + pairs, p->where + next, x, ring->number, 2);
}

ALWAYS_INLINE void NAME(flush_rest_3)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows rows,
                                      const TYPE(down_ring) *ring) {
  for (int i = rows.begin; i < rows.end && i < rows.begin + t->pattern->ring; ++i)
    NAME(flush_3)(t, i, ring->number + NAME(down_place)(t->pattern, i));
}

static REAL NAME(down_3x3)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows rows) {
  TYPE(down_ring) ring;
  for (int i = rows.end - 1; i >= rows.begin; --i)
    NAME(down_row_3)(t, i, rows.end, &ring);
  NAME(flush_rest_3)(t, rows, &ring);
  return 0;
}

// Two chunks at once: a row waits for the one before it, and meanwhile that of the other chunk is worked on.
static void NAME(down_two_3x3)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows one, mus_symmetric_rows two) {
  TYPE(down_ring) ring_one, ring_two;
  int i = one.end - 1, j = two.end - 1;
  for (; i >= one.begin && j >= two.begin; --i, --j) {
    NAME(down_row_3)(t, i, one.end, &ring_one);
    NAME(down_row_3)(t, j, two.end, &ring_two);
  }
  for (; i >= one.begin; --i)
    NAME(down_row_3)(t, i, one.end, &ring_one);
  for (; j >= two.begin; --j)
    NAME(down_row_3)(t, j, two.end, &ring_two);
  NAME(flush_rest_3)(t, one, &ring_one);
  NAME(flush_rest_3)(t, two, &ring_two);
}

ALWAYS_INLINE void NAME(up_row_3)(const TYPE(mus_symmetric_task) *t, int i, REAL *ring) {
  enum { LINE = 64 / sizeof(REAL), USUAL_LINES = sizeof(REAL) }; // as in symmetric_template.h
  const mus_symmetric_pattern *p = t->pattern;
  const int start = p->row_start[i], pairs = p->pair_start[i], next = p->row_start[i + 1];
  const REAL *a = t->value + (size_t)start * 9, *a_pairs = t->value + (size_t)pairs * 9;
  REAL *x_i = t->y + (size_t)i * 3, *place = ring + ((unsigned)i & ((unsigned)p->ring - 1)) * 4;
  TYPE(wide) sum[3];
  for (int line = 0; line < USUAL_LINES; ++line)
    NAME(fetch)(a + line * LINE);
  NAME(fetch)(t->inverse_diagonal + (size_t)i * 9);
  NAME(gather_own_3)(a, p->where + start, p->where + pairs, t->y, sum);
  TYPE(vector) known = NAME(gather_pairs_3)(a_pairs, p->where + pairs, p->where + next, x_i, sum);
  TYPE(vector) r = NAME(subtract)(NAME(load)(t->b + (size_t)i * 3), known);
  r = NAME(subtract)(r, NAME(load_four)(place)); // what the row before stored comes late
  NAME(store_four)(place, NAME(all)(0));
  TYPE(vector) x = NAME(divide_3)(t->inverse_diagonal + (size_t)i * 9, r);
  NAME(store)(x_i, x);
  NAME(scatter_3)(a_pairs, p->where + pairs, p->where + next, x, ring, 1);
}

static REAL NAME(up_3x3)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows rows) {
  _Alignas(MUS_ALIGNMENT) REAL ring[MUS_RING_NUMBERS];
  memset(ring, 0, (size_t)t->pattern->ring * 4 * sizeof *ring);
  for (int i = rows.begin; i < rows.end; ++i)
    NAME(up_row_3)(t, i, ring);
  return 0;
}

static void NAME(up_two_3x3)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows one, mus_symmetric_rows two) {
  _Alignas(MUS_ALIGNMENT) REAL ring_one[MUS_RING_NUMBERS], ring_two[MUS_RING_NUMBERS];
  int i = one.begin, j = two.begin;
  memset(ring_one, 0, (size_t)t->pattern->ring * 4 * sizeof *ring_one);
  memset(ring_two, 0, (size_t)t->pattern->ring * 4 * sizeof *ring_two);
  for (; i < one.end && j < two.end; ++i, ++j) {
    NAME(up_row_3)(t, i, ring_one);
    NAME(up_row_3)(t, j, ring_two);
  }
  for (; i < one.end; ++i)
    NAME(up_row_3)(t, i, ring_one);
  for (; j < two.end; ++j)
    NAME(up_row_3)(t, j, ring_two);
}

// --- blocks of any size ------------------------------------------------------------------------------------------

// r -= A x
ALWAYS_INLINE void NAME(take_block)(int block, const REAL *a, const REAL *x, REAL *r) {
  for (int k = 0; k < block; ++k)
    for (int c = 0; c < block; ++c)
      r[k] -= a[k * block + c] * x[c];
}

// x = D^-1 (b - A x) for row i, without what `before` holds of it.
static void NAME(relax_any)(const TYPE(mus_symmetric_task) *t, int i, const REAL *before) {
  const mus_symmetric_pattern *p = t->pattern;
  const int block = p->block, size = block * block;
  REAL r[MUS_BLOCK_MAXIMUM], *x_i = t->y + (size_t)i * (size_t)block;
  const REAL *b = t->b + (size_t)i * (size_t)block, *inverse = t->inverse_diagonal + (size_t)i * (size_t)size;
  for (int c = 0; c < block; ++c)
    r[c] = before ? b[c] - before[c] : b[c];
  for (int k = p->row_start[i] + 1; k < p->row_start[i + 1]; ++k)
    NAME(take_block)
  (block, t->value + (size_t)k * (size_t)size,
   k < p->pair_start[i] ? t->y + (size_t)p->where[k] * (size_t)block : x_i + mus_pair_apart(p->where[k]), r);
  for (int c = 0; c < block; ++c) {
    REAL sum = 0;
    for (int k = 0; k < block; ++k)
      sum += inverse[c * block + k] * r[k];
    x_i[c] = sum;
  }
}

// y_j += A_ij^T x_i for the pairs of row i.
static void NAME(scatter_any)(const TYPE(mus_symmetric_task) *t, int i, REAL *ring) {
  const mus_symmetric_pattern *p = t->pattern;
  const int block = p->block;
  const REAL *x_i = t->y + (size_t)i * (size_t)block;
  for (int k = p->pair_start[i]; k < p->row_start[i + 1]; ++k) {
    const REAL *a = t->value + (size_t)k * (size_t)(block * block);
    REAL *y_j = ring + mus_pair_place(p->where[k]);
    for (int r = 0; r < block; ++r)
      for (int c = 0; c < block; ++c)
        y_j[c] += a[r * block + c] * x_i[r];
  }
}

static void NAME(flush_any)(const TYPE(mus_symmetric_task) *t, int i, const REAL *place) {
  const int block = t->pattern->block;
  for (int c = 0; c < block; ++c)
    t->residual[(size_t)i * (size_t)block + (size_t)c] = -place[c];
}

static REAL NAME(down_any)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows rows) {
  _Alignas(MUS_ALIGNMENT) REAL ring[MUS_RING_NUMBERS];
  const mus_symmetric_pattern *p = t->pattern;
  const unsigned mask = (unsigned)p->ring - 1, stride = (unsigned)mus_ring_stride(p->block);
  for (int i = rows.end - 1; i >= rows.begin; --i) {
    REAL *place = ring + ((unsigned)i & mask) * stride;
    if (rows.end - i > p->ring)
      NAME(flush_any)(t, i + p->ring, place);
    NAME(relax_any)(t, i, NULL);
    memset(place, 0, stride * sizeof *place);
    NAME(scatter_any)(t, i, ring);
  }
  for (int i = rows.begin; i < rows.end && i < rows.begin + p->ring; ++i)
    NAME(flush_any)(t, i, ring + ((unsigned)i & mask) * stride);
  return 0;
}

static REAL NAME(up_any)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows rows) {
  _Alignas(MUS_ALIGNMENT) REAL ring[MUS_RING_NUMBERS];
  const mus_symmetric_pattern *p = t->pattern;
  const unsigned mask = (unsigned)p->ring - 1, stride = (unsigned)mus_ring_stride(p->block);
  memset(ring, 0, (size_t)p->ring * stride * sizeof *ring);
  for (int i = rows.begin; i < rows.end; ++i) {
    REAL *place = ring + ((unsigned)i & mask) * stride;
    NAME(relax_any)(t, i, place);
    memset(place, 0, stride * sizeof *place);
    NAME(scatter_any)(t, i, ring);
  }
  return 0;
}

// --- two chunks at once ------------------------------------------------------------------------------------------

static void NAME(down_two_any)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows one, mus_symmetric_rows two) {
  NAME(down_any)(t, one);
  NAME(down_any)(t, two);
}

static void NAME(up_two_any)(const TYPE(mus_symmetric_task) *t, mus_symmetric_rows one, mus_symmetric_rows two) {
  NAME(up_any)(t, one);
  NAME(up_any)(t, two);
}

// Indexed by whether it goes up, and whether blocks are 3x3.
static TYPE(mus_two_chunks_kernel) *const NAME(two_table)[2][2] = {{NAME(down_two_any), NAME(down_two_3x3)},
                                                                   {NAME(up_two_any), NAME(up_two_3x3)}};

#undef ALWAYS_INLINE
