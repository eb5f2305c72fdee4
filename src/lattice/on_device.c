#include "lattice/on_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lattice/lattice_state.h"

enum { USUAL_CYCLES = 1000 };

// The flags travel as they are.
_Static_assert((int)MUS_STAGE_UNKNOWN == (int)MUS_LATTICE_UNKNOWN && (int)MUS_STAGE_HELD == (int)MUS_LATTICE_HELD &&
                   (int)MUS_STAGE_NORMAL == (int)MUS_LATTICE_NORMAL && (int)MUS_STAGE_SHEAR == (int)MUS_LATTICE_SHEAR &&
                   (int)MUS_STAGE_SWEPT == (int)MUS_LATTICE_SWEPT && (int)MUS_STAGE_SOLID == (int)MUS_LATTICE_SOLID &&
                   (int)MUS_STAGE_SWEPT_P == (int)MUS_LATTICE_SWEPT_P &&
                   (int)MUS_STAGE_REGULAR == (int)MUS_LATTICE_REGULAR &&
                   (int)MUS_STAGE_REGULAR_P == (int)MUS_LATTICE_REGULAR_P &&
                   (int)MUS_STAGE_NEAR == (int)MUS_LATTICE_NEAR && (int)MUS_STAGE_FAR == (int)MUS_LATTICE_FAR &&
                   (int)MUS_STAGE_WALL == (int)MUS_LATTICE_WALL,
               "flags of cells are the device's");

// --- describing ------------------------------------------------------------------------------------------------------

static void add_cell(int cell, const mus_lattice_pattern *pattern, int *count, int *cells,
                     mus_stage_pattern_bits *patterns) {
  cells[*count] = cell;
  patterns[(*count)++] = (mus_stage_pattern_bits){pattern->stresses, pattern->weights, pattern->walls};
}

// The cells of a list, one by one.
static mus_status describe_cells(mus_arena *arena, const mus_lattice_list *list, mus_stage_cells *out) {
  int *cell = mus_arena_alloc(arena, list->cells, sizeof *cell);
  mus_stage_pattern_bits *pattern = mus_arena_alloc(arena, list->cells, sizeof *pattern);
  *out = (mus_stage_cells){.cell = cell, .pattern = pattern};
  if (list->cells == 0)
    return MUS_OK;
  if (!cell || !pattern)
    return mus_fail_memory();
  for (int b = 0; b < list->block[list->start[MUS_LATTICE_GROUPS]]; ++b) {
    const mus_lattice_batch *batch = &list->batch[b];
    for (int k = 0; k < batch->count && !batch->lanes; ++k)
      add_cell(list->cell[batch->first + k], &batch->pattern, &out->count, cell, pattern);
    for (int k = 0; k < MUS_LATTICE_LANES; ++k)
      if (batch->lanes >> k & 1)
        add_cell(batch->first + k, &batch->pattern, &out->count, cell, pattern);
  }
  return MUS_OK;
}

mus_status mus_lattice_describe_shape(mus_arena *arena, const mus_lattice_domain *d, mus_stage_lattice_level *out) {
  *out = (mus_stage_lattice_level){.field = mus_lattice_field(d),
                                   .wall = d->wall,
                                   .flags = d->flags,
                                   .outer_count = d->outer_count,
                                   .outer = d->outer,
                                   .partial_count = d->partial_count};
  memcpy(out->count, d->count, sizeof out->count);
  memcpy(out->shift, d->shift, sizeof out->shift);
  int(*partial)[2] = mus_arena_alloc(arena, (size_t)d->partial_count + 1, sizeof *partial);
  if (!partial)
    return mus_fail_memory();
  for (int k = 0; k < d->partial_count; ++k) {
    partial[k][0] = d->partial[k].cell;
    partial[k][1] = d->partial[k].axis;
  }
  out->partial = (const int(*)[2])partial;
  return MUS_OK;
}

static mus_status describe_level(mus_arena *arena, const mus_lattice_domain *d, mus_stage_lattice_level *out) {
  mus_status status = mus_lattice_describe_shape(arena, d, out);
  if (!status)
    status = describe_cells(arena, &d->band, &out->band);
  return status || !d->coarse ? status : describe_cells(arena, &d->relocated, &out->relocated);
}

// The inverse of all equations of the coarsest level, column by column.
static mus_status describe_bottom(mus_arena *arena, mus_lattice_bottom *bottom, mus_stage_lattice *out) {
  mus_lattice_level *l = &bottom->level;
  const mus_lattice_domain *d = l->domain;
  size_t size = d->unknowns + d->solid, k = 0;
  int *cell = mus_arena_alloc(arena, size, sizeof *cell);
  unsigned char *field = mus_arena_alloc(arena, size, sizeof *field);
  double *inverse = mus_arena_alloc(arena, size * size, sizeof *inverse);
  if (!cell || !field || !inverse)
    return mus_fail_memory();
  for (int f = 0; f < 4; ++f)
    for (size_t n = 0; n < d->cells; ++n) {
      l->b[f][n] = 0;
      if (mus_lattice_is(d, n, f < 3 ? (uint32_t)MUS_LATTICE_UNKNOWN << f : MUS_LATTICE_SOLID)) {
        cell[k] = (int)n;
        field[k++] = (unsigned char)f;
      }
    }
  for (size_t column = 0; column < size; ++column) {
    l->b[field[column]][cell[column]] = 1;
    mus_lattice_bottom_solve(bottom);
    l->b[field[column]][cell[column]] = 0;
    for (size_t row = 0; row < size; ++row)
      inverse[row * size + column] = l->x[field[row]][cell[row]];
  }
  out->bottom_size = (int)size;
  out->bottom_cell = cell;
  out->bottom_field = field;
  out->bottom_inverse = inverse;
  return MUS_OK;
}

int mus_lattice_is_plain(void) {
  const char *plain = getenv("MUSLIN_CUDA_PLAIN");
  return plain && *plain && strcmp(plain, "0") != 0;
}

static mus_status describe(mus_arena *arena, mus_lattice *lattice, int cycles, mus_stage_lattice *out) {
  const mus_lattice_options *o = &lattice->options;
  *out = (mus_stage_lattice){.levels = lattice->levels,
                             .compressibility = lattice->finest.compressibility,
                             .inertia = lattice->finest.inertia,
                             .weight = lattice->weight,
                             .visits = o->visits,
                             .band = o->band,
                             .relocated = o->relocated,
                             .directions = o->directions,
                             .cycles_most = cycles,
                             .in_double = o->in_double,
                             .plain = mus_lattice_is_plain()};
  if (lattice->levels > MUS_LATTICE_STAGES_LEVELS)
    return mus_fail(MUS_UNSUPPORTED, "lattice: %d levels do not run on a GPU: use the device \"cpu\"", lattice->levels);
  mus_status status = MUS_OK;
  int k = 0;
  for (const mus_lattice_domain *d = lattice->domain; d && !status; d = d->coarse)
    status = describe_level(arena, d, &out->level[k++]);
  return status ? status
                : describe_bottom(arena, o->in_double ? &lattice->in_double.bottom : &lattice->in_single.bottom, out);
}

// --- the device ------------------------------------------------------------------------------------------------------

mus_status mus_lattice_fail_there(mus_status status, const mus_stage_failure *failure) {
  return mus_fail(status, "lattice: %s; or use the device \"cpu\"", failure->text);
}

static mus_status open_device(mus_lattice_gpu *gpu) {
  mus_stage_failure failure = {""};
  mus_status status = mus_device_stages(&gpu->stages);
  if (status)
    return mus_fail_prefix(status, "lattice");
  status = gpu->stages->open(&gpu->device, &failure);
  if (status)
    return mus_lattice_fail_there(status, &failure);
  gpu->stages->describe(gpu->device, &gpu->facts);
  return MUS_OK;
}

// Levels on the device, for solves of so many cycles.
static mus_status put_there(mus_lattice *lattice, int cycles) {
  mus_lattice_gpu *gpu = &lattice->gpu;
  mus_arena arena = {0};
  mus_stage_lattice description;
  mus_stage_failure failure = {""};
  gpu->stages->lattice->free(gpu->lattice);
  gpu->lattice = NULL;
  mus_status status = describe(&arena, lattice, cycles, &description);
  if (!status) {
    status = gpu->stages->lattice->create(gpu->device, &description, &gpu->lattice, &failure);
    status = status ? mus_lattice_fail_there(status, &failure) : MUS_OK;
  }
  mus_arena_clear(&arena);
  gpu->cycles = cycles;
  return status;
}

void mus_lattice_close_device(mus_lattice *lattice) {
  mus_lattice_gpu *gpu = &lattice->gpu;
  if (gpu->device) {
    gpu->stages->lattice->free(gpu->lattice);
    gpu->stages->close(gpu->device);
  }
  *gpu = (mus_lattice_gpu){0};
}

mus_status mus_lattice_open_device(mus_lattice *lattice) {
  mus_device_choice choice = lattice->options.device;
  if (choice == MUS_DEVICE_CPU)
    return MUS_OK;
  mus_status status = open_device(&lattice->gpu);
  if (status)
    mus_lattice_close_device(lattice);
  return choice == MUS_DEVICE_AUTO ? MUS_OK : status;
}

static mus_status solve_there(mus_lattice *lattice, double tolerance, int cycles, mus_stage_lattice_result *result) {
  mus_lattice_gpu *gpu = &lattice->gpu;
  mus_stage_failure failure = {""};
  mus_status status = MUS_OK;
  if (!gpu->lattice || cycles > gpu->cycles)
    status = put_there(lattice, cycles > USUAL_CYCLES ? cycles : USUAL_CYCLES);
  if (status)
    return status;
  status = gpu->stages->lattice->solve(gpu->lattice, lattice->finest.b[0], lattice->finest.x[0], tolerance, cycles,
                                       result, &failure);
  return status ? mus_lattice_fail_there(status, &failure) : MUS_OK;
}

mus_status mus_lattice_solve_on_device(mus_lattice *lattice, double tolerance, int cycles, mus_lattice_record *record,
                                       int *done) {
  mus_stage_lattice_result result = {.residuals = lattice->residuals};
  mus_status status = solve_there(lattice, tolerance, cycles, &result);
  *done = !status || lattice->options.device != MUS_DEVICE_AUTO;
  if (status) {
    if (!*done)
      mus_lattice_close_device(lattice);
    return status;
  }
  record->cycles = result.cycles;
  record->reference = result.reference;
  record->transfer_seconds = result.upload_s + result.download_s;
  snprintf(record->device, sizeof record->device, "%s", lattice->gpu.facts.name);
  record->device_bytes = lattice->gpu.stages->lattice->bytes(lattice->gpu.lattice);
  if (!isfinite(result.reference))
    return mus_fail(MUS_BAD_INPUT, "lattice: forces or prescribed displacements are not finite");
  if (result.end == MUS_LATTICE_NOT_FINITE)
    return mus_fail(MUS_BREAKDOWN, "lattice: cycle %d gave a residual that is not finite", result.cycles);
  if (result.end == MUS_LATTICE_LIMIT)
    return mus_fail(MUS_NOT_CONVERGED, "lattice: the residual is %.2g after %d cycles, and %.2g was asked for",
                    lattice->residuals[result.cycles], result.cycles, tolerance);
  return MUS_OK;
}

// Arrays over a level that kernels read and write: a sweep's six passes (cuda/lattice_kernels.h), residuals, and
// transfer with the arrays of the coarse level, of an eighth the size. At boundaries, cells read and write x and read
// b.
enum { SWEEP_PASSES = 5 + 2 * 10 + 7 + 2 + 9, RESIDUAL_PASSES = 12, TRANSFER_PASSES = 4 + 8, COARSE_PASSES = 8 + 4 };
enum { CELL_PASSES = 4 + 4 + 4, MASKS = 2 * 6 + 1, FLAGS = sizeof(uint32_t) };

static double device_cycle_bytes(const mus_lattice *lattice) {
  const mus_lattice_options *o = &lattice->options;
  double number = o->in_double ? sizeof(double) : sizeof(float), visits = 1, moved = 0;
  for (const mus_lattice_domain *d = lattice->domain; d->coarse; d = d->coarse, visits *= o->visits) {
    double arrays = 2 * SWEEP_PASSES + RESIDUAL_PASSES + TRANSFER_PASSES + COARSE_PASSES / 8.0;
    moved += visits * (double)d->solid * (number * arrays + MASKS + FLAGS);
    moved += visits * number * CELL_PASSES *
             (double)(4 * (size_t)o->band * d->band.cells + 2 * (size_t)o->relocated * d->relocated.cells);
  }
  return moved;
}

mus_status mus_lattice_measure_device(mus_lattice *lattice, int repeat, mus_lattice_device_figures *out) {
  mus_stage_lattice_speeds speeds;
  mus_stage_failure failure = {""};
  if (!lattice->gpu.lattice)
    return mus_fail(MUS_UNSUPPORTED, "lattice: it was not solved on a GPU: there is nothing to measure");
  const mus_lattice_stages *stages = lattice->gpu.stages->lattice;
  mus_status status = stages->measure(lattice->gpu.lattice, repeat, &speeds, &failure);
  if (status)
    return mus_lattice_fail_there(status, &failure);
  *out = (mus_lattice_device_figures){.cycle_seconds = speeds.cycle_s,
                                      .cycle_bytes = device_cycle_bytes(lattice),
                                      .copy_gb_s = 1e-9 * speeds.copy_bytes_s};
  return MUS_OK;
}
