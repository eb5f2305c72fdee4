// Nonlinear conjugate gradients (Polak and Ribiere), preconditioned by the inverses of the matrix's diagonal blocks, or
// by a multigrid cycle. The preconditioner is renewed every few iterations; directions begin anew with it.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "par/vector.h"
#include "step/linearised.h"
#include "step/minimise/minimise.h"

enum { RENEWAL = 20 };

static const char *const names[] = {"ncg-diag", "ncg-sa", "ncg-geometric", NULL};

typedef struct ncg {
  mus_arena arena;
  int diagonal;      // 1: by blocks; 0: by cycles of c->linear
  double *inverse;   // vertices * 9
  double *r, *z, *d; // unknowns: of the iteration before
  double product;    // r . z there
  double length;
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
  made->diagonal = strcmp(words->solver, "diag") == 0;
  made->inverse = mus_arena_alloc_zero(&made->arena, made->diagonal ? 9 * vertices : 1, sizeof *made->inverse);
  made->r = mus_arena_alloc_zero(&made->arena, 3 * vertices, sizeof *made->r);
  made->z = mus_arena_alloc_zero(&made->arena, 3 * vertices, sizeof *made->z);
  made->d = mus_arena_alloc_zero(&made->arena, 3 * vertices, sizeof *made->d);
  if (!made->inverse || !made->r || !made->z || !made->d) {
    destroy(made);
    return mus_fail_memory();
  }
  *own = made;
  return MUS_OK;
}

static size_t bytes(const void *own) { return sizeof(ncg) + ((const ncg *)own)->arena.bytes; }

static mus_status renew(mus_minimisation *m, ncg *n) {
  mus_minimise_assemble(m, 1);
  mus_linear_system system = mus_linear_system_of(m->c);
  if (!n->diagonal)
    return mus_linear_prepare(m->c->linear, &system, m->record);
  return mus_inverse_diagonal(&m->c->linear->matrix, m->c->model->diagonal, n->inverse);
}

// z = B r
static mus_status precondition(mus_minimisation *m, ncg *n) {
  mus_linear_system system = mus_linear_system_of(m->c);
  system.right = m->free;
  if (!n->diagonal) {
    double before = mus_solver_work(m->c->linear->solver);
    mus_status status = mus_linear_correct(m->c->linear, &system, 0, MUS_CORRECT_CYCLE, n->z, m->record);
    m->products += mus_solver_work(m->c->linear->solver) - before;
    return status;
  }
  MUS_PARALLEL_FOR_IF(m->c->work->unknowns > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < m->c->work->unknowns; i += 3)
    for (size_t k = 0; k < 3; ++k)
      n->z[i + k] = mus_dot3(n->inverse + 3 * i + 3 * k, m->free + i);
  mus_prescribed_clear(&m->c->work->prescribed, n->z);
  mus_seams_expand(&m->c->work->seams, n->z);
  m->products += 1.0 / 13; // a block of each row of about thirteen
  return MUS_OK;
}

static mus_status iterate(mus_minimisation *m, void *own) {
  ncg *n = own;
  size_t unknowns = m->c->work->unknowns;
  int anew = m->iteration == 0 || m->changed || m->iteration % RENEWAL == 0;
  mus_status status = anew ? renew(m, n) : MUS_OK;
  mus_minimise_assemble(m, 0);
  if (!status)
    status = precondition(m, n);
  if (status)
    return status;
  double product = mus_dot(unknowns, m->free, n->z), lag = anew ? product : mus_dot(unknowns, n->r, n->z);
  double keep = anew ? 0 : fmax((product - lag) / n->product, 0);
  mus_xpay(unknowns, n->z, keep, n->d);
  if (!(mus_dot(unknowns, m->free, n->d) > 0))
    mus_copy(unknowns, n->z, n->d);
  mus_copy(unknowns, n->d, m->c->work->change);
  mus_copy(unknowns, m->free, n->r);
  n->product = product;
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
