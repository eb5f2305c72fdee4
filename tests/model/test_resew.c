// Seams of refined cloth: new vertices are sewn as their neighbours are, and pins hold what lies between.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/cloth_mesh.h"
#include "model/model.h"
#include "support/check.h"
#include "support/files.h"
#include "support/runs.h"

// A strip from x to x + 0.5 with z from 0 to 1 in `rows` rows; vertices 2 k at x and 2 k + 1 beyond.
static size_t write_strip(char *text, size_t size, int first, double x, int rows) {
  size_t used = 0;
  for (int k = 0; k <= rows; ++k)
    for (int c = 0; c < 2; ++c)
      used += (size_t)snprintf(text + used, size - used, "v %.17g 0 %.17g\n", x + 0.5 * c, (double)k / rows);
  for (int k = 0; k < rows; ++k) {
    int v = first + 2 * k + 1; // files count from 1
    used +=
        (size_t)snprintf(text + used, size - used, "f %d %d %d\nf %d %d %d\n", v, v + 2, v + 1, v + 1, v + 2, v + 3);
  }
  return used;
}

// Two strips that meet at x = 0: `left` and `right` rows, the left one's vertices first.
static size_t write_two(char *text, size_t size, int left, int right) {
  size_t used = write_strip(text, size, 0, -0.5, left);
  return used + write_strip(text + used, size - used, 2 * (left + 1), 0, right);
}

static double gap_of(const mus_part_shape *shape, const mus_stitch *s) {
  const double *x = shape->mesh.position;
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    double there = (1 - s->ratio) * x[3 * s->b + c] + s->ratio * x[3 * s->c + c];
    sum += (x[3 * s->a + c] - there) * (x[3 * s->a + c] - there);
  }
  return sqrt(sum);
}

// All vertices at x = 0 are sewn, and no stitch has a gap. Returns the number of those that tie two vertices.
static int assert_closed(const mus_part_shape *shape) {
  int exact = 0;
  unsigned char *sewn = calloc((size_t)shape->mesh.vertices, 1);
  for (int k = 0; k < shape->stitches; ++k) {
    const mus_stitch *s = &shape->stitch[k];
    assert_true(gap_of(shape, s) < 1e-12);
    sewn[s->a] = sewn[s->b] = sewn[s->c] = 1;
    exact += s->b == s->c;
  }
  for (int v = 0; v < shape->mesh.vertices; ++v)
    if (fabs(shape->mesh.position[3 * v]) < 1e-12)
      assert_true(sewn[v]);
    else
      assert_false(sewn[v]);
  free(sewn);
  return exact;
}

static void load(const void *folder, const char *text, const char *more, mus_arena *arena, mus_part_shape *shape) {
  char scene_text[400];
  mus_scene scene;
  files_write(files_path(folder, "cloth.obj"), text, strlen(text));
  snprintf(scene_text, sizeof scene_text, "{\"cloths\": [{\"shape\": {\"kind\": \"file\", \"file\": \"%s\" %s}]}",
           files_path(folder, "cloth.obj"), more);
  assert_ok(mus_scene_parse("scene", scene_text, &scene));
  assert_ok(mus_cloth_mesh_create(arena, MUS_UP_Y, &scene.cloths[0], NULL, shape));
  mus_scene_free(&scene);
}

// Vertex to vertex, by the file or by the scene: each new vertex gets its counterpart.
static void pairs(void **state) {
  char text[2000];
  size_t used = write_two(text, sizeof text, 3, 3);
  for (int in_scene = 0; in_scene < 2; ++in_scene) {
    static const char *const more[] = {", \"edge\": 0.06}",
                                       ", \"edge\": 0.06}, \"stitches\": [1, 8, 10, 3, 5, 12, 7, 14]"};
    mus_arena arena = {0};
    mus_part_shape shape;
    text[used] = 0;
    for (int k = 0; k <= 3 && !in_scene; ++k)
      snprintf(text + strlen(text), sizeof text - strlen(text), "stitch %d %d %d 0\n", 2 * k + 1, 8 + 2 * k, 8 + 2 * k);
    load(*state, text, more[in_scene], &arena, &shape);
    assert_true(shape.mesh.vertices > 200);
    int exact = assert_closed(&shape);
    assert_int_equal(exact, shape.stitches);
    assert_int_equal(exact, 25);   // thirds of a metre in eight
    for (int v = 0; v < 16; ++v) { // the file's first
      int vertex;
      assert_ok(mus_part_vertex(&shape, v, &vertex));
      assert_true(shape.mesh.position[3 * vertex + 2] == (double)(v % 8 / 2) / 3);
    }
    mus_arena_clear(&arena);
  }
}

// Vertices of five rows tied to points between those of three: the way goes over corners.
static void points_of_edges(void **state) {
  char text[3000];
  size_t used = write_two(text, sizeof text, 5, 3);
  for (int k = 0; k <= 5; ++k) {
    int row = k * 3 / 5 < 3 ? k * 3 / 5 : 2;
    used += (size_t)snprintf(text + used, sizeof text - used, "stitch %d %d %d %.17g\n", 2 * k + 1, 12 + 2 * row,
                             12 + 2 * row + 2, k * 3 / 5.0 - row);
  }
  for (double edge = 0.3; edge > 0.02; edge *= 0.7) {
    char more[40];
    mus_arena arena = {0};
    mus_part_shape shape;
    snprintf(more, sizeof more, ", \"edge\": %g}", edge);
    load(*state, text, more, &arena, &shape);
    int count = 0;
    unsigned char *sewn = calloc((size_t)shape.mesh.vertices, 1);
    for (int k = 0; k < shape.stitches; ++k) {
      assert_true(gap_of(&shape, &shape.stitch[k]) < 1e-9);
      sewn[shape.stitch[k].a] = 1;
      sewn[shape.stitch[k].b] |= shape.stitch[k].b == shape.stitch[k].c;
    }
    for (int t = 0; t < 3 * shape.mesh.triangles; ++t) { // the left strip's at the seam
      int v = shape.mesh.triangle[t], left = 0;
      for (int k = 0; k < 3; ++k)
        left |= shape.mesh.position[3 * shape.mesh.triangle[t - t % 3 + k]] < -1e-9;
      if (left && fabs(shape.mesh.position[3 * v]) < 1e-12) {
        assert_true(sewn[v]);
        ++count;
      }
    }
    assert_true(count > 1 / edge);
    free(sewn);
    mus_arena_clear(&arena);
  }
}

// The tip of a dart is one vertex, which nothing is sewn to.
static void darts(void **state) {
  static const char text[] = "v 0 0 1\nv 0.1 0 0\nv -0.1 0 0\nv 1 0 0\nv -1 0 0\nv 0 0 2\nf 1 4 2\nf 1 6 4\nf 1 5 6\n"
                             "f 1 3 5\nstitch 1 2 2 0\n";
  mus_arena arena = {0};
  mus_part_shape shape;
  load(*state, text, ", \"edge\": 0.2}", &arena, &shape);
  assert_int_equal(shape.stitches, 8); // an edge in eight, without the tip
  for (int k = 0; k < shape.stitches; ++k) {
    const double *a = shape.mesh.position + 3 * shape.stitch[k].a, *b = shape.mesh.position + 3 * shape.stitch[k].b;
    assert_true(shape.stitch[k].b == shape.stitch[k].c && fabs(a[0] + b[0]) < 1e-15 && fabs(a[2] - b[2]) < 1e-15);
  }
  mus_arena_clear(&arena);
}

// Two cloths, the second finer: the vertices of each are tied to the other, and the seam holds while they fall.
static void cloths(void **state) {
  char text[2000], scene[900];
  write_strip(text, sizeof text, 0, -0.5, 2);
  files_write(files_path(*state, "a.obj"), text, strlen(text));
  write_strip(text, sizeof text, 0, 0, 2);
  files_write(files_path(*state, "b.obj"), text, strlen(text));
  snprintf(scene, sizeof scene,
           "{\"time_step\": 0.01, \"contact\": false, \"seams\": [{\"from\": \"a\", \"to\": \"b\", \"pairs\": [1, 0, "
           "3, 2, 5, 4], "
           "\"close\": 0}], \"cloths\": [{\"name\": \"a\", \"shape\": {\"kind\": \"file\", \"file\": \"%s\", \"edge\": "
           "0.2}, \"pins\": "
           "[{\"where\": {\"vertices\": [0, 2, 4]}}]}, {\"name\": \"b\", \"shape\": {\"kind\": \"file\", \"file\": "
           "\"%s\", \"edge\": "
           "0.06}, \"pins\": [{\"where\": {\"vertices\": [1, 5]}}]}]}",
           files_path(*state, "a.obj"), files_path(*state, "b.obj"));
  run *r = runs_start(scene);
  int first = mus_sim_first_vertex(r->sim, 1), edge[2][64], count[2] = {0};
  for (int v = 0; v < mus_sim_vertices(r->sim); ++v)
    if (fabs(mus_sim_positions(r->sim)[3 * v]) < 1e-12)
      edge[v >= first][count[v >= first]++] = v;
  assert_true(count[0] >= 5 && count[1] >= 2 * count[0] - 1);
  for (int frame = 0; frame < 6; ++frame)
    runs_frame(r);
  const double *x = mus_sim_positions(r->sim);
  // All of a pinned edge is held; of two pinned corners far apart, only they.
  for (int v = 0; v < first; ++v)
    if (fabs(x[3 * v] + 0.5) < 1e-12)
      assert_true(x[3 * v + 1] == 0);
  double lowest = 0, widest = 0;
  for (int k = 0; k < count[1]; ++k) {
    double nearest = 1;
    for (int i = 0; i < count[0]; ++i)
      for (int j = 0; j < count[0]; ++j) { // on the coarse side, as points between its vertices
        const double *a = x + 3 * edge[0][i], *b = x + 3 * edge[0][j], *p = x + 3 * edge[1][k];
        double along[3], away = 0, square = 0, dot = 0;
        for (int c = 0; c < 3; ++c) {
          along[c] = b[c] - a[c];
          square += along[c] * along[c];
          dot += along[c] * (p[c] - a[c]);
        }
        double part = square > 0 ? fmin(fmax(dot / square, 0), 1) : 0;
        for (int c = 0; c < 3; ++c)
          away += pow(a[c] + part * along[c] - p[c], 2);
        nearest = fmin(nearest, sqrt(away));
      }
    widest = fmax(widest, nearest);
    lowest = fmin(lowest, x[3 * edge[1][k] + 1]);
  }
  print_message("fallen by %.3g m, seam open by %.3g m\n", -lowest, widest);
  assert_true(lowest < -0.02 && widest < 1e-3);
  runs_free(r);
}

static void wrong_ones(void **state) {
  (void)state;
  mus_scene scene;
  assert_fails(mus_scene_parse("s.json", "{\"cloths\": [{\"shape\": {\"edge\": 0.1}}]}", &scene), MUS_BAD_INPUT,
               "\"edge\" refines the mesh of a file");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(pairs, files_setup, files_teardown),
                                     cmocka_unit_test_setup_teardown(points_of_edges, files_setup, files_teardown),
                                     cmocka_unit_test_setup_teardown(darts, files_setup, files_teardown),
                                     cmocka_unit_test_setup_teardown(cloths, files_setup, files_teardown),
                                     cmocka_unit_test(wrong_ones)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
