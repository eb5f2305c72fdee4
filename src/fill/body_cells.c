// See body_cells.h.
#include "fill/body_cells.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/vector3.h"
#include "fill/cell_layers.h"
#include "fill/solid_parts.h"
#include "fill/touched_cells.h"
#include "par/par.h"

// --- the lattice ---------------------------------------------------------------------------------------------------

static const double gibibyte = 1024.0 * 1024 * 1024;

static mus_status check_options(const mus_cells_options *options) {
  if (!(options->spacing >= 0) || isinf(options->spacing))
    return mus_fail(MUS_BAD_INPUT, "cells of %g m: give a positive length", options->spacing);
  if (options->spacing == 0 && (options->along < 1 || options->along > MUS_CELLS_MOST))
    return mus_fail(MUS_BAD_INPUT, "%d cells along the longest side: give 1 to %d, or the size of cells",
                    options->along, MUS_CELLS_MOST);
  if (options->padding < 0 || options->padding > MUS_CELLS_MOST)
    return mus_fail(MUS_BAD_INPUT, "%d layers of padding: give 0 or a few", options->padding);
  return MUS_OK;
}

static mus_status check_memory(const double count[3], double spacing, const mus_cells_options *options) {
  double needed = count[0] * count[1] * count[2] * (3 + options->bytes_per_cell);
  double most = (double)mus_memory_physical();
  if (fmax(count[0], fmax(count[1], count[2])) <= MUS_CELLS_MOST && (most == 0 || needed <= most))
    return MUS_OK;
  return mus_fail(MUS_BAD_INPUT,
                  "a lattice of %.0f x %.0f x %.0f cells of %g m would take about %.3g GiB of memory, and this machine "
                  "has %.3g: choose larger cells",
                  count[0], count[1], count[2], spacing, needed / gibibyte, most / gibibyte);
}

// Around the box, with room for padding, a layer for thin parts, and the margin. Without memory yet.
static mus_status span(const double low[3], const double high[3], const mus_cells_options *options, mus_cells *cells) {
  double longest = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2])), count[3];
  mus_status status = check_options(options);
  if (status)
    return status;
  if (!(longest > 0) || isinf(longest))
    return mus_fail(MUS_BAD_INPUT, "the body has no size: check its coordinates");
  cells->spacing = options->spacing > 0 ? options->spacing : longest / options->along;
  for (int k = 0; k < 3; ++k) {
    double size = (high[k] - low[k]) / cells->spacing;
    count[k] = fmax(ceil(size - 1e-6), 1) + 2.0 * (options->padding + 1 + MUS_CELLS_MARGIN);
    cells->low[k] = 0.5 * (low[k] + high[k]) - 0.5 * cells->spacing * count[k];
  }
  status = check_memory(count, cells->spacing, options);
  for (int k = 0; k < 3 && !status; ++k)
    cells->count[k] = (int)count[k];
  return status;
}

// --- what is inside a surface --------------------------------------------------------------------------------------

static void middle_of(const mus_cells *cells, int i, int j, int k, double p[3]) {
  const int cell[3] = {i, j, k};
  for (int a = 0; a < 3; ++a)
    p[a] = cells->low[a] + cells->spacing * (cell[a] + 0.5);
}

// What is known of a cell. A surface may lie between two cells and pass through neither.
enum { APART, TOUCHED, CROSSED, FOUND };

// Where the surface is closed, a run of cells that it does not even touch is all inside or all outside.
static size_t fill_runs(const mus_cells *cells, const mus_filled_surface *surface, int j, int k, unsigned char *row) {
  size_t inside_out = 0;
  for (int i = 0, end; i < cells->count[0]; i = end) {
    double p[3];
    for (end = i + 1; end < cells->count[0] && row[i] == APART && row[end] == APART; ++end)
      ;
    if (row[i] == CROSSED)
      continue;
    middle_of(cells, i, j, k, p);
    double number = mus_filled_surface_number(surface, p);
    if (fabs(number) > 0.5) {
      memset(row + i, FOUND, (size_t)(end - i));
      inside_out += number < 0 ? (size_t)(end - i) : 0;
    }
  }
  return inside_out;
}

static void fill_cells(const mus_cells *cells, const mus_filled_surface *surface, const int columns[2], int j, int k,
                       unsigned char *row) {
  for (int i = columns[0]; i <= columns[1]; ++i) {
    double p[3];
    middle_of(cells, i, j, k, p);
    if (row[i] != CROSSED && mus_filled_surface_is_inside(surface, p))
      row[i] = FOUND;
  }
}

static mus_status find_crossed(const mus_cells *cells, const mus_mesh *mesh, unsigned char *found) {
  size_t total = mus_cells_total(cells);
  unsigned char *crossed = mus_alloc_zero(total, 1);
  mus_status status = crossed ? mus_touched_cells(cells, mesh, MUS_BORDER_IN, found) : mus_fail_memory();
  if (!status)
    status = mus_touched_cells(cells, mesh, MUS_BORDER_OUT, crossed);
  for (size_t c = 0; c < total && !status; ++c)
    found[c] = crossed[c] ? CROSSED : found[c];
  mus_free(crossed);
  return status;
}

// The cells along an axis that a box reaches; none where the first is above the last.
static void find_range(const mus_cells *cells, const mus_box *box, int axis, int range[2]) {
  double first = floor((box->low[axis] - cells->low[axis]) / cells->spacing);
  double last = floor((box->high[axis] - cells->low[axis]) / cells->spacing);
  range[0] = (int)fmin(fmax(first, 0), cells->count[axis]);
  range[1] = (int)fmax(fmin(last, cells->count[axis] - 1), -1);
}

mus_status mus_cells_inside_surface(const mus_cells *cells, const mus_filled_surface *surface, unsigned char *inside,
                                    size_t *inside_out) {
  mus_box box = mus_filled_surface_box(surface);
  size_t total = mus_cells_total(cells), *turned = mus_alloc_zero((size_t)cells->count[2], sizeof *turned);
  unsigned char *found = mus_alloc_zero(total, 1);
  mus_status status = turned && found ? MUS_OK : mus_fail_memory();
  int columns[2], rows[2], layers[2], closed = mus_filled_surface_is_closed(surface);
  find_range(cells, &box, 0, columns);
  find_range(cells, &box, 1, rows);
  find_range(cells, &box, 2, layers);
  if (!status)
    status = find_crossed(cells, mus_filled_surface_mesh(surface), found);
  mus_stop_request *stop = mus_stop_current();
  MUS_PARALLEL
  MUS_SHARE_RUNS
  for (int k = layers[0]; k < (status ? layers[0] : layers[1] + 1); ++k)
    for (int j = rows[0]; j <= rows[1] && !mus_stop_is_asked(stop); ++j) {
      unsigned char *row = found + mus_cells_number(cells, 0, j, k);
      if (closed)
        turned[k] += fill_runs(cells, surface, j, k, row);
      else
        fill_cells(cells, surface, columns, j, k, row);
    }
  if (inside_out)
    *inside_out = 0;
  for (int k = 0; k < cells->count[2] && !status && inside_out; ++k)
    *inside_out += turned[k];
  for (size_t c = 0; c < total && !status; ++c)
    inside[c] = found[c] >= CROSSED ? 1 : inside[c];
  mus_free(turned);
  mus_free(found);
  return status ? status : mus_stop_check();
}

// --- what is inside a shape ----------------------------------------------------------------------------------------

enum { DEEPEST = 6, DEEPEST_BY_SIGN = 2 };

// Whether a cube has something in common with the shape. Cut into eight while that is open, down to a sixty-fourth of a
// cell: what reaches in by less does not count, lest a shape has all the cells that it is tangent to. Where nothing but
// signs is known, they are asked for at fewer points.
static int overlaps(const mus_shape *shape, const double middle[3], double half, int depth) {
  double away = shape->distance(shape->data, middle);
  if (away <= 0)
    return 1;
  if (shape->slope > 0 && !(away < shape->slope * half * sqrt(3)))
    return 0;
  if (depth == (shape->slope > 0 ? DEEPEST : DEEPEST_BY_SIGN))
    return 0;
  for (int part = 0; part < 8; ++part) {
    double p[3];
    for (int a = 0; a < 3; ++a)
      p[a] = middle[a] + (part >> a & 1 ? 0.5 : -0.5) * half;
    if (overlaps(shape, p, 0.5 * half, depth + 1))
      return 1;
  }
  return 0;
}

static void fill_by_shape(const mus_cells *cells, const mus_shape *shape) {
  double half = (0.5 - 1e-6) * cells->spacing;
  int margin = MUS_CELLS_MARGIN;
  MUS_PARALLEL
  MUS_SHARE_RUNS
  for (int k = margin; k < cells->count[2] - margin; ++k)
    for (int j = margin; j < cells->count[1] - margin; ++j)
      for (int i = margin; i < cells->count[0] - margin; ++i) {
        double p[3];
        middle_of(cells, i, j, k, p);
        if (overlaps(shape, p, half, 0))
          cells->kind[mus_cells_number(cells, i, j, k)] = MUS_CELL_INTERIOR;
      }
}

// --- from there on -------------------------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static void say(mus_cells_report *report, const char *format, ...) {
  size_t used = strlen(report->repairs);
  if (used > 0 && used + 2 < sizeof report->repairs)
    used += (size_t)snprintf(report->repairs + used, 3, ", ");
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(report->repairs + used, sizeof report->repairs - used, format, arguments);
  va_end(arguments);
}

static void say_all(const mus_solid_parts *parts, mus_cells_report *r) {
  if (parts->inside_out)
    say(r, "turned the surface, which was inside out");
  if (r->sheets > 0)
    say(r, "left out %d parts that enclose nothing", r->sheets);
  if (r->holes > 0)
    say(r, "closed holes along %d edges", r->holes);
  if (r->inside_out > 0)
    say(r, "turned parts that were inside out, in %zu cells", r->inside_out);
  if (r->thickened > 0)
    say(r, "added %zu cells to parts thinner than two", r->thickened);
}

static mus_status complete(mus_arena *arena, const mus_cells_options *options, mus_cells *cells,
                           mus_cells_report *report) {
  mus_status status = mus_cell_layers_thicken(arena, cells, &report->thickened);
  size_t before = mus_cells_count(cells, MUS_CELL_INTERIOR);
  for (int layer = 0; layer < options->padding && !status; ++layer)
    status = mus_cell_layers_pad(arena, cells);
  report->interior = mus_cells_count(cells, MUS_CELL_INTERIOR);
  report->padded = report->interior - before;
  if (!status && report->interior == 0)
    status =
        mus_fail(MUS_BAD_INPUT, "no cell of %g m overlaps the body: check that it encloses something", cells->spacing);
  return status ? status : mus_cell_layers_pieces(arena, cells, &report->pieces);
}

static mus_status fill_solid(mus_arena *arena, const mus_solid_parts *parts, const mus_cells_options *options,
                             mus_cells *out, mus_cells_report *report) {
  const mus_filled_surface *surface = parts->surface;
  mus_box box = mus_filled_surface_box(surface);
  mus_status status = span(box.low, box.high, options, out);
  if (status)
    return status;
  out->kind = mus_arena_alloc_zero(arena, mus_cells_total(out), 1);
  if (!out->kind)
    return mus_fail_memory();
  status = mus_touched_cells(out, mus_filled_surface_mesh(surface), MUS_BORDER_OUT, out->kind);
  report->touched = mus_cells_count(out, MUS_CELL_INTERIOR);
  if (!status)
    status = mus_cells_inside_surface(out, surface, out->kind, &report->inside_out);
  report->sheets = parts->sheets;
  report->holes = parts->holes;
  if (!status)
    status = complete(arena, options, out, report);
  if (!status)
    say_all(parts, report);
  return status;
}

mus_status mus_cells_of_surface(mus_arena *arena, const mus_mesh *mesh, const mus_cells_options *options,
                                mus_cells *out, mus_cells_report *report) {
  mus_solid_parts parts = {0};
  *report = (mus_cells_report){0};
  mus_status status = mus_solid_parts_create(mesh, sizeof report->repairs, report->repairs, &parts);
  if (!status)
    status = fill_solid(arena, &parts, options, out, report);
  mus_solid_parts_free(&parts);
  return status;
}

mus_status mus_cells_of_shape(mus_arena *arena, const mus_shape *shape, const mus_cells_options *options,
                              mus_cells *out, mus_cells_report *report) {
  *report = (mus_cells_report){0};
  mus_status status = span(shape->low, shape->high, options, out);
  if (status)
    return status;
  out->kind = mus_arena_alloc_zero(arena, mus_cells_total(out), 1);
  if (!out->kind)
    return mus_fail_memory();
  fill_by_shape(out, shape);
  status = complete(arena, options, out, report);
  if (!status)
    say_all(&(mus_solid_parts){0}, report);
  return status;
}
