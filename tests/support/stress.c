// Random scenes with contact. See stress.h.
#include "support/stress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/timer.h"
#include "energy/fabric.h"
#include "model/bodies.h"
#include "model/motion.h"
#include "sim/simulator.h"
#include "support/check.h"
#include "support/exact.h"

// Bodies keep so far from each other, m: cloth between them always has space.
static const double clearance = 0.05;
// Where sheets and bodies start, m from the middle.
static const double reach = 0.6;
static const double fastest = 20;    // m/s
static const double bearable = 10.0; // of strain: beyond that something has gone wrong

// --- numbers ---------------------------------------------------------------------------------------------------------

typedef struct draw {
  uint64_t seed, next;
} draw;

static double between(draw *d, double low, double high) {
  return low + (high - low) * (mus_random(d->seed, d->next++) + 1) / 2;
}

// Small ones as often as large ones.
static double of_any_size(draw *d, double low, double high) { return low * pow(high / low, between(d, 0, 1)); }

static int whole(draw *d, int low, int high) { return low + (int)floor(between(d, 0, high - low + 1)); }
static int chance(draw *d, double part) { return between(d, 0, 1) < part; }

static void in_ball(draw *d, double radius, double *v) {
  do {
    for (int k = 0; k < 3; ++k)
      v[k] = between(d, -radius, radius);
  } while (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > radius * radius);
}

static double way_between(const double *from, const double *to, double *way) {
  for (int k = 0; k < 3; ++k)
    way[k] = to[k] - from[k];
  return sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
}

static void *zeros(size_t count, size_t size) {
  void *memory = calloc(count, size);
  assert_non_null(memory);
  return memory;
}

static char *copy_text(const char *text) {
  char *copy = zeros(strlen(text) + 1, 1);
  return memcpy(copy, text, strlen(text));
}

static mus_keys make_keys(int count) {
  return (mus_keys){.count = count,
                    .width = 3,
                    .time = zeros((size_t)count, sizeof(double)),
                    .value = zeros(3 * (size_t)count, sizeof(double))};
}

// --- sheets ----------------------------------------------------------------------------------------------------------

// Towards a place on a body, to be there when the body is, or anywhere.
static void aim(draw *d, const mus_scene *scene, double speed, mus_cloth *cloth) {
  double target[3], near[3], way[3], length = 1;
  if (chance(d, 0.1)) {
    in_ball(d, speed, cloth->velocity);
    return;
  }
  const mus_body *body = &scene->bodies[whole(d, 0, scene->body_count - 1)];
  in_ball(d, 0.1, near);
  for (int round = 0; round < 10; ++round) {
    mus_keys_at(&body->translate, 3, length / speed, NULL, target);
    for (int k = 0; k < 3; ++k)
      target[k] += near[k];
    length = way_between(cloth->translate, target, way);
  }
  for (int k = 0; k < 3; ++k)
    cloth->velocity[k] = speed * way[k] / length;
}

static mus_cloth draw_cloth(draw *d, const mus_scene *scene, int vertices, int pinned) {
  mus_cloth cloth = mus_default_cloth();
  int fabrics = 0;
  while (mus_fabric_at(fabrics))
    ++fabrics;
  cloth.shape.vertices = whole(d, 50, vertices);
  cloth.shape.tessellation = chance(d, 0.5) ? MUS_TESSELLATION_REGULAR : MUS_TESSELLATION_IRREGULAR;
  cloth.shape.seed = (unsigned)whole(d, 1, 1000);
  cloth.shape.size[0] = between(d, 0.2, 1);
  cloth.shape.size[1] = cloth.shape.size[0] * between(d, 0.7, 1 / 0.7);
  cloth.model =
      (mus_cloth_model)(chance(d, 0.6) ? MUS_CLOTH_MODEL_BARAFF_WITKIN
                                       : whole(d, MUS_CLOTH_MODEL_BARAFF_WITKIN, MUS_CLOTH_MODEL_MASS_SPRING));
  free(cloth.fabric);
  cloth.fabric = copy_text(mus_fabric_at(whole(d, 0, fabrics - 1))->name);
  cloth.thickness = of_any_size(d, 0.0001, 0.001);
  cloth.friction = chance(d, 0.2) ? 0 : between(d, 0, 1);
  for (int k = 0; k < 3; ++k)
    cloth.rotate[k] = between(d, -180, 180);
  in_ball(d, reach, cloth.translate);
  aim(d, scene, between(d, 1, pinned ? 5 : fastest), &cloth);
  if (pinned) { // one corner
    cloth.pin_count = 1;
    cloth.pins = zeros(1, sizeof *cloth.pins);
    cloth.pins[0] = mus_default_pin();
    cloth.pins[0].where.vertex_count = 1;
    cloth.pins[0].where.vertices = zeros(1, sizeof(int));
  }
  return cloth;
}

// --- bodies ----------------------------------------------------------------------------------------------------------

static mus_body_shape draw_shape(draw *d, mus_body_shape_kind kind) {
  mus_body_shape shape = mus_default_body().shape;
  shape.kind = kind;
  shape.facet = of_any_size(d, 0.0005, 0.01);
  shape.radius = between(d, 0.05, 0.25);
  shape.length = between(d, 0.1, 0.5);
  for (int k = 0; k < 3; ++k)
    shape.size[k] = between(d, 0.05, 0.4);
  if (kind == MUS_BODY_SHAPE_BOX_WITH_HOLE)
    shape.radius = between(d, 0.2, 0.45) * fmin(shape.size[0], shape.size[2]);
  if (kind == MUS_BODY_SHAPE_PLANE)
    shape.size[0] = shape.size[2] = between(d, 1, 4);
  return shape;
}

static double bounding_radius(const mus_body_shape *s) {
  switch (s->kind) {
  case MUS_BODY_SHAPE_SPHERE:
    return s->radius;
  case MUS_BODY_SHAPE_CAPSULE:
    return s->radius + s->length / 2;
  default:
    return sqrt(s->size[0] * s->size[0] + s->size[1] * s->size[1] + s->size[2] * s->size[2]) / 2;
  }
}

// To and fro past a place near the middle, or straight on.
static mus_keys draw_flight(draw *d, double duration, double speed) {
  double way = between(d, 0.3, 2), target[3], far[3], course[3], before = between(d, 0.2, 0.8);
  int legs = (int)fmin(8, ceil(speed * duration / way));
  mus_keys keys = make_keys(legs + 1);
  in_ball(d, 0.3, target);
  in_ball(d, 1, far);
  speed /= way_between(far, target, course);
  for (int k = 0; k <= legs; ++k) {
    keys.time[k] = duration * k / legs;
    for (int c = 0; c < 3; ++c)
      keys.value[3 * k + c] = target[c] + speed * course[c] * duration / legs * (k % 2 == 1 ? 1 - before : -before);
  }
  return keys;
}

// Points of the surface are not to be faster than that.
static mus_keys draw_spin(draw *d, double radius, double duration, double speed) {
  mus_keys keys = make_keys(2);
  double most = speed / radius * duration * 180 / acos(-1) / 2;
  keys.time[1] = duration;
  for (int c = 0; c < 3; ++c) {
    keys.value[c] = between(d, -180, 180);
    keys.value[3 + c] = keys.value[c] + between(d, -most, most);
  }
  return keys;
}

static mus_keys at_rest(draw *d, double size) {
  mus_keys keys = make_keys(1);
  for (int c = 0; c < 3; ++c)
    keys.value[c] = between(d, -size, size);
  return keys;
}

static mus_body draw_body(draw *d, double duration, int moving) {
  static const mus_body_shape_kind kinds[] = {MUS_BODY_SHAPE_SPHERE, MUS_BODY_SHAPE_SPHERE, MUS_BODY_SHAPE_BOX,
                                              MUS_BODY_SHAPE_CAPSULE, MUS_BODY_SHAPE_BOX_WITH_HOLE};
  mus_body body = mus_default_body();
  double place[3], speed = between(d, 0.1, fastest);
  body.shape = draw_shape(d, kinds[whole(d, 0, sizeof kinds / sizeof *kinds - 1)]);
  body.friction = chance(d, 0.2) ? 0 : between(d, 0, 1);
  body.thickness = of_any_size(d, 0.0001, 0.001);
  in_ball(d, reach / 2, place);
  int flies = moving && chance(d, 0.7), spins = moving && (!flies || chance(d, 0.5));
  body.rotate = spins ? draw_spin(d, bounding_radius(&body.shape), duration, speed) : at_rest(d, 180);
  if (flies) {
    body.translate = draw_flight(d, duration, speed);
  } else {
    body.translate = make_keys(1);
    memcpy(body.translate.value, place, sizeof place);
  }
  return body;
}

// A floor, a little tilted.
static mus_body draw_floor(draw *d) {
  mus_body body = mus_default_body();
  body.shape = draw_shape(d, MUS_BODY_SHAPE_PLANE);
  body.friction = between(d, 0, 1);
  body.thickness = of_any_size(d, 0.0001, 0.001);
  body.rotate = at_rest(d, 10);
  body.translate = at_rest(d, 0);
  body.translate.value[1] = -between(d, 0.3, 0.8);
  return body;
}

// How far a body stays from another, m, at least: both in balls, or above a floor.
static double distance(const mus_body *a, const mus_body *b, double time) {
  double at[3], other[3], way[3], ball = bounding_radius(&b->shape);
  mus_keys_at(&a->translate, 3, time, NULL, at);
  mus_keys_at(&b->translate, 3, time, NULL, other);
  double apart = way_between(at, other, way) - ball;
  if (a->shape.kind != MUS_BODY_SHAPE_PLANE)
    return apart - bounding_radius(&a->shape);
  return way[1] - ball - 0.25 * (fabs(way[0]) + fabs(way[2])); // which a floor of 10 degrees does not reach
}

// Lays all sheets on the first, hardly a thickness apart.
static void stack_sheets(draw *d, mus_scene *scene) {
  double height = 0;
  for (int k = 0; k < scene->cloth_count; ++k) {
    mus_cloth *cloth = &scene->cloths[k];
    memcpy(cloth->translate, scene->cloths[0].translate, sizeof cloth->translate);
    memcpy(cloth->velocity, scene->cloths[0].velocity, sizeof cloth->velocity);
    cloth->rotate[0] = cloth->rotate[2] = 0;
    cloth->translate[1] += height;
    height += cloth->thickness * between(d, 0.6, 3);
  }
}

static int stay_apart(const mus_scene *scene, double duration) {
  enum { TIMES = 2000 };
  for (int t = 0; t <= TIMES; ++t)
    for (int a = 0; a < scene->body_count; ++a)
      for (int b = a + 1; b < scene->body_count; ++b)
        if (distance(&scene->bodies[a], &scene->bodies[b], duration * t / TIMES) < clearance)
          return 0;
  return 1;
}

// --- scenes ----------------------------------------------------------------------------------------------------------

static mus_scene draw_scene(draw *d) {
  mus_scene scene = mus_default_scene();
  int fine = chance(d, 0.4);
  scene.time_step = fine ? 0.002 : 1 / 120.0;
  scene.frames = fine ? 6 : whole(d, 8, 12);
  scene.integrator = chance(d, 0.7)   ? MUS_INTEGRATOR_EULER
                     : chance(d, 0.6) ? MUS_INTEGRATOR_BDF2
                                      : MUS_INTEGRATOR_NEWTON;
  double duration = scene.frames / scene.frame_rate;
  int moving = chance(d, 0.6), pinned = !moving && chance(d, 0.3);
  int floor = chance(d, 0.3);
  scene.body_count = floor + whole(d, 1, 3 - floor);
  scene.bodies = zeros((size_t)scene.body_count, sizeof *scene.bodies);
  for (int k = 0; k < scene.body_count; ++k)
    scene.bodies[k] = k < floor ? draw_floor(d) : draw_body(d, duration, moving);
  int newton = scene.integrator == MUS_INTEGRATOR_NEWTON; // is slow
  scene.cloth_count = chance(d, 0.5) ? 1 : whole(d, 2, newton ? 2 : 4);
  scene.cloths = zeros((size_t)scene.cloth_count, sizeof *scene.cloths);
  for (int k = 0; k < scene.cloth_count; ++k)
    scene.cloths[k] = draw_cloth(d, &scene, newton ? 90 : 400 / (1 + scene.cloth_count / 2), pinned);
  if (chance(d, 0.25))
    stack_sheets(d, &scene);
  if (chance(d, 0.2))
    scene.gravity = make_keys(1); // none
  scene.solver.threads = 1;
  return scene;
}

// --- scenes that start free ------------------------------------------------------------------------------------------

static int starts_free(const mus_scene *scene) {
  mus_sim *sim = NULL;
  exact_finder *s;
  if (!stay_apart(scene, scene->frames / scene->frame_rate))
    return 0;
  assert_ok(mus_sim_create(scene, &sim));
  s = exact_begin(sim);
  int is_free = exact_search(s, sim) == 0 && exact_inside(sim) == 0;
  exact_end(s);
  mus_sim_free(sim);
  return is_free;
}

mus_scene stress_scene(unsigned seed) {
  draw d = {.seed = seed};
  for (int tries = 0; tries < 10000; ++tries) {
    mus_scene scene = draw_scene(&d);
    if (starts_free(&scene))
      return scene;
    mus_scene_free(&scene);
  }
  fail_msg("seed %u: no scene that starts free", seed);
  return mus_default_scene();
}

// --- runs ------------------------------------------------------------------------------------------------------------

static void note_steps(const mus_sim *sim, int steps, stress_result *result) {
  for (int k = 0; k < steps; ++k) {
    const mus_step_record *record = mus_sim_step_record(sim, k);
    ++result->steps;
    result->halvings = record->halvings > result->halvings ? record->halvings : result->halvings;
    result->impacts += record->impacts;
    result->impossible += record->impossible;
    result->strain = fmax(result->strain, record->strain_maximum);
  }
}

static int is_finite(const mus_sim *sim) {
  for (int i = 0; i < 3 * mus_sim_vertices(sim); ++i)
    if (!isfinite(mus_sim_positions(sim)[i]) || !isfinite(mus_sim_velocities(sim)[i]))
      return 0;
  return 1;
}

static void judge(exact_finder *s, mus_sim *sim, stress_result *result) {
  size_t size = sizeof result->failure;
  if (!is_finite(sim)) {
    snprintf(result->failure, size, "numbers are not finite");
  } else if ((result->intersections = exact_search(s, sim)) > 0) {
    const mus_intersection *pair = exact_pairs(s);
    snprintf(result->failure, size, "%d intersections, of triangles %d and %d of %d first", result->intersections,
             pair->first, pair->second, mus_sim_triangles(sim));
  } else if (!(result->strain < bearable)) {
    snprintf(result->failure, size, "a thread is stretched by %g", result->strain);
  }
}

stress_result stress_run(unsigned seed) {
  stress_result result = {0};
  mus_scene scene = stress_scene(seed);
  mus_sim *sim = NULL;
  exact_finder *s;
  double begin = mus_seconds();
  assert_ok(mus_sim_create(&scene, &sim));
  s = exact_begin(sim);
  while (result.frames < scene.frames && !result.failure[0]) {
    int steps = 0;
    mus_status status = mus_sim_frame(sim, &steps);
    note_steps(sim, steps, &result);
    if (status)
      snprintf(result.failure, sizeof result.failure, "%s: %s", mus_status_name(status), mus_last_error());
    else
      judge(s, sim, &result);
    result.frames += !result.failure[0];
  }
  result.seconds = mus_seconds() - begin;
  exact_end(s);
  mus_sim_free(sim);
  mus_scene_free(&scene);
  return result;
}
