// `muslin bench`: reads the command, changes the scene as asked, measures, tells. See bench.h.
#include "bench.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "bench_lattice.h"
#include "bench_nonlinear.h"
#include "bench_report.h"
#include "failure.h"
#include "options.h"
#include "preset.h"
#include "scene_argument.h"

static const char *const program = "muslin bench";

typedef struct bench_options {
  bench_plan plan;
  const char *scene, *solvers, *json;
  const char *levels, *smoother; // of skinning, of multigrid; NULL: as they are chosen
  int vertices, tessellation, seed, threads, precision, cycle, stop,
      recycle;                          // negative, or 0 vertices: as the scene says
  double time_step, tolerance, density; // 0: as the scene says
  int unknown, fixed_steps, preset, stationary, device, help;
} bench_options;

// --- options ---------------------------------------------------------------------------------------------------------

enum { OPTIONS_MAXIMUM = 31, VERTICES_MOST = 100000000, STEPS_MOST = 1000000, THREADS_MOST = 1024 };

static const char *const usual_solvers = "sa,diag,mpcg,cholmod,gamg,boomeramg";
static const char *const tessellations[] = {"regular", "irregular", NULL}; // in the order of mus_tessellation
static const char *const precisions[] = {"double", "single", NULL};        // of mus_precision
static const char *const cycles[] = {"v", "w", NULL};                      // of mus_cycle
static const char *const unknowns[] = {"velocity", "position", NULL};      // of bench_unknown

static int list_options(bench_options *o, option *list) {
  int n = 0;
  list[n++] = option_text("example", &o->scene, "SCENE", "built-in scene or scene file (drooping)");
  list[n++] = option_whole("vertices", &o->vertices, 4, VERTICES_MOST,
                           "approximate total, over all cloths that are not from files");
  list[n++] = option_choice("tessellation", &o->tessellation, "T", tessellations, "regular or irregular");
  list[n++] = option_whole("seed", &o->seed, 0, INT_MAX, "seed of an irregular tessellation");
  list[n++] = option_whole("steps", &o->plan.steps, 1, STEPS_MOST, "number of steps whose systems are solved (5)");
  list[n++] =
      option_whole("warmup", &o->plan.warmup, 0, STEPS_MOST, "steps simulated first, so that the cloth is moving (10)");
  list[n++] = option_whole("repeat", &o->plan.repeat, 1, 1000, "copies of each solver; the fastest overall counts (1)");
  list[n++] = option_flag("cold", &o->plan.cold, "a new solver for every solve, and all of its set-up counted");
  list[n++] = option_whole("burst", &o->plan.burst, 1, STEPS_MOST, "consecutive steps to measure (1)");
  list[n++] =
      option_whole("stride", &o->plan.stride, 1, STEPS_MOST, "steps from the start of one burst to the next (1)");
  list[n++] = option_whole("errors", &o->plan.errors, 0, STEPS_MOST,
                           "compute true errors at every N-th measured step; 0: never (1)");
  list[n++] = option_text("solvers", &o->solvers, "LIST",
                          "separated by commas; those missing from this build are left out. Use\n"
                          "sa:paper for a preset's settings, and sa:filtered or sa:paper:filtered\n"
                          "to filter constraints out of the vectors instead of the matrix\n"
                          "(sa,diag,mpcg,cholmod,gamg,boomeramg)");
  list[n++] = option_choice("preset", &o->preset, "P", preset_words,
                            "of the simulator, and of solvers without one of their own:\n"
                            "paper, fast or robust");
  list[n++] = option_real_within("tolerance", &o->tolerance, 1e-14, 0.5,
                                 "relative residual at which solvers stop, including the simulator's");
  list[n++] = option_choice("stop", &o->stop, "S", stop_words,
                            "what the tolerance is of: the residual in the norm of the preconditioner (rhs), in\n"
                            "the euclidean one, or the energy norm of the error; for the simulator too, where\n"
                            "initial compares with the first residual (rhs)");
  list[n++] = option_whole("recycle", &o->recycle, 0, 7, "earlier solutions that conjugate gradients begin from");
  list[n++] = option_choice("precision", &o->precision, "P", precisions, "of preconditioners: double or single");
  list[n++] = option_choice("cycle", &o->cycle, "C", cycles, "of multigrid: v or w");
  list[n++] = option_text("levels", &o->levels, "LIST",
                          "of skinning: the numbers of handles from the coarsest level up,\n"
                          "25/500/all for instance");
  list[n++] = option_text("smoother", &o->smoother, "LIST",
                          "of multigrid: chebyshev, gs or jacobi, with sweeps, gs:3 for instance;\n"
                          "by level, the finest last: jacobi:10/jacobi:5");
  list[n++] = option_flag("cycles", &o->stationary, "skinning by cycles alone, without conjugate gradients");
  list[n++] = option_whole("threads", &o->threads, 0, THREADS_MOST, "0: all cores");
  list[n++] = option_choice("device", &o->device, "D", device_words,
                            "cuda measures sa on the GPU beside the CPU, auto too if there is a GPU;\n"
                            "sa:cuda in the list of solvers does the same for one of them (cpu)");
  list[n++] = option_real_within("time-step", &o->time_step, 1e-9, 1e3, "seconds");
  list[n++] = option_flag("fixed-steps", &o->fixed_steps,
                          "never halve the simulator's steps, even if the scene is \"adaptive\"");
  list[n++] = option_real_within("density", &o->density, 1e-6, 1e6, "kg/m^2, of every cloth");
  list[n++] = option_choice("unknown", &o->unknown, "U", unknowns,
                            "what to solve for: the change of velocity, from zero (velocity), or the change of\n"
                            "position, from the last step's (position) (velocity)");
  list[n++] = option_text("json", &o->json, "FILE", "also write the figures, per step and on average");
  list[n++] =
      option_text("save", &o->plan.save, "DIR", "write the last system for `muslin solve`: A.mtx b.mtx X.mtx fix.txt");
  list[n++] = option_flag("help", &o->help, "print this text");
  list[n - 1].letter = 'h';
  return n;
}

static void print_help(const option_table *table) {
  printf("muslin bench [options]\n\n"
         "Compares solvers on the linear systems of a scene's steps. All of them solve the same systems, in turn.\n"
         "With --nonlinear, compares methods on one nonlinear step instead: muslin bench --nonlinear --help.\n"
         "With --lattice, measures an elastic solid on a lattice: muslin bench --lattice --help.\n"
         "See docs/benchmarks.md for what the figures mean.\n\nSolvers:");
  for (int method = 0; method < MUS_METHODS; ++method)
    if (mus_method_available((mus_method)method))
      printf(" %s", mus_method_name((mus_method)method));
  printf("\n\nOptions:\n");
  options_print(table, stdout);
  printf("\nOptions override the scene.\n"
         "\nExit status: 0 if everything was done; 1 if a solver failed or a file could not be written; 2 for bad "
         "input.\n");
}

// The names of the list that this build can run, in their order. Those it cannot are said, unless nobody asked.
static int parse_solvers(const char *list, int asked, bench_plan *plan) {
  char word[64];
  for (const char *rest = list; rest;) {
    size_t length = strcspn(rest, ",");
    bench_variant variant;
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), rest);
    int failed = bench_variant_parse(program, word, &variant);
    if (failed)
      return failed;
    if (plan->variants == BENCH_SOLVERS)
      return failure_input(program, "--solvers: more than %d names", BENCH_SOLVERS);
    if (mus_method_available(variant.method))
      plan->variant[plan->variants++] = variant;
    else if (asked)
      fprintf(stderr, "%s: this build has no %s, so it is left out; see docs/solver.md for how to build with it\n",
              program, word);
    rest = rest[length] ? rest + length + 1 : NULL;
  }
  return plan->variants > 0 ? 0 : failure_input(program, "--solvers: this build has none of %s", list);
}

// Solvers that can run on a GPU are measured there as well, right after the CPU.
static int add_devices(const bench_options *o, bench_plan *plan) {
  for (int k = 0; k < plan->variants && o->device != MUS_DEVICE_CPU; ++k) {
    bench_variant *v = &plan->variant[k];
    if (v->device >= 0 || !mus_method_may_use_device(v->method))
      continue;
    if (plan->variants == BENCH_SOLVERS)
      return failure_input(program, "--solvers: more than %d names, with those on the GPU", BENCH_SOLVERS);
    memmove(v + 1, v, (size_t)(plan->variants++ - k) * sizeof *v);
    v->device = MUS_DEVICE_CPU;
    (++v)->device = o->device;
    size_t used = strlen(v->name);
    snprintf(v->name + used, sizeof v->name - used, ":%s", mus_device_name((mus_device_choice)o->device));
    ++k;
  }
  return 0;
}

static int parse_command(int argc, char **argv, bench_options *o) {
  option list[OPTIONS_MAXIMUM];
  option_table table = {program, list, list_options(o, list)};
  int count = 0, failed = options_parse(&table, argc, argv, NULL, 0, &count);
  if (failed)
    return failed;
  if (o->help) {
    print_help(&table);
    return 0;
  }
  o->plan.unknown = (bench_unknown)o->unknown;
  failed = parse_solvers(o->solvers ? o->solvers : usual_solvers, o->solvers != NULL, &o->plan);
  if (!failed)
    failed = add_devices(o, &o->plan);
  for (int k = 0; k < o->plan.variants && !failed; ++k) {
    bench_variant *variant = &o->plan.variant[k];
    variant->stationary = variant->method == MUS_METHOD_SKINNING && o->stationary;
    failed = option_copy(program, "smoother", o->smoother, MUS_SMOOTHER_TEXT, variant->smoother);
  }
  return failed;
}

// --- the scene -------------------------------------------------------------------------------------------------------

static int change_scene(const bench_options *o, mus_scene *scene) {
  if (o->plan.unknown == BENCH_POSITION && scene->integrator != MUS_INTEGRATOR_EULER)
    return failure_input(program, "--unknown position is for scenes with the integrator \"euler\"");
  if (o->time_step > 0) {
    scene->time_step = o->time_step;
    scene->time_steps.count = 0;
    scene->frame_rate = 1 / o->time_step; // a frame is a whole number of steps, and frames do not matter here
  }
  if (o->fixed_steps)
    scene->adaptive = 0;
  if (o->tolerance > 0)
    scene->solver.tolerance = o->tolerance;
  if (o->threads >= 0)
    scene->solver.threads = o->threads;
  if (o->preset >= 0)
    preset_fill((mus_preset)o->preset, &scene->solver);
  if (o->stop >= 0)
    scene->solver.stop = (mus_stop)o->stop;
  if (o->recycle >= 0)
    scene->solver.recycle = o->recycle;
  if (o->precision >= 0)
    scene->solver.precision = (mus_precision)o->precision;
  if (o->cycle >= 0)
    scene->solver.multigrid.cycle = (mus_cycle)o->cycle;
  int failed = option_copy(program, "levels", o->levels, MUS_LEVELS_TEXT, scene->solver.skinning.levels);
  if (failed)
    return failed;
  for (int k = 0; k < scene->cloth_count && o->density > 0; ++k)
    scene->cloths[k].density = o->density;
  const scene_shape shape = {o->vertices, o->tessellation, o->seed};
  return scene_argument_shape(program, o->scene, &shape, scene);
}

// The library knows what its options may be and whether there is a GPU; asking it now saves a simulation for nothing.
static int check_variants(const bench_plan *plan, const mus_scene *scene) {
  mus_status status = MUS_OK;
  for (int k = 0; k < plan->variants && !status; ++k) {
    mus_solver_options options = bench_variant_options(&plan->variant[k], &scene->solver);
    mus_solver *solver = NULL;
    status = mus_solver_create(&options, &solver);
    mus_solver_free(solver);
  }
  return status ? failure_status(program, NULL, status) : 0;
}

// --- running ---------------------------------------------------------------------------------------------------------

static int tell(const bench_options *o, const mus_scene *scene, const bench_results *results) {
  bench_report report = {&o->plan, scene, results};
  int failed = 0;
  bench_report_print(&report, stdout);
  fflush(stdout);
  for (int k = 0; k < results->count; ++k) {
    const bench_result *r = &results->result[k];
    if (r->status) {
      fprintf(stderr, "%s: %s: %s: %s\n", program, o->plan.variant[k].name, mus_status_name(r->status), r->text);
      failed = CLI_FAILED;
    }
  }
  if (o->json && bench_report_write_json(&report, o->json))
    failed = CLI_FAILED;
  return failed;
}

int bench_command(int argc, char **argv) {
  bench_options o = {
      .plan = {.program = program, .steps = 5, .warmup = 10, .repeat = 1, .burst = 1, .stride = 1, .errors = 1},
      .scene = "drooping",
      .tessellation = -1,
      .seed = -1,
      .threads = -1,
      .precision = -1,
      .preset = -1,
      .cycle = -1,
      .stop = -1,
      .recycle = -1};
  mus_scene scene;
  bench_results results = {0};
  for (int k = 0; k < argc; ++k) {
    if (strcmp(argv[k], "--nonlinear") == 0)
      return bench_nonlinear_command(argc, argv);
    if (strcmp(argv[k], "--lattice") == 0)
      return bench_lattice_command(argc, argv);
  }
  int failed = parse_command(argc, argv, &o);
  if (failed || o.help)
    return failed;
  failed = scene_argument_load(program, o.scene, &scene, NULL);
  if (failed)
    return failed;
  failed = change_scene(&o, &scene);
  if (!failed)
    failed = check_variants(&o.plan, &scene);
  if (!failed)
    failed = bench_measure(&o.plan, &scene, &results);
  if (!failed)
    failed = tell(&o, &scene, &results);
  bench_results_free(&results);
  mus_scene_free(&scene);
  return failed;
}
