// What lists of all kinds have in common. See element_list.h.
#include "energy/element_list.h"

#include <string.h>

#include "base/error.h"

mus_status mus_element_list_create(const mus_element_kind *kind, mus_arena *arena, const mus_element_source *source,
                                   mus_element_list *out) {
  *out = (mus_element_list){.kind = kind, .first_vertex = source->first_vertex};
  return kind->create(arena, source, out);
}

mus_status mus_element_list_allocate(mus_arena *arena, int count, mus_element_list *list) {
  const mus_element_kind *kind = list->kind;
  list->count = count;
  if (kind->rest_bytes > 0 && !(list->rest = mus_arena_alloc(arena, (size_t)count, kind->rest_bytes)))
    return mus_fail_memory();
  if (kind->shape_bytes > 0 && !(list->shape = mus_arena_alloc(arena, (size_t)count, kind->shape_bytes)))
    return mus_fail_memory();
  if (kind->material_bytes > 0 && !(list->material = mus_arena_alloc(arena, 1, kind->material_bytes)))
    return mus_fail_memory();
  return MUS_OK;
}

void mus_element_list_take(const mus_element_list *from, mus_element_list *to) {
  const mus_element_kind *kind = to->kind;
  if (kind->rest_bytes > 0)
    memcpy(to->rest, from->rest, (size_t)to->count * kind->rest_bytes);
  if (kind->material_bytes > 0)
    memcpy(to->material, from->material, kind->material_bytes);
  memcpy(to->limit, from->limit, sizeof to->limit);
}

double mus_element_list_energy(const mus_element_list *list, int first, int count, const double *position,
                               double scale) {
  enum { RUN = 64 };
  double energy[RUN], sum = 0;
  mus_evaluation e = {.position = position, .scale = scale, .energy = energy};
  for (int done = 0; done < count; done += RUN) {
    int run = count - done < RUN ? count - done : RUN;
    list->kind->evaluate(list, first + done, run, &e);
    for (int k = 0; k < run; ++k)
      sum += energy[k];
  }
  return sum;
}

void mus_element_list_measure(const mus_element_list *list, int first, int count, const double *position, double scale,
                              double *strain, mus_element_sums *to) {
  const mus_element_kind *kind = list->kind;
  if (kind->measure)
    kind->measure(list, first, count, position, scale, strain, to);
  else if (kind->energy != MUS_ENERGY_NONE)
    to->energy[kind->energy] += mus_element_list_energy(list, first, count, position, scale);
}
