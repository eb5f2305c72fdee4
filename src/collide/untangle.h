// Ways out of intersections: where surfaces go through each other, which nodes to push, where to and how far.
//
// Cloth in cloth: the contour along which two pieces cross is made shorter (Volino and Magnenat-Thalmann 2006). Cloth
// in a body: vertices that lie inside (generalised winding number, Jacobson et al. 2013, so that open and self-crossing
// bodies have an inside too) go to the nearest outer point of the surface.
#ifndef MUS_COLLIDE_UNTANGLE_H
#define MUS_COLLIDE_UNTANGLE_H

#include "collide/detector.h"

// As a contact with `distance` <= 0, minus how far the two have to go along `normal`, m.
// Only nodes of cloth matter; nodes of bodies keep their place.
mus_status mus_untangle_pushes(mus_detector *detector, const mus_surface *surface, const double *x,
                               const mus_list *crossings, mus_list *pushes);

// How often the bodies' surfaces wind around p: near 1 inside a closed one, 0 outside.
typedef struct mus_winding mus_winding;
mus_status mus_winding_create(const mus_surface *surface, const double *x, mus_winding **out);
mus_status mus_winding_fit(mus_winding *winding, const double *x);
void mus_winding_free(mus_winding *winding); // NULL is fine
double mus_winding_number(const mus_winding *winding, const double p[3]);

#endif
