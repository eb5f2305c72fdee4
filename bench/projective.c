// Measures frames of Projective Dynamics: a solid creature that hangs by its top and swings, at the sizes and levels of
// Xian, Tong and Liu 2019, table 1, with one iteration per frame of 1/30 s, as there.
//
//   bench_projective [--threads N] [--frames N] [--iterations N] [--device cpu|cuda|auto] [--precision double|single]
//                    [--cloth MODEL] [VERTICES LEVELS SMOOTHER[,SMOOTHER]...]...
//
// With --cloth, it is a sheet of that model that hangs by two corners. With --device cuda and nothing named, it is the
// largest solids of that paper and sheets with four iterations. Beside whole frames, at whose end positions and
// velocities are the host's again, it then tells of the device's own work in them.
//
// The machine may be shared and noisy: the quickest frame is printed beside the median, with what took how long in it,
// and processor time, which waiting for others does not count.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/timer.h"
#include "muslin/scene.h"
#include "muslin/sim.h"

enum { FRAMES_MAXIMUM = 10000 };

typedef struct plan {
  int vertices;
  const char *levels, *smoother;
  const char *cloth; // NULL: a solid
  int iterations;    // 0: as the settings say
} plan;

// Armadillos of the paper.
static const plan paper[] = {{1241, "10/all", "gs:3", NULL, 0},       {6654, "25/all", "gs:3", NULL, 0},
                             {14779, "50/all", "gs:3", NULL, 0},      {50736, "25/500/all", "gs:3", NULL, 0},
                             {95587, "50/1000/all", "gs:3", NULL, 0}, {126966, "25/300/2000/all", "gs:3", NULL, 0}};

// What a device is measured by: a dragon of about as many tetrahedra as theirs, 677,000; an armadillo; a sheet.
static const plan large[] = {{200000, "50/1000/all", "gs:3,chebyshev:3", NULL, 0},
                             {137000, "50/1000/all", "gs:3,chebyshev:3", NULL, 0},
                             {126966, "50/1000/all", "gs:3,chebyshev:3", NULL, 0},
                             {40401, "50/1000/all", "gs:3,chebyshev:3", "mass-spring", 4},
                             {40401, "50/1000/all", "gs:3,chebyshev:3", "baraff-witkin", 4}};

typedef struct settings {
  int threads, frames, iterations;
  mus_device_choice device;
  const char *precision, *cloth;
} settings;

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static mus_status make_scene(const plan *p, const settings *s, mus_scene *scene) {
  char text[2048], thing[1024];
  if (p->cloth)
    snprintf(
        thing, sizeof thing,
        "\"cloths\": [{\"model\": \"%s\", \"strain_limit\": 0, \"shape\": {\"kind\": \"sheet\", \"vertices\": %d}, "
        "\"velocity\": [0.5, 0, 1], \"pins\": [{\"where\": {\"vertices\": [0, 200]}}]}]",
        p->cloth, p->vertices);
  else
    snprintf(thing, sizeof thing,
             "\"solids\": [{\"model\": \"co-rotated\", \"material\": \"rubber\", \"poisson\": 0, \"shape\": {\"kind\": "
             "\"dragon\", \"vertices\": %d}, \"pins\": [{\"where\": {\"box\": [-9, 0.75, -9, 9, 9, 9]}}]}]",
             p->vertices);
  snprintf(text, sizeof text,
           "{\"frames\": %d, \"frame_rate\": 30, \"time_step\": 0.034, \"integrator\": \"projective\", "
           "\"air_density\": 0, \"projective_iterations\": %d, \"projective_tolerance\": 0, \"contact\": false, "
           "\"solver\": {\"threads\": %d, \"precision\": \"%s\", \"skinning\": {\"levels\": \"%s\"}, "
           "\"sa\": {\"smoother\": \"%s\"}}, %s}",
           s->frames, p->iterations > 0 ? p->iterations : s->iterations, s->threads, s->precision, p->levels,
           p->smoother, thing);
  mus_status status = mus_scene_parse("bench", text, scene);
  if (!status)
    scene->solver.device = s->device;
  return status;
}

// What the device did of the frames; `work` is the median of its seconds, of the last graph.
static void tell_device(const plan *p, mus_sim *sim, double work) {
  mus_sim_device used = mus_sim_device_used(sim);
  if (!*used.name)
    return;
  printf("    %s: %lld steps there, %.0f bytes/vertex, down %.3f ms%s%s", used.name, used.steps,
         (double)used.bytes / mus_sim_vertices(sim), 1e3 * used.download_seconds, p->cloth ? ", " : "",
         p->cloth ? p->cloth : "");
  if (p->iterations <= 1)
    printf(", its work %.3f ms: %.0f frames/s", 1e3 * work, 1 / work);
  printf(used.obstacle ? ", not there: %s\n" : "\n", used.obstacle);
}

// Frames one after the other; the first sets everything up.
static mus_status measure(const plan *p, const settings *s, mus_sim *sim) {
  static double took[FRAMES_MAXIMUM], there[FRAMES_MAXIMUM];
  double least = 1e9, stage[4] = {0}, from = 0, setup = mus_seconds();
  mus_status status = mus_sim_frame(sim, NULL);
  setup = mus_seconds() - setup;
  from = processor_seconds();
  for (int f = 0; f < s->frames && !status; ++f) {
    double begin = mus_seconds();
    status = mus_sim_frame(sim, NULL);
    took[f] = mus_seconds() - begin;
    there[f] = mus_sim_device_used(sim).assemble_seconds;
    if (status || took[f] >= least)
      continue;
    const mus_step_record *r = mus_sim_step_record(sim, 0);
    least = took[f];
    stage[0] = r->assemble_seconds, stage[1] = r->setup_seconds, stage[2] = r->solve_seconds;
    stage[3] = r->other_seconds;
  }
  double used = (processor_seconds() - from) / s->frames;
  qsort(took, (size_t)s->frames, sizeof *took, by_size);
  qsort(there, (size_t)s->frames, sizeof *there, by_size);
  if (!status)
    printf("%8d %9d  %-16s %-8s %8.2f %8.2f %8.2f   %7.2f %7.2f %7.2f %7.2f %8.1f %7.0f %9.1f\n", mus_sim_vertices(sim),
           mus_sim_tetrahedra(sim), p->levels, p->smoother, 1e3 * least, 1e3 * took[s->frames / 2], 1e3 * used,
           1e3 * stage[0], 1e3 * stage[1], 1e3 * stage[2], 1e3 * stage[3], 1e3 * setup,
           (double)mus_sim_bytes(sim) / mus_sim_vertices(sim), 1 / took[s->frames / 2]);
  if (!status)
    tell_device(p, sim, there[s->frames / 2]);
  fflush(stdout);
  return status;
}

// With one smoother after the other.
static mus_status measure_all(const plan *p, const settings *s, mus_solver_options *options, mus_sim *sim) {
  char list[256], *rest = list;
  mus_status status = MUS_OK;
  snprintf(list, sizeof list, "%s", p->smoother);
  for (char *one = strtok_r(list, ",", &rest); one && !status; one = strtok_r(NULL, ",", &rest)) {
    plan now = *p;
    now.smoother = one;
    snprintf(options->multigrid.smoother, sizeof options->multigrid.smoother, "%s", one);
    status = mus_sim_set_solver(sim, options);
    if (!status)
      status = measure(&now, s, sim);
  }
  return status;
}

static mus_status run(const plan *p, const settings *s) {
  mus_scene scene;
  mus_sim *sim = NULL;
  plan first = *p;
  char smoother[64];
  snprintf(smoother, sizeof smoother, "%.*s", (int)strcspn(p->smoother, ","), p->smoother);
  first.smoother = smoother;
  mus_status status = make_scene(&first, s, &scene);
  if (status)
    return status;
  status = mus_sim_create(&scene, &sim);
  if (!status)
    status = measure_all(p, s, &scene.solver, sim);
  mus_sim_free(sim);
  mus_scene_free(&scene);
  return status;
}

static int read_device(const char *text, mus_device_choice *device) {
  for (int k = 0; mus_device_name((mus_device_choice)k); ++k)
    if (strcmp(text, mus_device_name((mus_device_choice)k)) == 0) {
      *device = (mus_device_choice)k;
      return 1;
    }
  return 0;
}

static int read_option(const char *name, const char *value, settings *s) {
  int number = atoi(value);
  if (strcmp(name, "--threads") == 0)
    s->threads = number;
  else if (strcmp(name, "--frames") == 0 && number >= 1 && number <= FRAMES_MAXIMUM)
    s->frames = number;
  else if (strcmp(name, "--iterations") == 0)
    s->iterations = number;
  else if (strcmp(name, "--precision") == 0)
    s->precision = value;
  else if (strcmp(name, "--cloth") == 0)
    s->cloth = value;
  else if (strcmp(name, "--device") == 0)
    return read_device(value, &s->device);
  else
    return 0;
  return 1;
}

int main(int count, char **argument) {
  settings s = {.threads = 2, .frames = 60, .iterations = 1, .precision = "double"};
  int at = 1;
  for (; at + 1 < count && strncmp(argument[at], "--", 2) == 0; at += 2)
    if (!read_option(argument[at], argument[at + 1], &s)) {
      fprintf(stderr, "bench_projective: there is no %s %s\n", argument[at], argument[at + 1]);
      return 1;
    }
  printf("vertices tetrahedra  levels         smoother  quickest  median processor  assemble  set up  solve   other  "
         "first frame  bytes  frames\n                                               ms       ms       ms        ms  "
         "    ms      ms      ms           ms  /vertex     /s\n");
  mus_status status = MUS_OK;
  int is_large = s.device != MUS_DEVICE_CPU, named = at + 2 < count;
  for (; at + 2 < count && !status; at += 3)
    status = run(&(plan){atoi(argument[at]), argument[at + 1], argument[at + 2], s.cloth, 0}, &s);
  const plan *plans = is_large ? large : paper;
  size_t known = is_large ? sizeof large / sizeof *large : sizeof paper / sizeof *paper;
  for (size_t k = 0; k < known && !named && !status; ++k)
    status = run(&plans[k], &s);
  if (status)
    fprintf(stderr, "bench_projective: %s\n", mus_last_error());
  return status != MUS_OK;
}
