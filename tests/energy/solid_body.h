// A box of elastic tetrahedra with its matrix, its constraints and a linear solver: what tests of solids share.
#ifndef TESTS_ENERGY_SOLID_BODY_H
#define TESTS_ENERGY_SOLID_BODY_H

#include "energy/check.h"
#include "energy/kinds.h"
#include "mesh/tetrahedra_generate.h"
#include "muslin/solver.h"
#include "sparse/assembly.h"

// A body and all that is needed to find its equilibrium.
typedef struct body {
  mus_arena arena;
  mus_tetrahedra mesh;
  mus_element_list list;
  mus_tuples tuples;
  mus_pattern pattern;
  mus_matrix a;
  mus_scatter *scatter;
  double *position, *gradient, *load;
  mus_constraint *constraint; // of what is held, where it is
  int constraints;
} body;

static inline double *numbers(body *b, size_t count) {
  double *memory = mus_arena_alloc_zero(&b->arena, count, sizeof *memory);
  assert_non_null(memory);
  return memory;
}

static inline void evaluate(const void *context, int list, int first, int count, double *vectors, double *blocks) {
  const body *b = context;
  (void)list;
  mus_evaluation e = {
      .position = b->position, .blend = {1, 0, 0, 1, 0}, .scale = 1, .gradient = vectors, .block = blocks};
  b->list.kind->evaluate(&b->list, first, count, &e);
}

// A box of so many cells, whose inner vertices are moved at random by up to `jitter` of a cell.
static inline void body_create(const double size[3], const int cells[3], double jitter, const mus_element_kind *kind,
                               double young, double poisson, body *b) {
  *b = (body){.arena = {0}};
  mus_tetrahedra *m = &b->mesh;
  assert_int_equal(mus_solid_box_of_cells(&b->arena, size, cells, m), MUS_OK);
  for (int i = 0; i < m->vertices; ++i)
    for (int k = 0; k < 3; ++k) {
      const double *x = m->position + 3 * i;
      int inside = fabs(x[0]) < 0.499 * size[0] && fabs(x[1]) < 0.499 * size[1] && fabs(x[2]) < 0.499 * size[2];
      m->position[3 * i + k] += inside ? jitter * size[k] / cells[k] * mus_random(3, (uint64_t)(3 * i + k)) : 0;
    }
  mus_lame lame = mus_lame_of(young, poisson);
  mus_solid_source solid = {
      .count = m->tetrahedra, .corner = m->corner, .rest = m->position, .mu = lame.mu, .lambda = lame.lambda};
  mus_element_source source = {.solid = &solid};
  assert_int_equal(mus_element_list_create(kind, &b->arena, &source, &b->list), MUS_OK);
  b->tuples = (mus_tuples){kind->arity, b->list.count, b->list.vertex, 0, 0};
  assert_int_equal(mus_pattern_from_tuples(&b->arena, m->vertices, 1, &b->tuples, &b->pattern), MUS_OK);
  assert_int_equal(mus_matrix_create(&b->arena, &b->pattern, 3, 3, &b->a), MUS_OK);
  assert_int_equal(mus_scatter_create(&b->arena, &b->pattern, 3, 1, &b->tuples, &b->scatter), MUS_OK);
  size_t n = 3 * (size_t)m->vertices;
  b->position = numbers(b, n), b->gradient = numbers(b, n), b->load = numbers(b, n);
  memcpy(b->position, m->position, n * sizeof *b->position);
  b->constraint = mus_arena_alloc_zero(&b->arena, (size_t)m->vertices, sizeof *b->constraint);
  assert_non_null(b->constraint);
}

// Holds a vertex in directions by bits: 1 for x, 2 for y, 4 for z.
static inline void hold(body *b, int vertex, int directions) {
  mus_constraint *c = &b->constraint[b->constraints++];
  *c = (mus_constraint){.node = vertex};
  for (int k = 0; k < 3; ++k)
    if (directions & (1 << k))
      c->direction[c->count++][k] = 1;
}

static inline int at_end(const body *b, int vertex, double x) { return fabs(b->mesh.position[3 * vertex] - x) < 1e-9; }

// A solver for the body's matrix.
static inline mus_solver *body_solver(const body *b, double tolerance) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  options.tolerance = tolerance;
  mus_solver *solver;
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(solver, b->mesh.vertices, 3, b->pattern.row_start, b->pattern.column),
                   MUS_OK);
  assert_int_equal(mus_solver_set_coordinates(solver, b->mesh.position), MUS_OK);
  return solver;
}

#endif
