// The simulator's life and its frames. See muslin/sim.h.
#include "sim/simulator.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "model/levels.h"
#include "model/notes.h"
#include "par/par.h"
#include "par/vector.h"
#include "step/settle.h"

// --- for other rooms -------------------------------------------------------------------------------------------------

mus_step_context mus_sim_context(mus_sim *sim) {
  return (mus_step_context){.model = &sim->model,
                            .settings = &sim->settings,
                            .attachments = &sim->attachments,
                            .state = &sim->state,
                            .work = &sim->work,
                            .contact = sim->contact,
                            .touch = sim->touch,
                            .linear = &sim->linear,
                            .integrator = &sim->integrator,
                            .limiter = &sim->limiter,
                            .lattices = sim->lattices,
                            .resident = sim->resident};
}

const mus_model *mus_sim_model(const mus_sim *sim) { return &sim->model; }

// Whoever asks may write it.
mus_state *mus_sim_state(mus_sim *sim) {
  mus_resident_forget(sim->resident);
  return &sim->state;
}

const mus_step_record *mus_sim_rejected(const mus_sim *sim) { return &sim->rejected; }

mus_status mus_sim_forget(mus_sim *sim) {
  mus_status status = mus_linear_renew(&sim->linear, &sim->model, &sim->settings.solver);
  if (status)
    return status;
  mus_contact_state_forget(&sim->state.contact);
  mus_limiter_forget(sim->limiter);
  return MUS_OK;
}

mus_status mus_sim_remember(mus_sim *sim, const void **bytes, size_t *size) {
  mus_limiter_forget(sim->limiter);
  return mus_solver_remember(sim->linear.solver, bytes, size);
}

mus_status mus_sim_recall(mus_sim *sim, const double *position, size_t size, const void *bytes) {
  mus_limiter_forget(sim->limiter);
  return mus_linear_recall(&sim->linear, &sim->model, &sim->settings.solver, position, size, bytes);
}

void mus_sim_restore_order(const mus_sim *sim, int width, const double *value, double *seen) {
  for (int k = 0; k < sim->model.part_count; ++k) {
    const mus_model_part *c = &sim->model.parts[k];
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

void mus_sim_show(mus_sim *sim) {
  in_seen_order(sim, sim->state.position, sim->seen[0]);
  in_seen_order(sim, sim->state.velocity, sim->seen[1]);
}

// --- life ------------------------------------------------------------------------------------------------------------

// `device`: in place of the scene's; NULL: that.
static mus_status allocate(mus_sim *sim, const mus_device_choice *device) {
  const mus_model *m = &sim->model;
  for (int k = 0; k < m->part_count; ++k)
    sim->reordered |= m->parts[k].shape.order != NULL;
  mus_status status = mus_lattices_create(m, &sim->lattices);
  if (!status)
    status =
        mus_state_create(&sim->arena, m->vertices, m->bond_count, mus_lattices_numbers(sim->lattices), &sim->state);
  if (!status)
    status = mus_workspace_create(&sim->arena, m, &sim->work);
  for (int k = 0; k < 3 && sim->reordered && !status; ++k) {
    sim->seen[k] = mus_arena_alloc_zero(&sim->arena, 3 * (size_t)m->vertices, sizeof(double));
    status = sim->seen[k] ? MUS_OK : mus_fail_memory();
  }
  if (!status)
    status = mus_settings_create(&sim->arena, m, &sim->settings);
  if (!status && device)
    sim->settings.solver.device = *device;
  if (!status)
    status = mus_linear_renew(&sim->linear, m, &sim->settings.solver);
  if (!status)
    status = mus_integrator_create(sim->settings.integrator, m, &sim->integrator);
  if (!status)
    status = mus_contact_create(m, NULL, &sim->contact);
  if (!status && sim->contact)
    status = mus_contact_state_create(&sim->arena, sim->contact->model.surface.cloth_vertices, &sim->state.contact);
  if (!status)
    status = mus_touch_create(m, &sim->touch);
  if (!status && sim->touch)
    status = mus_contact_state_create(&sim->arena, m->vertices, &sim->state.contact);
  return status ? status : mus_sim_choose_device(sim);
}

mus_status mus_sim_choose_device(mus_sim *sim) {
  mus_step_context c = mus_sim_context(sim);
  mus_device_choice device = sim->settings.solver.device;
  mus_resident_free(sim->resident);
  sim->resident = NULL;
  *sim->device_failure = 0;
  if (device == MUS_DEVICE_CPU || mus_resident_obstacle(&c))
    return MUS_OK;
  mus_status status = mus_resident_create(&sim->model, sim->touch, &sim->resident);
  if (!status || device != MUS_DEVICE_AUTO)
    return status;
  snprintf(sim->device_failure, sizeof sim->device_failure, "%s", mus_last_error());
  return MUS_OK;
}

static void place_at_start(mus_sim *sim) {
  const mus_model *m = &sim->model;
  mus_copy(3 * (size_t)m->vertices, m->start, sim->state.position);
  for (int k = 0; k < m->part_count; ++k)
    for (int i = 0; i < m->parts[k].shape.mesh.vertices; ++i)
      for (int c = 0; c < 3; ++c)
        sim->state.velocity[3 * (m->parts[k].first_vertex + i) + c] = m->parts[k].velocity[c];
  mus_lattices_start(sim->lattices, sim->state.lattice);
  mus_sim_show(sim);
  mus_step_context c = mus_sim_context(sim);
  mus_step_compare_with_present(&c);
}

static mus_status create(const mus_scene *scene, const mus_element_kind *const *extra, const mus_device_choice *device,
                         mus_sim **out) {
  mus_sim *sim = mus_alloc_zero(1, sizeof *sim);
  if (!sim)
    return mus_fail_memory();
  int before = mus_par_set_threads(scene->solver.threads);
  mus_status status = mus_model_create(scene, extra, &sim->model);
  if (!status)
    status = allocate(sim, device);
  if (!status)
    place_at_start(sim);
  mus_par_set_threads(before);
  if (status)
    mus_sim_free(sim);
  else
    *out = sim;
  return status;
}

mus_status mus_sim_create(const mus_scene *scene, mus_sim **out) { return create(scene, NULL, NULL, out); }

mus_status mus_sim_create_with(const mus_scene *scene, const mus_element_kind *const *extra, mus_sim **out) {
  return create(scene, extra, NULL, out);
}

mus_status mus_sim_create_on(const mus_scene *scene, mus_device_choice device, mus_sim **out) {
  return create(scene, NULL, &device, out);
}

void mus_sim_free(mus_sim *sim) {
  if (!sim)
    return;
  mus_linear_free(&sim->linear);
  mus_integrator_free(&sim->integrator);
  mus_limiter_free(sim->limiter);
  mus_lattices_free(sim->lattices);
  mus_resident_free(sim->resident);
  mus_contact_free(sim->contact);
  mus_touch_free(sim->touch);
  mus_workspace_free(&sim->work);
  mus_free(sim->attachments.springs.items);
  mus_sim_fields_free(sim->fields);
  mus_arena_clear(&sim->arena);
  mus_model_free(&sim->model);
  mus_free(sim->records.items);
  mus_free(sim);
}

// --- frames ----------------------------------------------------------------------------------------------------------

// What a rejected attempt took is told by the next step that succeeds.
static void note_rejected(mus_sim *sim, const mus_step_record *attempt) {
  double seconds[MUS_STAGES];
  mus_step_seconds(attempt, seconds);
  ++sim->rejected.rejected;
  for (int k = 0; k < MUS_STAGES; ++k)
    sim->rejected.rejected_seconds[k] += seconds[k];
}

static void tell_rejected(mus_sim *sim, mus_step_record *record) {
  record->rejected = sim->rejected.rejected;
  memcpy(record->rejected_seconds, sim->rejected.rejected_seconds, sizeof record->rejected_seconds);
  sim->rejected = (mus_step_record){0};
}

// A step, whose record is added to those that are there.
static mus_status try_step(mus_sim *sim, double h, int halvings) {
  mus_step_record *record = mus_list_add(&sim->records, sizeof *record);
  if (!record)
    return mus_fail_memory();
  mus_step_context c = mus_sim_context(sim);
  mus_status status = mus_step(&c, h, halvings, record);
  if (!status)
    tell_rejected(sim, record);
  else if (status != MUS_STOPPED)
    note_rejected(sim, record);
  sim->records.count -= status != MUS_OK;
  return status;
}

// Keeps the state that a step begins with before it is made in halves: where one of these fails, the others are undone.
static mus_status keep_start(mus_sim *sim) {
  mus_state *start = &sim->start;
  int vertices = sim->model.vertices;
  if (!start->position) {
    mus_state made = {0};
    mus_status status = mus_state_create(&sim->arena, vertices, sim->state.bond_count, sim->state.lattice_count, &made);
    if (!status && sim->state.contact.hold)
      status = mus_contact_state_create(&sim->arena, sim->state.contact.vertices, &made.contact);
    if (status)
      return status;
    *start = made;
  }
  mus_state_copy(&sim->state, vertices, start);
  return MUS_OK;
}

// A step, or two of half the length where it fails, or where the step before had to be shorter than that.
static mus_status advance(mus_sim *sim, double h, int halvings) {
  int adaptive = sim->settings.adaptive;
  if (!adaptive || halvings + 1 >= sim->state.halvings_before) {
    mus_status status = try_step(sim, h, halvings);
    if ((status != MUS_NOT_CONVERGED && status != MUS_BREAKDOWN) || !adaptive || halvings == MUS_HALVINGS_MAXIMUM)
      return status;
  }
  mus_status status = halvings == 0 ? keep_start(sim) : MUS_OK;
  if (!status)
    status = advance(sim, h / 2, halvings + 1);
  return status ? status : advance(sim, h / 2, halvings + 1);
}

// After a step that has succeeded.
static void count_step(mus_sim *sim) {
  const mus_settings *settings = &sim->settings;
  if (++sim->state.frame_step < mus_settings_steps_per_frame(settings, sim->state.frame))
    return;
  ++sim->state.frame;
  sim->state.frame_step = 0;
  sim->state.time = sim->state.frame / settings->frame_rate; // no drift from adding up steps
}

mus_status mus_sim_stepped(mus_sim *sim, const mus_step_record *record) {
  mus_step_record *kept = mus_list_add(&sim->records, sizeof *kept);
  if (!kept)
    return mus_fail_memory();
  *kept = *record;
  tell_rejected(sim, kept);
  count_step(sim);
  mus_sim_show(sim);
  return MUS_OK;
}

mus_status mus_sim_step_on(mus_sim *sim) {
  const mus_settings *settings = &sim->settings;
  size_t before = sim->records.count;
  mus_status status = advance(sim, mus_settings_step_length(settings, sim->state.frame), 0);
  if (status && sim->records.count > before) {
    mus_state_copy(&sim->start, sim->model.vertices, &sim->state);
    mus_resident_forget(sim->resident);
    sim->records.count = before;
  }
  if (!status)
    count_step(sim);
  mus_sim_show(sim);
  return status;
}

mus_status mus_sim_settle(mus_sim *sim, mus_settling *settling) {
  double begin = mus_seconds();
  int before = mus_par_set_threads(sim->settings.solver.threads);
  mus_step_context c = mus_sim_context(sim);
  mus_settled settled;
  mus_status status = mus_settle(&c, sim->model.scene->settle, &settled);
  mus_step_compare_with_present(&c);
  mus_par_set_threads(before);
  mus_sim_show(sim);
  *settling = (mus_settling){.crossings = settled.crossings,
                             .steps = settled.steps,
                             .tangled = settled.tangled,
                             .gave_up = settled.gave_up,
                             .seconds = mus_seconds() - begin};
  return status;
}

mus_status mus_sim_step(mus_sim *sim, int *steps) {
  int before = mus_par_set_threads(sim->settings.solver.threads);
  sim->records.count = 0;
  mus_status status = mus_sim_step_on(sim);
  mus_par_set_threads(before);
  if (steps)
    *steps = (int)sim->records.count;
  return status;
}

mus_status mus_sim_frame(mus_sim *sim, int *steps) {
  int before = mus_par_set_threads(sim->settings.solver.threads), frame = sim->state.frame;
  mus_status status = MUS_OK;
  sim->records.count = 0;
  while (!status && sim->state.frame == frame)
    status = mus_sim_step_on(sim);
  mus_par_set_threads(before);
  if (steps)
    *steps = (int)sim->records.count;
  return status;
}

mus_status mus_sim_next_system(mus_sim *sim, mus_sim_system *out) {
  const mus_model *m = &sim->model;
  int before = mus_par_set_threads(sim->settings.solver.threads);
  mus_step_context c = mus_sim_context(sim);
  double h = mus_settings_step_length(&sim->settings, sim->state.frame);
  mus_status status = mus_step_prepare(&c, h);
  mus_par_set_threads(before);
  *out = (mus_sim_system){.rows = m->vertices,
                          .row_start = m->pattern.row_start,
                          .column = m->pattern.column,
                          .values = sim->linear.matrix.value,
                          .right = sim->work.right,
                          .positions = sim->state.position,
                          .velocities = sim->state.velocity,
                          .time_step = h,
                          .constraint_count = sim->work.prescribed.count,
                          .constraints = sim->work.prescribed.list,
                          .coupling_count = sim->contact ? (int)sim->contact->beyond.couplings.count : 0,
                          .couplings = sim->contact ? sim->contact->beyond.couplings.items : NULL};
  return status;
}

mus_status mus_sim_levels(mus_sim *sim, int *count, const mus_interpolation **levels) {
  mus_status status = MUS_OK;
  if (!sim->levels) {
    mus_interpolation *made = mus_arena_alloc(&sim->arena, MUS_LEVELS_MAXIMUM, sizeof *made);
    status = made ? mus_model_levels(&sim->model, &sim->arena, &sim->level_count, made) : mus_fail_memory();
    sim->levels = status ? NULL : made;
  }
  *count = sim->level_count;
  *levels = sim->levels;
  return status;
}

const double *mus_sim_residual(mus_sim *sim) {
  double *residual = sim->work.predicted; // workspace that only a step needs
  int before = mus_par_set_threads(sim->settings.solver.threads);
  mus_step_context c = mus_sim_context(sim);
  if (mus_resident_fetch(&c))
    mus_fill(sim->work.unknowns, NAN, sim->work.right); // which shows: it is not known
  if (sim->integrator.kind->multiply) {
    sim->integrator.kind->multiply(sim->integrator.own, sim->work.change, residual);
  } else {
    mus_multiply(&sim->linear.matrix, sim->work.change, residual);
    if (sim->contact)
      mus_contact_couple(sim->contact, sim->work.change, residual);
  }
  mus_xpay(3 * (size_t)sim->model.vertices, sim->work.right, -1, residual);
  mus_par_set_threads(before);
  mus_prescribed_clear(&sim->work.prescribed, residual);
  mus_seams_clear(&sim->work.seams, residual);
  return in_seen_order(sim, residual, sim->seen[2]);
}

mus_status mus_sim_crossings(mus_sim *sim, int most, double (*places)[3], int *count) {
  mus_contact_workspace *contact = sim->contact;
  *count = 0;
  if (!contact)
    return MUS_OK;
  int before = mus_par_set_threads(sim->settings.solver.threads);
  mus_status status = mus_contact_crossings(contact, sim->state.position, sim->state.time);
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
  return index >= 0 && (size_t)index < sim->records.count ? (const mus_step_record *)sim->records.items + index : NULL;
}

double mus_sim_time(const mus_sim *sim) { return sim->state.time; }
int mus_sim_frame_number(const mus_sim *sim) { return sim->state.frame; }
int mus_sim_vertices(const mus_sim *sim) { return sim->model.vertices; }
int mus_sim_triangles(const mus_sim *sim) { return sim->model.triangles; }
const double *mus_sim_positions(const mus_sim *sim) { return sim->reordered ? sim->seen[0] : sim->state.position; }
const double *mus_sim_velocities(const mus_sim *sim) { return sim->reordered ? sim->seen[1] : sim->state.velocity; }
const int *mus_sim_triangle_list(const mus_sim *sim) { return sim->model.triangle; }
const double *mus_sim_material(const mus_sim *sim) { return sim->model.material; }

int mus_sim_parts(const mus_sim *sim) { return sim->model.part_count; }

const char *mus_sim_part_name(const mus_sim *sim, int part) {
  return part >= 0 && part < sim->model.part_count ? sim->model.parts[part].name : NULL;
}

int mus_sim_first_vertex(const mus_sim *sim, int part) {
  return part < sim->model.part_count ? sim->model.parts[part].first_vertex : sim->model.vertices;
}

int mus_sim_first_triangle(const mus_sim *sim, int part) {
  return part < sim->model.part_count ? sim->model.parts[part].first_triangle : sim->model.triangles;
}

int mus_sim_tetrahedra(const mus_sim *sim) { return sim->model.tetrahedra; }
const int *mus_sim_tetrahedron_list(const mus_sim *sim) { return sim->model.tetrahedron; }

int mus_sim_first_tetrahedron(const mus_sim *sim, int part) {
  return part < sim->model.part_count ? sim->model.parts[part].first_tetrahedron : sim->model.tetrahedra;
}

const mus_solve_record *mus_sim_solve_record(const mus_sim *sim) { return mus_solver_record(sim->linear.last); }

mus_sim_device mus_sim_device_used(const mus_sim *sim) {
  const mus_solve_record *solved = mus_solver_record(sim->linear.solver);
  mus_sim_device out = {.bytes = solved->device_bytes};
  memcpy(out.name, solved->device, sizeof out.name);
  if (sim->resident)
    mus_resident_tell(sim->resident, &out);
  mus_step_context c = mus_sim_context((mus_sim *)sim);
  if (!*out.failure)
    memcpy(out.failure, *sim->device_failure ? sim->device_failure : solved->device_failure, sizeof out.failure);
  out.obstacle = *out.name ? mus_resident_obstacle(&c) : NULL;
  return out;
}

const char *mus_sim_repairs(const mus_sim *sim, int part) { return sim->model.parts[part].shape.repairs; }

const char *mus_sim_note(const mus_sim *sim, int index) { return mus_model_note(&sim->model, index); }

size_t mus_sim_bytes(const mus_sim *sim) {
  return sizeof *sim + sim->arena.bytes + sim->model.arena.bytes + mus_bodies_bytes(sim->model.bodies) +
         mus_workspace_bytes(&sim->work) + mus_linear_bytes(&sim->linear) + mus_integrator_bytes(&sim->integrator) +
         mus_limiter_bytes(sim->limiter) + mus_lattices_bytes(sim->lattices) + mus_contact_bytes(sim->contact) +
         mus_touch_bytes(sim->touch) + mus_resident_bytes(sim->resident) + mus_sim_fields_bytes(sim->fields) +
         sim->attachments.springs.capacity * sizeof(mus_attached) + sim->records.capacity * sizeof(mus_step_record);
}
