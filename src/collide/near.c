// Contacts of surfaces that stand still: mus_detector_near(). See detector.h.
//
// The same vector may come several times: from a vertex to an edge or a corner that several triangles share, and to and
// from the ends of edges. A span tells which: vertex a to vertex b is (a, b, -1) with a < b, vertex a to the edge of b
// and c is (a, b, c) with b < c, and (-1, -1, -1) is a vector that only one contact can have.
#include <math.h>

#include "base/error.h"
#include "collide/detector_state.h"
#include "collide/distance.h"

static int active_nodes(const int node[4], const double weight[4], int begin, int end, int active[3]) {
  int count = 0;
  for (int k = begin; k < end; ++k)
    if (weight[k] != 0)
      active[count++] = node[k];
  return count;
}

static void set_span(mus_pair_kind kind, const int node[4], const double weight[4], int span[3]) {
  int split = kind == MUS_VERTEX_FACE ? 1 : 2, first[3], second[3];
  int count_first = active_nodes(node, weight, 0, split, first);
  int count_second = active_nodes(node, weight, split, 4, second);
  const int *one = count_first == 1 ? first : second, *more = count_first == 1 ? second : first;
  span[0] = span[1] = span[2] = -1;
  if (count_first + count_second > 3)
    return;
  int turn = count_first + count_second == 2 ? more[0] < one[0] : more[1] < more[0];
  if (count_first + count_second == 2) {
    span[0] = turn ? more[0] : one[0];
    span[1] = turn ? one[0] : more[0];
  } else {
    span[0] = one[0];
    span[1] = more[turn];
    span[2] = more[!turn];
  }
}

static void test_near(mus_query *q, mus_pair_kind kind, int first, int second) {
  const mus_surface *surface = q->detector->surface;
  int node[4];
  double x[4][3], weight[4];
  mus_pair_nodes(surface, kind, first, second, node);
  mus_pair_positions(node, q->x0, x);
  const double(*at)[3] = (const double(*)[3])x;
  double gap =
      kind == MUS_VERTEX_FACE ? mus_vertex_face_gap(surface, first, second) : mus_edge_edge_gap(surface, first, second);
  double distance = kind == MUS_VERTEX_FACE ? mus_vertex_face_distance(at, weight) : mus_edge_edge_distance(at, weight);
  if (!(distance < q->separation * gap) || mus_pair_is_released(q->detector, kind, first, second, node))
    return;
  mus_found *found = mus_query_answer(q);
  if (!found)
    return;
  *found = (mus_found){.kind = kind, .first = first, .second = second};
  set_span(kind, node, weight, found->span);
}

// Of those with the same span the first stays. Those that stay hang in chains, one a vertex.
static mus_status drop_repeated(mus_detector *d) {
  mus_found *found = d->found.items;
  int *chain = mus_alloc(d->found.count, sizeof *chain), *head = d->start, kept = 0;
  if (!chain)
    return mus_fail_memory();
  for (int v = 0; v < d->surface->vertices; ++v)
    head[v] = -1;
  for (size_t i = 0; i < d->found.count; ++i) {
    const int *span = found[i].span;
    if (span[0] >= 0) {
      int k = head[span[0]];
      while (k >= 0 && (found[k].span[1] != span[1] || found[k].span[2] != span[2]))
        k = chain[k];
      if (k >= 0)
        continue;
      chain[kept] = head[span[0]];
      head[span[0]] = kept;
    }
    found[kept++] = found[i];
  }
  d->found.count = (size_t)kept;
  mus_free(chain);
  return MUS_OK;
}

mus_status mus_detector_near(mus_detector *detector, const double *x, double reach, mus_list *contacts) {
  mus_query query = {.detector = detector,
                     .x0 = x,
                     .x1 = x,
                     .separation = reach,
                     .scale = reach,
                     .visit = mus_visit_features,
                     .test = test_near,
                     .size = sizeof(mus_found)};
  mus_status status = mus_detector_ask(detector, &query);
  if (status == MUS_OK)
    status = mus_detector_collect(detector, sizeof(mus_found), mus_found_order, &detector->found);
  if (status == MUS_OK)
    status = drop_repeated(detector);
  return status == MUS_OK ? mus_write_contacts(detector, x, x, contacts) : status;
}
