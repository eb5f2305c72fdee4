// See pins.h.
#include "model/pins.h"

#include "base/error.h"
#include "base/vector3.h"
#include "io/scene.h"

// --- which vertices --------------------------------------------------------------------------------------------------

// Of a vertex that the pin does not name.
static const double unnamed = -1;

static int inside(int count, const double *low, const double *high, const double *x) {
  for (int c = 0; c < count; ++c)
    if (x[c] < low[c] || x[c] > high[c])
      return 0;
  return 1;
}

// Those that the selection names by their numbers, with weights of their own where these are given.
static mus_status name_vertices(const mus_model_part *c, const mus_pin *pin, double *weight) {
  const mus_selection *s = &pin->where;
  for (int k = 0; k < s->vertex_count; ++k) {
    int vertex;
    mus_status status = mus_part_vertex(&c->shape, s->vertices[k], &vertex);
    if (status)
      return status;
    weight[vertex] = pin->weight_count > 0 ? pin->weights[k] : pin->weight;
  }
  // What lies between two that are named is named with them.
  const mus_refinement *r = c->shape.refined;
  for (int v = r ? r->before : 0; r && v < r->vertices; ++v) {
    const int *parent = r->parent + 2 * (size_t)(v - r->before);
    double one = weight[mus_part_simulated(&c->shape, parent[0])],
           other = weight[mus_part_simulated(&c->shape, parent[1])];
    if (one >= 0 && other >= 0)
      weight[mus_part_simulated(&c->shape, v)] = (one + other) / 2;
  }
  return MUS_OK;
}

// Gives the cloth's vertices that the pin names their weights.
static mus_status select_vertices(const mus_model_part *c, const mus_pin *pin, double *weight) {
  const mus_selection *s = &pin->where;
  const mus_mesh *mesh = &c->shape.mesh;
  const mus_topology *topology = &c->shape.topology;
  unsigned char *held = mus_alloc_zero((size_t)mesh->vertices, 1);
  mus_status status = held ? name_vertices(c, pin, weight) : mus_fail_memory();
  for (int i = 0; i < mesh->vertices && !status; ++i) {
    const double *x = mesh->position + 3 * (size_t)i;
    double away[3] = {x[0] - s->sphere[0], x[1] - s->sphere[1], x[2] - s->sphere[2]};
    held[i] = (s->box_given && inside(3, s->box[0], s->box[1], x)) ||
              (s->sphere_given && s->sphere[3] >= 0 && mus_dot3(away, away) <= s->sphere[3] * s->sphere[3]);
  }
  for (int e = 0; e < topology->edges && s->boundary && !status; ++e)
    if (mus_edge_sides(topology, e) == 1)
      held[topology->edge[2 * e]] = held[topology->edge[2 * e + 1]] = 1;
  for (size_t k = 0; k < 3 * (size_t)mesh->triangles && s->material_given && !status; ++k)
    if (mesh->material && inside(2, s->material[0], s->material[1], mesh->material + 2 * k))
      held[mesh->triangle[k]] = 1;
  for (int i = 0; i < mesh->vertices && !status; ++i)
    if (held[i] && weight[i] < 0)
      weight[i] = pin->weight;
  mus_free(held);
  return status;
}

// --- how firmly ------------------------------------------------------------------------------------------------------

static const double usual_gravity = 9.81, usual_sag = 0.01; // m/s^2, m
static const double exact = 1 - 1e-6;                       // weights from here on: springs would give by nanometres

static void weigh_pin(const mus_model *model, mus_model_pin *pin) {
  const mus_model_part *c = &model->parts[pin->part];
  double whole = 0, held = 0;
  for (int i = 0; i < c->shape.mesh.vertices; ++i)
    whole += model->mass[c->first_vertex + i];
  for (int k = 0; k < pin->count; ++k)
    held += model->mass[pin->vertex[k]];
  for (int k = 0; k < pin->count; ++k) {
    double w = pin->weight[k], share = model->mass[pin->vertex[k]] / held;
    if (pin->source->stiffness > 0)
      pin->stiffness[k] = pin->source->stiffness;
    else
      pin->stiffness[k] = w < exact ? whole * usual_gravity / usual_sag * w / (1 - w) * share : 0;
  }
}

void mus_model_weigh_pins(mus_model *model) {
  for (int p = 0; p < model->pin_count; ++p)
    weigh_pin(model, &model->pins[p]);
}

// --- pins ------------------------------------------------------------------------------------------------------------

// Takes the vertices with a weight above 0; the others are free.
static mus_status take(mus_model *model, const mus_model_part *c, const double *weight, mus_model_pin *pin) {
  int named = 0, count = 0, vertices = c->shape.mesh.vertices;
  for (int i = 0; i < vertices; ++i) {
    named += weight[i] >= 0;
    count += weight[i] > 0;
  }
  if (named == 0)
    return mus_fail(MUS_BAD_INPUT, "holds no vertex: check its \"where\" against the cloth's place");
  pin->vertex = mus_arena_alloc(&model->arena, (size_t)count, sizeof *pin->vertex);
  pin->weight = mus_arena_alloc(&model->arena, (size_t)count, sizeof *pin->weight);
  pin->stiffness = mus_arena_alloc(&model->arena, (size_t)count, sizeof *pin->stiffness);
  if (!pin->vertex || !pin->weight || !pin->stiffness)
    return mus_fail_memory();
  for (int i = 0; i < vertices; ++i)
    if (weight[i] > 0) {
      pin->vertex[pin->count] = i + c->first_vertex;
      pin->weight[pin->count++] = weight[i];
    }
  pin->first_bond = model->bond_count;
  model->bond_count += pin->body >= 0 ? count : 0;
  return MUS_OK;
}

static mus_status make_pin(mus_model *model, int part, const mus_pin *source, mus_model_pin *pin) {
  const mus_model_part *c = &model->parts[part];
  double *weight = mus_alloc((size_t)c->shape.mesh.vertices, sizeof *weight);
  mus_status status = weight ? mus_pin_check(source) : mus_fail_memory();
  if (!status && (source->where.inside || source->where.touching || source->where.bones > 0))
    status =
        mus_fail(MUS_BAD_INPUT, "\"inside\", \"touching\" and \"bones\" select cells of a solid on a lattice: give "
                                "\"box\", \"sphere\" or \"vertices\"");
  for (int i = 0; i < c->shape.mesh.vertices && !status; ++i)
    weight[i] = unnamed;
  if (!status)
    status = select_vertices(c, source, weight);
  *pin = (mus_model_pin){
      .source = source, .part = part, .body = source->body ? mus_scene_body_named(model->scene, source->body) : -1};
  if (!status && source->body && pin->body < 0)
    status =
        mus_fail(MUS_BAD_INPUT, "there is no body \"%s\" to be bound to: give the \"name\" of a body", source->body);
  if (!status)
    status = take(model, c, weight, pin);
  if (!status)
    weigh_pin(model, pin);
  mus_free(weight);
  return status;
}

mus_status mus_model_make_pins(mus_model *model) {
  int total = 0;
  for (int k = 0; k < model->part_count; ++k)
    total += model->parts[k].pins;
  model->pins = mus_arena_alloc_zero(&model->arena, (size_t)total, sizeof *model->pins);
  if (!model->pins)
    return mus_fail_memory();
  for (int k = 0; k < model->part_count; ++k)
    for (int p = 0; p < model->parts[k].pins; ++p) {
      mus_status status = make_pin(model, k, &model->parts[k].pin[p], &model->pins[model->pin_count++]);
      if (status)
        return mus_fail_prefix(status, "%s.pins[%d]", mus_model_part_title(model, k).text, p);
    }
  return MUS_OK;
}
