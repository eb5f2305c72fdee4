// Delaunay triangulations. See delaunay.h.
#include "mesh/delaunay.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

#ifdef MUSLIN_QHULL

#include <libqhull_r/qhull_ra.h>

#include "mesh/sort.h"

static double twice_area(const double *a, const double *b, const double *c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
}

// Counter-clockwise, from the smallest number on.
static void normalise(const double *point, int *corner) {
  if (twice_area(point + 2 * corner[0], point + 2 * corner[1], point + 2 * corner[2]) < 0) {
    int swap = corner[1];
    corner[1] = corner[2];
    corner[2] = swap;
  }
  while (corner[0] > corner[1] || corner[0] > corner[2]) {
    int first = corner[0];
    corner[0] = corner[1];
    corner[1] = corner[2];
    corner[2] = first;
  }
}

// The hull of the points lifted onto a paraboloid: its lower facets are the triangles.
static mus_status collect(qhT *qh, mus_arena *scratch, const double *point, int *count, int **corners) {
  facetT *facet;
  vertexT *vertex, **vertexp;
  int lower = 0;
  FORALLfacets lower += !facet->upperdelaunay;
  int *list = mus_arena_alloc(scratch, (size_t)lower * 3, sizeof *list), n = 0;
  if (!list)
    return mus_fail_memory();
  FORALLfacets {
    if (facet->upperdelaunay)
      continue;
    int k = 0;
    FOREACHvertex_(facet->vertices) {
      if (k < 3)
        list[3 * n + k] = qh_pointid(qh, vertex->point);
      ++k;
    }
    if (k != 3)
      return mus_fail(MUS_BAD_INPUT, "a triangulation has a facet of %d points: move the points apart", k);
    normalise(point, list + 3 * n++);
  }
  *count = n;
  *corners = list;
  return MUS_OK;
}

// qhull's own order follows its work; this one follows the points.
static mus_status sort_triangles(mus_arena *scratch, int points, int count, const int *corners, int *sorted) {
  int *key = mus_arena_alloc(scratch, (size_t)count, sizeof *key);
  int *one = mus_arena_alloc(scratch, (size_t)count, sizeof *one);
  int *other = mus_arena_alloc(scratch, (size_t)count, sizeof *other);
  int *start = mus_arena_alloc(scratch, (size_t)points + 1, sizeof *start);
  if (!key || !one || !other || !start)
    return mus_fail_memory();
  const int *from = NULL;
  for (int pass = 2; pass >= 0; --pass) { // by the last of the ascending corners first
    for (int t = 0; t < count; ++t) {
      const int *corner = corners + (size_t)t * 3;
      int middle = corner[1] < corner[2] ? corner[1] : corner[2], high = corner[1] < corner[2] ? corner[2] : corner[1];
      key[t] = pass == 2 ? high : pass == 1 ? middle : corner[0];
    }
    int *to = pass == 1 ? other : one;
    mus_sort_by_key(count, points, key, from, start, to);
    from = to;
  }
  for (int t = 0; t < count; ++t)
    memcpy(sorted + (size_t)t * 3, corners + (size_t)from[t] * 3, 3 * sizeof *corners);
  return MUS_OK;
}

static mus_status triangulate(qhT *qh, mus_arena *scratch, int count, const double *point, int *triangles,
                              int **corners) {
  size_t bytes = (size_t)count * 2 * sizeof *point;
  double *copy = mus_arena_alloc(scratch, 1, bytes); // qhull may move points
  FILE *messages = fopen("/dev/null", "w");
  char command[] = "qhull d Qbb Qt Qz"; // scaled, all facets triangles, points on one circle allowed
  mus_status status = MUS_OK;
  qh_zero(qh, messages);
  if (!copy || !messages) {
    status = mus_fail_memory();
  } else {
    memcpy(copy, point, bytes);
    int code = qh_new_qhull(qh, 2, count, copy, False, command, NULL, messages);
    if (code == qh_ERRmem)
      status = mus_fail_memory();
    else if (code != qh_ERRnone)
      status =
          mus_fail(MUS_BAD_INPUT, "qhull found no triangulation of %d points (code %d): move them apart", count, code);
    else
      status = collect(qh, scratch, point, triangles, corners);
    int long_blocks, long_bytes;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &long_blocks, &long_bytes);
  }
  if (messages)
    fclose(messages);
  return status;
}

mus_status mus_delaunay(mus_arena *arena, int count, const double *point, int *triangles, int **triangle) {
  mus_arena scratch = {0};
  int found = 0, *corners = NULL, *sorted = NULL;
  qhT *qh = mus_arena_alloc_zero(&scratch, 1, sizeof *qh);
  mus_status status = qh ? triangulate(qh, &scratch, count, point, &found, &corners) : mus_fail_memory();
  if (status == MUS_OK) {
    sorted = mus_arena_alloc(arena, (size_t)found * 3, sizeof *sorted);
    status = sorted ? sort_triangles(&scratch, count, found, corners, sorted) : mus_fail_memory();
  }
  mus_arena_clear(&scratch);
  if (status == MUS_OK) {
    *triangles = found;
    *triangle = sorted;
  }
  return status;
}

#else

mus_status mus_delaunay(mus_arena *arena, int count, const double *point, int *triangles, int **triangle) {
  (void)arena, (void)count, (void)point, (void)triangles, (void)triangle;
  return mus_fail(MUS_UNSUPPORTED, "this build has no qhull, which irregular tessellations need: install libqhull-dev "
                                   "and build again, or ask for a regular one");
}

#endif
