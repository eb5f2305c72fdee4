// Keys and pins over time. See motion.h.
#include "model/motion.h"

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

int mus_pin_holds(const mus_pin *pin, double time) { return time >= pin->from && time <= pin->to; }

// Turns about the axis through `pivot`.
static void turn_about(int axis, double degrees, const double pivot[3], double x[3]) {
  const double degree = 0.017453292519943295;
  int a = (axis + 1) % 3, b = (axis + 2) % 3;
  double c = cos(degrees * degree), s = sin(degrees * degree), first = x[a] - pivot[a], second = x[b] - pivot[b];
  x[a] = pivot[a] + c * first - s * second;
  x[b] = pivot[b] + s * first + c * second;
}

void mus_pin_target(const mus_pin *pin, double time, const double start[3], double target[3]) {
  static const double nothing[3] = {0, 0, 0};
  double turn[3], offset[3];
  mus_keys_at(&pin->turn, 3, time, nothing, turn);
  mus_keys_at(&pin->offset, 3, time, nothing, offset);
  const double pulse = 6.283185307179586 * pin->frequency;
  double swing = sin(pulse * time + pin->phase) - sin(pin->phase);
  for (int c = 0; c < 3; ++c)
    target[c] = start[c];
  for (int axis = 0; axis < 3; ++axis)
    if (turn[axis] != 0)
      turn_about(axis, turn[axis], pin->pivot, target);
  for (int c = 0; c < 3; ++c)
    target[c] += offset[c] + pin->amplitude[c] * swing;
}
