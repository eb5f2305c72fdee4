// Steps of Projective Dynamics on a GPU, cuda/projective_stages.h: what step/projective.c does, with the state, the
// levels and all vectors there. The host makes the levels and the constant matrix, which change seldom, and decides
// about corrections by their sums. Private to step/, behind resident.h.
#ifndef MUS_STEP_PROJECTIVE_THERE_H
#define MUS_STEP_PROJECTIVE_THERE_H

#include "cuda/projective_stages.h"
#include "step/step.h"

typedef struct mus_projective_there mus_projective_there;

// As in resident.h.
const char *mus_projective_there_obstacle(const mus_step_context *c);
// The device is open already, and stays so. The model goes there with the first step.
mus_status mus_projective_there_create(const mus_model *model, mus_device *device, mus_touch *touch,
                                       mus_projective_there **out);   // touch: NULL is fine
void mus_projective_there_free(mus_projective_there *there);          // NULL is fine
size_t mus_projective_there_bytes(const mus_projective_there *there); // on the host
void mus_projective_there_tell(const mus_projective_there *there, mus_sim_device *out);
void mus_projective_there_forget(mus_projective_there *there);

// A step up to where it leads, and what can be said of that; on failure the state is as before.
mus_status mus_projective_there_advance(const mus_step_context *c, mus_projective_there *there, const mus_scheme *s,
                                        mus_stage_sums *sums, mus_step_record *record);
// That becomes the state, here too.
mus_status mus_projective_there_commit(const mus_step_context *c, mus_projective_there *there);
// The system of the last step comes to c->work.
mus_status mus_projective_there_fetch(const mus_step_context *c, mus_projective_there *there);

// The pieces, for tests: all that comes before the first iteration; r there, which `look` then tells beside the last
// correction; a cycle for any right-hand side, 3 numbers a vertex; the energy of the step.
mus_status mus_projective_there_begin(const mus_step_context *c, mus_projective_there *there, const mus_scheme *s,
                                      mus_step_record *record);
mus_status mus_projective_there_assemble(mus_projective_there *there);
mus_status mus_projective_there_look(mus_projective_there *there, double *right, double *change);
mus_status mus_projective_there_cycle(mus_projective_there *there, const double *right, double *change);
mus_status mus_projective_there_energy(mus_projective_there *there, double *energy);

// Brings the integrator's own matrix up to date after steps that ran elsewhere, for its product alone (projective.c).
mus_status mus_projective_catch_up(const mus_step_context *c, void *own, const mus_scheme *s);

#endif
