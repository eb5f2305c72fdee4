// Settings that change while a scene runs. See settings.h.
#include "step/settings.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/motion.h"
#include "par/par.h"
#include "step/state.h"

mus_status mus_settings_create(mus_arena *arena, const mus_model *model, mus_settings *out) {
  *out = (mus_settings){.solver = model->scene->solver};
  out->stiffness = mus_arena_alloc(arena, (size_t)model->cloth_count, sizeof *out->stiffness);
  if (!out->stiffness)
    return mus_fail_memory();
  for (int k = 0; k < model->cloth_count; ++k)
    out->stiffness[k] = 1;
  return MUS_OK;
}

void mus_settings_gravity(const mus_settings *settings, const mus_model *model, double time, double gravity[3]) {
  if (settings->gravity_given)
    memcpy(gravity, settings->gravity, sizeof settings->gravity);
  else
    mus_gravity_at(model->scene, time, gravity);
}

int mus_settings_wind(const mus_settings *settings, const mus_model *model, double time, double wind[3]) {
  static const double still[3] = {0, 0, 0};
  if (settings->wind_given)
    memcpy(wind, settings->wind, sizeof settings->wind);
  else
    mus_keys_at(&model->scene->wind, 3, time, still, wind);
  return settings->wind_given ? mus_dot3(wind, wind) > 0 : model->scene->wind.count > 0;
}

double mus_settings_stiffness(const mus_settings *settings, const mus_model *model, int cloth, double time) {
  return settings->stiffness[cloth] * mus_stiffness_at(model->cloths[cloth].source, time);
}

// --- the public side -------------------------------------------------------------------------------------------------

// Energies that the next step is compared with are those under the new settings.
static void measure_anew(mus_sim *sim) {
  mus_step_record record = {0};
  int before = mus_par_set_threads(sim->settings.solver.threads);
  mus_sim_measure(sim, sim->time, &record);
  mus_par_set_threads(before);
  mus_step_remember(sim, &record);
}

static int all_finite(const double vector[3]) {
  return isfinite(vector[0]) && isfinite(vector[1]) && isfinite(vector[2]);
}

mus_status mus_sim_set_gravity(mus_sim *sim, const double gravity[3]) {
  if (!all_finite(gravity))
    return mus_fail(MUS_BAD_INPUT, "gravity: give three finite numbers, m/s^2");
  memcpy(sim->settings.gravity, gravity, sizeof sim->settings.gravity);
  sim->settings.gravity_given = 1;
  measure_anew(sim);
  return MUS_OK;
}

mus_status mus_sim_set_wind(mus_sim *sim, const double wind[3]) {
  if (!all_finite(wind))
    return mus_fail(MUS_BAD_INPUT, "wind: give three finite numbers, m/s");
  memcpy(sim->settings.wind, wind, sizeof sim->settings.wind);
  sim->settings.wind_given = 1;
  return MUS_OK;
}

static mus_status check_cloth(const mus_sim *sim, int cloth) {
  return cloth >= 0 && cloth < sim->model.cloth_count
             ? MUS_OK
             : mus_fail(MUS_BAD_INPUT, "there is no cloth %d: the scene has %d", cloth, sim->model.cloth_count);
}

mus_status mus_sim_set_fabric(mus_sim *sim, int cloth, const char *name) {
  mus_status status = check_cloth(sim, cloth);
  if (!status)
    status = mus_model_set_fabric(&sim->model, cloth, name);
  if (!status)
    measure_anew(sim);
  return status;
}

mus_status mus_sim_set_stiffness(mus_sim *sim, int cloth, double factor) {
  mus_status status = check_cloth(sim, cloth);
  if (status)
    return status;
  if (!(factor >= 1e-3 && factor <= 1e3))
    return mus_fail(MUS_BAD_INPUT, "stiffness: %g is out of range; give 0.001 to 1000", factor);
  sim->settings.stiffness[cloth] = factor;
  measure_anew(sim);
  return MUS_OK;
}

mus_status mus_sim_set_solver(mus_sim *sim, const mus_solver_options *options) {
  mus_solver_options before = sim->settings.solver;
  sim->settings.solver = *options;
  mus_status status = mus_method_available(options->method)
                          ? mus_sim_renew_solver(sim)
                          : mus_fail(MUS_UNSUPPORTED, "this build has no solver %s; see docs/solver.md",
                                     mus_method_name(options->method) ? mus_method_name(options->method) : "like that");
  if (status)
    sim->settings.solver = before;
  return status;
}

void mus_sim_gravity(const mus_sim *sim, double gravity[3]) {
  mus_settings_gravity(&sim->settings, &sim->model, sim->time, gravity);
}

void mus_sim_wind(const mus_sim *sim, double wind[3]) {
  mus_settings_wind(&sim->settings, &sim->model, sim->time, wind);
}

const char *mus_sim_fabric(const mus_sim *sim, int cloth) { return sim->model.cloths[cloth].fabric.name; }

double mus_sim_stiffness(const mus_sim *sim, int cloth) { return sim->settings.stiffness[cloth]; }

const mus_solver_options *mus_sim_solver_options(const mus_sim *sim) { return &sim->settings.solver; }

const char *mus_fabric_name(int index) {
  const mus_fabric *fabric = mus_fabric_at(index);
  return fabric ? fabric->name : NULL;
}
