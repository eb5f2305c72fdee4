// Stress and strain of tetrahedra against deformations whose own are known.
#include "energy/check.h"

#include "energy/solid_measure.h"
#include "mesh/tetrahedra_generate.h"
#include "support/sweep.h"

typedef struct body {
  mus_arena arena;
  mus_tetrahedra mesh;
  mus_solid_plan plan;
  double *moved;
  mus_solid_measure *measure; // of each tetrahedron
} body;

static const double young = 3e5, poisson = 0.3;
enum { MODELS = MUS_SOLID_MODEL_MASS_SPRING + 1 };

static void body_create(mus_solid_model model, body *b) {
  *b = (body){.arena = {0}};
  assert_int_equal(mus_solid_box_of_cells(&b->arena, (const double[]){0.3, 0.2, 0.1}, (const int[]){3, 2, 1}, &b->mesh),
                   MUS_OK);
  mus_lame lame = mus_lame_of(young, poisson);
  mus_solid_source solid = {.count = b->mesh.tetrahedra,
                            .corner = b->mesh.corner,
                            .rest = b->mesh.position,
                            .mu = lame.mu,
                            .lambda = lame.lambda};
  assert_int_equal(mus_solid_plan_create(&b->arena, b->mesh.vertices, &solid, model, &b->plan), MUS_OK);
  b->moved = mus_arena_alloc(&b->arena, 3 * (size_t)b->mesh.vertices, sizeof *b->moved);
  b->measure = mus_arena_alloc(&b->arena, (size_t)b->mesh.tetrahedra, sizeof *b->measure);
  assert_true(b->moved && b->measure);
}

// Deformed by a map, by rows.
static void deform(body *b, const double *map) {
  for (int i = 0; i < b->mesh.vertices; ++i)
    for (int k = 0; k < 3; ++k)
      b->moved[3 * i + k] = mus_dot3(map + 3 * k, b->mesh.position + 3 * i) + 0.1 * k;
  mus_solid_measure_run(&b->plan, 0, b->mesh.tetrahedra, b->moved, 1, b->measure);
}

static void check_tensor(const double *found, const double *expected, double tolerance) {
  for (int k = 0; k < 6; ++k)
    check_near(found[k], expected[k], tolerance);
}

// A pulled bar, turned: sigma = E eps along it, nothing across, and the bar is thinner by Poisson's ratio.
static void a_small_pull(void **state) {
  (void)state;
  const double e = 1e-6;
  for (int model = 0; model < MODELS; ++model) {
    body b;
    double turn[9], map[9], stress[6], along[3];
    body_create((mus_solid_model)model, &b);
    check_rotation(7, turn);
    for (int k = 0; k < 9; ++k)
      map[k] = turn[k] * (k % 3 == 0 ? 1 + e : 1 - poisson * e);
    deform(&b, map);
    for (int k = 0; k < 3; ++k)
      along[k] = turn[3 * k];
    for (int k = 0; k < 6; ++k)
      stress[k] = model == MUS_SOLID_MODEL_MASS_SPRING ? 0
                                                       : young * e * along[(const int[]){0, 1, 2, 0, 1, 0}[k]] *
                                                             along[(const int[]){0, 1, 2, 1, 2, 2}[k]];
    for (int t = 0; t < b.mesh.tetrahedra; ++t) {
      const mus_solid_measure *m = &b.measure[t];
      check_tensor(m->stress, stress, 1e-4 * young * e);
      check_near(m->mises, model == MUS_SOLID_MODEL_MASS_SPRING ? 0 : young * e, 1e-4 * young * e);
      check_tensor(m->strain, (const double[]){e, -poisson * e, -poisson * e, 0, 0, 0}, 1e-4 * e);
      check_near(m->stretch[0] - 1, e, 1e-12);
      check_near(m->stretch[2] - 1, -poisson * e, 1e-12);
      check_near(m->volume, (1 - 2 * poisson) * e, 1e-5 * e);
    }
    mus_arena_clear(&b.arena);
  }
}

static void rotations_cost_nothing(void **state) {
  (void)state;
  for (int model = 0; model < MODELS; ++model) {
    body b;
    double turn[9];
    body_create((mus_solid_model)model, &b);
    check_rotation(11, turn);
    deform(&b, turn);
    for (int t = 0; t < b.mesh.tetrahedra; ++t) {
      const mus_solid_measure *m = &b.measure[t];
      check_tensor(m->stress, (const double[6]){0}, 1e-9 * young);
      check_tensor(m->strain, (const double[6]){0}, 1e-13);
      check_near(m->mises, 0, 1e-9 * young);
      check_near(m->volume, 0, 1e-13);
      for (int k = 0; k < 3; ++k)
        check_near(m->stretch[k], 1, 1e-13);
    }
    mus_arena_clear(&b.arena);
  }
}

// Large deformations: Cauchy's stress is P F^T / J with P the derivative of the energy by F, by differences.
static void stress_is_the_derivative_of_energy(void **state) {
  (void)state;
  const double map[9] = {1.3, 0.2, -0.1, 0.3, 0.8, 0.25, -0.2, 0.1, 1.1}, step = 1e-6;
  for (int model = 0; model < MUS_SOLID_MODEL_MASS_SPRING; ++model) {
    body b;
    double p[9], stress[6];
    body_create((mus_solid_model)model, &b);
    deform(&b, map);
    for (int k = 0; k < 9; ++k) {
      double energy[2], moved[9], u[9], s[3], v[9];
      mus_solid_state at;
      for (int side = 0; side < 2; ++side) {
        memcpy(moved, map, sizeof moved);
        moved[k] += side ? step : -step;
        mus_svd3(moved, u, s, v);
        b.plan.law(&b.plan.lame, s, &at);
        energy[side] = at.energy;
      }
      p[k] = (energy[1] - energy[0]) / (2 * step);
    }
    double volume = b.measure[0].volume + 1, mean = 0, distortion = 0;
    static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k)
      stress[k] = mus_dot3(p + 3 * row[k], map + 3 * column[k]) / volume;
    mean = (stress[0] + stress[1] + stress[2]) / 3;
    for (int k = 0; k < 6; ++k)
      distortion += (k < 3 ? 1 : 2) * pow(stress[k] - (k < 3 ? mean : 0), 2);
    check_near(volume, 1.3 * (0.8 * 1.1 - 0.25 * 0.1) - 0.2 * (0.3 * 1.1 + 0.25 * 0.2) - 0.1 * (0.3 * 0.1 + 0.8 * 0.2),
               1e-12);
    for (int t = 0; t < b.mesh.tetrahedra; ++t) {
      check_tensor(b.measure[t].stress, stress, 1e-7 * young);
      check_near(b.measure[t].mises, sqrt(1.5 * distortion), 1e-7 * young);
    }
    mus_solid_measure half;
    mus_solid_measure_run(&b.plan, 3, 1, b.moved, 0.5, &half);
    check_near(half.mises, 0.5 * b.measure[3].mises, 1e-9 * young);
    mus_arena_clear(&b.arena);
  }
}

// Flat and inside out: finite, and said.
static void broken_tetrahedra(void **state) {
  (void)state;
  const double flat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0}, mirror[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, nothing[9] = {0};
  const double *const maps[] = {flat, mirror, nothing};
  for (int model = 0; model < MODELS; ++model)
    for (int k = 0; k < 3; ++k) {
      body b;
      body_create((mus_solid_model)model, &b);
      deform(&b, maps[k]);
      for (int t = 0; t < b.mesh.tetrahedra; ++t) {
        check_largest(6, b.measure[t].stress);
        assert_true(isfinite(b.measure[t].mises));
        check_near(b.measure[t].volume, k == 1 ? -2 : -1, 1e-12);
        check_near(b.measure[t].stretch[2], k == 1 ? -1 : 0, 1e-12);
      }
      mus_arena_clear(&b.arena);
    }
}

// The lists that records are made of: energy and strain; springs have the strain along them.
static void records(void **state) {
  (void)state;
  mus_lame lame = mus_lame_of(young, poisson);
  for (int model = 0; model < MODELS; ++model) {
    body b;
    const double map[9] = {1.2, 0, 0, 0, 0.9, 0, 0, 0, -1};
    body_create((mus_solid_model)model, &b);
    deform(&b, map);
    mus_solid_source solid = {.count = b.mesh.tetrahedra,
                              .corner = b.mesh.corner,
                              .rest = b.mesh.position,
                              .mu = lame.mu,
                              .lambda = lame.lambda};
    mus_element_source source = {.solid = &solid};
    mus_element_list list;
    mus_element_sums sums = {0};
    assert_int_equal(mus_element_list_create(mus_solid_kinds((mus_solid_model)model)[0], &b.arena, &source, &list),
                     MUS_OK);
    double *strain = mus_arena_alloc(&b.arena, (size_t)list.count, sizeof *strain);
    assert_non_null(strain);
    mus_element_list_measure(&list, 0, list.count, b.moved, 1, strain, &sums);
    int springs = model == MUS_SOLID_MODEL_MASS_SPRING;
    check_near(sums.strain, springs ? 0.2 : 1.9, 1e-12); // the smallest stretch is the one with the sign
    check_near(sums.energy[MUS_ENERGY_STRETCH], mus_element_list_energy(&list, 0, list.count, b.moved, 1),
               1e-9 * sums.energy[MUS_ENERGY_STRETCH]);
    mus_arena_clear(&b.arena);
  }
}

// A constant stays one, and what tetrahedra have in sum vertices have too.
static void averages(void **state) {
  (void)state;
  body b;
  body_create(MUS_SOLID_MODEL_COROTATED, &b);
  int n = b.mesh.vertices, count = b.mesh.tetrahedra;
  double *value = mus_arena_alloc(&b.arena, (size_t)count, sizeof *value), sum[2] = {0};
  double *average = mus_arena_alloc(&b.arena, (size_t)n, sizeof *average);
  assert_true(value && average);
  for (int t = 0; t < count; ++t)
    value[t] = 7;
  mus_solid_average(&b.plan, value, average);
  for (int v = 0; v < n; ++v)
    check_near(average[v], 7, 1e-13);
  for (int t = 0; t < count; ++t) {
    value[t] = mus_random(5, (uint64_t)t);
    sum[0] += b.plan.rest[t].volume * value[t];
  }
  mus_solid_average(&b.plan, value, average);
  for (int v = 0; v < n; ++v)
    sum[1] += b.plan.share[v] / 4 * average[v];
  check_near(sum[1], sum[0], 1e-15);
  mus_arena_clear(&b.arena);
}

static void no_volume(void **state) {
  (void)state;
  mus_arena arena = {0};
  const int corner[] = {0, 1, 2, 3};
  const double position[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  mus_solid_source solid = {.count = 1, .corner = corner, .rest = position, .mu = 1, .lambda = 1};
  mus_solid_plan plan;
  assert_int_equal(mus_solid_plan_create(&arena, 4, &solid, MUS_SOLID_MODEL_NEO_HOOKEAN, &plan), MUS_BAD_INPUT);
  mus_arena_clear(&arena);
}

static mus_status create_all(mus_arena *arena, void *data) {
  const mus_tetrahedra *mesh = data;
  mus_solid_source solid = {
      .count = mesh->tetrahedra, .corner = mesh->corner, .rest = mesh->position, .mu = 1, .lambda = 1};
  mus_element_source source = {.solid = &solid};
  mus_solid_plan plan;
  mus_status status = mus_solid_plan_create(arena, mesh->vertices, &solid, MUS_SOLID_MODEL_NEO_HOOKEAN, &plan);
  for (int model = 0; model < MODELS && !status; ++model) {
    mus_element_list list;
    status = mus_element_list_create(mus_solid_kinds((mus_solid_model)model)[0], arena, &source, &list);
  }
  return status;
}

static void memory_runs_out(void **state) {
  (void)state;
  mus_arena arena = {0}, made = {0};
  mus_tetrahedra mesh;
  assert_int_equal(mus_solid_box_of_cells(&made, (const double[]){1, 1, 1}, (const int[]){2, 2, 2}, &mesh), MUS_OK);
  assert_true(sweep_allocations(&arena, create_all, &mesh) > 3);
  mus_arena_clear(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_small_pull),
                                     cmocka_unit_test(rotations_cost_nothing),
                                     cmocka_unit_test(stress_is_the_derivative_of_energy),
                                     cmocka_unit_test(broken_tetrahedra),
                                     cmocka_unit_test(records),
                                     cmocka_unit_test(averages),
                                     cmocka_unit_test(no_volume),
                                     cmocka_unit_test(memory_runs_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
