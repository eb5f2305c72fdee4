// Repulsions: cloth near cloth, and edges and faces near bodies, push each other apart inside the linear solve, by a
// term that asks for a velocity apart with which the thickness comes back in a few steps, as stiff as some masses.
#ifndef MUS_CONTACT_REPULSIONS_H
#define MUS_CONTACT_REPULSIONS_H

#include "contact/holds.h"

// Part of the thickness that is kept free of impacts.
#define MUS_SEPARATION 0.25

// What a coupling does to velocities. One that is one-sided pushes only, and its friction is Coulomb's of at most
// `limit`; its block is that of where it was last linearised.
typedef struct mus_repulsion {
  double normal[3];
  double apart;         // m/s: wanted along the normal
  double moving[3];     // m/s: the bodies' share of the relative velocity
  double along, across; // kg: stiffness of the term along the normal, and of friction across unless it is one-sided
  int first;            // of its nodes, in the list of those
  int one_sided;
  double friction, limit; // Coulomb's coefficient; kg m/s
  double most;            // kg m/s: that presses as far as friction goes; stiff terms say little about so small a force
} mus_repulsion;

// Couplings are of nodes, whatever carries the surface.
typedef struct mus_repulsions {
  mus_list couplings;      // mus_coupling
  mus_list effects;        // mus_repulsion, one per coupling
  mus_list nodes, weights; // int, double: those of all couplings, one after the other
} mus_repulsions;

// Those of the contacts that are near, and of the pushes that draw tangles apart: `within` the matrix's pattern, as of
// cloth with bodies, where all nodes belong to one element, and `beyond` it, as between cloths.
mus_status mus_repulsions_make(const mus_contact_model *contact, const mus_contact_motion *motion,
                               const mus_holds *holds, const mus_list *near, const mus_list *pushes,
                               mus_repulsions *beyond, mus_repulsions *within);
// Adds one for a contact that happens on the way of a minimised step: the two are to be their gap apart at its end,
// along the normal at which they meet. Then mus_repulsions_arrange().
mus_status mus_repulsions_take(const mus_contact_model *contact, const mus_contact_motion *motion, const mus_contact *c,
                               mus_repulsions *beyond, mus_repulsions *within);
void mus_repulsions_arrange(mus_repulsions *list);
// m: how far apart a pair rests.
double mus_repulsion_gap(const mus_surface *surface, const mus_contact *c);
// Whether holds do what a contact with a body asks for.
int mus_repulsion_is_held(const mus_contact_model *contact, const mus_holds *holds, const mus_contact *c);
// Sets the friction of those that are one-sided by what presses at these velocities.
mus_rubbed mus_repulsions_revise(mus_repulsions *list, const double *velocity);
// Makes the blocks of those that are one-sided never below the derivative at these velocities.
void mus_repulsions_linearise(const mus_repulsions *list, const double *velocity);
// Adds the impulses at these velocities to the right-hand side.
void mus_repulsions_load(const mus_repulsions *list, const double *velocity, double *right);
// J: what the impulses are minus the gradient of, by velocities.
double mus_repulsions_energy(const mus_repulsions *list, const double *velocity);
// Adds the couplings to a matrix that has their blocks.
void mus_repulsions_add(const mus_repulsions *list, mus_matrix *matrix);
// Adds what is never below them on the diagonal.
mus_status mus_repulsions_lump(const mus_repulsions *list, mus_shared_blocks *to);
// y += C x
void mus_repulsions_multiply_add(const mus_repulsions *list, const double *x, double *y);
// Adds what those that are one-sided and concern a single node press it with, as far as friction goes, kg m/s (nodes).
void mus_repulsions_press(const mus_repulsions *list, const double *velocity, double *pressed);
// J: the work of the impulses over a step that ends with these velocities.
double mus_repulsions_work(const mus_repulsions *list, const double *velocity);

#endif
