#include "lattice/turned_on_device.h"

#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "lattice/corotational.h"

_Static_assert((int)MUS_STAGE_TURNED_GROUPS == (int)MUS_TURNED_GROUPS, "groups of cells are the device's");

static mus_status describe(mus_arena *arena, const mus_corotational *c, mus_stage_turned *out) {
  *out = (mus_stage_turned){.levels = c->levels,
                            .visits = c->visits,
                            .compressibility = c->level[0].level.compressibility,
                            .plain = mus_lattice_is_plain(),
                            .unknowns = c->unknowns,
                            .cell = c->cell,
                            .axis = c->axis};
  if (c->levels > MUS_LATTICE_STAGES_LEVELS)
    return mus_fail(MUS_UNSUPPORTED, "lattice: %d levels do not run on a GPU: use the device \"cpu\"", c->levels);
  mus_status status = MUS_OK;
  for (int k = 0; k < c->levels && !status; ++k) {
    const mus_turned_level *t = &c->level[k];
    status = mus_lattice_describe_shape(arena, t->level.domain, &out->level[k]);
    out->turned[k] = (mus_stage_turned_level){t->samples, t->weights, t->start, t->cell};
  }
  return status;
}

static mus_status put_there(mus_lattice *lattice, mus_turned_gpu *gpu) {
  mus_arena arena = {0};
  mus_stage_turned description;
  mus_stage_failure failure = {""};
  mus_status status = describe(&arena, lattice->corotational, &description);
  if (!status) {
    status = gpu->stages->create(lattice->gpu.device, &description, &gpu->turned, &failure);
    status = status ? mus_lattice_fail_there(status, &failure) : MUS_OK;
  }
  mus_arena_clear(&arena);
  return status;
}

mus_status mus_turned_open_device(mus_lattice *lattice) {
  mus_turned_gpu *gpu = &lattice->corotational->gpu;
  if (!lattice->gpu.device)
    return MUS_OK;
  *gpu =
      (mus_turned_gpu){.stages = lattice->gpu.stages->turned, .may_fail = lattice->options.device == MUS_DEVICE_AUTO};
  mus_status status = put_there(lattice, gpu);
  return gpu->may_fail ? MUS_OK : status;
}

void mus_turned_close_device(mus_corotational *c) {
  if (c->gpu.turned)
    c->gpu.stages->free(c->gpu.turned);
  c->gpu.turned = NULL;
}

// Whether the device did it, or has failed for good.
static int conclude(mus_corotational *c, mus_status status, const mus_stage_failure *failure) {
  if (!status)
    return 1;
  if (c->gpu.may_fail)
    mus_turned_close_device(c);
  else
    c->gpu.failed = mus_lattice_fail_there(status, failure);
  return !c->gpu.may_fail;
}

int mus_turned_renew_on_device(mus_corotational *c) {
  mus_stage_turned_numbers numbers[MUS_LATTICE_STAGES_LEVELS];
  mus_stage_failure failure = {""};
  double begin = mus_seconds();
  if (!c->gpu.turned)
    return 0;
  for (int k = 0; k < c->levels; ++k)
    numbers[k] = (mus_stage_turned_numbers){c->level[k].rotation[0], c->level[k].inverse[0]};
  int done = conclude(c, c->gpu.stages->renew(c->gpu.turned, numbers, c->turns, &failure), &failure);
  c->gpu.transfer_seconds += mus_seconds() - begin;
  return done;
}

int mus_turned_cycle_on_device(mus_corotational *c) {
  const mus_lattice_level *l = &c->level[0].level;
  mus_stage_failure failure = {""};
  double begin = mus_seconds(), seconds = 0;
  if (!c->gpu.turned)
    return 0;
  int done = conclude(c, c->gpu.stages->cycle(c->gpu.turned, l->b[0], l->x[0], &seconds, &failure), &failure);
  c->gpu.transfer_seconds += mus_seconds() - begin - seconds;
  return done;
}
