// The step of a finer level on a coarser mesh, for the full approximation scheme (Brandt 1977). With the coarser
// cloth's own energy eps_c (model/coarse.h) and v_c the fine velocities at the vertices that are kept, the coarse
// problem is to minimise
//   eps_c(v) - f . (v - v_c) + (v - v_c) . B (v - v_c) / 2,   f = P^T r + grad eps_c(v_c),
// whose gradient at v_c is -P^T r: where the finer level is at its minimum, the coarser one has nothing to do. f tells
// it what its mesh cannot know. The stiffness of what only the finer level has, contact, attachments and soft pins, is
// handed down as B, from diagonal blocks that are never below it, each to the vertices that carry its own; so is what
// is held where no coarse vertex is. The others are held as they are.
//
// Private to step/minimise/.
#ifndef MUS_STEP_MINIMISE_COARSE_H
#define MUS_STEP_MINIMISE_COARSE_H

#include "model/coarse.h"
#include "step/minimise/minimise.h"

typedef struct mus_coarse_step {
  mus_arena arena;
  mus_model model;
  const mus_coarser *coarser;
  int *number; // finer vertices: their numbers here, -1: none
  mus_state state;
  mus_workspace work;
  mus_linear linear;
  mus_attachments attachments; // none
  mus_minimise_workspace vectors;
  mus_minimise_terms terms;
  mus_shared_blocks blocks; // of finer vertices: what is handed down
  mus_step_context context;
  mus_minimisation m;
} mus_coarse_step;

// After `fine`; settings are those of each step. `coarser` must stay. Nothing to free on failure.
mus_status mus_coarse_step_create(const mus_model *fine, const mus_coarser *coarser, const mus_solver_options *solver,
                                  mus_coarse_step **out);
void mus_coarse_step_free(mus_coarse_step *coarse); // NULL is fine
size_t mus_coarse_step_bytes(const mus_coarse_step *coarse);

// Makes the coarse problem of the finer level's iterate, in coarse->m, which begins at v_c. A matrix must have been
// assembled there.
mus_status mus_coarse_step_begin(mus_coarse_step *coarse, mus_minimisation *fine);
// What the coarse level has moved by since is the finer level's search direction, in work->change. Counts its work.
void mus_coarse_step_correct(mus_coarse_step *coarse, mus_minimisation *fine);

#endif
