// Nonlinear full multigrid (Wang, Wu, Fratarcangeli, Tang and Wang 2018, section 4.2). Every level of a hierarchy gives
// search directions for the energy of the finest: with a matrix A and its Galerkin matrices, V-cycles start at the
// coarsest level first and one level finer each time,
//   c = P_l V_l P_l^T r,   v' += alpha c,   r anew,
// so that no coarse discretisation is involved, which would lock (full_cycle.h has the order). A is renewed at the
// beginning of a cycle and where it is back at the finest level: coarse searches turn cloth so far that the matrix from
// before would lead fine ones astray.
//
// Symmetric smoothing makes all V_l positive definite (their theorem 4.2), and c . r > 0. Smoothing that skips rows
// does not: where c leads uphill, it is left out.
//
// The paper takes one V-cycle of the finest level per cycle, with the residual renewed within (":plain"). Where cloth
// buckles, what counts is how often A is renewed and how well it is inverted, so that this takes two, each with an A of
// its own, repeated by conjugate gradients until they have solved for a correction as well as Newton's method does: a
// third of the cycles, in less time. ":secants" are those of the last corrections from any level, with ":plain" cycles.
// The step lengths of these begin where their parabolas had their lowest points in the cycle before.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "step/minimise/full_cycle.h"
#include "step/minimise/secant_search.h"

static const char *const names[] = {"fmg-geometric", "fmg-sa", "fmg-skinning", NULL};
static const char *const variants[] = {"matrix-level",   "matrix-cycle", "matrix-step", "residual-all",
                                       "residual-cycle", "plain",        "secants",     NULL};

typedef enum matrix_choice { MATRIX_FINEST, MATRIX_CYCLE, MATRIX_LEVEL, MATRIX_STEP } matrix_choice;
typedef enum residual_choice { RESIDUAL_MIDDLE, RESIDUAL_ALL, RESIDUAL_CYCLE } residual_choice;

enum { SECANTS = 10, LARGEST = 2 };
// The relative residual to which conjugate gradients solve, as in newton.c.
static const double forcing = 0.1;

typedef struct fmg {
  mus_arena arena;
  matrix_choice matrix;
  residual_choice residual;
  int plain;  // 1: one V-cycle of the finest level in each cycle
  int fresh;  // 1: the matrix is that of the iterate
  int cycles; // since the energy changed
  mus_secant_search secants;
  double length[2][MUS_LEVELS_MAXIMUM]; // without secants, by level, of smoothing and of cycles: where searches begin
} fmg;

static int is_plain(const mus_minimiser_words *words) { return words->variant[0] != NULL; }

static mus_status configure(const mus_model *model, const mus_minimiser_words *words, mus_solver_options *solver) {
  (void)model;
  solver->recycle = 0; // as for Newton's method
  if (!is_plain(words))
    solver->tolerance = fmax(solver->tolerance, forcing);
  else if (mus_minimiser_may_choose_smoother(solver))
    strcpy(solver->multigrid.smoother, "gs:2");
  return mus_method_from_name(words->solver, &solver->method);
}

static void destroy(void *own) {
  mus_arena_clear(&((fmg *)own)->arena);
  mus_free(own);
}

static mus_status create(const mus_model *model, const mus_minimiser_words *words, void **own) {
  fmg *made = mus_alloc_zero(1, sizeof *made);
  if (!made)
    return mus_fail_memory();
  made->plain = is_plain(words);
  if (mus_minimiser_has(words, "matrix-level"))
    made->matrix = MATRIX_LEVEL;
  if (mus_minimiser_has(words, "matrix-cycle"))
    made->matrix = MATRIX_CYCLE;
  if (mus_minimiser_has(words, "matrix-step"))
    made->matrix = MATRIX_STEP;
  if (mus_minimiser_has(words, "residual-all"))
    made->residual = RESIDUAL_ALL;
  if (mus_minimiser_has(words, "residual-cycle"))
    made->residual = RESIDUAL_CYCLE;
  mus_status status = MUS_OK;
  if (mus_minimiser_has(words, "secants"))
    status = mus_secant_search_create(&made->arena, 3 * (size_t)model->vertices, SECANTS, &made->secants);
  if (status)
    destroy(made);
  else
    *own = made;
  return status;
}

static size_t bytes(const void *own) { return sizeof(fmg) + ((const fmg *)own)->arena.bytes; }

// Renews the matrix, unless it is that of the iterate.
static mus_status renew(mus_minimisation *m, fmg *f) {
  mus_status status = f->fresh ? MUS_OK : mus_minimise_prepare(m);
  f->fresh = !status;
  return status;
}

// One direction of a level, and the way along it.
static mus_status search(mus_minimisation *m, void *own, int level, mus_correction kind) {
  fmg *f = own;
  double *first = &f->length[kind][level], best = 1, length = f->secants.turned ? 1 : *first;
  mus_status status = f->matrix == MATRIX_LEVEL ? renew(m, f) : MUS_OK;
  mus_minimise_assemble(m, 0);
  if (f->cycles == 0) // corrections are too long for their secants to tell much
    mus_secant_search_begin(&f->secants);
  if (!status)
    status = mus_minimise_correct(m, mus_secant_search_right(&f->secants, m), level, kind);
  if (status)
    return status;
  mus_secant_search_turn(&f->secants, m);
  status = mus_minimise_go(m, 1, &length, &best);
  f->fresh &= status != MUS_OK;
  f->secants.length = length;
  *first = status ? fmax(0.1 * *first, 1e-3) : fmin(fmax(best, 0.5 * length), 2);
  return status == MUS_NOT_CONVERGED ? MUS_OK : status;
}

// The largest V-cycles, repeated by conjugate gradients.
static mus_status solve_largest(mus_minimisation *m, fmg *f) {
  mus_status status = MUS_OK;
  for (int k = 0; k < LARGEST && !status; ++k) {
    double length = 1;
    mus_minimise_assemble(m, 1);
    f->fresh = 0; // solvers leave their hierarchies as they like
    status = mus_minimise_solve(m, m->free);
    if (!status)
      status = mus_minimise_go(m, 1, &length, NULL);
    if (status == MUS_NOT_CONVERGED)
      return MUS_OK;
  }
  return status;
}

static mus_status largest_plain(mus_minimisation *m, fmg *f, int levels) {
  int middle = f->residual == RESIDUAL_CYCLE ? 0 : f->residual == RESIDUAL_ALL ? levels - 1 : (levels - 1) / 2;
  mus_status status = f->matrix == MATRIX_FINEST ? renew(m, f) : MUS_OK;
  return status ? status : mus_full_cycle_largest(m, middle, search, f);
}

static mus_status iterate(mus_minimisation *m, void *own) {
  fmg *f = own;
  double before = m->energy;
  if (m->iteration == 0)
    for (int level = 0; level < MUS_LEVELS_MAXIMUM; ++level)
      f->length[MUS_CORRECT_SMOOTH][level] = f->length[MUS_CORRECT_CYCLE][level] = 1;
  f->fresh &= !m->changed;
  f->cycles = m->changed ? 0 : f->cycles + 1;
  mus_status status = f->matrix != MATRIX_STEP || m->changed ? renew(m, f) : MUS_OK;
  int levels = mus_minimise_levels(m);
  if (!status)
    status = mus_full_cycle_rise(m, levels, search, f);
  if (!status)
    status = f->plain ? largest_plain(m, f, levels) : solve_largest(m, f);
  if (!status && !(m->energy < before))
    return mus_fail(MUS_NOT_CONVERGED, "no lower energy was found in the step to %g s", m->s->time);
  return status;
}

const mus_minimiser_kind mus_minimiser_fmg = {.name = "fmg",
                                              .names = names,
                                              .variants = variants,
                                              .configure = configure,
                                              .create = create,
                                              .free = destroy,
                                              .bytes = bytes,
                                              .iterate = iterate};
