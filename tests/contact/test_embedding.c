// A fine surface embedded in coarse cloth collides in its place: it lands on a sphere and on other cloth without
// passing through, by what the map brings to the coarse nodes, and momentum is kept.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/intersections.h"
#include "sim/simulator.h"
#include "support/check.h"
#include "support/potential.h"
#include "support/runs.h"

enum { PARTS = 4 }; // of an edge of the coarse cloth

// --- a fine surface --------------------------------------------------------------------------------------------------

typedef struct fine_surface {
  mus_embedded_surface embedding;
  int vertices, triangles, entries;
  int *start, *node, *triangle;
  double *weight, *radius, *x; // x: where vertices start, to tell which are one
} fine_surface;

static void *zeros(size_t count, size_t size) {
  void *memory = calloc(count, size);
  assert_non_null(memory);
  return memory;
}

// The vertex at these parts of a triangle's corners, which may be there from the triangle beside.
static int fine_vertex(fine_surface *f, const double *start, const int *corner, const int *part, double radius) {
  double x[3] = {0, 0, 0};
  for (int k = 0; k < 3; ++k)
    mus_add_scaled3((double)part[k] / PARTS, start + 3 * (size_t)corner[k], x);
  for (int i = 0; i < f->vertices; ++i)
    if (fabs(f->x[3 * i] - x[0]) + fabs(f->x[3 * i + 1] - x[1]) + fabs(f->x[3 * i + 2] - x[2]) < 1e-9)
      return i;
  memcpy(f->x + 3 * (size_t)f->vertices, x, sizeof x);
  for (int k = 0; k < 3; ++k)
    if (part[k] > 0) {
      f->node[f->entries] = corner[k];
      f->weight[f->entries++] = (double)part[k] / PARTS;
    }
  f->radius[f->vertices] = radius;
  f->start[f->vertices + 1] = f->entries;
  return f->vertices++;
}

static void cut_triangle(fine_surface *f, const double *start, const int *corner, double radius) {
  for (int i = 0; i < PARTS; ++i)
    for (int j = 0; j < PARTS - i; ++j)
      for (int turned = 0; turned < (i + j + 1 < PARTS ? 2 : 1); ++turned) {
        const int at[2][3][2] = {{{i, j}, {i + 1, j}, {i, j + 1}}, {{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
        for (int k = 0; k < 3; ++k) {
          int a = at[turned][k][0], b = at[turned][k][1], part[3] = {PARTS - a - b, a, b};
          f->triangle[3 * f->triangles + k] = fine_vertex(f, start, corner, part, radius);
        }
        ++f->triangles;
      }
}

static fine_surface fine_surface_create(const mus_model *model, double radius) {
  size_t most = (size_t)model->triangles * PARTS * PARTS * 3;
  fine_surface f = {.start = zeros(most + 1, sizeof(int)),
                    .node = zeros(3 * most, sizeof(int)),
                    .triangle = zeros(most, sizeof(int)),
                    .weight = zeros(3 * most, sizeof(double)),
                    .radius = zeros(most, sizeof(double)),
                    .x = zeros(3 * most, sizeof(double))};
  for (int c = 0; c < model->part_count; ++c) {
    const mus_mesh *mesh = &model->parts[c].shape.mesh;
    for (int t = 0; t < mesh->triangles; ++t) {
      int corner[3];
      for (int k = 0; k < 3; ++k)
        corner[k] = mesh->triangle[3 * t + k] + model->parts[c].first_vertex;
      cut_triangle(&f, model->start, corner, radius);
    }
  }
  f.embedding = (mus_embedded_surface){
      .map = {.vertices = f.vertices, .nodes = model->vertices, .start = f.start, .node = f.node, .weight = f.weight},
      .triangles = f.triangles,
      .triangle = f.triangle,
      .radius = f.radius};
  return f;
}

static void fine_surface_free(fine_surface *f) {
  free(f->start), free(f->node), free(f->triangle), free(f->weight), free(f->radius), free(f->x);
}

// --- its simulation --------------------------------------------------------------------------------------------------

// A scene whose cloths collide by fine surfaces, or, for comparison, not at all.
static run *begin(const char *scene, fine_surface *f, int collides) {
  run *r = runs_start(scene);
  mus_sim *sim = r->sim;
  *f = fine_surface_create(&sim->model, 0.001);
  mus_contact_free(sim->contact);
  sim->contact = NULL;
  if (collides) {
    assert_ok(mus_contact_create(&sim->model, &f->embedding, &sim->contact));
    assert_ok(mus_contact_state_create(&sim->arena, f->vertices, &sim->state.contact));
  }
  return r;
}

static void end(run *r, fine_surface *f) {
  fine_surface_free(f);
  runs_free(r);
}

// Pairs of triangles that intersect, of the fine surface with itself and with bodies, found exactly.
static int intersections(const run *r, const fine_surface *f) {
  const mus_sim *sim = r->sim;
  const mus_bodies *bodies = sim->model.bodies;
  int more = mus_bodies_triangles(bodies), vertices = f->vertices + mus_bodies_vertices(bodies);
  int *triangle = zeros(3 * (size_t)(f->triangles + more), sizeof *triangle);
  double *x = zeros(3 * (size_t)vertices, sizeof *x);
  memcpy(triangle, f->triangle, 3 * (size_t)f->triangles * sizeof *triangle);
  for (int k = 0; k < 3 * more; ++k)
    triangle[3 * f->triangles + k] = mus_bodies_triangle_list(bodies)[k] + f->vertices;
  mus_map_to_surface(&f->embedding.map, sim->state.position, x);
  assert_ok(mus_bodies_at(sim->model.bodies, mus_sim_time(sim), x + 3 * (size_t)f->vertices));
  mus_check_surface surface = {
      .vertices = vertices, .triangles = f->triangles + more, .cloth_triangles = f->triangles, .triangle = triangle};
  mus_intersections *finder = NULL;
  mus_list pairs = {0};
  assert_ok(mus_intersections_create(&surface, &finder));
  assert_ok(mus_intersections_find(finder, x, &pairs));
  int count = (int)pairs.count;
  mus_intersections_free(finder);
  mus_free(pairs.items);
  free(triangle), free(x);
  return count;
}

static void momentum(const mus_sim *sim, double *sum) {
  sum[0] = sum[1] = sum[2] = 0;
  for (int i = 0; i < sim->model.vertices; ++i)
    mus_add_scaled3(sim->model.mass[i], sim->state.velocity + 3 * (size_t)i, sum);
}

#define SPHERE                                                                                                         \
  "\"bodies\": [{\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", \"radius\": 0.1, \"facet\": 0.02}}],"
#define CLOTH(height) "{\"translate\": [0.01, " height ", 0], \"shape\": {\"vertices\": 25, \"size\": [0.5, 0.5]}}"

static const char one_cloth[] = "{\"frames\": 12, \"time_step\": 0.004, " SPHERE "\"cloths\": [" CLOTH("0.12") "]}";
static const char two_cloths[] =
    "{\"frames\": 12, \"time_step\": 0.004, " SPHERE "\"cloths\": [" CLOTH("0.12") ", " CLOTH("0.14") "]}";

static void lands_on_a_sphere(void **state) {
  (void)state;
  fine_surface f;
  run *r = begin(one_cloth, &f, 1);
  assert_int_equal(f.vertices, 17 * 17);
  int touching = 0;
  for (int frame = 0; frame < 12; ++frame) {
    const mus_step_record *record = runs_frame(r);
    touching += record->body_contacts;
    assert_int_equal(record->impossible, 0);
    assert_int_equal(intersections(r, &f), 0);
  }
  assert_true(touching > 20);
  // It hangs down around the sphere instead of falling: 0.4 s of free fall are 0.78 m.
  double low = 0;
  for (int i = 0; i < r->sim->model.vertices; ++i)
    low = fmin(low, r->sim->state.position[3 * i + 1]);
  assert_true(low < 0.05 && low > -0.4);
  end(r, &f);
}

static void passes_through_without_contact(void **state) {
  (void)state;
  fine_surface f;
  run *r = begin(one_cloth, &f, 0);
  int crossed = 0;
  for (int frame = 0; frame < 12; ++frame) {
    runs_frame(r);
    crossed += intersections(r, &f);
  }
  assert_true(crossed > 10);
  end(r, &f);
}

static const char floored[] =
    "{\"frames\": 12, \"time_step\": 0.004, "
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"kind\": \"plane\", \"size\": [2, 1, 2]}}],"
    "\"cloths\": [{\"translate\": [0.01, 0.01, 0], \"shape\": {\"vertices\": 25, \"size\": [0.5, 0.5]}}]}";

// All vertices are held, by terms of the matrix; the floor's push on them is the weight.
static void a_floor_bears_the_weight(void **state) {
  (void)state;
  fine_surface f;
  run *r = begin(floored, &f, 1);
  const mus_model *model = &r->sim->model;
  for (int frame = 0; frame < 12; ++frame)
    runs_frame(r);
  double push = 0;
  for (int i = 0; i < f.vertices; ++i) {
    assert_true(r->sim->state.contact.hold[i].state == MUS_HOLD_SLIDES ||
                r->sim->state.contact.hold[i].state == MUS_HOLD_STICKS);
    push += r->sim->state.contact.hold[i].push;
  }
  assert_int_equal(mus_contact_constraints(r->sim->contact), 0);
  potential_check(r->sim, 3);
  assert_true(fabs(push / (9.81 * model->total_mass) - 1) < 0.01);
  assert_int_equal(intersections(r, &f), 0);
  end(r, &f);
}

static void cloth_lands_on_cloth(void **state) {
  (void)state;
  fine_surface f;
  run *r = begin(two_cloths, &f, 1);
  int touching = 0, wide = 0;
  for (int frame = 0; frame < 12; ++frame) {
    const mus_step_record *record = runs_frame(r);
    const mus_list *couplings = &r->sim->contact->beyond.couplings;
    touching += record->cloth_contacts;
    for (size_t k = 0; k < couplings->count; ++k)
      wide += ((const mus_coupling *)couplings->items)[k].count > 4;
    assert_int_equal(record->impossible, 0);
    assert_int_equal(intersections(r, &f), 0);
  }
  assert_true(touching > 20 && wide > 20);
  potential_check(r->sim, 5);
  end(r, &f);
}

static const char meeting[] =
    "{\"frames\": 10, \"time_step\": 0.004, \"gravity\": [0, 0, 0], \"air_density\": 0, \"solver\": {\"tolerance\": "
    "1e-11}, "
    "\"cloths\": [{\"velocity\": [0, 1, 0], \"shape\": {\"vertices\": 25, \"size\": [0.5, 0.5]}},"
    "{\"translate\": [0.13, 0.12, 0.07], \"rotate\": [20, 30, 10], \"velocity\": [0.3, -1, 0], "
    "\"shape\": {\"vertices\": 16, \"size\": [0.2, 0.2]}}]}";

static void momentum_is_kept(void **state) {
  (void)state;
  fine_surface f;
  run *r = begin(meeting, &f, 1);
  double before[3], after[3];
  int impacts = 0;
  momentum(r->sim, before);
  for (int frame = 0; frame < 10; ++frame) {
    int steps = 0;
    assert_ok(mus_sim_frame(r->sim, &steps));
    for (int k = 0; k < steps; ++k)
      impacts += mus_sim_step_record(r->sim, k)->impacts;
    assert_int_equal(intersections(r, &f), 0);
  }
  momentum(r->sim, after);
  assert_true(impacts > 0);
  for (int c = 0; c < 3; ++c)
    assert_true(fabs(after[c] - before[c]) < 1e-7 * r->sim->model.total_mass);
  end(r, &f);
}

static void failing_allocations_are_clean(void **state) {
  (void)state;
  run *r = runs_start(one_cloth);
  fine_surface f = fine_surface_create(&r->sim->model, 0.001);
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long n = 0; status; ++n) {
    mus_contact_workspace *contact = NULL;
    mus_memory_fail_after(n);
    status = mus_contact_create(&r->sim->model, &f.embedding, &contact);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OUT_OF_MEMORY ? !contact : status == MUS_OK && mus_contact_bytes(contact) > 0);
    mus_contact_free(contact);
  }
  f.embedding.map.nodes = 3;
  mus_contact_workspace *contact = NULL;
  assert_int_equal(mus_contact_create(&r->sim->model, &f.embedding, &contact), MUS_BAD_INPUT);
  assert_null(contact);
  end(r, &f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lands_on_a_sphere),        cmocka_unit_test(passes_through_without_contact),
      cmocka_unit_test(a_floor_bears_the_weight), cmocka_unit_test(cloth_lands_on_cloth),
      cmocka_unit_test(momentum_is_kept),         cmocka_unit_test(failing_allocations_are_clean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
