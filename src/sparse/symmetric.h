// Symmetric block matrices of which each pair of blocks, A_ij and A_ji = A_ij^T, is stored once: products with them are
// bound by memory, and this saves up to half of it.
//
// The rows are cut into chunks, whose number and places follow from the pattern alone. Inside a chunk a stored block
// serves both of its rows,
//   y_i += A_ij x_j,   y_j += A_ij^T x_i   for i < j,
// and blocks that lead out of it are stored on both sides. So no chunk writes what belongs to another, each row is
// complete as soon as it has been passed, and results have the same bits for any number of threads. Where nodes are
// numbered along the mesh (mesh/reorder.h) few blocks lead out; where they are not, this degenerates to plain storage.
//
// Sums y_j that wait for their row live in a ring of the stack, so pairs must not lie further apart than that is long:
// those that do are stored on both sides as well.
//
// Where there are more threads than chunks, chunks are cut into pieces, each for a thread. A piece first passes the
// rows before it, from its lead on, whose pairs have a part in its own sums. It adds what the whole chunk would, in the
// same order: the bits do not depend on the pieces.
#ifndef MUS_SPARSE_SYMMETRIC_H
#define MUS_SPARSE_SYMMETRIC_H

#include "sparse/matrix.h"

enum { MUS_SYMMETRIC_CHUNKS = 64 }; // at most
enum { MUS_SYMMETRIC_PIECES = 8 };  // of a chunk: 1, 2, 4 or this many

typedef struct mus_symmetric_pattern {
  int rows, block;
  int chunks;
  int chunk[MUS_SYMMETRIC_CHUNKS + 1]; // their first rows
  int *piece, *lead; // chunks * MUS_SYMMETRIC_PIECES: the first rows of the smallest pieces, and leads
  double lead_share; // the mean length of a lead, as a part of a chunk
  int ring;          // nodes that it holds, a power of two
  int *row_start;    // rows + 1
  int *pair_start;   // rows: the blocks of a row before this are its own, its diagonal first; the others are pairs
  int *where;        // of a block: its column, or for pairs what kernels need of it
} mus_symmetric_pattern;

typedef struct mus_symmetric {
  const mus_symmetric_pattern *pattern;
  double *value;
} mus_symmetric;

// The same in single precision. Here pairs of 3x3 blocks are stored two by two, each row of one beside that of the
// other, as far as a row of the matrix has two: six numbers fill a vector of eight better than three one of four.
typedef struct mus_symmetric_f {
  const mus_symmetric_pattern *pattern;
  float *value;
} mus_symmetric_f;

// For a symmetric pattern with a diagonal, and square blocks. MUS_BAD_INPUT where a diagonal block is missing.
// mus_symmetric_blocks() tells what is gained.
mus_status mus_symmetric_pattern_create(mus_arena *arena, const mus_pattern *full, int block,
                                        mus_symmetric_pattern *out);
static inline int mus_symmetric_blocks(const mus_symmetric_pattern *pattern) {
  return pattern->row_start[pattern->rows];
}

// The same where it pays: rows are many, blocks are of 2 to 6 or 12, and few pairs have to be stored twice. *pays
// becomes 0 or 1.
mus_status mus_symmetric_plan(mus_arena *arena, const mus_pattern *full, int block, mus_symmetric_pattern *out,
                              int *pays);

// Uninitialised values.
mus_status mus_symmetric_create(mus_arena *arena, const mus_symmetric_pattern *pattern, mus_symmetric *out);
mus_status mus_symmetric_create_f(mus_arena *arena, const mus_symmetric_pattern *pattern, mus_symmetric_f *out);

// Takes the values of a matrix with the pattern that this was made for: of a pair, the block above the diagonal. In
// single precision they are rounded.
void mus_symmetric_fill(const mus_matrix *full, mus_symmetric *out);
void mus_symmetric_fill_f(const mus_matrix *full, mus_symmetric_f *out);
// Both from one pass over the matrix. They share a pattern.
void mus_symmetric_fill_both(const mus_matrix *full, mus_symmetric *out, mus_symmetric_f *out_f);
// From what has been filled, half of what the matrix has. They share a pattern.
void mus_symmetric_round(const mus_symmetric *from, mus_symmetric_f *to);

// y = A x; x and y must not alias, here and below
void mus_symmetric_multiply(const mus_symmetric *a, const double *x, double *y);
void mus_symmetric_multiply_f(const mus_symmetric_f *a, const float *x, float *y);
// y = A x; returns x . y
double mus_symmetric_multiply_dot(const mus_symmetric *a, const double *x, double *y);
// r = b - A x; r may be b
void mus_symmetric_residual(const mus_symmetric *a, const double *b, const double *x, double *r);
void mus_symmetric_residual_f(const mus_symmetric_f *a, const float *b, const float *x, float *r);
// As mus_chebyshev_step: next <- x + alpha D^-1 (b - A x) + beta x - gamma next
void mus_symmetric_chebyshev(const mus_symmetric *a, const double *inverse_diagonal, const double *b, const double *x,
                             double alpha, double beta, double gamma, double *next);
void mus_symmetric_chebyshev_f(const mus_symmetric_f *a, const float *inverse_diagonal, const float *b, const float *x,
                               float alpha, float beta, float gamma, float *next);

#endif
