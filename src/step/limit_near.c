// Strain limits where a few threads are too long: each is shortened by moving its own corners, in turn. See limit.h.
//
// A direction of a triangle has the length |w|, with w linear in positions and the same for all translations, so that
// its gradient n gives n . x = |w| for positions about any point. What shortens it to R with the least work is
//   x -= s W n / (n . W n),   s = |w| - R,   W: inverse masses, without the directions that are held.
// The order is that of triangles, whatever the number of threads. Momentum is kept by each move: the parts of n add up
// to nothing, and so do their moments about the corners.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/stop.h"
#include "par/vector.h"
#include "step/limit.h"

// Each look at all threads is followed by sweeps over those that are too long and those beside them: so many at least,
// at most, and altogether so many threads for each triangle that has limits.
enum { SWEEPS_LEAST = 6, SWEEPS_MOST = 60, LOOKS = 40, NODES = 3 * MUS_TIE_REACH };
static const double effort = 20;
// It ends when so many looks in a row leave more than this part of what is too long.
enum { STALLED = 4 };
static const double progress = 0.95;
// In limits: what is too long by no more is left as it is.
static const double few = MUS_LIMIT_SLACK / 16;

// A triangle that is looked at in sweeps.
typedef struct swept_one {
  int list, element;
  size_t at; // place of its lengths
} swept_one;

// The nodes that a triangle's corners are made of, with the gradient on each.
typedef struct node_gradient {
  int count, node[NODES];
  double value[NODES][3];
} node_gradient;

static void add_node(node_gradient *to, int node, double weight, const double *value) {
  int place = 0;
  while (place < to->count && to->node[place] != node)
    ++place;
  if (place == to->count) {
    to->node[to->count++] = node;
    mus_zero(3, to->value[place]);
  }
  mus_add_scaled3(weight, value, to->value[place]);
}

// W value, in place; returns value . W value.
static double divide_by_mass(const mus_limiter *l, node_gradient *g) {
  double sum = 0;
  for (int k = 0; k < g->count; ++k) {
    int i = g->node[k], place = l->place[i];
    double inverse = 1 / l->mass[i], before[3];
    memcpy(before, g->value[k], sizeof before);
    mus_scale3(inverse, g->value[k], g->value[k]);
    for (int d = 0; place >= 0 && d < l->held.list[place].count; ++d) {
      const double *direction = l->held.list[place].direction[d];
      mus_add_scaled3(-mus_dot3(direction, g->value[k]), direction, g->value[k]);
    }
    sum += mus_dot3(before, g->value[k]);
  }
  return sum;
}

int mus_limit_thread(const mus_element_list *list, int element, int direction, double reach, const double *position,
                     mus_long_thread *out) {
  double reaches[2] = {INFINITY, INFINITY}, length[2], gradient[9], centre[3] = {0}, along = 0;
  const int *corner = list->vertex + 3 * (size_t)element;
  reaches[direction] = reach;
  mus_limiting task = {.position = position + 3 * (size_t)list->first_vertex,
                       .reach = reaches,
                       .stiffness = 1,
                       .length = length,
                       .gradient = gradient};
  list->kind->limit(list, element, 1, &task);
  if (!(length[direction] > reach))
    return 0;
  int widest = 0;
  for (int k = 0; k < 3; ++k) {
    out->vertex[k] = list->first_vertex + corner[k];
    mus_add_scaled3(1.0 / 3, position + 3 * (size_t)out->vertex[k], centre);
    if (mus_dot3(gradient + 3 * k, gradient + 3 * k) > mus_dot3(gradient + 3 * widest, gradient + 3 * widest))
      widest = k;
  }
  for (int k = 0; k < 3; ++k) {
    double arm[3];
    mus_subtract3(position + 3 * (size_t)out->vertex[k], centre, arm);
    along += mus_dot3(gradient + 3 * k, arm);
  }
  if (!(along > 0) || !(mus_unit3(gradient + 3 * widest, out->normal) > 0))
    return 0;
  out->length = length[direction];
  for (int k = 0; k < 3; ++k)
    out->weight[k] = mus_dot3(gradient + 3 * k, out->normal) * out->length / along;
  return 1;
}

// One direction of a triangle, if it is too long. Returns by how much it was, in limits.
static double shorten(const mus_step_context *c, const mus_limiter *l, const swept_one *one, int direction) {
  const mus_element_list *list = &c->model->lists[one->list].elements;
  const mus_ties *ties = c->work->seams.count > 0 ? &c->work->seams.ties : NULL;
  double reach = l->reach[one->at + (size_t)direction], *position = c->state->position;
  mus_long_thread thread;
  if (!mus_limit_thread(list, one->element, direction, reach, position, &thread))
    return 0;
  node_gradient g = {0};
  for (int k = 0; k < 3; ++k) {
    mus_followed by = mus_ties_followed(ties, &thread.vertex[k]);
    for (int n = 0; n < by.count; ++n)
      add_node(&g, by.node[n], by.weight[n] * thread.weight[k], thread.normal);
  }
  double give = divide_by_mass(l, &g);
  for (int k = 0; k < g.count && give > 0; ++k)
    mus_add_scaled3((reach - thread.length) / give, g.value[k], position + 3 * (size_t)g.node[k]);
  return (thread.length - reach) / list->limit[direction];
}

// What a look finds.
typedef struct sight {
  size_t count;  // of triangles that are too long by more than a small part of what is tolerated
  double excess; // the sum of what they are too long by, in limits
} sight;

// Marks the corners of triangles that are too long, with what follows or leads them.
static sight find_long(const mus_model *model, const mus_limiter *l, const mus_ties *ties, unsigned char *marked) {
  sight seen = {0};
  size_t at = 0;
  memset(marked, 0, (size_t)model->vertices);
  for (int k = 0; k < model->list_count; ++k) {
    const mus_element_list *list = &model->lists[k].elements;
    for (int t = 0; list->kind->limit && t < list->count; ++t, at += 2) {
      double beyond[2] = {mus_limit_beyond(list, l, at, 0), mus_limit_beyond(list, l, at, 1)};
      int too_long = fmax(beyond[0], beyond[1]) > few;
      seen.excess += fmax(beyond[0], 0) + fmax(beyond[1], 0);
      seen.count += (size_t)too_long;
      for (int v = 0; too_long && v < 3; ++v)
        marked[list->first_vertex + list->vertex[3 * (size_t)t + (size_t)v]] = 1;
    }
  }
  for (int k = 0; ties && k < ties->count; ++k) {
    unsigned char any = marked[ties->vertex[k]];
    for (int n = ties->start[k]; n < ties->start[k + 1]; ++n)
      any |= marked[ties->node[n]];
    marked[ties->vertex[k]] = any;
    for (int n = ties->start[k]; n < ties->start[k + 1]; ++n)
      marked[ties->node[n]] |= any;
  }
  return seen;
}

// All triangles with a marked corner, in place of what the list held.
static mus_status list_marked(const mus_model *model, const unsigned char *marked, mus_list *found) {
  size_t at = 0;
  found->count = 0;
  for (int k = 0; k < model->list_count; ++k) {
    const mus_element_list *list = &model->lists[k].elements;
    for (int t = 0; list->kind->limit && t < list->count; ++t, at += 2) {
      const int *corner = list->vertex + 3 * (size_t)t;
      const unsigned char *of = marked + list->first_vertex;
      if (!of[corner[0]] && !of[corner[1]] && !of[corner[2]])
        continue;
      swept_one *one = mus_list_add(found, sizeof *one);
      if (!one)
        return mus_fail_memory();
      *one = (swept_one){k, t, at};
    }
  }
  return MUS_OK;
}

// Sweeps over them until none is too long. Returns how many there were.
static int sweep(const mus_step_context *c, const mus_limiter *l, const mus_list *swept, int most) {
  const mus_ties *ties = c->work->seams.count > 0 ? &c->work->seams.ties : NULL;
  const swept_one *one = swept->items;
  for (int count = 1;; ++count) {
    double worst = 0;
    for (size_t k = 0; k < swept->count; ++k)
      for (int d = 0; d < 2; ++d)
        worst = fmax(worst, shorten(c, l, &one[k], d));
    if (ties)
      mus_ties_follow(ties, c->state->position);
    if (count == most || worst <= few)
      return count;
  }
}

static void prepare(const mus_step_context *c, const mus_ties *ties, mus_limiter *l) {
  if (ties)
    mus_ties_share_mass(ties, c->model->mass, l->mass);
  else
    mus_copy((size_t)c->model->vertices, c->model->mass, l->mass);
  for (int i = 0; i < c->model->vertices; ++i)
    l->place[i] = -1;
  for (int k = 0; k < l->held.count; ++k)
    l->place[l->held.list[k].node] = k;
}

mus_status mus_limit_near(const mus_step_context *c, mus_limiter *l, size_t most, int *changed) {
  const mus_ties *ties = c->work->seams.count > 0 ? &c->work->seams.ties : NULL;
  mus_list swept = {0};
  mus_status status = MUS_OK;
  double left = effort * (double)c->model->limited, before = INFINITY;
  *changed = 0;
  prepare(c, ties, l);
  for (int look = 0, stalled = 0; look < LOOKS && left > 0 && stalled < STALLED; ++look) {
    sight seen = find_long(c->model, l, ties, l->marked);
    if (seen.count == 0 || seen.count > most)
      break;
    status = mus_stop_check();
    if (!status)
      status = list_marked(c->model, l->marked, &swept);
    if (status)
      break;
    stalled = seen.excess > progress * before ? stalled + 1 : 0;
    before = seen.excess;
    double share = effort * (double)c->model->limited / LOOKS / (double)swept.count;
    int sweeps = (int)fmin(SWEEPS_MOST, fmax(SWEEPS_LEAST, share));
    left -= (double)swept.count * sweep(c, l, &swept, sweeps);
    *changed = 1;
    mus_limit_measure(c->model, c->state->position, l->length);
  }
  mus_free(swept.items);
  return status;
}
