// Welded copies of results, in all formats.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/cache.h"
#include "io/mesh_file.h"
#include "mesh/topology.h"
#include "muslin/run.h"
#include "muslin/weld.h"
#include "support/check.h"
#include "support/files.h"

// Two squares sewn together along x = 1; the right one has two more vertices there.
static const char panels[] = "v 0 0 0\nv 1 0 0\nv 1 0 -1\nv 0 0 -1\nv 1 0 0\nv 2 0 0\nv 2 0 -1\nv 1 0 -1\n"
                             "v 1 0 -0.25\nv 1 0 -0.5\n"
                             "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 2 0\nvt 3 0\nvt 3 1\nvt 2 1\nvt 2 0.25\nvt 2 0.5\n"
                             "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\nf 5/5 6/6 9/9\nf 9/9 6/6 10/10\nf 10/10 6/6 7/7\n"
                             "f 10/10 7/7 8/8\n"
                             "stitch 4 1 1 0\nstitch 7 2 2 0\nstitch 8 1 2 0.25\nstitch 9 2 1 0.5\n";

static void run_panels(const char *folder, const char *mesh) {
  char text[600];
  files_write(mesh, panels, sizeof panels - 1);
  snprintf(
      text, sizeof text,
      "{\"frames\": 3, \"time_step\": 0.01, \"cloths\": [{\"name\": \"panels\", \"pins\": [{\"where\": {\"vertices\":"
      "[0]}}], \"shape\": {\"kind\": \"file\", \"file\": \"%s\", \"material_scale\": 1}}]}",
      mesh);
  mus_scene scene;
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  options.folder = folder;
  assert_ok(mus_scene_parse("test", text, &scene));
  assert_ok(mus_run(&scene, &options, &record));
  assert_true(record.stitches == 4 && record.open_stitches == 0 && record.seam_gap < 1e-12);
  mus_scene_free(&scene);
}

static double material_area(const mus_mesh *mesh) {
  double sum = 0;
  for (int t = 0; t < mesh->triangles; ++t) {
    const double *u = mesh->material + 6 * (size_t)t;
    sum += ((u[2] - u[0]) * (u[5] - u[1]) - (u[3] - u[1]) * (u[4] - u[0])) / 2;
  }
  return sum;
}

static void closed_seams_are_welded_in_all_formats(void **state) {
  char folder[300], name[400];
  mus_weld_record record;
  mus_arena arena = {0};
  mus_mesh_file file, last;
  mus_topology topology;
  mus_cache_reader *reader[2];
  double x[2][24];
  snprintf(folder, sizeof folder, "%s", files_path(*state, "out"));
  run_panels(folder, files_path(*state, "panels.obj"));
  assert_ok(mus_weld_result(folder, "pc2,mdd,obj,usda", &record));
  assert_true(record.cloths == 1 && record.frames == 4 && record.stitches == 4 && record.welded == 4);
  assert_true(record.vertices_before == 10 && record.vertices == 8 && record.triangles_before == 6 &&
              record.triangles == 8);
  snprintf(name, sizeof name, "%s/panels.welded.obj", folder);
  assert_ok(mus_mesh_file_read(name, &arena, &file));
  assert_true(file.mesh.vertices == 8 && file.mesh.triangles == 8 && file.mesh.material);
  assert_true(fabs(material_area(&file.mesh) - 2) < 1e-12);
  assert_ok(mus_topology_create(&arena, &file.mesh, &topology));
  assert_true(topology.components == 1 && topology.boundary_edges == 6 && topology.branching_edges == 0);
  static const char *const endings[] = {"pc2", "mdd"};
  for (int k = 0; k < 2; ++k) {
    snprintf(name, sizeof name, "%s/panels.welded.%s", folder, endings[k]);
    assert_ok(mus_cache_open(name, &reader[k]));
    assert_true(mus_cache_about(reader[k])->points == 8 && mus_cache_about(reader[k])->frames == 4);
    assert_ok(mus_cache_read(reader[k], 3, x[k]));
    mus_cache_reader_free(reader[k]);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  snprintf(name, sizeof name, "%s/panels.welded/frame_0003.obj", folder);
  assert_ok(mus_mesh_file_read(name, &arena, &last));
  assert_true(last.mesh.vertices == 8 && last.mesh.triangles == 8 && last.mesh.material);
  for (int i = 0; i < 24; ++i)
    assert_true(fabs(last.mesh.position[i] - x[0][i]) < 1e-6);
  snprintf(name, sizeof name, "%s/panels.welded.usda", folder);
  files_bytes text = files_read(name);
  assert_non_null(strstr((const char *)text.data, "primvars:st"));
  free(text.data);
  mus_arena_clear(&arena);
}

// A new run takes welded copies of the one before away.
static void new_runs_remove_old_copies(void **state) {
  char folder[300], name[400];
  snprintf(folder, sizeof folder, "%s", files_path(*state, "out"));
  run_panels(folder, files_path(*state, "panels.obj"));
  assert_ok(mus_weld_result(folder, NULL, NULL));
  snprintf(name, sizeof name, "%s/panels.welded.pc2", folder);
  assert_true(files_exists(name));
  run_panels(folder, files_path(*state, "panels.obj"));
  assert_false(files_exists(name));
}

static void what_is_no_result_is_refused(void **state) {
  mus_weld_record record;
  assert_fails(mus_weld_result(files_path(*state, "none"), NULL, &record), MUS_BAD_INPUT, "none");
  assert_fails(mus_weld_result(files_path(*state, "none"), "abc", &record), MUS_BAD_INPUT, "no cache format \"abc\"");
  assert_fails(mus_weld_result(files_path(*state, "none"), "pc2,pc2", &record), MUS_BAD_INPUT, "twice");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(closed_seams_are_welded_in_all_formats, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(new_runs_remove_old_copies, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(what_is_no_result_is_refused, files_setup, files_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
