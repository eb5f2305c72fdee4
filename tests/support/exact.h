// What goes through what at the present of a simulator, exactly, as `muslin check` finds it. What goes wrong ends the
// test.
#ifndef TESTS_SUPPORT_EXACT_H
#define TESTS_SUPPORT_EXACT_H

#include "check/intersections.h"
#include "muslin/sim.h"

typedef struct exact_finder exact_finder;

exact_finder *exact_begin(const mus_sim *sim);
void exact_end(exact_finder *e);

// Pairs of triangles that intersect, with positions in single precision, as users get them. Pairs stay until the next
// search.
int exact_search(exact_finder *e, mus_sim *sim);
const mus_intersection *exact_pairs(const exact_finder *e);

// Vertices inside bodies: cloth may also be in one without crossing its surface.
int exact_inside(mus_sim *sim);

#endif
