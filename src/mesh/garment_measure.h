// Measures of an upright figure, taken as a tailor would from its outline and its girths. Private to garment.c.
//
// The figure is seen from its front as a silhouette on a grid: what is beside the trunk with a gap between them is an
// arm. Girths are those of the convex hull of a slice.
#ifndef MUS_MESH_GARMENT_MEASURE_H
#define MUS_MESH_GARMENT_MEASURE_H

#include "mesh/mesh.h"
#include "mesh/turn.h"

// How far a part of the figure reaches along `ahead` from the origin, m.
typedef struct mus_depth {
  double front, back;
} mus_depth;

// Left and right are taken as one: `across` counts from the middle to either side. All in metres.
typedef struct mus_measures {
  mus_point origin;       // on the ground, below the neck
  mus_point aside, ahead; // horizontal unit vectors, to the figure's left and to its front; y is up
  double height;          // from the soles to the top
  mus_depth upper, lower; // from the hips to the neck, from the knees to the waist
  double neck_width;      // half of it
  double neck_side;       // height of the shoulder beside the neck, neck_width + 2 % of the height across
  double shoulder_width;  // half of it: across to the joint
  double shoulder_height; // of its top there
  int has_arms;           // 1: arms stand away from the trunk
  double arm[2][2];       // across and height of two points in the middle of the arm, the first near the armpit
  double arm_width;       // half of it
  double armpit_height;
  double chest_girth, waist_girth, hip_girth; // without arms where there are any, else with them
  double waist_height, hip_height;
} mus_measures;

// MUS_BAD_INPUT for a body that has no neck above shoulders above a waist. Without `arms` they count as the trunk's.
mus_status mus_measure_figure(const mus_mesh *body, int arms, mus_measures *out);

#endif
