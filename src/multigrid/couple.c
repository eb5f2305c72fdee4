// Couplings in a hierarchy: springs between cloth and cloth that come and go, as terms beyond the finest pattern.
//
//   finest level    smoothing and residuals with A + C, block diagonal that of A + C
//   second level    A_1 + P^T C P, with a pattern of its own
//   coarser ones    Galerkin products of that
//
// Prolongators, aggregates and everything that was made for A stay. Aggregates never join cloths that only couplings
// join, so layers stay apart down to the bottom, and what presses them together as wholes is solved for there.
#include <math.h>

#include "base/error.h"
#include "multigrid/hierarchy_state.h"
#include "par/vector.h"

void mus_hierarchy_uncouple(mus_hierarchy *h) {
  mus_arena_clear(&h->coupled_arena);
  mus_factor_free(h->coupled_bottom.factor);
  h->coupled_bottom = (mus_cycle_bottom){0};
  h->coupled = 0;
}

// One term with n nodes is at most n times its own block diagonal. So A + C <= max(rho, n) (D_A + D_C) where A <= rho
// D_A, and no radius of the sum has to be computed on the finest level. The same holds for G_A, with clusters.
static double coupled_radius(const mus_beyond *beyond, double radius) { return fmax(radius, beyond->widest); }

static mus_status couple_finest_f(mus_hierarchy *h, const mus_matrix *a, const mus_beyond *beyond, size_t numbers,
                                  const double *inverse) {
  mus_cycle_level_f *c = &h->coupled_f[0];
  float *rounded = mus_arena_alloc(&h->coupled_arena, numbers, sizeof *rounded);
  if (!rounded)
    return mus_fail_memory();
  mus_to_float(numbers, 1, inverse, rounded);
  *c = h->f[0];
  c->system.beyond = &h->beyond_f;
  c->system.inverse_diagonal = rounded;
  c->system.radius = coupled_radius(beyond, h->f[0].system.radius);
  c->smoother_state = c->spare_state = NULL;
  c->smoother = NULL;
  mus_status status = mus_beyond_round(&h->coupled_arena, beyond, &h->beyond_f);
  if (!status && c->system.clusters) {
    status = mus_clusters_copy_f(&h->coupled_arena, c->system.clusters, &h->coupled_clusters_f);
    c->system.clusters = &h->coupled_clusters_f;
    if (!status)
      mus_clusters_fill_f(c->system.clusters, a, rounded);
  }
  return status || !mus_level_is_smoothed(h, 0) ? status : mus_hierarchy_smooth_f(h, 0, c, &h->coupled_arena);
}

static mus_status couple_finest(mus_hierarchy *h, const mus_matrix *a, const mus_beyond *beyond) {
  const mus_level *l = &h->level[0];
  size_t numbers = mus_level_unknowns(l) * (size_t)l->block;
  double *inverse = mus_arena_alloc(&h->coupled_arena, numbers, sizeof *inverse);
  mus_status status = inverse ? MUS_OK : mus_fail_memory();
  if (!status)
    status = mus_block_operator_inverse_diagonal(&(mus_block_operator){.a = a, .beyond = beyond}, l->diagonal, inverse);
  if (status)
    return status;
  if (h->precision == MUS_PRECISION_SINGLE)
    return couple_finest_f(h, a, beyond, numbers, inverse);
  mus_cycle_level *c = &h->coupled_d[0];
  *c = h->d[0];
  c->system.beyond = beyond;
  c->system.inverse_diagonal = inverse;
  c->system.radius = coupled_radius(beyond, h->d[0].system.radius);
  c->smoother_state = c->spare_state = NULL;
  c->smoother = NULL;
  if (c->system.clusters) {
    status = mus_clusters_copy(&h->coupled_arena, c->system.clusters, &h->coupled_clusters);
    c->system.clusters = &h->coupled_clusters;
    if (status)
      return status;
    mus_clusters_fill(c->system.clusters, a, inverse);
  }
  return mus_level_is_smoothed(h, 0) ? mus_hierarchy_smooth(h, 0, c, &h->coupled_arena) : MUS_OK;
}

// In double precision, whatever the cycle's is.
static mus_status level_matrix(mus_hierarchy *h, int k, mus_arena *arena, mus_matrix *a) {
  if (h->precision == MUS_PRECISION_DOUBLE) {
    *a = h->d[k].system.a;
    return MUS_OK;
  }
  mus_status status = mus_matrix_create(arena, h->level[k].pattern, h->level[k].block, h->level[k].block, a);
  if (!status)
    mus_matrix_widen(&h->f[k].system.a, a);
  return status;
}

static mus_status level_prolongator(mus_hierarchy *h, int k, mus_arena *arena, mus_matrix *p) {
  const mus_level *l = &h->level[k];
  if (h->precision == MUS_PRECISION_DOUBLE) {
    *p = h->d[k].p;
    return MUS_OK;
  }
  mus_status status = mus_matrix_create(arena, &l->prolongator, l->block, l->coarse_block, p);
  if (!status)
    mus_matrix_widen(&h->f[k].p, p);
  return status;
}

// P^T A P with a pattern of its own, which becomes *pattern.
static mus_status galerkin(mus_arena *arena, const mus_matrix *a, const mus_matrix *p, mus_pattern *pattern,
                           mus_matrix *coarse) {
  mus_galerkin plan;
  mus_status status = mus_galerkin_create(arena, a->pattern, p->pattern, &plan);
  if (status)
    return status;
  *pattern = plan.coarse;
  status = mus_matrix_create(arena, pattern, p->column_block, p->column_block, coarse);
  return status ? status : mus_galerkin_fill(&plan, a, p, coarse);
}

// A_1 + P^T C P
static mus_status couple_second(mus_hierarchy *h, const mus_beyond *beyond, mus_arena *scratch, mus_matrix *out) {
  mus_matrix c, p, a, coarse;
  mus_pattern pattern, coarse_pattern;
  mus_status status = mus_beyond_expand(scratch, beyond, h->level[0].pattern->rows, &pattern, &c);
  if (!status)
    status = level_prolongator(h, 0, scratch, &p);
  if (!status)
    status = galerkin(scratch, &c, &p, &coarse_pattern, &coarse);
  if (!status)
    status = level_matrix(h, 1, scratch, &a);
  int rows = h->level[1].pattern->rows;
  int *node = status ? NULL : mus_arena_alloc(scratch, (size_t)rows, sizeof *node);
  if (!status && !node)
    status = mus_fail_memory();
  if (status)
    return status;
  for (int i = 0; i < rows; ++i)
    node[i] = i;
  mus_beyond all = {
      .block = coarse.row_block, .count = rows, .node = node, .pattern = coarse_pattern, .value = coarse.value};
  return mus_block_operator_merge(&h->coupled_arena, &(mus_block_operator){.a = &a, .beyond = &all},
                                  &h->coupled_pattern[1], out);
}

// Where a coarse level's inverse diagonal, radius and diagonal places go.
typedef struct measures {
  int *diagonal;
  double *inverse; // NULL where the level is not smoothed
  mus_radius radius;
} measures;

static mus_status measure(mus_hierarchy *h, int k, mus_matrix *a, mus_arena *scratch, measures *m) {
  const mus_level *l = &h->level[k];
  size_t n = mus_level_unknowns(l);
  int smoothed = mus_level_is_smoothed(h, k);
  *m = (measures){.diagonal = mus_arena_alloc(&h->coupled_arena, (size_t)l->pattern->rows, sizeof *m->diagonal)};
  m->inverse = smoothed ? mus_arena_alloc(&h->coupled_arena, n * (size_t)l->block, sizeof *m->inverse) : NULL;
  int needs_radius = smoothed && h->smoother[k].kind->uses_radius;
  double *work = needs_radius ? mus_arena_alloc(scratch, 4 * n, sizeof *work) : NULL;
  if (!m->diagonal || (smoothed && !m->inverse) || (needs_radius && !work))
    return mus_fail_memory();
  mus_status status = mus_diagonal_places(a->pattern, m->diagonal);
  if (!status)
    mus_prop_up(a, m->diagonal);
  if (!status && smoothed)
    status = mus_inverse_diagonal(a, m->diagonal, m->inverse);
  if (!status && work)
    status = mus_spectral_radius(&(mus_block_operator){.a = a}, m->inverse, h->options.lanczos_steps, work, &m->radius);
  return status;
}

static mus_status couple_level_f(mus_hierarchy *h, int k, const mus_matrix *a, const measures *m) {
  mus_arena *arena = &h->coupled_arena;
  size_t numbers = mus_level_unknowns(&h->level[k]) * (size_t)h->level[k].block;
  mus_cycle_level_f *c = &h->coupled_f[k];
  *c = h->f[k];
  c->smoother_state = c->spare_state = NULL;
  c->smoother = NULL;
  float *rounded = m->inverse ? mus_arena_alloc(arena, numbers, sizeof *rounded) : NULL;
  if (m->inverse && !rounded)
    return mus_fail_memory();
  mus_status status = mus_matrix_create_f(arena, a->pattern, a->row_block, a->column_block, &c->system.a);
  if (status)
    return status;
  mus_matrix_round(a, &c->system.a);
  c->system.diagonal = m->diagonal;
  c->system.inverse_diagonal = rounded;
  c->system.radius = m->radius.value;
  if (!m->inverse)
    return MUS_OK;
  mus_to_float(numbers, 1, m->inverse, rounded);
  return mus_hierarchy_smooth_f(h, k, c, arena);
}

// Hands a coarse matrix to the cycle, with its smoother where there is a coarser one.
static mus_status couple_level(mus_hierarchy *h, int k, mus_matrix *a, mus_arena *scratch) {
  measures m;
  mus_status status = measure(h, k, a, scratch, &m);
  if (status || h->precision == MUS_PRECISION_SINGLE)
    return status ? status : couple_level_f(h, k, a, &m);
  mus_cycle_level *c = &h->coupled_d[k];
  *c = h->d[k];
  c->smoother_state = c->spare_state = NULL;
  c->smoother = NULL;
  c->system.a = *a;
  c->system.diagonal = m.diagonal;
  c->system.inverse_diagonal = m.inverse;
  c->system.radius = m.radius.value;
  return m.inverse ? mus_hierarchy_smooth(h, k, c, &h->coupled_arena) : MUS_OK;
}

static mus_status couple_bottom(mus_hierarchy *h, const mus_matrix *a) {
  h->coupled_bottom = h->bottom;
  h->coupled_bottom.factor = NULL;
  mus_status status = mus_factor_create(a->pattern, a->row_block, MUS_FACTOR_CHOOSE, &h->coupled_bottom.factor);
  return status ? status : mus_factor_compute(h->coupled_bottom.factor, a);
}

static mus_status couple(mus_hierarchy *h, const mus_matrix *finest, const mus_beyond *beyond, mus_arena *scratch) {
  int last = h->levels - 1, factored = h->bottom.factor != NULL;
  mus_matrix a, p;
  mus_status status = couple_finest(h, finest, beyond);
  if (!status && last == 0 && factored) {
    status = mus_block_operator_merge(scratch, &(mus_block_operator){.a = finest, .beyond = beyond},
                                      &h->coupled_pattern[0], &a);
    return status ? status : couple_bottom(h, &a);
  }
  if (!status && last > 0)
    status = couple_second(h, beyond, scratch, &a);
  for (int k = 1; k <= last && !status; ++k) {
    status = couple_level(h, k, &a, scratch);
    if (k == last || status)
      break;
    mus_matrix coarse = {0};
    status = level_prolongator(h, k, scratch, &p);
    if (!status)
      status = galerkin(&h->coupled_arena, &a, &p, &h->coupled_pattern[k + 1], &coarse);
    a = coarse;
  }
  return !status && factored ? couple_bottom(h, &a) : status;
}

mus_status mus_hierarchy_couple(mus_hierarchy *h, const mus_matrix *a, const mus_beyond *beyond) {
  mus_hierarchy_uncouple(h);
  if (!beyond || beyond->count == 0)
    return MUS_OK;
  mus_arena scratch = {0};
  mus_status status = couple(h, a, beyond, &scratch);
  mus_arena_clear(&scratch);
  if (status)
    mus_hierarchy_uncouple(h);
  else
    h->coupled = 1;
  return status;
}
