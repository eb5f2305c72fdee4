// Newton's method: each correction solves A z = r with A the positive definite matrix at the iterate, as exactly as
// pays: what a system is solved to beyond what the next linearisation changes anyway is lost (Dembo, Eisenstat and
// Steihaug 1982).
//
// Where cloth is about to buckle, its energy is far flatter than A, and corrections are too short by the same factor
// again and again. So line searches may go farther, and a correction keeps part of the one before, as nonlinear
// conjugate gradients do with A as their preconditioner. The exact second derivative was tried instead, by conjugate
// gradients that end at negative curvature: it costs more, and leads no farther, since it does not stay what it is.
#include <math.h>

#include "base/error.h"
#include "step/minimise/conjugate.h"

// The relative residual to which systems are solved, in the norm of the preconditioner. A tenth takes as long in all,
// and leaves some steps of very stiff cloth unfinished.
static const double forcing = 0.05;
// Part of the slope along a correction alone that one with a part of the last must have, or else it goes alone.
static const double slope_kept = 0.1;

static const char *const names[] = {
    "newton-sa", "newton-geometric", "newton-skinning", "newton-diag", "newton-cholmod", "newton-auto", NULL};

typedef struct newton {
  mus_arena arena;
  mus_conjugate conjugate;
} newton;

static mus_status configure(const mus_model *model, const mus_minimiser_words *words, mus_solver_options *solver) {
  (void)model;
  solver->tolerance = fmax(solver->tolerance, forcing);
  solver->recycle = 0;                        // that much is reached before a start from other corrections would pay
  if (solver->sa.motions == MUS_MOTIONS_AUTO) // what turns is hardly seen in so small a part of the residual
    solver->sa.motions = MUS_MOTIONS_RIGID;
  return mus_method_from_name(words->solver, &solver->method);
}

static void destroy(void *own) {
  mus_arena_clear(&((newton *)own)->arena);
  mus_free(own);
}

static mus_status create(const mus_model *model, const mus_minimiser_words *words, void **own) {
  (void)words;
  newton *made = mus_alloc_zero(1, sizeof *made);
  if (!made)
    return mus_fail_memory();
  mus_status status = mus_conjugate_create(&made->arena, 3 * (size_t)model->vertices, &made->conjugate);
  if (status)
    destroy(made);
  else
    *own = made;
  return status;
}

static size_t bytes(const void *own) { return sizeof(newton) + ((const newton *)own)->arena.bytes; }

static mus_status iterate(mus_minimisation *m, void *own) {
  mus_minimise_assemble(m, 1);
  mus_status status = m->machine->solve(m);
  if (status)
    return status;
  m->machine->conjugate(m, &((newton *)own)->conjugate, m->changed, slope_kept);
  double length = 1;
  return mus_minimise_go(m, 1, &length, NULL);
}

const mus_minimiser_kind mus_minimiser_newton = {.name = "newton",
                                                 .names = names,
                                                 .configure = configure,
                                                 .create = create,
                                                 .free = destroy,
                                                 .bytes = bytes,
                                                 .iterate = iterate};
