// Finding the stages of Projective Dynamics at run time, as device.h does with those of the solver.
#ifndef MUS_CUDA_PROJECTIVE_DEVICE_H
#define MUS_CUDA_PROJECTIVE_DEVICE_H

#include "cuda/projective_stages.h"

// MUS_UNSUPPORTED, with what is missing, where there is none of this version.
mus_status mus_device_projective_stages(const mus_projective_stages **stages);
// The table to use from now on in place of what would be found, for tests; NULL: it is looked for again.
void mus_device_projective_use(const mus_projective_stages *stages);

#endif
