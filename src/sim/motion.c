// Keys and pins over time. See motion.h.
#include "sim/motion.h"

#include <math.h>

void mus_keys_at(const mus_keys *keys, int width, double time, const double *fallback, double *value) {
  int after = 0; // the first key later than `time`
  while (after < keys->count && keys->time[after] <= time)
    ++after;
  const double *last = after > 0 ? keys->value + (size_t)(after - 1) * (size_t)width : keys->value;
  for (int c = 0; c < width; ++c) {
    if (keys->count == 0)
      value[c] = fallback[c];
    else if (after == 0)
      value[c] = keys->value[c];
    else if (after == keys->count)
      value[c] = last[c];
    else {
      double share = (time - keys->time[after - 1]) / (keys->time[after] - keys->time[after - 1]);
      value[c] = last[c] + share * (last[width + c] - last[c]);
    }
  }
}

void mus_gravity_at(const mus_scene *scene, double time, double gravity[3]) {
  static const double earth[3] = {0, -9.81, 0};
  mus_keys_at(&scene->gravity, 3, time, earth, gravity);
}

double mus_stiffness_at(const mus_cloth *cloth, double time) {
  static const double one = 1;
  double factor;
  mus_keys_at(&cloth->stiffness, 1, time, &one, &factor);
  return factor;
}

int mus_pin_holds(const mus_pin *pin, double time) { return time >= pin->from && time <= pin->to; }

void mus_pin_offset(const mus_pin *pin, double time, double offset[3]) {
  static const double nowhere[3] = {0, 0, 0};
  mus_keys_at(&pin->offset, 3, time, nowhere, offset);
  const double turn = 6.283185307179586 * pin->frequency;
  double swing = sin(turn * time + pin->phase) - sin(pin->phase);
  for (int c = 0; c < 3; ++c)
    offset[c] += pin->amplitude[c] * swing;
}
