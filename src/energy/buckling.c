// Choi and Ko's type 2, energy/choi_ko.h, across the hinges: a kind of elements.
//
// A spring is a beam of bending stiffness 2/3 B |e|, with which a symmetric hinge bends a little as it does with
// mus_hinge_kind, and has a limit c equal to the type 1 stiffness of a spring in its place.
#include "energy/choi_ko.h"

#include <string.h>

#include "base/error.h"
#include "energy/flank.h"
#include "energy/gather.h"
#include "energy/kinds.h"

static mus_status create(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  const mus_topology *topology = source->topology;
  size_t count = (size_t)topology->hinges;
  int *vertex = mus_arena_alloc(arena, count * 2, sizeof *vertex);
  mus_status status = vertex ? mus_element_list_allocate(arena, topology->hinges, out) : mus_fail_memory();
  mus_buckling_rest *rest = out->rest;
  out->vertex = vertex;
  for (size_t s = 0; s < count && !status; ++s) {
    mus_strand found = {0};
    status = mus_strand_across_hinge(source->mesh, topology, (int)s, source->fabric, &found);
    mus_buckling_rest_make(found.length, found.beam, found.stiffness, found.stiffness * source->fabric->bend_damping,
                           &rest[s]);
    memcpy(vertex + 2 * s, topology->hinge + 4 * s + 2, 2 * sizeof *vertex);
  }
  return status;
}

static void evaluate(const mus_element_list *list, int first, int count, const mus_evaluation *evaluation) {
  const mus_evaluation e = *evaluation; // a copy that no store can change
  const mus_buckling_rest *rests = list->rest;
  for (int k = 0; k < count; ++k) {
    size_t s = (size_t)(first + k);
    mus_gathered p;
    mus_buckling_rest rest = rests[s];
    rest.stiffness *= e.scale;
    rest.limit *= e.scale;
    rest.damping *= e.scale;
    rest.offset *= e.scale; // the crossover stays: beam and limit scale alike
    mus_gather(2, list->vertex + 2 * s, k, &e, &p);
    mus_keep_energy(&e, k, mus_choi_ko_bend_element(&rest, &e.blend, p.x, p.v, p.gradient, p.block));
  }
}

// Tension grows with length by c, or, as a beam, by at most 8 k_b G'/(L G)^3 where both ends meet, at z = pi^2; across
// the spring it pushes, which counts as nothing.
static void weigh(const mus_element_list *list, int first, int count, const mus_blend *blend, double scale,
                  double *weight) {
  const mus_buckling_rest *rest = (const mus_buckling_rest *)list->rest + first;
  for (int k = 0; k < count; ++k) {
    double energy, tension, slope;
    mus_buckling_beam(rest[k].length, rest[k].stiffness, MUS_PI * MUS_PI, &energy, &tension, &slope);
    double steepest = rest[k].crossover > 0 ? fmax(rest[k].limit, slope) : rest[k].limit;
    double w = scale * (blend->stiffness * steepest + blend->damping * rest[k].damping);
    weight[3 * k] = weight[3 * k + 2] = w;
    weight[3 * k + 1] = -w;
  }
}

const mus_element_kind mus_buckling_kind = {.name = "buckling spring",
                                            .arity = 2,
                                            .rest_bytes = sizeof(mus_buckling_rest),
                                            .bends = 1,
                                            .energy = MUS_ENERGY_BEND,
                                            .create = create,
                                            .evaluate = evaluate,
                                            .weigh = weigh,
                                            .bounded = 1};
