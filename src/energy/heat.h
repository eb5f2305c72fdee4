// What heat maps show: one number a vertex that says how cloth is strained, bent, or left unsolved.
#ifndef MUS_ENERGY_HEAT_H
#define MUS_ENERGY_HEAT_H

#include "energy/baraff_witkin.h"
#include "mesh/topology.h"

// What does not change from frame to frame.
typedef struct mus_heat_plan {
  const mus_mesh *mesh;
  mus_topology topology;
  mus_membrane_rest *rest; // triangles
  double *part;            // workspace: a number per triangle or hinge
  double *area;            // workspace: vertices
} mus_heat_plan;

// The mesh has material coordinates and stays where it is. Memory comes from the arena.
mus_status mus_heat_plan_create(mus_arena *arena, const mus_mesh *mesh, mus_heat_plan *out);

// Strain along warp or weft in percent: of those of all triangles at a vertex, the one that is furthest from 0, with
// its sign. NaN where no triangle has an area at rest.
void mus_heat_stretch(mus_heat_plan *plan, const double *position, double *heat);
// Curvature in 1/m, the sum of the two principal ones without its sign: sum of angle * length / 2 over the hinges at a
// vertex, over its third of the triangles' area (Steiner's formula), averaged over its neighbours, lest the pattern of
// the mesh show. A roll of radius r has 1/r.
void mus_heat_bend(mus_heat_plan *plan, const double *position, double *heat);
// The length of a vector a vertex, in its unit.
void mus_heat_length(int vertices, const double *vector, double *heat);

// Low and high ends of a scale for `count` numbers: one in 200 lies below, one in 200 above, so that a few vertices at
// pins do not make all the rest one colour. Numbers that are not finite are passed over; low is above high where there
// are no others. `workspace` has `count` numbers.
void mus_heat_range(int count, const double *heat, double *workspace, double *low, double *high);

#endif
