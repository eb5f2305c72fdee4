// Solves of a lattice on a GPU: the host makes domains and the bottom's factor, the device does all the rest. See
// cuda/lattice_stages.h.
#ifndef MUS_LATTICE_ON_DEVICE_H
#define MUS_LATTICE_ON_DEVICE_H

#include "cuda/device.h"
#include "lattice/lattice.h"

typedef struct mus_lattice_gpu {
  const mus_stages *stages;
  mus_device *device; // NULL: the host does it
  mus_device_facts facts;
  mus_device_lattice *lattice; // the levels there; NULL until they are needed
  int cycles;                  // at most, in a solve
} mus_lattice_gpu;

// Opens the device that the options ask for. With MUS_DEVICE_AUTO, failures leave it to the host.
mus_status mus_lattice_open_device(mus_lattice *lattice);
void mus_lattice_close_device(mus_lattice *lattice);
// What is wrong with the device, as an error here.
mus_status mus_lattice_fail_there(mus_status status, const mus_stage_failure *failure);
// A level's shape, as the device knows it, without cells at boundaries. What it points to is the domain's or the
// arena's.
mus_status mus_lattice_describe_shape(mus_arena *arena, const mus_lattice_domain *domain, mus_stage_lattice_level *out);
// Whether the environment asks for kernels one by one.
int mus_lattice_is_plain(void);

// As mus_lattice_solve(), once the right-hand sides are there. With MUS_DEVICE_AUTO, a failure of the device's closes
// it and leaves displacements as they were: `done` is 0 then.
mus_status mus_lattice_solve_on_device(mus_lattice *lattice, double tolerance, int cycles, mus_lattice_record *record,
                                       int *done);

#endif
