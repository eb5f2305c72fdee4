// Springs between pairs of vertices as kinds of elements: those of mass-spring cloth (mass_spring.h), which are all
// alike, and Choi and Ko's type 1 (choi_ko.h), which goes slack under compression.
//
// A spring of type 1 stands for the triangles beside it as a strip of the fabric in its direction: k = strip stiffness
// * area / length^2. A sheet then stretches as its fabric does along edges that form lines, and nearly so elsewhere.
#include <string.h>

#include "base/error.h"
#include "energy/choi_ko.h"
#include "energy/flank.h"
#include "energy/gather.h"
#include "energy/kinds.h"

// --- constant data ---------------------------------------------------------------------------------------------------

// Along the edges; of what stiffness, each kind says.
static mus_status create_edges(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  mus_status status = mus_element_list_allocate(arena, source->topology->edges, out);
  mus_spring_rest *rest = out->rest;
  out->vertex = source->topology->edge;
  for (int s = 0; s < out->count && !status; ++s) {
    mus_strand found = {0};
    status = mus_strand_along_edge(source->mesh, source->topology, s, source->fabric, &found);
    rest[s] = (mus_spring_rest){found.length, found.stiffness, found.stiffness * source->fabric->stretch_damping};
  }
  return status;
}

static void make_alike(double stiffness, double damping, mus_element_list *list) {
  mus_spring_rest *rest = list->rest;
  for (int s = 0; s < list->count; ++s)
    rest[s] = (mus_spring_rest){rest[s].length, stiffness, damping};
}

static mus_status create_alike(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  double stiffness = source->fabric->stretch[0];
  mus_status status = create_edges(arena, source, out);
  if (!status)
    make_alike(stiffness, stiffness * source->fabric->stretch_damping, out);
  return status;
}

static mus_status create_across(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  const mus_topology *topology = source->topology;
  double stiffness = source->fabric->bend[0];
  int *vertex = mus_arena_alloc(arena, (size_t)topology->hinges * 2, sizeof *vertex);
  mus_status status = vertex ? mus_element_list_allocate(arena, topology->hinges, out) : mus_fail_memory();
  mus_spring_rest *rest = out->rest;
  out->vertex = vertex;
  for (int s = 0; s < out->count && !status; ++s) {
    mus_strand found = {0};
    status = mus_strand_across_hinge(source->mesh, topology, s, source->fabric, &found);
    rest[s].length = found.length;
    memcpy(vertex + 2 * (size_t)s, topology->hinge + 4 * (size_t)s + 2, 2 * sizeof *vertex);
  }
  if (!status)
    make_alike(stiffness, stiffness * source->fabric->bend_damping, out);
  return status;
}

// --- runs ------------------------------------------------------------------------------------------------------------

static inline void evaluate(const mus_element_list *list, int tension_only, int first, int count,
                            const mus_evaluation *evaluation) {
  const mus_evaluation e = *evaluation; // a copy that no store can change
  const mus_spring_rest *rests = list->rest;
  for (int k = 0; k < count; ++k) {
    size_t s = (size_t)(first + k);
    mus_gathered p;
    mus_spring_rest rest = rests[s];
    rest.stiffness *= e.scale;
    rest.damping *= e.scale;
    mus_gather(2, list->vertex + 2 * s, k, &e, &p);
    mus_keep_energy(&e, k,
                    tension_only ? mus_choi_ko_stretch_element(&rest, &e.blend, p.x, p.v, p.gradient, p.block)
                                 : mus_spring_element(&rest, &e.blend, p.x, p.v, p.gradient, p.block));
  }
}

static void evaluate_plain(const mus_element_list *list, int first, int count, const mus_evaluation *evaluation) {
  evaluate(list, 0, first, count, evaluation);
}

static void evaluate_tension(const mus_element_list *list, int first, int count, const mus_evaluation *evaluation) {
  evaluate(list, 1, first, count, evaluation);
}

// How far springs are drawn out; those that go slack under compression have no strain then.
static inline void measure(const mus_element_list *list, int tension_only, int first, int count, const double *x,
                           double scale, double *strain, mus_element_sums *to) {
  const mus_spring_rest *rest = list->rest;
  for (int k = 0; k < count; ++k) {
    const int *end = list->vertex + 2 * (size_t)(first + k);
    double way[3];
    mus_subtract3(x + 3 * (size_t)end[1], x + 3 * (size_t)end[0], way);
    double drawn = sqrt(mus_dot3(way, way)) / rest[first + k].length - 1;
    strain[k] = tension_only ? fmax(drawn, 0) : fabs(drawn);
    to->strain = fmax(to->strain, strain[k]);
  }
  to->energy[MUS_ENERGY_STRETCH] += mus_element_list_energy(list, first, count, x, scale);
}

static void measure_plain(const mus_element_list *list, int first, int count, const double *position, double scale,
                          double *strain, mus_element_sums *to) {
  measure(list, 0, first, count, position, scale, strain, to);
}

static void measure_tension(const mus_element_list *list, int first, int count, const double *position, double scale,
                            double *strain, mus_element_sums *to) {
  measure(list, 1, first, count, position, scale, strain, to);
}

const mus_element_kind mus_edge_spring_kind = {.name = "spring along an edge",
                                               .arity = 2,
                                               .rest_bytes = sizeof(mus_spring_rest),
                                               .strains = 1,
                                               .create = create_alike,
                                               .evaluate = evaluate_plain,
                                               .measure = measure_plain};

const mus_element_kind mus_cross_spring_kind = {.name = "spring across a hinge",
                                                .arity = 2,
                                                .rest_bytes = sizeof(mus_spring_rest),
                                                .bends = 1,
                                                .energy = MUS_ENERGY_BEND,
                                                .create = create_across,
                                                .evaluate = evaluate_plain};

const mus_element_kind mus_tension_spring_kind = {.name = "tension spring",
                                                  .arity = 2,
                                                  .rest_bytes = sizeof(mus_spring_rest),
                                                  .strains = 1,
                                                  .create = create_edges,
                                                  .evaluate = evaluate_tension,
                                                  .measure = measure_tension};
