// The forms of a system that methods share. See system.h.
#include <math.h>

#include "par/vector.h"
#include "solve/system.h"

void mus_system_put(mus_system *system, mus_form form) {
  const mus_filter *s = &system->filter;
  int filtered = form == MUS_FORM_FILTERED && s->count > 0;
  if (filtered && !system->is_filtered)
    mus_filter_in_place(s, &system->transpose, system->diagonal, mus_filter_scale(&system->a, system->diagonal),
                        &system->a, &system->saved);
  else if (!filtered && system->is_filtered)
    mus_filter_undo(s, &system->transpose, &system->saved, &system->a);
  system->is_filtered = filtered;
}

mus_form mus_system_form(const mus_system *system) {
  return system->is_filtered || system->filter.count == 0 ? MUS_FORM_FILTERED : MUS_FORM_GIVEN;
}

mus_block_operator mus_system_given(const mus_system *system) {
  return (mus_block_operator){.a = &system->a, .beyond = system->couplings.count > 0 ? &system->couplings : NULL};
}

mus_block_operator mus_system_now(const mus_system *system) {
  mus_block_operator now = mus_system_given(system);
  if (now.beyond && system->is_filtered)
    now.beyond = &system->filtered_couplings;
  return now;
}

void mus_system_filter_couplings(mus_system *system) {
  if (system->couplings.count > 0 && system->couplings_stale)
    mus_filter_beyond(&system->filter, &system->couplings, system->filtered_couplings.value);
  system->couplings_stale = 0;
}

static mus_status make_symmetric(mus_system *system) {
  int pays;
  system->symmetric_tried = 1;
  mus_status status =
      mus_symmetric_plan(&system->arena, &system->pattern, system->block, &system->symmetric_pattern, &pays);
  return status || !pays ? status
                         : mus_symmetric_create(&system->arena, &system->symmetric_pattern, &system->symmetric);
}

double mus_system_coupling(const mus_system *system) {
  if (system->couplings.count == 0)
    return 0;
  return (double)mus_pattern_blocks(&system->couplings.pattern) / (double)mus_pattern_blocks(&system->pattern);
}

// Their rows are few and short, so that they take more time than as many blocks of A: measured on stacks of ten sheets.
static const double coupling_pass = 1.3;

double mus_system_product_cost(const mus_system *system) { return 1 + coupling_pass * mus_system_coupling(system); }

mus_status mus_system_for_products(mus_system *system, mus_block_operator *out) {
  mus_status status = system->symmetric_tried ? MUS_OK : make_symmetric(system);
  mus_form form = mus_system_form(system);
  *out = mus_system_now(system);
  if (!status && system->symmetric.value) {
    if (system->symmetric_form != form)
      mus_symmetric_fill(&system->a, &system->symmetric);
    system->symmetric_form = form;
    out->symmetric = &system->symmetric;
  }
  return status;
}

// The Euclidean norm. r is overwritten where its squares would lose their digits.
static double length(size_t n, double *r) {
  double size = mus_max_abs(n, r);
  if (size == 0 || !isfinite(size))
    return size;
  if (size > 1e-100 && size < 1e100)
    return sqrt(mus_dot(n, r, r));
  double unit = fmax(size, 1e-300);
  mus_scale(n, 1 / unit, r);
  return unit * sqrt(mus_dot(n, r, r));
}

double mus_system_filtered_residual(mus_system *system) {
  size_t n = mus_system_unknowns(system);
  double *r = system->work;
  mus_block_operator now = mus_system_now(system);
  if (system->symmetric.value && system->symmetric_form == MUS_FORM_FILTERED)
    now.symmetric = &system->symmetric;
  mus_block_operator_residual(&now, system->right, system->solution, r);
  double norm = length(n, r);
  mus_copy(n, system->right, r);
  double start = length(n, r);
  return start > 0 ? norm / start : norm > 0 ? HUGE_VAL : 0;
}

double mus_system_true_residual(mus_system *system, const double *b, const double *x) {
  size_t n = mus_system_unknowns(system);
  double *r = system->work, *z = system->work + n;
  mus_block_operator given = mus_system_given(system);
  mus_block_operator_residual(&given, b, x, r);
  mus_filter_apply(&system->filter, r);
  double norm = length(n, r);
  mus_filter_target(&system->filter, z);
  if (mus_max_abs(n, z) > 0)
    mus_block_operator_residual(&given, b, z, r);
  else
    mus_copy(n, b, r);
  mus_filter_apply(&system->filter, r);
  double start = length(n, r);
  return start > 0 ? norm / start : norm > 0 ? HUGE_VAL : 0;
}
