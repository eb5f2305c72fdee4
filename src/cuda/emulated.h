// The stages emulated on the host, for tests. See launch.h.
#ifndef MUS_CUDA_EMULATED_H
#define MUS_CUDA_EMULATED_H

#include "cuda/stages.h"

#ifdef __cplusplus
extern "C"
#endif
    const mus_stages *
    mus_emulated_stages(void);

#endif
