// Cycles, and what makes the most of them. Each cycle turns a residual r into a correction z. By themselves,
// x <- x + z. With directions kept, each is combined with the last few corrections to what makes the residual least
// (directions.h).
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

void mus_lattice_run_cycle(mus_lattice *lattice) {
  if (lattice->options.in_double)
    mus_lattice_cycle_run(&lattice->in_double);
  else
    mus_lattice_cycle_run_f(&lattice->in_single);
}

enum { VECTOR_LARGE = 1 << 15 };

#define TEMPLATE "lattice/correct_template.h"
#include "base/both_precisions.h"

static int is_finite(size_t n, const float *x) {
  int finite = 1;
  for (size_t i = 0; i < n; ++i)
    finite &= isfinite(x[i]) != 0;
  return finite;
}

// One cycle and what follows from it, from a residual of that size to the next, which is returned; NaN leaves x.
static double step(mus_lattice *lattice, double size) {
  mus_lattice_directions *directions = &lattice->directions;
  size_t n = vector_size(lattice);
  if (lattice->options.in_double)
    correct(lattice, &lattice->in_double, size);
  else
    correct_f(lattice, &lattice->in_single, size);
  if (lattice->options.directions > 0) {
    if (!mus_lattice_directions_add(directions, lattice->finest.r[0], lattice->finest.x[0]))
      return (double)NAN;
  } else {
    if (!is_finite(n, directions->z[0]))
      return (double)NAN;
    mus_axpy_f(n, size, directions->z[0], lattice->finest.x[0]);
  }
  take_residual(lattice, &lattice->finest);
  return sqrt(mus_dot(n, lattice->finest.r[0], lattice->finest.r[0]));
}

// The norm that residuals are relative to: that of the right-hand side once what is held has been taken to it.
static double reference(mus_lattice *lattice) {
  if (lattice->options.in_double)
    take_still_residual(lattice, lattice->in_double.level);
  else
    take_still_residual_f(lattice, lattice->in_single.level);
  return sqrt(mus_dot(vector_size(lattice), lattice->finest.r[0], lattice->finest.r[0]));
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
  mus_lattice_directions_clear(&lattice->directions);
  take_residual(lattice, &lattice->finest);
  size = sqrt(mus_dot(vector_size(lattice), lattice->finest.r[0], lattice->finest.r[0]));
  residuals[0] = size / scale;
  while (!status && residuals[record->cycles] > tolerance && record->cycles < cycles) {
    status = mus_stop_check();
    if (status)
      break;
    size = step(lattice, size);
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

static mus_status solve_on_host(mus_lattice *lattice, double tolerance, int cycles, mus_lattice_record *record) {
  mus_status status = MUS_OK;
  record->reference = reference(lattice);
  if (!isfinite(record->reference))
    return mus_fail(MUS_BAD_INPUT, "lattice: forces or prescribed displacements are not finite");
  if (record->reference > 0)
    status = iterate(lattice, tolerance, cycles, record);
  else
    rest(lattice);
  mus_lattice_extend(&lattice->finest);
  return status;
}

mus_status mus_lattice_solve(mus_lattice *lattice, double tolerance, int cycles, mus_lattice_record *record) {
  double begin = mus_seconds();
  int done = 0;
  *record = (mus_lattice_record){0};
  mus_status status = mus_lattice_make_history(lattice, cycles);
  if (status)
    return status;
  record->residuals = lattice->residuals;
  mus_lattice_load(lattice);
  if (lattice->gpu.device) {
    status = mus_lattice_solve_on_device(lattice, tolerance, cycles, record, &done);
    if (done && !status && record->reference == 0)
      rest(lattice);
  }
  if (!done)
    status = solve_on_host(lattice, tolerance, cycles, record);
  record->rate = mus_lattice_late_rate(record->residuals, record->cycles);
  record->seconds = mus_seconds() - begin;
  return status;
}

// Arrays over a level that pass through memory. In a sweep, x and b are read and x is written: in one pass over levels
// that do not fit into caches (smooth.c), and in several over those that do. Residuals that are restricted at once
// (transfer.c) read x and b, and prolongation reads and writes x; both write and read coarse arrays, of an eighth the
// size. At boundaries, cells read and write x and read b.
enum { SWEEP_ARRAYS = 4 + 4 + 4, LEAST_ARRAYS = 8 };

// Bytes of a sweep over a list of cells.
static double list_bytes(const mus_lattice_list *list, size_t number) {
  return (double)list->cells * (double)(number * SWEEP_ARRAYS) +
         (double)list->block[list->start[MUS_LATTICE_GROUPS]] * (double)sizeof *list->batch;
}

void mus_lattice_cycle_bytes(const mus_lattice *lattice, double *moved, double *least) {
  const mus_lattice_options *o = &lattice->options;
  size_t number = o->in_double ? sizeof(double) : sizeof(float);
  double visits = 1;
  *moved = *least = 0;
  for (const mus_lattice_domain *d = lattice->domain; d->coarse; d = d->coarse, visits *= o->visits) {
    int transfer = 4 + 4 + 4 + 4, coarse = 4 + 4 + 4; // b and x written, x read
    *moved += visits * (double)d->solid * (double)number * (2 * SWEEP_ARRAYS + transfer + coarse / 8.0);
    *moved +=
        visits * (4 * o->band * list_bytes(&d->band, number) + 2 * o->relocated * list_bytes(&d->relocated, number));
    *least += visits * (double)d->solid * (double)(number * 2 * LEAST_ARRAYS);
  }
}
