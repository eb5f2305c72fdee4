// Systems for the multigrid tests. See problem.h.
#include "support/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "solve/constraints.h"
#include "solve/near_kernel.h"
#include "support/dense.h"
#include "support/filtered.h"

static void require(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "tests/support/problem.c: %s failed: %s\n", what, mus_last_error());
  abort();
}

static void *zeros(problem *p, size_t count, size_t size) {
  void *memory = mus_arena_alloc_zero(&p->arena, count, size);
  require(memory != NULL, "allocation");
  return memory;
}

static double *numbers(problem *p, size_t count) { return zeros(p, count, sizeof(double)); }

// What follows from the matrix.
static void finish(problem *p) {
  p->n = p->rows * p->block;
  if (!p->place) {
    p->place = zeros(p, (size_t)p->rows, sizeof *p->place);
    require(mus_diagonal_places(p->pattern, p->place) == MUS_OK, "mus_diagonal_places");
  }
  if (!p->inverse_diagonal)
    p->inverse_diagonal = numbers(p, (size_t)(p->n * p->block));
  require(mus_inverse_diagonal(&p->a, p->place, p->inverse_diagonal) == MUS_OK, "mus_inverse_diagonal");
  if (!p->b) {
    p->b = numbers(p, (size_t)p->n);
    for (int i = 0; i < p->n; ++i)
      p->b[i] = mus_random(99, (uint64_t)i);
  }
}

static void constant_kernel(problem *p) {
  p->count = p->block;
  p->kernel = numbers(p, (size_t)(p->rows * p->block * p->count));
  mus_constant_vectors(p->rows, p->block, p->kernel);
}

// Rigid-body motions, then S A S + s (I - S) and S K.
static void constrain(problem *p, const double *positions, int constraints, const mus_constraint *constraint) {
  size_t n = (size_t)p->rows * 3;
  p->count = 6;
  p->kernel = numbers(p, 6 * n);
  mus_rigid_motions(p->rows, positions, p->kernel);
  p->place = zeros(p, (size_t)p->rows, sizeof *p->place);
  require(mus_diagonal_places(p->pattern, p->place) == MUS_OK, "mus_diagonal_places");
  if (constraints == 0)
    return;
  mus_filter s;
  require(mus_constraints_filter(&p->arena, p->rows, 3, constraints, constraint, &s) == MUS_OK, "the filter");
  filtered_matrix(&s, &p->a, p->place, mus_filter_scale(&p->a, p->place), &p->a);
  for (int k = 0; k < 6; ++k)
    mus_filter_apply(&s, p->kernel + (size_t)k * n);
  if (p->b)
    mus_filter_apply(&s, p->b);
}

problem problem_sheet(const sheet_options *options) {
  sheet_system s;
  require(sheet_system_create(options, &s) == MUS_OK, "sheet_system_create");
  problem p = {.name = "sheet", .arena = s.arena, .rows = s.rows, .block = 3, .pattern = s.pattern, .a = s.a, .b = s.b};
  constrain(&p, s.position, s.constraint_count, s.constraint);
  finish(&p);
  return p;
}

problem problem_small_sheet(int side, int irregular, sheet_boundary boundary) {
  sheet_options options = sheet_default_options();
  options.side = side;
  options.irregular = irregular;
  options.boundary = boundary;
  return problem_sheet(&options);
}

// A matrix of zeros with a block for each pair of `joined`, a rows x rows table.
static void create_matrix(problem *p, int rows, int block, const char *joined) {
  p->rows = rows;
  p->block = block;
  int *start = calloc((size_t)rows + 1, sizeof *start), *column = calloc((size_t)rows * (size_t)rows, sizeof *column);
  require(start && column, "allocation");
  for (int i = 0; i < rows; ++i) {
    start[i + 1] = start[i];
    for (int j = 0; j < rows; ++j)
      if (joined[(size_t)i * (size_t)rows + (size_t)j])
        column[start[i + 1]++] = j;
  }
  p->pattern = zeros(p, 1, sizeof *p->pattern);
  require(mus_pattern_copy(&p->arena, rows, rows, start, column, p->pattern) == MUS_OK, "mus_pattern_copy");
  require(mus_matrix_create(&p->arena, p->pattern, block, block, &p->a) == MUS_OK, "mus_matrix_create");
  memset(p->a.value, 0, mus_matrix_values(&p->a) * sizeof *p->a.value);
  free(start), free(column);
}

static char *no_joints(int rows) {
  char *joined = calloc((size_t)rows * (size_t)rows, 1);
  require(joined != NULL, "allocation");
  for (int i = 0; i < rows; ++i)
    joined[(size_t)i * (size_t)rows + (size_t)i] = 1;
  return joined;
}

static void join(char *joined, int rows, int i, int j) {
  require(0 <= i && i < rows && 0 <= j && j < rows, "a joint of two rows");
  joined[(size_t)i * (size_t)rows + (size_t)j] = joined[(size_t)j * (size_t)rows + (size_t)i] = 1;
}

// Adds `value` to every unknown's entry of block (i, j).
static void add_scalar(problem *p, int i, int j, double value) {
  int place = mus_pattern_find(p->pattern, i, j);
  for (int k = 0; k < p->block; ++k)
    p->a.value[(place * p->block + k) * p->block + k] += value;
}

problem problem_poisson(int side, int block) {
  problem p = {.name = "poisson"};
  int rows = side * side;
  char *joined = no_joints(rows);
  for (int i = 0; i < rows; ++i) {
    if (i % side + 1 < side)
      join(joined, rows, i, i + 1);
    if (i + side < rows)
      join(joined, rows, i, i + side);
  }
  create_matrix(&p, rows, block, joined);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j)
      if (joined[i * rows + j])
        add_scalar(&p, i, j, i == j ? 4 : -1);
  free(joined);
  constant_kernel(&p);
  finish(&p);
  return p;
}

problem problem_random(int rows, int block, uint64_t seed) {
  random_system s = random_system_create(rows, block, seed);
  problem p = {.name = "random",
               .arena = s.arena,
               .rows = rows,
               .block = block,
               .pattern = s.pattern,
               .a = s.a,
               .place = s.place,
               .b = s.b};
  constant_kernel(&p);
  finish(&p);
  return p;
}

problem problem_springs(int nodes, const double *positions, int springs, const int *ends, const double *stiffness,
                        double mass, int constraints, const mus_constraint *constraint) {
  problem p = {.name = "springs"};
  char *joined = no_joints(nodes);
  for (int s = 0; s < springs; ++s)
    join(joined, nodes, ends[2 * s], ends[2 * s + 1]);
  create_matrix(&p, nodes, 3, joined);
  free(joined);
  for (int i = 0; i < nodes; ++i)
    add_scalar(&p, i, i, mass);
  for (int s = 0; s < springs; ++s)
    for (int e = 0; e < 2; ++e) {
      add_scalar(&p, ends[2 * s + e], ends[2 * s + e], stiffness[s]);
      add_scalar(&p, ends[2 * s + e], ends[2 * s + 1 - e], -stiffness[s]);
    }
  constrain(&p, positions, constraints, constraint);
  finish(&p);
  return p;
}

problem problem_chain(int nodes) {
  double *positions = calloc((size_t)nodes, 3 * sizeof *positions),
         *stiffness = calloc((size_t)nodes, sizeof *stiffness);
  int *ends = calloc((size_t)nodes, 2 * sizeof *ends);
  require(positions && stiffness && ends, "allocation");
  for (int i = 0; i < nodes; ++i) {
    positions[3 * i] = i;
    stiffness[i] = 1;
    ends[2 * i] = i;
    ends[2 * i + 1] = i + 1;
  }
  problem p = problem_springs(nodes, positions, nodes - 1, ends, stiffness, 0.1, 0, NULL);
  p.name = "chain";
  free(positions), free(stiffness), free(ends);
  return p;
}

problem problem_diagonal(int rows, int block, uint64_t seed) {
  problem p = {.name = "diagonal"};
  char *joined = no_joints(rows);
  create_matrix(&p, rows, block, joined);
  free(joined);
  for (int i = 0; i < rows; ++i)
    for (int r = 0; r < block; ++r)
      for (int c = 0; c < block; ++c) {
        int low = r < c ? r : c, high = r < c ? c : r;
        p.a.value[(i * block + r) * block + c] =
            (r == c ? 2 * block : 0) + mus_random(seed, (uint64_t)((i * block + low) * block + high));
      }
  constant_kernel(&p);
  finish(&p);
  return p;
}

void problem_free(problem *p) {
  mus_arena_clear(&p->arena);
  *p = (problem){0};
}

mus_level_view problem_view(const problem *p, double radius) {
  return (mus_level_view){
      .a = &p->a, .diagonal = p->place, .inverse_diagonal = p->inverse_diagonal, .spectral_radius = radius};
}

double *vector_zero(int n) {
  double *x = mus_alloc_zero((size_t)n, sizeof *x);
  require(x != NULL, "allocation");
  return x;
}

double *vector_random(int n, uint64_t seed) {
  double *x = vector_zero(n);
  for (int i = 0; i < n; ++i)
    x[i] = mus_random(seed, (uint64_t)i);
  return x;
}

double *vector_copy(int n, const double *from) {
  double *x = vector_zero(n);
  memcpy(x, from, (size_t)n * sizeof *x);
  return x;
}

void problem_take_values(problem *p, const problem *from) {
  const mus_pattern *a = p->pattern, *b = from->pattern;
  require(a->rows == b->rows && p->block == from->block, "equal sizes");
  require(memcmp(a->row_start, b->row_start, ((size_t)a->rows + 1) * sizeof(int)) == 0, "equal patterns");
  require(memcmp(a->column, b->column, (size_t)mus_pattern_blocks(a) * sizeof(int)) == 0, "equal patterns");
  memcpy(p->a.value, from->a.value, mus_matrix_values(&p->a) * sizeof *p->a.value);
  finish(p);
}
