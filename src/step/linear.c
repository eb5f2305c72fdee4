// See linear.h.
#include "step/linear.h"

#include "base/timer.h"
#include "model/levels.h"
#include "par/vector.h"

// Vertices up to which a failed solve is done again by Cholesky's method: beyond, its factors might not fit into
// memory.
enum { RETRY_VERTICES = 400000 };

// --- life ------------------------------------------------------------------------------------------------------------

// An empty solver with a pattern. `out` is written on success only.
static mus_status make_solver(const mus_pattern *pattern, const mus_solver_options *options, mus_solver **out) {
  mus_solver *solver = NULL;
  mus_status status = mus_solver_create(options, &solver);
  if (!status)
    status = mus_solver_set_pattern(solver, pattern->rows, 3, pattern->row_start, pattern->column);
  if (status)
    mus_solver_free(solver);
  else
    *out = solver;
  return status;
}

// The levels of a geometric hierarchy, which only the model knows.
static mus_status give_levels(const mus_model *model, mus_solver *solver) {
  mus_arena scratch = {0};
  mus_interpolation level[MUS_LEVELS_MAXIMUM];
  int count;
  mus_status status = mus_model_levels(model, &scratch, &count, level);
  if (!status)
    status = mus_solver_set_levels(solver, count, level);
  mus_arena_clear(&scratch);
  return status;
}

// A new solver that recalls these bytes, unless they are NULL.
static mus_status renew(mus_linear *linear, const mus_model *model, const mus_solver_options *options,
                        const double *position, size_t size, const void *bytes) {
  mus_linear renewed = {.matrix = {&model->pattern, 3, 3, NULL}};
  mus_status status = make_solver(&model->pattern, options, &renewed.solver);
  if (!status && mus_method_needs_levels(options->method))
    status = give_levels(model, renewed.solver);
  if (!status && bytes)
    status = mus_solver_set_coordinates(renewed.solver, position);
  if (!status && bytes)
    status = mus_solver_recall(renewed.solver, bytes, size);
  if (!status)
    status = mus_solver_map_values(renewed.solver, &renewed.matrix.value);
  if (status) {
    mus_linear_free(&renewed);
    return status;
  }
  if (linear->solver)
    mus_copy(mus_matrix_values(&renewed.matrix), linear->matrix.value, renewed.matrix.value);
  else
    mus_fill(mus_matrix_values(&renewed.matrix), 0, renewed.matrix.value);
  renewed.last = renewed.solver;
  mus_linear_free(linear);
  *linear = renewed;
  return MUS_OK;
}

mus_status mus_linear_renew(mus_linear *linear, const mus_model *model, const mus_solver_options *options) {
  return renew(linear, model, options, NULL, 0, NULL);
}

mus_status mus_linear_recall(mus_linear *linear, const mus_model *model, const mus_solver_options *options,
                             const double *position, size_t size, const void *bytes) {
  return renew(linear, model, options, position, size, bytes);
}

void mus_linear_free(mus_linear *linear) {
  mus_solver_free(linear->solver);
  mus_solver_free(linear->strong);
}

size_t mus_linear_bytes(const mus_linear *linear) {
  return mus_solver_bytes(linear->solver) + (linear->strong ? mus_solver_bytes(linear->strong) : 0);
}

// --- solving ---------------------------------------------------------------------------------------------------------

void mus_linear_open(mus_linear *linear) {
  if (linear->prepared) // it has a pattern, so that this cannot fail
    mus_solver_map_values(linear->solver, &linear->matrix.value);
  linear->prepared = 0;
}

// Gives a solver the system, but for the right-hand side.
static mus_status give(mus_linear *linear, mus_solver *solver, const mus_linear_system *system) {
  mus_linear_open(linear);
  mus_status status =
      solver == linear->solver ? mus_solver_unmap_values(solver) : mus_solver_set_values(solver, linear->matrix.value);
  linear->last = solver;
  linear->is_told = 0;
  if (!status)
    status = mus_solver_set_coordinates(solver, system->position);
  if (!status)
    status = mus_solver_set_constraints(solver, system->prescribed->count, system->prescribed->list);
  if (!status && system->couplings)
    status = mus_solver_set_couplings(solver, (int)system->couplings->count, system->couplings->items);
  return status;
}

static mus_status run(mus_linear *linear, mus_solver *solver, const mus_linear_system *system, double *change,
                      mus_step_record *record) {
  mus_status status = give(linear, solver, system);
  mus_fill(3 * (size_t)linear->matrix.pattern->rows, 0, change);
  if (!status)
    status = mus_solver_solve(solver, system->right, change);
  mus_seams_expand(system->seams, change);
  linear->prepared = solver == linear->solver;
  mus_linear_open(linear);
  const mus_solve_record *solved = mus_solver_record(solver);
  record->iterations += solved->iterations;
  record->residual = solved->true_residual;
  record->setup_seconds += solved->setup_seconds;
  record->prefilter_seconds += solved->prefilter_seconds;
  record->solve_seconds += solved->solve_seconds;
  return status;
}

mus_status mus_linear_prepare(mus_linear *linear, const mus_linear_system *system, mus_step_record *record) {
  double begin = mus_seconds();
  mus_status status = give(linear, linear->solver, system);
  linear->prepared = 1;
  if (!status)
    status = mus_solver_prepare(linear->solver);
  record->setup_seconds += mus_seconds() - begin;
  return status;
}

mus_status mus_linear_correct(mus_linear *linear, const mus_linear_system *system, int level, mus_correction kind,
                              double *change, mus_step_record *record) {
  double begin = mus_seconds();
  mus_status status = mus_solver_correct(linear->solver, level, kind, system->right, change);
  if (!status)
    mus_seams_expand(system->seams, change);
  ++record->iterations;
  record->solve_seconds += mus_seconds() - begin;
  return status;
}

mus_status mus_linear_run(mus_linear *linear, const mus_linear_system *system, double *change,
                          mus_step_record *record) {
  return run(linear, linear->solver, system, change, record);
}

mus_status mus_linear_solve(mus_linear *linear, const mus_linear_system *system, const mus_settings *settings,
                            double *change, mus_step_record *record) {
  mus_status status = run(linear, linear->solver, system, change, record);
  if ((status != MUS_NOT_CONVERGED && status != MUS_BREAKDOWN) || !mus_method_available(MUS_METHOD_CHOLMOD) ||
      linear->matrix.pattern->rows > RETRY_VERTICES)
    return status;
  mus_solver_options options = settings->solver;
  options.method = MUS_METHOD_CHOLMOD;
  status = linear->strong ? MUS_OK : make_solver(linear->matrix.pattern, &options, &linear->strong);
  if (status)
    return status;
  ++record->retries;
  return run(linear, linear->strong, system, change, record);
}
