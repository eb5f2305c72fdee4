// Isosurface stuffing: what the paper promises holds for shapes as bad as they come, and good ones are filled well.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "fill/stuffing.h"
#include "mesh/measure.h"
#include "mesh/tetrahedra_check.h"
#include "par/par.h"
#include "support/check.h"
#include "support/sweep.h"

static double ball_distance(const void *data, const double p[3]) {
  return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - *(const double *)data;
}

static mus_shape ball(const double *radius) {
  return (mus_shape){.distance = ball_distance,
                     .data = radius,
                     .low = {-*radius, -*radius, -*radius},
                     .high = {*radius, *radius, *radius},
                     .slope = 1};
}

// A random number for each place: every neighbourhood is as bad as can be, and so is where edges are cut.
static double noise(const void *data, const double p[3]) {
  uint64_t bits[3];
  memcpy(bits, p, sizeof bits);
  uint64_t key = bits[0] * 31 + bits[1] * 1009 + bits[2] * 100003;
  return mus_random(*(const uint64_t *)data, key) - 0.1;
}

static void assert_valid(const mus_tetrahedra *mesh) {
  mus_solid_report report;
  assert_ok(mus_tetrahedra_check(mesh, &report));
  for (int k = 0; k <= MUS_SOLID_FOLDED; ++k)
    assert_int_equal(report.count[k], 0);
  assert_int_equal(report.count[MUS_SOLID_UNREFERENCED], 0);
}

// Fills a shape with edges of 1 m and takes its angles in.
static void stuff_and_measure(const mus_shape *shape, double *least, double *largest) {
  mus_arena arena = {0};
  mus_tetrahedra mesh;
  mus_tetrahedra_quality q;
  assert_ok(mus_stuff(&arena, shape, 1, &mesh));
  assert_true(mesh.tetrahedra > 1000);
  assert_valid(&mesh);
  mus_tetrahedra_measure(&mesh, &q);
  *least = fmin(*least, q.least_angle);
  *largest = fmax(*largest, q.largest_angle);
  mus_arena_clear(&arena);
}

static void angles_hold_for_noise(void **state) {
  (void)state;
  double least = 180, largest = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    mus_shape shape = {.distance = noise, .data = &seed, .low = {0, 0, 0}, .high = {10, 10, 10}};
    stuff_and_measure(&shape, &least, &largest);
  }
  print_message("angles from %g to %g degrees\n", least, largest);
  assert_true(least >= MUS_STUFFING_LEAST_ANGLE && largest <= MUS_STUFFING_LARGEST_ANGLE);
}

// Sums of waves about as long as edges, which put cuts and points just where thresholds let them be.
typedef struct waves {
  double turn[6][3], phase[6], shift;
} waves;

static double wave_height(const void *data, const double p[3]) {
  const waves *w = data;
  double sum = w->shift;
  for (int k = 0; k < 6; ++k)
    sum += sin(w->turn[k][0] * p[0] + w->turn[k][1] * p[1] + w->turn[k][2] * p[2] + w->phase[k]);
  return sum;
}

static void angles_hold_for_waves(void **state) {
  (void)state;
  static const uint64_t worst[] = {19, 23, 24, 38}; // of the first forty
  double least = 180, largest = 0;
  for (size_t n = 0; n < sizeof worst / sizeof *worst; ++n) {
    uint64_t seed = worst[n];
    waves w = {.shift = mus_random(seed, 77)};
    for (uint64_t k = 0; k < 6; ++k) {
      w.phase[k] = 3 * mus_random(seed, k);
      for (uint64_t c = 0; c < 3; ++c)
        w.turn[k][c] = (1.2 + 0.05 * (double)(seed % 10)) * mus_random(seed, 100 + 3 * k + c);
    }
    mus_shape shape = {.distance = wave_height, .data = &w, .low = {0, 0, 0}, .high = {14, 14, 14}};
    stuff_and_measure(&shape, &least, &largest);
  }
  print_message("angles from %g to %g degrees\n", least, largest);
  assert_true(least >= MUS_STUFFING_LEAST_ANGLE && largest <= MUS_STUFFING_LARGEST_ANGLE);
  assert_true(least < 14 && largest > 160); // or the test would be too easy
}

static void balls_converge(void **state) {
  (void)state;
  double radius = 0.5, before = 1;
  const double volume = 4 * acos(-1) / 3 * radius * radius * radius;
  for (double spacing = 0.2; spacing > 0.04; spacing /= 2) {
    mus_arena arena = {0};
    mus_tetrahedra mesh;
    mus_tetrahedra_quality q;
    mus_solid_surface surface;
    mus_solid_report report;
    mus_shape shape = ball(&radius);
    assert_ok(mus_stuff(&arena, &shape, spacing, &mesh));
    assert_valid(&mesh);
    assert_ok(mus_tetrahedra_check(&mesh, &report));
    for (int k = 0; k < MUS_SOLID_DEFECTS; ++k)
      assert_int_equal(report.count[k], 0);
    mus_tetrahedra_measure(&mesh, &q);
    double error = fabs(q.volume - volume) / volume;
    assert_true(error < 0.4 * before);
    before = error;
    assert_true(q.least_angle > MUS_STUFFING_LEAST_ANGLE && q.longest < 1.42 * spacing);
    assert_ok(mus_tetrahedra_surface(&arena, &mesh, &surface));
    for (int v = 0; v < surface.mesh.vertices; ++v)
      assert_true(fabs(ball_distance(&radius, surface.mesh.position + 3 * v)) < 1.1e-3 * spacing);
    mus_arena_clear(&arena);
  }
  assert_true(before < 0.02);
}

// Points that a slope lets one skip have no say.
static void skipping_changes_nothing(void **state) {
  (void)state;
  mus_arena arena = {0};
  double radius = 0.5;
  mus_shape shape = ball(&radius);
  mus_tetrahedra quick, slow;
  assert_ok(mus_stuff(&arena, &shape, 0.07, &quick));
  shape.slope = 0;
  int before = mus_par_set_threads(1);
  assert_ok(mus_stuff(&arena, &shape, 0.07, &slow));
  mus_par_set_threads(before);
  assert_int_equal(quick.vertices, slow.vertices);
  assert_int_equal(quick.tetrahedra, slow.tetrahedra);
  assert_memory_equal(quick.position, slow.position, 3 * (size_t)slow.vertices * sizeof(double));
  assert_memory_equal(quick.corner, slow.corner, 4 * (size_t)slow.tetrahedra * sizeof(int));
  mus_arena_clear(&arena);
}

static void what_cannot_be_is_rejected(void **state) {
  (void)state;
  mus_arena arena = {0};
  double radius = 0.5;
  mus_shape shape = ball(&radius);
  mus_tetrahedra mesh;
  assert_fails(mus_stuff(&arena, &shape, 0, &mesh), MUS_BAD_INPUT, "edges of 0 m: give a positive length");
  assert_fails(mus_stuff(&arena, &shape, NAN, &mesh), MUS_BAD_INPUT, "give a positive length");
  assert_fails(mus_stuff(&arena, &shape, 1e-6, &mesh), MUS_BAD_INPUT, "choose longer ones");
  shape.high[1] = INFINITY;
  assert_fails(mus_stuff(&arena, &shape, 0.1, &mesh), MUS_BAD_INPUT, "no finite size");
  radius = 1e-3;
  shape = ball(&radius); // between the points of the lattice: nothing is inside
  shape.low[0] -= 0.3;
  assert_ok(mus_stuff(&arena, &shape, 1, &mesh));
  assert_int_equal(mesh.tetrahedra, 0);
  mus_arena_clear(&arena);
}

static mus_status stuff_ball(mus_arena *arena, void *data) {
  mus_tetrahedra mesh;
  mus_shape shape = ball(data);
  return mus_stuff(arena, &shape, 0.2, &mesh);
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  mus_arena arena = {0};
  double radius = 0.5;
  assert_true(sweep_allocations(&arena, stuff_ball, &radius) > 5);
  mus_arena_clear(&arena);
}

static int wish_to_stop(void *data) {
  (void)data;
  return 1;
}

static void it_can_be_stopped(void **state) {
  (void)state;
  mus_arena arena = {0};
  double radius = 0.5;
  mus_shape shape = ball(&radius);
  mus_tetrahedra mesh;
  mus_set_stop(wish_to_stop, NULL);
  mus_status status = mus_stuff(&arena, &shape, 0.01, &mesh);
  mus_set_stop(NULL, NULL);
  assert_int_equal(status, MUS_STOPPED);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(angles_hold_for_noise),
      cmocka_unit_test(angles_hold_for_waves),
      cmocka_unit_test(balls_converge),
      cmocka_unit_test(skipping_changes_nothing),
      cmocka_unit_test(what_cannot_be_is_rejected),
      cmocka_unit_test(it_can_be_stopped),
      cmocka_unit_test(failing_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
