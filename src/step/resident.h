// Steps on a GPU, linearised or minimised by Newton's method: the state lies there, elements are evaluated and systems
// are assembled there, the solver solves them there, and the end of the step is measured there. See cuda/step_stages.h
// and search.h.
//
// Positions and velocities come back after each step, so that whatever else looks at the state finds it on the host;
// they go there again only after something else has changed them.
#ifndef MUS_STEP_RESIDENT_H
#define MUS_STEP_RESIDENT_H

#include "cuda/step_stages.h"
#include "step/step.h"

struct mus_search;

// What keeps the next step from running there, in words that fit before "do not run on a GPU"; NULL: nothing.
const char *mus_resident_obstacle(const mus_step_context *c);

// A model on the device; the solver's options say which. MUS_UNSUPPORTED, MUS_OUT_OF_MEMORY and MUS_DEVICE_FAILED say
// what is missing. Nothing to free on failure.
mus_status mus_resident_create(const mus_model *model, mus_touch *touch, mus_resident **out); // touch: NULL is fine
void mus_resident_free(mus_resident *resident);                                               // NULL is fine
size_t mus_resident_bytes(const mus_resident *resident);                                      // on the host
// Fills in all but the solver's share.
void mus_resident_tell(const mus_resident *resident, mus_sim_device *out);

// A whole step, as mus_step() does it on the host: on failure the state is as before. *done is 0, and nothing has
// happened, where the host has to do it: something in the way (above), a system that the solver there fails at, threads
// beyond their limits (a minimum that was found is kept for mus_resident_take_end()), or a failure of the device's
// where MUS_DEVICE_AUTO allows it.
mus_status mus_resident_step(const mus_step_context *c, double h, int halvings, mus_step_record *record, int *done);

// The host's state has been changed other than by mus_resident_step(), and counts from now on. NULL is fine.
void mus_resident_forget(mus_resident *resident);
// If the last step ran there, its matrix, right-hand side and change come to c->linear and c->work.
mus_status mus_resident_fetch(const mus_step_context *c);

// Bodies of contact with bodies only, for the model; NULL: none.
void mus_resident_describe_bodies(const mus_touch *touch, mus_stage_model *out);

// Steps of others that run there, as those of resident_batch.h:
// the moment of a step, and stiffnesses of lists; what pins prescribe; whether its sums, which become those of the
// record, can be believed, see accept.h; the state and the record at its end, once positions and velocities are there;
// whether the device, or the solver there, is at fault, and not the step.
mus_stage_moment mus_resident_moment(const mus_step_context *c, const mus_scheme *s, double *scale);
mus_status mus_resident_prescribe(const mus_step_context *c, const mus_scheme *s);
mus_status mus_resident_accept(const mus_step_context *c, const mus_scheme *s, const mus_stage_sums *sums,
                               mus_step_record *record);
void mus_resident_end(const mus_step_context *c, const mus_stage_sums *sums, mus_step_record *record);
int mus_resident_is_at_fault(mus_status status);
// For integrators that minimise: the state and workspace are there, for a search by mus_minimise_there.
mus_status mus_resident_search(const mus_step_context *c, const mus_scheme *s, struct mus_search *out);
// Nested levels for that search, with so many sweeps of Gauss-Seidel before and after each coarser one; it is then for
// mus_minimise_levels_there.
mus_status mus_resident_ladder(mus_resident *resident, int sweeps, struct mus_search *search);
// Whether mus_resident_step() has just left this step for the host to finish; then its end becomes the state, and what
// it took is added to the record.
int mus_resident_take_end(const mus_step_context *c, mus_step_record *record);

// The pieces, for tests: the state goes there; the system of a step is assembled there, without what is held.
mus_status mus_resident_put(mus_resident *resident, const mus_state *state, int order);
mus_status mus_resident_assemble(const mus_step_context *c, mus_resident *resident, const mus_scheme *s);
mus_status mus_resident_look(mus_resident *resident, double *values, double *right);

#endif
