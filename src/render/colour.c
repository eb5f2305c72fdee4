// Colours. See colour.h.
#include "render/colour.h"

#include "render/range.h"

float mus_srgb_decode(float encoded) {
  return encoded <= 0.04045f ? encoded / 12.92f : powf((encoded + 0.055f) / 1.055f, 2.4f);
}

float mus_srgb_encode(float linear) {
  return linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
}

mus_float3 mus_linear_from_srgb(mus_float3 encoded) {
  return mus_v3(mus_srgb_decode(encoded.x), mus_srgb_decode(encoded.y), mus_srgb_decode(encoded.z));
}

// The peak p above the knee k becomes 1 - (1-k)^2 / (p + 1 - 2k): slope 1 at the knee, 1 at infinity. All channels
// shrink together, which keeps the hue, and move towards white by how much they shrank.
mus_float3 mus_tone_map(mus_float3 radiance) {
  const float knee = 0.76f, desaturation = 0.15f;
  float peak = fmaxf(radiance.x, fmaxf(radiance.y, radiance.z));
  if (!(peak > knee))
    return radiance;
  float headroom = 1 - knee, compressed = 1 - headroom * headroom / (peak + headroom - knee);
  mus_float3 dimmed = mus_v3_scale(compressed / peak, radiance);
  float white = 1 - 1 / (desaturation * (peak - compressed) + 1);
  return mus_v3_mix(dimmed, mus_v3(compressed, compressed, compressed), white);
}

// CIELAB to linear sRGB with the white point D65.
static mus_float3 linear_from_lab(float lightness, float a, float b) {
  float fy = (lightness + 16) / 116, f[3] = {fy + a / 500, fy, fy - b / 200}, xyz[3];
  const float white[3] = {0.95047f, 1, 1.08883f};
  for (int i = 0; i < 3; ++i)
    xyz[i] = white[i] * (f[i] > 6.0f / 29 ? f[i] * f[i] * f[i] : (f[i] - 4.0f / 29) * 108 / 841);
  return mus_v3(3.2404542f * xyz[0] - 1.5371385f * xyz[1] - 0.4985314f * xyz[2],
                -0.9692660f * xyz[0] + 1.8760108f * xyz[1] + 0.0415560f * xyz[2],
                0.0556434f * xyz[0] - 0.2040259f * xyz[1] + 1.0572252f * xyz[2]);
}

// Hue and chroma follow the rim of what sRGB can show between violet and yellow; a hair outside is cut off.
mus_float3 mus_heat_colour(float t) {
  if (isnan(t))
    return mus_v3(0.3f, 0.3f, 0.3f);
  t = mus_clamp(t, 0, 1);
  float lightness = 18 + 74 * t, chroma = 48 - 98 * t + 130 * t * t, hue = 5.5501f - 3.7699f * t;
  mus_float3 colour = linear_from_lab(lightness, chroma * cosf(hue), chroma * sinf(hue));
  return mus_v3(mus_clamp(colour.x, 0, 1), mus_clamp(colour.y, 0, 1), mus_clamp(colour.z, 0, 1));
}
