// Colours: sRGB and linear, tone mapping, and the heat map.
#ifndef MUS_RENDER_COLOUR_H
#define MUS_RENDER_COLOUR_H

#include "base/vector3.h"

float mus_srgb_decode(float encoded);
float mus_srgb_encode(float linear);
mus_float3 mus_linear_from_srgb(mus_float3 encoded);

// Linear radiance to linear display colour. Colours up to 0.76 stay as they are; brighter ones are compressed towards 1
// and, far above, towards white.
mus_float3 mus_tone_map(mus_float3 radiance);

// The heat map's colour at t from 0 to 1, linear: dark violet over blue, green to yellow, its lightness (L* of CIELAB)
// rising steadily from 18 to 92, so that it reads in grey too. NaN gives grey.
mus_float3 mus_heat_colour(float t);

#endif
