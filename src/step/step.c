// One time step, in named stages: predict, constrain, touch, assemble, solve, respond, commit.
//
// Implicit Euler and second-order backward differences (Baraff and Witkin 1998; Choi and Ko 2002) are one scheme,
//   x' = X + H v',   M (v' - V) = H f(x', v'),
// with X = x, V = v, H = h for Euler and X = (4 x - x_before) / 3, V = (4 v - v_before) / 3, H = 2 h / 3 for BDF2. With
// one linearisation at (X, v), the change of velocity d = v' - v solves
//   (M + H D + H^2 K) d = M (V - v) + H (f(X, v) - H K v).
// Newton's method goes on from there, with Euler's X, V and H, until nothing is left of
//   r(v') = H f(X + H v', v') - M (v' - V):
// each correction d solves (M + H D + H^2 K) d = r, K and D at the present iterate, and is shortened where r . d has
// turned negative, which is beyond the lowest point along d.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "model/motion.h"
#include "par/par.h"
#include "par/vector.h"
#include "step/assemble.h"
#include "step/attach.h"

// A step that stretches any thread by more than this beyond what it was has gone wrong.
static const double strain_jump = 1.0;
// A linearised step that gains energy from nowhere is halved, this often at most; each of these is a part of what a
// step may gain all the same: of its energy, and of what a step of free fall gives.
enum { ENERGY_HALVINGS = 4 };
// So often at most because bodies left no way.
enum { CONTACT_HALVINGS = 2 };
// Vertices up to which a failed solve is done again by Cholesky's method: beyond, its factors might not fit into
// memory.
enum { RETRY_VERTICES = 400000 };
static const double energy_slack = 0.02, fall_slack = 0.1;

// Which of the two, and H of the head comment.
typedef struct scheme {
  double length; // H
  int second;    // BDF2
} scheme;

static size_t unknowns(const mus_sim *sim) { return 3 * (size_t)sim->model.vertices; }

// --- predict ---------------------------------------------------------------------------------------------------------

static scheme predict(mus_sim *sim, double h) {
  int second = sim->model.scene->integrator == MUS_INTEGRATOR_BDF2 && fabs(sim->step_before - h) < 1e-12 * h;
  size_t n = unknowns(sim);
  MUS_PARALLEL_FOR_IF(n > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < n; ++i)
    sim->predicted[i] = second ? (4 * sim->position[i] - sim->position_before[i]) / 3 : sim->position[i];
  return (scheme){second ? 2 * h / 3 : h, second};
}

// --- assemble --------------------------------------------------------------------------------------------------------
// right <- H right + M (V - v')
static void finish_right(mus_sim *sim, const scheme *s, const double *old_velocity) {
  const double *mass = sim->model.mass;
  size_t n = unknowns(sim);
  MUS_PARALLEL_FOR_IF(n > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < n; ++i) {
    double v = old_velocity[i], wanted = s->second ? v + (v - sim->velocity_before[i]) / 3 : v; // V
    sim->right[i] = s->length * sim->right[i] + mass[i / 3] * (wanted - sim->velocity[i]);
  }
}

// --- constrain -------------------------------------------------------------------------------------------------------

// Pinned vertices go where their pin will be at the step's end: d = (target - X) / H - v. The last pin that names a
// vertex counts.
static void constrain_pins(mus_sim *sim, const scheme *s, double time) {
  int count = 0;
  for (int i = 0; i < sim->model.vertices; ++i)
    sim->constraint_of[i] = -1;
  for (int p = 0; p < sim->model.pin_count; ++p) {
    const mus_model_pin *pin = &sim->model.pins[p];
    if (!mus_pin_holds(pin->source, time))
      continue;
    for (int k = 0; k < pin->count; ++k) {
      int i = pin->vertex[k];
      if (sim->constraint_of[i] < 0)
        sim->constraint_of[i] = count++;
      mus_constraint *c = &sim->constraint[sim->constraint_of[i]];
      *c = (mus_constraint){.node = i, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
      double target[3];
      mus_pin_target(pin->source, time, sim->model.start + 3 * (size_t)i, target);
      for (int a = 0; a < 3; ++a) {
        size_t at = 3 * (size_t)i + (size_t)a;
        c->value[a] = (target[a] - sim->predicted[at]) / s->length - sim->velocity[at];
      }
    }
  }
  sim->constraints = count;
}

// Vertices on bodies go along with them.
static mus_status constrain_holds(mus_sim *sim) {
  int more = sim->contact ? mus_contact_constraints(sim->contact) : 0, room_needed = sim->constraints + more;
  if (room_needed > sim->constraint_room) {
    mus_constraint *larger = realloc(sim->constraint, (size_t)room_needed * 2 * sizeof *larger);
    if (!larger)
      return mus_fail_memory();
    sim->constraint = larger;
    sim->constraint_room = room_needed * 2;
  }
  for (int k = 0; k < more; ++k)
    mus_contact_constraint(sim->contact, k, sim->velocity, &sim->constraint[sim->constraints + k]);
  sim->constraints += more;
  return MUS_OK;
}

// --- touch -----------------------------------------------------------------------------------------------------------

static mus_status touch(mus_sim *sim, const scheme *s, double time, double h, mus_step_record *record) {
  if (!sim->contact)
    return MUS_OK;
  return mus_contact_find(&(mus_contact_step){.time = time - h,
                                              .h = h,
                                              .length = s->length,
                                              .position = sim->position,
                                              .velocity = sim->velocity,
                                              .predicted = sim->predicted,
                                              .pinned = sim->constraint_of},
                          &sim->contact_state, sim->contact, record);
}

// --- solve -----------------------------------------------------------------------------------------------------------

// The values lie in sim->solver, and are mapped but for the time that it solves.
static mus_status run_solver(mus_sim *sim, mus_solver *solver, mus_step_record *record) {
  int in_place = solver == sim->solver;
  mus_status status = in_place ? mus_solver_unmap_values(solver) : mus_solver_set_values(solver, sim->matrix.value);
  sim->solved = solver;
  if (!status)
    status = mus_solver_set_coordinates(solver, sim->position);
  if (!status)
    status = mus_solver_set_constraints(solver, sim->constraints, sim->constraint);
  if (!status && sim->contact)
    status = mus_solver_set_couplings(solver, (int)sim->contact->beyond.couplings.count,
                                      sim->contact->beyond.couplings.items);
  mus_fill(unknowns(sim), 0, sim->change);
  if (!status)
    status = mus_solver_solve(solver, sim->right, sim->change);
  if (in_place) // it has a pattern, so that this cannot fail
    mus_solver_map_values(solver, &sim->matrix.value);
  const mus_solve_record *solved = mus_solver_record(solver);
  record->iterations += solved->iterations;
  record->residual = solved->true_residual;
  record->setup_seconds += solved->setup_seconds;
  record->prefilter_seconds += solved->prefilter_seconds;
  record->solve_seconds += solved->solve_seconds;
  return status;
}

// A solve that fails is done again by Cholesky's method, where that is built in and affordable, and counted.
static mus_status solve(mus_sim *sim, mus_step_record *record) {
  mus_status status = run_solver(sim, sim->solver, record);
  if ((status != MUS_NOT_CONVERGED && status != MUS_BREAKDOWN) || !mus_method_available(MUS_METHOD_CHOLMOD) ||
      sim->model.vertices > RETRY_VERTICES)
    return status;
  if (!sim->strong) {
    mus_solver_options options = sim->settings.solver;
    options.method = MUS_METHOD_CHOLMOD;
    status = mus_sim_make_solver(sim, &options, &sim->strong);
    if (status)
      return status;
  }
  ++record->retries;
  return run_solver(sim, sim->strong, record);
}

// --- move ------------------------------------------------------------------------------------------------------------

// The end positions X + H v, in `position`.
static void move(mus_sim *sim, const scheme *s) {
  size_t n = unknowns(sim);
  MUS_PARALLEL_FOR_IF(n > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < n; ++i)
    sim->position[i] = sim->predicted[i] + s->length * sim->velocity[i];
}

// The linear system of a step of length h that ends at `time`.
static mus_status prepare(mus_sim *sim, const scheme *s, double time, double h, mus_step_record *record) {
  constrain_pins(sim, s, time);
  mus_status status = touch(sim, s, time, h, record);
  double begin = mus_seconds();
  if (!status)
    status = constrain_holds(sim);
  if (status)
    return status;
  mus_instant at = {time, sim->predicted, sim->velocity, s->length, s->length};
  mus_assemble(&sim->model, &sim->settings, &at, &sim->matrix, sim->right);
  finish_right(sim, s, sim->velocity);
  mus_attachments_load(sim, &at, &sim->matrix, sim->right);
  if (sim->contact)
    mus_contact_load(sim->contact, sim->velocity, &sim->matrix, sim->right);
  record->assemble_seconds += mus_seconds() - begin;
  return MUS_OK;
}

mus_status mus_step_prepare(mus_sim *sim, double h) {
  scheme s = predict(sim, h);
  mus_step_record record = {0};
  return prepare(sim, &s, sim->time + h, h, &record);
}

static mus_status linearised(mus_sim *sim, const scheme *s, double time, double h, mus_step_record *record) {
  mus_status status = prepare(sim, s, time, h, record);
  record->newton_iterations = 1;
  if (!status)
    status = solve(sim, record);
  if (!status) {
    mus_axpy(unknowns(sim), 1, sim->change, sim->velocity);
    move(sim, s);
    if (sim->contact)
      mus_contact_measure(sim->contact, &sim->matrix, sim->change, sim->velocity, sim->right);
  }
  return status;
}

// --- Newton's method -------------------------------------------------------------------------------------------------

// r of the head comment at the present iterate, in `right`, and its matrix where wanted.
static void assemble_iterate(mus_sim *sim, const scheme *s, double time, int with_matrix, mus_step_record *record) {
  double begin = mus_seconds();
  mus_instant at = {time, sim->position, sim->velocity, s->length, 0};
  mus_assemble(&sim->model, &sim->settings, &at, with_matrix ? &sim->matrix : NULL, sim->right);
  finish_right(sim, s, sim->saved_velocity);
  mus_attachments_load(sim, &at, with_matrix ? &sim->matrix : NULL, sim->right);
  if (sim->contact)
    mus_contact_load(sim->contact, sim->velocity, with_matrix ? &sim->matrix : NULL, sim->right);
  mus_sim_clear_prescribed(sim, sim->right);
  record->assemble_seconds += mus_seconds() - begin;
}

// A bound on the error of the velocities, m/s, as a mean over the mass: the matrix is never below M.
static double velocity_error(const mus_sim *sim) {
  double sum = 0;
  for (int i = 0; i < sim->model.vertices; ++i) {
    const double *r = sim->right + 3 * (size_t)i;
    sum += mus_dot3(r, r) / sim->model.mass[i];
  }
  return sqrt(sum / sim->model.total_mass);
}

// Goes along `change`, or part of the way; leaves r at the new iterate in `right` and the part in `part`.
static mus_status search_line(mus_sim *sim, const scheme *s, double time, double *part, mus_step_record *record) {
  enum { TRIALS = 16 };
  size_t n = unknowns(sim);
  double downhill = mus_dot(n, sim->right, sim->change);
  *part = 1;
  if (!(downhill > 0))
    return mus_fail(MUS_BREAKDOWN, "Newton's method leads uphill in the step to %g s", time);
  mus_copy(n, sim->velocity, sim->iterate);
  for (int trial = 0; trial < TRIALS; ++trial) {
    mus_copy(n, sim->iterate, sim->velocity);
    mus_axpy(n, *part, sim->change, sim->velocity);
    move(sim, s);
    assemble_iterate(sim, s, time, 0, record);
    double slope = mus_dot(n, sim->right, sim->change);
    if (slope >= -downhill / 2)
      return MUS_OK;
    *part *= fmin(0.9, fmax(0.1, downhill / (downhill - slope)));
  }
  mus_copy(n, sim->iterate, sim->velocity);
  move(sim, s);
  return mus_fail(MUS_NOT_CONVERGED, "Newton's line search found no lower point in the step to %g s", time);
}

// One correction; 1 in `done` when it was whole and as small as wanted. A linear solve that ends early is no failure
// here: the next correction goes on from what it reached. The matrix is the semi-definite one of the linearised step,
// which always leads downhill; the exact one was tried and needed as many iterations, where it did not lead uphill.
static mus_status correct(mus_sim *sim, const scheme *s, double time, int *done, mus_step_record *record) {
  double part = 1;
  assemble_iterate(sim, s, time, 1, record);
  mus_status status = run_solver(sim, sim->solver, record);
  int whole = !status;
  if (!status || status == MUS_NOT_CONVERGED)
    status = search_line(sim, s, time, &part, record);
  *done = whole && part * mus_max_abs(unknowns(sim), sim->change) <= sim->model.scene->newton_tolerance;
  return status;
}

// Corrections until they are small enough.
static mus_status converge(mus_sim *sim, const scheme *s, double time, mus_step_record *record) {
  const mus_scene *scene = sim->model.scene;
  for (int done = 0; !done && velocity_error(sim) > scene->newton_tolerance;) {
    if (record->newton_iterations == scene->newton_iterations)
      return mus_fail(MUS_NOT_CONVERGED,
                      "Newton's method has not converged in %d iterations in the step to %g s: take a smaller "
                      "time_step, or more newton_iterations",
                      scene->newton_iterations, time);
    ++record->newton_iterations;
    mus_status status = correct(sim, s, time, &done, record);
    if (status)
      return status;
  }
  return MUS_OK;
}

// Where forces jump, as damping does where springs of Choi and Ko go slack, both ways along a correction may lead
// uphill at any length of the step. What a step that cannot be halved again has come to then is taken: it is never
// worse than the linearised step, from which corrections have only led downhill.
static mus_status newton(mus_sim *sim, const scheme *s, double time, double h, mus_step_record *record) {
  mus_status status = linearised(sim, s, time, h, record);
  if (status)
    return status;
  for (int k = 0; k < sim->constraints; ++k) // all are where they go to now
    memset(sim->constraint[k].value, 0, sizeof sim->constraint[k].value);
  assemble_iterate(sim, s, time, 0, record);
  status = converge(sim, s, time, record);
  if (status == MUS_NOT_CONVERGED && sim->model.scene->adaptive && record->halvings == MUS_HALVINGS_MAXIMUM) {
    assemble_iterate(sim, s, time, 0, record);
    status = MUS_OK;
  }
  mus_fill(unknowns(sim), 0, sim->change); // `right` is what is left
  return status;
}

// --- commit ----------------------------------------------------------------------------------------------------------

static mus_status keep_record(mus_sim *sim, const mus_step_record *record) {
  if (sim->records == sim->record_room) {
    int room = 2 * sim->record_room + 16;
    mus_step_record *larger = realloc(sim->record, (size_t)room * sizeof *larger);
    if (!larger)
      return mus_fail_memory();
    sim->record = larger;
    sim->record_room = room;
  }
  sim->record[sim->records++] = *record;
  return MUS_OK;
}

static double elastic_energy(const mus_step_record *r) { return r->stretch + r->shear + r->bend; }

void mus_sim_measure(mus_sim *sim, double time, mus_step_record *record) {
  mus_instant at = {.time = time, .position = sim->position, .velocity = sim->velocity};
  mus_measure(&sim->model, &sim->settings, &at, sim->strain, record);
}

void mus_step_remember(mus_sim *sim, const mus_step_record *record) {
  sim->strain_before = record->strain_maximum;
  sim->energy_before = record->kinetic + elastic_energy(record) + record->potential;
}

// Whether energies before and after the step can be compared: neither wind nor a key puts any in, nor a thread that is
// drawn in, nor a hand that pulls.
static int is_closed(const mus_sim *sim, double time) {
  const mus_model *m = &sim->model;
  const mus_settings *settings = &sim->settings;
  double before[3], after[3], wind[3];
  mus_settings_gravity(settings, m, sim->time, before);
  mus_settings_gravity(settings, m, time, after);
  int closed = !mus_settings_wind(settings, m, time, wind) && memcmp(before, after, sizeof before) == 0 &&
               sim->attachments.count == 0 && !m->driven;
  for (int k = 0; k < m->cloth_count; ++k)
    closed =
        closed && mus_settings_stiffness(settings, m, k, sim->time) == mus_settings_stiffness(settings, m, k, time);
  return closed;
}

// What pins and contact have done in a linearised step, J: their impulses A d - b along the way that they went. Only
// the rows of those that have moved are multiplied.
static double work_done(const mus_sim *sim, const scheme *s) {
  const mus_pattern *pattern = &sim->model.pattern;
  int held = sim->contact ? mus_contact_constraints(sim->contact) : 0;
  double work = sim->contact ? mus_contact_work(sim->contact, sim->velocity) : 0;
  for (int k = 0; k < sim->constraints - held; ++k) {
    int i = sim->constraint[k].node;
    double way[3];
    mus_subtract3(sim->position + 3 * (size_t)i, sim->saved_position + 3 * (size_t)i, way);
    if (way[0] == 0 && way[1] == 0 && way[2] == 0)
      continue;
    work -= mus_dot3(sim->right + 3 * (size_t)i, way) / s->length;
    for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; ++e)
      for (int c = 0; c < 3; ++c)
        work += way[c] *
                mus_dot3(mus_matrix_at(&sim->matrix, e) + 3 * c, sim->change + 3 * (size_t)pattern->column[e]) /
                s->length;
  }
  return work;
}

// Large steps overshoot: what was linear at their start is not at their end, and stretches what it should only turn.
static mus_status check_energy(const mus_sim *sim, const scheme *s, const mus_step_record *record) {
  const mus_scene *scene = sim->model.scene;
  if (!scene->adaptive || scene->integrator == MUS_INTEGRATOR_NEWTON || record->halvings >= ENERGY_HALVINGS ||
      !is_closed(sim, record->time))
    return MUS_OK;
  double speed = 9.81 * record->time_step, fall = sim->model.total_mass * speed * speed / 2;
  double mechanical = record->kinetic + elastic_energy(record);
  double gained = mechanical + record->potential - sim->energy_before - work_done(sim, s);
  if (gained <= energy_slack * mechanical + fall_slack * fall)
    return MUS_OK;
  return mus_fail(MUS_BREAKDOWN, "the step to %g s gained %g J from nowhere: take a smaller time_step", record->time,
                  gained);
}

// Whether the new state can be believed.
static mus_status check(const mus_sim *sim, const mus_step_record *record) {
  if (!isfinite(mus_max_abs(unknowns(sim), sim->position)) || !isfinite(mus_max_abs(unknowns(sim), sim->velocity)))
    return mus_fail(MUS_BREAKDOWN, "the step to %g s left numbers that are not finite: take a smaller time_step",
                    record->time);
  if (record->strain_maximum > sim->strain_before + strain_jump)
    return mus_fail(
        MUS_BREAKDOWN,
        "the step to %g s stretched a thread to %g times its length, which a pin that jumps does at any step: "
        "take a smaller time_step",
        record->time, 1 + record->strain_maximum);
  return MUS_OK;
}

// Stops what would pass through something, and measures again where that has changed anything. Bodies and pins may
// leave no way out; smaller steps may find one.
static mus_status respond(mus_sim *sim, mus_step_record *record) {
  int changed = 0;
  if (!sim->contact)
    return MUS_OK;
  mus_status status =
      mus_contact_respond(&sim->contact_state, sim->contact, sim->position, sim->velocity, record, &changed);
  if (status || !changed)
    return status;
  mus_sim_measure(sim, record->time, record);
  if (record->impossible > 0 && sim->model.scene->adaptive && record->halvings < CONTACT_HALVINGS)
    return mus_fail(MUS_BREAKDOWN, "bodies left no way for %d pairs in the step to %g s", record->impossible,
                    record->time);
  return MUS_OK;
}

mus_status mus_step(mus_sim *sim, double h, int halvings) {
  double begin = mus_seconds(), time = sim->time + h;
  size_t n = unknowns(sim);
  mus_step_record record = {.time = time, .time_step = h, .halvings = halvings};
  mus_copy(n, sim->position, sim->saved_position);
  mus_copy(n, sim->velocity, sim->saved_velocity);
  scheme s = predict(sim, h);
  mus_status status = sim->model.scene->integrator == MUS_INTEGRATOR_NEWTON ? newton(sim, &s, time, h, &record)
                                                                            : linearised(sim, &s, time, h, &record);
  if (!status) {
    mus_sim_measure(sim, time, &record);
    status = check(sim, &record);
  }
  if (!status)
    status = check_energy(sim, &s, &record);
  if (!status)
    status = respond(sim, &record);
  if (!status)
    status = check(sim, &record);
  record.other_seconds = mus_seconds() - begin - record.assemble_seconds - record.setup_seconds -
                         record.prefilter_seconds - record.solve_seconds - record.detect_seconds -
                         record.respond_seconds;
  if (!status)
    status = keep_record(sim, &record);
  if (status) {
    mus_copy(n, sim->saved_position, sim->position);
    mus_copy(n, sim->saved_velocity, sim->velocity);
    return status;
  }
  mus_copy(n, sim->saved_position, sim->position_before);
  mus_copy(n, sim->saved_velocity, sim->velocity_before);
  sim->step_before = h;
  if (sim->contact)
    mus_contact_keep(sim->contact, sim->velocity, &sim->contact_state);
  mus_step_remember(sim, &record);
  sim->halvings_before = halvings;
  sim->time = time;
  return MUS_OK;
}
