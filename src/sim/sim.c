// The simulator's life and its frames. See muslin/sim.h.
#include "muslin/sim.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "par/par.h"
#include "par/vector.h"
#include "sim/state.h"

enum { HALVINGS_MAXIMUM = 6 };

static mus_status allocate(mus_sim *sim) {
  const mus_model *m = &sim->model;
  mus_arena *arena = &sim->arena;
  size_t n = 3 * (size_t)m->vertices, most = 1, membranes = 1;
  double **vectors[] = {&sim->position, &sim->velocity, &sim->position_before, &sim->velocity_before, &sim->predicted,
                        &sim->right,    &sim->change,   &sim->saved_position,  &sim->saved_velocity};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
    if (!(*vectors[k] = mus_arena_alloc_zero(arena, n, sizeof(double))))
      return mus_fail_memory();
  for (int kind = 0; kind < MUS_ELEMENT_KINDS; ++kind) {
    size_t count = (size_t)m->tuples[kind].count, arity = (size_t)m->tuples[kind].arity;
    sim->gradient[kind] = mus_arena_alloc(arena, count * arity * 3, sizeof(double));
    sim->block[kind] = mus_arena_alloc(arena, count * (size_t)mus_tuple_blocks((int)arity) * 9, sizeof(double));
    if (!sim->gradient[kind] || !sim->block[kind])
      return mus_fail_memory();
    most = count > most ? count : most;
  }
  membranes += (size_t)m->tuples[MUS_ELEMENT_MEMBRANE].count;
  sim->measure = mus_arena_alloc(arena, membranes, sizeof *sim->measure);
  sim->strain = mus_arena_alloc(arena, membranes, sizeof *sim->strain);
  sim->energy = mus_arena_alloc(arena, most, sizeof *sim->energy);
  sim->constraint = mus_arena_alloc(arena, (size_t)m->vertices, sizeof *sim->constraint);
  sim->constraint_of = mus_arena_alloc(arena, (size_t)m->vertices, sizeof *sim->constraint_of);
  if (!sim->measure || !sim->strain || !sim->energy || !sim->constraint || !sim->constraint_of)
    return mus_fail_memory();
  return mus_matrix_create(arena, &m->pattern, 3, 3, &sim->matrix);
}

static mus_status start(mus_sim *sim) {
  const mus_model *m = &sim->model;
  mus_status status = allocate(sim);
  if (!status)
    status = mus_solver_create(&m->scene->solver, &sim->solver);
  if (!status)
    status = mus_solver_set_pattern(sim->solver, m->vertices, 3, m->pattern.row_start, m->pattern.column);
  if (status)
    return status;
  mus_copy(3 * (size_t)m->vertices, m->start, sim->position);
  for (int k = 0; k < m->cloth_count; ++k)
    for (int i = 0; i < m->cloths[k].shape.mesh.vertices; ++i)
      for (int c = 0; c < 3; ++c)
        sim->velocity[3 * (m->cloths[k].first_vertex + i) + c] = m->cloths[k].source->velocity[c];
  return MUS_OK;
}

mus_status mus_sim_create(const mus_scene *scene, mus_sim **out) {
  if (scene->integrator == MUS_NEWTON)
    return mus_fail(MUS_UNSUPPORTED, "the integrator \"newton\" is not built yet: take \"euler\" or \"bdf2\"");
  mus_sim *sim = mus_alloc_zero(1, sizeof *sim);
  if (!sim)
    return mus_fail_memory();
  int before = mus_par_set_threads(scene->solver.threads);
  mus_status status = mus_model_create(scene, &sim->model);
  if (!status)
    status = start(sim);
  mus_par_set_threads(before);
  if (status)
    mus_sim_free(sim);
  else
    *out = sim;
  return status;
}

void mus_sim_free(mus_sim *sim) {
  if (!sim)
    return;
  mus_solver_free(sim->solver);
  mus_solver_free(sim->strong);
  mus_arena_clear(&sim->arena);
  mus_model_free(&sim->model);
  free(sim->record);
  mus_free(sim);
}

// A step, or two of half the length where it fails.
static mus_status advance(mus_sim *sim, double h, int halvings) {
  mus_status status = mus_step(sim, h, halvings);
  if ((status != MUS_NOT_CONVERGED && status != MUS_BREAKDOWN) || !sim->model.scene->adaptive ||
      halvings == HALVINGS_MAXIMUM)
    return status;
  status = advance(sim, h / 2, halvings + 1);
  return status ? status : advance(sim, h / 2, halvings + 1);
}

static int steps_a_frame(const mus_scene *scene) {
  double steps = ceil(1 / (scene->frame_rate * scene->time_step) - 1e-9);
  return steps < 1 ? 1 : (int)steps;
}

mus_status mus_sim_frame(mus_sim *sim, int *steps) {
  const mus_scene *scene = sim->model.scene;
  int count = steps_a_frame(scene), before = mus_par_set_threads(scene->solver.threads);
  mus_status status = MUS_OK;
  sim->records = 0;
  for (int k = 0; k < count && !status; ++k)
    status = advance(sim, 1 / (scene->frame_rate * count), 0);
  mus_par_set_threads(before);
  if (!status) {
    ++sim->frame;
    sim->time = sim->frame / scene->frame_rate; // no drift from adding up steps
  }
  if (steps)
    *steps = sim->records;
  return status;
}

const mus_step_record *mus_sim_step_record(const mus_sim *sim, int index) {
  return index >= 0 && index < sim->records ? &sim->record[index] : NULL;
}

double mus_sim_time(const mus_sim *sim) { return sim->time; }
int mus_sim_frame_number(const mus_sim *sim) { return sim->frame; }
int mus_sim_vertices(const mus_sim *sim) { return sim->model.vertices; }
int mus_sim_triangles(const mus_sim *sim) { return sim->model.triangles; }
const double *mus_sim_positions(const mus_sim *sim) { return sim->position; }
const double *mus_sim_velocities(const mus_sim *sim) { return sim->velocity; }
const int *mus_sim_triangle_list(const mus_sim *sim) { return sim->model.triangle; }
const double *mus_sim_material(const mus_sim *sim) { return sim->model.material; }

int mus_sim_first_vertex(const mus_sim *sim, int cloth) {
  return cloth < sim->model.cloth_count ? sim->model.cloths[cloth].first_vertex : sim->model.vertices;
}

size_t mus_sim_bytes(const mus_sim *sim) {
  return sizeof *sim + sim->arena.bytes + sim->model.arena.bytes + mus_solver_record(sim->solver)->bytes;
}
