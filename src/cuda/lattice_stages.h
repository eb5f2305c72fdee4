// Elastic solids on lattices, as stages of a device: the part of stages.h that src/lattice uses.
//
//   create (levels, bottom) -> [ solve ] ... -> free
//
// A solve takes right-hand sides and what is held, and gives displacements and pressures, all in the units of
// lattice/level.h: vectors of four fields, u_0, u_1, u_2 and p, each with a number for each cell and padded to `field`.
#ifndef MUS_CUDA_LATTICE_STAGES_H
#define MUS_CUDA_LATTICE_STAGES_H

#include <stddef.h>
#include <stdint.h>

#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mus_device;
struct mus_stage_failure;

typedef struct mus_device_lattice mus_device_lattice; // levels on a device, with vectors and graphs

// What the cells of a level, their lower faces and the edges at their lower corners are; those with an axis: << axis.
// The same as in lattice/domain.h, which says what they mean.
enum {
  MUS_STAGE_UNKNOWN = 1,
  MUS_STAGE_HELD = 1 << 3,
  MUS_STAGE_NORMAL = 1 << 6,
  MUS_STAGE_SHEAR = 1 << 9,
  MUS_STAGE_SWEPT = 1 << 12,
  MUS_STAGE_SOLID = 1 << 15,
  MUS_STAGE_SWEPT_P = 1 << 16,
  MUS_STAGE_REGULAR = 1 << 17,
  MUS_STAGE_REGULAR_P = 1 << 20,
  MUS_STAGE_NEAR = 1 << 21,
  MUS_STAGE_FAR = 1 << 24,
  MUS_STAGE_WALL = 1 << 27
};

enum { MUS_LATTICE_STAGES_LEVELS = 16, MUS_LATTICE_STAGES_DIRECTIONS = 100 };

// What is smoothed at boundaries is worked on colour by colour: cells of a colour neither read nor write what is done
// to others of it. Seven colours are the least, for the six neighbours of a cell and the cell itself.
enum { MUS_LATTICE_COLOURS = 7 };
static inline int mus_lattice_colour(int i, int j, int k) { return (i + 2 * j + 3 * k) % MUS_LATTICE_COLOURS; }

// What a cell at a boundary is like: lattice/boxes.h says what the bits are.
typedef struct mus_stage_pattern_bits {
  uint32_t stresses, weights, walls;
} mus_stage_pattern_bits;

// Cells at boundaries, in any order.
typedef struct mus_stage_cells {
  int count;
  const int *cell;
  const mus_stage_pattern_bits *pattern;
} mus_stage_cells;

typedef struct mus_stage_lattice_level {
  int count[3],
      shift[3];          // cells along axes; cell (i, j, k) is part of cell ((i + shift[0]) / 2, ...) of the next level
  size_t field;          // numbers between two fields of a vector, at least as many as there are cells
  double wall;           // what shear stresses on walls are multiplied by
  const uint32_t *flags; // for each cell
  mus_stage_cells band, relocated;
  int outer_count, partial_count;
  const int *outer;        // cells with faces that are NEAR or FAR
  const int (*partial)[2]; // cell and axis of faces for which the next level lacks values to interpolate
} mus_stage_lattice_level;

typedef struct mus_stage_lattice {
  int levels;
  mus_stage_lattice_level level[MUS_LATTICE_STAGES_LEVELS];
  double compressibility, inertia;   // mu / lambda; c h^2 / mu of the finest level
  double weight;                     // of the cells' equations in norms
  int visits, band, relocated;       // as in lattice/cycle.h
  int directions;                    // earlier corrections that a new one is made conjugate to
  int cycles_most;                   // of a solve
  int in_double;                     // cycles in double precision
  int plain;                         // 1: kernel by kernel, without graphs
  int bottom_size;                   // equations of the coarsest level
  const int *bottom_cell;            // of each
  const unsigned char *bottom_field; // 0, 1, 2: displacements, 3: pressure
  const double *bottom_inverse;      // by rows
} mus_stage_lattice;

typedef enum mus_lattice_end { MUS_LATTICE_CONVERGED, MUS_LATTICE_LIMIT, MUS_LATTICE_NOT_FINITE } mus_lattice_end;

typedef struct mus_stage_lattice_result {
  mus_lattice_end end;
  int cycles;
  double reference;  // the residual's norm with nothing moved but what is held
  double *residuals; // over the reference, of the guess and after each cycle: room for `cycles` + 1
  double upload_s, solve_s, download_s;
} mus_stage_lattice_result;

typedef struct mus_stage_lattice_speeds {
  double cycle_s; // median
  double copy_bytes_s;
} mus_stage_lattice_speeds;

// Parts of a cycle on a level, for tests.
typedef enum mus_cycle_part {
  MUS_CYCLE_PART_SWEEP,
  MUS_CYCLE_PART_BAND,
  MUS_CYCLE_PART_BAND_BACK,
  MUS_CYCLE_PART_RESIDUAL,
  MUS_CYCLE_PART_RESTRICT, // of that level's r: b and x = 0 of the next one
  MUS_CYCLE_PART_EXTEND,
  MUS_CYCLE_PART_PROLONG, // of the next level's x
  MUS_CYCLE_PART_CYCLE    // from that level down
} mus_cycle_part;
typedef enum mus_lattice_vector { MUS_LATTICE_X, MUS_LATTICE_B, MUS_LATTICE_R } mus_lattice_vector;

// Every function that may fail says why. b and x of the host's must stay where they are until free(), though their
// numbers may change.
typedef struct mus_lattice_stages {
  // Takes all memory that solves need.
  mus_status (*create)(struct mus_device *device, const mus_stage_lattice *description, mus_device_lattice **lattice,
                       struct mus_stage_failure *failure);
  void (*free)(mus_device_lattice *lattice); // NULL is fine
  size_t (*bytes)(const mus_device_lattice *lattice);
  // x: guess and what is held in, solution out.
  mus_status (*solve)(mus_device_lattice *lattice, const double *b, double *x, double tolerance, int cycles,
                      mus_stage_lattice_result *result, struct mus_stage_failure *failure);
  mus_status (*measure)(mus_device_lattice *lattice, int repeat, mus_stage_lattice_speeds *speeds,
                        struct mus_stage_failure *failure);
  mus_status (*run_part)(mus_device_lattice *lattice, mus_cycle_part part, int level,
                         struct mus_stage_failure *failure);
  mus_status (*set)(mus_device_lattice *lattice, int level, mus_lattice_vector which, const double *from,
                    struct mus_stage_failure *failure);
  mus_status (*get)(mus_device_lattice *lattice, int level, mus_lattice_vector which, double *to,
                    struct mus_stage_failure *failure);
} mus_lattice_stages;

#ifdef __cplusplus
}
#endif
#endif
