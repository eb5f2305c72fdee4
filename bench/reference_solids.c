#include "reference_solids.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// --- a staggered lattice -------------------------------------------------------------------------------------------

static int has(const mus_lattice_domain *d, size_t cell, int flag, int axis) {
  return mus_lattice_is(d, cell, (uint32_t)flag << axis);
}

// 2 sum_a (D_a u_a)^2 + (sum_a D_a u_a)^2 / D_p over the axes in `set`; variables are lower and upper faces.
static void fill_cell_matrix(int axes, int set, double compressibility, double *matrix) {
  int count = 0;
  for (int a = 0; a < axes; ++a)
    count += set >> a & 1;
  double factor = 1 / (compressibility + (axes - count) / 2.0);
  for (int i = 0; i < 2 * count; ++i)
    for (int j = 0; j < 2 * count; ++j)
      matrix[2 * count * i + j] = (i % 2 == j % 2 ? 1 : -1) * (factor + (i / 2 == j / 2 ? 2 : 0));
}

static void add_cell(reference_lattice *l, size_t cell) {
  const mus_lattice_domain *d = l->domain;
  int variable[6], count = 0, set = 0;
  for (int a = 0; a < l->axes; ++a)
    if (has(d, cell, MUS_LATTICE_NORMAL, a)) {
      variable[count++] = (int)(3 * cell) + a;
      variable[count++] = (int)(3 * (cell + d->stride[a])) + a;
      set |= 1 << a;
    }
  if (mus_lattice_is(d, cell, MUS_LATTICE_SOLID) && set)
    reference_elements_add(&l->elements, count, variable, l->matrix[set]);
}

static void add_shear(reference_lattice *l, size_t cell, int a, int b) {
  const size_t *stride = l->domain->stride;
  const int variable[4] = {(int)(3 * cell) + a, (int)(3 * (cell - stride[b])) + a, (int)(3 * cell) + b,
                           (int)(3 * (cell - stride[a])) + b};
  if (has(l->domain, cell, MUS_LATTICE_SHEAR, 3 - a - b))
    reference_elements_add(&l->elements, 4, variable, l->shear);
}

mus_status reference_lattice_create(mus_arena *arena, const mus_lattice_domain *d, int layer, double compressibility,
                                    reference_lattice *out) {
  size_t from = layer < 0 ? 0 : (size_t)layer * d->stride[2], to = layer < 0 ? d->cells : from + d->stride[2];
  *out = (reference_lattice){.domain = d, .layer = layer, .axes = layer < 0 ? 3 : 2};
  out->row = mus_arena_alloc(arena, 3 * d->cells, sizeof *out->row);
  int most = (int)(4 * (to - from));
  mus_status status = out->row ? reference_elements_create(arena, most, 6 * most, &out->elements) : mus_fail_memory();
  if (status)
    return status;
  for (int set = 1; set < 8; ++set)
    fill_cell_matrix(out->axes, set & ((1 << out->axes) - 1), compressibility, out->matrix[set]);
  for (int i = 0; i < 16; ++i)
    out->shear[i] = i / 4 % 2 == i % 2 ? 1 : -1;
  for (size_t n = 0; n < 3 * d->cells; ++n) {
    int is_row =
        n / 3 >= from && n / 3 < to && (int)(n % 3) < out->axes && has(d, n / 3, MUS_LATTICE_UNKNOWN, (int)(n % 3));
    out->row[n] = is_row ? out->rows++ : -1;
  }
  for (size_t cell = from; cell < to; ++cell) {
    add_cell(out, cell);
    for (int a = 0; a < out->axes; ++a)
      for (int b = a + 1; b < out->axes; ++b)
        add_shear(out, cell, a, b);
  }
  return MUS_OK;
}

// The two coarse places along an axis that a fine one lies between, and their weights. A component's faces coincide
// with coarse ones along its own axis, and lie a quarter of a coarse cell beside them along others.
static void coarse_places(int own, int place, int coarse[2], double weight[2]) {
  int half = place / 2, odd = place % 2;
  coarse[0] = half;
  coarse[1] = own || odd ? half + 1 : half - 1;
  weight[1] = own ? 0.5 * odd : 0.25;
  weight[0] = 1 - weight[1];
}

// The row of a fine displacement: entries of `column` and `value`; returns their number.
static int prolong_row(const reference_lattice *fine, const reference_lattice *coarse, size_t cell, int axis,
                       int column[8], double value[8]) {
  const mus_lattice_domain *f = fine->domain, *c = coarse->domain;
  const int at[3] = {(int)(cell % f->stride[1]), (int)(cell % f->stride[2] / f->stride[1]), (int)(cell / f->stride[2])};
  int place[3][2], count = 0;
  double weight[3][2], there = 0;
  for (int a = 0; a < 3; ++a)
    coarse_places(a == axis, at[a] + f->shift[a], place[a], weight[a]);
  for (int corner = 0; corner < 8; ++corner) {
    size_t from = 0;
    double w = 1;
    for (int a = 0; a < 3; ++a) {
      from += (size_t)place[a][corner >> a & 1] * c->stride[a];
      w *= weight[a][corner >> a & 1];
    }
    if (w == 0 || !(has(c, from, MUS_LATTICE_UNKNOWN, axis) || has(c, from, MUS_LATTICE_HELD, axis)))
      continue;
    there += w;
    if (coarse->row[3 * from + (size_t)axis] >= 0) {
      column[count] = coarse->row[3 * from + (size_t)axis];
      value[count++] = w;
    }
  }
  for (int k = 0; k < count; ++k)
    value[k] /= there;
  return count;
}

static mus_status create_prolongation(mus_arena *arena, int rows, int columns, int each, reference_matrix *out) {
  *out = (reference_matrix){.rows = rows, .columns = columns};
  out->start = mus_arena_alloc_zero(arena, (size_t)rows + 1, sizeof *out->start);
  out->column = mus_arena_alloc(arena, (size_t)rows * (size_t)each, sizeof *out->column);
  out->value = mus_arena_alloc(arena, (size_t)rows * (size_t)each, sizeof *out->value);
  return out->start && out->column && out->value ? MUS_OK : mus_fail_memory();
}

mus_status reference_lattice_prolong(mus_arena *arena, const reference_lattice *fine, const reference_lattice *coarse,
                                     reference_matrix *out) {
  mus_status status = create_prolongation(arena, fine->rows, coarse->rows, 8, out);
  for (size_t n = 0; n < 3 * fine->domain->cells && !status; ++n) {
    int i = fine->row[n];
    if (i >= 0) // rows are in the order of variables
      out->start[i + 1] = out->start[i] + prolong_row(fine, coarse, n / 3, (int)(n % 3), out->column + out->start[i],
                                                      out->value + out->start[i]);
  }
  return status;
}

// --- finite elements -----------------------------------------------------------------------------------------------

// Adds V (mu (g_k . g_l) 1 + mu g_l g_k^T + lambda g_k g_l^T) for the gradients g of shape functions.
static void add_stiffness(int axes, int nodes, const int *corner, double (*g)[3], double volume, double lambda,
                          double *matrix) {
  int size = axes << axes;
  for (int k = 0; k < nodes; ++k)
    for (int l = 0; l < nodes; ++l) {
      double dot = 0;
      for (int a = 0; a < axes; ++a)
        dot += g[k][a] * g[l][a];
      for (int a = 0; a < axes; ++a)
        for (int b = 0; b < axes; ++b)
          matrix[(axes * corner[k] + a) * size + axes * corner[l] + b] +=
              volume * ((a == b ? dot : 0) + g[k][b] * g[l][a] + lambda * g[k][a] * g[l][b]);
    }
}

// Simplex by simplex: axes in the order p, corners 0, e_p0, e_p0 + e_p1, ...
void reference_simplices(int axes, double lambda, double *matrix) {
  static const int order[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  int count = axes == 2 ? 2 : 6, size = axes << axes;
  memset(matrix, 0, (size_t)(size * size) * sizeof *matrix);
  for (int s = 0; s < count; ++s) {
    double g[4][3] = {{0}};
    int corner[4] = {0};
    for (int k = 0; k < axes; ++k) {
      corner[k + 1] = corner[k] | 1 << order[s][k];
      g[k][order[s][k]] -= 1;
      g[k + 1][order[s][k]] += 1;
    }
    add_stiffness(axes, axes + 1, corner, g, 1.0 / count, lambda, matrix);
  }
}

void reference_trilinear(double lambda, double *matrix) {
  static const int corners[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  memset(matrix, 0, sizeof(double) * REFERENCE_ELEMENT * REFERENCE_ELEMENT);
  for (int point = 0; point < 8; ++point) {
    double g[8][3];
    for (int c = 0; c < 8; ++c)
      for (int a = 0; a < 3; ++a) {
        g[c][a] = 1;
        for (int b = 0; b < 3; ++b) {
          double x = 0.5 + (point >> b & 1 ? 0.5 : -0.5) / sqrt(3), sign = c >> b & 1 ? 1 : -1;
          g[c][a] *= a == b ? sign : (c >> b & 1 ? x : 1 - x);
        }
      }
    add_stiffness(3, 8, corners, g, 0.125, lambda, matrix);
  }
}

void reference_simplex_weights(int axes, const double *x, double *weight) {
  int corner = 0;
  double before = 1;
  memset(weight, 0, sizeof(double) << axes);
  for (int k = 0; k < axes; ++k) { // coordinates from the largest to the smallest
    int next = -1;
    for (int a = 0; a < axes; ++a)
      if (!(corner >> a & 1) && (next < 0 || x[a] > x[next]))
        next = a;
    weight[corner] = before - x[next];
    before = x[next];
    corner |= 1 << next;
  }
  weight[corner] = before;
}

static int node_of(int side, int i, int j, int k) { return (k * (side + 1) + j) * (side + 1) + i; }

mus_status reference_box_create(mus_arena *arena, int side, const double *matrix, reference_box *out) {
  int nodes = (side + 1) * (side + 1) * (side + 1), cubes = side * side * side;
  *out = (reference_box){.side = side, .row = mus_arena_alloc(arena, 3 * (size_t)nodes, sizeof *out->row)};
  mus_status status =
      out->row ? reference_elements_create(arena, cubes, REFERENCE_ELEMENT * cubes, &out->elements) : mus_fail_memory();
  for (int n = 0; n < 3 * nodes && !status; ++n) {
    int i = n / 3 % (side + 1);
    out->row[n] = i == 0 || i == side ? -1 : out->rows++;
  }
  for (int cube = 0; cube < cubes && !status; ++cube) {
    int variable[REFERENCE_ELEMENT], i = cube % side, j = cube / side % side, k = cube / side / side;
    for (int v = 0; v < REFERENCE_ELEMENT; ++v) {
      int c = v / 3;
      variable[v] = 3 * node_of(side, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)) + v % 3;
    }
    reference_elements_add(&out->elements, REFERENCE_ELEMENT, variable, matrix);
  }
  return status;
}

// A fine node in the middle of a coarse edge, face or cube has the mean of its corners; in simplices, that of the two
// ends of the diagonal along which it lies.
mus_status reference_box_prolong(mus_arena *arena, const reference_box *fine, const reference_box *coarse,
                                 int simplices, reference_matrix *out) {
  int side = fine->side, nodes = (side + 1) * (side + 1) * (side + 1);
  mus_status status = create_prolongation(arena, fine->rows, coarse->rows, 8, out);
  for (int n = 0; n < 3 * nodes && !status; ++n) {
    int row = fine->row[n],
        at[3] = {n / 3 % (side + 1), n / 3 / (side + 1) % (side + 1), n / 3 / (side + 1) / (side + 1)};
    if (row < 0)
      continue;
    int odd = at[0] % 2 | at[1] % 2 << 1 | at[2] % 2 << 2, entries = 0, end = out->start[row];
    for (int c = 0; c < 8; ++c)
      entries += (c & odd) == c && (!simplices || c == 0 || c == odd);
    for (int c = 0; c < 8; ++c) {
      if ((c & odd) != c || (simplices && c != 0 && c != odd))
        continue;
      int from =
          coarse->row[3 * node_of(coarse->side, at[0] / 2 + (c & 1), at[1] / 2 + (c >> 1 & 1), at[2] / 2 + (c >> 2)) +
                      n % 3];
      if (from >= 0) {
        out->column[end] = from;
        out->value[end++] = 1.0 / entries;
      }
    }
    out->start[row + 1] = end;
  }
  return status;
}
