// Running scenes in tests. See runs.h.
#include "support/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/small.h"

static void demand(mus_status status) {
  if (status)
    fail_msg("%s", mus_last_error());
}

run *runs_scene(const char *text) {
  run *r = calloc(1, sizeof *r);
  assert_non_null(r);
  demand(*text == '{' ? mus_scene_parse("test", text, &r->scene) : mus_scene_builtin(text, &r->scene));
  return r;
}

void runs_begin(run *r) { demand(mus_sim_create(&r->scene, &r->sim)); }

run *runs_start(const char *text) {
  run *r = runs_scene(text);
  runs_begin(r);
  return r;
}

void runs_free(run *r) {
  mus_sim_free(r->sim);
  mus_scene_free(&r->scene);
  free(r);
}

const mus_step_record *runs_frame(run *r) {
  int steps = 0;
  demand(mus_sim_frame(r->sim, &steps));
  assert_true(steps > 0);
  return mus_sim_step_record(r->sim, steps - 1);
}

int runs_to_rest(run *r, double speed, int frames) {
  for (int frame = 1; frame <= frames; ++frame) {
    runs_frame(r);
    if (runs_speed(r) < speed)
      return frame;
  }
  fail_msg("after %d frames there still are %g m/s", frames, runs_speed(r));
  return 0;
}

double runs_energy(const mus_step_record *record) {
  return record->kinetic + record->stretch + record->shear + record->bend + record->potential;
}

double runs_speed(const run *r) {
  double fastest = 0;
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i) {
    const double *v = mus_sim_velocities(r->sim) + 3 * (size_t)i;
    fastest = fmax(fastest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
  return sqrt(fastest);
}

double runs_lowest(const run *r) {
  double low = INFINITY;
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i)
    low = fmin(low, mus_sim_positions(r->sim)[3 * (size_t)i + 1]);
  return low;
}

int runs_crossings(const run *r) {
  int count = -1;
  demand(mus_sim_crossings(r->sim, 0, NULL, &count));
  return count;
}
