// The stages of steps on the host, kernel by kernel: for tests, on machines without a device.
#include "cuda/step_emulated.h"

#include "cuda/projective_table.h"
#include "cuda/runtime_host.h"

#include "cuda/ladder_table.h"

extern "C" const mus_step_stages *mus_emulated_step_stages(void) {
  static const mus_step_stages table = MUS_STEP_STAGES_TABLE;
  return &table;
}

extern "C" const mus_projective_stages *mus_emulated_projective_stages(void) {
  static const mus_projective_stages table = MUS_PROJECTIVE_STAGES_TABLE;
  return &table;
}
