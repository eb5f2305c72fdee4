// Figures 15 and 16: errors of a disc and of a ball against the exact solution under refinement, on the staggered
// lattice and with linear finite elements on the same cells.
//
// Cells reach beyond the outline of the solid. Either both methods know the stress where the cells end, so that only
// what they make of it counts, or tractions on the outline alone, as in section 9.2. Errors are the largest over points
// of the outline and the middles of cells.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "lattice/embed.h"
#include "reference_solids.h"
#include "seed_002.h"
#include "seed_002_solution.h"

enum { LAYERS = 17 }; // of a disc; more than extrapolation sees

// What is known besides body forces.
typedef enum setting {
  KNOWN_STRESS,  // the stress at the boundary of the cells
  KNOWN_TRACTION // tractions on the outline
} setting;

typedef struct problem {
  mus_arena arena;
  solution exact;
  setting setting;
  mus_cells cells;
  int layer; // of a disc; -1
  solution_points points;
  double *displacement; // of the points
} problem;

static mus_status create_problem(const solution *exact, setting what, int across, problem *p) {
  *p = (problem){.exact = *exact, .setting = what, .layer = exact->axes == 2 ? MUS_CELLS_MARGIN + LAYERS / 2 : -1};
  mus_status status = solution_cells(&p->arena, exact, across, LAYERS, &p->cells);
  double depth = status ? 0 : p->cells.low[2] + p->cells.spacing * (p->layer + 0.5);
  if (!status)
    status = solution_sample(&p->arena, exact, &p->cells, depth, &p->points);
  if (status)
    return status;
  p->displacement = mus_arena_alloc_zero(&p->arena, 3 * (size_t)p->points.all, sizeof *p->displacement);
  return p->displacement ? MUS_OK : mus_fail_memory();
}

static double largest_error(const problem *p) {
  double most = 0;
  for (int n = 0; n < p->points.all; ++n) {
    double u[3], square = 0;
    solution_displacement(&p->exact, p->points.position + 3 * n, u);
    for (int a = 0; a < p->exact.axes; ++a)
      square += (p->displacement[3 * n + a] - u[a]) * (p->displacement[3 * n + a] - u[a]);
    most = fmax(most, sqrt(square));
  }
  return most;
}

// The middle of a lower face of a cell, or with axis -1 its lower corner.
static void place_of(const problem *p, size_t cell, int axis, double x[3]) {
  size_t row = (size_t)p->cells.count[0], sheet = row * (size_t)p->cells.count[1];
  const size_t at[3] = {cell % row, cell % sheet / row, cell / sheet};
  for (int a = 0; a < 3; ++a)
    x[a] = p->cells.low[a] + p->cells.spacing * ((double)at[a] + (axis < 0 || axis == a ? 0 : 0.5));
}

static int is_cell(const problem *p, size_t cell, mus_cell_kind kind) {
  size_t sheet = (size_t)p->cells.count[0] * (size_t)p->cells.count[1];
  return p->cells.kind[cell] == kind && (p->layer < 0 || cell / sheet == (size_t)p->layer);
}

static double volume(const problem *p) {
  double h = p->cells.spacing;
  return p->exact.axes == 3 ? h * h * h : h * h;
}

// --- the staggered lattice ------------------------------------------------------------------------------------------

typedef struct faces {
  double *value[3];
} faces;

static mus_status create_faces(problem *p, faces *out) {
  for (int a = 0; a < 3; ++a)
    if (!(out->value[a] = mus_arena_alloc_zero(&p->arena, mus_cells_total(&p->cells), sizeof(double))))
      return mus_fail_memory();
  return MUS_OK;
}

// The stress at a boundary of the lattice. Where only tractions t on the outline are known, t = sigma n at its nearest
// point, n being its normal; stresses across n are taken to be those without a strain across it.
static void given_stress(const problem *p, const double x[3], double sigma[3][3]) {
  int axes = p->exact.axes;
  double n[3], t[3], at[3], pull = 0, side = p->exact.poisson / (1 - p->exact.poisson);
  if (p->setting == KNOWN_STRESS) {
    solution_stress(&p->exact, x, sigma);
    return;
  }
  solution_nearest(&p->exact, x, at, n);
  solution_traction(&p->exact, at, t);
  for (int a = 0; a < axes; ++a)
    pull += t[a] * n[a];
  for (int a = 0; a < axes; ++a)
    for (int b = 0; b < axes; ++b)
      sigma[a][b] = t[a] * n[b] + n[a] * t[b] - pull * n[a] * n[b] + side * pull * ((a == b) - n[a] * n[b]);
}

// Every stress that is not computed is given.
static void load_boundary(const problem *p, const mus_lattice_domain *d, faces *force) {
  int axes = p->exact.axes;
  double h = p->cells.spacing, area = axes == 3 ? h * h : h, sigma[3][3];
  for (size_t n = 0; n < d->cells; ++n)
    for (int a = 0; a < axes && (p->layer < 0 || n / d->stride[2] == (size_t)p->layer); ++a) {
      if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_NEAR << a)) {
        int is_lower = mus_lattice_is(d, n, MUS_LATTICE_SOLID);
        double x[3];
        place_of(p, is_lower ? n : n - d->stride[a], 3, x);
        given_stress(p, x, sigma);
        force->value[a][n] += (is_lower ? -1 : 1) * area * sigma[a][a];
      }
      for (int b = 0; b < axes && mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a); ++b)
        for (int up = 0; up < 2 && b != a; ++up)
          if (!mus_lattice_is(d, up ? n + d->stride[b] : n, (uint32_t)MUS_LATTICE_SHEAR << (3 - a - b))) {
            double x[3];
            place_of(p, n, a, x);
            x[b] += (up ? 0.5 : -0.5) * h;
            given_stress(p, x, sigma);
            force->value[a][n] += (up ? 1 : -1) * area * sigma[a][b];
          }
    }
}

static mus_status interpolate(problem *p, double *const u[3]) {
  mus_embedding *embedding;
  mus_status status = mus_embedding_create(&p->cells, MUS_EMBED_LINEAR, p->points.all, p->points.position, &embedding);
  if (status)
    return status;
  mus_embedding_extend(embedding, u);
  mus_embedding_displacements(embedding, (const double *const *)u, p->displacement);
  mus_embedding_free(embedding);
  return MUS_OK;
}

static void hold_faces(const problem *p, const mus_lattice_domain *d, double *const u[3]) {
  for (size_t n = 0; n < d->cells; ++n)
    for (int a = 0; a < 3; ++a)
      if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_HELD << a)) {
        double x[3], exact[3];
        place_of(p, n, a, x);
        solution_displacement(&p->exact, x, exact);
        u[a][n] = exact[a];
      }
}

// A force on a face at a free boundary is the normal stress in its cell: see lattice/load.c. Here with the pressure
// eliminated.
static void load_near(const problem *p, const reference_lattice *l, size_t face, int a, double f, double *b) {
  const mus_lattice_domain *d = l->domain;
  int is_lower = mus_lattice_is(d, face, MUS_LATTICE_SOLID), given = 0;
  size_t cell = is_lower ? face : face - d->stride[a], other = is_lower ? face + d->stride[a] : cell;
  if (l->row[3 * other + (size_t)a] >= 0)
    b[l->row[3 * other + (size_t)a]] += f;
  for (int c = 0; c < l->axes; ++c)
    given += !mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_NORMAL << c);
  double q = (is_lower ? f : -f) / 2 / (1 / p->exact.lambda + given / 2.0);
  for (int c = 0; c < l->axes; ++c)
    if (mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_NORMAL << c)) {
      int lower = l->row[3 * cell + (size_t)c], upper = l->row[3 * (cell + d->stride[c]) + (size_t)c];
      if (lower >= 0)
        b[lower] -= q;
      if (upper >= 0)
        b[upper] += q;
    }
}

// The disc: one layer of a lattice, whose system is solved by conjugate gradients.
static mus_status solve_layer(problem *p, const mus_lattice_domain *d, const faces *force, faces *u, int *unknowns) {
  int iterations;
  reference_lattice l;
  reference_matrix matrix;
  mus_status status = reference_lattice_create(&p->arena, d, p->layer, 1 / p->exact.lambda, &l);
  if (!status)
    status = reference_assemble(&p->arena, &l.elements, l.rows, l.row, &matrix);
  double *known = mus_arena_alloc_zero(&p->arena, 3 * mus_cells_total(&p->cells), sizeof *known);
  double *b = status ? NULL : mus_arena_alloc_zero(&p->arena, (size_t)l.rows, sizeof *b);
  double *x = status ? NULL : mus_arena_alloc_zero(&p->arena, (size_t)l.rows, sizeof *x);
  if (status || !known || !b || !x)
    return status ? status : mus_fail_memory();
  hold_faces(p, d, u->value);
  for (size_t n = 0; n < 3 * d->cells; ++n) {
    double at[3], f[3];
    known[n] = u->value[n % 3][n / 3];
    place_of(p, n / 3, (int)(n % 3), at);
    solution_divergence(&p->exact, at, f);
    if (l.row[n] >= 0)
      b[l.row[n]] += force->value[n % 3][n / 3] - volume(p) * f[n % 3];
    else if ((int)(n % 3) < l.axes && mus_lattice_is(d, n / 3, (uint32_t)MUS_LATTICE_NEAR << n % 3))
      load_near(p, &l, n / 3, (int)(n % 3), force->value[n % 3][n / 3], b);
  }
  reference_hold(&l.elements, l.row, known, b);
  status = reference_solve(&matrix, 1e-11, b, x, &iterations);
  for (size_t n = 0; n < 3 * d->cells; ++n) { // every layer gets what this one has
    size_t here = n / 3 % d->stride[2] + (size_t)p->layer * d->stride[2], v = 3 * here + n % 3;
    if (l.row[v] >= 0)
      u->value[n % 3][n / 3] = x[l.row[v]];
  }
  *unknowns = l.rows;
  return status;
}

static mus_status solve_ball(problem *p, const faces *force, faces *u, int *unknowns) {
  mus_lattice_material material = {.young = 2 * (1 + p->exact.poisson), .poisson = p->exact.poisson};
  mus_lattice_record record;
  mus_lattice *lattice;
  mus_status status = mus_lattice_create(&p->cells, &material, NULL, &lattice);
  if (status)
    return status;
  const mus_lattice_domain *d = mus_lattice_get_domain(lattice);
  double *held[3] = {mus_lattice_displacement(lattice, 0), mus_lattice_displacement(lattice, 1),
                     mus_lattice_displacement(lattice, 2)};
  hold_faces(p, d, held);
  for (size_t n = 0; n < d->cells; ++n)
    for (int a = 0; a < 3; ++a) {
      double x[3], f[3];
      place_of(p, n, a, x);
      solution_divergence(&p->exact, x, f);
      mus_lattice_force(lattice, a)[n] = force->value[a][n];
      if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
        mus_lattice_force(lattice, a)[n] -= volume(p) * f[a];
    }
  status = mus_lattice_solve(lattice, 1e-10, 100, &record);
  for (int a = 0; a < 3; ++a)
    memcpy(u->value[a], held[a], d->cells * sizeof(double));
  *unknowns = (int)d->unknowns;
  mus_lattice_free(lattice);
  return status;
}

static mus_status lattice_error(problem *p, int *unknowns, double *error) {
  faces force, u;
  mus_lattice_domain *d;
  int levels;
  mus_status status = create_faces(p, &force);
  if (!status)
    status = create_faces(p, &u);
  if (!status)
    status = mus_lattice_domains_create(&p->arena, &p->cells, &d, &levels);
  if (!status) {
    load_boundary(p, d, &force);
    status = p->layer < 0 ? solve_ball(p, &force, &u, unknowns) : solve_layer(p, d, &force, &u, unknowns);
  }
  if (!status)
    status = interpolate(p, u.value);
  *error = status ? NAN : largest_error(p);
  return status;
}

// --- finite elements ------------------------------------------------------------------------------------------------

// Nodes have the number of the cell whose lower corner they are, variables axes * node + axis.
typedef struct nodes {
  reference_elements elements;
  double matrix[REFERENCE_ELEMENT * REFERENCE_ELEMENT];
  int rows, *row;
  double *value;
} nodes;

static int corner_of(const problem *p, size_t cell, int corner) {
  size_t row = (size_t)p->cells.count[0], sheet = row * (size_t)p->cells.count[1];
  return (int)(cell + (corner & 1 ? 1 : 0) + (corner & 2 ? row : 0) + (corner & 4 ? sheet : 0));
}

static void add_elements(problem *p, nodes *n) {
  int axes = p->exact.axes, corners = 1 << axes;
  for (size_t cell = 0; cell < mus_cells_total(&p->cells); ++cell)
    if (is_cell(p, cell, MUS_CELL_INTERIOR)) {
      int variable[REFERENCE_ELEMENT];
      for (int v = 0; v < axes * corners; ++v) {
        variable[v] = axes * corner_of(p, cell, v / axes) + v % axes;
        n->row[variable[v]] = 0;
      }
      reference_elements_add(&n->elements, axes * corners, variable, n->matrix);
    }
}

// Numbers the unknowns; nodes of Dirichlet cells are held where they belong.
static void number_nodes(problem *p, nodes *n) {
  int axes = p->exact.axes, corners = 1 << axes;
  for (size_t cell = 0; cell < mus_cells_total(&p->cells); ++cell)
    for (int v = 0; v < axes * corners && is_cell(p, cell, MUS_CELL_DIRICHLET); ++v) {
      int variable = axes * corner_of(p, cell, v / axes) + v % axes;
      double x[3], u[3];
      place_of(p, (size_t)(variable / axes), -1, x);
      solution_displacement(&p->exact, x, u);
      n->row[variable] = -1;
      n->value[variable] = u[v % axes];
    }
  n->rows = 0;
  for (int v = 0; v < axes * (int)mus_cells_total(&p->cells); ++v)
    n->row[v] = n->row[v] < 0 ? -1 : n->rows++;
}

static mus_status create_nodes(problem *p, nodes *out) {
  size_t total = mus_cells_total(&p->cells);
  int axes = p->exact.axes, most = 0;
  for (size_t cell = 0; cell < total; ++cell)
    most += is_cell(p, cell, MUS_CELL_INTERIOR);
  out->row = mus_arena_alloc(&p->arena, (size_t)axes * total, sizeof *out->row);
  out->value = mus_arena_alloc_zero(&p->arena, (size_t)axes * total, sizeof *out->value);
  mus_status status = out->row && out->value
                          ? reference_elements_create(&p->arena, most, (axes << axes) * most, &out->elements)
                          : mus_fail_memory();
  if (status)
    return status;
  reference_simplices(axes, p->exact.lambda, out->matrix);
  for (size_t v = 0; v < (size_t)axes * total; ++v)
    out->row[v] = -1;
  add_elements(p, out);
  number_nodes(p, out);
  return MUS_OK;
}

// The cell that a point lies in, and the weights of its corners.
static size_t locate(const problem *p, const double x[3], double weight[8]) {
  double inside[3];
  int at[3];
  for (int a = 0; a < 3; ++a) {
    double t = (x[a] - p->cells.low[a]) / p->cells.spacing;
    at[a] = (int)floor(t);
    inside[a] = t - at[a];
  }
  reference_simplex_weights(p->exact.axes, inside, weight);
  return mus_cells_number(&p->cells, at[0], at[1], at[2]);
}

// A force at a point of a cell, on the nodes around.
static void load_point(const problem *p, const nodes *n, size_t cell, const double *weight, const double *force,
                       double *b) {
  int axes = p->exact.axes;
  double unit = axes == 3 ? p->cells.spacing : 1; // of the matrix
  for (int v = 0; v < axes << axes; ++v) {
    int row = n->row[axes * corner_of(p, cell, v / axes) + v % axes];
    if (row >= 0)
      b[row] += weight[v / axes] * force[v % axes] / unit;
  }
}

// Body forces in cells, at many points of each; where only the outline's tractions are known, inside of it.
static void load_bodies(const problem *p, const nodes *n, double *b) {
  enum { FINE = 4 };
  int axes = p->exact.axes, all = axes == 3 ? FINE * FINE * FINE : FINE * FINE;
  for (size_t cell = 0; cell < mus_cells_total(&p->cells); ++cell)
    for (int k = 0; k < all && is_cell(p, cell, MUS_CELL_INTERIOR); ++k) {
      const double inside[3] = {(k % FINE + 0.5) / FINE, (k / FINE % FINE + 0.5) / FINE,
                                (k / FINE / FINE + 0.5) / FINE};
      double x[3], f[3], weight[8];
      place_of(p, cell, -1, x);
      for (int a = 0; a < axes; ++a)
        x[a] += inside[a] * p->cells.spacing;
      if (p->setting == KNOWN_TRACTION && !solution_is_inside(&p->exact, x))
        continue;
      solution_divergence(&p->exact, x, f);
      for (int a = 0; a < axes; ++a)
        f[a] *= -volume(p) / all;
      reference_simplex_weights(axes, inside, weight);
      load_point(p, n, cell, weight, f, b);
    }
}

// Stresses on the free side of a cell along an axis, at Gauss's points.
static void load_side(const problem *p, const nodes *n, size_t cell, int axis, int up, double *b) {
  int axes = p->exact.axes, points = axes == 3 ? 4 : 2;
  for (int k = 0; k < points; ++k) {
    double inside[3] = {0}, x[3], sigma[3][3], f[3] = {0}, weight[8];
    place_of(p, cell, -1, x);
    for (int a = 0, bit = 0; a < axes; ++a) {
      inside[a] = a == axis ? up : 0.5 + (k >> bit++ & 1 ? 0.5 : -0.5) / sqrt(3);
      x[a] += inside[a] * p->cells.spacing;
    }
    solution_stress(&p->exact, x, sigma);
    for (int a = 0; a < axes; ++a)
      f[a] = (up ? 1 : -1) * sigma[a][axis] * volume(p) / p->cells.spacing / points;
    reference_simplex_weights(axes, inside, weight);
    load_point(p, n, cell, weight, f, b);
  }
}

static void load_nodes(const problem *p, const nodes *n, double *b) {
  const size_t stride[3] = {1, (size_t)p->cells.count[0], (size_t)p->cells.count[0] * (size_t)p->cells.count[1]};
  load_bodies(p, n, b);
  for (size_t cell = 0; cell < mus_cells_total(&p->cells) && p->setting == KNOWN_STRESS; ++cell)
    for (int side = 0; side < 2 * p->exact.axes && is_cell(p, cell, MUS_CELL_INTERIOR); ++side)
      if (p->cells.kind[side % 2 ? cell + stride[side / 2] : cell - stride[side / 2]] == MUS_CELL_EXTERIOR)
        load_side(p, n, cell, side / 2, side % 2, b);
  for (int k = 0; k < p->points.outline && p->setting == KNOWN_TRACTION; ++k) {
    double weight[8];
    size_t cell = locate(p, p->points.position + 3 * k, weight);
    load_point(p, n, cell, weight, p->points.force + 3 * k, b);
  }
}

static mus_status element_error(problem *p, int *unknowns, double *error) {
  nodes n;
  reference_matrix matrix;
  int iterations, axes = p->exact.axes;
  mus_status status = create_nodes(p, &n);
  if (!status)
    status = reference_assemble(&p->arena, &n.elements, n.rows, n.row, &matrix);
  double *b = status ? NULL : mus_arena_alloc_zero(&p->arena, (size_t)n.rows, sizeof *b);
  double *x = status ? NULL : mus_arena_alloc_zero(&p->arena, (size_t)n.rows, sizeof *x);
  if (status || !b || !x)
    return status ? status : mus_fail_memory();
  load_nodes(p, &n, b);
  reference_hold(&n.elements, n.row, n.value, b);
  status = reference_solve(&matrix, 1e-11, b, x, &iterations);
  for (int v = 0; v < axes * (int)mus_cells_total(&p->cells); ++v)
    if (n.row[v] >= 0)
      n.value[v] = x[n.row[v]];
  memset(p->displacement, 0, 3 * (size_t)p->points.all * sizeof *p->displacement);
  for (int k = 0; k < p->points.all; ++k) {
    double weight[8];
    size_t cell = locate(p, p->points.position + 3 * k, weight);
    for (int v = 0; v < axes << axes; ++v)
      p->displacement[3 * k + v % axes] += weight[v / axes] * n.value[axes * corner_of(p, cell, v / axes) + v % axes];
  }
  *unknowns = n.rows;
  *error = largest_error(p);
  return status;
}

// --- refinement -----------------------------------------------------------------------------------------------------

enum { MATERIALS = 3, MOST_SIZES = 6, METHODS = 2 };
static const double poisson[MATERIALS] = {0.2, 0.45, 0.49};

typedef struct refinement {
  int count;
  double unknowns[METHODS][MOST_SIZES], error[METHODS][MOST_SIZES];
} refinement;

// The slope of log error over log h, with h in proportion to unknowns^(-1/axes).
static double order_of(int axes, int count, const double *unknowns, const double *error) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int k = 0; k < count; ++k) {
    double x = -log(unknowns[k]) / axes, y = log(error[k]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static mus_status refine(const solution *exact, setting what, int count, const int *across, refinement *out) {
  mus_status status = MUS_OK;
  out->count = count;
  for (int k = 0; k < count && !status; ++k)
    for (int method = 0; method < METHODS && !status; ++method) {
      problem p;
      int unknowns = 0;
      status = create_problem(exact, what, across[k], &p);
      if (!status)
        status = (method ? element_error : lattice_error)(&p, &unknowns, &out->error[method][k]);
      out->unknowns[method][k] = unknowns;
      mus_arena_clear(&p.arena);
    }
  return status;
}

typedef struct comparison {
  int axes;
  setting setting;
  const char *name, *title, *about;
} comparison;

static mus_status compare(study *s, const comparison *c, int count, const int *across) {
  static const char *const names[METHODS][MATERIALS] = {{"lattice, 0.2", "lattice, 0.45", "lattice, 0.49"},
                                                        {"elements, 0.2", "elements, 0.45", "elements, 0.49"}};
  refinement all[MATERIALS];
  chart_series series[METHODS * MATERIALS];
  figure_table t;
  mus_status status = MUS_OK;
  for (int m = 0; m < MATERIALS && !status; ++m) {
    solution exact = solution_make(c->axes, poisson[m]);
    status = refine(&exact, c->setting, count, across, &all[m]);
  }
  if (status)
    return status;
  table_begin(s, &t, c->name, c->title, c->about,
              "Poisson's ratio|cells across|unknowns|error: lattice|unknowns: elements|error: elements|ratio|"
              "order: lattice|order: elements");
  for (int m = 0; m < MATERIALS; ++m)
    for (int k = 0; k < count; ++k) {
      const refinement *r = &all[m];
      char orders[64] = "|";
      if (k == count - 1)
        snprintf(orders, sizeof orders, "%.2f|%.2f", order_of(c->axes, count, r->unknowns[0], r->error[0]),
                 order_of(c->axes, count, r->unknowns[1], r->error[1]));
      table_row(&t, "%g|%d|%.0f|%.3e|%.0f|%.3e|%.2f|%s", poisson[m], across[k], r->unknowns[0][k], r->error[0][k],
                r->unknowns[1][k], r->error[1][k], r->error[1][k] / r->error[0][k], orders);
    }
  status = table_end(&t);
  for (int v = 0; v < METHODS * MATERIALS; ++v) {
    int m = v % MATERIALS, method = v / MATERIALS;
    series[v] = (chart_series){names[method][m],        chart_colours[m],    method, method, 0, count,
                               all[m].unknowns[method], all[m].error[method]};
  }
  chart figure = {.title = c->title,
                  .subtitle = "by Poisson's ratio",
                  .x = {"unknowns", CHART_COUNT, 1, 0, 0},
                  .y = {"largest error", CHART_NUMBER, 1, 0, 0}};
  return status ? status : draw_chart(s, c->name, &figure, series, METHODS * MATERIALS);
}

// --- figure 16 ------------------------------------------------------------------------------------------------------

// The outline as it is displaced, and again its first point.
static mus_status trace(const problem *p, mus_arena *arena, chart_series *out) {
  int count = p->points.outline;
  double *x = mus_arena_alloc(arena, 2 * ((size_t)count + 1), sizeof *x), *y = x + count + 1;
  if (!x)
    return mus_fail_memory();
  for (int n = 0; n <= count; ++n) {
    x[n] = p->points.position[3 * (n % count)] + p->displacement[3 * (n % count)];
    y[n] = p->points.position[3 * (n % count) + 1] + p->displacement[3 * (n % count) + 1];
  }
  out->count = count + 1;
  out->x = x;
  out->y = y;
  return MUS_OK;
}

static mus_status trace_method(const solution *exact, int method, int across, mus_arena *arena, chart_series *out) {
  problem p;
  int unknowns;
  double error;
  mus_status status = create_problem(exact, KNOWN_TRACTION, across, &p);
  for (int n = 0; n < p.points.outline && !status && method == METHODS; ++n)
    solution_displacement(exact, p.points.position + 3 * n, p.displacement + 3 * n);
  if (!status && method < METHODS)
    status = (method ? element_error : lattice_error)(&p, &unknowns, &error);
  if (!status)
    status = trace(&p, arena, out);
  mus_arena_clear(&p.arena);
  return status;
}

static mus_status draw_outlines(const study *s, double ratio, int across) {
  static const char *const names[METHODS + 1] = {"lattice", "elements", "exact"};
  mus_arena arena = {0};
  chart_series series[METHODS + 1];
  solution exact = solution_make(2, ratio);
  char file[64], subtitle[96];
  mus_status status = MUS_OK;
  for (int method = 0; method <= METHODS && !status; ++method) {
    series[method] = (chart_series){.name = names[method], .colour = chart_colours[method], .plain = 1};
    status = trace_method(&exact, method, across, &arena, &series[method]);
  }
  snprintf(file, sizeof file, "figure-16-%g", ratio);
  snprintf(subtitle, sizeof subtitle, "Poisson's ratio %g, %d cells across, tractions known on the outline", ratio,
           across);
  chart figure = {.title = "Figure 16: the outline of the disc",
                  .subtitle = subtitle,
                  .x = {"x", CHART_NUMBER, 0, 0, 0.8},
                  .y = {"y", CHART_NUMBER, 0, 0, 0.8}};
  if (!status)
    status = draw_chart(s, file, &figure, series, METHODS + 1);
  mus_arena_clear(&arena);
  return status;
}

mus_status figure_15(study *s) {
  static const int discs[] = {8, 16, 32, 64, 128}, balls[] = {8, 12, 16, 24, 32};
  static const comparison list[] = {
      {2, KNOWN_STRESS, "figure-15", "Figure 15: errors of the disc",
       "The disc of equation 17, radius 1/4, by cells along its diameter; both methods are given the exact stress at "
       "the "
       "free boundary of the cells. Errors are the largest of displacements. Elements are linear triangles on the same "
       "cells. Orders are those of the spacing, over all sizes. The paper has orders of 1.15 to 1.25."},
      {2, KNOWN_TRACTION, "figure-15-outline", "Figure 15: errors of the disc by tractions on its outline",
       "The same where only tractions on the outline are known. On the lattice they become stresses at its boundary; "
       "elements have them as forces on their nodes, and body forces inside the outline alone."},
      {3, KNOWN_STRESS, "figure-15-ball", "Figure 15: errors of a ball",
       "A ball of radius 1/4, solved by `src/lattice`, beside linear tetrahedra on the same cells, with the exact "
       "stress at the free boundary of the cells."},
      {3, KNOWN_TRACTION, "figure-15-ball-outline", "Figure 15: errors of a ball by tractions on its outline",
       "The same where only tractions on the outline are known."}};
  mus_status status = MUS_OK;
  for (size_t k = 0; k < sizeof list / sizeof *list && !status; ++k)
    status = compare(s, &list[k], s->quick ? 3 : 5, list[k].axes == 2 ? discs : balls);
  for (int m = 0; m < MATERIALS && !status; ++m)
    status = draw_outlines(s, poisson[m], 16);
  return status;
}
