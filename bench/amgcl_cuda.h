// AMGCL's CUDA back end behind a few plain functions, for cuda_peer.c. It knows scalar matrices only.
#ifndef BENCH_AMGCL_CUDA_H
#define BENCH_AMGCL_CUDA_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_setup {
  PEER_FULL,    // everything for every matrix
  PEER_REBUILD, // prolongators are kept
  PEER_KEEP,    // all of the hierarchy is kept; conjugate gradients have the new matrix
  PEER_SETUPS
} peer_setup;

typedef struct peer_options {
  peer_setup setup;
  int chebyshev;        // the smoother: 1, or sparse approximate inverses of order 0
  int count;            // near-null vectors
  const double *kernel; // rows * count, by rows
  double tolerance;     // of the Euclidean norm, relative to b
} peer_options;

typedef struct peer peer;

// A has `rows` scalar rows; pattern and options must stay. NULL, with a text on stderr, if it cannot be.
peer *peer_create(const peer_options *options, int rows, const int *row_start, const int *column);
// Seconds of set-up and solve, with transfers; iterations, or a negative number for a failure.
int peer_solve(peer *p, const double *values, const double *b, double *x, double *setup_s, double *solve_s);
void peer_free(peer *p);

#ifdef __cplusplus
}
#endif
#endif
