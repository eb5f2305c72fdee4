// Springs between pairs of vertices as kinds of elements: those of mass-spring cloth (mass_spring.h), which are all
// alike, and Choi and Ko's type 1 (choi_ko.h), which goes slack under compression.
//
// A spring of type 1 stands for the triangles beside it as a strip of the fabric in its direction: k = strip stiffness
// * area / length^2. A sheet then stretches as its fabric does along edges that form lines, and nearly so elsewhere.
//
// Those of solids lie along the edges of tetrahedra, and each tetrahedron adds the same stiffness to its six edges, k =
// 6 E V / sum L^2. If edges point in all directions alike, with V/6 around each on average, the energy per volume of a
// small strain e is E/5 (tr(e)^2 + 2 |e|^2): that of Young's modulus E and of Poisson's ratio 1/4, the only one that
// springs between points can have. In the lattice of isosurface stuffing they do, exactly: its springs along cubes'
// sides and diagonals are then as stiff as each other, which is what makes them isotropic.
#include <string.h>

#include "base/error.h"
#include "energy/choi_ko.h"
#include "energy/flank.h"
#include "energy/gather.h"
#include "energy/kinds.h"
#include "mesh/tetrahedra.h"

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

// --- edges of solids ------------------------------------------------------------------------------------------------

static int edge_between(const mus_edges *edges, int a, int b) {
  int low = a < b ? a : b, high = a < b ? b : a, from = 0, to = edges->edges - 1;
  while (from < to) {
    int middle = from + (to - from) / 2;
    const int *edge = edges->edge + 2 * (size_t)middle;
    if (edge[0] < low || (edge[0] == low && edge[1] < high))
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

static double distance(const double *position, int a, int b) {
  double way[3];
  mus_subtract3(position + 3 * (size_t)b, position + 3 * (size_t)a, way);
  return sqrt(mus_dot3(way, way));
}

// The stiffness that a tetrahedron adds to each of its edges; not positive if it has no volume or is inside out.
static double share_of_tetrahedron(const double *position, const int *corner, double young) {
  double edge[3][3], across[3], squares = 0;
  for (int k = 0; k < 3; ++k)
    mus_subtract3(position + 3 * (size_t)corner[k + 1], position + 3 * (size_t)corner[0], edge[k]);
  mus_cross3(edge[0], edge[1], across);
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b)
      squares += pow(distance(position, corner[a], corner[b]), 2);
  return young * mus_dot3(across, edge[2]) / squares; // six times the volume
}

static mus_status create_of_tetrahedra(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  const mus_solid_source *solid = source->solid;
  mus_edges edges = {0};
  int vertices = 0;
  for (int k = 0; solid && k < 4 * solid->count; ++k)
    vertices = solid->corner[k] < vertices ? vertices : solid->corner[k] + 1;
  if (solid) {
    mus_tetrahedra all = {.vertices = vertices, .tetrahedra = solid->count, .corner = (int *)solid->corner};
    mus_status status = mus_tetrahedra_edges(arena, &all, &edges);
    if (status)
      return status;
  }
  mus_status status = mus_element_list_allocate(arena, edges.edges, out);
  if (status || !solid)
    return status;
  const double *position = solid->rest ? solid->rest : source->mesh->position;
  double young = solid->mu * (3 * solid->lambda + 2 * solid->mu) / (solid->lambda + solid->mu);
  mus_spring_rest *rest = out->rest;
  out->vertex = edges.edge;
  for (int s = 0; s < out->count; ++s)
    rest[s] = (mus_spring_rest){.length = distance(position, edges.edge[2 * s], edges.edge[2 * s + 1])};
  for (int t = 0; t < solid->count; ++t) {
    const int *corner = solid->corner + 4 * (size_t)t;
    double share = share_of_tetrahedron(position, corner, young);
    if (!(share > 0) || !isfinite(share))
      return mus_fail(MUS_BAD_INPUT, "tetrahedron %d has no volume, or is inside out", t);
    for (int a = 0; a < 4; ++a)
      for (int b = a + 1; b < 4; ++b)
        rest[edge_between(&edges, corner[a], corner[b])].stiffness += share;
  }
  for (int s = 0; s < out->count; ++s)
    rest[s].damping = rest[s].stiffness * solid->damping;
  return MUS_OK;
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

// The nearest difference of length L: |x| - L is how far it is.
static void weigh(const mus_element_list *list, int first, int count, const mus_blend *blend, double scale,
                  double *weight) {
  const mus_spring_rest *rest = (const mus_spring_rest *)list->rest + first;
  for (int k = 0; k < count; ++k) {
    double w = scale * (blend->stiffness * rest[k].stiffness + blend->damping * rest[k].damping);
    weight[3 * k] = weight[3 * k + 2] = w;
    weight[3 * k + 1] = -w;
  }
}

const mus_element_kind mus_edge_spring_kind = {.name = "spring along an edge",
                                               .arity = 2,
                                               .rest_bytes = sizeof(mus_spring_rest),
                                               .strains = 1,
                                               .create = create_alike,
                                               .evaluate = evaluate_plain,
                                               .measure = measure_plain,
                                               .weigh = weigh,
                                               .bounded = 1};

const mus_element_kind mus_cross_spring_kind = {.name = "spring across a hinge",
                                                .arity = 2,
                                                .rest_bytes = sizeof(mus_spring_rest),
                                                .bends = 1,
                                                .energy = MUS_ENERGY_BEND,
                                                .create = create_across,
                                                .evaluate = evaluate_plain,
                                                .weigh = weigh,
                                                .bounded = 1};

const mus_element_kind mus_tension_spring_kind = {.name = "tension spring",
                                                  .arity = 2,
                                                  .rest_bytes = sizeof(mus_spring_rest),
                                                  .strains = 1,
                                                  .create = create_edges,
                                                  .evaluate = evaluate_tension,
                                                  .measure = measure_tension,
                                                  .weigh = weigh,
                                                  .bounded = 1};

const mus_element_kind mus_solid_spring_kind = {.name = "spring of a solid",
                                                .arity = 2,
                                                .rest_bytes = sizeof(mus_spring_rest),
                                                .strains = 1,
                                                .create = create_of_tetrahedra,
                                                .evaluate = evaluate_plain,
                                                .measure = measure_plain,
                                                .weigh = weigh,
                                                .bounded = 1};
