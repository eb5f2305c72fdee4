// Making a detector, asking its trees, and putting answers in order. See detector.h and detector_state.h.
#include "collide/detector.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/vector3.h"
#include "collide/detector_state.h"
#include "collide/distance.h"
#include "mesh/sort.h"
#include "par/par.h"
#include "par/vector.h"

// --- making --------------------------------------------------------------------------------------------------------

// Every vertex and every edge belongs to the first of its triangles.
static void deal_out(const mus_surface *surface, const mus_tree *tree, mus_triangle_parts *parts) {
  for (int i = 0; i < tree->triangles; ++i) {
    mus_triangle_parts *p = &parts[tree->first + i];
    int t = p->triangle = tree->triangle[i];
    p->own_corners = p->own_edges = 0;
    for (int k = 0; k < 3; ++k) {
      int v = surface->triangle[3 * (size_t)t + (size_t)k], e = surface->triangle_edge[3 * (size_t)t + (size_t)k];
      p->corner[k] = v;
      p->edge[k] = e;
      memcpy(p->end[k], surface->edge + (size_t)e * 2, sizeof p->end[k]);
      if (surface->vertex_triangle[surface->vertex_start[v]] == t)
        p->own_corners |= 1u << k;
      if (surface->edge_triangle[surface->edge_start[e]] == t)
        p->own_edges |= 1u << k;
    }
  }
}

static void fit(mus_detector *d, const double *x0, const double *x1, double scale, const unsigned char *moved);

static mus_status create_parts(mus_detector *d, const double *x) {
  const mus_surface *surface = d->surface;
  size_t vertices = (size_t)surface->vertices, edges = (size_t)surface->edges;
  d->vertex_box = mus_arena_alloc(&d->arena, vertices, sizeof *d->vertex_box);
  d->changed = mus_arena_alloc(&d->arena, vertices, 1);
  d->parts = mus_arena_alloc(&d->arena, (size_t)surface->triangles, sizeof *d->parts);
  d->slab = mus_arena_alloc(&d->arena, (size_t)surface->triangles, sizeof *d->slab);
  d->start = mus_arena_alloc(&d->arena, vertices + edges + 2, sizeof *d->start);
  d->task = mus_arena_alloc(&d->arena, 2 * MUS_TREE_TASKS, sizeof *d->task);
  if (!d->vertex_box || !d->changed || !d->parts || !d->slab || !d->start || !d->task)
    return mus_fail_memory();
  int cloth = surface->cloth_triangles, body = surface->triangles - cloth;
  int levels = mus_tree_levels(cloth > body ? cloth : body);
  mus_status status = mus_tree_create(&d->arena, 0, cloth, levels, surface->triangle, x, &d->cloth);
  if (status == MUS_OK)
    status = mus_tree_create(&d->arena, cloth, body, levels, surface->triangle, x, &d->body);
  if (status != MUS_OK)
    return status;
  deal_out(surface, &d->cloth, d->parts);
  deal_out(surface, &d->body, d->parts);
  fit(d, x, x, 0, NULL);
  return MUS_OK;
}

mus_status mus_detector_create(const mus_surface *surface, const double *x, mus_detector **out) {
  *out = NULL;
  mus_detector *detector = mus_alloc_zero(1, sizeof *detector);
  if (!detector)
    return mus_fail_memory();
  detector->surface = surface;
  mus_status status = create_parts(detector, x);
  if (status == MUS_OK)
    *out = detector;
  else
    mus_detector_free(detector);
  return status;
}

void mus_detector_free(mus_detector *detector) {
  if (!detector)
    return;
  for (int i = 0; i < detector->threads; ++i)
    mus_free(detector->answers[i].items);
  mus_free(detector->answers);
  mus_free(detector->found.items);
  mus_arena_clear(&detector->release_arena);
  mus_arena_clear(&detector->arena);
  mus_free(detector);
}

size_t mus_detector_bytes(const mus_detector *detector) {
  size_t bytes = sizeof *detector + detector->arena.bytes + detector->release_arena.bytes +
                 detector->found.capacity * sizeof(mus_found);
  for (int i = 0; i < detector->threads; ++i)
    bytes += sizeof *detector->answers + detector->answers[i].capacity * detector->answer_size;
  return bytes;
}

// --- boxes ---------------------------------------------------------------------------------------------------------

// In single precision, and surely not above (below) x: the margin is more than conversion and the sum before it can be
// off by.
static float rounded_down(double x) { return (float)(x - fabs(x) * 0x1p-23 - 1e-37); }
static float rounded_up(double x) { return (float)(x + fabs(x) * 0x1p-23 + 1e-37); }

static void fit_vertex(mus_detector *d, int v, const double *x0, const double *x1, double scale) {
  double reach = scale * d->surface->radius[v] * (1 + 0x1p-40);
  mus_box box = {{{0}}, {{0}}};
  for (int i = 0; i < 2; ++i)
    for (int c = 0; c < 3; ++c) {
      double x = (i ? x1 : x0)[(size_t)v * 3 + (size_t)c];
      box.low[i][c] = rounded_down(x - reach);
      box.high[i][c] = rounded_up(x + reach);
    }
  d->changed[v] = !d->fitted || memcmp(&box, &d->vertex_box[v], sizeof box) != 0;
  d->vertex_box[v] = box;
}

// Boxes that stay as they are cost little: in the later rounds of a response few vertices move.
static void fit(mus_detector *d, const double *x0, const double *x1, double scale, const unsigned char *moved) {
  int vertices = d->surface->vertices;
  MUS_PARALLEL_FOR_IF(vertices >= MUS_PAR_MINIMUM)
  for (int v = 0; v < vertices; ++v)
    fit_vertex(d, v, x0, x1, scale);
  mus_tree_fit(&d->cloth, d->surface->triangle, d->vertex_box, d->changed, moved);
  mus_tree_fit(&d->body, d->surface->triangle, d->vertex_box, d->changed, moved);
  d->fitted = 1;
}

// --- asking --------------------------------------------------------------------------------------------------------

static mus_status reserve_lists(mus_detector *d, int threads) {
  if (threads > d->threads) {
    mus_list *answers = mus_alloc_zero((size_t)threads, sizeof *answers);
    if (!answers)
      return mus_fail_memory();
    if (d->threads > 0)
      memcpy(answers, d->answers, (size_t)d->threads * sizeof *answers);
    mus_free(d->answers);
    d->answers = answers;
    d->threads = threads;
  }
  return MUS_OK;
}

// Lists keep their memory from one question to the next, whatever size its answers have.
static void empty_lists(mus_detector *d, size_t size) {
  for (int i = 0; i < d->threads; ++i) {
    d->answers[i].capacity = d->answers[i].capacity * d->answer_size / size;
    d->answers[i].count = 0;
  }
  d->answer_size = size;
}

mus_status mus_detector_ask(mus_detector *d, const mus_query *query) {
  mus_status status = reserve_lists(d, mus_par_threads());
  if (status != MUS_OK)
    return status;
  empty_lists(d, query->size);
  fit(d, query->x0, query->x1, query->scale, query->moved);
  int with_slabs = !query->moved; // few pairs are not worth all slabs
  if (with_slabs)
    mus_fit_slabs(d, query);
  int tasks = mus_tree_tasks(&d->cloth, &d->cloth, d->task);
  tasks += mus_tree_tasks(&d->cloth, &d->body, d->task + tasks);
  int failed = 0;
  MUS_PARALLEL
  {
    mus_query mine = *query;
    mine.slab = with_slabs ? d->slab : NULL;
    mine.answers = &d->answers[mus_par_index()];
    MUS_SHARE_RUNS
    for (int i = 0; i < tasks; ++i)
      mus_tree_walk(&d->task[i], query->visit, &mine);
    MUS_ONE_AT_A_TIME
    failed |= mine.failed;
  }
  return failed ? mus_fail_memory() : MUS_OK;
}

int mus_may_collide(const mus_query *q, int count_a, const int *a, int count_b, const int *b) {
  for (int i = 0; i < count_a; ++i)
    for (int j = 0; j < count_b; ++j)
      if (a[i] == b[j])
        return 0;
  int marked = q->moved == NULL;
  for (int i = 0; i < count_a && !marked; ++i)
    marked = q->moved[a[i]];
  for (int j = 0; j < count_b && !marked; ++j)
    marked = q->moved[b[j]];
  return marked &&
         (q->detector->surface->seams == 0 || !mus_are_neighbours(q->detector->surface, count_a, a, count_b, b));
}

// The triangle's own vertices against the other triangle.
static void visit_vertices(mus_query *q, const mus_triangle_parts *own, const mus_triangle_parts *other,
                           const mus_box *other_box) {
  const mus_detector *d = q->detector;
  for (int k = 0; k < 3; ++k)
    if (own->own_corners >> k & 1 && mus_boxes_meet(&d->vertex_box[own->corner[k]], other_box) &&
        mus_may_collide(q, 1, own->corner + k, 3, other->corner))
      q->test(q, MUS_VERTEX_FACE, own->corner[k], other->triangle);
}

// A triangle's own edges whose boxes meet a box; how many.
static int own_edges(const mus_detector *d, const mus_triangle_parts *own, const mus_box *other, int place[3],
                     mus_box box[3]) {
  int count = 0;
  for (int k = 0; k < 3; ++k)
    if (own->own_edges >> k & 1) {
      place[count] = k;
      box[count] = mus_box_around(&d->vertex_box[own->end[k][0]], &d->vertex_box[own->end[k][1]]);
      count += mus_boxes_meet(&box[count], other);
    }
  return count;
}

static void visit_edges(mus_query *q, const mus_triangle_parts *a, const mus_box *box_a, const mus_triangle_parts *b,
                        const mus_box *box_b) {
  int place_a[3], place_b[3];
  mus_box edge_box_a[3], edge_box_b[3];
  int count_a = own_edges(q->detector, a, box_b, place_a, edge_box_a);
  int count_b = count_a > 0 ? own_edges(q->detector, b, box_a, place_b, edge_box_b) : 0;
  for (int i = 0; i < count_a; ++i)
    for (int j = 0; j < count_b; ++j) {
      if (!mus_boxes_meet(&edge_box_a[i], &edge_box_b[j]) ||
          !mus_may_collide(q, 2, a->end[place_a[i]], 2, b->end[place_b[j]]))
        continue;
      int first = a->edge[place_a[i]], second = b->edge[place_b[j]];
      q->test(q, MUS_EDGE_EDGE, first < second ? first : second, first < second ? second : first);
    }
}

void mus_visit_features(void *query, const mus_tree_task *task, int place_a, int place_b) {
  mus_query *q = query;
  int a = task->first->first + place_a, b = task->second->first + place_b;
  const mus_triangle_parts *parts_a = &q->detector->parts[a], *parts_b = &q->detector->parts[b];
  if (mus_kept_apart(q, a, b))
    return;
  const mus_box *box_a = &task->first->triangle_box[place_a], *box_b = &task->second->triangle_box[place_b];
  visit_vertices(q, parts_a, parts_b, box_b);
  visit_vertices(q, parts_b, parts_a, box_a);
  visit_edges(q, parts_a, box_a, parts_b, box_b);
}

// --- order ---------------------------------------------------------------------------------------------------------

void mus_found_order(const mus_surface *surface, const void *answer, int *bucket, int *number) {
  const mus_found *found = answer;
  *bucket = found->kind == MUS_VERTEX_FACE ? found->first : surface->vertices + found->first;
  *number = found->second;
}

static void sort_bucket(const mus_surface *surface, size_t size, mus_answer_order *order, char *item, int count) {
  char held[sizeof(mus_crossing)]; // the largest of the answers
  _Static_assert(sizeof(mus_crossing) >= sizeof(mus_found), "answers do not fit");
  for (int i = 1; i < count; ++i) {
    int bucket, number, other, j = i;
    order(surface, item + (size_t)i * size, &bucket, &number);
    memcpy(held, item + (size_t)i * size, size);
    for (; j > 0; --j) {
      order(surface, item + (size_t)(j - 1) * size, &bucket, &other);
      if (other < number)
        break;
      memcpy(item + (size_t)j * size, item + (size_t)(j - 1) * size, size);
    }
    memcpy(item + (size_t)j * size, held, size);
  }
}

// How many answers there are in each bucket, one place further on. Threads add to the same counts.
static void count_answers(mus_detector *d, size_t size, mus_answer_order *order, size_t total) {
  MUS_PARALLEL_FOR_IF(total >= MUS_PAR_MINIMUM)
  for (int t = 0; t < d->threads; ++t)
    for (size_t i = 0; i < d->answers[t].count; ++i) {
      int bucket, number;
      order(d->surface, (const char *)d->answers[t].items + i * size, &bucket, &number);
      __atomic_fetch_add(&d->start[bucket + 1], 1, __ATOMIC_RELAXED);
    }
}

// Puts answers into their buckets, in any order. Filled one place further on, each start moves to its own place.
static void place_answers(mus_detector *d, size_t size, mus_answer_order *order, size_t total, char *item) {
  MUS_PARALLEL_FOR_IF(total >= MUS_PAR_MINIMUM)
  for (int t = 0; t < d->threads; ++t)
    for (size_t i = 0; i < d->answers[t].count; ++i) {
      const char *answer = (const char *)d->answers[t].items + i * size;
      int bucket, number;
      order(d->surface, answer, &bucket, &number);
      memcpy(item + (size_t)__atomic_fetch_add(&d->start[bucket + 1], 1, __ATOMIC_RELAXED) * size, answer, size);
    }
}

mus_status mus_detector_collect(mus_detector *d, size_t size, mus_answer_order *order, mus_list *out) {
  int buckets = d->surface->vertices + d->surface->edges;
  size_t total = 0;
  for (int t = 0; t < d->threads; ++t)
    total += d->answers[t].count;
  out->count = 0;
  if (!mus_list_reserve(out, total, size))
    return mus_fail_memory();
  if (total == 0)
    return MUS_OK;
  char *item = out->items;
  memset(d->start, 0, ((size_t)buckets + 2) * sizeof *d->start);
  count_answers(d, size, order, total);
  mus_accumulate(buckets, d->start + 1);
  place_answers(d, size, order, total, item);
  out->count = total;
  MUS_PARALLEL_FOR_IF(total >= MUS_PAR_MINIMUM)
  for (int b = 0; b < buckets; ++b)
    if (d->start[b + 1] - d->start[b] > 1)
      sort_bucket(d->surface, size, order, item + (size_t)d->start[b] * size, d->start[b + 1] - d->start[b]);
  return MUS_OK;
}

// --- contacts ------------------------------------------------------------------------------------------------------

void mus_pair_nodes(const mus_surface *surface, mus_pair_kind kind, int first, int second, int node[4]) {
  if (kind == MUS_VERTEX_FACE) {
    node[0] = first;
    memcpy(node + 1, surface->triangle + (size_t)second * 3, 3 * sizeof *node);
  } else {
    memcpy(node, surface->edge + (size_t)first * 2, 2 * sizeof *node);
    memcpy(node + 2, surface->edge + (size_t)second * 2, 2 * sizeof *node);
  }
}

// A direction for features that touch: across both of them, whatever it is where they have none.
static void touching_normal(mus_pair_kind kind, const double x[4][3], double normal[3]) {
  double a[3], b[3];
  if (kind == MUS_VERTEX_FACE) {
    mus_subtract3(x[2], x[1], a);
    mus_subtract3(x[3], x[1], b);
  } else {
    mus_subtract3(x[1], x[0], a);
    mus_subtract3(x[3], x[2], b);
  }
  mus_cross3(a, b, normal);
  double length = mus_length3(normal);
  for (int c = 0; c < 3; ++c)
    normal[c] = length > 0 ? normal[c] / length : c == 1;
}

static void write_contact(const mus_surface *surface, const mus_found *found, const double *x0, const double *x1,
                          mus_contact *contact) {
  double x[4][3], end[4][3];
  *contact = (mus_contact){.kind = found->kind, .first = found->first, .second = found->second, .time = found->time};
  mus_pair_nodes(surface, found->kind, found->first, found->second, contact->node);
  mus_pair_positions(contact->node, x0, x);
  mus_pair_positions(contact->node, x1, end);
  for (int k = 0; k < 4 && found->time > 0; ++k)
    for (int c = 0; c < 3; ++c)
      x[k][c] += found->time * (end[k][c] - x[k][c]);
  const double(*at)[3] = (const double(*)[3])x;
  contact->distance = found->kind == MUS_VERTEX_FACE ? mus_vertex_face_distance(at, contact->weight)
                                                     : mus_edge_edge_distance(at, contact->weight);
  mus_weigh(at, contact->weight, contact->normal);
  if (contact->distance > 1e-150)
    for (int c = 0; c < 3; ++c)
      contact->normal[c] /= contact->distance;
  else
    touching_normal(found->kind, at, contact->normal);
}

mus_status mus_write_contacts(mus_detector *d, const double *x0, const double *x1, mus_list *contacts) {
  const mus_found *found = d->found.items;
  int count = (int)d->found.count;
  contacts->count = 0;
  if (!mus_list_reserve(contacts, d->found.count, sizeof(mus_contact)))
    return mus_fail_memory();
  mus_contact *contact = contacts->items;
  MUS_PARALLEL_FOR_IF(count >= MUS_PAR_MINIMUM)
  for (int i = 0; i < count; ++i)
    write_contact(d->surface, &found[i], x0, x1, &contact[i]);
  contacts->count = d->found.count;
  return MUS_OK;
}

// --- released pairs ------------------------------------------------------------------------------------------------

typedef struct rings {
  const mus_surface *surface;
  int *start; // moves on with each code, one place further than where it ends up
  int *list;  // NULL: codes are counted only
  int *last;  // vertices: the code that came last, so that none comes twice
} rings;

// Puts `code` at the end of the lists of all corners of the triangles around these vertices.
static void add_ring(rings *r, const int *node, int count, int code) {
  const mus_surface *surface = r->surface;
  for (int k = 0; k < count; ++k)
    for (int i = surface->vertex_start[node[k]]; i < surface->vertex_start[node[k] + 1]; ++i)
      for (int c = 0; c < 3; ++c) {
        int v = surface->triangle[(size_t)surface->vertex_triangle[i] * 3 + (size_t)c];
        if (r->last[v] == code)
          continue;
        r->last[v] = code;
        int place = r->start[v + 1]++;
        if (r->list)
          r->list[place] = code;
      }
}

static void add_rings(rings *r, const mus_list *crossings) {
  const mus_crossing *crossing = crossings->items;
  for (int v = 0; v < r->surface->vertices; ++v)
    r->last[v] = -1;
  for (int i = 0; i < (int)crossings->count; ++i) {
    add_ring(r, r->surface->edge + (size_t)crossing[i].edge * 2, 2, 2 * i);
    add_ring(r, r->surface->triangle + (size_t)crossing[i].triangle * 3, 3, 2 * i + 1);
  }
}

void mus_loosen_vertex(const mus_surface *surface, int vertex, const mus_loose *loose) {
  loose->vertex[vertex] = 1;
  for (int k = surface->vertex_start[vertex]; k < surface->vertex_start[vertex + 1]; ++k) {
    size_t t = (size_t)surface->vertex_triangle[k];
    loose->triangle[t] = 1;
    for (size_t c = 0; c < 3; ++c) // edge c lies opposite corner c
      if (surface->triangle[3 * t + c] != vertex)
        loose->edge[surface->triangle_edge[3 * t + c]] = 1;
  }
}

void mus_loosen_edge(const mus_surface *surface, int edge, const mus_loose *loose) {
  loose->edge[edge] = 1;
  for (int k = surface->edge_start[edge]; k < surface->edge_start[edge + 1]; ++k)
    loose->triangle[surface->edge_triangle[k]] = 1;
}

mus_status mus_detector_release(mus_detector *d, const mus_list *crossings, const mus_loose *loose) {
  size_t vertices = (size_t)d->surface->vertices;
  mus_arena_clear(&d->release_arena);
  d->loose = loose;
  d->release_start = d->release_code = NULL;
  if (!crossings || crossings->count == 0)
    return MUS_OK;
  int *start = mus_arena_alloc_zero(&d->release_arena, vertices + 2, sizeof *start);
  if (!start)
    return mus_fail_memory();
  rings r = {.surface = d->surface, .start = start, .last = d->start};
  add_rings(&r, crossings);
  mus_accumulate((int)vertices, start + 1);
  r.list = mus_arena_alloc(&d->release_arena, (size_t)start[vertices + 1], sizeof *r.list);
  if (!r.list)
    return mus_fail_memory();
  add_rings(&r, crossings);
  d->release_start = start;
  d->release_code = r.list;
  return MUS_OK;
}

// Whether vertex v lies in the ring.
static int is_in_ring(const mus_detector *d, int v, int code) {
  int low = d->release_start[v], high = d->release_start[v + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (d->release_code[middle] < code)
      low = middle + 1;
    else
      high = middle;
  }
  return low < d->release_start[v + 1] && d->release_code[low] == code;
}

// Whether a feature of cloth and one of a body are both loose.
static int is_loose(const mus_detector *d, mus_pair_kind kind, int first, int second, const int node[4]) {
  const mus_loose *loose = d->loose;
  int cloth = d->surface->cloth_vertices;
  if (!loose || (node[0] < cloth) == (node[3] < cloth))
    return 0;
  return kind == MUS_VERTEX_FACE ? loose->vertex[first] && loose->triangle[second]
                                 : loose->edge[first] && loose->edge[second];
}

int mus_pair_is_released(const mus_detector *d, mus_pair_kind kind, int first, int second, const int node[4]) {
  if (is_loose(d, kind, first, second, node))
    return 1;
  if (!d->release_start)
    return 0;
  int nodes = kind == MUS_VERTEX_FACE ? 1 : 2; // of the first feature
  for (int k = 0; k < 4; ++k)
    if (d->release_start[node[k]] == d->release_start[node[k] + 1])
      return 0;
  for (int i = d->release_start[node[0]]; i < d->release_start[node[0] + 1]; ++i) {
    int code = d->release_code[i], released = 1;
    for (int k = 1; k < 4 && released; ++k)
      released = is_in_ring(d, node[k], k < nodes ? code : code ^ 1);
    if (released)
      return 1;
  }
  return 0;
}
