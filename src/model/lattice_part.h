// A solid on a lattice as a scene describes it: the cells around its surface, and which of them its pins move. Private
// to model/ and step/.
#ifndef MUS_MODEL_LATTICE_PART_H
#define MUS_MODEL_LATTICE_PART_H

#include "lattice/cells.h"
#include "model/bodies.h"
#include "model/part_shape.h"

// Cells that one thing moves: a pin's own motion, a body, or a bone of a body.
typedef struct mus_lattice_region {
  const mus_pin *pin;
  int body; // that carries it along; -1: none
  int bone; // of that body; -1: the body as a whole
} mus_lattice_region;

typedef struct mus_lattice_part {
  mus_cells cells;
  unsigned short *region; // of each cell, counted from 1; 0 where nothing moves it but what is around
  int regions;
  mus_lattice_region *moved;
  unsigned char *is_holder; // bodies: 1 where it carries cells, and is not touched for that reason
  double volume;            // of all elastic cells, m^3
} mus_lattice_part;

// The surface goes into `shape`. Errors name pins, files and what to do; nothing needs to be freed but the arena.
mus_status mus_lattice_part_create(mus_arena *arena, const mus_scene *scene, mus_bodies *bodies, const mus_solid *solid,
                                   mus_part_shape *shape, mus_lattice_part **out);

// Where a region is at a time: what takes it there from where it starts. `start` and `now` are positions of all bodies
// at time 0 and at that time.
mus_status mus_lattice_region_at(const mus_lattice_region *region, mus_bodies *bodies, double time, const double *start,
                                 const double *now, mus_affine *map);

#endif
