// Things joined into groups (union-find): parent[i] == i at first, and for the first member of each group ever after.
#ifndef MUS_MESH_GROUPS_H
#define MUS_MESH_GROUPS_H

// The first member of a group.
static inline int mus_group_first(int *parent, int i) {
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

static inline void mus_group_join(int *parent, int a, int b) {
  a = mus_group_first(parent, a);
  b = mus_group_first(parent, b);
  parent[a < b ? b : a] = a < b ? a : b;
}

#endif
