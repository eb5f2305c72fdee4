// Repulsions. See repulsions.h.
#include "contact/repulsions.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "collide/contact.h"

// How stiff a coupling is, in masses of what it moves. Stiffer ones would keep layers apart better in large steps, but
// are what the preconditioner does not know of.
static const double stiffness = 20;
// The same of a push: it moves cloth against what holds it together.
static const double push_stiffness = 1000;

// --- which there are -------------------------------------------------------------------------------------------------

// 1 where holds do already what a contact with a body asks for: all its vertices of cloth are held about that way.
int mus_repulsion_is_held(const mus_contact_model *contact, const mus_holds *holds, const mus_contact *c) {
  int bodies = 0;
  for (int k = 0; k < 4; ++k) {
    if (!mus_is_cloth(contact, c->node[k])) {
      bodies = 1;
    } else if (c->weight[k] != 0) {
      int held = holds->place[c->node[k]];
      double along = held < 0 ? 0 : mus_dot3(mus_held_vertices(holds)[held].normal, c->normal);
      if ((c->weight[k] > 0 ? along : -along) < 0.5)
        return 0;
    }
  }
  return bodies;
}

static double friction_of(const mus_contact_model *contact, const mus_contact *c) {
  for (int k = 0; k < 4; ++k)
    if (!mus_is_cloth(contact, c->node[k]))
      return contact->body_friction[contact->surface.body[c->node[k]]];
  return contact->friction;
}

double mus_repulsion_gap(const mus_surface *surface, const mus_contact *c) {
  return c->kind == MUS_VERTEX_FACE ? mus_vertex_face_gap(surface, c->first, c->second)
                                    : mus_edge_edge_gap(surface, c->first, c->second);
}

static void set_block(const mus_repulsion *r, double *block) {
  double square[6];
  mus_along_across(r->along, r->across, r->normal, square);
  mus_expand_square(square, block);
}

// m: how much farther apart the step shall bring the two. All that is missing where they touch: what many layers press
// together is borne by couplings before impacts have to.
static double way_back(const mus_contact_motion *motion, double distance, double gap) {
  double close = fmax(1 - distance / (MUS_SEPARATION * gap), 0), recovery = mus_recovered(motion);
  double rest = motion->one_sided ? MUS_RESTING * gap : gap;
  return (rest - distance) * (recovery + (1 - recovery) * close * close);
}

// Layers that may press on each other, for friction between them.
enum { LAYERS = 10 };

// In steps that are minimised, what presses has longer to do so, and lasts: a term as stiff as some masses would give
// way by the square of the step's length. What the matrix has a place for may be as stiff as that asks for.
static double firmness(const mus_contact_motion *motion, int within) {
  double steps = mus_short_steps(motion);
  return within ? steps * steps : steps;
}

// The nodes of a contact, and their weights in the vector from one feature to the other.
enum { CONTACT_NODES = 4 * MUS_CARRIERS_MAXIMUM };
typedef struct contact_nodes {
  int count;
  int node[CONTACT_NODES];
  double weight[CONTACT_NODES];
} contact_nodes;

// A node may carry several vertices of a contact; those of the identity are all different, unless some are tied.
static void add_node(int merge, int node, double weight, contact_nodes *to) {
  int place = 0;
  while (place < to->count && (!merge || to->node[place] != node))
    ++place;
  if (place == to->count) {
    to->node[to->count] = node;
    to->weight[to->count++] = weight;
  } else {
    to->weight[place] += weight;
  }
}

static void gather_nodes(const mus_contact_model *contact, const mus_contact *c, contact_nodes *to) {
  int merge = !mus_map_is_identity(&contact->map) || contact->map.ties;
  to->count = 0;
  for (int k = 0; k < 4; ++k) {
    if (!mus_is_cloth(contact, c->node[k]) || c->weight[k] == 0)
      continue;
    mus_carriers by = mus_map_carriers(&contact->map, &c->node[k]);
    for (int n = 0; n < by.count; ++n)
      add_node(merge, by.node[n], c->weight[k] * by.weight[n], to);
  }
}

// The bodies' share of the relative velocity, m/s.
static void body_velocity(const mus_contact_model *contact, const mus_contact_motion *motion, const mus_contact *c,
                          double *moving) {
  for (int k = 0; k < 4; ++k) {
    if (mus_is_cloth(contact, c->node[k]))
      continue;
    mus_add_scaled3(c->weight[k] / motion->h, motion->x1 + 3 * (size_t)c->node[k], moving);
    mus_add_scaled3(-c->weight[k] / motion->h, motion->x0 + 3 * (size_t)c->node[k], moving);
  }
}

// `apart`: m/s, at which the two shall part. 0 where nothing has to be done for that.
static int make_effect(const mus_contact_model *contact, const mus_contact_motion *motion, const mus_contact *c,
                       const contact_nodes *nodes, double apart, double stiff, double friction, mus_repulsion *r) {
  double relative[3] = {0, 0, 0}, across[3], inverse = 0;
  *r = (mus_repulsion){.apart = apart, .one_sided = motion->one_sided, .friction = friction};
  memcpy(r->normal, c->normal, sizeof r->normal);
  body_velocity(contact, motion, c, r->moving);
  for (int n = 0; n < nodes->count; ++n) {
    double weight = nodes->weight[n];
    mus_add_scaled3(weight, motion->node_velocity + 3 * (size_t)nodes->node[n], relative);
    if (motion->node_pinned[nodes->node[n]] < 0)
      inverse += weight * weight / contact->node_mass[nodes->node[n]];
  }
  mus_add_scaled3(1, r->moving, relative);
  double along = mus_split_along(r->normal, relative, across);
  if (inverse == 0 || (along >= r->apart && !r->one_sided))
    return 0;
  r->along = stiff / inverse;
  // What presses: that which at rest gives the missing distance, and that which stops an approach.
  double push = r->along * (r->apart - fmax(along, 0)) + fmax(-along, 0) / inverse;
  if (r->one_sided) { // what stops it and its weight on earth
    r->most = (fmax(-along, 0) + 9.81 * motion->length) / inverse;
    r->limit = friction * r->most;
  }
  if (!r->one_sided)
    r->across = friction * push / fmax(sqrt(mus_dot3(across, across)), MUS_CREEP);
  return 1;
}

static mus_status keep(const contact_nodes *nodes, const mus_repulsion *effect, mus_repulsions *list) {
  if (!mus_list_reserve(&list->couplings, 1, sizeof(mus_coupling)) ||
      !mus_list_reserve(&list->effects, 1, sizeof(mus_repulsion)) ||
      !mus_list_reserve(&list->nodes, (size_t)nodes->count, sizeof *nodes->node) ||
      !mus_list_reserve(&list->weights, (size_t)nodes->count, sizeof *nodes->weight))
    return mus_fail_memory();
  mus_coupling *coupling = mus_list_add(&list->couplings, sizeof *coupling);
  mus_repulsion *also = mus_list_add(&list->effects, sizeof *also);
  *coupling = (mus_coupling){.count = nodes->count};
  set_block(effect, coupling->block);
  *also = *effect;
  also->first = (int)list->nodes.count;
  memcpy((int *)list->nodes.items + list->nodes.count, nodes->node, (size_t)nodes->count * sizeof *nodes->node);
  memcpy((double *)list->weights.items + list->weights.count, nodes->weight,
         (size_t)nodes->count * sizeof *nodes->weight);
  list->nodes.count += (size_t)nodes->count;
  list->weights.count += (size_t)nodes->count;
  return MUS_OK;
}

// An empty list for so many contacts at most.
static void clear(mus_repulsions *list, size_t contacts, size_t nodes_per_contact) {
  list->couplings.count = list->effects.count = list->nodes.count = list->weights.count = 0;
  list->couplings.limit = list->effects.limit = contacts;
  list->nodes.limit = list->weights.limit = contacts * nodes_per_contact;
}

// Lists move while they grow, so couplings learn where their nodes are when all are there.
void mus_repulsions_arrange(mus_repulsions *list) {
  mus_coupling *coupling = list->couplings.items;
  const mus_repulsion *effect = list->effects.items;
  for (size_t k = 0; k < list->couplings.count; ++k) {
    coupling[k].node = (int *)list->nodes.items + effect[k].first;
    coupling[k].weight = (double *)list->weights.items + effect[k].first;
  }
}

// Whether the matrix has blocks for all pairs of nodes: of cloth, if the contact is one with a body, for then they are
// corners of one triangle; of what is embedded, if they all belong to one element.
static int is_within(const mus_contact_model *contact, const mus_contact *c, const contact_nodes *nodes) {
  if (mus_map_is_identity(&contact->map)) {
    int cloths = 0;
    for (int k = 0; k < 4; ++k)
      cloths += mus_is_cloth(contact, c->node[k]);
    return cloths < 4;
  }
  for (int i = 0; i < nodes->count; ++i)
    for (int j = 0; j < i; ++j)
      if (mus_pattern_find(contact->pattern, nodes->node[i], nodes->node[j]) < 0)
        return 0;
  return 1;
}

// The last few may have to move triangles that are all but lines, and stiff; where there are many, each stands in the
// way of others.
static double stiffness_of_pushes(size_t count) {
  return push_stiffness * fmin(fmax(100 / (double)(count + 1), 1), 30);
}

// Where the terms of a step are collected.
typedef struct collection {
  const mus_contact_model *contact;
  const mus_contact_motion *motion;
  mus_repulsions *beyond, *within;
} collection;

static mus_status add(const collection *to, const mus_contact *c, double apart, double stiff, double friction) {
  contact_nodes nodes;
  mus_repulsion effect;
  gather_nodes(to->contact, c, &nodes);
  if (!make_effect(to->contact, to->motion, c, &nodes, apart, stiff, friction, &effect))
    return MUS_OK;
  int within = is_within(to->contact, c, &nodes);
  effect.along *= firmness(to->motion, within);
  if (!within)
    effect.most *= LAYERS;
  return keep(&nodes, &effect, within ? to->within : to->beyond);
}

mus_status mus_repulsions_make(const mus_contact_model *contact, const mus_contact_motion *motion,
                               const mus_holds *holds, const mus_list *near, const mus_list *pushes,
                               mus_repulsions *beyond, mus_repulsions *within) {
  collection to = {contact, motion, beyond, within};
  mus_status status = MUS_OK;
  size_t contacts = near->count + pushes->count,
         nodes = mus_map_is_identity(&contact->map) && !contact->map.ties ? 4 : CONTACT_NODES;
  clear(beyond, contacts, nodes);
  clear(within, contacts, nodes);
  for (size_t k = 0; k < near->count && !status; ++k) {
    const mus_contact *c = &mus_contacts(near)[k];
    double way = way_back(motion, c->distance, mus_repulsion_gap(&contact->surface, c));
    if (!mus_repulsion_is_held(contact, holds, c))
      status = add(&to, c, fmin(way / motion->length, MUS_RECOVERY_SPEED), stiffness,
                   motion->still ? 0 : friction_of(contact, c));
  }
  for (size_t k = 0; k < pushes->count && !status; ++k) {
    const mus_contact *c = &mus_contacts(pushes)[k];
    if (!mus_repulsion_is_held(contact, holds, c))
      status = add(&to, c, mus_leaving_way(motion, c) / motion->length, stiffness_of_pushes(pushes->count), 0);
  }
  mus_repulsions_arrange(beyond);
  mus_repulsions_arrange(within);
  return status;
}

// m/s: at which the two have to part to be `gap` apart along the normal at the end of the step.
static double speed_to_end(const mus_contact_model *contact, const mus_contact_motion *motion, const mus_contact *c,
                           double gap) {
  double end[3] = {0, 0, 0}, moving[3] = {0, 0, 0};
  for (int k = 0; k < 4; ++k)
    mus_add_scaled3(c->weight[k],
                    (mus_is_cloth(contact, c->node[k]) ? motion->predicted : motion->x1) + 3 * (size_t)c->node[k], end);
  body_velocity(contact, motion, c, moving);
  return (gap - mus_dot3(c->normal, end)) / motion->length + mus_dot3(c->normal, moving);
}

static void forget_limits(mus_repulsions *list) {
  list->couplings.limit = list->effects.limit = list->nodes.limit = list->weights.limit = 0;
}

mus_status mus_repulsions_take(const mus_contact_model *contact, const mus_contact_motion *motion, const mus_contact *c,
                               mus_repulsions *beyond, mus_repulsions *within) {
  collection to = {contact, motion, beyond, within};
  forget_limits(beyond);
  forget_limits(within);
  double apart = speed_to_end(contact, motion, c, MUS_RESTING * mus_repulsion_gap(&contact->surface, c));
  return add(&to, c, apart, stiffness, friction_of(contact, c));
}

// --- the linear system -----------------------------------------------------------------------------------------------

// The impulse of a coupling on weight 1, given its relative velocity.
static void repel(const mus_repulsion *r, const double *relative, double *impulse) {
  double across[3], along = mus_split_along(r->normal, relative, across);
  double missing = r->one_sided ? fmax(r->apart - along, 0) : r->apart - along;
  double drag = r->one_sided ? mus_rubbing_drag(r->limit, mus_length3(across)) : r->across;
  mus_scale3(r->along * missing, r->normal, impulse);
  mus_add_scaled3(-drag, across, impulse);
}

static void relative_velocity(const mus_coupling *c, const double *moving, const double *velocity, double *relative) {
  memcpy(relative, moving, 3 * sizeof *relative);
  for (int k = 0; k < c->count; ++k)
    mus_add_scaled3(c->weight[k], velocity + 3 * (size_t)c->node[k], relative);
}

void mus_repulsions_load(const mus_repulsions *list, const double *velocity, double *right) {
  const mus_coupling *coupling = list->couplings.items;
  const mus_repulsion *effect = list->effects.items;
  for (size_t k = 0; k < list->couplings.count; ++k) {
    double relative[3], impulse[3];
    relative_velocity(&coupling[k], effect[k].moving, velocity, relative);
    repel(&effect[k], relative, impulse);
    for (int n = 0; n < coupling[k].count; ++n)
      mus_add_scaled3(coupling[k].weight[n], impulse, right + 3 * (size_t)coupling[k].node[n]);
  }
}

double mus_repulsions_energy(const mus_repulsions *list, const double *velocity) {
  const mus_coupling *coupling = list->couplings.items;
  const mus_repulsion *effect = list->effects.items;
  double energy = 0;
  for (size_t k = 0; k < list->couplings.count; ++k) {
    double relative[3], across[3];
    relative_velocity(&coupling[k], effect[k].moving, velocity, relative);
    double missing = effect[k].apart - mus_split_along(effect[k].normal, relative, across);
    if (effect[k].one_sided)
      energy += effect[k].along / 2 * fmax(missing, 0) * fmax(missing, 0) +
                mus_rubbing_energy(effect[k].limit, mus_length3(across));
    else
      energy += (effect[k].along * missing * missing + effect[k].across * mus_dot3(across, across)) / 2;
  }
  return energy;
}

void mus_repulsions_linearise(const mus_repulsions *list, const double *velocity) {
  mus_coupling *coupling = list->couplings.items;
  const mus_repulsion *effect = list->effects.items;
  for (size_t k = 0; k < list->couplings.count; ++k) {
    if (!effect[k].one_sided)
      continue;
    double relative[3], across[3];
    relative_velocity(&coupling[k], effect[k].moving, velocity, relative);
    double square[6], along = mus_split_along(effect[k].normal, relative, across);
    mus_rubbing_square(effect[k].limit, effect[k].normal, across, square);
    mus_add_square(along < effect[k].apart ? effect[k].along : 0, effect[k].normal, square);
    mus_expand_square(square, coupling[k].block);
  }
}

// kg m/s: what presses, as far as friction goes, at this speed apart.
static double pressing(const mus_repulsion *r, double along) {
  return fmin(r->along * fmax(r->apart - along, 0), r->most);
}

mus_rubbed mus_repulsions_revise(mus_repulsions *list, const double *velocity) {
  const mus_coupling *coupling = list->couplings.items;
  mus_repulsion *effect = list->effects.items;
  mus_rubbed rubbed = {0, 0};
  for (size_t k = 0; k < list->couplings.count; ++k) {
    double relative[3], across[3];
    if (!effect[k].one_sided)
      continue;
    relative_velocity(&coupling[k], effect[k].moving, velocity, relative);
    double along = mus_split_along(effect[k].normal, relative, across);
    double limit = effect[k].friction * pressing(&effect[k], along);
    mus_rubbed_add(&rubbed, effect[k].limit, limit, mus_length3(across));
    effect[k].limit = limit;
  }
  return rubbed;
}

void mus_repulsions_add(const mus_repulsions *list, mus_matrix *matrix) {
  const mus_coupling *coupling = list->couplings.items;
  for (size_t k = 0; k < list->couplings.count; ++k) {
    const mus_coupling *c = &coupling[k];
    for (int i = 0; i < c->count; ++i)
      for (int j = 0; j < c->count; ++j)
        mus_matrix_add_block(matrix, c->node[i], c->node[j], c->weight[i] * c->weight[j], c->block);
  }
}

mus_status mus_repulsions_lump(const mus_repulsions *list, mus_shared_blocks *to) {
  const mus_coupling *c = list->couplings.items;
  mus_status status = MUS_OK;
  for (size_t k = 0; k < list->couplings.count && !status; ++k)
    status = mus_shared_blocks_lump(to, c[k].count, c[k].node, c[k].weight, c[k].block);
  return status;
}

void mus_repulsions_multiply_add(const mus_repulsions *list, const double *x, double *y) {
  static const double still[3] = {0, 0, 0};
  const mus_coupling *coupling = list->couplings.items;
  for (size_t k = 0; k < list->couplings.count; ++k) {
    const mus_coupling *c = &coupling[k];
    double relative[3], force[3];
    relative_velocity(c, still, x, relative);
    for (int a = 0; a < 3; ++a)
      force[a] = mus_dot3(c->block + 3 * a, relative);
    for (int n = 0; n < c->count; ++n)
      mus_add_scaled3(c->weight[n], force, y + 3 * (size_t)c->node[n]);
  }
}

void mus_repulsions_press(const mus_repulsions *list, const double *velocity, double *pressed) {
  const mus_coupling *coupling = list->couplings.items;
  const mus_repulsion *effect = list->effects.items;
  for (size_t k = 0; k < list->couplings.count; ++k) {
    double relative[3];
    if (coupling[k].count != 1 || !effect[k].one_sided)
      continue;
    relative_velocity(&coupling[k], effect[k].moving, velocity, relative);
    pressed[coupling[k].node[0]] += pressing(&effect[k], mus_dot3(effect[k].normal, relative));
  }
}

double mus_repulsions_work(const mus_repulsions *list, const double *velocity) {
  const mus_coupling *coupling = list->couplings.items;
  const mus_repulsion *effect = list->effects.items;
  double work = 0;
  for (size_t k = 0; k < list->couplings.count; ++k) {
    double relative[3], impulse[3];
    relative_velocity(&coupling[k], effect[k].moving, velocity, relative);
    repel(&effect[k], relative, impulse);
    mus_add_scaled3(-1, effect[k].moving, relative);
    work += mus_dot3(impulse, relative);
  }
  return work;
}
