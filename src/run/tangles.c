// See tangles.h.
#include "run/tangles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector3.h"
#include "sim/access.h"

// Pairs that regions are made of; more are counted, but not looked at.
enum { PLACES = 4096 };

// --- life ------------------------------------------------------------------------------------------------------------

// Some edges of the parts' triangles.
static double reach_of(const mus_sim *sim) {
  enum { EDGES = 4 };
  const double *x = mus_sim_positions(sim);
  const int *corner = mus_sim_triangle_list(sim);
  double sum = 0, edge[3];
  int triangles = mus_sim_triangles(sim);
  for (int t = 0; t < triangles; ++t) {
    mus_subtract3(x + 3 * (size_t)corner[3 * t], x + 3 * (size_t)corner[3 * t + 1], edge);
    sum += mus_length3(edge);
  }
  return EDGES * sum / (triangles > 0 ? triangles : 1);
}

mus_status mus_tangles_open(const char *folder, const mus_sim *sim, int threads, mus_tangles *out) {
  *out = (mus_tangles){.start = -1, .last = -1, .reach = reach_of(sim)};
  mus_status status = mus_checker_open(folder, PLACES, threads, &out->checker);
  if (status == MUS_BAD_INPUT)
    return MUS_OK;
  if (!status)
    status = mus_tangles_search(out, 0);
  out->start = out->last;
  return status;
}

void mus_tangles_close(mus_tangles *tangles) {
  mus_checker_close(tangles->checker);
  mus_free(tangles->since.items);
  *tangles = (mus_tangles){.start = -1, .last = -1};
}

// --- since when ------------------------------------------------------------------------------------------------------

static mus_tangled_since *find_since(const mus_tangles *tangles, const char *cloth, const char *other) {
  mus_tangled_since *list = tangles->since.items;
  for (size_t k = 0; k < tangles->since.count; ++k)
    if (strcmp(list[k].cloth, cloth) == 0 && strcmp(list[k].other, other) == 0)
      return &list[k];
  return NULL;
}

static mus_status note_since(mus_tangles *tangles, int frame) {
  mus_tangled_since *list = tangles->since.items;
  size_t kept = 0;
  for (size_t k = 0; k < tangles->since.count; ++k)
    list[k].seen = 0;
  for (int k = 0; k < tangles->found.pair_count; ++k) {
    const mus_check_pair *pair = &tangles->found.pairs[k];
    if (pair->kind == MUS_CHECK_SEAM)
      continue;
    mus_tangled_since *since = find_since(tangles, pair->name[0], pair->name[1]);
    if (!since) {
      if (!(since = mus_list_add(&tangles->since, sizeof *since)))
        return mus_fail_memory();
      memset(since, 0, sizeof *since);
      snprintf(since->cloth, sizeof since->cloth, "%s", pair->name[0]);
      snprintf(since->other, sizeof since->other, "%s", pair->name[1]);
      since->frame = frame;
    }
    since->seen = 1;
  }
  list = tangles->since.items;
  for (size_t k = 0; k < tangles->since.count; ++k)
    if (list[k].seen)
      list[kept++] = list[k];
  tangles->since.count = kept;
  return MUS_OK;
}

mus_status mus_tangles_search(mus_tangles *tangles, int frame) {
  if (!tangles->checker)
    return MUS_OK;
  mus_status status = mus_checker_search(tangles->checker, frame, &tangles->found);
  if (status)
    return status;
  tangles->last = mus_check_pairs(&tangles->found.counts) - tangles->found.counts.of_lattices;
  return note_since(tangles, frame);
}

// --- where -----------------------------------------------------------------------------------------------------------

static int is_same(const mus_check_pair *a, const mus_check_pair *b, double reach) {
  double way[3];
  if (strcmp(a->name[0], b->name[0]) != 0 || strcmp(a->name[1], b->name[1]) != 0)
    return 0;
  mus_subtract3(a->place, b->place, way);
  return mus_dot3(way, way) <= reach * reach;
}

// All pairs from pair `first` on that chains of near ones join: they get the number of the region.
static void collect(const mus_tangles *tangles, int first, int number, int *region, int *queue) {
  const mus_check_pair *pairs = tangles->found.pairs;
  int read = 0, count = 1;
  queue[0] = first;
  region[first] = number;
  while (read < count) {
    const mus_check_pair *at = &pairs[queue[read++]];
    for (int k = first + 1; k < tangles->found.pair_count; ++k)
      if (region[k] < 0 && pairs[k].kind != MUS_CHECK_SEAM && is_same(at, &pairs[k], tangles->reach)) {
        region[k] = number;
        queue[count++] = k;
      }
  }
}

static mus_run_tangle describe(const mus_tangles *tangles, int number, const int *region) {
  mus_run_tangle out = {0};
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int k = 0; k < tangles->found.pair_count; ++k) {
    const mus_check_pair *pair = &tangles->found.pairs[k];
    if (region[k] != number)
      continue;
    ++out.pairs;
    out.is_body = pair->kind == MUS_CHECK_CLOTH_BODY || pair->kind == MUS_CHECK_SOLID_BODY;
    out.is_solid = pair->kind == MUS_CHECK_CLOTH_SOLID || pair->kind == MUS_CHECK_SOLID_SOLID;
    snprintf(out.cloth, sizeof out.cloth, "%s", pair->name[0]);
    snprintf(out.other, sizeof out.other, "%s", pair->name[1]);
    for (int c = 0; c < 3; ++c) {
      low[c] = fmin(low[c], pair->place[c]);
      high[c] = fmax(high[c], pair->place[c]);
    }
  }
  for (int c = 0; c < 3; ++c) {
    out.place[c] = (low[c] + high[c]) / 2;
    out.size = fmax(out.size, high[c] - low[c]);
  }
  const mus_tangled_since *since = find_since(tangles, out.cloth, out.other);
  out.since = since ? since->frame : 0;
  return out;
}

// The largest first; then in the order in which they were found.
static void insert(const mus_run_tangle *one, int most, int count, mus_run_tangle *regions) {
  int place = count < most ? count : most - 1;
  if (most == 0 || (count >= most && regions[place].pairs >= one->pairs))
    return;
  for (; place > 0 && regions[place - 1].pairs < one->pairs; --place)
    regions[place] = regions[place - 1];
  regions[place] = *one;
}

int mus_tangles_regions(const mus_tangles *tangles, int most, mus_run_tangle *regions) {
  int pairs = tangles->found.pair_count, count = 0;
  int *region = mus_alloc((size_t)pairs + 1, sizeof *region), *queue = mus_alloc((size_t)pairs + 1, sizeof *queue);
  for (int k = 0; k < pairs && region; ++k)
    region[k] = -1;
  for (int k = 0; k < pairs && region && queue; ++k)
    if (region[k] < 0 && tangles->found.pairs[k].kind != MUS_CHECK_SEAM) {
      collect(tangles, k, count, region, queue);
      mus_run_tangle one = describe(tangles, count, region);
      insert(&one, most, count, regions);
      ++count;
    }
  mus_free(region);
  mus_free(queue);
  return count;
}

char *mus_tangles_json(const mus_tangles *tangles) {
  enum { ITEM = 2 * MUS_RESULT_NAME + 256, MOST = 64 };
  mus_run_tangle *list = mus_alloc(MOST, sizeof *list);
  int count = list ? mus_tangles_regions(tangles, MOST, list) : 0;
  count = count < MOST ? count : MOST;
  char *text = list ? mus_alloc((size_t)count * ITEM + 3, 1) : NULL;
  size_t used = 0;
  if (text)
    text[used++] = '[';
  for (int k = 0; k < count && text; ++k) {
    const mus_run_tangle *t = &list[k];
    used += (size_t)snprintf(text + used, ITEM,
                             "%s{\"cloth\": \"%s\", \"with\": \"%s\", \"body\": %s, \"pairs\": %lld, \"place\": "
                             "[%.6g, %.6g, %.6g], \"size\": %.6g, \"since_frame\": %d}",
                             k > 0 ? ", " : "", t->cloth, t->other, t->is_body ? "true" : "false", t->pairs,
                             t->place[0], t->place[1], t->place[2], t->size, t->since);
  }
  if (text)
    memcpy(text + used, "]", 2);
  mus_free(list);
  return text;
}
