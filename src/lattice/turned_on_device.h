// Cycles for co-rotational elasticity on a GPU: the host finds rotations and residuals. See cuda/turned_stages.h.
#ifndef MUS_LATTICE_TURNED_ON_DEVICE_H
#define MUS_LATTICE_TURNED_ON_DEVICE_H

#include "cuda/device.h"
#include "muslin/solver.h"

struct mus_corotational;
struct mus_lattice;

typedef struct mus_turned_gpu {
  const mus_turned_stages *stages;
  mus_device_turned *turned; // NULL: the host does it
  int may_fail;              // MUS_DEVICE_AUTO: the host goes on where the device fails
  mus_status failed;         // otherwise: how it did
  double transfer_seconds;
} mus_turned_gpu;

// Puts the levels on the device that the lattice has open, if it has.
mus_status mus_turned_open_device(struct mus_lattice *lattice);
void mus_turned_close_device(struct mus_corotational *corotational);

// Takes R, C and c_a of all levels there, and makes the coarsest one's inverse; and one cycle for b of the finest
// level. 0: the host has to do it.
int mus_turned_renew_on_device(struct mus_corotational *corotational);
int mus_turned_cycle_on_device(struct mus_corotational *corotational);

#endif
