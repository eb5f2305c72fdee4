// Contact inside a step. Private to step/.
//
// Three answers, in the order in which a step asks for them:
//
//   holds      a vertex that lies on a body is held there by constraints of the linear solve (Baraff and Witkin 1998,
//              section 6): along the normal, and along the surface too while it sticks. The impulse that a constraint
//              took tells the next step whether it pulled (the vertex is let go) or needed more than friction can give
//              (it slides, against a friction that is linear in its velocity and as large as Coulomb's at the last
//              one).
//   couplings  cloth near cloth, and edges and faces near bodies, repel each other inside the same solve: a term that
//              asks for a velocity apart with which the thickness comes back in a few steps, as stiff as some masses.
//   response   what would pass through something all the same is stopped after the solve (collide/response.h).
//
// Cloth that is tangled, because it starts so or a body made it so, is pushed apart by couplings, and what it is
// tangled with is left out of the response until it is free (collide/untangle.h).
#ifndef MUS_STEP_CONTACT_H
#define MUS_STEP_CONTACT_H

#include "collide/response.h"
#include "collide/untangle.h"
#include "model/model.h"
#include "muslin/sim.h"

typedef enum mus_hold_state {
  MUS_HOLD_FREE,   // not on a body, or not held by it yet
  MUS_HOLD_SLIDES, // held along the normal
  MUS_HOLD_STICKS, // held in all directions
  MUS_HOLD_LEFT    // let go in the last step
} mus_hold_state;

// What is remembered of a vertex from step to step; saved in checkpoints.
typedef struct mus_hold {
  double push;  // N: with which the body pushed, along the normal
  double speed; // m/s: along the surface
  int state;    // mus_hold_state
  int slow;     // steps in which it slid so slowly that friction had something left
  int faster;   // 1: it gathered speed in the last step
  int unused;   // 0, so that no byte of a checkpoint is left to chance
} mus_hold;

// A vertex on a body in this step.
typedef struct mus_held {
  int vertex, body;
  double normal[3];   // from the body
  double wanted[3];   // velocity that keeps it there
  double velocity[3]; // of the body's point
  double drag;        // kg: friction a velocity along the surface, as an impulse
  double along[3]; // unit, where it gathers speed: there friction is the impulse `limit`, and drag acts across; else 0
  double limit;    // kg m/s: all that friction can give
  double friction; // Coulomb's coefficient
  mus_hold_state state;
  double impulse[3]; // kg m/s: what the constraint took
} mus_held;

// What a coupling does to velocities.
typedef struct mus_repulsion {
  double normal[3];
  double apart;         // m/s: wanted along the normal
  double moving[3];     // m/s: the bodies' share of the relative velocity
  double along, across; // kg: stiffness of the term along the normal, and of friction across
} mus_repulsion;

typedef struct mus_repulsions {
  mus_list couplings; // mus_coupling
  mus_list effects;   // mus_repulsion, one a coupling
} mus_repulsions;

typedef struct mus_contact_room {
  mus_surface surface;
  mus_arena arena;
  mus_detector *detector;
  mus_untangler *untangler;
  double *x0, *x1;       // surface.vertices * 3: at the step's begin and end
  mus_hold *hold;        // cloth vertices
  unsigned char *pinned; // cloth vertices: 1 where a pin prescribes the motion of this step
  int *held_of;          // cloth vertices: place in `held`, -1
  mus_list near, crossings, pushes, released, impossible; // of this step
  mus_list held;                                          // mus_held
  mus_repulsions between;                                 // cloths, beyond the matrix's pattern
  mus_repulsions against;                                 // bodies, by nodes of one element: in the matrix
  double *body_friction;                                  // bodies
  double friction;                                        // cloth on cloth
  int tangled;                                            // 1: there may be crossings
  int search;                                             // 1: and vertices inside bodies, anywhere
  double length;                                          // s: H of step.c
} mus_contact_room;

// NULL in `out` where the scene wants no contact.
mus_status mus_contact_create(const mus_model *model, mus_contact_room **out);
void mus_contact_free(mus_contact_room *room); // NULL is fine
size_t mus_contact_bytes(mus_contact_room *room);
// Call when positions have changed other than by a step.
void mus_contact_forget(mus_contact_room *room);

// All below take rooms that are not NULL.

// Edges through triangles at a time, into room->crossings; their nodes are in room->x0.
mus_status mus_contact_crossings(const mus_model *model, mus_contact_room *room, const double *position, double time);

// Looks for contacts at `position` and makes holds and couplings of a step from `time` of length h, with H as in step.c
// and `predicted` its X. pinned: as sim->constraint_of.
typedef struct mus_contact_step {
  double time, h, length;
  const double *position, *velocity, *predicted;
  const int *pinned;
} mus_contact_step;
mus_status mus_contact_find(const mus_model *model, mus_contact_room *room, const mus_contact_step *step,
                            mus_step_record *record);

// Adds what contact does at these velocities to the right-hand side, and where `matrix` is given, friction of holds and
// couplings with bodies to it.
void mus_contact_load(const mus_model *model, const mus_contact_room *room, const double *velocity, mus_matrix *matrix,
                      double *right);
// y += C x for the couplings between cloths.
void mus_contact_couple(const mus_contact_room *room, const double *x, double *y);
// The constraint of a held vertex, for d = v' - velocity.
void mus_contact_constraint(const mus_held *held, const double *velocity, mus_constraint *out);

// After the solve: impulse of every held vertex, (A d - b) at its row.
void mus_contact_measure(const mus_model *model, mus_contact_room *room, const mus_matrix *a, const double *change,
                         const double *right);
// Adds the forces of holds and couplings at these velocities, N, to cloth vertices * 3 numbers.
void mus_contact_forces(const mus_contact_room *room, const double *velocity, double *force);
// J that contact has put in: work of holds and couplings over the way to `position`.
double mus_contact_work(const mus_contact_room *room, const double *velocity);

// Makes the end of the step, position and velocity, free of impacts. `changed` becomes 1 where anything moved.
mus_status mus_contact_respond(const mus_model *model, mus_contact_room *room, double *position, double *velocity,
                               mus_step_record *record, int *changed);
// The step is done: what it found about holds is remembered.
void mus_contact_keep(mus_contact_room *room, const double *velocity);

#endif
