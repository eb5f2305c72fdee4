// See settings.h.
#include "step/settings.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/up.h"
#include "model/motion.h"
#include "step/minimised.h"

mus_status mus_settings_create(mus_arena *arena, const mus_model *model, mus_settings *out) {
  const mus_scene *scene = model->scene;
  *out = (mus_settings){.frame_rate = scene->frame_rate,
                        .time_step = scene->time_step,
                        .time_steps = &scene->time_steps,
                        .adaptive = scene->adaptive,
                        .integrator = scene->integrator,
                        .newton_iterations = scene->newton_iterations,
                        .newton_tolerance = scene->newton_tolerance,
                        .accuracy = scene->accuracy / 1000,
                        .projective_iterations = scene->projective_iterations,
                        .projective_cycles = scene->projective_cycles,
                        .projective_tolerance = scene->projective_tolerance,
                        .solver = scene->solver,
                        .up = scene->up,
                        .gravity = {.keys = &scene->gravity},
                        .wind = {.keys = &scene->wind},
                        .air_density = scene->air_density};
  mus_status status = mus_minimised_configure(model, &out->solver);
  if (status)
    return status;
  out->parts = mus_arena_alloc(arena, (size_t)model->part_count, sizeof *out->parts);
  if (!out->parts)
    return mus_fail_memory();
  for (int k = 0; k < model->part_count; ++k)
    out->parts[k] = (mus_part_settings){model->parts[k].stiffness, 1};
  return MUS_OK;
}

int mus_settings_steps_per_frame(const mus_settings *settings, int frame) {
  double longest = settings->time_step;
  if (settings->time_steps)
    mus_keys_at(settings->time_steps, 1, frame / settings->frame_rate, &settings->time_step, &longest);
  double steps = ceil(1 / (settings->frame_rate * longest) - 1e-9);
  return steps < 1 ? 1 : (int)steps;
}

double mus_settings_step_length(const mus_settings *settings, int frame) {
  return 1 / (settings->frame_rate * mus_settings_steps_per_frame(settings, frame));
}

// `fallback` without keys.
static void vector_at(const mus_vector_setting *setting, double time, const double fallback[3], double value[3]) {
  if (setting->fixed)
    memcpy(value, setting->value, sizeof setting->value);
  else
    mus_keys_at(setting->keys, 3, time, fallback, value);
}

void mus_settings_gravity(const mus_settings *settings, double time, double gravity[3]) {
  double earth[3] = {0, -9.81, 0};
  mus_turn_up(MUS_UP_Y, settings->up, 1, earth);
  vector_at(&settings->gravity, time, earth, gravity);
}

int mus_settings_wind(const mus_settings *settings, double time, double wind[3]) {
  static const double still[3] = {0, 0, 0};
  vector_at(&settings->wind, time, still, wind);
  return settings->wind.fixed ? mus_dot3(wind, wind) > 0 : settings->wind.keys->count > 0;
}

double mus_settings_stiffness(const mus_settings *settings, int part, double time) {
  static const double one = 1;
  double keyed;
  mus_keys_at(settings->parts[part].stiffness, 1, time, &one, &keyed);
  return settings->parts[part].factor * keyed;
}

double mus_settings_list_stiffness(const mus_settings *settings, const mus_model_list *list, double time) {
  if (time < list->since)
    return 0;
  return list->part < 0 ? 1 : mus_settings_stiffness(settings, list->part, time);
}
