// An elastic solid on a staggered lattice that moves: implicit steps of any length, with parts of it moved by what the
// caller prescribes, and contact of its surface with bodies.
//
// A step from displacements u0 and velocities v0 is implicit Euler's. It solves
//
//   M (u - u0 - h v0) / h^2 = M g + f(u) + tau (f(u) - turned f(u0)) / h + E^T W^T (forces at points)
//
// for u, and v = (u - u0) / h. Elasticity is co-rotational and holds volumes (turned.h). f are elastic forces, tau is
// the damping time; stresses of the start turn along with the cells, so that rigid rotations are not damped. W E takes
// displacements to points of a surface (embed.h), trilinearly, whatever the surface is shown with. At a point that is
// in contact, the forces are those of a spring along the normal, k (d - n.x) where that is positive, and of another one
// across it, which slips where its force would be more than friction times the first one's. k is an area times a
// multiple of Young's modulus over the cells' size.
//
//   mus_lattice_solid_settings settings = mus_lattice_solid_default_settings();
//   mus_lattice_surface surface = {.points = points, .position = position, .order = MUS_EMBED_CUBIC};
//   mus_lattice_solid_create(&cells, region, &settings, &surface, &solid);
//   mus_lattice_step step = {.seconds = 1.0 / 24, .gravity = {0, -9.81, 0}, .touch = touch, .context = bodies};
//   mus_lattice_solid_step(solid, &step, &record);
//   mus_lattice_solid_positions(solid, position);
//   mus_lattice_solid_free(solid);
//
// Results have the same bits for any number of threads.
#ifndef MUS_LATTICE_SOLID_H
#define MUS_LATTICE_SOLID_H

#include "lattice/cells.h"
#include "lattice/embed.h"
#include "muslin/status.h"

typedef struct mus_lattice_solid mus_lattice_solid;

typedef struct mus_lattice_solid_settings {
  double young;     // Young's modulus, Pa
  double poisson;   // Poisson's ratio, above -1 and below 1/2
  double density;   // kg/m^3
  double damping;   // s: stresses are those of strains plus this times their rates
  int is_linear;    // linear elasticity, for small rotations only; otherwise co-rotational
  double contact;   // stiffness of contact, in Young's moduli per cell size
  double tolerance; // how far displacements may be off at the end of a step, m, as estimated; 0: a hundredth of a cell
  int cycles;       // the most per step
} mus_lattice_solid_settings;

// Soft rubber: 100 kPa, 0.45, 1000 kg/m^3.
mus_lattice_solid_settings mus_lattice_solid_default_settings(void);

// Points that go along with the solid, at rest.
typedef struct mus_lattice_surface {
  int points;
  mus_embed_order order;
  const double *position; // points * 3, m
  const double *normal;   // points * 3, of length 1; NULL: no normals are wanted
  const double *area;     // of each point, m^2, for contact; NULL: equal shares of the cells' free faces
} mus_lattice_surface;

// Where a region is: X at rest goes to linear X + shift.
typedef struct mus_lattice_map {
  double linear[9]; // by rows
  double shift[3];  // m
} mus_lattice_map;

// The half space of a body at a point: what has normal . x >= offset is free.
typedef struct mus_lattice_touch {
  double normal[3];   // of length 1, away from the body; 0: nothing is near
  double offset;      // m, at the end of the step
  double velocity[3]; // of the body there, m/s
  double friction;    // coefficient
} mus_lattice_touch;

// What a step is to do.
typedef struct mus_lattice_step {
  double seconds;
  double gravity[3];              // m/s^2
  const mus_lattice_map *regions; // of each region at the end of the step; NULL: as they were
  const double *force;            // at points, points * 3, N; NULL: none
  // For positions of all points, as they come up in the solve: what is near each. It is called several times per step,
  // by the thread that calls the step. NULL: nothing is.
  void (*touch)(void *context, int count, const double *position, mus_lattice_touch *out);
  void *context;
} mus_lattice_step;

// What it did.
typedef struct mus_lattice_step_record {
  int cycles;
  int parts;       // in which regions were moved
  double residual; // relative to the forces in it
  double error;    // estimated, of displacements, m: of the largest one
  double seconds;
  int contacts;            // points that touch
  size_t inverted;         // cells
  double volume;           // relative to that at rest
  double penetration;      // the deepest, m
  double contact_force[3]; // of bodies on the solid, N
} mus_lattice_step_record;

// `region`: for each cell, the region that moves it, counted from 1, if it is a Dirichlet cell; NULL: all Dirichlet
// cells are of region 1. Neither it, the cells nor the surface is needed afterwards. MUS_BAD_INPUT if the settings make
// no sense, if nothing is unknown, or if a point is outside of the lattice.
mus_status mus_lattice_solid_create(const mus_cells *cells, const unsigned short *region,
                                    const mus_lattice_solid_settings *settings, const mus_lattice_surface *surface,
                                    mus_lattice_solid **out);
void mus_lattice_solid_free(mus_lattice_solid *solid); // NULL is fine

size_t mus_lattice_solid_bytes(const mus_lattice_solid *solid);
size_t mus_lattice_solid_cells(const mus_lattice_solid *solid); // interior ones
size_t mus_lattice_solid_unknowns(const mus_lattice_solid *solid);
int mus_lattice_solid_points(const mus_lattice_solid *solid);
int mus_lattice_solid_regions(const mus_lattice_solid *solid);
double mus_lattice_solid_mass(const mus_lattice_solid *solid); // of interior cells, kg

// All that changes from step to step, in numbers: what is loaded goes on as what was saved would have, bit by bit.
size_t mus_lattice_solid_state_size(const mus_lattice_solid *solid);
void mus_lattice_solid_save(const mus_lattice_solid *solid, double *state);
void mus_lattice_solid_load(mus_lattice_solid *solid, const double *state);

// Moves the whole solid and its regions by a map, without stresses if that is rigid, and gives it a velocity: linear
// about the place where `centre` goes, and angular. For where it is to begin.
void mus_lattice_solid_place(mus_lattice_solid *solid, const mus_lattice_map *map, const double centre[3],
                             const double velocity[3], const double angular[3]);

// MUS_NOT_CONVERGED and MUS_BREAKDOWN (numbers that are not finite) leave the solid as it was: try a shorter step.
// MUS_STOPPED too. MUS_BAD_INPUT: what is asked for is not finite, or the step not longer than 0.
mus_status mus_lattice_solid_step(mus_lattice_solid *solid, const mus_lattice_step *step,
                                  mus_lattice_step_record *record);

// At points, as they are now; points * 3. Normals are copies of 0 where the surface has none.
void mus_lattice_solid_positions(const mus_lattice_solid *solid, double *position);
void mus_lattice_solid_velocities(const mus_lattice_solid *solid, double *velocity);
void mus_lattice_solid_normals(const mus_lattice_solid *solid, double *normal);
// Von Mises stresses at points, Pa, between those of the cells around.
void mus_lattice_solid_stresses(const mus_lattice_solid *solid, double *stress);
// The same of det F, the volume over that at rest, and of the principal strain that is farthest from 0.
void mus_lattice_solid_strains(const mus_lattice_solid *solid, double *volume, double *strain);
// Energies of motion and of deformation, J.
void mus_lattice_solid_energy(const mus_lattice_solid *solid, double *kinetic, double *elastic);
// Of all interior cells, m^3.
double mus_lattice_solid_volume(const mus_lattice_solid *solid);

// The energy in a field of gravity, J, and momenta: kg m/s, and kg m^2/s about the origin.
void mus_lattice_solid_momenta(const mus_lattice_solid *solid, const double gravity[3], double *potential,
                               double momentum[3], double angular_momentum[3]);

#endif
