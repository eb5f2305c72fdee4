// Sparse products in two phases: the symbolic one finds the pattern and is kept, the numeric one refills values.
#ifndef MUS_SPARSE_PRODUCT_H
#define MUS_SPARSE_PRODUCT_H

#include <stdint.h>

#include "sparse/matrix.h"

// The pattern of A B.
mus_status mus_product_pattern(mus_arena *arena, const mus_pattern *a, const mus_pattern *b, mus_pattern *out);
// C = A B into C's pattern, which must hold that of the product.
mus_status mus_product(const mus_matrix *a, const mus_matrix *b, mus_matrix *c);
// The same with a part of A only: its pattern, and for each of its blocks the place in A.
mus_status mus_product_part(const mus_matrix *a, const mus_pattern *part, const int *source, const mus_matrix *b,
                            mus_matrix *c);

// The Galerkin product A_c = P^T A P for symmetric A. Only the upper triangle U of A is read, its diagonal blocks by
// half, so that A = U + U^T and
//   A_c = S + S^T,   S = P^T (U P)
// which takes fewer operations than P^T (A P), and is symmetric to the last bit.
//
// It is made in one pass over the rows of A that never stores U P (galerkin_pass.h). Where nodes are not numbered along
// the mesh, or where a row has very many blocks, U P is made as a whole first.

// Where the sums of a product C = A B go, known beforehand: for each pair of blocks that are multiplied, in order,
// which block of the row of C takes the result, counted from the row's first.
enum { MUS_TARGETS_MAXIMUM = 256 }; // blocks in a row of C
typedef struct mus_targets {
  int *row_start;     // rows of C + 1; NULL: some row of C is too long
  unsigned char *row; // all rows, one after the other
} mus_targets;

// How the product is made in one pass over the rows of A, cut into chunks (galerkin_pass.h).
enum { MUS_GALERKIN_CHUNKS = 16 };
typedef struct mus_galerkin_pass {
  int chunks; // 0: U P is made as a whole
  int row[MUS_GALERKIN_CHUNKS + 1];
  int low[MUS_GALERKIN_CHUNKS], high[MUS_GALERKIN_CHUNKS]; // rows of S that a chunk has sums of
  size_t at[MUS_GALERKIN_CHUNKS + 1];                      // blocks of sums before its own
  size_t first_target[MUS_GALERKIN_CHUNKS];
  unsigned char *target;
  uint16_t *met_by; // rows of S: a bit for each chunk that has sums of them
} mus_galerkin_pass;

typedef struct mus_galerkin {
  int *upper;         // where the rows of U begin in those of A
  mus_pattern up;     // of U P; without columns where there are targets
  mus_transpose pt;   // of P
  mus_pattern coarse; // of P^T A P
  int *across;        // a block of A_c -> the one on the other side of the diagonal
  mus_targets up_targets, coarse_targets;
  mus_galerkin_pass pass;
  int longest; // row of U P or A_c, in blocks
} mus_galerkin;

mus_status mus_galerkin_create(mus_arena *arena, const mus_pattern *a, const mus_pattern *p, mus_galerkin *out);
// Fills coarse (pattern: plan->coarse; the caller owns the values).
mus_status mus_galerkin_fill(const mus_galerkin *plan, const mus_matrix *a, const mus_matrix *p, mus_matrix *coarse);
// The same wholly in single precision.
mus_status mus_galerkin_fill_f(const mus_galerkin *plan, const mus_matrix_f *a, const mus_matrix_f *p,
                               mus_matrix_f *coarse);

// The same with A in double precision, rounded as it is read.
mus_status mus_galerkin_fill_rounded(const mus_galerkin *plan, const mus_matrix *a, const mus_matrix_f *p,
                                     mus_matrix_f *coarse);

#endif
