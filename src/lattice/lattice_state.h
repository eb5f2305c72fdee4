// What a mus_lattice is made of; for the files of this folder that make and solve it.
#ifndef MUS_LATTICE_LATTICE_STATE_H
#define MUS_LATTICE_LATTICE_STATE_H

#include "base/list.h"
#include "lattice/cycle.h"
#include "lattice/directions.h"
#include "lattice/lattice.h"
#include "lattice/on_device.h"

struct mus_corotational; // corotational.c

struct mus_lattice {
  mus_arena arena;
  mus_lattice_domain *domain;
  int levels;
  double spacing, shear; // m, Pa (the modulus mu)
  double inertia;        // kg/(m^3 s^2)
  double weight;         // of the cells' equations in norms
  mus_lattice_options options;
  mus_lattice_level finest; // what is solved
  double *force[3];
  mus_lattice_cycle in_double; // its finest level has x, b and r of its own: corrections, residuals
  mus_lattice_cycle_f in_single;
  mus_lattice_directions directions;
  struct mus_corotational *corotational; // NULL until it is needed
  double *residuals;
  int residuals_size;
  mus_lattice_gpu gpu;
};

// The right-hand sides of the finest level from the forces.
void mus_lattice_load(mus_lattice *lattice);

// Room for the residuals of so many cycles, and the mean factor of those in their second half.
mus_status mus_lattice_make_history(mus_lattice *lattice, int cycles);
double mus_lattice_late_rate(const double *residuals, int cycles);

#endif
