// Symmetric block Gauss-Seidel by colours, and nothing else: x <- x + M^-1 r (Fratarcangeli, Tibaldo and Pellacini
// 2016). For comparison: its iterations grow with the square of the number of vertices across.
//
// Sweeps take what is held and coupled into account, but know nothing of equalities across nodes: where there are such,
// they precondition conjugate gradients.
#include "base/error.h"
#include "base/timer.h"
#include "multigrid/smoother.h"
#include "par/vector.h"
#include "solve/run.h"

typedef struct gauss_seidel {
  mus_system *system;
  mus_multigrid_options sweep; // a single one
  mus_arena arena;             // what follows
  mus_level_system level;
  double *inverse, *other;
  void *state; // of the smoother; NULL: none yet
  int is_stale;
} gauss_seidel;

static const mus_smoother_calls *const calls = &mus_gauss_seidel_smoother.in_double;

static mus_status create(const mus_solver_options *options, mus_system *system, void **self) {
  gauss_seidel *g = mus_alloc_zero(1, sizeof *g);
  if (!g)
    return mus_fail_memory();
  *g = (gauss_seidel){.system = system, .sweep = options->multigrid, .is_stale = 1};
  g->sweep.smoother_order = 1;
  *self = g;
  return MUS_OK;
}

// Couplings decide which nodes have a colour.
static void forget(gauss_seidel *g) {
  mus_arena_clear(&g->arena);
  g->state = NULL;
  g->is_stale = 1;
}

static void destroy(void *self) {
  forget(self);
  mus_free(self);
}

static void changed(void *self, unsigned what) {
  gauss_seidel *g = self;
  if (what & (MUS_CHANGED_COUPLINGS | MUS_CHANGED_CONSTRAINTS | MUS_CHANGED_EQUALITIES))
    forget(g);
  if (what & MUS_CHANGED_VALUES)
    g->is_stale = 1;
}

static size_t bytes(const void *self) {
  const gauss_seidel *g = self;
  return sizeof *g + g->arena.bytes;
}

static mus_status allocate(gauss_seidel *g) {
  const mus_system *system = g->system;
  size_t n = mus_system_unknowns(system);
  mus_block_operator now = mus_system_now(system);
  g->inverse = mus_arena_alloc(&g->arena, n * (size_t)system->block, sizeof *g->inverse);
  g->other = mus_arena_alloc(&g->arena, n, sizeof *g->other);
  if (!g->inverse || !g->other)
    return mus_fail_memory();
  g->level = (mus_level_system){
      .a = system->a, .beyond = now.beyond, .diagonal = system->diagonal, .inverse_diagonal = g->inverse};
  return calls->create(&g->sweep, &g->level, &g->arena, &g->state);
}

static mus_status update(gauss_seidel *g) {
  mus_status status = g->state ? MUS_OK : allocate(g);
  if (!status && g->is_stale) {
    mus_block_operator now = mus_system_now(g->system);
    status = mus_block_operator_inverse_diagonal(&now, g->system->diagonal, g->inverse);
    if (!status)
      status = calls->set_up(g->state, &g->level);
  }
  if (status)
    forget(g);
  else
    g->is_stale = 0;
  return status;
}

static void apply(void *self, const double *r, double *z) {
  gauss_seidel *g = self;
  double *x = z, *other = g->other;
  calls->pre(g->state, &g->level, r, &x, &other);
  if (x != z)
    mus_copy(mus_system_unknowns(g->system), x, z);
}

static mus_status solve(void *self, mus_run *run, const mus_cg_options *limits) {
  gauss_seidel *g = self;
  mus_run_prefilter(run);
  double begin = mus_seconds();
  mus_status status = update(g);
  run->record->setup_seconds += mus_seconds() - begin;
  if (status)
    return status;
  mus_run alone = *run;
  alone.stationary = run->system->filter.across == NULL;
  alone.recycle = NULL;
  return mus_run_pcg(&alone, &(mus_preconditioner){.self = g, .apply = apply, .products = 1}, limits);
}

const mus_method_kind mus_method_gauss_seidel = {.name = "gauss-seidel",
                                                 .is_stationary = 1,
                                                 .is_prefiltered = 1,
                                                 .create = create,
                                                 .free = destroy,
                                                 .changed = changed,
                                                 .solve = solve,
                                                 .bytes = bytes};
