// Stretch and shear of triangles, with drag. See membrane.h.
#include "energy/membrane.h"

#include <string.h>

#include "base/error.h"
#include "energy/drag.h"
#include "energy/gather.h"
#include "energy/kinds.h"
#include "energy/lanes_run.h"
#include "energy/strain_limit.h"

static mus_status create(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  const mus_mesh *mesh = source->mesh;
  mus_status status = mus_element_list_allocate(arena, mesh->triangles, out);
  if (status)
    return status;
  mus_membrane_rest *rest = out->rest;
  mus_membrane_material *material = out->material;
  out->vertex = mesh->triangle;
  *material = mus_fabric_membrane(source->fabric);
  memcpy(out->limit, source->fabric->strain_limit, sizeof out->limit);
  for (size_t t = 0; t < (size_t)mesh->triangles; ++t)
    if (!mus_membrane_rest_make(mesh->material + 6 * t, &rest[t]))
      return mus_fail(MUS_BAD_INPUT, "triangle %zu has no area in the material; repair the mesh's rest shape", t);
  return MUS_OK;
}

static mus_membrane_material scaled(const mus_membrane_material *from, double scale) {
  mus_membrane_material material = *from;
  for (int k = 0; k < 2; ++k) {
    material.stretch[k] *= scale;
    material.stretch_damping[k] *= scale;
  }
  material.shear *= scale;
  material.shear_damping *= scale;
  return material;
}

// One after the other.
static void evaluate_singly(const mus_element_list *list, int first, int count, const mus_evaluation *evaluation) {
  mus_evaluation e = *evaluation;
  const mus_membrane_rest *rest = list->rest;
  mus_membrane_material material = scaled(list->material, e.scale);
  for (int k = 0; k < count; ++k) {
    size_t t = (size_t)(first + k);
    mus_gathered p;
    mus_gather(3, list->vertex + 3 * t, k, &e, &p);
    mus_keep_energy(&e, k, mus_membrane_element(&rest[t], &material, &e.blend, p.x, p.v, p.gradient, p.block));
  }
  e.scale = 1;
  if (e.weather)
    mus_drag_add(list->vertex, first, count, &e);
}

// Of a mus_membrane_rest, which has nothing else: lanes read them as such.
enum { NUMBERS = sizeof(mus_membrane_rest) / sizeof(double) };

static mus_lanes_task task_of(const mus_element_list *list, int first, int count, const mus_evaluation *e) {
  return (mus_lanes_task){.count = count,
                          .vertex = list->vertex + 3 * (size_t)first,
                          .rest = (const double *)list->rest + NUMBERS * (size_t)first,
                          .position = e->position,
                          .velocity = mus_evaluation_motion(e),
                          .blend = e->blend,
                          .material = scaled(list->material, e->scale),
                          .air = e->weather ? &e->weather->air : NULL,
                          .wind = e->weather ? e->weather->wind : NULL,
                          .gusts = e->weather && e->weather->gusts,
                          .energy = e->energy,
                          .gradient = e->gradient,
                          .block = e->block};
}

static void evaluate(const mus_element_list *list, int first, int count, const mus_evaluation *e) {
  enum { RUN = 64 };
  double wind[3 * RUN];
  if (e->blend.exact) {
    evaluate_singly(list, first, count, e);
    return;
  }
  const mus_lanes *lanes = mus_lanes_longest();
  mus_lanes_task task = task_of(list, first, count, e);
  if (!task.gusts) {
    lanes->membranes(&task);
    return;
  }
  task.wind = wind;
  const double *place = e->blend.per_second > 0 ? e->before : e->position;
  for (int done = 0; done < count; done += RUN) {
    task.count = count - done < RUN ? count - done : RUN;
    for (int k = 0; k < task.count; ++k)
      mus_wind_on(e->weather, e->time, task.vertex + 3 * k, place, wind + 3 * k);
    lanes->membranes(&task);
    task.vertex += 3 * RUN;
    task.rest += NUMBERS * RUN;
    task.energy += task.energy ? RUN : 0;
    task.gradient += task.gradient ? 9 * RUN : 0;
    task.block += task.block ? 54 * RUN : 0;
  }
}

mus_membrane_measure mus_membrane_measured(const mus_element_list *list, int triangle, const double *position,
                                           double scale) {
  const mus_evaluation e = {.position = position};
  const mus_membrane_rest *rest = (const mus_membrane_rest *)list->rest + triangle;
  const mus_membrane_material *material = list->material;
  mus_gathered p;
  mus_membrane_state state;
  mus_membrane_material stretch = *material, shear = *material;
  shear.stretch[0] = shear.stretch[1] = stretch.shear = 0;
  mus_gather(3, list->vertex + 3 * (size_t)triangle, 0, &e, &p);
  mus_membrane_state_make(rest, p.x, &state);
  return (mus_membrane_measure){.stretch = scale * mus_membrane_energy(rest, &stretch, &state),
                                .shear = scale * mus_membrane_energy(rest, &shear, &state),
                                .strain = {state.length_u - 1, state.length_v - 1}};
}

static void measure(const mus_element_list *list, int first, int count, const double *position, double scale,
                    double *strain, mus_element_sums *to) {
  for (int k = 0; k < count; ++k) {
    mus_membrane_measure found = mus_membrane_measured(list, first + k, position, scale);
    strain[k] = fmax(fabs(found.strain[0]), fabs(found.strain[1]));
    to->energy[MUS_ENERGY_STRETCH] += found.stretch;
    to->energy[MUS_ENERGY_SHEAR] += found.shear;
    to->strain = fmax(to->strain, strain[k]);
    double reached = 0;
    for (int d = 0; d < 2; ++d)
      if (list->limit[d] > 0)
        reached = fmax(reached, found.strain[d] / list->limit[d]);
    if (reached > to->reached) {
      to->reached = reached;
      mus_zero(3, to->place);
      for (int v = 0; v < 3; ++v)
        mus_add_scaled3(1.0 / 3, position + 3 * (size_t)list->vertex[3 * (size_t)(first + k) + (size_t)v], to->place);
    }
    to->beyond += reached > 1 + MUS_LIMIT_SLACK;
  }
}

static void limit(const mus_element_list *list, int first, int count, const mus_limiting *limiting) {
  const mus_limiting task = *limiting; // a copy that no store can change
  const mus_membrane_rest *rest = (const mus_membrane_rest *)list->rest + first;
  const mus_evaluation e = {.position = task.position, .gradient = task.gradient, .block = task.block};
  for (int k = 0; k < count; ++k) {
    mus_gathered p;
    double length[2];
    mus_gather(3, list->vertex + 3 * (size_t)(first + k), k, &e, &p);
    const double *reach = task.reach + 2 * (size_t)k;
    mus_strain_limit limits = {{reach[0], reach[1]}, task.softness, task.stiffness};
    mus_strain_limit_element(&rest[k], &limits, p.x, length, p.gradient, p.block);
    if (task.length)
      memcpy(task.length + 2 * (size_t)k, length, sizeof length);
  }
}

// Stretch is how far w is from the unit vectors, weight k a. Shear has no such projection: its second derivative is at
// most k a (|w_u|^2 + |w_v|^2 + |w_u . w_v|), in both w alike, which is 2 k a at rest and grows with strain.
static void weigh(const mus_element_list *list, int first, int count, const mus_blend *blend, double scale,
                  double *weight) {
  const mus_membrane_rest *rest = (const mus_membrane_rest *)list->rest + first;
  mus_membrane_material m = scaled(list->material, scale);
  double shear = MUS_SHEAR_BOUND * (blend->stiffness * m.shear + blend->damping * m.shear_damping);
  double along[2];
  for (int k = 0; k < 2; ++k)
    along[k] = blend->stiffness * m.stretch[k] + blend->damping * m.stretch_damping[k] + shear;
  for (int k = 0; k < count; ++k) {
    const mus_membrane_rest *r = &rest[k];
    double s[3] = {-(r->s[0] + r->s[1]), r->s[0], r->s[1]}, t[3] = {-(r->t[0] + r->t[1]), r->t[0], r->t[1]};
    for (int a = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b)
        *weight++ = r->area * (along[0] * s[a] * s[b] + along[1] * t[a] * t[b]);
  }
}

const mus_element_kind mus_membrane_kind = {.name = "membrane",
                                            .arity = 3,
                                            .rest_bytes = sizeof(mus_membrane_rest),
                                            .material_bytes = sizeof(mus_membrane_material),
                                            .strains = 1,
                                            .create = create,
                                            .evaluate = evaluate,
                                            .measure = measure,
                                            .limit = limit,
                                            .weigh = weigh,
                                            .lump = mus_drag_evaluate};
