// See settle.h.
#include "step/settle.h"

#include <math.h>

#include "base/error.h"
#include "par/vector.h"
#include "step/linearised.h"

// Where so few edges are left that pierce something, every so manyth step smooths what is around them.
enum { FEW = 40, SMOOTH = 8 };
// s: long for what holds cloth together, short for the way that it goes at once. Halved where a step fails.
static const double longest_step = 0.02, shortest_step = 0.001;

static int has_failed(mus_status status) { return status == MUS_BREAKDOWN || status == MUS_NOT_CONVERGED; }

// The settings of a world without weight and air.
static mus_settings weightless(const mus_settings *settings) {
  mus_settings still = *settings;
  still.gravity = still.wind = (mus_vector_setting){.fixed = 1};
  still.air_density = 0;
  return still;
}

mus_status mus_settle(const mus_step_context *c, int most, mus_settled *out) {
  mus_state *state = c->state;
  size_t unknowns = c->work->unknowns;
  *out = (mus_settled){0};
  if (!c->contact || most == 0)
    return MUS_OK;
  double *velocity = mus_alloc(unknowns, sizeof *velocity), h = longest_step;
  if (!velocity)
    return mus_fail_memory();
  mus_copy(unknowns, state->velocity, velocity);
  mus_settings settings = weightless(c->settings);
  mus_step_context still = *c;
  still.settings = &settings;
  mus_status status = MUS_OK;
  int few = 0;
  while (!status) {
    mus_step_record record;
    mus_fill(unknowns, 0, state->velocity);
    status = mus_step_still(&still, h, out->steps < most, few && out->steps % SMOOTH == SMOOTH - 1, &record);
    few = record.tangled < FEW;
    if (out->steps == 0)
      out->crossings = record.tangled;
    out->tangled = state->contact.tangled;
    if (!out->tangled || out->steps == most)
      break;
    out->steps += !status;
    h = status ? h / 2 : fmin(2 * h, longest_step);
    if (has_failed(status) && h > shortest_step)
      status = MUS_OK;
  }
  if (has_failed(status)) { // what has been drawn apart by now is better than nothing
    out->gave_up = 1;
    status = MUS_OK;
  }
  mus_copy(unknowns, velocity, state->velocity);
  mus_free(velocity);
  return status;
}
