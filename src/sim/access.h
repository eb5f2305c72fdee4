// What other rooms may see of a simulator, beyond muslin/sim.h.
#ifndef MUS_SIM_ACCESS_H
#define MUS_SIM_ACCESS_H

#include "model/model.h"
#include "muslin/sim.h"
#include "step/state.h"

// mus_sim_create() with kinds of elements beside those of the cloths' models, see model/model.h.
mus_status mus_sim_create_with(const mus_scene *scene, const mus_element_kind *const *extra, mus_sim **out);

const mus_model *mus_sim_model(const mus_sim *sim);

// All that checkpoints hold. Who writes to it calls mus_sim_forget() before and mus_sim_show() after.
mus_state *mus_sim_state(mus_sim *sim);
// Drops what the solvers and the search for contacts remember of earlier steps. On failure nothing is changed.
mus_status mus_sim_forget(mus_sim *sim);
// Attempts at steps that were rejected since the last step that succeeded: `rejected` and `rejected_seconds`.
const mus_step_record *mus_sim_rejected(const mus_sim *sim);
// Positions and velocities as users see them become those of the state.
void mus_sim_show(mus_sim *sim);

#endif
