// Dense products and symmetric pencils. See algebra.h.
#include "support/algebra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/dense.h"

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t, size_t);
void dsygv_(const int *type, const char *job, const char *uplo, const int *n, double *a, const int *lda, double *b,
            const int *ldb, double *w, double *work, const int *lwork, int *info, size_t, size_t);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
            const int *lwork, int *info, size_t, size_t);
void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda, double *wr, double *wi,
            double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info, size_t,
            size_t);

static void require(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "tests/support/algebra.c: %s failed\n", what);
  abort();
}

static double *numbers(size_t count) {
  double *memory = calloc(count + 1, sizeof *memory);
  require(memory != NULL, "allocation");
  return memory;
}

static double *product(const char *transposed, int rows, int inner, int columns, const double *a, const double *b) {
  double *c = numbers((size_t)rows * (size_t)columns);
  const double one = 1, zero = 0;
  int leading = *transposed == 'T' ? inner : rows;
  if (rows > 0 && inner > 0 && columns > 0)
    dgemm_(transposed, "N", &rows, &columns, &inner, &one, a, &leading, b, &inner, &zero, c, &rows, 1, 1);
  return c;
}

double *dense_product(int rows, int inner, int columns, const double *a, const double *b) {
  return product("N", rows, inner, columns, a, b);
}

double *dense_transposed_product(int rows, int inner, int columns, const double *a, const double *b) {
  return product("T", rows, inner, columns, a, b);
}

double dense_asymmetry(int n, const double *a) {
  double difference = 0, largest = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double d = fabs(a[i * n + j] - a[j * n + i]);
      difference = d <= difference ? difference : d; // NaN stays
      largest = fmax(largest, fabs(a[i * n + j]));
    }
  return largest > 0 ? difference / largest : difference;
}

double dense_radius(int n, const double *a) {
  int size = 64 * n + 64, info, one = 1;
  double *matrix = numbers((size_t)(n * n)), *real = numbers((size_t)n), *imaginary = numbers((size_t)n);
  double *work = numbers((size_t)size), unused, radius = 0;
  memcpy(matrix, a, (size_t)(n * n) * sizeof *matrix);
  dgeev_("N", "N", &n, matrix, &n, real, imaginary, &unused, &one, &unused, &one, work, &size, &info, 1, 1);
  require(info == 0, "dgeev");
  for (int i = 0; i < n; ++i)
    radius = fmax(radius, hypot(real[i], imaginary[i]));
  free(matrix), free(real), free(imaginary), free(work);
  return radius;
}

double *dense_inverse_root(int n, const double *a) {
  int size = 64 * n + 64, info;
  double *vectors = numbers((size_t)(n * n)), *scaled = numbers((size_t)(n * n)), *work = numbers((size_t)size);
  double *values = numbers((size_t)n);
  memcpy(vectors, a, (size_t)(n * n) * sizeof *vectors);
  dsyev_("V", "L", &n, vectors, &n, values, work, &size, &info, 1, 1);
  require(info == 0 && values[0] > 0, "dsyev of a positive definite matrix");
  double *transposed = numbers((size_t)(n * n));
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      scaled[k * n + i] = vectors[k * n + i] / sqrt(values[k]);
      transposed[i * n + k] = vectors[k * n + i];
    }
  double *root = dense_product(n, n, n, scaled, transposed);
  free(vectors), free(scaled), free(work), free(values), free(transposed);
  return root;
}

void dense_product_eigenvalues(int n, const double *m, const double *a, double *eigenvalues) {
  int size = 64 * n + 64, type = 2, info;
  double *left = numbers((size_t)n * (size_t)n), *right = numbers((size_t)n * (size_t)n), *work = numbers((size_t)size);
  memcpy(left, m, (size_t)n * (size_t)n * sizeof *left);
  memcpy(right, a, (size_t)n * (size_t)n * sizeof *right);
  dsygv_(&type, "N", "L", &n, left, &n, right, &n, eigenvalues, work, &size, &info, 1, 1);
  require(info == 0, "dsygv");
  free(left), free(right), free(work);
}

// The block diagonal of a square block matrix, with all its zeros.
static double *block_diagonal(const mus_matrix *a) {
  int block = a->row_block, n = a->pattern->rows * block;
  double *d = numbers((size_t)n * (size_t)n);
  for (int i = 0; i < a->pattern->rows; ++i) {
    int place = mus_pattern_find(a->pattern, i, i);
    require(place >= 0, "a diagonal block");
    for (int r = 0; r < block; ++r)
      for (int c = 0; c < block; ++c)
        d[(size_t)(i * block + c) * (size_t)n + (size_t)(i * block + r)] = a->value[(place * block + r) * block + c];
  }
  return d;
}

pencil pencil_create(const mus_matrix *a) {
  int n = a->pattern->rows * a->row_block, size = 64 * n + 64, type = 1, info;
  pencil p = {.n = n, .a = dense_from_matrix(a), .d = block_diagonal(a), .values = numbers((size_t)n)};
  p.vectors = numbers((size_t)n * (size_t)n);
  double *d = numbers((size_t)n * (size_t)n), *work = numbers((size_t)size);
  memcpy(p.vectors, p.a, (size_t)n * (size_t)n * sizeof *d);
  memcpy(d, p.d, (size_t)n * (size_t)n * sizeof *d);
  dsygv_(&type, "V", "L", &n, p.vectors, &n, d, &n, p.values, work, &size, &info, 1, 1);
  require(info == 0, "dsygv");
  free(d), free(work);
  return p;
}

void pencil_free(pencil *p) {
  free(p->a), free(p->d), free(p->values), free(p->vectors);
  *p = (pencil){0};
}

double pencil_radius(const pencil *p) { return p->values[p->n - 1]; }
