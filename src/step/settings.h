// The settings of a simulation, all in one place: what the scene says at the start, and what users change while it
// runs. Steps read these, never the scene.
#ifndef MUS_STEP_SETTINGS_H
#define MUS_STEP_SETTINGS_H

#include "model/model.h"

// A vector over time: the scene's keys, unless a user has fixed it.
typedef struct mus_vector_setting {
  const mus_keys *keys; // of the scene, width 3
  int fixed;            // 1: `value` holds at any time
  double value[3];
} mus_vector_setting;

typedef struct mus_part_settings {
  const mus_keys *stiffness; // of the scene, width 1: a factor on all stiffnesses
  double factor;             // the user's, beside it
} mus_part_settings;

typedef struct mus_settings {
  double frame_rate;          // Hz
  double time_step;           // s, at most; where there are no keys
  const mus_keys *time_steps; // of the scene, width 1; NULL for none
  int adaptive;               // 1: steps that fail are halved
  mus_integrator integrator;
  int newton_iterations;     // at most
  double newton_tolerance;   // m/s
  double accuracy;           // m: of positions at the end of a step that is minimised
  int projective_iterations; // at most
  int projective_cycles;
  double projective_tolerance; // m/s
  mus_solver_options solver;
  mus_up up;
  mus_vector_setting gravity; // m/s^2
  mus_vector_setting wind;    // m/s
  double air_density;         // kg/m^3
  mus_part_settings *parts;
} mus_settings;

// Those of the model's scene, which must outlive them. The memory comes from the arena.
mus_status mus_settings_create(mus_arena *arena, const mus_model *model, mus_settings *out);

// Every frame is a whole number of equal steps, no longer than the time step that holds where it begins. The frame
// after so many.
int mus_settings_steps_per_frame(const mus_settings *settings, int frame);
double mus_settings_step_length(const mus_settings *settings, int frame); // s

// At a time, s.
void mus_settings_gravity(const mus_settings *settings, double time, double gravity[3]);
// Returns 1 if air moves at any time.
int mus_settings_wind(const mus_settings *settings, double time, double wind[3]);
// The factor on the stiffnesses of a part.
double mus_settings_stiffness(const mus_settings *settings, int part, double time);
// The same of a list of elements, which may have to wait.
double mus_settings_list_stiffness(const mus_settings *settings, const mus_model_list *list, double time);

#endif
