#include "lattice/conjugate.h"

#include <math.h>

#include "base/error.h"
#include "base/timer.h"
#include "krylov/cg.h"
#include "lattice/lattice_state.h"
#include "lattice/rows.h"
#include "par/par.h"
#include "par/vector.h"

#define TEMPLATE "lattice/stencil_template.h"
#include "base/both_precisions.h"

typedef struct operation {
  mus_lattice_level level;        // x[3] and r[3] are room, b is 0
  double *inverse_pressure;       // 1 / D_p, for each interior cell
  const double *inverse_diagonal; // of the matrix; NULL: no preconditioner
  size_t size;
} operation;

// p = D_p^-1 (b_p - G^T u)
static void settle_pressures(const mus_lattice_level *l, const double *inverse_pressure) {
  const mus_lattice_loops *loops = &mus_lattice_kernels_current()->in_double;
  const mus_lattice_domain *d = l->domain;
  const mus_lattice_runs *runs = &d->runs[MUS_LATTICE_RUN_REGULAR_P];
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row)
    for (int run = runs->start[row]; run < runs->start[row + 1]; ++run)
      loops->settle_cells(l, (size_t)row * d->stride[1] + (size_t)runs->range[run][0],
                          runs->range[run][1] - runs->range[run][0], 1 / l->compressibility);
  MUS_PARALLEL_FOR_IF(d->irregular_count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < d->irregular_count; ++k) {
    size_t n = (size_t)d->irregular[k];
    if (!mus_lattice_is(d, n, MUS_LATTICE_SOLID))
      continue;
    l->x[3][n] = 0;
    l->x[3][n] = inverse_pressure[n] * (l->b[3][n] - cell_row(l, n));
  }
}

static void multiply(const void *self, const double *x, double *y) {
  const operation *o = self;
  mus_lattice_level l = o->level;
  size_t field = mus_lattice_field(l.domain);
  for (size_t a = 0; a < 3; ++a) {
    l.x[a] = (double *)x + a * field; // only read
    l.r[a] = y + a * field;           // 0 where nothing is unknown, as all vectors here
  }
  settle_pressures(&l, o->inverse_pressure);
  mus_lattice_face_residual(&l); // of b = 0: -(L_u u + G p)
}

static void divide(void *self, const double *r, double *z) {
  const operation *o = self;
  if (!o->inverse_diagonal)
    mus_copy(o->size, r, z);
  for (size_t k = 0; k < o->size && o->inverse_diagonal; ++k)
    z[k] = o->inverse_diagonal[k] * r[k];
}

// -(L_u - G D_p^-1 G^T) on its diagonal
static double diagonal_of(const mus_lattice_level *l, const double *inverse_pressure, int a, size_t n) {
  const mus_lattice_domain *d = l->domain;
  uint32_t normal = (uint32_t)MUS_LATTICE_NORMAL << a;
  size_t below = n - d->stride[a];
  double sum = -face_diagonal(l, a, n);
  sum += mus_lattice_is(d, n, normal) ? inverse_pressure[n] : 0;
  return sum + (mus_lattice_is(d, below, normal) ? inverse_pressure[below] : 0);
}

static mus_status make_operation(mus_arena *arena, const mus_lattice *lattice, int with_diagonal, operation *o) {
  const mus_lattice_domain *d = lattice->domain;
  size_t field = mus_lattice_field(d);
  double *inverse = mus_arena_alloc_zero(arena, 3 * field, sizeof *inverse);
  *o = (operation){.size = 3 * field};
  mus_status status = mus_lattice_level_create(arena, d, (double)lattice->finest.compressibility,
                                               (double)lattice->finest.inertia, &o->level);
  o->inverse_pressure = mus_arena_alloc_zero(arena, field, sizeof *o->inverse_pressure);
  if (status || !inverse || !o->inverse_pressure)
    return mus_fail_memory();
  for (size_t n = 0; n < d->cells; ++n)
    if (mus_lattice_is(d, n, MUS_LATTICE_SOLID))
      o->inverse_pressure[n] = 1 / cell_diagonal(&o->level, n);
  for (size_t n = 0; n < d->cells; ++n)
    for (int a = 0; a < 3; ++a)
      if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a)) {
        double value = diagonal_of(&o->level, o->inverse_pressure, a, n);
        inverse[(size_t)a * field + n] = value > 0 ? 1 / value : 0;
      }
  o->inverse_diagonal = with_diagonal ? inverse : NULL;
  return MUS_OK;
}

static mus_status iterate(mus_arena *arena, mus_lattice *lattice, const operation *o, const mus_cg_options *options,
                          mus_lattice_record *record) {
  const mus_operator a = {.space = &mus_host, .size = o->size, .self = o, .multiply = multiply};
  const mus_preconditioner m = {.self = (void *)o, .apply = divide};
  double *right = mus_arena_alloc(arena, o->size, sizeof *right),
         *change = mus_arena_alloc_zero(arena, o->size, sizeof *change);
  double *work = mus_arena_alloc_zero(arena, MUS_CG_VECTORS * o->size, sizeof *work);
  mus_cg_result result = {.residuals = lattice->residuals};
  if (!right || !change || !work)
    return mus_fail_memory();
  mus_lattice_load(lattice);
  settle_pressures(&lattice->finest, o->inverse_pressure);
  mus_lattice_face_residual(&lattice->finest);
  mus_copy(o->size, lattice->finest.r[0], right);
  mus_scale(o->size, -1, right);
  mus_status status = mus_pcg(&a, NULL, &m, right, change, options, work, &result);
  mus_axpy(o->size, 1, change, lattice->finest.x[0]);
  settle_pressures(&lattice->finest, o->inverse_pressure);
  record->cycles = result.iterations;
  record->reference = result.reference;
  for (int k = 0; k <= result.iterations && result.reference > 0; ++k)
    lattice->residuals[k] /= result.reference;
  return status;
}

mus_status mus_lattice_solve_cg(mus_lattice *lattice, int with_diagonal, double tolerance, int iterations,
                                mus_lattice_record *record) {
  const mus_cg_options options = {.tolerance = tolerance, .iterations = iterations, .stop = MUS_STOP_INITIAL};
  double begin = mus_seconds();
  mus_arena arena = {0};
  operation o;
  *record = (mus_lattice_record){0};
  mus_status status = mus_lattice_make_history(lattice, iterations);
  if (!status)
    status = make_operation(&arena, lattice, with_diagonal, &o);
  if (!status)
    status = iterate(&arena, lattice, &o, &options, record);
  mus_arena_clear(&arena);
  if (status && status != MUS_NOT_CONVERGED)
    return status;
  record->residuals = lattice->residuals;
  record->rate = mus_lattice_late_rate(record->residuals, record->cycles);
  mus_lattice_extend(&lattice->finest);
  record->seconds = mus_seconds() - begin;
  return status;
}
