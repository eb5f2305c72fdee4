// Setting up and keeping up the hierarchy of smoothed aggregation. See sa.h.
#include <string.h>

#include "base/error.h"
#include "par/vector.h"
#include "solve/method/sa.h"
#include "solve/near_kernel.h"

static int is_affine(const mus_sa *sa) { return sa->handles && sa->system->positions; }

int mus_sa_has_rotations(const mus_sa *sa) {
  return !sa->handles && !sa->is_geometric && sa->system->positions &&
         sa->options->sa.motions != MUS_MOTIONS_TRANSLATIONS;
}

static int is_auto(const mus_sa *sa) { return sa->options->sa.motions == MUS_MOTIONS_AUTO && mus_sa_has_rotations(sa); }

void mus_sa_look(mus_sa *sa) {
  if (sa->has_looked || !is_auto(sa))
    return;
  sa->has_looked = 1;
  sa->fills_space = mus_fills_space(&sa->system->pattern, sa->system->positions);
}

// With rotations under MUS_MOTIONS_AUTO: what took the least time for sheets of 10,000 to 160,000 vertices, and for
// octopuses of 6,500 to 126,000.
static const double rigid_strength = 0.48;
// Prolongators are smoothed along more connections than those that make aggregates.
static const double smoothing_strength = 0.3;

mus_sa_options mus_sa_settings(const mus_sa *sa) {
  mus_sa_options settings = sa->options->sa;
  if (!is_auto(sa))
    return settings;
  settings.reach = 2;
  settings.strength = rigid_strength;
  if (sa->fills_space)
    settings.filter_prolongator = 0;
  return settings;
}

mus_multigrid_options mus_sa_multigrid_settings(const mus_sa *sa) {
  mus_multigrid_options settings = sa->options->multigrid;
  if (sa->options->sa.motions == MUS_MOTIONS_AUTO && (sa->handles || mus_sa_has_rotations(sa)))
    settings.smoother_order *= 2;
  if (sa->handles && *sa->options->skinning.levels)
    settings.bottom = 1; // the levels that were asked for
  int levels = sa->handles ? mus_handles_levels(sa->handles, sa->system->rows) : settings.levels;
  if (levels < settings.levels)
    settings.levels = levels;
  return settings;
}

static int kernel_count(const mus_sa *sa) {
  return is_affine(sa)              ? 12
         : mus_sa_has_rotations(sa) ? 6
         : sa->system->kernel       ? sa->system->kernel_count
                                    : sa->system->block;
}

// Motions of less than this part of what they were before constraints are rounding, which has no place in a basis.
static const double forbidden = 1e-8;

// v <- S v, without rounding at held nodes; `before` is workspace.
static void forbid(const mus_filter *s, double *v, double *before) {
  size_t block = (size_t)s->block;
  mus_copy((size_t)s->rows * block, v, before);
  mus_filter_apply(s, v);
  for (int k = 0; k < s->count; ++k) {
    double *now = v + (size_t)s->node[k] * block, *then = before + (size_t)s->node[k] * block;
    if (mus_dot(block, now, now) < forbidden * forbidden * mus_dot(block, then, then))
      mus_fill(block, 0, now);
  }
}

// The near-null space with what constraints forbid taken out, handed to the aggregation. S may be NULL.
static mus_status give_kernel(mus_sa *sa, const mus_filter *s) {
  if (sa->is_geometric)
    return MUS_OK;
  int count = kernel_count(sa);
  size_t n = mus_system_unknowns(sa->system);
  double *vectors = mus_alloc((size_t)(count + 1) * n, sizeof *vectors);
  if (!vectors)
    return mus_fail_memory();
  if (is_affine(sa))
    mus_affine_motions(sa->system->rows, sa->system->positions, vectors);
  else if (mus_sa_has_rotations(sa))
    mus_rigid_motions(sa->system->rows, sa->system->positions, vectors);
  else if (sa->system->kernel)
    mus_copy((size_t)count * n, sa->system->kernel, vectors);
  else
    mus_constant_vectors(sa->system->rows, sa->system->block, vectors);
  for (int k = 0; s && k < count; ++k)
    forbid(s, vectors + (size_t)k * n, vectors + (size_t)count * n);
  mus_status status = mus_aggregation_set_kernel(sa->aggregation, sa->system->rows, sa->system->block, count, vectors);
  mus_free(vectors);
  return status;
}

mus_status mus_sa_create_aggregation(mus_sa *sa) {
  if (sa->aggregation || sa->is_geometric)
    return MUS_OK;
  mus_sa_options settings = mus_sa_settings(sa);
  mus_grouping grouping = mus_handles_grouping(sa->handles);
  mus_status status = mus_aggregation_create(&settings, sa->handles ? &grouping : NULL, &sa->aggregation);
  if (!status && !sa->gpu.device && is_auto(sa))
    mus_aggregation_smooth_along(sa->aggregation, smoothing_strength);
  return status;
}

static mus_status create_hierarchy(mus_sa *sa) {
  mus_status status = mus_sa_create_aggregation(sa);
  mus_hierarchy_options options = {.multigrid = mus_sa_multigrid_settings(sa),
                                   .precision = sa->options->precision,
                                   .setup = sa->options->setup,
                                   .packed = !sa->gpu.device && mus_sa_has_rotations(sa)};
  options.clusters =
      sa->options->sa.motions == MUS_MOTIONS_AUTO && !sa->handles && !sa->is_geometric && !sa->gpu.device;
  if (sa->gpu.device) { // which renews in single precision
    options.precision = MUS_PRECISION_SINGLE;
    options.setup = MUS_SETUP_COARSE;
  }
  if (!status && sa->is_geometric && !sa->system->has_levels)
    status = mus_fail(
        MUS_BAD_INPUT,
        "the solver \"geometric\" has no levels: call mus_solver_set_levels(), with those of mus_sim_levels() for "
        "instance, or choose \"sa\"");
  if (!status && !sa->hierarchy && sa->is_geometric)
    status = mus_hierarchy_create(&mus_nested_coarsening, &sa->system->nested, &options, &sa->hierarchy);
  if (!status && !sa->hierarchy)
    status = mus_hierarchy_create(sa->handles ? &mus_plain_aggregation : &mus_smoothed_aggregation, sa->aggregation,
                                  &options, &sa->hierarchy);
  return status;
}

// What the matrix that hierarchies are made from is filtered by.
static const mus_filter *hierarchy_filter(const mus_sa *sa) {
  return sa->options->prefilter ? &sa->system->filter : NULL;
}

typedef mus_status make_hierarchy(mus_hierarchy *hierarchy, const mus_matrix *a);

// Notes which directions are held, for mus_sa_releases().
static mus_status note_analysed(mus_sa *sa, const mus_filter *s) {
  size_t count = s ? (size_t)s->count : 0;
  if (count > 0 && !sa->analysed_node) {
    sa->analysed_node = mus_arena_alloc(&sa->arena, (size_t)sa->system->rows, sizeof(int));
    sa->analysed_rank = mus_arena_alloc(&sa->arena, (size_t)sa->system->rows, sizeof(int));
  }
  if (count > 0 && (!sa->analysed_node || !sa->analysed_rank)) {
    sa->analysed_node = sa->analysed_rank = NULL;
    return mus_fail_memory();
  }
  sa->analysed_count = (int)count;
  if (count > 0) {
    memcpy(sa->analysed_node, s->node, count * sizeof(int));
    memcpy(sa->analysed_rank, s->rank, count * sizeof(int));
  }
  return MUS_OK;
}

int mus_sa_releases(const mus_sa *sa) {
  const mus_filter *filter = &sa->system->filter;
  for (int k = 0; k < sa->analysed_count; ++k) {
    int now = filter->count > 0 ? filter->index_of[sa->analysed_node[k]] : -1;
    if ((now < 0 ? 0 : filter->rank[now]) < sa->analysed_rank[k])
      return 1;
  }
  return 0;
}

// Conjugate gradients will ask for the matrix in symmetric storage, which is of use here too.
static mus_status show_symmetric(mus_sa *sa) {
  mus_block_operator now = {0};
  mus_status status = sa->gpu.device ? MUS_OK : mus_system_for_products(sa->system, &now);
  mus_hierarchy_set_symmetric(sa->hierarchy, now.symmetric);
  return status;
}

static mus_status make_from_kernel(mus_sa *sa, const mus_filter *s, make_hierarchy *make) {
  mus_status status = give_kernel(sa, s);
  mus_hierarchy_set_geometry(sa->hierarchy, sa->system->positions, s);
  mus_hierarchy_set_hard(sa->hierarchy, sa->is_hard);
  if (!status)
    status = show_symmetric(sa);
  if (!status)
    status = make(sa->hierarchy, &sa->system->a);
  if (sa->aggregation)
    mus_aggregation_drop_kernel(sa->aggregation);
  return status;
}

// Prolongators that are to hold for what follows: everything anew, or their numbers. Constraints that have come and
// gone once will again: they are then made without any. What is held and not in them is for refreshing or renewal to
// take out.
static mus_status make_prolongators(mus_sa *sa, make_hierarchy *make) {
  int without = sa->has_released && sa->options->setup != MUS_SETUP_FULL;
  const mus_filter *s = without ? NULL : hierarchy_filter(sa);
  if (without)
    mus_system_put(sa->system, MUS_FORM_GIVEN);
  mus_status status = note_analysed(sa, s);
  return status ? status : make_from_kernel(sa, s, make);
}

mus_upkeep_kind mus_sa_upkeep_due(const mus_sa *sa) {
  mus_sa_stale stale = sa->stale;
  if (sa->rested)
    return stale == MUS_SA_STALE_ALL || sa->options->setup == MUS_SETUP_FULL ? MUS_UPKEEP_ALL : MUS_UPKEEP_NUMBERS;
  if (sa->hierarchy && (stale == MUS_SA_FRESH || sa->options->setup == MUS_SETUP_REUSE))
    return MUS_UPKEEP_NONE;
  if (!sa->hierarchy || stale == MUS_SA_STALE_ALL)
    return MUS_UPKEEP_ALL;
  switch (sa->options->setup) {
  case MUS_SETUP_FULL:
    return MUS_UPKEEP_ALL;
  case MUS_SETUP_REUSE:
    return MUS_UPKEEP_NONE;
  case MUS_SETUP_COARSE:
    return MUS_UPKEEP_COARSE;
  case MUS_SETUP_AUTO:
    break;
  case MUS_SETUP_NUMERIC:
    return MUS_UPKEEP_NUMBERS;
  }
  mus_upkeep_kind due = mus_upkeep_due(&sa->upkeep);
  int renewed = sa->held_changed || mus_hierarchy_levels(sa->hierarchy) == 1; // the latter solves directly
  return due < MUS_UPKEEP_COARSE && renewed ? MUS_UPKEEP_COARSE : due;
}

static mus_status keep_up(mus_sa *sa, mus_upkeep_kind kind) {
  int kept = mus_sa_is_kept(sa);
  mus_status status = MUS_OK;
  if (kind == MUS_UPKEEP_ALL)
    status = make_prolongators(sa, mus_hierarchy_analyse);
  else if (kind == MUS_UPKEEP_NUMBERS)
    status = kept ? make_prolongators(sa, mus_hierarchy_refresh)
                  : make_from_kernel(sa, hierarchy_filter(sa), mus_hierarchy_refresh);
  mus_system_put(sa->system, sa->options->prefilter ? MUS_FORM_FILTERED : MUS_FORM_GIVEN);
  // What is held and was not when that was made.
  int more = kind > MUS_UPKEEP_COARSE && sa->options->prefilter && sa->analysed_count < sa->system->filter.count;
  if (!status && !kept && more && kind == MUS_UPKEEP_ALL)
    status = make_from_kernel(sa, hierarchy_filter(sa), mus_hierarchy_refresh);
  int renews = kept && (more || kind == MUS_UPKEEP_COARSE), renews_finest = kept && kind == MUS_UPKEEP_FINEST;
  if (!status && (renews || renews_finest))
    status = show_symmetric(sa);
  if (!status && renews)
    status = mus_hierarchy_renew(sa->hierarchy, &sa->system->a, hierarchy_filter(sa));
  if (!status && renews_finest)
    status = mus_hierarchy_renew_finest(sa->hierarchy, &sa->system->a, hierarchy_filter(sa));
  return status;
}

mus_status mus_sa_set_up(mus_sa *sa, mus_upkeep_kind kind) {
  mus_status status = create_hierarchy(sa);
  if (sa->gpu.is_ahead && kind < MUS_UPKEEP_NUMBERS)
    kind = MUS_UPKEEP_NUMBERS;
  sa->gpu.is_ahead = 0;
  if (kind == MUS_UPKEEP_ALL)
    mus_sa_forget_device_solver(sa);
  if (!status && kind == MUS_UPKEEP_ALL && sa->aggregation)
    mus_aggregation_forget(sa->aggregation);
  if (!status)
    status = keep_up(sa, kind);
  if (!status && sa->aggregation)
    mus_aggregation_forget(sa->aggregation); // it has them now
  if (status) {                              // nothing half made stays
    mus_hierarchy_free(sa->hierarchy);
    sa->hierarchy = NULL;
    sa->stale = MUS_SA_STALE_ALL;
  } else {
    sa->stale = MUS_SA_FRESH;
    sa->held_changed = sa->rested = 0;
  }
  return status;
}
