// Measures frames of Projective Dynamics: a solid creature that hangs by its top and swings, at the sizes and levels of
// Xian, Tong and Liu 2019, table 1, with one iteration per frame of 1/30 s, as there.
//
//   bench_projective [--threads N] [--frames N] [--iterations N] [VERTICES LEVELS SMOOTHER]...
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
} plan;

// Armadillos of the paper.
static const plan paper[] = {{1241, "10/all", "gs:3"},       {6654, "25/all", "gs:3"},
                             {14779, "50/all", "gs:3"},      {50736, "25/500/all", "gs:3"},
                             {95587, "50/1000/all", "gs:3"}, {126966, "25/300/2000/all", "gs:3"}};

typedef struct settings {
  int threads, frames, iterations;
} settings;

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static mus_status make_scene(const plan *p, const settings *s, mus_scene *scene) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"frames\": %d, \"frame_rate\": 30, \"time_step\": 0.034, \"integrator\": \"projective\","
      " \"projective_iterations\": %d, \"contact\": false, \"solver\": {\"threads\": %d, \"skinning\": {\"levels\": "
      "\"%s\"}, \"sa\": {\"smoother\": \"%s\"}}, \"solids\": [{\"model\": \"co-rotated\", \"material\": \"rubber\", "
      "\"poisson\": 0,"
      " \"shape\": {\"kind\": \"dragon\", \"vertices\": %d}, \"pins\": [{\"where\": {\"box\": [-9, 0.75, -9, 9, 9, "
      "9]}}]}]}",
      s->frames, s->iterations, s->threads, p->levels, p->smoother, p->vertices);
  return mus_scene_parse("bench", text, scene);
}

// Frames one after the other; the first sets everything up.
static mus_status measure(const plan *p, const settings *s, mus_sim *sim) {
  static double took[FRAMES_MAXIMUM];
  double least = 1e9, stage[4] = {0}, from = 0, setup = mus_seconds();
  mus_status status = mus_sim_frame(sim, NULL);
  setup = mus_seconds() - setup;
  from = processor_seconds();
  for (int f = 0; f < s->frames && !status; ++f) {
    double begin = mus_seconds();
    status = mus_sim_frame(sim, NULL);
    took[f] = mus_seconds() - begin;
    if (status || took[f] >= least)
      continue;
    const mus_step_record *r = mus_sim_step_record(sim, 0);
    least = took[f];
    stage[0] = r->assemble_seconds, stage[1] = r->setup_seconds, stage[2] = r->solve_seconds;
    stage[3] = r->other_seconds;
  }
  double used = (processor_seconds() - from) / s->frames;
  qsort(took, (size_t)s->frames, sizeof *took, by_size);
  if (!status)
    printf("%8d %9d  %-16s %-8s %8.2f %8.2f %8.2f   %7.2f %7.2f %7.2f %7.2f %8.1f %7.0f %9.1f\n", mus_sim_vertices(sim),
           mus_sim_tetrahedra(sim), p->levels, p->smoother, 1e3 * least, 1e3 * took[s->frames / 2], 1e3 * used,
           1e3 * stage[0], 1e3 * stage[1], 1e3 * stage[2], 1e3 * stage[3], 1e3 * setup,
           (double)mus_sim_bytes(sim) / mus_sim_vertices(sim), 1 / took[s->frames / 2]);
  fflush(stdout);
  return status;
}

static mus_status run(const plan *p, const settings *s) {
  mus_scene scene;
  mus_sim *sim = NULL;
  mus_status status = make_scene(p, s, &scene);
  if (status)
    return status;
  status = mus_sim_create(&scene, &sim);
  if (!status)
    status = measure(p, s, sim);
  mus_sim_free(sim);
  mus_scene_free(&scene);
  return status;
}

int main(int count, char **argument) {
  settings s = {.threads = 2, .frames = 60, .iterations = 1};
  int at = 1;
  for (; at + 1 < count && strncmp(argument[at], "--", 2) == 0; at += 2) {
    int value = atoi(argument[at + 1]);
    if (strcmp(argument[at], "--threads") == 0)
      s.threads = value;
    else if (strcmp(argument[at], "--frames") == 0 && value >= 1 && value <= FRAMES_MAXIMUM)
      s.frames = value;
    else if (strcmp(argument[at], "--iterations") == 0)
      s.iterations = value;
  }
  printf("vertices tetrahedra  levels         smoother  quickest  median processor  assemble  set up  solve   other  "
         "first frame  bytes  frames\n                                               ms       ms       ms        ms  "
         "    ms      ms      ms           ms  /vertex     /s\n");
  mus_status status = MUS_OK;
  for (; at + 2 < count && !status; at += 3)
    status = run(&(plan){atoi(argument[at]), argument[at + 1], argument[at + 2]}, &s);
  if (count < 4 || at == 1)
    for (size_t k = 0; k < sizeof paper / sizeof *paper && !status && at == 1; ++k)
      status = run(&paper[k], &s);
  if (status)
    fprintf(stderr, "bench_projective: %s\n", mus_last_error());
  return status != MUS_OK;
}
