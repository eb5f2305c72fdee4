// Equalities across nodes, E x = t, on a GPU: by multipliers (Hestenes 1969, Powell 1969), so that the device needs
// nothing but couplings. With x = x0 + y and E x0 = t, conjugate gradients there solve
//   (A + w E^T E) y = b - A x0 - E^T l,   then   l += w E y,
// until E y is nothing beside y. What is left of it, projection takes away. See sa.h.
#include <math.h>

#include "base/error.h"
#include "base/vector3.h"
#include "par/vector.h"
#include "solve/method/sa.h"
#include "solve/run.h"

// w, in the largest of the matrix's diagonal at nodes that equalities touch: each round leaves about one part in so
// many of what E y was, and need be solved no better. Less takes more rounds, more takes more iterations in each.
static const double weight = 30;
enum { ROUNDS = 12 };

typedef struct rounds {
  mus_arena arena;
  const mus_equalities *across;
  mus_beyond penalty; // w E^T E
  double w;
  double *y, *right, *start, *zero; // unknowns; `right` is b - A x0, `start` x0
  double *given;                    // `right` without E^T l
  double *multiplier;               // rows of E
} rounds;

static mus_status allocate(rounds *r, const mus_system *system) {
  size_t n = mus_system_unknowns(system);
  double **vector[] = {&r->y, &r->right, &r->start, &r->zero, &r->given};
  int has_all = 1;
  for (size_t k = 0; k < sizeof vector / sizeof *vector; ++k)
    has_all = (*vector[k] = mus_arena_alloc_zero(&r->arena, n, sizeof(double))) && has_all;
  r->multiplier = mus_arena_alloc_zero(&r->arena, (size_t)r->across->count, sizeof(double));
  return has_all && r->multiplier ? MUS_OK : mus_fail_memory();
}

static double largest_diagonal(const mus_system *system, const mus_equalities *across) {
  double largest = 0;
  for (int k = 0; k < across->touched; ++k) {
    const double *block = mus_matrix_at(&system->a, system->diagonal[across->node[k]]);
    for (int d = 0; d < system->block; ++d)
      largest = fmax(largest, block[d * system->block + d]);
  }
  return largest;
}

static mus_status begin(rounds *r, mus_system *system, const mus_run *run) {
  mus_status status = allocate(r, system);
  if (status)
    return status;
  mus_equality_terms weighted = {r->across, r->w = weight * largest_diagonal(system, r->across)};
  mus_terms terms = mus_equalities_terms(&weighted);
  status = mus_beyond_create(&r->arena, system->rows, system->block, &terms, &r->penalty);
  size_t n = mus_system_unknowns(system);
  mus_block_operator given = mus_system_given(system);
  mus_copy(n, run->x, r->start);
  mus_filter_impose(&system->filter, r->start);
  mus_block_operator_residual(&given, run->b, r->start, r->right);
  return status;
}

// E y of a row.
static double row_of(const mus_equality_row *row, const double *y) {
  double sum = 0;
  for (int k = 0; k < row->count; ++k)
    for (int c = 0; c < 3; ++c)
      sum += row->direction[k][c] * y[3 * (size_t)row->node[k] + (size_t)c];
  return sum;
}

// b - A x0 - E^T l
static void fill_given(const rounds *r, size_t n) {
  mus_copy(n, r->right, r->given);
  for (int i = 0; i < r->across->count; ++i) {
    const mus_equality_row *row = &r->across->row[i];
    for (int k = 0; k < row->count; ++k)
      mus_add_scaled3(-r->multiplier[i], row->direction[k], r->given + 3 * (size_t)row->node[k]);
  }
}

// Returns the largest of E y.
static double raise(const rounds *r) {
  double largest = 0;
  for (int i = 0; i < r->across->count; ++i) {
    double off = row_of(&r->across->row[i], r->y);
    r->multiplier[i] += r->w * off;
    largest = fmax(largest, fabs(off));
  }
  return largest;
}

static mus_status iterate(mus_sa *sa, mus_upkeep_kind kind, mus_run *run, const mus_cg_options *limits, rounds *r) {
  size_t n = mus_system_unknowns(sa->system);
  mus_run own = *run;
  mus_cg_options left = *limits;
  int before = run->record->iterations;
  mus_status status = MUS_OK;
  own.b = r->given;
  own.x = r->y;
  left.stop = MUS_STOP_RHS; // which every round has nearly in common
  left.tolerance = 1;
  for (int round = 0; round < ROUNDS && !status; ++round) {
    fill_given(r, n);
    left.iterations = limits->iterations - (run->record->iterations - before);
    left.tolerance = fmax(left.tolerance / weight, limits->tolerance);
    status = mus_sa_device_run(sa, round == 0 ? kind : MUS_UPKEEP_NONE, &own, &left);
    double off = raise(r);
    if (left.tolerance <= limits->tolerance && off <= limits->tolerance * mus_max_abs(n, r->y))
      break;
  }
  return status;
}

// Meanwhile, the system has no equalities, but couplings, and holds at zero what it holds.
mus_status mus_sa_device_run_held(mus_sa *sa, mus_upkeep_kind kind, mus_run *run, const mus_cg_options *limits) {
  mus_system *system = sa->system;
  rounds r = {.across = system->filter.across};
  mus_system_put(system, MUS_FORM_GIVEN);
  mus_status status = begin(&r, system, run);
  if (!status) {
    mus_beyond couplings = system->couplings, filtered = system->filtered_couplings;
    double *target = system->filter.target;
    int stale = system->couplings_stale;
    system->couplings = system->filtered_couplings = r.penalty; // E has nothing of what is held
    system->couplings_stale = 0;
    system->filter.across = NULL;
    system->filter.target = r.zero;
    mus_sa_device_changed(sa, MUS_CHANGED_CONSTRAINTS);
    status = iterate(sa, kind, run, limits, &r);
    system->couplings = couplings;
    system->filtered_couplings = filtered;
    system->couplings_stale = stale;
    system->filter.across = r.across;
    system->filter.target = target;
    mus_sa_device_changed(sa, MUS_CHANGED_CONSTRAINTS);
  }
  if (!status || status == MUS_NOT_CONVERGED || status == MUS_BREAKDOWN) {
    size_t n = mus_system_unknowns(system);
    mus_copy(n, r.start, run->x);
    mus_axpy(n, 1, r.y, run->x);
    mus_filter_impose(&system->filter, run->x);
    if (*run->record->device)
      run->record->true_residual = mus_system_true_residual(system, run->b, run->x);
  }
  mus_arena_clear(&r.arena);
  return status;
}
