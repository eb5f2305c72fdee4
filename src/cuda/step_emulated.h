// The stages of steps emulated on the host, for tests. See launch.h.
#ifndef MUS_CUDA_STEP_EMULATED_H
#define MUS_CUDA_STEP_EMULATED_H

#include "cuda/projective_stages.h"

#ifdef __cplusplus
extern "C" {
#endif

const mus_step_stages *mus_emulated_step_stages(void);
const mus_projective_stages *mus_emulated_projective_stages(void);

#ifdef __cplusplus
}
#endif
#endif
