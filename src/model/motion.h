// Prescribed motion: keyframed numbers and the targets of pins, as pure functions of time.
#ifndef MUS_MODEL_MOTION_H
#define MUS_MODEL_MOTION_H

#include "muslin/scene.h"

// The keys' value at a time: linear between keys, constant outside. `fallback` where there are no keys.
void mus_keys_at(const mus_keys *keys, int width, double time, const double *fallback, double *value);

// 1 while the pin holds its vertices.
int mus_pin_holds(const mus_pin *pin, double time);
// Where the pin holds a vertex that started at `start`, m: turned about x, then y, then z around the pivot, then moved.
void mus_pin_target(const mus_pin *pin, double time, const double start[3], double target[3]);

#endif
