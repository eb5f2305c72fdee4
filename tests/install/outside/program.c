// A program outside muslin, in C: a few steps of a small sheet. Prints the library's version.
#include <muslin/muslin.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  mus_scene scene;
  mus_sim *sim = NULL;
  int failed = mus_scene_builtin("drooping", &scene);
  if (failed)
    return 1;
  failed = mus_scene_resize(&scene, 100, MUS_TESSELLATION_REGULAR) || mus_sim_create(&scene, &sim);
  double start = failed ? 0 : mus_sim_time(sim);
  for (int i = 0; i < 3 && !failed; ++i)
    failed = mus_sim_step(sim, NULL);
  failed = failed || mus_sim_time(sim) <= start || strcmp(mus_version(), MUSLIN_VERSION_STRING) != 0;
  if (failed)
    fprintf(stderr, "%s\n", mus_last_error());
  printf("muslin %s from C\n", mus_version());
  mus_sim_free(sim);
  mus_scene_free(&scene);
  return failed;
}
