#include "seed_002_solution.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static const double pi = 3.14159265358979323846, radius = 0.25;
enum { OUTLINE_POINTS = 4 }; // along the side of a cell

solution solution_make(int axes, double poisson) { return (solution){axes, poisson, 2 * poisson / (1 - 2 * poisson)}; }

void solution_displacement(const solution *s, const double x[3], double u[3]) {
  double a = 2 / sqrt(pi), b = pi / 2;
  u[0] = a * x[0] * cos(b * x[1]) - x[0];
  u[1] = a * x[0] * sin(b * x[1]) - x[1];
  u[2] = s->axes == 3 ? x[2] * x[0] / 2 : 0;
}

// d u_a / d x_b
static void gradient(const solution *s, const double x[3], double g[3][3]) {
  double a = 2 / sqrt(pi), b = pi / 2, c = cos(b * x[1]), d = sin(b * x[1]);
  memset(g, 0, 9 * sizeof(double));
  g[0][0] = a * c - 1;
  g[0][1] = -a * b * x[0] * d;
  g[1][0] = a * d;
  g[1][1] = a * b * x[0] * c - 1;
  if (s->axes == 3) {
    g[2][0] = x[2] / 2;
    g[2][2] = x[0] / 2;
  }
}

void solution_divergence(const solution *s, const double x[3], double f[3]) {
  double a = 2 / sqrt(pi), b = pi / 2, c = cos(b * x[1]), d = sin(b * x[1]);
  f[0] = -a * b * b * x[0] * c + (1 + s->lambda) * (a * b * c + (s->axes == 3 ? 0.5 : 0));
  f[1] = -a * b * b * x[0] * d - (1 + s->lambda) * (a * b + a * b * b * x[0]) * d;
  f[2] = 0;
}

static double distance(const solution *s, const double x[3]) {
  double square = 0;
  for (int a = 0; a < s->axes; ++a)
    square += (x[a] - 0.5) * (x[a] - 0.5);
  return sqrt(square);
}

void solution_stress(const solution *s, const double x[3], double sigma[3][3]) {
  double g[3][3], trace = 0;
  gradient(s, x, g);
  for (int a = 0; a < s->axes; ++a)
    trace += g[a][a];
  for (int a = 0; a < s->axes; ++a)
    for (int b = 0; b < s->axes; ++b)
      sigma[a][b] = g[a][b] + g[b][a] + (a == b ? s->lambda * trace : 0);
}

void solution_nearest(const solution *s, const double x[3], double nearest[3], double normal[3]) {
  double far = distance(s, x);
  for (int a = 0; a < 3; ++a) {
    normal[a] = a < s->axes ? (x[a] - 0.5) / far : 0;
    nearest[a] = a < s->axes ? 0.5 + radius * normal[a] : x[a];
  }
}

void solution_traction(const solution *s, const double x[3], double t[3]) {
  double sigma[3][3], nearest[3], normal[3];
  solution_stress(s, x, sigma);
  solution_nearest(s, x, nearest, normal);
  for (int a = 0; a < 3; ++a) {
    t[a] = 0;
    for (int b = 0; b < s->axes && a < s->axes; ++b)
      t[a] += sigma[a][b] * normal[b];
  }
}

int solution_is_inside(const solution *s, const double x[3]) { return distance(s, x) < radius; }

// The distances of the nearest and the farthest point of a cell from the middle of the solid.
static void cell_distances(const solution *s, const mus_cells *cells, const int at[3], double *least, double *most) {
  *least = *most = 0;
  for (int a = 0; a < s->axes; ++a) {
    double low = cells->low[a] + cells->spacing * at[a] - 0.5, high = low + cells->spacing;
    double near = low > 0 ? low : high < 0 ? -high : 0, far = fmax(-low, high);
    *least += near * near;
    *most += far * far;
  }
  *least = sqrt(*least);
  *most = sqrt(*most);
}

static int is_held(const double x[3], double far) { return fabs(x[0] - 0.5) > far * sqrt(0.5); }

static mus_cell_kind kind_of(const solution *s, const mus_cells *cells, const int at[3]) {
  double least, most, x[3];
  cell_distances(s, cells, at, &least, &most);
  if (least >= radius || (s->axes == 2 && (at[2] < MUS_CELLS_MARGIN || at[2] >= cells->count[2] - MUS_CELLS_MARGIN)))
    return MUS_CELL_EXTERIOR;
  for (int a = 0; a < 3; ++a)
    x[a] = cells->low[a] + cells->spacing * (at[a] + 0.5);
  return most > radius && is_held(x, distance(s, x)) ? MUS_CELL_DIRICHLET : MUS_CELL_INTERIOR;
}

mus_status solution_cells(mus_arena *arena, const solution *s, int across, int layers, mus_cells *out) {
  *out = (mus_cells){.spacing = 2 * radius / across};
  for (int a = 0; a < 3; ++a) {
    int along = a < s->axes ? across + 2 : layers;
    out->count[a] = along + 2 * MUS_CELLS_MARGIN;
    out->low[a] = 0.5 - out->spacing * 0.5 * out->count[a];
  }
  out->kind = mus_arena_alloc(arena, mus_cells_total(out), 1);
  if (!out->kind)
    return mus_fail_memory();
  for (int k = 0; k < out->count[2]; ++k)
    for (int j = 0; j < out->count[1]; ++j)
      for (int i = 0; i < out->count[0]; ++i)
        out->kind[mus_cells_number(out, i, j, k)] = (unsigned char)kind_of(s, out, (const int[]){i, j, k});
  return MUS_OK;
}

// Half of the force on each end of a segment of a polygon.
static void load_circle(const solution *s, solution_points *p) {
  for (int n = 0; n < p->outline; ++n) {
    double angle = 2 * pi * (n + 0.5) / p->outline, length = 2 * radius * sin(pi / p->outline), t[3];
    const double x[3] = {0.5 + radius * cos(angle), 0.5 + radius * sin(angle), 0};
    solution_traction(s, x, t);
    for (int a = 0; a < 2 && !is_held(x, radius); ++a) {
      p->force[3 * n + a] += length * t[a] / 2;
      p->force[3 * ((n + 1) % p->outline) + a] += length * t[a] / 2;
    }
  }
}

// Points of a ball stand for parts of its surface of the same size.
static void load_sphere(const solution *s, solution_points *p) {
  for (int n = 0; n < p->outline; ++n) {
    double area = 4 * pi * radius * radius / p->outline;
    solution_traction(s, p->position + 3 * n, p->force + 3 * n);
    for (int a = 0; a < 3; ++a)
      p->force[3 * n + a] *= is_held(p->position + 3 * n, radius) ? 0 : area;
  }
}

static void place_outline(const solution *s, double depth, solution_points *p) {
  for (int n = 0; n < p->outline; ++n) {
    double *x = p->position + 3 * n, z = 1 - (2 * n + 1.0) / p->outline, angle = n * pi * (3 - sqrt(5));
    x[0] = 0.5 + radius * (s->axes == 3 ? sqrt(1 - z * z) * cos(angle) : cos(2 * pi * n / p->outline));
    x[1] = 0.5 + radius * (s->axes == 3 ? sqrt(1 - z * z) * sin(angle) : sin(2 * pi * n / p->outline));
    x[2] = s->axes == 3 ? 0.5 + radius * z : depth;
  }
}

static void place_inside(const solution *s, const mus_cells *cells, double depth, solution_points *p) {
  p->all = p->outline;
  for (int k = 0; k < (s->axes == 3 ? cells->count[2] : 1); ++k)
    for (int j = 0; j < cells->count[1]; ++j)
      for (int i = 0; i < cells->count[0]; ++i) {
        double *x = p->position + 3 * p->all;
        x[0] = cells->low[0] + cells->spacing * (i + 0.5);
        x[1] = cells->low[1] + cells->spacing * (j + 0.5);
        x[2] = s->axes == 3 ? cells->low[2] + cells->spacing * (k + 0.5) : depth;
        p->all += distance(s, x) < radius;
      }
}

mus_status solution_sample(mus_arena *arena, const solution *s, const mus_cells *cells, double depth,
                           solution_points *out) {
  double along = OUTLINE_POINTS / cells->spacing, size = 2 * pi * radius * along;
  if (s->axes == 3)
    size *= 2 * radius * along;
  size_t cells_most = s->axes == 3 ? mus_cells_total(cells) : (size_t)(cells->count[0] * cells->count[1]);
  *out = (solution_points){.outline = (int)ceil(size)};
  out->position = mus_arena_alloc(arena, 3 * ((size_t)out->outline + cells_most), sizeof *out->position);
  out->force = mus_arena_alloc_zero(arena, 3 * (size_t)out->outline, sizeof *out->force);
  if (!out->position || !out->force)
    return mus_fail_memory();
  place_outline(s, depth, out);
  place_inside(s, cells, depth, out);
  if (s->axes == 3)
    load_sphere(s, out);
  else
    load_circle(s, out);
  return MUS_OK;
}
