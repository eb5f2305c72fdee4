// Sweeps of symmetric Gauss-Seidel with Chebyshev acceleration of the iterates (Wang 2015; Fratarcangeli, Tibaldo and
// Pellacini 2016), for comparison: with c what some sweeps make of r,
//   v_{k+1} = omega_k (v_k + c - v_{k-1}) + v_{k-1},   omega_{k+1} = 4 / (4 - rho^2 omega_k).
// rho, by which plain iterations reduce the error, is measured over the first of them. Where acceleration would raise
// the energy, it begins anew.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "par/vector.h"
#include "step/linearised.h"
#include "step/minimise/minimise.h"

// Sweeps of an iteration; iterations for which the matrix is kept; those before acceleration begins.
enum { SWEEPS = 5, RENEWAL = 10, PLAIN = 8 };
static const double largest_rho = 0.9995;

static const char *const names[] = {"gs-chebyshev", NULL};

typedef struct gs {
  mus_arena arena;
  double *before; // unknowns: velocities of the iteration before
  double omega, rho, size;
  int since; // iterations since acceleration began anew
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
  made->before = mus_arena_alloc_zero(&made->arena, 3 * (size_t)model->vertices, sizeof *made->before);
  if (!made->before) {
    destroy(made);
    return mus_fail_memory();
  }
  *own = made;
  return MUS_OK;
}

static size_t bytes(const void *own) { return sizeof(gs) + ((const gs *)own)->arena.bytes; }

static void begin_anew(gs *g, const double *velocity, size_t unknowns) {
  mus_copy(unknowns, velocity, g->before);
  g->omega = 1;
  g->since = 0;
}

// The factor of the next iteration; learns rho from the lengths of plain corrections.
static void accelerate(gs *g, double size) {
  if (g->since > 0 && g->since <= PLAIN && g->size > 0)
    g->rho = fmin(size / g->size, largest_rho);
  g->size = size;
  if (g->since == PLAIN)
    g->omega = 2 / (2 - g->rho * g->rho);
  else if (g->since > PLAIN)
    g->omega = 4 / (4 - g->rho * g->rho * g->omega);
  ++g->since;
}

static mus_status iterate(mus_minimisation *m, void *own) {
  gs *g = own;
  double *change = m->c->work->change, *velocity = m->c->state->velocity;
  size_t n = m->c->work->unknowns;
  if (m->iteration == 0 || m->changed)
    begin_anew(g, velocity, n);
  mus_minimise_assemble(m, m->changed || m->iteration % RENEWAL == 0);
  mus_linear_system system = mus_linear_system_of(m->c);
  system.right = m->free;
  mus_status status = mus_linear_run(m->c->linear, &system, change, m->record);
  m->products += mus_solver_work(m->c->linear->last);
  if (status && status != MUS_NOT_CONVERGED)
    return status;
  accelerate(g, sqrt(mus_dot(n, change, change)));
  mus_copy(n, velocity, m->iterate); // v_k, while g->before is v_{k-1}
  mus_scale(n, g->omega, change);
  mus_axpy(n, g->omega - 1, m->iterate, change);
  mus_axpy(n, 1 - g->omega, g->before, change);
  mus_copy(n, m->iterate, g->before);
  double length = 1;
  status = mus_minimise_go(m, 0, &length, NULL);
  if (status == MUS_NOT_CONVERGED && g->omega != 1) {
    status = mus_linear_run(m->c->linear, &system, change, m->record);
    m->products += mus_solver_work(m->c->linear->last);
    length = 1;
    if (!status || status == MUS_NOT_CONVERGED)
      status = mus_minimise_go(m, 0, &length, NULL);
  }
  if (length != 1)
    begin_anew(g, velocity, n);
  return status;
}

const mus_minimiser_kind mus_minimiser_gs = {.name = "gs-chebyshev",
                                             .names = names,
                                             .configure = configure,
                                             .create = create,
                                             .free = destroy,
                                             .bytes = bytes,
                                             .iterate = iterate};
