// Untangling of what others have made: a garment with hundreds of crossings, cloth in a body. And what it costs.
// step/test_settle_large.c has bodies that are open and cross themselves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "io/mesh_file.h"
#include "mesh/measure.h"
#include "support/check.h"
#include "support/meshes.h"
#include "support/processor.h"
#include "support/untangling.h"

// A mesh from the optional data folder, `height` m tall around the origin; skips the test where there is none.
static mus_mesh given_mesh(mus_arena *arena, const char *path, double height) {
  mus_mesh_file file;
  if (mus_mesh_file_read(path, arena, &file) != MUS_OK) {
    print_message("skipped: %s\n", mus_last_error());
    skip();
  }
  mus_box box = mus_mesh_box(&file.mesh);
  double scale = height / (box.high[1] - box.low[1]);
  for (int v = 0; v < file.mesh.vertices; ++v)
    for (int c = 0; c < 3; ++c) {
      double *p = file.mesh.position + 3 * (size_t)v + c;
      *p = scale * (*p - 0.5 * (box.low[c] + box.high[c]));
    }
  return file.mesh;
}

static void a_dress_comes_apart(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh dress = given_mesh(&arena, "../shared/data/garments/diffcloth/dress-v7k-f14k.obj.gz", 1.2);
  untangling *u = untangling_of(1, &(untangling_part){&dress, NULL, 0}, 5e-4, 2e-3);
  int before = untangling_crossings(u), iterations = untangling_run(u, 100);
  print_message("dress: %d crossings, free after %d iterations\n", before, iterations);
  assert_true(before > 300);
  assert_true(iterations >= 0);
  for (int k = 0; k < 5; ++k) {
    assert_int_equal(untangling_advance(u), 0);
    assert_int_equal(u->pushes.count, 0);
  }
  untangling_free(u);
  mus_arena_clear(&arena);
}

// An upright sheet that cuts off the front of a body.
static void front_of(const char *path, double cut, int most) {
  mus_arena arena = {0};
  mus_mesh body = given_mesh(&arena, path, 1), sheet = meshes_grid(&arena, 61, 61);
  mus_box box = mus_mesh_box(&body);
  for (int v = 0; v < sheet.vertices; ++v) {
    double *p = sheet.position + 3 * (size_t)v;
    p[0] = (p[0] - 30) / 40;
    p[1] = (p[2] - 30) / 40;
    p[2] = box.high[2] - cut;
  }
  untangling *u = untangling_of(2, (untangling_part[]){{&sheet, NULL, 0}, {&body, NULL, 1}}, 1e-3, 4e-3);
  int before = untangling_crossings(u), iterations = untangling_run(u, most);
  print_message("%s: %d crossings, free after %d iterations (%d left, %d inside)\n", path, before, iterations,
                untangling_crossings(u), u->record.inside);
  assert_true(before > 0);
  assert_true(iterations >= 0);
  untangling_free(u);
  mus_arena_clear(&arena);
}

static void cloth_leaves_a_closed_body(void **state) {
  (void)state;
  front_of("../shared/data/models/spot.obj.gz", 0.15, 200);
}

// So many pairs of sheets, each dipped through the other; seconds for the pushes of all, the best of five.
static double seconds_for(int pairs, int *crossings) {
  mus_arena arena = {0};
  untangling_part part[128];
  mus_mesh mesh[128];
  assert_in_range(pairs, 1, 64);
  for (int i = 0; i < 2 * pairs; ++i) {
    mesh[i] = meshes_grid(&arena, 31, 31);
    for (int v = 0; v < mesh[i].vertices; ++v) {
      double *p = mesh[i].position + 3 * (size_t)v, x = p[0] / 30 - 0.52, z = p[2] / 30 - 0.48;
      p[0] = x + 2 * (i / 2);
      p[1] = i % 2 ? 0 : 0.03 - 0.2 * exp(-20 * (x * x + z * z));
      p[2] = z + (i % 2 ? 0.0137 : 0);
    }
    part[i] = (untangling_part){mesh + i, NULL, 0};
  }
  untangling *u = untangling_of(2 * pairs, part, 1e-3, 4e-3);
  *crossings = untangling_crossings(u);
  double best = INFINITY;
  for (int trial = 0; trial < 5; ++trial) {
    double start = processor_seconds();
    assert_ok(mus_untangle_pushes(u->untangler, u->x, &u->crossings, 0, &u->pushes, &u->released, &u->record));
    best = fmin(best, processor_seconds() - start);
  }
  assert_int_equal(u->record.contours, pairs);
  assert_int_equal(u->record.returned, pairs);
  untangling_free(u);
  mus_arena_clear(&arena);
  return best;
}

static void cost_is_linear_in_crossings(void **state) {
  (void)state;
  int few, many;
  double before = seconds_for(4, &few), after = seconds_for(64, &many);
  print_message("%d crossings: %.2f us each; %d: %.2f us each\n", few, 1e6 * before / few, many, 1e6 * after / many);
  assert_int_equal(many, 16 * few);
  assert_true(after / many < 10 * before / few); // caches and sorting have a share; 16 would be quadratic
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_dress_comes_apart),
                                     cmocka_unit_test(cloth_leaves_a_closed_body),
                                     cmocka_unit_test(cost_is_linear_in_crossings)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
