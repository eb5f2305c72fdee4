// The exact search. See exact.h.
#include "support/exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/bodies.h"
#include "sim/simulator.h"
#include "support/check.h"

struct exact_finder {
  mus_check_surface surface;
  mus_intersections *finder;
  int *triangle;
  double *x;
  mus_list pairs;
};

static void *zeros(size_t count, size_t size) {
  void *memory = calloc(count, size);
  assert_non_null(memory);
  return memory;
}

exact_finder *exact_begin(const mus_sim *sim) {
  const mus_bodies *bodies = sim->model.bodies;
  int cloth = mus_sim_vertices(sim), cloth_corners = 3 * mus_sim_triangles(sim);
  exact_finder *e = zeros(1, sizeof *e);
  e->surface = (mus_check_surface){.vertices = cloth + mus_bodies_vertices(bodies),
                                   .triangles = mus_sim_triangles(sim) + mus_bodies_triangles(bodies),
                                   .cloth_triangles = mus_sim_triangles(sim)};
  e->triangle = zeros(3 * (size_t)e->surface.triangles, sizeof(int));
  e->x = zeros(3 * (size_t)e->surface.vertices, sizeof(double));
  for (int i = 0; i < 3 * e->surface.triangles; ++i)
    e->triangle[i] =
        i < cloth_corners ? mus_sim_triangle_list(sim)[i] : mus_bodies_triangle_list(bodies)[i - cloth_corners] + cloth;
  e->surface.triangle = e->triangle;
  assert_ok(mus_intersections_create(&e->surface, &e->finder));
  return e;
}

void exact_end(exact_finder *e) {
  mus_intersections_free(e->finder);
  mus_free(e->pairs.items);
  free(e->triangle);
  free(e->x);
  free(e);
}

int exact_search(exact_finder *e, mus_sim *sim) {
  size_t cloth = 3 * (size_t)mus_sim_vertices(sim);
  memcpy(e->x, mus_sim_positions(sim), cloth * sizeof *e->x);
  assert_ok(mus_bodies_at(sim->model.bodies, mus_sim_time(sim), e->x + cloth));
  for (size_t i = 0; i < 3 * (size_t)e->surface.vertices; ++i)
    e->x[i] = (double)(float)e->x[i];
  assert_ok(mus_intersections_find(e->finder, e->x, &e->pairs));
  return (int)e->pairs.count;
}

const mus_intersection *exact_pairs(const exact_finder *e) { return e->pairs.items; }

int exact_inside(mus_sim *sim) {
  mus_contact_workspace *contact = sim->contact;
  mus_untangle_record record = {0};
  assert_ok(mus_contact_crossings(contact, sim->state.position, mus_sim_time(sim)));
  assert_ok(mus_untangle_pushes(contact->untangler, contact->motion.x0, &contact->crossings, 1, &contact->pushes,
                                &contact->released, &record));
  return record.inside;
}
