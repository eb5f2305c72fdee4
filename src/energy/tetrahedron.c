// Tetrahedra of solids, energy/tetrahedron.h, as kinds of elements: one for each law.
#include "energy/tetrahedron.h"

#include "energy/kinds.h"
#include "energy/lanes_run.h"
#include "energy/solid_measure.h"

static mus_status create(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  const mus_solid_source *solid = source->solid;
  mus_status status = mus_element_list_allocate(arena, solid ? solid->count : 0, out);
  if (status || !solid)
    return status;
  out->vertex = solid->corner;
  *(mus_solid_constants *)out->material = (mus_solid_constants){{solid->mu, solid->lambda}, solid->damping};
  return mus_tetrahedron_rests(solid, solid->rest ? solid->rest : source->mesh->position, out->rest);
}

static mus_lanes_task task_of(const mus_element_list *list, int first, int count, double scale) {
  mus_lanes_task task = {.count = count,
                         .vertex = list->vertex + 4 * (size_t)first,
                         .rest = (const double *)((const mus_tetrahedron_rest *)list->rest + first), // only numbers
                         .solid = *(const mus_solid_constants *)list->material};
  task.solid.lame.mu *= scale;
  task.solid.lame.lambda *= scale;
  return task;
}

static mus_lanes_task task_of_evaluation(const mus_element_list *list, int first, int count, const mus_evaluation *e) {
  mus_lanes_task task = task_of(list, first, count, e->scale);
  task.position = e->position;
  task.velocity = mus_evaluation_motion(e);
  task.blend = e->blend;
  task.energy = e->energy;
  task.gradient = e->gradient;
  task.block = e->block;
  return task;
}

// Strains are the largest |s_i - 1| of each.
static inline void measure(void (*run)(const mus_lanes_task *), const mus_element_list *list, int first, int count,
                           const double *position, double scale, double *strain, mus_element_sums *to) {
  enum { RUN = 64 };
  double energy[RUN], stretch[2 * RUN];
  for (int done = 0; done < count; done += RUN) {
    mus_lanes_task task = task_of(list, first + done, count - done < RUN ? count - done : RUN, scale);
    task.position = position;
    task.energy = energy;
    task.stretch = stretch;
    run(&task);
    for (int k = 0; k < task.count; ++k) {
      double most = fmax(fabs(stretch[2 * k] - 1), fabs(stretch[2 * k + 1] - 1)); // the third lies between
      strain[done + k] = most;
      to->strain = fmax(to->strain, most);
      to->energy[MUS_ENERGY_STRETCH] += energy[k];
    }
  }
}

// Co-rotated tetrahedra as projections: mu |F - R|^2 is how far F is from the nearest rotation, weight 2 mu, and
// lambda/2 (tr(R^T F) - 3)^2 how far it is from F + c R whose trace is 3, weight 3 lambda. Damping counts as it is
// about the shape at rest.
static void weigh_corotated(const mus_element_list *list, int first, int count, const mus_blend *blend, double scale,
                            double *weight) {
  const mus_tetrahedron_rest *rest = (const mus_tetrahedron_rest *)list->rest + first;
  const mus_solid_constants *c = list->material;
  double each = scale * (2 * c->lame.mu + 3 * c->lame.lambda) * (blend->stiffness + blend->damping * c->damping);
  for (int k = 0; k < count; ++k)
    for (int a = 0; a < 4; ++a)
      for (int b = a; b < 4; ++b)
        *weight++ = each * rest[k].volume * mus_dot3(rest[k].gradient + 3 * a, rest[k].gradient + 3 * b);
}

// The kind of a law.
#define KIND(stem, title, projection)                                                                                  \
  static void evaluate_##stem(const mus_element_list *list, int first, int count, const mus_evaluation *e) {           \
    mus_lanes_task task = task_of_evaluation(list, first, count, e);                                                   \
    mus_lanes_longest()->stem(&task);                                                                                  \
  }                                                                                                                    \
  static void measure_##stem(const mus_element_list *list, int first, int count, const double *x, double scale,        \
                             double *strain, mus_element_sums *to) {                                                   \
    measure(mus_lanes_longest()->stem, list, first, count, x, scale, strain, to);                                      \
  }                                                                                                                    \
  const mus_element_kind mus_##stem##_kind = {TETRAHEDRA,                                                              \
                                              .name = title,                                                           \
                                              .law = mus_##stem##_law,                                                 \
                                              .evaluate = evaluate_##stem,                                             \
                                              .measure = measure_##stem,                                               \
                                              .bounded = (projection) != NULL,                                         \
                                              .weigh = projection};

#define TETRAHEDRA                                                                                                     \
  .arity = 4, .rest_bytes = sizeof(mus_tetrahedron_rest), .material_bytes = sizeof(mus_solid_constants), .strains = 1, \
  .create = create

KIND(corotated, "co-rotated tetrahedron", weigh_corotated)
KIND(neo_hookean, "Neo-Hookean tetrahedron", NULL)
KIND(venant_kirchhoff, "St. Venant-Kirchhoff tetrahedron", NULL)
