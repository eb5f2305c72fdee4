// Cycles, and what makes the most of them. Each cycle turns a residual r into a correction z. By themselves,
// x <- x + z. With directions kept, the last few corrections z_k are made conjugate, L z_k . L z_l = 0, and each is
// taken as far as makes the residual least: generalised conjugate residuals, truncated (Eisenstat, Elman and Schultz
// 1983), which suits the system, symmetric but indefinite, and the cycles, which are no symmetric preconditioner.
#include "lattice/lattice.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "lattice/lattice_state.h"
#include "par/par.h"
#include "par/vector.h"

static size_t vector_size(const mus_lattice *lattice) { return 4 * mus_lattice_field(lattice->domain); }

// r = b - L x, with the cells' equations divided by mu / lambda where that is large. For Poisson's ratios near 0 they
// would count for everything in norms otherwise.
static void take_residual(const mus_lattice *lattice, const mus_lattice_level *level) {
  mus_lattice_residual(level);
  if (lattice->weight != 1)
    mus_scale(mus_lattice_field(lattice->domain), lattice->weight, level->r[3]);
}

// z from r by one cycle.
static void correct(mus_lattice *lattice, double size, double *z) {
  size_t n = vector_size(lattice), field = mus_lattice_field(lattice->domain);
  if (lattice->options.in_double) {
    const mus_lattice_level *l = lattice->in_double.level;
    mus_copy(n, lattice->finest.r[0], l->b[0]);
    mus_scale(field, 1 / lattice->weight, l->b[3]);
    mus_fill(n, 0, l->x[0]);
    mus_lattice_cycle_run(&lattice->in_double);
    mus_copy(n, l->x[0], z);
  } else { // residuals of size 1, so that none is too small
    const mus_lattice_level_f *l = lattice->in_single.level;
    mus_to_float(n - field, 1 / size, lattice->finest.r[0], l->b[0]);
    mus_to_float(field, 1 / (size * lattice->weight), lattice->finest.r[3], l->b[3]);
    memset(l->x[0], 0, n * sizeof(float));
    mus_lattice_cycle_run_f(&lattice->in_single);
    mus_to_double(n, size, l->x[0], z);
  }
}

void mus_lattice_run_cycle(mus_lattice *lattice) {
  if (lattice->options.in_double)
    mus_lattice_cycle_run(&lattice->in_double);
  else
    mus_lattice_cycle_run_f(&lattice->in_single);
}

// y = -L z: the residual of z where b is 0.
static void multiply(const mus_lattice *lattice, double *z, double *y) {
  size_t field = mus_lattice_field(lattice->domain);
  mus_lattice_level correction = lattice->finest;
  for (size_t f = 0; f < 4; ++f) {
    correction.x[f] = z + f * field;
    correction.b[f] = lattice->zero + f * field;
    correction.r[f] = y + f * field;
  }
  take_residual(lattice, &correction);
}

// x <- x + alpha z and r <- r - alpha L z with the new direction conjugate to the others. Returns |r|.
static double advance(mus_lattice *lattice, double size, mus_lattice_direction *now) {
  size_t n = vector_size(lattice);
  multiply(lattice, now->z, now->lz);
  for (int k = 0; k <= lattice->options.directions; ++k) {
    const mus_lattice_direction *other = &lattice->direction[k];
    if (other == now || !(other->square > 0))
      continue;
    double factor = -mus_dot(n, now->lz, other->lz) / other->square;
    mus_axpy(n, factor, other->lz, now->lz);
    mus_axpy(n, factor, other->z, now->z);
  }
  now->square = mus_dot(n, now->lz, now->lz);
  if (!(now->square > 0))
    return now->square == 0 ? size : (double)NAN; // nothing moves, or not a number
  double alpha = -mus_dot(n, lattice->finest.r[0], now->lz) / now->square;
  mus_axpy(n, alpha, now->z, lattice->finest.x[0]);
  return sqrt(mus_cg_residual(n, -alpha, now->lz, lattice->finest.r[0]));
}

// One cycle and what follows from it, from a residual of that size to the next, which is returned; NaN leaves x.
static double step(mus_lattice *lattice, double size, int cycle) {
  mus_lattice_direction *now = &lattice->direction[cycle % (lattice->options.directions + 1)];
  size_t n = vector_size(lattice);
  now->square = 0;
  correct(lattice, size, now->z);
  if (lattice->options.directions > 0)
    return advance(lattice, size, now);
  if (!isfinite(mus_max_abs(n, now->z)))
    return (double)NAN;
  mus_axpy(n, 1, now->z, lattice->finest.x[0]);
  take_residual(lattice, &lattice->finest);
  return sqrt(mus_dot(n, lattice->finest.r[0], lattice->finest.r[0]));
}

// The norm that residuals are relative to: that of the right-hand side once what is held has been taken to it.
static double reference(mus_lattice *lattice) {
  const mus_lattice_domain *d = lattice->domain;
  size_t field = mus_lattice_field(d);
  mus_lattice_level still = lattice->finest;
  double *z = lattice->direction[0].z;
  memset(z, 0, 4 * field * sizeof *z);
  for (size_t a = 0; a < 3; ++a)
    for (size_t n = 0; n < d->cells; ++n)
      if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_HELD << a))
        z[a * field + n] = still.x[a][n];
  for (size_t f = 0; f < 4; ++f)
    still.x[f] = z + f * field;
  take_residual(lattice, &still);
  return sqrt(mus_dot(4 * field, still.r[0], still.r[0]));
}

mus_status mus_lattice_make_history(mus_lattice *lattice, int cycles) {
  if (lattice->residuals_size > cycles)
    return MUS_OK;
  mus_free(lattice->residuals);
  lattice->residuals_size = 0;
  lattice->residuals = mus_alloc((size_t)cycles + 1, sizeof *lattice->residuals);
  if (!lattice->residuals)
    return mus_fail_memory();
  lattice->residuals_size = cycles + 1;
  return MUS_OK;
}

// The zero solution: nothing acts and nothing is held elsewhere.
static void rest(mus_lattice *lattice) {
  for (int f = 0; f < 4; ++f)
    for (size_t n = 0; n < lattice->domain->cells; ++n)
      if (f == 3 || mus_lattice_is(lattice->domain, n, (uint32_t)MUS_LATTICE_UNKNOWN << f))
        lattice->finest.x[f][n] = 0;
  lattice->residuals[0] = 0;
}

static mus_status iterate(mus_lattice *lattice, double tolerance, int cycles, mus_lattice_record *record) {
  double scale = record->reference, *residuals = lattice->residuals, size;
  mus_status status = MUS_OK;
  for (int k = 0; k <= lattice->options.directions; ++k)
    lattice->direction[k].square = 0;
  take_residual(lattice, &lattice->finest);
  size = sqrt(mus_dot(vector_size(lattice), lattice->finest.r[0], lattice->finest.r[0]));
  residuals[0] = size / scale;
  while (!status && residuals[record->cycles] > tolerance && record->cycles < cycles) {
    status = mus_stop_check();
    if (status)
      break;
    size = step(lattice, size, record->cycles);
    residuals[++record->cycles] = size / scale;
    if (!isfinite(size))
      status = mus_fail(MUS_BREAKDOWN, "lattice: cycle %d gave a residual that is not finite", record->cycles);
  }
  if (!status && !(residuals[record->cycles] <= tolerance))
    status = mus_fail(MUS_NOT_CONVERGED, "lattice: the residual is %.2g after %d cycles, and %.2g was asked for",
                      residuals[record->cycles], record->cycles, tolerance);
  return status;
}

double mus_lattice_late_rate(const double *residuals, int cycles) {
  int from = cycles / 2;
  return cycles > 0 && residuals[from] > 0 ? pow(residuals[cycles] / residuals[from], 1.0 / (cycles - from)) : 0;
}

mus_status mus_lattice_solve(mus_lattice *lattice, double tolerance, int cycles, mus_lattice_record *record) {
  double begin = mus_seconds();
  *record = (mus_lattice_record){0};
  mus_status status = mus_lattice_make_history(lattice, cycles);
  if (status)
    return status;
  record->residuals = lattice->residuals;
  mus_lattice_load(lattice);
  record->reference = reference(lattice);
  if (!isfinite(record->reference))
    return mus_fail(MUS_BAD_INPUT, "lattice: forces or prescribed displacements are not finite");
  if (record->reference > 0)
    status = iterate(lattice, tolerance, cycles, record);
  else
    rest(lattice);
  mus_lattice_extend(&lattice->finest);
  record->rate = mus_lattice_late_rate(record->residuals, record->cycles);
  record->seconds = mus_seconds() - begin;
  return status;
}

// Arrays over a level that its share of a cycle passes over, if none stays in a cache from one pass to the next. Faces
// of a colour read all of x and one b, and write one u and p; cells of a colour read x, b and delta, and write x and
// delta, the last of three passes delta and p alone.
// In one pass over memory (smooth.c), x, b and delta are read once, and x and delta written.
enum {
  SWEEP_ARRAYS = 3 * 2 * 7 + 10 + 11 + 3,
  ONE_PASS_ARRAYS = 9 + 5,
  RESIDUAL_ARRAYS = 8 + 4,
  RESTRICT_ARRAYS = 4,
  PROLONG_ARRAYS = 8,
  LEAST_ARRAYS = 8
};

void mus_lattice_cycle_bytes(const mus_lattice *lattice, double *moved, double *least) {
  size_t number = lattice->options.in_double ? sizeof(double) : sizeof(float);
  double visits = 1;
  *moved = *least = 0;
  for (const mus_lattice_domain *d = lattice->domain; d->coarse; d = d->coarse) {
    double cells = visits * (double)d->solid;
    size_t sweep = mus_lattice_is_huge(d) ? ONE_PASS_ARRAYS : SWEEP_ARRAYS;
    *moved += cells * (double)(number * (2 * sweep + RESIDUAL_ARRAYS + RESTRICT_ARRAYS + PROLONG_ARRAYS) +
                               2 * sizeof *d->flags);
    *least += cells * (double)(number * 2 * LEAST_ARRAYS);
    visits *= lattice->options.visits;
  }
}
