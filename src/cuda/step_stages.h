// What a device does for a linearised step, as a table of stages, beside that of the solver (stages.h): forces and
// matrix of all elements, the move, and what can be said of where that leads.
//
//   create -> [ set_state -> hold ] -> [ assemble -> (the solver finds the change) -> move -> commit ] ...
//
// Elements are evaluated by the functions of energy/, of which there is one source. Each writes its numbers to a place
// of its own; then every block of the matrix, and every node, gathers those that belong to it in an order that is made
// once: there are no atomics, and results have the same bits from run to run.
//
// As in stages.h, nothing of muslin's is called from there, and the symbol has the table's version in its name.
#ifndef MUS_CUDA_STEP_STAGES_H
#define MUS_CUDA_STEP_STAGES_H

#include "cuda/stages.h"
#include "energy/baraff_witkin.h"
#include "energy/bend.h"
#include "energy/choi_ko.h"
#include "energy/corotated.h"
#include "energy/external.h"
#include "energy/touch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MUS_STEP_STAGES_VERSION 3
#define MUS_STEP_STAGES_SYMBOL "mus_cuda_step_stages_3"

typedef struct mus_device_step mus_device_step; // a model on a device, with its state
typedef struct mus_minimise_stages mus_minimise_stages;
typedef struct mus_ladder_stages mus_ladder_stages;

// Elements that the device knows, by what evaluates them.
typedef enum mus_stage_element {
  MUS_STAGE_MEMBRANE,       // mus_membrane_element(), with drag where there is air
  MUS_STAGE_HINGE,          // mus_hinge_forces()
  MUS_STAGE_SPRING,         // mus_spring_element()
  MUS_STAGE_TENSION_SPRING, // mus_choi_ko_stretch_element()
  MUS_STAGE_BUCKLING,       // mus_choi_ko_bend_element()
  MUS_STAGE_DRAG,           // mus_drag_element()
  MUS_STAGE_COROTATED,      // mus_tetrahedron_element() by its laws
  MUS_STAGE_NEO_HOOKEAN,
  MUS_STAGE_VENANT_KIRCHHOFF
} mus_stage_element;

// As mus_element_list has it.
typedef struct mus_stage_list {
  mus_stage_element element;
  int arity, count, first_vertex;
  const int *vertex;
  const void *rest;     // NULL: none
  const void *material; // likewise; one for each copy
  int bends;            // 1: its energy counts as bending, 0: as stretching
  int strains;          // 1: its elements have strains that count
  double limit[2];      // of strains along warp and weft; 0: none
  const double *limits; // the same of each copy; NULL: it is that of all
} mus_stage_list;

// What does not change from step to step. There may be several copies of a model, which differ in their numbers: nodes,
// and elements of each list, lie copy by copy, and each copy has a moment, stiffnesses, gusts and sums of its own.
typedef struct mus_stage_model {
  int copies;                // 0: as 1
  mus_stage_pattern pattern; // of the matrix, blocks of 3 x 3
  const double *mass;        // vertices, kg
  const double *counted;     // the same for energies and momenta
  int lists;
  const mus_stage_list *list;
  const mus_gusts *gusts; // of each copy; NULL: none
  int plain;              // as in mus_stage_hierarchy
  // Bodies that vertices touch (energy/touch.h), for a single copy only: how many, distances of those that have grids,
  // and the vertices' parts of gaps, m; NULL: there are none
  int bodies;
  size_t grid_count;
  const float *grid;
  const double *half;
} mus_stage_model;

// What does. The scheme is that of step/scheme.h: X = x, V = v and H = h, or what order 2 makes of them.
typedef struct mus_stage_moment {
  double time;   // s, at the end of the step
  double length; // s: H
  int order;
  int gusty; // 1: gusts blow
  double gravity[3];
  mus_air air;    // density 0: none
  double wind[3]; // m/s
} mus_stage_moment;

// By so much of a limit a strain may be beyond it, as in energy/element_list.h.
#define MUS_STAGE_SLACK 0.02

// Of the end of a step.
typedef struct mus_stage_sums {
  double kinetic, potential, stretch, shear, bend; // J
  double momentum[3], angular_momentum[3];
  double strain, strain_99; // the largest, and what 99% of them are below
  double reached;           // the largest strain over its limit; 0: there is none
  int reached_list;         // where that is, if it is above 0 ...
  int reached_element;
  double overstretched; // elements beyond a limit by more than MUS_STAGE_SLACK of it
  double inverted;      // tetrahedra inside out
  double work;          // J, that held nodes have done
  double touch_work;    // J, that bodies have
  double touched;       // nodes that bodies keep off
} mus_stage_sums;

// Where the system of a step lies on the device. The matrix has the order of the pattern.
typedef struct mus_stage_system {
  double *values, *right, *change;
  const double *position; // of the state
} mus_stage_system;

typedef struct mus_step_seconds_there {
  double upload, assemble, move, download;
} mus_step_seconds_there;

// Every function that may fail says why. Host memory of states must stay where it is until free(): see stages.h.
typedef struct mus_step_stages {
  int version;
  // Takes all memory that steps need.
  mus_status (*create)(mus_device *device, const mus_stage_model *model, mus_device_step **step,
                       mus_stage_failure *failure);
  void (*free)(mus_device_step *step); // NULL is fine
  size_t (*bytes)(const mus_device_step *step);
  // Vertices * 3 numbers each. Those of the step before are NULL where no step of order 2 will follow.
  mus_status (*set_state)(mus_device_step *step, const double *position, const double *velocity,
                          const double *position_before, const double *velocity_before, mus_stage_failure *failure);
  // Which nodes are held, from now on, copy by copy: those whose work is measured.
  mus_status (*hold)(mus_device_step *step, int count, const int *node, mus_stage_failure *failure);
  // Where the model's bodies are in the next step, of length h.
  mus_status (*touch)(mus_device_step *step, double h, const mus_touch_body *body, mus_stage_failure *failure);
  // N: what bodies push nodes with, of the state (as mus_touch_vertex.push); given with it, and as committed.
  mus_status (*set_push)(mus_device_step *step, const double *push, mus_stage_failure *failure);
  mus_status (*get_push)(mus_device_step *step, double *push, mus_stage_failure *failure);
  // The system of a step from the state: M + H D + H^2 K, and M (V - v) + H (f - H K v), with `scale` (a number for
  // each list, copy by copy) on stiffnesses, and a moment for each copy. The change is zero, to begin with. Done when
  // it returns.
  mus_status (*assemble)(mus_device_step *step, const mus_stage_moment *moment, const double *scale,
                         mus_stage_failure *failure);
  void (*system)(const mus_device_step *step, mus_stage_system *system);
  // A copy of it on the host; NULL: not wanted.
  mus_status (*get_system)(mus_device_step *step, double *values, double *right, double *change,
                           mus_stage_failure *failure);
  // The end of the step that the change leads to, beside the state, and the sums of each copy; strain_99 is that of
  // all.
  mus_status (*move)(mus_device_step *step, mus_stage_sums *sums, mus_stage_failure *failure);
  // The end of the step becomes the state, and goes to the host.
  mus_status (*commit)(mus_device_step *step, double *position, double *velocity, mus_stage_failure *failure);
  // Of the last step.
  void (*seconds)(const mus_device_step *step, mus_step_seconds_there *seconds);
  const mus_minimise_stages *minimise; // steps that are minima: minimise_stages.h
  const mus_ladder_stages *ladder;     // nested levels for them: ladder_stages.h
} mus_step_stages;

#ifdef __cplusplus
}
#endif
#endif
