// The constant matrix of Projective Dynamics (Bouaziz and others 2014),
//   A = M + sum (H^2 k + H d) S^T S   (energy/element_list.h)
// a number for each pair of vertices that the coordinates share, and blocks on the diagonal (sparse/shared.h) for what
// changes from step to step: contact, attachments, soft pins, drag, and what pins and bodies hold. Of these, terms over
// several vertices are lumped, which is not below them. Private to step/.
#ifndef MUS_STEP_CONSTANT_H
#define MUS_STEP_CONSTANT_H

#include "sparse/shared.h"
#include "step/scheme.h"
#include "step/step.h"

typedef struct mus_constant_matrix {
  mus_arena arena;
  double length;             // s: H that `value` is for; 0: none yet
  int revision;              // of the model, the same
  int bounded;               // 1: all elements' weights are bounds
  double *scale, *scale_now; // lists of elements: the factors that it is for
  double *value;             // entries of the pattern
  mus_shared_blocks blocks;  // of this step
  mus_list blocks_before;    // mus_shared_block: those of the update before
  mus_shared_matrix matrix;
} mus_constant_matrix;

// What an update has changed.
typedef struct mus_constant_change {
  int weights; // 1: the numbers that the coordinates share
  int blocks;  // 1: the blocks
} mus_constant_change;

// MUS_UNSUPPORTED names the first kind of elements that has no such matrix, and `user`, who needs it.
mus_status mus_constant_check(const mus_model *model, const char *user);

mus_status mus_constant_create(const mus_model *model, mus_constant_matrix *out);
void mus_constant_free(mus_constant_matrix *constant); // all zero is fine
size_t mus_constant_bytes(const mus_constant_matrix *constant);

// What an update takes in beside contact, springs to places and what is prescribed.
enum {
  MUS_CONSTANT_DRAG = 1,  // that of the air
  MUS_CONSTANT_FIND = 2,  // finds what bodies touch (contact/touch.h), from the state that the step begins with ...
  MUS_CONSTANT_TOUCH = 4, // ... and takes in what was found last
};

// The matrix of the step `s` with what touches and is prescribed now, and what is asked for. Weights are made again
// where step length, fabrics or stiffness have changed.
mus_status mus_constant_update(mus_constant_matrix *constant, const mus_step_context *c, const mus_scheme *s,
                               unsigned what, mus_constant_change *change);
// The next update counts as a change of everything.
void mus_constant_forget(mus_constant_matrix *constant);

#endif
