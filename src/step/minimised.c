// Implicit Euler as a minimisation (objective.h): the step ends where its energy is lowest, to the accuracy that the
// scene asks for. "newton" is the same with that minimiser and a tolerance of its own.
//
// What cannot be converged in the number of iterations that it may take is kept as it is, and counted: it is lower than
// where it began. "newton" fails there, and the step is halved, as scenes that name it expect; it is kept at last where
// the step cannot be halved again: forces that jump, as where springs go slack, may leave no way to converge.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "step/minimise/minimise.h"
#include "step/minimised.h"

// Iterations of a step at most, if the integrator chooses.
enum { ITERATIONS = 60 };
// Minima of a step at most, each with the contacts that were found by then.
enum { MINIMA = 4 };

// Accuracy is that of the mean. The last vertices to settle are those of a few folds that snap, which nobody can tell
// from right ones: a single vertex may be off by so many times as much.
static const double spread = 30;

typedef struct minimised {
  mus_arena arena;
  mus_minimise_workspace work;
  mus_minimiser minimiser;
} minimised;

static void destroy(void *own) {
  minimised *d = own;
  mus_minimiser_free(&d->minimiser);
  mus_arena_clear(&d->arena);
  mus_free(d);
}

static size_t bytes(const void *own) {
  const minimised *d = own;
  return sizeof *d + d->arena.bytes + mus_minimiser_bytes(&d->minimiser);
}

// The minimiser's linear systems are those of the settings, which have been made for it.
static mus_status create_by(const mus_model *model, const char *name, void **own) {
  minimised *d = mus_alloc_zero(1, sizeof *d);
  mus_solver_options options = model->scene->solver;
  if (!d)
    return mus_fail_memory();
  mus_status status = mus_minimise_workspace_create(&d->arena, 3 * (size_t)model->vertices, &d->work);
  if (!status)
    status = mus_minimiser_read(name, &d->minimiser);
  if (!status)
    status = mus_minimiser_create(model, &d->minimiser, &options);
  if (status)
    destroy(d);
  else
    *own = d;
  return status;
}

static mus_status create(const mus_model *model, void **own) {
  return create_by(model, mus_minimiser_of(model->scene), own);
}

static mus_status create_newton(const mus_model *model, void **own) { return create_by(model, "newton", own); }

mus_status mus_minimised_configure(const mus_model *model, mus_solver_options *solver) {
  const mus_scene *scene = model->scene;
  mus_minimiser minimiser = {0};
  if (scene->integrator != MUS_INTEGRATOR_MINIMISE)
    return MUS_OK;
  mus_status status = mus_minimiser_read(mus_minimiser_of(scene), &minimiser);
  if (!status && strcmp(scene->minimiser, "") == 0) // with the scene's own solver
    minimiser.words.solver = mus_method_name(solver->method);
  return status ? status : minimiser.kind->configure(model, &minimiser.words, solver);
}

// Whether bodies or other cloth rub. What lies still is held by friction until it is drawn harder than that can hold,
// which takes an iteration to find out.
static int is_rubbed(const mus_step_context *c) {
  return c->contact &&
         c->contact->holds.held.count + c->contact->within.couplings.count + c->contact->beyond.couplings.count > 0;
}

// Iterations until the error is small enough and contact has nothing to add; what it goes on to add after some minima
// is left to the response. NOT_CONVERGED where they end before.
static mus_status converge(mus_minimisation *m, mus_minimiser *minimiser, double accuracy, int iterations) {
  for (int minima = 0, since = 0;; ++since) {
    int converged = mus_minimise_error(m) <= accuracy && (since > 1 || !is_rubbed(m->c));
    mus_status status = mus_minimise_look(m, converged);
    if (isinf(m->off)) // what was let go has to find its place first
      since = 0;
    else
      minima += converged;
    if (status || (converged && (m->off <= accuracy || minima == MINIMA)))
      return status;
    if (m->iteration == iterations)
      return mus_fail(MUS_NOT_CONVERGED, "%d iterations did not bring the step to %g s to its accuracy", iterations,
                      m->s->time);
    status = mus_minimise_iterate(m, minimiser);
    if (status)
      return status;
  }
}

static mus_status advance(const mus_step_context *c, void *own, const mus_scheme *s, mus_step_record *record) {
  minimised *d = own;
  mus_minimisation m;
  mus_status status = mus_minimise_begin(c, s, &d->work, record, &m);
  m.spread = spread;
  if (!status)
    status = converge(&m, &d->minimiser, c->settings->accuracy, ITERATIONS);
  if (status && status != MUS_NOT_CONVERGED)
    return status;
  record->unfinished = status == MUS_NOT_CONVERGED;
  mus_minimise_end(&m);
  return MUS_OK;
}

static mus_status advance_newton(const mus_step_context *c, void *own, const mus_scheme *s, mus_step_record *record) {
  minimised *d = own;
  mus_minimisation m;
  mus_status status = mus_minimise_begin(c, s, &d->work, record, &m);
  if (!status)
    status = converge(&m, &d->minimiser, c->settings->newton_tolerance * s->length, c->settings->newton_iterations);
  record->unfinished = status == MUS_NOT_CONVERGED;
  if (record->unfinished && !(c->settings->adaptive && record->halvings == MUS_HALVINGS_MAXIMUM))
    return mus_fail(MUS_NOT_CONVERGED,
                    "Newton's method has not converged in %d iterations in the step to %g s: take a smaller "
                    "time_step, or more newton_iterations",
                    m.iteration, s->time);
  if (status && status != MUS_NOT_CONVERGED)
    return status;
  mus_minimise_end(&m);
  return MUS_OK;
}

const mus_integrator_kind mus_integrator_minimise = {
    .order = 1, .minimises = 1, .create = create, .free = destroy, .bytes = bytes, .advance = advance};
const mus_integrator_kind mus_integrator_newton = {
    .order = 1, .minimises = 1, .create = create_newton, .free = destroy, .bytes = bytes, .advance = advance_newton};
