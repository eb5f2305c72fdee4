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
  if (!is_frozen)
    mus_corotational_coarsen(c);
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

// The norm that residuals are relative to: of what acts, and of stresses in cells once what is held has moved.
static double reference(mus_lattice *lattice) {
  const mus_turned_level *t = &lattice->corotational->solved;
  const mus_lattice_domain *d = lattice->domain;
  double *size = lattice->corotational->residual, h = lattice->spacing;
  mus_lattice_load(lattice);
  for (size_t n = 0; n < d->cells; ++n) {
    double f[9], r[9], square = 0;
    for (int a = 0; a < 3; ++a)
      if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
        square += lattice->finest.b[a][n] * lattice->finest.b[a][n];
    mus_lattice_get_rotation(lattice, n, r);
    if (mus_lattice_is(d, n, MUS_LATTICE_SOLID))
      mus_rotations_gradient(t, n, h, r, f);
    for (int k = 0; k < 9 && mus_lattice_is(d, n, MUS_LATTICE_SOLID); ++k) {
      double stress = 2 * h * (f[k] - r[k]) - lattice->finest.x[3][n] * r[k];
      square += stress * stress;
    }
    size[n] = sqrt(square);
  }
  return sqrt(mus_dot(d->cells, size, size));
}

// One cycle, and its residual in the record.
static mus_status go(mus_lattice *lattice, int is_frozen, mus_lattice_record *record) {
  double *residuals = lattice->residuals + record->cycles;
  mus_status status = mus_stop_check();
  if (status)
    return status;
  residuals[1] = step(lattice, is_frozen, residuals[0] * record->reference, record->cycles++) / record->reference;
  if (!isfinite(residuals[1]))
    return mus_fail(MUS_BREAKDOWN, "lattice: cycle %d gave a residual that is not finite", record->cycles);
  return MUS_OK;
}

// What is held may have moved by many cells, and turned what is next to it inside out: it is followed with rotations as
// they were, before there are new ones.
static mus_status follow(mus_lattice *lattice, int cycles, mus_lattice_record *record) {
  const double *residuals = lattice->residuals;
  mus_status status = MUS_OK;
  mus_corotational_coarsen(lattice->corotational);
  while (!status && residuals[record->cycles] > FOLLOWED * residuals[0] && record->cycles < cycles)
    status = go(lattice, 1, record);
  forget(lattice->corotational);
  return status;
}

static mus_status iterate(mus_lattice *lattice, double tolerance, int cycles, mus_lattice_record *record) {
  double *residuals = lattice->residuals;
  forget(lattice->corotational);
  residuals[0] = mus_corotational_evaluate(lattice, 1) / record->reference;
  mus_status status = residuals[0] > MOVED ? follow(lattice, cycles, record) : MUS_OK;
  residuals[record->cycles] = mus_corotational_evaluate(lattice, 0) / record->reference;
  while (!status && residuals[record->cycles] > tolerance && record->cycles < cycles)
    status = go(lattice, 0, record);
  if (!status && !(residuals[record->cycles] <= tolerance))
    status = mus_fail(MUS_NOT_CONVERGED, "lattice: the residual is %.2g after %d cycles, and %.2g was asked for",
                      residuals[record->cycles], record->cycles, tolerance);
  return status;
}

mus_status mus_lattice_solve_corotational(mus_lattice *lattice, double tolerance, int cycles,
                                          mus_lattice_record *record) {
  double begin = mus_seconds();
  *record = (mus_lattice_record){0};
  mus_status status = mus_lattice_make_history(lattice, cycles);
  if (!status)
    status = mus_corotational_create(lattice);
  if (status)
    return status;
  record->residuals = lattice->residuals;
  record->reference = reference(lattice);
  if (!isfinite(record->reference))
    return mus_fail(MUS_BAD_INPUT, "lattice: forces or prescribed displacements are not finite");
  if (!(record->reference > 0))
    record->reference = 1;
  status = iterate(lattice, tolerance, cycles, record);
  mus_turned_extend(&lattice->corotational->solved, lattice->spacing);
  record->rate = mus_lattice_late_rate(record->residuals, record->cycles);
  record->seconds = mus_seconds() - begin;
  return status;
}

void mus_lattice_get_rotation(const mus_lattice *lattice, size_t cell, double rotation[9]) {
  for (int k = 0; k < 9; ++k)
    rotation[k] = lattice->corotational ? lattice->corotational->solved.rotation[k][cell] : k % 4 == 0;
}

mus_status mus_lattice_set_rotation(mus_lattice *lattice, size_t cell, const double rotation[9]) {
  mus_status status = mus_corotational_create(lattice);
  for (int k = 0; k < 9 && !status; ++k)
    lattice->corotational->solved.rotation[k][cell] = rotation[k];
  return status;
}
