// Implicit Euler as a minimisation (objective.h): the step ends where its energy is lowest, to the accuracy that the
// scene asks for. "newton" is the same with that minimiser and a tolerance of its own.
//
// What cannot be converged in the number of iterations that it may take is kept as it is, and counted: it is lower than
// where it began. "newton" fails there, and the step is halved, as scenes that name it expect; it is kept at last where
// the step cannot be halved again: forces that jump, as where springs go slack, may leave no way to converge.
#include <math.h>

#include "base/error.h"
#include "step/minimise/minimise.h"
#include "step/minimised.h"
#include "step/resident.h"

// Iterations of a step at most, if the integrator chooses.
enum { ITERATIONS = 100 };
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

// Takes what was read. Its linear systems are those of the settings.
static mus_status create_by(const mus_model *model, const mus_minimiser *read, void **own) {
  minimised *d = mus_alloc_zero(1, sizeof *d);
  if (!d)
    return mus_fail_memory();
  d->minimiser = *read;
  mus_status status = mus_minimise_workspace_create(&d->arena, 3 * (size_t)model->vertices, &d->work);
  if (!status)
    status = mus_minimiser_create(model, &d->minimiser);
  if (status)
    destroy(d);
  else
    *own = d;
  return status;
}

// Contact with bodies alone is terms of the finest mesh's matrix, which neither coarser meshes nor constant matrices
// have.
static mus_status check(const mus_scene *scene, const mus_minimiser *read) {
  if (!scene->contact || scene->contact_with != MUS_CONTACT_BODIES ||
      (read->kind != &mus_minimiser_fas && read->kind != &mus_minimiser_pd))
    return MUS_OK;
  return mus_fail(MUS_UNSUPPORTED, "contact_with: \"bodies\" is not for the minimiser \"%s\": use \"newton-sa\"",
                  read->kind->name);
}

static mus_status create(const mus_model *model, void **own) {
  mus_minimiser read;
  mus_status status = mus_minimiser_of(model->scene, &read);
  if (!status)
    status = check(model->scene, &read);
  return status ? status : create_by(model, &read, own);
}

static mus_status create_newton(const mus_model *model, void **own) {
  return create_by(model, &(mus_minimiser){.kind = &mus_minimiser_newton}, own);
}

mus_status mus_minimised_configure(const mus_model *model, mus_solver_options *solver) {
  mus_minimiser read;
  if (model->scene->integrator != MUS_INTEGRATOR_MINIMISE)
    return MUS_OK;
  mus_status status = mus_minimiser_of(model->scene, &read);
  return status ? status : mus_minimiser_configure(model, &read, solver);
}

// Whether bodies or other cloth rub. What lies still is held by friction until it is drawn harder than that can hold,
// which takes an iteration to find out.
static int is_rubbed(const mus_step_context *c) {
  return c->touch ||
         (c->contact &&
          c->contact->holds.held.count + c->contact->within.couplings.count + c->contact->beyond.couplings.count > 0);
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
    if (status && !(status == MUS_NOT_CONVERGED && m->moved <= accuracy)) // rounding may hide what is lower
      return status;
  }
}

// Where a step's iterations end.
typedef struct demands {
  double accuracy, spread; // m; see mus_minimisation
  int iterations;
  int by_energy; // see mus_minimisation, too
  int strict;    // 1: a step that does not get there fails
} demands;

static demands demands_of_minimise(const mus_step_context *c) {
  return (demands){.accuracy = c->settings->accuracy, .spread = spread, .by_energy = 1, .iterations = ITERATIONS};
}

static demands demands_of_newton(const mus_step_context *c, const mus_scheme *s, const mus_step_record *record) {
  return (demands){.accuracy = c->settings->newton_tolerance * s->length,
                   .spread = 1,
                   .iterations = c->settings->newton_iterations,
                   .strict = !(c->settings->adaptive && record->halvings == MUS_HALVINGS_MAXIMUM)};
}

// From where a minimisation begins to where it is kept.
static mus_status minimise(mus_minimisation *m, mus_status begun, minimised *d, const demands *wanted) {
  mus_status status = begun;
  m->spread = wanted->spread;
  m->by_energy = wanted->by_energy;
  if (!status)
    status = converge(m, &d->minimiser, wanted->accuracy, wanted->iterations);
  m->record->unfinished = status == MUS_NOT_CONVERGED;
  return status == MUS_NOT_CONVERGED && !wanted->strict ? MUS_OK : status;
}

static mus_status minimise_here(const mus_step_context *c, minimised *d, const mus_scheme *s, const demands *wanted,
                                mus_step_record *record) {
  mus_minimisation m;
  mus_status status = mus_minimise_begin(c, s, &d->work, record, &m);
  if (status || !mus_resident_take_end(c, record))
    status = minimise(&m, status, d, wanted);
  if (!status)
    mus_minimise_end(&m);
  return status;
}

static mus_status advance(const mus_step_context *c, void *own, const mus_scheme *s, mus_step_record *record) {
  demands wanted = demands_of_minimise(c);
  return minimise_here(c, own, s, &wanted, record);
}

static mus_status fail_newton(mus_status status, const mus_scheme *s, const mus_step_record *record) {
  return status != MUS_NOT_CONVERGED
             ? status
             : mus_fail(MUS_NOT_CONVERGED,
                        "Newton's method has not converged in %d iterations in the step to %g s: take a smaller "
                        "time_step, or more newton_iterations",
                        record->newton_iterations, s->time);
}

static mus_status advance_newton(const mus_step_context *c, void *own, const mus_scheme *s, mus_step_record *record) {
  demands wanted = demands_of_newton(c, s, record);
  return fail_newton(minimise_here(c, own, s, &wanted, record), s, record);
}

int mus_minimised_is_newton(const mus_step_context *c) {
  const mus_integrator_kind *kind = c->integrator->kind;
  return (kind == &mus_integrator_minimise || kind == &mus_integrator_newton) && c->integrator->own &&
         ((const minimised *)c->integrator->own)->minimiser.kind == &mus_minimiser_newton;
}

mus_status mus_minimised_advance_on(const mus_minimise_machine *machine, void *there, const mus_step_context *c,
                                    const mus_scheme *s, mus_step_record *record) {
  int strictly = c->integrator->kind == &mus_integrator_newton;
  demands wanted = strictly ? demands_of_newton(c, s, record) : demands_of_minimise(c);
  mus_minimisation m;
  mus_status begun = mus_minimise_begin_on(machine, there, c, s, NULL, record, &m);
  mus_status status = minimise(&m, begun, c->integrator->own, &wanted);
  return strictly ? fail_newton(status, s, record) : status;
}

const mus_integrator_kind mus_integrator_minimise = {
    .order = 1, .minimises = 1, .create = create, .free = destroy, .bytes = bytes, .advance = advance};
const mus_integrator_kind mus_integrator_newton = {
    .order = 1, .minimises = 1, .create = create_newton, .free = destroy, .bytes = bytes, .advance = advance_newton};
