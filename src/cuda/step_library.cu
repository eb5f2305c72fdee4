// The stages of steps in libmuslin-cuda.so. See step_stages.h and projective_stages.h.
#include "cuda/projective_table.h"
#include "cuda/runtime_cuda.h"

#include "cuda/ladder_table.h"

extern "C" __attribute__((visibility("default"))) const mus_step_stages *mus_cuda_step_stages_3(void) {
  static const mus_step_stages table = MUS_STEP_STAGES_TABLE;
  return &table;
}

extern "C" __attribute__((visibility("default"))) const mus_projective_stages *mus_cuda_projective_stages_2(void) {
  static const mus_projective_stages table = MUS_PROJECTIVE_STAGES_TABLE;
  return &table;
}
