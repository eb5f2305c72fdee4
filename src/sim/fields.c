// Numbers a vertex that tell how a simulation is doing: see mus_sim_field() in muslin/sim.h.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "energy/heat.h"
#include "par/par.h"
#include "par/vector.h"
#include "sim/solid_fields.h"

const char *mus_field_name(mus_field field) {
  static const char *const names[MUS_FIELDS] = {"stretch", "bend", "contact", "residual", "stress", "volume"};
  return (int)field >= 0 && field < MUS_FIELDS ? names[field] : NULL;
}

// Made when first asked for: most simulations never are.
struct mus_sim_fields {
  mus_arena arena;
  mus_heat_plan *plan; // parts; those of cloths are made
  mus_solid_fields solids;
  double *value; // vertices, in the order that is simulated
  double *force; // vertices * 3
};

void mus_sim_fields_free(struct mus_sim_fields *fields) {
  if (!fields)
    return;
  mus_arena_clear(&fields->arena);
  mus_free(fields);
}

size_t mus_sim_fields_bytes(const struct mus_sim_fields *fields) {
  return fields ? sizeof *fields + fields->arena.bytes : 0;
}

static mus_status make_fields(mus_sim *sim) {
  const mus_model *m = &sim->model;
  struct mus_sim_fields *fields = mus_alloc_zero(1, sizeof *fields);
  if (!fields)
    return mus_fail_memory();
  fields->plan = mus_arena_alloc_zero(&fields->arena, (size_t)m->part_count, sizeof *fields->plan);
  fields->value = mus_arena_alloc_zero(&fields->arena, (size_t)m->vertices, sizeof *fields->value);
  fields->force = mus_arena_alloc_zero(&fields->arena, 3 * (size_t)m->vertices, sizeof *fields->force);
  mus_status status = fields->plan && fields->value && fields->force ? MUS_OK : mus_fail_memory();
  for (int k = 0; k < m->part_count && m->parts[k].cloth && !status; ++k)
    status = mus_heat_plan_create(&fields->arena, &m->parts[k].shape.mesh, &fields->plan[k]);
  if (!status)
    status = mus_solid_fields_create(&fields->arena, m, &fields->solids);
  if (status)
    mus_sim_fields_free(fields);
  else
    sim->fields = fields;
  return status;
}

static void fill_heat(mus_sim *sim, mus_field field, double *value) {
  for (int k = 0; k < sim->model.part_count; ++k) {
    const mus_model_part *part = &sim->model.parts[k];
    size_t first = (size_t)part->first_vertex;
    const double *position = sim->state.position + 3 * first;
    if (part->solid)
      mus_solid_fields_fill(&sim->fields->solids, sim, k, field, value + first);
    else if (field == MUS_FIELD_STRETCH || field == MUS_FIELD_BEND)
      (field == MUS_FIELD_STRETCH ? mus_heat_stretch : mus_heat_bend)(&sim->fields->plan[k], position, value + first);
    else
      mus_fill((size_t)part->shape.mesh.vertices, (double)NAN, value + first);
  }
}

static void fill_contact(mus_sim *sim, double *value) {
  size_t n = 3 * (size_t)sim->model.vertices;
  mus_fill(n, 0, sim->fields->force);
  if (sim->contact && sim->state.step_before > 0)
    mus_contact_forces(sim->contact, sim->state.velocity, sim->fields->force);
  mus_heat_length(sim->model.vertices, sim->fields->force, value);
}

mus_status mus_sim_field(mus_sim *sim, mus_field field, double *value) {
  if (!mus_field_name(field))
    return mus_fail(MUS_BAD_INPUT, "there is no field of number %d", (int)field);
  mus_status status = sim->fields ? MUS_OK : make_fields(sim);
  if (status)
    return status;
  if (field == MUS_FIELD_RESIDUAL) {
    mus_heat_length(sim->model.vertices, mus_sim_residual(sim), value);
    return MUS_OK;
  }
  int before = mus_par_set_threads(sim->settings.solver.threads);
  if (field == MUS_FIELD_CONTACT)
    fill_contact(sim, sim->fields->value);
  else
    fill_heat(sim, field, sim->fields->value);
  mus_par_set_threads(before);
  mus_sim_restore_order(sim, 1, sim->fields->value, value);
  return MUS_OK;
}

mus_status mus_sim_measure(mus_sim *sim, int part, mus_solid_measure *measure) {
  mus_status status = sim->fields ? MUS_OK : make_fields(sim);
  if (status)
    return status;
  const mus_part_shape *shape = &sim->model.parts[part].shape;
  int before = mus_par_set_threads(sim->settings.solver.threads);
  mus_solid_fields_measure(&sim->fields->solids, sim, part);
  mus_par_set_threads(before);
  for (int t = 0; t < shape->tetrahedra; ++t)
    measure[shape->tetrahedron ? shape->tetrahedron[t] : t] = sim->fields->solids.measure[t];
  return MUS_OK;
}

mus_status mus_sim_stresses(mus_sim *sim, double *const value[3]) {
  static const mus_field fields[3] = {MUS_FIELD_STRESS, MUS_FIELD_VOLUME, MUS_FIELD_STRETCH};
  mus_status status = sim->fields ? MUS_OK : make_fields(sim);
  if (status)
    return status;
  int before = mus_par_set_threads(sim->settings.solver.threads);
  for (int k = 0; k < sim->model.part_count; ++k) {
    const mus_model_part *part = &sim->model.parts[k];
    double *here = sim->fields->value + part->first_vertex;
    if (part->solid)
      mus_solid_fields_measure(&sim->fields->solids, sim, k);
    for (int c = 0; c < 3 && part->solid; ++c) {
      mus_solid_fields_average(&sim->fields->solids, &sim->model, k, fields[c], here);
      if (part->shape.order)
        mus_order_restore(part->shape.order, 1, here, value[c] + part->first_vertex);
      else
        mus_copy((size_t)part->shape.mesh.vertices, here, value[c] + part->first_vertex);
    }
  }
  mus_par_set_threads(before);
  return MUS_OK;
}

int mus_sim_aggregates(const mus_sim *sim, int level, int *aggregate) {
  int count = mus_solver_aggregates(sim->linear.solver, level, aggregate);
  for (int k = 0; k < sim->model.part_count && count > 0 && sim->reordered; ++k) {
    const mus_model_part *c = &sim->model.parts[k];
    const mus_order *order = c->shape.order;
    int *at = aggregate + c->first_vertex, *workspace = (int *)(void *)sim->seen[2]; // that of residuals
    for (int i = 0; i < c->shape.mesh.vertices && order; ++i)
      workspace[order->vertex[i]] = at[i];
    if (order)
      memcpy(at, workspace, (size_t)c->shape.mesh.vertices * sizeof *at);
  }
  return count;
}

// --- bodies ----------------------------------------------------------------------------------------------------------

int mus_sim_first_body_vertex(const mus_sim *sim, int body) {
  return sim->model.bodies ? mus_bodies_first_vertex(sim->model.bodies, body) : 0;
}

int mus_sim_body_vertices(const mus_sim *sim) { return mus_bodies_vertices(sim->model.bodies); }
int mus_sim_body_triangles(const mus_sim *sim) { return mus_bodies_triangles(sim->model.bodies); }
const int *mus_sim_body_triangle_list(const mus_sim *sim) { return mus_bodies_triangle_list(sim->model.bodies); }

int mus_sim_bodies_move(const mus_sim *sim) {
  for (int b = 0; b < sim->model.scene->body_count; ++b)
    if (mus_bodies_moves(sim->model.bodies, b))
      return 1;
  return 0;
}

mus_status mus_sim_body_positions(mus_sim *sim, double *position) {
  return mus_bodies_at(sim->model.bodies, sim->state.time, position);
}
