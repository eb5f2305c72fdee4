// Forces and matrix of all cloths at one instant, and what can be said of a state: energies, momenta, strains. Private
// to step/.
#ifndef MUS_STEP_ASSEMBLE_H
#define MUS_STEP_ASSEMBLE_H

#include "muslin/sim.h"
#include "sparse/shared.h"
#include "step/settings.h"

// Where and how forces are taken.
typedef struct mus_instant {
  double time;                       // s
  const double *position, *velocity; // vertices * 3
  double length;                     // s: H of step/scheme.h
  double drift;                      // s, see energy/element.h
  const double *before;              // vertices * 3: X of step/scheme.h, for damping as a potential of the step
                                     // (energy/element.h); NULL: damping follows velocities
} mus_instant;

// `force` (vertices * 3) becomes the forces, gravity included: M g - (dE/dx + D v + drift K v). `matrix`, unless it is
// NULL, has the model's pattern and becomes M + H D + H^2 K. With damping as a potential P of the step, the forces are
// M g - d(E + P)/dx, at->velocity and at->drift are not read, and K has P's part.
void mus_assemble(const mus_model *model, const mus_settings *settings, const mus_instant *at, mus_matrix *matrix,
                  double *force);

// The energy of which mus_assemble() has minus the derivative as forces, J: sum of E + P - M g . (x - X), which counts
// gravity from the beginning of the step, so that small differences are not lost in what a whole cloth weighs. Without
// at->before, E - M g . x. The bits do not depend on the number of threads.
double mus_assemble_energy(const mus_model *model, const mus_settings *settings, const mus_instant *at);

// Adds to the diagonal what stands there in Projective Dynamics for what kinds lump (energy/element_list.h): drag.
mus_status mus_assemble_lumped(const mus_model *model, const mus_settings *settings, const mus_instant *at,
                               mus_shared_blocks *to);

// Energies, momenta and strains into the record; at->length and at->drift are not read. `strain` is workspace of
// model->strains numbers.
void mus_measure(const mus_model *model, const mus_settings *settings, const mus_instant *at, double *strain,
                 mus_step_record *record);

#endif
