// The state: what changes while a scene runs. Checkpoints hold all of it.
#ifndef MUS_STEP_STATE_H
#define MUS_STEP_STATE_H

#include "contact/contact.h"
#include "model/bond.h"

typedef struct mus_state {
  double time;                               // s
  int frame;                                 // frames that are done
  int frame_step;                            // steps of the next frame that are done
  double *position, *velocity;               // vertices * 3: m, m/s
  double *position_before, *velocity_before; // one step ago, for BDF2
  double step_before;                        // s: length of the last step; 0 if there is none to build on
  int halvings_before;                       // of the last step
  double strain_before;                      // the largest at the end of the last step
  double energy_before;                      // J, all kinds together, at the same time
  int inverted_before;                       // tetrahedra that were inside out then
  mus_contact_state contact;                 // unused if the scene wants no contact
  int bond_count;
  mus_bond *bonds;      // where pins have bound vertices to bodies
  size_t lattice_count; // numbers
  double *lattice;      // solids on lattices, see lattices.h; their surfaces are among the positions
} mus_state;

// All zero but for contact, which is made apart; vectors come from the arena.
mus_status mus_state_create(mus_arena *arena, int vertices, int bonds, size_t lattice, mus_state *out);
// Both are made for the same model.
void mus_state_copy(const mus_state *from, int vertices, mus_state *to);

#endif
