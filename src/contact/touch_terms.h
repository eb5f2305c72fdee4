// Contact of vertices with bodies alone in steps that are minimised (energy/touch_term.h), on the host.
#ifndef MUS_CONTACT_TOUCH_TERMS_H
#define MUS_CONTACT_TOUCH_TERMS_H

#include "contact/touch.h"
#include "energy/touch_term.h"

// From the beginning of a step: places bodies, and makes what is frozen in it. `matrix` is the step's, without what
// keeps vertices off bodies; `velocity` (vertices * 3), that of the first iterate, changes where bodies stop it.
mus_status mus_touch_terms_begin(const mus_model *model, const mus_touch_step *step, const double *gravity,
                                 const mus_matrix *matrix, mus_touch *touch, double *velocity);

// Of x' and v': the energy, J, whose bits do not depend on the number of threads; minus its derivative by v' added to
// the right-hand side, and the second one to the matrix, unless that is NULL.
double mus_touch_terms_energy(const mus_touch *touch, double length, const double *position, const double *velocity);
void mus_touch_terms_load(const mus_model *model, const mus_touch *touch, double length, const double *position,
                          const double *velocity, mus_matrix *matrix, double *right);
// A search has come from velocities `from` to x' and v', see mus_touch_guard().
void mus_touch_terms_guard(const mus_touch *touch, double length, const double *predicted, const double *from,
                           double *position, double *velocity);
// The end of the step, as mus_touch_measure() leaves it, and what is left of r there.
void mus_touch_terms_end(double length, const double *position, const double *velocity, const double *left,
                         mus_touch *touch);

#endif
