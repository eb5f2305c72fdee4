// Block sparse matrices: a pattern and its values, with products in double and single precision.
//
// Blocks are row_block x column_block, stored row by row, one after the other in the pattern's order. Fine cloth
// matrices have 3x3 blocks, coarse ones 6x6, prolongators 3x6 and 6x6. Those and all square blocks of 1 to 6 and 12 are
// fast; any other size works.
#ifndef MUS_SPARSE_MATRIX_H
#define MUS_SPARSE_MATRIX_H

#include "sparse/pattern.h"

enum { MUS_BLOCK_MAXIMUM = 12 }; // rows or columns of a block: an affine body has 12

typedef struct mus_matrix {
  const mus_pattern *pattern;
  int row_block, column_block;
  double *value; // mus_pattern_blocks(pattern) * row_block * column_block
} mus_matrix;

// The same with values in single precision.
typedef struct mus_matrix_f {
  const mus_pattern *pattern;
  int row_block, column_block;
  float *value;
} mus_matrix_f;

static inline size_t mus_matrix_values(const mus_matrix *a) {
  return (size_t)mus_pattern_blocks(a->pattern) * (size_t)(a->row_block * a->column_block);
}

// The block at a place of the pattern: row_block * column_block numbers, by rows.
static inline double *mus_matrix_at(const mus_matrix *a, int place) {
  return a->value + (size_t)place * (size_t)(a->row_block * a->column_block);
}

// Block (row, column), which must be in the pattern.
static inline double *mus_matrix_block(const mus_matrix *a, int row, int column) {
  return mus_matrix_at(a, mus_pattern_find(a->pattern, row, column));
}

// A(row, column) += factor * block
static inline void mus_matrix_add_block(mus_matrix *a, int row, int column, double factor, const double *block) {
  double *to = mus_matrix_block(a, row, column);
  for (int e = 0; e < a->row_block * a->column_block; ++e)
    to[e] += factor * block[e];
}

// Uninitialised values for a pattern.
mus_status mus_matrix_create(mus_arena *arena, const mus_pattern *pattern, int row_block, int column_block,
                             mus_matrix *out);
mus_status mus_matrix_create_f(mus_arena *arena, const mus_pattern *pattern, int row_block, int column_block,
                               mus_matrix_f *out);
// to's values become from's, rounded. Same pattern and block sizes.
void mus_matrix_round(const mus_matrix *from, mus_matrix_f *to);
// The way back, exact.
void mus_matrix_widen(const mus_matrix_f *from, mus_matrix *to);

// y = A x
void mus_multiply(const mus_matrix *a, const double *x, double *y);
void mus_multiply_f(const mus_matrix_f *a, const float *x, float *y);
// r = b - A x
void mus_residual(const mus_matrix *a, const double *b, const double *x, double *r);
void mus_residual_f(const mus_matrix_f *a, const float *b, const float *x, float *r);
// y += A x
void mus_multiply_add(const mus_matrix *a, const double *x, double *y);
void mus_multiply_add_f(const mus_matrix_f *a, const float *x, float *y);
// y = A^T x, read through the transpose of A's pattern: a gather, so rows of y are independent of each other
void mus_multiply_transposed(const mus_matrix *a, const mus_transpose *at, const double *x, double *y);
void mus_multiply_transposed_f(const mus_matrix_f *a, const mus_transpose *at, const float *x, float *y);

// y = A^T x in passes over A's rows as they lie in memory. Rows are cut into chunks, whose number and places follow
// from the pattern alone; each sums up what it adds to y in memory of its own, and the sums are added in order. That
// pays where nodes of both sides are numbered along the mesh, so that a chunk adds to few rows of y.
enum { MUS_RESTRICTION_CHUNKS = 64 };
typedef struct mus_restriction {
  int chunks;                                                    // 0: it would not pay
  int row[MUS_RESTRICTION_CHUNKS + 1];                           // their first rows
  int low[MUS_RESTRICTION_CHUNKS], high[MUS_RESTRICTION_CHUNKS]; // block columns of A that they meet: low ... high - 1
  size_t at[MUS_RESTRICTION_CHUNKS];                             // where their sums begin in `sums`
  void *sums;
} mus_restriction;

// For matrices with this pattern and blocks with so many columns, of numbers of that size.
mus_status mus_restriction_create(mus_arena *arena, const mus_pattern *pattern, int column_block, size_t number_size,
                                  mus_restriction *out);
void mus_restrict(const mus_matrix *a, const mus_restriction *plan, const double *x, double *y);
void mus_restrict_f(const mus_matrix_f *a, const mus_restriction *plan, const float *x, float *y);

// One step of a block-diagonally scaled Chebyshev iteration in one pass over A (A square, D its block diagonal), as a
// three-term recurrence whose oldest term is overwritten by the newest:
//   next <- x + alpha D^-1 (b - A x) + beta x - gamma next
// next must not alias x. With gamma = 0, next is not read. (beta = gamma continues from x with the step before;
// beta > 0 = gamma does so when the step before started from zero; beta = gamma = 0 begins.)
void mus_chebyshev_step(const mus_matrix *a, const double *inverse_diagonal, const double *b, const double *x,
                        double alpha, double beta, double gamma, double *next);
void mus_chebyshev_step_f(const mus_matrix_f *a, const float *inverse_diagonal, const float *b, const float *x,
                          float alpha, float beta, float gamma, float *next);

// The same for the active rows alone; the others of `next` stay as they are.
void mus_chebyshev_step_of(const mus_matrix *a, const unsigned char *active, const double *inverse_diagonal,
                           const double *b, const double *x, double alpha, double beta, double gamma, double *next);
void mus_chebyshev_step_of_f(const mus_matrix_f *a, const unsigned char *active, const float *inverse_diagonal,
                             const float *b, const float *x, float alpha, float beta, float gamma, float *next);

// y_i = factor B_i x_i for one symmetric `block` x `block` matrix B_i per row, e.g. the inverse diagonal. y may be x.
void mus_block_diagonal_multiply(int rows, int block, double factor, const double *b, const double *x, double *y);
void mus_block_diagonal_multiply_f(int rows, int block, float factor, const float *b, const float *x, float *y);

// For each block row the place of its diagonal block, or MUS_BAD_INPUT naming the first row without one.
mus_status mus_diagonal_places(const mus_pattern *pattern, int *place);

// The inverses of the diagonal blocks, each by Cholesky from its lower triangle. Fails with MUS_BREAKDOWN, naming the
// first such row, when a block is not positive definite to working precision.
// The same of one symmetric block; 0 when it is not positive definite.
int mus_invert_block(int block, const double *a, double *inverse);
// Whether it is, without the inverse.
int mus_block_is_definite(int block, const double *a);
mus_status mus_inverse_diagonal(const mus_matrix *a, const int *place, double *inverse);
mus_status mus_inverse_diagonal_f(const mus_matrix_f *a, const int *place, float *inverse);
// The same of a matrix in double precision, rounded at the end.
mus_status mus_inverse_diagonal_rounded(const mus_matrix *a, const int *place, float *inverse);

// max |A - A^T| / max |A|; 0 for an exactly symmetric matrix. A's pattern must be symmetric, its values finite; `at` is
// the transpose of the pattern.
double mus_asymmetry(const mus_matrix *a, const mus_transpose *at);

// Which instruction set the products use. Chosen once from what the machine has; tests choose each in turn.
typedef enum mus_instructions { MUS_SCALAR, MUS_AVX2, MUS_AVX512, MUS_INSTRUCTION_SETS } mus_instructions;
const char *mus_instructions_name(mus_instructions which);
int mus_instructions_available(mus_instructions which);
mus_instructions mus_instructions_current(void);
// MUS_UNSUPPORTED where the machine or the build lacks it.
mus_status mus_instructions_use(mus_instructions which);

#endif
