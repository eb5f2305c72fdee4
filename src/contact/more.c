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
// Terms that a pair may come to have in a step.
enum { MEETINGS = 3 };
// Minima of a step after which holds are let go and friction is set anew, at most: it has to come to an end.
enum { REVISIONS = 8 };
// After the first of them, this part of what is held has to come loose for another: what slides leaves its load to what
// still sticks, and cloth that is about to slide as a whole would stick for ever.
static const double avalanche = 0.15;
// Friction has changed when it has by this part of all of it.
static const double other_friction = 0.1;
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

// Keeps a pair apart by a term. One that meets again, since it has turned meanwhile, gets another beside the first, a
// few times; then it is left to the response. `off` is raised to how far apart it has to come.
static mus_status couple(mus_contact_workspace *work, size_t known, const mus_contact *c, double end, int *changed,
                         double *off) {
  mus_met *met = find_met(work, known, c);
  if (met && met->times == MEETINGS)
    return MUS_OK;
  if (!met) {
    met = mus_list_add(&work->met, sizeof *met);
    if (!met)
      return mus_fail_memory();
    *met = (mus_met){c->kind, c->first, c->second, 0};
  }
  ++met->times;
  *changed = 1;
  *off = fmax(*off, mus_repulsion_gap(&work->model.surface, c) - end);
  return mus_repulsions_take(&work->model, &work->motion, c, &work->beyond, &work->within);
}

// m: how far apart the iterate has the two in the end, along the normal at which they met.
static double end_of(const mus_contact_workspace *work, const mus_contact *c) {
  double end = 0;
  for (int k = 0; k < 4; ++k)
    end += c->weight[k] * mus_dot3(c->normal, work->motion.x1 + 3 * (size_t)c->node[k]);
  return end;
}

// --- what is met -----------------------------------------------------------------------------------------------------

static mus_offence offence_of(const mus_contact_workspace *work, int place, double end) {
  const mus_contact *c = &mus_contacts(&work->impacts)[place];
  int cloths = 0;
  for (int k = 0; k < 4; ++k)
    cloths += mus_is_cloth(&work->model, c->node[k]);
  mus_offence o = {.alone = cloths == 4 ? 1 + place : 0, .place = place, .end = end};
  if (c->kind == MUS_EDGE_EDGE) {
    o.kind = 1;
    o.feature = mus_is_cloth(&work->model, c->node[0]) ? c->first : c->second;
  } else {
    o.kind = mus_is_cloth(&work->model, c->node[0]) ? 0 : 2;
    o.feature = o.kind ? c->second : c->first;
  }
  return o;
}

// By what they belong to, those that are farthest off first.
static int by_feature(const void *a, const void *b) {
  const mus_offence *first = a, *second = b;
  if (first->alone != second->alone)
    return first->alone < second->alone ? -1 : 1;
  if (first->kind != second->kind)
    return first->kind < second->kind ? -1 : 1;
  if (first->feature != second->feature)
    return first->feature < second->feature ? -1 : 1;
  if (first->end != second->end)
    return first->end < second->end ? -1 : 1;
  return (first->place > second->place) - (first->place < second->place);
}

static int is_other_feature(const mus_offence *a, const mus_offence *b) {
  return a->alone != b->alone || a->kind != b->kind || a->feature != b->feature;
}

// Lists what ends too near, unless holds see to it.
static mus_status list_offences(mus_contact_workspace *work) {
  work->offences.count = 0;
  for (size_t k = 0; k < work->impacts.count; ++k) {
    const mus_contact *c = &mus_contacts(&work->impacts)[k];
    double end = end_of(work, c);
    if (end > separation * mus_repulsion_gap(&work->model.surface, c) ||
        mus_repulsion_is_held(&work->model, &work->holds, c))
      continue;
    mus_offence *offence = mus_list_add(&work->offences, sizeof *offence);
    if (!offence)
      return mus_fail_memory();
    *offence = offence_of(work, (int)k, end);
  }
  return MUS_OK;
}

// Whether all vertices of cloth in a pair with a body are kept off bodies as it is.
static int is_kept(const mus_contact_workspace *work, const mus_contact *c) {
  int bodies = 0;
  for (int k = 0; k < 4; ++k)
    if (!mus_is_cloth(&work->model, c->node[k]))
      bodies = 1;
    else if (c->weight[k] != 0 && !work->kept[c->node[k]] && work->holds.place[c->node[k]] < 0)
      return 0;
  return bodies;
}

// Of each feature of cloth, the pair with a body that is farthest off gets a term, vertices first; edges and triangles
// if some of their vertices have none. The others are seen again if they still need one of their own.
static mus_status take_impacts(mus_contact_workspace *work, int *changed, double *off) {
  size_t known = work->met.count;
  memset(work->kept, 0, (size_t)work->model.surface.cloth_vertices);
  mus_status status = list_offences(work);
  const mus_offence *list = work->offences.items;
  if (!status && work->offences.count > 0)
    qsort(work->offences.items, work->offences.count, sizeof *list, by_feature);
  for (size_t k = 0; k < work->offences.count && !status; ++k) {
    const mus_contact *c = &mus_contacts(&work->impacts)[list[k].place];
    if ((k > 0 && !is_other_feature(&list[k - 1], &list[k])) || is_kept(work, c))
      continue;
    if (!list[k].alone && list[k].kind == 0)
      work->kept[list[k].feature] = 1;
    status = couple(work, known, c, list[k].end, changed, off);
  }
  if (work->met.count > known)
    qsort(work->met.items, work->met.count, sizeof(mus_met), by_pair);
  return status;
}

static mus_status look(mus_contact_workspace *work, int *changed, double *off) {
  int first = work->looks == 0;
  work->impacts.count = 0;
  int moved = mark_moved(work);
  ++work->looks;
  if (moved == 0)
    return MUS_OK;
  mus_status status = mus_detector_impacts(work->detector, work->motion.x0, work->motion.x1, separation,
                                           first ? NULL : work->moved, &work->impacts);
  if (status)
    return status;
  *changed |= mus_holds_follow(&work->model, &work->motion, &work->holds) > 0;
  return take_impacts(work, changed, off);
}

// At the minimum. Returns whether that has changed anything worth going on for.
static int revise(mus_contact_workspace *work, const mus_contact_iterate *at) {
  mus_rubbed beyond = mus_repulsions_revise(&work->beyond, at->velocity);
  mus_rubbed rubbed = mus_repulsions_revise(&work->within, at->velocity);
  int held = mus_holds_revise(&work->model, &work->motion, at->left, at->velocity, &work->holds, &rubbed);
  if (work->revisions++ > 0)
    return held > avalanche * (double)work->holds.held.count;
  return held > 0 || beyond.changed + rubbed.changed > other_friction * (beyond.all + rubbed.all);
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
  mus_repulsions_arrange(&work->beyond);
  mus_repulsions_arrange(&work->within);
  if (!status && at->left && work->revisions < REVISIONS && revise(work, at)) {
    *changed = 1;
    *off = INFINITY;
  }
  mus_holds_arrange(&work->model, &work->holds);
  if (*changed)
    *off = fmax(*off, mus_holds_off(&work->model, &work->holds, at->velocity) * work->motion.length);
  record->body_contacts = (int)(work->holds.held.count + work->within.couplings.count);
  record->cloth_contacts = (int)work->beyond.couplings.count;
  record->detect_seconds += mus_seconds() - begin;
  return status;
}
