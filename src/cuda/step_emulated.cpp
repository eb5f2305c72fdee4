// The stages of a step on the host, kernel by kernel: for tests, on machines without a device.
#include "cuda/step_emulated.h"

#include "cuda/runtime_host.h"

#include "cuda/ladder_table.h"

extern "C" const mus_step_stages *mus_emulated_step_stages(void) {
  static const mus_step_stages table = MUS_STEP_STAGES_TABLE;
  return &table;
}
