// The model: everything about a scene that does not change while it runs. Made once; const from then on, but for
// fabrics that a user changes.
//
// All cloths share one numbering of vertices, one matrix pattern and one scatter; each keeps its own
// element lists, whose vertex numbers count from its first vertex.
#ifndef MUS_MODEL_MODEL_H
#define MUS_MODEL_MODEL_H

#include "energy/lists.h"
#include "energy/stitch.h"
#include "model/bodies.h"
#include "model/cloth_mesh.h"
#include "sparse/assembly.h"

// Kinds of elements.
typedef enum mus_element_kind {
  MUS_ELEMENT_TRIANGLE,    // 3 vertices: stretch and shear, and drag
  MUS_ELEMENT_HINGE,       // 4
  MUS_ELEMENT_SPRING,      // 2: Choi and Ko's type 1, or stretch springs
  MUS_ELEMENT_BEND_SPRING, // 2
  MUS_ELEMENT_BUCKLING,    // 2: Choi and Ko's type 2
  MUS_ELEMENT_STITCH,      // 2 or 3: of all cloths together, so its list has no cloth
} mus_element_kind;
enum { MUS_CLOTH_ELEMENT_KINDS = MUS_ELEMENT_BUCKLING + 1 };

typedef struct mus_model_cloth {
  const mus_cloth *source;
  mus_fabric fabric;    // with the cloth's scales
  mus_cloth_mesh shape; // as it starts, in space
  int first_vertex, first_triangle;
  mus_membranes membranes;
  mus_hinges hinges;
  mus_springs springs, bend_springs;
  mus_bucklings bucklings;
} mus_model_cloth;

// Stitches with two nodes, or those with three.
typedef struct mus_model_stitches {
  int arity, count;
  int *vertex; // count * arity, of all cloths
  mus_stitch_rest *rest;
} mus_model_stitches;

// A list of elements that is assembled: those of one kind of one cloth, or stitches of an arity.
typedef struct mus_model_list {
  int cloth; // for stitches, which of the two
  mus_element_kind kind;
} mus_model_list;

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
  mus_model_stitches stitches[2]; // to vertices, to edges
  mus_bodies *bodies;
  double *start;         // vertices * 3, m
  double *mass;          // vertices, kg
  double total_mass;     // kg
  int *triangle;         // triangles * 3, all cloths, in the order that users see
  double *material;      // triangles * 6, the same
  mus_model_list *lists; // as the scatter numbers them
  mus_pattern pattern;
  int *diagonal;
  mus_scatter *scatter;
  size_t strains; // of all elements that have one
  int driven;     // 1: energies change with time even where nothing moves, as those of stitches do
  mus_gusts gusts;
} mus_model;

// Errors name the cloth, and the pin that holds no vertex. On failure nothing is left to free.
mus_status mus_model_create(const mus_scene *scene, mus_model *out);
// Another fabric, with the scales and the density that the scene gives. Seams stay as strong as they were sewn. On
// failure nothing is changed.
mus_status mus_model_set_fabric(mus_model *model, int cloth, const char *name);
void mus_model_free(mus_model *model);

#endif
