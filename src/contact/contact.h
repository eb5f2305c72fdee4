// Contact inside a step.
//
// Three answers, in the order in which a step asks for them:
//
//   holds       a vertex that lies on a body is held there by constraints of the linear solve (holds.h);
//   repulsions  cloth near cloth, and edges and faces near bodies, push each other apart inside the same solve
//               (repulsions.h);
//   response    what would pass through something all the same is stopped after the solve (collide/response.h).
//
// Cloth that is tangled, because it starts so or a body made it so, is pushed apart by repulsions, and what it is
// tangled with is left out of the response until it is free (collide/untangle.h).
#ifndef MUS_CONTACT_CONTACT_H
#define MUS_CONTACT_CONTACT_H

#include "collide/detector.h"
#include "collide/response.h"
#include "collide/untangle.h"
#include "contact/holds.h"
#include "contact/repulsions.h"
#include "muslin/sim.h"

// What contact remembers from step to step. Checkpoints hold `hold`; after one, the rest starts anew.
typedef struct mus_contact_state {
  int vertices;   // of cloth on the surface
  mus_hold *hold; // vertices
  int tangled;    // 1: there may be crossings
  int search;     // 1: and vertices inside bodies, anywhere
} mus_contact_state;

// Nothing is held; anything may be tangled. The memory comes from the arena.
mus_status mus_contact_state_create(mus_arena *arena, int vertices, mus_contact_state *out);
// Both are made for as many vertices.
void mus_contact_state_copy(const mus_contact_state *from, mus_contact_state *to);
// Call when positions have changed other than by a step.
void mus_contact_state_forget(mus_contact_state *state);

// What only an embedded surface needs; all NULL for cloth.
typedef struct mus_embedded_workspace {
  double *velocity, *predicted; // vertices * 3: of the surface, see mus_contact_motion
  double *proposed;             // vertices * 3: where the step would take the surface
  double *start, *end, *push;   // nodes * 3: at the step's beginning and end, and how far they are pushed
  unsigned char *stopped;       // nodes, then vertices: 1 if they stay where they were
} mus_embedded_workspace;

// A pair that has met on the way of a step, and how often terms were made for it.
typedef struct mus_met {
  mus_pair_kind kind;
  int first, second; // see mus_contact
  int times;
} mus_met;

// A pair that would meet, and what of cloth it belongs to: where a body is finer than cloth, one triangle meets many of
// its vertices at once.
typedef struct mus_offence {
  int alone;   // 0: with a body; else 1 + `place`, so that no two pairs of cloth with cloth are alike
  int kind;    // 0: a vertex, 1: an edge, 2: a triangle of cloth
  int feature; // its number
  int place;   // of the contact among the impacts
  double end;  // m: how far apart the two end, along the normal at which they meet
} mus_offence;

// What a step works with; nothing in it matters to the next one.
typedef struct mus_contact_workspace {
  mus_arena arena;
  mus_contact_model model;
  mus_detector *detector;
  mus_untangler *untangler;
  mus_contact_motion motion;
  mus_list near, pushes, impossible; // mus_contact
  int closed;                        // of those impossible: where bodies have closed on cloth (collide/response.h)
  mus_list crossings, released;      // mus_crossing
  mus_holds holds;
  mus_repulsions beyond, within; // the matrix's pattern
  mus_embedded_workspace embedded;
  mus_list impacts, offences, met; // mus_contact, mus_offence, mus_met: on the way of a minimised step, see more.c
  double *looked;                  // cloth vertices * 3: where each was when it was last looked at
  unsigned char *moved;            // vertices: 1 where it has moved since
  unsigned char *kept;             // cloth vertices: 1 where this look keeps it off a body
  double *pressed;                 // nodes, kg m/s: what one-sided terms press vertices of cloth with at the end
  int revisions;                   // in this step: at minima
  int looks;                       // in this step
  const mus_list *joined;          // mus_tie_row: ties that the end of the step keeps if it can; NULL: none
  const mus_more_cuts *more;       // what else it keeps if it can; NULL: nothing
} mus_contact_workspace;

// embedded: NULL if cloths are their own surface. NULL in `out` if the scene wants no contact.
mus_status mus_contact_create(const mus_model *model, const mus_embedded_surface *embedded,
                              mus_contact_workspace **out);
void mus_contact_free(mus_contact_workspace *work); // NULL is fine
size_t mus_contact_bytes(mus_contact_workspace *work);

// All below take a workspace that is not NULL. Positions, velocities, forces and matrices are those of nodes.

// Edges through triangles at a time, into work->crossings; their nodes are in work->motion.x0.
mus_status mus_contact_crossings(mus_contact_workspace *work, const double *position, double time);

// Looks for contacts at `position` and makes holds and repulsions of a step from `time` of length h, with H as in
// step/scheme.h and `predicted` its X.
typedef struct mus_contact_step {
  double time, h, length;
  const double *position, *velocity, *predicted;
  const int *pinned;    // 0 or more if a pin prescribes the motion, else -1
  const mus_ties *ties; // nodes that follow others; NULL: none
  const double *end;    // vertices * 3: where the surfaces of solids on lattices end; NULL where there are none
  int still;            // 1: bodies stay as they are at `time`, and nothing rubs
  // 1: the step is minimised. Repulsions push only, friction is bounded by Coulomb's, and both are as much as a step of
  // that length needs; mus_contact_find_more() adds what is met on the way.
  int one_sided;
} mus_contact_step;
mus_status mus_contact_find(const mus_contact_step *step, mus_contact_state *state, mus_contact_workspace *work,
                            mus_step_record *record);

// What the minimisation of a step has come to.
typedef struct mus_contact_iterate {
  const double *position, *velocity; // x' and v' of step/scheme.h
  const double *left; // r(v') of step/objective.h, at the minimum with contacts as they are; NULL: it is not there yet
} mus_contact_iterate;

// Looks again, in a step that mus_contact_find() began as one_sided: at what is met between its start and the iterate.
// Pairs that meet get a term that keeps them apart. Vertices that slide are held to where the surface is now. At the
// minimum, what bodies would have to pull is let go, a few times at most, and
// friction follows what presses. Costs little where nothing has moved far since the last look.
//
// `changed` becomes 1 if anything did: there is another energy then, and there may be other constraints
// (mus_prescribe_contacts_again()), which the iterate has to do first. `off` is how far it is from doing so, m, and new
// pairs from being apart; INFINITY if something was let go, or rubs otherwise than before.
mus_status mus_contact_find_more(mus_contact_workspace *work, const mus_contact_iterate *at, mus_step_record *record,
                                 int *changed, double *off);

// Adds what contact does at these velocities to the right-hand side and, unless it is NULL, to the matrix; what lies
// beyond its pattern goes to the solver as couplings.
void mus_contact_load(const mus_contact_workspace *work, const double *velocity, mus_matrix *matrix, double *right);
// J: what mus_contact_load() adds to the right-hand side is minus its gradient by velocities. What constraints hold has
// no part in it.
double mus_contact_energy(const mus_contact_workspace *work, const double *velocity);
// For matrices whose coordinates share all but their diagonal (sparse/shared.h): adds what is never below contact's
// part of the matrix.
mus_status mus_contact_lump(const mus_contact_workspace *work, mus_shared_blocks *to);
// The constraints of the linear solve: how many, and the k-th of them, for d = v' - velocity.
int mus_contact_constraints(const mus_contact_workspace *work);
void mus_contact_constraint(const mus_contact_workspace *work, int k, const double *velocity, mus_constraint *out);
// y += C x for the couplings beyond the matrix's pattern.
void mus_contact_couple(const mus_contact_workspace *work, const double *x, double *y);

// After the solve, with its new velocity: what held vertices took.
void mus_contact_measure(mus_contact_workspace *work, const mus_matrix *a, const double *change, const double *velocity,
                         const double *right);
// The same where b - A d is known (vertices * 3), couplings included.
void mus_contact_measure_left(mus_contact_workspace *work, const double *left, const double *velocity);
// Adds the forces of holds and repulsions at these velocities, N.
void mus_contact_forces(const mus_contact_workspace *work, const double *velocity, double *force);
// J that contact has put in: work of holds and repulsions over a step that ends with these velocities.
double mus_contact_work(const mus_contact_workspace *work, const double *velocity);

// m/s: of the fastest vertex of a body in the step.
double mus_contact_body_speed(const mus_contact_workspace *work);

// Draws the vertices of all that was tangled when the step began to the middle of those around them: the last resort
// for triangles that are all but lines, which nothing else moves.
void mus_contact_smooth(const mus_contact_workspace *work, double *position);

// Makes the end of the step, position and velocity, free of impacts. `changed` becomes 1 if anything moved.
mus_status mus_contact_respond(mus_contact_state *state, mus_contact_workspace *work, double *position,
                               double *velocity, mus_step_record *record, int *changed);
// The step is done: what it found about holds is remembered.
void mus_contact_keep(const mus_contact_workspace *work, const double *velocity, mus_contact_state *state);

#endif
