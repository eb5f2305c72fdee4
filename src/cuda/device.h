// Finding the library with the device's stages at run time, so that one program serves machines with and without one.
//
// Looked for, in this order: the file that the environment variable MUSLIN_CUDA_LIBRARY names, which then is the only
// one; libmuslin-cuda.so beside the program; ../lib/libmuslin-cuda.so from there; and where the system keeps libraries.
#ifndef MUS_CUDA_DEVICE_H
#define MUS_CUDA_DEVICE_H

#include "cuda/stages.h"

// MUS_UNSUPPORTED, with what is missing, where there is none of this version. A library that was found is kept.
mus_status mus_device_stages(const mus_stages **stages);
// The table to use from now on in place of what would be found, for tests; NULL: it is looked for again.
void mus_device_use(const mus_stages *stages);
// A function of that library by its name, for other tables than that of the solver. MUS_UNSUPPORTED as above.
mus_status mus_device_symbol(const char *name, const void **symbol);

#endif
