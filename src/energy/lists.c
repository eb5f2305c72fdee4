// Element data from a mesh, and runs of elements. See lists.h.
#include "energy/lists.h"

#include <string.h>

#include "base/error.h"
#include "energy/lanes_run.h"

// --- constant data ------------------------------------------------------------------------------------------------

mus_status mus_membranes_create(mus_arena *arena, const mus_mesh *mesh, const mus_fabric *fabric, mus_membranes *out) {
  size_t count = (size_t)mesh->triangles;
  mus_membrane_rest *rest = mus_arena_alloc(arena, count, sizeof *rest);
  if (!rest)
    return mus_fail_memory();
  for (size_t t = 0; t < count; ++t)
    if (!mus_membrane_rest_make(mesh->material + 6 * t, &rest[t]))
      return mus_fail(MUS_BAD_INPUT, "triangle %zu has no area in the material; repair the mesh's rest shape", t);
  *out = (mus_membranes){.count = mesh->triangles, .vertex = mesh->triangle, .rest = rest};
  out->material = mus_fabric_membrane(fabric);
  return MUS_OK;
}

// A triangle in the material, seen from one of its sides.
typedef struct flank {
  double length;       // of the side, m
  double cosine, sine; // of its angle to the warp
  double turn;         // 1 where the third corner lies to the left of the side, -1 where to the right (turned over)
  double height, foot; // of the third corner: over the side, and along it from where it starts, m
  double apex;         // the cosine of the angle there
  double area;         // m^2
} flank;

// MUS_BAD_INPUT where the triangle has no area.
static mus_status flank_of(const mus_mesh *mesh, int side, flank *out) {
  const double *uv = mesh->material + 6 * (size_t)(side / 3);
  const double *apex = uv + 2 * (side % 3), *from = uv + 2 * ((side + 1) % 3), *to = uv + 2 * ((side + 2) % 3);
  mus_membrane_rest rest;
  if (!mus_membrane_rest_make(uv, &rest))
    return mus_fail(MUS_BAD_INPUT, "triangle %d has no area in the material; repair the mesh's rest shape", side / 3);
  double u = to[0] - from[0], v = to[1] - from[1];
  out->length = sqrt(u * u + v * v);
  out->cosine = u / out->length;
  out->sine = v / out->length;
  out->turn = u * (apex[1] - from[1]) - v * (apex[0] - from[0]) > 0 ? 1 : -1;
  out->area = rest.area;
  out->height = 2 * rest.area / out->length;
  out->foot = (apex[0] - from[0]) * out->cosine + (apex[1] - from[1]) * out->sine;
  double beyond = out->length - out->foot, square = out->height * out->height;
  out->apex = (square - out->foot * beyond) / sqrt((square + out->foot * out->foot) * (square + beyond * beyond));
  return MUS_OK;
}

// The flanks of a hinge as seen walking from a to b: that of c first, then that of d. Along a seam their sides may have
// different lengths.
static mus_status hinge_flanks(const mus_mesh *mesh, const mus_topology *topology, int hinge, flank *out) {
  const int *side = topology->edge_side + topology->edge_side_start[topology->hinge_edge[hinge]];
  const int *node = topology->hinge + 4 * (size_t)hinge;
  for (int k = 0; k < 2; ++k) {
    int own = mus_side_apex(mesh, side[0]) == node[2 + k] ? side[0] : side[1];
    mus_status status = flank_of(mesh, own, &out[k]);
    if (status)
      return status;
    if (mus_side_from(mesh, own) != node[0]) {
      out[k].foot = out[k].length - out[k].foot;
      out[k].cosine = -out[k].cosine;
      out[k].sine = -out[k].sine;
      out[k].turn = -out[k].turn;
    }
  }
  return MUS_OK;
}

// Bending at an edge happens across it: at right angles to the edge's direction.
static double bend_across(const mus_fabric *fabric, const flank *f) {
  return mus_bend_stiffness(fabric->bend[0], fabric->bend[1], fabric->bend[2], f->sine, f->cosine);
}

mus_status mus_hinges_create(mus_arena *arena, const mus_mesh *mesh, const mus_topology *topology,
                             const mus_fabric *fabric, mus_rest_angle angle, mus_hinges *out) {
  size_t count = (size_t)topology->hinges;
  const int *vertex = topology->hinge;
  mus_hinge_rest *rest = mus_arena_alloc(arena, count, sizeof *rest);
  if (!rest)
    return mus_fail_memory();
  for (size_t h = 0; h < count; ++h) {
    flank f[2];
    mus_status status = hinge_flanks(mesh, topology, (int)h, f);
    if (status)
      return status;
    double length = (f[0].length + f[1].length) / 2,
           stiffness = (bend_across(fabric, &f[0]) + bend_across(fabric, &f[1])) / 2;
    rest[h].weight = stiffness * mus_hinge_shape(length, f[0].area + f[1].area, (f[0].apex + f[1].apex) / 2);
    rest[h].damping = rest[h].weight * fabric->bend_damping;
    rest[h].angle = 0;
    if (angle == MUS_REST_SHAPED) {
      double x[12];
      mus_hinge_state state;
      for (int k = 0; k < 4; ++k)
        memcpy(x + 3 * k, mesh->position + 3 * (size_t)vertex[4 * h + (size_t)k], 3 * sizeof *x);
      mus_hinge_state_make(x, &state);
      rest[h].angle = state.angle;
    }
  }
  *out = (mus_hinges){.count = topology->hinges, .vertex = vertex, .rest = rest};
  return MUS_OK;
}

// A spring in the flat material.
typedef struct strand {
  double length;    // m
  double stiffness; // N/m, as a strip of fabric that stands for the area beside it; 0 without a fabric
  double beam;      // N m^2, bending stiffness across a hinge
} strand;

static mus_status strand_along_edge(const mus_mesh *mesh, const mus_topology *topology, int edge,
                                    const mus_fabric *fabric, strand *out) {
  int sides = mus_edge_sides(topology, edge);
  double length = 0, stiffness = 0;
  for (int k = 0; k < sides; ++k) {
    flank f;
    mus_status status = flank_of(mesh, topology->edge_side[topology->edge_side_start[edge] + k], &f);
    if (status)
      return status;
    length += f.length / sides;
    if (fabric)
      stiffness += mus_fabric_strip(fabric, f.cosine, f.sine) * f.area / (f.length * f.length);
  }
  *out = (strand){.length = length, .stiffness = stiffness};
  return MUS_OK;
}

// Across a hinge laid flat, from c to d. What the line's direction is in the material, each of the two panels says.
static mus_status strand_across_hinge(const mus_mesh *mesh, const mus_topology *topology, int hinge,
                                      const mus_fabric *fabric, strand *out) {
  flank f[2];
  mus_status status = hinge_flanks(mesh, topology, hinge, f);
  if (status)
    return status;
  double along = f[1].foot - f[0].foot, across = f[0].height + f[1].height;
  double square = along * along + across * across, length = sqrt(square);
  *out = (strand){.length = length};
  for (int k = 0; k < 2 && fabric; ++k) {
    double left = (k == 0 ? -across : across) * f[k].turn; // away from c, towards d
    double cosine = (along * f[k].cosine - left * f[k].sine) / length;
    double sine = (along * f[k].sine + left * f[k].cosine) / length;
    out->stiffness += mus_fabric_strip(fabric, cosine, sine) * f[k].area / square;
    out->beam += bend_across(fabric, &f[k]) * f[k].length / 3;
  }
  return MUS_OK;
}

static mus_status springs_allocate(mus_arena *arena, int count, mus_springs *out) {
  int *vertex = mus_arena_alloc(arena, (size_t)count * 2, sizeof *vertex);
  mus_spring_rest *rest = mus_arena_alloc(arena, (size_t)count, sizeof *rest);
  if (!vertex || !rest)
    return mus_fail_memory();
  *out = (mus_springs){.count = count, .vertex = vertex, .rest = rest};
  return MUS_OK;
}

mus_status mus_springs_create(mus_arena *arena, const mus_mesh *mesh, const mus_topology *topology,
                              mus_spring_place place, double stiffness, double damping, mus_springs *out) {
  mus_springs list;
  mus_status status = springs_allocate(arena, place == MUS_ALONG_EDGES ? topology->edges : topology->hinges, &list);
  for (int s = 0; s < list.count && !status; ++s) {
    strand found = {0};
    status = place == MUS_ALONG_EDGES ? strand_along_edge(mesh, topology, s, NULL, &found)
                                      : strand_across_hinge(mesh, topology, s, NULL, &found);
    const int *end = place == MUS_ALONG_EDGES ? topology->edge + 2 * (size_t)s : topology->hinge + 4 * (size_t)s + 2;
    memcpy(list.vertex + 2 * (size_t)s, end, 2 * sizeof *end);
    list.rest[s] = (mus_spring_rest){found.length, stiffness, damping};
  }
  if (!status)
    *out = list;
  return status;
}

mus_status mus_springs_of_fabric(mus_arena *arena, const mus_mesh *mesh, const mus_topology *topology,
                                 const mus_fabric *fabric, mus_springs *out) {
  mus_springs list;
  mus_status status = springs_allocate(arena, topology->edges, &list);
  for (int s = 0; s < list.count && !status; ++s) {
    strand found = {0};
    status = strand_along_edge(mesh, topology, s, fabric, &found);
    list.rest[s] = (mus_spring_rest){found.length, found.stiffness, found.stiffness * fabric->stretch_damping};
  }
  if (status)
    return status;
  memcpy(list.vertex, topology->edge, (size_t)list.count * 2 * sizeof *list.vertex);
  list.tension_only = 1;
  *out = list;
  return MUS_OK;
}

mus_status mus_bucklings_create(mus_arena *arena, const mus_mesh *mesh, const mus_topology *topology,
                                const mus_fabric *fabric, mus_bucklings *out) {
  size_t count = (size_t)topology->hinges;
  int *vertex = mus_arena_alloc(arena, count * 2, sizeof *vertex);
  mus_buckling_rest *rest = mus_arena_alloc(arena, count, sizeof *rest);
  if (!vertex || !rest)
    return mus_fail_memory();
  for (size_t s = 0; s < count; ++s) {
    strand found;
    mus_status status = strand_across_hinge(mesh, topology, (int)s, fabric, &found);
    if (status)
      return status;
    mus_buckling_rest_make(found.length, found.beam, found.stiffness, found.stiffness * fabric->bend_damping, &rest[s]);
    memcpy(vertex + 2 * s, topology->hinge + 4 * s + 2, 2 * sizeof *vertex);
  }
  *out = (mus_bucklings){.count = topology->hinges, .vertex = vertex, .rest = rest};
  return MUS_OK;
}

// --- runs of elements ---------------------------------------------------------------------------------------------

enum { ARITY_MAXIMUM = 4 };

// Where an element's numbers come from and go to; pointers NULL where there is nothing.
typedef struct place {
  double x[3 * ARITY_MAXIMUM], velocity[3 * ARITY_MAXIMUM];
  const double *v;
  double *gradient, *block;
} place;

// The `k`-th element of a run, whose vertices are given.
static inline void place_of(int arity, const int *vertex, int k, const mus_evaluation *e, place *p) {
  size_t run = (size_t)k, blocks = (size_t)(arity * (arity + 1) / 2);
  for (int c = 0; c < arity; ++c) {
    size_t from = 3 * (size_t)vertex[c];
    for (int m = 0; m < 3; ++m) {
      p->x[3 * c + m] = e->position[from + (size_t)m];
      p->velocity[3 * c + m] = e->velocity ? e->velocity[from + (size_t)m] : 0;
    }
  }
  p->v = e->velocity ? p->velocity : NULL;
  p->gradient = e->gradient ? e->gradient + 3 * (size_t)arity * run : NULL;
  p->block = e->block ? e->block + 9 * blocks * run : NULL;
}

static inline void keep_energy(const mus_evaluation *e, int k, double energy) {
  if (e->energy)
    e->energy[k] = energy;
}

// --- runs of several elements at once --------------------------------------------------------------------------------

const mus_lanes *mus_lanes_of(int lanes) {
#if MUSLIN_X86
  if (lanes == 4 && __builtin_cpu_supports("avx2"))
    return &mus_lanes_4;
  if (lanes == 8 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    return &mus_lanes_8;
#endif
  return lanes == 2 ? &mus_lanes_2 : NULL;
}

static const mus_lanes *longest_lanes(void) {
  for (int lanes = 8; lanes > 2; lanes /= 2)
    if (mus_lanes_of(lanes))
      return mus_lanes_of(lanes);
  return &mus_lanes_2;
}

static mus_lanes_task lanes_task(int count, const int *vertex, const void *rest, const mus_evaluation *e) {
  return (mus_lanes_task){.count = count,
                          .vertex = vertex,
                          .rest = rest, // a struct of nothing but numbers
                          .position = e->position,
                          .velocity = e->velocity,
                          .blend = e->blend,
                          .scale = e->scale,
                          .energy = e->energy,
                          .gradient = e->gradient,
                          .block = e->block,
                          .rank_one = e->rank_one};
}

static void wind_on(const mus_weather *weather, const int *vertex, const double *position, double *wind) {
  double middle[3];
  for (int m = 0; m < 3; ++m)
    middle[m] = (position[3 * (size_t)vertex[0] + (size_t)m] + position[3 * (size_t)vertex[1] + (size_t)m] +
                 position[3 * (size_t)vertex[2] + (size_t)m]) /
                3;
  mus_wind_at(weather->wind, weather->gusts, middle, weather->time, wind);
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
static void evaluate_membranes(const mus_membranes *list, int first, int count, const mus_evaluation *evaluation) {
  mus_evaluation e = *evaluation;
  mus_membrane_material material = scaled(&list->material, e.scale);
  for (int k = 0; k < count; ++k) {
    size_t t = (size_t)(first + k);
    place p;
    place_of(3, list->vertex + 3 * t, k, &e, &p);
    keep_energy(&e, k, mus_membrane_element(&list->rest[t], &material, &e.blend, p.x, p.v, p.gradient, p.block));
  }
  e.scale = 1;
  if (e.weather)
    mus_drag_add(list->vertex, first, count, e.weather, &e);
}

void mus_membranes_evaluate(const mus_membranes *list, int first, int count, const mus_evaluation *e) {
  enum { RUN = 64 };
  double wind[3 * RUN];
  if (e->blend.exact) {
    evaluate_membranes(list, first, count, e);
    return;
  }
  mus_lanes_task task = lanes_task(count, list->vertex + 3 * (size_t)first, &list->rest[first], e);
  const mus_lanes *lanes = longest_lanes();
  task.material = scaled(&list->material, e->scale);
  task.air = e->weather ? &e->weather->air : NULL;
  task.wind = e->weather ? e->weather->wind : NULL;
  task.gusts = e->weather && e->weather->gusts;
  if (!task.gusts) {
    lanes->membranes(&task);
    return;
  }
  task.wind = wind;
  for (int done = 0; done < count; done += RUN) {
    task.count = count - done < RUN ? count - done : RUN;
    for (int k = 0; k < task.count; ++k)
      wind_on(e->weather, task.vertex + 3 * k, e->position, wind + 3 * k);
    lanes->membranes(&task);
    task.vertex += 3 * RUN;
    task.rest += RUN * sizeof *list->rest / sizeof *task.rest;
    task.energy += task.energy ? RUN : 0;
    task.gradient += task.gradient ? 9 * RUN : 0;
    task.block += task.block ? 54 * RUN : 0;
  }
}

void mus_hinges_evaluate(const mus_hinges *list, int first, int count, const mus_evaluation *evaluation) {
  const mus_evaluation e = *evaluation; // a copy that no store can change
  if (!e.block && !e.blend.exact) {
    mus_lanes_task task = lanes_task(count, list->vertex + 4 * (size_t)first, &list->rest[first], &e);
    longest_lanes()->hinges(&task);
    return;
  }
  for (int k = 0; k < count; ++k) {
    size_t h = (size_t)(first + k);
    place p;
    mus_hinge_rest rest = list->rest[h];
    rest.weight *= e.scale;
    rest.damping *= e.scale;
    place_of(4, list->vertex + 4 * h, k, &e, &p);
    keep_energy(&e, k, mus_hinge_element(&rest, &e.blend, p.x, p.v, p.gradient, p.block));
  }
}

void mus_springs_evaluate(const mus_springs *list, int first, int count, const mus_evaluation *evaluation) {
  const mus_evaluation e = *evaluation; // a copy that no store can change
  for (int k = 0; k < count; ++k) {
    size_t s = (size_t)(first + k);
    place p;
    mus_spring_rest rest = list->rest[s];
    rest.stiffness *= e.scale;
    rest.damping *= e.scale;
    place_of(2, list->vertex + 2 * s, k, &e, &p);
    keep_energy(&e, k,
                list->tension_only ? mus_choi_ko_stretch_element(&rest, &e.blend, p.x, p.v, p.gradient, p.block)
                                   : mus_spring_element(&rest, &e.blend, p.x, p.v, p.gradient, p.block));
  }
}

void mus_bucklings_evaluate(const mus_bucklings *list, int first, int count, const mus_evaluation *evaluation) {
  const mus_evaluation e = *evaluation; // a copy that no store can change
  for (int k = 0; k < count; ++k) {
    size_t s = (size_t)(first + k);
    place p;
    mus_buckling_rest rest = list->rest[s];
    rest.stiffness *= e.scale;
    rest.limit *= e.scale;
    rest.damping *= e.scale;
    rest.offset *= e.scale; // the crossover stays: beam and limit scale alike
    place_of(2, list->vertex + 2 * s, k, &e, &p);
    keep_energy(&e, k, mus_choi_ko_bend_element(&rest, &e.blend, p.x, p.v, p.gradient, p.block));
  }
}

void mus_drag_add(const int *vertex, int first, int count, const mus_weather *weather,
                  const mus_evaluation *evaluation) {
  const mus_evaluation e = *evaluation; // a copy that no store can change
  mus_air air = weather->air;
  air.density *= e.scale;
  for (int k = 0; k < count; ++k) {
    place p;
    double wind[3];
    place_of(3, vertex + 3 * (size_t)(first + k), k, &e, &p);
    wind_on(weather, vertex + 3 * (size_t)(first + k), e.position, wind);
    mus_drag_element(&air, e.blend.damping, wind, p.x, p.velocity, p.gradient, p.block);
  }
}

mus_membrane_measure mus_membrane_measured(const mus_membranes *list, int triangle, const double *position,
                                           double scale) {
  const mus_evaluation e = {.position = position};
  const mus_membrane_rest *rest = &list->rest[triangle];
  place p;
  mus_membrane_state state;
  mus_membrane_material stretch = list->material, shear = list->material;
  shear.stretch[0] = shear.stretch[1] = stretch.shear = 0;
  place_of(3, list->vertex + 3 * (size_t)triangle, 0, &e, &p);
  mus_membrane_state_make(rest, p.x, &state);
  return (mus_membrane_measure){.stretch = scale * mus_membrane_energy(rest, &stretch, &state),
                                .shear = scale * mus_membrane_energy(rest, &shear, &state),
                                .strain = {state.length_u - 1, state.length_v - 1}};
}
