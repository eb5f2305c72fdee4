// Prescribed motion: keyframed numbers and the targets of pins, as pure functions of time.
#ifndef MUS_MODEL_MOTION_H
#define MUS_MODEL_MOTION_H

#include "muslin/scene.h"

// The keys' value at a time: linear between keys, constant outside. `fallback` where there are no keys.
void mus_keys_at(const mus_keys *keys, int width, double time, const double *fallback, double *value);

// m/s^2; the earth's where the scene gives none.
void mus_gravity_at(const mus_scene *scene, double time, double gravity[3]);

// The factor on a cloth's stiffnesses; 1 where the scene gives none.
double mus_stiffness_at(const mus_cloth *cloth, double time);

// 1 while the pin holds its vertices.
int mus_pin_holds(const mus_pin *pin, double time);
// Where the pin holds a vertex that started at `start`, m: turned about x, then y, then z around the pivot, then moved.
void mus_pin_target(const mus_pin *pin, double time, const double start[3], double target[3]);

#endif
