// Comparisons for qsort.
#ifndef MUS_BASE_ORDER_H
#define MUS_BASE_ORDER_H

static inline int mus_ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

#endif
