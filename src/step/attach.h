// Attachments: springs from points of cloth to places in space, in the linear system of a step.
//
// The energy is stiffness/2 |p - target|^2 with p = sum of w_i x_i (Xian, Tong and Liu 2019, section 4.6), and D its
// damping of p's velocity; where the spring would pull harder than its limit, the target is brought as near as the
// limit asks. All vertices are corners of one triangle, so that the matrix has a place for the blocks.
#ifndef MUS_STEP_ATTACH_H
#define MUS_STEP_ATTACH_H

#include "base/list.h"
#include "step/assemble.h"

// One that is there. Vertices are numbers of the simulation.
typedef struct mus_attached {
  int handle;
  int part; // that it pulls, if that is a solid on a lattice (lattices.h), which nothing below counts; else -1
  mus_attachment spring; // nothing left to default
} mus_attached;

typedef struct mus_attachments {
  mus_list springs; // mus_attached
  int last_handle;  // that was given to one of them
} mus_attachments;

static inline mus_attached *mus_attached_springs(const mus_attachments *attachments) {
  return (mus_attached *)attachments->springs.items;
}

// Adds H f to the right-hand side, with H K v off where the instant drifts, and H D + H^2 K to the matrix where given.
// The instant is the one that was assembled.
void mus_attachments_load(const mus_attachments *attachments, const mus_instant *at, mus_matrix *matrix, double *right);

// Adds what is never below that matrix to the diagonal, for steps of length H.
mus_status mus_attachments_lump(const mus_attachments *attachments, double length, mus_shared_blocks *to);

// J, of the springs at these positions; beyond its limit, a spring's grows with the distance alone.
double mus_attachments_energy(const mus_attachments *attachments, const double *position);
// The same and damping, as a potential of the step, where x' = X + H v' and the instant does not drift:
// mus_attachments_load() adds minus its gradient by v'. A point's velocity is (p(x') - p(X)) / H in any scheme, so
// damping is H D |p(v')|^2 / 2.
double mus_attachments_potential(const mus_attachments *attachments, const mus_instant *at);

// N: the pull on a point that belongs to something of that mass, kg, so soft that a step of length h does not
// overshoot.
void mus_attachment_pull(const mus_attachment *spring, double h, double mass, const double *position,
                         const double *velocity, double force[3]);

#endif
