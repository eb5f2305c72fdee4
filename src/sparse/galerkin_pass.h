// P^T A P in one pass over the rows of A. Private to sparse/; see product.h for what is computed.
//
// Row i of U P is needed by those rows of S = P^T (U P) only that node i belongs to: it is made in the cache,
// multiplied from the left by the few blocks of P's row i, added to S, and forgotten. U P is never stored, and A and P
// are read in the order in which they lie in memory.
//
// Rows are cut into chunks, always the same ones, each with sums of its own for the rows of S that it meets, which are
// added up in order at the end: the bits do not depend on threads. Where nodes are numbered along the mesh, few rows of
// S are met by two chunks. Where they are not, U P is made as a whole (product.c).
#ifndef MUS_SPARSE_GALERKIN_PASS_H
#define MUS_SPARSE_GALERKIN_PASS_H

#include "sparse/product.h"

// Where each product of the pass goes, by rows of A: all of a row's blocks of U P by all of its blocks of P, each a
// place in a row of A_c. `up` is the pattern of U P. Leaves pass->chunks 0 where chunks would overlap too much.
mus_status mus_galerkin_pass_create(mus_arena *arena, const mus_pattern *p, const mus_transpose *pt,
                                    const mus_pattern *up, const mus_pattern *coarse, mus_galerkin_pass *pass);

// Numbers from one row of a block of sums to the next.
static inline int mus_padded(int columns) { return columns == 3 ? 4 : columns == 6 ? 8 : columns; }

mus_status mus_galerkin_pass_fill(const mus_galerkin *plan, const mus_matrix *a, const mus_matrix *p,
                                  mus_matrix *coarse);
mus_status mus_galerkin_pass_fill_f(const mus_galerkin *plan, const mus_matrix_f *a, const mus_matrix_f *p,
                                    mus_matrix_f *coarse);
// With A in double precision, rounded as it is read.
mus_status mus_galerkin_pass_fill_rounded(const mus_galerkin *plan, const mus_matrix *a, const mus_matrix_f *p,
                                          mus_matrix_f *coarse);

#endif
