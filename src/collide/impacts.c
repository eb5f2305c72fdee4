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
  if (!mus_pair_impact(kind, (const double(*)[3])x0, (const double(*)[3])x1, MUS_IMPACT_SHARE, &near, &time) ||
      mus_pair_is_released(q->detector, kind, first, second, node))
    return;
  mus_found *found = mus_query_answer(q);
  if (found)
    *found = (mus_found){.kind = kind, .first = first, .second = second, .time = time};
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
                     .size = sizeof(mus_found)};
  mus_status status = mus_detector_ask(detector, &query);
  if (status == MUS_OK)
    status = mus_detector_collect(detector, sizeof(mus_found), mus_found_order, &detector->found);
  return status == MUS_OK ? mus_write_contacts(detector, x0, x1, contacts) : status;
}
