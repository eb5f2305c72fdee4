// See recycle.h.
#include "krylov/recycle.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "par/vector.h"

// Directions are dropped whose part across the others is so small, as a square: what is left of it is the error of
// solves before.
static const double dependent = 1e-9;
// What it costs beyond the iteration that it takes the place of, in products.
static const double price = 1.5;
// Squares below this have lost their digits.
static const double least = 1e-280;
enum { LONGEST_PAUSE = 32 };

// --- life ------------------------------------------------------------------------------------------------------------

void mus_recycle_free(mus_recycle *r) {
  mus_free(r->v);
  *r = (mus_recycle){.most = r->most};
}

mus_status mus_recycle_open(mus_recycle *r, size_t n) {
  if (r->v || r->most == 0)
    return MUS_OK;
  r->v = mus_alloc_zero(mus_lanes_size(n, r->most + 1), sizeof *r->v);
  if (!r->v)
    return mus_fail_memory();
  r->n = n;
  return MUS_OK;
}

int mus_recycle_is_due(mus_recycle *r) {
  if (!r->v || r->count == 0)
    return 0;
  if (r->rest == 0)
    return 1;
  --r->rest;
  return 0;
}

void mus_recycle_keep(mus_recycle *r, const double *x) {
  double square = r->v ? mus_dot(r->n, x, x) : 0;
  if (!(square > least) || !isfinite(square)) // it is zero, or of no use
    return;
  mus_lanes_put(r->n, r->most + 1, r->next, 1 / sqrt(square), x, r->v); // single precision has no room for any size
  r->next = (r->next + 1) % r->most;
  r->count += r->count < r->most;
}

// --- projection ------------------------------------------------------------------------------------------------------

// The small system, scaled so that its diagonal is 1.
typedef struct small_system {
  int count;
  double gram[MUS_LANES_MAXIMUM][MUS_LANES_MAXIMUM], right[MUS_LANES_MAXIMUM], scale[MUS_LANES_MAXIMUM];
} small_system;

// Vectors without energy get a scale of 0. Whether all numbers are finite.
static int scale_system(int count, const double *gram, const double *right, small_system *s) {
  int finite = 1;
  s->count = count;
  for (int k = 0; k < count; ++k) {
    double energy = gram[k * count + k];
    finite = finite && isfinite(energy) && isfinite(right[k]);
    s->scale[k] = energy > 0 ? 1 / sqrt(energy) : 0;
    s->right[k] = right[k] * s->scale[k];
  }
  for (int j = 0; j < count; ++j)
    for (int k = 0; k < count; ++k)
      s->gram[j][k] = gram[j * count + k] * s->scale[j] * s->scale[k];
  return finite;
}

// The vector with the largest part across those that have been taken; -1: all are dependent on these.
static int next_pivot(int count, const double *left, const int *taken) {
  int best = -1;
  for (int k = 0; k < count; ++k)
    if (!taken[k] && left[k] > (best < 0 ? dependent : left[best]))
      best = k;
  return best;
}

// c of the scaled system, by Cholesky's method with pivots, 0 for what is dependent. Returns how many are not.
static int solve_system(const small_system *s, double *c) {
  int order[MUS_LANES_MAXIMUM], taken[MUS_LANES_MAXIMUM] = {0}, rank = 0;
  double factor[MUS_LANES_MAXIMUM][MUS_LANES_MAXIMUM], left[MUS_LANES_MAXIMUM], y[MUS_LANES_MAXIMUM];
  for (int k = 0; k < s->count; ++k) {
    left[k] = s->gram[k][k];
    c[k] = 0;
  }
  for (int pivot; (pivot = next_pivot(s->count, left, taken)) >= 0; ++rank) {
    double root = sqrt(left[pivot]), sum = s->right[pivot];
    order[rank] = pivot;
    taken[pivot] = 1;
    for (int m = 0; m < rank; ++m)
      sum -= factor[pivot][m] * y[m];
    y[rank] = sum / root;
    for (int k = 0; k < s->count; ++k) {
      double entry = s->gram[k][pivot];
      for (int m = 0; m < rank; ++m)
        entry -= factor[k][m] * factor[pivot][m];
      factor[k][rank] = entry / root;
      left[k] -= factor[k][rank] * factor[k][rank];
    }
  }
  for (int m = rank - 1; m >= 0; --m) {
    double sum = y[m];
    for (int later = m + 1; later < rank; ++later)
      sum -= factor[order[later]][m] * c[order[later]];
    c[order[m]] = sum / factor[order[m]][m];
  }
  return rank;
}

// 2 c.g - c.G c
static double gain_of(const small_system *s, const double *c) {
  double gain = 0;
  for (int j = 0; j < s->count; ++j) {
    double row = 2 * s->right[j];
    for (int k = 0; k < s->count; ++k)
      row -= s->gram[j][k] * c[k];
    gain += c[j] * row;
  }
  return gain;
}

double mus_recycle_project(const mus_recycle *recycle, const mus_operator *a, const double *r, double *x) {
  int count = recycle->most + 1;
  double gram[MUS_LANES_MAXIMUM * MUS_LANES_MAXIMUM], right[MUS_LANES_MAXIMUM], c[MUS_LANES_MAXIMUM];
  small_system s;
  a->gram(a->self, count, recycle->v, gram);
  mus_lanes_dot(recycle->n, count, recycle->v, r, right);
  if (!scale_system(count, gram, right, &s) || solve_system(&s, c) == 0)
    return 0;
  double gain = gain_of(&s, c);
  if (!(gain > 0) || !isfinite(gain))
    return 0;
  for (int k = 0; k < count; ++k)
    c[k] *= s.scale[k];
  mus_lanes_add(recycle->n, count, c, recycle->v, x);
  return gain;
}

// --- whether it pays -------------------------------------------------------------------------------------------------

// Iterations that the projection was worth, by the rate of those after it, beyond the one that it has taken the place
// of.
static double iterations_saved(const double *norm, int iterations) {
  double gained = log(norm[0] / norm[1]), rest = log(norm[1] / norm[iterations]);
  if (iterations < 2 || norm[iterations] == 0)
    return HUGE_VAL;
  return rest > 0 ? gained * (iterations - 1) / rest - 1 : 0;
}

void mus_recycle_note(mus_recycle *r, const double *norm, int iterations, double iteration_cost) {
  if (r->count < r->most || iterations_saved(norm, iterations) * iteration_cost >= price) {
    r->pause = 0;
    return;
  }
  r->pause = r->pause == 0 ? 1 : r->pause < LONGEST_PAUSE ? 2 * r->pause : r->pause;
  r->rest = r->pause;
}
