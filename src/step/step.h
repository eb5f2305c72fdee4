// One time step: from a model and its state to the next state.
#ifndef MUS_STEP_STEP_H
#define MUS_STEP_STEP_H

#include "contact/touch.h"
#include "step/attach.h"
#include "step/integrator.h"
#include "step/lattices.h"
#include "step/linear.h"

typedef struct mus_limiter mus_limiter;   // see limit.h
typedef struct mus_resident mus_resident; // see resident.h

// What a step works with: what it only reads, then what it writes.
typedef struct mus_step_context {
  const mus_model *model;
  const mus_settings *settings;
  const mus_attachments *attachments;
  mus_state *state;
  mus_workspace *work;
  mus_contact_workspace *contact; // NULL if the scene wants no contact
  mus_touch *touch;               // NULL unless it wants contact with bodies only
  mus_linear *linear;
  mus_integrator_state *integrator;
  mus_limiter **limiter;  // NULL in it until it is needed
  mus_lattices *lattices; // NULL if the scene has no solids on lattices
  mus_resident *resident; // NULL if steps are to run on the host
} mus_step_context;

// A step is halved so often at most.
enum { MUS_HALVINGS_MAXIMUM = 6 };

// One step of length h, after so many halvings. On failure the state is as before, and MUS_STOPPED is a failure too.
mus_status mus_step(const mus_step_context *c, double h, int halvings, mus_step_record *record);

// The end of a step is what the next one is compared with. For those who do whole steps.
void mus_step_remember(mus_state *state, const mus_step_record *record);

// A step of length h while time stands still (scheme.h), for what is tangled: it ends after looking for that where
// nothing is, or where `moving` is 0. The state's velocities must be 0. `smoothing`: 1 to smooth what is tangled, see
// mus_contact_smooth().
mus_status mus_step_still(const mus_step_context *c, double h, int moving, int smoothing, mus_step_record *record);

// All that comes before a step's system is assembled: what is predicted, prescribed and near (step.c). May change what
// the state remembers of contact and pins.
mus_status mus_step_begin(const mus_step_context *c, const mus_scheme *s, mus_step_record *record);

// The linear system of a step of length h, in c->work and c->linear, without doing the step.
mus_status mus_step_prepare(const mus_step_context *c, double h);

// Makes the present state the one that the next step is compared with. Call it when the state or the settings have
// changed other than by a step.
void mus_step_compare_with_present(const mus_step_context *c);

#endif
