// A sheet with stitches, buttons and a solid: a source from which every kind makes elements.
#ifndef TESTS_ENERGY_ANY_SOURCE_H
#define TESTS_ENERGY_ANY_SOURCE_H

#include "energy/check_kind.h"
#include "energy/kinds.h"
#include "mesh/generate.h"

// Tetrahedra at rest somewhere else than where the vertices of the sheet are.
static const int solid_corner[] = {0, 1, 6, 13, 14, 20, 15, 21};
static double rest_of_solid[3 * 36];

typedef struct sheet {
  mus_arena arena;
  mus_mesh mesh;
  mus_topology topology;
  mus_element_source source;
} sheet;

// All that elements may be made from.
static inline void sheet_create(sheet *s) {
  static const mus_buttoning buttoning[] = {{2, {0, 7}, {1}, 0, 50, 0.1},
                                            {4, {3, 6, 7, 8}, {0.2, 0.3, 0.5}, 0, 60, 0.2},
                                            {4, {1, 6, 7, 8}, {0.2, 0.3, 0.5}, 0.01, 70, 0.3}};
  static const mus_sewing sewing[] = {{0, 5, 5, 0, 1, 80, 0.1, 1},
                                      {1, 7, 8, 0.25, 2, 90, 0.2, 1},
                                      {2, 9, 8, 1, 0, 70, 0.3, 1},
                                      {3, 10, 11, 0.4, 0, 60, 0.2, 0.001},
                                      {4, 11, 11, 0, 0, 50, 0.1, 0.002}}; // the last two pull as hard as they may
  *s = (sheet){.arena = {0}};
  mus_generate_options options = {.vertices = 36, .width = 0.05, .depth = 0.05};
  assert_int_equal(mus_generate_rectangle(&s->arena, &options, &s->mesh), MUS_OK);
  assert_int_equal(mus_topology_create(&s->arena, &s->mesh, &s->topology), MUS_OK);
  static const mus_solid_source solid = {
      .count = 2, .corner = solid_corner, .rest = rest_of_solid, .mu = 4000, .lambda = 6000, .damping = 0.01};
  for (int k = 0; k < 3 * 36; ++k)
    rest_of_solid[k] = s->mesh.position[k] + (k % 3 == 1 ? 0.004 * (k / 3 * 7 % 5) : 0);
  s->source = (mus_element_source){.mesh = &s->mesh,
                                   .topology = &s->topology,
                                   .fabric = mus_fabric_at(3),
                                   .air = 1,
                                   .sewings = 5,
                                   .sewing = sewing,
                                   .buttonings = 3,
                                   .buttoning = buttoning,
                                   .solid = &solid};
}

#endif
