// See weld.h.
#include "mesh/weld.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "mesh/groups.h"
#include "mesh/weld_corners.h"

// One of them as seen walking around a triangle.
typedef struct passed {
  int vertex;
  double material[2];
} passed;

// A part of a triangle: side k runs from corner k to the next and passes walk[first[k]] ... walk[last[k] - 1].
typedef struct piece {
  int corner[3];
  double material[3][2];
  int first[3], last[3];
} piece;

typedef struct welding {
  mus_arena scratch;
  const mus_mesh *mesh;
  int *group;
  mus_weld_insert *inserts;
  int insert_count;
  mus_list walk;                      // passed, of one triangle
  mus_list stack;                     // piece, of one triangle
  mus_list corners, material, source; // int * 3, double * 6, int: of all that there are now
} welding;

// --- what lies on edges ----------------------------------------------------------------------------------------------

static int by_edges(const void *a, const void *b) {
  const mus_weld_insert *x = a, *y = b;
  if (x->low != y->low)
    return x->low < y->low ? -1 : 1;
  if (x->high != y->high)
    return x->high < y->high ? -1 : 1;
  if (x->ratio != y->ratio)
    return x->ratio < y->ratio ? -1 : 1;
  return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

// By edges, each vertex once on each.
static void order_inserts(welding *w) {
  qsort(w->inserts, (size_t)w->insert_count, sizeof *w->inserts, by_edges);
  int kept = 0;
  for (int k = 0; k < w->insert_count; ++k) {
    const mus_weld_insert *i = &w->inserts[k], *last = kept > 0 ? &w->inserts[kept - 1] : NULL;
    if (!last || last->low != i->low || last->high != i->high || last->vertex != i->vertex)
      w->inserts[kept++] = *i;
  }
  w->insert_count = kept;
}

static void list_inserts(welding *w, int count, const mus_tie *tie, const unsigned char *closed) {
  for (int k = 0; k < count; ++k) {
    int a = mus_group_first(w->group, tie[k].a), b = mus_group_first(w->group, tie[k].b),
        c = mus_group_first(w->group, tie[k].c);
    if (!closed[k] || tie[k].b == tie[k].c || a == b || a == c || b == c)
      continue;
    w->inserts[w->insert_count++] =
        b < c ? (mus_weld_insert){b, c, tie[k].ratio, a} : (mus_weld_insert){c, b, 1 - tie[k].ratio, a};
  }
  order_inserts(w);
}

// What closes slits at corners.
static mus_status add_corners(welding *w) {
  int count;
  mus_weld_insert *corner, *all;
  mus_status status = mus_weld_corners(&w->scratch, w->mesh, w->group, w->insert_count, w->inserts, &count, &corner);
  if (status || count == 0)
    return status;
  if (!(all = mus_arena_alloc(&w->scratch, (size_t)(w->insert_count + count), sizeof *all)))
    return mus_fail_memory();
  memcpy(all, w->inserts, (size_t)w->insert_count * sizeof *all);
  memcpy(all + w->insert_count, corner, (size_t)count * sizeof *all);
  w->inserts = all;
  w->insert_count += count;
  order_inserts(w);
  return MUS_OK;
}

// The first insert that is not before the edge.
static int find_edge(const welding *w, int low, int high) {
  int from = 0, to = w->insert_count;
  while (from < to) {
    int middle = from + (to - from) / 2;
    const mus_weld_insert *i = &w->inserts[middle];
    if (i->low < low || (i->low == low && i->high < high))
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

// --- triangles -------------------------------------------------------------------------------------------------------

static mus_status add_passed(welding *w, const piece *p, int side, const mus_weld_insert *i, int forward) {
  passed *item = mus_list_add(&w->walk, sizeof *item);
  if (!item)
    return mus_fail_memory();
  double along = forward ? i->ratio : 1 - i->ratio;
  item->vertex = i->vertex;
  for (int c = 0; c < 2; ++c)
    item->material[c] = (1 - along) * p->material[side][c] + along * p->material[(side + 1) % 3][c];
  return MUS_OK;
}

// What the three sides pass, in the order of walking.
static mus_status walk_around(welding *w, piece *p) {
  mus_status status = MUS_OK;
  w->walk.count = 0;
  for (int side = 0; side < 3; ++side) {
    int a = p->corner[side], b = p->corner[(side + 1) % 3], low = a < b ? a : b, high = a < b ? b : a;
    int from = find_edge(w, low, high), to = from;
    while (to < w->insert_count && w->inserts[to].low == low && w->inserts[to].high == high)
      ++to;
    p->first[side] = (int)w->walk.count;
    for (int k = 0; k < to - from && !status; ++k) {
      const mus_weld_insert *i = &w->inserts[a == low ? from + k : to - 1 - k];
      if (i->vertex != p->corner[(side + 2) % 3])
        status = add_passed(w, p, side, i, a == low);
    }
    p->last[side] = (int)w->walk.count;
  }
  return status;
}

static mus_status emit(welding *w, const piece *p, int source) {
  if (p->corner[0] == p->corner[1] || p->corner[1] == p->corner[2] || p->corner[2] == p->corner[0])
    return MUS_OK;
  int *corner = mus_list_add(&w->corners, 3 * sizeof *corner), *from = mus_list_add(&w->source, sizeof *from);
  double *material = mus_list_add(&w->material, 6 * sizeof *material);
  if (!corner || !from || !material)
    return mus_fail_memory();
  memcpy(corner, p->corner, sizeof p->corner);
  memcpy(material, p->material, sizeof p->material);
  *from = source;
  return MUS_OK;
}

// From the first vertex that side `k` passes a cut goes to the corner opposite: two pieces.
static void divide(const welding *w, const piece *p, int k, piece part[2]) {
  const passed *at = (const passed *)w->walk.items + p->first[k];
  int next = (k + 1) % 3, last = (k + 2) % 3;
  part[0] = part[1] = *p;
  part[0].corner[next] = part[1].corner[k] = at->vertex;
  memcpy(part[0].material[next], at->material, sizeof at->material);
  memcpy(part[1].material[k], at->material, sizeof at->material);
  part[0].last[k] = part[0].first[k];
  part[0].last[next] = part[0].first[next];
  ++part[1].first[k];
  part[1].last[last] = part[1].first[last];
}

static mus_status weld_triangle(welding *w, int t) {
  piece p = {{0}, {{0}}, {0}, {0}};
  for (int k = 0; k < 3; ++k) {
    p.corner[k] = mus_group_first(w->group, w->mesh->triangle[3 * (size_t)t + (size_t)k]);
    if (w->mesh->material)
      memcpy(p.material[k], w->mesh->material + 6 * (size_t)t + 2 * (size_t)k, sizeof p.material[k]);
  }
  mus_status status = walk_around(w, &p);
  w->stack.count = 0;
  for (;;) {
    int k = 0;
    while (k < 3 && p.first[k] == p.last[k])
      ++k;
    if (k < 3 && !status) {
      piece part[2], *later = mus_list_add(&w->stack, sizeof *later);
      if (!later)
        return mus_fail_memory();
      divide(w, &p, k, part);
      *later = part[1];
      p = part[0];
      continue;
    }
    if (!status)
      status = emit(w, &p, t);
    if (status || w->stack.count == 0)
      return status;
    p = ((piece *)w->stack.items)[--w->stack.count];
  }
}

// --- all -------------------------------------------------------------------------------------------------------------

static mus_status number_vertices(mus_arena *arena, welding *w, mus_weld *out) {
  int vertices = w->mesh->vertices;
  out->vertex = mus_arena_alloc(arena, (size_t)vertices, sizeof *out->vertex);
  out->kept = mus_arena_alloc(arena, (size_t)vertices, sizeof *out->kept);
  if (!out->vertex || !out->kept)
    return mus_fail_memory();
  for (int i = 0; i < vertices; ++i) {
    int first = mus_group_first(w->group, i); // never after i
    if (first == i) {
      out->kept[out->mesh.vertices] = i;
      out->vertex[i] = out->mesh.vertices++;
    } else {
      out->vertex[i] = out->vertex[first];
    }
  }
  return MUS_OK;
}

static mus_status take_triangles(mus_arena *arena, const welding *w, mus_weld *out) {
  size_t count = w->source.count;
  mus_mesh *mesh = &out->mesh;
  mesh->triangles = (int)count;
  mesh->triangle = mus_arena_alloc(arena, 3 * count, sizeof *mesh->triangle);
  mesh->material = w->mesh->material ? mus_arena_alloc(arena, 6 * count, sizeof *mesh->material) : NULL;
  out->source = mus_arena_alloc(arena, count, sizeof *out->source);
  if (!mesh->triangle || (w->mesh->material && !mesh->material) || !out->source)
    return mus_fail_memory();
  for (size_t i = 0; i < 3 * count; ++i)
    mesh->triangle[i] = out->vertex[((const int *)w->corners.items)[i]];
  if (count > 0 && mesh->material)
    memcpy(mesh->material, w->material.items, 6 * count * sizeof *mesh->material);
  if (count > 0)
    memcpy(out->source, w->source.items, count * sizeof *out->source);
  return MUS_OK;
}

static mus_status weld(mus_arena *arena, welding *w, int count, const mus_tie *tie, const unsigned char *closed,
                       int corners, mus_weld *out) {
  w->group = mus_arena_alloc(&w->scratch, (size_t)w->mesh->vertices, sizeof *w->group);
  w->inserts = mus_arena_alloc(&w->scratch, (size_t)count, sizeof *w->inserts);
  if (!w->group || !w->inserts)
    return mus_fail_memory();
  for (int i = 0; i < w->mesh->vertices; ++i)
    w->group[i] = i;
  for (int k = 0; k < count; ++k)
    if (closed[k] && tie[k].b == tie[k].c)
      mus_group_join(w->group, tie[k].a, tie[k].b);
  list_inserts(w, count, tie, closed);
  mus_status status = corners ? add_corners(w) : MUS_OK;
  for (int t = 0; t < w->mesh->triangles && !status; ++t)
    status = weld_triangle(w, t);
  if (!status)
    status = number_vertices(arena, w, out);
  return status ? status : take_triangles(arena, w, out);
}

mus_status mus_weld_create(mus_arena *arena, const mus_mesh *mesh, int count, const mus_tie *tie,
                           const unsigned char *closed, int corners, mus_weld *out) {
  welding w = {.mesh = mesh};
  *out = (mus_weld){0};
  mus_status status = weld(arena, &w, count, tie, closed, corners, out);
  mus_free(w.walk.items);
  mus_free(w.stack.items);
  mus_free(w.corners.items);
  mus_free(w.material.items);
  mus_free(w.source.items);
  mus_arena_clear(&w.scratch);
  return status;
}

void mus_weld_values(const mus_weld *weld, int width, const double *before, double *now) {
  for (int i = 0; i < weld->mesh.vertices; ++i)
    memcpy(now + (size_t)width * (size_t)i, before + (size_t)width * (size_t)weld->kept[i],
           (size_t)width * sizeof *now);
}
