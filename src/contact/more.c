// Contact within the minimisation of a step. See contact.h.
//
// A step that is minimised is as long as a frame: what it starts near to says little about what it meets. So the motion
// from its start to the iterate is searched for impacts after each iteration, and whatever would pass becomes part of
// what is minimised. The response at the end of the step (respond.c) is left with little to do, and still guarantees
// that nothing passes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "contact/contact.h"
#include "par/par.h"

// Part of the gap within which pairs are found. It is above the response's by what the vertices of a pair that is not
// looked at again may have moved together.
static const double separation = 2 * MUS_SEPARATION;
static const double unmoved = MUS_SEPARATION / 2; // of the gap with one of its kind, which is twice its radius

// Marks what has moved since it was last looked at, and takes note of where it is. Returns how many vertices that is.
static int mark_moved(mus_contact_workspace *work) {
  const mus_surface *surface = &work->model.surface;
  const double *x = work->motion.x1;
  int count = 0, cloth = surface->cloth_vertices;
  MUS_PARALLEL_FOR_IF(cloth >= MUS_PAR_MINIMUM)
  for (int i = 0; i < cloth; ++i) {
    double way[3], most = 2 * unmoved * surface->radius[i];
    size_t at = 3 * (size_t)i;
    mus_subtract3(x + at, work->looked + at, way);
    work->moved[i] = work->looks == 0 || mus_dot3(way, way) > most * most;
    if (work->moved[i])
      memcpy(work->looked + at, x + at, 3 * sizeof *x);
  }
  for (int i = 0; i < cloth; ++i)
    count += work->moved[i];
  memset(work->moved + cloth, work->looks == 0, (size_t)(surface->vertices - cloth));
  return count;
}

// --- pairs that have met ---------------------------------------------------------------------------------------------

static int compare_pairs(const mus_met *met, const mus_contact *c) {
  if (met->kind != c->kind)
    return met->kind < c->kind ? -1 : 1;
  if (met->first != c->first)
    return met->first < c->first ? -1 : 1;
  return (met->second > c->second) - (met->second < c->second);
}

// Those of the first `count` are sorted, as lists of contacts are.
static mus_met *find_met(const mus_contact_workspace *work, size_t count, const mus_contact *c) {
  mus_met *met = work->met.items;
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (compare_pairs(&met[middle], c) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && compare_pairs(&met[low], c) == 0 ? &met[low] : NULL;
}

static int by_pair(const void *a, const void *b) {
  const mus_met *other = b;
  mus_contact c = {.kind = other->kind, .first = other->first, .second = other->second};
  return compare_pairs(a, &c);
}

// Keeps a pair apart by a term; where the same pair has one from an earlier look, in its place. `off` is raised to how
// far apart it has to come.
static mus_status couple(mus_contact_workspace *work, size_t known, const mus_contact *c, double end, double *off) {
  mus_met *met = find_met(work, known, c), now = {c->kind, c->first, c->second, 0, -1};
  if (met)
    now = *met;
  else if (!mus_list_reserve(&work->met, 1, sizeof now))
    return mus_fail_memory();
  mus_status status =
      mus_repulsions_take(&work->model, &work->motion, c, &work->beyond, &work->within, &now.within, &now.place);
  if (status || now.place < 0)
    return status;
  *off = fmax(*off, mus_repulsion_gap(&work->model.surface, c) - end);
  if (met)
    *met = now;
  else
    *(mus_met *)mus_list_add(&work->met, sizeof now) = now;
  return MUS_OK;
}

// m: how far apart the iterate has the two in the end, along the normal at which they met.
static double end_of(const mus_contact_workspace *work, const mus_contact *c) {
  double end = 0;
  for (int k = 0; k < 4; ++k)
    end += c->weight[k] * mus_dot3(c->normal, work->motion.x1 + 3 * (size_t)c->node[k]);
  return end;
}

static mus_status take_impacts(mus_contact_workspace *work, int *changed, double *off) {
  size_t known = work->met.count;
  mus_status status = MUS_OK;
  for (int coupling = 0; coupling < 2; ++coupling) // first what holds, then what is not held by that
    for (size_t k = 0; k < work->impacts.count && !status; ++k) {
      const mus_contact *c = &mus_contacts(&work->impacts)[k];
      int taken = 0;
      size_t before = work->holds.held.count;
      double end = end_of(work, c);
      if (end > separation * mus_repulsion_gap(&work->model.surface, c))
        continue;
      if (!coupling) {
        status = mus_holds_take(&work->model, &work->motion, c, &work->holds, &taken);
        *changed |= work->holds.held.count > before;
      } else if (!mus_repulsion_is_held(&work->model, &work->holds, c)) {
        status = couple(work, known, c, end, off);
        *changed = 1;
      }
    }
  if (work->met.count > known)
    qsort(work->met.items, work->met.count, sizeof(mus_met), by_pair);
  return status;
}

static mus_status look(mus_contact_workspace *work, int *changed, double *off) {
  int held = (int)work->holds.held.count, first = work->looks == 0;
  work->impacts.count = 0;
  if (first)
    memset(work->let_go, 0, (size_t)work->model.surface.cloth_vertices);
  int moved = mark_moved(work);
  ++work->looks;
  if (moved == 0)
    return MUS_OK;
  mus_status status = mus_detector_impacts(work->detector, work->motion.x0, work->motion.x1, separation,
                                           first ? NULL : work->moved, &work->impacts);
  if (status)
    return status;
  *changed |= mus_holds_follow(&work->model, &work->motion, &work->holds, held) > 0;
  return take_impacts(work, changed, off);
}

// At the minimum. Returns whether that has changed anything worth going on for.
static int revise(mus_contact_workspace *work, const mus_contact_iterate *at) {
  mus_repulsions_revise(&work->beyond, at->velocity);
  mus_repulsions_revise(&work->within, at->velocity);
  return mus_holds_revise(&work->model, &work->motion, at->left, at->velocity, work->let_go, &work->holds) > 0;
}

mus_status mus_contact_find_more(mus_contact_workspace *work, const mus_contact_iterate *at, mus_step_record *record,
                                 int *changed, double *off) {
  double begin = mus_seconds();
  *changed = 0;
  *off = 0;
  mus_map_to_surface(&work->model.map, at->position, work->motion.x1);
  mus_status status = mus_stop_check();
  if (!status)
    status = look(work, changed, off);
  if (!status && at->left && revise(work, at)) {
    *changed = 1;
    *off = INFINITY;
  }
  mus_holds_arrange(&work->model, &work->holds);
  mus_repulsions_arrange(&work->beyond);
  mus_repulsions_arrange(&work->within);
  if (*changed)
    *off = fmax(*off, mus_holds_off(&work->model, &work->holds, at->velocity) * work->motion.length);
  record->body_contacts = (int)(work->holds.held.count + work->within.couplings.count);
  record->cloth_contacts = (int)work->beyond.couplings.count;
  record->detect_seconds += mus_seconds() - begin;
  return status;
}
