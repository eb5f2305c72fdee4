// The system as given: checked, copied, and what follows from it. See system.h.
#include "solve/system.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "krylov/cg.h"
#include "par/vector.h"
#include "solve/constraints.h"
#include "solve/couplings.h"
#include "solve/equalities.h"
#include "sparse/soundness.h"

// Asymmetry up to this part of the largest entry passes for rounding.
static const double asymmetry_allowed = 1e-8;

// --- life ------------------------------------------------------------------------------------------------------------

static mus_status allocate(mus_system *system, int rows, int block, const int *row_start, const int *column) {
  mus_arena *arena = &system->arena;
  size_t n = (size_t)rows * (size_t)block;
  mus_status status = mus_pattern_copy(arena, rows, rows, row_start, column, &system->pattern);
  if (!status)
    status = mus_transpose_create(arena, &system->pattern, &system->transpose);
  if (!status && !mus_pattern_is_symmetric(&system->pattern, &system->transpose))
    status = mus_fail(MUS_BAD_INPUT, "the pattern is not symmetric: give both (i, j) and (j, i)");
  if (!status && !(system->diagonal = mus_arena_alloc(arena, (size_t)rows, sizeof *system->diagonal)))
    status = mus_fail_memory();
  if (!status)
    status = mus_diagonal_places(&system->pattern, system->diagonal);
  if (status)
    return status;
  system->a = (mus_matrix){&system->pattern, block, block, NULL};
  system->work = mus_arena_alloc(arena, MUS_CG_VECTORS * n, sizeof *system->work);
  system->right = mus_arena_alloc(arena, n, sizeof *system->right);
  system->solution = mus_arena_alloc(arena, n, sizeof *system->solution);
  return system->work && system->right && system->solution ? MUS_OK : mus_fail_memory();
}

mus_status mus_system_create(int rows, int block, const int *row_start, const int *column, int is_prefiltered,
                             mus_system **out) {
  if (block < 1 || block > MUS_BLOCK_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "block size %d: 1 to %d are possible", block, MUS_BLOCK_MAXIMUM);
  mus_status status = mus_pattern_check(rows, rows, row_start, column);
  if (!status && (double)rows * block > INT_MAX)
    status = mus_fail(MUS_BAD_INPUT, "%d rows of %d unknowns: at most %d unknowns are possible", rows, block, INT_MAX);
  if (status)
    return status;
  mus_system *system = mus_alloc_zero(1, sizeof *system);
  if (!system)
    return mus_fail_memory();
  *system = (mus_system){
      .rows = rows, .block = block, .is_prefiltered = is_prefiltered, .filter = {.rows = rows, .block = block}};
  status = allocate(system, rows, block, row_start, column);
  if (status)
    mus_system_free(system);
  else
    *out = system;
  return status;
}

void mus_system_free(mus_system *system) {
  if (!system)
    return;
  mus_arena_clear(&system->arena);
  mus_arena_clear(&system->constraint_arena);
  mus_arena_clear(&system->equality_arena);
  mus_arena_clear(&system->across_arena);
  mus_arena_clear(&system->coupling_arena);
  mus_arena_clear(&system->kernel_arena);
  mus_arena_clear(&system->level_arena);
  mus_free(system);
}

size_t mus_system_bytes(const mus_system *system) {
  return sizeof *system + system->arena.bytes + system->constraint_arena.bytes + system->equality_arena.bytes +
         system->across_arena.bytes + system->coupling_arena.bytes + system->kernel_arena.bytes +
         system->level_arena.bytes;
}

// --- values ----------------------------------------------------------------------------------------------------------

// Names the first number that is not finite.
static mus_status not_finite(const mus_system *system, const double *values) {
  size_t size = (size_t)(system->block * system->block);
  for (int i = 0; i < system->rows; ++i)
    for (int k = system->pattern.row_start[i]; k < system->pattern.row_start[i + 1]; ++k)
      for (size_t c = 0; c < size; ++c)
        if (!isfinite(values[(size_t)k * size + c]))
          return mus_fail(MUS_BAD_INPUT, "the matrix holds %g in block (%d, %d): all values must be finite",
                          values[(size_t)k * size + c], i, system->pattern.column[k]);
  return mus_fail(MUS_BAD_INPUT, "the matrix holds values that are not finite");
}

static mus_status check_vector(const char *name, size_t n, const double *x) {
  if (isfinite(mus_max_abs(n, x)))
    return MUS_OK;
  size_t at = 0;
  while (isfinite(x[at]))
    ++at;
  return mus_fail(MUS_BAD_INPUT, "%s: number %zu, counted from %d, is %g; all must be finite", name,
                  at + (size_t)mus_counted(0), mus_counted(0), x[at]);
}

static mus_status look_closely(const mus_system *system, const mus_matrix *given) {
  if (!isfinite(mus_max_abs(mus_matrix_values(given), given->value)))
    return not_finite(system, given->value);
  double asymmetry = mus_asymmetry(given, &system->transpose);
  if (asymmetry <= asymmetry_allowed)
    return MUS_OK;
  return mus_fail(MUS_BAD_INPUT,
                  "the matrix is not symmetric: entries differ from their mirror image by %.2g of the largest",
                  asymmetry);
}

// Copies them as well, unless `to` is NULL. What is rejected may be copied in part.
static mus_status check_values(const mus_system *system, const double *values, double *to) {
  mus_matrix given = {&system->pattern, system->block, system->block, (double *)values}; // read only
  return mus_matrix_take(&given, &system->transpose, asymmetry_allowed, to) ? MUS_OK : look_closely(system, &given);
}

static mus_status need_unmapped(const mus_system *system) {
  return system->is_mapped
             ? mus_fail(MUS_BAD_INPUT, "the solver's values are mapped: call mus_solver_unmap_values first")
             : MUS_OK;
}

mus_status mus_system_own_values(mus_system *system) {
  if (!system->own)
    system->own = mus_arena_alloc(&system->arena, mus_matrix_values(&system->a), sizeof *system->own);
  if (!system->own)
    return mus_fail_memory();
  system->a.value = system->own;
  return MUS_OK;
}

// Notes values that have been checked, with what came of it.
static mus_status take(mus_system *system, mus_status status, unsigned *changed) {
  system->has_values = !status;
  system->symmetric_form = MUS_FORM_NONE;
  *changed = MUS_CHANGED_VALUES;
  return status;
}

mus_status mus_system_set_values(mus_system *system, const double *values, unsigned *changed) {
  mus_status status = need_unmapped(system);
  if (!status)
    status = mus_system_own_values(system);
  return status ? status : take(system, check_values(system, values, system->own), changed);
}

mus_status mus_system_lend_values(mus_system *system, double *values, unsigned *changed) {
  mus_status status = need_unmapped(system);
  if (status)
    return status;
  system->a.value = values;
  return take(system, check_values(system, values, NULL), changed);
}

mus_status mus_system_map_values(mus_system *system, double **values) {
  const double *lent = system->a.value && system->a.value != system->own ? system->a.value : NULL;
  mus_status status = mus_system_own_values(system);
  if (status)
    return status;
  if (lent && system->has_values)
    mus_copy(mus_matrix_values(&system->a), lent, system->own);
  system->is_mapped = 1;
  *values = system->own;
  return MUS_OK;
}

mus_status mus_system_unmap_values(mus_system *system, unsigned *changed) {
  if (!system->is_mapped)
    return mus_fail(MUS_BAD_INPUT, "the solver's values are not mapped: call mus_solver_map_values first");
  system->is_mapped = 0;
  return take(system, check_values(system, system->own, NULL), changed); // what was there before is gone
}

// --- near-null space -------------------------------------------------------------------------------------------------

mus_status mus_system_set_coordinates(mus_system *system, const double *positions, unsigned *changed) {
  if (system->block != 3)
    return mus_fail(
        MUS_BAD_INPUT,
        "coordinates give a near-null space for 3 unknowns per node, not %d: set one by mus_solver_set_kernel",
        system->block);
  size_t n = 3 * (size_t)system->rows;
  mus_status status = check_vector("the coordinates", n, positions);
  if (status)
    return status;
  unsigned also = 0;
  if (!system->positions) {
    mus_arena arena = {0};
    double *copy = mus_arena_alloc(&arena, n, sizeof *copy);
    if (!copy)
      return mus_fail_memory();
    if (system->kernel)
      also = MUS_CHANGED_KERNEL;
    mus_arena_clear(&system->kernel_arena);
    system->kernel_arena = arena;
    system->kernel = NULL;
    system->positions = copy;
  }
  *changed = MUS_CHANGED_COORDINATES | also;
  mus_copy(n, positions, system->positions);
  return MUS_OK;
}

mus_status mus_system_set_kernel(mus_system *system, int count, const double *vectors, unsigned *changed) {
  if (count < 1 || count > MUS_BLOCK_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "%d near-null vectors: give 1 to %d", count, MUS_BLOCK_MAXIMUM);
  size_t numbers = (size_t)count * mus_system_unknowns(system);
  mus_status status = check_vector("the near-null space", numbers, vectors);
  if (status)
    return status;
  mus_arena arena = {0};
  double *kernel = mus_arena_alloc(&arena, numbers, sizeof *kernel);
  if (!kernel)
    return mus_fail_memory();
  mus_copy(numbers, vectors, kernel);
  mus_arena_clear(&system->kernel_arena);
  system->kernel_arena = arena;
  system->kernel = kernel;
  system->kernel_count = count;
  system->positions = NULL;
  *changed = MUS_CHANGED_KERNEL;
  return MUS_OK;
}

// --- levels that are given -------------------------------------------------------------------------------------------

static mus_status check_level(int number, int nodes, const mus_interpolation *level) {
  if (level->nodes != nodes)
    return mus_fail(MUS_BAD_INPUT, "levels[%d] has %d nodes instead of %d", number, level->nodes, nodes);
  if (level->coarse < 1 || level->coarse > level->nodes)
    return mus_fail(MUS_BAD_INPUT, "levels[%d]: %d coarse nodes for %d", number, level->coarse, level->nodes);
  if (!level->carrier || !level->weight)
    return mus_fail(MUS_BAD_INPUT, "levels[%d] has no carriers or weights: they are NULL", number);
  for (size_t k = 0; k < 3 * (size_t)nodes; ++k)
    if (level->carrier[k] < 0 || level->carrier[k] >= level->coarse || !isfinite(level->weight[k]))
      return mus_fail(MUS_BAD_INPUT, "levels[%d]: node %zu is carried by node %d, with a weight of %g", number,
                      k / 3 + (size_t)mus_counted(0), mus_counted(level->carrier[k]), level->weight[k]);
  for (size_t i = 0; i < (size_t)nodes; ++i) {
    const double *w = level->weight + 3 * i;
    int joint = level->joint ? level->joint[i] : -1;
    if (joint < -1 || joint >= level->coarse)
      return mus_fail(MUS_BAD_INPUT, "levels[%d]: node %zu is joined by node %d", number, i + (size_t)mus_counted(0),
                      mus_counted(joint));
    if ((w[0] != 0 || w[1] != 0 || w[2] != 0) && !(fabs(w[0] + w[1] + w[2] - 1) < 1e-6))
      return mus_fail(MUS_BAD_INPUT, "levels[%d]: the weights of node %zu sum to %g instead of 1", number,
                      i + (size_t)mus_counted(0), w[0] + w[1] + w[2]);
  }
  return MUS_OK;
}

mus_status mus_system_set_levels(mus_system *system, int count, const mus_interpolation *levels, unsigned *changed) {
  mus_arena arena = {0};
  mus_nested made = {.levels = count};
  mus_status status = count >= 0 && count < MUS_LEVELS_MAXIMUM
                          ? MUS_OK
                          : mus_fail(MUS_BAD_INPUT, "%d levels: give at most %d", count, MUS_LEVELS_MAXIMUM - 1);
  for (int l = 0; l < count && !status; ++l) {
    status = check_level(l, l == 0 ? system->rows : levels[l - 1].coarse, &levels[l]);
    size_t numbers = 3 * (size_t)levels[l].nodes;
    int *carrier = mus_arena_alloc(&arena, numbers, sizeof *carrier);
    double *weight = mus_arena_alloc(&arena, numbers, sizeof *weight);
    int *joint = levels[l].joint ? mus_arena_alloc(&arena, (size_t)levels[l].nodes, sizeof *joint) : NULL;
    if (!status && (!carrier || !weight || (levels[l].joint && !joint)))
      status = mus_fail_memory();
    if (status)
      break;
    memcpy(carrier, levels[l].carrier, numbers * sizeof *carrier);
    memcpy(weight, levels[l].weight, numbers * sizeof *weight);
    if (joint)
      memcpy(joint, levels[l].joint, (size_t)levels[l].nodes * sizeof *joint);
    made.level[l] = (mus_interpolation){levels[l].nodes, levels[l].coarse, carrier, weight, joint};
  }
  if (status) {
    mus_arena_clear(&arena);
    return status;
  }
  mus_arena_clear(&system->level_arena);
  system->level_arena = arena;
  system->nested = made;
  system->has_levels = 1;
  *changed = MUS_CHANGED_LEVELS;
  return MUS_OK;
}

// --- constraints -----------------------------------------------------------------------------------------------------

static int holds_the_same(const mus_filter *a, const mus_filter *b) {
  size_t count = (size_t)a->count, numbers = count * (size_t)(a->block * a->block);
  return a->count == b->count &&
         (count == 0 || (memcmp(a->node, b->node, count * sizeof *a->node) == 0 &&
                         memcmp(a->projection, b->projection, numbers * sizeof *a->projection) == 0));
}

// What is filtered was so by other constraints or equalities.
static void forget_filtered(mus_system *system) {
  system->symmetric_form = MUS_FORM_NONE;
  system->couplings_stale = 1;
}

mus_status mus_system_set_constraints(mus_system *system, int count, const mus_constraint *constraints,
                                      unsigned *changed) {
  if (count > 0 && system->block > 3)
    return mus_fail(MUS_BAD_INPUT, "constraints are for 1 to 3 unknowns per node, not %d", system->block);
  mus_status status = MUS_OK;
  mus_arena arena = {0};
  mus_filter filter = {.rows = system->rows, .block = system->block};
  if (count != 0)
    status = mus_constraints_filter(&arena, system->rows, system->block, count, constraints, &filter);
  mus_filter_saved saved = {0};
  if (!status && filter.count > 0 && system->is_prefiltered)
    status = mus_filter_saved_create(&arena, &filter, &system->pattern, &saved);
  if (status) {
    mus_arena_clear(&arena);
    return status;
  }
  *changed = MUS_CHANGED_CONSTRAINTS | (holds_the_same(&system->filter, &filter) ? 0 : MUS_CHANGED_HELD);
  mus_arena_clear(&system->constraint_arena);
  system->constraint_arena = arena;
  system->filter = filter;
  system->filter.across = system->across.count > 0 ? &system->across : NULL;
  system->saved = saved;
  system->across_stale = 1;
  forget_filtered(system);
  return MUS_OK;
}

// Takes over a projection that was made in that arena.
static void take_across(mus_system *system, mus_arena arena, const mus_equalities *across) {
  mus_arena_clear(&system->across_arena);
  system->across_arena = arena;
  system->across = *across;
  system->filter.across = across->count > 0 ? &system->across : NULL;
  system->across_stale = 0;
  forget_filtered(system);
}

static mus_status update_across(mus_system *system, unsigned *changed) {
  if (!system->across_stale || system->equality_count == 0)
    return MUS_OK;
  mus_arena arena = {0};
  mus_equalities across;
  mus_status status = mus_equalities_beside(&arena, &system->filter, system->equality_count, system->equality, &across);
  if (status) {
    mus_arena_clear(&arena);
    return status;
  }
  take_across(system, arena, &across);
  *changed = MUS_CHANGED_EQUALITIES;
  return MUS_OK;
}

mus_status mus_system_set_equalities(mus_system *system, int count, const mus_equality *equalities, unsigned *changed) {
  mus_status status = mus_equalities_check(system->rows, system->block, count, equalities);
  if (status)
    return status;
  mus_arena list = {0}, arena = {0};
  mus_equalities across = {.block = system->block};
  mus_equality *copy = count > 0 ? mus_arena_alloc(&list, (size_t)count, sizeof *copy) : NULL;
  if (count > 0 && !copy)
    return mus_fail_memory();
  if (count > 0) {
    memcpy(copy, equalities, (size_t)count * sizeof *copy);
    status = mus_equalities_beside(&arena, &system->filter, count, copy, &across);
  }
  if (status) {
    mus_arena_clear(&list);
    mus_arena_clear(&arena);
    return status;
  }
  mus_arena_clear(&system->equality_arena);
  system->equality_arena = list;
  system->equality = copy;
  system->equality_count = count;
  take_across(system, arena, &across);
  *changed = MUS_CHANGED_EQUALITIES;
  return MUS_OK;
}

mus_status mus_system_set_couplings(mus_system *system, int count, const mus_coupling *couplings, unsigned *changed) {
  if (count > 0 && system->block != 3)
    return mus_fail(MUS_BAD_INPUT, "couplings are for 3 unknowns per node, not %d", system->block);
  mus_status status = MUS_OK;
  mus_arena arena = {0};
  mus_beyond sum = {0}, filtered = {0};
  if (count != 0)
    status = mus_couplings_sum(&arena, system->rows, count, couplings, &sum);
  if (!status && count > 0) {
    filtered = sum;
    filtered.value = mus_arena_alloc(&arena, 9 * (size_t)mus_pattern_blocks(&sum.pattern), sizeof(double));
    if (!filtered.value)
      status = mus_fail_memory();
  }
  if (status) {
    mus_arena_clear(&arena);
    return status;
  }
  mus_arena_clear(&system->coupling_arena);
  system->coupling_arena = arena;
  system->couplings = sum;
  system->filtered_couplings = filtered;
  system->couplings_stale = 1;
  *changed = MUS_CHANGED_COUPLINGS;
  return MUS_OK;
}

mus_status mus_system_check_rest(mus_system *system, unsigned *changed) {
  *changed = 0;
  return update_across(system, changed);
}

mus_status mus_system_check(mus_system *system, const double *b, const double *x, unsigned *changed) {
  mus_status status = need_unmapped(system);
  *changed = 0;
  if (!status && !system->has_values)
    status = mus_fail(MUS_BAD_INPUT, "the solver has no values: call mus_solver_set_values");
  if (!status && b)
    status = check_vector("the right-hand side", mus_system_unknowns(system), b);
  if (!status && x)
    status = check_vector("the initial guess", mus_system_unknowns(system), x);
  return status ? status : update_across(system, changed);
}

mus_status mus_system_check_vector(const mus_system *system, const char *name, const double *x) {
  return check_vector(name, mus_system_unknowns(system), x);
}
