// Linear systems of elastic solids. See solid_system.h.
#include "solid_system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "energy/kinds.h"
#include "energy/solid_law.h"
#include "energy/tetrahedron.h"
#include "io/solid_file.h"
#include "mesh/tetrahedra_order.h"
#include "muslin/fill.h"

static const double gravity = 9.81; // m/s^2, along -y

solid_options solid_default_options(void) {
  return (solid_options){.law = SOLID_NEO_HOOKEAN,
                         .young = 1e6,
                         .poisson = 0.45,
                         .density = 1000,
                         .time_step = 1.0 / 30,
                         .wave = 0.05,
                         .held = 0.03};
}

static void fill_projective(const solid_system *s, int first, int count, double *block) {
  double factor =
      s->options.time_step * s->options.time_step * 2 * mus_lame_of(s->options.young, s->options.poisson).mu;
  for (int t = first; t < first + count; ++t) {
    double x[12];
    mus_tetrahedron_rest rest;
    for (int a = 0; a < 4; ++a)
      memcpy(x + 3 * a, s->mesh.position + 3 * (size_t)s->mesh.corner[4 * (size_t)t + (size_t)a], 3 * sizeof *x);
    mus_tetrahedron_rest_make(x, &rest);
    for (int a = 0; a < 4; ++a)
      for (int b = a; b < 4; ++b, block += 9)
        for (int e = 0; e < 9; ++e)
          block[e] = e % 4 == 0 ? factor * rest.volume * mus_dot3(rest.gradient + 3 * a, rest.gradient + 3 * b) : 0;
  }
}

static void evaluate(const void *context, int list, int first, int count, double *vectors, double *blocks) {
  const solid_system *s = context;
  (void)list;
  mus_evaluation e = {.position = s->position,
                      .blend = {s->options.time_step * s->options.time_step, 0, 0, 0, 0},
                      .scale = 1,
                      .gradient = vectors,
                      .block = blocks};
  if (s->options.law == SOLID_PROJECTIVE)
    e.block = NULL;
  s->list.kind->evaluate(&s->list, first, count, &e);
  if (s->options.law == SOLID_PROJECTIVE && blocks)
    fill_projective(s, first, count, blocks);
}

static mus_status make_elements(solid_system *s) {
  static const mus_element_kind *const kind[SOLID_LAWS] = {&mus_neo_hookean_kind, &mus_corotated_kind,
                                                           &mus_venant_kirchhoff_kind, &mus_corotated_kind};
  mus_lame lame = mus_lame_of(s->options.young, s->options.poisson);
  mus_solid_source solid = {.count = s->mesh.tetrahedra,
                            .corner = s->mesh.corner,
                            .rest = s->mesh.position,
                            .mu = lame.mu,
                            .lambda = lame.lambda};
  mus_arena_clear(&s->elements);
  return mus_element_list_create(kind[s->options.law], &s->elements, &(mus_element_source){.solid = &solid}, &s->list);
}

mus_status solid_system_assemble(solid_system *s) {
  size_t n = 3 * (size_t)s->mesh.vertices;
  double h = s->options.time_step;
  mus_status status = make_elements(s);
  if (status)
    return status;
  mus_tetrahedra_masses(&s->mesh, s->options.density, s->mass);
  mus_scatter_run(s->scatter, evaluate, s, &s->a, s->b);
  for (size_t k = 0; k < n; ++k)
    s->b[k] = h * (-s->b[k] - (k % 3 == 1 ? s->mass[k / 3] * gravity : 0));
  for (int i = 0; i < s->mesh.vertices; ++i) {
    double *block = s->a.value + 9 * (size_t)mus_pattern_find(s->pattern, i, i);
    for (int c = 0; c < 3; ++c)
      block[4 * c] += s->mass[i];
  }
  return MUS_OK;
}

static mus_status allocate(solid_system *s) {
  int vertices = s->mesh.vertices;
  size_t n = 3 * (size_t)vertices;
  s->tuples = mus_arena_alloc(&s->arena, 1, sizeof *s->tuples);
  s->pattern = mus_arena_alloc(&s->arena, 1, sizeof *s->pattern);
  if (!s->tuples || !s->pattern)
    return mus_fail_memory();
  *s->tuples = (mus_tuples){4, s->mesh.tetrahedra, s->mesh.corner, 0, 0};
  mus_status status = mus_pattern_from_tuples(&s->arena, vertices, 1, s->tuples, s->pattern);
  if (!status)
    status = mus_matrix_create(&s->arena, s->pattern, 3, 3, &s->a);
  if (!status)
    status = mus_scatter_create(&s->arena, s->pattern, 3, 1, s->tuples, &s->scatter);
  if (status)
    return status;
  s->position = mus_arena_alloc(&s->arena, n, sizeof *s->position);
  s->b = mus_arena_alloc(&s->arena, n, sizeof *s->b);
  s->mass = mus_arena_alloc(&s->arena, n / 3, sizeof *s->mass);
  s->constraint = mus_arena_alloc_zero(&s->arena, n / 3, sizeof *s->constraint);
  return s->position && s->b && s->mass && s->constraint ? MUS_OK : mus_fail_memory();
}

// Bent along x, twisted about y; held at the top.
static void deform(solid_system *s) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < s->mesh.vertices; ++i)
    for (int c = 0; c < 3; ++c) {
      low[c] = fmin(low[c], s->mesh.position[3 * i + c]);
      high[c] = fmax(high[c], s->mesh.position[3 * i + c]);
    }
  for (int c = 0; c < 3; ++c)
    s->size = fmax(s->size, high[c] - low[c]);
  double amplitude = s->options.wave * s->size, rate = 4 / s->size;
  for (int i = 0; i < s->mesh.vertices; ++i) {
    const double *x = s->mesh.position + 3 * (size_t)i;
    double *y = s->position + 3 * (size_t)i;
    double angle = s->options.wave * 4 * (x[1] - low[1]) / s->size;
    y[0] = cos(angle) * x[0] - sin(angle) * x[2];
    y[1] = x[1] + amplitude * sin(rate * x[0]);
    y[2] = sin(angle) * x[0] + cos(angle) * x[2];
    if (x[1] < high[1] - s->options.held * (high[1] - low[1]) || !(s->options.held > 0))
      continue;
    mus_constraint *c = &s->constraint[s->constraint_count++];
    c->node = i;
    c->count = 3;
    for (int d = 0; d < 3; ++d)
      c->direction[d][d] = 1;
  }
}

static mus_status check(const solid_options *o) {
  if (!(o->young > 0) || !(o->density > 0) || !(o->time_step > 0))
    return mus_fail(MUS_BAD_INPUT, "Young's modulus, density and time step must be positive");
  if (!(o->poisson > -1) || !(o->poisson < 0.5))
    return mus_fail(MUS_BAD_INPUT, "Poisson's ratio must be between -1 and 0.5");
  return MUS_OK;
}

mus_status solid_system_create(const solid_options *options, const mus_tetrahedra *mesh, solid_system *out) {
  *out = (solid_system){.options = *options};
  mus_solid_order order;
  mus_status status = check(options);
  if (!status)
    status = mus_solid_order_find(&out->arena, mesh, &order);
  if (!status)
    status = mus_solid_order_apply(&out->arena, &order, mesh, &out->mesh);
  if (!status)
    status = allocate(out);
  if (!status) {
    deform(out);
    status = solid_system_assemble(out);
  }
  if (status)
    solid_system_free(out);
  return status;
}

mus_status solid_system_of_file(const solid_options *options, const char *path, solid_system *out) {
  mus_arena arena = {0};
  mus_solid_file file;
  *out = (solid_system){.size = 0};
  mus_status status = mus_solid_file_read(path, &arena, &file);
  if (!status)
    status = solid_system_create(options, &file.mesh, out);
  mus_arena_clear(&arena);
  return status;
}

mus_status solid_system_of_shape(const solid_options *options, const char *shape, int vertices, solid_system *out) {
  char folder[] = "/tmp/muslin-solid-XXXXXX", path[sizeof folder + 16];
  *out = (solid_system){.size = 0};
  if (!mkdtemp(folder))
    return mus_fail(MUS_IO_ERROR, "no folder can be made under /tmp for the solid's mesh");
  snprintf(path, sizeof path, "%s/solid.msh", folder);
  mus_fill_options fill = mus_default_fill_options();
  fill.vertices = vertices;
  mus_status status = mus_fill_solid(shape, path, &fill, NULL);
  if (!status)
    status = solid_system_of_file(options, path, out);
  unlink(path);
  rmdir(folder);
  return status;
}

void solid_system_free(solid_system *s) {
  if (!s)
    return;
  mus_arena_clear(&s->elements);
  mus_arena_clear(&s->arena);
  *s = (solid_system){.size = 0};
}

double solid_system_hardness(const solid_system *s) {
  double h = s->options.time_step;
  return mus_lame_of(s->options.young, s->options.poisson).mu * h * h / (s->options.density * s->size * s->size);
}

mus_status solid_system_solver(const solid_system *s, const mus_solver_options *options, mus_solver **solver) {
  mus_status status = mus_solver_create(options, solver);
  if (!status)
    status = mus_solver_set_pattern(*solver, s->mesh.vertices, 3, s->pattern->row_start, s->pattern->column);
  if (!status)
    status = mus_solver_set_values(*solver, s->a.value);
  if (!status)
    status = mus_solver_set_coordinates(*solver, s->position);
  if (!status)
    status = mus_solver_set_constraints(*solver, s->constraint_count, s->constraint);
  return status;
}
