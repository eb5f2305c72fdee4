// What a device does for the solver, as a table of stages: the one door between muslin and libmuslin-cuda.so.
//
//   open -> create (structure of a hierarchy) -> start -> [ set_kernel, set_held, set_values -> renew -> solve ] ...
//   -> free -> close
//
// Stages are whole pieces of a solve, not operations on vectors, so that nothing waits for the host inside them. Plain
// C without muslin's other types, and without functions of muslin's: the library is loaded at run time (device.h),
// finds nothing of muslin's there, and may be of another build. So its one symbol has the version of this table in its
// name; whoever changes anything here raises it.
#ifndef MUS_CUDA_STAGES_H
#define MUS_CUDA_STAGES_H

#include <stddef.h>

#include "cuda/lattice_stages.h"
#include "cuda/turned_stages.h"
#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MUS_STAGES_VERSION 7
#define MUS_STAGES_SYMBOL "mus_cuda_stages_7"

enum { MUS_STAGES_LEVELS = 20, MUS_STAGES_PASSES = 32, MUS_STAGES_TEXT = 512 };

// A text for what went wrong, for people: what, where, the remedy.
typedef struct mus_stage_failure {
  char text[MUS_STAGES_TEXT];
} mus_stage_failure;

typedef struct mus_device mus_device;               // an open device
typedef struct mus_device_solver mus_device_solver; // a hierarchy on it, with vectors and graphs

typedef struct mus_device_facts {
  char name[64];
  size_t memory; // bytes in all
  int major, minor, processors;
} mus_device_facts;

// Rows of blocks, as mus_pattern.
typedef struct mus_stage_pattern {
  int rows, columns;
  const int *row_start, *column;
} mus_stage_pattern;

// How a prolongator is made: see multigrid/aggregation/aggregation.h.
typedef struct mus_stage_grouping {
  int aggregates;
  const int *aggregate;   // of each node; -1: it is left to the smoother
  mus_stage_pattern part; // what smooths: blocks of A between nodes with aggregates. No rows: nothing does
  const int *source;      // a block of `part` -> its block of A
  int is_filtered;        // what `part` leaves out moves with the node's own aggregate
} mus_stage_grouping;

// A level as its structure is: nothing here has numbers in it that change with the matrix.
typedef struct mus_stage_level {
  mus_stage_pattern a;
  int block;           // 3 or 6
  mus_stage_pattern p; // leads to the next coarser level; no rows at the bottom
  mus_stage_grouping grouping;
  int passes; // of the smoother's sweep from a given x: pass k is
              // x' = x + alpha / radius D^-1 (b - A x) + beta (x - the one before)
  double alpha[MUS_STAGES_PASSES], beta[MUS_STAGES_PASSES];
} mus_stage_level;

typedef struct mus_stage_hierarchy {
  int levels, visits; // visits to each coarser level: 1 for V-cycles, 2 for W-cycles
  mus_stage_level level[MUS_STAGES_LEVELS];
  int kernel_sweeps;   // relaxations of the near-null space
  int iterations_most; // of a solve
  int plain;           // 1: kernel by kernel, without graphs, for debuggers and profilers
} mus_stage_hierarchy;

// How much of a hierarchy is renewed for a matrix; each includes those before it. Prolongators that are kept have to
// suit what is held.
typedef enum mus_stage_renewal {
  MUS_STAGE_FINEST,     // the finest level
  MUS_STAGE_COARSE,     // coarse matrices too
  MUS_STAGE_EVERYTHING, // prolongators too
  MUS_STAGE_RENEWALS
} mus_stage_renewal;

// What is known of the top of a level's spectrum when the structure was made.
typedef struct mus_stage_spectrum {
  const float *probe; // follows the upper end of the spectrum of D^-1 A; see multigrid/renew.h. NULL at the bottom
  double growth, radius;
} mus_stage_spectrum;

// The near-null space of the finest level.
typedef enum mus_stage_kernel {
  MUS_STAGE_CONSTANT,  // translations
  MUS_STAGE_POSITIONS, // rigid motions around: rows * 3 numbers
  MUS_STAGE_VECTORS    // as they are: one vector after the other
} mus_stage_kernel;

// What is held at which nodes of the finest level, as mus_filter.
typedef struct mus_stage_held {
  int count;
  const int *node;
  const double *projection, *target;
} mus_stage_held;

// Couplings C beyond the pattern of the finest level, filtered by what is held: rows for the nodes that they touch.
typedef struct mus_stage_couplings {
  int count; // such nodes; 0: there are no couplings
  const int *node;
  const int *row_start, *column; // count rows
  const double *values;          // 3 x 3 for each block
  const double *pull;            // C z, without filtering, for the targets z of what is held: 3 for each row
  double radius;                 // that D^-1 C has at most, where D is the block diagonal of C
} mus_stage_couplings;

// Equalities across nodes, E x = t, beside what is held: see constrain/equalities.h. Rows are sorted by groups that
// hang together.
enum { MUS_STAGE_ROW_NODES = 4 };
typedef struct mus_stage_equalities {
  int rows;                // 0: there are none
  const int *count, *node; // of each row its nodes, with room for MUS_STAGE_ROW_NODES
  const double *direction; // 3 for each of these
  int passes;              // how often to project for an accurate result
  const int *first, *size; // of each row its group's rows
  const unsigned *place;   // where the row begins in the groups' inverses
  size_t numbers;          // of these
  const double *inverse;   // of E E^T, group by group
  int touched;             // nodes
  const int *touched_node; // ascending
  const int *start;        // touched + 1
  const int *incident;     // MUS_STAGE_ROW_NODES row + which of its nodes
  const double *offset;    // rows * 3 of the matrix: E^T (E E^T)^-1 t
} mus_stage_equalities;

typedef struct mus_stage_limits {
  double tolerance;
  int iterations;
  int relative_to_right; // 1: to the norm of b, 0: to that of the first residual
} mus_stage_limits;

// How a solve ended.
typedef enum mus_stage_end {
  MUS_STAGE_CONVERGED,
  MUS_STAGE_EXHAUSTED,    // iterations ran out
  MUS_STAGE_NOT_FINITE,   // a residual is not finite
  MUS_STAGE_INDEFINITE_M, // r.M^-1 r is not positive
  MUS_STAGE_INDEFINITE_A, // p.Ap is not positive
  MUS_STAGE_BAD_LEVEL     // a diagonal block, or the bottom, is not positive definite: `level`
} mus_stage_end;

// Seconds on the device. Those of stages that were not run stay as they are.
typedef struct mus_stage_seconds {
  double upload;   // of values, right-hand side and guess, with the wait for the bus
  double renew;    // of the hierarchy
  double solve;    // conjugate gradients
  double download; // of the solution
} mus_stage_seconds;

typedef struct mus_stage_result {
  mus_stage_end end;
  int level;
  int iterations;
  double reference, last, curvature; // of the last iteration: r.M^-1 r and p.Ap
  double *residuals;                 // room for limits.iterations + 1
  double true_residual;              // ||S(b - Ax)|| / ||S(b - Az)||, computed afresh
  mus_stage_seconds seconds;
} mus_stage_result;

// What the memory of the device gives, measured in place: one double-precision product with the finest matrix, one pass
// of its smoother, and a copy of as many bytes.
typedef struct mus_stage_speeds {
  double product_s, smoother_s, cycle_s; // medians
  double product_bytes, smoother_bytes;  // that a pass must move
  double copy_bytes_s;                   // read and written
} mus_stage_speeds;

// Every function that may fail says why. Pointers to numbers may be the host's or the device's, but for those of
// mus_stage_held, mus_stage_couplings and equalities, which are the host's. Values, b and x of the host's must stay
// where they are until free(), though their numbers may change, or until others have been given three times: they are
// made known to the device, so that copies are fast. Values of the device's are not copied: they must stay until
// renew() is done.
typedef struct mus_stages {
  int version;
  mus_status (*open)(mus_device **device, mus_stage_failure *failure);
  void (*close)(mus_device *device); // after all of its solvers; NULL is fine
  void (*describe)(const mus_device *device, mus_device_facts *facts);
  // Takes all memory that solves need.
  mus_status (*create)(mus_device *device, const mus_stage_hierarchy *hierarchy, mus_device_solver **solver,
                       mus_stage_failure *failure);
  void (*free)(mus_device_solver *solver); // NULL is fine
  size_t (*bytes)(const mus_device_solver *solver);
  // For each level; the bottom's does not count.
  mus_status (*start)(mus_device_solver *solver, const mus_stage_spectrum *spectrum, mus_stage_failure *failure);
  // What follows is ordered after all that was submitted to that CUDA stream so far.
  mus_status (*wait_for)(mus_device_solver *solver, void *stream, mus_stage_failure *failure);
  mus_status (*set_kernel)(mus_device_solver *solver, mus_stage_kernel kind, const double *numbers,
                           mus_stage_failure *failure);
  mus_status (*set_held)(mus_device_solver *solver, const mus_stage_held *held, mus_stage_failure *failure);
  // They take part in products and smoothing on the finest level, and in nothing else.
  mus_status (*set_couplings)(mus_device_solver *solver, const mus_stage_couplings *couplings,
                              mus_stage_failure *failure);
  // Solves among vectors that hold them, and smooths around the cycle.
  mus_status (*set_equalities)(mus_device_solver *solver, const mus_stage_equalities *equalities,
                               mus_stage_failure *failure);
  // The inverse of E D^-1 E^T, group by group, for the present matrix. Before solve().
  mus_status (*weigh_equalities)(mus_device_solver *solver, const double *numbers, mus_stage_failure *failure);
  // The finest matrix as it is given: blocks in the order of the pattern, by rows.
  mus_status (*set_values)(mus_device_solver *solver, const double *values, mus_stage_failure *failure);
  // What follows from these: filtered matrix, inverse diagonals, radii; prolongators, coarse matrices and the bottom as
  // far as they are asked for, and all of them the first time. Returns before it is done.
  mus_status (*renew)(mus_device_solver *solver, mus_stage_renewal what, mus_stage_failure *failure);
  // x: guess in, solution out; rows * block numbers.
  mus_status (*solve)(mus_device_solver *solver, const double *b, double *x, const mus_stage_limits *limits,
                      mus_stage_result *result, mus_stage_failure *failure);
  // Numbers of the device's, or of the host's, for the host; after the work of a CUDA stream, unless it is NULL.
  mus_status (*fetch)(mus_device *device, void *stream, const double *from, size_t count, double *to,
                      mus_stage_failure *failure);
  mus_status (*measure)(mus_device_solver *solver, int repeat, mus_stage_speeds *speeds, mus_stage_failure *failure);
  // A level's numbers as they are now, for tests: its matrix and prolongator, blocks in the order of the patterns, the
  // inverse diagonal, block by block, and the radius. NULL: not wanted.
  mus_status (*look)(mus_device_solver *solver, int level, float *a, float *p, float *inverse_diagonal, double *radius,
                     mus_stage_failure *failure);
  const mus_lattice_stages *lattice; // solids on lattices
  const mus_turned_stages *turned;   // and those that turn
} mus_stages;

#ifdef __cplusplus
}
#endif
#endif
