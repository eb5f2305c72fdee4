// What settings, and steps on a GPU, have to know of steps that are minimised.
#ifndef MUS_STEP_MINIMISED_H
#define MUS_STEP_MINIMISED_H

#include "model/model.h"
#include "step/integrator.h"

struct mus_minimise_machine;

// Makes the scene's solver options those of the minimiser that it names; leaves them to other integrators as they are.
mus_status mus_minimised_configure(const mus_model *model, mus_solver_options *solver);

// Whether the integrator minimises by Newton's method.
int mus_minimised_is_newton(const struct mus_step_context *c);
// What such an integrator does between mus_minimise_begin_on() and the end of the step, which stays where it is.
mus_status mus_minimised_advance_on(const struct mus_minimise_machine *machine, void *there,
                                    const struct mus_step_context *c, const mus_scheme *s, mus_step_record *record);

#endif
