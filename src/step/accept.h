// Whether the end of a step can be believed. What cannot is MUS_BREAKDOWN, and may be tried again in smaller steps.
#ifndef MUS_STEP_ACCEPT_H
#define MUS_STEP_ACCEPT_H

#include "step/step.h"

// Numbers are finite.
mus_status mus_accept_finite(const mus_state *state, size_t unknowns, const mus_step_record *record);
// No thread was stretched suddenly, and nothing turned inside out.
mus_status mus_accept_strains(const mus_state *state, const mus_step_record *record);
// Both.
mus_status mus_accept_state(const mus_state *state, size_t unknowns, const mus_step_record *record);
// No energy came from nowhere. Large linearised steps overshoot: what was linear at their start is not at their end,
// and stretches what it should only turn.
mus_status mus_accept_energy(const mus_step_context *c, const mus_scheme *s, const mus_step_record *record);
// The same where pins have done that work, J, and there is nothing else that does any.
mus_status mus_accept_energy_beside(const mus_step_context *c, const mus_scheme *s, const mus_step_record *record,
                                    double work);

// J, of all kinds that a record tells.
double mus_energy_of(const mus_step_record *record);

#endif
