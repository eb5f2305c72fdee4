// Equalities across nodes, E x = t, as an orthogonal projection that takes away what they forbid (Tamstorf et al. 2015,
// section 8): R = I - E^T (E E^T)^-1 E.
//
// E has a few nodes in a row. Rows that share nodes make up groups; E E^T has a block for each, and is factorised by
// Cholesky in an envelope: within a group, rows are ordered by distance from one at its rim (Cuthill and McKee 1969),
// so that a row's first neighbour is not far before it. Contacts lie on surfaces, and n of them in one group take about
// n^(3/2) numbers. Row by row, the factorisation is Gram and Schmidt's method: a pivot is the square of what a row has
// across the earlier ones, and rows that have nothing are dependent and left out.
#ifndef MUS_CONSTRAIN_EQUALITIES_H
#define MUS_CONSTRAIN_EQUALITIES_H

#include "constrain/beyond.h"

// One row of E, of unit length: sum_k direction[k] . x_node[k] = value. The nodes differ from each other.
typedef struct mus_equality_row {
  int count, node[MUS_TERM_NODES];
  double direction[MUS_TERM_NODES][3];
  double value;
} mus_equality_row;

typedef struct mus_equalities {
  int block;
  int count;             // rows
  mus_equality_row *row; // ordered, groups one after the other
  int groups, *group;    // group g has the rows from group[g] to group[g + 1]
  // the touched nodes, and for each the rows that touch it
  int touched, *node;
  int *incident_start, *incident; // MUS_TERM_NODES * row + which of its nodes
  // E E^T = L L^T; row i of L has the columns from first[i] to i, and a pivot of zero where it depends on earlier rows
  int *first;
  size_t *place; // where row i begins in `factor`
  double *factor;
  int passes;         // how often to project for an accurate result: more where pivots are small
  double *multiplier; // count, scratch
  double *weighted;   // as `factor`, of E D^-1 E^T
} mus_equalities;

// Orders and factorises. `given` holds each row's number in the caller's list. MUS_BAD_INPUT, naming that number, when
// a row depends on others but its value does not follow from theirs; MUS_UNSUPPORTED when the factor is too large.
mus_status mus_equalities_create(mus_arena *arena, int rows, int block, int count, const mus_equality_row *row,
                                 const int *given, mus_equalities *out);

// x <- R x
void mus_equalities_project(const mus_equalities *e, double *x);
// x becomes the nearest vector with E x = t
void mus_equalities_impose(const mus_equalities *e, double *x);
// The inverse of a block diagonal D on the vectors with E x = 0,
//   D^-1 - D^-1 E^T (E D^-1 E^T)^-1 E D^-1,
// which preconditions where E mixes what is stiff and what is soft (Gould, Hribar and Nocedal 2001). One block of D^-1
// a node. Weighing factorises E D^-1 E^T, and is done once for each D.
mus_status mus_equalities_weigh(const mus_equalities *e, const double *inverse_diagonal);
void mus_equalities_solve(const mus_equalities *e, int rows, const double *inverse_diagonal, const double *r,
                          double *z);

// The inverse of group g's part of E E^T, or of E D^-1 E^T as it was weighed last: a dense symmetric matrix of as many
// rows as the group has. Rows that depend on others have zeros.
void mus_equalities_invert(const mus_equalities *e, int is_weighted, int g, double *out);

// weight E^T E as terms beyond a pattern. `terms` must outlive them.
typedef struct mus_equality_terms {
  const mus_equalities *equalities;
  double weight;
} mus_equality_terms;
mus_terms mus_equalities_terms(const mus_equality_terms *terms);

#endif
