// Bending at hinges, energy/bend.h, with weights from the fabric: a kind of elements.
#include <string.h>

#include "energy/bend.h"
#include "energy/flank.h"
#include "energy/gather.h"
#include "energy/kinds.h"
#include "energy/lanes_run.h"

static double angle_at(const int *vertex, const double *position) {
  double x[12];
  mus_hinge_state state;
  for (int k = 0; k < 4; ++k)
    memcpy(x + 3 * k, position + 3 * (size_t)vertex[k], 3 * sizeof *x);
  mus_hinge_state_make(x, &state);
  return state.angle;
}

// A hinge laid flat: of the corners c and d, one over the height over the edge, 1/m, and where they stand on the edge,
// 0 at a and 1 at b.
typedef struct flat_hinge {
  float steep[2], foot[2];
} flat_hinge;

static mus_status create(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  const mus_topology *topology = source->topology;
  const mus_fabric *fabric = source->fabric;
  mus_status status = mus_element_list_allocate(arena, topology->hinges, out);
  mus_hinge_rest *rest = out->rest;
  flat_hinge *flat = out->shape;
  out->vertex = topology->hinge;
  for (int h = 0; h < out->count && !status; ++h) {
    mus_flank f[2];
    status = mus_flanks_of_hinge(source->mesh, topology, h, f);
    if (status)
      return status;
    double length = (f[0].length + f[1].length) / 2,
           stiffness = (mus_flank_bend(fabric, &f[0]) + mus_flank_bend(fabric, &f[1])) / 2;
    rest[h].weight = stiffness * mus_hinge_shape(length, f[0].area + f[1].area, (f[0].apex + f[1].apex) / 2);
    rest[h].damping = rest[h].weight * fabric->bend_damping;
    for (int k = 0; k < 2; ++k) {
      flat[h].steep[k] = (float)(1 / f[k].height);
      flat[h].foot[k] = (float)(f[k].foot / f[k].length);
    }
    rest[h].angle = source->shaped ? angle_at(out->vertex + 4 * (size_t)h, source->mesh->position) : 0;
  }
  return status;
}

static void evaluate(const mus_element_list *list, int first, int count, const mus_evaluation *evaluation) {
  const mus_evaluation e = *evaluation; // a copy that no store can change
  const mus_hinge_rest *rests = (const mus_hinge_rest *)list->rest + first;
  const int *vertex = list->vertex + 4 * (size_t)first;
  if (!e.block && !e.blend.exact) {
    mus_lanes_task task = {.count = count,
                           .vertex = vertex,
                           .rest = (const double *)rests, // a struct of nothing but numbers
                           .position = e.position,
                           .velocity = mus_evaluation_motion(&e),
                           .blend = e.blend,
                           .scale = e.scale,
                           .energy = e.energy,
                           .gradient = e.gradient,
                           .rank_one = e.rank_one};
    mus_lanes_longest()->hinges(&task);
    return;
  }
  for (int k = 0; k < count; ++k) {
    mus_gathered p;
    mus_hinge_rest rest = rests[k];
    rest.weight *= e.scale;
    rest.damping *= e.scale;
    mus_gather(4, vertex + 4 * (size_t)k, k, &e, &p);
    mus_keep_energy(&e, k, mus_hinge_element(&rest, &e.blend, p.x, p.v, p.gradient, p.block));
  }
}

// Where a hinge is flat, dtheta/dx_i = c_i n with the normal n; whichever way that points, (c_i c_j) is no less. Folded
// hinges, and moments, have more than that.
static void weigh(const mus_element_list *list, int first, int count, const mus_blend *blend, double scale,
                  double *weight) {
  const mus_hinge_rest *rest = (const mus_hinge_rest *)list->rest + first;
  const flat_hinge *flat = (const flat_hinge *)list->shape + first;
  for (int k = 0; k < count; ++k) {
    double c = flat[k].steep[0], d = flat[k].steep[1], b = -(c * flat[k].foot[0] + d * flat[k].foot[1]);
    double part[4] = {-(b + c + d), b, c, d}; // which move with the hinge as a whole without turning it
    double w = scale * (blend->stiffness * rest[k].weight + blend->damping * rest[k].damping);
    for (int i = 0; i < 4; ++i)
      for (int j = i; j < 4; ++j)
        *weight++ = w * part[i] * part[j];
  }
}

const mus_element_kind mus_hinge_kind = {.name = "hinge",
                                         .arity = 4,
                                         .rest_bytes = sizeof(mus_hinge_rest),
                                         .shape_bytes = sizeof(flat_hinge),
                                         .rank_one = 1,
                                         .bends = 1,
                                         .energy = MUS_ENERGY_BEND,
                                         .create = create,
                                         .evaluate = evaluate,
                                         .weigh = weigh};
