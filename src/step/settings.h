// What users change while a scene runs. It wins over what the scene says. Private to step/.
#ifndef MUS_STEP_SETTINGS_H
#define MUS_STEP_SETTINGS_H

#include "model/model.h"

typedef struct mus_settings {
  mus_solver_options solver;
  int gravity_given, wind_given;
  double gravity[3], wind[3]; // m/s^2, m/s
  double *stiffness;          // a factor for each cloth, beside the scene's
} mus_settings;

// Those of the scene.
mus_status mus_settings_create(mus_arena *arena, const mus_model *model, mus_settings *out);

// At a time, s.
void mus_settings_gravity(const mus_settings *settings, const mus_model *model, double time, double gravity[3]);
// Returns 1 where air moves at any time.
int mus_settings_wind(const mus_settings *settings, const mus_model *model, double time, double wind[3]);
double mus_settings_stiffness(const mus_settings *settings, const mus_model *model, int cloth, double time);

#endif
