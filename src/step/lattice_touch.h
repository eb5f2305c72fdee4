// The bodies that points of a solid on a lattice may touch: for each point, the half space that is free. Private to
// lattices.c.
//
// A point is inside a closed body where the winding number is more than a half (collide/winding.h), and behind an open
// one, such as a plane, where it is behind its nearest triangle. The half space is bounded by the plane across the way
// to the nearest point of a body, as far from it as both are thick.
#ifndef MUS_STEP_LATTICE_TOUCH_H
#define MUS_STEP_LATTICE_TOUCH_H

#include "lattice/solid.h"
#include "model/model.h"

typedef struct mus_lattice_touches mus_lattice_touches;

// For a part of the model, with bodies where they start. NULL in `out` if there is nothing to touch.
mus_status mus_lattice_touches_create(const mus_model *model, int part, const double *bodies,
                                      mus_lattice_touches **out);
void mus_lattice_touches_free(mus_lattice_touches *touches); // NULL is fine
size_t mus_lattice_touches_bytes(const mus_lattice_touches *touches);

// Where all bodies are at the beginning and at the end of a step of length h. Both must stay as they are until the
// next.
void mus_lattice_touches_place(mus_lattice_touches *touches, const double *begin, const double *end, double h);
// As mus_lattice_step.touch has it; the context is a mus_lattice_touches.
void mus_lattice_touches_find(void *context, int count, const double *position, mus_lattice_touch *out);

#endif
