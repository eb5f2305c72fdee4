// What contact costs the solver, in iterations: constraints prefiltered and filtered (Tamstorf et al. 2015, figure 8),
// couplings between sheets, and equalities across nodes.
//
// A sheet lies on a box with a round hole, or on hills, such that half of its vertices touch: these are held along the
// normal, and those far from the hole in all directions, because they stick. Beside it, the free sheet. Sheets on top
// of each other are coupled by springs between vertices and triangles. Triangles against points of a body are
// equalities of three nodes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "sheet_system.h"

static void check(mus_status status) {
  if (status == MUS_OK || status == MUS_NOT_CONVERGED)
    return;
  fprintf(stderr, "constraints: %s\n", mus_last_error());
  exit(1);
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (memory)
    return memory;
  fprintf(stderr, "constraints: out of memory\n");
  exit(1);
}

// --- a system and how it is solved ----------------------------------------------------------------------------------

typedef struct system_given {
  int rows;
  int *row_start, *column;
  double *values, *position, *b;
  double mass; // of a vertex inside
  int constraints, couplings, equalities;
  mus_constraint *constraint;
  mus_coupling *coupling;
  int (*coupling_node)[4];
  double (*coupling_weight)[4];
  mus_equality *equality;
} system_given;

enum { ROUNDS = 5 };

typedef struct result {
  int iterations;
  double setup, prefilter, solve; // s, the least of all rounds
} result;

static mus_solver *make_solver(const system_given *g, mus_method method, int prefilter) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  options.method = method;
  options.prefilter = prefilter;
  options.threads = 1; // the least noise
  mus_solver *solver = NULL;
  check(mus_solver_create(&options, &solver));
  check(mus_solver_set_pattern(solver, g->rows, 3, g->row_start, g->column));
  check(mus_solver_set_values(solver, g->values));
  check(mus_solver_set_coordinates(solver, g->position));
  return solver;
}

static result better(result best, const mus_solve_record *record) {
  return (result){record->iterations, fmin(best.setup, record->setup_seconds),
                  fmin(best.prefilter, record->prefilter_seconds), fmin(best.solve, record->solve_seconds)};
}

// Solves from zero after the values have changed, free or with all that holds.
static void solve(const system_given *g, int held, mus_solver *solver, double *x) {
  check(mus_solver_set_values(solver, g->values));
  check(mus_solver_set_constraints(solver, held ? g->constraints : 0, g->constraint));
  check(mus_solver_set_equalities(solver, held ? g->equalities : 0, g->equality));
  check(mus_solver_set_couplings(solver, held ? g->couplings : 0, g->coupling));
  memset(x, 0, 3 * (size_t)g->rows * sizeof *x);
  check(mus_solver_solve(solver, g->b, x));
}

static void print(const char *what, const char *with, result now, result before) {
  char text[80];
  snprintf(text, sizeof text, "%s, %s", what, with);
  printf("  %-34s %6d %6.2f %9.4f %6.2f %9.4f %9.4f\n", text, now.iterations,
         (double)now.iterations / before.iterations, now.setup, now.setup / before.setup, now.prefilter, now.solve);
  fflush(stdout);
}

// As in a simulation: aggregates are there from the free cloth, contacts come and go. Free and held in turn, because
// machines are noisy.
static void measure(const char *with, const system_given *g, mus_method method, int prefilter, int show_free) {
  mus_solver *solver = make_solver(g, method, prefilter);
  double *x = allocate(3 * (size_t)g->rows, sizeof *x);
  result apart = {0, 1e9, 1e9, 1e9}, held = apart;
  solve(g, 0, solver, x);
  for (int k = 0; k < ROUNDS; ++k) {
    solve(g, 0, solver, x);
    apart = better(apart, mus_solver_record(solver));
    solve(g, 1, solver, x);
    held = better(held, mus_solver_record(solver));
  }
  if (show_free)
    print(mus_method_name(method), "free", apart, apart);
  print(mus_method_name(method), with, held, apart);
  mus_solver_free(solver);
  free(x);
}

static void measure_ways(const system_given *g) {
  const mus_method method[] = {MUS_METHOD_SA, MUS_METHOD_DIAG};
  for (int k = 0; k < 2; ++k) {
    measure("prefiltered", g, method[k], 1, 1);
    measure("filtered", g, method[k], 0, 0);
  }
}

static void print_head(const char *title) {
  printf("\n%s\n  %-34s %6s %6s %9s %6s %9s %9s\n", title, "", "iter.", "ratio", "set-up s", "ratio", "filter s",
         "solve s");
}

// --- sheets ---------------------------------------------------------------------------------------------------------

static void free_given(system_given *g) {
  free(g->row_start), free(g->column), free(g->values), free(g->position), free(g->b);
  free(g->constraint), free(g->coupling), free(g->coupling_node), free(g->coupling_weight), free(g->equality);
}

// Several copies of the sheet, 2 mm apart, with a right-hand side that has gravity and something of everything.
static system_given stack(const sheet_system *sheet, int layers) {
  int n = sheet->rows, blocks = mus_pattern_blocks(sheet->pattern);
  size_t rows = (size_t)(layers * n), entries = (size_t)layers * (size_t)blocks;
  system_given g = {.rows = (int)rows,
                    .row_start = allocate(rows + 1, sizeof(int)),
                    .column = allocate(entries, sizeof(int)),
                    .values = allocate(9 * entries, sizeof(double)),
                    .position = allocate(3 * rows, sizeof(double)),
                    .b = allocate(3 * rows, sizeof(double)),
                    .mass = sheet->mass[sheet->options.side + 1]};
  for (int l = 0; l < layers; ++l) {
    for (int i = 0; i < n; ++i)
      g.row_start[l * n + i + 1] = l * blocks + sheet->pattern->row_start[i + 1];
    for (int k = 0; k < blocks; ++k)
      g.column[l * blocks + k] = sheet->pattern->column[k] + l * n;
    memcpy(g.values + 9 * (size_t)l * (size_t)blocks, sheet->a.value, 9 * (size_t)blocks * sizeof(double));
    for (int i = 0; i < 3 * n; ++i) {
      int at = 3 * l * n + i;
      double noise = 0.3 * sheet->mass[i / 3] * sheet->options.time_step * 9.81 * mus_random(5, (uint64_t)at);
      g.position[at] = sheet->position[i] + (i % 3 == 1 ? 0.002 * l : 0);
      g.b[at] = sheet->b[i] + noise;
    }
  }
  return g;
}

static sheet_system make_sheet(int side, double wave) {
  sheet_options options = sheet_default_options();
  options.side = side;
  options.boundary = SHEET_FREE;
  options.wave = wave;
  sheet_system sheet;
  check(sheet_system_create(&options, &sheet));
  return sheet;
}

// The sheet's unit normal at a vertex, from its neighbours in the grid.
static void normal_at(const sheet_system *sheet, int i, double *normal) {
  int side = sheet->options.side, column = i % side, row = i / side;
  const double *left = sheet->position + 3 * (column > 0 ? i - 1 : i);
  const double *right = sheet->position + 3 * (column < side - 1 ? i + 1 : i);
  const double *below = sheet->position + 3 * (row > 0 ? i - side : i);
  const double *above = sheet->position + 3 * (row < side - 1 ? i + side : i);
  double u[3], v[3], square = 0;
  for (int c = 0; c < 3; ++c)
    u[c] = right[c] - left[c], v[c] = above[c] - below[c];
  for (int c = 0; c < 3; ++c) {
    normal[c] = u[(c + 1) % 3] * v[(c + 2) % 3] - u[(c + 2) % 3] * v[(c + 1) % 3];
    square += normal[c] * normal[c];
  }
  for (int c = 0; c < 3; ++c)
    normal[c] /= sqrt(square);
}

// Everything outside of a hole in the middle that takes half of the area touches; the outer part of that sticks.
static void lay_down(const sheet_system *sheet, system_given *g) {
  const double hole = sqrt(0.5 / 3.14159265358979), sticking = 0.5;
  g->constraint = allocate((size_t)g->rows, sizeof *g->constraint);
  const double *first = sheet->rest, *last = sheet->rest + 3 * (sheet->rows - 1);
  for (int i = 0; i < g->rows; ++i) {
    double x = sheet->rest[3 * i] - 0.5 * (first[0] + last[0]), z = sheet->rest[3 * i + 2] - 0.5 * (first[2] + last[2]);
    double distance = sqrt(x * x + z * z);
    if (distance < hole)
      continue;
    mus_constraint c = {.node = i, .count = 1};
    normal_at(sheet, i, c.direction[0]);
    if (distance > sticking) {
      c.count = 3;
      for (int k = 0; k < 9; ++k)
        c.direction[k / 3][k % 3] = k / 3 == k % 3;
    }
    g->constraint[g->constraints++] = c;
  }
}

// Some triangle at each vertex.
static int *triangles_at(const sheet_system *sheet) {
  int *triangle = allocate((size_t)sheet->rows, sizeof *triangle);
  for (int t = 0; t < sheet->tuples[0].count; ++t)
    for (int k = 0; k < 3; ++k)
      triangle[sheet->tuples[0].index[3 * t + k]] = t;
  return triangle;
}

// Weights of a point inside a triangle.
static void point_inside(uint64_t key, double *weight) {
  double sum = 0;
  for (int k = 0; k < 3; ++k)
    sum += weight[k] = 0.05 + fabs(mus_random(7, 3 * key + (uint64_t)k));
  for (int k = 0; k < 3; ++k)
    weight[k] /= sum;
}

// Springs between a part of the vertices of each sheet and triangles of the one below, along the normal, and a tenth of
// it across for friction. `strength` is in units of a vertex's mass.
static void couple(const sheet_system *sheet, int layers, double part, double strength, system_given *g) {
  int *triangle = triangles_at(sheet), n = sheet->rows;
  if (!g->coupling) {
    g->coupling = allocate((size_t)g->rows, sizeof *g->coupling);
    g->coupling_node = allocate((size_t)g->rows, sizeof *g->coupling_node);
    g->coupling_weight = allocate((size_t)g->rows, sizeof *g->coupling_weight);
  }
  g->couplings = 0;
  for (int i = 0; i < (layers - 1) * n; ++i) {
    if (0.5 + 0.5 * mus_random(3, (uint64_t)i) > part)
      continue;
    int *node = g->coupling_node[g->couplings];
    double *share = g->coupling_weight[g->couplings];
    mus_coupling c = {.count = 4, .node = node, .weight = share};
    node[0] = i + n;
    share[0] = 1;
    double weight[3], normal[3], stiffness = strength * g->mass;
    point_inside((uint64_t)i, weight);
    normal_at(sheet, i % n, normal);
    for (int k = 0; k < 3; ++k) {
      node[k + 1] = i - i % n + sheet->tuples[0].index[3 * triangle[i % n] + k];
      share[k + 1] = -weight[k];
    }
    for (int k = 0; k < 9; ++k)
      c.block[k] = stiffness * (0.9 * normal[k / 3] * normal[k % 3] + (k / 3 == k % 3 ? 0.1 : 0));
    g->coupling[g->couplings++] = c;
  }
  free(triangle);
}

// Every so many-th triangle touches a point along the normal.
static void touch(const sheet_system *sheet, int every, system_given *g) {
  g->equality = allocate((size_t)sheet->tuples[0].count, sizeof *g->equality);
  for (int t = 0; t < sheet->tuples[0].count; t += every) {
    mus_equality e = {.count = 3};
    double weight[3], normal[3];
    point_inside((uint64_t)t, weight);
    memcpy(e.node, sheet->tuples[0].index + 3 * t, 3 * sizeof(int));
    normal_at(sheet, e.node[0], normal);
    for (int k = 0; k < 9; ++k)
      e.direction[k / 3][k % 3] = weight[k / 3] * normal[k % 3];
    g->equality[g->equalities++] = e;
  }
}

// --- the tables -----------------------------------------------------------------------------------------------------

static void measure_contact(int side, const char *ground, double wave) {
  sheet_system sheet = make_sheet(side, wave);
  system_given g = stack(&sheet, 1);
  lay_down(&sheet, &g);
  char title[160];
  snprintf(title, sizeof title, "%d vertices on %s, %d of them held", g.rows, ground, g.constraints);
  print_head(title);
  measure_ways(&g);
  free_given(&g);
  sheet_system_free(&sheet);
}

static void measure_couplings(int side) {
  enum { LAYERS = 2 };
  const double strength[] = {1, 10, 1000}, part[] = {0.1, 0.6};
  sheet_system sheet = make_sheet(side, 0.05);
  system_given g = stack(&sheet, LAYERS);
  char title[160];
  snprintf(title, sizeof title, "%d vertices in two sheets, springs in units of the mass", g.rows);
  print_head(title);
  for (int k = 0; k < 6; ++k) {
    couple(&sheet, LAYERS, part[k % 2], strength[k / 2], &g);
    snprintf(title, sizeof title, "%d springs of %g", g.couplings, strength[k / 2]);
    measure(title, &g, MUS_METHOD_SA, 1, k == 0);
    measure(title, &g, MUS_METHOD_DIAG, 1, k == 0);
  }
  free_given(&g);
  sheet_system_free(&sheet);
}

static void measure_equalities(int side) {
  sheet_system sheet = make_sheet(side, 0.05);
  system_given g = stack(&sheet, 1);
  touch(&sheet, 8, &g);
  char title[160];
  snprintf(title, sizeof title, "%d vertices, %d equalities of three nodes", g.rows, g.equalities);
  print_head(title);
  measure_ways(&g);
  free_given(&g);
  sheet_system_free(&sheet);
}

// The argument is the number of vertices a side; without one, the sizes of docs/benchmarks.md.
int main(int arguments, char **argument) {
  const int sides[] = {101, 201};
  int one = arguments > 1 ? atoi(argument[1]) : 0;
  if (arguments > 2 || (arguments == 2 && one < 10)) {
    fprintf(stderr, "usage: bench_constraints [VERTICES A SIDE, at least 10]\n");
    return 2;
  }
  for (int k = 0; k < (one ? 1 : 2); ++k) {
    int side = one ? one : sides[k];
    measure_contact(side, "a box with a hole", 0);
    measure_contact(side, "hills with a hole", 0.05);
    measure_couplings((int)(side / sqrt(2.0) + 0.5));
    measure_equalities(side);
  }
  return 0;
}
