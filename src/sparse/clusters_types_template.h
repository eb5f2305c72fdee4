// Clusters of nodes in one precision, as text for base/both_precisions.h. See
// clusters.h.

typedef struct TYPE(mus_clusters) {
  int count;
  const int *start;   // count + 1
  const int *node;    // start[count]: nodes of a cluster ascend
  const int *place;   // count + 1: where a cluster's part of E begins, a matrix
                      // of all its unknowns by columns
  mus_resistance resistance;
  REAL *joined;       // E
  REAL *kept;         // workspace: the unknowns of all clusters' nodes
} TYPE(mus_clusters);
