// What pins and bodies prescribe in the linear system of a step.
#ifndef MUS_STEP_PRESCRIBE_H
#define MUS_STEP_PRESCRIBE_H

#include "step/assemble.h"
#include "step/scheme.h"

// A spring from a vertex to where its pin has it at the end of the step.
typedef struct mus_soft_pin {
  int vertex;
  double stiffness, damping;     // N/m, N s/m
  double target[3], velocity[3]; // m, m/s
} mus_soft_pin;

typedef struct mus_prescribed {
  mus_constraint *list; // one for each vertex that a pin or a body holds, pins first
  int count, pins;      // of all; of pins
  int capacity;         // of the list
  int *pinned;          // vertices: place in the list if a pin holds it, else -1
  mus_soft_pin *soft;   // of all soft pins that hold
  int soft_count;
  double *body[2]; // vertices of bodies * 3: at the step's beginning and end, where pins bind to bodies
} mus_prescribed;

// Room for all pins. Arrays come from the arena, except the list. Free on failure, too.
mus_status mus_prescribed_create(mus_arena *arena, const mus_model *model, mus_prescribed *out);
void mus_prescribed_free(mus_prescribed *prescribed);

// Starts anew, with what pins prescribe: their vertices go where their pin will be at the end of the step. A pin that
// begins to hold vertices to a body binds them where they are. The surfaces of solids on lattices go to `end` (vertices
// * 3; NULL where there are none).
mus_status mus_prescribe_pins(const mus_model *model, const mus_scheme *s, const double *predicted, const double *end,
                              mus_state *state, mus_prescribed *prescribed);
// Adds H f of soft pins to the right-hand side, with H K v off where the instant drifts, and H D + H^2 K to the matrix
// where given.
void mus_soft_pins_load(const mus_model *model, const mus_prescribed *prescribed, const mus_instant *at,
                        mus_matrix *matrix, double *right);
// Adds that matrix to the diagonal, for steps of length H.
mus_status mus_soft_pins_lump(const mus_prescribed *prescribed, double length, mus_shared_blocks *to);
// J, of soft pins at these positions, with their targets at the end of the step.
double mus_soft_pins_energy(const mus_prescribed *prescribed, const double *position);
// The same and damping, as a potential of the step, where x' = X + H v' and the instant does not drift:
// mus_soft_pins_load() adds minus its gradient by v'.
double mus_soft_pins_potential(const mus_prescribed *prescribed, const mus_instant *at);
// Whether one puts energy in by its damping, since its target moves.
int mus_soft_pins_drag(const mus_prescribed *prescribed);
// Adds held vertices, which go along with their bodies.
mus_status mus_prescribe_contacts(const mus_contact_workspace *contact, const double *velocity,
                                  mus_prescribed *prescribed);
// The same in place of those before, with nothing left to do for pins: within a step, after another look at contacts.
mus_status mus_prescribe_contacts_again(const mus_contact_workspace *contact, const double *velocity,
                                        mus_prescribed *prescribed);

// What another prescribes at those of its vertices that have a number here, -1: none. Nothing else, and no pins.
mus_status mus_prescribe_same(const mus_prescribed *from, const int *number, mus_prescribed *prescribed);

// Has velocities do what is prescribed.
void mus_prescribed_go(const mus_prescribed *prescribed, double *velocity);
// The same directions, with nothing left to do in them.
void mus_prescribe_rest(mus_prescribed *prescribed);
// In vertices * 3 numbers, zeros in all these directions.
void mus_prescribed_clear(const mus_prescribed *prescribed, double *value);

#endif
