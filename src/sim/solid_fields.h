// Stress and strain of the solids of a simulation. Private to sim/; sim/access.h offers it to other rooms.
#ifndef MUS_SIM_SOLID_FIELDS_H
#define MUS_SIM_SOLID_FIELDS_H

#include "energy/solid_measure.h"
#include "sim/simulator.h"

typedef struct mus_solid_fields {
  mus_solid_plan *plan;       // parts; those of solids are made
  mus_solid_measure *measure; // of the largest solid's tetrahedra
  double *number;             // the same
  double *at_points[3];       // of the largest surface of a solid on a lattice: stress, volume and strain
} mus_solid_fields;

mus_status mus_solid_fields_create(mus_arena *arena, const mus_model *model, mus_solid_fields *out);
// Fields of a solid's vertices, in the order that is simulated.
void mus_solid_fields_fill(const mus_solid_fields *fields, const mus_sim *sim, int part, mus_field field,
                           double *value);
// Measures a solid now: its tetrahedra, in the order that is simulated, into fields->measure; on a lattice the vertices
// of its surface.
void mus_solid_fields_measure(const mus_solid_fields *fields, const mus_sim *sim, int part);
// The same averages of what has been measured.
void mus_solid_fields_average(const mus_solid_fields *fields, const mus_model *model, int part, mus_field field,
                              double *value);

#endif
