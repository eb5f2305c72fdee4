// Contact with bodies only: distances of shapes, what friction holds and lets go, and cloth that comes to rest on
// bodies.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "energy/touch.h"
#include "model/bodies.h"
#include "sim/simulator.h"
#include "support/check.h"

// --- distances -------------------------------------------------------------------------------------------------------

static const char *const shapes[] = {
    "\"kind\": \"sphere\", \"radius\": 0.3",
    "\"kind\": \"capsule\", \"radius\": 0.2, \"length\": 0.4",
    "\"kind\": \"box\", \"size\": [0.5, 0.3, 0.7]",
    "\"kind\": \"rounded-box\", \"size\": [0.5, 0.3, 0.7], \"radius\": 0.05",
    "\"kind\": \"cylinder\", \"radius\": 0.2, \"length\": 0.5",
    "\"kind\": \"torus\", \"radius\": 0.25, \"tube\": 0.1",
    "\"kind\": \"cone\", \"radius\": 0.25, \"length\": 0.5, \"facet\": 0.02",
};
enum { SHAPES = sizeof shapes / sizeof *shapes, GRIDS = 1 }; // the last of them

static mus_sim *sim_of(mus_scene *scene, const char *text) {
  mus_sim *sim;
  assert_ok(mus_scene_parse("test", text, scene));
  assert_ok(mus_sim_create(scene, &sim));
  return sim;
}

static mus_sim *beside(mus_scene *scene, const char *shape, const char *more) {
  char text[2000];
  snprintf(text, sizeof text,
           "{\"contact_with\": \"bodies\", \"bodies\": [{\"shape\": {%s}, \"rotate\": [20, 30, 40], \"translate\": "
           "[0.1, 0.2, 0.3]}], \"cloths\": [{\"shape\": {\"vertices\": 25}, \"translate\": [0, 3, 0]}]%s}",
           shape, more);
  return sim_of(scene, text);
}

// The surface that others see, at the same place: its vertices are all but on it, and normals are slopes of distances.
static void distances_are_those_of_surfaces(void **state) {
  (void)state;
  for (int k = 0; k < SHAPES; ++k)
    for (int up = 0; up < 2; ++up) {
      mus_scene scene;
      mus_sim *sim = beside(&scene, shapes[k], up ? ", \"up\": \"z\"" : "");
      const mus_touch *touch = sim->touch;
      double slack = k < SHAPES - GRIDS ? 3e-4 : 0.02;
      assert_non_null(touch);
      mus_touch_place(&sim->model, 0, 0.01, sim->touch);
      int vertices = mus_bodies_vertices(sim->model.bodies);
      double *x = malloc(3 * (size_t)vertices * sizeof *x), n[3], own[3];
      assert_non_null(x);
      assert_ok(mus_bodies_at(sim->model.bodies, 0, x));
      for (int i = 0; i < vertices; ++i) {
        mus_touch_move(touch->body[0].from, x + 3 * i, own);
        double off = mus_touch_distance(&touch->body[0], touch->grid, own, n);
        if (!(fabs(off) < slack))
          fail_msg("shape %d: vertex %d of the surface is %g m away from it", k, i, off);
      }
      for (int i = 0; i < 400 && k < SHAPES - GRIDS; ++i) {
        double p[3] = {0.5 * sin(3.0 * i), 0.5 * sin(5.0 * i + 1), 0.5 * sin(7.0 * i + 2)};
        double here = mus_touch_distance(&touch->body[0], touch->grid, p, n), slope = 0, q[3], m[3];
        assert_true(fabs(mus_dot3(n, n) - 1) < 1e-12);
        for (int c = 0; c < 3; ++c)
          q[c] = p[c] + 1e-6 * n[c];
        slope = (mus_touch_distance(&touch->body[0], touch->grid, q, m) - here) / 1e-6;
        if (!(fabs(slope - 1) < 1e-3))
          fail_msg("shape %d: at (%g, %g, %g) the slope is %g", k, p[0], p[1], p[2], slope);
      }
      double inside[3] = {k == 5 ? 0.25 : 0, 0, 0}, outside[3] = {0.9, 0.9, 0.9};
      assert_true(mus_touch_distance(&touch->body[0], touch->grid, inside, n) < -0.05);
      assert_true(mus_touch_distance(&touch->body[0], touch->grid, outside, n) > 0.1);
      free(x);
      mus_sim_free(sim);
      mus_scene_free(&scene);
    }
}

// --- friction --------------------------------------------------------------------------------------------------------

// On a slope of 30 degrees: m/s after half a second, and how far from its height.
static double slide(double friction, const char *integrator, double *sunk) {
  char text[2000];
  mus_scene scene;
  snprintf(
      text, sizeof text,
      "{\"contact_with\": \"bodies\", \"integrator\": \"%s\", \"time_step\": 0.002, \"frame_rate\": 10, "
      "\"air_density\": 0, \"gravity\": [4.905, -8.4957, 0], \"bodies\": [{\"shape\": {\"kind\": \"floor\"}, "
      "\"thickness\": 0.001, \"friction\": %g}], \"cloths\": [{\"thickness\": 0.001, \"shape\": {\"vertices\": 49}, "
      "\"translate\": [0, 0.0015, 0]}]}",
      integrator, friction);
  mus_sim *sim = sim_of(&scene, text);
  for (int frame = 0; frame < 5; ++frame)
    assert_ok(mus_sim_frame(sim, NULL));
  double speed = mus_sim_velocities(sim)[3 * 24];
  *sunk = fabs(mus_sim_positions(sim)[3 * 24 + 1] - 0.0015);
  mus_sim_free(sim);
  mus_scene_free(&scene);
  return speed;
}

static void friction_is_coulombs(void **state) {
  (void)state;
  const char *const integrators[] = {"euler", "bdf2"};
  for (int k = 0; k < 2; ++k) {
    double sunk, speed = slide(0.3, integrators[k], &sunk), ought = 0.5 * (4.905 - 0.3 * 8.4957);
    if (!(fabs(speed - ought) < 0.05 * ought))
      fail_msg("%s: it slides at %g m/s instead of %g", integrators[k], speed, ought);
    assert_true(sunk < 1e-4);
    speed = slide(0.8, integrators[k], &sunk);
    if (!(fabs(speed) < 5e-4))
      fail_msg("%s: it ought to stick, and slides at %g m/s", integrators[k], speed);
    assert_true(sunk < 1e-4);
    assert_true(fabs(slide(0, integrators[k], &sunk) - 0.5 * 4.905) < 0.01);
  }
}

// --- rest ------------------------------------------------------------------------------------------------------------

// Falls onto a ball that carries it up, and stays outside.
static void cloth_stays_outside(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *sim = sim_of(
      &scene, "{\"contact_with\": \"bodies\", \"time_step\": 0.004, \"frame_rate\": 25, \"bodies\": [{\"shape\": "
              "{\"kind\": \"sphere\", \"radius\": 0.3}, \"translate\": [{\"time\": 0.4, \"value\": [0, -0.32, 0]}, "
              "{\"time\": 0.8, \"value\": [0, 0.08, 0]}]}], \"cloths\": [{\"shape\": {\"vertices\": 441}}]}");
  int most = 0;
  for (int frame = 0; frame < 25; ++frame) {
    int steps;
    assert_ok(mus_sim_frame(sim, &steps));
    double up = frame < 10 ? 0 : fmin((frame + 1 - 10) * 0.04, 0.4);
    for (int i = 0; i < mus_sim_vertices(sim); ++i) {
      const double *x = mus_sim_positions(sim) + 3 * i;
      double middle[3] = {x[0], x[1] + 0.32 - up, x[2]}, away = sqrt(mus_dot3(middle, middle)) - 0.3;
      if (!(away > 0))
        fail_msg("frame %d: vertex %d is %g m inside", frame, i, -away);
    }
    int now = mus_sim_step_record(sim, steps - 1)->body_contacts;
    most = now > most ? now : most;
  }
  assert_true(most > 20);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

static void what_it_cannot_do_is_said(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *sim = NULL;
  const char *const texts[] = {"{\"contact_with\": \"bodies\", \"integrator\": \"minimise\", \"minimiser\": "
                               "\"fas\", \"cloths\": [{}]}",
                               "{\"contact_with\": \"bodies\", \"bodies\": [{\"name\": \"she\", \"shape\": {\"kind\": "
                               "\"mannequin\"}}], \"cloths\": [{}]}"};
  const char *const why[] = {"not for the minimiser \"fas\"", "\"she\" changes its shape"};
  for (int k = 0; k < 2; ++k) {
    assert_ok(mus_scene_parse("test", texts[k], &scene));
    assert_fails(mus_sim_create(&scene, &sim), MUS_UNSUPPORTED, why[k]);
    mus_scene_free(&scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_are_those_of_surfaces),
      cmocka_unit_test(friction_is_coulombs),
      cmocka_unit_test(cloth_stays_outside),
      cmocka_unit_test(what_it_cannot_do_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
