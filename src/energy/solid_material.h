// Materials of solids as data, in SI units. docs/solids.md has the table with the source of every value.
//
// Values are those of small deformations; what happens beyond is up to the solid's model (solid_law.h).
#ifndef MUS_ENERGY_SOLID_MATERIAL_H
#define MUS_ENERGY_SOLID_MATERIAL_H

#include "base/error.h"
#include "muslin/scene.h"

typedef struct mus_solid_material {
  const char *name;
  const char *about; // in a few words
  double density;    // kg/m^3
  double young;      // Pa, Young's modulus: stress over strain of a bar that is pulled
  double poisson;    // how much thinner that bar becomes over how much longer
  double damping;    // s: damping over stiffness, a decay time
} mus_solid_material;

// Poisson's ratio must be greater than -1 and at most this. Linear tetrahedra lock as a material becomes
// incompressible, at 0.5, because next to no motion is left that keeps every volume; docs/solids.md has figures. On a
// lattice nothing locks.
#define MUS_POISSON_MAXIMUM 0.495
#define MUS_POISSON_LATTICE 0.4999999

// The materials in a fixed order, rubber first; NULL if out of range.
const mus_solid_material *mus_solid_material_at(int index);
// By name. MUS_BAD_INPUT with the list of names where there is none.
mus_status mus_solid_material_find(const char *name, const mus_solid_material **out);
// MUS_BAD_INPUT names the value that makes no sense: not finite, negative, no mass, no stiffness, or a Poisson's ratio
// that no stable material has or that is above the maximum, one of those above.
mus_status mus_solid_material_check(const mus_solid_material *material, double poisson_maximum);

#endif
