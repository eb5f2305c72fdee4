// Dense and sparse Cholesky factorisation, A = L L^T. See factor.h.
#include "sparse/factor.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "par/par.h"

#if MUSLIN_CHOLMOD
#include <cholmod.h>
#endif

// Up to DENSE_CHOICE unknowns mus_factor_kind chooses the dense factor. Sheets of 300 unknowns take equally long both
// ways, of 675 half as long by CHOLMOD; the bottom of a hierarchy is denser than a sheet.
enum { DENSE_CHOICE = 600, DENSE_MAXIMUM = 20000 };

// A factor whose pivots all stay above this part of A's diagonal has lost few digits; below it the condition is
// estimated.
static const double PIVOT_SUSPECT = 1e-8;
static const double SINGULAR = 1e-15;

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a, const int *lda,
            double *x, const int *incx, size_t, size_t, size_t);
void dlacn2_(const int *n, double *v, double *x, int *isgn, double *est, int *kase, int *isave);

// One way to factorise. compute() leaves the diagonal of L, in A's order, in `pivot`; free() is also called when
// create() has failed or was never reached.
typedef struct backend {
  mus_status (*create)(mus_factor *factor, const mus_pattern *pattern);
  mus_status (*compute)(mus_factor *factor, const mus_matrix *a, double *pivot);
  mus_status (*solve)(mus_factor *factor, const double *b, double *x);
  size_t (*bytes)(const mus_factor *factor); // beyond the arena; NULL: nothing
  void (*free)(mus_factor *factor);          // the same
} backend;

struct mus_factor {
  const backend *kernel;
  mus_arena arena;
  int rows, block, n;
  int ready;
  int *diagonal; // place of each row's diagonal block
  double *root;  // n: square roots of A's diagonal
  double *work;  // 2 n, for the condition estimate
  int *sign;     // n, the same
  double *dense; // n * n, column after column, L in the lower triangle; NULL for the sparse kind
#if MUSLIN_CHOLMOD
  cholmod_common common;
  cholmod_sparse *matrix; // A's upper triangle
  cholmod_factor *l;
  cholmod_dense *x, *y, *e; // kept between solves
#endif
};

int mus_factor_has_sparse(void) {
#if MUSLIN_CHOLMOD
  return 1;
#else
  return 0;
#endif
}

// --- BLAS threads ---------------------------------------------------------------------------------------------------
// OpenBLAS has one thread count for the whole process, and several solvers may be inside BLAS at once: the first one in
// sets it, the last one out puts it back. Other libraries are left to themselves.

extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

static pthread_mutex_t blas_lock = PTHREAD_MUTEX_INITIALIZER;
static int blas_wanted = 1, blas_users = 0, blas_before = 1;

void mus_factor_set_threads(int threads) {
  pthread_mutex_lock(&blas_lock);
  blas_wanted = threads > 1 ? threads : 1;
  pthread_mutex_unlock(&blas_lock);
}

static int controls_blas(void) { return openblas_set_num_threads && openblas_get_num_threads; }

// Returns what blas_end() needs. CHOLMOD's loops ask OpenMP for four threads on any machine: they do not change the
// bits, but on two cores they doubled the time of a factorisation, so they are kept to one thread as BLAS is.
static int blas_begin(void) {
  pthread_mutex_lock(&blas_lock);
  int alone = blas_wanted == 1;
  if (blas_users++ == 0 && controls_blas()) {
    blas_before = openblas_get_num_threads();
    if (blas_before != blas_wanted)
      openblas_set_num_threads(blas_wanted);
  }
  pthread_mutex_unlock(&blas_lock);
  return alone ? mus_par_pause() : -1;
}

static void blas_end(int paused) {
  if (paused >= 0)
    mus_par_resume(paused);
  pthread_mutex_lock(&blas_lock);
  if (--blas_users == 0 && controls_blas() && openblas_get_num_threads() != blas_before)
    openblas_set_num_threads(blas_before);
  pthread_mutex_unlock(&blas_lock);
}

static mus_status fail_pivot(const mus_factor *factor, int unknown) {
  return mus_fail(MUS_BREAKDOWN,
                  "the matrix is not positive definite: its Cholesky factorisation fails at node %d, "
                  "unknown %d of that node",
                  mus_counted(unknown / factor->block), mus_counted(unknown % factor->block));
}

// --- dense ----------------------------------------------------------------------------------------------------------

static mus_status dense_create(mus_factor *factor, const mus_pattern *pattern) {
  (void)pattern;
  if (factor->n > DENSE_MAXIMUM)
    return mus_fail(MUS_UNSUPPORTED, "a dense factor of %d unknowns is too large (the limit is %d): build with CHOLMOD",
                    factor->n, DENSE_MAXIMUM);
  size_t n = (size_t)factor->n;
  factor->dense = mus_arena_alloc(&factor->arena, n * n, sizeof *factor->dense);
  return factor->dense ? MUS_OK : mus_fail_memory();
}

// Row i of A, from the diagonal on, is column i of the lower triangle.
static void dense_fill(mus_factor *factor, const mus_matrix *a) {
  size_t n = (size_t)factor->n, block = (size_t)factor->block;
  memset(factor->dense, 0, n * n * sizeof *factor->dense);
  for (int row = 0; row < factor->rows; ++row)
    for (int place = factor->diagonal[row]; place < a->pattern->row_start[row + 1]; ++place)
      for (size_t k = 0; k < block; ++k)
        memcpy(factor->dense + ((size_t)row * block + k) * n + (size_t)a->pattern->column[place] * block,
               a->value + ((size_t)place * block + k) * block, block * sizeof *a->value);
}

static mus_status dense_compute(mus_factor *factor, const mus_matrix *a, double *pivot) {
  int info = 0;
  dense_fill(factor, a);
  dpotrf_("L", &factor->n, factor->dense, &factor->n, &info, 1);
  if (info > 0)
    return fail_pivot(factor, info - 1);
  for (size_t k = 0; k < (size_t)factor->n; ++k)
    pivot[k] = factor->dense[k * ((size_t)factor->n + 1)];
  return MUS_OK;
}

// Two triangular solves: for a single right-hand side OpenBLAS runs them more than twice as fast as dpotrs.
static mus_status dense_solve(mus_factor *factor, const double *b, double *x) {
  const int one = 1;
  if (x != b)
    memcpy(x, b, (size_t)factor->n * sizeof *x);
  dtrsv_("L", "N", "N", &factor->n, factor->dense, &factor->n, x, &one, 1, 1, 1);
  dtrsv_("L", "T", "N", &factor->n, factor->dense, &factor->n, x, &one, 1, 1, 1);
  return MUS_OK;
}

static const backend dense_backend = {dense_create, dense_compute, dense_solve, NULL, NULL};

// --- sparse ---------------------------------------------------------------------------------------------------------
#if MUSLIN_CHOLMOD

static mus_status sparse_fail(const mus_factor *factor) {
  if (factor->common.status == CHOLMOD_OUT_OF_MEMORY)
    return mus_fail_memory();
  if (factor->common.status == CHOLMOD_TOO_LARGE)
    return mus_fail(MUS_UNSUPPORTED, "the sparse factor of %d unknowns is too large for CHOLMOD's index type",
                    factor->n);
  return mus_fail(MUS_BREAKDOWN, "CHOLMOD failed with status %d", factor->common.status);
}

// The upper triangle of a block pattern with `block` x `block` blocks as CHOLMOD's compressed columns. Its column j is
// row j of A up to the diagonal, so the values of a block row lie nearly as they do here.
static cholmod_sparse *upper_triangle(const mus_pattern *pattern, const int *diagonal, int block, int xtype,
                                      cholmod_common *common) {
  size_t entries = 0, b = (size_t)block, n = (size_t)pattern->rows * b;
  for (int row = 0; row < pattern->rows; ++row)
    entries += (size_t)(diagonal[row] - pattern->row_start[row]) * b * b + b * (b + 1) / 2;
  cholmod_sparse *matrix = cholmod_l_allocate_sparse(n, n, entries, 1, 1, 1, xtype, common);
  if (!matrix)
    return NULL;
  int64_t *start = matrix->p, *index = matrix->i, next = 0;
  for (int row = 0; row < pattern->rows; ++row)
    for (int k = 0; k < block; ++k) {
      start[row * block + k] = next;
      for (int place = pattern->row_start[row]; place <= diagonal[row]; ++place)
        for (int l = 0; l < (place == diagonal[row] ? k + 1 : block); ++l)
          index[next++] = (int64_t)pattern->column[place] * block + l;
    }
  start[n] = next;
  return matrix;
}

static void sparse_fill(mus_factor *factor, const mus_matrix *a) {
  const int64_t *start = factor->matrix->p;
  double *value = factor->matrix->x;
  size_t block = (size_t)factor->block;
  MUS_PARALLEL_FOR_IF(factor->rows >= MUS_PAR_MINIMUM)
  for (int row = 0; row < factor->rows; ++row)
    for (size_t k = 0; k < block; ++k) {
      double *to = value + start[(size_t)row * block + k];
      for (int place = a->pattern->row_start[row]; place <= factor->diagonal[row]; ++place) {
        memcpy(to, a->value + ((size_t)place * block + k) * block,
               (place == factor->diagonal[row] ? k + 1 : block) * sizeof *to);
        to += block;
      }
    }
}

// Nested dissection draws its random numbers from the C library's one generator, which it seeds itself: two at once
// would disturb each other's order, and with it the last bits of the factor.
static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;

// Orders the graph of the nodes, by minimum degree and by nested dissection, and gives each node's unknowns consecutive
// places: several times cheaper than to order the unknowns, for the same fill. NULL when CHOLMOD fails.
static int64_t *node_permutation(mus_factor *factor, const mus_pattern *pattern) {
  cholmod_sparse *graph = upper_triangle(pattern, factor->diagonal, 1, CHOLMOD_PATTERN, &factor->common);
  pthread_mutex_lock(&order_lock);
  cholmod_factor *nodes = graph ? cholmod_l_analyze(graph, &factor->common) : NULL;
  pthread_mutex_unlock(&order_lock);
  int64_t *permutation = nodes ? cholmod_l_malloc((size_t)factor->n, sizeof(int64_t), &factor->common) : NULL;
  if (permutation)
    for (int row = 0; row < factor->rows; ++row)
      for (int k = 0; k < factor->block; ++k)
        permutation[row * factor->block + k] = ((const int64_t *)nodes->Perm)[row] * factor->block + k;
  cholmod_l_free_factor(&nodes, &factor->common);
  cholmod_l_free_sparse(&graph, &factor->common);
  return permutation;
}

static mus_status sparse_create(mus_factor *factor, const mus_pattern *pattern) {
  cholmod_common *common = &factor->common;
  cholmod_l_start(common);
  common->print = 0;
  common->useGPU = 0;
  common->final_ll = 1; // never L D L^T, which does not notice negative pivots
  common->quick_return_if_not_posdef = 1;
  factor->matrix = upper_triangle(pattern, factor->diagonal, factor->block, CHOLMOD_REAL, common);
  common->nmethods = 2;
  common->method[0].ordering = CHOLMOD_AMD;
  common->method[1].ordering = CHOLMOD_METIS;
  int64_t *permutation = factor->matrix ? node_permutation(factor, pattern) : NULL;
  if (!permutation)
    return sparse_fail(factor);
  common->nmethods = 1;
  common->method[0].ordering = CHOLMOD_GIVEN;
  factor->l = cholmod_l_analyze_p(factor->matrix, permutation, NULL, 0, common);
  cholmod_l_free((size_t)factor->n, sizeof(int64_t), permutation, common);
  return factor->l ? MUS_OK : sparse_fail(factor);
}

// pivot[unknown] = the diagonal entry of L in that unknown's column
static void sparse_pivots(const cholmod_factor *l, double *pivot) {
  const int64_t *order = l->Perm, *super = l->super, *row_start = l->pi, *value_start = l->px, *start = l->p;
  const double *value = l->x;
  if (!l->is_super) {
    for (size_t k = 0; k < l->n; ++k)
      pivot[order[k]] = value[start[k]];
    return;
  }
  for (size_t s = 0; s < l->nsuper; ++s) {
    int64_t height = row_start[s + 1] - row_start[s];
    for (int64_t k = super[s]; k < super[s + 1]; ++k)
      pivot[order[k]] = value[value_start[s] + (k - super[s]) * (height + 1)];
  }
}

static mus_status sparse_compute(mus_factor *factor, const mus_matrix *a, double *pivot) {
  sparse_fill(factor, a);
  if (!cholmod_l_factorize(factor->matrix, factor->l, &factor->common))
    return sparse_fail(factor);
  if (factor->l->minor < factor->l->n)
    return fail_pivot(factor, (int)((const int64_t *)factor->l->Perm)[factor->l->minor]);
  sparse_pivots(factor->l, pivot);
  return MUS_OK;
}

static mus_status sparse_solve(mus_factor *factor, const double *b, double *x) {
  size_t n = (size_t)factor->n;
  cholmod_dense right = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = (void *)b, .xtype = CHOLMOD_REAL};
  if (!cholmod_l_solve2(CHOLMOD_A, factor->l, &right, NULL, &factor->x, NULL, &factor->y, &factor->e, &factor->common))
    return sparse_fail(factor);
  memcpy(x, factor->x->x, n * sizeof *x);
  return MUS_OK;
}

static size_t sparse_bytes(const mus_factor *factor) { return factor->common.memory_inuse; }

static void sparse_free(mus_factor *factor) {
  if (factor->common.itype != CHOLMOD_LONG)
    return; // never started
  cholmod_l_free_dense(&factor->x, &factor->common);
  cholmod_l_free_dense(&factor->y, &factor->common);
  cholmod_l_free_dense(&factor->e, &factor->common);
  cholmod_l_free_factor(&factor->l, &factor->common);
  cholmod_l_free_sparse(&factor->matrix, &factor->common);
  cholmod_l_finish(&factor->common);
}

static const backend sparse_backend = {sparse_create, sparse_compute, sparse_solve, sparse_bytes, sparse_free};

#endif

// --- what both share ------------------------------------------------------------------------------------------------

static const backend *find_backend(int n, mus_factor_kind kind) {
#if MUSLIN_CHOLMOD
  if (kind == MUS_FACTOR_SPARSE || (kind == MUS_FACTOR_CHOOSE && n > DENSE_CHOICE))
    return &sparse_backend;
#endif
  (void)n;
  return kind == MUS_FACTOR_SPARSE ? NULL : &dense_backend;
}

static mus_status allocate(mus_factor *factor) {
  size_t n = (size_t)factor->n;
  factor->diagonal = mus_arena_alloc(&factor->arena, (size_t)factor->rows, sizeof *factor->diagonal);
  factor->root = mus_arena_alloc(&factor->arena, n, sizeof *factor->root);
  factor->work = mus_arena_alloc(&factor->arena, 2 * n, sizeof *factor->work);
  factor->sign = mus_arena_alloc(&factor->arena, n, sizeof *factor->sign);
  return factor->diagonal && factor->root && factor->work && factor->sign ? MUS_OK : mus_fail_memory();
}

mus_status mus_factor_create(const mus_pattern *pattern, int block, mus_factor_kind kind, mus_factor **out) {
  if (pattern->rows != pattern->columns)
    return mus_fail(MUS_BAD_INPUT, "a factorisation needs a square matrix, this one has %d by %d blocks", pattern->rows,
                    pattern->columns);
  if ((long long)pattern->rows * block > INT_MAX)
    return mus_fail(MUS_UNSUPPORTED, "a factorisation of %d blocks of %d unknowns is too large", pattern->rows, block);
  const backend *kernel = find_backend(pattern->rows * block, kind);
  if (!kernel)
    return mus_fail(MUS_UNSUPPORTED, "a sparse factorisation needs CHOLMOD, which this build leaves out");
  mus_factor *factor = mus_alloc_zero(1, sizeof *factor);
  if (!factor)
    return mus_fail_memory();
  factor->kernel = kernel;
  factor->rows = pattern->rows;
  factor->block = block;
  factor->n = pattern->rows * block;
  mus_status status = allocate(factor);
  if (!status)
    status = mus_diagonal_places(pattern, factor->diagonal);
  if (!status)
    status = kernel->create(factor, pattern);
  if (status)
    mus_factor_free(factor);
  else
    *out = factor;
  return status;
}

// The square roots of A's diagonal, or the first unknown where there is none.
static mus_status find_roots(mus_factor *factor, const mus_matrix *a) {
  size_t block = (size_t)factor->block;
  for (int unknown = 0; unknown < factor->n; ++unknown) {
    size_t row = (size_t)unknown / block, k = (size_t)unknown % block;
    double entry = a->value[((size_t)factor->diagonal[row] * block + k) * block + k];
    if (!(entry > 0) || !isfinite(entry))
      return fail_pivot(factor, unknown);
    factor->root[unknown] = sqrt(entry);
  }
  return MUS_OK;
}

// The smallest L_jj^2 / A_jj and its unknown. NaN passes through the factorisations unnoticed and shows up here.
static mus_status check_pivots(const mus_factor *factor, const double *pivot, double *smallest, int *unknown) {
  *smallest = INFINITY;
  *unknown = 0;
  for (int k = 0; k < factor->n; ++k) {
    double ratio = pivot[k] / factor->root[k];
    if (!(ratio > 0) || !isfinite(ratio))
      return fail_pivot(factor, k);
    if (ratio * ratio < *smallest) {
      *smallest = ratio * ratio;
      *unknown = k;
    }
  }
  return MUS_OK;
}

// ||B||_1 of B = R^-1 A R^-1 with R^2 the diagonal of A
static double scaled_norm(const mus_factor *factor, const mus_matrix *a) {
  int block = factor->block;
  double largest = 0;
  for (int row = 0; row < factor->rows; ++row)
    for (int k = 0; k < block; ++k) {
      double sum = 0;
      for (int place = a->pattern->row_start[row]; place < a->pattern->row_start[row + 1]; ++place)
        for (int l = 0; l < block; ++l)
          sum += fabs(a->value[((size_t)place * (size_t)block + (size_t)k) * (size_t)block + (size_t)l]) /
                 factor->root[a->pattern->column[place] * block + l];
      largest = fmax(largest, sum / factor->root[row * block + k]);
    }
  return largest;
}

// 1 / (||B||_1 ||B^-1||_1), the second norm by LAPACK's estimator (Hager 1984, Higham 1988): a handful of solves.
static mus_status estimate_condition(mus_factor *factor, const mus_matrix *a, double *reciprocal) {
  size_t n = (size_t)factor->n;
  double *x = factor->work + n, inverse_norm = 0;
  int kase = 0, save[3] = {0, 0, 0};
  for (;;) {
    dlacn2_(&factor->n, factor->work, x, factor->sign, &inverse_norm, &kase, save);
    if (kase == 0)
      break;
    for (size_t k = 0; k < n; ++k)
      x[k] *= factor->root[k];
    mus_status status = factor->kernel->solve(factor, x, x);
    if (status)
      return status;
    for (size_t k = 0; k < n; ++k)
      x[k] *= factor->root[k];
  }
  *reciprocal = 1 / (scaled_norm(factor, a) * inverse_norm);
  return MUS_OK;
}

// The part of mus_factor_compute that BLAS takes part in.
static mus_status compute(mus_factor *factor, const mus_matrix *a) {
  double smallest, reciprocal = 1;
  int unknown;
  mus_status status = factor->kernel->compute(factor, a, factor->work);
  if (!status)
    status = check_pivots(factor, factor->work, &smallest, &unknown);
  if (!status && smallest < PIVOT_SUSPECT)
    status = estimate_condition(factor, a, &reciprocal);
  if (!status && !(reciprocal >= SINGULAR))
    status = mus_fail(MUS_BREAKDOWN,
                      "the matrix is singular to working precision: its reciprocal condition is about %.1g and its "
                      "weakest pivot is at node %d, unknown %d of that node",
                      reciprocal, mus_counted(unknown / factor->block), mus_counted(unknown % factor->block));
  return status;
}

mus_status mus_factor_compute(mus_factor *factor, const mus_matrix *a) {
  factor->ready = 0;
  if (a->pattern->rows != factor->rows || a->row_block != factor->block || a->column_block != factor->block)
    return mus_fail(MUS_BAD_INPUT, "the matrix does not have the pattern that was analysed");
  if (factor->n == 0) {
    factor->ready = 1;
    return MUS_OK;
  }
  mus_status status = find_roots(factor, a);
  if (status)
    return status;
  int paused = blas_begin();
  status = compute(factor, a);
  blas_end(paused);
  factor->ready = !status;
  return status;
}

mus_status mus_factor_solve(mus_factor *factor, const double *b, double *x) {
  if (!factor->ready)
    return mus_fail(MUS_BAD_INPUT, "a solve needs a successful factorisation first");
  if (factor->n == 0)
    return MUS_OK;
  int paused = blas_begin();
  mus_status status = factor->kernel->solve(factor, b, x);
  blas_end(paused);
  return status;
}

size_t mus_factor_bytes(const mus_factor *factor) {
  size_t beyond = factor->kernel->bytes ? factor->kernel->bytes(factor) : 0;
  return sizeof *factor + factor->arena.bytes + beyond;
}

double mus_factor_numbers(const mus_factor *factor) {
#if MUSLIN_CHOLMOD
  if (!factor->dense)
    return 2.0 * (double)(factor->l->is_super ? factor->l->xsize : factor->l->nzmax);
#endif
  return (double)factor->n * factor->n;
}

double mus_factor_work(const mus_factor *factor) {
#if MUSLIN_CHOLMOD
  if (!factor->dense)
    return factor->common.fl / 2;
#endif
  return (double)factor->n * factor->n * factor->n / 6;
}

void mus_factor_free(mus_factor *factor) {
  if (!factor)
    return;
  if (factor->kernel->free)
    factor->kernel->free(factor);
  mus_arena_clear(&factor->arena);
  mus_free(factor);
}
