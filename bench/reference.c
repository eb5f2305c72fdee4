#include "reference.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "krylov/cg.h"
#include "par/vector.h"

mus_status reference_elements_create(mus_arena *arena, int elements, int variables, reference_elements *out) {
  *out = (reference_elements){.start = mus_arena_alloc_zero(arena, (size_t)elements + 1, sizeof *out->start),
                              .variable = mus_arena_alloc(arena, (size_t)variables, sizeof *out->variable),
                              .matrix = mus_arena_alloc(arena, (size_t)elements, sizeof *out->matrix)};
  return out->start && out->variable && out->matrix ? MUS_OK : mus_fail_memory();
}

void reference_elements_add(reference_elements *elements, int count, const int *variable, const double *matrix) {
  int from = elements->start[elements->count];
  memcpy(elements->variable + from, variable, (size_t)count * sizeof *variable);
  elements->matrix[elements->count++] = matrix;
  elements->start[elements->count] = from + count;
}

static mus_status create_matrix(mus_arena *arena, int rows, int columns, size_t entries, reference_matrix *out) {
  *out = (reference_matrix){.rows = rows,
                            .columns = columns,
                            .start = mus_arena_alloc_zero(arena, (size_t)rows + 1, sizeof *out->start),
                            .column = mus_arena_alloc(arena, entries, sizeof *out->column),
                            .value = mus_arena_alloc(arena, entries, sizeof *out->value)};
  return out->start && out->column && out->value ? MUS_OK : mus_fail_memory();
}

// The elements that each row is in, and its place among their variables: from start[row] to start[row + 1].
typedef struct incidence {
  int *start, *place, *element;
} incidence;

static mus_status find_incidence(mus_arena *arena, const reference_elements *e, int rows, const int *row,
                                 incidence *out) {
  size_t all = (size_t)e->start[e->count];
  out->start = mus_arena_alloc_zero(arena, (size_t)rows + 2, sizeof *out->start);
  out->place = mus_arena_alloc(arena, all, sizeof *out->place);
  out->element = mus_arena_alloc(arena, all, sizeof *out->element);
  if (!out->start || !out->place || !out->element)
    return mus_fail_memory();
  for (size_t k = 0; k < all; ++k)
    if (row[e->variable[k]] >= 0)
      ++out->start[row[e->variable[k]] + 2];
  for (int i = 0; i < rows; ++i)
    out->start[i + 2] += out->start[i + 1];
  for (int n = 0; n < e->count; ++n)
    for (int k = e->start[n]; k < e->start[n + 1]; ++k)
      if (row[e->variable[k]] >= 0) {
        int at = out->start[row[e->variable[k]] + 1]++;
        out->place[at] = k;
        out->element[at] = n;
      }
  return MUS_OK;
}

// Writes the entries of row i, where `out` has room for them (`value` is not NULL); returns their number. `seen` holds
// the place of each column in this row, or something less than `first`.
static int gather_row(const reference_elements *e, const int *row, const incidence *in, int i, int first, int *seen,
                      reference_matrix *out) {
  int next = first;
  for (int at = in->start[i]; at < in->start[i + 1]; ++at) {
    int n = in->element[at], begin = e->start[n], count = e->start[n + 1] - begin;
    const double *m = e->matrix[n] + (in->place[at] - begin) * count;
    for (int k = 0; k < count; ++k) {
      int j = row[e->variable[begin + k]];
      if (j < 0)
        continue;
      if (seen[j] < first) {
        seen[j] = next++;
        if (out->value) {
          out->column[seen[j]] = j;
          out->value[seen[j]] = 0;
        }
      }
      if (out->value)
        out->value[seen[j]] += m[k];
    }
  }
  return next - first;
}

mus_status reference_assemble(mus_arena *arena, const reference_elements *elements, int rows, const int *row,
                              reference_matrix *out) {
  mus_arena scratch = {0};
  incidence in = {0};
  reference_matrix none = {0};
  int *seen = mus_arena_alloc(&scratch, (size_t)rows, sizeof *seen);
  mus_status status = seen ? find_incidence(&scratch, elements, rows, row, &in) : mus_fail_memory();
  int total = 0;
  for (int i = 0; i < rows && !status; ++i)
    seen[i] = -1;
  for (int i = 0; i < rows && !status; ++i)
    total += gather_row(elements, row, &in, i, total, seen, &none);
  if (!status)
    status = create_matrix(arena, rows, rows, (size_t)total, out);
  for (int i = 0; i < rows && !status; ++i)
    seen[i] = -1;
  for (int i = 0; i < rows && !status; ++i)
    out->start[i + 1] = out->start[i] + gather_row(elements, row, &in, i, out->start[i], seen, out);
  mus_arena_clear(&scratch);
  return status;
}

void reference_hold(const reference_elements *e, const int *row, const double *value, double *right) {
  for (int n = 0; n < e->count; ++n) {
    const int *variable = e->variable + e->start[n];
    int count = e->start[n + 1] - e->start[n];
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j)
        if (row[variable[i]] >= 0 && row[variable[j]] < 0)
          right[row[variable[i]]] -= e->matrix[n][i * count + j] * value[variable[j]];
  }
}

void reference_multiply(const reference_matrix *a, const double *x, double *y) {
  for (int i = 0; i < a->rows; ++i) {
    double sum = 0;
    for (int k = a->start[i]; k < a->start[i + 1]; ++k)
      sum += a->value[k] * x[a->column[k]];
    y[i] = sum;
  }
}

mus_status reference_transpose(mus_arena *arena, const reference_matrix *a, reference_matrix *out) {
  mus_status status = create_matrix(arena, a->columns, a->rows, (size_t)a->start[a->rows], out);
  if (status)
    return status;
  for (int k = 0; k < a->start[a->rows]; ++k)
    ++out->start[a->column[k] + 1];
  for (int j = 0; j < out->rows; ++j)
    out->start[j + 1] += out->start[j];
  for (int i = a->rows - 1; i >= 0; --i) // from the ends of rows backwards: start[j + 1] becomes where row j begins
    for (int k = a->start[i + 1] - 1; k >= a->start[i]; --k) {
      int at = --out->start[a->column[k] + 1];
      out->column[at] = i;
      out->value[at] = a->value[k];
    }
  for (int j = 0; j < out->rows; ++j)
    out->start[j] = out->start[j + 1];
  out->start[out->rows] = a->start[a->rows];
  return MUS_OK;
}

// As gather_row() of elements.
static int multiply_row(const reference_matrix *a, const reference_matrix *b, int i, int first, int *seen,
                        reference_matrix *out) {
  int next = first;
  for (int k = a->start[i]; k < a->start[i + 1]; ++k)
    for (int l = b->start[a->column[k]]; l < b->start[a->column[k] + 1]; ++l) {
      int j = b->column[l];
      if (seen[j] < first) {
        seen[j] = next++;
        if (out->value) {
          out->column[seen[j]] = j;
          out->value[seen[j]] = 0;
        }
      }
      if (out->value)
        out->value[seen[j]] += a->value[k] * b->value[l];
    }
  return next - first;
}

mus_status reference_product(mus_arena *arena, const reference_matrix *a, const reference_matrix *b,
                             reference_matrix *out) {
  mus_arena scratch = {0};
  reference_matrix none = {0};
  int *seen = mus_arena_alloc(&scratch, (size_t)b->columns, sizeof *seen), total = 0;
  mus_status status = seen ? MUS_OK : mus_fail_memory();
  for (int j = 0; j < b->columns && !status; ++j)
    seen[j] = -1;
  for (int i = 0; i < a->rows && !status; ++i)
    total += multiply_row(a, b, i, total, seen, &none);
  if (!status)
    status = create_matrix(arena, a->rows, b->columns, (size_t)total, out);
  for (int j = 0; j < b->columns && !status; ++j)
    seen[j] = -1;
  for (int i = 0; i < a->rows && !status; ++i)
    out->start[i + 1] = out->start[i] + multiply_row(a, b, i, out->start[i], seen, out);
  mus_arena_clear(&scratch);
  return status;
}

// --- conjugate gradients -------------------------------------------------------------------------------------------

static double diagonal(const reference_matrix *a, int i) {
  for (int k = a->start[i]; k < a->start[i + 1]; ++k)
    if (a->column[k] == i)
      return a->value[k];
  return 1;
}

typedef struct jacobi {
  int rows;
  double *inverse;
} jacobi;

static void multiply_by(const void *self, const double *x, double *y) { reference_multiply(self, x, y); }

static void apply_jacobi(void *self, const double *r, double *z) {
  const jacobi *j = self;
  for (int i = 0; i < j->rows; ++i)
    z[i] = j->inverse[i] * r[i];
}

mus_status reference_solve(const reference_matrix *a, double tolerance, const double *b, double *x, int *iterations) {
  mus_arena scratch = {0};
  size_t n = (size_t)a->rows;
  mus_cg_options options = {.tolerance = tolerance, .iterations = 100000};
  mus_cg_result result = {.residuals =
                              mus_arena_alloc(&scratch, (size_t)options.iterations + 1, sizeof *result.residuals)};
  jacobi j = {a->rows, mus_arena_alloc(&scratch, n, sizeof *j.inverse)};
  double *work = mus_arena_alloc(&scratch, MUS_CG_VECTORS * n, sizeof *work);
  mus_status status = result.residuals && j.inverse && work ? MUS_OK : mus_fail_memory();
  for (int i = 0; i < a->rows && !status; ++i) {
    j.inverse[i] = 1 / diagonal(a, i);
    x[i] = 0;
  }
  mus_operator by = {.space = &mus_host, .size = n, .self = a, .multiply = multiply_by};
  mus_preconditioner m = {.self = &j, .apply = apply_jacobi};
  if (!status)
    status = mus_pcg(&by, NULL, &m, b, x, &options, work, &result);
  *iterations = result.iterations;
  mus_arena_clear(&scratch);
  return status;
}

// --- multigrid -----------------------------------------------------------------------------------------------------

// The lower triangle of a dense factor, by rows.
static mus_status factorise(mus_arena *arena, const reference_matrix *a, double **out) {
  int n = a->rows;
  double *f = mus_arena_alloc_zero(arena, (size_t)n * (size_t)n, sizeof *f);
  if (!f)
    return mus_fail_memory();
  for (int i = 0; i < n; ++i)
    for (int k = a->start[i]; k < a->start[i + 1]; ++k)
      f[i * n + a->column[k]] = a->value[k];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = f[i * n + j];
      for (int k = 0; k < j; ++k)
        sum -= f[i * n + k] * f[j * n + k];
      if (i == j && !(sum > 0))
        return mus_fail(MUS_BREAKDOWN, "reference: the coarsest matrix is not positive definite");
      f[i * n + j] = i == j ? sqrt(sum) : sum / f[j * n + j];
    }
  *out = f;
  return MUS_OK;
}

static void solve_bottom(int n, const double *f, const double *b, double *x) {
  for (int i = 0; i < n; ++i) {
    x[i] = b[i];
    for (int k = 0; k < i; ++k)
      x[i] -= f[i * n + k] * x[k];
    x[i] /= f[i * n + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    x[i] /= f[i * n + i];
    for (int k = 0; k < i; ++k)
      x[k] -= f[i * n + k] * x[i];
  }
}

static mus_status make_vectors(mus_arena *arena, reference_multigrid *m, int k) {
  size_t n = (size_t)m->a[k].rows;
  m->x[k] = mus_arena_alloc_zero(arena, n, sizeof(double));
  m->b[k] = mus_arena_alloc_zero(arena, n, sizeof(double));
  m->r[k] = mus_arena_alloc_zero(arena, n, sizeof(double));
  return m->x[k] && m->b[k] && m->r[k] ? MUS_OK : mus_fail_memory();
}

mus_status reference_multigrid_create(mus_arena *arena, const reference_matrix *a, int levels,
                                      const reference_matrix *p, reference_multigrid *out) {
  *out = (reference_multigrid){.levels = levels};
  out->a[0] = *a;
  mus_status status = make_vectors(arena, out, 0);
  for (int k = 0; k < levels - 1 && !status; ++k) {
    reference_matrix ap;
    out->p[k] = p[k];
    status = reference_transpose(arena, &p[k], &out->restriction[k]);
    if (!status)
      status = reference_product(arena, &out->a[k], &p[k], &ap);
    if (!status)
      status = reference_product(arena, &out->restriction[k], &ap, &out->a[k + 1]);
    if (!status)
      status = make_vectors(arena, out, k + 1);
  }
  return status ? status : factorise(arena, &out->a[levels - 1], &out->factor);
}

static void relax(const reference_matrix *a, const double *b, double *x, int i) {
  double sum = b[i], middle = 1;
  for (int k = a->start[i]; k < a->start[i + 1]; ++k)
    if (a->column[k] == i)
      middle = a->value[k];
    else
      sum -= a->value[k] * x[a->column[k]];
  x[i] = sum / middle;
}

static void take_residual(reference_multigrid *m, int k) {
  reference_multiply(&m->a[k], m->x[k], m->r[k]);
  for (int i = 0; i < m->a[k].rows; ++i)
    m->r[k][i] = m->b[k][i] - m->r[k][i];
}

static void cycle_from(reference_multigrid *m, int k) {
  const reference_matrix *a = &m->a[k];
  if (k == m->levels - 1) {
    solve_bottom(a->rows, m->factor, m->b[k], m->x[k]);
    return;
  }
  for (int i = 0; i < a->rows; ++i)
    relax(a, m->b[k], m->x[k], i);
  take_residual(m, k);
  reference_multiply(&m->restriction[k], m->r[k], m->b[k + 1]);
  memset(m->x[k + 1], 0, (size_t)m->a[k + 1].rows * sizeof(double));
  cycle_from(m, k + 1);
  reference_multiply(&m->p[k], m->x[k + 1], m->r[k]);
  mus_axpy((size_t)a->rows, 1, m->r[k], m->x[k]);
  for (int i = a->rows - 1; i >= 0; --i)
    relax(a, m->b[k], m->x[k], i);
}

void reference_multigrid_cycle(reference_multigrid *m) { cycle_from(m, 0); }

void reference_residuals(reference_multigrid *m, int cycles, double *residuals) {
  size_t n = (size_t)m->a[0].rows;
  mus_fill(n, 0, m->b[0]);
  mus_fill_random(n, 9, m->x[0]);
  for (int c = 0; c <= cycles; ++c) {
    if (c > 0)
      reference_multigrid_cycle(m);
    take_residual(m, 0);
    residuals[c] = sqrt(mus_dot(n, m->r[0], m->r[0]));
  }
  for (int c = cycles; c >= 0; --c)
    residuals[c] /= residuals[0];
}
