// Minimised steps on odd meshes: one triangle, a pattern with a panel for every triangle, a vertex with 60 neighbours,
// triangles that share a vertex alone, sewn panels, no pattern, no vertex that is free, two thousand components. Every
// minimiser takes them, or says that it is not made for them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/files.h"
#include "support/runs.h"

// Every mesh falls from about here onto the ground at y = 0.
static const double height = 0.02;

// --- meshes ----------------------------------------------------------------------------------------------------------

static void write_triangle(FILE *file) {
  fprintf(file, "v 0 %g 0\nv 0.1 %g 0\nv 0 %g -0.1\nvt 0 0\nvt 0.1 0\nvt 0 0.1\nf 1/1 2/2 3/3\n", height, height,
          height);
}

static void write_grid(FILE *file, int side) {
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i)
      fprintf(file, "v %g %g %g\n", 0.03 * i, height + 0.004 * sin(0.5 * i), -0.03 * j);
}

// The corners of the triangles of that grid, from 1.
static void grid_triangle(int side, int t, int *corner) {
  int cell = t / 2, a = cell / (side - 1) * side + cell % (side - 1) + 1, b = a + 1, c = a + side + 1, d = a + side;
  memcpy(corner, t % 2 ? (int[]){a, c, d} : (int[]){a, b, c}, 3 * sizeof *corner);
}

enum { SIDE = 15 };

// Every triangle lies alone in the pattern.
static void write_patchwork(FILE *file) {
  write_grid(file, SIDE);
  for (int t = 0; t < 2 * (SIDE - 1) * (SIDE - 1); ++t) {
    int corner[3];
    grid_triangle(SIDE, t, corner);
    fprintf(file, "vt %d 0\nvt %g %g\nvt %g 0.03\n", t, t + 0.03, t % 2 ? 0.03 : 0.0, t % 2 ? t + 0.0 : t + 0.03);
    fprintf(file, "f %d/%d %d/%d %d/%d\n", corner[0], 3 * t + 1, corner[1], 3 * t + 2, corner[2], 3 * t + 3);
  }
}

static void write_unpatterned(FILE *file) {
  write_grid(file, SIDE);
  for (int t = 0; t < 2 * (SIDE - 1) * (SIDE - 1); ++t) {
    int corner[3];
    grid_triangle(SIDE, t, corner);
    fprintf(file, "f %d %d %d\n", corner[0], corner[1], corner[2]);
  }
}

// A hub with sixty neighbours, in the middle of rings of as many vertices.
static void write_fan(FILE *file) {
  enum { SPOKES = 60, RINGS = 5 };
  fprintf(file, "v 0 %g 0\nvt 0 0\n", height);
  for (int ring = 1; ring <= RINGS; ++ring)
    for (int k = 0; k < SPOKES; ++k) {
      double angle = 2 * acos(-1) * k / SPOKES, x = 0.02 * ring * cos(angle), z = 0.02 * ring * sin(angle);
      fprintf(file, "v %g %g %g\nvt %g %g\n", x, height + 0.001 * (k % 2), -z, x, z);
    }
  for (int ring = 0; ring < RINGS; ++ring)
    for (int k = 0; k < SPOKES; ++k) {
      int a = SPOKES * ring + k + 2, b = SPOKES * ring + (k + 1) % SPOKES + 2, c = a - SPOKES, d = b - SPOKES;
      if (ring == 0)
        fprintf(file, "f 1/1 %d/%d %d/%d\n", a, a, b, b);
      else
        fprintf(file, "f %d/%d %d/%d %d/%d\nf %d/%d %d/%d %d/%d\n", c, c, a, a, b, b, c, c, b, b, d, d);
    }
}

// Triangles that have only a vertex in common.
static void write_bow_tie(FILE *file) {
  fprintf(file, "v 0 %g 0\n", height);
  for (int k = 0; k < 6; ++k)
    fprintf(file, "v %g %g %g\n", 0.1 * cos(k), height, 0.1 * sin(k));
  fprintf(file, "f 1 2 3\nf 1 4 5\nf 1 6 7\n");
}

// Two sheets, one with half the spacing of the other, and stitches between them that have not yet closed.
static void write_sewn(FILE *file) {
  for (int part = 0; part < 2; ++part)
    for (int j = 0; j < (part ? 9 : 5); ++j)
      for (int i = 0; i < 3; ++i) {
        double u = part ? 0.08 + 0.02 * i : 0.04 * i, v = part ? 0.02 * j : 0.04 * j;
        fprintf(file, "v %g %g %g\nvt %g %g\n", u + 0.002 * part, height, -v, u, v);
      }
  for (int part = 0; part < 2; ++part)
    for (int j = 0; j + 1 < (part ? 9 : 5); ++j)
      for (int i = 0; i < 2; ++i) {
        int a = (part ? 16 : 1) + 3 * j + i;
        fprintf(file, "f %d/%d %d/%d %d/%d\nf %d/%d %d/%d %d/%d\n", a, a, a + 1, a + 1, a + 4, a + 4, a, a, a + 4,
                a + 4, a + 3, a + 3);
      }
  for (int j = 0; j < 9; ++j)
    fprintf(file, "stitch %d %d %d %g\n", 15 + 3 * j, 3 * (j / 2) + 2, j < 8 ? 3 * (j / 2) + 5 : 14, j % 2 ? 0.5 : 0.0);
}

// Triangles in a plane, each its own component; the pattern has them all in one place.
static void write_confetti(FILE *file) {
  enum { PIECES = 2000, ROW = 50 };
  fprintf(file, "vt 0 0\nvt 0.01 0\nvt 0 0.01\n");
  for (int k = 0; k < PIECES; ++k) {
    double x = 0.02 * (k % ROW), z = 0.02 * (k / ROW), y = height + 0.005 * (k % 3);
    fprintf(file, "v %g %g %g\nv %g %g %g\nv %g %g %g\n", x, y, -z, x + 0.01, y, -z, x, y, -z - 0.01);
    fprintf(file, "f %d/1 %d/2 %d/3\n", 3 * k + 1, 3 * k + 2, 3 * k + 3);
  }
}

// --- runs ------------------------------------------------------------------------------------------------------------

typedef struct odd_mesh {
  const char *name;
  void (*write)(FILE *file);
  const char *cloth; // what else the scene says of it
  int patterned;     // 1: its rest shape is that of its texture coordinates
  int frames;
} odd_mesh;

static const odd_mesh meshes[] = {
    {"triangle", write_triangle, "", 1, 4},
    {"pinned", write_triangle, "\"pins\": [{\"where\": {\"vertices\": [0]}}], ", 1, 4},
    {"held", write_triangle, "\"pins\": [{\"where\": {\"vertices\": [0, 1, 2]}}], ", 1, 4},
    {"patchwork", write_patchwork, "", 1, 3},
    {"unpatterned", write_unpatterned, "", 0, 3},
    {"fan", write_fan, "", 1, 3},
    {"bow tie", write_bow_tie, "", 0, 4},
    {"sewn", write_sewn, "\"close\": 0.05, ", 1, 4},
};
static const odd_mesh confetti = {"confetti", write_confetti, "", 1, 2};

static run *load(const void *folder, const odd_mesh *mesh, const char *minimiser) {
  char text[1000];
  const char *path = files_path(folder, "mesh.obj");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  mesh->write(file);
  assert_int_equal(fclose(file), 0);
  snprintf(text, sizeof text,
           "{\"frame_rate\": 24, \"time_step\": 0.0417, \"integrator\": \"minimise\", \"minimiser\": \"%s\","
           "\"solver\": {\"threads\": 1}, \"bodies\": [{\"shape\": {\"kind\": \"plane\", \"size\": [6, 1, 6]}}],"
           "\"cloths\": [{%s\"shape\": {\"kind\": \"file\", \"file\": \"%s\", \"material_scale\": %d}}]}",
           minimiser, mesh->cloth, path, mesh->patterned);
  return runs_scene(text);
}

static int is_newton(const char *name) { return strncmp(name, "newton", 6) == 0; }

// 1: it ran; 0: it said that it cannot.
static int try(const void *folder, const odd_mesh *mesh, const char *minimiser) {
  run *r = load(folder, mesh, minimiser);
  mus_status status = mus_sim_create(&r->scene, &r->sim);
  if (status == MUS_UNSUPPORTED) {
    print_message("%s, %s: %s\n", mesh->name, minimiser, mus_last_error());
    assert_true(strlen(mus_last_error()) > 20);
  } else if (status) {
    fail_msg("%s, %s: %s", mesh->name, minimiser, mus_last_error());
  }
  int unfinished = 0;
  for (int frame = 0; frame < mesh->frames && !status; ++frame) {
    int steps;
    if (mus_sim_frame(r->sim, &steps))
      fail_msg("%s, %s, frame %d: %s", mesh->name, minimiser, frame + 1, mus_last_error());
    const mus_step_record *record = mus_sim_step_record(r->sim, steps - 1);
    unfinished += record->unfinished;
    if (!(runs_lowest(r) > 0 && runs_speed(r) < 3))
      fail_msg("%s, %s: lowest at %g m, fastest at %g m/s", mesh->name, minimiser, runs_lowest(r), runs_speed(r));
  }
  if (unfinished > 0)
    print_message("%s, %s: %d of %d steps unfinished\n", mesh->name, minimiser, unfinished, mesh->frames);
  assert_true(unfinished == 0 || !is_newton(minimiser));
  if (!status)
    assert_int_equal(runs_crossings(r), 0);
  runs_free(r);
  return !status;
}

static void try_all(const void *folder, const odd_mesh *mesh) {
  int tried = 0, ran = 0;
  for (const char *name; (name = mus_minimiser_name(tried)) != NULL; ++tried)
    ran += try(folder, mesh, name);
  print_message("%s: %d of %d minimisers\n", mesh->name, ran, tried);
  assert_true(ran >= 10);
}

static void small_odd_meshes(void **state) {
  for (size_t k = 0; k < sizeof meshes / sizeof *meshes; ++k)
    try_all(*state, &meshes[k]);
}

static void two_thousand_components(void **state) { try_all(*state, &confetti); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(small_odd_meshes, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(two_thousand_components, files_setup, files_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
