// Golden results: checksums of whole simulations and of solves by every method, bit for bit. A change of structure must
// leave all of them as they are; a change of numerics renews them knowingly:
//
//   MUSLIN_GOLDEN=renew OPENBLAS_CORETYPE=Haswell build/test_golden    rewrites tests/data/golden.txt; say why in the
//                                                                      commit
//
// Bits depend on the compiler, the C library, BLAS and CHOLMOD, so the file says with which of them it was made, and
// the test skips itself elsewhere. Kernels are those for AVX2, and CTest pins OpenBLAS to its AVX2 kernels too.
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "muslin/muslin.h"
#include "sparse/matrix.h"
#include "support/check.h"
#include "support/runs.h"

static const char golden_file[] = "tests/data/golden.txt";
static FILE *renewed; // NULL: compare

// --- the file --------------------------------------------------------------------------------------------------------

static const char *environment(void) {
  static char text[400];
  char *(*openblas)(void) = NULL, *(*core)(void) = NULL;
  const char *(*libc)(void) = NULL;
  *(void **)&openblas = dlsym(RTLD_DEFAULT, "openblas_get_config");
  *(void **)&core = dlsym(RTLD_DEFAULT, "openblas_get_corename");
  *(void **)&libc = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
  int (*cholmod)(int *) = NULL, version[3] = {0};
  *(void **)&cholmod = dlsym(RTLD_DEFAULT, "cholmod_version");
  if (cholmod)
    cholmod(version);
  snprintf(text, sizeof text, "%s, libc %s, %.16s %s, CHOLMOD %d.%d.%d", __VERSION__, libc ? libc() : "?",
           openblas ? openblas() : "no OpenBLAS", core ? core() : "", version[0], version[1], version[2]);
  for (char *c = text; *c; ++c)
    *c = *c == '\n' ? ' ' : *c;
  return text;
}

// Finds the line "NAME SUM" of the file; 0 where there is none.
static int find_line(const char *name, char *sum, size_t size) {
  char line[512];
  int found = 0;
  size_t length = strlen(name);
  FILE *file = fopen(golden_file, "r");
  while (file && !found && fgets(line, sizeof line, file))
    if (strncmp(line, name, length) == 0 && line[length] == ' ') {
      line[strcspn(line, "\n")] = 0;
      snprintf(sum, size, "%s", line + length + 1);
      found = 1;
    }
  if (file)
    fclose(file);
  return found;
}

static void compare(const char *name, uint64_t sum) {
  char now[32], golden[64] = "nothing";
  snprintf(now, sizeof now, "%016llx", (unsigned long long)sum);
  if (renewed)
    fprintf(renewed, "%s %s\n", name, now);
  else if (!find_line(name, golden, sizeof golden) || strcmp(golden, now) != 0)
    fail_msg("%s: %s has %s, and now it is %s; the head of this file says how to renew it", name, golden_file, golden,
             now);
}

// --- simulations -----------------------------------------------------------------------------------------------------

// What a step tells, without its seconds.
static uint64_t sum_record(uint64_t sum, const mus_step_record *r) {
  const int counts[] = {r->halvings,       r->newton_iterations, r->iterations, r->retries, r->body_contacts,
                        r->cloth_contacts, r->impacts,           r->zones,      r->tangled, r->impossible};
  const double numbers[] = {r->time,  r->time_step, r->residual,  r->kinetic,        r->stretch,
                            r->shear, r->bend,      r->potential, r->strain_maximum, r->strain_99};
  sum = mus_checksum(sum, counts, sizeof counts);
  sum = mus_checksum(sum, numbers, sizeof numbers);
  sum = mus_checksum(sum, r->momentum, sizeof r->momentum);
  return mus_checksum(sum, r->angular_momentum, sizeof r->angular_momentum);
}

// On one thread: bits do not depend on their number, and threads that wait for each other take time from other tests.
static void simulate(const char *name, run *r, int frames) {
  uint64_t sum = 0;
  r->scene.solver.threads = 1;
  runs_begin(r);
  for (int frame = 0; frame < frames; ++frame) {
    int steps = 0;
    size_t bytes = 3 * sizeof(double) * (size_t)mus_sim_vertices(r->sim);
    assert_ok(mus_sim_frame(r->sim, &steps));
    for (int k = 0; k < steps; ++k)
      sum = sum_record(sum, mus_sim_step_record(r->sim, k));
    sum = mus_checksum(sum, mus_sim_positions(r->sim), bytes);
    sum = mus_checksum(sum, mus_sim_velocities(r->sim), bytes);
  }
  compare(name, sum);
  runs_free(r);
}

static void built_in_scenes_give_the_golden_bits(void **state) {
  (void)state;
  for (int k = 0; mus_scene_builtin_name(k, NULL); ++k) {
    char name[64];
    snprintf(name, sizeof name, "scene/%s", mus_scene_builtin_name(k, NULL));
    run *r = runs_scene(mus_scene_builtin_name(k, NULL));
    int dressed = strcmp(mus_scene_builtin_name(k, NULL), "dressed") == 0;
    if (r->scene.solid_count > 0) { // cloth alone, whose results are to stay
      runs_free(r);
      continue;
    }
    mus_scene_resize(&r->scene, dressed ? 900 : 450, MUS_TESSELLATION_REGULAR);
    r->scene.time_step = 1.0 / 48;
    simulate(name, r, dressed ? 2 : 14); // after which falling sheets have touched something
  }
}

static void integrators_and_models_give_the_golden_bits(void **state) {
  (void)state;
  static const char *integrators[] = {"euler", "bdf2", "newton"},
                    *models[] = {"baraff-witkin", "choi-ko", "mass-spring"};
  for (int i = 0; i < 3; ++i)
    for (int m = 0; m < 3; ++m) {
      char name[64], text[400];
      snprintf(name, sizeof name, "step/%s/%s", integrators[i], models[m]);
      snprintf(text, sizeof text,
               "{\"integrator\": \"%s\", \"time_step\": 0.008, \"wind\": [2, 0, 1], \"gust\": 0.5, \"cloths\": [{"
               "\"model\": \"%s\", \"translate\": [0, 0.3, 0], \"shape\": {\"vertices\": 300},"
               "\"pins\": [{\"where\": {\"sphere\": [-0.5, 0.3, -0.5, 0.1]}}]}],"
               "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"facet\": 0.01}}]}",
               integrators[i], models[m]);
      simulate(name, runs_scene(text), 4);
    }
}

static void seams_give_the_golden_bits(void **state) {
  (void)state;
  simulate("step/seams",
           runs_scene("{\"time_step\": 0.004, \"cloths\": ["
                      "{\"name\": \"a\", \"shape\": {\"vertices\": 100}, \"stitches\": [0, 9], \"fabric\": \"silk\"},"
                      "{\"name\": \"b\", \"shape\": {\"vertices\": 100}, \"translate\": [0, 0.05, 0]}],"
                      "\"seams\": [{\"from\": \"a\", \"to\": \"b\", \"pairs\": [90, 90, 99, 99], \"close\": 0.1}]}"),
           6);
}

// --- solves ----------------------------------------------------------------------------------------------------------

enum { SOLVES = 20 };

static void solve_steps(const char *name, const char *scene, const mus_solver_options *options) {
  run *r = runs_scene(scene);
  mus_solver *solver = NULL;
  uint64_t sum = 0;
  mus_scene_resize(&r->scene, 500, MUS_TESSELLATION_REGULAR);
  r->scene.time_step = 1.0 / 120;
  r->scene.solver.threads = 1;
  runs_begin(r);
  assert_ok(mus_solver_create(options, &solver));
  size_t n = 3 * (size_t)mus_sim_vertices(r->sim);
  double *x = calloc(n, sizeof *x);
  assert_non_null(x);
  for (int k = 0; k < SOLVES; ++k) {
    mus_sim_system s;
    assert_ok(mus_sim_next_system(r->sim, &s));
    if (k == 0)
      assert_ok(mus_solver_set_pattern(solver, s.rows, 3, s.row_start, s.column));
    assert_ok(mus_solver_set_values(solver, s.values));
    assert_ok(mus_solver_set_coordinates(solver, s.positions));
    assert_ok(mus_solver_set_constraints(solver, s.constraint_count, s.constraints));
    assert_ok(mus_solver_set_couplings(solver, s.coupling_count, s.couplings));
    mus_status status = mus_solver_solve(solver, s.right, x); // from the solution before: guesses are part of it
    const mus_solve_record *record = mus_solver_record(solver);
    const int counts[] = {(int)status, record->iterations, record->levels, (int)record->method};
    sum = mus_checksum(sum, x, n * sizeof *x);
    sum = mus_checksum(sum, counts, sizeof counts);
    sum = mus_checksum(sum, record->residuals, (size_t)(record->iterations + 1) * sizeof(double));
    assert_ok(mus_sim_step(r->sim, NULL));
  }
  compare(name, sum);
  free(x);
  mus_solver_free(solver);
  runs_free(r);
}

// From a start where cloth lies on itself and on a body, so that there are constraints and couplings at once.
static const char touching[] = "{\"cloths\": [{\"shape\": {\"kind\": \"sheet\"}},"
                               "{\"shape\": {\"kind\": \"sheet\"}, \"translate\": [0.1, 0.0011, 0.1],"
                               "\"pins\": [{\"where\": {\"sphere\": [-0.4, 0.0011, -0.4, 0.1]}}]}],"
                               "\"bodies\": [{\"shape\": {\"kind\": \"box\", \"size\": [0.5, 0.2, 0.5]},"
                               "\"translate\": [0, -0.1012, 0]}]}";

static void methods_give_the_golden_bits(void **state) {
  (void)state;
  static const struct {
    const char *name;
    mus_preset preset;
    mus_method method;
    mus_setup setup; // in place of the preset's, where not MUS_SETUP_AUTO
  } cases[] = {{"sa-paper", MUS_PRESET_PAPER, MUS_METHOD_SA, MUS_SETUP_AUTO},
               {"sa-fast", MUS_PRESET_FAST, MUS_METHOD_SA, MUS_SETUP_AUTO},
               {"sa-robust", MUS_PRESET_ROBUST, MUS_METHOD_SA, MUS_SETUP_AUTO},
               {"sa-fast-reuse", MUS_PRESET_FAST, MUS_METHOD_SA, MUS_SETUP_REUSE},
               {"sa-robust-coarse", MUS_PRESET_ROBUST, MUS_METHOD_SA, MUS_SETUP_COARSE},
               {"diag", MUS_PRESET_FAST, MUS_METHOD_DIAG, MUS_SETUP_AUTO},
               {"mpcg", MUS_PRESET_FAST, MUS_METHOD_MPCG, MUS_SETUP_AUTO},
               {"mpcg-original", MUS_PRESET_FAST, MUS_METHOD_MPCG_ORIGINAL, MUS_SETUP_AUTO},
               {"cholmod", MUS_PRESET_FAST, MUS_METHOD_CHOLMOD, MUS_SETUP_AUTO},
               {"auto", MUS_PRESET_FAST, MUS_METHOD_AUTO, MUS_SETUP_AUTO}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    mus_solver_options options = mus_preset_solver_options(cases[k].preset);
    options.method = cases[k].method;
    options.threads = 1;
    if (cases[k].setup != MUS_SETUP_AUTO)
      options.setup = cases[k].setup;
    if (!mus_method_available(options.method))
      continue;
    char name[64];
    snprintf(name, sizeof name, "solve/drooping/%s", cases[k].name);
    solve_steps(name, "drooping", &options);
    snprintf(name, sizeof name, "solve/touching/%s", cases[k].name);
    solve_steps(name, touching, &options);
    options.prefilter = 0;
    snprintf(name, sizeof name, "solve/filtered/%s", cases[k].name);
    if (options.method == MUS_METHOD_SA)
      solve_steps(name, "drooping", &options);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(built_in_scenes_give_the_golden_bits),
                                     cmocka_unit_test(integrators_and_models_give_the_golden_bits),
                                     cmocka_unit_test(seams_give_the_golden_bits),
                                     cmocka_unit_test(methods_give_the_golden_bits)};
  const char *wish = getenv("MUSLIN_GOLDEN");
  char made_with[400] = "";
  if (mus_instructions_use(MUS_AVX2) != MUS_OK) {
    printf("skipped: this machine has no AVX2\n");
    return 77;
  }
  if (wish && strcmp(wish, "renew") == 0) {
    renewed = fopen(golden_file, "w");
    if (!renewed)
      return 1;
    fprintf(renewed, "made-with %s\n", environment());
  } else if (!find_line("made-with", made_with, sizeof made_with) || strcmp(made_with, environment()) != 0) {
    printf("skipped: %s was made with\n  %s\nand this is\n  %s\n", golden_file, made_with, environment());
    return 77;
  }
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (renewed)
    failed += fclose(renewed) != 0;
  return failed;
}
