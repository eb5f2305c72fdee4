// What pictures and files show of solids: stress and strain of every tetrahedron, and averages at vertices.
#ifndef MUS_ENERGY_SOLID_MEASURE_H
#define MUS_ENERGY_SOLID_MEASURE_H

#include "energy/kinds.h"
#include "energy/tetrahedron.h"

// Of one tetrahedron, in which all of it is the same. Symmetric tensors are xx, yy, zz, xy, yz, xz, which is VTK's
// order.
typedef struct mus_solid_measure {
  double stretch[3]; // principal, the largest first; the last is negative where the tetrahedron is inside out
  double strain[6];  // Green's, (F^T F - I) / 2, in directions at rest
  double volume;     // J - 1: by how much of its volume it has grown
  double stress[6];  // Cauchy's, Pa, without damping; 0 where the model has springs instead
  double mises;      // Pa, von Mises stress: that of a pulled bar which is distorted as hard
} mus_solid_measure;

// The constants of a solid's tetrahedra from positions at rest. MUS_BAD_INPUT names one without volume.
mus_status mus_tetrahedron_rests(const mus_solid_source *solid, const double *position, mus_tetrahedron_rest *rest);

// What does not change from frame to frame.
typedef struct mus_solid_plan {
  int count, vertices;
  const int *corner;          // count * 4
  mus_tetrahedron_rest *rest; // count
  double *share;              // vertices: the volume of all tetrahedra around each, m^3
  mus_lame lame;
  mus_solid_law *law; // NULL: springs, which have no stress
} mus_solid_plan;

// Of tetrahedra between so many vertices, as `solid` makes elements: solid->rest must be given, and corners stay where
// they are. MUS_BAD_INPUT names a tetrahedron without volume.
mus_status mus_solid_plan_create(mus_arena *arena, int vertices, const mus_solid_source *solid, mus_solid_model model,
                                 mus_solid_plan *out);

// Tetrahedra first ... first + count - 1; `scale` is a factor on the stiffness. A stress is force over area as it is
// now: of tetrahedra that are nearly flat or inside out, the volume counts as MUS_SOLID_FLATTEST of that at rest, lest
// a few of them be all that a picture shows.
#define MUS_SOLID_FLATTEST 1e-3
void mus_solid_measure_run(const mus_solid_plan *plan, int first, int count, const double *position, double scale,
                           mus_solid_measure *out);

// Averages at vertices of a number per tetrahedron, by volume at rest. 0 for vertices without tetrahedra.
void mus_solid_average(const mus_solid_plan *plan, const double *value, double *average);

#endif
