// Projective Dynamics (Bouaziz and others 2014) as a quasi-Newton method (Liu, Bouaziz and Kavan 2017): each correction
// solves A d = r with the constant matrix A of step/constant.h, which leaves out the air's drag. r is the local step;
// the global one is exact, or some iterations from zero:
//   pd-cholmod           Cholesky's method, whose factor stays until contacts change
//   pd-skinning          a V-cycle of affine handles (multigrid/skinning/affine.h)
//   pd-sa, pd-geometric  a V-cycle of the step's linear solver of that name
//   pd-fmg               searches from all levels of "geometric", with a local step before each (full_cycle.h; Wang,
//   Wu,
//                        Fratarcangeli, Tang and Wang 2018, section 4.4)
//   pd-pcg               conjugate gradients, preconditioned by the diagonal
//   pd-gs10, pd-gs50     so many sweeps of Gauss and Seidel by colours (Fratarcangeli, Tibaldo and Pellacini 2016)
//   pd-jacobi-chebyshev  one iteration of Jacobi's, accelerated (Wang 2015)
// All of them lead downhill: the first six are symmetric and positive definite operations, and every sweep lowers
// d.Ad/2 - r.d. ":chebyshev" accelerates any of them over the iterations, which are whole cycles of pd-fmg; ":secants"
// takes the secants of the last corrections (step/secants.h).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "multigrid/skinning/affine.h"
#include "par/vector.h"
#include "sparse/shared_relax.h"
#include "step/constant.h"
#include "step/linearised.h"
#include "step/minimise/acceleration.h"
#include "step/minimise/full_cycle.h"
#include "step/minimise/secant_search.h"

enum { SECANTS = 5, PCG_ITERATIONS = 200, POWER_ITERATIONS = 12 };
static const double pcg_tolerance = 0.01;
// Of a product with a matrix of 3x3 blocks, the part that one with a shared matrix takes: three numbers in place of
// nine.
static const double shared_product = 1.0 / 3;

typedef struct pd pd;

// A way to do the global step.
typedef struct global_step {
  const char *name;
  int sweeps;                                          // of those that have a fixed number
  int accelerated;                                     // 1: always
  const char *linear;                                  // by the step's linear solver of this name; NULL: not so
  int full;                                            // 1: and by all of its levels
  mus_status (*create)(const mus_model *model, pd *p); // of levels, factor or relaxation; NULL: nothing
  mus_status (*set)(mus_minimisation *m, pd *p, const mus_constant_change *by); // the matrix has changed
  // d for `right`; counts what it took.
  mus_status (*solve)(mus_minimisation *m, pd *p, const double *right, double *d);
} global_step;

struct pd {
  mus_arena arena;
  const global_step *global;
  mus_constant_matrix constant;
  int made; // 1: the following hold the matrix
  mus_affine *levels;
  mus_shared_factor *factor;
  mus_shared_relaxation *relaxation;
  double factor_work; // of a solution with the factor, in products with a matrix of 3x3 blocks
  double work;        // of the linear solver so far, likewise
  int level;          // of the linear solver that gives the next correction
  mus_correction kind;
  double jacobi; // the factor of Jacobi's iteration
  int went;      // 1: a search of this cycle has led to a lower energy
  int accelerates;
  mus_acceleration acceleration;
  mus_secant_search secants;
};

// --- Cholesky's method -----------------------------------------------------------------------------------------------

static mus_status create_factor(const mus_model *model, pd *p) {
  return mus_shared_factor_create(&model->pattern, &p->factor);
}

static mus_status set_factor(mus_minimisation *m, pd *p, const mus_constant_change *by) {
  (void)m;
  (void)by;
  mus_status status = mus_shared_factor_compute(p->factor, &p->constant.matrix);
  double blocks = (double)mus_pattern_blocks(p->constant.matrix.pattern);
  p->factor_work = mus_shared_factor_work(p->factor) / (9 * blocks);
  return status;
}

static mus_status solve_factor(mus_minimisation *m, pd *p, const double *right, double *d) {
  m->products += p->factor_work;
  return mus_shared_factor_solve(p->factor, right, d);
}

// --- affine handles --------------------------------------------------------------------------------------------------

static mus_status create_levels(const mus_model *model, pd *p) {
  return mus_affine_create(&model->pattern, model->start, &model->scene->solver, &p->levels);
}

static mus_status set_levels(mus_minimisation *m, pd *p, const mus_constant_change *by) {
  (void)m;
  return by->weights ? mus_affine_set(p->levels, &p->constant.matrix)
                     : mus_affine_set_blocks(p->levels, &p->constant.matrix);
}

static mus_status solve_levels(mus_minimisation *m, pd *p, const double *right, double *d) {
  mus_affine_cycle(p->levels, right, d);
  m->products += 8 * shared_product; // three sweeps down and up, a residual, and less on coarser levels
  return MUS_OK;
}

// --- iterations ------------------------------------------------------------------------------------------------------

static mus_status create_relaxation(const mus_model *model, pd *p) {
  return mus_shared_relaxation_create(&model->pattern, &p->relaxation);
}

static mus_status set_relaxation(mus_minimisation *m, pd *p, const mus_constant_change *by) {
  (void)m;
  (void)by;
  return mus_shared_relaxation_set(p->relaxation, &p->constant.matrix);
}

// Errors at the upper end of the spectrum of D^-1 A, of which the power method tells a little too little, must not
// grow.
static mus_status set_jacobi(mus_minimisation *m, pd *p, const mus_constant_change *by) {
  mus_status status = set_relaxation(m, p, by);
  if (!status && by->weights)
    p->jacobi = 1.8 / (1.1 * mus_shared_largest(p->relaxation, POWER_ITERATIONS));
  return status;
}

static mus_status solve_pcg(mus_minimisation *m, pd *p, const double *right, double *d) {
  m->products += shared_product * mus_shared_pcg(p->relaxation, pcg_tolerance, PCG_ITERATIONS, right, d);
  return MUS_OK;
}

static mus_status solve_sweeps(mus_minimisation *m, pd *p, const double *right, double *d) {
  mus_shared_gauss_seidel(p->relaxation, p->global->sweeps, right, d);
  m->products += shared_product * p->global->sweeps;
  return MUS_OK;
}

static mus_status solve_jacobi(mus_minimisation *m, pd *p, const double *right, double *d) {
  m->products += (double)p->constant.matrix.pattern->rows / mus_pattern_blocks(p->constant.matrix.pattern);
  mus_shared_jacobi(p->relaxation, p->jacobi, right, d);
  return MUS_OK;
}

// --- the step's linear solver ----------------------------------------------------------------------------------------

// Without what couples vertices beyond the pattern: that is in the blocks.
static mus_linear_system system_of(const mus_minimisation *m, const double *right) {
  static const mus_list none = {0};
  mus_linear_system system = mus_linear_system_of(m->c);
  system.right = right;
  system.couplings = &none;
  return system;
}

static mus_status set_linear(mus_minimisation *m, pd *p, const mus_constant_change *by) {
  (void)by;
  mus_linear *linear = m->c->linear;
  mus_linear_system system = system_of(m, NULL);
  mus_linear_open(linear);
  mus_shared_expand(&p->constant.matrix, &linear->matrix);
  p->work = 0;
  return mus_linear_prepare(linear, &system, m->record);
}

static mus_status solve_linear(mus_minimisation *m, pd *p, const double *right, double *d) {
  mus_linear_system system = system_of(m, right);
  mus_status status = mus_linear_correct(m->c->linear, &system, p->level, p->kind, d, m->record);
  double work = mus_solver_work(m->c->linear->solver);
  m->products += work - p->work;
  p->work = work;
  return status;
}

static const global_step globals[] = {
    {"cholmod", .create = create_factor, .set = set_factor, .solve = solve_factor},
    {"skinning", .create = create_levels, .set = set_levels, .solve = solve_levels},
    {"sa", .linear = "sa", .set = set_linear, .solve = solve_linear},
    {"geometric", .linear = "geometric", .set = set_linear, .solve = solve_linear},
    {"fmg", .linear = "geometric", .full = 1, .set = set_linear, .solve = solve_linear},
    {"pcg", .create = create_relaxation, .set = set_relaxation, .solve = solve_pcg},
    {"gs10", .sweeps = 10, .create = create_relaxation, .set = set_relaxation, .solve = solve_sweeps},
    {"gs50", .sweeps = 50, .create = create_relaxation, .set = set_relaxation, .solve = solve_sweeps},
    {"jacobi-chebyshev", .accelerated = 1, .create = create_relaxation, .set = set_jacobi, .solve = solve_jacobi}};
enum { GLOBALS = sizeof globals / sizeof *globals };

static const char *const names[] = {"pd-cholmod", "pd-skinning", "pd-sa",   "pd-geometric",        "pd-fmg",
                                    "pd-pcg",     "pd-gs10",     "pd-gs50", "pd-jacobi-chebyshev", NULL};
static const char *const variants[] = {"chebyshev", "secants", NULL};

// --- life ------------------------------------------------------------------------------------------------------------

static const global_step *global_of(const mus_minimiser_words *words) {
  int k = 0;
  while (k < GLOBALS - 1 && strcmp(globals[k].name, words->solver) != 0)
    ++k;
  return &globals[k];
}

static mus_status configure(const mus_model *model, const mus_minimiser_words *words, mus_solver_options *solver) {
  const global_step *global = global_of(words);
  mus_status status = mus_constant_check(model, "Projective Dynamics");
  if (global->full && mus_minimiser_may_choose_smoother(solver))
    strcpy(solver->multigrid.smoother, "gs:2");
  return status || !global->linear ? status : mus_method_from_name(global->linear, &solver->method);
}

static void destroy(void *own) {
  pd *p = own;
  mus_constant_free(&p->constant);
  mus_affine_free(p->levels);
  mus_shared_factor_free(p->factor);
  mus_shared_relaxation_free(p->relaxation);
  mus_arena_clear(&p->arena);
  mus_free(p);
}

static mus_status create(const mus_model *model, const mus_minimiser_words *words, void **own) {
  pd *p = mus_alloc_zero(1, sizeof *p);
  if (!p)
    return mus_fail_memory();
  size_t unknowns = 3 * (size_t)model->vertices;
  p->global = global_of(words);
  p->kind = MUS_CORRECT_CYCLE;
  p->accelerates = p->global->accelerated || mus_minimiser_has(words, "chebyshev");
  mus_status status = mus_constant_create(model, &p->constant);
  if (!status && p->global->create)
    status = p->global->create(model, p);
  if (!status && p->accelerates)
    status = mus_acceleration_create(&p->arena, unknowns, &p->acceleration);
  if (!status && mus_minimiser_has(words, "secants"))
    status = mus_secant_search_create(&p->arena, unknowns, SECANTS, &p->secants);
  if (status)
    destroy(p);
  else
    *own = p;
  return status;
}

static size_t bytes(const void *own) {
  const pd *p = own;
  return sizeof *p + p->arena.bytes + mus_constant_bytes(&p->constant) + (p->levels ? mus_affine_bytes(p->levels) : 0) +
         (p->factor ? mus_shared_factor_bytes(p->factor) : 0) +
         (p->relaxation ? mus_shared_relaxation_bytes(p->relaxation) : 0);
}

// --- iterations ------------------------------------------------------------------------------------------------------

// The matrix for what touches now.
static mus_status renew(mus_minimisation *m, pd *p) {
  double begin = mus_seconds();
  mus_constant_change changed;
  mus_status status = mus_constant_update(&p->constant, m->c, m->s, 0, &changed);
  changed.weights |= !p->made || (p->global->linear && !m->c->linear->prepared);
  if (!status && (changed.weights || changed.blocks))
    status = p->global->set(m, p, &changed);
  p->made = !status;
  if (p->accelerates)
    mus_acceleration_begin(&p->acceleration, m->c->work->unknowns, m->c->state->velocity);
  mus_secant_search_begin(&p->secants);
  m->record->setup_seconds += mus_seconds() - begin;
  return status;
}

// A correction without acceleration, in work->change.
static mus_status correct(mus_minimisation *m, void *own) {
  pd *p = own;
  double begin = mus_seconds(), *change = m->c->work->change;
  mus_status status = p->global->solve(m, p, mus_secant_search_right(&p->secants, m), change);
  mus_prescribed_clear(&m->c->work->prescribed, change);
  mus_secant_search_turn(&p->secants, m);
  ++m->record->iterations;
  m->record->solve_seconds += mus_seconds() - begin;
  return status;
}

// One direction of a level, and the way along it.
static mus_status search(mus_minimisation *m, void *own, int level, mus_correction kind) {
  pd *p = own;
  p->level = level;
  p->kind = kind;
  mus_status status = mus_acceleration_go(NULL, m, correct, p, &p->secants.length);
  p->went |= !status;
  return status == MUS_NOT_CONVERGED ? MUS_OK : status;
}

static mus_status full_cycle(mus_minimisation *m, pd *p) {
  int levels = mus_solver_levels(m->c->linear->solver);
  p->went = 0;
  mus_status status = mus_full_cycle_rise(m, levels, search, p);
  if (!status)
    status = mus_full_cycle_largest(m, (levels - 1) / 2, search, p);
  return !status && !p->went ? mus_fail(MUS_NOT_CONVERGED, "no lower energy was found in the step to %g s", m->s->time)
                             : status;
}

// A whole cycle as one correction, in work->change.
static mus_status correct_by_cycle(mus_minimisation *m, void *own) {
  double energy = m->energy, *velocity = m->c->state->velocity, *change = m->c->work->change;
  size_t n = m->c->work->unknowns;
  mus_status status = full_cycle(m, own);
  mus_copy(n, velocity, change);
  mus_axpy(n, -1, m->last, change);
  mus_copy(n, m->last, velocity);
  mus_scheme_move(m->s, n, m->c->work->predicted, velocity, m->c->state->position);
  m->energy = energy;
  m->assembled = 0;
  mus_minimise_assemble(m, 0);
  return status;
}

static mus_status iterate(mus_minimisation *m, void *own) {
  pd *p = own;
  double gone;
  mus_status status = m->changed ? renew(m, p) : MUS_OK;
  if (status)
    return status;
  if (!p->global->full)
    return mus_acceleration_go(p->accelerates ? &p->acceleration : NULL, m, correct, p, &p->secants.length);
  return p->accelerates ? mus_acceleration_go(&p->acceleration, m, correct_by_cycle, p, &gone) : full_cycle(m, p);
}

const mus_minimiser_kind mus_minimiser_pd = {.name = "pd",
                                             .names = names,
                                             .variants = variants,
                                             .configure = configure,
                                             .create = create,
                                             .free = destroy,
                                             .bytes = bytes,
                                             .iterate = iterate};
