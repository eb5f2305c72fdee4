// The model: everything about a scene that does not change while it runs. Made once; const from then on.
//
// All cloths share one numbering of vertices, one matrix pattern and one set of scatter lists; each keeps its own
// element lists, whose vertex numbers count from its first vertex.
#ifndef MUS_SIM_MODEL_H
#define MUS_SIM_MODEL_H

#include "energy/lists.h"
#include "sim/cloth_mesh.h"
#include "sparse/assembly.h"

// Kinds of elements, by what they emit. Each is one group of tuples for all cloths together.
typedef enum mus_element_kind {
  MUS_ELEMENT_MEMBRANE, // 3 vertices
  MUS_ELEMENT_HINGE,    // 4
  MUS_ELEMENT_SPRING,   // 2: Choi and Ko's type 1, or stretch springs
  MUS_ELEMENT_ACROSS,   // 2: Choi and Ko's type 2, or bend springs
  MUS_ELEMENT_AIR,      // 3: drag on triangles
  MUS_ELEMENT_KINDS
} mus_element_kind;

typedef struct mus_model_cloth {
  const mus_cloth *source;
  mus_fabric fabric;    // with the cloth's scales
  mus_cloth_mesh shape; // as it starts, in space
  int first_vertex, first_triangle;
  mus_membranes membranes;
  mus_hinges hinges;
  mus_springs springs, bend_springs;
  mus_bucklings bucklings;
  int first[MUS_ELEMENT_KINDS]; // where its elements begin in the group of their kind
} mus_model_cloth;

// Vertices held by one pin.
typedef struct mus_model_pin {
  const mus_pin *source;
  int count;
  int *vertex;
} mus_model_pin;

typedef struct mus_model {
  mus_arena arena;
  const mus_scene *scene; // outlives the model
  int vertices, triangles, cloth_count, pin_count;
  mus_model_cloth *cloths;
  mus_model_pin *pins;
  double *start;    // vertices * 3, m
  double *mass;     // vertices, kg
  int *triangle;    // triangles * 3, all cloths, in the order that users see
  double *material; // triangles * 6, the same
  mus_tuples tuples[MUS_ELEMENT_KINDS];
  mus_pattern pattern;
  int *diagonal;
  mus_scatter *scatter;
  mus_gusts gusts;
} mus_model;

// Errors name the cloth, and the pin that holds no vertex. On failure nothing is left to free.
mus_status mus_model_create(const mus_scene *scene, mus_model *out);
void mus_model_free(mus_model *model);

#endif
