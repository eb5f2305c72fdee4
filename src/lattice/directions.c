#include "lattice/directions.h"

#include <math.h>

#include "base/error.h"
#include "par/par.h"
#include "par/vector.h"

// Steps along earlier directions matter if they change the residual by this part of what the new one does.
#define LEAST_STEP 0.01

// Sums are taken over so many runs and added up in order: the same bits for any number of threads. Within a run, pieces
// stay in a cache while all directions pass by.
enum { RUNS = 128, PIECE = 1024, LANES = 8, LARGE = 1 << 15 };

mus_status mus_lattice_directions_create(mus_arena *arena, int most, size_t size, float *z, float *lz,
                                         mus_lattice_directions *out) {
  size_t count = (size_t)most + 1;
  *out = (mus_lattice_directions){.most = most,
                                  .size = size,
                                  .z = mus_arena_alloc_zero(arena, count, sizeof *out->z),
                                  .lz = mus_arena_alloc_zero(arena, count, sizeof *out->lz),
                                  .square = mus_arena_alloc_zero(arena, count, sizeof *out->square),
                                  .sums = mus_arena_alloc_zero(arena, RUNS * 2 * count, sizeof *out->sums),
                                  .factor = mus_arena_alloc_zero(arena, count, sizeof *out->factor),
                                  .step = mus_arena_alloc_zero(arena, count, sizeof *out->step)};
  if (!out->z || !out->lz || !out->square || !out->sums || !out->factor || !out->step)
    return mus_fail_memory();
  for (size_t k = 0; k < count; ++k) {
    out->z[k] = k == 0 && z ? z : mus_arena_alloc_zero(arena, size, sizeof **out->z);
    out->lz[k] = k == 0 && lz ? lz : mus_arena_alloc_zero(arena, size, sizeof **out->lz);
    if (!out->z[k] || !out->lz[k])
      return mus_fail_memory();
  }
  return MUS_OK;
}

void mus_lattice_directions_clear(mus_lattice_directions *d) { d->kept = d->now = 0; }

// The k-th before the new one.
static int earlier(const mus_lattice_directions *d, int k) { return (d->now + d->most - k) % (d->most + 1); }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static double add_lanes(const double *sum) {
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static double dot_piece(size_t n, const float *x, const float *y) {
  double sum[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (size_t k = 0; k < LANES; ++k)
      sum[k] += (double)x[i + k] * (double)y[i + k];
  for (; i < n; ++i)
    sum[0] += (double)x[i] * (double)y[i];
  return add_lanes(sum);
}

static double dot_residual(size_t n, const double *x, const float *y) {
  double sum[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (size_t k = 0; k < LANES; ++k)
      sum[k] += x[i + k] * (double)y[i + k];
  for (; i < n; ++i)
    sum[0] += x[i] * (double)y[i];
  return add_lanes(sum);
}

static void subtract(size_t n, float factor, const float *restrict x, float *restrict y) {
  for (size_t i = 0; i < n; ++i)
    y[i] -= factor * x[i];
}

// L z . L z_k and r . L z_k for each earlier direction, over a run.
static void multiply_run(const mus_lattice_directions *d, const double *r, size_t begin, size_t end, double *sums) {
  for (int k = 0; k < 2 * d->kept; ++k)
    sums[k] = 0;
  for (size_t i = begin; i < end; i += PIECE) {
    size_t n = smaller(end - i, PIECE);
    for (int k = 0; k < d->kept; ++k) {
      const float *other = d->lz[earlier(d, k)] + i;
      sums[2 * k] += dot_piece(n, d->lz[d->now] + i, other);
      sums[2 * k + 1] += dot_residual(n, r + i, other);
    }
  }
}

// Subtracts earlier directions; |L z|^2 and r . L z of what is left.
static void subtract_run(const mus_lattice_directions *d, const double *r, size_t begin, size_t end, double *sums) {
  float *z = d->z[d->now], *lz = d->lz[d->now];
  sums[0] = sums[1] = 0;
  for (size_t i = begin; i < end; i += PIECE) {
    size_t n = smaller(end - i, PIECE);
    for (int k = 0; k < d->kept; ++k) {
      subtract(n, (float)d->factor[k], d->z[earlier(d, k)] + i, z + i);
      subtract(n, (float)d->factor[k], d->lz[earlier(d, k)] + i, lz + i);
    }
    sums[0] += dot_piece(n, lz + i, lz + i);
    sums[1] += dot_residual(n, r + i, lz + i);
  }
}

static double *sums_of(const mus_lattice_directions *d, int run) {
  return d->sums + (size_t)run * 2 * ((size_t)d->most + 1);
}

// The sums of all runs, `count` for each, added up into the first one's.
static void add_runs(const mus_lattice_directions *d, int count) {
  for (int run = 1; run < RUNS; ++run)
    for (int k = 0; k < count; ++k)
      d->sums[k] += sums_of(d, run)[k];
}

// Makes the new direction conjugate to the others; |L z|^2 and r . L z come into `sums`.
static void combine(mus_lattice_directions *d, const double *r) {
  size_t length = (d->size / RUNS / LANES + 1) * LANES, n = d->size;
  MUS_PARALLEL_FOR_IF(n >= LARGE)
  for (int run = 0; run < RUNS; ++run)
    multiply_run(d, r, (size_t)run * length, smaller(n, (size_t)(run + 1) * length), sums_of(d, run));
  add_runs(d, 2 * d->kept);
  for (int k = 0; k < d->kept; ++k) {
    double square = d->square[earlier(d, k)];
    d->factor[k] = square > 0 ? d->sums[2 * k] / square : 0;
    d->step[k] = square > 0 ? d->sums[2 * k + 1] / square : 0;
  }
  MUS_PARALLEL_FOR_IF(n >= LARGE)
  for (int run = 0; run < RUNS; ++run)
    subtract_run(d, r, (size_t)run * length, smaller(n, (size_t)(run + 1) * length), sums_of(d, run));
  add_runs(d, 2);
}

int mus_lattice_directions_add(mus_lattice_directions *d, const double *r, double *x) {
  combine(d, r);
  double square = d->sums[0], alpha = square > 0 ? d->sums[1] / square : 0;
  if (!isfinite(square) || !isfinite(alpha))
    return 0;
  mus_axpy_f(d->size, alpha, d->z[d->now], x);
  for (int k = 0; k < d->kept; ++k)
    if (fabs(d->step[k]) * sqrt(d->square[earlier(d, k)]) > LEAST_STEP * fabs(alpha) * sqrt(square))
      mus_axpy_f(d->size, d->step[k], d->z[earlier(d, k)], x);
  d->square[d->now] = square;
  d->now = (d->now + 1) % (d->most + 1);
  d->kept = d->kept < d->most ? d->kept + 1 : d->most;
  return 1;
}
