// Conjugate gradients with smoothed aggregation multigrid (Tamstorf, Jones and McCormick 2015), with Galerkin
// multigrid in skinning space (Xian, Tong and Liu 2019), and with nested levels that are given (after Wang et al.
// 2018). They differ in how levels are made.
//
// The hierarchy is made without couplings and equalities across nodes. These are smoothed over around it (coupled.h),
// or couplings are taken into its coarse levels.
#include "solve/method/sa.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"

// --- life ------------------------------------------------------------------------------------------------------------

static mus_status create(const mus_solver_options *options, mus_system *system, void **self) {
  mus_sa *sa = mus_alloc_zero(1, sizeof *sa);
  if (!sa)
    return mus_fail_memory();
  *sa = (mus_sa){.options = options, .system = system, .stale = MUS_SA_STALE_ALL, .coupled = {.is_stale = 1}};
  *self = sa;
  return MUS_OK;
}

static void destroy(void *self);

static mus_status create_sa(const mus_solver_options *options, mus_system *system, void **self) {
  mus_status status = create(options, system, self);
  if (!status && (status = mus_sa_open_device(*self)))
    destroy(*self);
  return status;
}

// The coarsest level of handles has at most so many times the unknowns at which others end. Without smoothed
// prolongators, levels below would cost more iterations than a larger factor costs time.
static const int handles_bottom = 6;

static mus_status create_skinning(const mus_solver_options *options, mus_system *system, void **self) {
  mus_handles *handles;
  mus_status status =
      mus_handles_create(options->skinning.levels, handles_bottom * options->multigrid.bottom, &handles);
  if (status)
    return status;
  status = create(options, system, self);
  if (status)
    mus_handles_free(handles);
  else
    ((mus_sa *)*self)->handles = handles;
  return status;
}

static mus_status create_geometric(const mus_solver_options *options, mus_system *system, void **self) {
  mus_status status = create(options, system, self);
  if (!status)
    ((mus_sa *)*self)->is_geometric = 1;
  return status;
}

static void destroy(void *self) {
  mus_sa *sa = self;
  mus_sa_close_device(sa);
  mus_hierarchy_free(sa->hierarchy);
  mus_aggregation_free(sa->aggregation);
  mus_handles_free(sa->handles);
  mus_coupled_free(&sa->coupled);
  mus_arena_clear(&sa->arena);
  mus_free(sa);
}

static size_t bytes(const void *self) {
  const mus_sa *sa = self;
  return sizeof *sa + sa->arena.bytes + sa->coupled.arena.bytes +
         (sa->hierarchy ? mus_hierarchy_bytes(sa->hierarchy) : 0) +
         (sa->aggregation ? mus_aggregation_bytes(sa->aggregation) : 0) +
         (sa->handles ? mus_handles_bytes(sa->handles) : 0);
}

static void make_stale(mus_sa *sa, mus_sa_stale least) {
  if (sa->stale < least)
    sa->stale = least;
}

// Coordinates count where rotations come from them; the first ones change how many vectors the near-null space has.
static void coordinates_changed(mus_sa *sa) {
  if (sa->is_geometric)
    return;
  if (sa->handles || sa->options->sa.motions != MUS_MOTIONS_TRANSLATIONS)
    make_stale(sa, sa->has_positions ? MUS_SA_STALE_NUMBERS : MUS_SA_STALE_ALL);
  if (!sa->has_positions && sa->system->positions) { // which its settings depend on
    mus_hierarchy_free(sa->hierarchy);
    mus_aggregation_free(sa->aggregation);
    sa->hierarchy = NULL;
    sa->aggregation = NULL;
    sa->coupled.is_stale = 1;
  }
}

// Couplings do not count here: the hierarchy knows nothing of them until it is told.
static void changed(void *self, unsigned what) {
  mus_sa *sa = self;
  mus_sa_device_changed(sa, what);
  if (what & (MUS_CHANGED_VALUES | MUS_CHANGED_CONSTRAINTS | MUS_CHANGED_EQUALITIES)) {
    make_stale(sa, MUS_SA_STALE_NUMBERS);
    sa->coupled.is_stale = 1;
  }
  if (what & MUS_CHANGED_COUPLINGS)
    sa->coupled.is_stale = 1;
  if (what & MUS_CHANGED_HELD)
    sa->held_changed = 1;
  if (what & MUS_CHANGED_CONSTRAINTS && mus_sa_releases(sa)) {
    sa->stale = MUS_SA_STALE_ALL;
    sa->has_released = 1;
  }
  if (what & MUS_CHANGED_COORDINATES)
    coordinates_changed(sa);
  if (what & (MUS_CHANGED_KERNEL | MUS_CHANGED_LEVELS))
    sa->stale = MUS_SA_STALE_ALL;
  sa->has_positions = sa->system->positions != NULL;
}

// --- cost ------------------------------------------------------------------------------------------------------------

// In products: the part of an iteration that is not the preconditioner.
static const double cg_step = 1.2;

// The same of set-ups, by how thorough they are, and what is usual of solves.
typedef struct prices {
  double setup[MUS_UPKEEP_KINDS];
  double iterations, iteration;
} prices;

// Of hierarchies that are kept from solve to solve, with three or six vectors and filtered prolongators; of others.
// Measured on sheets of 1,024 to 40,401 vertices in units of block-Jacobi's iterations, which are 1.1 products: what a
// product itself takes depends more on whether the matrix is in the cache.
static const prices prices_of_three = {{0, 4.5, 20, 75, 140}, 14, 5}, prices_of_six = {{0, 4.5, 28, 80, 170}, 10, 5.2},
                    prices_of_others = {{0, 5, 20, 170, 440}, 8, 26};

static const prices *prices_of(const mus_sa *sa) {
  if (sa->options->sa.motions != MUS_MOTIONS_AUTO || sa->options->multigrid.cycle == MUS_CYCLE_W)
    return &prices_of_others;
  return mus_sa_has_rotations(sa) ? &prices_of_six : &prices_of_three;
}

// Passes over the levels' matrices that one cycle makes, in units of the finest. A W-cycle visits level k 2^k times and
// adds a residual for each visit but the first.
static double cycle_cost(const mus_sa *sa) {
  mus_solve_record record = {0};
  mus_hierarchy_report(sa->hierarchy, &record);
  mus_multigrid_options multigrid = mus_sa_multigrid_settings(sa);
  double bytes = sa->options->precision == MUS_PRECISION_SINGLE ? 0.5 : 1, cost = 0, visits = 1;
  for (int k = 0; k < record.levels; ++k) {
    double share = (double)record.level[k].nonzeros / (double)record.level[0].nonzeros;
    cost += share * visits * mus_hierarchy_passes(sa->hierarchy, k);
    if (multigrid.cycle == MUS_CYCLE_W) {
      cost += k > 0 ? share * visits / 2 : 0;
      visits *= 2;
    }
  }
  return bytes * cost + 1; // prolongators, both ways
}

// Whether the cycle is smoothed around.
static int is_around(const mus_sa *sa) {
  return sa->system->filter.across || (sa->system->couplings.count > 0 && !sa->deep_couplings);
}

static double iteration_cost(const mus_sa *sa) {
  return cg_step + cycle_cost(sa) + (is_around(sa) ? MUS_COUPLED_PRODUCTS : 0);
}

// What is usual once there is a hierarchy.
static mus_upkeep_kind usual_upkeep(const mus_sa *sa) {
  static const mus_upkeep_kind kind[] = {[MUS_SETUP_NUMERIC] = MUS_UPKEEP_NUMBERS,
                                         [MUS_SETUP_FULL] = MUS_UPKEEP_ALL,
                                         [MUS_SETUP_REUSE] = MUS_UPKEEP_NONE,
                                         [MUS_SETUP_COARSE] = MUS_UPKEEP_COARSE,
                                         [MUS_SETUP_AUTO] = MUS_UPKEEP_COARSE};
  return kind[sa->options->setup];
}

// For comparison with other methods, in units of block-Jacobi's iterations as above. Passes over a hierarchy in
// single precision take so many times as long as a product takes for as many bytes, and those over the bottom, which is
// small and dense, less.
static const double single_pass = 1.4, bottom_pass = 0.5;
// BLAS factorises the bottom, with n^3 / 6 multiplications, so many times as fast as passes go.
static const double bottom_speed = 14;
// Couplings, in units of the matrix's blocks: in an iteration, with what they add to coarse levels; taking them there
// has a price of its own. And iterations: what is usual, in units of what is without couplings; and in coarse levels,
// in units of those with smoothing around the cycle.
static const double coupled_iteration = 10, couple_least = 35, couple_each = 170;
static const double iterations_coupled = 2.5, iterations_deep = 0.45;

// Whether there has been no solve yet.
static int is_new(const mus_sa *sa) { return !(sa->iteration_cost > 0); }

// Whether costs may tell what the hierarchy is like: not after a rest, for runs that are resumed do not know it.
static int is_known(const mus_sa *sa) { return sa->hierarchy && !sa->rested; }

// Of numbers at the bottom, in units of the matrix's.
static double bottom_part(const mus_sa *sa) {
  return is_known(sa) ? mus_hierarchy_bottom_numbers(sa->hierarchy) / (double)mus_matrix_values(&sa->system->a) : 0;
}

static double bottom_factor_cost(const mus_sa *sa) {
  double rows = is_known(sa) ? sqrt(mus_hierarchy_bottom_numbers(sa->hierarchy)) : 0;
  return rows * bottom_part(sa) / (6 * bottom_speed);
}

// Whether couplings are, or will be, taken into coarse levels.
static int couples(const mus_sa *sa) {
  return sa->system->couplings.count > 0 && (sa->deep_couplings || (is_new(sa) && !sa->gpu.device));
}

static double setup_cost(const mus_sa *sa, mus_upkeep_kind kind) {
  double factor = bottom_factor_cost(sa), cost = prices_of(sa)->setup[kind];
  if (kind >= MUS_UPKEEP_COARSE)
    cost += factor;
  if (couples(sa) && (kind > MUS_UPKEEP_NONE || sa->coupled.is_stale))
    cost += couple_least + couple_each * mus_system_coupling(sa->system) + factor;
  return cost;
}

// Those of set-ups leave out the bottom, which each visits as often as the others.
static double whole_iteration_cost(const mus_sa *sa) {
  double coupling = mus_system_coupling(sa->system), cost = prices_of(sa)->iteration;
  if (is_known(sa)) {
    int visits = sa->options->multigrid.cycle == MUS_CYCLE_W ? 1 << (mus_hierarchy_levels(sa->hierarchy) - 1) : 1;
    double pass = sa->options->precision == MUS_PRECISION_SINGLE ? single_pass : 1;
    cost = pass * (cg_step + cycle_cost(sa)) + visits * bottom_pass * bottom_part(sa);
  }
  if (is_around(sa) && !couples(sa))
    return cost + MUS_COUPLED_PRODUCTS * mus_system_product_cost(sa->system);
  return cost + coupled_iteration * coupling;
}

static mus_method_cost cost(const void *self) {
  const mus_sa *sa = self;
  return (mus_method_cost){.setup = setup_cost(sa, mus_sa_upkeep_due(sa)),
                           .renewal = setup_cost(sa, usual_upkeep(sa)),
                           .iterations = prices_of(sa)->iterations * (couples(sa) ? iterations_coupled : 1),
                           .iteration = whole_iteration_cost(sa),
                           .foreseen = sa->depth_change > 0   ? iterations_deep
                                       : sa->depth_change < 0 ? 1 / iterations_deep
                                                              : 1};
}

// --- solving ---------------------------------------------------------------------------------------------------------

static void apply(void *self, const double *r, double *z) { mus_hierarchy_apply(self, r, z); }
static const float *apply_f(void *self) { return mus_hierarchy_apply_f(self); }

// Makes the hierarchy one for A + C, where couplings are taken that deep.
static mus_status couple(mus_sa *sa, mus_upkeep_kind kind) {
  const mus_system *system = sa->system;
  if (kind == MUS_UPKEEP_NONE && !sa->coupled.is_stale)
    return MUS_OK;
  const mus_beyond *c = sa->options->prefilter ? &system->filtered_couplings : &system->couplings;
  int deep = system->couplings.count > 0 && sa->deep_couplings;
  mus_status status = mus_hierarchy_couple(sa->hierarchy, &system->a, deep ? c : NULL);
  if (!status && deep && !system->filter.across)
    sa->coupled.is_stale = 0;
  return status;
}

// Smoothing over couplings around the cycle needs next to no set-up and costs products in every iteration; taking them
// into the coarse levels is a set-up, and mends what smoothing cannot. The second pays where iterations are many.
enum { DEEP_ABOVE = 12, SHALLOW_BELOW = 6 };

static void choose_depth(mus_sa *sa, int iterations) {
  int deep = sa->deep_couplings;
  sa->depth_change = 0;
  if (sa->system->couplings.count == 0)
    return;
  sa->deep_couplings = deep ? iterations >= SHALLOW_BELOW : iterations > DEEP_ABOVE;
  sa->depth_change = sa->deep_couplings - deep;
  if (sa->depth_change)
    sa->coupled.is_stale = 1;
}

static mus_status iterate(mus_sa *sa, mus_run *run, const mus_cg_options *limits) {
  mus_preconditioner m = {.self = sa->hierarchy, .apply = apply, .right = mus_hierarchy_right_f(sa->hierarchy)};
  m.apply_f = m.right ? apply_f : NULL;
  if (!sa->options->prefilter)
    return mus_run_mpcg(run, &m, 0, limits);
  return is_around(sa) ? mus_coupled_run(&sa->coupled, run, &m, limits) : mus_run_pcg(run, &m, limits);
}

// MUS_DEVICE_AUTO goes on on the host after a failure of the device's.
static mus_status run_on_device(mus_sa *sa, mus_upkeep_kind kind, mus_run *run, const mus_cg_options *limits,
                                int *done) {
  const char *obstacle = mus_sa_device_obstacle(sa, run);
  *done = !obstacle || sa->options->device == MUS_DEVICE_CUDA || run->there;
  if (obstacle)
    return *done ? mus_fail(MUS_UNSUPPORTED, "%s do not run on a GPU yet: use the device \"auto\" or \"cpu\"", obstacle)
                 : MUS_OK;
  int before = run->record->iterations;
  mus_status status = mus_sa_device_run(sa, kind, run, limits);
  *done = sa->gpu.device || run->there;
  if (!*done) { // what the device has told is not of the solve that follows
    *run->record->device = 0;
    run->record->true_residual = NAN;
  }
  if (sa->hierarchy && run->record->iterations > before)
    run->record->work += iteration_cost(sa) * (run->record->iterations - before);
  return status;
}

// Where a solve sets up twice, the second is the more thorough.
static void note_setup(mus_upkeep_kind kind, mus_solve_record *record) {
  static const char *const name[MUS_UPKEEP_KINDS] = {"none", "finest", "coarse", "numbers", "all"};
  record->setup = name[kind];
}

static void tell_failure(const mus_sa *sa, mus_solve_record *record) {
  memcpy(record->device_failure, sa->gpu.failure, sizeof record->device_failure);
}

static mus_status run_with_hierarchy(mus_sa *sa, mus_upkeep_kind kind, mus_run *run, const mus_cg_options *limits) {
  int done = 0;
  note_setup(kind, run->record);
  if (sa->gpu.device) {
    mus_status status = run_on_device(sa, kind, run, limits, &done);
    tell_failure(sa, run->record);
    if (done)
      return status;
  }
  tell_failure(sa, run->record);
  if (sa->options->prefilter && !run->is_prefiltered)
    mus_run_prefilter(run);
  double begin = mus_seconds();
  mus_status status = mus_sa_set_up(sa, kind);
  if (!status)
    status = couple(sa, kind);
  run->record->setup_seconds += mus_seconds() - begin;
  if (status)
    return status;
  mus_hierarchy_count(sa->hierarchy, -1, run->record);
  status = iterate(sa, run, limits);
  mus_hierarchy_count(sa->hierarchy, 1, run->record);
  return status;
}

// What tells how good the hierarchy is: iterations without the start that earlier solutions gave. Where that left too
// few to tell, those after the last such set-up are taken to be as many as they were.
static int iterations_from_guess(const mus_sa *sa, mus_upkeep_kind kind, const mus_run *run) {
  int known = sa->upkeep.of[kind > MUS_UPKEEP_NONE ? kind : MUS_UPKEEP_FINEST].iterations;
  int whole = (int)lround(mus_run_iterations_from_guess(run));
  return whole > 0 ? whole : known > 0 ? known : run->record->iterations;
}

// Iterations for each digit beyond which solves are hard, and up to which they are easy again, with a better smoother.
static const double hard_above = 3.6, easy_below = 2.4;

static void see_how_hard(mus_sa *sa, const mus_run *run) {
  double each = mus_run_iterations_per_digit(run);
  if (each > 0)
    sa->is_hard = sa->is_hard ? each >= easy_below : each > hard_above;
}

// With a hierarchy that is kept as long as it pays. Where it turns out to be worn out, a better one takes over from the
// iterate that was reached.
static mus_status run_kept(mus_sa *sa, mus_run *run, const mus_cg_options *limits) {
  mus_upkeep_kind kind = mus_sa_upkeep_due(sa);
  mus_cg_options left = *limits;
  if (is_new(sa) && !sa->gpu.device) // what begins with couplings should know them from the start
    sa->deep_couplings = sa->system->couplings.count > 0;
  if (sa->gpu.device && !mus_sa_device_obstacle(sa, run))
    kind = mus_sa_device_upkeep(sa, kind, limits->tolerance);
  for (;; kind = mus_upkeep_next(kind)) {
    int last_resort = kind == MUS_UPKEEP_ALL || !mus_sa_is_kept(sa), begun = run->record->iterations;
    if (!last_resort) {
      int patience = mus_upkeep_patience(&sa->upkeep, kind, sa->iteration_cost);
      left.iterations = patience < left.iterations ? patience : left.iterations;
      left.extend = NULL; // no further than patience goes
    }
    mus_status status = run_with_hierarchy(sa, kind, run, &left);
    if (!status) {
      sa->iteration_cost = iteration_cost(sa);
      sa->upkeep.machine = *run->record->device ? MUS_UPKEEP_GPU : MUS_UPKEEP_CPU;
      if (begun == 0)
        mus_upkeep_note(&sa->upkeep, kind, iterations_from_guess(sa, kind, run), sa->iteration_cost);
      choose_depth(sa, run->record->iterations);
      see_how_hard(sa, run);
      return status;
    }
    int has_failed = status == MUS_NOT_CONVERGED || status == MUS_BREAKDOWN;
    if (last_resort || !has_failed || run->record->iterations >= limits->iterations)
      return status;
    mus_upkeep_end_patience(&sa->upkeep, kind);
    left = mus_run_limits_left(run, limits, sa->options->prefilter);
  }
}

static mus_status solve(void *self, mus_run *run, const mus_cg_options *limits) {
  mus_sa *sa = self;
  mus_sa_look(sa);
  run->is_prefiltered = 0;
  if (run->there && !sa->gpu.device)
    return mus_fail(MUS_UNSUPPORTED, "there is no GPU, or it has failed before: solve on the host");
  return run_kept(sa, run, limits);
}

// --- corrections -----------------------------------------------------------------------------------------------------

// Prolongators that are kept are made anew after so many renewals; solves know by their iterations when that pays.
enum { RENEWALS = 32 };

static mus_upkeep_kind due_for_corrections(mus_sa *sa) {
  mus_upkeep_kind due = mus_sa_upkeep_due(sa);
  if (due < MUS_UPKEEP_COARSE && sa->stale != MUS_SA_FRESH && sa->options->setup != MUS_SETUP_REUSE)
    due = MUS_UPKEEP_COARSE;
  if (due != MUS_UPKEEP_COARSE || sa->options->setup != MUS_SETUP_AUTO || sa->is_geometric)
    sa->renewals = 0;
  else if (++sa->renewals > RENEWALS) {
    sa->renewals = 0;
    due = MUS_UPKEEP_NUMBERS;
  }
  return due;
}

// Couplings are taken into all levels: smoothing over them around a cycle is of no use to single levels.
static mus_status prepare(void *self, mus_run *run) {
  mus_sa *sa = self;
  double begin = mus_seconds();
  mus_sa_look(sa);
  if (sa->options->prefilter) {
    mus_system_put(sa->system, MUS_FORM_FILTERED);
    mus_system_filter_couplings(sa->system);
  }
  mus_upkeep_kind kind = due_for_corrections(sa);
  note_setup(kind, run->record);
  mus_status status = mus_sa_set_up(sa, kind);
  if (!status && sa->system->couplings.count > 0 && !sa->deep_couplings) {
    sa->deep_couplings = 1;
    sa->coupled.is_stale = 1;
  }
  if (!status)
    status = couple(sa, kind);
  run->record->setup_seconds += mus_seconds() - begin;
  return status;
}

static int levels(const void *self) {
  const mus_sa *sa = self;
  return sa->hierarchy ? mus_hierarchy_levels(sa->hierarchy) : 0;
}

static void correct(void *self, int level, mus_correction kind, const double *r, double *c, mus_solve_record *record) {
  mus_sa *sa = self;
  double begin = mus_seconds();
  mus_hierarchy_count(sa->hierarchy, -1, record);
  if (sa->options->prefilter && mus_hierarchy_reads_finest(sa->hierarchy))
    mus_system_put(sa->system, MUS_FORM_FILTERED);
  mus_hierarchy_correct(sa->hierarchy, level, kind, r, c);
  mus_hierarchy_count(sa->hierarchy, 1, record);
  record->solve_seconds += mus_seconds() - begin;
}

// --- reports ---------------------------------------------------------------------------------------------------------

static void report(const void *self, mus_solve_record *record) {
  const mus_sa *sa = self;
  if (sa->hierarchy)
    mus_hierarchy_report(sa->hierarchy, record);
}

// Of the finest nodes, level by level.
static int aggregates(const void *self, int level, int *aggregate) {
  const mus_sa *sa = self;
  int nodes = 0, count = 0, rows = sa->system->rows;
  if (!sa->aggregation || level < 1)
    return 0;
  for (int l = 0; l < level; ++l) // none is missing, before anything is written
    if (!mus_aggregation_of(sa->aggregation, l, &nodes, &count))
      return 0;
  for (int i = 0; i < rows; ++i)
    aggregate[i] = i;
  for (int l = 0; l < level; ++l) {
    const int *of = mus_aggregation_of(sa->aggregation, l, &nodes, &count);
    for (int i = 0; i < rows; ++i)
      aggregate[i] = aggregate[i] < 0 ? -1 : of[aggregate[i]];
  }
  return count;
}

// They differ in how they begin.
#define METHOD(title, creation, needs, check, measure, fetch)                                                          \
  {                                                                                                                    \
    .name = title, .is_prefiltered = 1, .may_filter_vectors = 1, .needs_levels = needs, .create = creation,            \
    .free = destroy, .changed = changed, .solve = solve, .prepare = prepare, .levels = levels, .correct = correct,     \
    .report = report, .bytes = bytes, .cost = cost, .remember = mus_sa_remember, .recall = mus_sa_recall,              \
    .aggregates = aggregates, .check_device = check, .measure_device = measure, .fetch_device = fetch                  \
  }
const mus_method_kind mus_method_sa =
    METHOD("sa", create_sa, 0, mus_sa_check_device, mus_sa_measure_device, mus_sa_fetch);
const mus_method_kind mus_method_skinning = METHOD("skinning", create_skinning, 0, NULL, NULL, NULL);
const mus_method_kind mus_method_geometric = METHOD("geometric", create_geometric, 1, NULL, NULL, NULL);
