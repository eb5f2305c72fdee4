// Connections that have not shown the token yet. See visitors.h.
#include "view/visitors.h"

#include <stddef.h>

static view_visitor *place_of(view_visitors *list, const void *connection) {
  for (int k = 0; k < VIEW_VISITORS; ++k)
    if (list->place[k].connection == connection)
      return &list->place[k];
  return NULL;
}

// The stranger who came first, NULL where there is none.
static view_visitor *first_stranger(view_visitors *list) {
  view_visitor *first = NULL;
  for (int k = 0; k < VIEW_VISITORS; ++k) {
    view_visitor *v = &list->place[k];
    if (v->connection && !v->admitted && (!first || v->since < first->since))
      first = v;
  }
  return first;
}

void *view_visitors_enter(view_visitors *list, void *connection, double time) {
  view_visitor *place = place_of(list, NULL);
  if (!place)
    place = first_stranger(list);
  if (!place)
    return connection;
  void *leaves = place->connection;
  *place = (view_visitor){connection, time, 0};
  return leaves;
}

void view_visitors_admit(view_visitors *list, const void *connection, int admitted, double time) {
  view_visitor *place = place_of(list, connection);
  if (!place)
    return;
  place->since = time;
  place->admitted = admitted;
}

void view_visitors_leave(view_visitors *list, const void *connection) {
  view_visitor *place = connection ? place_of(list, connection) : NULL;
  if (place)
    *place = (view_visitor){0};
}

void *view_visitors_overdue(view_visitors *list, double time, double limit) {
  view_visitor *first = first_stranger(list);
  if (!first || time - first->since <= limit)
    return NULL;
  void *leaves = first->connection;
  *first = (view_visitor){0};
  return leaves;
}
