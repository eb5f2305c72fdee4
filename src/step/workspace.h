// The workspace of a step: its vectors and constraints. Nothing in it matters to the next step.
#ifndef MUS_STEP_WORKSPACE_H
#define MUS_STEP_WORKSPACE_H

#include "step/prescribe.h"
#include "step/seams.h"

typedef struct mus_workspace {
  size_t unknowns;                         // vertices * 3
  double *predicted;                       // unknowns: positions at which forces are taken, X of scheme.h
  double *right, *change;                  // unknowns: right-hand side; change of velocity
  double *start_position, *start_velocity; // unknowns: at the start of the step, to go back to if it fails
  double *strain;                          // model->strains
  mus_prescribed prescribed;
  mus_seams seams;
} mus_workspace;

// Vectors come from the arena. Free on failure, too.
mus_status mus_workspace_create(mus_arena *arena, const mus_model *model, mus_workspace *out);
void mus_workspace_free(mus_workspace *work);
// Bytes beyond those of the arena.
size_t mus_workspace_bytes(const mus_workspace *work);

#endif
