// See minimise.h.
#include "step/minimise/minimise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "par/par.h"
#include "par/vector.h"
#include "step/linearised.h"

// --- the table -------------------------------------------------------------------------------------------------------

static const mus_minimiser_kind *const kinds[] = {&mus_minimiser_newton, &mus_minimiser_fmg, &mus_minimiser_fas,
                                                  &mus_minimiser_ncg,    &mus_minimiser_gs,  &mus_minimiser_pd};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *mus_minimiser_name(int index) {
  for (int k = 0; k < KINDS && index >= 0; ++k)
    for (const char *const *name = kinds[k]->names; *name; ++name)
      if (index-- == 0)
        return *name;
  return NULL;
}

static mus_status fail_to_read(const char *text) {
  char list[512] = "";
  for (int k = 0; mus_minimiser_name(k); ++k) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "", mus_minimiser_name(k));
  }
  return mus_fail(MUS_BAD_INPUT, "there is no minimiser \"%s\": take one of %s", text, list);
}

static int is_word(const char *text, size_t length, const char *word) {
  return strlen(word) == length && strncmp(text, word, length) == 0;
}

static mus_status read_variants(const char *text, const char *from, mus_minimiser *out) {
  for (int k = 0; *from == ':'; ++k) {
    size_t length = strcspn(++from, ":");
    const char *const *known = out->kind->variants;
    while (known && *known && !is_word(from, length, *known))
      ++known;
    if (!known || !*known || k == MUS_MINIMISER_VARIANTS)
      return mus_fail(MUS_BAD_INPUT, "minimiser \"%s\": %s has no variant \"%.*s\", see docs/minimise.md", text,
                      out->kind->name, (int)length, from);
    out->words.variant[k] = *known;
    from += length;
  }
  return MUS_OK;
}

mus_status mus_minimiser_read(const char *text, mus_minimiser *out) {
  size_t length = strcspn(text, ":");
  for (int k = 0; k < KINDS; ++k)
    for (const char *const *name = kinds[k]->names; *name; ++name)
      if (is_word(text, length, *name) || (name == kinds[k]->names && is_word(text, length, kinds[k]->name))) {
        size_t own = strlen(kinds[k]->name);
        *out = (mus_minimiser){.kind = kinds[k], .words = {.solver = (*name)[own] == '-' ? *name + own + 1 : ""}};
        return read_variants(text, text + length, out);
      }
  return fail_to_read(text);
}

mus_status mus_minimiser_of(const mus_scene *scene, mus_minimiser *out) {
  if (scene->minimiser[0])
    return mus_minimiser_read(scene->minimiser, out);
  *out = (mus_minimiser){.kind = kinds[0], .words = {.solver = mus_method_name(scene->solver.method)}};
  return MUS_OK;
}

void mus_scene_minimiser(const mus_scene *scene, char name[MUS_MINIMISER_TEXT]) {
  if (scene->minimiser[0])
    snprintf(name, MUS_MINIMISER_TEXT, "%s", scene->minimiser);
  else
    snprintf(name, MUS_MINIMISER_TEXT, "%s-%s", kinds[0]->name, mus_method_name(scene->solver.method));
}

int mus_minimiser_has(const mus_minimiser_words *words, const char *variant) {
  for (int k = 0; k < MUS_MINIMISER_VARIANTS; ++k)
    if (words->variant[k] && strcmp(words->variant[k], variant) == 0)
      return 1;
  return 0;
}

int mus_minimiser_may_choose_smoother(const mus_solver_options *solver) {
  const char *smoother = solver->multigrid.smoother;
  return !smoother[0] || strcmp(smoother, "chebyshev") == 0 || strcmp(smoother, "sweep") == 0;
}

mus_status mus_minimiser_configure(const mus_model *model, const mus_minimiser *minimiser, mus_solver_options *solver) {
  const mus_minimiser_kind *kind = minimiser->kind;
  return kind->configure ? kind->configure(model, &minimiser->words, solver) : MUS_OK;
}

mus_status mus_minimiser_create(const mus_model *model, mus_minimiser *minimiser) {
  const mus_minimiser_kind *kind = minimiser->kind;
  return kind->create ? kind->create(model, &minimiser->words, &minimiser->own) : MUS_OK;
}

void mus_minimiser_free(mus_minimiser *minimiser) {
  if (minimiser->own)
    minimiser->kind->free(minimiser->own);
  minimiser->own = NULL;
}

size_t mus_minimiser_bytes(const mus_minimiser *minimiser) {
  return minimiser->own ? minimiser->kind->bytes(minimiser->own) : 0;
}

// --- for minimisers --------------------------------------------------------------------------------------------------

void mus_minimise_assemble(mus_minimisation *m, int with_matrix) {
  if (m->assembled && !with_matrix)
    return;
  double begin = mus_seconds();
  m->machine->assemble(m, with_matrix);
  m->assembled = 1;
  m->record->assemble_seconds += mus_seconds() - begin;
}

mus_status mus_minimise_solve(mus_minimisation *m, const double *right) {
  mus_linear_system system = mus_linear_system_of(m->c);
  system.right = right;
  mus_status status = mus_linear_run(m->c->linear, &system, m->c->work->change, m->record);
  m->products += mus_solver_work(m->c->linear->last);
  return status == MUS_NOT_CONVERGED ? MUS_OK : status;
}

mus_status mus_minimise_prepare(mus_minimisation *m) {
  mus_minimise_assemble(m, 1);
  if (m->machine->prepare)
    return m->machine->prepare(m);
  mus_linear_system system = mus_linear_system_of(m->c);
  return mus_linear_prepare(m->c->linear, &system, m->record);
}

int mus_minimise_levels(const mus_minimisation *m) {
  return m->machine->levels ? m->machine->levels(m) : mus_solver_levels(m->c->linear->solver);
}

mus_status mus_minimise_correct(mus_minimisation *m, const double *right, int level, mus_correction kind) {
  if (m->machine->correct)
    return m->machine->correct(m, level, kind);
  mus_linear_system system = mus_linear_system_of(m->c);
  system.right = right;
  double before = mus_solver_work(m->c->linear->solver);
  mus_status status = mus_linear_correct(m->c->linear, &system, level, kind, m->c->work->change, m->record);
  m->products += mus_solver_work(m->c->linear->solver) - before;
  return status;
}

static double energy_at(mus_minimisation *m, double length) {
  double begin = mus_seconds(), energy = m->machine->energy(m, length);
  m->record->assemble_seconds += mus_seconds() - begin;
  return energy;
}

// Energies closer than this, J, cannot be told apart: they are sums of many.
static double rounding_of(const mus_minimisation *m) { return 1e-14 * (fabs(m->energy) + m->s->length * 1e-9); }

// The lowest point of the parabola that begins downhill and has this energy, against the beginning, at `length`.
static double lowest_of(double downhill, double length, double rise) {
  double bend = rise + downhill * length;
  return bend > 0 ? downhill * length * length / (2 * bend) : INFINITY;
}

// Whether to take a trial that has risen by so little that rounding decides: the slope tells what energies cannot.
static int slope_agrees(mus_minimisation *m, double downhill) { return fabs(m->machine->slope(m)) <= 0.9 * downhill; }

double mus_minimise_distance(const mus_minimisation *m, double sum, double largest) {
  return m->s->length * fmax(sqrt(3 * sum / (double)m->c->work->unknowns), sqrt(largest) / m->spread);
}

mus_status mus_minimise_go(mus_minimisation *m, int search, double *length, double *best) {
  enum { TRIALS = 24 };
  static const double wolfe = 1e-4;
  double downhill = m->machine->start(m), rounding = rounding_of(m), part = *length, lowest = part;
  for (int trial = 0; trial < TRIALS && downhill > 0; ++trial) {
    double rise = energy_at(m, part) - m->energy;
    m->assembled = 0;
    lowest = lowest_of(downhill, part, rise);
    int lower = rise <= -wolfe * part * downhill && rise < -rounding;
    if (lower && search && (lowest > 1.5 * part || lowest < 0.6 * part)) {
      double other = fmin(lowest, 4 * part), also = energy_at(m, other) - m->energy;
      if (also < rise) {
        rise = also;
        part = other;
      } else {
        m->machine->place(m, part);
      }
    }
    if (lower || (fabs(rise) <= rounding && slope_agrees(m, downhill))) {
      m->energy += fmin(rise, 0);
      m->cut = fmin(m->cut, part / *length);
      *length = part;
      if (best)
        *best = lowest;
      return MUS_OK;
    }
    part *= isfinite(rise) ? fmin(0.5, fmax(0.1, lowest / part)) : 0.1;
  }
  m->machine->place(m, 0);
  m->barred = fmax(m->barred, m->machine->way(m, *length));
  m->assembled = 0;
  *length = 0;
  return mus_fail(MUS_NOT_CONVERGED, "no lower energy was found in the step to %g s", m->s->time);
}

// --- for integrators -------------------------------------------------------------------------------------------------

mus_status mus_minimise_workspace_create(mus_arena *arena, size_t unknowns, mus_minimise_workspace *out) {
  double **all[] = {&out->free, &out->iterate, &out->last};
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
    *all[k] = mus_arena_alloc_zero(arena, unknowns, sizeof(double));
    if (!*all[k])
      return mus_fail_memory();
  }
  return MUS_OK;
}

static mus_status obey(mus_minimisation *m) {
  m->energy = m->machine->obey(m);
  m->assembled = 0;
  m->changed = 1;
  mus_status status = m->machine->status ? m->machine->status(m) : MUS_OK;
  if (status || isfinite(m->energy))
    return status;
  return mus_fail(MUS_BREAKDOWN, "the energy of the step to %g s is not finite: take a smaller time_step", m->s->time);
}

mus_status mus_minimise_begin(const mus_step_context *c, const mus_scheme *s, const mus_minimise_workspace *work,
                              mus_step_record *record, mus_minimisation *out) {
  mus_status status = mus_objective_begin(c, s);
  return status ? status : mus_minimise_begin_on(&mus_minimise_host, NULL, c, s, work, record, out);
}

mus_status mus_minimise_begin_on(const mus_minimise_machine *machine, void *there, const mus_step_context *c,
                                 const mus_scheme *s, const mus_minimise_workspace *work, mus_step_record *record,
                                 mus_minimisation *out) {
  *out = (mus_minimisation){
      .machine = machine, .there = there, .c = c, .s = s, .record = record, .moved = INFINITY, .factor = 1};
  if (work) {
    out->free = work->free;
    out->iterate = work->iterate;
    out->last = work->last;
  }
  return obey(out);
}

mus_status mus_minimise_iterate(mus_minimisation *m, mus_minimiser *minimiser) {
  double before = m->moved, energy = m->energy;
  mus_status status = mus_stop_check();
  if (status)
    return status;
  m->machine->mark(m);
  m->cut = 1;
  m->barred = 0;
  status = minimiser->kind->iterate(m, minimiser->own);
  if (m->machine->status && m->machine->status(m))
    return m->machine->status(m);
  m->changed = 0;
  memmove(m->drop + 1, m->drop, 3 * sizeof *m->drop);
  m->drop[0] = fmax(energy - m->energy, 0);
  m->moved = status ? m->barred : m->machine->moved(m) / m->cut;
  m->factor = m->iteration > 0 && before > 0 ? m->moved / before : 1;
  if (status == MUS_NOT_CONVERGED) // as far as energies tell, this is the minimum
    m->factor = 0;
  ++m->iteration;
  ++m->record->newton_iterations;
  return status;
}

mus_status mus_minimise_look(mus_minimisation *m, int converged) {
  const mus_step_context *c = m->c;
  int changed = 0;
  m->off = 0;
  if (!c->contact)
    return MUS_OK;
  if (converged) // r in all directions
    mus_minimise_assemble(m, 0);
  mus_contact_iterate at = {c->state->position, c->state->velocity, converged ? c->work->right : NULL};
  mus_status status = mus_contact_find_more(c->contact, &at, m->record, &changed, &m->off);
  if (!status && changed)
    status = mus_prescribe_contacts_again(c->contact, c->state->velocity, &c->work->prescribed);
  return status || !changed ? status : obey(m);
}

// What is left to gain of something of which each iteration gains `factor` times as much as the one before.
static double left_after(double gained, double factor) {
  factor = fmin(fmax(factor, 0.01), 0.95);
  return gained * factor / (1 - factor);
}

// J: what the energy has yet to fall by. Single iterations are lucky or not; two are taken together where there are
// enough.
static double energy_left(const mus_minimisation *m) {
  const double *drop = m->drop;
  double now = drop[0] + drop[1], before = drop[2] + drop[3];
  if (m->iteration < 4)
    return left_after(drop[0], drop[1] > 0 ? drop[0] / drop[1] : 0);
  return left_after(now / 2, before > 0 ? sqrt(now / before) : 0);
}

double mus_minimise_error(const mus_minimisation *m) {
  if (m->iteration < 2)
    return m->by_energy ? INFINITY : m->moved;
  double error = left_after(m->moved, m->factor);
  return m->by_energy ? fmax(error, m->s->length * sqrt(2 * energy_left(m) / m->c->model->total_mass)) : error;
}

void mus_minimise_end(mus_minimisation *m) {
  const mus_step_context *c = m->c;
  mus_linear_open(c->linear);
  m->assembled = 0;
  mus_minimise_assemble(m, 0);
  if (c->contact)
    mus_contact_measure_left(c->contact, c->work->right, c->state->velocity);
  mus_objective_end(c, m->s, m->record);
  mus_copy(c->work->unknowns, m->free, c->work->right);
  mus_fill(c->work->unknowns, 0, c->work->change); // `right` is what is left
}
