// What clusters do in one precision, as text for base/both_precisions.h. See
// clusters.h.

static mus_status NAME(make_room)(mus_arena *arena, TYPE(mus_clusters) *c) {
  c->joined = mus_arena_alloc(arena, (size_t)c->place[c->count], sizeof *c->joined);
  c->kept = mus_arena_alloc(arena, (size_t)c->start[c->count] * MUS_CLUSTER_BLOCK, sizeof *c->kept);
  return c->joined && c->kept ? MUS_OK : mus_fail_memory();
}

mus_status NAME(mus_clusters_copy)(mus_arena *arena, const TYPE(mus_clusters) *from, TYPE(mus_clusters) *out) {
  *out = *from;
  return NAME(make_room)(arena, out);
}

void NAME(mus_clusters_fill)(TYPE(mus_clusters) *c, const mus_matrix *a, const REAL *inverse_diagonal) {
  MUS_PARALLEL_FOR_IF(c->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < c->count; ++k) {
    int nodes = c->start[k + 1] - c->start[k], n = nodes * MUS_CLUSTER_BLOCK;
    const int *node = c->node + c->start[k];
    double inverse[MUS_CLUSTER_NODES * ENTRIES], e[UNKNOWNS * UNKNOWNS];
    for (int i = 0; i < nodes; ++i)
      for (int q = 0; q < ENTRIES; ++q)
        inverse[i * ENTRIES + q] = (double)inverse_diagonal[(size_t)node[i] * ENTRIES + (size_t)q];
    join(a, nodes, node, inverse, e);
    for (int r = 0; r < n; ++r)
      for (int q = 0; q < n; ++q)
        c->joined[c->place[k] + q * n + r] = (REAL)e[r * n + q];
  }
}

// By columns, so that the compiler finds vectors there.
static inline __attribute__((always_inline)) void NAME(multiply_joined)(int n, const REAL *e, const REAL *x, REAL *y) {
  REAL sum[UNKNOWNS] = {0};
  for (int q = 0; q < n; ++q)
    for (int r = 0; r < n; ++r)
      sum[r] += e[q * n + r] * x[q];
  for (int r = 0; r < n; ++r)
    y[r] = sum[r];
}

// x <- kept + E (x - kept) at the nodes of a cluster; kept NULL: 0
static inline __attribute__((always_inline)) void NAME(join_nodes)(int nodes, const int *node, const REAL *e,
                                                                   const REAL *kept, REAL *x) {
  REAL own[UNKNOWNS], made[UNKNOWNS];
  for (int i = 0; i < nodes; ++i)
    for (int q = 0; q < 3; ++q)
      own[3 * i + q] = x[3 * (size_t)node[i] + (size_t)q] - (kept ? kept[3 * i + q] : 0);
  NAME(multiply_joined)(3 * nodes, e, own, made);
  for (int i = 0; i < nodes; ++i)
    for (int q = 0; q < 3; ++q)
      x[3 * (size_t)node[i] + (size_t)q] = made[3 * i + q] + (kept ? kept[3 * i + q] : 0);
}

static void NAME(join_all)(const TYPE(mus_clusters) *c, const REAL *kept, REAL *x) {
  MUS_PARALLEL_FOR_IF(c->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < c->count; ++k) {
    const int *node = c->node + c->start[k];
    const REAL *e = c->joined + c->place[k], *own = kept ? kept + 3 * (size_t)c->start[k] : NULL;
    int nodes = c->start[k + 1] - c->start[k];
    if (nodes == 2)
      NAME(join_nodes)(2, node, e, own, x);
    else if (nodes == 3)
      NAME(join_nodes)(3, node, e, own, x);
    else
      NAME(join_nodes)(MUS_CLUSTER_NODES, node, e, own, x);
  }
}

void NAME(mus_clusters_apply)(const TYPE(mus_clusters) *c, REAL *x) { NAME(join_all)(c, NULL, x); }

void NAME(mus_clusters_before)(const TYPE(mus_clusters) *c, REAL beta, REAL gamma, const REAL *x, const REAL *next) {
  int members = c->start[c->count];
  MUS_PARALLEL_FOR_IF(members >= MUS_PAR_MINIMUM)
  for (int i = 0; i < members; ++i)
    for (int q = 0; q < MUS_CLUSTER_BLOCK; ++q) {
      size_t from = (size_t)c->node[i] * MUS_CLUSTER_BLOCK + (size_t)q;
      REAL before = x[from] + beta * x[from];
      if (gamma != 0) // what is there may be no number before it is first written
        before -= gamma * next[from];
      c->kept[(size_t)i * MUS_CLUSTER_BLOCK + (size_t)q] = before;
    }
}

void NAME(mus_clusters_after)(const TYPE(mus_clusters) *c, REAL *next) { NAME(join_all)(c, c->kept, next); }
