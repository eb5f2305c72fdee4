// Stable counting sort. See sort.h.
#include "mesh/sort.h"

#include <string.h>

void mus_sort_by_key(int count, int keys, const int *key, const int *from, int *start, int *to) {
  memset(start, 0, ((unsigned)keys + 1) * sizeof *start);
  for (int i = 0; i < count; ++i)
    ++start[key[i]];
  mus_accumulate(keys, start);
  for (int i = 0; i < count; ++i) {
    int item = from ? from[i] : i;
    to[start[key[item]]++] = item;
  }
}
