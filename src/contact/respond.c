// The response to what would pass through something after the solve. See contact.h.
//
// Response is found for vertices of the surface (collide/response.h). Cloth takes it as it is. A surface that is
// embedded can only go where its nodes take it: the impulses m_s d_s that would move its vertices by d_s go to the
// nodes by the map's transpose, which keeps momentum, scaled together so that the vertices which had to move do so as
// nearly as they can. What is left is found in the next round. In the end, nodes below vertices that still would pass
// through something stay where they were: each round stops at least one more, and where all stand still, nothing
// passes.
#include "base/timer.h"
#include "contact/contact.h"
#include "par/vector.h"

enum { PUSH_ROUNDS = 10 };

// While time stands still, what does not find its way at once waits for the next step.
static const double still_relaxations = 1e6;

static mus_response_options options_of(const mus_contact_model *model, const mus_contact_motion *motion,
                                       const unsigned char *held, mus_winding *solids) {
  mus_response_options options = mus_default_response_options();
  options.separation = MUS_SEPARATION;
  options.mass = model->mass;
  options.held = held;
  options.solids = solids;
  if (motion->still) {
    options.relaxations = still_relaxations;
  } else {
    options.friction = model->friction;
    options.body_friction = model->body_friction;
  }
  return options;
}

// One search for impacts, with the response to them in x1; the record is added to.
static mus_status respond_once(mus_contact_workspace *work, const unsigned char *held, mus_step_record *record) {
  mus_response_options options = options_of(&work->model, &work->motion, held, mus_untangler_winding(work->untangler));
  if (mus_map_is_identity(&work->model.map)) {
    options.ties = work->model.map.ties;
    options.joined = work->joined;
    options.more = work->more;
  }
  mus_response_record found = {0};
  work->impossible.count = 0;
  mus_status status = mus_respond(work->detector, &work->model.surface, &options, work->motion.x0, work->motion.x1,
                                  &work->impossible, &found);
  record->impacts += found.impacts;
  record->zones += found.zones;
  record->impossible = found.impossible;
  work->closed = found.closed;
  record->detect_seconds += found.detect_seconds;
  record->respond_seconds += found.respond_seconds;
  return status;
}

// --- embedded surfaces -----------------------------------------------------------------------------------------------

// Whether the response moves a vertex, and how far.
static int is_moved(const mus_contact_workspace *work, int vertex, double *way) {
  mus_subtract3(work->motion.x1 + 3 * (size_t)vertex, work->embedded.proposed + 3 * (size_t)vertex, way);
  return way[0] != 0 || way[1] != 0 || way[2] != 0;
}

// How far nodes go by the impulses that would move the surface, into `push`.
static void find_push(const mus_contact_workspace *work, double *push) {
  const mus_contact_model *model = &work->model;
  double way[3];
  mus_fill(3 * (size_t)model->map.nodes, 0, push);
  for (int s = 0; s < model->map.vertices; ++s)
    if (is_moved(work, s, way)) {
      mus_scale3(model->mass[s], way, way);
      mus_map_add(&model->map, s, way, push);
    }
  for (int n = 0; n < model->map.nodes; ++n)
    mus_scale3(work->motion.node_pinned[n] < 0 ? 1 / model->node_mass[n] : 0, push + 3 * (size_t)n,
               push + 3 * (size_t)n);
}

// The factor of the push that brings the vertices which had to move nearest to where they should be.
static double push_factor(const mus_contact_workspace *work, const double *push) {
  const mus_contact_model *model = &work->model;
  double way[3], reached[3], along = 0, square = 0;
  for (int s = 0; s < model->map.vertices; ++s)
    if (is_moved(work, s, way)) {
      mus_map_value(&model->map, s, push, reached);
      along += model->mass[s] * mus_dot3(way, reached);
      square += model->mass[s] * mus_dot3(reached, reached);
    }
  return square > 0 ? along / square : 0;
}

// Nodes below vertices that would still pass through something stay where they were.
static void stop_nodes(mus_contact_workspace *work) {
  const mus_surface_map *map = &work->model.map;
  const mus_embedded_workspace *e = &work->embedded;
  unsigned char *node_stopped = e->stopped, *vertex_stopped = e->stopped + map->nodes;
  double way[3];
  for (int s = 0; s < map->vertices; ++s) {
    mus_carriers by = mus_map_carriers(map, &s);
    for (int k = 0; k < by.count && is_moved(work, s, way); ++k) {
      size_t at = 3 * (size_t)by.node[k];
      if (work->motion.node_pinned[by.node[k]] >= 0)
        continue;
      node_stopped[by.node[k]] = 1;
      memcpy(e->end + at, e->start + at, 3 * sizeof *e->end);
    }
  }
  for (int s = 0; s < map->vertices; ++s) {
    mus_carriers by = mus_map_carriers(map, &s);
    vertex_stopped[s] = 1;
    for (int k = 0; k < by.count; ++k)
      vertex_stopped[s] &= node_stopped[by.node[k]] || work->motion.node_pinned[by.node[k]] >= 0 || by.weight[k] == 0;
  }
}

static mus_status respond_by_nodes(mus_contact_workspace *work, mus_step_record *record) {
  const mus_surface_map *map = &work->model.map;
  mus_embedded_workspace *e = &work->embedded;
  double way[3];
  memset(e->stopped, 0, (size_t)map->nodes);
  memcpy(e->stopped + map->nodes, work->motion.pinned, (size_t)map->vertices);
  for (int round = 0;; ++round) {
    mus_map_to_surface(map, e->end, e->proposed);
    mus_copy(3 * (size_t)map->vertices, e->proposed, work->motion.x1);
    mus_status status = respond_once(work, e->stopped + map->nodes, record);
    int moved = 0;
    for (int s = 0; s < map->vertices && !moved; ++s)
      moved = is_moved(work, s, way);
    if (status || !moved)
      return status;
    if (round < PUSH_ROUNDS) {
      find_push(work, e->push);
      mus_axpy(3 * (size_t)map->nodes, push_factor(work, e->push), e->push, e->end);
    } else {
      stop_nodes(work);
    }
  }
}

// --- all -------------------------------------------------------------------------------------------------------------

mus_status mus_contact_respond(mus_contact_state *state, mus_contact_workspace *work, double *position,
                               double *velocity, mus_step_record *record, int *changed) {
  int direct = mus_map_is_identity(&work->model.map);
  double *end = direct ? work->motion.x1 : work->embedded.end;
  size_t n = 3 * (size_t)work->model.map.nodes;
  mus_copy(n, position, end);
  record->impacts = record->zones = record->impossible = 0;
  mus_status status = direct ? respond_once(work, work->motion.pinned, record) : respond_by_nodes(work, record);
  *changed = 0;
  for (size_t i = 0; i < n && !status; ++i) {
    if (end[i] == position[i])
      continue;
    velocity[i] += (end[i] - position[i]) / work->motion.length;
    position[i] = end[i];
    *changed = 1;
  }
  if (record->impossible > 0)
    state->tangled = 1;
  return status;
}
