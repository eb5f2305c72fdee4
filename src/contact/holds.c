// Holds. See holds.h.
#include "contact/holds.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "collide/contact.h"
#include "par/par.h"

// What stays below this part of the creeping speed for so many steps is held by less than friction can give, and
// sticks. Waiting lets neighbours decide together: one that sticks alone has to hold the others, and slips again.
static const double creep_part = 0.98;
enum { CREEP_STEPS = 5 };
// How stiff a term that holds is, in masses of what it moves: the error that it leaves is about one part in so many.
static const double hold_stiffness = 100;
// A place among contacts is 0 or more, and -1 is none; place k among pushes is LEAVING - k.
enum { LEAVING = -2 };

// --- which vertices are held -----------------------------------------------------------------------------------------

// Whether it is a vertex of cloth on the face of a body, which may be held. One that follows others is left to these.
static int may_hold(const mus_contact_model *contact, const mus_contact_motion *motion, const mus_contact *c) {
  return c->kind == MUS_VERTEX_FACE && mus_is_cloth(contact, c->node[0]) && !mus_is_cloth(contact, c->node[1]) &&
         !motion->pinned[c->node[0]] && !mus_is_follower(contact->map.ties, c->node[0]);
}

// The closest of its contacts holds a vertex.
static mus_status choose_holds(const mus_contact_model *contact, const mus_contact_motion *motion, const mus_list *near,
                               int *place_of, int **chosen) {
  mus_list list = {0};
  for (int i = 0; i < contact->surface.cloth_vertices; ++i)
    place_of[i] = -1;
  for (size_t k = 0; k < near->count; ++k) {
    const mus_contact *c = &mus_contacts(near)[k];
    if (!may_hold(contact, motion, c))
      continue;
    int *place = &place_of[c->node[0]];
    if (*place < 0) {
      int *item = mus_list_add(&list, sizeof *item);
      if (!item) {
        mus_free(list.items);
        return mus_fail_memory();
      }
      *place = (int)list.count - 1;
      *item = (int)k;
    } else if (c->distance < mus_contacts(near)[((int *)list.items)[*place]].distance) {
      ((int *)list.items)[*place] = (int)k;
    }
  }
  *chosen = list.items;
  return MUS_OK;
}

// A vertex that has cloth between itself and the body is carried by that cloth. Held by the body as well, it would be
// led to where the cloth is.
static void leave_to_cloth_between(const mus_contact_model *contact, const mus_list *contacts, const int *chosen,
                                   int *place_of) {
  const mus_contact *near = mus_contacts(contacts);
  for (size_t k = 0; k < contacts->count; ++k) {
    const mus_contact *c = &near[k];
    if (c->kind != MUS_VERTEX_FACE || !mus_is_cloth(contact, c->node[0]) || !mus_is_cloth(contact, c->node[1]))
      continue;
    int *place = &place_of[c->node[0]];
    if (*place >= 0 && mus_dot3(c->normal, near[chosen[*place]].normal) > 0.5)
      *place = -1;
  }
}

// How far the body's closest point moves in the step.
static void body_way(const mus_contact_motion *motion, const mus_contact *c, double *way) {
  mus_zero(3, way);
  for (int k = 1; k < 4; ++k) {
    size_t at = 3 * (size_t)c->node[k];
    mus_add_scaled3(-c->weight[k], motion->x1 + at, way);
    mus_add_scaled3(c->weight[k], motion->x0 + at, way);
  }
}

// In steps that are minimised, one-sided terms keep off the body whatever comes; only what a body has pressed against
// is worth an equation.
static mus_hold_state next_state(const mus_contact_motion *motion, const mus_hold *before, double approach,
                                 double distance, double gap) {
  mus_hold_state state = (mus_hold_state)before->state;
  if (state == MUS_HOLD_SLIDES || state == MUS_HOLD_STICKS)
    return state;
  if (motion->one_sided)
    return MUS_HOLD_FREE;
  int comes = state == MUS_HOLD_LEFT ? approach < 0 : approach <= 0;
  return comes || distance < gap / 2 ? MUS_HOLD_SLIDES : MUS_HOLD_FREE;
}

// 1/kg: of the nodes that carry a vertex, seen from there.
static double moving_inverse_mass(const mus_contact_model *contact, const mus_contact_motion *motion, int vertex) {
  mus_carriers c = mus_map_carriers(&contact->map, &vertex);
  double inverse = 0;
  for (int k = 0; k < c.count; ++k)
    if (motion->node_pinned[c.node[k]] < 0)
      inverse += c.weight[k] * c.weight[k] / contact->node_mass[c.node[k]];
  return inverse;
}

// Has a vertex go this way in the step, m.
static void hold_towards(const mus_contact_model *contact, const mus_contact_motion *motion, const double *way,
                         mus_held *held) {
  size_t at = 3 * (size_t)held->vertex;
  for (size_t k = 0; k < 3; ++k)
    held->wanted[k] = (motion->x0[at + k] + way[k] - motion->predicted[at + k]) / motion->length;
  if (!mus_map_is_identity(&contact->map))
    held->stiffness = hold_stiffness / moving_inverse_mass(contact, motion, held->vertex);
}

// A vertex on a body: where it shall go, and what resists.
//
// Coulomb's friction is linear in the new velocity, so that it can stop a vertex but not turn it back: limit v' / |v|.
// In that form it also holds back what gathers speed, by |v'| / |v|; so along the way of such a vertex it is constant.
static mus_held make_held(const mus_contact_model *contact, const mus_contact_motion *motion, const mus_hold *before,
                          const mus_contact *c) {
  int i = c->node[0], body = contact->surface.body[c->node[1]];
  size_t at = 3 * (size_t)i;
  mus_held held = {.vertex = i, .face = c->second, .friction = motion->still ? 0 : contact->body_friction[body]};
  double way[3], relative[3], across[3], gap = mus_vertex_face_gap(&contact->surface, c->first, c->second);
  memcpy(held.normal, c->normal, sizeof held.normal);
  body_way(motion, c, way);
  mus_scale3(1 / motion->h, way, held.velocity);
  mus_subtract3(motion->velocity + at, held.velocity, relative);
  double approach = mus_split_along(held.normal, relative, across), sliding = sqrt(mus_dot3(across, across));
  held.state = next_state(motion, before, approach, c->distance, gap);
  double rest = motion->one_sided ? MUS_RESTING * gap : gap;
  double back = fmin(mus_recovered(motion) * (rest - c->distance), MUS_RECOVERY_SPEED * motion->h);
  mus_add_scaled3(back, held.normal, way);
  hold_towards(contact, motion, way, &held);
  // Of a vertex that has just arrived: what stops it, and its weight on earth for a guess.
  double arriving = contact->mass[i] * (fmax(-approach, 0) + 9.81 * motion->length);
  double push = before->push > 0 ? before->push * motion->length : arriving;
  held.bounded = motion->one_sided;
  if (held.state == MUS_HOLD_SLIDES)
    held.limit = held.friction * push;
  if (held.state == MUS_HOLD_SLIDES && !held.bounded) {
    held.drag = held.limit / fmax(sliding, MUS_CREEP);
    if (sliding > MUS_CREEP && before->faster)
      mus_scale3(1 / sliding, across, held.along);
  }
  return held;
}

// A vertex on its way out of a body: nothing but the way counts.
static mus_held make_leaving(const mus_contact_model *contact, const mus_contact_motion *motion, const mus_contact *c) {
  int i = c->node[0];
  mus_held held = {.vertex = i, .state = MUS_HOLD_SLIDES, .leaving = 1, .face = -1};
  double way[3];
  memcpy(held.normal, c->normal, sizeof held.normal);
  body_way(motion, c, way);
  mus_scale3(1 / motion->h, way, held.velocity);
  mus_add_scaled3(mus_leaving_way(motion, c), c->normal, way);
  hold_towards(contact, motion, way, &held);
  return held;
}

// Pushes out of bodies take the place of contacts: of several for a vertex, the one with the longest way.
static void choose_leaving(const mus_contact_model *contact, const mus_contact_motion *motion, const mus_list *pushes,
                           int *place_of) {
  const mus_contact *push = mus_contacts(pushes);
  for (size_t k = 0; k < pushes->count; ++k) {
    if (!may_hold(contact, motion, &push[k]))
      continue;
    int *place = &place_of[push[k].node[0]];
    if (*place > LEAVING || push[k].distance < push[LEAVING - *place].distance)
      *place = LEAVING - (int)k;
  }
}

mus_status mus_holds_make(const mus_contact_model *contact, const mus_contact_motion *motion, const mus_hold *before,
                          const mus_list *near, const mus_list *pushes, mus_holds *holds) {
  int *chosen = NULL, *place = holds->place;
  mus_status status = choose_holds(contact, motion, near, place, &chosen);
  holds->held.count = 0;
  if (!status)
    leave_to_cloth_between(contact, near, chosen, place);
  if (!status)
    choose_leaving(contact, motion, pushes, place);
  for (int i = 0; i < contact->surface.cloth_vertices && !status; ++i) {
    if (place[i] == -1)
      continue;
    mus_held held = place[i] <= LEAVING ? make_leaving(contact, motion, &mus_contacts(pushes)[LEAVING - place[i]])
                                        : make_held(contact, motion, &before[i], &mus_contacts(near)[chosen[place[i]]]);
    place[i] = -1;
    if (held.state == MUS_HOLD_FREE)
      continue;
    mus_held *item = mus_list_add(&holds->held, sizeof *item);
    if (!item)
      status = mus_fail_memory();
    else
      *item = held;
    place[i] = (int)holds->held.count - 1;
  }
  mus_free(chosen);
  return status;
}

// --- the linear system -----------------------------------------------------------------------------------------------

void mus_hold_constraint(const mus_held *held, const double *velocity, mus_constraint *out) {
  double change[3];
  mus_subtract3(held->wanted, velocity + 3 * (size_t)held->vertex, change);
  *out = (mus_constraint){.node = held->vertex, .count = 1};
  if (held->state == MUS_HOLD_STICKS) {
    *out = (mus_constraint){.node = held->vertex, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    memcpy(out->value, change, sizeof change);
  } else {
    memcpy(out->direction[0], held->normal, sizeof held->normal);
    out->value[0] = mus_dot3(held->normal, change);
  }
}

void mus_rubbing_square(double limit, const double *normal, const double *across, double *square) {
  double speed = mus_length3(across), drag = mus_rubbing_drag(limit, speed), along[3];
  mus_along_across(0, drag, normal, square);
  if (speed <= MUS_RUBBING_CREEP)
    return;
  mus_scale3(1 / speed, across, along);
  mus_add_square(-drag, along, square);
}

// The impulse of friction on a vertex that slides with this velocity.
static void rub(const mus_held *h, const double *velocity, double *impulse) {
  double relative[3], across[3];
  mus_subtract3(velocity, h->velocity, relative);
  mus_split_along(h->normal, relative, across);
  if (h->bounded) {
    mus_scale3(-mus_rubbing_drag(h->limit, mus_length3(across)), across, impulse);
    return;
  }
  mus_add_scaled3(-mus_dot3(h->along, across), h->along, across);
  mus_scale3(-h->drag, across, impulse);
  mus_add_scaled3(-h->limit, h->along, impulse);
}

// The impulse of a term that holds, which draws the velocity to what is wanted: along the normal, or all of it.
static void hold_back(const mus_held *h, const double *velocity, double *impulse) {
  double change[3];
  mus_subtract3(h->wanted, velocity, change);
  if (h->state == MUS_HOLD_STICKS)
    mus_scale3(h->stiffness, change, impulse);
  else
    mus_scale3(h->stiffness * mus_dot3(h->normal, change), h->normal, impulse);
}

// Minus the derivative of rub() at this velocity.
static void drag_block(const mus_held *h, const double *velocity, double *block) {
  double square[6];
  if (h->bounded) {
    double relative[3], across[3];
    mus_subtract3(velocity, h->velocity, relative);
    mus_split_along(h->normal, relative, across);
    mus_rubbing_square(h->limit, h->normal, across, square);
  } else {
    mus_along_across(0, h->drag, h->normal, square);
    mus_add_square(-h->drag, h->along, square);
  }
  mus_expand_square(square, block);
}

static void hold_block(const mus_held *h, double *block) {
  double square[6];
  mus_along_across(h->stiffness, h->state == MUS_HOLD_STICKS ? h->stiffness : 0, h->normal, square);
  mus_expand_square(square, block);
}

static void add_terms(const mus_surface_map *map, const mus_held *h, const double *velocity, mus_matrix *matrix) {
  double block[9];
  if (h->drag != 0 || h->bounded) {
    drag_block(h, velocity, block);
    mus_map_add_block(map, h->vertex, h->vertex, block, matrix);
  }
  if (h->stiffness != 0) {
    hold_block(h, block);
    mus_map_add_block(map, h->vertex, h->vertex, block, matrix);
  }
}

mus_status mus_holds_lump(const mus_surface_map *map, const mus_holds *holds, mus_shared_blocks *to) {
  mus_status status = MUS_OK;
  for (size_t k = 0; k < holds->held.count && !status; ++k) {
    const mus_held *h = &mus_held_vertices(holds)[k];
    mus_carriers by = mus_map_carriers(map, &h->vertex);
    double block[9];
    if (h->drag != 0) {
      drag_block(h, h->velocity, block);
      status = mus_shared_blocks_lump(to, by.count, by.node, by.weight, block);
    }
    if (h->stiffness != 0 && !status) {
      hold_block(h, block);
      status = mus_shared_blocks_lump(to, by.count, by.node, by.weight, block);
    }
  }
  return status;
}

void mus_holds_load(const mus_surface_map *map, const mus_holds *holds, const double *velocity, mus_matrix *matrix,
                    double *right) {
  for (size_t k = 0; k < holds->held.count; ++k) {
    const mus_held *h = &mus_held_vertices(holds)[k];
    double here[3], impulse[3];
    mus_map_value(map, h->vertex, velocity, here);
    rub(h, here, impulse);
    mus_map_add(map, h->vertex, impulse, right);
    if (h->stiffness != 0) {
      hold_back(h, here, impulse);
      mus_map_add(map, h->vertex, impulse, right);
    }
    if (matrix)
      add_terms(map, h, here, matrix);
  }
}

// Of rub().
static double rubbing_energy(const mus_held *h, const double *velocity) {
  double relative[3], across[3];
  mus_subtract3(velocity, h->velocity, relative);
  mus_split_along(h->normal, relative, across);
  if (h->bounded)
    return mus_rubbing_energy(h->limit, mus_length3(across));
  double along = mus_dot3(h->along, across);
  mus_add_scaled3(-along, h->along, across);
  return h->drag / 2 * mus_dot3(across, across) + h->limit * along;
}

// Of hold_back().
static double holding_energy(const mus_held *h, const double *velocity) {
  double change[3];
  mus_subtract3(h->wanted, velocity, change);
  double along = mus_dot3(h->normal, change);
  return h->stiffness / 2 * (h->state == MUS_HOLD_STICKS ? mus_dot3(change, change) : along * along);
}

double mus_holds_energy(const mus_surface_map *map, const mus_holds *holds, const double *velocity) {
  double energy = 0;
  for (size_t k = 0; k < holds->held.count; ++k) {
    const mus_held *h = &mus_held_vertices(holds)[k];
    double here[3];
    mus_map_value(map, h->vertex, velocity, here);
    energy += rubbing_energy(h, here) + holding_energy(h, here);
  }
  return energy;
}

// --- after the solve -------------------------------------------------------------------------------------------------

void mus_holds_measure_constraints(mus_holds *holds, const mus_matrix *a, const double *change, const double *right,
                                   const double *coupled) {
  const mus_pattern *pattern = a->pattern;
  mus_held *held = holds->held.items;
  MUS_PARALLEL_FOR_IF(holds->held.count >= MUS_PAR_MINIMUM)
  for (size_t k = 0; k < holds->held.count; ++k) {
    size_t i = (size_t)held[k].vertex;
    mus_subtract3(coupled + 3 * i, right + 3 * i, held[k].impulse);
    for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; ++e)
      for (int c = 0; c < 3; ++c)
        held[k].impulse[c] += mus_dot3(mus_matrix_at(a, e) + 3 * c, change + 3 * (size_t)pattern->column[e]);
  }
}

void mus_holds_measure_left(mus_holds *holds, const double *left) {
  mus_held *held = holds->held.items;
  for (size_t k = 0; k < holds->held.count; ++k)
    mus_scale3(-1, left + 3 * (size_t)held[k].vertex, held[k].impulse);
}

void mus_holds_measure_terms(const mus_surface_map *map, mus_holds *holds, const double *velocity) {
  mus_held *held = holds->held.items;
  for (size_t k = 0; k < holds->held.count; ++k) {
    double here[3];
    mus_map_value(map, held[k].vertex, velocity, here);
    hold_back(&held[k], here, held[k].impulse);
  }
}

void mus_holds_impulses(const mus_surface_map *map, const mus_holds *holds, const double *velocity, double *impulse) {
  for (size_t k = 0; k < holds->held.count; ++k) {
    const mus_held *h = &mus_held_vertices(holds)[k];
    double here[3], friction[3];
    mus_map_value(map, h->vertex, velocity, here);
    rub(h, here, friction);
    mus_map_add(map, h->vertex, friction, impulse);
    mus_map_add(map, h->vertex, h->impulse, impulse);
  }
}

double mus_holds_work(const mus_surface_map *map, const mus_holds *holds, const double *velocity, double work) {
  for (size_t k = 0; k < holds->held.count; ++k) {
    const mus_held *h = &mus_held_vertices(holds)[k];
    double here[3], impulse[3];
    mus_map_value(map, h->vertex, velocity, here);
    rub(h, here, impulse);
    mus_add_scaled3(1, h->impulse, impulse);
    work += mus_dot3(impulse, here);
  }
  return work;
}

// Steps that are minimised let neighbours decide together, so that there is nothing to wait for.
static mus_hold remember(const mus_held *held, const mus_hold *before, const mus_contact_motion *motion,
                         const double *velocity) {
  double across[3], relative[3], along = mus_split_along(held->normal, held->impulse, across);
  if (held->leaving)
    return (mus_hold){.state = MUS_HOLD_FREE};
  if (along <= 0)
    return (mus_hold){.state = MUS_HOLD_LEFT};
  mus_hold hold = {.push = along / motion->length, .state = (int)held->state};
  if (held->state == MUS_HOLD_STICKS) {
    if (sqrt(mus_dot3(across, across)) > held->friction * along)
      hold.state = MUS_HOLD_SLIDES;
    return hold;
  }
  mus_subtract3(velocity, held->velocity, relative);
  mus_split_along(held->normal, relative, across);
  hold.speed = sqrt(mus_dot3(across, across));
  hold.faster = hold.speed > before->speed;
  if (held->friction > 0 && hold.speed < creep_part * (motion->one_sided ? MUS_RUBBING_CREEP : MUS_CREEP))
    hold.slow = before->slow + 1;
  if (hold.slow >= (motion->one_sided ? 1 : CREEP_STEPS))
    hold.state = MUS_HOLD_STICKS;
  return hold;
}

// Held vertices ascend; those between them are free.
void mus_holds_remember(const mus_surface_map *map, const mus_contact_motion *motion, const mus_holds *holds,
                        const double *velocity, mus_hold *hold) {
  int next = 0;
  for (size_t k = 0; k < holds->held.count; ++k) {
    const mus_held *held = &mus_held_vertices(holds)[k];
    while (next < held->vertex)
      hold[next++] = (mus_hold){0};
    double here[3];
    mus_map_value(map, held->vertex, velocity, here);
    hold[next] = remember(held, &hold[next], motion, here);
    ++next;
  }
  while (next < map->vertices)
    hold[next++] = (mus_hold){0};
}
