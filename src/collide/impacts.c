// Contacts of surfaces that move: mus_detector_impacts(). See detector.h.
#include "collide/ccd.h"
#include "collide/detector_state.h"

static void test_impact(mus_query *q, mus_pair_kind kind, int first, int second) {
  const mus_surface *surface = q->detector->surface;
  int node[4];
  double x0[4][3], x1[4][3], time;
  mus_pair_nodes(surface, kind, first, second, node);
  mus_pair_positions(node, q->x0, x0);
  mus_pair_positions(node, q->x1, x1);
  double near = q->separation * (kind == MUS_VERTEX_FACE ? mus_vertex_face_gap(surface, first, second)
                                                         : mus_edge_edge_gap(surface, first, second));
  if (!mus_pair_impact(kind, (const double(*)[3])x0, (const double(*)[3])x1, 0.5, &near, &time) ||
      mus_pair_is_released(q->detector, kind, node))
    return;
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c)
      x0[k][c] += time * (x1[k][c] - x0[k][c]);
  mus_contact *contact = mus_query_answer(q);
  if (!contact)
    return;
  mus_fill_contact(surface, kind, first, second, (const double(*)[3])x0, contact);
  contact->time = time;
}

mus_status mus_detector_impacts(mus_detector *detector, const double *x0, const double *x1, double separation,
                                const unsigned char *moved, mus_list *contacts) {
  mus_query query = {.detector = detector,
                     .x0 = x0,
                     .x1 = x1,
                     .separation = separation,
                     .scale = (1 + MUS_CCD_TOLERANCE) * separation, // whatever is reported has boxes that meet
                     .moved = moved,
                     .visit = mus_visit_features,
                     .test = test_impact,
                     .size = sizeof(mus_contact)};
  mus_status status = mus_detector_ask(detector, &query);
  if (status != MUS_OK)
    return status;
  return mus_detector_collect(detector, sizeof(mus_contact), mus_contact_order, contacts);
}
