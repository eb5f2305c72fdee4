// Contact inside a step. See contact.h.
#include "contact/contact.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "par/par.h"
#include "par/vector.h"

// --- life ------------------------------------------------------------------------------------------------------------

mus_status mus_contact_state_create(mus_arena *arena, int vertices, mus_contact_state *out) {
  mus_contact_state state = {.vertices = vertices};
  state.hold = mus_arena_alloc_zero(arena, (size_t)vertices, sizeof *state.hold);
  if (!state.hold)
    return mus_fail_memory();
  mus_contact_state_forget(&state);
  *out = state;
  return MUS_OK;
}

void mus_contact_state_copy(const mus_contact_state *from, mus_contact_state *to) {
  mus_hold *hold = to->hold;
  if (from->vertices > 0)
    memcpy(hold, from->hold, (size_t)from->vertices * sizeof *hold);
  *to = *from;
  to->hold = hold;
}

void mus_contact_state_forget(mus_contact_state *state) { state->tangled = state->search = 1; }

static mus_status make_embedded(mus_arena *arena, const mus_surface_map *map, mus_embedded_workspace *out) {
  size_t vertices = 3 * (size_t)map->vertices, nodes = 3 * (size_t)map->nodes;
  double **of_vertices[] = {&out->velocity, &out->predicted, &out->proposed};
  double **of_nodes[] = {&out->start, &out->end, &out->push};
  for (int k = 0; k < 3; ++k) {
    *of_vertices[k] = mus_arena_alloc_zero(arena, vertices, sizeof(double));
    *of_nodes[k] = mus_arena_alloc_zero(arena, nodes, sizeof(double));
    if (!*of_vertices[k] || !*of_nodes[k])
      return mus_fail_memory();
  }
  out->stopped = mus_arena_alloc_zero(arena, (size_t)map->nodes + (size_t)map->vertices, 1);
  return out->stopped ? MUS_OK : mus_fail_memory();
}

static mus_status fill(const mus_model *model, const mus_embedded_surface *embedded, mus_contact_workspace *work) {
  mus_contact_motion *motion = &work->motion;
  mus_status status = mus_contact_model_create(&work->arena, model, embedded, &work->model);
  if (!status && embedded)
    status = make_embedded(&work->arena, &work->model.map, &work->embedded);
  if (status)
    return status;
  const mus_surface *surface = &work->model.surface;
  size_t all = 3 * (size_t)surface->vertices, cloth = (size_t)surface->cloth_vertices;
  motion->x0 = mus_arena_alloc_zero(&work->arena, all, sizeof *motion->x0);
  motion->x1 = mus_arena_alloc_zero(&work->arena, all, sizeof *motion->x1);
  motion->pinned = mus_arena_alloc_zero(&work->arena, cloth, 1);
  work->holds.place = mus_arena_alloc(&work->arena, cloth, sizeof *work->holds.place);
  work->looked = mus_arena_alloc_zero(&work->arena, 3 * cloth, sizeof *work->looked);
  work->pressed = mus_arena_alloc_zero(&work->arena, (size_t)work->model.map.nodes, sizeof *work->pressed);
  work->kept = mus_arena_alloc_zero(&work->arena, cloth, 1);
  work->moved = mus_arena_alloc_zero(&work->arena, (size_t)surface->vertices, 1);
  if (!motion->x0 || !motion->x1 || !motion->pinned || !work->holds.place || !work->looked || !work->moved ||
      !work->kept || !work->pressed)
    return mus_fail_memory();
  mus_map_to_surface(&work->model.map, model->start, motion->x0);
  mus_contact_model_place_lattices(&work->model, model->start, motion->x0);
  status = mus_bodies_at(work->model.bodies, 0, motion->x0 + 3 * cloth);
  if (!status)
    status = mus_stop_check();
  if (!status)
    status = mus_detector_create(surface, motion->x0, &work->detector);
  if (!status)
    status = mus_stop_check();
  return status ? status : mus_untangler_create(surface, motion->x0, &work->untangler);
}

mus_status mus_contact_create(const mus_model *model, const mus_embedded_surface *embedded,
                              mus_contact_workspace **out) {
  *out = NULL;
  if (!model->scene->contact || model->scene->contact_with != MUS_CONTACT_ALL)
    return MUS_OK;
  mus_contact_workspace *work = mus_alloc_zero(1, sizeof *work);
  if (!work)
    return mus_fail_memory();
  mus_status status = fill(model, embedded, work);
  if (status)
    mus_contact_free(work);
  else
    *out = work;
  return status;
}

// A list of the workspace and the bytes of its items.
typedef struct sized_list {
  mus_list *list;
  size_t item;
} sized_list;

enum { LISTS = 17 };

static void list_lists(mus_contact_workspace *work, sized_list lists[LISTS]) {
  const sized_list all[LISTS] = {{&work->near, sizeof(mus_contact)},
                                 {&work->pushes, sizeof(mus_contact)},
                                 {&work->impossible, sizeof(mus_contact)},
                                 {&work->impacts, sizeof(mus_contact)},
                                 {&work->met, sizeof(mus_met)},
                                 {&work->offences, sizeof(mus_offence)},
                                 {&work->crossings, sizeof(mus_crossing)},
                                 {&work->released, sizeof(mus_crossing)},
                                 {&work->holds.held, sizeof(mus_held)},
                                 {&work->beyond.couplings, sizeof(mus_coupling)},
                                 {&work->beyond.effects, sizeof(mus_repulsion)},
                                 {&work->beyond.nodes, sizeof(int)},
                                 {&work->beyond.weights, sizeof(double)},
                                 {&work->within.couplings, sizeof(mus_coupling)},
                                 {&work->within.effects, sizeof(mus_repulsion)},
                                 {&work->within.nodes, sizeof(int)},
                                 {&work->within.weights, sizeof(double)}};
  memcpy(lists, all, sizeof all);
}

void mus_contact_free(mus_contact_workspace *work) {
  sized_list lists[LISTS];
  if (!work)
    return;
  list_lists(work, lists);
  for (int k = 0; k < LISTS; ++k)
    mus_free(lists[k].list->items);
  mus_detector_free(work->detector);
  mus_untangler_free(work->untangler);
  mus_arena_clear(&work->arena);
  mus_free(work);
}

size_t mus_contact_bytes(mus_contact_workspace *work) {
  sized_list lists[LISTS];
  if (!work)
    return 0;
  list_lists(work, lists);
  size_t bytes =
      sizeof *work + work->arena.bytes + mus_detector_bytes(work->detector) + mus_untangler_bytes(work->untangler);
  for (int k = 0; k < LISTS; ++k)
    bytes += lists[k].list->capacity * lists[k].item;
  return bytes;
}

// --- find ------------------------------------------------------------------------------------------------------------

// A vertex is pinned if all nodes that carry it are.
static void find_pinned(const mus_surface_map *map, const int *node_pinned, unsigned char *pinned) {
  MUS_PARALLEL_FOR_IF(map->vertices >= MUS_PAR_MINIMUM)
  for (int i = 0; i < map->vertices; ++i) {
    mus_carriers by = mus_map_carriers(map, &i);
    pinned[i] = 1;
    for (int k = 0; k < by.count; ++k)
      pinned[i] &= node_pinned[by.node[k]] >= 0 || by.weight[k] == 0;
  }
}

static mus_status place(const mus_contact_step *step, mus_contact_workspace *work) {
  mus_contact_motion *motion = &work->motion;
  const mus_surface_map *map = &work->model.map;
  size_t cloth = 3 * (size_t)map->vertices;
  work->model.map.ties = mus_map_is_identity(map) ? step->ties : NULL;
  motion->h = step->h;
  motion->length = step->length;
  motion->still = step->still;
  motion->one_sided = step->one_sided;
  motion->velocity = mus_map_on_surface(map, step->velocity, work->embedded.velocity);
  motion->predicted = mus_map_on_surface(map, step->predicted, work->embedded.predicted);
  motion->node_velocity = step->velocity;
  motion->node_pinned = step->pinned;
  mus_map_to_surface(map, step->position, motion->x0);
  if (!mus_map_is_identity(map))
    mus_copy(3 * (size_t)map->nodes, step->position, work->embedded.start);
  find_pinned(map, step->pinned, motion->pinned);
  work->looks = work->revisions = 0;
  work->met.count = 0;
  mus_contact_model_place_lattices(&work->model, step->position, motion->x0);
  if (step->end)
    mus_contact_model_place_lattices(&work->model, step->end, motion->x1);
  mus_status status = mus_bodies_at(work->model.bodies, step->time, motion->x0 + cloth);
  return status
             ? status
             : mus_bodies_at(work->model.bodies, step->still ? step->time : step->time + step->h, motion->x1 + cloth);
}

// 1 where something is sewn to one of these vertices.
static int is_sewn(const mus_surface *surface, const int *vertex, int count) {
  for (int k = 0; k < count; ++k)
    if (surface->sewn_start[vertex[k]] < surface->sewn_start[vertex[k] + 1])
      return 1;
  return 0;
}

// The crossings at x, without those between two sides of seams. Where several panels meet, they are sewn through each
// other; such a place cannot be drawn apart, and what is not let go there stays as it is.
static mus_status look(mus_detector *detector, const mus_surface *surface, const double *x, mus_list *crossings) {
  mus_status status = mus_detector_crossings(detector, x, crossings);
  if (status)
    return status;
  mus_crossing *crossing = crossings->items;
  size_t kept = 0;
  for (size_t k = 0; k < crossings->count; ++k)
    if (!is_sewn(surface, surface->edge + 2 * (size_t)crossing[k].edge, 2) ||
        !is_sewn(surface, surface->triangle + 3 * (size_t)crossing[k].triangle, 3))
      crossing[kept++] = crossing[k];
  crossings->count = kept;
  return MUS_OK;
}

mus_status mus_contact_crossings(mus_contact_workspace *work, const double *position, double time) {
  size_t cloth = 3 * (size_t)work->model.surface.cloth_vertices;
  double *x = work->motion.x0;
  mus_map_to_surface(&work->model.map, position, x);
  mus_contact_model_place_lattices(&work->model, position, x);
  mus_status status = mus_bodies_at(work->model.bodies, time, x + cloth);
  return status ? status : look(work->detector, &work->model.surface, x, &work->crossings);
}

// The mean of the vertices around it.
static void mean_around(const mus_surface *surface, const double *position, int vertex, double *mean) {
  int count = 0;
  mus_zero(3, mean);
  for (int k = surface->vertex_start[vertex]; k < surface->vertex_start[vertex + 1]; ++k)
    for (int c = 0; c < 3; ++c) {
      int other = surface->triangle[3 * (size_t)surface->vertex_triangle[k] + (size_t)c];
      if (other == vertex)
        continue;
      mus_add_scaled3(1, position + 3 * (size_t)other, mean);
      ++count;
    }
  mus_scale3(1.0 / count, mean, mean);
}

void mus_contact_smooth(const mus_contact_workspace *work, double *position) {
  const mus_surface *surface = &work->model.surface;
  const mus_crossing *crossing = work->crossings.items;
  for (size_t i = 0; i < work->crossings.count && mus_map_is_identity(&work->model.map); ++i) {
    const int *end = surface->edge + 2 * (size_t)crossing[i].edge;
    const int *corner = surface->triangle + 3 * (size_t)crossing[i].triangle;
    const int vertex[5] = {end[0], end[1], corner[0], corner[1], corner[2]};
    for (int k = 0; k < 5; ++k)
      if (vertex[k] < surface->cloth_vertices && !work->motion.pinned[vertex[k]])
        mean_around(surface, position, vertex[k], position + 3 * (size_t)vertex[k]);
  }
}

// Where there may be crossings: finds them, lets them pass and pushes them apart.
static mus_status untangle(mus_contact_state *state, mus_contact_workspace *work) {
  mus_untangle_record record = {0};
  const double *x = work->motion.x0;
  work->crossings.count = work->pushes.count = work->released.count = 0;
  if (!state->tangled)
    return MUS_OK;
  mus_status status = look(work->detector, &work->model.surface, x, &work->crossings);
  if (!status && (state->search || work->crossings.count > 0))
    status = mus_untangle_pushes(work->untangler, x, &work->crossings, state->search, &work->pushes, &work->released,
                                 &record);
  if (!status)
    status = mus_detector_release(work->detector, &work->released,
                                  record.inside > 0 || work->crossings.count > 0 ? mus_untangler_loose(work->untangler)
                                                                                 : NULL);
  if (status)
    return status;
  state->search = record.inside > 0;
  state->tangled = work->crossings.count > 0 || record.inside > 0;
  return MUS_OK;
}

mus_status mus_contact_find(const mus_contact_step *step, mus_contact_state *state, mus_contact_workspace *work,
                            mus_step_record *record) {
  double begin = mus_seconds();
  mus_status status = place(step, work);
  if (!status)
    status = untangle(state, work);
  if (!status)
    status = mus_stop_check();
  if (!status)
    status = mus_detector_near(work->detector, work->motion.x0, 1, &work->near);
  if (!status)
    status = mus_holds_make(&work->model, &work->motion, state->hold, &work->near, &work->pushes, &work->holds);
  if (!status)
    status = mus_repulsions_make(&work->model, &work->motion, &work->holds, &work->near, &work->pushes, &work->beyond,
                                 &work->within);
  record->detect_seconds += mus_seconds() - begin;
  record->body_contacts = (int)work->holds.held.count;
  record->body_contacts += (int)work->within.couplings.count;
  record->cloth_contacts = (int)work->beyond.couplings.count;
  record->tangled = (int)work->crossings.count;
  return status;
}

// --- the linear system -----------------------------------------------------------------------------------------------

void mus_contact_load(const mus_contact_workspace *work, const double *velocity, mus_matrix *matrix, double *right) {
  mus_repulsions_load(&work->beyond, velocity, right);
  mus_repulsions_load(&work->within, velocity, right);
  if (matrix) {
    mus_repulsions_linearise(&work->beyond, velocity);
    mus_repulsions_linearise(&work->within, velocity);
    mus_repulsions_add(&work->within, matrix);
  }
  mus_holds_load(&work->model.map, &work->holds, velocity, matrix, right);
}

double mus_contact_energy(const mus_contact_workspace *work, const double *velocity) {
  return mus_repulsions_energy(&work->beyond, velocity) + mus_repulsions_energy(&work->within, velocity) +
         mus_holds_energy(&work->model.map, &work->holds, velocity);
}

mus_status mus_contact_lump(const mus_contact_workspace *work, mus_shared_blocks *to) {
  mus_status status = mus_repulsions_lump(&work->beyond, to);
  if (!status)
    status = mus_repulsions_lump(&work->within, to);
  return status ? status : mus_holds_lump(&work->model.map, &work->holds, to);
}

int mus_contact_constraints(const mus_contact_workspace *work) {
  return mus_map_is_identity(&work->model.map) ? (int)work->holds.held.count : 0;
}

void mus_contact_constraint(const mus_contact_workspace *work, int k, const double *velocity, mus_constraint *out) {
  mus_hold_constraint(&mus_held_vertices(&work->holds)[k], velocity, out);
}

void mus_contact_couple(const mus_contact_workspace *work, const double *x, double *y) {
  mus_repulsions_multiply_add(&work->beyond, x, y);
}

// --- after the solve -------------------------------------------------------------------------------------------------

void mus_contact_measure(mus_contact_workspace *work, const mus_matrix *a, const double *change, const double *velocity,
                         const double *right) {
  if (!mus_map_is_identity(&work->model.map)) {
    mus_holds_measure_terms(&work->model.map, &work->holds, velocity);
    return;
  }
  double *coupled = work->motion.x1; // its cloth is not there yet
  mus_fill(3 * (size_t)work->model.map.nodes, 0, coupled);
  mus_contact_couple(work, change, coupled);
  mus_holds_measure_constraints(&work->holds, a, change, right, coupled);
}

void mus_contact_measure_left(mus_contact_workspace *work, const double *left, const double *velocity) {
  mus_fill((size_t)work->model.map.nodes, 0, work->pressed);
  mus_repulsions_press(&work->within, velocity, work->pressed);
  if (mus_map_is_identity(&work->model.map))
    mus_holds_measure_left(&work->holds, left);
  else
    mus_holds_measure_terms(&work->model.map, &work->holds, velocity);
}

void mus_contact_forces(const mus_contact_workspace *work, const double *velocity, double *force) {
  mus_repulsions_load(&work->beyond, velocity, force);
  mus_repulsions_load(&work->within, velocity, force);
  mus_holds_impulses(&work->model.map, &work->holds, velocity, force);
  for (size_t i = 0; i < 3 * (size_t)work->model.map.nodes; ++i)
    force[i] /= work->motion.length;
}

double mus_contact_work(const mus_contact_workspace *work, const double *velocity) {
  double repelled = mus_repulsions_work(&work->beyond, velocity) + mus_repulsions_work(&work->within, velocity);
  return mus_holds_work(&work->model.map, &work->holds, velocity, repelled);
}

double mus_contact_body_speed(const mus_contact_workspace *work) {
  const mus_surface *surface = &work->model.surface;
  double farthest = 0;
  for (size_t v = (size_t)surface->cloth_vertices; v < (size_t)surface->vertices; ++v) {
    double way[3];
    mus_subtract3(work->motion.x1 + 3 * v, work->motion.x0 + 3 * v, way);
    farthest = fmax(farthest, mus_dot3(way, way));
  }
  return sqrt(farthest) / work->motion.h;
}

void mus_contact_keep(const mus_contact_workspace *work, const double *velocity, mus_contact_state *state) {
  mus_holds_remember(&work->model.map, &work->motion, &work->holds, velocity, state->hold);
  for (int i = 0; i < work->model.map.vertices && work->motion.one_sided && mus_map_is_identity(&work->model.map); ++i)
    if (work->pressed[i] > 0 && work->holds.place[i] < 0)
      state->hold[i] = (mus_hold){.push = work->pressed[i] / work->motion.length, .state = MUS_HOLD_SLIDES};
}
