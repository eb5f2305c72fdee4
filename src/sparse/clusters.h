// Clusters: a few nodes that are connected so strongly that smoothing moves
// them as one.
//
// The two ends of a stitch, or a crease in cloth, where a vertex has stiff
// edges in just one direction across: in such a direction a node alone hardly
// moves, while it does so easily together with its neighbour. A block diagonal
// D of single nodes does not see that. In its place stands
//
//   G = D with the blocks of A between the nodes of a cluster,   G^-1 = E D^-1,
//   E = (I + D^-1 (G - D))^-1
//
// where E is I but for clusters. So what D^-1 has made of a vector is
// multiplied by E afterwards, at the nodes of clusters only, and everything
// else stays as it is.
#ifndef MUS_SPARSE_CLUSTERS_H
#define MUS_SPARSE_CLUSTERS_H

#include "sparse/matrix.h"

enum { MUS_CLUSTER_NODES = 4, MUS_CLUSTER_BLOCK = 3 }; // at most; unknowns per node

// How clusters hold up Gauss-Seidel over single nodes: hardly, by how hard the matrix is for other reasons, or badly.
typedef enum mus_resistance { MUS_RESISTS_LITTLE, MUS_RESISTS_SOMETIMES, MUS_RESISTS_MUCH } mus_resistance;

// mus_clusters, and the same with _f for single precision
#define TEMPLATE "sparse/clusters_types_template.h"
#include "base/both_precisions.h"

// Clusters of a matrix with blocks of MUS_CLUSTER_BLOCK, by || D_i^(-1/2) A_ij D_j^(-1/2) ||, the strongest first. No
// node is in two. The inverses of the blocks of D are symmetric. E is not filled in: it and workspace are taken from
// `room`, the lists from `arena`.
mus_status mus_clusters_find(mus_arena *arena, mus_arena *room, const mus_matrix *a, const double *inverse_diagonal,
                             mus_clusters *out);
// The same clusters in single precision, with E rounded.
mus_status mus_clusters_round(mus_arena *arena, const mus_clusters *from, mus_clusters_f *out);
// E and room of its own for the same clusters.
mus_status mus_clusters_copy(mus_arena *arena, const mus_clusters *from, mus_clusters *out);
mus_status mus_clusters_copy_f(mus_arena *arena, const mus_clusters_f *from, mus_clusters_f *out);

// Fills E in, for a block diagonal D of which the inverse is given; it may hold
// more than that of A. Where G is singular to working precision, E is I.
void mus_clusters_fill(mus_clusters *clusters, const mus_matrix *a, const double *inverse_diagonal);
void mus_clusters_fill_f(mus_clusters_f *clusters, const mus_matrix *a, const float *inverse_diagonal);

// x <- E x
void mus_clusters_apply(const mus_clusters *clusters, double *x);
void mus_clusters_apply_f(const mus_clusters_f *clusters, float *x);
// Around a step next = (1 + beta) x - gamma next + D^-1 ...: the first notes
// its first two terms before it, the second makes G^-1 of D^-1 after it.
void mus_clusters_before(const mus_clusters *clusters, double beta, double gamma, const double *x, const double *next);
void mus_clusters_before_f(const mus_clusters_f *clusters, float beta, float gamma, const float *x, const float *next);
void mus_clusters_after(const mus_clusters *clusters, double *next);
void mus_clusters_after_f(const mus_clusters_f *clusters, float *next);

#endif
