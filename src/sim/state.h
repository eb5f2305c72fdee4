// The state: what changes while a scene runs, and the room that a step works in. Private to sim/.
#ifndef MUS_SIM_STATE_H
#define MUS_SIM_STATE_H

#include "muslin/sim.h"
#include "sim/model.h"

struct mus_sim {
  mus_model model;
  mus_arena arena;
  // state
  double time; // s
  int frame;
  double *position, *velocity;               // vertices * 3
  double *position_before, *velocity_before; // a step ago, for BDF2
  double step_before;                        // s; 0 when there is none to build on
  // room of a step
  double *predicted;                   // positions at which forces are taken
  double *gradient[MUS_ELEMENT_KINDS]; // of all elements
  double *block[MUS_ELEMENT_KINDS];    // of all elements
  mus_membrane_measure *measure;       // of all membranes
  double *energy;                      // of a cloth's elements of any one kind
  double *strain;                      // of all membranes, sorted
  double strain_before;                // the largest, a step ago
  mus_matrix matrix;
  double *right, *change;                  // right-hand side; change of velocity
  double *saved_position, *saved_velocity; // to go back to when a step fails
  mus_constraint *constraint;              // one for each vertex that some pin holds
  int *constraint_of;                      // vertex -> place in `constraint`, -1
  mus_solver *solver, *strong;             // strong: made when the first one fails
  mus_step_record *record;
  int records, record_room;
};

// One step of length h, after so many halvings; on failure the state is as before.
mus_status mus_step(mus_sim *sim, double h, int halvings);

#endif
