// Search directions that know the secants of the last corrections (step/secants.h), whatever makes them of a right-hand
// side. Private to step/minimise/.
#ifndef MUS_STEP_MINIMISE_SECANT_SEARCH_H
#define MUS_STEP_MINIMISE_SECANT_SEARCH_H

#include "step/minimise/minimise.h"
#include "step/secants.h"

typedef struct mus_secant_search {
  mus_secants secants;
  double *turned, *correction; // unknowns: the right-hand side that secants make of r; the last correction
  double length;               // how much of that was gone: the minimiser's to note; 0: it tells nothing
} mus_secant_search;

// With so many secants. The memory comes from the arena.
mus_status mus_secant_search_create(mus_arena *arena, size_t unknowns, int most, mus_secant_search *out);
// Forgets all, where there is another energy. All of these do nothing without secants.
void mus_secant_search_begin(mus_secant_search *search);
// The right-hand side for the next correction from the iterate, at which r is assembled: r without secants.
const double *mus_secant_search_right(mus_secant_search *search, const mus_minimisation *m);
// What was made of it, in work->change, becomes the direction.
void mus_secant_search_turn(mus_secant_search *search, const mus_minimisation *m);

#endif
