// Tetrahedra of solids, energy/tetrahedron.h, as kinds of elements: one for each law.
#include "energy/tetrahedron.h"

#include "energy/gather.h"
#include "energy/kinds.h"
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

// The largest |s_i - 1| of each, and how many are inside out.
static void measure(const mus_element_list *list, int first, int count, const double *position, double scale,
                    double *strain, mus_element_sums *to) {
  const mus_tetrahedron_rest *rest = (const mus_tetrahedron_rest *)list->rest + first;
  mus_evaluation e = {.position = position};
  for (int k = 0; k < count; ++k) {
    double f[9], u[9], s[3], v[9];
    mus_gathered p;
    mus_gather(4, list->vertex + 4 * (size_t)(first + k), k, &e, &p);
    mus_tetrahedron_map(&rest[k], p.x, f);
    mus_svd3(f, u, s, v);
    strain[k] = fmax(fabs(s[0] - 1), fabs(s[2] - 1)); // s[1] lies between them
    to->strain = fmax(to->strain, strain[k]);
    to->inverted += s[2] < 0;
  }
  to->energy[MUS_ENERGY_STRETCH] += mus_element_list_energy(list, first, count, position, scale);
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
                                              .strains = 1,                                                            \
                                              .law = mus_##stem##_law,                                                 \
                                              .create = create,                                                        \
                                              .evaluate = evaluate_##stem,                                             \
                                              .measure = measure};

KIND(corotated, "co-rotated tetrahedron")
KIND(neo_hookean, "Neo-Hookean tetrahedron")
KIND(venant_kirchhoff, "St. Venant-Kirchhoff tetrahedron")
