// What each fabric, and each material of solids, looks like in pictures, so that it is recognised at sight and several
// parts can be told apart; and what bodies look like.
#ifndef MUS_PICTURE_LOOKS_H
#define MUS_PICTURE_LOOKS_H

#include "render/scene.h"

// The look of a fabric by its name; NULL and unknown names get cotton's. `earlier` counts the cloths before it that
// have the same fabric: the first has the fabric's own colour, the others take one of a palette after the other.
mus_surface_look mus_fabric_look(const char *fabric, int earlier);
// The same of a material of solids; NULL and unknown names get rubber's.
mus_surface_look mus_solid_look(const char *material, int earlier);
// The same matter in another colour (sRGB).
void mus_look_recolour(mus_surface_look *look, mus_float3 colour);
// Squares in the look's colour, where that is dark enough to be told from white, else in red, and in white.
void mus_look_checker(mus_surface_look *look, float size);
// Bodies: matte and grey, as no fabric is.
mus_surface_look mus_body_look(void);

#endif
