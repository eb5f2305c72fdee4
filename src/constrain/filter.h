// Constraints as an orthogonal projection S (Ascher and Boxerman 2003, eq. 2; Tamstorf et al.
// 2015, section 8), block diagonal for constraints of single nodes, applied to vectors and to both sides of a matrix.
//
// S_i = I - sum_k q_k q_k^T over the orthonormalised prohibited directions q_k of node i. Only constrained nodes are
// stored. Equalities across nodes (equalities.h), whose directions lie in the range of these, take away more: S = R
// S_i.
#ifndef MUS_CONSTRAIN_FILTER_H
#define MUS_CONSTRAIN_FILTER_H

#include "constrain/beyond.h"
#include "constrain/equalities.h"
#include "sparse/matrix.h"

typedef struct mus_filter {
  int rows, block;              // nodes; unknowns per node
  int count;                    // constrained nodes
  int *node;                    // count, ascending
  int *rank;                    // count: directions taken away, 1 ... block
  double *projection;           // count blocks: S_i, symmetric to the last bit
  double *target;               // count * block: (I - S_i) z_i
  int *index_of;                // rows: place in the lists above, or -1
  const mus_equalities *across; // NULL: none
} mus_filter;

// Whether anything is held at all.
static inline int mus_filter_holds(const mus_filter *s) { return s->count > 0 || s->across; }

// The same as a projection for conjugate gradients; `s` must stay.
mus_projection mus_filter_view(const mus_filter *s);
// x <- S x
void mus_filter_apply(const mus_filter *s, double *x);
// The same for each of the vectors of par/lanes.h. `work` holds one vector, and is used for equalities across nodes.
void mus_filter_apply_lanes(const mus_filter *s, int count, double *work, float *v);
// x <- S x + (I - S) z
void mus_filter_impose(const mus_filter *s, double *x);
// x <- (I - S) z
void mus_filter_target(const mus_filter *s, double *x);

// A matrix filtered in place, a <- S a S + scale (I - S), touching only rows and columns of constrained nodes and
// keeping what they were. S is that of single nodes: equalities across nodes would need blocks that the pattern does
// not have. `at` is the transpose of the pattern, which must be symmetric; `place` as in mus_diagonal_places. An
// exactly symmetric matrix stays exactly symmetric.
typedef struct mus_filter_saved {
  int *start;    // count + 1, in blocks: where a constrained node's row starts; its column follows
  double *value; // NULL where nothing is constrained
} mus_filter_saved;

// Room for a filter and a pattern.
mus_status mus_filter_saved_create(mus_arena *arena, const mus_filter *s, const mus_pattern *pattern,
                                   mus_filter_saved *out);
// a <- S a S + scale (I - S)
void mus_filter_in_place(const mus_filter *s, const mus_transpose *at, const int *place, double scale, mus_matrix *a,
                         mus_filter_saved *saved);
// a as it was before, to the last bit
void mus_filter_undo(const mus_filter *s, const mus_transpose *at, const mus_filter_saved *saved, mus_matrix *a);
// r = b - A z for the matrix A as it was before, with z = (I - S) z as from mus_filter_target. Without equalities
// across nodes only constrained columns count, and `a` is not read.
void mus_filter_target_residual(const mus_filter *s, const mus_transpose *at, const mus_filter_saved *saved,
                                const mus_matrix *a, const double *b, const double *z, double *r);

// to <- S from S for the blocks beyond a pattern. The two may be the same.
void mus_filter_beyond(const mus_filter *s, const mus_beyond *from, double *to);

// A scale for mus_filter_in_place with which cond(S A S + scale (I - S)) <= cond(A), for it lies in A's field of
// values: the mean of A's diagonal, which is the mean of its eigenvalues, or of some thousand rows of it. 1 for a
// matrix without rows.
double mus_filter_scale(const mus_matrix *a, const int *place);

#endif
