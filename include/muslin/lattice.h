/// Elastic solids on a lattice: how fast they are solved.
///
/// A solid is filled with cubic cells, and linear elasticity is solved on them by multigrid without a matrix, for any
/// Poisson's ratio below 1/2 (Zhu, Sifakis, Teran and Brandt 2010; docs/lattice.md). This measures one problem:
///
///     mus_lattice_problem problem = mus_lattice_default_problem();
///     mus_lattice_result result;
///     problem.cells = 128;
///     problem.poisson = 0.4999;
///     if (mus_lattice_run(&problem, &result) == MUS_OK)
///       printf("%d cycles, a factor of %.2f each\n", result.cycles, result.rate);
///     mus_lattice_result_free(&result);
///
/// The problem: a solid of 1 m, of density 1000 kg/m^3, is held at both ends of its longest side. One end is moved by a
/// tenth of that side along all axes; what is between starts at rest.
#ifndef MUSLIN_LATTICE_H
#define MUSLIN_LATTICE_H

#include <stddef.h>

#include "muslin/solver.h"
#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mus_lattice_method {
  MUS_LATTICE_MULTIGRID,
  MUS_LATTICE_CG, ///< conjugate gradients on the system for displacements alone, for comparison
  MUS_LATTICE_PCG ///< the same, with its diagonal as the preconditioner
} mus_lattice_method;

typedef struct mus_lattice_problem {
  mus_lattice_method method;
  const char *shape; ///< a closed surface, OBJ or PLY; NULL: a box
  int cells;         ///< along the longest side, 4 to 1024
  double young;      ///< Young's modulus, Pa
  double poisson;    ///< Poisson's ratio, above -1 and below 1/2
  double time_step;  ///< s, of an implicit step; 0: static
  double tolerance;  ///< of the residual, relative to the first
  int cycles;        ///< or iterations, at most
  int corotational;  ///< co-rotational rather than linear elasticity; by multigrid only
  int in_double;     ///< cycles in double precision rather than single
  int visits;        ///< of each level to the next coarser one: 1, V-cycles, or 2, K-cycles
  int directions; ///< earlier corrections that are combined with each new one; 0: cycles alone; -1: 2 to 20, as memory
                  ///< allows
  int threads;    ///< 0: all cores
  mus_device_choice device; ///< MUS_DEVICE_CPU; multigrid runs on a GPU too: docs/cuda.md
} mus_lattice_problem;

typedef struct mus_lattice_result {
  size_t interior; ///< cells that are elastic
  size_t unknowns; ///< displacements and pressures
  int levels;
  int cycles;
  double *residuals;        ///< cycles + 1 of them, relative to the first
  double rate;              ///< factor of the residual per cycle, over the second half of the cycles
  double seconds_per_cycle; ///< of multigrid cycles by themselves, in their precision; or of iterations, or of
                            ///< co-rotational ones with all that belongs to them
  double seconds;           ///< for the whole solve
  double bytes_per_cell;    ///< memory, per interior cell
  double cycle_bytes;       ///< that a cycle moves if no pass over an array finds any of it in a cache
  double least_bytes;       ///< that it would if each sweep read and wrote its variables once and nothing else
  char device[64];          ///< the GPU that solved it; "": the CPU
  double transfer_seconds;  ///< part of `seconds`: to the GPU and back
  double device_bytes;      ///< of the GPU's memory
  double copy_gb_s;         ///< of a copy in the GPU's memory, read and written; 0 for co-rotational solids
} mus_lattice_result;

/// A box of 64 cells, 100 kPa and 0.45, solved to 1e-8 as solids are by default.
MUS_API mus_lattice_problem mus_lattice_default_problem(void);

/// MUS_BAD_INPUT for what cannot be: materials, sizes, surfaces that enclose nothing, more cells than fit into memory.
/// MUS_NOT_CONVERGED is not a failure here: the result is filled, and `cycles` is the limit. The result is to be freed
/// either way.
MUS_API mus_status mus_lattice_run(const mus_lattice_problem *problem, mus_lattice_result *result);
MUS_API void mus_lattice_result_free(mus_lattice_result *result);

#ifdef __cplusplus
}
#endif
#endif
