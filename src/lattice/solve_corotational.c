// The outer iteration of co-rotational elasticity. One cycle, with rotations frozen, turns the residual r of the
// nonlinear equations into a correction; then rotations are renewed. By itself that resists every rotation that has not
// been found yet, and is slow where a solid is slender. Secants help: the last few changes of x, with the changes of r
// they made, span what the equations are near by. Of their combinations that with the least residual is taken before
// the cycle (Anderson 1965).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "lattice/corotational.h"
#include "lattice/rotations.h"
#include "par/vector.h"

// A residual that is so much larger than the one before is not accepted.
#define GROWTH 2.0
enum { HALVINGS = 6 };
// Rotations are frozen at first where residuals are above MOVED, until they are FOLLOWED times as large.
#define MOVED 1e-2
#define FOLLOWED 0.03
// What residuals are taken to go on as, in estimates of errors.
#define LEAST_RATE 0.1
#define MOST_RATE 0.95
enum { LEAST_CYCLES = 3 }; // before there are estimates

static size_t vector_size(const mus_lattice *lattice) { return 4 * mus_lattice_field(lattice->domain); }

static void forget(mus_corotational *c) {
  for (int k = 0; k < MUS_COROTATIONAL_SECANTS; ++k)
    c->secant[k].square = 0;
}

// x and r along all secants to the least residual.
static void combine(mus_lattice *lattice) {
  mus_corotational *c = lattice->corotational;
  size_t n = vector_size(lattice);
  for (int k = 0; k < MUS_COROTATIONAL_SECANTS; ++k) {
    const mus_corotational_secant *s = &c->secant[k];
    if (!(s->square > 0))
      continue;
    double alpha = mus_dot(n, lattice->finest.r[0], s->r) / s->square;
    mus_axpy(n, alpha, s->x, lattice->finest.x[0]);
    mus_axpy(n, -alpha, s->r, lattice->finest.r[0]);
  }
}

// x <- x + what a cycle makes of r
static void correct(mus_lattice *lattice) {
  mus_corotational *c = lattice->corotational;
  const mus_lattice_level *l = &c->level[0].level;
  mus_copy(vector_size(lattice), lattice->finest.r[0], l->b[0]);
  mus_scale(mus_lattice_field(lattice->domain), 1 / lattice->weight, l->b[3]);
  mus_corotational_cycle(c);
  for (int f = 0; f < 4; ++f)
    mus_axpy(lattice->domain->cells, 1, l->x[f], lattice->finest.x[f]);
}

// The change from the iterate before, conjugate to the other secants.
static void learn(mus_lattice *lattice, mus_corotational_secant *now) {
  mus_corotational *c = lattice->corotational;
  size_t n = vector_size(lattice);
  mus_copy(n, lattice->finest.x[0], now->x);
  mus_axpy(n, -1, c->start, now->x);
  mus_copy(n, c->residual, now->r);
  mus_axpy(n, -1, lattice->finest.r[0], now->r);
  for (int k = 0; k < MUS_COROTATIONAL_SECANTS; ++k) {
    const mus_corotational_secant *other = &c->secant[k];
    if (other == now || !(other->square > 0))
      continue;
    double part = mus_dot(n, now->r, other->r) / other->square;
    mus_axpy(n, -part, other->x, now->x);
    mus_axpy(n, -part, other->r, now->r);
  }
  now->square = mus_dot(n, now->r, now->r);
}

// One cycle and what follows from it, from a residual of that size to the next, which is returned.
static double step(mus_lattice *lattice, int is_frozen, double size, int cycle) {
  mus_corotational *c = lattice->corotational;
  mus_corotational_secant *now = &c->secant[cycle % MUS_COROTATIONAL_SECANTS];
  size_t n = vector_size(lattice);
  mus_copy(n, lattice->finest.x[0], c->start);
  mus_copy(n, lattice->finest.r[0], c->residual);
  now->square = 0;
  mus_corotational_coarsen(c, !is_frozen, !is_frozen);
  combine(lattice);
  correct(lattice);
  double next = mus_corotational_evaluate(lattice, is_frozen);
  for (int k = 0; k < HALVINGS && !(next < GROWTH * size); ++k) {
    forget(c);
    mus_scale(n, 0.5, lattice->finest.x[0]);
    mus_axpy(n, 0.5, c->start, lattice->finest.x[0]);
    next = mus_corotational_evaluate(lattice, is_frozen);
  }
  learn(lattice, now);
  return next;
}

// The norm of right-hand sides, before rotations add to them ...
static double loads(mus_lattice *lattice) {
  const mus_lattice_domain *d = lattice->domain;
  double sum = 0;
  mus_lattice_load(lattice);
  for (size_t n = 0; n < d->cells; ++n)
    for (int a = 0; a < 3; ++a)
      if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
        sum += lattice->finest.b[a][n] * lattice->finest.b[a][n];
  return sqrt(sum);
}

// ... and of stresses in cells, once what is held has moved.
double mus_corotational_stresses(mus_lattice *lattice) {
  const mus_turned_level *t = &lattice->corotational->solved;
  const mus_lattice_domain *d = lattice->domain;
  double *size = lattice->corotational->residual, h = lattice->spacing;
  for (size_t n = 0; n < d->cells; ++n) {
    double f[9], r[9], c[9], square = 0;
    mus_rotations_get(t, n, r, c);
    if (mus_lattice_is(d, n, MUS_LATTICE_SOLID))
      mus_rotations_gradient(t, n, h, r, c, f);
    for (int k = 0; k < 9 && mus_lattice_is(d, n, MUS_LATTICE_SOLID); ++k) {
      double stress = 2 * h * (f[k] - r[k]) - lattice->finest.x[3][n] * c[k];
      square += stress * stress;
    }
    size[n] = sqrt(square);
  }
  return sqrt(mus_dot(d->cells, size, size));
}

// A solve on its way.
typedef struct progress {
  mus_corotational_goal goal;
  mus_lattice_record *record;
  double error; // of displacements, as estimated
  int begun;    // cycles with rotations frozen
} progress;

// How far displacements are from where they go, if they go on as in the last cycle.
static double estimate_error(const mus_lattice *lattice, const progress *to) {
  const double *residuals = lattice->residuals + to->record->cycles;
  double *change = lattice->corotational->change;
  size_t n = 3 * mus_lattice_field(lattice->domain);
  double rate = fmin(fmax(residuals[0] / residuals[-1], LEAST_RATE), MOST_RATE);
  if (to->record->cycles - to->begun < LEAST_CYCLES)
    return (double)INFINITY;
  rate = fmin(fmax(rate, residuals[-1] / residuals[-2]), MOST_RATE);
  mus_copy(n, lattice->finest.x[0], change);
  mus_axpy(n, -1, lattice->corotational->start, change);
  return mus_max_abs(n, change) * rate / (1 - rate);
}

// One cycle, and its residual in the record.
static mus_status go(mus_lattice *lattice, int is_frozen, progress *to) {
  mus_lattice_record *record = to->record;
  double *residuals = lattice->residuals + record->cycles;
  mus_status status = mus_stop_check();
  if (status)
    return status;
  residuals[1] = step(lattice, is_frozen, residuals[0] * record->reference, record->cycles++) / record->reference;
  if (lattice->corotational->gpu.failed)
    return lattice->corotational->gpu.failed;
  if (!isfinite(residuals[1]))
    return mus_fail(MUS_BREAKDOWN, "lattice: cycle %d gave a residual that is not finite", record->cycles);
  to->error = estimate_error(lattice, to);
  return MUS_OK;
}

// What is held may have moved by many cells, and turned what is next to it inside out: it is followed with rotations as
// they were, before there are new ones.
static mus_status follow(mus_lattice *lattice, progress *to) {
  const double *residuals = lattice->residuals;
  mus_lattice_record *record = to->record;
  mus_status status = MUS_OK;
  mus_corotational_coarsen(lattice->corotational, 1, 0);
  while (!status && residuals[record->cycles] > FOLLOWED * residuals[0] && record->cycles < to->goal.cycles)
    status = go(lattice, 1, to);
  forget(lattice->corotational);
  return status;
}

static int is_done(const mus_lattice *lattice, const progress *to) {
  return lattice->residuals[to->record->cycles] <= to->goal.tolerance || to->error < to->goal.error;
}

static mus_status iterate(mus_lattice *lattice, progress *to) {
  double *residuals = lattice->residuals;
  mus_lattice_record *record = to->record;
  forget(lattice->corotational);
  residuals[0] = mus_corotational_evaluate(lattice, 1) / record->reference;
  mus_status status = to->goal.follows && residuals[0] > MOVED ? follow(lattice, to) : MUS_OK;
  residuals[record->cycles] = mus_corotational_evaluate(lattice, 0) / record->reference;
  to->error = (double)INFINITY;
  to->begun = record->cycles;
  while (!status && !is_done(lattice, to) && record->cycles < to->goal.cycles)
    status = go(lattice, 0, to);
  if (!status && !is_done(lattice, to))
    status = mus_fail(MUS_NOT_CONVERGED, "lattice: the residual is %.2g after %d cycles, and %.2g was asked for",
                      residuals[record->cycles], record->cycles, to->goal.tolerance);
  return status;
}

mus_status mus_corotational_solve(mus_lattice *lattice, const mus_corotational_goal *goal, mus_lattice_record *record,
                                  double *error) {
  double begin = mus_seconds();
  progress to = {*goal, record, 0, 0};
  *record =
      (mus_lattice_record){.reference = goal->reference > 0 ? goal->reference : 1, .residuals = lattice->residuals};
  mus_turned_gpu *gpu = &lattice->corotational->gpu;
  gpu->transfer_seconds = 0;
  gpu->failed = MUS_OK;
  mus_status status = iterate(lattice, &to);
  if (gpu->turned) {
    memcpy(record->device, lattice->gpu.facts.name, sizeof record->device);
    record->device_bytes = gpu->stages->bytes(gpu->turned);
  }
  record->transfer_seconds = gpu->transfer_seconds;
  record->rate = mus_lattice_late_rate(record->residuals, record->cycles);
  record->seconds = mus_seconds() - begin;
  *error = to.error;
  return status;
}

mus_status mus_lattice_solve_corotational(mus_lattice *lattice, double tolerance, int cycles,
                                          mus_lattice_record *record) {
  double error, reference;
  *record = (mus_lattice_record){0};
  mus_status status = mus_lattice_make_history(lattice, cycles);
  if (!status)
    status = mus_corotational_create(lattice);
  if (status)
    return status;
  reference = hypot(loads(lattice), mus_corotational_stresses(lattice));
  if (!isfinite(reference))
    return mus_fail(MUS_BAD_INPUT, "lattice: forces or prescribed displacements are not finite");
  mus_corotational_goal goal = {.reference = reference, .tolerance = tolerance, .cycles = cycles, .follows = 1};
  status = mus_corotational_solve(lattice, &goal, record, &error);
  mus_turned_extend(&lattice->corotational->solved, lattice->spacing);
  return status;
}

void mus_lattice_get_rotation(const mus_lattice *lattice, size_t cell, double rotation[9]) {
  for (int k = 0; k < 9; ++k)
    rotation[k] = lattice->corotational ? lattice->corotational->solved.rotation[k][cell] : k % 4 == 0;
}

mus_status mus_lattice_set_rotation(mus_lattice *lattice, size_t cell, const double rotation[9]) {
  mus_status status = mus_corotational_create(lattice);
  for (int k = 0; k < 9 && !status; ++k) {
    lattice->corotational->solved.rotation[k][cell] = rotation[k];
    lattice->corotational->solved.coupling[k][cell] = rotation[k];
  }
  if (!status)
    lattice->corotational->solved.volume[cell] = 1;
  return status;
}
