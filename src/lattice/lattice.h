// Elastic solids on a staggered lattice, solved by multigrid without a matrix, for any Poisson's ratio below 1/2 (Zhu,
// Sifakis, Teran and Brandt 2010).
//
//   mus_lattice *lattice;
//   mus_lattice_material material = {.young = 1e5, .poisson = 0.49};
//   mus_lattice_create(&cells, &material, NULL, &lattice);
//   ... write what is prescribed into mus_lattice_displacement(), loads into mus_lattice_force()
//   mus_lattice_solve(lattice, 1e-6, 50, &record);
//   ... read mus_lattice_displacement()
//   mus_lattice_free(lattice);
//
// Displacements and forces are arrays with a number for each cell and axis: component a on the lower face
// perpendicular to a of that cell (cells.h). What a face is, domain.h tells: its displacement is unknown between two
// interior cells, held on a Dirichlet cell, and follows from tractions at a free boundary.
//
// Solves work in double precision; cycles, which precondition them, in single precision by default.
#ifndef MUS_LATTICE_LATTICE_H
#define MUS_LATTICE_LATTICE_H

#include "lattice/domain.h"
#include "muslin/solver.h"
#include "muslin/status.h"

typedef struct mus_lattice mus_lattice;

typedef struct mus_lattice_material {
  double young;   // Young's modulus, Pa
  double poisson; // Poisson's ratio, above -1 and below 1/2
  double inertia; // density over the square of the time step, kg/(m^3 s^2), of an implicit step; 0: static
} mus_lattice_material;

typedef struct mus_lattice_options {
  int in_double;  // cycles in double precision
  int visits;     // of each level to the next coarser one: 1, V-cycles, or 2, K-cycles
  int band;       // sweeps over the cells at boundaries, before and after each sweep inside
  int relocated;  // more of them where boundaries move from a level to the next
  int directions; // earlier corrections that each new one is made conjugate to; 0: cycles alone; -1: 2 to 20, so many
                  // that they take at most 1 GiB
  mus_device_choice device; // where solves, or the cycles of co-rotational ones, work: docs/cuda.md
} mus_lattice_options;

// What was best over boxes and weakly held shapes alike (docs/lattice.md).
mus_lattice_options mus_lattice_default_options(void);

// What a solve did.
typedef struct mus_lattice_record {
  int cycles;
  double reference;  // the residual's norm before anything but what is held had moved; what residuals are relative to
  double *residuals; // relative, of the guess and after each cycle: cycles + 1 of them; until the next solve
  double rate;       // mean factor of the residual per cycle over the last half of the cycles
  double seconds;
  char device[64];         // the GPU that solved it; "": the CPU
  double transfer_seconds; // part of `seconds`: to the GPU and back
  size_t device_bytes;     // of its memory
} mus_lattice_record;

// The cells are read only now. NULL options: the default. MUS_BAD_INPUT if the material is none, if cells in the margin
// are not exterior, if nothing is unknown, or, in a static problem, if interior cells are connected to no Dirichlet
// cell.
mus_status mus_lattice_create(const mus_cells *cells, const mus_lattice_material *material,
                              const mus_lattice_options *options, mus_lattice **out);
void mus_lattice_free(mus_lattice *lattice);

// The finest level.
const mus_lattice_domain *mus_lattice_get_domain(const mus_lattice *lattice);
int mus_lattice_levels(const mus_lattice *lattice);
size_t mus_lattice_bytes(const mus_lattice *lattice);

// Displacements along an axis, m. What is held is the caller's, what is unknown the guess and, after a solve, the
// result; what lies beyond a free boundary is the result too. All are 0 at first.
double *mus_lattice_displacement(mus_lattice *lattice, int axis);
// The pressure -lambda div u in a cell after a solve, Pa; 0 in cells that are not interior.
double mus_lattice_pressure(const mus_lattice *lattice, size_t cell);
// All of them in the units of level.h, to be kept and restored.
double *mus_lattice_stored_pressure(mus_lattice *lattice);

// Forces along an axis, N, that act on faces. All are 0 at first. What acts on a face at a free boundary is a traction;
// on other faces that are not unknown it has no effect.
double *mus_lattice_force(mus_lattice *lattice, int axis);
// Adds the weight of a density, kg/m^3, in a field of gravity, m/s^2.
void mus_lattice_add_weight(mus_lattice *lattice, double density, const double gravity[3]);
// Adds a traction, Pa, on the face of an interior cell that looks along an axis, upwards (side 1) or downwards (0).
void mus_lattice_add_traction(mus_lattice *lattice, size_t cell, int axis, int side, const double traction[3]);
// Adds what holds an implicit step at the displacements to which it would go without any force: inertia times these.
void mus_lattice_add_inertia(mus_lattice *lattice, const double *const predicted[3]);

// Solves to residuals of `tolerance` times the reference. MUS_NOT_CONVERGED leaves what it got to in that many cycles,
// MUS_BREAKDOWN (numbers that are not finite) and MUS_STOPPED what the last good cycle left.
mus_status mus_lattice_solve(mus_lattice *lattice, double tolerance, int cycles, mus_lattice_record *record);

// Solves co-rotational elasticity: the solid may turn by any angle. From the displacements, pressures and rotations as
// they are, one cycle after another, with rotations renewed after each. Residuals are those of the nonlinear equations;
// the first few, while what is held is followed, those with rotations as they were. The reference is the norm of forces
// and of stresses at the start. MUS_NOT_CONVERGED and MUS_STOPPED as above. Where what is held turns by more than about
// 45 degrees at once, turn it in several parts and solve after each.
mus_status mus_lattice_solve_corotational(mus_lattice *lattice, double tolerance, int cycles,
                                          mus_lattice_record *record);
// The rotation of a cell, by rows: the identity until a co-rotational solve has found others. The next solve begins
// with what is set, as for a cell that is not deformed.
void mus_lattice_get_rotation(const mus_lattice *lattice, size_t cell, double rotation[9]);
mus_status mus_lattice_set_rotation(mus_lattice *lattice, size_t cell, const double rotation[9]);

// For measurements: runs a cycle for the last residual, without using what it gives; and the bytes that pass through
// memory, and at least, if each sweep read and wrote its variables once.
void mus_lattice_run_cycle(mus_lattice *lattice);
void mus_lattice_cycle_bytes(const mus_lattice *lattice, double *moved, double *least);

// The same on the GPU that has solved it with mus_lattice_solve(); MUS_UNSUPPORTED if none has.
typedef struct mus_lattice_device_figures {
  double cycle_seconds; // median
  double cycle_bytes;   // that its kernels read and write
  double copy_gb_s;     // a copy in the GPU's memory, read and written
} mus_lattice_device_figures;
mus_status mus_lattice_measure_device(mus_lattice *lattice, int repeat, mus_lattice_device_figures *out);

#endif
