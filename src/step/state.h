// The state: what changes while a scene runs, and the room that a step works in. Private to step/.
#ifndef MUS_STEP_STATE_H
#define MUS_STEP_STATE_H

#include "contact/contact.h"
#include "muslin/sim.h"
#include "step/settings.h"

struct mus_sim_fields; // see fields.c

struct mus_sim {
  mus_model model;
  mus_arena arena;
  // state
  double time;                               // s
  int frame;                                 // frames that are done
  int frame_step;                            // steps that are done of the next one
  double *position, *velocity;               // vertices * 3
  double *position_before, *velocity_before; // a step ago, for BDF2
  double step_before;                        // s; 0 when there is none to build on
  int halvings_before;                       // of the last step
  mus_contact_state contact_state;           // all zero where the scene wants no contact
  mus_settings settings;
  mus_list attachments; // mus_attached, see attach.h
  int last_handle;      // that was given to one of them
  // room of a step
  double *predicted;                       // positions at which forces are taken
  double *strain;                          // of all membranes and springs
  double strain_before;                    // the largest, a step ago
  double energy_before;                    // of all kinds, a step ago, J
  mus_matrix matrix;                       // its values lie in `solver`
  double *right, *change;                  // right-hand side; change of velocity
  double *saved_position, *saved_velocity; // to go back to when a step fails
  double *iterate;                         // Newton's velocity that a line search starts from
  mus_constraint *constraint;              // one for each vertex that a pin or a body holds, pins first
  int *constraint_of;                      // vertex -> place in `constraint`, -1
  int constraints;                         // of the last linear system
  int constraint_room;                     // there is memory for so many
  mus_contact_workspace *contact;          // NULL where the scene wants none
  mus_solver *solver, *strong;             // strong: made when the first one fails
  const mus_solver *solved;                // the one of these that ran last
  double *seen[3];                         // positions, velocities and residual in the order of the files ...
  int reordered;                           // ... where some cloth has another
  struct mus_sim_fields *fields;           // NULL until one is asked for
  mus_step_record *record;
  int records, record_room;
};

// mus_sim_create() with kinds of elements beside those of the cloths' models, see model.h.
mus_status mus_sim_create_with(const mus_scene *scene, const mus_element_kind *const *extra, mus_sim **out);
// An empty solver with the model's pattern. `out` is written on success only.
mus_status mus_sim_make_solver(const mus_sim *sim, const mus_solver_options *options, mus_solver **out);
// The solver as it is at the start, without a memory of earlier steps.
mus_status mus_sim_renew_solver(mus_sim *sim);
// Zeros in the directions that are prescribed, in vertices * 3 numbers.
void mus_sim_clear_prescribed(const mus_sim *sim, double *value);
// From the order that is simulated to that of the files, vertices * width numbers.
void mus_sim_restore_order(const mus_sim *sim, int width, const double *value, double *seen);
// Call when positions or velocities have changed other than by a step.
void mus_sim_show(mus_sim *sim);

void mus_sim_fields_free(struct mus_sim_fields *fields); // NULL is fine
size_t mus_sim_fields_bytes(const struct mus_sim_fields *fields);

// The linear system of a step of length h from the present state, without doing the step.
mus_status mus_step_prepare(mus_sim *sim, double h);
// A step is halved so often at most.
enum { MUS_HALVINGS_MAXIMUM = 6 };
// Energies, momenta and strains of the present state, under the settings of a time.
void mus_sim_measure(mus_sim *sim, double time, mus_step_record *record);
// What the next step is compared with.
void mus_step_remember(mus_sim *sim, const mus_step_record *record);
// One step of length h, after so many halvings; on failure the state is as before.
mus_status mus_step(mus_sim *sim, double h, int halvings);

#endif
