// See sewn.h.
#include "model/sewn.h"

#include <stdlib.h>

#include "base/error.h"
#include "mesh/groups.h"

// A vertex that belongs to a place of a seam.
typedef struct member {
  int place, vertex;
} member;

static int compare(const void *a, const void *b) {
  const member *x = a, *y = b;
  int places = (x->place > y->place) - (x->place < y->place);
  return places != 0 ? places : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static mus_status add_member(mus_list *members, int place, int vertex) {
  member *item = mus_list_add(members, sizeof *item);
  if (!item)
    return mus_fail_memory();
  *item = (member){place, vertex};
  return MUS_OK;
}

// All that are one with a vertex belong to a place; `next` leads around the ring of these.
static mus_status add_ring(mus_list *members, const int *next, int place, int vertex) {
  int i = vertex;
  do {
    mus_status status = add_member(members, place, i);
    if (status)
      return status;
    i = next[i];
  } while (i != vertex);
  return MUS_OK;
}

// Joins the rings of two vertices where they are not one yet.
static void join(int *group, int *next, int a, int b) {
  if (mus_group_first(group, a) == mus_group_first(group, b))
    return;
  mus_group_join(group, a, b);
  int after = next[a];
  next[a] = next[b];
  next[b] = after;
}

// How many vertices an element of a list ties to each other; 0: none.
static int tied(const mus_element_list *list) { return list->kind->ties ? list->kind->arity : 0; }

// Vertices that are tied to each other are one, and belong to the place that they make.
static mus_status list_whole(const mus_element_list *list, int *group, int *next, mus_list *members) {
  mus_status status = MUS_OK;
  for (int k = 0; k < list->count; ++k)
    join(group, next, list->vertex[2 * k], list->vertex[2 * k + 1]);
  for (int k = 0; k < 2 * list->count && !status; ++k)
    status = add_member(members, mus_group_first(group, list->vertex[k]), list->vertex[k]);
  return status;
}

// A vertex that is tied to an edge belongs to the places where the edge ends.
static mus_status list_partly(const mus_element_list *list, int *group, const int *next, mus_list *members) {
  mus_status status = MUS_OK;
  int arity = list->kind->arity;
  for (int k = 0; k < list->count; ++k)
    for (int e = 1; e < arity && !status; ++e) {
      int end = list->vertex[arity * k + e], place = mus_group_first(group, end);
      status = add_ring(members, next, place, list->vertex[arity * k]);
      if (!status)
        status = add_ring(members, next, place, end);
    }
  return status;
}

// A place is a group of vertices that are one, as pairs say; these come first. Its members are those vertices, and what
// is tied to an edge that ends there. Lists that tie are of all cloths together, and count from the first vertex.
static mus_status list_members(const mus_model *model, int *group, int *next, mus_list *members) {
  mus_status status = MUS_OK;
  for (int i = 0; i < model->vertices; ++i)
    group[i] = next[i] = i;
  for (int l = 0; l < model->list_count && !status; ++l)
    if (tied(&model->lists[l].elements) == 2)
      status = list_whole(&model->lists[l].elements, group, next, members);
  for (int l = 0; l < model->list_count && !status; ++l)
    if (tied(&model->lists[l].elements) > 2)
      status = list_partly(&model->lists[l].elements, group, next, members);
  return status;
}

// All pairs of members of a place, which are few.
static mus_status pair_members(const mus_list *members, mus_list *pairs) {
  const member *list = members->items;
  for (size_t i = 0; i < members->count; ++i)
    for (size_t j = i + 1; j < members->count && list[j].place == list[i].place; ++j) {
      if (list[i].vertex == list[j].vertex || (i > 0 && compare(&list[i - 1], &list[i]) == 0))
        continue; // named twice
      int *pair = mus_list_add(pairs, 2 * sizeof *pair);
      if (!pair)
        return mus_fail_memory();
      pair[0] = list[i].vertex;
      pair[1] = list[j].vertex;
    }
  return MUS_OK;
}

mus_status mus_sewn_pairs(const mus_model *model, mus_list *pairs) {
  int found = 0;
  for (int l = 0; l < model->list_count; ++l)
    found |= tied(&model->lists[l].elements);
  if (!found)
    return MUS_OK;
  mus_list members = {0};
  int *group = mus_alloc(2 * (size_t)model->vertices, sizeof *group);
  mus_status status = group ? list_members(model, group, group + model->vertices, &members) : mus_fail_memory();
  if (!status) {
    qsort(members.items, members.count, sizeof(member), compare);
    status = pair_members(&members, pairs);
  }
  mus_free(group);
  mus_free(members.items);
  return status;
}
