// Arrays that double as they fill. See list.h.
#include "base/list.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST = 1024 }; // capacity of the first array

bool mus_list_reserve(mus_list *list, size_t more, size_t size) {
  if (more > SIZE_MAX / 4 - list->count)
    return false;
  size_t needed = list->count + more, capacity = list->capacity == 0 ? FIRST : list->capacity;
  if (needed <= list->capacity)
    return true;
  while (capacity < needed)
    capacity *= 2;
  if (list->limit > 0 && capacity > list->limit && list->limit >= needed)
    capacity = list->limit;
  void *items = mus_alloc(capacity, size);
  if (!items)
    return false;
  if (list->count > 0)
    memcpy(items, list->items, list->count * size);
  mus_free(list->items);
  list->items = items;
  list->capacity = capacity;
  return true;
}
