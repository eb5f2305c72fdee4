// The simulator's life and its frames. See muslin/sim.h.
#include "muslin/sim.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "par/par.h"
#include "par/vector.h"
#include "step/attach.h"

static mus_status allocate(mus_sim *sim) {
  const mus_model *m = &sim->model;
  mus_arena *arena = &sim->arena;
  size_t n = 3 * (size_t)m->vertices;
  int held = 0;
  double **vectors[] = {&sim->position, &sim->velocity, &sim->position_before, &sim->velocity_before, &sim->predicted,
                        &sim->right,    &sim->change,   &sim->saved_position,  &sim->saved_velocity,  &sim->iterate};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
    if (!(*vectors[k] = mus_arena_alloc_zero(arena, n, sizeof(double))))
      return mus_fail_memory();
  for (int k = 0; k < 3; ++k)
    if (sim->reordered && !(sim->seen[k] = mus_arena_alloc_zero(arena, n, sizeof(double))))
      return mus_fail_memory();
  for (int p = 0; p < m->pin_count; ++p)
    held += m->pins[p].count;
  sim->strain = mus_arena_alloc(arena, m->strains, sizeof *sim->strain);
  sim->constraint = malloc(((size_t)held + 1) * sizeof *sim->constraint);
  sim->constraint_room = held;
  sim->constraint_of = mus_arena_alloc(arena, (size_t)m->vertices, sizeof *sim->constraint_of);
  return sim->strain && sim->constraint && sim->constraint_of ? MUS_OK : mus_fail_memory();
}

mus_status mus_sim_make_solver(const mus_sim *sim, const mus_solver_options *options, mus_solver **out) {
  const mus_model *m = &sim->model;
  mus_solver *solver = NULL;
  mus_status status = mus_solver_create(options, &solver);
  if (!status)
    status = mus_solver_set_pattern(solver, m->vertices, 3, m->pattern.row_start, m->pattern.column);
  if (status)
    mus_solver_free(solver);
  else
    *out = solver;
  return status;
}

mus_status mus_sim_renew_solver(mus_sim *sim) {
  const mus_model *m = &sim->model;
  mus_solver *solver = NULL;
  mus_matrix matrix = {&m->pattern, 3, 3, NULL};
  mus_status status = mus_sim_make_solver(sim, &sim->settings.solver, &solver);
  if (!status)
    status = mus_solver_map_values(solver, &matrix.value);
  if (status) {
    mus_solver_free(solver);
    return status;
  }
  if (sim->solver)
    mus_copy(mus_matrix_values(&matrix), sim->matrix.value, matrix.value);
  else
    mus_fill(mus_matrix_values(&matrix), 0, matrix.value);
  mus_solver_free(sim->solver);
  mus_solver_free(sim->strong);
  sim->solver = solver;
  sim->solved = solver;
  sim->strong = NULL;
  sim->matrix = matrix;
  return MUS_OK;
}

void mus_sim_restore_order(const mus_sim *sim, int width, const double *value, double *seen) {
  for (int k = 0; k < sim->model.cloth_count; ++k) {
    const mus_model_cloth *c = &sim->model.cloths[k];
    size_t first = (size_t)width * (size_t)c->first_vertex;
    if (c->shape.order)
      mus_order_restore(c->shape.order, width, value + first, seen + first);
    else
      mus_copy((size_t)width * (size_t)c->shape.mesh.vertices, value + first, seen + first);
  }
}

// `value` (vertices * 3) in the order of the files; itself where that is the one that is simulated.
static const double *in_seen_order(const mus_sim *sim, const double *value, double *seen) {
  if (!sim->reordered)
    return value;
  mus_sim_restore_order(sim, 3, value, seen);
  return seen;
}

void mus_sim_clear_prescribed(const mus_sim *sim, double *value) {
  for (int k = 0; k < sim->constraints; ++k) {
    const mus_constraint *c = &sim->constraint[k];
    double *at = value + 3 * (size_t)c->node;
    for (int d = 0; d < c->count; ++d) // unit vectors at right angles
      mus_add_scaled3(-mus_dot3(c->direction[d], at), c->direction[d], at);
  }
}

void mus_sim_show(mus_sim *sim) {
  in_seen_order(sim, sim->position, sim->seen[0]);
  in_seen_order(sim, sim->velocity, sim->seen[1]);
}

static mus_status start(mus_sim *sim) {
  const mus_model *m = &sim->model;
  for (int k = 0; k < m->cloth_count; ++k)
    sim->reordered |= m->cloths[k].shape.order != NULL;
  mus_status status = allocate(sim);
  if (!status)
    status = mus_settings_create(&sim->arena, m, &sim->settings);
  if (!status)
    status = mus_sim_renew_solver(sim);
  if (!status)
    status = mus_contact_create(m, NULL, &sim->contact);
  if (!status && sim->contact)
    status = mus_contact_state_create(&sim->arena, sim->contact->model.surface.cloth_vertices, &sim->contact_state);
  if (status)
    return status;
  mus_copy(3 * (size_t)m->vertices, m->start, sim->position);
  for (int k = 0; k < m->cloth_count; ++k)
    for (int i = 0; i < m->cloths[k].shape.mesh.vertices; ++i)
      for (int c = 0; c < 3; ++c)
        sim->velocity[3 * (m->cloths[k].first_vertex + i) + c] = m->cloths[k].source->velocity[c];
  mus_sim_show(sim);
  mus_step_record record = {0};
  mus_sim_measure(sim, 0, &record);
  mus_step_remember(sim, &record);
  return MUS_OK;
}

mus_status mus_sim_create(const mus_scene *scene, mus_sim **out) { return mus_sim_create_with(scene, NULL, out); }

mus_status mus_sim_create_with(const mus_scene *scene, const mus_element_kind *const *extra, mus_sim **out) {
  mus_sim *sim = mus_alloc_zero(1, sizeof *sim);
  if (!sim)
    return mus_fail_memory();
  int before = mus_par_set_threads(scene->solver.threads);
  mus_status status = mus_model_create(scene, extra, &sim->model);
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
  mus_contact_free(sim->contact);
  free(sim->constraint);
  mus_free(sim->attachments.items);
  mus_sim_fields_free(sim->fields);
  mus_arena_clear(&sim->arena);
  mus_model_free(&sim->model);
  free(sim->record);
  mus_free(sim);
}

// A step, or two of half the length where it fails, or where the step before had to be shorter than that.
static mus_status advance(mus_sim *sim, double h, int halvings) {
  int adaptive = sim->model.scene->adaptive;
  if (!adaptive || halvings + 1 >= sim->halvings_before) {
    mus_status status = mus_step(sim, h, halvings);
    if ((status != MUS_NOT_CONVERGED && status != MUS_BREAKDOWN) || !adaptive || halvings == MUS_HALVINGS_MAXIMUM)
      return status;
  }
  mus_status status = advance(sim, h / 2, halvings + 1);
  return status ? status : advance(sim, h / 2, halvings + 1);
}

static int steps_a_frame(const mus_scene *scene) {
  double steps = ceil(1 / (scene->frame_rate * scene->time_step) - 1e-9);
  return steps < 1 ? 1 : (int)steps;
}

static double step_length(const mus_scene *scene) { return 1 / (scene->frame_rate * steps_a_frame(scene)); }

// One more step, whose records are added to those that are there.
static mus_status step_on(mus_sim *sim) {
  const mus_scene *scene = sim->model.scene;
  mus_status status = advance(sim, step_length(scene), 0);
  if (!status && ++sim->frame_step == steps_a_frame(scene)) {
    ++sim->frame;
    sim->frame_step = 0;
    sim->time = sim->frame / scene->frame_rate; // no drift from adding up steps
  }
  mus_sim_show(sim);
  return status;
}

mus_status mus_sim_step(mus_sim *sim, int *steps) {
  int before = mus_par_set_threads(sim->settings.solver.threads);
  sim->records = 0;
  mus_status status = step_on(sim);
  mus_par_set_threads(before);
  if (steps)
    *steps = sim->records;
  return status;
}

mus_status mus_sim_frame(mus_sim *sim, int *steps) {
  int before = mus_par_set_threads(sim->settings.solver.threads), frame = sim->frame;
  mus_status status = MUS_OK;
  sim->records = 0;
  while (!status && sim->frame == frame)
    status = step_on(sim);
  mus_par_set_threads(before);
  if (steps)
    *steps = sim->records;
  return status;
}

mus_status mus_sim_next_system(mus_sim *sim, mus_sim_system *out) {
  const mus_model *m = &sim->model;
  int before = mus_par_set_threads(sim->settings.solver.threads);
  mus_status status = mus_step_prepare(sim, step_length(m->scene));
  mus_par_set_threads(before);
  *out = (mus_sim_system){.rows = m->vertices,
                          .row_start = m->pattern.row_start,
                          .column = m->pattern.column,
                          .values = sim->matrix.value,
                          .right = sim->right,
                          .positions = sim->position,
                          .velocities = sim->velocity,
                          .time_step = step_length(m->scene),
                          .constraint_count = sim->constraints,
                          .constraints = sim->constraint,
                          .coupling_count = sim->contact ? (int)sim->contact->beyond.couplings.count : 0,
                          .couplings = sim->contact ? sim->contact->beyond.couplings.items : NULL};
  return status;
}

const double *mus_sim_residual(mus_sim *sim) {
  double *residual = sim->predicted; // room that only a step needs
  int before = mus_par_set_threads(sim->settings.solver.threads);
  mus_multiply(&sim->matrix, sim->change, residual);
  if (sim->contact)
    mus_contact_couple(sim->contact, sim->change, residual);
  mus_xpay(3 * (size_t)sim->model.vertices, sim->right, -1, residual);
  mus_par_set_threads(before);
  mus_sim_clear_prescribed(sim, residual);
  return in_seen_order(sim, residual, sim->seen[2]);
}

mus_status mus_sim_crossings(mus_sim *sim, int most, double (*places)[3], int *count) {
  mus_contact_workspace *contact = sim->contact;
  *count = 0;
  if (!contact)
    return MUS_OK;
  int before = mus_par_set_threads(sim->settings.solver.threads);
  mus_status status = mus_contact_crossings(contact, sim->position, sim->time);
  mus_par_set_threads(before);
  if (status)
    return status;
  *count = (int)contact->crossings.count;
  for (int k = 0; k < most && k < *count; ++k) {
    const mus_crossing *c = &((const mus_crossing *)contact->crossings.items)[k];
    const int *edge = contact->model.surface.edge + 2 * (size_t)c->edge;
    mus_scale3(1 - c->along, contact->motion.x0 + 3 * (size_t)edge[0], places[k]);
    mus_add_scaled3(c->along, contact->motion.x0 + 3 * (size_t)edge[1], places[k]);
  }
  return MUS_OK;
}

const mus_step_record *mus_sim_step_record(const mus_sim *sim, int index) {
  return index >= 0 && index < sim->records ? &sim->record[index] : NULL;
}

double mus_sim_time(const mus_sim *sim) { return sim->time; }
int mus_sim_frame_number(const mus_sim *sim) { return sim->frame; }
int mus_sim_vertices(const mus_sim *sim) { return sim->model.vertices; }
int mus_sim_triangles(const mus_sim *sim) { return sim->model.triangles; }
const double *mus_sim_positions(const mus_sim *sim) { return sim->reordered ? sim->seen[0] : sim->position; }
const double *mus_sim_velocities(const mus_sim *sim) { return sim->reordered ? sim->seen[1] : sim->velocity; }
const int *mus_sim_triangle_list(const mus_sim *sim) { return sim->model.triangle; }
const double *mus_sim_material(const mus_sim *sim) { return sim->model.material; }

int mus_sim_first_vertex(const mus_sim *sim, int cloth) {
  return cloth < sim->model.cloth_count ? sim->model.cloths[cloth].first_vertex : sim->model.vertices;
}

int mus_sim_first_triangle(const mus_sim *sim, int cloth) {
  return cloth < sim->model.cloth_count ? sim->model.cloths[cloth].first_triangle : sim->model.triangles;
}

const mus_solve_record *mus_sim_solve_record(const mus_sim *sim) { return mus_solver_record(sim->solved); }

const char *mus_sim_repairs(const mus_sim *sim, int cloth) { return sim->model.cloths[cloth].shape.repairs; }

size_t mus_sim_bytes(const mus_sim *sim) {
  return sizeof *sim + sim->arena.bytes + sim->model.arena.bytes + mus_solver_bytes(sim->solver) +
         (sim->strong ? mus_solver_bytes(sim->strong) : 0) + mus_contact_bytes(sim->contact) +
         mus_sim_fields_bytes(sim->fields) + sim->attachments.capacity * sizeof(mus_attached) +
         (size_t)sim->constraint_room * sizeof *sim->constraint + (size_t)sim->record_room * sizeof *sim->record;
}
