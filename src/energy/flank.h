// Triangles, edges and hinges as they lie flat in the material: what elements' rest shapes are made of. Private to
// energy/.
#ifndef MUS_ENERGY_FLANK_H
#define MUS_ENERGY_FLANK_H

#include "energy/fabric.h"
#include "mesh/topology.h"

// A triangle in the material, seen from one of its sides.
typedef struct mus_flank {
  double length;       // of the side, m
  double cosine, sine; // of its angle to the warp
  double turn;         // 1 where the third corner lies to the left of the side, -1 where to the right (turned over)
  double height, foot; // of the third corner: over the side, and along it from where it starts, m
  double apex;         // the cosine of the angle there
  double area;         // m^2
} mus_flank;

// The two flanks of a hinge as seen walking from a to b: that of c first, then that of d. Along a seam their sides may
// have different lengths. MUS_BAD_INPUT names a triangle without area, here and below.
mus_status mus_flanks_of_hinge(const mus_mesh *mesh, const mus_topology *topology, int hinge, mus_flank *out);

// Stiffness of bending at the edge, N m: across it, at right angles to its direction.
double mus_flank_bend(const mus_fabric *fabric, const mus_flank *flank);

// A spring in the flat material.
typedef struct mus_strand {
  double length;    // m
  double stiffness; // N/m, as a strip of fabric that stands for the area beside it
  double beam;      // N m^2, bending stiffness across a hinge; 0 along an edge
} mus_strand;

// Along an edge; and across a hinge laid flat, from c to d.
mus_status mus_strand_along_edge(const mus_mesh *mesh, const mus_topology *topology, int edge, const mus_fabric *fabric,
                                 mus_strand *out);
mus_status mus_strand_across_hinge(const mus_mesh *mesh, const mus_topology *topology, int hinge,
                                   const mus_fabric *fabric, mus_strand *out);

#endif
