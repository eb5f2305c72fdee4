// See extend.h. Layer 1 are the known nodes; layer n + 1 those without a value that are neighbours of layers up to n.
#include "lattice/extend.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/small.h"
#include "par/par.h"

enum { REACH = 2, MOST_SAMPLES = (2 * REACH + 1) * (2 * REACH + 1) * (2 * REACH + 1) };

int mus_extend_is_known(const mus_cells *cells, int axis, size_t cell) {
  size_t stride = axis == 0   ? 1
                  : axis == 1 ? (size_t)cells->count[0]
                              : (size_t)cells->count[0] * (size_t)cells->count[1];
  int above = cells->kind[cell], below = cell >= stride ? cells->kind[cell - stride] : MUS_CELL_EXTERIOR;
  return above == MUS_CELL_DIRICHLET || below == MUS_CELL_DIRICHLET ||
         (above == MUS_CELL_INTERIOR && below == MUS_CELL_INTERIOR);
}

// --- layers --------------------------------------------------------------------------------------------------------

static int has_neighbour(const mus_cells *cells, const unsigned char *layer, int i, int j, int k) {
  for (int dk = -1; dk <= 1; ++dk)
    for (int dj = -1; dj <= 1; ++dj)
      for (int di = -1; di <= 1; ++di) {
        int a = i + di, b = j + dj, c = k + dk;
        if (a >= 0 && b >= 0 && c >= 0 && a < cells->count[0] && b < cells->count[1] && c < cells->count[2] &&
            layer[mus_cells_number(cells, a, b, c)])
          return 1;
      }
  return 0;
}

static void grow(const mus_cells *cells, const unsigned char *layer, int number, unsigned char *next) {
  MUS_PARALLEL_FOR
  for (int k = 0; k < cells->count[2]; ++k)
    for (int j = 0; j < cells->count[1]; ++j)
      for (int i = 0; i < cells->count[0]; ++i) {
        size_t cell = mus_cells_number(cells, i, j, k);
        next[cell] = layer[cell];
        if (!layer[cell] && has_neighbour(cells, layer, i, j, k))
          next[cell] = (unsigned char)number;
      }
}

static int find_uncovered(size_t total, const unsigned char *needed, const unsigned char *layer, size_t *first) {
  for (size_t c = 0; c < total; ++c)
    if (needed[c] && !layer[c]) {
      *first = c;
      return 1;
    }
  return 0;
}

// `layer` of each cell, as many as it takes.
static mus_status find_layers(mus_arena *scratch, const mus_cells *cells, int axis, const unsigned char *needed,
                              unsigned char **layer, int *layers, size_t *lost) {
  size_t total = mus_cells_total(cells);
  unsigned char *next = mus_arena_alloc(scratch, total, 1);
  *layer = mus_arena_alloc(scratch, total, 1);
  if (!next || !*layer)
    return mus_fail_memory();
  for (size_t c = 0; c < total; ++c)
    (*layer)[c] = (unsigned char)mus_extend_is_known(cells, axis, c);
  for (*layers = 0; find_uncovered(total, needed, *layer, lost); ++*layers) {
    if (*layers == MUS_EXTEND_LAYERS)
      return mus_fail(MUS_BAD_INPUT, "too far from the solid");
    grow(cells, *layer, *layers + 2, next);
    unsigned char *swapped = *layer;
    *layer = next;
    next = swapped;
  }
  return MUS_OK;
}

// --- weights -------------------------------------------------------------------------------------------------------

typedef struct samples {
  int count;
  int cell[MOST_SAMPLES];
  double away[MOST_SAMPLES][3], weight[MOST_SAMPLES];
} samples;

// Nodes of earlier layers that are at most `reach` steps along the axes away, all three together, REACH along each.
static void find_samples(const mus_cells *cells, const unsigned char *layer, size_t cell, int reach, samples *s) {
  int at[3] = {(int)(cell % (size_t)cells->count[0]), (int)(cell / (size_t)cells->count[0] % (size_t)cells->count[1]),
               (int)(cell / (size_t)cells->count[0] / (size_t)cells->count[1])};
  s->count = 0;
  for (int number = 0; number < MOST_SAMPLES; ++number) {
    int step[3] = {number % 5 - REACH, number / 5 % 5 - REACH, number / 25 - REACH}, steps = 0, within = 1;
    for (int a = 0; a < 3; ++a) {
      steps += step[a] < 0 ? -step[a] : step[a];
      within &= at[a] + step[a] >= 0 && at[a] + step[a] < cells->count[a];
    }
    if (!within || steps > reach)
      continue;
    size_t other = mus_cells_number(cells, at[0] + step[0], at[1] + step[1], at[2] + step[2]);
    if (layer[other] == 0 || layer[other] >= layer[cell])
      continue;
    s->cell[s->count] = (int)other;
    s->weight[s->count] = 1.0 / (step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
    for (int a = 0; a < 3; ++a)
      s->away[s->count][a] = step[a];
    ++s->count;
  }
}

// The plane through the samples' middle m with the slope C^+ sum_i w_i (x_i - m) u_i, C = sum_i w_i (x_i - m)(x_i -
// m)^T, at the origin. Across directions in which all samples have the same place, it is level. Returns how many others
// there are, and leaves the samples' shares in `weight`.
static int fit_plane(samples *s) {
  double sum = 0, middle[3] = {0}, spread[9] = {0}, value[3], vector[9], arm[3] = {0};
  int rank = 0;
  for (int i = 0; i < s->count; ++i) {
    sum += s->weight[i];
    for (int a = 0; a < 3; ++a)
      middle[a] += s->weight[i] * s->away[i][a];
  }
  for (int a = 0; a < 3; ++a)
    middle[a] /= sum;
  for (int i = 0; i < s->count; ++i)
    for (int a = 0; a < 9; ++a)
      spread[a] += s->weight[i] * (s->away[i][a / 3] - middle[a / 3]) * (s->away[i][a % 3] - middle[a % 3]);
  mus_small_eigen(3, spread, value, vector);
  for (int e = 0; e < 3; ++e) {
    double along = 0;
    if (!(value[e] > 1e-6 * sum))
      continue;
    ++rank;
    for (int a = 0; a < 3; ++a)
      along -= vector[3 * a + e] * middle[a];
    for (int a = 0; a < 3; ++a)
      arm[a] += along / value[e] * vector[3 * a + e];
  }
  for (int i = 0; i < s->count; ++i) {
    double share = 1 / sum;
    for (int a = 0; a < 3; ++a)
      share += arm[a] * (s->away[i][a] - middle[a]);
    s->weight[i] *= share;
  }
  return rank;
}

// --- rows ----------------------------------------------------------------------------------------------------------

typedef struct entry {
  int source;
  double weight;
} entry;

typedef struct rows {
  mus_list target, end, entry; // of ints, of ints and of entries; the last layer first
} rows;

static mus_status add_row(rows *r, size_t cell, const samples *s, unsigned char *needed) {
  int *target = mus_list_add(&r->target, sizeof *target);
  int *end = target ? mus_list_add(&r->end, sizeof *end) : NULL;
  if (!end)
    return mus_fail_memory();
  for (int i = 0; i < s->count; ++i) {
    entry *e = mus_list_add(&r->entry, sizeof *e);
    if (!e)
      return mus_fail_memory();
    *e = (entry){s->cell[i], s->weight[i]};
    needed[s->cell[i]] = 1;
  }
  *target = (int)cell;
  *end = (int)r->entry.count;
  return MUS_OK;
}

// Sources become needed themselves, so outer layers come first.
static mus_status find_rows(const mus_cells *cells, const unsigned char *layer, int layers, unsigned char *needed,
                            rows *r, int *rows_of) {
  size_t total = mus_cells_total(cells);
  mus_status status = MUS_OK;
  for (int number = layers - 1; number >= 0; --number) {
    size_t before = r->target.count;
    for (size_t c = 0; c < total && !status; ++c) {
      samples s;
      if (!needed[c] || layer[c] != number + 2)
        continue;
      find_samples(cells, layer, c, REACH, &s);
      if (s.count == 0 || fit_plane(&s) < 3) {
        find_samples(cells, layer, c, 3 * REACH, &s);
        fit_plane(&s);
      }
      status = add_row(r, c, &s, needed);
    }
    rows_of[number] = (int)(r->target.count - before);
  }
  return status;
}

// In the other order, the first layer first.
static mus_status keep_rows(mus_arena *arena, const rows *r, int layers, const int *rows_of, mus_extension *out) {
  int count = (int)r->target.count, kept = 0;
  const int *target = r->target.items, *end = r->end.items;
  const entry *entries = r->entry.items;
  out->layers = layers;
  for (int k = 0; k < layers; ++k)
    out->layer_start[k + 1] = out->layer_start[k] + rows_of[k];
  out->target = mus_arena_alloc(arena, (size_t)count, sizeof *out->target);
  out->start = mus_arena_alloc_zero(arena, (size_t)count + 1, sizeof *out->start);
  out->source = mus_arena_alloc(arena, r->entry.count, sizeof *out->source);
  out->weight = mus_arena_alloc(arena, r->entry.count, sizeof *out->weight);
  if (!out->target || !out->start || !out->source || !out->weight)
    return mus_fail_memory();
  for (int row = count - 1, n = 0; row >= 0; --row, ++n) {
    out->target[n] = target[row];
    for (int i = row > 0 ? end[row - 1] : 0; i < end[row]; ++i, ++kept) {
      out->source[kept] = entries[i].source;
      out->weight[kept] = entries[i].weight;
    }
    out->start[n + 1] = kept;
  }
  return MUS_OK;
}

mus_status mus_extension_create(mus_arena *arena, const mus_cells *cells, int axis, unsigned char *needed,
                                mus_extension *out, size_t *lost) {
  mus_arena scratch = {0};
  unsigned char *layer;
  rows r = {0};
  int layers, rows_of[MUS_EXTEND_LAYERS];
  memset(out, 0, sizeof *out);
  mus_status status = find_layers(&scratch, cells, axis, needed, &layer, &layers, lost);
  if (!status)
    status = find_rows(cells, layer, layers, needed, &r, rows_of);
  if (!status)
    status = keep_rows(arena, &r, layers, rows_of, out);
  mus_free(r.target.items);
  mus_free(r.end.items);
  mus_free(r.entry.items);
  mus_arena_clear(&scratch);
  return status;
}

// --- use -----------------------------------------------------------------------------------------------------------

void mus_extension_apply(const mus_extension *e, int sizes, double *u) {
  for (int layer = 0; layer < e->layers; ++layer) {
    int first = e->layer_start[layer], last = e->layer_start[layer + 1];
    MUS_PARALLEL_FOR_IF(last - first > MUS_PAR_MINIMUM)
    for (int row = first; row < last; ++row) {
      double sum = 0;
      for (int i = e->start[row]; i < e->start[row + 1]; ++i)
        sum += (sizes ? fabs(e->weight[i]) : e->weight[i]) * u[e->source[i]];
      u[e->target[row]] = sum;
    }
  }
}

void mus_extension_fold(const mus_extension *e, int sizes, double *f) {
  for (int row = e->layers > 0 ? e->layer_start[e->layers] - 1 : -1; row >= 0; --row) {
    double all = f[e->target[row]];
    f[e->target[row]] = 0;
    for (int i = e->start[row]; i < e->start[row + 1] && all != 0; ++i)
      f[e->source[i]] += (sizes ? fabs(e->weight[i]) : e->weight[i]) * all;
  }
}
