// See search.h.
#include "step/search.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static mus_search *search_of(const mus_minimisation *m) { return m->there; }

// Keeps the first failure.
static void note(mus_search *search, mus_status status, const mus_stage_failure *failure) {
  if (status && !search->failed)
    search->failed = mus_fail(status, "%s", failure->text);
}

static mus_status status(const mus_minimisation *m) { return search_of(m)->failed; }

static double obey(mus_minimisation *m) {
  mus_search *search = search_of(m);
  mus_prescribed *prescribed = &m->c->work->prescribed;
  mus_stage_failure failure = {""};
  double energy = NAN;
  for (int k = 0; k < prescribed->count; ++k) {
    const mus_constraint *from = &prescribed->list[k];
    mus_stage_hold *to = &search->hold[k];
    to->node = from->node;
    to->count = from->count;
    memcpy(to->direction, from->direction, sizeof to->direction);
    memcpy(to->value, from->value, sizeof to->value);
  }
  mus_prescribe_rest(prescribed);
  note(search,
       search->stages->begin(search->device, &search->moment, search->scale, prescribed->count, search->hold, &energy,
                             &failure),
       &failure);
  return energy;
}

static void assemble(mus_minimisation *m, int with_matrix) {
  mus_search *search = search_of(m);
  mus_stage_failure failure = {""};
  note(search, search->stages->assemble(search->device, with_matrix, &failure), &failure);
}

// Once and not for each step: where the same nodes are held, nothing is left to do there.
static mus_status tell_held(mus_minimisation *m) {
  mus_linear *linear = m->c->linear;
  const mus_prescribed *prescribed = &m->c->work->prescribed;
  mus_status told =
      linear->is_told ? MUS_OK : mus_solver_set_constraints(linear->solver, prescribed->count, prescribed->list);
  linear->is_told = !told;
  return told;
}

static mus_status solve(mus_minimisation *m) {
  mus_search *search = search_of(m);
  mus_linear *linear = m->c->linear;
  mus_stage_system there;
  if (search->failed)
    return search->failed;
  mus_linear_open(linear);
  search->stages->system(search->device, &there);
  mus_status solving = tell_held(m);
  if (solving)
    return solving;
  solving = mus_solver_solve_device(
      linear->solver,
      &(mus_device_system){.values = there.values, .coordinates = there.position, .b = there.right, .x = there.change});
  const mus_solve_record *solved = mus_solver_record(linear->solver);
  linear->last = linear->solver;
  m->products += mus_solver_work(linear->solver);
  m->record->iterations += solved->iterations;
  m->record->residual = solved->true_residual;
  m->record->setup_seconds += solved->setup_seconds;
  m->record->prefilter_seconds += solved->prefilter_seconds;
  m->record->solve_seconds += solved->solve_seconds;
  return solving == MUS_NOT_CONVERGED ? MUS_OK : solving;
}

static void conjugate(mus_minimisation *m, struct mus_conjugate *on_host, int anew, double slope) {
  mus_search *search = search_of(m);
  mus_stage_failure failure = {""};
  (void)on_host;
  search->memory.anew = anew;
  search->memory.slope = slope;
  note(search, search->stages->direct(search->device, &search->memory, &search->direction, &failure), &failure);
  search->memory.product = search->direction.product;
  search->is_directed = 1;
}

static double start(mus_minimisation *m) {
  mus_search *search = search_of(m);
  if (!search->is_directed) // the change is the direction
    conjugate(m, NULL, 1, 0);
  search->is_directed = 0;
  ++search->searches;
  return search->direction.downhill;
}

static double energy(mus_minimisation *m, double length) {
  mus_search *search = search_of(m);
  mus_stage_failure failure = {""};
  double found = NAN;
  if (!search->failed)
    note(search, search->stages->go(search->device, length, &found, &failure), &failure);
  search->length = length;
  return found;
}

static void place(mus_minimisation *m, double length) { energy(m, length); }

static double slope(mus_minimisation *m) {
  mus_search *search = search_of(m);
  mus_stage_failure failure = {""};
  double found = NAN;
  if (!search->failed)
    note(search, search->stages->slope(search->device, &found, &failure), &failure);
  m->assembled = 1;
  return found;
}

static void mark(mus_minimisation *m) {
  mus_search *search = search_of(m);
  mus_stage_failure failure = {""};
  search->length = 0;
  search->searches = 0;
  note(search, search->stages->mark(search->device, &failure), &failure);
}

static double way(mus_minimisation *m, double length) {
  const mus_stage_direction *d = &search_of(m)->direction;
  return mus_minimise_distance(m, length * length * d->square, length * length * d->farthest);
}

static double moved(mus_minimisation *m) {
  mus_search *search = search_of(m);
  mus_stage_failure failure = {""};
  double square = NAN, farthest = NAN;
  if (search->searches == 1 && !m->c->touch) // bodies may have held some of it back
    return way(m, search->length);
  note(search, search->stages->distance(search->device, &square, &farthest, &failure), &failure);
  return mus_minimise_distance(m, square, farthest);
}

// --- nested levels ---------------------------------------------------------------------------------------------------

static mus_status prepare(mus_minimisation *m) {
  mus_search *search = search_of(m);
  mus_stage_failure failure = {""};
  if (!search->failed)
    note(search, search->ladder_stages->renew(search->ladder, &failure), &failure);
  return search->failed;
}

static mus_status correct(mus_minimisation *m, int level, mus_correction kind) {
  mus_search *search = search_of(m);
  mus_stage_failure failure = {""};
  double work = 0;
  if (!search->failed)
    note(search, search->ladder_stages->correct(search->ladder, level, kind == MUS_CORRECT_SMOOTH, &work, &failure),
         &failure);
  m->products += work;
  ++m->record->iterations;
  return search->failed;
}

static int levels(const mus_minimisation *m) { return search_of(m)->levels; }

int mus_search_runs(const mus_minimiser *minimiser, const mus_solver_options *solver) {
  return minimiser->kind == &mus_minimiser_newton && solver->method == MUS_METHOD_SA &&
         solver->device != MUS_DEVICE_CPU;
}

int mus_search_climbs(const mus_minimiser *minimiser) {
  return minimiser->kind == &mus_minimiser_fmg && strcmp(minimiser->words.solver, "geometric") == 0 &&
         minimiser->words.variant[0] && !mus_minimiser_has(&minimiser->words, "secants");
}

const mus_minimise_machine mus_minimise_there = {.obey = obey,
                                                 .assemble = assemble,
                                                 .solve = solve,
                                                 .conjugate = conjugate,
                                                 .start = start,
                                                 .place = place,
                                                 .energy = energy,
                                                 .slope = slope,
                                                 .mark = mark,
                                                 .moved = moved,
                                                 .way = way,
                                                 .status = status};

const mus_minimise_machine mus_minimise_levels_there = {.obey = obey,
                                                        .assemble = assemble,
                                                        .start = start,
                                                        .place = place,
                                                        .energy = energy,
                                                        .slope = slope,
                                                        .mark = mark,
                                                        .moved = moved,
                                                        .way = way,
                                                        .status = status,
                                                        .prepare = prepare,
                                                        .correct = correct,
                                                        .levels = levels};
