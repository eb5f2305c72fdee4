#include "lattice/rotations.h"

#include <math.h>
#include <string.h>

#include "energy/svd3.h"
#include "par/par.h"

static int is(const mus_lattice_domain *d, size_t cell, uint32_t flags) { return mus_lattice_is(d, cell, flags); }

double mus_rotations_cofactors(const double f[9], double c[9]) {
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      int i = (a + 1) % 3, j = (a + 2) % 3, k = (b + 1) % 3, l = (b + 2) % 3;
      c[3 * a + b] = f[3 * i + k] * f[3 * j + l] - f[3 * i + l] * f[3 * j + k];
    }
  return f[0] * c[0] + f[1] * c[1] + f[2] * c[2];
}

// Newton's iteration for the orthogonal factor of F, X <- (X + X^-T) / 2 (Higham 1986), which is its rotation where F
// is not inside out, and is quick where it is not far from flat either. Returns whether that is so.
static int iterate_rotation(const double f[9], double r[9]) {
  enum { MOST = 12 };
  double c[9], square = 0, change = 1, determinant = mus_rotations_cofactors(f, c);
  for (int k = 0; k < 9; ++k)
    square += f[k] * f[k];
  if (!(determinant > 0.1 * sqrt(square / 3) * square / 3))
    return 0;
  memcpy(r, f, 9 * sizeof *r);
  for (int pass = 0; pass < MOST && change > 1e-24; ++pass) {
    determinant = mus_rotations_cofactors(r, c);
    change = 0;
    for (int k = 0; k < 9; ++k) {
      double next = (r[k] + c[k] / determinant) / 2;
      change += (next - r[k]) * (next - r[k]);
      r[k] = next;
    }
  }
  return change <= 1e-16;
}

void mus_rotation_of(const double f[9], double r[9]) {
  double u[9], s[3], v[9];
  if (iterate_rotation(f, r))
    return;
  mus_svd3(f, u, s, v);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      r[3 * a + b] = u[3 * a] * v[3 * b] + u[3 * a + 1] * v[3 * b + 1] + u[3 * a + 2] * v[3 * b + 2];
}

// What acts on the free face of a cell along an axis, as a stress.
static double traction(const mus_lattice_level *l, int a, size_t cell) {
  const uint32_t near = (uint32_t)MUS_LATTICE_NEAR << a;
  size_t above = cell + l->domain->stride[a];
  return (is(l->domain, cell, near) ? l->b[a][cell] : 0) - (is(l->domain, above, near) ? l->b[a][above] : 0);
}

void mus_rotations_gradient(const mus_turned_level *t, size_t cell, double length, const double r[9], const double c[9],
                            double f[9]) {
  const mus_lattice_level *l = &t->level;
  const mus_lattice_domain *d = l->domain;
  double half = l->x[3][cell] / (2 * length);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      double sum = 0, given = r[3 * a + b] + c[3 * a + b] * half;
      if (a == b)
        sum = is(d, cell, (uint32_t)MUS_LATTICE_NORMAL << a)
                  ? 1 + (l->x[a][cell + d->stride[a]] - l->x[a][cell]) / length
                  : given + traction(l, a, cell) / (2 * length);
      for (int k = 0; k < 4 && a != b; ++k) {
        size_t edge = mus_turned_edge(d, cell, a, b, k & 1, k >> 1);
        mus_turned_sample sample = mus_turned_sample_at(t, cell, a, b, k & 1, k >> 1);
        if (sample == MUS_SAMPLE_GIVEN)
          sum += given / 4;
        else
          sum += mus_turned_part(sample) * (l->x[a][edge] - l->x[a][edge - d->stride[b]]) / length;
      }
      f[3 * a + b] = sum;
    }
}

void mus_rotations_get(const mus_turned_level *t, size_t cell, double r[9], double c[9]) {
  for (int k = 0; k < 9; ++k) {
    r[k] = t->rotation[k][cell];
    c[k] = t->coupling[k][cell];
  }
}

static void renew_cell(const mus_turned_level *t, size_t cell, double length) {
  enum { PASSES = 60 };
  int passes = mus_turned_has_given(t, cell) ? PASSES : 1; // F depends on R at free boundaries
  double r[9], c[9], next[9], f[9], change = 1;
  mus_rotations_get(t, cell, r, c);
  for (int pass = 0; pass < passes && change > 1e-12; ++pass) {
    mus_rotations_gradient(t, cell, length, r, c, f);
    mus_rotation_of(f, next);
    t->volume[cell] = mus_rotations_cofactors(f, c);
    change = 0;
    for (int k = 0; k < 9; ++k)
      change = fmax(change, fabs(next[k] - r[k]));
    memcpy(r, next, sizeof r);
  }
  for (int k = 0; k < 9; ++k) {
    t->rotation[k][cell] = r[k];
    t->coupling[k][cell] = c[k];
  }
}

void mus_rotations_renew(mus_turned_level *t, double length) {
  MUS_PARALLEL_FOR_IF(t->level.domain->solid >= MUS_PAR_MINIMUM)
  for (int k = 0; k < (int)t->level.domain->solid; ++k)
    renew_cell(t, (size_t)t->cell[k], length);
  mus_turned_renew(t);
}

// The constant part of P_aa in a cell ...
static double normal_constant(const mus_turned_level *t, int a, size_t cell, double length) {
  return is(t->level.domain, cell, (uint32_t)MUS_LATTICE_NORMAL << a) ? 2 * length * (1 - t->rotation[4 * a][cell]) : 0;
}

// ... and of P_ab on an edge. Cells that are not interior have the mean of those that are.
static double shear_on_edge(const mus_turned_level *t, int a, int b, size_t edge, const double *of_cells) {
  const mus_lattice_domain *d = t->level.domain;
  double sum = 0, mean = 0;
  int count = 0;
  if (!(mus_turned_weight(t, edge, a, b) > 0))
    return 0;
  for (int k = 0; k < 4; ++k) {
    size_t cell = edge - (k & 1 ? d->stride[a] : 0) - (k & 2 ? d->stride[b] : 0);
    if (!is(d, cell, MUS_LATTICE_SOLID))
      continue;
    sum += mus_turned_part(mus_turned_sample_at(t, cell, a, b, k & 1, k >> 1)) * of_cells[cell];
    mean += of_cells[cell];
    ++count;
  }
  return count > 0 ? sum + (4 - count) * mean / (4 * count) : 0;
}

static double shear_constant(const mus_turned_level *t, int a, int b, size_t edge, double length) {
  return -2 * length * shear_on_edge(t, a, b, edge, t->rotation[3 * a + b]);
}

static double face_constant(const mus_turned_level *t, int a, size_t n, double length) {
  const size_t *stride = t->level.domain->stride;
  double sum = normal_constant(t, a, n, length) - normal_constant(t, a, n - stride[a], length);
  for (int b = 0; b < 3; ++b)
    if (b != a)
      sum += shear_constant(t, a, b, n + stride[b], length) - shear_constant(t, a, b, n, length);
  return sum;
}

// The constant part of a cell's equation: h (det F - 1) where C is that of F, for others that F changes to, C:F h - (2
// det
// + 1) h.
static double cell_constant(const mus_turned_level *t, size_t cell, double length) {
  const mus_lattice_level *l = &t->level;
  const mus_lattice_domain *d = l->domain;
  double sum = -(2 * t->volume[cell] + 1) * length;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      double r = t->rotation[3 * a + b][cell], c = t->coupling[3 * a + b][cell];
      if (a == b)
        sum +=
            is(d, cell, (uint32_t)MUS_LATTICE_NORMAL << a) ? c * length : c * (r * length + traction(l, a, cell) / 2);
      for (int k = 0; k < 4 && a != b; ++k) {
        if (mus_turned_sample_at(t, cell, a, b, k & 1, k >> 1) == MUS_SAMPLE_GIVEN)
          sum += c * r * length / 4;
      }
    }
  return sum;
}

void mus_rotations_load(mus_turned_level *t, double length) {
  const mus_lattice_level *l = &t->level;
  const mus_lattice_domain *d = l->domain;
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row) {
    size_t first = (size_t)row * d->stride[1];
    for (size_t n = first + (size_t)d->begin[row]; n < first + (size_t)d->end[row]; ++n) {
      for (int a = 0; a < 3; ++a)
        if (is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
          l->b[a][n] -= face_constant(t, a, n, length);
      if (is(d, n, MUS_LATTICE_SOLID))
        l->b[3][n] = -cell_constant(t, n, length);
    }
  }
}

static double normal_in_cell(const mus_turned_level *t, int a, size_t cell, const double *of_cells) {
  return is(t->level.domain, cell, (uint32_t)MUS_LATTICE_NORMAL << a) ? of_cells[cell] : 0;
}

void mus_rotations_add_divergence(mus_turned_level *t, const double *const stress[9]) {
  const mus_lattice_domain *d = t->level.domain;
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row) {
    size_t first = (size_t)row * d->stride[1];
    for (size_t n = first + (size_t)d->begin[row]; n < first + (size_t)d->end[row]; ++n)
      for (int a = 0; a < 3; ++a) {
        if (!is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
          continue;
        double sum = normal_in_cell(t, a, n, stress[4 * a]) - normal_in_cell(t, a, n - d->stride[a], stress[4 * a]);
        for (int b = 0; b < 3; ++b)
          if (b != a)
            sum += shear_on_edge(t, a, b, n + d->stride[b], stress[3 * a + b]) -
                   shear_on_edge(t, a, b, n, stress[3 * a + b]);
        t->level.b[a][n] -= sum;
      }
  }
}

void mus_rotations_restrict(const mus_turned_level *fine, mus_turned_level *coarse) {
  const mus_lattice_domain *d = coarse->level.domain, *from = fine->level.domain;
  MUS_PARALLEL_FOR_IF(d->solid >= MUS_PAR_MINIMUM)
  for (int k = 0; k < (int)d->solid; ++k) {
    size_t cell = (size_t)coarse->cell[k], low = 0, rest = cell;
    double sum[9] = {0}, mean[9] = {0}, r[9], count = 0;
    for (int a = 3; a-- > 0;) {
      low += (2 * (rest / d->stride[a]) - (size_t)from->shift[a]) * from->stride[a];
      rest %= d->stride[a];
    }
    for (int child = 0; child < 8; ++child) {
      size_t n = low + (child & 1 ? from->stride[0] : 0) + (child & 2 ? from->stride[1] : 0) +
                 (child & 4 ? from->stride[2] : 0);
      for (int e = 0; e < 9 && is(from, n, MUS_LATTICE_SOLID); ++e) {
        sum[e] += fine->coupling[e][n];
        mean[e] += fine->rotation[e][n];
      }
      count += is(from, n, MUS_LATTICE_SOLID);
    }
    mus_rotation_of(mean, r);
    for (int e = 0; e < 9; ++e) {
      coarse->coupling[e][cell] = sum[e] / count;
      coarse->rotation[e][cell] = r[e];
    }
  }
  mus_turned_renew(coarse);
}
