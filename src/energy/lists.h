// Lists of elements: the constant data of all elements of a kind, made once from a mesh and its topology, and functions
// that evaluate a run of them into the caller's arrays, in the layout that assembly takes.
//
// Evaluation allocates nothing and stays on the calling thread; runs may be evaluated on several threads at once. Bytes
// an element, held (constant data and vertices) and written (gradient and blocks):
//   triangle         40 + 12     72 + 432
//   hinge            24 + 16     96 + 720
//   spring           24 +  8     48 + 216
//   buckling spring  48 +  8     48 + 216
#ifndef MUS_ENERGY_LISTS_H
#define MUS_ENERGY_LISTS_H

#include "energy/baraff_witkin.h"
#include "energy/bend.h"
#include "energy/choi_ko.h"
#include "energy/external.h"
#include "energy/fabric.h"
#include "mesh/topology.h"

// Stretch and shear, on every triangle of a mesh.
typedef struct mus_membranes {
  int count;
  const int *vertex; // count * 3: the mesh's triangles
  mus_membrane_rest *rest;
  mus_membrane_material material;
} mus_membranes;

// Bending, at every hinge.
typedef struct mus_hinges {
  int count;
  const int *vertex; // count * 4: the topology's hinges
  mus_hinge_rest *rest;
} mus_hinges;

// Springs; slack under compression where `tension_only` (Choi and Ko's type 1).
typedef struct mus_springs {
  int count, tension_only;
  int *vertex; // count * 2
  mus_spring_rest *rest;
} mus_springs;

// Choi and Ko's type 2.
typedef struct mus_bucklings {
  int count;
  int *vertex; // count * 2
  mus_buckling_rest *rest;
} mus_bucklings;

// Where hinges are at rest.
typedef enum mus_rest_angle {
  MUS_REST_FLAT,  // as the material is
  MUS_REST_SHAPED // as the mesh's positions are
} mus_rest_angle;

// Between which vertices springs run.
typedef enum mus_spring_place {
  MUS_ALONG_EDGES,
  MUS_ACROSS_HINGES // between the two corners opposite to an inner edge
} mus_spring_place;

// All of these take their arrays from the arena and need the mesh's material coordinates; mesh and topology must
// outlive them. MUS_BAD_INPUT names the first triangle that has no area in the material; the fabric has passed
// mus_fabric_check().
mus_status mus_membranes_create(mus_arena *arena, const mus_mesh *mesh, const mus_fabric *fabric, mus_membranes *out);
mus_status mus_hinges_create(mus_arena *arena, const mus_mesh *mesh, const mus_topology *topology,
                             const mus_fabric *fabric, mus_rest_angle angle, mus_hinges *out);

// Springs that are all alike, as in mass-spring cloth: stiffness in N/m, damping in N s/m.
mus_status mus_springs_create(mus_arena *arena, const mus_mesh *mesh, const mus_topology *topology,
                              mus_spring_place place, double stiffness, double damping, mus_springs *out);
// Choi and Ko's type 1 along the edges. A spring stands for the triangles beside it as a strip of the fabric in its
// direction: k = strip stiffness * area / length^2. A sheet then stretches as its fabric does along edges that form
// lines, and nearly so elsewhere.
mus_status mus_springs_of_fabric(mus_arena *arena, const mus_mesh *mesh, const mus_topology *topology,
                                 const mus_fabric *fabric, mus_springs *out);
// Choi and Ko's type 2 across the hinges: a beam of bending stiffness 2/3 B |e|, with which a symmetric hinge bends a
// little as it does with mus_hinges, and a limit c equal to the type 1 stiffness of a spring in its place.
mus_status mus_bucklings_create(mus_arena *arena, const mus_mesh *mesh, const mus_topology *topology,
                                const mus_fabric *fabric, mus_bucklings *out);

// The air around a cloth.
typedef struct mus_weather {
  mus_air air;
  double wind[3];         // m/s, the mean at this time
  const mus_gusts *gusts; // NULL: none
  double time;            // s
} mus_weather;

// What an evaluation reads and writes. What it writes starts at the beginning of the arrays with the run's first
// element.
typedef struct mus_evaluation {
  const double *position; // vertices * 3, m
  const double *velocity; // vertices * 3, m/s; NULL: at rest
  mus_blend blend;        // see energy/element.h
  double scale;           // a factor on all stiffnesses and dampings of the list
  double *energy;         // count, J; NULL: not wanted
  double *gradient;       // count * arity * 3, N; NULL: not wanted
  double *block;          // count * arity * (arity + 1) / 2 blocks, by rows; NULL: not wanted
  // Of hinges only, and not with an exact blend: count * 12 numbers r whose r r^T are the blocks. NULL: not wanted.
  double *rank_one;
  // Of membranes only: drag is added, which `scale` leaves as it is. NULL: none.
  const mus_weather *weather;
} mus_evaluation;

// Elements first ... first + count - 1.
void mus_membranes_evaluate(const mus_membranes *list, int first, int count, const mus_evaluation *evaluation);
void mus_hinges_evaluate(const mus_hinges *list, int first, int count, const mus_evaluation *evaluation);
void mus_springs_evaluate(const mus_springs *list, int first, int count, const mus_evaluation *evaluation);
void mus_bucklings_evaluate(const mus_bucklings *list, int first, int count, const mus_evaluation *evaluation);

// Drag on triangles first ... first + count - 1 of those given by `vertex`, 3 each, where there are no membranes. It is
// added to what gradient and block hold; evaluation->scale is a factor on it, and there is no energy.
void mus_drag_add(const int *vertex, int first, int count, const mus_weather *weather,
                  const mus_evaluation *evaluation);

// What reports want of a triangle.
typedef struct mus_membrane_measure {
  double stretch, shear; // J
  double strain[2];      // |w_u| - 1 and |w_v| - 1
} mus_membrane_measure;

mus_membrane_measure mus_membrane_measured(const mus_membranes *list, int triangle, const double *position,
                                           double scale);

#endif
