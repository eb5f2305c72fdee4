// See projective_device.h.
#include "cuda/projective_device.h"

#include <stdatomic.h>
#include <string.h>

#include "cuda/device.h"

static _Atomic(const mus_projective_stages *) kept;

void mus_device_projective_use(const mus_projective_stages *stages) { atomic_store(&kept, stages); }

mus_status mus_device_projective_stages(const mus_projective_stages **stages) {
  typedef const mus_projective_stages *give(void);
  *stages = atomic_load(&kept);
  if (*stages)
    return MUS_OK;
  const void *found;
  give *symbol;
  mus_status status = mus_device_symbol(MUS_PROJECTIVE_STAGES_SYMBOL, &found);
  if (status)
    return status;
  memcpy(&symbol, &found, sizeof symbol);
  *stages = symbol();
  atomic_store(&kept, *stages);
  return MUS_OK;
}
