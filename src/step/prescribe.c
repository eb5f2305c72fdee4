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
  for (int k = 0; k < model->part_count; ++k)
    held += model->parts[k].lattice ? model->parts[k].shape.mesh.vertices : 0;
  *out = (mus_prescribed){.list = malloc(((size_t)held + 1) * sizeof *out->list), .capacity = held};
  out->pinned = mus_arena_alloc(arena, (size_t)model->vertices, sizeof *out->pinned);
  out->soft = mus_arena_alloc(arena, (size_t)held, sizeof *out->soft);
  for (int k = 0; k < 2 && model->bond_count > 0; ++k)
    if (!(out->body[k] = mus_arena_alloc(arena, 3 * (size_t)mus_bodies_vertices(model->bodies), sizeof(double))))
      return mus_fail_memory();
  return out->list && out->pinned && out->soft ? MUS_OK : mus_fail_memory();
}

void mus_prescribed_free(mus_prescribed *prescribed) { free(prescribed->list); }

// --- pins ------------------------------------------------------------------------------------------------------------

// Where bodies are, if vertices are bound to any now.
static mus_status place_bodies(const mus_model *model, const mus_scheme *s, mus_prescribed *prescribed) {
  int bound = 0;
  for (int p = 0; p < model->pin_count; ++p)
    bound |= model->pins[p].body >= 0 && mus_pin_holds(model->pins[p].source, s->time);
  mus_status status = bound ? mus_bodies_at(model->bodies, s->time - s->h, prescribed->body[0]) : MUS_OK;
  return status || !bound ? status : mus_bodies_at(model->bodies, s->time, prescribed->body[1]);
}

// Binds those of a pin's vertices that are not bound yet.
static void bind(const mus_model *model, const mus_model_pin *pin, const double *body, mus_state *state) {
  for (int k = 0; k < pin->count && pin->body >= 0; ++k) {
    mus_bond *bond = &state->bonds[pin->first_bond + k];
    if (!bond->made)
      mus_bond_make(mus_bodies_triangle_list(model->bodies), mus_bodies_first_triangle(model->bodies, pin->body),
                    mus_bodies_first_triangle(model->bodies, pin->body + 1), body,
                    state->position + 3 * (size_t)pin->vertex[k], bond);
  }
}

// Where a pin has its k-th vertex at the beginning (0) or the end (1) of the step.
static void find_target(const mus_model *model, const mus_model_pin *pin, int k, const mus_scheme *s, int end,
                        const mus_state *state, const mus_prescribed *prescribed, double target[3]) {
  if (pin->body >= 0)
    mus_bond_place(&state->bonds[pin->first_bond + k], mus_bodies_triangle_list(model->bodies), prescribed->body[end],
                   target);
  else
    mus_pin_target(pin->source, end ? s->time : s->time - s->h, model->start + 3 * (size_t)pin->vertex[k], target);
}

static void add_soft(const mus_model *model, const mus_model_pin *pin, int k, const mus_scheme *s,
                     const mus_state *state, mus_prescribed *prescribed) {
  mus_soft_pin *soft = &prescribed->soft[prescribed->soft_count++];
  double before[3];
  *soft = (mus_soft_pin){
      .vertex = pin->vertex[k], .stiffness = pin->stiffness[k], .damping = pin->stiffness[k] * pin->source->damping};
  find_target(model, pin, k, s, 0, state, prescribed, before);
  find_target(model, pin, k, s, 1, state, prescribed, soft->target);
  mus_subtract3(soft->target, before, soft->velocity);
  mus_scale3(1 / s->h, soft->velocity, soft->velocity);
}

// d = (target - X) / H - v. The last that holds a vertex counts.
static void hold(int i, const double target[3], const mus_scheme *s, const double *predicted, const mus_state *state,
                 mus_prescribed *prescribed) {
  if (prescribed->pinned[i] < 0)
    prescribed->pinned[i] = prescribed->count++;
  mus_constraint *c = &prescribed->list[prescribed->pinned[i]];
  *c = (mus_constraint){.node = i, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int a = 0; a < 3; ++a) {
    size_t at = 3 * (size_t)i + (size_t)a;
    c->value[a] = (target[a] - predicted[at]) / s->length - state->velocity[at];
  }
}

static void add_hard(const mus_model *model, const mus_model_pin *pin, int k, const mus_scheme *s,
                     const double *predicted, const mus_state *state, mus_prescribed *prescribed) {
  double target[3];
  find_target(model, pin, k, s, 1, state, prescribed, target);
  hold(pin->vertex[k], target, s, predicted, state, prescribed);
}

mus_status mus_prescribe_pins(const mus_model *model, const mus_scheme *s, const double *predicted, const double *end,
                              mus_state *state, mus_prescribed *prescribed) {
  prescribed->count = prescribed->soft_count = 0;
  for (int i = 0; i < model->vertices; ++i)
    prescribed->pinned[i] = -1;
  mus_status status = place_bodies(model, s, prescribed);
  for (int p = 0; p < model->pin_count && !status; ++p) {
    const mus_model_pin *pin = &model->pins[p];
    if (!mus_pin_holds(pin->source, s->time))
      continue;
    bind(model, pin, prescribed->body[0], state);
    for (int k = 0; k < pin->count; ++k)
      if (pin->stiffness[k] > 0)
        add_soft(model, pin, k, s, state, prescribed);
      else
        add_hard(model, pin, k, s, predicted, state, prescribed);
  }
  for (int k = 0; k < model->part_count && end; ++k)
    for (int i = 0; i < model->parts[k].shape.mesh.vertices && model->parts[k].lattice; ++i) {
      int vertex = model->parts[k].first_vertex + i;
      hold(vertex, end + 3 * (size_t)vertex, s, predicted, state, prescribed);
    }
  prescribed->pins = prescribed->count;
  return status;
}

void mus_soft_pins_load(const mus_model *model, const mus_prescribed *prescribed, const mus_instant *at,
                        mus_matrix *matrix, double *right) {
  double h = at->length;
  for (int n = 0; n < prescribed->soft_count; ++n) {
    const mus_soft_pin *soft = &prescribed->soft[n];
    for (int c = 0; c < 3; ++c) {
      size_t i = 3 * (size_t)soft->vertex + (size_t)c;
      double pull = soft->stiffness * (soft->target[c] - at->position[i] - at->drift * at->velocity[i]);
      right[i] += h * (pull - soft->damping * (at->velocity[i] - soft->velocity[c]));
      if (matrix)
        mus_matrix_at(matrix, model->diagonal[soft->vertex])[4 * c] += h * (soft->damping + h * soft->stiffness);
    }
  }
}

mus_status mus_soft_pins_lump(const mus_prescribed *prescribed, double length, mus_shared_blocks *to) {
  mus_status status = MUS_OK;
  for (int n = 0; n < prescribed->soft_count && !status; ++n) {
    const mus_soft_pin *soft = &prescribed->soft[n];
    double k = length * (soft->damping + length * soft->stiffness), block[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
    status = mus_shared_blocks_add(to, soft->vertex, 1, block);
  }
  return status;
}

double mus_soft_pins_energy(const mus_prescribed *prescribed, const double *position) {
  double sum = 0;
  for (int n = 0; n < prescribed->soft_count; ++n) {
    double way[3];
    mus_subtract3(prescribed->soft[n].target, position + 3 * (size_t)prescribed->soft[n].vertex, way);
    sum += prescribed->soft[n].stiffness / 2 * mus_dot3(way, way);
  }
  return sum;
}

double mus_soft_pins_potential(const mus_prescribed *prescribed, const mus_instant *at) {
  double damped = 0;
  for (int n = 0; n < prescribed->soft_count; ++n) {
    const mus_soft_pin *soft = &prescribed->soft[n];
    double relative[3];
    mus_subtract3(at->velocity + 3 * (size_t)soft->vertex, soft->velocity, relative);
    damped += at->length * soft->damping / 2 * mus_dot3(relative, relative);
  }
  return mus_soft_pins_energy(prescribed, at->position) + damped;
}

int mus_soft_pins_drag(const mus_prescribed *prescribed) {
  for (int n = 0; n < prescribed->soft_count; ++n) {
    const mus_soft_pin *soft = &prescribed->soft[n];
    if (soft->damping > 0 && mus_dot3(soft->velocity, soft->velocity) > 0)
      return 1;
  }
  return 0;
}

// --- contacts --------------------------------------------------------------------------------------------------------

static mus_status reserve(mus_prescribed *prescribed, int needed) {
  if (needed <= prescribed->capacity)
    return MUS_OK;
  mus_constraint *larger = realloc(prescribed->list, (size_t)needed * 2 * sizeof *larger);
  if (!larger)
    return mus_fail_memory();
  prescribed->list = larger;
  prescribed->capacity = needed * 2;
  return MUS_OK;
}

mus_status mus_prescribe_contacts(const mus_contact_workspace *contact, const double *velocity,
                                  mus_prescribed *prescribed) {
  int more = mus_contact_constraints(contact);
  mus_status status = reserve(prescribed, prescribed->count + more);
  if (status)
    return status;
  for (int k = 0; k < more; ++k)
    mus_contact_constraint(contact, k, velocity, &prescribed->list[prescribed->count + k]);
  prescribed->count += more;
  return MUS_OK;
}

mus_status mus_prescribe_contacts_again(const mus_contact_workspace *contact, const double *velocity,
                                        mus_prescribed *prescribed) {
  prescribed->count = prescribed->pins;
  mus_prescribe_rest(prescribed);
  return mus_prescribe_contacts(contact, velocity, prescribed);
}

mus_status mus_prescribe_same(const mus_prescribed *from, const int *number, mus_prescribed *prescribed) {
  mus_status status = reserve(prescribed, from->count);
  prescribed->count = prescribed->pins = prescribed->soft_count = 0;
  for (int k = 0; k < from->count && !status; ++k)
    if (number[from->list[k].node] >= 0) {
      mus_constraint *to = &prescribed->list[prescribed->count++];
      *to = from->list[k];
      to->node = number[from->list[k].node];
    }
  return status;
}

void mus_prescribed_go(const mus_prescribed *prescribed, double *velocity) {
  for (int k = 0; k < prescribed->count; ++k) {
    const mus_constraint *c = &prescribed->list[k];
    for (int d = 0; d < c->count; ++d) // unit vectors at right angles
      mus_add_scaled3(c->value[d], c->direction[d], velocity + 3 * (size_t)c->node);
  }
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
