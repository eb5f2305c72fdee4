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
#include "par/vector.h"
#include "step/limit.h"

enum { SWEEPS = 6, LEAST = 400000, NODES = 3 * MUS_TIE_REACH };
// Threads are shortened so many times at most, for each triangle that has limits.
static const double effort = 20;
// It ends when so many looks in a row leave more than this part of what is too long.
enum { STALLED = 8 };
static const double progress = 0.99;

// A triangle with a thread that is too long.
typedef struct long_one {
  int list, element;
  size_t at; // place of its lengths
} long_one;

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

// One direction of a triangle, if it is still too long.
static void shorten(const mus_step_context *c, const mus_limiter *l, const long_one *one, int direction) {
  const mus_element_list *list = &c->model->lists[one->list].elements;
  const mus_ties *ties = c->work->seams.count > 0 ? &c->work->seams.ties : NULL;
  double reach[2] = {INFINITY, INFINITY}, length[2], gradient[9], centre[3] = {0}, along = 0;
  double *position = c->state->position;
  const int *corner = list->vertex + 3 * (size_t)one->element;
  reach[direction] = l->reach[one->at + (size_t)direction];
  mus_limiting task = {.position = position + 3 * (size_t)list->first_vertex,
                       .reach = reach,
                       .stiffness = 1,
                       .length = length,
                       .gradient = gradient};
  list->kind->limit(list, one->element, 1, &task);
  double beyond = length[direction] - reach[direction];
  if (!(beyond > 0))
    return;
  int vertex[3];
  for (int k = 0; k < 3; ++k) {
    vertex[k] = list->first_vertex + corner[k];
    mus_add_scaled3(1.0 / 3, position + 3 * (size_t)vertex[k], centre);
  }
  for (int k = 0; k < 3; ++k) {
    double arm[3];
    mus_subtract3(position + 3 * (size_t)vertex[k], centre, arm);
    along += mus_dot3(gradient + 3 * k, arm);
  }
  if (!(along > 0))
    return;
  node_gradient g = {0};
  for (int k = 0; k < 3; ++k) {
    mus_followed by = mus_ties_followed(ties, &vertex[k]);
    for (int n = 0; n < by.count; ++n)
      add_node(&g, by.node[n], by.weight[n] * length[direction] / along, gradient + 3 * k);
  }
  double give = divide_by_mass(l, &g);
  for (int k = 0; k < g.count && give > 0; ++k)
    mus_add_scaled3(-beyond / give, g.value[k], position + 3 * (size_t)g.node[k]);
}

// Those that are too long by more than a small part of what is tolerated, in place of what the list held. `excess`: the
// sum of what they are too long by, in limits.
static mus_status find_long(const mus_model *model, const mus_limiter *l, mus_list *found, double *excess) {
  size_t at = 0;
  *excess = 0;
  found->count = 0;
  for (int k = 0; k < model->list_count; ++k) {
    const mus_element_list *list = &model->lists[k].elements;
    for (int t = 0; list->kind->limit && t < list->count; ++t, at += 2) {
      double beyond[2] = {mus_limit_beyond(list, l, at, 0), mus_limit_beyond(list, l, at, 1)};
      int too_long = fmax(beyond[0], beyond[1]) > MUS_LIMIT_SLACK / 16;
      *excess += fmax(beyond[0], 0) + fmax(beyond[1], 0);
      long_one *one = too_long ? mus_list_add(found, sizeof *one) : NULL;
      if (too_long && !one)
        return mus_fail_memory();
      if (one)
        *one = (long_one){k, t, at};
    }
  }
  return MUS_OK;
}

mus_status mus_limit_near(const mus_step_context *c, mus_limiter *l, size_t most, int *changed) {
  const mus_ties *ties = c->work->seams.count > 0 ? &c->work->seams.ties : NULL;
  mus_list found = {0};
  mus_status status = MUS_OK;
  *changed = 0;
  if (ties)
    mus_ties_share_mass(ties, c->model->mass, l->mass);
  else
    mus_copy((size_t)c->model->vertices, c->model->mass, l->mass);
  for (int i = 0; i < c->model->vertices; ++i)
    l->place[i] = -1;
  for (int k = 0; k < l->held.count; ++k)
    l->place[l->held.list[k].node] = k;
  double left = fmax(effort * (double)c->model->limited, LEAST), excess, before = INFINITY;
  for (int stalled = 0; !status && left > 0 && stalled < STALLED;) {
    status = find_long(c->model, l, &found, &excess);
    if (status || found.count == 0 || found.count > most)
      break;
    stalled = excess > progress * before ? stalled + 1 : 0;
    before = excess;
    const long_one *one = found.items;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
      for (size_t k = 0; k < found.count; ++k)
        for (int d = 0; d < 2; ++d)
          shorten(c, l, &one[k], d);
      if (ties)
        mus_ties_follow(ties, c->state->position);
    }
    left -= SWEEPS * (double)found.count;
    *changed = 1;
    mus_limit_measure(c->model, c->state->position, l->length);
  }
  mus_free(found.items);
  return status;
}
