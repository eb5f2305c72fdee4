// Arrays that double as they fill: for readers, who learn how much there is only by reading it.
//
//   mus_list list = {0};
//   int *item = mus_list_add(&list, sizeof *item);   // NULL if memory is short
//   ...
//   mus_free(list.items);
#ifndef MUS_BASE_LIST_H
#define MUS_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct mus_list {
  void *items;
  size_t count, capacity;
  size_t limit; // no more items than this will come, 0 when that is not known: spares the last doubling
} mus_list;

// Capacity for `more` items of `size` bytes beyond `count`. False, with the list unchanged, if memory is short.
bool mus_list_reserve(mus_list *list, size_t more, size_t size);

// A new item at the end, uninitialised; NULL if memory is short. Items move when the list grows.
static inline void *mus_list_add(mus_list *list, size_t size) {
  if (list->count == list->capacity && !mus_list_reserve(list, 1, size))
    return NULL;
  return (char *)list->items + size * list->count++;
}

#endif
