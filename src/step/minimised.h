// What settings have to know of steps that are minimised.
#ifndef MUS_STEP_MINIMISED_H
#define MUS_STEP_MINIMISED_H

#include "model/model.h"

// Makes the scene's solver options those of the minimiser that it names; leaves them to other integrators as they are.
mus_status mus_minimised_configure(const mus_model *model, mus_solver_options *solver);

#endif
