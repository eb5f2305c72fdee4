// A simulation loop of one's own: a sheet that hangs by two sides is grabbed at its free corner, lifted, and let go,
// while the wind rises. The exit status is 1 when the corner does not follow the hand, or the hand's speed is lost.
#include <math.h>
#include <muslin/muslin.h>
#include <stdio.h>

static int check(mus_status status) {
  if (status)
    fprintf(stderr, "%s\n", mus_last_error());
  return status != MUS_OK;
}

// So many seconds, in the scene's own steps.
static int run(mus_sim *sim, double seconds) {
  for (double end = mus_sim_time(sim) + seconds; mus_sim_time(sim) < end - 1e-9;)
    if (check(mus_sim_step(sim, NULL)))
      return 1;
  const mus_solve_record *solve = mus_sim_solve_record(sim);
  printf("%5.2f s: the last solve took %d iterations to %.1e\n", mus_sim_time(sim), solve->iterations,
         solve->true_residual);
  return 0;
}

int main(void) {
  mus_scene scene;
  mus_sim *sim = NULL;
  if (check(mus_scene_builtin("drooping", &scene)))
    return 1;
  mus_scene_resize(&scene, 441, MUS_TESSELLATION_REGULAR);
  scene.time_step = 1.0 / 60;
  int corner = 0, hand = 0, failed = check(mus_sim_create(&scene, &sim)) || run(sim, 0.5);
  for (int i = 0; i < mus_sim_vertices(sim) && !failed; ++i) // the one that hangs lowest
    if (mus_sim_positions(sim)[3 * i + 1] < mus_sim_positions(sim)[3 * corner + 1])
      corner = i;
  const double *x = failed ? NULL : mus_sim_positions(sim) + 3 * corner; // stays valid, and moves along
  const double *v = failed ? NULL : mus_sim_velocities(sim) + 3 * corner;
  double away = 1, speed = 0;
  mus_attachment pull = {.count = 1, .vertex = {corner}, .weight = {1}};
  for (int c = 0; c < 3 && !failed; ++c)
    pull.target[c] = x[c];
  failed = failed || check(mus_sim_attach(sim, &pull, &hand));
  for (int k = 0; k < 20 && !failed; ++k) { // the hand goes up, 3 cm at a time
    pull.target[1] += 0.03;
    failed = check(mus_sim_move_attachment(sim, hand, pull.target)) || run(sim, 0.05);
  }
  if (!failed) {
    away = hypot(hypot(x[0] - pull.target[0], x[1] - pull.target[1]), x[2] - pull.target[2]);
    speed = v[1];
    failed = check(mus_sim_detach(sim, hand)) || check(mus_sim_set_wind(sim, (double[]){0, 0, 3})) || run(sim, 0.02);
    printf("lifted to within %.3f m of the hand at %.2f m/s, %.2f m/s just after\n", away, speed, failed ? 0 : v[1]);
    failed = failed || away > 0.05 || speed < 0.1 || v[1] < speed - 0.7;
  }
  mus_sim_free(sim);
  mus_scene_free(&scene);
  return failed;
}
