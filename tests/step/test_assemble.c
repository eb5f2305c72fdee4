// Assembly and measurement of whole scenes: several cloths are as each alone, bits do not depend on threads, and what
// is measured agrees with plain sums.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "energy/kinds.h"
#include "energy/mass_spring.h"
#include "energy/membrane.h"
#include "par/par.h"
#include "sim/simulator.h"
#include "step/assemble.h"

enum { MODELS = 3 };

// A scene with one cloth of each of the models whose bits are set, each with so many vertices.
static mus_scene scene_of(int models, int vertices, double air) {
  static const char *const name[MODELS] = {"baraff-witkin", "choi-ko", "mass-spring"};
  char text[1000] = "{\"wind\": [2, 0, 1], \"gust\": 0.5, \"cloths\": [", one[200];
  for (int m = 0; m < MODELS; ++m)
    if (models >> m & 1) {
      snprintf(one, sizeof one, "%s{\"model\": \"%s\", \"fabric\": \"denim\", \"translate\": [%d, 0, 0]}",
               strrchr(text, '}') ? ", " : "", name[m], m);
      strcat(text, one);
    }
  strcat(text, "]}");
  mus_scene scene;
  if (mus_scene_parse("test", text, &scene) != MUS_OK)
    fail_msg("%s", mus_last_error());
  mus_scene_resize(&scene, vertices * scene.cloth_count, MUS_TESSELLATION_REGULAR);
  scene.air_density = air;
  return scene;
}

// Positions and velocities that depend on where a vertex is, so that they are the same in any scene.
static mus_sim *shaken(const mus_scene *scene) {
  mus_sim *sim;
  if (mus_sim_create(scene, &sim) != MUS_OK)
    fail_msg("%s", mus_last_error());
  for (int i = 0; i < sim->model.vertices; ++i) {
    double *x = sim->state.position + 3 * i, *v = sim->state.velocity + 3 * i, u = x[0], w = x[2];
    x[0] += 0.01 * sin(9 * u + w);
    x[1] += 0.05 * sin(7 * u) * cos(5 * w);
    x[2] += 0.01 * cos(8 * w + 1);
    for (int c = 0; c < 3; ++c)
      v[c] = sin(4 * u + 5 * w + c);
  }
  return sim;
}

static mus_instant instant_of(const mus_sim *sim) {
  return (mus_instant){0.1, sim->state.position, sim->state.velocity, 0.01, 0.01, NULL};
}

static void measure(mus_sim *sim, mus_step_record *record) {
  mus_instant at = instant_of(sim);
  mus_measure(&sim->model, &sim->settings, &at, sim->work.strain, record);
}

static void assert_close(size_t n, const double *a, const double *b) {
  double largest = 0;
  for (size_t k = 0; k < n; ++k)
    largest = fmax(largest, fabs(b[k]));
  assert_true(largest > 0);
  for (size_t k = 0; k < n; ++k)
    assert_true(fabs(a[k] - b[k]) <= 1e-14 * largest);
}

// Rows of each cloth are those that it has in a scene of its own.
static void cloths_do_not_mix(void **state) {
  (void)state;
  for (double air = 0; air < 2; air += 1.2) {
    mus_scene scene = scene_of(7, 900, air);
    mus_sim *all = shaken(&scene);
    mus_instant at = instant_of(all);
    mus_assemble(&all->model, &all->settings, &at, &all->linear.matrix, all->work.right);
    size_t values = 0;
    for (int m = 0; m < MODELS; ++m) {
      mus_scene single = scene_of(1 << m, 900, air);
      mus_sim *alone = shaken(&single);
      mus_instant there = instant_of(alone);
      mus_assemble(&alone->model, &alone->settings, &there, &alone->linear.matrix, alone->work.right);
      size_t n = mus_matrix_values(&alone->linear.matrix), first = 3 * (size_t)all->model.parts[m].first_vertex;
      assert_int_equal(all->model.pattern.row_start[all->model.parts[m].first_vertex], values / 9);
      assert_close(n, all->linear.matrix.value + values, alone->linear.matrix.value);
      assert_close(3 * (size_t)alone->model.vertices, all->work.right + first, alone->work.right);
      values += n;
      mus_sim_free(alone);
      mus_scene_free(&single);
    }
    assert_int_equal(values, mus_matrix_values(&all->linear.matrix));
    mus_sim_free(all);
    mus_scene_free(&scene);
  }
}

// D, which is what is left of the matrices of two steps when M and K are taken out, is minus the derivative of the
// forces by velocity; checked in a random direction.
static void matrix_and_forces_belong_together(void **state) {
  (void)state;
  mus_scene scene = scene_of(7, 400, 1.2);
  mus_sim *sim = shaken(&scene);
  size_t n = 3 * (size_t)sim->model.vertices;
  double h = 1e-4, step = 1e-6;
  double *direction = malloc(n * sizeof *direction), *force[2], *product = malloc(n * sizeof *product);
  for (size_t k = 0; k < n; ++k)
    direction[k] = mus_random(5, k);
  mus_instant at = {0.1, sim->state.position, sim->state.velocity, h, 0, NULL};
  mus_assemble(&sim->model, &sim->settings, &at, &sim->linear.matrix, sim->work.right);
  double *with_stiffness = malloc(n * sizeof *with_stiffness);
  mus_multiply(&sim->linear.matrix, direction, with_stiffness);
  at.length = h / 2;
  mus_assemble(&sim->model, &sim->settings, &at, &sim->linear.matrix, sim->work.right);
  mus_multiply(&sim->linear.matrix, direction, product);
  for (size_t k = 0; k < n; ++k) { // 4 A(h/2) - A(h) = 3 M + h D
    product[k] = 4 * product[k] - with_stiffness[k] - 3 * sim->model.mass[k / 3] * direction[k];
    product[k] /= h;
  }
  for (int side = 0; side < 2; ++side) {
    force[side] = malloc(n * sizeof(double));
    for (size_t k = 0; k < n; ++k)
      sim->state.velocity[k] += (side == 0 ? 1 : -2) * step * direction[k];
    mus_assemble(&sim->model, &sim->settings, &at, NULL, sim->work.right);
    memcpy(force[side], sim->work.right, n * sizeof(double));
  }
  double largest = 0;
  for (size_t k = 0; k < n; ++k)
    largest = fmax(largest, fabs(product[k]));
  for (size_t k = 0; k < n; ++k)
    assert_true(fabs((force[1][k] - force[0][k]) / (2 * step) - product[k]) <= 1e-5 * largest);
  free(direction), free(product), free(with_stiffness), free(force[0]), free(force[1]);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  mus_scene scene = scene_of(7, 2500, 1.2);
  mus_sim *sim = shaken(&scene);
  mus_instant at = instant_of(sim);
  size_t values = mus_matrix_values(&sim->linear.matrix), n = 3 * (size_t)sim->model.vertices;
  double *matrix = malloc(values * sizeof *matrix), *right = malloc(n * sizeof *right);
  mus_step_record first, record;
  for (int k = 0; k < 3; ++k) {
    mus_par_set_threads((int[]){1, 2, 7}[k]);
    memset(sim->linear.matrix.value, 0xff, values * sizeof *matrix);
    mus_assemble(&sim->model, &sim->settings, &at, &sim->linear.matrix, sim->work.right);
    memset(&record, 0, sizeof record);
    measure(sim, &record);
    if (k == 0) {
      memcpy(matrix, sim->linear.matrix.value, values * sizeof *matrix);
      memcpy(right, sim->work.right, n * sizeof *right);
      first = record;
    }
    assert_memory_equal(sim->linear.matrix.value, matrix, values * sizeof *matrix);
    assert_memory_equal(sim->work.right, right, n * sizeof *right);
    assert_memory_equal(&record, &first, sizeof record);
    // Without a matrix, the old one stays.
    memset(sim->work.right, 0xff, n * sizeof *right);
    sim->linear.matrix.value[5] = 77;
    mus_assemble(&sim->model, &sim->settings, &at, NULL, sim->work.right);
    assert_memory_equal(sim->work.right, right, n * sizeof *right);
    assert_true(sim->linear.matrix.value[5] == 77 && sim->linear.matrix.value[6] == matrix[6]);
    mus_par_set_threads(0);
  }
  free(matrix), free(right);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

// Cloths of all models, sewn and buttoned, and solids of all laws, in the wind.
#define EVERYTHING                                                                                                     \
  "{\"wind\": [2, 0, 1], \"gust\": 0.5, \"cloths\": ["                                                                 \
  "{\"name\": \"a\", \"model\": \"baraff-witkin\", \"shape\": {\"vertices\": 64}, \"stitches\": [0, 9, 7, 30]},"       \
  "{\"name\": \"b\", \"model\": \"choi-ko\", \"shape\": {\"vertices\": 64}, \"translate\": [0, 0.05, 0]},"             \
  "{\"name\": \"c\", \"model\": \"mass-spring\", \"shape\": {\"vertices\": 64}, \"translate\": [0, 0.1, 0]}],"         \
  "\"buttons\": [{\"from\": \"a\", \"vertex\": 14, \"to\": \"b\", \"at\": [14], \"damping\": 0.1},"                    \
  "{\"from\": \"a\", \"vertex\": 20, \"to\": \"c\", \"at\": [0, 1, 9], \"damping\": 0.1}],"

static mus_sim *everything(const char *law, mus_scene *scene) {
  char text[1500];
  snprintf(text, sizeof text,
           EVERYTHING
           "\"solids\": [{\"model\": \"%s\", \"damping\": 0.01, \"young\": 1e4, \"shape\": {\"vertices\": 80, "
           "\"size\": [0.5, 0.4, 0.3]}, \"translate\": [3, 0, 0]}]}",
           law);
  if (mus_scene_parse("test", text, scene) != MUS_OK)
    fail_msg("%s", mus_last_error());
  return shaken(scene);
}

// Forces are minus the derivative of the energy, in random directions, in steps of all lengths.
static void energy_and_forces_belong_together(void **state) {
  (void)state;
  static const char *const law[] = {"neo-hookean", "co-rotated", "venant-kirchhoff", "mass-spring"};
  static const double length[] = {1e-3, 1.0 / 30};
  for (int variant = 0; variant < 8; ++variant) {
    mus_scene scene;
    mus_sim *sim = everything(law[variant / 2], &scene);
    size_t n = 3 * (size_t)sim->model.vertices;
    double *before = malloc(n * sizeof *before), *x = sim->state.position, *direction = malloc(n * sizeof *direction);
    for (size_t k = 0; k < n; ++k)
      before[k] = x[k] - 0.01 * sim->state.velocity[k];
    mus_instant at = {0.1, x, NULL, length[variant % 2], 0, before};
    mus_assemble(&sim->model, &sim->settings, &at, NULL, sim->work.right);
    for (uint64_t trial = 0; trial < 10; ++trial) {
      double slope = 0, size = 0, step = 1e-7, energy[2];
      for (size_t k = 0; k < n; ++k) {
        direction[k] = mus_random(11 + trial, k);
        slope -= sim->work.right[k] * direction[k];
        size += sim->work.right[k] * sim->work.right[k];
      }
      for (int side = 0; side < 2; ++side) {
        for (size_t k = 0; k < n; ++k)
          x[k] += (side == 0 ? 1 : -2) * step * direction[k];
        energy[side] = mus_assemble_energy(&sim->model, &sim->settings, &at);
      }
      for (size_t k = 0; k < n; ++k)
        x[k] += step * direction[k];
      assert_true(fabs((energy[0] - energy[1]) / (2 * step) - slope) < 1e-5 * sqrt(size));
    }
    free(before), free(direction);
    mus_sim_free(sim);
    mus_scene_free(&scene);
  }
}

static void energy_has_the_same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  mus_scene scene = scene_of(7, 2500, 1.2);
  mus_sim *sim = shaken(&scene);
  size_t n = 3 * (size_t)sim->model.vertices;
  double *before = malloc(n * sizeof *before), energy[3];
  for (size_t k = 0; k < n; ++k)
    before[k] = sim->state.position[k] - 0.01 * sim->state.velocity[k];
  mus_instant at = {0.1, sim->state.position, NULL, 0.01, 0, before};
  for (int k = 0; k < 3; ++k) {
    mus_par_set_threads((int[]){1, 2, 7}[k]);
    energy[k] = mus_assemble_energy(&sim->model, &sim->settings, &at);
    mus_par_set_threads(0);
  }
  assert_true(energy[0] == energy[1] && energy[0] == energy[2] && isfinite(energy[0]));
  // The potential of damping counts: without it there is less. Gravity counts from the beginning of the step on.
  double lifted = 0;
  for (int i = 0; i < sim->model.vertices; ++i)
    lifted += 9.81 * sim->model.mass[i] * (at.position[3 * i + 1] - before[3 * i + 1]);
  at.before = at.position;
  double still = mus_assemble_energy(&sim->model, &sim->settings, &at);
  assert_true(fabs(lifted) > 1e-6 && still < energy[0] - lifted);
  free(before);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Adds the energies of a list, one element after the other: stretch, shear, bending. Returns how many strains there
// are.
static int add_list(const mus_element_list *list, const double *x, double *strain, double *sums) {
  double energy, way[3];
  mus_evaluation e = {.position = x, .blend = {1, 0, 0, 0, 0}, .scale = 1, .energy = &energy};
  const mus_spring_rest *spring = list->rest;
  int slack = list->kind == &mus_tension_spring_kind, springs = slack || list->kind == &mus_edge_spring_kind;
  for (int k = 0; k < list->count; ++k) {
    if (list->kind == &mus_membrane_kind) {
      mus_membrane_measure m = mus_membrane_measured(list, k, x, 1);
      strain[k] = fmax(fabs(m.strain[0]), fabs(m.strain[1]));
      sums[0] += m.stretch;
      sums[1] += m.shear;
      continue;
    }
    list->kind->evaluate(list, k, 1, &e);
    sums[springs ? 0 : 2] += energy;
    if (springs) {
      mus_subtract3(x + 3 * list->vertex[2 * k], x + 3 * list->vertex[2 * k + 1], way);
      double drawn = sqrt(mus_dot3(way, way)) / spring[k].length - 1;
      strain[k] = drawn < 0 && slack ? 0 : fabs(drawn);
    }
  }
  return springs || list->kind == &mus_membrane_kind ? list->count : 0;
}

// Sums over all elements one by one, and strains sorted.
static void measures_are_plain_sums(void **state) {
  (void)state;
  for (int vertices = 4; vertices < 3000; vertices *= 5) {
    mus_scene scene = scene_of(7, vertices, 0);
    mus_sim *sim = shaken(&scene);
    mus_step_record record = {.strain_maximum = 99};
    measure(sim, &record);
    double *strain = malloc(sim->model.strains * sizeof *strain), sums[5] = {0};
    int count = 0;
    for (int k = 0; k < sim->model.list_count; ++k) {
      const mus_element_list *list = &sim->model.lists[k].elements;
      count += add_list(list, sim->state.position + 3 * list->first_vertex, strain + count, sums);
    }
    assert_int_equal(count, sim->model.strains);
    qsort(strain, (size_t)count, sizeof *strain, ascending);
    assert_true(record.strain_maximum == strain[count - 1]);
    assert_true(record.strain_99 == strain[(size_t)(0.99 * (count - 1))]);
    double momentum[3] = {0}, angular[3] = {0}, turn[3];
    for (int i = 0; i < sim->model.vertices; ++i) {
      const double *x = sim->state.position + 3 * i, *v = sim->state.velocity + 3 * i, mass = sim->model.mass[i];
      sums[3] += mass * mus_dot3(v, v) / 2;
      sums[4] += mass * 9.81 * x[1];
      mus_cross3(x, v, turn);
      mus_add_scaled3(mass, v, momentum);
      mus_add_scaled3(mass, turn, angular);
    }
    const double got[5] = {record.stretch, record.shear, record.bend, record.kinetic, record.potential};
    for (int k = 0; k < 5; ++k)
      assert_true(fabs(got[k] - sums[k]) <= 1e-12 * (fabs(sums[k]) + 1e-3));
    for (int k = 0; k < 3; ++k)
      assert_true(fabs(record.momentum[k] - momentum[k]) < 1e-12 &&
                  fabs(record.angular_momentum[k] - angular[k]) < 1e-12);
    free(strain);
    mus_sim_free(sim);
    mus_scene_free(&scene);
  }
}

// Wind that rises from still air has the gusts of the wind that it rises to: they move.
static void gusts_go_with_the_most_wind(void **state) {
  (void)state;
  double time[] = {0, 1, 2}, value[] = {0, 0, 0, 2, 0, 1, 0, 1, 0};
  mus_scene scene = scene_of(1, 9, 1.2);
  mus_model steady, rising;
  assert_int_equal(mus_model_create(&scene, NULL, &steady), MUS_OK);
  mus_keys given = scene.wind;
  scene.wind = (mus_keys){3, 3, time, value};
  assert_int_equal(mus_model_create(&scene, NULL, &rising), MUS_OK);
  assert_true(steady.gusts.waves > 0 && steady.gusts.wave[0].frequency != 0 && steady.gusts.carrier[0] == 2);
  assert_int_equal(rising.gusts.waves, steady.gusts.waves);
  assert_memory_equal(rising.gusts.carrier, steady.gusts.carrier, sizeof rising.gusts.carrier);
  assert_memory_equal(rising.gusts.wave, steady.gusts.wave, sizeof rising.gusts.wave);
  mus_model_free(&steady);
  mus_model_free(&rising);
  scene.wind = given;
  mus_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cloths_do_not_mix),
      cmocka_unit_test(matrix_and_forces_belong_together),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(energy_and_forces_belong_together),
      cmocka_unit_test(energy_has_the_same_bits_for_any_number_of_threads),
      cmocka_unit_test(measures_are_plain_sums),
      cmocka_unit_test(gusts_go_with_the_most_wind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
