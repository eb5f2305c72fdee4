// The stages on the host, kernel by kernel, over a loop of blocks and threads: for tests, on machines without a device.
#include "cuda/emulated.h"

#include "cuda/runtime_host.h"
#include "cuda/table.h"

static mus_status open_host(mus_device **device, mus_stage_failure *failure) {
  if (mus_planned.is_due(false))
    return mus_refuse(failure, MUS_DEVICE_FAILED, "the device cannot be opened: it is lost");
  *device = new (std::nothrow) mus_device{};
  return *device ? MUS_OK : mus_no_memory(failure);
}

static void close_host(mus_device *device) { delete device; }

static void describe_host(const mus_device *, mus_device_facts *facts) {
  *facts = mus_device_facts{};
  snprintf(facts->name, sizeof facts->name, "emulated");
}

extern "C" long long mus_emulated_fail(mus_status status, long long after) {
  long long seen = mus_planned.seen;
  mus_planned = mus_planned_failure{};
  mus_planned.status = status;
  mus_planned.after = after;
  return seen;
}

extern "C" const mus_stages *mus_emulated_stages(void) {
  static const mus_stages table = MUS_STAGES_TABLE(open_host, close_host, describe_host);
  return &table;
}
