// Ways to do a step, as a table that the public mus_integrator numbers. A new one is an enumerator of that with its
// name (mus_integrator_name), a file with its mus_integrator_kind, and a line in integrator.c.
#ifndef MUS_STEP_INTEGRATOR_H
#define MUS_STEP_INTEGRATOR_H

#include "step/scheme.h"

struct mus_step_context;

typedef struct mus_integrator_kind {
  int order;      // of its scheme, see scheme.h
  int minimises;  // 1: it looks at contact again within a step, see mus_contact_find_more()
  int overshoots; // 1: large steps may gain energy from nowhere, so that steps are checked for it
  // Workspace of its own; all three are NULL if it needs none. Nothing in it may matter to the next step: checkpoints
  // do not save it, and a failed step does not restore it.
  mus_status (*create)(const mus_model *model, void **own);
  void (*free)(void *own);
  size_t (*bytes)(const void *own);
  // Does the step `s`: assembles and solves as many systems as it takes, and leaves the end of the step in c->state's
  // positions and velocities. On entry c->work holds X and what is prescribed, and contacts are found. On return
  // c->work's right-hand side and change are those of the last system, so that right - matrix * change is what is left
  // unsolved. May leave positions and velocities anywhere on failure.
  mus_status (*advance)(const struct mus_step_context *c, void *own, const mus_scheme *s, mus_step_record *record);
  // y = A x with the matrix of that system; NULL: it is c->linear's, and contact's couplings.
  void (*multiply)(const void *own, const double *x, double *y);
} mus_integrator_kind;

extern const mus_integrator_kind mus_integrator_euler, mus_integrator_bdf2; // linearised.c
extern const mus_integrator_kind mus_integrator_newton, mus_integrator_minimise; // minimised.c
extern const mus_integrator_kind mus_integrator_projective;                 // projective.c

// The one that a simulator uses, with its own state.
typedef struct mus_integrator_state {
  const mus_integrator_kind *kind;
  void *own;
} mus_integrator_state;

// Nothing to free on failure.
mus_status mus_integrator_create(mus_integrator integrator, const mus_model *model, mus_integrator_state *out);
void mus_integrator_free(mus_integrator_state *integrator); // all zero is fine
size_t mus_integrator_bytes(const mus_integrator_state *integrator);

#endif
