// Holds: vertices that lie on a body are kept there by constraints of the linear solve (Baraff and Witkin 1998,
// section 6): along the normal, and along the surface too while they stick. The impulse that a constraint took tells
// the next step whether it pulled (the vertex is let go) or needed more than friction can give (it slides, against a
// friction that is linear in its velocity and as large as Coulomb's at the last one).
//
// A vertex inside a body is led out in the same way, along the push that untangling asks for (collide/untangle.h): a
// constraint brings it out however tight the cloth is.
//
// A vertex that several nodes carry (surface_map.h) is held by a stiff term of the matrix instead: where a surface is
// finer than its nodes, these cannot satisfy one equation per vertex, and the term leaves what is best in their sense.
#ifndef MUS_CONTACT_HOLDS_H
#define MUS_CONTACT_HOLDS_H

#include <math.h>

#include "base/list.h"
#include "collide/contact.h"
#include "contact/contact_model.h"
#include "sparse/shared.h"

// Below this speed along a surface, m/s, friction is linear in it instead of constant.
#define MUS_CREEP 2e-4
// The same in minimised steps, where it has to be told apart from nothing within the accuracy of positions; what creeps
// at the end of one sticks in the next.
#define MUS_RUBBING_CREEP 1e-3
// Part of a missing distance that a step is to bring back, and the speed that this may take, m/s.
#define MUS_RECOVERY 0.2
#define MUS_RECOVERY_SPEED 0.5
// s: the step that these parts are meant for. A step that is minimised does in one what so many of these would have
// done; what is linearised keeps to them at any length.
#define MUS_RECOVERY_STEP 0.002
// The same of pushes out of what is tangled; and how far they go in a step, m, while time stands still.
#define MUS_LEAVING 0.5
#define MUS_LEAVING_SPEED 1.0
#define MUS_LEAVING_STILL 0.02

// m: how far a push goes in this step.
static inline double mus_leaving_way(const mus_contact_motion *motion, const mus_contact *push) {
  return fmin(MUS_LEAVING * -push->distance, motion->still ? MUS_LEAVING_STILL : MUS_LEAVING_SPEED * motion->h);
}

// Part of the gap at which minimised steps leave vertices on bodies: near enough for the next step to find them there.
#define MUS_RESTING 0.9

// Steps of the length above in this one.
static inline double mus_short_steps(const mus_contact_motion *motion) {
  return motion->one_sided ? fmax(motion->h / MUS_RECOVERY_STEP, 1) : 1;
}

// Part of a missing distance that this step is to bring back.
static inline double mus_recovered(const mus_contact_motion *motion) {
  return motion->one_sided ? 1 - pow(1 - MUS_RECOVERY, mus_short_steps(motion)) : MUS_RECOVERY;
}

// Coulomb's friction of at most `limit`, kg m/s, as a potential: its impulse per speed, and the energy. Beyond the
// creeping speed it does not change with the speed, only with the direction.
static inline double mus_rubbing_drag(double limit, double speed) { return limit / fmax(speed, MUS_RUBBING_CREEP); }
static inline double mus_rubbing_energy(double limit, double speed) {
  return limit * (speed < MUS_RUBBING_CREEP ? speed * speed / (2 * MUS_RUBBING_CREEP) : speed - MUS_RUBBING_CREEP / 2);
}

// All friction that is revised, and how much of it has changed where something slides, kg m/s.
typedef struct mus_rubbed {
  double all, changed;
} mus_rubbed;
static inline void mus_rubbed_add(mus_rubbed *rubbed, double before, double now, double speed) {
  rubbed->all += fmax(before, now);
  rubbed->changed += speed > MUS_RUBBING_CREEP ? fabs(now - before) : 0;
}

// Minus the derivative of that friction by velocities, as energy/element.h has squares, for a velocity `across` the
// normal.
void mus_rubbing_square(double limit, const double *normal, const double *across, double *square);

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
  int vertex;
  mus_hold_state state;
  int leaving;        // 1: it is on its way out of the body
  int bounded;        // 1: friction is `limit` at any speed beyond the creeping one, and there is no other drag
  int face;           // of the body; -1 if it is leaving
  double normal[3];   // from the body
  double wanted[3];   // velocity that keeps it there
  double velocity[3]; // of the body's point
  double drag;        // kg: friction per velocity along the surface, as an impulse
  double along[3];  // unit, where it gathers speed: there friction is the impulse `limit`, and drag acts across; else 0
  double limit;     // kg m/s: all that friction can give
  double friction;  // Coulomb's coefficient
  double stiffness; // kg: of the term that holds it; 0: a constraint does
  double impulse[3]; // kg m/s: what the constraint or the term took
} mus_held;

typedef struct mus_holds {
  mus_list held; // mus_held, by ascending vertex
  int *place;    // cloth vertices: place in `held`, -1
} mus_holds;

static inline const mus_held *mus_held_vertices(const mus_holds *holds) { return (const mus_held *)holds->held.items; }

// Which vertices bodies hold in this step, from the contacts that are near and what is remembered (cloth vertices).
mus_status mus_holds_make(const mus_contact_model *contact, const mus_contact_motion *motion, const mus_hold *before,
                          const mus_list *near, const mus_list *pushes, mus_holds *holds);
// Has the vertices that slide keep to the surface where they come to, motion->x1, instead of the plane that they were
// held to. Returns how many had to be brought nearer or farther.
int mus_holds_follow(const mus_contact_model *contact, const mus_contact_motion *motion, mus_holds *holds);
// Where `left` (vertices * 3) is what a minimised step leaves: lets go what is pulled, has slide what friction does not
// hold, and sets friction by what presses. Returns how many of the first two there are; `rubbed` is added to. Then
// mus_holds_arrange().
int mus_holds_revise(const mus_contact_model *contact, const mus_contact_motion *motion, const double *left,
                     const double *velocity, mus_holds *holds, mus_rubbed *rubbed);
// m/s: how far velocities are from what constraints prescribe, the farthest.
double mus_holds_off(const mus_contact_model *contact, const mus_holds *holds, const double *velocity);
// By ascending vertex again.
void mus_holds_arrange(const mus_contact_model *contact, mus_holds *holds);
// The constraint of a vertex that is held by one, for d = v' - velocity.
void mus_hold_constraint(const mus_held *held, const double *velocity, mus_constraint *out);

// From here on velocities, impulses and matrices are those of nodes.

// Adds friction and terms that hold at these velocities to the right-hand side and, unless it is NULL, to the matrix.
void mus_holds_load(const mus_surface_map *map, const mus_holds *holds, const double *velocity, mus_matrix *matrix,
                    double *right);
// J: what those impulses of friction and of terms are minus the gradient of, by velocities.
double mus_holds_energy(const mus_surface_map *map, const mus_holds *holds, const double *velocity);
// Adds what is never below friction and terms that hold to the diagonal.
mus_status mus_holds_lump(const mus_surface_map *map, const mus_holds *holds, mus_shared_blocks *to);
// After the solve: the impulse of every vertex that a constraint holds, (A d - b) at its row, with `coupled` what
// couplings add to A d.
void mus_holds_measure_constraints(mus_holds *holds, const mus_matrix *a, const double *change, const double *right,
                                   const double *coupled);
// The same where b - A d is known (vertices * 3).
void mus_holds_measure_left(mus_holds *holds, const double *left);
// The same of those that terms hold, at the new velocities.
void mus_holds_measure_terms(const mus_surface_map *map, mus_holds *holds, const double *velocity);
// Adds the impulses of constraints and friction at these velocities, kg m/s.
void mus_holds_impulses(const mus_surface_map *map, const mus_holds *holds, const double *velocity, double *impulse);
// `work`, J, plus the work of these impulses over a step that ends with these velocities.
double mus_holds_work(const mus_surface_map *map, const mus_holds *holds, const double *velocity, double work);
// What the next step has to know, for all cloth vertices.
void mus_holds_remember(const mus_surface_map *map, const mus_contact_motion *motion, const mus_holds *holds,
                        const double *velocity, mus_hold *hold);

#endif
