// Settings that users change while a scene runs. See muslin/sim.h.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/initialised.h"
#include "par/par.h"
#include "sim/simulator.h"

// Energies that the next step is compared with are those under the new settings.
static void measure_anew(mus_sim *sim) {
  mus_step_context c = mus_sim_context(sim);
  int before = mus_par_set_threads(sim->settings.solver.threads);
  mus_step_compare_with_present(&c);
  mus_par_set_threads(before);
}

static void fix(mus_vector_setting *setting, const double value[3]) {
  setting->fixed = 1;
  memcpy(setting->value, value, sizeof setting->value);
}

static int all_finite(const double vector[3]) {
  return isfinite(vector[0]) && isfinite(vector[1]) && isfinite(vector[2]);
}

// From the order of the files to that which is simulated.
static void take_vectors(mus_sim *sim, const double *seen, double *value) {
  for (int k = 0; k < sim->model.part_count; ++k) {
    const mus_model_part *part = &sim->model.parts[k];
    for (int i = 0; i < part->shape.mesh.vertices; ++i) {
      int from = part->shape.order ? part->shape.order->vertex[i] : i;
      memcpy(value + 3 * (size_t)(part->first_vertex + i), seen + 3 * (size_t)(part->first_vertex + from),
             3 * sizeof *value);
    }
  }
}

mus_status mus_sim_set_state(mus_sim *sim, const double *positions, const double *velocities) {
  size_t n = 3 * (size_t)sim->model.vertices;
  for (size_t i = 0; i < n; ++i)
    if ((positions && !isfinite(positions[i])) || (velocities && !isfinite(velocities[i])))
      return mus_fail(MUS_BAD_INPUT, "a position or velocity of vertex %zu is not finite", i / 3);
  if (sim->lattices)
    return mus_fail(MUS_UNSUPPORTED, "the state of a scene with solids on lattices cannot be set");
  mus_status status = mus_sim_forget(sim);
  if (status)
    return status;
  if (positions)
    take_vectors(sim, positions, sim->state.position);
  if (velocities)
    take_vectors(sim, velocities, sim->state.velocity);
  if (sim->state.contact.hold)
    memset(sim->state.contact.hold, 0, (size_t)sim->state.contact.vertices * sizeof *sim->state.contact.hold);
  sim->state.step_before = 0;
  sim->state.halvings_before = 0;
  measure_anew(sim);
  mus_sim_show(sim);
  return MUS_OK;
}

mus_status mus_sim_set_gravity(mus_sim *sim, const double gravity[3]) {
  if (!all_finite(gravity))
    return mus_fail(MUS_BAD_INPUT, "gravity: give three finite numbers, m/s^2");
  fix(&sim->settings.gravity, gravity);
  measure_anew(sim);
  return MUS_OK;
}

mus_status mus_sim_set_wind(mus_sim *sim, const double wind[3]) {
  if (!all_finite(wind))
    return mus_fail(MUS_BAD_INPUT, "wind: give three finite numbers, m/s");
  fix(&sim->settings.wind, wind);
  return MUS_OK;
}

static mus_status check_number(const char *what, int number, int count) {
  return number >= 0 && number < count
             ? MUS_OK
             : mus_fail(MUS_BAD_INPUT, "there is no %s %d: the scene has %d", what, number, count);
}

mus_status mus_sim_set_fabric(mus_sim *sim, int cloth, const char *name) {
  mus_status status = check_number("cloth", cloth, sim->model.scene->cloth_count);
  if (!status)
    status = mus_model_set_fabric(&sim->model, cloth, name);
  if (!status)
    measure_anew(sim);
  return status;
}

mus_status mus_sim_set_stiffness(mus_sim *sim, int part, double factor) {
  mus_status status = check_number("part", part, sim->model.part_count);
  if (status)
    return status;
  if (!(factor >= 1e-3 && factor <= 1e3))
    return mus_fail(MUS_BAD_INPUT, "stiffness: %g is out of range; give 0.001 to 1000", factor);
  if (sim->model.parts[part].lattice)
    return mus_fail(MUS_UNSUPPORTED, "stiffness: that of a solid on a lattice stays as the scene has it");
  sim->settings.parts[part].factor = factor;
  measure_anew(sim);
  return MUS_OK;
}

mus_status mus_sim_set_solver(mus_sim *sim, const mus_solver_options *options) {
  mus_status status =
      mus_check_initialised(options->cookie, "the options of the solver were", "mus_default_solver_options");
  if (!status && !mus_method_available(options->method))
    return mus_fail(MUS_UNSUPPORTED, "this build has no solver %s; see docs/solver.md",
                    mus_method_name(options->method) ? mus_method_name(options->method) : "like that");
  if (!status)
    status = mus_linear_renew(&sim->linear, &sim->model, options);
  if (status)
    return status;
  sim->settings.solver = *options;
  return mus_sim_choose_device(sim);
}

void mus_sim_gravity(const mus_sim *sim, double gravity[3]) {
  mus_settings_gravity(&sim->settings, sim->state.time, gravity);
}

void mus_sim_wind(const mus_sim *sim, double wind[3]) { mus_settings_wind(&sim->settings, sim->state.time, wind); }

const char *mus_sim_fabric(const mus_sim *sim, int cloth) { return sim->model.parts[cloth].fabric.name; }

double mus_sim_stiffness(const mus_sim *sim, int part) { return sim->settings.parts[part].factor; }

const mus_solver_options *mus_sim_solver_options(const mus_sim *sim) { return &sim->settings.solver; }
