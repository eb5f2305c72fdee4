// The cycle in one precision, as text for base/both_precisions.h. See affine_cycle.c.

typedef REAL TYPE(four) __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

// --- numbers ---------------------------------------------------------------------------------------------------------

mus_status NAME(mus_affine_numbers_create)(mus_arena *arena, const mus_affine_level *level,
                                           TYPE(mus_affine_numbers) *out) {
  size_t nodes = (size_t)level->nodes, square = (size_t)(level->width * level->width);
  REAL **vectors[] = {&out->x, &out->b, &out->other};
  *out = (TYPE(mus_affine_numbers)){0};
  for (int k = 0; k < 3; ++k)
    if (!(*vectors[k] = mus_arena_alloc_zero(arena, nodes * (size_t)level->width * 4, sizeof(REAL))))
      return mus_fail_memory();
  if (!level->smoother) // the bottom
    return MUS_OK;
  out->value = mus_arena_alloc(arena, (size_t)mus_pattern_blocks(&level->links) * square, sizeof *out->value);
  out->diagonal = mus_arena_alloc(arena, nodes * square, sizeof *out->diagonal);
  out->inverse = mus_arena_alloc(arena, nodes * square, sizeof *out->inverse);
  out->transfer = mus_arena_alloc(arena, nodes * (size_t)(F * level->width), sizeof *out->transfer);
  out->place = mus_arena_alloc(arena, nodes, sizeof *out->place);
  if (!out->value || !out->diagonal || !out->inverse || !out->transfer || !out->place)
    return mus_fail_memory();
  for (size_t i = 0; i < nodes; ++i)
    out->place[i] = -1;
  for (size_t i = 0; i < nodes * (size_t)(F * level->width); ++i)
    out->transfer[i] = (REAL)level->transfer[i];
  return MUS_OK;
}

void NAME(mus_affine_numbers_free)(TYPE(mus_affine_numbers) *numbers) {
  mus_free(numbers->block);
  mus_free(numbers->block_inverse);
}

mus_status NAME(mus_affine_numbers_set)(const mus_affine_level *level, const double *value,
                                        TYPE(mus_affine_numbers) *to) {
  size_t square = (size_t)(level->width * level->width), links = (size_t)mus_pattern_blocks(&level->links) * square;
  for (size_t k = 0; k < links; ++k)
    to->value[k] = (REAL)value[k];
  for (int i = 0; i < level->nodes; ++i) {
    double inverse[F * F];
    const double *diagonal = level->diagonal + (size_t)i * square;
    if (!mus_affine_invert(level->width, diagonal, inverse))
      return not_definite();
    for (size_t e = 0; e < square; ++e) {
      to->diagonal[(size_t)i * square + e] = (REAL)diagonal[e];
      to->inverse[(size_t)i * square + e] = (REAL)inverse[e];
    }
  }
  return MUS_OK;
}

static mus_status NAME(reserve)(TYPE(mus_affine_numbers) *to, int count, size_t square) {
  if (count <= to->capacity)
    return MUS_OK;
  size_t capacity = (size_t)(count + count / 2);
  REAL *block = mus_alloc(capacity * square, sizeof *block), *inverse = mus_alloc(capacity * square, sizeof *inverse);
  if (!block || !inverse) {
    mus_free(block);
    mus_free(inverse);
    return mus_fail_memory();
  }
  NAME(mus_affine_numbers_free)(to);
  to->block = block;
  to->block_inverse = inverse;
  to->capacity = (int)capacity;
  return MUS_OK;
}

// D + B of a node, and its inverse.
static int NAME(set_block)(const mus_affine_level *level, int i, const double *block, REAL *to, REAL *to_inverse) {
  int width = level->width, n = 3 * width;
  double sum[UNKNOWNS * UNKNOWNS], inverse[UNKNOWNS * UNKNOWNS];
  memcpy(sum, block, (size_t)(n * n) * sizeof *sum);
  for (int r = 0; r < width; ++r)
    for (int c = 0; c < width; ++c)
      for (int e = 0; e < 3; ++e)
        sum[(3 * r + e) * n + 3 * c + e] += level->diagonal[(size_t)(i * width * width + r * width + c)];
  if (!mus_affine_invert(n, sum, inverse))
    return 0;
  for (int e = 0; e < n * n; ++e) {
    to[e] = (REAL)sum[e];
    to_inverse[e] = (REAL)inverse[e];
  }
  return 1;
}

mus_status NAME(mus_affine_numbers_blocks)(const mus_affine_level *level, const mus_affine_blocks *blocks,
                                           TYPE(mus_affine_numbers) *to) {
  size_t square = (size_t)(9 * level->width * level->width);
  int failed = 0;
  mus_status status = NAME(reserve)(to, blocks->count, square);
  if (status)
    return status;
  memcpy(to->place, blocks->place, (size_t)level->nodes * sizeof *to->place);
  for (int n = 0; n < blocks->count; ++n) {
    size_t at = (size_t)n * square;
    failed += !NAME(set_block)(level, blocks->node[n], blocks->value + at, to->block + at, to->block_inverse + at);
  }
  return failed ? not_definite() : MUS_OK;
}

// --- rows ------------------------------------------------------------------------------------------------------------
// Of node i: `width` vectors. width is known where these are compiled into their callers.

// r = b_i - the sum over links of L_ij x_j
static inline void NAME(row_links)(int width, const mus_affine_level *l, const TYPE(mus_affine_numbers) *n, int i,
                                   const REAL *b, const REAL *x, TYPE(four) *r) {
  const int *column = l->links.column;
  int end = l->links.row_start[i + 1];
  for (int a = 0; a < width; ++a)
    r[a] = *(const TYPE(four) *)(b + (size_t)(i * width + a) * 4);
  for (int k = l->links.row_start[i]; k < end; ++k) {
    const REAL *value = n->value + (size_t)k * (size_t)(width * width);
    const REAL *from = x + (size_t)column[k] * (size_t)(4 * width);
    for (int c = 0; c < width; ++c) {
      TYPE(four) other = *(const TYPE(four) *)(from + 4 * c);
      for (int a = 0; a < width; ++a)
        r[a] -= value[a * width + c] * other;
    }
  }
}

// to = M r: `small` (width x width) where a node has no block, else `large` (3 width x 3 width).
static inline void NAME(apply)(int width, const REAL *small, const REAL *large, const TYPE(four) *r, TYPE(four) *to) {
  for (int a = 0; a < width && !large; ++a) {
    TYPE(four) sum = {0, 0, 0, 0};
    for (int c = 0; c < width; ++c)
      sum += small[a * width + c] * r[c];
    to[a] = sum;
  }
  for (int a = 0; a < width && large; ++a) {
    TYPE(four) sum = {0, 0, 0, 0};
    for (int c = 0; c < 3 * width; ++c) // by columns: symmetric
      for (int e = 0; e < 3; ++e)
        sum[e] += large[c * 3 * width + 3 * a + e] * r[c / 3][c % 3];
    to[a] = sum;
  }
}

static inline void NAME(divide)(int width, const TYPE(mus_affine_numbers) *n, int i, const TYPE(four) *r,
                                TYPE(four) *to) {
  size_t square = (size_t)(width * width);
  const REAL *large = n->place[i] < 0 ? NULL : n->block_inverse + (size_t)n->place[i] * 9 * square;
  NAME(apply)(width, n->inverse + (size_t)i * square, large, r, to);
}

// r -= (D + B) x_i
static inline void NAME(take_own)(int width, const TYPE(mus_affine_numbers) *n, int i, const REAL *x, TYPE(four) *r) {
  size_t square = (size_t)(width * width);
  const REAL *large = n->place[i] < 0 ? NULL : n->block + (size_t)n->place[i] * 9 * square;
  TYPE(four) own[F];
  NAME(apply)(width, n->diagonal + (size_t)i * square, large, (const TYPE(four) *)(x + (size_t)(i * width) * 4), own);
  for (int a = 0; a < width; ++a)
    r[a] -= own[a];
}

// --- smoothers -------------------------------------------------------------------------------------------------------

static inline void NAME(relax)(int width, const mus_affine_level *l, const TYPE(mus_affine_numbers) *n, int i) {
  TYPE(four) r[F], to[F];
  NAME(row_links)(width, l, n, i, n->b, n->x, r);
  NAME(divide)(width, n, i, r, to);
  for (int a = 0; a < width; ++a)
    *(TYPE(four) *)(n->x + (size_t)(i * width + a) * 4) = to[a];
}

static void NAME(relax_colour)(const mus_affine_level *l, const TYPE(mus_affine_numbers) *n, int colour) {
  int from = l->start[colour], to = l->start[colour + 1];
  if (l->width == 1) {
    MUS_PARALLEL_FOR_IF(to - from > MUS_PAR_MINIMUM)
    for (int i = from; i < to; ++i)
      NAME(relax)(1, l, n, i);
  } else {
    MUS_PARALLEL_FOR_IF((to - from) * F > MUS_PAR_MINIMUM)
    for (int i = from; i < to; ++i)
      NAME(relax)(F, l, n, i);
  }
}

// Sweeps forward and backward. Where one ends and the next begins is the same colour, which has nothing to change then.
static void NAME(sweep)(const mus_affine_level *l, TYPE(mus_affine_numbers) *n, int from_zero) {
  int sweeps = l->options.smoother_order;
  if (from_zero)
    memset(n->x, 0, (size_t)(l->nodes * l->width) * 4 * sizeof *n->x);
  for (int s = 0; s < sweeps; ++s) {
    for (int c = s > 0; c < l->colours; ++c)
      NAME(relax_colour)(l, n, c);
    for (int c = l->colours - 2; c >= 0; --c)
      NAME(relax_colour)(l, n, c);
  }
}

// other = x + alpha (D + B)^-1 (b - A x) + beta (x - other)
static inline void NAME(pass_node)(int width, const mus_affine_level *l, const TYPE(mus_affine_numbers) *n, int i,
                                   REAL alpha, REAL beta) {
  TYPE(four) r[F], z[F];
  NAME(row_links)(width, l, n, i, n->b, n->x, r);
  NAME(take_own)(width, n, i, n->x, r);
  NAME(divide)(width, n, i, r, z);
  for (int a = 0; a < width; ++a) {
    size_t at = (size_t)(i * width + a) * 4;
    TYPE(four) x = *(TYPE(four) *)(n->x + at), *other = (TYPE(four) *)(n->other + at);
    *other = x + alpha * z[a] + beta * (x - *other);
  }
}

static void NAME(pass)(const mus_affine_level *l, TYPE(mus_affine_numbers) *n, double alpha, double beta) {
  if (l->width == 1) {
    MUS_PARALLEL_FOR_IF(l->nodes > MUS_PAR_MINIMUM)
    for (int i = 0; i < l->nodes; ++i)
      NAME(pass_node)(1, l, n, i, (REAL)alpha, (REAL)beta);
  } else {
    MUS_PARALLEL_FOR_IF(l->nodes * F > MUS_PAR_MINIMUM)
    for (int i = 0; i < l->nodes; ++i)
      NAME(pass_node)(F, l, n, i, (REAL)alpha, (REAL)beta);
  }
  REAL *swap = n->x;
  n->x = n->other;
  n->other = swap;
}

static void NAME(smooth)(const mus_affine_level *l, TYPE(mus_affine_numbers) *n, int from_zero) {
  double alpha, beta;
  if (!l->smoother->pass) {
    NAME(sweep)(l, n, from_zero);
    return;
  }
  if (from_zero)
    memset(n->x, 0, (size_t)(l->nodes * l->width) * 4 * sizeof *n->x);
  for (int k = 0; l->smoother->pass(&l->options, l->radius, k, &alpha, &beta); ++k)
    NAME(pass)(l, n, alpha, beta);
}

// --- between levels --------------------------------------------------------------------------------------------------

static inline void NAME(restrict_handle)(int width, const mus_affine_level *l, const TYPE(mus_affine_numbers) *n,
                                         int handle, REAL *b) {
  TYPE(four) sum[F] = {{0}};
  for (int k = l->child_start[handle]; k < l->child_start[handle + 1]; ++k) {
    int i = l->child[k];
    const REAL *t = n->transfer + (size_t)(i * width) * F;
    TYPE(four) r[F];
    NAME(row_links)(width, l, n, i, n->b, n->x, r);
    NAME(take_own)(width, n, i, n->x, r);
    for (int a = 0; a < F; ++a)
      for (int m = 0; m < width; ++m)
        sum[a] += t[a * width + m] * r[m];
  }
  for (int a = 0; a < F; ++a)
    *(TYPE(four) *)(b + (size_t)(handle * F + a) * 4) = sum[a];
}

// b of the coarser level = P^T (b - A x)
static void NAME(restrict_residual)(const mus_affine_level *l, const TYPE(mus_affine_numbers) *n, int handles,
                                    REAL *b) {
  MUS_PARALLEL_FOR_IF(l->nodes * l->width > MUS_PAR_MINIMUM)
  for (int h = 0; h < handles; ++h) {
    if (l->width == 1)
      NAME(restrict_handle)(1, l, n, h, b);
    else
      NAME(restrict_handle)(F, l, n, h, b);
  }
}

// x += P e
static void NAME(prolong)(const mus_affine_level *l, TYPE(mus_affine_numbers) *n, const REAL *e) {
  int width = l->width;
  MUS_PARALLEL_FOR_IF(l->nodes * width > MUS_PAR_MINIMUM)
  for (int i = 0; i < l->nodes; ++i) {
    const REAL *t = n->transfer + (size_t)(i * width) * F, *from = e + (size_t)l->owner[i] * (4 * F);
    for (int m = 0; m < width; ++m) {
      TYPE(four) *to = (TYPE(four) *)(n->x + (size_t)(i * width + m) * 4);
      for (int a = 0; a < F; ++a)
        *to += t[a * width + m] * *(const TYPE(four) *)(from + 4 * a);
    }
  }
}

static void NAME(solve_bottom)(mus_affine *a, TYPE(mus_affine_numbers) *n) {
  int rows = F * a->level[a->levels].nodes;
  for (int i = 0; i < 3 * rows; ++i)
    a->bottom_right[i] = (double)n->b[4 * (i / 3) + i % 3];
  if (mus_factor_solve(a->factor, a->bottom_right, a->bottom_right)) // it has a factor: there is nothing to go wrong
    memset(a->bottom_right, 0, (size_t)(3 * rows) * sizeof *a->bottom_right);
  for (int i = 0; i < 3 * rows; ++i)
    n->x[4 * (i / 3) + i % 3] = (REAL)a->bottom_right[i];
}

void NAME(mus_affine_run)(mus_affine *a, const double *b, double *x) {
  TYPE(mus_affine_numbers) *n = a->NAME(number);
  MUS_PARALLEL_FOR_IF(a->level[0].nodes > MUS_PAR_MINIMUM)
  for (int i = 0; i < a->level[0].nodes; ++i)
    for (size_t c = 0; c < 3; ++c)
      n[0].b[4 * (size_t)a->place[i] + c] = (REAL)b[3 * (size_t)i + c];
  for (int k = 0; k < a->levels; ++k) {
    NAME(smooth)(&a->level[k], &n[k], 1);
    NAME(restrict_residual)(&a->level[k], &n[k], a->level[k + 1].nodes, n[k + 1].b);
  }
  NAME(solve_bottom)(a, &n[a->levels]);
  for (int k = a->levels - 1; k >= 0; --k) {
    NAME(prolong)(&a->level[k], &n[k], n[k + 1].x);
    NAME(smooth)(&a->level[k], &n[k], 0);
  }
  MUS_PARALLEL_FOR_IF(a->level[0].nodes > MUS_PAR_MINIMUM)
  for (int i = 0; i < a->level[0].nodes; ++i)
    for (size_t c = 0; c < 3; ++c)
      x[3 * (size_t)i + c] = n[0].x[4 * (size_t)a->place[i] + c];
}
