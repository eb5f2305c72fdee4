// Measures one problem on a lattice: the public side of lattice/lattice.h. See muslin/lattice.h.
#include "muslin/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/timer.h"
#include "fill/body_cells.h"
#include "fill/held_cells.h"
#include "io/mesh_file.h"
#include "lattice/conjugate.h"
#include "lattice/lattice.h"
#include "par/par.h"

enum { LEAST_CELLS = 4, MOST_CELLS = 1024 };
enum { DEVICE_CYCLES = 40 };   // that are timed on a GPU
enum { BYTES_PER_CELL = 300 }; // of a lattice with the fewest directions, about

static const double density = 1000;   // kg/m^3
static const double move = 0.1;       // of the longest side
static const double held_part = 0.05; // of the longest side, at each end of a surface
static const double timed_seconds = 0.2;
static const double gibibyte = 1024.0 * 1024 * 1024;

mus_lattice_problem mus_lattice_default_problem(void) {
  mus_lattice_options usual = mus_lattice_default_options();
  return (mus_lattice_problem){.cells = 64,
                               .young = 1e5,
                               .poisson = 0.45,
                               .tolerance = 1e-8,
                               .cycles = 60,
                               .in_double = usual.in_double,
                               .visits = usual.visits,
                               .directions = usual.directions};
}

static mus_status check(const mus_lattice_problem *p) {
  if (p->method < MUS_LATTICE_MULTIGRID || p->method > MUS_LATTICE_PCG)
    return mus_fail(MUS_BAD_INPUT, "lattice: there is no method %d", (int)p->method);
  if (p->corotational && p->method != MUS_LATTICE_MULTIGRID)
    return mus_fail(MUS_BAD_INPUT, "lattice: co-rotational elasticity is solved by multigrid only");
  if (p->device == MUS_DEVICE_CUDA && p->method != MUS_LATTICE_MULTIGRID)
    return mus_fail(MUS_UNSUPPORTED, "lattice: conjugate gradients do not run on a GPU: use the device \"cpu\"");
  if (p->cells < LEAST_CELLS || p->cells > MOST_CELLS)
    return mus_fail(MUS_BAD_INPUT, "lattice: %d cells along the longest side: %d to %d are possible", p->cells,
                    LEAST_CELLS, MOST_CELLS);
  if (p->visits < 1 || p->visits > 2)
    return mus_fail(MUS_BAD_INPUT, "lattice: %d visits to each level: 1, for V-cycles, or 2, for K-cycles", p->visits);
  if (p->directions < -1 || p->directions > 100)
    return mus_fail(MUS_BAD_INPUT, "lattice: %d directions: 0 to 100 are possible, or -1", p->directions);
  if (p->cycles < 1 || !(p->tolerance >= 0) || !(p->time_step >= 0) || !isfinite(p->time_step))
    return mus_fail(MUS_BAD_INPUT, "lattice: at least one cycle is needed, and tolerance and time step must not be "
                                   "negative");
  return MUS_OK;
}

// A cube of 1 m, with a layer of Dirichlet cells beyond either end along axis 0.
static mus_status box_cells(mus_arena *arena, int side, mus_cells *out) {
  const int margin = MUS_CELLS_MARGIN, ends = 1;
  double spacing = 1.0 / side;
  *out = (mus_cells){.count = {side + 2 * (margin + ends), side + 2 * margin, side + 2 * margin}, .spacing = spacing};
  for (int a = 0; a < 3; ++a)
    out->low[a] = -spacing * (margin + (a == 0 ? ends : 0));
  double needed = (double)mus_cells_total(out) * BYTES_PER_CELL, most = (double)mus_memory_physical();
  if (most > 0 && needed > most)
    return mus_fail(MUS_BAD_INPUT,
                    "lattice: %d cells along each side would take about %.3g GiB of memory, and this machine has "
                    "%.3g: choose fewer cells",
                    side, needed / gibibyte, most / gibibyte);
  out->kind = mus_arena_alloc_zero(arena, mus_cells_total(out), 1);
  if (!out->kind)
    return mus_fail_memory();
  for (int k = margin; k < margin + side; ++k)
    for (int j = margin; j < margin + side; ++j)
      for (int i = margin; i <= margin + side + ends; ++i)
        out->kind[mus_cells_number(out, i, j, k)] =
            i == margin || i == margin + side + ends ? MUS_CELL_DIRICHLET : MUS_CELL_INTERIOR;
  return MUS_OK;
}

// The first and the last layer along an axis that has interior cells.
static void interior_layers(const mus_cells *cells, int axis, int range[2]) {
  const size_t stride[3] = {1, (size_t)cells->count[0], (size_t)cells->count[0] * (size_t)cells->count[1]};
  range[0] = cells->count[axis];
  range[1] = 0;
  for (size_t n = 0; n < mus_cells_total(cells); ++n)
    if (cells->kind[n] == MUS_CELL_INTERIOR) {
      int at = (int)(n / stride[axis] % (size_t)cells->count[axis]);
      range[0] = at < range[0] ? at : range[0];
      range[1] = at > range[1] ? at : range[1];
    }
}

static int longest_axis(const mus_cells *cells) {
  int axis = 0;
  for (int a = 1; a < 3; ++a)
    axis = cells->count[a] > cells->count[axis] ? a : axis;
  return axis;
}

// Holds a part of the solid at both ends of its longest side.
static mus_status hold_ends(mus_arena *arena, int along, mus_cells *cells) {
  mus_held_cells held = {cells, mus_arena_alloc_zero(arena, mus_cells_total(cells), sizeof *held.region)};
  if (!held.region)
    return mus_fail_memory();
  int axis = longest_axis(cells), range[2], layers = (int)fmax(held_part * along, 2);
  interior_layers(cells, axis, range);
  for (int end = 0; end < 2; ++end) {
    double low[3], high[3];
    for (int a = 0; a < 3; ++a) {
      low[a] = cells->low[a];
      high[a] = cells->low[a] + cells->count[a] * cells->spacing;
    }
    int first = end ? range[1] + 1 - layers : range[0]; // from middle to middle of cells
    low[axis] = cells->low[axis] + (first + 0.5) * cells->spacing;
    high[axis] = low[axis] + (layers - 1) * cells->spacing;
    mus_hold_box(&held, end, low, high);
  }
  return MUS_OK;
}

static mus_status surface_cells(mus_arena *arena, const char *path, int along, mus_cells *out) {
  mus_cells_options options = {.along = along, .bytes_per_cell = BYTES_PER_CELL};
  mus_cells_report report;
  mus_mesh_file file;
  mus_status status = mus_mesh_file_read(path, arena, &file);
  if (!status)
    status = mus_cells_of_surface(arena, &file.mesh, &options, out, &report);
  return status ? mus_fail_prefix(status, "%s", path) : hold_ends(arena, along, out);
}

// Moves what is held in the upper half of the longest side.
static void move_end(const mus_cells *cells, mus_lattice *lattice) {
  const mus_lattice_domain *d = mus_lattice_get_domain(lattice);
  int axis = longest_axis(cells);
  double by = move * cells->spacing * (cells->count[axis] - 2 * MUS_CELLS_MARGIN);
  for (int a = 0; a < 3; ++a)
    for (size_t n = 0; n < d->cells; ++n)
      if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_HELD << a) &&
          (int)(n / d->stride[axis] % (size_t)d->count[axis]) > d->count[axis] / 2)
        mus_lattice_displacement(lattice, a)[n] = by;
}

static double time_cycles(mus_lattice *lattice) {
  double begin = mus_seconds(), now = begin, best = INFINITY;
  for (int k = 0; k < 3 || (now - begin < timed_seconds && k < 50); ++k) {
    double before = now;
    mus_lattice_run_cycle(lattice);
    now = mus_seconds();
    best = fmin(best, now - before);
  }
  return best;
}

// Time and bytes of cycles by themselves.
static mus_status measure_cycles(mus_lattice *lattice, mus_lattice_result *result) {
  mus_lattice_device_figures figures;
  if (!*result->device) {
    result->seconds_per_cycle = time_cycles(lattice);
    return MUS_OK;
  }
  mus_status status = mus_lattice_measure_device(lattice, DEVICE_CYCLES, &figures);
  if (status)
    return status;
  result->seconds_per_cycle = figures.cycle_seconds;
  result->cycle_bytes = figures.cycle_bytes;
  result->copy_gb_s = figures.copy_gb_s;
  return MUS_OK;
}

static mus_status keep(mus_lattice *lattice, const mus_lattice_problem *p, const mus_lattice_record *record,
                       mus_lattice_result *result) {
  const mus_lattice_domain *d = mus_lattice_get_domain(lattice);
  result->interior = d->solid;
  result->unknowns = d->solid + d->unknowns;
  result->levels = mus_lattice_levels(lattice);
  result->cycles = record->cycles;
  result->rate = record->rate;
  result->seconds = record->seconds;
  result->bytes_per_cell = (double)mus_lattice_bytes(lattice) / (double)d->solid;
  mus_lattice_cycle_bytes(lattice, &result->cycle_bytes, &result->least_bytes);
  result->residuals = mus_alloc((size_t)record->cycles + 1, sizeof *result->residuals);
  if (!result->residuals)
    return mus_fail_memory();
  for (int k = 0; k <= record->cycles; ++k)
    result->residuals[k] = record->residuals[0] > 0 ? record->residuals[k] / record->residuals[0] : 0;
  memcpy(result->device, record->device, sizeof result->device);
  result->transfer_seconds = record->transfer_seconds;
  result->device_bytes = (double)record->device_bytes;
  if (p->method == MUS_LATTICE_MULTIGRID && !p->corotational)
    return measure_cycles(lattice, result);
  result->seconds_per_cycle = record->seconds / fmax(record->cycles, 1);
  return MUS_OK;
}

static mus_status solve_as_asked(const mus_lattice_problem *p, mus_lattice *lattice, mus_lattice_record *record) {
  if (p->corotational)
    return mus_lattice_solve_corotational(lattice, p->tolerance, p->cycles, record);
  if (p->method == MUS_LATTICE_MULTIGRID)
    return mus_lattice_solve(lattice, p->tolerance, p->cycles, record);
  return mus_lattice_solve_cg(lattice, p->method == MUS_LATTICE_PCG, p->tolerance, p->cycles, record);
}

static mus_status solve(const mus_lattice_problem *p, const mus_cells *cells, mus_lattice_result *result) {
  mus_lattice_material material = {.young = p->young, .poisson = p->poisson};
  mus_lattice_options options = mus_lattice_default_options();
  mus_lattice_record record;
  mus_lattice *lattice;
  options.in_double = p->in_double;
  options.visits = p->visits;
  options.directions = p->directions;
  if (p->method == MUS_LATTICE_MULTIGRID)
    options.device = p->device;
  if (p->time_step > 0)
    material.inertia = density / (p->time_step * p->time_step);
  mus_status status = mus_lattice_create(cells, &material, &options, &lattice);
  if (status)
    return status;
  move_end(cells, lattice);
  status = solve_as_asked(p, lattice, &record);
  if (!status || status == MUS_NOT_CONVERGED)
    status = keep(lattice, p, &record, result);
  mus_lattice_free(lattice);
  return status;
}

mus_status mus_lattice_run(const mus_lattice_problem *problem, mus_lattice_result *result) {
  mus_arena arena = {0};
  mus_cells cells;
  *result = (mus_lattice_result){0};
  mus_status status = check(problem);
  if (status)
    return status;
  int before = mus_par_set_threads(problem->threads);
  status = problem->shape ? surface_cells(&arena, problem->shape, problem->cells, &cells)
                          : box_cells(&arena, problem->cells, &cells);
  if (!status)
    status = solve(problem, &cells, result);
  mus_arena_clear(&arena);
  mus_par_set_threads(before);
  return status;
}

void mus_lattice_result_free(mus_lattice_result *result) {
  mus_free(result->residuals);
  *result = (mus_lattice_result){0};
}
