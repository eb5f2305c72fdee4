// An energy that is plugged in from outside: all of it is in this file, up to `tether_kind`, and nothing else knows of
// it. docs/developing.md shows it as the way to add an energy.
#include "energy/check_kind.h"

#include "base/error.h"
#include "energy/gather.h"
#include "sim/simulator.h"
#include "step/assemble.h"

// A tether holds a vertex where it started: E = k/2 |x - x_0|^2, damping f = -d v.
typedef struct tether_rest {
  double start[3];  // m
  double stiffness; // N/m
  double damping;   // N s/m
} tether_rest;

static mus_status create(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  int *vertex = mus_arena_alloc(arena, (size_t)source->mesh->vertices, sizeof *vertex);
  mus_status status = vertex ? mus_element_list_allocate(arena, source->mesh->vertices, out) : mus_fail_memory();
  tether_rest *rest = out->rest;
  double stiffness = source->fabric->stretch[0] / 1000;
  out->vertex = vertex;
  for (int i = 0; i < out->count && !status; ++i) {
    vertex[i] = i;
    memcpy(rest[i].start, source->mesh->position + 3 * (size_t)i, sizeof rest[i].start);
    rest[i].stiffness = stiffness;
    rest[i].damping = 0.05 * stiffness;
  }
  return status;
}

static void evaluate(const mus_element_list *list, int first, int count, const mus_evaluation *e) {
  const tether_rest *rest = (const tether_rest *)list->rest + first;
  for (int k = 0; k < count; ++k) {
    double stiffness = e->scale * rest[k].stiffness, damping = e->scale * rest[k].damping, away[3];
    mus_gathered p;
    mus_gather(1, &list->vertex[first + k], k, e, &p); // x, v, and where results go
    mus_subtract3(p.x, rest[k].start, away);
    double potential = 0, per_second = e->blend.per_second;
    if (per_second > 0) { // damping is a potential of the step, and p.velocity is where it began
      for (int c = 0; c < 3; ++c)
        p.velocity[c] = per_second * (p.x[c] - p.velocity[c]);
      potential = damping / (2 * per_second) * mus_dot3(p.velocity, p.velocity);
    }
    mus_keep_energy(e, k, stiffness / 2 * mus_dot3(away, away) + potential);
    for (int c = 0; c < 3 && p.gradient; ++c)
      p.gradient[c] = stiffness * away[c] + (damping + e->blend.drift * stiffness) * p.velocity[c];
    for (int c = 0; c < 9 && p.block; ++c)
      p.block[c] = c % 4 == 0 ? e->blend.stiffness * stiffness + e->blend.damping * damping : 0;
  }
}

static const mus_element_kind tether_kind = {.name = "tether",
                                             .arity = 1,
                                             .rest_bytes = sizeof(tether_rest),
                                             .energy = MUS_ENERGY_STRETCH,
                                             .create = create,
                                             .evaluate = evaluate};

// --- the tests -------------------------------------------------------------------------------------------------------

static const mus_element_kind *const extra[] = {&tether_kind, NULL};

static mus_scene scene_of(const char *model) {
  char text[300];
  snprintf(text, sizeof text,
           "{\"time_step\": 0.01, \"air_density\": 0, \"cloths\": [{\"model\": \"%s\", \"fabric\": \"denim\", "
           "\"shape\": {\"vertices\": 100}}, {\"translate\": [3, 1, 0], \"shape\": {\"vertices\": 64}}]}",
           model);
  mus_scene scene;
  if (mus_scene_parse("test", text, &scene) != MUS_OK)
    fail_msg("%s", mus_last_error());
  return scene;
}

static mus_sim *sim_of(const mus_scene *scene, const mus_element_kind *const *kinds) {
  mus_sim *sim;
  if (mus_sim_create_with(scene, kinds, &sim) != MUS_OK)
    fail_msg("%s", mus_last_error());
  return sim;
}

// The list of tethers of a cloth.
static const mus_element_list *tethers(const mus_sim *sim, int cloth) {
  for (int k = 0; k < sim->model.list_count; ++k)
    if (sim->model.lists[k].part == cloth && sim->model.lists[k].elements.kind == &tether_kind)
      return &sim->model.lists[k].elements;
  fail_msg("cloth %d has no tethers", cloth);
  return NULL;
}

static void derivatives(void **state) {
  (void)state;
  mus_scene scene = scene_of("choi-ko");
  mus_sim *sim = sim_of(&scene, extra);
  for (int cloth = 0; cloth < 2; ++cloth) {
    const mus_mesh *mesh = &sim->model.parts[cloth].shape.mesh;
    const mus_element_list *list = tethers(sim, cloth);
    assert_int_equal(list->count, mesh->vertices);
    for (int element = 0; element < list->count; ++element)
      check_listed(list, element, mesh->vertices, mesh->position, 0.02, (uint64_t)element);
  }
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

// Positions and velocities at random.
typedef struct motion {
  double *position, *velocity;
} motion;

static motion motion_create(const mus_model *model) {
  size_t n = 3 * (size_t)model->vertices;
  motion m = {malloc(n * sizeof(double)), malloc(n * sizeof(double))};
  for (size_t k = 0; k < n; ++k) {
    m.position[k] = model->start[k] + 0.001 * mus_random(1, k);
    m.velocity[k] = mus_random(2, k);
  }
  return m;
}

static void motion_free(motion *m) {
  free(m->position);
  free(m->velocity);
}

// In all cloth models, tethers add h^2 k + h d to the diagonal, k (x_0 - x) - (d + h k) v to the forces, and nothing
// elsewhere.
static void assembled_as_any_other(void **state) {
  (void)state;
  static const char *const models[] = {"baraff-witkin", "choi-ko", "mass-spring"};
  for (int m = 0; m < 3; ++m) {
    mus_scene scene = scene_of(models[m]);
    mus_sim *sim = sim_of(&scene, extra), *plain = sim_of(&scene, NULL);
    const mus_pattern *pattern = &sim->model.pattern;
    int n = sim->model.vertices;
    double h = 0.01;
    motion moved = motion_create(&sim->model);
    mus_instant at = {0, moved.position, moved.velocity, h, h, NULL};
    size_t values = 9 * (size_t)pattern->row_start[n];
    double *value[2] = {calloc(values, sizeof(double)), calloc(values, sizeof(double))};
    double *force[2] = {calloc(3 * (size_t)n, sizeof(double)), calloc(3 * (size_t)n, sizeof(double))};
    mus_matrix matrix[2] = {{pattern, 3, 3, value[0]}, {&plain->model.pattern, 3, 3, value[1]}};
    assert_int_equal(plain->model.pattern.row_start[n], pattern->row_start[n]);
    mus_assemble(&sim->model, &sim->settings, &at, &matrix[0], force[0]);
    mus_assemble(&plain->model, &plain->settings, &at, &matrix[1], force[1]);
    for (int i = 0; i < n; ++i) {
      const mus_element_list *list = tethers(sim, i >= sim->model.parts[1].first_vertex);
      const tether_rest *rest = (const tether_rest *)list->rest + (i - list->first_vertex);
      double k = rest->stiffness, d = rest->damping;
      for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; ++e)
        for (int c = 0; c < 9; ++c)
          check_near(value[0][9 * e + c] - value[1][9 * e + c],
                     pattern->column[e] == i && c % 4 == 0 ? h * h * k + h * d : 0, 1e-12);
      for (int c = 0; c < 3; ++c)
        check_near(force[0][3 * i + c] - force[1][3 * i + c],
                   k * (rest->start[c] - at.position[3 * i + c]) - (d + h * k) * at.velocity[3 * i + c], 1e-9);
    }
    free(value[0]), free(value[1]), free(force[0]), free(force[1]);
    motion_free(&moved);
    mus_sim_free(sim), mus_sim_free(plain);
    mus_scene_free(&scene);
  }
}

// Records say what tethers store, under the name that their kind gives, and nothing else changes.
static void is_in_the_records(void **state) {
  (void)state;
  mus_scene scene = scene_of("choi-ko");
  mus_sim *sim = sim_of(&scene, extra), *plain = sim_of(&scene, NULL);
  motion moved = motion_create(&sim->model);
  mus_instant at = {.position = moved.position, .velocity = moved.velocity};
  double *strain = malloc(sim->model.strains * sizeof *strain), stored = 0;
  mus_step_record with = {.time = 0}, without = {.time = 0};
  assert_true(sim->model.strains == plain->model.strains);
  mus_measure(&sim->model, &sim->settings, &at, strain, &with);
  mus_measure(&plain->model, &plain->settings, &at, strain, &without);
  for (int cloth = 0; cloth < 2; ++cloth) {
    const mus_element_list *list = tethers(sim, cloth);
    stored += mus_element_list_energy(list, 0, list->count, at.position + 3 * list->first_vertex, 1);
  }
  assert_true(stored > 1e-6);
  check_near(with.stretch - without.stretch, stored, 1e-12 * with.stretch);
  assert_true(with.shear == without.shear && with.bend == without.bend && with.strain_99 == without.strain_99);
  free(strain);
  motion_free(&moved);
  mus_sim_free(sim), mus_sim_free(plain);
  mus_scene_free(&scene);
}

// How far a cloth has sunk, on the mean.
static double sunk(const mus_sim *sim, int cloth) {
  const mus_model_part *c = &sim->model.parts[cloth];
  double sum = 0;
  for (int i = 0; i < c->shape.mesh.vertices; ++i)
    sum += c->shape.mesh.position[3 * i + 1] - mus_sim_positions(sim)[3 * (c->first_vertex + i) + 1];
  return sum / c->shape.mesh.vertices;
}

// Without pins cloth falls. By tethers it comes to rest where they carry its weight, as forces within it add up to
// nothing.
static void moves_cloth(void **state) {
  (void)state;
  mus_scene scene = scene_of("baraff-witkin");
  mus_sim *sim = sim_of(&scene, extra), *plain = sim_of(&scene, NULL);
  for (int frame = 0; frame < 40; ++frame)
    assert_int_equal(mus_sim_frame(sim, NULL), MUS_OK);
  for (int frame = 0; frame < 6; ++frame)
    assert_int_equal(mus_sim_frame(plain, NULL), MUS_OK);
  for (int cloth = 0; cloth < 2; ++cloth) {
    const mus_element_list *list = tethers(sim, cloth);
    const tether_rest *rest = list->rest;
    double weight = 0;
    for (int i = 0; i < list->count; ++i)
      weight += 9.81 * sim->model.mass[list->first_vertex + i];
    double expected = weight / (rest->stiffness * list->count);
    check_near(sunk(sim, cloth), expected, 1e-4 * expected);
    assert_true(expected > 1e-4 && sunk(plain, cloth) > 0.15);
  }
  mus_sim_free(sim), mus_sim_free(plain);
  mus_scene_free(&scene);
}

// Tethers follow a cloth's fabric, and so do its other elements.
static void follows_the_fabric(void **state) {
  (void)state;
  mus_scene scene = scene_of("baraff-witkin");
  mus_sim *sim = sim_of(&scene, extra);
  const tether_rest *first = tethers(sim, 0)->rest, *second = tethers(sim, 1)->rest;
  double before = second[5].stiffness;
  assert_int_equal(mus_model_set_fabric(&sim->model, 0, "silk"), MUS_OK);
  assert_true(first[5].stiffness == sim->model.parts[0].fabric.stretch[0] / 1000 && second[5].stiffness == before);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(assembled_as_any_other),
                                     cmocka_unit_test(is_in_the_records), cmocka_unit_test(moves_cloth),
                                     cmocka_unit_test(follows_the_fabric)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
