// A surface filled, with all that must hold asserted, and what there is to measure.
#ifndef SUPPORT_FILLING_H
#define SUPPORT_FILLING_H

#include "fill/filled_surface.h"
#include "mesh/tetrahedra.h"

typedef struct filling {
  mus_tetrahedra mesh;
  mus_solid_surface skin;
  mus_tetrahedra_quality quality;
  double deviation, closed, loss; // m
} filling;

filling fill_surface(mus_arena *arena, const mus_mesh *mesh, double spacing);

#endif
