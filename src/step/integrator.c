// See integrator.h.
#include "step/integrator.h"

#include "base/error.h"

static const mus_integrator_kind *const kinds[MUS_INTEGRATORS] = {[MUS_INTEGRATOR_EULER] = &mus_integrator_euler,
                                                                  [MUS_INTEGRATOR_BDF2] = &mus_integrator_bdf2,
                                                                  [MUS_INTEGRATOR_NEWTON] = &mus_integrator_newton,
                                                                  [MUS_INTEGRATOR_MINIMISE] = &mus_integrator_minimise,
                                                                  [MUS_INTEGRATOR_PROJECTIVE] =
                                                                      &mus_integrator_projective};

mus_status mus_integrator_create(mus_integrator integrator, const mus_model *model, mus_integrator_state *out) {
  mus_integrator_state made = {0};
  if ((int)integrator < 0 || integrator >= MUS_INTEGRATORS)
    return mus_fail(MUS_BAD_INPUT, "there is no integrator of number %d", (int)integrator);
  made.kind = kinds[integrator];
  mus_status status = made.kind->create ? made.kind->create(model, &made.own) : MUS_OK;
  if (!status)
    *out = made;
  return status;
}

void mus_integrator_free(mus_integrator_state *integrator) {
  if (integrator->own)
    integrator->kind->free(integrator->own);
}

size_t mus_integrator_bytes(const mus_integrator_state *integrator) {
  return integrator->own ? integrator->kind->bytes(integrator->own) : 0;
}
