// What kernels are given, in one precision; as text for base/both_precisions.h.

typedef struct TYPE(mus_task) {
  int row_block, column_block; // of A, also for MUS_OP_TRANSPOSED
  const int *row_start, *column, *source;
  int first_column;
  const REAL *value, *x, *b, *inverse_diagonal;
  REAL alpha, beta, gamma;
  REAL *y;
  REAL *relaxed; // of MUS_OP_RELAX, which may be x; NULL: only y
} TYPE(mus_task);

typedef void TYPE(mus_row_kernel)(const TYPE(mus_task) *task, int begin, int end);

// Rows of C = A B, or of C = A^T B.
typedef struct TYPE(mus_product_task) {
  const mus_pattern *a, *b, *c; // a: of A^T when transposed
  const int *source;            // a block of the pattern a -> a block of a_value; NULL when they are in step
  int transposed;               // A's blocks are stored as inner x rows
  const REAL *a_value, *b_value;
  const double *a_wide; // where not NULL: A's values, to be rounded, instead of a_value
  REAL *c_value;
  int rows, inner, columns;   // of a block: C's are rows x columns, those of A (or A^T) rows x inner
  const int *upper;           // where not NULL: A's rows begin there, at their diagonal block, which counts half
  const mus_targets *targets; // NULL: found through C's columns
} TYPE(mus_product_task);

// Rows of A in P^T A P; see galerkin_pass.h.
typedef struct TYPE(mus_pass_task) {
  const mus_pattern *a, *p;
  const int *upper; // where the rows of U begin in those of A
  const REAL *a_value, *p_value;
  const double *a_wide;           // where not NULL: A's values, to be rounded, instead of a_value
  const int *up_start;            // row starts of U P
  const unsigned char *up_target; // of the first row
  const int *coarse_start;        // row starts of A_c
  const unsigned char *target;    // of the first row
  int origin;                     // the block of A_c that `sums` starts with
  int block, coarse_block;
  REAL *sums;
} TYPE(mus_pass_task);
