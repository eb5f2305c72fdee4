// See step_device.h.
#include "cuda/step_device.h"

#include <stdatomic.h>
#include <string.h>

#include "cuda/device.h"

static _Atomic(const mus_step_stages *) kept;

void mus_device_step_use(const mus_step_stages *stages) { atomic_store(&kept, stages); }

mus_status mus_device_step_stages(const mus_step_stages **stages) {
  typedef const mus_step_stages *give(void);
  *stages = atomic_load(&kept);
  if (*stages)
    return MUS_OK;
  const void *found;
  give *symbol;
  mus_status status = mus_device_symbol(MUS_STEP_STAGES_SYMBOL, &found);
  if (status)
    return status;
  memcpy(&symbol, &found, sizeof symbol);
  *stages = symbol();
  atomic_store(&kept, *stages);
  return MUS_OK;
}
