// A device that fails, anywhere in a simulation: `auto` goes on on the host and says so, `cuda` ends with the state as
// it was before the step, and with results that can be resumed. The device is emulated, and fails when it is told to.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/device.h"
#include "cuda/emulated.h"
#include "cuda/projective_device.h"
#include "cuda/step_device.h"
#include "cuda/step_emulated.h"
#include "muslin/run.h"
#include "muslin/sim.h"
#include "support/check.h"
#include "support/files.h"

enum { FRAMES = 4, PLACES = 24 };

static int use_emulation(void **state) {
  (void)state;
  mus_device_use(mus_emulated_stages());
  mus_device_step_use(mus_emulated_step_stages());
  mus_device_projective_use(mus_emulated_projective_stages());
  return 0;
}

static int on_floor;      // 1: the sheet touches one, by "contact_with": "bodies"
static int is_projective; // 1: by Projective Dynamics

static mus_scene sheet_on(mus_device_choice device) {
  mus_scene scene;
  assert_ok(mus_scene_parse("test",
                            "{\"name\": \"sheet\", \"contact_with\": \"bodies\", \"bodies\": [{\"shape\": {\"kind\": "
                            "\"floor\"}, \"translate\": [0, -0.0006, 0]}], \"frames\": 4, \"time_step\": 0.002, "
                            "\"frame_rate\": 500, \"cloths\": [{\"shape\": {\"vertices\": 121}, \"pins\": [{\"where\": "
                            "{\"box\": [-0.6, -1, -1, -0.4999, 1, 1]}}]}]}",
                            &scene));
  scene.contact = on_floor;
  if (is_projective) {
    scene.integrator = MUS_INTEGRATOR_PROJECTIVE;
    scene.air_density = 0;
  }
  scene.solver = mus_preset_solver_options(MUS_PRESET_FAST);
  scene.solver.tolerance = 1e-10;
  scene.solver.multigrid.bottom = 60;
  scene.solver.threads = 1;
  scene.solver.device = device;
  return scene;
}

// Where the host leads.
static double *end_of_host(size_t *count) {
  mus_scene scene = sheet_on(MUS_DEVICE_CPU);
  mus_sim *sim;
  assert_ok(mus_sim_create(&scene, &sim));
  for (int k = 0; k < FRAMES; ++k)
    assert_ok(mus_sim_frame(sim, NULL));
  *count = 3 * (size_t)mus_sim_vertices(sim);
  double *x = malloc(*count * sizeof *x);
  assert_non_null(x);
  memcpy(x, mus_sim_positions(sim), *count * sizeof *x);
  mus_sim_free(sim);
  mus_scene_free(&scene);
  return x;
}

static void expect_same_end(const mus_sim *sim, size_t count, const double *end) {
  double off = 0;
  for (size_t k = 0; k < count; ++k)
    off = fmax(off, fabs(mus_sim_positions(sim)[k] - end[k]));
  if (!(off < 1e-8))
    fail_msg("the end is off by %g m", off);
}

// Operations of a whole simulation, of the kind that fails.
static long long operations(mus_status kind, mus_device_choice device) {
  mus_scene scene = sheet_on(device);
  mus_sim *sim;
  mus_emulated_fail(kind, 1LL << 60);
  assert_ok(mus_sim_create(&scene, &sim));
  for (int k = 0; k < FRAMES; ++k)
    assert_ok(mus_sim_frame(sim, NULL));
  assert_int_equal(mus_sim_device_used(sim).steps, FRAMES);
  assert_int_equal(mus_sim_step_record(sim, 0)->body_contacts > 0, on_floor);
  assert_string_equal(mus_sim_device_used(sim).failure, "");
  mus_sim_free(sim);
  mus_scene_free(&scene);
  return mus_emulated_fail(MUS_OK, 0);
}

static const char *text_of(mus_status kind) { return kind == MUS_OUT_OF_MEMORY ? "out of memory" : "lost"; }

static void host_goes_on(mus_status kind, long long after, size_t count, const double *end) {
  mus_scene scene = sheet_on(MUS_DEVICE_AUTO);
  mus_sim *sim;
  mus_emulated_fail(kind, after);
  assert_ok(mus_sim_create(&scene, &sim));
  for (int k = 0; k < FRAMES; ++k)
    assert_ok(mus_sim_frame(sim, NULL));
  mus_emulated_fail(MUS_OK, 0);
  mus_sim_device device = mus_sim_device_used(sim);
  if (!strstr(device.failure, text_of(kind)))
    fail_msg("\"%s\" does not say \"%s\"", device.failure, text_of(kind));
  assert_true(device.steps < FRAMES);
  expect_same_end(sim, count, end);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

// The state stays that of the last frame; the host goes on from there, once it is asked to.
static void state_is_kept(mus_status kind, long long after, size_t count, const double *end) {
  mus_scene scene = sheet_on(MUS_DEVICE_CUDA);
  mus_sim *sim = NULL;
  mus_emulated_fail(kind, after);
  mus_status status = mus_sim_create(&scene, &sim);
  double *x = malloc(count * sizeof *x), *v = malloc(count * sizeof *v);
  assert_true(x && v);
  while (!status) {
    memcpy(x, mus_sim_positions(sim), count * sizeof *x);
    memcpy(v, mus_sim_velocities(sim), count * sizeof *v);
    assert_true(mus_sim_frame_number(sim) < FRAMES);
    status = mus_sim_frame(sim, NULL);
  }
  assert_int_equal(status, kind);
  assert_non_null(strstr(mus_last_error(), text_of(kind)));
  mus_emulated_fail(MUS_OK, 0);
  if (sim) {
    mus_solver_options options = scene.solver;
    assert_memory_equal(x, mus_sim_positions(sim), count * sizeof *x);
    assert_memory_equal(v, mus_sim_velocities(sim), count * sizeof *v);
    options.device = MUS_DEVICE_CPU;
    assert_ok(mus_sim_set_solver(sim, &options));
    while (mus_sim_frame_number(sim) < FRAMES)
      assert_ok(mus_sim_frame(sim, NULL));
    expect_same_end(sim, count, end);
  }
  free(x);
  free(v);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

static void fail_everywhere(int places) {
  const mus_status kinds[] = {MUS_DEVICE_FAILED, MUS_OUT_OF_MEMORY};
  size_t count;
  double *end = end_of_host(&count);
  for (int k = 0; k < 2; ++k) {
    long long of_auto = operations(kinds[k], MUS_DEVICE_AUTO), all = operations(kinds[k], MUS_DEVICE_CUDA);
    assert_true(of_auto > places && all > places);
    for (int place = 0; place < places; ++place) { // the last of all among them
      host_goes_on(kinds[k], (of_auto - 1) * place / (places - 1), count, end);
      state_is_kept(kinds[k], (all - 1) * place / (places - 1), count, end);
    }
  }
  free(end);
}

static void any_operation_may_fail(void **state) {
  (void)state;
  fail_everywhere(PLACES);
}

static void any_operation_may_fail_on_a_floor(void **state) {
  (void)state;
  on_floor = 1;
  fail_everywhere(PLACES / 2);
  on_floor = 0;
}

static void any_operation_may_fail_in_projective_dynamics(void **state) {
  (void)state;
  is_projective = 1;
  for (on_floor = 0; on_floor < 2; ++on_floor)
    fail_everywhere(PLACES / 2);
  on_floor = is_projective = 0;
}

// --- what cannot be opened -------------------------------------------------------------------------------------------

static const char *refusal;

static mus_status refuse(mus_device **device, mus_stage_failure *failure) {
  (void)device;
  snprintf(failure->text, sizeof failure->text, "%s", refusal);
  return strstr(refusal, "another process") ? MUS_DEVICE_FAILED : MUS_UNSUPPORTED;
}

static void what_cannot_be_opened_is_said(void **state) {
  (void)state;
  const char *const texts[] = {"no NVIDIA driver was found (libcuda.so.1): install the driver of the device",
                               "the NVIDIA driver is too old: it is for CUDA 11.0 where 12.4 is the least",
                               "the device cannot be opened: \"busy\"; another process may hold it"};
  mus_stages broken = *mus_emulated_stages();
  size_t count;
  double *end = end_of_host(&count);
  broken.open = refuse;
  mus_device_use(&broken);
  for (int k = 0; k < 3; ++k) {
    mus_scene scene = sheet_on(MUS_DEVICE_CUDA);
    mus_sim *sim = NULL;
    refusal = texts[k];
    assert_fails(mus_sim_create(&scene, &sim), k < 2 ? MUS_UNSUPPORTED : MUS_DEVICE_FAILED, texts[k]);
    scene.solver.device = MUS_DEVICE_AUTO;
    assert_ok(mus_sim_create(&scene, &sim));
    for (int f = 0; f < FRAMES; ++f)
      assert_ok(mus_sim_frame(sim, NULL));
    assert_non_null(strstr(mus_sim_device_used(sim).failure, texts[k]));
    assert_string_equal(mus_sim_device_used(sim).name, "");
    expect_same_end(sim, count, end);
    mus_sim_free(sim);
    mus_scene_free(&scene);
  }
  use_emulation(state);
  free(end);
}

// A library that is there, but is none of ours, or of another version.
static void other_libraries_are_refused(void **state) {
  mus_scene scene = sheet_on(MUS_DEVICE_CUDA);
  mus_sim *sim = NULL;
  mus_device_use(NULL);
  mus_device_step_use(NULL);
  setenv("MUSLIN_CUDA_LIBRARY", "libm.so.6", 1);
  assert_fails(mus_sim_create(&scene, &sim), MUS_UNSUPPORTED, "the CUDA part is of another version of muslin");
  setenv("MUSLIN_CUDA_LIBRARY", "/nowhere/libmuslin-cuda.so", 1);
  assert_fails(mus_sim_create(&scene, &sim), MUS_UNSUPPORTED, "there is no CUDA part");
  scene.solver.device = MUS_DEVICE_AUTO;
  assert_ok(mus_sim_create(&scene, &sim));
  assert_non_null(strstr(mus_sim_device_used(sim).failure, "there is no CUDA part"));
  assert_ok(mus_sim_frame(sim, NULL));
  mus_sim_free(sim);
  mus_scene_free(&scene);
  unsetenv("MUSLIN_CUDA_LIBRARY");
  use_emulation(state);
}

// --- runs ------------------------------------------------------------------------------------------------------------

static int times(const char *text, const char *part) {
  int count = 0;
  for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
    ++count;
  return count;
}

// `said` is what the run reported, which the caller frees.
static mus_status run_sheet(const char *folder, mus_device_choice device, int resume, char **said,
                            mus_run_record *record) {
  mus_scene scene = sheet_on(device);
  mus_run_options options = mus_default_run_options();
  size_t size;
  options.folder = folder;
  options.resume = resume;
  options.progress = open_memstream(said, &size);
  assert_non_null(options.progress);
  mus_status status = mus_run(&scene, &options, record);
  fclose(options.progress);
  mus_scene_free(&scene);
  return status;
}

static void runs_go_on(void **state) {
  long long all = operations(MUS_DEVICE_FAILED, MUS_DEVICE_CUDA);
  mus_run_record record;
  char *said;
  mus_emulated_fail(MUS_DEVICE_FAILED, all * 5 / 8);
  assert_ok(run_sheet(files_path(*state, "run"), MUS_DEVICE_AUTO, 0, &said, &record));
  mus_emulated_fail(MUS_OK, 0);
  assert_int_equal(record.frames, FRAMES);
  assert_in_range(record.device.steps, 1, FRAMES - 1);
  assert_int_equal(times(said, "warning: the run goes on on the CPU: running on the device: it is lost"), 1);
  free(said);
  files_bytes report = files_read(files_path(*state, "run/report.json"));
  assert_int_equal(times((const char *)report.data, "\"failure\": \"running on the device: it is lost"), 1);
  free(report.data);
}

// On the device, once it is there again, or on the host.
static void runs_can_be_resumed(void **state) {
  long long all = operations(MUS_DEVICE_FAILED, MUS_DEVICE_CUDA);
  const mus_device_choice choices[] = {MUS_DEVICE_CUDA, MUS_DEVICE_CPU};
  for (int k = 0; k < 2; ++k) {
    const char *folder = files_path(*state, k ? "host" : "device");
    mus_run_record record;
    char *said;
    mus_emulated_fail(MUS_DEVICE_FAILED, all * 5 / 8);
    assert_fails(run_sheet(folder, MUS_DEVICE_CUDA, 0, &said, &record), MUS_DEVICE_FAILED, "it is lost");
    mus_emulated_fail(MUS_OK, 0);
    free(said);
    assert_in_range(record.frames, 1, FRAMES - 1);
    assert_int_equal(record.saved, record.frames);
    assert_ok(run_sheet(folder, choices[k], 1, &said, &record));
    free(said);
    assert_int_equal(record.frames, FRAMES);
    assert_true(record.from > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_operation_may_fail),
      cmocka_unit_test(any_operation_may_fail_on_a_floor),
      cmocka_unit_test(any_operation_may_fail_in_projective_dynamics),
      cmocka_unit_test(what_cannot_be_opened_is_said),
      cmocka_unit_test(other_libraries_are_refused),
      cmocka_unit_test_setup_teardown(runs_go_on, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(runs_can_be_resumed, files_setup, files_teardown),
  };
  return cmocka_run_group_tests_name("devices that fail", tests, use_emulation, NULL);
}
