// Implicit Euler by Newton's method: it goes on from the linearised step until nothing is left of
//   r(v') = H f(X + H v', v') - M (v' - V).
// Each correction d solves (M + H D + H^2 K) d = r, K and D at the present iterate, and is shortened where r . d has
// turned negative, which is beyond the lowest point along d.
#include <math.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "par/vector.h"
#include "step/linearised.h"

// What it keeps: the velocity that a line search starts from.
typedef struct newton {
  size_t unknowns;
  double iterate[];
} newton;

static mus_status create(const mus_model *model, void **own) {
  size_t unknowns = 3 * (size_t)model->vertices;
  newton *made = mus_alloc_zero(1, sizeof *made + unknowns * sizeof *made->iterate);
  if (!made)
    return mus_fail_memory();
  made->unknowns = unknowns;
  *own = made;
  return MUS_OK;
}

static size_t bytes(const void *own) {
  const newton *n = own;
  return sizeof *n + n->unknowns * sizeof *n->iterate;
}

// r at the present iterate, in `right`, and its matrix where wanted.
static void assemble_iterate(const mus_step_context *c, const mus_scheme *s, int with_matrix, mus_step_record *record) {
  double begin = mus_seconds();
  mus_instant at = {s->time, c->state->position, c->state->velocity, s->length, 0, NULL};
  mus_assemble_step(c, s, &at, with_matrix);
  mus_prescribed_clear(&c->work->prescribed, c->work->right);
  record->assemble_seconds += mus_seconds() - begin;
}

// A bound on the error of the velocities, m/s, as a mean over the mass: the matrix is never below M.
static double velocity_error(const mus_model *model, const double *right) {
  double sum = 0;
  for (int i = 0; i < model->vertices; ++i) {
    const double *r = right + 3 * (size_t)i;
    sum += mus_dot3(r, r) / model->mass[i];
  }
  return sqrt(sum / model->total_mass);
}

// The state at `part` of the way along `change` from the iterate.
static void go(const mus_step_context *c, const mus_scheme *s, const double *iterate, double part) {
  mus_copy(c->work->unknowns, iterate, c->state->velocity);
  mus_axpy(c->work->unknowns, part, c->work->change, c->state->velocity);
  mus_scheme_move(s, c->work->unknowns, c->work->predicted, c->state->velocity, c->state->position);
}

// Goes along `change`, or part of the way; leaves r at the new iterate in `right` and the part in `part`.
static mus_status search_line(const mus_step_context *c, const mus_scheme *s, double *iterate, double *part,
                              mus_step_record *record) {
  enum { TRIALS = 16 };
  size_t n = c->work->unknowns;
  double downhill = mus_dot(n, c->work->right, c->work->change);
  *part = 1;
  if (!(downhill > 0))
    return mus_fail(MUS_BREAKDOWN, "Newton's method leads uphill in the step to %g s", s->time);
  mus_copy(n, c->state->velocity, iterate);
  for (int trial = 0; trial < TRIALS; ++trial) {
    mus_status status = mus_stop_check();
    if (status)
      return status;
    go(c, s, iterate, *part);
    assemble_iterate(c, s, 0, record);
    double slope = mus_dot(n, c->work->right, c->work->change);
    if (slope >= -downhill / 2)
      return MUS_OK;
    *part *= fmin(0.9, fmax(0.1, downhill / (downhill - slope)));
  }
  mus_copy(n, iterate, c->state->velocity);
  mus_scheme_move(s, n, c->work->predicted, c->state->velocity, c->state->position);
  return mus_fail(MUS_NOT_CONVERGED, "Newton's line search found no lower point in the step to %g s", s->time);
}

// One correction; 1 in `done` when it was whole and as small as wanted. A linear solve that ends early is no failure
// here: the next correction goes on from what it reached. The matrix is the semi-definite one of the linearised step,
// which always leads downhill; the exact one was tried and needed as many iterations, where it did not lead uphill.
static mus_status correct(const mus_step_context *c, const mus_scheme *s, double *iterate, int *done,
                          mus_step_record *record) {
  double part = 1;
  assemble_iterate(c, s, 1, record);
  mus_linear_system system = mus_linear_system_of(c);
  mus_status status = mus_linear_run(c->linear, &system, c->work->change, record);
  int whole = !status;
  if (!status || status == MUS_NOT_CONVERGED)
    status = search_line(c, s, iterate, &part, record);
  *done = whole && part * mus_max_abs(c->work->unknowns, c->work->change) <= c->settings->newton_tolerance;
  return status;
}

// Corrections until they are small enough.
static mus_status converge(const mus_step_context *c, const mus_scheme *s, double *iterate, mus_step_record *record) {
  const mus_settings *settings = c->settings;
  for (int done = 0; !done && velocity_error(c->model, c->work->right) > settings->newton_tolerance;) {
    if (record->newton_iterations == settings->newton_iterations)
      return mus_fail(MUS_NOT_CONVERGED,
                      "Newton's method has not converged in %d iterations in the step to %g s: take a smaller "
                      "time_step, or more newton_iterations",
                      settings->newton_iterations, s->time);
    ++record->newton_iterations;
    mus_status status = mus_stop_check();
    if (!status)
      status = correct(c, s, iterate, &done, record);
    if (status)
      return status;
  }
  return MUS_OK;
}

// Where forces jump, as damping does where springs of Choi and Ko go slack, both ways along a correction may lead
// uphill at any length of the step. What a step that cannot be halved again has come to then is taken: it is never
// worse than the linearised step, from which corrections have only led downhill.
static mus_status advance(const mus_step_context *c, void *own, const mus_scheme *s, mus_step_record *record) {
  mus_status status = mus_linearised_advance(c, s, record);
  if (status)
    return status;
  mus_prescribe_rest(&c->work->prescribed); // all are where they go to now
  assemble_iterate(c, s, 0, record);
  status = converge(c, s, ((newton *)own)->iterate, record);
  if (status == MUS_NOT_CONVERGED && c->settings->adaptive && record->halvings == MUS_HALVINGS_MAXIMUM) {
    assemble_iterate(c, s, 0, record);
    status = MUS_OK;
  }
  mus_fill(c->work->unknowns, 0, c->work->change); // `right` is what is left
  return status;
}

const mus_integrator_kind mus_integrator_newton = {
    .order = 1, .create = create, .free = mus_free, .bytes = bytes, .advance = advance};
