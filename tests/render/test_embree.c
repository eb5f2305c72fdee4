// Rays against triangles: the nearest is found, nothing that is there is missed, and moved vertices are followed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "render/embree.h"

enum { VERTICES = 90, TRIANGLES = 30 };

// Thirty triangles anywhere, two meshes; with room to read past the end, as Embree asks.
typedef struct triangle_soup {
  float position[VERTICES * 3 + 4];
  int triangle[TRIANGLES * 3];
  mus_tracer_mesh mesh[2];
} triangle_soup;

static void fill_positions(triangle_soup *soup, uint64_t seed) {
  for (uint64_t i = 0; i < VERTICES * 3; ++i)
    soup->position[i] = (float)mus_random(seed, i);
}

static void make_soup(triangle_soup *soup) {
  memset(soup, 0, sizeof *soup);
  fill_positions(soup, 1);
  for (int i = 0; i < TRIANGLES * 3; ++i)
    soup->triangle[i] = i;
  for (int i = 0; i < 2; ++i)
    soup->mesh[i] = (mus_tracer_mesh){VERTICES, TRIANGLES / 2, soup->position, &soup->triangle[i * TRIANGLES * 3 / 2]};
}

static void random_rays(uint64_t seed, mus_rays *rays) {
  float *entry[6] = {rays->origin_x,    rays->origin_y,    rays->origin_z,
                     rays->direction_x, rays->direction_y, rays->direction_z};
  for (uint64_t i = 0; i < MUS_RAYS; ++i) {
    for (uint64_t k = 0; k < 6; ++k)
      entry[k][i] = (float)mus_random(seed, 6 * i + k) * (k < 3 ? 2.0f : 1.0f);
    rays->near[i] = 0;
    rays->far[i] = FLT_MAX;
    rays->active[i] = i == 5 ? 0 : -1;
  }
}

// Moeller and Trumbore 1997 in double precision: the distance, or infinity.
static double distance_to(const float *a, const float *b, const float *c, const double o[3], const double d[3]) {
  double e[3], f[3], s[3], p[3], q[3], scale = 0, u = 0, v = 0, t = 0;
  for (int k = 0; k < 3; ++k) {
    e[k] = (double)b[k] - (double)a[k];
    f[k] = (double)c[k] - (double)a[k];
    s[k] = o[k] - (double)a[k];
  }
  for (int k = 0; k < 3; ++k) {
    int m = (k + 1) % 3, n = (k + 2) % 3;
    p[k] = d[m] * f[n] - d[n] * f[m];
    q[k] = s[m] * e[n] - s[n] * e[m];
  }
  for (int k = 0; k < 3; ++k) {
    scale += e[k] * p[k];
    u += s[k] * p[k];
    v += d[k] * q[k];
    t += f[k] * q[k];
  }
  u /= scale, v /= scale, t /= scale;
  return u >= 0 && v >= 0 && u + v <= 1 && t > 0 ? t : HUGE_VAL;
}

// The nearest triangle of both meshes by trying all.
static int nearest(const triangle_soup *soup, const mus_rays *rays, int i, double *distance) {
  const double o[3] = {(double)rays->origin_x[i], (double)rays->origin_y[i], (double)rays->origin_z[i]};
  const double d[3] = {(double)rays->direction_x[i], (double)rays->direction_y[i], (double)rays->direction_z[i]};
  int found = -1;
  *distance = HUGE_VAL;
  for (int t = 0; t < TRIANGLES; ++t) {
    const int *v = &soup->triangle[3 * t];
    double here = distance_to(&soup->position[3 * v[0]], &soup->position[3 * v[1]], &soup->position[3 * v[2]], o, d);
    if (here < *distance) {
      *distance = here;
      found = t;
    }
  }
  return found;
}

static void compare(const triangle_soup *soup, const mus_tracer *tracer, uint64_t seed) {
  int hits_seen = 0;
  for (uint64_t k = 0; k < 200; ++k) {
    mus_rays rays;
    mus_hits hits;
    random_rays(seed + k, &rays);
    mus_tracer_closest(tracer, k % 2, &rays, &hits);
    unsigned occluded = mus_tracer_occluded(tracer, k % 2, &rays);
    for (int i = 0; i < MUS_RAYS; ++i) {
      double distance;
      int expected = rays.active[i] ? nearest(soup, &rays, i, &distance) : -1;
      int found = hits.mesh[i] < 0 ? -1 : hits.mesh[i] * TRIANGLES / 2 + hits.triangle[i];
      assert_int_equal(found, expected);
      assert_int_equal(occluded >> i & 1, expected >= 0);
      if (expected < 0)
        continue;
      ++hits_seen;
      assert_true(fabs((double)hits.distance[i] - distance) < 1e-4 * (1 + distance));
      const int *v = &soup->triangle[3 * expected];
      float w = 1 - hits.u[i] - hits.v[i], on_ray = rays.origin_x[i] + hits.distance[i] * rays.direction_x[i];
      float on_triangle =
          w * soup->position[3 * v[0]] + hits.u[i] * soup->position[3 * v[1]] + hits.v[i] * soup->position[3 * v[2]];
      assert_true(fabsf(on_ray - on_triangle) < 1e-4f);
    }
  }
  assert_true(hits_seen > 100);
}

static void rays_find_what_trying_all_triangles_finds(void **state) {
  (void)state;
  static triangle_soup soup;
  mus_tracer *tracer;
  make_soup(&soup);
  assert_int_equal(mus_tracer_create(2, soup.mesh, &tracer), MUS_OK);
  for (uint64_t frame = 0; frame < 3; ++frame) {
    fill_positions(&soup, 10 + frame);
    assert_int_equal(mus_tracer_commit(tracer), MUS_OK);
    compare(&soup, tracer, 1000 * frame);
  }
  mus_tracer_free(tracer);
}

static void rays_end_where_they_are_told(void **state) {
  (void)state;
  const float position[16] = {-1, -1, 0, 3, -1, 0, -1, 3, 0};
  const int triangle[3] = {0, 1, 2};
  mus_tracer_mesh mesh = {3, 1, position, triangle};
  mus_tracer *tracer;
  assert_int_equal(mus_tracer_create(1, &mesh, &tracer), MUS_OK);
  assert_int_equal(mus_tracer_commit(tracer), MUS_OK);
  mus_rays rays;
  memset(&rays, 0, sizeof rays);
  for (int i = 0; i < MUS_RAYS; ++i) {
    rays.origin_z[i] = 2;
    rays.direction_z[i] = i == 7 ? 1 : -2; // at distance 1; the last one looks away
    rays.near[i] = i == 1 ? 1.01f : 0;
    rays.far[i] = i == 2 ? 0.99f : FLT_MAX;
    rays.active[i] = i == 3 ? 0 : -1;
  }
  assert_int_equal(mus_tracer_occluded(tracer, 1, &rays), 0x71);
  mus_tracer_free(tracer);
}

static void failing_allocations_leave_nothing_behind(void **state) {
  (void)state;
  static triangle_soup soup;
  make_soup(&soup);
  for (long n = 0; n < 2; ++n) {
    mus_tracer *tracer;
    mus_memory_fail_after(n);
    mus_status status = mus_tracer_create(2, soup.mesh, &tracer);
    mus_memory_fail_after(-1);
    assert_int_equal(status, MUS_OUT_OF_MEMORY);
    assert_null(tracer);
  }
}

static void there_may_be_no_embree(void **state) {
  (void)state;
  static triangle_soup soup;
  mus_tracer *tracer;
  make_soup(&soup);
  int there = mus_tracer_version()[0] != 0;
  assert_int_equal(mus_tracer_create(2, soup.mesh, &tracer), there ? MUS_OK : MUS_UNSUPPORTED);
  assert_int_equal(tracer != NULL, there);
  mus_tracer_free(tracer);
}

int main(void) {
  const struct CMUnitTest without_embree[] = {cmocka_unit_test(there_may_be_no_embree)};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(there_may_be_no_embree),
      cmocka_unit_test(rays_find_what_trying_all_triangles_finds),
      cmocka_unit_test(rays_end_where_they_are_told),
      cmocka_unit_test(failing_allocations_leave_nothing_behind),
  };
  if (mus_tracer_version()[0] == 0)
    return cmocka_run_group_tests(without_embree, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
