// How many vertices run in real time. See real_time.h.
#include "real_time.h"

#include <math.h>
#include <time.h>

#include "muslin/muslin.h"
#include "scene_argument.h"

enum { TRIED = 1024, STEPS = 32 };
static const double longest = 0.8, growth = 1.15, share = 0.5; // s; exponent; of the time that a step may take

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// What the fastest quarter stays below: others on the machine only ever slow it down.
static double quartile(int count, double *numbers) {
  for (int i = 1; i < count; ++i)
    for (int k = i; k > 0 && numbers[k] < numbers[k - 1]; --k) {
      double larger = numbers[k - 1];
      numbers[k - 1] = numbers[k];
      numbers[k] = larger;
    }
  return count > 0 ? numbers[count / 4] : 0;
}

// Seconds for a second of the scene's time, by steps after the first two, which set things up; 0 where that fails.
static double measure(const mus_scene *scene, int *vertices) {
  mus_sim *sim;
  double load[STEPS], begin = now();
  int count = 0, parts;
  if (mus_sim_create(scene, &sim))
    return 0;
  for (int k = 0; k < STEPS && (k < 10 || now() - begin < longest); ++k) {
    double before = now(), time = mus_sim_time(sim);
    if (mus_sim_step(sim, &parts))
      break;
    if (k >= 2)
      load[count++] = (now() - before) / (mus_sim_time(sim) - time);
  }
  *vertices = mus_sim_vertices(sim);
  mus_sim_free(sim);
  return quartile(count, load);
}

int real_time_vertices(const char *program, mus_scene *scene) {
  int own = scene_argument_vertices(scene, NULL), tried = 0;
  const scene_shape few = {own < TRIED ? own : TRIED, -1, -1};
  if (own == 0 || scene_argument_shape(program, scene->name, &few, scene))
    return 0;
  double load = measure(scene, &tried);
  if (!(load > 0))
    return 0;
  double most = tried * pow(share / load, 1 / growth);
  return most > own ? own : most < few.vertices ? few.vertices : (int)most;
}
