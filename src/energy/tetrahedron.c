// Tetrahedra of solids, energy/tetrahedron.h, as kinds of elements: one for each law.
#include "energy/tetrahedron.h"

#include <string.h>

#include "base/error.h"
#include "energy/gather.h"
#include "energy/kinds.h"

static mus_status create(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  const mus_solid_source *solid = source->solid;
  mus_status status = mus_element_list_allocate(arena, solid ? solid->count : 0, out);
  if (status || !solid)
    return status;
  mus_tetrahedron_rest *rest = out->rest;
  const double *position = solid->rest ? solid->rest : source->mesh->position;
  out->vertex = solid->corner;
  *(mus_solid_constants *)out->material = (mus_solid_constants){{solid->mu, solid->lambda}, solid->damping};
  for (int t = 0; t < out->count; ++t) {
    double x[12];
    for (int k = 0; k < 4; ++k)
      memcpy(x + 3 * k, position + 3 * (size_t)solid->corner[4 * (size_t)t + (size_t)k], 3 * sizeof *x);
    mus_tetrahedron_rest_make(x, &rest[t]);
    if (!(rest[t].volume > 0) || !isfinite(rest[t].gradient[0]))
      return mus_fail(MUS_BAD_INPUT, "tetrahedron %d has no volume, or is inside out", t);
  }
  return MUS_OK;
}

static inline void evaluate(mus_solid_law *law, const mus_element_list *list, int first, int count,
                            const mus_evaluation *evaluation) {
  const mus_evaluation e = *evaluation; // a copy that no store can change
  const mus_tetrahedron_rest *rest = (const mus_tetrahedron_rest *)list->rest + first;
  const int *vertex = list->vertex + 4 * (size_t)first;
  mus_solid_constants constants = *(const mus_solid_constants *)list->material;
  constants.lame.mu *= e.scale;
  constants.lame.lambda *= e.scale;
  for (int k = 0; k < count; ++k) {
    mus_gathered p;
    mus_gather(4, vertex + 4 * (size_t)k, k, &e, &p);
    mus_keep_energy(&e, k, mus_tetrahedron_element(law, &rest[k], &constants, &e.blend, p.x, p.v, p.gradient, p.block));
  }
}

// The kind of a law: its function is known where elements are evaluated.
#define KIND(stem, title)                                                                                              \
  static void evaluate_##stem(const mus_element_list *list, int first, int count, const mus_evaluation *e) {           \
    evaluate(mus_##stem##_law, list, first, count, e);                                                                 \
  }                                                                                                                    \
  const mus_element_kind mus_##stem##_kind = {.name = title,                                                           \
                                              .arity = 4,                                                              \
                                              .rest_bytes = sizeof(mus_tetrahedron_rest),                              \
                                              .material_bytes = sizeof(mus_solid_constants),                           \
                                              .energy = MUS_ENERGY_STRETCH,                                            \
                                              .create = create,                                                        \
                                              .evaluate = evaluate_##stem};

KIND(corotated, "co-rotated tetrahedron")
KIND(neo_hookean, "Neo-Hookean tetrahedron")
KIND(venant_kirchhoff, "St. Venant-Kirchhoff tetrahedron")
