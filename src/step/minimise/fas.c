// The full approximation scheme (Brandt 1977; Otaduy, Germann, Redon and Gross 2007 for solids): V-cycles in which
// every level minimises an energy of its own, that of the cloth on a coarser mesh (coarse.h), and hands back by how far
// it has moved as a search direction for the level above. For comparison with nonlinear full multigrid (fmg.c), whose
// coarse levels have no discretisation: coarse cloth locks and cannot follow fine folds, so that its corrections are
// too short or lead astray (Wang, Wu, Fratarcangeli, Tang and Wang 2018, section 4.2).
//
// Smoothing is a step of Newton's method with sweeps of symmetric Gauss-Seidel and a line search on the level's energy;
// the coarsest level solves exactly instead. It does not go on to its minimum: folds are compressed cloth to a coarser
// mesh, which the scheme's forces keep where it is, but not in a stable equilibrium, so that the minimum is far away.
#include <math.h>

#include "base/error.h"
#include "step/minimise/coarse.h"

enum { SWEEPS = 3 };

static const char *const names[] = {"fas-geometric", NULL};

typedef struct fas {
  mus_arena arena; // of the meshes
  mus_solver_options sweeps, exact;
  int revision; // of the model
  int went;     // 1: this cycle has moved the finest level
  int count;    // levels below the finest
  mus_coarser mesh[MUS_LEVELS_MAXIMUM];
  mus_coarse_step *level[MUS_LEVELS_MAXIMUM];
} fas;

// --- life ------------------------------------------------------------------------------------------------------------

static mus_status configure(const mus_model *model, const mus_minimiser_words *words, mus_solver_options *solver) {
  (void)words;
  solver->iterations = SWEEPS;
  solver->tolerance = 0;
  mus_status status = mus_model_coarse_check(model, "the full approximation scheme");
  return status ? status : mus_method_from_name("gauss-seidel", &solver->method);
}

static void forget_levels(fas *f) {
  for (int l = 0; l < f->count; ++l) {
    mus_coarse_step_free(f->level[l]);
    f->level[l] = NULL;
  }
}

static void destroy(void *own) {
  fas *f = own;
  forget_levels(f);
  mus_arena_clear(&f->arena);
  mus_free(f);
}

static mus_status make_levels(const mus_model *model, fas *f) {
  mus_status status = MUS_OK;
  f->revision = model->revision;
  for (int l = 0; l < f->count && !status; ++l)
    status = mus_coarse_step_create(l > 0 ? &f->level[l - 1]->model : model, &f->mesh[l],
                                    l + 1 < f->count ? &f->sweeps : &f->exact, &f->level[l]);
  return status;
}

static mus_status create(const mus_model *model, const mus_minimiser_words *words, void **own) {
  fas *f = mus_alloc_zero(1, sizeof *f);
  if (!f)
    return mus_fail_memory();
  f->sweeps = f->exact = model->scene->solver;
  f->exact.method = MUS_METHOD_GEOMETRIC; // which solves directly where there are no more levels
  f->exact.tolerance = 0.01;
  mus_status status = configure(model, words, &f->sweeps);
  if (!status)
    status = mus_model_coarse_meshes(model, &f->arena, &f->count, f->mesh);
  if (!status)
    status = make_levels(model, f);
  if (status)
    destroy(f);
  else
    *own = f;
  return status;
}

static size_t bytes(const void *own) {
  const fas *f = own;
  size_t sum = sizeof *f + f->arena.bytes;
  for (int l = 0; l < f->count; ++l)
    sum += mus_coarse_step_bytes(f->level[l]);
  return sum;
}

// --- cycles ----------------------------------------------------------------------------------------------------------

// As far along work->change as the energy falls.
static mus_status go(fas *f, int level, mus_minimisation *m) {
  double length = 1;
  mus_status status = mus_minimise_go(m, 1, &length, NULL);
  f->went |= level == 0 && !status;
  return status == MUS_NOT_CONVERGED ? MUS_OK : status;
}

static mus_status smooth(fas *f, int level, mus_minimisation *m) {
  mus_minimise_assemble(m, 1);
  mus_status status = mus_minimise_solve(m, m->free);
  return status ? status : go(f, level, m);
}

// A V-cycle from this level on, the finest being 0.
static mus_status cycle(fas *f, int level, mus_minimisation *m) {
  mus_status status = smooth(f, level, m);
  if (status || level == f->count)
    return status;
  mus_coarse_step *coarse = f->level[level];
  status = mus_coarse_step_begin(coarse, m);
  if (!status)
    status = cycle(f, level + 1, &coarse->m);
  if (status)
    return status;
  mus_coarse_step_correct(coarse, m);
  double cut = m->cut, barred = m->barred;
  status = go(f, level, m);
  m->cut = cut; // where a coarser cloth would go says nothing of how far the minimum is
  m->barred = barred;
  return status ? status : smooth(f, level, m);
}

static mus_status iterate(mus_minimisation *m, void *own) {
  fas *f = own;
  mus_status status = MUS_OK;
  f->went = 0;
  if (f->revision != m->c->model->revision) {
    forget_levels(f);
    status = make_levels(m->c->model, f);
  }
  if (!status)
    status = cycle(f, 0, m);
  if (!status && !f->went)
    return mus_fail(MUS_NOT_CONVERGED, "no lower energy was found in the step to %g s", m->s->time);
  return status;
}

const mus_minimiser_kind mus_minimiser_fas = {.name = "fas",
                                              .names = names,
                                              .configure = configure,
                                              .create = create,
                                              .free = destroy,
                                              .bytes = bytes,
                                              .iterate = iterate};
