// See acceleration.h.
#include "step/minimise/acceleration.h"

#include <math.h>

#include "base/error.h"
#include "par/vector.h"

// Iterations before acceleration begins, and between two looks at rho.
enum { PLAIN = 8, PERIOD = 8 };
static const double largest_rho = 0.9999;

mus_status mus_acceleration_create(mus_arena *arena, size_t unknowns, mus_acceleration *out) {
  *out = (mus_acceleration){.before = mus_arena_alloc_zero(arena, unknowns, sizeof(double)), .omega = 1};
  return out->before ? MUS_OK : mus_fail_memory();
}

void mus_acceleration_begin(mus_acceleration *a, size_t unknowns, const double *velocity) {
  mus_copy(unknowns, velocity, a->before);
  a->omega = 1;
  a->since = 0;
  a->size = 0;
}

// A part of the error that plain iterations reduce by lambda > rho falls by mu with mu^2 - omega lambda mu + omega - 1
// = 0 in an accelerated one.
static void learn(mus_acceleration *a, double size) {
  double mu = pow(size / a->size, 1.0 / PERIOD), lambda = (mu * mu + a->omega - 1) / (a->omega * mu);
  if (!(mu > 1.02 * sqrt(a->omega - 1)) || !(lambda > a->rho))
    return;
  a->rho = fmin(lambda, largest_rho);
  a->since = PLAIN;
}

// Makes of c, in `change`, the way from v_k to v_{k+1}, and notes v_k. 1 if that is another.
static int apply(mus_acceleration *a, size_t unknowns, const double *velocity, double *change) {
  double size = sqrt(mus_dot(unknowns, change, change));
  if (a->since > 0 && a->since <= PLAIN && a->size > 0)
    a->rho = fmin(size / a->size, largest_rho);
  else if (a->since > PLAIN && (a->since - PLAIN) % PERIOD == 0 && a->size > 0)
    learn(a, size);
  if (a->since <= PLAIN || (a->since - PLAIN) % PERIOD == 0)
    a->size = size;
  if (a->since == PLAIN)
    a->omega = 2 / (2 - a->rho * a->rho);
  else if (a->since > PLAIN)
    a->omega = 4 / (4 - a->rho * a->rho * a->omega);
  ++a->since;
  if (a->omega != 1) { // omega c + (omega - 1) (v_k - v_{k-1})
    mus_scale(unknowns, a->omega, change);
    mus_axpy(unknowns, a->omega - 1, velocity, change);
    mus_axpy(unknowns, 1 - a->omega, a->before, change);
  }
  mus_copy(unknowns, velocity, a->before);
  return a->omega != 1;
}

mus_status mus_acceleration_go(mus_acceleration *a, mus_minimisation *m, mus_correct *correct, void *own,
                               double *gone) {
  const mus_step_context *c = m->c;
  double length = 1;
  mus_minimise_assemble(m, 0);
  mus_status status = correct(m, own);
  *gone = 0;
  if (status)
    return status;
  int accelerated = a && apply(a, c->work->unknowns, c->state->velocity, c->work->change);
  status = mus_minimise_go(m, 0, &length, NULL);
  if (!accelerated) { // a plain correction that is shortened is still one
    *gone = length;
    return status;
  }
  if (length == 1)
    return status;
  if (status == MUS_NOT_CONVERGED) {
    mus_minimise_assemble(m, 0);
    status = correct(m, own);
    length = 1;
    if (!status)
      status = mus_minimise_go(m, 0, &length, NULL);
    *gone = length;
  }
  mus_acceleration_begin(a, c->work->unknowns, c->state->velocity);
  return status;
}
