#include "lattice/lattice.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "lattice/corotational.h"
#include "par/par.h"

// Poisson's ratios nearer to 0 count as this: mu / lambda must be finite.
#define LEAST_POISSON 1e-6

mus_lattice_options mus_lattice_default_options(void) {
  return (mus_lattice_options){.visits = 2, .band = 2, .relocated = 2, .directions = -1};
}

static mus_status check_material(const mus_lattice_material *m) {
  if (!(m->young > 0) || !isfinite(m->young))
    return mus_fail(MUS_BAD_INPUT, "lattice: Young's modulus is %g Pa: it must be positive", m->young);
  if (!(m->poisson > -1 && m->poisson < 0.5))
    return mus_fail(MUS_BAD_INPUT,
                    "lattice: Poisson's ratio is %.9g: it must be above -1 and below 0.5 (0.4999999 is as good as "
                    "incompressible)",
                    m->poisson);
  if (!(m->inertia >= 0) || !isfinite(m->inertia))
    return mus_fail(MUS_BAD_INPUT, "lattice: inertia is %g kg/(m^3 s^2): it must not be negative", m->inertia);
  return MUS_OK;
}

static int in_margin(const mus_cells *cells, size_t cell) {
  for (int a = 0; a < 3; ++a) {
    int at = (int)(cell % (size_t)cells->count[a]);
    cell /= (size_t)cells->count[a];
    if (at < MUS_CELLS_MARGIN || at >= cells->count[a] - MUS_CELLS_MARGIN)
      return 1;
  }
  return 0;
}

static mus_status check_cells(const mus_cells *cells) {
  for (int a = 0; a < 3; ++a)
    if (cells->count[a] <= 2 * MUS_CELLS_MARGIN || cells->count[a] > INT_MAX / 4)
      return mus_fail(MUS_BAD_INPUT, "lattice: %d layers of cells along axis %d: at least %d are needed",
                      cells->count[a], a, 2 * MUS_CELLS_MARGIN + 1);
  if (!(cells->spacing > 0) || !isfinite(cells->spacing))
    return mus_fail(MUS_BAD_INPUT, "lattice: the cells' size is %g m: it must be positive", cells->spacing);
  if (mus_cells_total(cells) > INT_MAX)
    return mus_fail(MUS_BAD_INPUT, "lattice: %zu cells are too many: at most %d are possible; use larger cells",
                    mus_cells_total(cells), INT_MAX);
  for (size_t cell = 0; cell < mus_cells_total(cells); ++cell)
    if (cells->kind[cell] != MUS_CELL_EXTERIOR && in_margin(cells, cell))
      return mus_fail(MUS_BAD_INPUT, "lattice: cell %zu lies in the outermost %d layers: these must be exterior", cell,
                      MUS_CELLS_MARGIN);
  return MUS_OK;
}

// Marks what is connected to cells on the stack, through faces between interior cells.
static mus_status spread(const mus_lattice_domain *d, unsigned char *reached, mus_list *stack) {
  while (stack->count > 0) {
    size_t cell = (size_t)((int *)stack->items)[--stack->count];
    for (int f = 0; f < 6; ++f) {
      size_t next = f % 2 ? cell + d->stride[f / 2] : cell - d->stride[f / 2];
      if (reached[next] || !mus_lattice_is(d, next, MUS_LATTICE_SOLID))
        continue;
      int *item = mus_list_add(stack, sizeof *item);
      if (!item)
        return mus_fail_memory();
      *item = (int)next;
      reached[next] = 1;
    }
  }
  return MUS_OK;
}

static int touches_held(const mus_lattice_domain *d, size_t cell) {
  int touches = 0;
  for (int a = 0; a < 3; ++a)
    touches |= mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_HELD << a) |
               mus_lattice_is(d, cell + d->stride[a], (uint32_t)MUS_LATTICE_HELD << a);
  return touches;
}

// That every interior cell is connected to a Dirichlet cell.
static mus_status check_held(const mus_lattice_domain *d) {
  unsigned char *reached = mus_alloc_zero(d->cells, 1);
  mus_list stack = {.limit = d->solid};
  mus_status status = reached ? MUS_OK : mus_fail_memory();
  size_t loose = 0;
  for (size_t cell = 0; cell < d->cells && !status; ++cell)
    if (mus_lattice_is(d, cell, MUS_LATTICE_SOLID) && !reached[cell] && touches_held(d, cell)) {
      int *item = mus_list_add(&stack, sizeof *item);
      if (item)
        *item = (int)cell;
      reached[cell] = 1;
      status = item ? spread(d, reached, &stack) : mus_fail_memory();
    }
  for (size_t cell = 0; cell < d->cells && !status; ++cell)
    loose += mus_lattice_is(d, cell, MUS_LATTICE_SOLID) && !reached[cell];
  mus_free(stack.items);
  mus_free(reached);
  if (!status && loose == d->solid)
    return mus_fail(MUS_BAD_INPUT, "lattice: no Dirichlet cell holds the solid: hold a part of it, or give it inertia");
  if (!status && loose > 0)
    return mus_fail(MUS_BAD_INPUT,
                    "lattice: %zu of %zu interior cells are connected to no Dirichlet cell: hold a part of each piece, "
                    "leave loose pieces out, or give them inertia",
                    loose, d->solid);
  return status;
}

// As many directions as take no more than that, from few to many.
static int choose_directions(const mus_lattice_domain *d) {
  const double most_bytes = 1024.0 * 1024 * 1024, bytes = 8.0 * (double)mus_lattice_field(d) * sizeof(float);
  return (int)fmin(fmax(most_bytes / bytes, 2), 20);
}

static mus_status make_directions(mus_lattice *lattice) {
  if (lattice->options.directions < 0)
    lattice->options.directions = choose_directions(lattice->domain);
  const mus_lattice_level_f *l = lattice->options.in_double ? NULL : lattice->in_single.level;
  return mus_lattice_directions_create(&lattice->arena, lattice->options.directions,
                                       4 * mus_lattice_field(lattice->domain), l ? l->x[0] : NULL, l ? l->r[0] : NULL,
                                       &lattice->directions);
}

static mus_status make(mus_lattice *lattice, const mus_cells *cells, const mus_lattice_material *m) {
  mus_arena *arena = &lattice->arena;
  double poisson = fabs(m->poisson) < LEAST_POISSON ? LEAST_POISSON : m->poisson;
  double compressibility = (1 - 2 * poisson) / (2 * poisson);
  lattice->weight = 1 / fmax(1, fabs(compressibility));
  lattice->spacing = cells->spacing;
  lattice->shear = m->young / (2 + 2 * poisson);
  lattice->inertia = m->inertia;
  double inertia = m->inertia * cells->spacing * cells->spacing / lattice->shear;
  mus_status status = mus_lattice_domains_create(arena, cells, &lattice->domain, &lattice->levels);
  if (!status && !(m->inertia > 0))
    status = check_held(lattice->domain);
  if (!status)
    status = mus_lattice_level_create(arena, lattice->domain, compressibility, inertia, &lattice->finest);
  for (int a = 0; a < 3 && !status; ++a) {
    lattice->force[a] = mus_arena_alloc_zero(arena, lattice->domain->cells, sizeof(double));
    status = lattice->force[a] ? MUS_OK : mus_fail_memory();
  }
  mus_lattice_sweeps sweeps = {lattice->options.band, lattice->options.relocated, lattice->options.visits};
  if (!status && lattice->options.in_double)
    status = mus_lattice_cycle_create(arena, lattice->domain, lattice->levels, compressibility, inertia, &sweeps,
                                      &lattice->in_double);
  else if (!status)
    status = mus_lattice_cycle_create_f(arena, lattice->domain, lattice->levels, compressibility, inertia, &sweeps,
                                        &lattice->in_single);
  return status ? status : make_directions(lattice);
}

mus_status mus_lattice_create(const mus_cells *cells, const mus_lattice_material *material,
                              const mus_lattice_options *options, mus_lattice **out) {
  *out = NULL;
  mus_status status = check_material(material);
  if (!status)
    status = check_cells(cells);
  if (status)
    return status;
  mus_lattice *lattice = mus_alloc_zero(1, sizeof *lattice);
  if (!lattice)
    return mus_fail_memory();
  lattice->options = options ? *options : mus_lattice_default_options();
  status = make(lattice, cells, material);
  if (!status)
    status = mus_lattice_open_device(lattice);
  if (status) {
    mus_lattice_free(lattice);
    return status;
  }
  *out = lattice;
  return MUS_OK;
}

void mus_lattice_free(mus_lattice *lattice) {
  if (!lattice)
    return;
  if (lattice->corotational)
    mus_turned_close_device(lattice->corotational);
  mus_lattice_close_device(lattice);
  mus_arena_clear(&lattice->arena);
  mus_free(lattice->residuals);
  mus_free(lattice);
}

const mus_lattice_domain *mus_lattice_get_domain(const mus_lattice *lattice) { return lattice->domain; }

int mus_lattice_levels(const mus_lattice *lattice) { return lattice->levels; }

size_t mus_lattice_bytes(const mus_lattice *lattice) { return sizeof *lattice + lattice->arena.bytes; }

double *mus_lattice_displacement(mus_lattice *lattice, int axis) { return lattice->finest.x[axis]; }

double mus_lattice_pressure(const mus_lattice *lattice, size_t cell) {
  return lattice->finest.x[3][cell] * lattice->shear / lattice->spacing;
}

double *mus_lattice_stored_pressure(mus_lattice *lattice) { return lattice->finest.x[3]; }

double *mus_lattice_force(mus_lattice *lattice, int axis) { return lattice->force[axis]; }
