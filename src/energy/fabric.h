// Fabrics as data, in SI units. docs/fabrics.md has the table with the source of every value.
//
// Warp runs along u, weft along v of the material coordinates, bias at 45 degrees to both. Stiffnesses are those of
// small deformations; a fabric's own are not linear, so each stands for a measured range.
#ifndef MUS_ENERGY_FABRIC_H
#define MUS_ENERGY_FABRIC_H

#include "energy/baraff_witkin.h"
#include "muslin/scene.h"

typedef struct mus_fabric {
  const char *name;
  const char *about;      // in a few words
  double density;         // kg/m^2
  double thickness;       // m; cloths in contact have their own, see io/scene.h
  double stretch[2];      // N/m, force per width and strain: warp, weft
  double shear;           // N/m, force per width and radian
  double bend[3];         // N m, moment per width and curvature: bending along warp, weft, bias
  double stretch_damping; // s: damping over stiffness, a decay time
  double shear_damping;   // s
  double bend_damping;    // s
  double friction;        // of the fabric on itself, force over force; the same holds for it
  double strain_limit[2]; // largest strain along warp and weft; 0: none
} mus_fabric;

// The fabrics in a fixed order, cotton first; NULL past the last.
const mus_fabric *mus_fabric_at(int index);
// By name. MUS_BAD_INPUT with the list of names where there is none.
mus_status mus_fabric_find(const char *name, const mus_fabric **out);
// One of a scene's own; the names stay the scene's.
mus_fabric mus_fabric_own(const mus_scene_fabric *own);
// MUS_BAD_INPUT names the value that makes no sense: not finite, negative, no mass, or a bias so soft that bending
// would be negative between it and the threads.
mus_status mus_fabric_check(const mus_fabric *fabric);

// What a triangle's element function needs of it.
mus_membrane_material mus_fabric_membrane(const mus_fabric *fabric);
// Stiffness in N/m of a narrow strip cut at an angle to the warp, given by its cosine and sine: an orthotropic sheet
// without Poisson effect has 1/k = c^4/warp + s^4/weft + c^2 s^2/shear.
double mus_fabric_strip(const mus_fabric *fabric, double cosine, double sine);

#endif
