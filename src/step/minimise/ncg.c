// Nonlinear conjugate gradients (Polak and Ribiere), preconditioned by the inverses of the matrix's diagonal blocks, or
// by a multigrid cycle. The preconditioner is renewed every few iterations; directions begin anew with it.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "step/minimise/conjugate.h"

enum { RENEWAL = 20 };

static const char *const names[] = {"ncg-diag", "ncg-sa", "ncg-geometric", NULL};

typedef struct ncg {
  mus_arena arena;
  double *inverse; // vertices * 9; NULL by cycles
  mus_conjugate conjugate;
  double length; // of the search before
} ncg;

static mus_status configure(const mus_model *model, const mus_minimiser_words *words, mus_solver_options *solver) {
  (void)model;
  return mus_method_from_name(words->solver, &solver->method);
}

static void destroy(void *own) {
  mus_arena_clear(&((ncg *)own)->arena);
  mus_free(own);
}

static mus_status create(const mus_model *model, const mus_minimiser_words *words, void **own) {
  ncg *made = mus_alloc_zero(1, sizeof *made);
  if (!made)
    return mus_fail_memory();
  size_t vertices = (size_t)model->vertices;
  mus_status status = mus_conjugate_create(&made->arena, 3 * vertices, &made->conjugate);
  if (!status && strcmp(words->solver, "diag") == 0) {
    made->inverse = mus_arena_alloc_zero(&made->arena, 9 * vertices, sizeof *made->inverse);
    status = made->inverse ? MUS_OK : mus_fail_memory();
  }
  if (status)
    destroy(made);
  else
    *own = made;
  return status;
}

static size_t bytes(const void *own) { return sizeof(ncg) + ((const ncg *)own)->arena.bytes; }

static mus_status renew(mus_minimisation *m, ncg *n) {
  if (!n->inverse)
    return mus_minimise_prepare(m);
  mus_minimise_assemble(m, 1);
  return mus_inverse_diagonal(&m->c->linear->matrix, m->c->model->diagonal, n->inverse);
}

// change = B r
static mus_status precondition(mus_minimisation *m, const ncg *n) {
  mus_minimise_assemble(m, 0);
  if (!n->inverse)
    return mus_minimise_correct(m, m->free, 0, MUS_CORRECT_CYCLE);
  double *change = m->c->work->change;
  MUS_PARALLEL_FOR_IF(m->c->work->unknowns > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < m->c->work->unknowns; i += 3)
    for (size_t k = 0; k < 3; ++k)
      change[i + k] = mus_dot3(n->inverse + 3 * i + 3 * k, m->free + i);
  mus_prescribed_clear(&m->c->work->prescribed, change);
  mus_seams_expand(&m->c->work->seams, change);
  const mus_pattern *pattern = m->c->linear->matrix.pattern;
  m->products += (double)pattern->rows / mus_pattern_blocks(pattern);
  return MUS_OK;
}

static mus_status iterate(mus_minimisation *m, void *own) {
  ncg *n = own;
  int anew = m->changed || m->iteration % RENEWAL == 0;
  mus_status status = anew ? renew(m, n) : MUS_OK;
  if (!status)
    status = precondition(m, n);
  if (status)
    return status;
  mus_conjugate_apply(m, &n->conjugate, anew, 0);
  double length = m->iteration == 0 ? 1 : n->length;
  status = mus_minimise_go(m, 1, &length, NULL);
  n->length = fmax(length, 1e-6);
  return status;
}

const mus_minimiser_kind mus_minimiser_ncg = {.name = "ncg",
                                              .names = names,
                                              .configure = configure,
                                              .create = create,
                                              .free = destroy,
                                              .bytes = bytes,
                                              .iterate = iterate};
