// `muslin bench --nonlinear`: reads the command, changes the scene as asked, measures, tells. See bench_nonlinear.h.
#include "bench_nonlinear.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_minimise_report.h"
#include "failure.h"
#include "options.h"
#include "preset.h"
#include "scene_argument.h"

static const char *const program = "muslin bench";
static const char *const usual_methods = "fmg,newton-sa,newton-geometric,newton-cholmod,gs-chebyshev,ncg-sa";

typedef struct nonlinear_options {
  minimise_plan plan;
  const char *scene, *methods, *json;
  char *names;                               // of methods, taken apart
  int vertices, tessellation, seed, threads; // negative, or 0 vertices: as the scene says
  double time_step, stiffness;
  double adaptive_smoothing; // negative: as the scene says
  int device;                // negative: as the scene says
  int nonlinear, help;
} nonlinear_options;

// --- options ---------------------------------------------------------------------------------------------------------

enum { OPTIONS_MAXIMUM = 22, VERTICES_MOST = 100000000, STEPS_MOST = 1000000, THREADS_MOST = 1024 };

static const char *const tessellations[] = {"regular", "irregular", NULL}; // in the order of mus_tessellation

static int list_options(nonlinear_options *o, option *list) {
  int n = 0;
  list[n++] =
      option_flag("nonlinear", &o->nonlinear, "compare methods on one nonlinear step, which this text is about");
  list[n++] = option_text("example", &o->scene, "SCENE", "built-in scene or scene file (sphere)");
  list[n++] = option_text("methods", &o->methods, "LIST",
                          "separated by commas; those whose solver is missing from this build\n"
                          "are left out (fmg,newton-sa,newton-geometric,newton-cholmod,\n"
                          "gs-chebyshev,ncg-sa)");
  list[n++] = option_whole("vertices", &o->vertices, 4, VERTICES_MOST,
                           "approximate total, over all cloths that are not from files");
  list[n++] = option_choice("tessellation", &o->tessellation, "T", tessellations, "regular or irregular");
  list[n++] = option_whole("seed", &o->seed, 0, INT_MAX, "seed of an irregular tessellation");
  list[n++] = option_real_within("time-step", &o->time_step, 1e-9, 1e3, "seconds (1/30)");
  list[n++] = option_whole("warmup", &o->plan.warmup, 0, STEPS_MOST,
                           "steps simulated first, of the same length, each to convergence (8)");
  list[n++] =
      option_real_within("stiffness", &o->stiffness, 1e-6, 1e6, "factor on the stretch stiffness of every cloth (1)");
  list[n++] = option_whole("iterations", &o->plan.iterations, 1, STEPS_MOST, "of each method at most (100)");
  list[n++] = option_real_within("stop", &o->plan.stop, 0, 0.5,
                                 "methods end with an iteration that gains less than this part of the decrease\n"
                                 "so far (1e-7)");
  list[n++] = option_real_within("seconds", &o->plan.seconds, 0, 1e6, "for each method at most; 0: no limit (0)");
  list[n++] = option_text("reference", &o->plan.reference, "METHOD",
                          "also looks for the least energy, until nothing more is gained; none: the\n"
                          "least of the others counts (newton-cholmod up to 50,000 vertices,\n"
                          "newton-sa beyond)");
  list[n++] = option_real_within("adaptive-smoothing", &o->adaptive_smoothing, 0, 10,
                                 "of fmg: skip rows whose residual is below this part of the root mean square");
  list[n++] = option_whole("repeat", &o->plan.repeat, 1, 1000, "times that each method runs; the fastest counts (1)");
  list[n++] = option_whole("median", &o->plan.median, 1, 1000,
                           "times that each method runs in a row, with what its solver keeps; the median\n"
                           "counts (1)");
  list[n++] = option_choice("device", &o->device, "D", device_words,
                            "cpu, cuda or auto: newton-sa and fmg:plain run on a GPU, see docs/cuda.md (cpu)");
  list[n++] = option_whole("threads", &o->threads, 0, THREADS_MOST, "0: all cores");
  list[n++] = option_text("json", &o->json, "FILE", "also write every iteration's energy error, products and seconds");
  list[n++] = option_flag("help", &o->help, "print this text");
  list[n - 1].letter = 'h';
  return n;
}

static void print_help(const option_table *table) {
  printf("muslin bench --nonlinear [options]\n\n"
         "Compares methods on one nonlinear step of a scene: each minimises the step's energy from the same state.\n"
         "See docs/benchmarks.md for what the figures mean.\n\nMethods:\n");
  for (int k = 0; mus_minimiser_name(k); ++k)
    printf("  %s\n", mus_minimiser_name(k));
  printf("\nOptions:\n");
  options_print(table, stdout);
  printf("\nOptions override the scene.\n"
         "\nExit status: 0 if everything was done; 1 if a method failed or a file could not be written; 2 for bad "
         "input.\n");
}

// MUS_UNSUPPORTED is what this build lacks: said, unless nobody asked, and left out.
static int add_method(const char *word, int asked, minimise_plan *plan) {
  mus_status status = mus_minimiser_check(word);
  if (status == MUS_UNSUPPORTED) {
    if (asked)
      fprintf(stderr, "%s: %s, so %s is left out\n", program, mus_last_error(), word);
    return 0;
  }
  if (status)
    return failure_input(program, "--methods: %s", mus_last_error());
  if (plan->count == BENCH_MINIMISERS)
    return failure_input(program, "--methods: more than %d names", BENCH_MINIMISERS);
  plan->method[plan->count++] = word;
  return 0;
}

// The plan's names are parts of `list`, which is taken apart.
static int parse_methods(char *list, int asked, minimise_plan *plan) {
  int failed = 0;
  for (char *word = list, *comma; word && !failed; word = comma ? comma + 1 : NULL) {
    comma = strchr(word, ',');
    if (comma)
      *comma = 0;
    failed = add_method(word, asked, plan);
  }
  if (!failed && plan->count == 0)
    failed = failure_input(program, "--methods: this build has none of them");
  return failed;
}

static int check_reference(minimise_plan *plan) {
  if (!plan->reference || strcmp(plan->reference, "none") == 0)
    return 0;
  return mus_minimiser_check(plan->reference) ? failure_input(program, "--reference: %s", mus_last_error()) : 0;
}

static int parse_command(int argc, char **argv, nonlinear_options *o) {
  option list[OPTIONS_MAXIMUM];
  option_table table = {program, list, list_options(o, list)};
  int count = 0, failed = options_parse(&table, argc, argv, NULL, 0, &count);
  if (failed)
    return failed;
  if (o->help) {
    print_help(&table);
    return 0;
  }
  const char *methods = o->methods ? o->methods : usual_methods;
  o->names = malloc(strlen(methods) + 1);
  if (!o->names)
    return failure_memory(program);
  strcpy(o->names, methods);
  failed = parse_methods(o->names, o->methods != NULL, &o->plan);
  return failed ? failed : check_reference(&o->plan);
}

// --- the scene -------------------------------------------------------------------------------------------------------

static int change_scene(const nonlinear_options *o, mus_scene *scene) {
  scene->integrator = MUS_INTEGRATOR_MINIMISE;
  scene->time_step = o->time_step;
  scene->time_steps.count = 0;
  scene->frame_rate = 1 / o->time_step; // a frame is a whole number of steps, and frames do not matter here
  if (o->adaptive_smoothing >= 0)
    scene->solver.multigrid.adaptive_smoothing = o->adaptive_smoothing;
  if (o->threads >= 0)
    scene->solver.threads = o->threads;
  if (o->device >= 0)
    scene->solver.device = (mus_device_choice)o->device;
  for (int k = 0; k < scene->cloth_count; ++k)
    scene->cloths[k].stretch_scale *= o->stiffness;
  const scene_shape shape = {o->vertices, o->tessellation, o->seed};
  return scene_argument_shape(program, o->scene, &shape, scene);
}

// --- running ---------------------------------------------------------------------------------------------------------

// Beyond this, direct factors take too long to wait for a reference.
enum { DIRECT_MOST = 50000 };

static void choose_reference(minimise_plan *plan, const mus_scene *scene) {
  if (!plan->reference)
    plan->reference = mus_method_available(MUS_METHOD_CHOLMOD) && scene_argument_vertices(scene, NULL) <= DIRECT_MOST
                          ? "newton-cholmod"
                          : "newton-sa";
  else if (strcmp(plan->reference, "none") == 0)
    plan->reference = NULL;
}

static int tell(const nonlinear_options *o, const mus_scene *scene, const minimise_results *results) {
  const minimise_report report = {&o->plan, scene, results, o->stiffness};
  int failed = 0;
  minimise_report_print(&report, stdout);
  fflush(stdout);
  for (int k = 0; k < o->plan.count; ++k) {
    const minimise_result *r = &results->result[k];
    if (r->status) {
      fprintf(stderr, "%s: %s: %s: %s\n", program, o->plan.method[k], mus_status_name(r->status), r->text);
      failed = CLI_FAILED;
    }
  }
  if (o->json && minimise_report_write_json(&report, o->json))
    failed = CLI_FAILED;
  return failed;
}

static int run(nonlinear_options *o) {
  mus_scene scene;
  minimise_results results = {0};
  int failed = scene_argument_load(program, o->scene, &scene, NULL);
  if (failed)
    return failed;
  failed = change_scene(o, &scene);
  if (!failed) {
    choose_reference(&o->plan, &scene);
    failed = bench_minimise(&o->plan, &scene, &results);
  }
  if (!failed)
    failed = tell(o, &scene, &results);
  minimise_results_free(&results);
  mus_scene_free(&scene);
  return failed;
}

int bench_nonlinear_command(int argc, char **argv) {
  nonlinear_options o = {
      .plan = {.program = program, .warmup = 8, .repeat = 1, .median = 1, .iterations = 100, .stop = 1e-7},
      .scene = "sphere",
      .tessellation = -1,
      .seed = -1,
      .threads = -1,
      .device = -1,
      .time_step = 1.0 / 30,
      .stiffness = 1,
      .adaptive_smoothing = -1};
  int failed = parse_command(argc, argv, &o);
  if (!failed && !o.help)
    failed = run(&o);
  free(o.names);
  return failed;
}
