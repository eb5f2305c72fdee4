// The linear system as it is given, and what is held in it: S A S + scale (I - S), S (b - A z). See constrain/filter.h.
#ifndef MUS_CUDA_GIVEN_H
#define MUS_CUDA_GIVEN_H

#include "cuda/sliced.h"
#include "cuda/stages.h"

// Equalities across nodes, E x = t: see across_kernels.h.
enum { MUS_ACROSS_NODES = MUS_STAGE_ROW_NODES };
struct mus_across {
  int rows, touched;                // of E, and nodes that it touches; 0: there are none
  const int *count, *node;          // of each row its nodes
  const double *direction;          // 3 for each of these
  const int *first, *size;          // of each row its group's rows
  const unsigned *place;            // where the row begins in the groups' inverses
  const double *inverse, *weighted; // of E E^T and of E D^-1 E^T
  const int *touched_node;          // these nodes,
  const int *start, *incident;      // and what rows have of each: as numbers of `node`
};

// The system as it is given, where kernels find it: what changes from solve to solve.
struct mus_given {
  const double *values;              // blocks in the order of the pattern, by rows
  const double *motion;              // positions or near-null vectors
  const int *held;                   // for each node its place in the lists of what is held, or -1; NULL: nothing is
  const double *projection, *target; // 3 x 3: what is free there; 3: where it is held
  const double *b;
  double *x;
  double scale; // that held directions get on the diagonal
  // couplings C beyond the pattern, filtered: rows for the nodes that they touch
  int coupled;        // such nodes; 0: there are none
  const int *touched; // these
  const int *place;   // for each node its row, or -1
  const int *start, *column;
  const double *coupling; // 3 x 3
  const double *pull;     // C z, 3 for each row
  double radius;          // that D^-1 C has at most, where D is the block diagonal of C
  mus_across across;
  const double *offset; // x with E x = t that E makes of nothing; NULL: there are no equalities
};

// out = C x at touched nodes; elsewhere it stays as it is. A thread has a row of a node.
template <class real> struct mus_coupling_kernel {
  const mus_given *given;
  const real *x;
  real *out;
  enum { THREADS = 192, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread, row = i / 3, r = i % 3;
    if (row >= given->coupled)
      return;
    real sum = 0;
    for (int k = given->start[row]; k < given->start[row + 1]; ++k)
      for (int c = 0; c < 3; ++c)
        sum += (real)given->coupling[9 * (size_t)k + (size_t)(3 * r + c)] * x[3 * (size_t)given->column[k] + (size_t)c];
    out[3 * (size_t)given->touched[row] + (size_t)r] = sum;
  }
};

// Row r of the diagonal block of C at a node, added.
MUS_HD void mus_add_coupling(const mus_given *given, int node, double (&block)[3][3]) {
  int row = given->coupled > 0 ? given->place[node] : -1;
  for (int k = row < 0 ? 0 : given->start[row]; row >= 0 && k < given->start[row + 1]; ++k)
    if (given->column[k] == node)
      for (int e = 0; e < 9; ++e)
        block[e / 3][e % 3] += given->coupling[9 * (size_t)k + (size_t)e];
}
template <int B> MUS_HD void mus_add_coupling(const mus_given *, int, double (&)[B][B]) {}

MUS_HD int mus_held_at(const mus_given *given, int node) { return given->held ? given->held[node] : -1; }

#endif
