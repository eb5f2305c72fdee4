// The simulator: model, settings, state and what steps work with, joined. Private to sim/; the rooms above use
// muslin/sim.h and sim/access.h.
#ifndef MUS_SIM_SIMULATOR_H
#define MUS_SIM_SIMULATOR_H

#include "base/list.h"
#include "sim/access.h"
#include "step/limit.h"
#include "step/resident.h"

struct mus_sim_fields; // see fields.c

struct mus_sim {
  mus_arena arena;
  mus_model model; // mus_sim_set_fabric() alone writes it
  mus_settings settings;
  mus_attachments attachments;
  mus_state state;
  mus_state start; // of the step that is being made in halves, to go back to; no vectors until one is
  mus_workspace work;
  mus_contact_workspace *contact; // NULL if the scene wants no contact
  mus_touch *touch;               // NULL unless it wants contact with bodies only
  mus_linear linear;
  mus_integrator_state integrator;
  mus_limiter *limiter;      // NULL until strains are first limited
  mus_lattices *lattices;    // NULL if the scene has no solids on lattices
  mus_resident *resident;    // NULL if steps run on the host
  char device_failure[512];  // why they do, if MUS_DEVICE_AUTO looked for a device; "": nothing is wrong
  mus_interpolation *levels; // NULL until they are asked for
  int level_count;
  mus_list records;              // mus_step_record, of the last call
  mus_step_record rejected;      // attempts since the last successful step; only `rejected` and its seconds are used
  double *seen[3];               // positions, velocities and residual in the order of the files ...
  int reordered;                 // ... where some cloth has another
  struct mus_sim_fields *fields; // NULL until one is asked for
};

// Has steps run where the solver's options say: on a GPU, if these ask for one and nothing of the scene is in the way.
mus_status mus_sim_choose_device(mus_sim *sim);

// mus_sim_create() with another device than the scene's.
mus_status mus_sim_create_on(const mus_scene *scene, mus_device_choice device, mus_sim **out);
// One more step, on the threads that the caller has chosen; its records are added to those that are there.
mus_status mus_sim_step_on(mus_sim *sim);
// The same where the step has been done already, and the state is that of its end.
mus_status mus_sim_stepped(mus_sim *sim, const mus_step_record *record);

// What a step of this simulator works with.
mus_step_context mus_sim_context(mus_sim *sim);

// From the order that is simulated to that of the files, vertices * width numbers.
void mus_sim_restore_order(const mus_sim *sim, int width, const double *value, double *seen);

void mus_sim_fields_free(struct mus_sim_fields *fields); // NULL is fine
size_t mus_sim_fields_bytes(const struct mus_sim_fields *fields);

#endif
