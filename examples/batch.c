// Which wind was it? A sheet that hangs by one side is blown aside by a wind that nobody has told us. Many simulations
// with other winds run together, and the one that ends nearest to what was seen gives the answer. The exit status is 1
// when that is not the wind that it was.
//
//   batch [cpu|cuda|auto [MEMBERS [VERTICES [FRAMES]]]]
#include <math.h>
#include <muslin/muslin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int check(mus_status status) {
  if (status)
    fprintf(stderr, "%s\n", mus_last_error());
  return status != MUS_OK;
}

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Root mean square, m.
static double distance(const mus_sim *a, const mus_sim *b) {
  double sum = 0;
  int n = 3 * mus_sim_vertices(a);
  for (int i = 0; i < n; ++i)
    sum += pow(mus_sim_positions(a)[i] - mus_sim_positions(b)[i], 2);
  return sqrt(3 * sum / n);
}

static double wind_of(int member, int members) { return 4.0 * member / members; }

int main(int count, char **argument) {
  const char *device = count > 1 ? argument[1] : "cpu";
  int members = count > 2 ? atoi(argument[2]) : 16, vertices = count > 3 ? atoi(argument[3]) : 144;
  int frames = count > 4 ? atoi(argument[4]) : 10, secret = members * 2 / 3, found = 0;
  mus_batch_options options = mus_default_batch_options();
  while (options.device < MUS_DEVICE_AUTO && strcmp(mus_device_name(options.device), device) != 0)
    ++options.device;
  mus_scene scene;
  mus_sim *seen = NULL;
  mus_batch *batch = NULL;
  const mus_scene **scenes = calloc((size_t)(members > 0 ? members : 1), sizeof *scenes);
  if (!scenes || check(mus_scene_parse("batch",
                                       "{\"contact\": false, \"time_step\": 0.01, \"cloths\": [{\"fabric\": \"silk\", "
                                       "\"pins\": [{\"where\": {\"box\": [-1, -1, -1, -0.4999, 1, 1]}}]}]}",
                                       &scene)))
    return 1;
  mus_scene_resize(&scene, vertices, MUS_TESSELLATION_REGULAR);
  for (int k = 0; k < members; ++k)
    scenes[k] = &scene;
  int failed = check(mus_sim_create(&scene, &seen)) || check(mus_batch_create(members, scenes, &options, &batch));
  failed = failed || check(mus_sim_set_wind(seen, (double[]){0, 0, wind_of(secret, members)}));
  for (int k = 0; k < members && !failed; ++k)
    failed = check(mus_sim_set_wind(mus_batch_member(batch, k), (double[]){0, 0, wind_of(k, members)}));
  double begin = 0;
  long long steps = 0;
  for (int frame = 0; frame < frames && !failed; ++frame) {
    if (frame == 1) // the first sets up
      begin = seconds();
    failed = check(mus_batch_frame(batch)) || check(mus_sim_frame(seen, NULL));
    for (int k = 0; k < members && frame > 0 && !failed; ++k)
      for (int s = 0; mus_sim_step_record(mus_batch_member(batch, k), s); ++s)
        ++steps;
  }
  for (int k = 1; k < members && !failed; ++k)
    if (distance(seen, mus_batch_member(batch, k)) < distance(seen, mus_batch_member(batch, found)))
      found = k;
  if (!failed) {
    mus_sim_device used = mus_batch_device_used(batch);
    printf("the wind was %.2f m/s; of %d, the nearest is that of %.2f m/s\n", wind_of(secret, members), members,
           wind_of(found, members));
    printf("%s: %.0f steps of members per second, %d vertices each\n", *used.name ? used.name : "cpu",
           frames > 1 ? (double)steps / (seconds() - begin) : 0, mus_sim_vertices(seen));
    if (*used.failure)
      printf("no GPU: %s\n", used.failure);
  }
  failed = failed || found != secret;
  mus_batch_free(batch);
  mus_sim_free(seen);
  mus_scene_free(&scene);
  free(scenes);
  return failed;
}
