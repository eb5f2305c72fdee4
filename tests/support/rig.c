// Hierarchies with a spy. See rig.h.
#include "support/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "krylov/cg.h"
#include "support/dense.h"
#include "support/reference_cycle.h"

static void require(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "tests/support/rig.c: %s failed: %s\n", what, mus_last_error());
  abort();
}

// --- the spy -------------------------------------------------------------------------------------------------------

static mus_status copy_matrix(mus_arena *arena, const mus_matrix *from, mus_matrix *to) {
  mus_pattern *pattern = mus_arena_alloc(arena, 1, sizeof *pattern);
  const mus_pattern *old = from->pattern;
  mus_status status = pattern ? mus_pattern_copy(arena, old->rows, old->columns, old->row_start, old->column, pattern)
                              : MUS_OUT_OF_MEMORY;
  if (!status)
    status = mus_matrix_create(arena, pattern, from->row_block, from->column_block, to);
  if (!status)
    memcpy(to->value, from->value, mus_matrix_values(from) * sizeof *to->value);
  return status;
}

static mus_status note_level(rig *r, const mus_level_view *fine) {
  if (fine->level == 0) {
    mus_arena_clear(&r->arena);
    memset(r->level, 0, sizeof r->level);
  }
  r->seen = fine->level + 1;
  r->level[fine->level].radius = fine->spectral_radius;
  r->level[fine->level].special = mus_smoothed_aggregation.special_nodes(r->aggregation, fine->level);
  return copy_matrix(&r->arena, fine->a, &r->level[fine->level].a);
}

static mus_status analyse(void *self, const mus_level_view *fine, mus_arena *arena, mus_coarse_level *coarse) {
  rig *r = self;
  mus_status status = mus_smoothed_aggregation.analyse(r->aggregation, fine, arena, coarse);
  return status ? status : note_level(r, fine);
}

static mus_status fill(void *self, const mus_level_view *fine, mus_matrix *prolongator, unsigned char *live) {
  rig *r = self;
  rig_level *l = &r->level[fine->level];
  mus_status status = mus_smoothed_aggregation.fill(r->aggregation, fine, prolongator, live);
  if (!status)
    status = note_level(r, fine);
  if (!status)
    status = copy_matrix(&r->arena, prolongator, &l->p);
  size_t unknowns = (size_t)(prolongator->pattern->columns * prolongator->column_block);
  if (!status && !(l->live = mus_arena_alloc(&r->arena, unknowns, 1)))
    status = MUS_OUT_OF_MEMORY;
  if (!status)
    memcpy(l->live, live, unknowns);
  return status;
}

static int special_nodes(const void *self, int level) {
  const rig *r = self;
  return mus_smoothed_aggregation.special_nodes(r->aggregation, level);
}

static const mus_coarsening spy = {
    .name = "spy", .uses_radius = 1, .analyse = analyse, .fill = fill, .special_nodes = special_nodes};

// --- life ----------------------------------------------------------------------------------------------------------

mus_solver_options rig_options(void) { return mus_preset_solver_options(MUS_PRESET_ROBUST); }

rig *rig_create(const problem *p, const mus_solver_options *options, mus_precision precision, mus_setup setup) {
  rig *r = calloc(1, sizeof *r);
  require(r != NULL, "allocation");
  r->options = *options;
  mus_hierarchy_options hierarchy = {
      .multigrid = options->multigrid, .precision = precision, .setup = setup, .packed = 1};
  require(mus_aggregation_create(&options->sa, NULL, &r->aggregation) == MUS_OK, "mus_aggregation_create");
  require(mus_aggregation_set_kernel(r->aggregation, p->rows, p->block, p->count, p->kernel) == MUS_OK, "the kernel");
  require(mus_hierarchy_create(&spy, r, &hierarchy, &r->hierarchy) == MUS_OK, "mus_hierarchy_create");
  return r;
}

rig *rig_analysed(const problem *p, const mus_solver_options *options, mus_precision precision) {
  rig *r = rig_create(p, options, precision, MUS_SETUP_NUMERIC);
  require(mus_hierarchy_analyse(r->hierarchy, &p->a) == MUS_OK, "mus_hierarchy_analyse");
  return r;
}

void rig_free(rig *r) {
  mus_hierarchy_free(r->hierarchy);
  mus_aggregation_free(r->aggregation);
  mus_arena_clear(&r->arena);
  free(r);
}

// --- use -----------------------------------------------------------------------------------------------------------

double *rig_matrix(rig *r, int n) {
  double *matrix = calloc((size_t)n * (size_t)n, sizeof *matrix), *unit = vector_zero(n), *z = vector_zero(n);
  for (int k = 0; k < n; ++k) {
    unit[k] = 1;
    mus_hierarchy_apply(r->hierarchy, unit, z);
    memcpy(matrix + (size_t)k * (size_t)n, z, (size_t)n * sizeof *z);
    unit[k] = 0;
  }
  mus_free(unit), mus_free(z);
  return matrix;
}

// P^T A P, with something on the diagonal where P has no column
static double *coarse_matrix(const rig_level *l, const double *a, const double *p, int n, int coarse) {
  double *ap = dense_product(n, n, coarse, a, p), *result = dense_transposed_product(coarse, n, coarse, p, ap);
  for (int k = 0; k < coarse; ++k)
    if (!l->live[k])
      result[k * coarse + k] = 1;
  free(ap);
  return result;
}

// A level that could not be made coarser: smoothed when all its nodes are special, solved otherwise.
static double *reference_bottom(const rig_level *l, const pencil *fine, const double *smoother) {
  if (l->special == l->a.pattern->rows)
    return reference_two_sweeps(fine->n, fine->a, smoother);
  return reference_inverse(fine->n, fine->a);
}

static double *reference_from(const rig *r, int index) {
  const rig_level *l = &r->level[index];
  pencil fine = pencil_create(&l->a);
  const mus_multigrid_options *m = &r->options.multigrid;
  mus_chebyshev c = {m->smoother_order, l->radius / m->smoother_range, l->radius};
  double *smoother = reference_smoother(&fine, &c), *result;
  if (!l->p.value) {
    result = reference_bottom(l, &fine, smoother);
  } else {
    int n = fine.n, coarse = l->p.pattern->columns * l->p.column_block;
    double *p = dense_from_matrix(&l->p), *coarse_a = coarse_matrix(l, fine.a, p, n, coarse);
    double *below = index + 1 < r->seen ? reference_from(r, index + 1) : reference_inverse(coarse, coarse_a);
    int visits = r->options.multigrid.cycle == MUS_CYCLE_W ? 2 : 1;
    result = reference_cycle(n, fine.a, smoother, coarse, p, coarse_a, below, visits);
    free(p), free(coarse_a), free(below);
  }
  free(smoother);
  pencil_free(&fine);
  return result;
}

double *rig_reference(const rig *r) { return reference_from(r, 0); }

static void apply(void *self, const double *r, double *z) { mus_hierarchy_apply(self, r, z); }

int rig_iterations(rig *r, const problem *p, double tolerance) {
  enum { LIMIT = 1000 };
  mus_preconditioner m = {.self = r->hierarchy, .apply = apply};
  mus_cg_options options = {.tolerance = tolerance, .iterations = LIMIT, .stop = MUS_STOP_INITIAL};
  double *work = mus_alloc((size_t)(MUS_CG_VECTORS * p->n), sizeof *work), *x = mus_alloc_zero((size_t)p->n, sizeof *x);
  mus_cg_result result = {.residuals = mus_alloc(LIMIT + 1, sizeof(double))};
  require(work && x && result.residuals, "allocation");
  mus_block_operator matrix = {.a = &p->a};
  mus_operator a = mus_block_operator_view(&matrix);
  mus_status status = mus_pcg(&a, NULL, &m, p->b, x, &options, work, &result);
  mus_free(work), mus_free(x), mus_free(result.residuals);
  return status ? -(int)status : result.iterations;
}
