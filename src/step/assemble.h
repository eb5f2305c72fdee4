// Forces and matrix of all cloths at one instant, and what can be said of a state: energies, momenta, strains. Private
// to step/.
#ifndef MUS_STEP_ASSEMBLE_H
#define MUS_STEP_ASSEMBLE_H

#include "step/state.h"

// Where and how forces are taken.
typedef struct mus_instant {
  double time;                       // s
  const double *position, *velocity; // vertices * 3
  double length;                     // s: H of step.c
  double drift;                      // s, see energy/element.h
} mus_instant;

// sim->right becomes the forces, gravity included: M g - (dE/dx + D v + drift K v); sim->matrix, where wanted, becomes
// M + H D + H^2 K.
void mus_assemble(mus_sim *sim, const mus_instant *at, int with_matrix);

// Energies, momenta and strains of the present state, into the record.
void mus_measure(mus_sim *sim, double time, mus_step_record *record);

#endif
