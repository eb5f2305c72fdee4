// Cuts from impacts and from planes. See cuts.h.
#include "collide/cuts.h"

#include <string.h>

#include "base/vector3.h"
#include "collide/ccd.h"
#include "collide/distance.h"

// Cuts aim a little beyond the distance at which a pair is reported again.
static const double beyond = 1.25, accurate = 0.1, surely = 1.02 * (1 + MUS_CCD_TOLERANCE);

static double smaller(double a, double b) { return a < b ? a : b; }

static void gather(const double *x, const int *node, double at[4][3]) {
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c)
      at[k][c] = x[3 * node[k] + c];
}

mus_pair mus_pair_met(const mus_surface *surface, const mus_contact *contact, double separation, const double *x0) {
  mus_pair pair = {.contact = *contact, .stage = MUS_PAIR_IMPACTS};
  int vertex_face = contact->kind == MUS_VERTEX_FACE;
  double at[4][3], weight[4], u[3];
  gather(x0, contact->node, at);
  const double(*start)[3] = (const double(*)[3])at;
  pair.apart = vertex_face ? mus_vertex_face_distance(start, weight) : mus_edge_edge_distance(start, weight);
  mus_weigh(start, weight, u);
  for (int c = 0; c < 3; ++c)
    pair.direction[c] = pair.apart > 0 ? u[c] / pair.apart : 0;
  pair.safe = separation * (vertex_face ? mus_vertex_face_gap(surface, contact->first, contact->second)
                                        : mus_edge_edge_gap(surface, contact->first, contact->second));
  pair.near = smaller(pair.safe, MUS_IMPACT_SHARE * pair.apart);
  return pair;
}

double mus_cut_value(const mus_cut *cut, const double *x) {
  double value = 0;
  const double *origin = x + 3 * cut->node[0];
  for (int k = 1; k < cut->nodes; ++k) {
    double along[3];
    mus_subtract3(x + 3 * cut->node[k], origin, along);
    value += cut->weight[k] * mus_dot3(cut->normal, along);
  }
  return value;
}

// Adds a vertex, or those that it follows.
static void add_vertex(const mus_ties *ties, int vertex, double weight, mus_cut *cut) {
  if (!ties || vertex >= ties->vertices) { // of a body
    cut->node[cut->nodes] = vertex;
    cut->weight[cut->nodes++] = weight;
    return;
  }
  mus_followed f = mus_ties_followed(ties, &vertex);
  for (int n = 0; n < f.count; ++n) {
    int at = 0;
    while (at < cut->nodes && cut->node[at] != f.node[n])
      ++at;
    if (at == cut->nodes) {
      cut->node[cut->nodes] = f.node[n];
      cut->weight[cut->nodes++] = 0;
    }
    cut->weight[at] += weight * f.weight[n];
  }
}

bool mus_cut_impact(const mus_pair *pair, int number, double friction, const mus_ties *ties, const double *x0,
                    mus_list *cuts) {
  mus_cut *cut = mus_list_add(cuts, sizeof *cut);
  if (!cut)
    return false;
  *cut = (mus_cut){.pair = number, .fresh = 1, .friction = friction};
  for (int k = 0; k < 4; ++k)
    add_vertex(ties, pair->contact.node[k], pair->contact.weight[k], cut);
  for (int c = 0; c < 3; ++c)
    cut->normal[c] = pair->contact.normal[c];
  double start = mus_cut_value(cut, x0);
  if (!(start >= pair->near)) { // rounding, or a time that is too early
    for (int c = 0; c < 3; ++c)
      cut->normal[c] = pair->direction[c];
    start = mus_cut_value(cut, x0);
  }
  // What is close already comes no closer.
  cut->target = smaller(beyond * pair->safe, start);
  cut->accuracy = accurate * pair->near;
  cut->least = cut->target - cut->accuracy;
  return true;
}

bool mus_cut_tie(const mus_tie_row *row, mus_list *cuts) {
  if (!mus_list_reserve(cuts, 3, sizeof(mus_cut)))
    return false;
  for (int c = 0; c < 3; ++c) {
    mus_cut *cut = mus_list_add(cuts, sizeof *cut);
    *cut = (mus_cut){.pair = -1, .equal = 1, .nodes = row->count, .fresh = 1, .accuracy = MUS_TIE_ACCURACY};
    memcpy(cut->node, row->node, sizeof row->node);
    memcpy(cut->weight, row->weight, sizeof row->weight);
    cut->normal[c] = 1;
  }
  return true;
}

bool mus_cut_vertices(const int vertex[3], const double weight[3], const double normal[3], double target,
                      double accuracy, const mus_ties *ties, mus_list *cuts) {
  mus_cut *cut = mus_list_add(cuts, sizeof *cut);
  if (!cut)
    return false;
  *cut = (mus_cut){.pair = -1, .fresh = 1, .target = target, .accuracy = accuracy};
  memcpy(cut->normal, normal, sizeof cut->normal);
  for (int k = 0; k < 3; ++k)
    add_vertex(ties, vertex[k], weight[k], cut);
  return true;
}

bool mus_cut_planes(const mus_pair *pair, int number, const mus_ties *ties, const double *x0, mus_list *cuts) {
  int nodes = pair->contact.kind == MUS_VERTEX_FACE ? 1 : 2; // of the first feature
  const int *node = pair->contact.node;
  if (!mus_list_reserve(cuts, 4, sizeof(mus_cut)))
    return false;
  for (int a = 0; a < nodes; ++a)
    for (int b = nodes; b < 4; ++b) {
      mus_cut *cut = mus_list_add(cuts, sizeof *cut);
      *cut = (mus_cut){.pair = number, .plane = 1, .fresh = 1};
      add_vertex(ties, node[a], 1, cut);
      add_vertex(ties, node[b], -1, cut);
      for (int c = 0; c < 3; ++c)
        cut->normal[c] = pair->direction[c];
      // Less than the start, so that what moves with a body has some room.
      cut->target = smaller(beyond * pair->safe, 0.9 * mus_cut_value(cut, x0));
      cut->accuracy = accurate * pair->near;
      cut->least = surely * pair->near;
    }
  return true;
}
