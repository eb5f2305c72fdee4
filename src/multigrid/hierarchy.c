// Hierarchies: set-up level by level, and the cycle as a preconditioner. See hierarchy.h.
//
// Set-up is always done in double precision, from the finest level down. A level's numbers (coarse matrix, prolongator,
// inverse diagonal) live in an arena of their own: in double precision the cycle uses them where they are, in single
// precision they are rounded and freed as soon as the next level is made.
#include "multigrid/hierarchy.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "multigrid/hierarchy_state.h"
#include "par/par.h"
#include "par/vector.h"

// A coarser level must be smaller than this part of its finer one, or coarsening has stalled.
static const double stalled = 0.9;
// Without a sparse factorisation, larger bottoms than this are smoothed only.
enum { DENSE_MAXIMUM = 5000 };

mus_status mus_hierarchy_create(const mus_coarsening *method, void *self, const mus_hierarchy_options *options,
                                mus_hierarchy **out) {
  mus_hierarchy *h = mus_alloc_zero(1, sizeof *h);
  if (!h)
    return mus_fail_memory();
  h->method = method;
  h->self = self;
  h->options = options->multigrid;
  h->precision = options->precision;
  h->own_finest = options->setup == MUS_SETUP_REUSE || options->setup == MUS_SETUP_AUTO;
  h->renewable = options->setup == MUS_SETUP_COARSE || options->setup == MUS_SETUP_AUTO;
  h->clustered = options->clusters && !(options->multigrid.adaptive_smoothing > 0);
  h->packed = options->packed;
  for (int k = 0; options->smoother && k < MUS_LEVELS_MAXIMUM; ++k)
    h->smoother[k] = (mus_level_smoother){options->smoother, options->multigrid};
  mus_status status =
      options->smoother ? MUS_OK : mus_smoothers_read(&options->multigrid, MUS_LEVELS_MAXIMUM, h->smoother);
  if (status)
    mus_free(h);
  else
    *out = h;
  return status;
}

static void clear(mus_hierarchy *h) {
  mus_hierarchy_uncouple(h);
  for (int l = 0; l < MUS_LEVELS_MAXIMUM; ++l)
    mus_arena_clear(&h->level[l].numbers);
  memset(h->level, 0, sizeof h->level);
  mus_arena_clear(&h->patterns);
  mus_arena_clear(&h->cycle);
  mus_arena_clear(&h->made);
  mus_arena_clear(&h->cluster_arena);
  h->clusters = (mus_clusters){0};
  memset(h->renewal, 0, sizeof h->renewal);
  memset(h->renewal_f, 0, sizeof h->renewal_f);
  mus_factor_free(h->bottom.factor);
  h->bottom = (mus_cycle_bottom){0};
  h->levels = h->ready = 0;
}

void mus_hierarchy_free(mus_hierarchy *h) {
  if (!h)
    return;
  clear(h);
  mus_free(h);
}

// --- one level ------------------------------------------------------------------------------------------------------

void mus_hierarchy_set_geometry(mus_hierarchy *h, const double *coordinates, const mus_filter *held) {
  h->coordinates = coordinates;
  h->held = held;
}

void mus_hierarchy_set_hard(mus_hierarchy *h, int is_hard) { h->is_hard = is_hard; }

void mus_hierarchy_set_symmetric(mus_hierarchy *h, const mus_symmetric *finest) { h->symmetric = finest; }

// Clusters of the finest level, for smoothers that divide by its block diagonal. What will be rounded lasts no longer
// than the level's other numbers.
static mus_status find_clusters(mus_hierarchy *h) {
  mus_level *l = &h->level[0];
  mus_arena *room = h->precision == MUS_PRECISION_DOUBLE ? &h->cluster_arena : &l->numbers;
  mus_arena_clear(&h->cluster_arena);
  h->clusters = (mus_clusters){0};
  if (!h->clustered || l->block != MUS_CLUSTER_BLOCK || !h->smoother[0].kind->uses_radius)
    return MUS_OK;
  mus_status status = mus_clusters_find(&h->cluster_arena, room, &l->a, l->inverse_diagonal, &h->clusters);
  if (!status)
    mus_clusters_fill(&h->clusters, &l->a, l->inverse_diagonal);
  return status;
}

// The inverse block diagonal and, for those who ask, the spectral radius.
static mus_status measure(mus_hierarchy *h, int index) {
  mus_level *l = &h->level[index];
  size_t n = mus_level_unknowns(l);
  if (!l->inverse_diagonal) {
    l->inverse_diagonal = mus_arena_alloc(&l->numbers, n * (size_t)l->block, sizeof *l->inverse_diagonal);
    if (!l->inverse_diagonal)
      return mus_fail_memory();
  }
  mus_status status = mus_inverse_diagonal(&l->a, l->diagonal, l->inverse_diagonal);
  if (!status && index == 0)
    status = find_clusters(h);
  if (status || !(h->method->uses_radius || h->smoother[index].kind->uses_radius))
    return status;
  double *work = mus_alloc(4 * n, sizeof *work);
  if (!work)
    return mus_fail_memory();
  mus_block_operator a = {.a = &l->a,
                          .symmetric = index == 0 ? h->symmetric : NULL,
                          .clusters = index == 0 && h->clusters.count > 0 ? &h->clusters : NULL};
  status = mus_spectral_radius(&a, l->inverse_diagonal, h->options.lanczos_steps, work, &l->radius);
  mus_free(work);
  return status;
}

static mus_level_view view_of(const mus_hierarchy *h, int index) {
  const mus_level *l = &h->level[index];
  return (mus_level_view){.level = index,
                          .a = &l->a,
                          .diagonal = l->diagonal,
                          .inverse_diagonal = l->inverse_diagonal,
                          .spectral_radius = l->radius.value,
                          .coordinates = index == 0 ? h->coordinates : l->coordinates,
                          .held = index == 0 ? h->held : NULL};
}

// Decides whether there is a coarser level and lays out its patterns.
static mus_status plan_coarser(mus_hierarchy *h, int index, int *coarser) {
  mus_level *l = &h->level[index], *next = l + 1;
  mus_level_view view = view_of(h, index);
  mus_coarse_level found = {0};
  mus_status status = h->method->analyse(h->self, &view, &h->patterns, &found);
  if (status)
    return status;
  l->prolongator = found.prolongator;
  l->coarse_block = found.block;
  next->coordinates = found.coordinates;
  l->special = h->method->special_nodes(h->self, index);
  double coarse = (double)l->prolongator.columns * l->coarse_block;
  *coarser = coarse > 0 && coarse < stalled * (double)mus_level_unknowns(l);
  if (!*coarser)
    return MUS_OK;
  if ((status = mus_galerkin_create(&h->patterns, l->pattern, &l->prolongator, &l->plan)))
    return status;
  next->pattern = &l->plan.coarse;
  next->block = l->coarse_block;
  next->diagonal = mus_arena_alloc(&h->patterns, (size_t)next->pattern->rows, sizeof *next->diagonal);
  l->live = mus_arena_alloc(&h->patterns, mus_level_unknowns(next), sizeof *l->live);
  if (!next->diagonal || !l->live)
    return mus_fail_memory();
  return mus_diagonal_places(next->pattern, next->diagonal);
}

// Coarse unknowns without a basis vector have zero rows and columns: give them a diagonal like their neighbours'.
static int mend_diagonal(const mus_level *next, const unsigned char *live) {
  int dropped = 0, block = next->block;
  double sum = 0;
  for (int i = 0; i < next->pattern->rows; ++i) {
    const double *diagonal = next->a.value + (size_t)next->diagonal[i] * (size_t)(block * block);
    for (int r = 0; r < block; ++r) {
      dropped += !live[(size_t)i * (size_t)block + (size_t)r];
      sum += diagonal[r * block + r];
    }
  }
  if (dropped == 0)
    return 0;
  size_t alive = mus_level_unknowns(next) - (size_t)dropped;
  double mean = alive > 0 && sum > 0 ? sum / (double)alive : 1;
  for (int i = 0; i < next->pattern->rows; ++i)
    for (int r = 0; r < block; ++r)
      if (!live[(size_t)i * (size_t)block + (size_t)r])
        next->a.value[(size_t)next->diagonal[i] * (size_t)(block * block) + (size_t)(r * block + r)] = mean;
  return dropped;
}

// P^T A P as the cycle and renewals have it in single precision, where it takes half the time and memory, for set-up to
// go on with in double.
static mus_status galerkin_rounded(mus_hierarchy *h, int index) {
  mus_level *l = &h->level[index], *next = l + 1;
  mus_status status = MUS_OK;
  if (!l->p_rounded.value)
    status = mus_matrix_create_f(&h->cycle, &l->prolongator, l->block, l->coarse_block, &l->p_rounded);
  if (!status && h->packed && !l->packed.value && mus_packed_takes(l->block, l->coarse_block))
    status = mus_packed_create(&h->cycle, &l->prolongator, l->block, &l->packed);
  if (!status && !next->rounded.value)
    status = mus_matrix_create_f(&h->cycle, next->pattern, next->block, next->block, &next->rounded);
  if (status)
    return status;
  mus_matrix_round(&l->p, &l->p_rounded);
  if (l->packed.value)
    mus_packed_round(&l->p_rounded, &l->packed);
  status = index == 0 ? mus_galerkin_fill_rounded(&l->plan, &l->a, &l->p_rounded, &next->rounded)
                      : mus_galerkin_fill_f(&l->plan, &l->rounded, &l->p_rounded, &next->rounded);
  if (!status)
    mus_matrix_widen(&next->rounded, &next->a);
  return status;
}

// Diagonal blocks that were changed in double precision.
static void round_diagonal(mus_level *l) {
  size_t size = (size_t)(l->block * l->block);
  for (int i = 0; i < l->pattern->rows; ++i)
    mus_to_float(size, 1, l->a.value + (size_t)l->diagonal[i] * size, l->rounded.value + (size_t)l->diagonal[i] * size);
}

// Prolongator and coarse matrix.
static mus_status fill_coarser(mus_hierarchy *h, int index) {
  mus_level *l = &h->level[index], *next = l + 1;
  int single = h->precision == MUS_PRECISION_SINGLE;
  mus_status status = MUS_OK;
  if (!l->p.value)
    status = mus_matrix_create(&l->numbers, &l->prolongator, l->block, l->coarse_block, &l->p);
  if (!status && !next->a.value)
    status = mus_matrix_create(&next->numbers, next->pattern, next->block, next->block, &next->a);
  if (status)
    return status;
  mus_level_view view = view_of(h, index);
  if ((status = h->method->fill(h->self, &view, &l->p, l->live)))
    return status;
  status = single ? galerkin_rounded(h, index) : mus_galerkin_fill(&l->plan, &l->a, &l->p, &next->a);
  if (status)
    return status;
  next->dropped = mend_diagonal(next, l->live);
  if (single) {
    mus_prop_up_for_rounding(&next->a, next->diagonal);
    round_diagonal(next);
  } else if (h->method->may_be_singular) {
    mus_prop_up(&next->a, next->diagonal);
  }
  return MUS_OK;
}

// --- the cycle's view of the levels ---------------------------------------------------------------------------------

// b, x, other, and for second visits what the first one left over
static int vectors_needed(const mus_hierarchy *h, int index) {
  return index > 0 && h->options.cycle == MUS_CYCLE_W ? 4 : 3;
}

static mus_status cycle_vectors(mus_hierarchy *h) {
  size_t bottom = mus_level_unknowns(&h->level[h->levels - 1]);
  h->bottom.right = mus_arena_alloc(&h->cycle, bottom, sizeof *h->bottom.right);
  h->bottom.left = mus_arena_alloc(&h->cycle, bottom, sizeof *h->bottom.left);
  if (!h->bottom.right || !h->bottom.left)
    return mus_fail_memory();
  for (int k = 0; k < h->levels; ++k) {
    size_t n = mus_level_unknowns(&h->level[k]),
           size = h->precision == MUS_PRECISION_DOUBLE ? sizeof(double) : sizeof(float);
    int needed = vectors_needed(h, k);
    void *vector[4] = {NULL};
    for (int v = 0; v < needed; ++v)
      if (!(vector[v] = mus_arena_alloc(&h->cycle, n, size)))
        return mus_fail_memory();
    if (k + 1 < h->levels) {
      mus_status status =
          mus_restriction_create(&h->cycle, &h->level[k].prolongator, h->level[k].coarse_block, size, &h->passes[k]);
      if (status)
        return status;
    }
    if (h->precision == MUS_PRECISION_DOUBLE)
      h->d[k] = (mus_cycle_level){
          .b = vector[0], .x = vector[1], .other = vector[2], .left_over = vector[3], .work = &h->work};
    else
      h->f[k] = (mus_cycle_level_f){
          .b = vector[0], .x = vector[1], .other = vector[2], .left_over = vector[3], .work = &h->work};
  }
  return MUS_OK;
}

// Room for choosing rows, where smoothing is adaptive.
static mus_status room_for_choices(mus_hierarchy *h) {
  for (int k = 0; k < h->levels && h->options.adaptive_smoothing > 0; ++k) {
    if (!h->smoother[k].kind->may_skip_rows)
      continue;
    size_t rows = (size_t)h->level[k].pattern->rows;
    unsigned char *active = mus_arena_alloc(&h->cycle, rows, sizeof *active);
    double *measure = mus_arena_alloc(&h->cycle, rows, sizeof *measure);
    if (!active || !measure)
      return mus_fail_memory();
    h->d[k].active = h->f[k].active = active;
    h->d[k].measure = h->f[k].measure = measure;
  }
  return MUS_OK;
}

static mus_status make_symmetric(mus_hierarchy *h) {
  const mus_level *l = &h->level[0];
  const mus_symmetric_pattern *pattern = h->symmetric ? h->symmetric->pattern : &h->symmetric_pattern;
  int pays = h->symmetric != NULL;
  h->symmetric_f = (mus_symmetric_f){0};
  if (h->precision != MUS_PRECISION_SINGLE || h->levels == 1 || h->smoother[0].kind->reads_rows ||
      h->options.adaptive_smoothing > 0)
    return MUS_OK;
  mus_status status =
      pays ? MUS_OK : mus_symmetric_plan(&h->patterns, l->pattern, l->block, &h->symmetric_pattern, &pays);
  return status || !pays ? status : mus_symmetric_create_f(&h->cycle, pattern, &h->symmetric_f);
}

// The finest matrix in single precision is stored once: for products, with each pair of blocks together where that
// pays. What else is made from it is made from the caller's.
static mus_status round_matrix(mus_hierarchy *h, int index, const mus_matrix *a) {
  mus_level_system_f *c = &h->f[index].system;
  c->symmetric = index == 0 && h->symmetric_f.value ? &h->symmetric_f : NULL;
  if (c->symmetric) {
    c->a = (mus_matrix_f){h->level[0].pattern, h->level[0].block, h->level[0].block, NULL};
    if (h->symmetric && h->symmetric->pattern == h->symmetric_f.pattern) // half the numbers
      mus_symmetric_round(h->symmetric, &h->symmetric_f);
    else
      mus_symmetric_fill_f(a, &h->symmetric_f);
    return MUS_OK;
  }
  if (index > 0) { // made so
    c->a = h->level[index].rounded;
    return MUS_OK;
  }
  mus_status status =
      c->a.value ? MUS_OK : mus_matrix_create_f(&h->cycle, a->pattern, a->row_block, a->column_block, &c->a);
  if (!status)
    mus_matrix_round(a, &c->a);
  return status;
}

#define TEMPLATE "multigrid/hierarchy_template.h"
#include "base/both_precisions.h"

static mus_status publish_as_it_is(mus_hierarchy *h, int index) {
  mus_level *l = &h->level[index];
  mus_cycle_level *c = &h->d[index];
  if (index == 0 && h->own_finest) {
    mus_matrix *own = &c->system.a;
    mus_status status = own->value ? MUS_OK : mus_matrix_create(&h->cycle, l->pattern, l->block, l->block, own);
    if (status)
      return status;
    mus_copy(mus_matrix_values(&l->a), l->a.value, own->value);
  } else {
    c->system.a = l->a;
  }
  c->p = l->p;
  c->system.inverse_diagonal = l->inverse_diagonal;
  c->system.clusters = index == 0 && h->clusters.count > 0 ? &h->clusters : NULL;
  return publish(h, index, c);
}

static mus_status publish_rounded(mus_hierarchy *h, int index) {
  mus_level *l = &h->level[index];
  mus_cycle_level_f *c = &h->f[index];
  mus_status status = round_matrix(h, index, &l->a);
  float *inverse = (float *)c->system.inverse_diagonal;
  if (!status && l->inverse_diagonal && !inverse &&
      !(c->system.inverse_diagonal = inverse =
            mus_arena_alloc(&h->cycle, mus_level_unknowns(l) * (size_t)l->block, sizeof *inverse)))
    status = mus_fail_memory();
  if (status)
    return status;
  c->p = l->p_rounded;
  c->packed = l->packed.value ? &l->packed : NULL;
  if (l->inverse_diagonal)
    mus_to_float(mus_level_unknowns(l) * (size_t)l->block, 1, l->inverse_diagonal, inverse);
  c->system.clusters = index == 0 && h->clusters.count > 0 ? &h->clusters_f : NULL;
  if (c->system.clusters && (status = mus_clusters_round(&h->cluster_arena, &h->clusters, &h->clusters_f)))
    return status;
  mus_arena_clear(&l->numbers);
  l->a.value = l->p.value = l->inverse_diagonal = NULL;
  return publish_f(h, index, c);
}

// Hands a finished level to the cycle: as it is, or rounded.
static mus_status publish_level(mus_hierarchy *h, int index) {
  return h->precision == MUS_PRECISION_DOUBLE ? publish_as_it_is(h, index) : publish_rounded(h, index);
}

// --- renewal --------------------------------------------------------------------------------------------------------

// Lays out what renewing needs.
static mus_status plan_renewal(mus_hierarchy *h) {
  for (int k = 0; k < h->levels; ++k) {
    mus_status status = h->precision == MUS_PRECISION_DOUBLE ? plan_renewal_of(h, k, &h->renewal[k])
                                                             : plan_renewal_of_f(h, k, &h->renewal_f[k]);
    if (status)
      return status;
  }
  return MUS_OK;
}

// Starts the probes, unless they have been since the numbers of all levels were new.
static void start_probes(mus_hierarchy *h) {
  int due = h->probes_due;
  h->probes_due = 0;
  for (int k = 0; k < h->levels && due; ++k)
    if (!h->smoother[k].kind->uses_radius || !mus_level_is_smoothed(h, k))
      continue;
    else if (h->precision == MUS_PRECISION_DOUBLE)
      mus_renewal_start(&h->d[k], &h->renewal[k]);
    else
      mus_renewal_start_f(&h->f[k], &h->renewal_f[k]);
}

// The numbers of all levels are new, those of the prolongators too. Probes wait for the first renewal, which may never
// come, where the finest matrix stays as it is until then.
static void start_renewal(mus_hierarchy *h) {
  h->renewal[0].held = h->renewal_f[0].held = 0;
  h->probes_due = 1;
  if (mus_hierarchy_reads_finest(h))
    start_probes(h);
}

static mus_status factor_bottom(mus_hierarchy *h) {
  int last = h->levels - 1;
  if (h->precision == MUS_PRECISION_DOUBLE)
    return mus_factor_compute(h->bottom.factor, &h->d[last].system.a);
  mus_arena arena = {0};
  mus_matrix a;
  mus_status status = mus_matrix_create(&arena, h->level[last].pattern, h->level[last].block, h->level[last].block, &a);
  if (!status) {
    mus_matrix_widen(&h->f[last].system.a, &a);
    status = mus_factor_compute(h->bottom.factor, &a);
  }
  mus_arena_clear(&arena);
  return status;
}

static mus_status renew(mus_hierarchy *h, const mus_matrix *a, const mus_filter *held, int renewed) {
  int factored = h->bottom.factor != NULL;
  mus_status status;
  if (h->precision == MUS_PRECISION_SINGLE) {
    status = round_matrix(h, 0, a);
    if (!status)
      status = mus_renew_f(a, h->f, h->renewal_f, h->levels, renewed, factored, held, &h->made);
  } else {
    if (h->own_finest)
      mus_copy(mus_matrix_values(a), a->value, h->d[0].system.a.value);
    else
      h->d[0].system.a = *a;
    status = mus_renew(a, h->d, h->renewal, h->levels, renewed, factored, held, &h->made);
  }
  return !status && factored && renewed == h->levels ? factor_bottom(h) : status;
}

// The first `most` levels, or all.
static mus_status renew_levels(mus_hierarchy *h, const mus_matrix *a, const mus_filter *held, int most) {
  if (!h->ready || !h->renewable || h->level[0].pattern != a->pattern || h->level[0].block != a->row_block)
    return mus_hierarchy_refresh(h, a);
  mus_hierarchy_uncouple(h);
  start_probes(h);
  h->ready = 0;
  mus_status status = renew(h, a, held, most < h->levels ? most : h->levels);
  if (status)
    clear(h);
  else
    h->ready = 1;
  return status;
}

mus_status mus_hierarchy_renew(mus_hierarchy *h, const mus_matrix *a, const mus_filter *held) {
  return renew_levels(h, a, held, MUS_LEVELS_MAXIMUM);
}

mus_status mus_hierarchy_renew_finest(mus_hierarchy *h, const mus_matrix *a, const mus_filter *held) {
  return renew_levels(h, a, held, 1);
}

// --- set-up ---------------------------------------------------------------------------------------------------------

// The bottom is factored, unless it is there because nothing of it needs a coarse correction.
static mus_status finish_bottom(mus_hierarchy *h, int stalled_early) {
  mus_level *l = &h->level[h->levels - 1];
  int all_special = stalled_early && l->special == l->pattern->rows;
  int too_large = !mus_factor_has_sparse() && mus_level_unknowns(l) > DENSE_MAXIMUM;
  if (!h->bottom.factor && !all_special && !too_large) {
    mus_status status = mus_factor_create(l->pattern, l->block, MUS_FACTOR_CHOOSE, &h->bottom.factor);
    if (status)
      return status;
  }
  if (h->bottom.factor)
    return mus_factor_compute(h->bottom.factor, &l->a);
  return stalled_early ? MUS_OK
                       : measure(h, h->levels - 1); // a level that could not be made coarser is measured already
}

// Whether the level is the last for its size alone, known before anything is computed.
static int is_bottom(const mus_hierarchy *h, int index) {
  return mus_level_unknowns(&h->level[index]) <= (size_t)h->options.bottom || index + 1 >= h->options.levels ||
         index + 1 >= MUS_LEVELS_MAXIMUM;
}

static mus_status set_up(mus_hierarchy *h, const mus_matrix *a, int symbolic) {
  mus_status status = MUS_OK;
  h->level[0].a = *a;
  int index = 0, coarser = 1, stalled_early = 0;
  for (;; ++index) {
    if (symbolic ? is_bottom(h, index) : index + 1 == h->levels)
      break;
    status = mus_stop_check();
    if (!status)
      status = measure(h, index);
    if (!status && symbolic)
      status = plan_coarser(h, index, &coarser);
    if (!status && coarser)
      status = fill_coarser(h, index);
    if (status)
      return index == 0 ? status : mus_fail_prefix(status, "level %d of the hierarchy", index);
    if (!coarser) {
      stalled_early = 1;
      break;
    }
    if (!symbolic && (status = publish_level(h, index)))
      return status;
  }
  if (symbolic) {
    h->levels = index + 1;
    if ((status = cycle_vectors(h)) || (status = room_for_choices(h)))
      return status;
    if (h->renewable && (status = plan_renewal(h)))
      return status;
    if ((status = make_symmetric(h)))
      return status;
    for (int k = 0; k < index; ++k)
      if ((status = publish_level(h, k)))
        return status;
  }
  if ((status = finish_bottom(h, stalled_early)))
    return index == 0 ? status : mus_fail_prefix(status, "the bottom level of the hierarchy");
  if ((status = publish_level(h, index)))
    return status;
  if (h->renewable)
    start_renewal(h);
  h->ready = 1;
  return MUS_OK;
}

mus_status mus_hierarchy_analyse(mus_hierarchy *h, const mus_matrix *a) {
  clear(h);
  h->level[0].pattern = a->pattern;
  h->level[0].block = a->row_block;
  h->level[0].diagonal = mus_arena_alloc(&h->patterns, (size_t)a->pattern->rows, sizeof(int));
  mus_status status = h->level[0].diagonal ? mus_diagonal_places(a->pattern, h->level[0].diagonal) : mus_fail_memory();
  if (!status)
    status = set_up(h, a, 1);
  if (status)
    clear(h);
  return status;
}

mus_status mus_hierarchy_refresh(mus_hierarchy *h, const mus_matrix *a) {
  if (!h->ready || h->level[0].pattern != a->pattern || h->level[0].block != a->row_block)
    return mus_hierarchy_analyse(h, a);
  mus_hierarchy_uncouple(h);
  h->ready = 0;
  mus_status status = set_up(h, a, 0);
  if (status)
    clear(h);
  return status;
}

// --- use ------------------------------------------------------------------------------------------------------------

void mus_hierarchy_apply(mus_hierarchy *h, const double *r, double *z) {
  size_t n = mus_level_unknowns(&h->level[0]);
  int visits = h->options.cycle == MUS_CYCLE_W ? 2 : 1;
  if (h->precision == MUS_PRECISION_DOUBLE) {
    // The passes trade buffers an odd number of times, so the result lands in `other` without a copy.
    mus_cycle_level *finest = h->coupled ? h->coupled_d : h->d;
    mus_cycle_level kept = *finest;
    finest->b = (double *)r; // read only
    finest->other = z;
    const double *result = mus_cycle_run(finest, h->levels, visits, h->coupled ? &h->coupled_bottom : &h->bottom);
    if (result != z)
      mus_copy(n, result, z);
    *finest = kept;
    return;
  }
  // Residuals shrink by many orders of magnitude: bring them to size 1, so that none is lost to underflow.
  double size = mus_max_abs(n, r);
  if (!(size > 0)) {
    mus_fill(n, size, z); // zero, or NaN for the caller to find
    return;
  }
  mus_to_float(n, 1 / size, r, h->f[0].b);
  mus_to_double(n, size, mus_hierarchy_apply_f(h), z);
}

float *mus_hierarchy_right_f(mus_hierarchy *h) { return h->precision == MUS_PRECISION_DOUBLE ? NULL : h->f[0].b; }

const float *mus_hierarchy_apply_f(mus_hierarchy *h) {
  int visits = h->options.cycle == MUS_CYCLE_W ? 2 : 1;
  return h->coupled ? mus_cycle_run_f(h->coupled_f, h->levels, visits, &h->coupled_bottom)
                    : mus_cycle_run_f(h->f, h->levels, visits, &h->bottom);
}

// In single precision, right-hand sides are brought to size 1.
static void correct_f(mus_hierarchy *h, int level, int visits, const double *r, double *z) {
  size_t n = mus_level_unknowns(&h->level[0]);
  double size = mus_max_abs(n, r);
  if (!(size > 0)) {
    mus_fill(n, size, z); // zero, or NaN for the caller to find
    return;
  }
  mus_to_float(n, 1 / size, r, h->f[0].b);
  const float *x = h->coupled ? mus_cycle_correct_f(h->coupled_f, h->levels, level, visits, &h->coupled_bottom)
                              : mus_cycle_correct_f(h->f, h->levels, level, visits, &h->bottom);
  mus_to_double(n, size, x, z);
}

static void set_threshold(mus_hierarchy *h, double threshold) {
  for (int k = 0; k < h->levels; ++k)
    h->d[k].threshold = h->f[k].threshold = h->coupled_d[k].threshold = h->coupled_f[k].threshold = threshold;
}

static void correct(mus_hierarchy *h, int level, mus_correction kind, const double *r, double *z) {
  int visits = kind == MUS_CORRECT_SMOOTH ? 0 : h->options.cycle == MUS_CYCLE_W ? 2 : 1;
  if (h->precision == MUS_PRECISION_SINGLE) {
    correct_f(h, level, visits, r, z);
    return;
  }
  mus_cycle_level *finest = h->coupled ? h->coupled_d : h->d;
  double *kept = finest->b;
  finest->b = (double *)r; // read only
  const double *x = mus_cycle_correct(finest, h->levels, level, visits, h->coupled ? &h->coupled_bottom : &h->bottom);
  mus_copy(mus_level_unknowns(&h->level[0]), x, z);
  finest->b = kept;
}

// Cycles for conjugate gradients are linear: only corrections smooth adaptively.
void mus_hierarchy_correct(mus_hierarchy *h, int level, mus_correction kind, const double *r, double *z) {
  set_threshold(h, h->options.adaptive_smoothing);
  correct(h, level, kind, r, z);
  set_threshold(h, 0);
}

int mus_hierarchy_levels(const mus_hierarchy *h) { return h->ready ? h->levels : 0; }

int mus_hierarchy_reads_finest(const mus_hierarchy *h) {
  return h->precision == MUS_PRECISION_DOUBLE && !h->own_finest;
}

void mus_hierarchy_count(const mus_hierarchy *h, double sign, mus_solve_record *record) {
  if (h->levels == 0)
    return;
  const mus_level *l = &h->level[0];
  double unit = sign / ((double)mus_pattern_blocks(l->pattern) * l->block * l->block);
  record->work += unit * h->work.all;
  record->smoothing += unit * h->work.smoothing;
  record->skipped += unit * h->work.skipped;
}

mus_level_parts mus_hierarchy_parts(mus_hierarchy *h, int level) {
  start_probes(h);
  const mus_level *l = &h->level[level];
  const mus_renewal_f *r = &h->renewal_f[level];
  int smoothed = mus_level_is_smoothed(h, level), last = level + 1 == h->levels;
  return (mus_level_parts){.a = l->pattern,
                           .p = last ? NULL : &l->prolongator,
                           .block = l->block,
                           .smoother = smoothed ? &h->smoother[level] : NULL,
                           .probe = smoothed ? r->probe : NULL,
                           .growth = r->growth,
                           .radius = r->radius};
}

static size_t pattern_bytes(const mus_pattern *p) {
  return ((size_t)p->rows + 1 + (size_t)mus_pattern_blocks(p)) * sizeof(int);
}

// What coarsening and smoother have to tell.
static void report_more(const mus_hierarchy *h, int index, mus_level_report *report) {
  if (h->method->report && index + 1 < h->levels)
    h->method->report(h->self, index, report);
  if (!mus_level_is_smoothed(h, index))
    return;
  if (h->precision == MUS_PRECISION_DOUBLE && h->d[index].smoother && h->d[index].smoother->report)
    h->d[index].smoother->report(h->d[index].smoother_state, report);
  if (h->precision == MUS_PRECISION_SINGLE && h->f[index].smoother && h->f[index].smoother->report)
    h->f[index].smoother->report(h->f[index].smoother_state, report);
}

double mus_hierarchy_passes(const mus_hierarchy *h, int level) {
  const double *passes = h->precision == MUS_PRECISION_DOUBLE ? (h->coupled ? h->coupled_d : h->d)[level].sweep_passes
                                                              : (h->coupled ? h->coupled_f : h->f)[level].sweep_passes;
  return passes[0] + passes[1] + 1;
}

double mus_hierarchy_bottom_numbers(const mus_hierarchy *h) {
  return h->bottom.factor ? mus_factor_numbers(h->bottom.factor) : 0;
}

void mus_hierarchy_report(const mus_hierarchy *h, mus_solve_record *record) {
  size_t size = h->precision == MUS_PRECISION_DOUBLE ? sizeof(double) : sizeof(float);
  long long total = 0;
  record->levels = h->levels;
  for (int k = 0; k < h->levels; ++k) {
    const mus_level *l = &h->level[k];
    int last = k + 1 == h->levels;
    mus_level_report *report = &record->level[k];
    *report = (mus_level_report){.rows = l->pattern->rows,
                                 .block = l->block,
                                 .nonzeros = (long long)mus_pattern_blocks(l->pattern) * l->block * l->block,
                                 .special = l->special,
                                 .dropped = l->dropped,
                                 .spectral_radius = l->radius.value,
                                 .radius_converged = l->radius.converged};
    report_more(h, k, report);
    report->bytes = (size_t)report->nonzeros * size + pattern_bytes(l->pattern) +
                    mus_level_unknowns(l) * ((size_t)l->block + (size_t)vectors_needed(h, k)) * size;
    if (!last)
      report->bytes += (size_t)mus_pattern_blocks(&l->prolongator) * (size_t)(l->block * l->coarse_block) * size +
                       pattern_bytes(&l->prolongator) + 2 * pattern_bytes(&l->plan.pt.pattern) +
                       mus_packed_bytes(&l->packed);
    else if (h->bottom.factor)
      report->bytes += mus_factor_bytes(h->bottom.factor);
    total += report->nonzeros;
  }
  record->operator_complexity = h->levels > 0 ? (double)total / (double)record->level[0].nonzeros : 1;
}

size_t mus_hierarchy_bytes(const mus_hierarchy *h) {
  size_t bytes =
      sizeof *h + h->patterns.bytes + h->cycle.bytes + h->made.bytes + h->cluster_arena.bytes + h->coupled_arena.bytes;
  for (int k = 0; k < h->levels; ++k)
    bytes += h->level[k].numbers.bytes;
  return bytes + (h->bottom.factor ? mus_factor_bytes(h->bottom.factor) : 0);
}
