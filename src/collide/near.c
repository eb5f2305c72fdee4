// Contacts of surfaces that stand still: mus_detector_near(). See detector.h.
#include <math.h>

#include "base/error.h"
#include "collide/detector_state.h"
#include "collide/distance.h"

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
  if (!(distance < q->separation * gap) || mus_pair_is_released(q->detector, kind, node))
    return;
  mus_contact *contact = mus_query_answer(q);
  if (contact)
    mus_fill_contact(surface, kind, first, second, at, contact);
}

// --- the same vector only once -------------------------------------------------------------------------------------

// Between which vertices a contact's vector goes, as far as several contacts can have it: from vertex a to vertex b
// (a < b, c = -1), or from vertex a to the edge of b and c (b < c). False where only this contact can have it.
typedef struct span {
  int a, b, c;
} span;

static int active_nodes(const mus_contact *contact, int begin, int end, int node[3]) {
  int count = 0;
  for (int k = begin; k < end; ++k)
    if (contact->weight[k] != 0)
      node[count++] = contact->node[k];
  return count;
}

static int shared_span(const mus_contact *contact, span *out) {
  int split = contact->kind == MUS_VERTEX_FACE ? 1 : 2, first[3], second[3];
  int count_first = active_nodes(contact, 0, split, first), count_second = active_nodes(contact, split, 4, second);
  if (count_first + count_second > 3)
    return 0;
  if (count_first == 1 && count_second == 1) {
    *out = first[0] < second[0] ? (span){first[0], second[0], -1} : (span){second[0], first[0], -1};
    return 1;
  }
  const int *one = count_first == 1 ? first : second, *two = count_first == 1 ? second : first;
  *out = two[0] < two[1] ? (span){one[0], two[0], two[1]} : (span){one[0], two[1], two[0]};
  return 1;
}

// Of the contacts with the same span the first stays. Those that stay hang in chains, one a vertex.
static mus_status drop_repeated(mus_detector *d, mus_list *contacts) {
  mus_contact *contact = mus_contacts(contacts);
  int *chain = mus_alloc(contacts->count, sizeof *chain), *head = d->start;
  if (!chain)
    return mus_fail_memory();
  for (int v = 0; v < d->surface->vertices; ++v)
    head[v] = -1;
  int kept = 0;
  for (size_t i = 0; i < contacts->count; ++i) {
    span mine, other;
    if (shared_span(&contact[i], &mine)) {
      int k = head[mine.a];
      while (k >= 0 && (shared_span(&contact[k], &other), other.b != mine.b || other.c != mine.c))
        k = chain[k];
      if (k >= 0)
        continue;
      chain[kept] = head[mine.a];
      head[mine.a] = kept;
    }
    contact[kept++] = contact[i];
  }
  contacts->count = (size_t)kept;
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
                     .size = sizeof(mus_contact)};
  mus_status status = mus_detector_ask(detector, &query);
  if (status == MUS_OK)
    status = mus_detector_collect(detector, sizeof(mus_contact), mus_contact_order, contacts);
  return status == MUS_OK ? drop_repeated(detector, contacts) : status;
}
