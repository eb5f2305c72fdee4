// What a mus_lattice_solid is made of; for the files of this folder that make it and step it.
#ifndef MUS_LATTICE_SOLID_STATE_H
#define MUS_LATTICE_SOLID_STATE_H

#include "base/memory.h"
#include "lattice/corotational.h"
#include "lattice/embed.h"
#include "lattice/lattice.h"
#include "lattice/solid.h"

// A face of a Dirichlet cell and the regions on either side of it, the same twice if there is one.
typedef struct mus_held_face {
  int cell, axis;
  int region[2];
} mus_held_face;

// What contact does at a point.
typedef struct mus_contact {
  double force[3];     // N
  double stiffness[2]; // along the normal and across it, N/m
  double normal[3];
  double depth;   // m
  double slip[3]; // of the spring across the normal, m
  int is_active;
} mus_contact;

struct mus_lattice_solid {
  mus_arena arena;
  mus_lattice_solid_settings settings;
  mus_lattice *lattice;
  mus_embedding *embedding; // for contact and forces: trilinear
  mus_embedding *shown;     // for what is shown, if that is another
  double low[3];            // of the lattice, m
  int face_count[3];        // faces with a displacement: unknown or held
  int *face[3];             // their cells
  int held_count;
  mus_held_face *held;
  int points, regions;
  double *mass[3];            // of unknown faces, kg
  double *velocity[3];        // of faces with a displacement, m/s
  mus_lattice_map *map, *way; // of regions; on the way of a step
  // Of points
  double *rest, *normal, *area;
  int *nearest; // interior cell
  double *slip; // of springs across normals, m
  // During a step
  double seconds, damped; // its length; the part of stresses that is not of the start: 1 + damping / seconds
  const mus_lattice_step *step;
  double *saved;    // the state
  double *start[3]; // displacements
  double *extended[3], *spread[3];
  double *position, *began, *point_force, *bound; // points * 3
  mus_lattice_touch *touch;
  mus_contact *contact;
  int contacts;
  // Stresses and rotations at the start, 9 for each interior cell in the order of turned.h, and stresses turned; NULL
  // without damping.
  double *stress, *turn, *turned[9];
};

// Numbers of a cell in states: p, det F, and R and C in turns.
enum { MUS_SOLID_CELL_SIZE = 20 };

static inline const mus_turned_level *mus_solid_level(const mus_lattice_solid *solid) {
  return &solid->lattice->corotational->solved;
}

// Where the middle of a face is at rest.
static inline void mus_solid_face_place(const mus_lattice_solid *s, size_t cell, int axis, double x[3]) {
  const mus_lattice_domain *d = s->lattice->domain;
  size_t at[3] = {cell % d->stride[1], cell % d->stride[2] / d->stride[1], cell / d->stride[2]};
  for (int a = 0; a < 3; ++a)
    x[a] = s->low[a] + s->lattice->spacing * ((double)at[a] + (a == axis ? 0 : 0.5));
}

static inline void mus_map_apply(const mus_lattice_map *map, const double x[3], double out[3]) {
  for (int a = 0; a < 3; ++a)
    out[a] = map->linear[3 * a] * x[0] + map->linear[3 * a + 1] * x[1] + map->linear[3 * a + 2] * x[2] + map->shift[a];
}

// Displacements that regions prescribe, from their maps.
void mus_solid_hold(mus_lattice_solid *solid, const mus_lattice_map *map);

// R and F of a cell, and det F.
void mus_solid_cell_gradient(const mus_lattice_solid *solid, size_t cell, double r[9], double f[9]);
double mus_solid_cell_volume(const mus_lattice_solid *solid, size_t cell);

// Begins a step: all that does not depend on where it ends. Returns the norm of forces, in the units of right-hand
// sides.
double mus_solid_begin(mus_lattice_solid *solid, const mus_lattice_step *step);

// Contact and damping as parts of a solve: mus_corotational's `act` and `stiffen`, with the solid as context.
void mus_solid_act(void *solid);
void mus_solid_stiffen(void *solid);
// What the damping of a step needs of its start.
void mus_solid_begin_damping(mus_lattice_solid *solid);

// At a point, from numbers of cells: between the middles of the eight cells around, as far as these are interior.
double mus_solid_between(const mus_lattice_solid *solid, size_t point, const double *of_cell);

// Displacements of all points, from those of faces.
void mus_solid_point_values(const mus_lattice_solid *solid, const mus_embedding *embedding, double *const field[3],
                            double *out);

#endif
