// See solid_fields.h.
#include "sim/solid_fields.h"

#include <math.h>

#include "base/error.h"
#include "par/par.h"
#include "par/vector.h"

mus_status mus_solid_fields_create(mus_arena *arena, const mus_model *model, mus_solid_fields *out) {
  size_t largest = 0;
  int points = 0;
  mus_status status = MUS_OK;
  out->plan = mus_arena_alloc_zero(arena, (size_t)model->part_count, sizeof *out->plan);
  if (!out->plan)
    return mus_fail_memory();
  for (int k = 0; k < model->part_count && !status; ++k) {
    const mus_model_part *part = &model->parts[k];
    if (part->lattice && part->shape.mesh.vertices > points)
      points = part->shape.mesh.vertices;
    if (!part->solid || part->lattice)
      continue;
    mus_lame lame = mus_lame_of(part->material.young, part->material.poisson);
    mus_solid_source source = {.count = part->shape.tetrahedra,
                               .corner = part->shape.corner,
                               .rest = part->shape.mesh.position,
                               .mu = lame.mu,
                               .lambda = lame.lambda};
    largest = (size_t)source.count > largest ? (size_t)source.count : largest;
    status = mus_solid_plan_create(arena, part->shape.mesh.vertices, &source, part->solid->model, &out->plan[k]);
  }
  out->measure = mus_arena_alloc(arena, largest, sizeof *out->measure);
  out->number = mus_arena_alloc(arena, largest, sizeof *out->number);
  for (int c = 0; c < 3 && !status; ++c)
    if (!(out->at_points[c] = mus_arena_alloc(arena, (size_t)points, sizeof(double))))
      return mus_fail_memory();
  return !status && (!out->measure || !out->number) ? mus_fail_memory() : status;
}

void mus_solid_fields_measure(const mus_solid_fields *fields, const mus_sim *sim, int part) {
  enum { RUN = 256 };
  if (sim->model.parts[part].lattice) {
    mus_lattices_fields(sim->lattices, &sim->state, part, fields->at_points[0], fields->at_points[1],
                        fields->at_points[2]);
    return;
  }
  const mus_solid_plan *plan = &fields->plan[part];
  const double *position = sim->state.position + 3 * (size_t)sim->model.parts[part].first_vertex;
  double scale = mus_settings_stiffness(&sim->settings, part, sim->state.time);
  int runs = (plan->count + RUN - 1) / RUN;
  MUS_PARALLEL_FOR_IF(plan->count >= MUS_PAR_MINIMUM)
  for (int r = 0; r < runs; ++r) {
    int first = r * RUN, count = plan->count - first < RUN ? plan->count - first : RUN;
    mus_solid_measure_run(plan, first, count, position, scale, fields->measure + first);
  }
}

// In the units of fields.
static void show_points(const mus_solid_fields *fields, int vertices, mus_field field, double *value) {
  const double *found = fields->at_points[field == MUS_FIELD_STRESS ? 0 : field == MUS_FIELD_VOLUME ? 1 : 2];
  for (int i = 0; i < vertices; ++i)
    value[i] = field == MUS_FIELD_STRESS ? found[i] : 100 * (field == MUS_FIELD_VOLUME ? found[i] - 1 : found[i]);
}

void mus_solid_fields_average(const mus_solid_fields *fields, const mus_model *model, int part, mus_field field,
                              double *value) {
  const mus_solid_plan *plan = &fields->plan[part];
  if (model->parts[part].lattice) {
    show_points(fields, model->parts[part].shape.mesh.vertices, field, value);
    return;
  }
  for (int t = 0; t < plan->count; ++t) {
    const mus_solid_measure *m = &fields->measure[t];
    fields->number[t] = field == MUS_FIELD_STRESS   ? m->mises
                        : field == MUS_FIELD_VOLUME ? 100 * m->volume
                                                    : 100 * mus_solid_strain(m);
  }
  mus_solid_average(plan, fields->number, value);
}

void mus_solid_fields_fill(const mus_solid_fields *fields, const mus_sim *sim, int part, mus_field field,
                           double *value) {
  if (field == MUS_FIELD_BEND) {
    mus_fill((size_t)sim->model.parts[part].shape.mesh.vertices, (double)NAN, value);
    return;
  }
  mus_solid_fields_measure(fields, sim, part);
  mus_solid_fields_average(fields, &sim->model, part, field, value);
}
