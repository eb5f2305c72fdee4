#include "lattice/bottom.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

#define TEMPLATE "lattice/stencil_template.h"
#include "base/both_precisions.h"

// Pivots below this part of their diagonal are rounding: the direction is not held by anything.
#define NOTHING 1e-11

static void list_unknowns(mus_lattice_bottom *out) {
  const mus_lattice_domain *d = out->level.domain;
  int count = 0;
  for (size_t cell = 0; cell < d->cells; ++cell)
    for (int a = 0; a < 3; ++a)
      if (mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_UNKNOWN << a)) {
        out->cell[count] = (int)cell;
        out->axis[count++] = (unsigned char)a;
      }
}

// p of an interior cell, so that its equation holds.
static void settle_pressure(mus_lattice_level *l, size_t cell) {
  if (!mus_lattice_is(l->domain, cell, MUS_LATTICE_SOLID))
    return;
  l->x[3][cell] = 0;
  l->x[3][cell] = (l->b[3][cell] - cell_row(l, cell)) / cell_diagonal(l, cell);
}

// Column k of the matrix, from a unit displacement with its pressures; x is 0 before and after.
static void make_column(mus_lattice_bottom *out, int k) {
  mus_lattice_level *l = &out->level;
  size_t cell = (size_t)out->cell[k], below = cell - l->domain->stride[out->axis[k]];
  l->x[out->axis[k]][cell] = 1;
  settle_pressure(l, cell);
  settle_pressure(l, below);
  for (int row = k; row < out->unknowns; ++row)
    out->factor[(size_t)row * (size_t)out->unknowns + (size_t)k] = -face_row(l, out->axis[row], (size_t)out->cell[row]);
  l->x[out->axis[k]][cell] = l->x[3][cell] = l->x[3][below] = 0;
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += x[k] * y[k];
  return sum;
}

void mus_lattice_factorise(int n, double *a) {
  for (int i = 0; i < n; ++i) {
    double *row = a + (size_t)i * (size_t)n, diagonal = row[i];
    for (int j = 0; j < i; ++j) {
      const double *other = a + (size_t)j * (size_t)n;
      row[j] = other[j] > 0 ? (row[j] - dot(j, row, other)) / other[j] : 0;
    }
    double pivot = diagonal - dot(i, row, row);
    row[i] = pivot > NOTHING * diagonal ? sqrt(pivot) : 0;
  }
}

mus_status mus_lattice_bottom_create(mus_arena *arena, const mus_lattice_domain *domain, double compressibility,
                                     double inertia, mus_lattice_bottom *out) {
  *out = (mus_lattice_bottom){.unknowns = (int)domain->unknowns};
  mus_status status = mus_lattice_level_create(arena, domain, compressibility, inertia, &out->level);
  out->cell = mus_arena_alloc(arena, domain->unknowns, sizeof *out->cell);
  out->axis = mus_arena_alloc(arena, domain->unknowns, sizeof *out->axis);
  out->right = mus_arena_alloc(arena, domain->unknowns, sizeof *out->right);
  out->factor = mus_arena_alloc(arena, domain->unknowns * domain->unknowns, sizeof *out->factor);
  if (status || !out->cell || !out->axis || !out->right || !out->factor)
    return mus_fail_memory();
  list_unknowns(out);
  for (int k = 0; k < out->unknowns; ++k)
    make_column(out, k);
  mus_lattice_factorise(out->unknowns, out->factor);
  return MUS_OK;
}

void mus_lattice_substitute(int n, const double *factor, double *x) {
  for (int i = 0; i < n; ++i) {
    const double *row = factor + (size_t)i * (size_t)n;
    x[i] = row[i] > 0 ? (x[i] - dot(i, row, x)) / row[i] : 0;
  }
  for (int i = n; i-- > 0;) {
    const double *row = factor + (size_t)i * (size_t)n;
    x[i] = row[i] > 0 ? x[i] / row[i] : 0;
    for (int j = 0; j < i; ++j)
      x[j] -= row[j] * x[i];
  }
}

void mus_lattice_bottom_solve(mus_lattice_bottom *bottom) {
  mus_lattice_level *l = &bottom->level;
  for (int f = 0; f < 4; ++f)
    memset(l->x[f], 0, l->domain->cells * sizeof(double));
  for (size_t cell = 0; cell < l->domain->cells; ++cell)
    settle_pressure(l, cell);
  for (int k = 0; k < bottom->unknowns; ++k) {
    size_t cell = (size_t)bottom->cell[k];
    bottom->right[k] = face_row(l, bottom->axis[k], cell) - l->b[bottom->axis[k]][cell];
  }
  mus_lattice_substitute(bottom->unknowns, bottom->factor, bottom->right);
  for (int k = 0; k < bottom->unknowns; ++k)
    l->x[bottom->axis[k]][bottom->cell[k]] = bottom->right[k];
  for (size_t cell = 0; cell < l->domain->cells; ++cell)
    settle_pressure(l, cell);
}
