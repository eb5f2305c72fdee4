// Block sparse matrices: the choice of kernels and the products that deal their rows to threads. See matrix.h.
#include "sparse/matrix.h"

#include <math.h>

#include "base/error.h"
#include "par/par.h"
#include "sparse/kernels.h"

mus_status mus_matrix_create(mus_arena *arena, const mus_pattern *pattern, int row_block, int column_block,
                             mus_matrix *out) {
  *out = (mus_matrix){pattern, row_block, column_block, NULL};
  out->value = mus_arena_alloc(arena, mus_matrix_values(out), sizeof *out->value);
  return out->value ? MUS_OK : mus_fail_memory();
}

mus_status mus_matrix_create_f(mus_arena *arena, const mus_pattern *pattern, int row_block, int column_block,
                               mus_matrix_f *out) {
  size_t values = (size_t)mus_pattern_blocks(pattern) * (size_t)(row_block * column_block);
  *out = (mus_matrix_f){pattern, row_block, column_block, mus_arena_alloc(arena, values, sizeof(float))};
  return out->value ? MUS_OK : mus_fail_memory();
}

void mus_matrix_round(const mus_matrix *from, mus_matrix_f *to) {
  size_t values = mus_matrix_values(from);
  MUS_PARALLEL_FOR_IF(values > MUS_PAR_MINIMUM)
  for (size_t k = 0; k < values; ++k)
    to->value[k] = (float)from->value[k];
}

void mus_matrix_widen(const mus_matrix_f *from, mus_matrix *to) {
  size_t values = mus_matrix_values(to);
  MUS_PARALLEL_FOR_IF(values > MUS_PAR_MINIMUM)
  for (size_t k = 0; k < values; ++k)
    to->value[k] = (double)from->value[k];
}

// --- which instructions
// -----------------------------------------------------------------------------------------------

const char *mus_instructions_name(mus_instructions which) {
  static const char *const name[MUS_INSTRUCTION_SETS] = {"scalar", "avx2", "avx512"};
  return which >= 0 && which < MUS_INSTRUCTION_SETS ? name[which] : "unknown";
}

int mus_instructions_available(mus_instructions which) {
#if MUSLIN_X86
  if (which == MUS_AVX2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (which == MUS_AVX512)
    return mus_instructions_available(MUS_AVX2) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw");
#endif
  return which == MUS_SCALAR;
}

static const mus_kernels *kernels_of(mus_instructions which) {
#if MUSLIN_X86
  if (which == MUS_AVX2)
    return &mus_kernels_avx2;
  if (which == MUS_AVX512)
    return &mus_kernels_avx512;
#endif
  (void)which;
  return &mus_kernels_scalar;
}

// Set by mus_instructions_use; -1 means the best that the machine has. Written by tests and measurements only.
static int chosen = -1;

// AMD's processors up to Zen 4 split 512-bit operations in two: the products are 5 to 20% slower with them there.
static int prefers_avx2(void) {
#if MUSLIN_X86
  return __builtin_cpu_is("amd");
#else
  return 0;
#endif
}

mus_instructions mus_instructions_current(void) {
  if (chosen >= 0)
    return (mus_instructions)chosen;
  if (mus_instructions_available(MUS_AVX512) && !prefers_avx2())
    return MUS_AVX512;
  return mus_instructions_available(MUS_AVX2) ? MUS_AVX2 : MUS_SCALAR;
}

mus_status mus_instructions_use(mus_instructions which) {
  if (!mus_instructions_available(which))
    return mus_fail(MUS_UNSUPPORTED, "this machine has no %s instructions", mus_instructions_name(which));
  chosen = (int)which;
  return MUS_OK;
}

const mus_kernels *mus_kernels_current(void) { return kernels_of(mus_instructions_current()); }

// --- products
// ---------------------------------------------------------------------------------------------------------

enum { ROWS_AT_ONCE = 256, ROWS_AHEAD = 16 };

#define RUN(task_type, table)                                                                                          \
  static void table##_run(const task_type *task, mus_operation operation, int rows) {                                  \
    mus_shape shape = mus_shape_of(task->row_block, task->column_block);                                               \
    void (*kernel)(const task_type *, int, int) = mus_kernels_current()->table[operation][shape];                      \
    int runs = (rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;                                                               \
    MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)                                                                        \
    for (int run = 0; run < runs; ++run) {                                                                             \
      int begin = run * ROWS_AT_ONCE, end = rows - begin > ROWS_AT_ONCE ? begin + ROWS_AT_ONCE : rows;                 \
      kernel(task, begin, end);                                                                                        \
    }                                                                                                                  \
  }

RUN(mus_task, rows)
RUN(mus_task_f, rows_f)

#define PRODUCTS(real, matrix, task_type, run, multiply, multiply_add, residual, transposed, chebyshev)                \
  static task_type multiply##_task(const matrix *a, const real *x, real *y) {                                          \
    return (task_type){.row_block = a->row_block,                                                                      \
                       .column_block = a->column_block,                                                                \
                       .row_start = a->pattern->row_start,                                                             \
                       .column = a->pattern->column,                                                                   \
                       .value = a->value,                                                                              \
                       .x = x,                                                                                         \
                       .y = y};                                                                                        \
  }                                                                                                                    \
  void multiply(const matrix *a, const real *x, real *y) {                                                             \
    task_type task = multiply##_task(a, x, y);                                                                         \
    run(&task, MUS_OP_MULTIPLY, a->pattern->rows);                                                                     \
  }                                                                                                                    \
  void multiply_add(const matrix *a, const real *x, real *y) {                                                         \
    task_type task = multiply##_task(a, x, y);                                                                         \
    run(&task, MUS_OP_ADD, a->pattern->rows);                                                                          \
  }                                                                                                                    \
  void residual(const matrix *a, const real *b, const real *x, real *r) {                                              \
    task_type task = multiply##_task(a, x, r);                                                                         \
    task.b = b;                                                                                                        \
    run(&task, MUS_OP_RESIDUAL, a->pattern->rows);                                                                     \
  }                                                                                                                    \
  void transposed(const matrix *a, const mus_transpose *at, const real *x, real *y) {                                  \
    task_type task = multiply##_task(a, x, y);                                                                         \
    task.row_start = at->pattern.row_start;                                                                            \
    task.column = at->pattern.column;                                                                                  \
    task.source = at->source;                                                                                          \
    run(&task, MUS_OP_TRANSPOSED, at->pattern.rows);                                                                   \
  }                                                                                                                    \
  void chebyshev(const matrix *a, const real *inverse_diagonal, const real *b, const real *x, real alpha, real beta,   \
                 real gamma, real *next) {                                                                             \
    task_type task = multiply##_task(a, x, next);                                                                      \
    task.b = b;                                                                                                        \
    task.inverse_diagonal = inverse_diagonal;                                                                          \
    task.alpha = alpha;                                                                                                \
    task.beta = beta;                                                                                                  \
    task.gamma = gamma;                                                                                                \
    run(&task, MUS_OP_CHEBYSHEV, a->pattern->rows);                                                                    \
  }

PRODUCTS(double, mus_matrix, mus_task, rows_run, mus_multiply, mus_multiply_add, mus_residual, mus_multiply_transposed,
         mus_chebyshev_step)
PRODUCTS(float, mus_matrix_f, mus_task_f, rows_f_run, mus_multiply_f, mus_multiply_add_f, mus_residual_f,
         mus_multiply_transposed_f, mus_chebyshev_step_f)

// --- the block diagonal
// -----------------------------------------------------------------------------------------------

void mus_block_diagonal_multiply(int rows, int block, const double *b, const double *x, double *y) {
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i) {
    const double *matrix = b + (size_t)i * (size_t)(block * block), *from = x + (size_t)i * (size_t)block;
    double sum[MUS_BLOCK_MAXIMUM];
    for (int r = 0; r < block; ++r) {
      sum[r] = 0;
      for (int c = 0; c < block; ++c)
        sum[r] += matrix[r * block + c] * from[c];
    }
    for (int r = 0; r < block; ++r)
      y[(size_t)i * (size_t)block + (size_t)r] = sum[r];
  }
}

mus_status mus_diagonal_places(const mus_pattern *pattern, int *place) {
  for (int i = 0; i < pattern->rows; ++i) {
    place[i] = mus_pattern_find(pattern, i, i);
    if (place[i] < 0)
      return mus_fail(MUS_BAD_INPUT, "row %d has no diagonal block: every row needs one", i);
  }
  return MUS_OK;
}

// Pivots in units of their diagonal entry below which a block is singular to working precision.
static const double smallest_pivot = 1e-14, smallest_pivot_f = 5e-7;

// The inverse of a symmetric positive definite block through L D L^T; 0 when it is not one. Pivots that vanish against
// their own diagonal entry, by `smallest`, count as not positive: the block is singular to working precision.
static inline __attribute__((always_inline)) int invert_block(int block, double smallest, const double *a,
                                                              double *inverse) {
  double lower[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM], reciprocal[MUS_BLOCK_MAXIMUM]; // L, then L^-1; D^-1
  int good = 1;
  for (int i = 0; i < block; ++i) {
    double pivot = a[i * block + i], scaled[MUS_BLOCK_MAXIMUM]; // row i of L D
    for (int j = 0; j < i; ++j) {
      scaled[j] = a[i * block + j];
      for (int k = 0; k < j; ++k)
        scaled[j] -= scaled[k] * lower[j * block + k];
      lower[i * block + j] = scaled[j] * reciprocal[j];
      pivot -= scaled[j] * lower[i * block + j];
    }
    good &= pivot > smallest * fabs(a[i * block + i]) && isfinite(pivot);
    reciprocal[i] = 1 / pivot;
  }
  if (!good)
    return 0;
  for (int i = 0; i < block; ++i)
    for (int j = 0; j < i; ++j) {
      double sum = lower[i * block + j];
      for (int k = j + 1; k < i; ++k)
        sum += lower[i * block + k] * lower[k * block + j];
      lower[i * block + j] = -sum;
    }
  for (int i = 0; i < block; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = (i == j ? 1 : lower[i * block + j]) * reciprocal[i];
      for (int k = i + 1; k < block; ++k)
        sum += lower[k * block + i] * lower[k * block + j] * reciprocal[k];
      inverse[i * block + j] = inverse[j * block + i] = sum;
    }
  return 1;
}

static int invert_row(int block, const double *a, double *inverse) {
  return block == 3 ? invert_block(3, smallest_pivot, a, inverse) : invert_block(block, smallest_pivot, a, inverse);
}

// In double inside: rounding the input costs enough.
#define INVERT_ROUNDED(name, real, smallest)                                                                           \
  static inline __attribute__((always_inline)) int name##_of(int block, const real *a, float *inverse) {               \
    double wide[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM], wide_inverse[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM];           \
    for (int k = 0; k < block * block; ++k)                                                                            \
      wide[k] = (double)a[k];                                                                                          \
    int good = invert_block(block, smallest, wide, wide_inverse);                                                      \
    for (int k = 0; good && k < block * block; ++k)                                                                    \
      inverse[k] = (float)wide_inverse[k];                                                                             \
    return good;                                                                                                       \
  }                                                                                                                    \
  static int name(int block, const real *a, float *inverse) {                                                          \
    return block == 3 ? name##_of(3, a, inverse) : name##_of(block, a, inverse);                                       \
  }

INVERT_ROUNDED(invert_row_f, float, smallest_pivot_f)
INVERT_ROUNDED(invert_row_rounded, double, smallest_pivot_f)

static mus_status not_positive(int row) {
  return mus_fail(MUS_BREAKDOWN,
                  "the diagonal block of row %d is not positive definite: the matrix is indefinite or singular", row);
}

#define INVERSE_DIAGONAL(real, inverse_real, matrix, name, invert)                                                     \
  mus_status name(const matrix *a, const int *place, inverse_real *inverse) {                                          \
    int rows = a->pattern->rows, block = a->row_block;                                                                 \
    size_t size = (size_t)(block * block);                                                                             \
    int runs = (rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;                                                               \
    int failed = rows; /* the first bad row, whichever thread met it */                                                \
    MUS_PARALLEL                                                                                                       \
    {                                                                                                                  \
      int first = rows;                                                                                                \
      MUS_SHARE_RUNS                                                                                                   \
      for (int run = 0; run < runs; ++run)                                                                             \
        for (int i = run * ROWS_AT_ONCE; i < rows && i < (run + 1) * ROWS_AT_ONCE; ++i) {                              \
          const real *ahead = a->value + (size_t)place[i + ROWS_AHEAD < rows ? i + ROWS_AHEAD : i] * size;             \
          __builtin_prefetch(ahead); /* they lie far apart */                                                          \
          __builtin_prefetch(ahead + size - 1);                                                                        \
          if (!invert(block, a->value + (size_t)place[i] * size, inverse + (size_t)i * size) && i < first)             \
            first = i;                                                                                                 \
        }                                                                                                              \
      MUS_ONE_AT_A_TIME                                                                                                \
      if (first < failed)                                                                                              \
        failed = first;                                                                                                \
    }                                                                                                                  \
    return failed < rows ? not_positive(failed) : MUS_OK;                                                              \
  }

INVERSE_DIAGONAL(double, double, mus_matrix, mus_inverse_diagonal, invert_row)
INVERSE_DIAGONAL(float, float, mus_matrix_f, mus_inverse_diagonal_f, invert_row_f)
INVERSE_DIAGONAL(double, float, mus_matrix, mus_inverse_diagonal_rounded, invert_row_rounded)

double mus_asymmetry(const mus_matrix *a, const mus_transpose *at) {
  int block = a->row_block, blocks = mus_pattern_blocks(a->pattern);
  size_t size = (size_t)(block * block);
  double largest = 0, difference = 0;
  MUS_PARALLEL
  {
    double my_largest = 0, my_difference = 0;
    MUS_SHARE_FOR
    for (int k = 0; k < blocks; ++k) {
      const double *here = a->value + (size_t)k * size, *there = a->value + (size_t)at->source[k] * size;
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < block; ++c) {
          my_largest = fmax(my_largest, fabs(here[r * block + c]));
          my_difference = fmax(my_difference, fabs(here[r * block + c] - there[c * block + r]));
        }
    }
    MUS_ONE_AT_A_TIME
    { // maxima do not depend on order
      largest = fmax(largest, my_largest);
      difference = fmax(difference, my_difference);
    }
  }
  return largest > 0 ? difference / largest : 0;
}
