// Methods for the minimum of a step beside each other. See muslin/sim.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "par/par.h"
#include "sim/simulator.h"
#include "step/search.h"

mus_status mus_minimiser_check(const char *name) {
  mus_minimiser minimiser;
  mus_method method;
  mus_status status = mus_minimiser_read(name, &minimiser);
  if (status || mus_method_from_name(minimiser.words.solver, &method) != MUS_OK || mus_method_available(method))
    return status;
  return mus_fail(MUS_UNSUPPORTED, "this build has no %s, which \"%s\" needs", minimiser.words.solver, name);
}

typedef struct trial {
  mus_arena arena;
  mus_minimise_workspace work;
  mus_minimiser minimiser;
  mus_linear linear; // its own
  mus_state start;
  int is_there; // 1: on the GPU where steps are
  int sweeps;   // there, of nonlinear multigrid; 0: that is not it
} trial;

// Where it runs. On a GPU, nonlinear multigrid has levels of its own, and the solver is not asked.
static void choose_device(mus_sim *sim, trial *t, mus_solver_options *solver) {
  mus_step_context c = mus_sim_context(sim);
  int sweeps = 0;
  if (!sim->resident || mus_resident_obstacle(&c))
    return;
  if (mus_search_climbs(&t->minimiser) && solver->device != MUS_DEVICE_CPU &&
      sscanf(solver->multigrid.smoother, "gs:%d", &sweeps) == 1) {
    t->sweeps = sweeps;
    solver->device = MUS_DEVICE_CPU;
  }
  t->is_there = sweeps > 0 || mus_search_runs(&t->minimiser, solver);
}

static mus_status make(mus_sim *sim, const char *method, trial *t) {
  const mus_model *model = &sim->model;
  mus_solver_options solver = model->scene->solver;
  mus_status status = mus_minimiser_read(method, &t->minimiser);
  if (!status)
    status = mus_minimiser_configure(model, &t->minimiser, &solver);
  if (!status)
    status = mus_minimiser_create(model, &t->minimiser);
  if (!status)
    choose_device(sim, t, &solver);
  if (!status)
    status = mus_linear_renew(&t->linear, model, &solver);
  if (!status)
    status = mus_minimise_workspace_create(&t->arena, 3 * (size_t)model->vertices, &t->work);
  if (!status)
    status = mus_state_create(&t->arena, model->vertices, sim->state.bond_count, sim->state.lattice_count, &t->start);
  if (!status && sim->contact)
    status = mus_contact_state_create(&t->arena, sim->state.contact.vertices, &t->start.contact);
  if (!status)
    mus_state_copy(&sim->state, model->vertices, &t->start);
  return status;
}

static void free_trial(trial *t) {
  mus_minimiser_free(&t->minimiser);
  mus_linear_free(&t->linear);
  mus_arena_clear(&t->arena);
}

static mus_status begin_there(const mus_step_context *c, const trial *t, const mus_scheme *s, mus_search *search,
                              mus_step_record *record, mus_minimisation *m) {
  mus_status status = mus_resident_search(c, s, search);
  if (!status && t->sweeps > 0)
    status = mus_resident_ladder(c->resident, t->sweeps, search);
  const mus_minimise_machine *machine = t->sweeps > 0 ? &mus_minimise_levels_there : &mus_minimise_there;
  return status ? status : mus_minimise_begin_on(machine, search, c, s, NULL, record, m);
}

// From the start of the step to the end of the iterations, and back.
static mus_status run(mus_sim *sim, trial *t, const mus_minimise_options *options, mus_minimise_entry *entries,
                      int *count) {
  mus_step_context c = mus_sim_context(sim);
  double h = options->time_step > 0 ? options->time_step : mus_settings_step_length(&sim->settings, sim->state.frame);
  mus_scheme s = mus_scheme_choose(1, &sim->state, h);
  mus_step_record record = {0};
  mus_minimisation m;
  mus_search search;
  mus_integrator_state integrator = {.kind = &mus_integrator_minimise}; // what contacts are found for
  c.linear = &t->linear;
  c.integrator = &integrator;
  mus_status status = mus_step_begin(&c, &s, &record);
  double begin = mus_seconds();
  if (!status)
    status =
        t->is_there ? begin_there(&c, t, &s, &search, &record, &m) : mus_minimise_begin(&c, &s, &t->work, &record, &m);
  *count = 0;
  for (int end = 0; !status && !end;) {
    entries[(*count)++] = (mus_minimise_entry){m.energy, m.products, mus_seconds() - begin};
    double fallen = entries[0].energy - m.energy, before = m.energy;
    if (m.iteration == options->iterations || (options->seconds > 0 && mus_seconds() - begin > options->seconds))
      break;
    status = mus_minimise_iterate(&m, &t->minimiser);
    end = m.iteration > 1 && before - m.energy < options->stop * fallen;
  }
  mus_state_copy(&t->start, sim->model.vertices, &sim->state);
  return status == MUS_NOT_CONVERGED ? MUS_OK : status; // as low as it gets
}

// Of all runs, each with room for as many entries, the one that takes the median time.
static int median_of(int runs, size_t room, const mus_minimise_entry *entries, const int *count) {
  for (int k = 0; k < runs; ++k) {
    double own = entries[(size_t)k * room + (size_t)count[k] - 1].seconds;
    int before = 0;
    for (int j = 0; j < runs; ++j) {
      double other = entries[(size_t)j * room + (size_t)count[j] - 1].seconds;
      before += other < own || (other == own && j < k);
    }
    if (before == runs / 2)
      return k;
  }
  return 0;
}

static mus_status run_often(mus_sim *sim, trial *t, const mus_minimise_options *options, mus_minimise_entry *entries,
                            int *count) {
  int runs = options->repeat;
  size_t room = (size_t)options->iterations + 1;
  mus_minimise_entry *all = mus_arena_alloc(&t->arena, (size_t)runs * room, sizeof *all);
  int *counts = mus_arena_alloc(&t->arena, (size_t)runs, sizeof *counts);
  mus_status status = all && counts ? MUS_OK : mus_fail_memory();
  for (int k = 0; k < runs && !status; ++k)
    status = run(sim, t, options, all + (size_t)k * room, &counts[k]);
  if (status)
    return status;
  int which = median_of(runs, room, all, counts);
  *count = counts[which];
  memcpy(entries, all + (size_t)which * room, (size_t)*count * sizeof *entries);
  return MUS_OK;
}

mus_status mus_sim_minimise(mus_sim *sim, const mus_minimise_options *options, mus_minimise_entry *entries,
                            int *count) {
  trial t = {0};
  int before = mus_par_set_threads(sim->settings.solver.threads);
  mus_status status = make(sim, options->method, &t);
  mus_minimise_options once = *options;
  once.iterations = options->iterations < 2 ? options->iterations : 2;
  if (!status && !options->cold)
    status = run(sim, &t, &once, entries, count);
  if (!status)
    status = options->repeat > 1 ? run_often(sim, &t, options, entries, count) : run(sim, &t, options, entries, count);
  sim->linear.is_told = 0;
  free_trial(&t);
  mus_par_set_threads(before);
  return status;
}
