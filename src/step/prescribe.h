// What pins and bodies prescribe in the linear system of a step.
#ifndef MUS_STEP_PRESCRIBE_H
#define MUS_STEP_PRESCRIBE_H

#include "step/scheme.h"

typedef struct mus_prescribed {
  mus_constraint *list; // one for each vertex that a pin or a body holds, pins first
  int count, pins;      // of all; of pins
  int capacity;         // of the list
  int *pinned;          // vertices: place in the list if a pin holds it, else -1
} mus_prescribed;

// Room for all pins. Arrays come from the arena, except the list. Free on failure, too.
mus_status mus_prescribed_create(mus_arena *arena, const mus_model *model, mus_prescribed *out);
void mus_prescribed_free(mus_prescribed *prescribed);

// Starts anew, with what pins prescribe: their vertices go where their pin will be at the end of the step.
void mus_prescribe_pins(const mus_model *model, const mus_scheme *s, const double *predicted, const double *velocity,
                        mus_prescribed *prescribed);
// Adds held vertices, which go along with their bodies.
mus_status mus_prescribe_contacts(const mus_contact_workspace *contact, const double *velocity,
                                  mus_prescribed *prescribed);

// The same directions, with nothing left to do in them.
void mus_prescribe_rest(mus_prescribed *prescribed);
// In vertices * 3 numbers, zeros in all these directions.
void mus_prescribed_clear(const mus_prescribed *prescribed, double *value);

#endif
