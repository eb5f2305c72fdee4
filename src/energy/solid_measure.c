// Stress and strain of tetrahedra. See solid_measure.h.
#include "energy/solid_measure.h"

#include <string.h>

#include "base/error.h"

static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};

static mus_solid_law *law_of(mus_solid_model model) {
  const mus_element_kind *const *kind = mus_solid_kinds(model);
  while (kind && *kind && !(*kind)->law)
    ++kind;
  return kind && *kind ? (*kind)->law : NULL;
}

static void corners_of(const int *corner, const double *position, double *x) {
  for (int k = 0; k < 4; ++k)
    memcpy(x + 3 * k, position + 3 * (size_t)corner[k], 3 * sizeof *x);
}

mus_status mus_tetrahedron_rests(const mus_solid_source *solid, const double *position, mus_tetrahedron_rest *rest) {
  for (int t = 0; t < solid->count; ++t) {
    double x[12];
    corners_of(solid->corner + 4 * (size_t)t, position, x);
    mus_tetrahedron_rest_make(x, &rest[t]);
    if (!(rest[t].volume > 0) || !isfinite(rest[t].gradient[0]))
      return mus_fail(MUS_BAD_INPUT, "tetrahedron %d has no volume, or is inside out", t);
  }
  return MUS_OK;
}

mus_status mus_solid_plan_create(mus_arena *arena, int vertices, const mus_solid_source *solid, mus_solid_model model,
                                 mus_solid_plan *out) {
  mus_solid_plan plan = {.count = solid->count,
                         .vertices = vertices,
                         .corner = solid->corner,
                         .rest = mus_arena_alloc(arena, (size_t)solid->count, sizeof *plan.rest),
                         .share = mus_arena_alloc_zero(arena, (size_t)vertices, sizeof *plan.share),
                         .lame = {solid->mu, solid->lambda},
                         .law = law_of(model)};
  mus_status status = plan.rest && plan.share ? MUS_OK : mus_fail_memory();
  if (!status)
    status = mus_tetrahedron_rests(solid, solid->rest, plan.rest);
  for (int k = 0; k < 4 * plan.count && !status; ++k)
    plan.share[plan.corner[k]] += plan.rest[k / 4].volume;
  if (!status)
    *out = plan;
  return status;
}

// U diag(slope_i s_i) U^T / J
static void stress_of(const mus_lame *lame, mus_solid_law *law, const double *u, const double *s,
                      mus_solid_measure *out) {
  mus_solid_state state;
  double volume = fmax(fabs(s[0] * s[1] * s[2]), MUS_SOLID_FLATTEST), principal[3];
  law(lame, s, &state);
  for (int i = 0; i < 3; ++i)
    principal[i] = state.slope[i] * s[i] / volume;
  for (int k = 0; k < 6; ++k) {
    out->stress[k] = 0;
    for (int i = 0; i < 3; ++i)
      out->stress[k] += principal[i] * u[3 * row[k] + i] * u[3 * column[k] + i];
  }
  double a = principal[0] - principal[1], b = principal[1] - principal[2], c = principal[2] - principal[0];
  out->mises = sqrt((a * a + b * b + c * c) / 2);
}

void mus_solid_measure_run(const mus_solid_plan *plan, int first, int count, const double *position, double scale,
                           mus_solid_measure *out) {
  const mus_lame lame = {scale * plan->lame.mu, scale * plan->lame.lambda};
  for (int k = 0; k < count; ++k) {
    size_t t = (size_t)(first + k);
    mus_solid_measure *m = &out[k];
    double x[12], f[9], u[9], v[9];
    corners_of(plan->corner + 4 * t, position, x);
    mus_tetrahedron_map(&plan->rest[t], x, f);
    mus_svd3(f, u, m->stretch, v);
    m->volume = m->stretch[0] * m->stretch[1] * m->stretch[2] - 1;
    for (int c = 0; c < 6; ++c)
      m->strain[c] = (mus_columns_dot(f, row[c], column[c]) - (row[c] == column[c])) / 2;
    memset(m->stress, 0, sizeof m->stress);
    m->mises = 0;
    if (plan->law)
      stress_of(&lame, plan->law, u, m->stretch, m);
  }
}

void mus_solid_average(const mus_solid_plan *plan, const double *value, double *average) {
  memset(average, 0, (size_t)plan->vertices * sizeof *average);
  for (int k = 0; k < 4 * plan->count; ++k)
    average[plan->corner[k]] += plan->rest[k / 4].volume * value[k / 4];
  for (int v = 0; v < plan->vertices; ++v)
    average[v] = plan->share[v] > 0 ? average[v] / plan->share[v] : 0;
}
