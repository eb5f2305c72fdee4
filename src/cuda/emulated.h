// The stages emulated on the host, for tests. See launch.h.
#ifndef MUS_CUDA_EMULATED_H
#define MUS_CUDA_EMULATED_H

#include "cuda/stages.h"

#ifdef __cplusplus
extern "C" {
#endif

const mus_stages *mus_emulated_stages(void);

// From now on: after that many operations (memory that is taken, copies, kernels, waits), all fail, as on a device that
// is lost (MUS_DEVICE_FAILED); or after so many times that memory was taken, there is none left (MUS_OUT_OF_MEMORY).
// MUS_OK: nothing fails. Returns the operations that were counted since the last call.
long long mus_emulated_fail(mus_status status, long long after);

#ifdef __cplusplus
}
#endif

#endif
