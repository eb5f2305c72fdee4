// Greedy graph colouring. See colouring.h.
#include "sparse/colouring.h"

#include <string.h>

#include "base/error.h"

// Marks the colours that the neighbours of `node` have, as taken[colour] == mark.
static void mark_neighbours(const mus_pattern *pattern, int node, const int *colour_of, int mark, int *taken) {
  for (int k = pattern->row_start[node]; k < pattern->row_start[node + 1]; ++k)
    if (colour_of[pattern->column[k]] >= 0)
      taken[colour_of[pattern->column[k]]] = mark;
}

// Lists the nodes colour by colour.
static mus_status sort_by_colour(mus_arena *arena, int nodes, mus_colouring *colouring) {
  int *start = mus_arena_alloc_zero(arena, (size_t)colouring->colours + 2, sizeof *start);
  int *node = mus_arena_alloc(arena, (size_t)nodes, sizeof *node);
  if (!start || !node)
    return mus_fail_memory();
  for (int i = 0; i < nodes; ++i)
    ++start[colouring->colour_of[i] + 2];
  for (int c = 0; c < colouring->colours; ++c)
    start[c + 2] += start[c + 1];
  for (int i = 0; i < nodes; ++i)
    node[start[colouring->colour_of[i] + 1]++] = i;
  colouring->start = start;
  colouring->node = node;
  return MUS_OK;
}

mus_status mus_colour(mus_arena *arena, const mus_pattern *pattern, int distance, mus_colouring *out) {
  if (pattern->rows != pattern->columns)
    return mus_fail(MUS_BAD_INPUT, "colouring needs a square pattern, not %d x %d", pattern->rows, pattern->columns);
  if (distance != 1 && distance != 2)
    return mus_fail(MUS_BAD_INPUT, "colouring at distance %d: 1 and 2 are possible", distance);
  int nodes = pattern->rows;
  mus_arena scratch = {0};
  mus_transpose transpose; // the pattern read backwards makes the graph undirected
  mus_status status = mus_transpose_create(&scratch, pattern, &transpose);
  int *colour_of = mus_arena_alloc(arena, (size_t)nodes, sizeof *colour_of);
  int *taken = mus_arena_alloc(&scratch, (size_t)nodes + 1, sizeof *taken);
  if (!status && (!colour_of || !taken))
    status = mus_fail_memory();
  if (!status) {
    memset(colour_of, 0xff, (size_t)nodes * sizeof *colour_of);
    memset(taken, 0xff, ((size_t)nodes + 1) * sizeof *taken);
    *out = (mus_colouring){.colour_of = colour_of};
    const mus_pattern *both[2] = {pattern, &transpose.pattern};
    for (int i = 0; i < nodes; ++i) {
      for (int way = 0; way < 2; ++way) {
        mark_neighbours(both[way], i, colour_of, i, taken);
        for (int k = both[way]->row_start[i]; distance == 2 && k < both[way]->row_start[i + 1]; ++k)
          for (int next = 0; next < 2; ++next)
            mark_neighbours(both[next], both[way]->column[k], colour_of, i, taken);
      }
      int colour = 0;
      while (taken[colour] == i)
        ++colour;
      colour_of[i] = colour;
      if (colour >= out->colours)
        out->colours = colour + 1;
    }
    status = sort_by_colour(arena, nodes, out);
  }
  mus_arena_clear(&scratch);
  return status;
}
