// What other rooms may see of a simulator, beyond muslin/sim.h.
#ifndef MUS_SIM_ACCESS_H
#define MUS_SIM_ACCESS_H

#include "energy/solid_measure.h"
#include "model/model.h"
#include "muslin/sim.h"
#include "step/state.h"

// mus_sim_create() with kinds of elements beside those of the cloths' models, see model/model.h.
mus_status mus_sim_create_with(const mus_scene *scene, const mus_element_kind *const *extra, mus_sim **out);

const mus_model *mus_sim_model(const mus_sim *sim);

// All that checkpoints hold, but for what the solver remembers. Who writes to it calls mus_sim_recall() or
// mus_sim_forget() before and mus_sim_show() after.
mus_state *mus_sim_state(mus_sim *sim);
// Drops what the solver and the search for contacts remember of earlier steps. On failure nothing is changed.
mus_status mus_sim_forget(mus_sim *sim);
// What the solver remembers of earlier steps, valid until the next step. The simulator drops everything else that they
// have left, so that it and one that recalls this do the same from here on.
mus_status mus_sim_remember(mus_sim *sim, const void **bytes, size_t *size);
// At positions as in the state. On failure nothing is changed.
mus_status mus_sim_recall(mus_sim *sim, const double *position, size_t size, const void *bytes);
// Attempts at steps that were rejected since the last step that succeeded: `rejected` and `rejected_seconds`.
const mus_step_record *mus_sim_rejected(const mus_sim *sim);
// Stress and strain of a solid's tetrahedra now, in the order of its file.
mus_status mus_sim_measure(mus_sim *sim, int part, mus_solid_measure *measure);
// The principal strain that is farthest from 0.
static inline double mus_solid_strain(const mus_solid_measure *measure) {
  double low = measure->stretch[2] - 1, high = measure->stretch[0] - 1;
  return -low > high ? low : high;
}
// MUS_FIELD_STRESS, MUS_FIELD_VOLUME and MUS_FIELD_STRETCH of all solids at once, each a number per vertex in the order
// of the files; those of cloths are left alone.
mus_status mus_sim_stresses(mus_sim *sim, double *const value[3]);
// Positions and velocities as users see them become those of the state.
void mus_sim_show(mus_sim *sim);

#endif
