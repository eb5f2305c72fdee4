// See integrator.h.
#include "step/integrator.h"

#include "base/error.h"

static const mus_integration *const integrations[MUS_INTEGRATORS] = {[MUS_INTEGRATOR_EULER] = &mus_integration_euler,
                                                                     [MUS_INTEGRATOR_BDF2] = &mus_integration_bdf2,
                                                                     [MUS_INTEGRATOR_NEWTON] = &mus_integration_newton};

mus_status mus_integrator_create(mus_integrator integrator, const mus_model *model, mus_integrator_state *out) {
  mus_integrator_state made = {0};
  if ((int)integrator < 0 || integrator >= MUS_INTEGRATORS)
    return mus_fail(MUS_BAD_INPUT, "there is no integrator of number %d", (int)integrator);
  made.way = integrations[integrator];
  mus_status status = made.way->create ? made.way->create(model, &made.own) : MUS_OK;
  if (!status)
    *out = made;
  return status;
}

void mus_integrator_free(mus_integrator_state *integrator) {
  if (integrator->own)
    integrator->way->free(integrator->own);
}

size_t mus_integrator_bytes(const mus_integrator_state *integrator) {
  return integrator->own ? integrator->way->bytes(integrator->own) : 0;
}
