// See prescribe.h.
#include "step/prescribe.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/motion.h"

mus_status mus_prescribed_create(mus_arena *arena, const mus_model *model, mus_prescribed *out) {
  int held = 0;
  for (int p = 0; p < model->pin_count; ++p)
    held += model->pins[p].count;
  *out = (mus_prescribed){.list = malloc(((size_t)held + 1) * sizeof *out->list), .capacity = held};
  out->pinned = mus_arena_alloc(arena, (size_t)model->vertices, sizeof *out->pinned);
  return out->list && out->pinned ? MUS_OK : mus_fail_memory();
}

void mus_prescribed_free(mus_prescribed *prescribed) { free(prescribed->list); }

// d = (target - X) / H - v. The last pin that names a vertex counts.
void mus_prescribe_pins(const mus_model *model, const mus_scheme *s, const double *predicted, const double *velocity,
                        mus_prescribed *prescribed) {
  int count = 0;
  for (int i = 0; i < model->vertices; ++i)
    prescribed->pinned[i] = -1;
  for (int p = 0; p < model->pin_count; ++p) {
    const mus_model_pin *pin = &model->pins[p];
    if (!mus_pin_holds(pin->source, s->time))
      continue;
    for (int k = 0; k < pin->count; ++k) {
      int i = pin->vertex[k];
      if (prescribed->pinned[i] < 0)
        prescribed->pinned[i] = count++;
      mus_constraint *c = &prescribed->list[prescribed->pinned[i]];
      *c = (mus_constraint){.node = i, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
      double target[3];
      mus_pin_target(pin->source, s->time, model->start + 3 * (size_t)i, target);
      for (int a = 0; a < 3; ++a) {
        size_t at = 3 * (size_t)i + (size_t)a;
        c->value[a] = (target[a] - predicted[at]) / s->length - velocity[at];
      }
    }
  }
  prescribed->count = prescribed->pins = count;
}

mus_status mus_prescribe_contacts(const mus_contact_workspace *contact, const double *velocity,
                                  mus_prescribed *prescribed) {
  int more = mus_contact_constraints(contact), needed = prescribed->count + more;
  if (needed > prescribed->capacity) {
    mus_constraint *larger = realloc(prescribed->list, (size_t)needed * 2 * sizeof *larger);
    if (!larger)
      return mus_fail_memory();
    prescribed->list = larger;
    prescribed->capacity = needed * 2;
  }
  for (int k = 0; k < more; ++k)
    mus_contact_constraint(contact, k, velocity, &prescribed->list[prescribed->count + k]);
  prescribed->count += more;
  return MUS_OK;
}

void mus_prescribe_rest(mus_prescribed *prescribed) {
  for (int k = 0; k < prescribed->count; ++k)
    memset(prescribed->list[k].value, 0, sizeof prescribed->list[k].value);
}

void mus_prescribed_clear(const mus_prescribed *prescribed, double *value) {
  for (int k = 0; k < prescribed->count; ++k) {
    const mus_constraint *c = &prescribed->list[k];
    double *at = value + 3 * (size_t)c->node;
    for (int d = 0; d < c->count; ++d) // unit vectors at right angles
      mus_add_scaled3(-mus_dot3(c->direction[d], at), c->direction[d], at);
  }
}
