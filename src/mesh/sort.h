// Sorting by whole numbers from a small range, in linear time and without changing the order of equals.
#ifndef MUS_MESH_SORT_H
#define MUS_MESH_SORT_H

// Counts become starts: start[i] is the sum of all counts before i, and start[count] the sum of all. start[count] need
// not be set before.
static inline void mus_accumulate(int count, int *start) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    int items = start[i];
    start[i] = sum;
    sum += items;
  }
  start[count] = sum;
}

// to = the items `from` (NULL: 0, 1, 2 ...) ordered by key[item], which lies in 0 ... keys - 1. `start` is scratch for
// keys + 1 numbers.
void mus_sort_by_key(int count, int keys, const int *key, const int *from, int *start, int *to);

#endif
