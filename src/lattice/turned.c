#include "lattice/turned.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "par/par.h"

// Displacements that a cell's equation has: for each axis, those on both faces and on four neighbours of each.
enum { FACES = 30 };
// Cells of a group that are worth sharing among threads.
enum { LEAST_SHARED = 128 };
// How much of T is taken into account: with all of it, beams that are bent far do not converge.
#define TURNED_PART 0.9

static int is(const mus_lattice_domain *d, size_t cell, uint32_t flags) { return mus_lattice_is(d, cell, flags); }

// Cells four apart along an axis neither read nor write what the other writes.
static int group_of(const mus_lattice_domain *d, size_t cell) {
  size_t i = cell % d->stride[1], j = cell % d->stride[2] / d->stride[1], k = cell / d->stride[2];
  return (int)(i % 4 + 4 * (j % 4) + 16 * (k % 4));
}

static void make_groups(mus_turned_level *out) {
  const mus_lattice_domain *d = out->level.domain;
  int next[MUS_TURNED_GROUPS] = {0};
  for (size_t cell = 0; cell < d->cells; ++cell)
    if (is(d, cell, MUS_LATTICE_SOLID))
      ++next[group_of(d, cell)];
  out->start[0] = 0;
  for (int g = 0; g < MUS_TURNED_GROUPS; ++g) {
    out->start[g + 1] = out->start[g] + next[g];
    next[g] = out->start[g];
  }
  for (size_t cell = 0; cell < d->cells; ++cell)
    if (is(d, cell, MUS_LATTICE_SOLID))
      out->cell[next[group_of(d, cell)]++] = (int)cell;
}

static mus_turned_sample sample_of(const mus_lattice_domain *d, size_t cell, int a, int b, int upper_a, int upper_b) {
  const uint32_t shear = (uint32_t)MUS_LATTICE_SHEAR << (3 - a - b);
  const uint32_t inside = (uint32_t)(MUS_LATTICE_UNKNOWN | MUS_LATTICE_HELD) << b;
  if (!is(d, cell, MUS_LATTICE_SOLID))
    return MUS_SAMPLE_ONCE;
  int computed = is(d, mus_turned_edge(d, cell, a, b, upper_a, upper_b), shear);
  int opposite = is(d, mus_turned_edge(d, cell, a, b, !upper_a, upper_b), shear);
  int is_along = (d->flags[upper_b ? cell + d->stride[b] : cell] & inside) != 0; // no free boundary across b
  if (computed)
    return is_along && !opposite ? MUS_SAMPLE_TWICE : MUS_SAMPLE_ONCE;
  return is_along && opposite ? MUS_SAMPLE_NONE : MUS_SAMPLE_GIVEN;
}

// Calls for all cells that have neighbours below and above along all axes.
static void classify(mus_turned_level *t, int weights) {
  const mus_lattice_domain *d = t->level.domain;
  const size_t edge = d->stride[0] + d->stride[1] + d->stride[2];
  for (size_t cell = edge; cell < d->cells - edge; ++cell)
    for (int pair = 0; pair < 6; ++pair) {
      int a = pair / 2, b = pair % 2 < a ? pair % 2 : pair % 2 + 1, sum = 0;
      for (int k = 0; k < 4; ++k) {
        size_t around = cell - (k & 1 ? d->stride[a] : 0) - (k & 2 ? d->stride[b] : 0);
        if (weights)
          sum += (int)(4 * mus_turned_part(mus_turned_sample_at(t, around, a, b, k & 1, k >> 1)));
        else
          t->samples[cell] |= (uint64_t)sample_of(d, cell, a, b, k & 1, k >> 1) << (8 * pair + 2 * k);
      }
      if (weights && is(d, cell, (uint32_t)MUS_LATTICE_SHEAR << (3 - a - b)))
        t->weights[cell] |= (uint32_t)sum << 4 * pair;
    }
}

mus_status mus_turned_create(mus_arena *arena, const mus_lattice_domain *domain, double compressibility, double inertia,
                             mus_turned_level *out) {
  *out = (mus_turned_level){0};
  mus_status status = mus_lattice_level_create(arena, domain, compressibility, inertia, &out->level);
  double *memory = status ? NULL : mus_arena_alloc_zero(arena, 41 * domain->cells, sizeof *memory);
  out->cell = status ? NULL : mus_arena_alloc(arena, domain->solid, sizeof *out->cell);
  out->samples = status ? NULL : mus_arena_alloc_zero(arena, domain->cells, sizeof *out->samples);
  out->weights = status ? NULL : mus_arena_alloc_zero(arena, domain->cells, sizeof *out->weights);
  if (!memory || !out->cell || !out->samples || !out->weights)
    return mus_fail_memory();
  for (size_t k = 0; k < 9; ++k) {
    out->rotation[k] = memory + k * domain->cells;
    out->coupling[k] = memory + (13 + k) * domain->cells;
    out->pull[k] = memory + (23 + k) * domain->cells;
  }
  for (size_t k = 0; k < 6; ++k)
    out->pulled[k] = memory + (32 + k) * domain->cells;
  out->volume = memory + 22 * domain->cells;
  out->diagonal = memory + 9 * domain->cells;
  for (size_t a = 0; a < 3; ++a) {
    out->held[a] = memory + (10 + a) * domain->cells;
    out->inverse[a] = memory + (38 + a) * domain->cells;
    for (size_t n = 0; n < domain->cells; ++n)
      out->held[a][n] = is(domain, n, (uint32_t)MUS_LATTICE_UNKNOWN << a) ? inertia : 0;
  }
  for (size_t k = 0; k < 9; k += 4)
    for (size_t cell = 0; cell < domain->cells; ++cell)
      out->rotation[k][cell] = out->coupling[k][cell] = out->volume[cell] = 1;
  make_groups(out);
  classify(out, 0);
  classify(out, 1);
  mus_turned_renew(out);
  mus_turned_invert(out);
  return MUS_OK;
}

static double cell_diagonal(const mus_turned_level *t, size_t cell) {
  const mus_lattice_domain *d = t->level.domain;
  double sum = t->level.compressibility;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      double square = t->coupling[3 * a + b][cell] * t->coupling[3 * a + b][cell];
      int given = 0;
      if (a == b && !is(d, cell, (uint32_t)MUS_LATTICE_NORMAL << a))
        given = 4;
      for (int k = 0; k < 4 && a != b; ++k)
        given += mus_turned_sample_at(t, cell, a, b, k & 1, k >> 1) == MUS_SAMPLE_GIVEN;
      sum += given * square / 8;
    }
  return sum;
}

void mus_turned_renew(mus_turned_level *t) {
  const mus_lattice_domain *d = t->level.domain;
  MUS_PARALLEL_FOR_IF(d->solid >= MUS_PAR_MINIMUM)
  for (int k = 0; k < (int)d->solid; ++k)
    t->diagonal[t->cell[k]] = cell_diagonal(t, (size_t)t->cell[k]);
}

static double normal_stress(const mus_turned_level *t, int a, size_t cell) {
  const mus_lattice_level *l = &t->level;
  if (!is(l->domain, cell, (uint32_t)MUS_LATTICE_NORMAL << a))
    return 0;
  return 2 * (l->x[a][cell + l->domain->stride[a]] - l->x[a][cell]) - t->pull[4 * a][cell];
}

// P_ab on the edge.
static double shear_stress(const mus_turned_level *t, int a, int b, size_t edge) {
  const double *u = t->level.x[a];
  double weight = mus_turned_weight(t, edge, a, b);
  return 2 * weight * (u[edge] - u[edge - t->level.domain->stride[b]]) - t->pulled[mus_turned_pair(a, b)][edge];
}

double mus_turned_face_row(const mus_turned_level *t, int a, size_t cell) {
  const size_t *stride = t->level.domain->stride;
  int b = (a + 1) % 3, c = (a + 2) % 3;
  double sum = normal_stress(t, a, cell) - normal_stress(t, a, cell - stride[a]);
  sum += shear_stress(t, a, b, cell + stride[b]) - shear_stress(t, a, b, cell);
  sum += shear_stress(t, a, c, cell + stride[c]) - shear_stress(t, a, c, cell);
  return sum - t->held[a][cell] * t->level.x[a][cell];
}

static double face_diagonal(const mus_turned_level *t, int a, size_t cell) {
  const mus_lattice_domain *d = t->level.domain;
  uint32_t normal = (uint32_t)MUS_LATTICE_NORMAL << a;
  double sum = is(d, cell, normal) + is(d, cell - d->stride[a], normal);
  for (int b = 0; b < 3; ++b)
    if (b != a)
      sum += mus_turned_weight(t, cell, a, b) + mus_turned_weight(t, cell + d->stride[b], a, b);
  return -2 * sum - t->held[a][cell];
}

void mus_turned_invert(const mus_turned_level *t) {
  const mus_lattice_domain *d = t->level.domain;
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row) {
    size_t first = (size_t)row * d->stride[1];
    for (size_t n = first + (size_t)d->begin[row]; n < first + (size_t)d->end[row]; ++n)
      for (int a = 0; a < 3; ++a) {
        double own = is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a) ? face_diagonal(t, a, n) : 0;
        t->inverse[a][n] = own < 0 ? 1 / own : 0;
      }
  }
}

// Gradients in a cell, with nothing for those that are not computed; `given`: how much of each is not, if that is not
// NULL.
static void cell_gradient(const mus_turned_level *t, size_t cell, double f[9], double *given) {
  const mus_lattice_level *l = &t->level;
  const mus_lattice_domain *d = l->domain;
  uint64_t samples = t->samples[cell];
  for (int a = 0; a < 3; ++a) {
    const double *u = l->x[a];
    int computed = is(d, cell, (uint32_t)MUS_LATTICE_NORMAL << a);
    f[4 * a] = computed ? u[cell + d->stride[a]] - u[cell] : 0;
    if (given)
      given[4 * a] = !computed;
    for (int i = 0; i < 2; ++i, samples >>= 8) {
      int b = i < a ? i : i + 1;
      double sum = 0, missing = 0;
      for (int k = 0; k < 4; ++k) {
        size_t edge = mus_turned_edge(d, cell, a, b, k & 1, k >> 1);
        mus_turned_sample sample = (mus_turned_sample)(samples >> 2 * k & 3);
        sum += mus_turned_part(sample) * (u[edge] - u[edge - d->stride[b]]);
        missing += sample == MUS_SAMPLE_GIVEN ? 0.25 : 0;
      }
      f[3 * a + b] = sum;
      if (given)
        given[3 * a + b] = missing;
    }
  }
}

double mus_turned_cell_row(const mus_turned_level *t, size_t cell) {
  double f[9], given[9], sum = t->level.compressibility * t->level.x[3][cell];
  int is_inside = !mus_turned_has_given(t, cell);
  cell_gradient(t, cell, f, is_inside ? NULL : given);
  for (int e = 0; e < 9; ++e)
    sum += t->coupling[e][cell] * (is_inside ? f[e] : f[e] + given[e] * t->pull[e][cell] / 2);
  return sum;
}

// Z = p C + T of a cell, from Z as it was where tractions give gradients: these change by Z / 2.
static void find_pull(const mus_turned_level *t, size_t cell, double z[9]) {
  int is_inside = !mus_turned_has_given(t, cell);
  double f[9], given[9], r[9], fr[9], p = t->level.x[3][cell];
  cell_gradient(t, cell, f, is_inside ? NULL : given);
  for (int e = 0; e < 9; ++e)
    r[e] = t->rotation[e][cell];
  for (int e = 0; e < 9 && !is_inside; ++e)
    f[e] += given[e] * z[e] / 2;
  for (int i = 0; i < 3; ++i) // F^T R
    for (int j = 0; j < 3; ++j)
      fr[3 * i + j] = f[i] * r[j] + f[3 + i] * r[3 + j] + f[6 + i] * r[6 + j];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double turned = r[3 * i] * fr[j] + r[3 * i + 1] * fr[3 + j] + r[3 * i + 2] * fr[6 + j];
      z[3 * i + j] = t->coupling[3 * i + j][cell] * p + TURNED_PART * (f[3 * i + j] - turned);
    }
}

static void renew_pull(const mus_turned_level *t, int turns, size_t cell, double z[9]) {
  int passes = mus_turned_has_given(t, cell) ? 2 : 1;
  for (int e = 0; e < 9; ++e)
    z[e] = turns ? t->pull[e][cell] : t->coupling[e][cell] * t->level.x[3][cell];
  for (int pass = 0; pass < passes && turns; ++pass)
    find_pull(t, cell, z);
}

void mus_turned_pull_cell(const mus_turned_level *t, int turns, size_t cell) {
  const mus_lattice_domain *d = t->level.domain;
  uint64_t samples = t->samples[cell];
  double z[9];
  renew_pull(t, turns, cell, z);
  for (int pair = 0; pair < 6; ++pair, samples >>= 8) {
    int a = pair / 2, b = pair % 2 < a ? pair % 2 : pair % 2 + 1;
    double change = z[3 * a + b] - t->pull[3 * a + b][cell], *pulled = t->pulled[pair];
    for (int k = 0; k < 4; ++k) {
      size_t edge = mus_turned_edge(d, cell, a, b, k & 1, k >> 1);
      pulled[edge] += mus_turned_part((mus_turned_sample)(samples >> 2 * k & 3)) * change;
    }
  }
  for (int e = 0; e < 9; ++e)
    t->pull[e][cell] = z[e];
}

// Of an edge: cells that are not interior pull by nothing.
static double gather(const mus_turned_level *t, int pair, size_t edge) {
  const mus_lattice_domain *d = t->level.domain;
  int a = pair / 2, b = pair % 2 < a ? pair % 2 : pair % 2 + 1;
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    size_t cell = edge - (k & 1 ? d->stride[a] : 0) - (k & 2 ? d->stride[b] : 0);
    sum += mus_turned_part((mus_turned_sample)(t->samples[cell] >> (8 * pair + 2 * k) & 3)) * t->pull[3 * a + b][cell];
  }
  return sum;
}

void mus_turned_pull(const mus_turned_level *t, int turns) {
  const mus_lattice_domain *d = t->level.domain;
  int count = (int)d->solid;
  MUS_PARALLEL_FOR_IF(count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < count; ++k) {
    size_t cell = (size_t)t->cell[k];
    double z[9];
    renew_pull(t, turns, cell, z);
    for (int e = 0; e < 9; ++e)
      t->pull[e][cell] = z[e];
  }
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row) {
    size_t first = (size_t)row * d->stride[1];
    for (int pair = 0; pair < 6 && row > d->count[1]; ++pair)
      for (size_t n = first + 1; n < first + d->stride[1]; ++n)
        t->pulled[pair][n] = t->weights[n] >> 4 * pair & 15 ? gather(t, pair, n) : 0;
  }
}

void mus_turned_let_go(const mus_turned_level *t) {
  memset(t->pull[0], 0, 15 * t->level.domain->cells * sizeof(double));
}

void mus_turned_residual(const mus_turned_level *t, int turns) {
  const mus_lattice_level *l = &t->level;
  const mus_lattice_domain *d = l->domain;
  mus_turned_pull(t, turns);
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row) {
    size_t first = (size_t)row * d->stride[1];
    for (size_t n = first + (size_t)d->begin[row]; n < first + (size_t)d->end[row]; ++n) {
      for (int a = 0; a < 3; ++a)
        l->r[a][n] = is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a) ? l->b[a][n] - mus_turned_face_row(t, a, n) : 0;
      l->r[3][n] = is(d, n, MUS_LATTICE_SOLID) ? l->b[3][n] - mus_turned_cell_row(t, n) : 0;
    }
  }
}

// A displacement in a cell's equation.
typedef struct variable {
  size_t place;
  double factor;   // in the equation
  double residual; // of its own equation, over its diagonal
  double inverse;  // of the diagonal
  int axis;
} variable;

// The displacements along an axis in a cell's equation that are unknown: its own faces first, then what lies beside
// them, where these matter.
static int list_faces(const mus_turned_level *t, int a, size_t cell, variable *out) {
  const mus_lattice_domain *d = t->level.domain;
  const double small = 0.05; // entries of C that are not worth their work
  int count = 0;
  for (int side = 0; side < 2; ++side) {
    size_t face = side ? cell + d->stride[a] : cell;
    int own = count;
    double normal = is(d, cell, (uint32_t)MUS_LATTICE_NORMAL << a) ? t->coupling[4 * a][cell] : 0;
    out[count++] = (variable){.place = face, .factor = side ? normal : -normal, .axis = a};
    for (int b = 0; b < 3; ++b) {
      double r = b == a ? 0 : t->coupling[3 * a + b][cell];
      for (int upper = 0; upper < 2 && fabs(r) > small; ++upper) {
        double part = r * mus_turned_part(mus_turned_sample_at(t, cell, a, b, side, upper));
        size_t edge = upper ? face + d->stride[b] : face;
        if (part == 0)
          continue;
        out[count++] =
            (variable){.place = upper ? edge : edge - d->stride[b], .factor = upper ? part : -part, .axis = a};
        out[own].factor += upper ? -part : part;
      }
    }
  }
  return count;
}

static void relax_cell(const mus_turned_level *t, size_t cell) {
  const mus_lattice_level *l = &t->level;
  variable face[FACES];
  int count = 0, kept = 0;
  for (int a = 0; a < 3; ++a)
    count += list_faces(t, a, cell, face + count);
  double right = l->b[3][cell] - mus_turned_cell_row(t, cell), diagonal = t->diagonal[cell];
  for (int k = 0; k < count; ++k) {
    variable v = face[k];
    v.inverse = t->inverse[v.axis][v.place];
    if (!(v.inverse < 0))
      continue;
    v.residual = (l->b[v.axis][v.place] - mus_turned_face_row(t, v.axis, v.place)) * v.inverse;
    right -= v.factor * v.residual;
    diagonal -= v.factor * v.factor * v.inverse;
    face[kept++] = v;
  }
  double pressure = right / diagonal;
  l->x[3][cell] += pressure;
  for (int k = 0; k < kept; ++k)
    l->x[face[k].axis][face[k].place] += face[k].residual - face[k].factor * pressure * face[k].inverse;
}

void mus_turned_sweep(const mus_turned_level *t, int turns, int backwards) {
  for (int g = 0; g < MUS_TURNED_GROUPS; ++g) {
    int group = backwards ? MUS_TURNED_GROUPS - 1 - g : g;
    int start = t->start[group], end = t->start[group + 1];
    MUS_PARALLEL_FOR_IF(end - start >= LEAST_SHARED)
    for (int k = start; k < end; ++k) {
      relax_cell(t, (size_t)t->cell[k]);
      mus_turned_pull_cell(t, turns, (size_t)t->cell[k]);
    }
  }
}

// A displacement on a face at a free boundary, from P_aa in its only interior cell: D_a u_a = R_aa h + C_aa p/2 - h,
// and half of what acts there.
static double near_value(const mus_turned_level *t, int a, size_t face, double length) {
  const mus_lattice_level *l = &t->level;
  const mus_lattice_domain *d = l->domain;
  int is_lower = is(d, face, MUS_LATTICE_SOLID); // of its cell's two faces
  size_t cell = is_lower ? face : face - d->stride[a];
  double difference = t->rotation[4 * a][cell] * length + t->pull[4 * a][cell] / 2 - length;
  return is_lower ? l->x[a][face + d->stride[a]] - difference - l->b[a][face] / 2
                  : l->x[a][cell] + difference - l->b[a][face] / 2;
}

static void extend_near(const mus_turned_level *t, double length) {
  const mus_lattice_domain *d = t->level.domain;
  MUS_PARALLEL_FOR_IF(d->outer_count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < d->outer_count; ++k)
    for (int a = 0; a < 3; ++a) {
      size_t face = (size_t)d->outer[k];
      if (is(d, face, (uint32_t)MUS_LATTICE_NEAR << a))
        t->level.x[a][face] = near_value(t, a, face, length);
    }
}

// D_b u_a beyond a free boundary beside an unknown face, from P_ab = 0: the mean of what the face's two cells give.
static double slope_beyond(const mus_turned_level *t, int a, int b, size_t face, double length) {
  const double *r = t->rotation[3 * a + b], *z = t->pull[3 * a + b];
  size_t below = face - t->level.domain->stride[a];
  return ((r[face] + r[below]) * length + (z[face] + z[below]) / 2) / 2;
}

// A displacement half a cell beyond a free boundary; the mean where there are several unknown ones beside it.
static double far_value(const mus_turned_level *t, int a, size_t face, double length) {
  const mus_lattice_domain *d = t->level.domain;
  const uint32_t unknown = (uint32_t)MUS_LATTICE_UNKNOWN << a;
  double sum = 0;
  int count = 0;
  for (int b = 0; b < 3; ++b) {
    size_t above = face + d->stride[b], below = face - d->stride[b];
    if (b != a && is(d, below, unknown)) {
      sum += t->level.x[a][below] + slope_beyond(t, a, b, below, length);
      ++count;
    }
    if (b != a && is(d, above, unknown)) {
      sum += t->level.x[a][above] - slope_beyond(t, a, b, above, length);
      ++count;
    }
  }
  return sum / count;
}

void mus_turned_extend(const mus_turned_level *t, double length) {
  const mus_lattice_domain *d = t->level.domain;
  extend_near(t, length);
  MUS_PARALLEL_FOR_IF(d->outer_count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < d->outer_count; ++k)
    for (int a = 0; a < 3; ++a) {
      size_t face = (size_t)d->outer[k];
      if (is(d, face, (uint32_t)MUS_LATTICE_FAR << a))
        t->level.x[a][face] = far_value(t, a, face, length);
    }
}
