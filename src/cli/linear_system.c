// The system that `muslin solve` works on. See linear_system.h.
#include "linear_system.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "failure.h"
#include "fix_file.h"

enum { KERNEL_MAXIMUM = 12, COLUMNS_MAXIMUM = 1 << 20 };

void system_free(linear_system *system) {
  mus_matrix_market_blocks_free(&system->a);
  free(system->b);
  free(system->exact);
  free(system->positions);
  free(system->kernel);
  free(system->constraint);
  *system = (linear_system){0};
}

static int load_matrix(const char *program, const system_files *files, linear_system *out) {
  mus_matrix_market matrix;
  mus_status status = mus_matrix_market_read(files->matrix, &matrix);
  if (status)
    return failure_status(program, NULL, status);
  int block = files->block ? files->block : matrix.rows % 3 == 0 ? 3 : 1;
  status = mus_matrix_market_to_blocks(&matrix, block, &out->a);
  int failed = status ? failure_status(program, files->matrix, status) : 0;
  if (!failed) {
    out->unknowns = matrix.rows;
    out->stored = matrix.dense ? (long long)matrix.rows * matrix.columns : matrix.row_start[matrix.rows];
  }
  mus_matrix_market_free(&matrix);
  return failed;
}

// Any Matrix Market file as a dense rows x (minimum ... maximum) array, column after column.
static int load_dense(const char *program, const char *path, const char *what, int rows, int minimum, int maximum,
                      double **values, int *columns) {
  mus_matrix_market matrix;
  mus_status status = mus_matrix_market_read(path, &matrix);
  if (status)
    return failure_status(program, NULL, status);
  int failed = 0;
  *values = NULL;
  if (matrix.rows != rows || matrix.columns < minimum || matrix.columns > maximum)
    failed = failure_input(program, "%s is %d x %d: %s", path, matrix.rows, matrix.columns, what);
  else if (!(*values = calloc((size_t)rows * (size_t)matrix.columns, sizeof **values)))
    failed = failure_memory(program);
  else if (matrix.dense)
    for (size_t i = 0; i < (size_t)rows * (size_t)matrix.columns; ++i)
      (*values)[i] = matrix.value[i];
  else
    for (int i = 0; i < rows; ++i)
      for (int k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k)
        (*values)[(size_t)matrix.column[k] * (size_t)rows + (size_t)i] = matrix.value[k];
  if (!failed)
    *columns = matrix.columns;
  mus_matrix_market_free(&matrix);
  return failed;
}

static int load_coordinates(const char *program, const char *path, linear_system *out) {
  double *by_columns;
  int columns;
  if (out->a.block != 3)
    return failure_input(program, "--coords needs three unknowns per vertex, not %d: the matrix has %d rows",
                         out->a.block, out->unknowns);
  int failed = load_dense(program, path, "positions need one row per vertex (unknowns / 3) and three columns",
                          out->a.rows, 3, 3, &by_columns, &columns);
  if (failed)
    return failed;
  size_t rows = (size_t)out->a.rows;
  out->positions = malloc(rows * 3 * sizeof *out->positions);
  if (out->positions)
    for (size_t i = 0; i < rows * 3; ++i)
      out->positions[i] = by_columns[i % 3 * rows + i / 3];
  free(by_columns);
  return out->positions ? 0 : failure_memory(program);
}

// y = A x
static void multiply(const mus_matrix_market_blocks *a, const double *x, double *y) {
  int size = a->block * a->block;
  for (int row = 0; row < a->rows; ++row)
    for (int i = 0; i < a->block; ++i) {
      double sum = 0;
      for (int k = a->row_start[row]; k < a->row_start[row + 1]; ++k) {
        const double *value = a->value + (size_t)k * (size_t)size + (size_t)(i * a->block);
        const double *part = x + (size_t)a->column[k] * (size_t)a->block;
        for (int j = 0; j < a->block; ++j)
          sum += value[j] * part[j];
      }
      y[(size_t)row * (size_t)a->block + (size_t)i] = sum;
    }
}

// The same numbers in [-1, 1) on every machine (splitmix64).
static double pseudo_random(uint64_t k) {
  uint64_t z = (k + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return (double)(int64_t)(z >> 11) * (2.0 / 9007199254740992.0) - 1.0;
}

// A right-hand side whose solution is known, and satisfies the constraints.
static int make_right_hand_side(const char *program, linear_system *out) {
  size_t n = (size_t)out->unknowns;
  out->b = malloc(n * sizeof *out->b);
  out->exact = malloc(n * sizeof *out->exact);
  if (!out->b || !out->exact)
    return failure_memory(program);
  for (size_t i = 0; i < n; ++i)
    out->exact[i] = pseudo_random(i);
  fix_impose(out->a.block, out->constraint_count, out->constraint, out->exact);
  multiply(&out->a, out->exact, out->b);
  return 0;
}

int system_load(const char *program, const system_files *files, linear_system *out) {
  *out = (linear_system){.columns = 1};
  if (files->coordinates && files->kernel)
    return failure_input(program, "--coords and --kernel both give the near-null space: use one");
  int failed = load_matrix(program, files, out);
  if (!failed && files->coordinates)
    failed = load_coordinates(program, files->coordinates, out);
  if (!failed && files->kernel)
    failed = load_dense(program, files->kernel, "a near-null space needs one row per unknown and 1 to 12 columns",
                        out->unknowns, 1, KERNEL_MAXIMUM, &out->kernel, &out->kernel_count);
  if (!failed && files->fix)
    failed = fix_file_read(program, files->fix, out->a.rows, out->a.block, &out->constraint, &out->constraint_count);
  if (!failed && files->right_hand_side)
    failed =
        load_dense(program, files->right_hand_side, "right-hand sides need one row per unknown and a column for each",
                   out->unknowns, 1, COLUMNS_MAXIMUM, &out->b, &out->columns);
  if (!failed && !files->right_hand_side)
    failed = make_right_hand_side(program, out);
  return failed;
}

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

int system_error_of(const linear_system *system, const double *x, system_error *out) {
  size_t n = (size_t)system->unknowns;
  double *difference = calloc(n, sizeof *difference), *product = calloc(n, sizeof *product);
  int failed = !difference || !product;
  if (!failed) {
    for (size_t i = 0; i < n; ++i)
      difference[i] = x[i] - system->exact[i];
    multiply(&system->a, difference, product);
    double energy = dot(n, difference, product);
    multiply(&system->a, system->exact, product);
    out->euclidean = sqrt(dot(n, difference, difference) / dot(n, system->exact, system->exact));
    out->energy = sqrt(fabs(energy / dot(n, system->exact, product)));
  }
  free(difference);
  free(product);
  return failed ? -1 : 0;
}
