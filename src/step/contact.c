// Contact inside a step. See contact.h.
#include "step/contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "model/bodies.h"
#include "model/sewn.h"
#include "par/par.h"
#include "par/vector.h"

// Part of a missing distance that a step is to bring back, and the speed that this may take, m/s. All of it where the
// two touch: what many layers press together is borne by couplings before impacts have to.
static const double recovery = 0.2, recovery_speed = 0.5;
// How stiff a coupling is, in masses of what it moves. Stiffer ones would keep layers apart better in large steps, but
// are what the preconditioner does not know of.
static const double stiffness = 20;
// Below this speed along a surface, m/s, friction is linear in it instead of constant. What stays below this part of it
// for so many steps is held by less than friction can give, and sticks. Waiting lets neighbours decide together: one
// that sticks alone has to hold the others, and slips again.
static const double creep = 2e-4, creep_part = 0.98;
enum { CREEP_STEPS = 5 };
// Part of the thickness that is kept free of impacts.
static const double separation = 0.25;

// --- life ------------------------------------------------------------------------------------------------------------

// Half the thickness, or less where edges are short: neighbours of neighbours must not repel each other at rest.
static void set_radii(const mus_model_cloth *c, double *radius) {
  const mus_mesh *mesh = &c->shape.mesh;
  for (int i = 0; i < mesh->vertices; ++i)
    radius[i] = c->source->thickness / 2;
  for (int t = 0; t < mesh->triangles; ++t)
    for (int k = 0; k < 3; ++k) {
      const double *a = mesh->material + 6 * (size_t)t + 2 * k, *b = mesh->material + 6 * (size_t)t + 2 * ((k + 1) % 3);
      double quarter = hypot(b[0] - a[0], b[1] - a[1]) / 4;
      double *from = &radius[mesh->triangle[3 * t + k]], *to = &radius[mesh->triangle[3 * t + (k + 1) % 3]];
      *from = fmin(*from, quarter);
      *to = fmin(*to, quarter);
    }
}

// Arrays of the surface's parts, from mus_alloc.
typedef struct pieces {
  mus_surface_parts all;
  int *triangle, *body;
  mus_list pairs; // of vertices that are sewn together
  double *radius;
} pieces;

static void free_parts(pieces *p) {
  mus_free(p->triangle);
  mus_free(p->body);
  mus_free(p->pairs.items);
  mus_free(p->radius);
}

static void fill_cloths(const mus_model *model, pieces *p) {
  int *to = p->triangle;
  for (int k = 0; k < model->cloth_count; ++k) {
    const mus_model_cloth *c = &model->cloths[k];
    for (int i = 0; i < 3 * c->shape.mesh.triangles; ++i)
      *to++ = c->shape.mesh.triangle[i] + c->first_vertex;
    set_radii(c, p->radius + c->first_vertex);
  }
  for (int i = 0; i < model->vertices; ++i)
    p->body[i] = -1;
}

static void fill_bodies(const mus_model *model, pieces *p) {
  const int *triangle = mus_bodies_triangle_list(model->bodies);
  for (int i = 0; i < 3 * mus_bodies_triangles(model->bodies); ++i)
    p->triangle[3 * (size_t)model->triangles + (size_t)i] = triangle[i] + model->vertices;
  for (int b = 0; b < model->scene->body_count; ++b)
    for (int i = mus_bodies_first_vertex(model->bodies, b); i < mus_bodies_first_vertex(model->bodies, b + 1); ++i) {
      p->body[model->vertices + i] = b;
      p->radius[model->vertices + i] = model->scene->bodies[b].thickness;
    }
}

static mus_status make_surface(const mus_model *model, mus_contact_room *room) {
  int body_vertices = mus_bodies_vertices(model->bodies), body_triangles = mus_bodies_triangles(model->bodies);
  pieces made = {.all = {.vertices = model->vertices + body_vertices,
                         .triangles = model->triangles + body_triangles,
                         .cloth_vertices = model->vertices,
                         .cloth_triangles = model->triangles}};
  made.triangle = mus_alloc(3 * (size_t)made.all.triangles, sizeof *made.triangle);
  made.body = mus_alloc((size_t)made.all.vertices, sizeof *made.body);
  made.radius = mus_alloc((size_t)made.all.vertices, sizeof *made.radius);
  mus_status status = made.triangle && made.body && made.radius ? MUS_OK : mus_fail_memory();
  if (!status)
    status = mus_sewn_pairs(model, &made.pairs);
  if (!status) {
    fill_cloths(model, &made);
    fill_bodies(model, &made);
    made.all.triangle = made.triangle;
    made.all.body = made.body;
    made.all.radius = made.radius;
    made.all.sewn = (int)made.pairs.count;
    made.all.pair = made.pairs.items;
    status = mus_surface_create(&room->arena, &made.all, &room->surface);
  }
  free_parts(&made);
  return status;
}

static mus_status fill(const mus_model *model, mus_contact_room *room) {
  mus_status status = make_surface(model, room);
  if (status)
    return status;
  const mus_scene *scene = model->scene;
  size_t all = 3 * (size_t)room->surface.vertices, cloth = (size_t)model->vertices;
  room->x0 = mus_arena_alloc_zero(&room->arena, all, sizeof *room->x0);
  room->x1 = mus_arena_alloc_zero(&room->arena, all, sizeof *room->x1);
  room->hold = mus_arena_alloc_zero(&room->arena, cloth, sizeof *room->hold);
  room->pinned = mus_arena_alloc_zero(&room->arena, cloth, 1);
  room->held_of = mus_arena_alloc(&room->arena, cloth, sizeof *room->held_of);
  room->body_friction = mus_arena_alloc(&room->arena, (size_t)scene->body_count + 1, sizeof *room->body_friction);
  if (!room->x0 || !room->x1 || !room->hold || !room->pinned || !room->held_of || !room->body_friction)
    return mus_fail_memory();
  for (int b = 0; b < scene->body_count; ++b)
    room->body_friction[b] = scene->bodies[b].friction;
  for (int k = 0; k < scene->cloth_count; ++k)
    room->friction += scene->cloths[k].friction / scene->cloth_count;
  mus_copy(3 * cloth, model->start, room->x0);
  status = mus_bodies_at(model->bodies, 0, room->x0 + 3 * cloth);
  mus_contact_forget(room);
  if (!status)
    status = mus_detector_create(&room->surface, room->x0, &room->detector);
  return status ? status : mus_untangler_create(&room->surface, room->x0, &room->untangler);
}

mus_status mus_contact_create(const mus_model *model, mus_contact_room **out) {
  *out = NULL;
  if (!model->scene->contact)
    return MUS_OK;
  mus_contact_room *room = mus_alloc_zero(1, sizeof *room);
  if (!room)
    return mus_fail_memory();
  mus_status status = fill(model, room);
  if (status)
    mus_contact_free(room);
  else
    *out = room;
  return status;
}

// A list of the room and the bytes of its items.
typedef struct room_list {
  mus_list *list;
  size_t item;
} room_list;

enum { LISTS = 10 };

static void list_lists(mus_contact_room *room, room_list lists[LISTS]) {
  const room_list all[LISTS] = {{&room->near, sizeof(mus_contact)},
                                {&room->pushes, sizeof(mus_contact)},
                                {&room->impossible, sizeof(mus_contact)},
                                {&room->crossings, sizeof(mus_crossing)},
                                {&room->released, sizeof(mus_crossing)},
                                {&room->held, sizeof(mus_held)},
                                {&room->between.couplings, sizeof(mus_coupling)},
                                {&room->between.effects, sizeof(mus_repulsion)},
                                {&room->against.couplings, sizeof(mus_coupling)},
                                {&room->against.effects, sizeof(mus_repulsion)}};
  memcpy(lists, all, sizeof all);
}

void mus_contact_free(mus_contact_room *room) {
  room_list lists[LISTS];
  if (!room)
    return;
  list_lists(room, lists);
  for (int k = 0; k < LISTS; ++k)
    mus_free(lists[k].list->items);
  mus_detector_free(room->detector);
  mus_untangler_free(room->untangler);
  mus_arena_clear(&room->arena);
  mus_free(room);
}

size_t mus_contact_bytes(mus_contact_room *room) {
  room_list lists[LISTS];
  if (!room)
    return 0;
  list_lists(room, lists);
  size_t bytes =
      sizeof *room + room->arena.bytes + mus_detector_bytes(room->detector) + mus_untangler_bytes(room->untangler);
  for (int k = 0; k < LISTS; ++k)
    bytes += lists[k].list->capacity * lists[k].item;
  return bytes;
}

void mus_contact_forget(mus_contact_room *room) { room->tangled = room->search = 1; }

// --- holds -----------------------------------------------------------------------------------------------------------

static int is_cloth(const mus_contact_room *room, int node) { return node < room->surface.cloth_vertices; }

// Whether it is a vertex of cloth on the face of a body, which may be held.
static int may_hold(const mus_contact_room *room, const mus_contact *c) {
  return c->kind == MUS_VERTEX_FACE && is_cloth(room, c->node[0]) && !is_cloth(room, c->node[1]) &&
         !room->pinned[c->node[0]];
}

// The closest of its contacts holds a vertex.
static mus_status choose_holds(mus_contact_room *room, int **chosen) {
  mus_list list = {0};
  for (int i = 0; i < room->surface.cloth_vertices; ++i)
    room->held_of[i] = -1;
  for (size_t k = 0; k < room->near.count; ++k) {
    const mus_contact *c = &mus_contacts(&room->near)[k];
    if (!may_hold(room, c))
      continue;
    int *place = &room->held_of[c->node[0]];
    if (*place < 0) {
      int *item = mus_list_add(&list, sizeof *item);
      if (!item) {
        mus_free(list.items);
        return mus_fail_memory();
      }
      *place = (int)list.count - 1;
      *item = (int)k;
    } else if (c->distance < mus_contacts(&room->near)[((int *)list.items)[*place]].distance) {
      ((int *)list.items)[*place] = (int)k;
    }
  }
  *chosen = list.items;
  return MUS_OK;
}

// A vertex that has cloth between itself and the body is carried by that cloth. Held by the body as well, it would be
// led to where the cloth is.
static void leave_to_cloth_between(mus_contact_room *room, const int *chosen) {
  const mus_contact *near = mus_contacts(&room->near);
  for (size_t k = 0; k < room->near.count; ++k) {
    const mus_contact *c = &near[k];
    if (c->kind != MUS_VERTEX_FACE || !is_cloth(room, c->node[0]) || !is_cloth(room, c->node[1]))
      continue;
    int *place = &room->held_of[c->node[0]];
    if (*place >= 0 && mus_dot3(c->normal, near[chosen[*place]].normal) > 0.5)
      *place = -1;
  }
}

// How far the body's closest point moves in the step.
static void body_way(const mus_contact_room *room, const mus_contact *c, double *way) {
  mus_zero(3, way);
  for (int k = 1; k < 4; ++k) {
    size_t at = 3 * (size_t)c->node[k];
    mus_add_scaled3(-c->weight[k], room->x1 + at, way);
    mus_add_scaled3(c->weight[k], room->x0 + at, way);
  }
}

static double part_along(const double *normal, const double *u, double *across) {
  double along = mus_dot3(normal, u);
  memcpy(across, u, 3 * sizeof *across);
  mus_add_scaled3(-along, normal, across);
  return along;
}

static mus_hold_state next_state(const mus_hold *before, double approach, double distance, double gap) {
  mus_hold_state state = (mus_hold_state)before->state;
  if (state == MUS_HOLD_SLIDES || state == MUS_HOLD_STICKS)
    return state;
  int comes = state == MUS_HOLD_LEFT ? approach < 0 : approach <= 0;
  return comes || distance < gap / 2 ? MUS_HOLD_SLIDES : MUS_HOLD_FREE;
}

// A vertex on a body: where it shall go, and what resists.
//
// Coulomb's friction is linear in the new velocity, so that it can stop a vertex but not turn it back: limit v' / |v|.
// In that form it also holds back what gathers speed, by |v'| / |v|; so along the way of such a vertex it is constant.
static mus_held make_held(const mus_model *model, const mus_contact_room *room, const mus_contact_step *step,
                          const mus_contact *c) {
  int i = c->node[0], body = room->surface.body[c->node[1]];
  size_t at = 3 * (size_t)i;
  const mus_hold *before = &room->hold[i];
  mus_held held = {.vertex = i, .body = body, .friction = room->body_friction[body]};
  double way[3], relative[3], across[3], gap = mus_vertex_face_gap(&room->surface, c->first, c->second);
  memcpy(held.normal, c->normal, sizeof held.normal);
  body_way(room, c, way);
  mus_scale3(1 / step->h, way, held.velocity);
  mus_subtract3(step->velocity + at, held.velocity, relative);
  double approach = part_along(held.normal, relative, across), sliding = sqrt(mus_dot3(across, across));
  held.state = next_state(before, approach, c->distance, gap);
  double back = fmin(recovery * (gap - c->distance), recovery_speed * step->h);
  for (int k = 0; k < 3; ++k)
    held.wanted[k] =
        (step->position[at + (size_t)k] + way[k] + back * held.normal[k] - step->predicted[at + (size_t)k]) /
        step->length;
  // Of a vertex that has just arrived: what stops it, and its weight on earth for a guess.
  double arriving = model->mass[i] * (fmax(-approach, 0) + 9.81 * step->length);
  double push = before->push > 0 ? before->push * step->length : arriving;
  if (held.state == MUS_HOLD_SLIDES) {
    held.limit = held.friction * push;
    held.drag = held.limit / fmax(sliding, creep);
    if (sliding > creep && before->faster)
      mus_scale3(1 / sliding, across, held.along);
  }
  return held;
}

static mus_status make_holds(const mus_model *model, mus_contact_room *room, const mus_contact_step *step) {
  int *chosen = NULL;
  mus_status status = choose_holds(room, &chosen);
  room->held.count = 0;
  if (!status)
    leave_to_cloth_between(room, chosen);
  for (int i = 0; i < room->surface.cloth_vertices && !status; ++i) {
    if (room->held_of[i] < 0)
      continue;
    mus_held held = make_held(model, room, step, &mus_contacts(&room->near)[chosen[room->held_of[i]]]);
    room->held_of[i] = -1;
    if (held.state == MUS_HOLD_FREE)
      continue;
    mus_held *item = mus_list_add(&room->held, sizeof *item);
    if (!item)
      status = mus_fail_memory();
    else
      *item = held;
    room->held_of[i] = (int)room->held.count - 1;
  }
  mus_free(chosen);
  return status;
}

static const mus_held *held_vertices(const mus_contact_room *room) { return room->held.items; }

// --- couplings -------------------------------------------------------------------------------------------------------

// 1 where holds do already what a contact with a body asks for: all its vertices of cloth are held about that way.
static int is_held(const mus_contact_room *room, const mus_contact *c) {
  int bodies = 0;
  for (int k = 0; k < 4; ++k) {
    if (!is_cloth(room, c->node[k])) {
      bodies = 1;
    } else if (c->weight[k] != 0) {
      int held = room->held_of[c->node[k]];
      double along = held < 0 ? 0 : mus_dot3(held_vertices(room)[held].normal, c->normal);
      if ((c->weight[k] > 0 ? along : -along) < 0.5)
        return 0;
    }
  }
  return bodies;
}

static double friction_of(const mus_contact_room *room, const mus_contact *c) {
  for (int k = 0; k < 4; ++k)
    if (!is_cloth(room, c->node[k]))
      return room->body_friction[room->surface.body[c->node[k]]];
  return room->friction;
}

static double gap_of(const mus_contact_room *room, const mus_contact *c) {
  return c->kind == MUS_VERTEX_FACE ? mus_vertex_face_gap(&room->surface, c->first, c->second)
                                    : mus_edge_edge_gap(&room->surface, c->first, c->second);
}

static void set_block(const mus_repulsion *r, double *block) {
  double square[6];
  mus_along_across(r->along, r->across, r->normal, square);
  mus_expand_square(square, block);
}

// m: how much farther apart the step shall bring the two.
static double way_back(double distance, double gap) {
  double close = fmax(1 - distance / (separation * gap), 0);
  return (gap - distance) * (recovery + (1 - recovery) * close * close);
}

// `way`: m, how much farther apart the step shall bring the two.
static mus_status add_coupling(const mus_model *model, mus_contact_room *room, const mus_contact_step *step,
                               const mus_contact *c, double way, double friction) {
  mus_coupling coupling = {0};
  mus_repulsion r = {.apart = fmin(way / step->length, recovery_speed)};
  double relative[3] = {0, 0, 0}, across[3], inverse = 0;
  int cloths = 0; // nodes
  memcpy(r.normal, c->normal, sizeof r.normal);
  for (int k = 0; k < 4; ++k) {
    size_t node = (size_t)c->node[k];
    cloths += is_cloth(room, c->node[k]);
    if (!is_cloth(room, c->node[k])) {
      mus_add_scaled3(c->weight[k] / step->h, room->x1 + 3 * node, r.moving);
      mus_add_scaled3(-c->weight[k] / step->h, room->x0 + 3 * node, r.moving);
    } else if (c->weight[k] != 0) {
      coupling.node[coupling.count] = c->node[k];
      coupling.weight[coupling.count++] = c->weight[k];
      mus_add_scaled3(c->weight[k], step->velocity + 3 * node, relative);
      if (!room->pinned[node])
        inverse += c->weight[k] * c->weight[k] / model->mass[node];
    }
  }
  mus_add_scaled3(1, r.moving, relative);
  double along = part_along(r.normal, relative, across);
  if (inverse == 0 || along >= r.apart)
    return MUS_OK;
  r.along = stiffness / inverse;
  // What presses: that which at rest gives the missing distance, and that which stops an approach.
  double push = r.along * (r.apart - fmax(along, 0)) + fmax(-along, 0) / inverse;
  r.across = friction * push / fmax(sqrt(mus_dot3(across, across)), creep);
  set_block(&r, coupling.block);
  mus_repulsions *list = cloths == 4 ? &room->between : &room->against;
  mus_coupling *to = mus_list_add(&list->couplings, sizeof *to);
  mus_repulsion *also = to ? mus_list_add(&list->effects, sizeof *also) : NULL;
  if (!also)
    return mus_fail_memory();
  *to = coupling;
  *also = r;
  return MUS_OK;
}

static mus_status make_couplings(const mus_model *model, mus_contact_room *room, const mus_contact_step *step) {
  mus_status status = MUS_OK;
  room->between.couplings.count = room->between.effects.count = 0;
  room->against.couplings.count = room->against.effects.count = 0;
  for (size_t k = 0; k < room->near.count && !status; ++k) {
    const mus_contact *c = &mus_contacts(&room->near)[k];
    if (!is_held(room, c))
      status = add_coupling(model, room, step, c, way_back(c->distance, gap_of(room, c)), friction_of(room, c));
  }
  for (size_t k = 0; k < room->pushes.count && !status; ++k) {
    const mus_contact *c = &mus_contacts(&room->pushes)[k];
    status = add_coupling(model, room, step, c, recovery * -c->distance, 0);
  }
  return status;
}

// --- find ------------------------------------------------------------------------------------------------------------

static mus_status place(const mus_model *model, mus_contact_room *room, const mus_contact_step *step) {
  size_t cloth = 3 * (size_t)model->vertices;
  room->length = step->length;
  mus_copy(cloth, step->position, room->x0);
  for (int i = 0; i < model->vertices; ++i)
    room->pinned[i] = step->pinned[i] >= 0;
  mus_status status = mus_bodies_at(model->bodies, step->time, room->x0 + cloth);
  return status ? status : mus_bodies_at(model->bodies, step->time + step->h, room->x1 + cloth);
}

// 1 where something is sewn to one of these vertices.
static int is_sewn(const mus_surface *surface, const int *vertex, int count) {
  for (int k = 0; k < count; ++k)
    if (surface->sewn_start[vertex[k]] < surface->sewn_start[vertex[k] + 1])
      return 1;
  return 0;
}

// The crossings at x0, without those between two sides of seams. Where several panels meet, they are sewn through each
// other; such a place cannot be drawn apart, and what is not let go there stays as it is.
static mus_status look(mus_contact_room *room) {
  const mus_surface *surface = &room->surface;
  mus_status status = mus_detector_crossings(room->detector, room->x0, &room->crossings);
  if (status)
    return status;
  mus_crossing *crossing = room->crossings.items;
  size_t kept = 0;
  for (size_t k = 0; k < room->crossings.count; ++k)
    if (!is_sewn(surface, surface->edge + 2 * (size_t)crossing[k].edge, 2) ||
        !is_sewn(surface, surface->triangle + 3 * (size_t)crossing[k].triangle, 3))
      crossing[kept++] = crossing[k];
  room->crossings.count = kept;
  return MUS_OK;
}

mus_status mus_contact_crossings(const mus_model *model, mus_contact_room *room, const double *position, double time) {
  size_t cloth = 3 * (size_t)model->vertices;
  mus_copy(cloth, position, room->x0);
  mus_status status = mus_bodies_at(model->bodies, time, room->x0 + cloth);
  return status ? status : look(room);
}

// Where there may be crossings: finds them, lets them pass and pushes them apart.
static mus_status untangle(mus_contact_room *room) {
  mus_untangle_record record = {0};
  room->crossings.count = room->pushes.count = room->released.count = 0;
  if (!room->tangled)
    return MUS_OK;
  mus_status status = look(room);
  if (!status && (room->search || room->crossings.count > 0))
    status = mus_untangle_pushes(room->untangler, room->x0, &room->crossings, room->search, &room->pushes,
                                 &room->released, &record);
  if (!status)
    status = mus_detector_release(room->detector, &room->released);
  room->search = record.inside > 0;
  room->tangled = room->crossings.count > 0 || record.inside > 0;
  return status;
}

mus_status mus_contact_find(const mus_model *model, mus_contact_room *room, const mus_contact_step *step,
                            mus_step_record *record) {
  double begin = mus_seconds();
  mus_status status = place(model, room, step);
  if (!status)
    status = untangle(room);
  if (!status)
    status = mus_detector_near(room->detector, room->x0, 1, &room->near);
  if (!status)
    status = make_holds(model, room, step);
  if (!status)
    status = make_couplings(model, room, step);
  record->detect_seconds += mus_seconds() - begin;
  record->body_contacts = (int)room->held.count;
  record->body_contacts += (int)room->against.couplings.count;
  record->cloth_contacts = (int)room->between.couplings.count;
  record->tangled = (int)room->crossings.count;
  return status;
}

// --- the linear system -----------------------------------------------------------------------------------------------

// The impulse of a coupling on weight 1, given its relative velocity.
static void repel(const mus_repulsion *r, const double *relative, double *impulse) {
  double across[3], along = part_along(r->normal, relative, across);
  mus_scale3(r->along * (r->apart - along), r->normal, impulse);
  mus_add_scaled3(-r->across, across, impulse);
}

static void relative_velocity(const mus_coupling *c, const double *moving, const double *velocity, double *relative) {
  memcpy(relative, moving, 3 * sizeof *relative);
  for (int k = 0; k < c->count; ++k)
    mus_add_scaled3(c->weight[k], velocity + 3 * (size_t)c->node[k], relative);
}

// The impulse of friction on a vertex that slides.
static void rub(const mus_held *h, const double *velocity, double *impulse) {
  double relative[3], across[3];
  mus_subtract3(velocity + 3 * (size_t)h->vertex, h->velocity, relative);
  part_along(h->normal, relative, across);
  mus_add_scaled3(-mus_dot3(h->along, across), h->along, across);
  mus_scale3(-h->drag, across, impulse);
  mus_add_scaled3(-h->limit, h->along, impulse);
}

static void load_repulsions(const mus_repulsions *list, const double *velocity, double *right) {
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

// Where the block of two nodes of one element lies.
static size_t block_place(const mus_pattern *pattern, int row, int column) {
  int place = pattern->row_start[row];
  while (pattern->column[place] != column)
    ++place;
  return (size_t)place;
}

static void add_to_matrix(const mus_repulsions *list, mus_matrix *matrix) {
  const mus_coupling *coupling = list->couplings.items;
  for (size_t k = 0; k < list->couplings.count; ++k) {
    const mus_coupling *c = &coupling[k];
    for (int i = 0; i < c->count; ++i)
      for (int j = 0; j < c->count; ++j) {
        double *block = matrix->value + 9 * block_place(matrix->pattern, c->node[i], c->node[j]);
        for (int e = 0; e < 9; ++e)
          block[e] += c->weight[i] * c->weight[j] * c->block[e];
      }
  }
}

void mus_contact_load(const mus_model *model, const mus_contact_room *room, const double *velocity, mus_matrix *matrix,
                      double *right) {
  load_repulsions(&room->between, velocity, right);
  load_repulsions(&room->against, velocity, right);
  if (matrix)
    add_to_matrix(&room->against, matrix);
  for (size_t k = 0; k < room->held.count; ++k) {
    const mus_held *h = &held_vertices(room)[k];
    double impulse[3], square[6], block[9];
    rub(h, velocity, impulse);
    mus_add_scaled3(1, impulse, right + 3 * (size_t)h->vertex);
    if (!matrix || h->drag == 0)
      continue;
    mus_along_across(0, h->drag, h->normal, square);
    mus_add_square(-h->drag, h->along, square);
    mus_expand_square(square, block);
    for (int e = 0; e < 9; ++e)
      matrix->value[9 * (size_t)model->diagonal[h->vertex] + (size_t)e] += block[e];
  }
}

void mus_contact_couple(const mus_contact_room *room, const double *x, double *y) {
  static const double still[3] = {0, 0, 0};
  const mus_coupling *coupling = room->between.couplings.items;
  for (size_t k = 0; k < room->between.couplings.count; ++k) {
    const mus_coupling *c = &coupling[k];
    double relative[3], force[3];
    relative_velocity(c, still, x, relative);
    for (int a = 0; a < 3; ++a)
      force[a] = mus_dot3(c->block + 3 * a, relative);
    for (int n = 0; n < c->count; ++n)
      mus_add_scaled3(c->weight[n], force, y + 3 * (size_t)c->node[n]);
  }
}

void mus_contact_constraint(const mus_held *held, const double *velocity, mus_constraint *out) {
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

// --- after the solve -------------------------------------------------------------------------------------------------

void mus_contact_measure(const mus_model *model, mus_contact_room *room, const mus_matrix *a, const double *change,
                         const double *right) {
  const mus_pattern *pattern = a->pattern;
  double *coupled = room->x1; // its cloth is not there yet
  mus_fill(3 * (size_t)model->vertices, 0, coupled);
  mus_contact_couple(room, change, coupled);
  mus_held *held = room->held.items;
  for (size_t k = 0; k < room->held.count; ++k) {
    size_t i = (size_t)held[k].vertex;
    mus_subtract3(coupled + 3 * i, right + 3 * i, held[k].impulse);
    for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; ++e)
      for (int c = 0; c < 3; ++c)
        held[k].impulse[c] += mus_dot3(a->value + 9 * (size_t)e + 3 * c, change + 3 * (size_t)pattern->column[e]);
  }
}

void mus_contact_forces(const mus_contact_room *room, const double *velocity, double *force) {
  load_repulsions(&room->between, velocity, force);
  load_repulsions(&room->against, velocity, force);
  for (size_t k = 0; k < room->held.count; ++k) {
    const mus_held *h = &held_vertices(room)[k];
    double friction[3], *at = force + 3 * (size_t)h->vertex;
    rub(h, velocity, friction);
    mus_add_scaled3(1, friction, at);
    mus_add_scaled3(1, h->impulse, at);
  }
  for (size_t i = 0; i < 3 * (size_t)room->surface.cloth_vertices; ++i)
    force[i] /= room->length;
}

static double work_of(const mus_repulsions *list, const double *velocity) {
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

double mus_contact_work(const mus_contact_room *room, const double *velocity) {
  double work = work_of(&room->between, velocity) + work_of(&room->against, velocity);
  for (size_t k = 0; k < room->held.count; ++k) {
    const mus_held *h = &held_vertices(room)[k];
    double impulse[3];
    rub(h, velocity, impulse);
    mus_add_scaled3(1, h->impulse, impulse);
    work += mus_dot3(impulse, velocity + 3 * (size_t)h->vertex);
  }
  return work;
}

static mus_response_options response_options(const mus_model *model, const mus_contact_room *room) {
  mus_response_options options = mus_default_response_options();
  options.separation = separation;
  options.mass = model->mass;
  options.held = room->pinned;
  options.friction = room->friction;
  options.body_friction = room->body_friction;
  return options;
}

mus_status mus_contact_respond(const mus_model *model, mus_contact_room *room, double *position, double *velocity,
                               mus_step_record *record, int *changed) {
  size_t n = 3 * (size_t)model->vertices;
  mus_response_options options = response_options(model, room);
  mus_response_record found = {0};
  mus_copy(n, position, room->x1);
  room->impossible.count = 0;
  mus_status status =
      mus_respond(room->detector, &room->surface, &options, room->x0, room->x1, &room->impossible, &found);
  *changed = 0;
  for (size_t i = 0; i < n && !status; ++i) {
    if (room->x1[i] == position[i])
      continue;
    velocity[i] += (room->x1[i] - position[i]) / room->length;
    position[i] = room->x1[i];
    *changed = 1;
  }
  if (found.impossible > 0)
    room->tangled = 1;
  record->impacts = found.impacts;
  record->zones = found.zones;
  record->impossible = found.impossible;
  record->detect_seconds += found.detect_seconds;
  record->respond_seconds += found.respond_seconds;
  return status;
}

// --- keep ------------------------------------------------------------------------------------------------------------

static mus_hold remember(const mus_contact_room *room, const mus_held *held, const double *velocity) {
  double across[3], relative[3], along = part_along(held->normal, held->impulse, across);
  if (along <= 0)
    return (mus_hold){.state = MUS_HOLD_LEFT};
  mus_hold hold = {.push = along / room->length, .state = (int)held->state};
  if (held->state == MUS_HOLD_STICKS) {
    if (sqrt(mus_dot3(across, across)) > held->friction * along)
      hold.state = MUS_HOLD_SLIDES;
    return hold;
  }
  mus_subtract3(velocity + 3 * (size_t)held->vertex, held->velocity, relative);
  part_along(held->normal, relative, across);
  hold.speed = sqrt(mus_dot3(across, across));
  hold.faster = hold.speed > room->hold[held->vertex].speed;
  if (held->friction > 0 && hold.speed < creep_part * creep)
    hold.slow = room->hold[held->vertex].slow + 1;
  if (hold.slow >= CREEP_STEPS)
    hold.state = MUS_HOLD_STICKS;
  return hold;
}

// Held vertices ascend; those between them are free.
void mus_contact_keep(mus_contact_room *room, const double *velocity) {
  int next = 0;
  for (size_t k = 0; k < room->held.count; ++k) {
    const mus_held *held = &held_vertices(room)[k];
    while (next < held->vertex)
      room->hold[next++] = (mus_hold){0};
    room->hold[next++] = remember(room, held, velocity);
  }
  while (next < room->surface.cloth_vertices)
    room->hold[next++] = (mus_hold){0};
}
