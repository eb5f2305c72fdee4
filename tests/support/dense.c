// Dense reference linear algebra and random block systems. See dense.h.
#include "support/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
            const int *lwork, int *info, size_t, size_t);
void dposv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
            int *info, size_t);
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *info, size_t,
             size_t);

static void require(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "tests/support/dense.c: %s failed\n", what);
  abort();
}

static double *numbers(size_t count) {
  double *memory = calloc(count + 1, sizeof *memory);
  require(memory != NULL, "allocation");
  return memory;
}

static double *copy(size_t count, const double *from) {
  double *to = numbers(count);
  memcpy(to, from, count * sizeof *to);
  return to;
}

double *dense_from_matrix(const mus_matrix *a) {
  int height = a->row_block, width = a->column_block;
  size_t rows = (size_t)(a->pattern->rows * height);
  double *dense = numbers(rows * (size_t)(a->pattern->columns * width));
  for (int row = 0; row < a->pattern->rows; ++row)
    for (int place = a->pattern->row_start[row]; place < a->pattern->row_start[row + 1]; ++place)
      for (int k = 0; k < height; ++k)
        for (int l = 0; l < width; ++l)
          dense[(size_t)(a->pattern->column[place] * width + l) * rows + (size_t)(row * height + k)] =
              a->value[(place * height + k) * width + l];
  return dense;
}

void dense_eigenvalues(int n, const double *a, double *eigenvalues) {
  int size = 64 * n + 64, info;
  double *matrix = copy((size_t)n * (size_t)n, a), *work = numbers((size_t)size);
  dsyev_("N", "L", &n, matrix, &n, eigenvalues, work, &size, &info, 1, 1);
  require(info == 0, "dsyev");
  free(matrix);
  free(work);
}

double dense_condition(int n, const double *a) {
  double *eigenvalues = numbers((size_t)n);
  dense_eigenvalues(n, a, eigenvalues);
  require(eigenvalues[0] > 0, "a positive definite matrix");
  double condition = eigenvalues[n - 1] / eigenvalues[0];
  free(eigenvalues);
  return condition;
}

void dense_solve(int n, const double *a, const double *b, double *x) {
  int one = 1, info;
  double *matrix = copy((size_t)n * (size_t)n, a);
  memmove(x, b, (size_t)n * sizeof *x);
  dposv_("L", &n, &one, matrix, &n, x, &n, &info, 1);
  require(info == 0, "dposv");
  free(matrix);
}

// y += factor * A x, or A^T x, for A of `rows` x `columns`
static void multiply_add(int rows, int columns, int transposed, double factor, const double *a, const double *x,
                         double *y) {
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i)
      y[transposed ? j : i] += factor * a[(size_t)j * (size_t)rows + (size_t)i] * x[transposed ? i : j];
}

// C = U diag(s) V^T. Fills x with the shortest solution of C x = d and `basis` with orthonormal columns that span the
// null space; returns how many.
static int split_space(int n, int equations, const double *c, const double *d, double *x, double *basis) {
  int m = equations, smaller = m < n ? m : n, size = 64 * (m + n) + 64, info, rank = 0;
  double *matrix = numbers((size_t)m * (size_t)n), *s = numbers((size_t)smaller), *work = numbers((size_t)size);
  double *u = numbers((size_t)m * (size_t)m), *vt = numbers((size_t)n * (size_t)n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      matrix[j * m + i] = c[i * n + j];
  dgesvd_("A", "A", &m, &n, matrix, &m, s, u, &m, vt, &n, work, &size, &info, 1, 1);
  require(info == 0, "dgesvd");
  while (rank < smaller && s[rank] > 1e-10 * s[0])
    ++rank;
  memset(x, 0, (size_t)n * sizeof *x);
  for (int k = 0; k < rank; ++k) {
    double along = 0;
    for (int i = 0; i < m; ++i)
      along += u[k * m + i] * d[i];
    for (int j = 0; j < n; ++j)
      x[j] += along / s[k] * vt[j * n + k];
  }
  for (int k = rank; k < n; ++k)
    for (int j = 0; j < n; ++j)
      basis[(size_t)(k - rank) * (size_t)n + (size_t)j] = vt[j * n + k];
  free(matrix), free(s), free(work), free(u), free(vt);
  return n - rank;
}

// N^T A N for a basis N of `free_count` columns
static double *reduce(int n, int free_count, const double *a, const double *basis) {
  double *reduced = numbers((size_t)free_count * (size_t)free_count), *column = numbers((size_t)n);
  for (int k = 0; k < free_count; ++k) {
    memset(column, 0, (size_t)n * sizeof *column);
    multiply_add(n, n, 0, 1.0, a, basis + (size_t)k * (size_t)n, column);
    multiply_add(n, free_count, 1, 1.0, basis, column, reduced + (size_t)k * (size_t)free_count);
  }
  free(column);
  return reduced;
}

void dense_null_space_solve(int n, const double *a, const double *b, int equations, const double *c, const double *d,
                            double *x) {
  if (equations == 0) {
    dense_solve(n, a, b, x);
    return;
  }
  double *basis = numbers((size_t)n * (size_t)n), *residual = copy((size_t)n, b);
  int free_count = split_space(n, equations, c, d, x, basis);
  multiply_add(n, n, 0, -1.0, a, x, residual);
  if (free_count > 0) {
    double *reduced = reduce(n, free_count, a, basis), *right = numbers((size_t)free_count);
    multiply_add(n, free_count, 1, 1.0, basis, residual, right);
    dense_solve(free_count, reduced, right, right);
    multiply_add(n, free_count, 0, 1.0, basis, right, x);
    free(reduced), free(right);
  }
  free(basis), free(residual);
}

double dense_difference(int n, const double *x, const double *y) {
  double difference = 0, largest = 0;
  for (int i = 0; i < n; ++i) {
    if (!(fabs(x[i] - y[i]) <= difference))
      difference = fabs(x[i] - y[i]);
    largest = fmax(largest, fabs(y[i]));
  }
  return largest > 0 ? difference / largest : difference;
}

// --- random systems -------------------------------------------------------------------------------------------------

enum { CHORDS = 3 }; // besides the ring, nodes that each node tries to join

// The other end of node i's chord number k; k = 0 is the ring.
static int other_end(int rows, uint64_t seed, int i, int k) {
  return k == 0 ? (i + 1) % rows : (int)(mus_random_bits(seed, (uint64_t)(i * CHORDS + k)) % (uint64_t)rows);
}

static void create_pattern(random_system *system, uint64_t seed) {
  int rows = system->rows, blocks = 0;
  char *joined = calloc((size_t)rows * (size_t)rows + 1, 1);
  int *start = calloc((size_t)rows + 1, sizeof *start), *column = calloc((size_t)rows * (size_t)rows + 1, sizeof(int));
  require(joined && start && column, "allocation");
  for (int i = 0; i < rows; ++i) {
    joined[i * rows + i] = 1;
    for (int k = 0; k < CHORDS; ++k)
      joined[i * rows + other_end(rows, seed, i, k)] = joined[other_end(rows, seed, i, k) * rows + i] = 1;
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j)
      if (joined[i * rows + j])
        column[blocks++] = j;
    start[i + 1] = blocks;
  }
  system->pattern = mus_arena_alloc(&system->arena, 1, sizeof *system->pattern);
  require(system->pattern != NULL, "allocation");
  require(mus_pattern_copy(&system->arena, rows, rows, start, column, system->pattern) == MUS_OK, "mus_pattern_copy");
  free(joined), free(start), free(column);
}

// Adds stiffness (g_i^T x_i + g_j^T x_j)^2 / 2, summed over `block` random pairs g.
static void add_spring(random_system *system, int i, int j, uint64_t seed) {
  int block = system->block, end[2] = {i, j};
  double stiffness = pow(10.0, 1.5 * mus_random(seed, 1000)), g[2][12][12];
  for (int e = 0; e < 2; ++e)
    for (int m = 0; m < block; ++m)
      for (int k = 0; k < block; ++k)
        g[e][m][k] = mus_random(seed, (uint64_t)((e * block + m) * block + k));
  for (int e = 0; e < 2; ++e)
    for (int f = 0; f < 2; ++f)
      for (int k = 0; k < block; ++k)
        for (int l = 0; l < block; ++l) {
          double sum = 0;
          for (int m = 0; m < block; ++m)
            sum += g[e][m][k] * g[f][m][l];
          system->a.value[(mus_pattern_find(system->pattern, end[e], end[f]) * block + k) * block + l] +=
              stiffness * sum;
        }
}

random_system random_system_create(int rows, int block, uint64_t seed) {
  random_system system = {.rows = rows, .block = block, .n = rows * block};
  create_pattern(&system, seed);
  require(mus_matrix_create(&system.arena, system.pattern, block, block, &system.a) == MUS_OK, "mus_matrix_create");
  system.place = mus_arena_alloc(&system.arena, (size_t)rows, sizeof *system.place);
  system.b = mus_arena_alloc(&system.arena, (size_t)system.n, sizeof *system.b);
  require(system.place && system.b, "allocation");
  require(mus_diagonal_places(system.pattern, system.place) == MUS_OK, "mus_diagonal_places");
  memset(system.a.value, 0, mus_matrix_values(&system.a) * sizeof *system.a.value);
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < CHORDS; ++k)
      if (other_end(rows, seed, i, k) != i)
        add_spring(&system, i, other_end(rows, seed, i, k), seed * 1000003 + (uint64_t)(i * CHORDS + k));
    for (int k = 0; k < block; ++k)
      system.a.value[(system.place[i] * block + k) * block + k] += 0.5;
  }
  for (int i = 0; i < system.n; ++i)
    system.b[i] = mus_random(seed + 77, (uint64_t)i);
  return system;
}

void random_system_free(random_system *system) {
  mus_arena_clear(&system->arena);
  *system = (random_system){0};
}

int random_constraints(int rows, int block, uint64_t seed, mus_constraint *out) {
  int count = 0;
  for (int step = 0; step < rows; ++step) {
    int node = rows - 1 - step; // downwards, to leave sorting to the code under test
    if (mus_random(seed, (uint64_t)node) < 0)
      continue;
    mus_constraint *constraint = &out[count++];
    memset(constraint, 0, sizeof *constraint);
    constraint->node = node;
    constraint->count = (int)(mus_random_bits(seed + 1, (uint64_t)node) % (uint64_t)(block + 1));
    for (int k = 0; k < constraint->count; ++k) {
      constraint->value[k] = mus_random(seed + 2, (uint64_t)(node * 3 + k));
      for (int l = 0; l < block; ++l)
        constraint->direction[k][l] = 2 * mus_random(seed + 3, (uint64_t)((node * 3 + k) * 3 + l));
    }
  }
  return count;
}

int constraint_equations(int rows, int block, int count, const mus_constraint *constraints, double **c, double **d) {
  int n = rows * block, equations = 0;
  *c = numbers((size_t)(count * block) * (size_t)n);
  *d = numbers((size_t)(count * block));
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < constraints[i].count; ++k, ++equations) {
      (*d)[equations] = constraints[i].value[k];
      for (int l = 0; l < block; ++l)
        (*c)[equations * n + constraints[i].node * block + l] = constraints[i].direction[k][l];
    }
  return equations;
}

static double determinant3(const double *a) {
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

void dense_rotation(const double f[9], double r[9]) {
  double a[9], s[3], u[9], vt[9], work[64];
  int n = 3, size = 64, info;
  for (int k = 0; k < 9; ++k)
    a[3 * (k % 3) + k / 3] = f[k];
  dgesvd_("A", "A", &n, &n, a, &n, s, u, &n, vt, &n, work, &size, &info, 1, 1);
  require(info == 0, "dgesvd");
  double last = determinant3(u) * determinant3(vt) < 0 ? -1 : 1;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      r[3 * i + j] = u[i] * vt[3 * j] + u[3 + i] * vt[3 * j + 1] + last * u[6 + i] * vt[3 * j + 2];
}
