// Results of scenes with solids: surfaces, VTK series, stresses, checks, recordings, and runs that are resumed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/cache.h"
#include "io/mesh_file.h"
#include "io/solid_file.h"
#include "muslin/check.h"
#include "muslin/fill.h"
#include "muslin/recording.h"
#include "muslin/run.h"
#include "sim/access.h"
#include "support/check.h"
#include "support/files.h"
#include "support/runs.h"
#include "support/vtu.h"

enum { FRAMES = 4 };

static const char falling[] =
    "{\"frames\": 4, \"time_step\": 0.01,"
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"kind\": \"plane\", \"size\": [4, 1, 4]}}],"
    "\"cloths\": [{\"name\": \"sheet\", \"shape\": {\"vertices\": 49, \"size\": [0.4, 0.4]},"
    "              \"translate\": [0, 0.5, 0]}],"
    "\"solids\": [{\"name\": \"ball\", \"shape\": {\"kind\": \"ball\", \"radius\": 0.1, \"vertices\": 150},"
    "              \"material\": \"gel\", \"translate\": [0, 0.11, 0], \"velocity\": [0, -3, 0]},"
    "             {\"shape\": {\"kind\": \"box\", \"size\": [0.1, 0.1, 0.1], \"vertices\": 60},"
    "              \"translate\": [0.02, 0.3, 0], \"velocity\": [0, -4, 0]}]}";

static void run_into(const mus_scene *scene, const char *folder, const char *formats) {
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  options.folder = folder;
  options.formats = formats;
  options.checkpoint = 2;
  assert_ok(mus_run(scene, &options, &record));
  assert_int_equal(record.frames, scene->frames);
}

// What a run does after every frame, so that it can be resumed from there.
static void remember(run *r) {
  const void *bytes;
  size_t size;
  assert_ok(mus_sim_remember(r->sim, &bytes, &size));
}

static void begin(run *r) {
  mus_settling settling;
  runs_begin(r);
  assert_ok(mus_sim_settle(r->sim, &settling));
  remember(r);
}

static void frame_of(run *r) {
  runs_frame(r);
  remember(r);
}

// The numbers, in the simulator, of the vertices that lie on a part's surface, ascending; returns how many.
static int surface_of(const mus_sim *sim, int part, int *vertex) {
  int first = mus_sim_first_vertex(sim, part), end = mus_sim_first_vertex(sim, part + 1), count = 0;
  const int *corner = mus_sim_triangle_list(sim);
  for (int v = first; v < end; ++v) {
    int used = 0;
    for (int i = 3 * mus_sim_first_triangle(sim, part); i < 3 * mus_sim_first_triangle(sim, part + 1); ++i)
      used |= corner[i] == v;
    if (used)
      vertex[count++] = v;
  }
  return count;
}

static void surfaces_are_those_of_the_simulation(void **state) {
  run *r = runs_scene(falling);
  run_into(&r->scene, files_path(*state, "out"), "pc2,mdd,obj,usda");
  begin(r);
  static const char *const names[] = {"sheet", "ball", "solid"};
  int *vertex = calloc((size_t)mus_sim_vertices(r->sim), sizeof *vertex);
  double *x = calloc(3 * (size_t)mus_sim_vertices(r->sim), sizeof *x);
  assert_true(vertex && x && mus_sim_parts(r->sim) == 3);
  for (int frame = 0; frame <= FRAMES; ++frame) {
    for (int part = 0; part < 3; ++part) {
      int count = surface_of(r->sim, part, vertex);
      assert_true(part == 0 || count < mus_sim_first_vertex(r->sim, part + 1) - mus_sim_first_vertex(r->sim, part));
      for (int format = 0; format < 2; ++format) {
        char name[64];
        mus_cache_reader *reader = NULL;
        snprintf(name, sizeof name, "out/%s%s", names[part], format ? ".mdd" : ".pc2");
        assert_ok(mus_cache_open(files_path(*state, name), &reader));
        assert_int_equal(mus_cache_about(reader)->points, count);
        assert_ok(mus_cache_read(reader, frame, x));
        for (int v = 0; v < count; ++v)
          for (int c = 0; c < 3; ++c)
            assert_true(x[3 * v + c] == (double)(float)mus_sim_positions(r->sim)[3 * vertex[v] + c]);
        mus_cache_reader_free(reader);
      }
    }
    if (frame < FRAMES)
      frame_of(r);
  }
  free(vertex);
  free(x);
  runs_free(r);
}

// The surface is closed and encloses the solid's volume.
static void meshes_of_solids_are_closed(void **state) {
  mus_arena arena = {0};
  mus_mesh_file file;
  run *r = runs_scene(falling);
  run_into(&r->scene, files_path(*state, "out"), NULL);
  assert_ok(mus_mesh_file_read(files_path(*state, "out/solid.obj"), &arena, &file));
  double volume = 0;
  for (int t = 0; t < file.mesh.triangles; ++t) {
    const double *p[3];
    for (int k = 0; k < 3; ++k)
      p[k] = file.mesh.position + 3 * (size_t)file.mesh.triangle[3 * t + k];
    for (int c = 0; c < 3; ++c)
      volume += p[0][c] * (p[1][(c + 1) % 3] * p[2][(c + 2) % 3] - p[1][(c + 2) % 3] * p[2][(c + 1) % 3]) / 6;
  }
  assert_true(fabs(volume - 0.001) < 1e-9);
  mus_arena_clear(&arena);
  runs_free(r);
}

static void assert_velocities(const run *r, int part, const vtu_file *file) {
  size_t first = (size_t)mus_sim_first_vertex(r->sim, part);
  for (size_t i = 0; i < 3 * (size_t)file->points; ++i) {
    assert_true(vtu_number(vtu_find(file, "positions"), i) == mus_sim_positions(r->sim)[3 * first + i]);
    assert_true(vtu_number(vtu_find(file, "velocity"), i) == (double)(float)mus_sim_velocities(r->sim)[3 * first + i]);
  }
}

static void assert_cells(const run *r, int part, const vtu_file *file) {
  int cells = mus_sim_first_tetrahedron(r->sim, part + 1) - mus_sim_first_tetrahedron(r->sim, part);
  mus_solid_measure *measure = calloc((size_t)cells, sizeof *measure);
  assert_non_null(measure);
  assert_int_equal(file->cells, cells);
  assert_ok(mus_sim_measure(r->sim, part, measure));
  const int *corner = mus_sim_tetrahedron_list(r->sim) + 4 * (size_t)mus_sim_first_tetrahedron(r->sim, part);
  for (size_t t = 0; t < (size_t)cells; ++t) {
    const mus_solid_measure *m = &measure[t];
    assert_true(vtu_number(vtu_find(file, "von_mises"), t) == (double)(float)m->mises);
    assert_true(vtu_number(vtu_find(file, "volume"), t) == (double)(float)(100 * m->volume));
    for (size_t c = 0; c < 6; ++c) {
      assert_true(vtu_number(vtu_find(file, "stress"), 6 * t + c) == (double)(float)m->stress[c]);
      assert_true(vtu_number(vtu_find(file, "strain"), 6 * t + c) == (double)(float)m->strain[c]);
    }
    for (size_t k = 0; k < 4; ++k)
      assert_true(vtu_number(vtu_find(file, "connectivity"), 4 * t + k) ==
                  corner[4 * t + k] - mus_sim_first_vertex(r->sim, part));
  }
  free(measure);
}

static void series_have_all_vertices_and_stresses(void **state) {
  run *r = runs_scene(falling);
  run_into(&r->scene, files_path(*state, "out"), "vtu");
  begin(r);
  double most = 0;
  for (int frame = 0; frame <= FRAMES; ++frame) {
    for (int part = 1; part < 3; ++part) {
      char name[64];
      snprintf(name, sizeof name, "out/%s.frames/frame_%04d.vtu", part == 1 ? "ball" : "solid", frame);
      vtu_file file = vtu_read(files_path(*state, name));
      assert_int_equal(file.points, mus_sim_first_vertex(r->sim, part + 1) - mus_sim_first_vertex(r->sim, part));
      assert_velocities(r, part, &file);
      assert_cells(r, part, &file);
      for (size_t t = 0; t < (size_t)file.cells; ++t)
        most = fmax(most, vtu_number(vtu_find(&file, "von_mises"), t));
      vtu_free(&file);
    }
    if (frame < FRAMES)
      frame_of(r);
  }
  assert_true(most > 100); // Pa: the ball has hit the floor
  runs_free(r);
}

// Six times the volume of a tetrahedron as a series has it.
static double volume_in(const vtu_file *file, size_t t) {
  const vtu_array *corner = vtu_find(file, "connectivity"), *place = vtu_find(file, "positions");
  double x[4][3];
  for (size_t k = 0; k < 4; ++k)
    for (size_t c = 0; c < 3; ++c)
      x[k][c] = vtu_number(place, 3 * (size_t)vtu_number(corner, 4 * t + k) + c);
  double volume = 0;
  for (int c = 0; c < 3; ++c) {
    int i = (c + 1) % 3, j = (c + 2) % 3;
    volume +=
        (x[1][c] - x[0][c]) * ((x[2][i] - x[0][i]) * (x[3][j] - x[0][j]) - (x[2][j] - x[0][j]) * (x[3][i] - x[0][i]));
  }
  return volume;
}

// Numbers stand beside the tetrahedra that they are of: volumes are those of the positions in the same file.
static void volumes_are_those_of_the_tetrahedra(void **state) {
  run *r = runs_scene(falling);
  run_into(&r->scene, files_path(*state, "out"), "vtu");
  vtu_file start = vtu_read(files_path(*state, "out/ball.frames/frame_0000.vtu"));
  vtu_file end = vtu_read(files_path(*state, "out/ball.frames/frame_0004.vtu"));
  double most = 0;
  for (size_t t = 0; t < (size_t)start.cells; ++t) {
    double change = 100 * (volume_in(&end, t) / volume_in(&start, t) - 1);
    assert_true(volume_in(&start, t) > 0);
    assert_true(fabs(change - vtu_number(vtu_find(&end, "volume"), t)) < 1e-3);
    assert_true(fabs(vtu_number(vtu_find(&start, "von_mises"), t)) < 1e-3);
    most = fmax(most, fabs(change));
  }
  assert_true(most > 1);
  vtu_free(&start);
  vtu_free(&end);
  runs_free(r);
}

// Regions of a file stay with their tetrahedra, however these are ordered for the simulation.
static void regions_are_those_of_the_file(void **state) {
  mus_fill_options options = mus_default_fill_options();
  mus_arena arena = {0};
  mus_solid_file file;
  char path[256], text[512];
  options.vertices = 300;
  snprintf(path, sizeof path, "%s", files_path(*state, "ball.msh"));
  assert_ok(mus_fill_solid("ball", path, &options, NULL));
  assert_ok(mus_solid_file_read(path, &arena, &file));
  file.mesh.region = calloc((size_t)file.mesh.tetrahedra, sizeof(int));
  assert_non_null(file.mesh.region);
  for (int t = 0; t < file.mesh.tetrahedra; ++t)
    file.mesh.region[t] = 1 + t;
  assert_ok(mus_solid_file_write(path, NULL, &file.mesh));
  snprintf(text, sizeof text,
           "{\"frames\": 0, \"solids\": [{\"name\": \"ball\", \"shape\": {\"kind\": \"file\", \"file\": \"%s\"}}]}",
           path);
  run *r = runs_scene(text);
  run_into(&r->scene, files_path(*state, "out"), "vtu");
  vtu_file series = vtu_read(files_path(*state, "out/ball.frames/frame_0000.vtu"));
  assert_int_equal(series.cells, file.mesh.tetrahedra);
  for (size_t t = 0; t < (size_t)series.cells; ++t) {
    assert_true(vtu_number(vtu_find(&series, "region"), t) == file.mesh.region[t]);
    for (size_t k = 0; k < 12; ++k) {
      size_t here = (size_t)vtu_number(vtu_find(&series, "connectivity"), 4 * t + k / 3);
      double there = file.mesh.position[3 * (size_t)file.mesh.corner[4 * t + k / 3] + k % 3];
      assert_true(fabs(vtu_number(vtu_find(&series, "positions"), 3 * here + k % 3) - there) < 1e-12);
    }
  }
  vtu_free(&series);
  free(file.mesh.region);
  mus_arena_clear(&arena);
  runs_free(r);
}

static void recordings_have_the_fields_of_solids(void **state) {
  static const mus_field fields[] = {MUS_FIELD_STRESS, MUS_FIELD_VOLUME, MUS_FIELD_STRETCH};
  run *r = runs_scene(falling);
  mus_recording *recording = NULL;
  run_into(&r->scene, files_path(*state, "out"), NULL);
  begin(r);
  long tries = 0;
  mus_status status;
  do { // memory that is short anywhere is told
    mus_memory_fail_after(tries++);
    status = mus_recording_open(files_path(*state, "out"), &recording);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
  } while (status);
  assert_true(tries > 10);
  assert_int_equal(mus_recording_parts(recording), 3);
  assert_int_equal(mus_recording_cloths(recording), 1);
  assert_true(mus_recording_is_solid(recording, 1) && !mus_recording_is_solid(recording, 0));
  assert_string_equal(mus_recording_part_name(recording, 2), "solid");
  int *vertex = calloc((size_t)mus_sim_vertices(r->sim), sizeof *vertex);
  double *there = calloc((size_t)mus_recording_vertices(recording), sizeof *there);
  double *now = calloc((size_t)mus_sim_vertices(r->sim), sizeof *now);
  assert_true(vertex && there && now);
  for (int frame = 0; frame < FRAMES; ++frame)
    frame_of(r);
  for (int k = 0; k < 3; ++k) {
    double most = 0;
    assert_true(mus_recording_has_field(recording, fields[k]));
    assert_ok(mus_recording_field(recording, fields[k], FRAMES, there));
    assert_ok(mus_sim_field(r->sim, fields[k], now));
    for (int part = 1; part < 3; ++part) {
      int count = surface_of(r->sim, part, vertex), first = mus_recording_first_vertex(recording, part);
      for (int v = 0; v < count; ++v) {
        assert_true(there[first + v] == (double)(float)now[vertex[v]]);
        most = fmax(most, fabs(there[first + v]));
      }
    }
    assert_true(most > 0);
    assert_true(isnan(there[0]) == (fields[k] != MUS_FIELD_STRETCH)); // of the cloth
    assert_true(isnan(now[0]) == (fields[k] != MUS_FIELD_STRETCH));
  }
  assert_ok(mus_sim_field(r->sim, MUS_FIELD_BEND, now));
  assert_true(isnan(now[mus_sim_first_vertex(r->sim, 1)]) && !isnan(now[0]));
  assert_false(mus_recording_has_field(recording, MUS_FIELD_CONTACT));
  mus_recording_close(recording);
  free(vertex);
  free(there);
  free(now);
  runs_free(r);
}

static void what_is_free_is_told_from_what_is_not(void **state) {
  mus_check_options options = mus_default_check_options();
  mus_check_record record;
  run *r = runs_scene(falling);
  run_into(&r->scene, files_path(*state, "free"), NULL);
  assert_ok(mus_check(files_path(*state, "free"), NULL, &options, &record));
  assert_int_equal(mus_check_pairs(&record.total), 0);
  assert_true(record.cloths == 1 && record.solids == 2 && record.bodies == 1);
  runs_free(r);
  r = runs_scene("{\"frames\": 0, \"contact\": false, \"bodies\": [{\"shape\": {\"kind\": \"plane\"}}],"
                 "\"cloths\": [{\"shape\": {\"vertices\": 49}, \"translate\": [0, 0.11, 0]}],"
                 "\"solids\": [{\"shape\": {\"kind\": \"ball\", \"radius\": 0.1, \"vertices\": 100},"
                 "\"translate\": [0, 0.05, 0]}, {\"shape\": {\"kind\": \"box\", \"size\": [0.1, 0.1, 0.1],"
                 "\"vertices\": 50}, \"translate\": [0.06, 0.08, 0]}]}");
  run_into(&r->scene, files_path(*state, "tangled"), NULL);
  assert_ok(mus_check(files_path(*state, "tangled"), NULL, &options, &record));
  assert_true(record.total.cloth_solid > 0 && record.total.solid_solid > 0 && record.total.solid_body > 0);
  assert_true(record.total.cloth_cloth == 0 && record.total.cloth_body == 0 && record.total.seam == 0);
  runs_free(r);
}

// Frame by frame, each part of the run with another number of threads.
static void run_in_parts(mus_scene *scene, const char *folder, const char *formats) {
  static const int threads[] = {7, 2, 1};
  int frames = scene->frames;
  for (int part = 1; part <= frames; ++part) {
    mus_run_options options = mus_default_run_options();
    mus_run_record record;
    options.folder = folder;
    options.formats = formats;
    options.resume = part > 1;
    scene->frames = part;
    scene->solver.threads = threads[part % 3];
    assert_ok(mus_run(scene, &options, &record));
    assert_int_equal(record.from, part - 1);
  }
}

static void runs_that_are_resumed_have_the_same_bits(void **state) {
  static const char *const names[] = {"sheet.pc2",
                                      "ball.pc2",
                                      "solid.pc2",
                                      "ball.stress.pc2",
                                      "solid.stress.pc2",
                                      "ball.pvd",
                                      "ball.frames/frame_0000.vtu",
                                      "ball.frames/frame_0004.vtu",
                                      "solid.frames/frame_0003.vtu",
                                      "sheet.frames/frame_0004.vtu",
                                      "ball.obj"};
  run *r = runs_scene(falling);
  char whole[256], parts[256];
  snprintf(whole, sizeof whole, "%s", files_path(*state, "whole"));
  snprintf(parts, sizeof parts, "%s", files_path(*state, "parts"));
  run_into(&r->scene, whole, "pc2,vtu");
  run_in_parts(&r->scene, parts, "pc2,vtu");
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
    files_assert_same(files_path(whole, names[k]), files_path(parts, names[k]));
  runs_free(r);
}

// The same of solids on lattices, one of which is carried by a body that it is not checked against.
static void runs_with_lattices_are_resumed_with_the_same_bits(void **state) {
  static const char *const names[] = {"jelly.pc2", "jelly.stress.pc2", "sheet.pc2", "jelly.frames/frame_0003.vtu"};
  run *r =
      runs_scene("{\"frames\": 3, \"time_step\": 0.021,"
                 "\"cloths\": [{\"name\": \"sheet\", \"shape\": {\"vertices\": 49, \"size\": [0.4, 0.4]},"
                 "              \"translate\": [0, 0.21, 0]}],"
                 "\"bodies\": [{\"name\": \"hand\", \"shape\": {\"kind\": \"box\", \"size\": [0.3, 0.1, 0.3]},"
                 "  \"translate\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 0.1, \"value\": [0.02, 0, 0]}]}],"
                 "\"solids\": [{\"name\": \"jelly\", \"method\": \"lattice\", \"lattice\": {\"cells\": 5},"
                 "  \"shape\": {\"size\": [0.2, 0.2, 0.2], \"vertices\": 150}, \"material\": \"gel\","
                 "  \"translate\": [0, 0.1, 0], \"pins\": [{\"body\": \"hand\", \"where\": {\"inside\": true}}]}]}");
  char whole[256], parts[256];
  mus_check_options options = mus_default_check_options();
  mus_check_record record;
  snprintf(whole, sizeof whole, "%s", files_path(*state, "whole"));
  snprintf(parts, sizeof parts, "%s", files_path(*state, "parts"));
  run_into(&r->scene, whole, "pc2,vtu");
  run_in_parts(&r->scene, parts, "pc2,vtu");
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
    files_assert_same(files_path(whole, names[k]), files_path(parts, names[k]));
  assert_ok(mus_check(whole, NULL, &options, &record));
  assert_true(record.solids == 1 && record.bodies == 1 && mus_check_pairs(&record.total) == 0);
  runs_free(r);
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(surfaces_are_those_of_the_simulation),
      IN_FOLDER(meshes_of_solids_are_closed),
      IN_FOLDER(series_have_all_vertices_and_stresses),
      IN_FOLDER(volumes_are_those_of_the_tetrahedra),
      IN_FOLDER(regions_are_those_of_the_file),
      IN_FOLDER(recordings_have_the_fields_of_solids),
      IN_FOLDER(what_is_free_is_told_from_what_is_not),
      IN_FOLDER(runs_that_are_resumed_have_the_same_bits),
      IN_FOLDER(runs_with_lattices_are_resumed_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
