// Sweeps of symmetric Gauss-Seidel with Chebyshev acceleration of the iterates (Wang 2015; Fratarcangeli, Tibaldo and
// Pellacini 2016; acceleration.h), for comparison. Where acceleration would raise the energy, it begins anew.
#include "base/error.h"
#include "step/minimise/acceleration.h"

// Sweeps of an iteration; iterations for which the matrix is kept.
enum { SWEEPS = 5, RENEWAL = 10 };

static const char *const names[] = {"gs-chebyshev", NULL};

typedef struct gs {
  mus_arena arena;
  mus_acceleration acceleration;
} gs;

static mus_status configure(const mus_model *model, const mus_minimiser_words *words, mus_solver_options *solver) {
  (void)model;
  (void)words;
  solver->iterations = SWEEPS;
  solver->tolerance = 0;
  return mus_method_from_name("gauss-seidel", &solver->method);
}

static void destroy(void *own) {
  mus_arena_clear(&((gs *)own)->arena);
  mus_free(own);
}

static mus_status create(const mus_model *model, const mus_minimiser_words *words, void **own) {
  (void)words;
  gs *made = mus_alloc_zero(1, sizeof *made);
  if (!made)
    return mus_fail_memory();
  mus_status status = mus_acceleration_create(&made->arena, 3 * (size_t)model->vertices, &made->acceleration);
  if (status)
    destroy(made);
  else
    *own = made;
  return status;
}

static size_t bytes(const void *own) { return sizeof(gs) + ((const gs *)own)->arena.bytes; }

static mus_status sweep(mus_minimisation *m, void *own) {
  (void)own;
  return mus_minimise_solve(m, m->free);
}

static mus_status iterate(mus_minimisation *m, void *own) {
  gs *g = own;
  double gone;
  if (m->changed)
    mus_acceleration_begin(&g->acceleration, m->c->work->unknowns, m->c->state->velocity);
  mus_minimise_assemble(m, m->changed || m->iteration % RENEWAL == 0);
  return mus_acceleration_go(&g->acceleration, m, sweep, g, &gone);
}

const mus_minimiser_kind mus_minimiser_gs = {.name = "gs-chebyshev",
                                             .names = names,
                                             .configure = configure,
                                             .create = create,
                                             .free = destroy,
                                             .bytes = bytes,
                                             .iterate = iterate};
