// See embed.h. Places are in cells, from the lattice's low corner.
#include "lattice/embed.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vector3.h"
#include "lattice/extend.h"
#include "par/par.h"

enum { WIDEST = 4 };

// Points by the layers of nodes that they reach, so that threads can spread forces side by side: those whose nodes
// begin in layer k from start[k] to start[k + 1].
typedef struct layered {
  int *point, *start;
} layered;

struct mus_embedding {
  mus_arena arena;
  int width; // of the interpolant: 2 or 4 nodes along each axis
  int points;
  int count[3];
  size_t stride[3], cells;
  double spacing;
  double *place;              // points * 3
  layered layered[2];         // by nodes in the middle of cells along the third axis, and between cells
  mus_extension extension[3]; // of each component
};

// --- weights -------------------------------------------------------------------------------------------------------

// Nodes along an axis, from `first` on, with their weights and the derivatives of these, per cell.
typedef struct along {
  int first;
  double weight[WIDEST], slope[WIDEST];
} along;

// `count` nodes, none of which is passed: a place on the very last is at the end of the stretch before it.
static void find_along(int width, int count, double place, int between, along *out) {
  double x = between ? place : place - 0.5, base = fmin(floor(x), count - 1 - width / 2), t = x - base;
  out->first = (int)base - (width / 2 - 1);
  if (width == 2) {
    *out = (along){out->first, {1 - t, t}, {-1, 1}};
    return;
  }
  double weight[4] = {((2 - t) * t - 1) * t, (3 * t - 5) * t * t + 2, ((4 - 3 * t) * t + 1) * t, (t - 1) * t * t};
  double slope[4] = {(4 - 3 * t) * t - 1, (9 * t - 10) * t, (8 - 9 * t) * t + 1, (3 * t - 2) * t};
  for (int n = 0; n < 4; ++n) {
    out->weight[n] = weight[n] / 2;
    out->slope[n] = slope[n] / 2;
  }
}

// Of a component, along all three axes.
static void find_weights(const mus_embedding *e, int point, int component, along out[3]) {
  for (int a = 0; a < 3; ++a)
    find_along(e->width, e->count[a], e->place[3 * (size_t)point + (size_t)a], a == component, out + a);
}

static size_t row_of(const mus_embedding *e, const along at[3], int j, int k) {
  return (size_t)(at[2].first + k) * e->stride[2] + (size_t)(at[1].first + j) * e->stride[1] + (size_t)at[0].first;
}

static double value_at(const mus_embedding *e, const along at[3], const double *u) {
  double sum = 0;
  for (int k = 0; k < e->width; ++k)
    for (int j = 0; j < e->width; ++j) {
      const double *row = u + row_of(e, at, j, k);
      double part = 0;
      for (int i = 0; i < e->width; ++i)
        part += at[0].weight[i] * row[i];
      sum += at[2].weight[k] * at[1].weight[j] * part;
    }
  return sum;
}

static void gradient_at(const mus_embedding *e, const along at[3], const double *u, double out[3]) {
  double sum[3] = {0};
  for (int k = 0; k < e->width; ++k)
    for (int j = 0; j < e->width; ++j) {
      const double *row = u + row_of(e, at, j, k);
      double part = 0, slope = 0;
      for (int i = 0; i < e->width; ++i) {
        part += at[0].weight[i] * row[i];
        slope += at[0].slope[i] * row[i];
      }
      sum[0] += at[2].weight[k] * at[1].weight[j] * slope;
      sum[1] += at[2].weight[k] * at[1].slope[j] * part;
      sum[2] += at[2].slope[k] * at[1].weight[j] * part;
    }
  mus_scale3(1 / e->spacing, sum, out);
}

// --- what points give ----------------------------------------------------------------------------------------------

void mus_embedding_extend(const mus_embedding *e, double *const u[3]) {
  for (int a = 0; a < 3; ++a)
    mus_extension_apply(&e->extension[a], 0, u[a]);
}

void mus_embedding_displacements(const mus_embedding *e, const double *const u[3], double *displacement) {
  MUS_PARALLEL_FOR_IF(e->points > MUS_PAR_MINIMUM)
  for (int p = 0; p < e->points; ++p)
    for (int a = 0; a < 3; ++a) {
      along at[3];
      find_weights(e, p, a, at);
      displacement[3 * (size_t)p + (size_t)a] = value_at(e, at, u[a]);
    }
}

void mus_embedding_gradients(const mus_embedding *e, const double *const u[3], double *gradient) {
  MUS_PARALLEL_FOR_IF(e->points > MUS_PAR_MINIMUM)
  for (int p = 0; p < e->points; ++p)
    for (int a = 0; a < 3; ++a) {
      along at[3];
      find_weights(e, p, a, at);
      gradient_at(e, at, u[a], gradient + 9 * (size_t)p + 3 * (size_t)a);
    }
}

// cof F n, which is det F F^-T n: sums of cross products of columns of F.
static void turn_normal(const double f[9], const double n[3], double out[3]) {
  double column[3][3], crossed[3], sum[3] = {0};
  for (int a = 0; a < 9; ++a)
    column[a % 3][a / 3] = f[a];
  for (int a = 0; a < 3; ++a) {
    mus_cross3(column[(a + 1) % 3], column[(a + 2) % 3], crossed);
    mus_add_scaled3(n[a], crossed, sum);
  }
  double length = mus_length3(sum), own = mus_length3(n);
  if (length > 0 && isfinite(length))
    mus_scale3(1 / length, sum, out);
  else
    mus_scale3(own > 0 ? 1 / own : 0, n, out);
}

void mus_embedding_normals(const mus_embedding *e, const double *const u[3], const double *normal, double *out) {
  MUS_PARALLEL_FOR_IF(e->points > MUS_PAR_MINIMUM)
  for (int p = 0; p < e->points; ++p) {
    double f[9];
    for (int a = 0; a < 3; ++a) {
      along at[3];
      find_weights(e, p, a, at);
      gradient_at(e, at, u[a], f + 3 * a);
      f[4 * a] += 1;
    }
    turn_normal(f, normal + 3 * (size_t)p, out + 3 * (size_t)p);
  }
}

// --- what points get -----------------------------------------------------------------------------------------------

static void take_sizes(along at[3]) {
  for (int a = 0; a < 3; ++a)
    for (int n = 0; n < WIDEST; ++n)
      at[a].weight[n] = fabs(at[a].weight[n]);
}

static void spread_point(const mus_embedding *e, int point, int component, int sizes, double force, double *f) {
  along at[3];
  find_weights(e, point, component, at);
  if (sizes)
    take_sizes(at);
  for (int k = 0; k < e->width; ++k)
    for (int j = 0; j < e->width; ++j) {
      double *row = f + row_of(e, at, j, k), part = force * at[2].weight[k] * at[1].weight[j];
      for (int i = 0; i < e->width; ++i)
        row[i] += part * at[0].weight[i];
    }
}

// Points whose nodes begin WIDEST layers apart have none in common; so every WIDEST-th layer at a time.
static void spread_component(const mus_embedding *e, int component, int sizes, const double *force, double *f) {
  const layered *by = &e->layered[component == 2];
  memset(f, 0, e->cells * sizeof *f);
  for (int colour = 0; colour < WIDEST; ++colour) {
    MUS_PARALLEL
    MUS_SHARE_RUNS
    for (int layer = colour; layer < e->count[2]; layer += WIDEST)
      for (int n = by->start[layer]; n < by->start[layer + 1]; ++n)
        spread_point(e, by->point[n], component, sizes, force[3 * (size_t)by->point[n] + (size_t)component], f);
  }
  mus_extension_fold(&e->extension[component], sizes, f);
}

void mus_embedding_spread(const mus_embedding *e, const double *force, double *const f[3]) {
  for (int a = 0; a < 3; ++a)
    spread_component(e, a, 0, force, f[a]);
}

void mus_embedding_spread_sizes(const mus_embedding *e, const double *force, double *const f[3]) {
  for (int a = 0; a < 3; ++a)
    spread_component(e, a, 1, force, f[a]);
}

void mus_embedding_bounds(const mus_embedding *e, double *const scratch[3], double *bound) {
  for (int a = 0; a < 3; ++a) {
    for (size_t n = 0; n < e->cells; ++n)
      scratch[a][n] = 1;
    mus_extension_apply(&e->extension[a], 1, scratch[a]);
    MUS_PARALLEL_FOR_IF(e->points > MUS_PAR_MINIMUM)
    for (int p = 0; p < e->points; ++p) {
      along at[3];
      find_weights(e, p, a, at);
      take_sizes(at);
      bound[3 * (size_t)p + (size_t)a] = value_at(e, at, scratch[a]);
    }
  }
}

// --- creation ------------------------------------------------------------------------------------------------------

static mus_status place_points(const mus_cells *cells, const double *position, mus_embedding *e) {
  for (int p = 0; p < e->points; ++p)
    for (int a = 0; a < 3; ++a) {
      double x = (position[3 * (size_t)p + (size_t)a] - cells->low[a]) / cells->spacing;
      if (!(x >= MUS_CELLS_MARGIN - 0.5 && x <= cells->count[a] - MUS_CELLS_MARGIN + 1e-6))
        return mus_fail(MUS_BAD_INPUT, "point %d at (%g, %g, %g) m lies outside of the lattice", p,
                        position[3 * (size_t)p], position[3 * (size_t)p + 1], position[3 * (size_t)p + 2]);
      e->place[3 * (size_t)p + (size_t)a] = x;
    }
  return MUS_OK;
}

static mus_status sort_points(mus_embedding *e, int between, layered *out) {
  size_t layers = (size_t)e->count[2];
  out->point = mus_arena_alloc(&e->arena, (size_t)e->points, sizeof *out->point);
  out->start = mus_arena_alloc_zero(&e->arena, layers + 2, sizeof *out->start);
  if (!out->point || !out->start)
    return mus_fail_memory();
  for (int pass = 0; pass < 2; ++pass) {
    for (int p = 0; p < e->points; ++p) {
      along at;
      find_along(e->width, e->count[2], e->place[3 * (size_t)p + 2], between, &at);
      if (pass == 0)
        ++out->start[at.first + 2];
      else
        out->point[out->start[at.first + 1]++] = p;
    }
    for (size_t k = 2; k < layers + 2 && pass == 0; ++k)
      out->start[k] += out->start[k - 1];
  }
  return MUS_OK;
}

static mus_status find_extension(const mus_cells *cells, int component, unsigned char *needed, mus_embedding *e) {
  size_t lost;
  memset(needed, 0, e->cells);
  for (int p = 0; p < e->points; ++p) {
    along at[3];
    find_weights(e, p, component, at);
    for (int k = 0; k < e->width; ++k)
      for (int j = 0; j < e->width; ++j)
        memset(needed + row_of(e, at, j, k), 1, (size_t)e->width);
  }
  mus_status status = mus_extension_create(&e->arena, cells, component, needed, &e->extension[component], &lost);
  if (status != MUS_BAD_INPUT)
    return status;
  return mus_fail(MUS_BAD_INPUT,
                  "a point of the surface near (%g, %g, %g) m is more than %d cells away from all displacements along "
                  "%c that are variables: make cells smaller, or add padding",
                  cells->low[0] + cells->spacing * (double)(lost % e->stride[1]),
                  cells->low[1] + cells->spacing * (double)(lost / e->stride[1] % (size_t)e->count[1]),
                  cells->low[2] + cells->spacing * (double)(lost / e->stride[2]), MUS_EXTEND_LAYERS, "xyz"[component]);
}

static mus_status fill(const mus_cells *cells, const double *position, mus_embedding *e) {
  e->cells = mus_cells_total(cells);
  if (e->cells > INT_MAX)
    return mus_fail(MUS_BAD_INPUT, "a lattice of %zu cells: %d are the most", e->cells, INT_MAX);
  memcpy(e->count, cells->count, sizeof e->count);
  e->spacing = cells->spacing;
  e->stride[0] = 1;
  e->stride[1] = (size_t)cells->count[0];
  e->stride[2] = e->stride[1] * (size_t)cells->count[1];
  e->place = mus_arena_alloc(&e->arena, 3 * (size_t)e->points, sizeof *e->place);
  unsigned char *needed = mus_alloc(e->cells, 1);
  mus_status status = e->place && needed ? place_points(cells, position, e) : mus_fail_memory();
  for (int between = 0; between < 2 && !status; ++between)
    status = sort_points(e, between, &e->layered[between]);
  for (int a = 0; a < 3 && !status; ++a)
    status = find_extension(cells, a, needed, e);
  mus_free(needed);
  return status;
}

mus_status mus_embedding_create(const mus_cells *cells, mus_embed_order order, int points, const double *position,
                                mus_embedding **out) {
  mus_embedding *e = mus_alloc_zero(1, sizeof *e);
  if (!e)
    return mus_fail_memory();
  e->width = order == MUS_EMBED_CUBIC ? 4 : 2;
  e->points = points;
  mus_status status = fill(cells, position, e);
  if (status)
    mus_embedding_free(e);
  else
    *out = e;
  return status;
}

void mus_embedding_free(mus_embedding *e) {
  if (!e)
    return;
  mus_arena_clear(&e->arena);
  mus_free(e);
}

size_t mus_embedding_bytes(const mus_embedding *e) { return sizeof *e + e->arena.bytes; }

int mus_embedding_points(const mus_embedding *e) { return e->points; }
