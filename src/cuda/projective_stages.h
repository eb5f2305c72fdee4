// What a device does for steps of Projective Dynamics (step/projective.c), as a table of stages beside those of the
// solver (stages.h) and of linearised steps (step_stages.h): the local step, the right-hand side, cycles of affine
// handles (multigrid/skinning/affine.h), and where that leads.
//
//   create -> set_weights, set_blocks, hold -> [ set_state ] -> [ begin -> iterate ... -> measure -> commit ] ...
//
// The state and all vectors stay there; of an iteration, the host sees a few sums, by which it shortens corrections and
// keeps secants as the step on the host does. Nodes have the order of the finest level there, colour by colour.
//
// As in stages.h, nothing of muslin's is called from there, and the symbol has the table's version in its name.
#ifndef MUS_CUDA_PROJECTIVE_STAGES_H
#define MUS_CUDA_PROJECTIVE_STAGES_H

#include "cuda/step_stages.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MUS_PROJECTIVE_STAGES_VERSION 2
#define MUS_PROJECTIVE_STAGES_SYMBOL "mus_cuda_projective_stages_2"

enum {
  MUS_PROJECTIVE_LEVELS = 12, // with the finest and the bottom
  MUS_PROJECTIVE_PASSES = 16,
  MUS_PROJECTIVE_SECANTS = 20,
  MUS_PROJECTIVE_CORNERS = 3,  // of a point that is pulled
  MUS_PROJECTIVE_BOTTOM = 3072 // unknowns of the bottom at most: its inverse is dense
};

typedef struct mus_device_projective mus_device_projective; // a model on a device, with its levels and state

// A level without its numbers. The bottom has nodes and nothing else.
typedef struct mus_projective_level {
  int nodes, width;        // functions of a node: 1 on the finest level, else 4
  mus_stage_pattern links; // without the diagonal
  int colours;
  const int *colour_start; // colours + 1: nodes of a colour are one after the other
  const int *owner;        // nodes: the handle of the next coarser level
  const int *child_start, *child;
  const double *transfer; // nodes * 4 * width
  int sweeps;             // of Gauss and Seidel's method, forward and backward; 0: a polynomial
  int passes;             // of that
} mus_projective_level;

typedef struct mus_projective_model {
  mus_stage_model step;
  int levels; // with the finest and the bottom
  const mus_projective_level *level;
  const int *name; // nodes: the vertex of each node of the finest level
  int parts;       // connected ones
  const int *part; // vertices
  int single;      // 1: cycles in single precision
  int cycles;      // of a global step
  int secants;     // pairs that are kept
} mus_projective_model;

// The numbers of a level.
typedef struct mus_projective_numbers {
  const double *value;                                              // links * width^2
  const double *diagonal;                                           // nodes * width^2
  double alpha[MUS_PROJECTIVE_PASSES], beta[MUS_PROJECTIVE_PASSES]; // as in mus_stage_level, without the radius
} mus_projective_numbers;

// What is added to the diagonal of a level.
typedef struct mus_projective_blocks {
  int count;
  const int *node;
  const double *value; // count * (3 width)^2
} mus_projective_blocks;

// A spring from a point, the weighted sum of vertices, to a place: soft pins and attachments.
typedef struct mus_projective_pull {
  int count;
  int vertex[MUS_PROJECTIVE_CORNERS];
  double weight[MUS_PROJECTIVE_CORNERS];
  double stiffness, damping;     // N/m, N s/m
  double most;                   // m: it pulls as if it were no longer than this; INFINITY: no limit
  double target[3], velocity[3]; // m, m/s
} mus_projective_pull;

// What the host is told of an assembly or a correction; r is the right-hand side, d the correction.
typedef struct mus_projective_sums {
  double slope;          // r.d with the r that was assembled last
  double change, square; // y.d and y.y, y the fall of r since secants last saw it
  double length;         // d.d
  double largest;        // of |d|
} mus_projective_sums;

// How the next global step goes.
typedef struct mus_projective_solve {
  int bent;       // 1: with secants
  int notes;      // 1: the last correction becomes a pair first, which was `part` of it
  double part;    // of it
  double product; // y.s of that pair
  int wants_sums; // 1: slope and largest are wanted
} mus_projective_solve;

typedef struct mus_projective_seconds {
  double upload, work, download;
} mus_projective_seconds;

// Every function that may fail says why. Host memory of states must stay where it is until free(): see stages.h.
typedef struct mus_projective_stages {
  int version;
  // Takes all memory that steps need.
  mus_status (*create)(mus_device *device, const mus_projective_model *model, mus_device_projective **out,
                       mus_stage_failure *failure);
  void (*free)(mus_device_projective *there); // NULL is fine
  size_t (*bytes)(const mus_device_projective *there);
  // The constant matrix: numbers of all levels but the bottom. set_blocks must follow.
  mus_status (*set_weights)(mus_device_projective *there, const mus_projective_numbers *numbers,
                            mus_stage_failure *failure);
  // Blocks of all levels but the bottom, the whole matrix of that, dense by rows, and for each part the sum of A over
  // it, 3x3: all that without touches.
  mus_status (*set_blocks)(mus_device_projective *there, const mus_projective_blocks *blocks, const double *bottom,
                           const double *sum, mus_stage_failure *failure);
  // What holds and pulls from now on: of each held vertex the projection on what is free, 3x3.
  mus_status (*hold)(mus_device_projective *there, int held, const int *vertex, const double *projection, int pulls,
                     const mus_projective_pull *pull, mus_stage_failure *failure);
  mus_status (*set_state)(mus_device_projective *there, const double *position, const double *velocity,
                          mus_stage_failure *failure);
  // With bodies: where they are in the next step, of length h (contact/touch.h); what they push vertices with, of the
  // state (mus_touch_vertex.push, N), which is given with it; and what touches in the last step (vertices).
  mus_status (*touch)(mus_device_projective *there, double h, const mus_touch_body *body, mus_stage_failure *failure);
  mus_status (*set_push)(mus_device_projective *there, const double *push, mus_stage_failure *failure);
  mus_status (*get_touched)(mus_device_projective *there, mus_touched *touched, mus_stage_failure *failure);
  // A step from the state: velocities do what is prescribed, which is to be at `target` at its end (3 numbers for each
  // held vertex; NULL: as before), and lead to the first iterate.
  mus_status (*begin)(mus_device_projective *there, const mus_stage_moment *moment, const double *scale,
                      const double *target, mus_stage_failure *failure);
  // r at the present iterate; `sums`, unless it is NULL, tells of it and the last correction.
  mus_status (*assemble)(mus_device_projective *there, mus_projective_sums *sums, mus_stage_failure *failure);
  // d for that r, and v' += d.
  mus_status (*solve)(mus_device_projective *there, const mus_projective_solve *how, mus_projective_sums *sums,
                      mus_stage_failure *failure);
  // v' += part d, d *= scale.
  mus_status (*go)(mus_device_projective *there, double part, double scale, mus_stage_failure *failure);
  // The energy of the step at the present iterate (step/objective.h), J.
  mus_status (*energy)(mus_device_projective *there, double *energy, mus_stage_failure *failure);
  // assemble, solve without secants, and what measure() needs, at once; returns before it is done.
  mus_status (*start)(mus_device_projective *there, mus_stage_failure *failure);
  // Of where that, or the iterations, have led: the squares of r before the last correction and of what it leaves of
  // it, and the sums of step_stages.h but `work`. `started`: after start().
  mus_status (*measure)(mus_device_projective *there, int started, double square[2], mus_stage_sums *sums,
                        mus_stage_failure *failure);
  // The iterate becomes the state, and goes to the host unless these are NULL, with what bodies push.
  mus_status (*commit)(mus_device_projective *there, double *position, double *velocity, double *push,
                       mus_stage_failure *failure);
  // For tests: r and d by vertex, and a cycle for any right-hand side, 3 numbers a vertex. NULL: not wanted.
  mus_status (*look)(mus_device_projective *there, double *right, double *change, mus_stage_failure *failure);
  mus_status (*cycle)(mus_device_projective *there, const double *right, double *change, mus_stage_failure *failure);
  void (*seconds)(const mus_device_projective *there, mus_projective_seconds *seconds); // of the last of each
} mus_projective_stages;

#ifdef __cplusplus
}
#endif
#endif
