// The model: everything about a scene that does not change while it runs. Made once; const from then on, but for
// fabrics that a user changes.
//
// Everything that deforms is a part: the scene's cloths in their order, then its solids. All share one numbering of
// vertices, one matrix pattern and one scatter. Elements are a flat array of lists, each of one kind and of one part;
// of what kinds a part is made, energy/kinds.h says. Solids on a lattice are solved by themselves (step/lattices.h):
// their vertices, those of the surface, have no elements, and go where that takes them.
#ifndef MUS_MODEL_MODEL_H
#define MUS_MODEL_MODEL_H

#include "base/list.h"
#include "energy/element_list.h"
#include "energy/solid_material.h"
#include "mesh/ties.h"
#include "model/bodies.h"
#include "model/lattice_part.h"
#include "model/part_shape.h"
#include "sparse/assembly.h"

// A part is what deforms: a cloth or a solid. What all have in common is here, wherever it comes from.
typedef struct mus_model_part {
  const mus_cloth *cloth; // one of these, the other NULL
  const mus_solid *solid;
  const char *name;
  int pins;
  const mus_pin *pin;
  const mus_keys *stiffness;   // width 1: a factor on all stiffnesses over time
  const double *velocity;      // m/s, at the start
  double thickness;            // m, in contact
  double friction;             // of parts on each other
  mus_fabric fabric;           // of a cloth, with its scales
  mus_solid_material material; // of a solid, with what it has of its own
  mus_part_shape shape;        // as it starts, in space
  mus_lattice_part *lattice;   // of a solid on a lattice, whose surface is all that is here of it; else NULL
  int first_vertex, first_triangle, first_tetrahedron;
} mus_model_part;

// A list of elements that is assembled.
typedef struct mus_model_list {
  mus_element_list elements;        // one or more
  int part;                         // whose they are, and whose stiffness scales them; -1: those of all together
  double since;                     // s, before which they do nothing
  const mus_element_source *source; // what they were made from, where that is not the part; else NULL
} mus_model_list;

// Vertices held by one pin, see model/pins.h.
typedef struct mus_model_pin {
  const mus_pin *source;
  int part;
  int count;
  int *vertex;
  double *weight;    // of each: above 0, at most 1
  double *stiffness; // N/m, of the spring that holds it; 0: held exactly
  int body;          // that carries them along; -1: none
  int first_bond;    // with such a body: the number of the first vertex's bond to it
} mus_model_pin;

// A stitch is due to be closed when its thread is this short, m.
#define MUS_STITCH_DUE 1e-3

// A stitch as a seam has it, beside the element that pulls it together.
typedef struct mus_model_stitch {
  mus_tie tie;
  double length; // m, of its thread at the start
  double close;  // s, until the thread is drawn in
  double reach;  // m: ends that are this near are joined
} mus_model_stitch;

typedef struct mus_model {
  mus_arena arena;
  const mus_scene *scene; // outlives the model
  int vertices, triangles, tetrahedra, part_count, pin_count;
  int bond_count; // vertices that pins bind to bodies
  mus_model_part *parts;
  mus_model_pin *pins;
  mus_bodies *bodies;
  double *start;     // vertices * 3, m
  double *mass;      // vertices, kg; of solids on a lattice, equal shares
  double *counted;   // the same for energies and momenta, without these: 0 there
  double total_mass; // kg
  int *triangle;     // triangles * 3, surfaces of all parts, in the order that users see
  double *material;  // triangles * 6, the same; zero where there is no material, as on solids
  int *tetrahedron;  // tetrahedra * 4, all solids, in the order that users see
  int lattices;      // parts that are solids on a lattice
  int list_count;
  mus_model_list *lists; // as the scatter numbers them: those of each part, then those of all together
  int stitches;
  mus_model_stitch *stitch; // those of cloths in their order, then those of the scene's seams
  mus_pattern pattern;      // with blocks for whatever closed seams may tie together
  int *diagonal;
  mus_scatter *scatter;
  size_t strains; // of all elements that have one
  size_t limited; // of these, in lists whose kind can limit them
  int driven;     // 1: energies change with time even where nothing moves, as those of stitches do
  int revision;   // how often fabrics have been changed, for those who keep what follows from them
  mus_gusts gusts;
  mus_list notes; // char[MUS_NOTE_SIZE]: what a user should know of the scene, see model/notes.h
} mus_model;

// `extra` are kinds of elements that each cloth has beside those of its model, up to NULL; NULL for none. Errors name
// the part, and the pin that holds no vertex. On failure nothing is left to free.
mus_status mus_model_create(const mus_scene *scene, const mus_element_kind *const *extra, mus_model *out);
// "cloths[1]", "solids[0]": as the scene has it, for errors.
typedef struct mus_part_title {
  char text[32];
} mus_part_title;
mus_part_title mus_model_part_title(const mus_model *model, int part);
// The part of that name; -1 where there is none.
int mus_model_part_named(const mus_model *model, const char *name);

// Another fabric for a cloth, with the scales and the density that the scene gives. Seams stay as strong as they were
// sewn. On failure nothing is changed.
mus_status mus_model_set_fabric(mus_model *model, int cloth, const char *name);
void mus_model_free(mus_model *model);

// For those who make models: the pattern that all lists share, and where their numbers go in it.
mus_status mus_model_join_elements(mus_model *model);

// All stitches as ties, in their order, of which none holds yet.
mus_status mus_model_ties(const mus_model *model, mus_arena *arena, mus_ties *out);

#endif
