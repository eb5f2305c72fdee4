// Solids on lattices within a step: each is solved by itself, with what touches it, before the rest of the step begins
// (lattice/solid.h). Its surface then goes where that has taken it: for cloth and other solids it is a body that moves.
// What these do to it is not felt.
//
// What touches a solid are bodies, except those that hold it, by penalties that act within its solve. A point of the
// surface is pushed out of closed bodies, and to the front of open ones, such as planes.
#ifndef MUS_STEP_LATTICES_H
#define MUS_STEP_LATTICES_H

#include "muslin/sim.h"
#include "step/attach.h"
#include "step/scheme.h"

typedef struct mus_lattices mus_lattices;

// All of a model's; NULL in `out` if it has none.
mus_status mus_lattices_create(const mus_model *model, mus_lattices **out);
void mus_lattices_free(mus_lattices *lattices); // NULL is fine
size_t mus_lattices_bytes(const mus_lattices *lattices);
// Numbers of mus_state.lattice; 0 for NULL.
size_t mus_lattices_numbers(const mus_lattices *lattices);
// What a state starts with.
void mus_lattices_start(mus_lattices *lattices, double *state);

// A step from the state, which does not change yet. On failure nothing does.
mus_status mus_lattices_advance(mus_lattices *lattices, const mus_settings *settings,
                                const mus_attachments *attachments, const mus_scheme *s, const mus_state *state,
                                mus_step_record *record);
// Where that has taken the vertices of their surfaces, vertices * 3 of the whole model, others anywhere; NULL for NULL.
const double *mus_lattices_end(const mus_lattices *lattices);
// Makes it the state. Nothing where time stands still.
void mus_lattices_commit(const mus_lattices *lattices, const mus_scheme *s, mus_state *state);
// Adds energies and momenta at the end of that step.
void mus_lattices_measure(const mus_lattices *lattices, const mus_settings *settings, mus_step_record *record);

// At the vertices of a part in a state: von Mises stresses, Pa; the volume over that at rest; the principal strain
// farthest from 0.
void mus_lattices_fields(mus_lattices *lattices, const mus_state *state, int part, double *stress, double *volume,
                         double *strain);

#endif
