// What the air does to cloth: drag, in still air or wind.
//
// Drag acts on a triangle with its mean velocity v against the wind w, r = v - w, split into parts along its normal n
// and across, r = r_n n + r_t. It is quadratic in r, as drag on a plate at these speeds is, and goes with the
// triangle's present area A:
//   f = -rho/2 A (c_n |r_n| r_n n + c_t |r_t| r_t),  a third of it to each corner.
// c_n is a flat plate's drag coefficient broadside on (about 1.2 to 2), c_t that of skin friction (some hundredths).
// Drag has no energy. Its blocks are -df/dv, which is symmetric and positive semi-definite as it stands:
//   rho/2 A [2 c_n |r_n| n n^T + c_t |r_t| (I - n n^T + r_t r_t^T/|r_t|^2)] / 9 for each pair of corners.
// Dropped is df/dx (A and n turn with the triangle): neither symmetric nor of one sign, and small in a step.
//
// As a potential of the step (element.h), drag has A, n and the wind of its beginning, and v = per_second (x - X):
//   P = rho/2 A (c_n |r_n|^3 + c_t |r_t|^3) / (3 per_second),
// which is convex. Its gradient is the force at that velocity, and nothing is dropped from its blocks.
//
// Wind is a pure function of place and time: a mean, which may change over time, and gusts, a fixed sum of waves that
// are carried along (Taylor's frozen turbulence), each transverse, so that the gusts have no divergence. Nothing is
// kept from step to step.
#ifndef MUS_ENERGY_EXTERNAL_H
#define MUS_ENERGY_EXTERNAL_H

#include "base/random.h"
#include "energy/element.h"

// Of cloth: a plate's broadside on, and that of skin friction.
#define MUS_DRAG_NORMAL 1.5
#define MUS_DRAG_TANGENTIAL 0.05

typedef struct mus_air {
  mus_uniform density;            // kg/m^3; 1.2 near the ground
  mus_uniform normal, tangential; // c_n and c_t
} mus_air;

#ifndef MUS_LANES
enum { MUS_GUST_WAVES = 12 };

typedef struct mus_gust_wave {
  mus_real direction[3];   // which way the air moves, and how fast at most as a part of the mean speed
  mus_real wave_vector[3]; // rad/m, orthogonal to direction
  mus_real frequency;      // rad/s, besides what being carried along gives
  mus_real phase;          // rad
} mus_gust_wave;

typedef struct mus_gusts {
  mus_real carrier[3]; // m/s: the velocity at which the waves are carried along
  int waves;           // 0: no gusts
  mus_gust_wave wave[MUS_GUST_WAVES];
} mus_gusts;

// `part` is the gusts' root mean square speed as a part of the mean wind's speed, `length` the longest wave's length in
// m (the others go down to a sixth of it, weaker as they get shorter, as in turbulence: amplitude as length to the
// 1/3), `carrier` a typical wind, and `seed` chooses among all such gusts. A part of 0 means none. Set-up, on the host
// only.
static inline void mus_gusts_make(const mus_real *carrier, mus_real part, mus_real length, uint64_t seed,
                                  mus_gusts *gusts) {
  mus_real squares = 0, speed = sqrt(mus_dot3(carrier, carrier));
  mus_scale3(1, carrier, gusts->carrier);
  gusts->waves = part > 0 && length > 0 ? MUS_GUST_WAVES : 0;
  for (int k = 0; k < gusts->waves; ++k) {
    mus_gust_wave *wave = &gusts->wave[k];
    mus_real along[3], other[3], wave_length = length * pow(6, -k / (MUS_GUST_WAVES - 1.0));
    for (int m = 0; m < 3; ++m) {
      along[m] = mus_random(seed, (uint64_t)(8 * k + m));
      other[m] = mus_random(seed, (uint64_t)(8 * k + 3 + m));
    }
    mus_unit3(along, along);
    mus_cross3(along, other, wave->direction);
    mus_unit3(wave->direction, wave->direction);
    mus_real amplitude = pow(wave_length, 1.0 / 3);
    squares += amplitude * amplitude / 2; // of a sine
    mus_scale3(amplitude, wave->direction, wave->direction);
    mus_scale3(2 * MUS_PI / wave_length, along, wave->wave_vector);
    wave->frequency = part * speed * 2 * MUS_PI / wave_length * mus_random(seed, (uint64_t)(8 * k + 6));
    wave->phase = MUS_PI * mus_random(seed, (uint64_t)(8 * k + 7));
  }
  for (int k = 0; k < gusts->waves; ++k)
    mus_scale3(part / sqrt(squares), gusts->wave[k].direction, gusts->wave[k].direction);
}

// The air's velocity at a place x and a time t for a mean wind; gusts NULL for none.
MUS_ELEMENT void mus_wind_at(const mus_real *mean, const mus_gusts *gusts, const mus_real *x, mus_real t,
                             mus_real *velocity) {
  mus_real carried[3], speed = sqrt(mus_dot3(mean, mean));
  mus_scale3(1, mean, velocity);
  if (!gusts)
    return;
  for (int k = 0; k < 3; ++k)
    carried[k] = x[k] - t * gusts->carrier[k];
  for (int k = 0; k < gusts->waves; ++k) {
    const mus_gust_wave *wave = &gusts->wave[k];
    mus_real angle = mus_dot3(wave->wave_vector, carried) + wave->frequency * t + wave->phase;
    mus_add_scaled3(speed * sin(angle), wave->direction, velocity);
  }
}
#endif

// Drag of air that moves with velocity `wind` on a triangle, of which every corner has the same part: force is minus
// that, square (the upper triangle, as element.h has it) `damping` times minus the derivative by velocity of each pair
// of corners. Nothing where the triangle has no area. Returns
// rho/2 A (c_n |r_n|^3 + c_t |r_t|^3) / 3, in W.
MUS_ELEMENT mus_real mus_drag_corner(const mus_air *air, mus_uniform damping, const mus_real *wind, const mus_real *x,
                                     const mus_real *v, mus_real *force, mus_real *square) {
  const mus_uniform third = 1.0 / 3;
  mus_real side[2][3], normal[3], relative[3], across[3], direction[3];
  mus_subtract3(x + 3, x, side[0]);
  mus_subtract3(x + 6, x, side[1]);
  mus_cross3(side[0], side[1], normal);
  mus_real pressure = air->density / 4 * mus_unit3(normal, normal); // rho/2 A; the length is 2 A
  for (int k = 0; k < 3; ++k)
    relative[k] = third * (v[k] + v[3 + k] + v[6 + k]) - wind[k];
  mus_real along = mus_dot3(normal, relative), factor = damping / 9 * pressure;
  for (int k = 0; k < 3; ++k)
    across[k] = relative[k] - along * normal[k];
  mus_real speed = mus_unit3(across, direction), skin = factor * air->tangential * speed;
  mus_real push = third * pressure * air->normal * mus_size(along) * along;
  mus_real rub = third * pressure * air->tangential * speed;
  for (int k = 0; k < 3; ++k)
    force[k] = push * normal[k] + rub * across[k];
  mus_along_across(2 * factor * air->normal * mus_size(along), skin, normal, square);
  mus_add_square(skin, direction, square);
  mus_real size = mus_size(along);
  return third * pressure * (air->normal * size * size * size + air->tangential * speed * speed * speed);
}

// The same for all corners, added to gradient (9 numbers) and block (54), each NULL where not wanted. Returns the
// potential of the step, if there is one.
MUS_ELEMENT mus_real mus_drag_element(const mus_air *air, const mus_blend *blend, const mus_real *wind,
                                      const mus_real *x, const mus_real *v, mus_real *gradient, mus_real *block) {
  mus_real force[3], square[6], full[9], velocity[9], potential = mus_all(0);
  if (blend->per_second > 0) {
    for (int k = 0; k < 9; ++k)
      velocity[k] = blend->per_second * (x[k] - v[k]);
    potential = mus_drag_corner(air, blend->damping, wind, v, velocity, force, square) / blend->per_second;
  } else {
    mus_drag_corner(air, blend->damping, wind, x, v, force, square);
  }
  mus_expand_square(square, full);
  for (int i = 0; i < 3 && gradient; ++i)
    mus_add_scaled3(mus_all(1), force, gradient + 3 * i);
  for (int i = 0; i < 6 && block; ++i)
    for (int k = 0; k < 9; ++k)
      block[9 * i + k] += full[k];
  return potential;
}

#endif
