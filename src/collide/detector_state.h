// What the sources of the detector share. See detector.h for what it is for.
//
// A question is asked of pairs of features (vertex-face and edge-edge) or of triangles; the trees are walked in
// parallel, each thread adds its answers to a list of its own, and the lists are brought into one order at the end.
#ifndef MUS_COLLIDE_DETECTOR_STATE_H
#define MUS_COLLIDE_DETECTOR_STATE_H

#include "collide/detector.h"
#include "collide/tree.h"

// A triangle with what belongs to it. Each vertex and each edge belongs to one of its triangles (Curtis et al. 2008),
// so that no pair comes twice.
typedef struct mus_triangle_parts {
  int triangle;
  int corner[3], edge[3], end[3][2]; // edge k lies opposite corner k and has the ends end[k]
  unsigned own_corners, own_edges;   // bit k for corner k, edge k
} mus_triangle_parts;

// A triangle as seen along its normal at the start: between which heights it lies, at the start and at the end.
typedef struct mus_slab {
  double normal[3], low[2], high[2];
  double reach; // half of how far apart from others it must stay for nothing to be asked of it
} mus_slab;

struct mus_detector {
  const mus_surface *surface;
  mus_arena arena;
  mus_tree cloth, body;
  mus_triangle_parts *parts; // triangles, in the order of the trees: at place + tree.first
  mus_slab *slab;            // the same
  mus_box *vertex_box;
  unsigned char *changed; // vertices: whether the last fit changed the box
  int fitted;             // whether there has been one
  int *start;             // scratch for sorting: vertices + edges + 1
  mus_tree_task *task;    // 2 * MUS_TREE_TASKS
  mus_list *answers;      // one list a thread
  int threads;            // lists
  size_t answer_size;
  mus_list found; // of mus_found, in order
  // Released pairs. Vertex v lies in the rings release_code[i], release_start[v] <= i < release_start[v + 1],
  // ascending: 2 c for that around the edge of crossing c, 2 c + 1 for that around its triangle.
  mus_arena release_arena;
  int *release_start, *release_code; // NULL: none
  const mus_loose *loose;            // NULL: nothing is
};

// An answer that becomes a contact, in brief: what is sorted and sifted before contacts are written.
typedef struct mus_found {
  mus_pair_kind kind;
  int first, second;
  int span[3]; // see near.c
  double time;
} mus_found;

typedef struct mus_query mus_query;
// Answers for a pair of features whose boxes meet and that may collide.
typedef void mus_feature_test(mus_query *query, mus_pair_kind kind, int first, int second);

struct mus_query {
  const mus_detector *detector;
  const double *x0, *x1;      // the same when nothing moves
  double separation;          // times the gap: how close is near
  double scale;               // boxes reach this times the radius around the vertices
  const unsigned char *moved; // NULL: all
  const mus_slab *slab;       // NULL: not used
  mus_tree_visit *visit;      // with the query as its context
  mus_feature_test *test;     // what mus_visit_features() calls
  size_t size;                // of an answer
  mus_list *answers;
  int failed; // short of memory
};

// Walks the trees with boxes around x0 and x1. The threads' lists then hold the answers, in no order.
mus_status mus_detector_ask(mus_detector *detector, const mus_query *query);
void mus_visit_features(void *query, const mus_tree_task *task, int place_a, int place_b);

// What mus_kept_apart() needs, for the positions and the scale of a query.
void mus_fit_slabs(mus_detector *detector, const mus_query *query);
// Whether planes are found that keep apart, all the time, whatever could collide in two triangles. a, b: places in
// `parts`. Never where slabs are not used.
int mus_kept_apart(const mus_query *query, int a, int b);
// Whether features may collide, given that their boxes meet: they are no neighbours, and one is marked.
int mus_may_collide(const mus_query *query, int count_a, const int *a, int count_b, const int *b);

// The place of an answer in the final order: a bucket among vertices + edges, and a number for the order within it.
typedef void mus_answer_order(const mus_surface *surface, const void *answer, int *bucket, int *number);
// All answers in order, in place of what `out` held.
mus_status mus_detector_collect(mus_detector *detector, size_t size, mus_answer_order *order, mus_list *out);
// The order of contacts, of mus_found.
void mus_found_order(const mus_surface *surface, const void *answer, int *bucket, int *number);
// What detector->found says, as contacts, in place of what `contacts` held.
mus_status mus_write_contacts(mus_detector *detector, const double *x0, const double *x1, mus_list *contacts);

// A new answer, NULL when memory is short.
static inline void *mus_query_answer(mus_query *query) {
  void *answer = mus_list_add(query->answers, query->size);
  if (!answer)
    query->failed = 1;
  return answer;
}

// The nodes of a pair, and their positions.
void mus_pair_nodes(const mus_surface *surface, mus_pair_kind kind, int first, int second, int node[4]);
static inline void mus_pair_positions(const int node[4], const double *x, double to[4][3]) {
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c)
      to[k][c] = x[(size_t)node[k] * 3 + (size_t)c];
}
int mus_pair_is_released(const mus_detector *detector, mus_pair_kind kind, int first, int second, const int node[4]);

#endif
