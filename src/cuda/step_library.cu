// The stages of a step in libmuslin-cuda.so. See step_stages.h.
#include "cuda/runtime_cuda.h"

#include "cuda/ladder_table.h"

extern "C" __attribute__((visibility("default"))) const mus_step_stages *mus_cuda_step_stages_2(void) {
  static const mus_step_stages table = MUS_STEP_STAGES_TABLE;
  return &table;
}
