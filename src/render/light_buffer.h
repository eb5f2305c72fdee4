// Light for every pixel of a picture, smooth although few rays were sent.
//
// Two rays a light and pixel go ahead. Where all of those within 9 x 9 pixels arrive, or none does, that is the answer;
// the pixels in between get all samples. So nearly all rays are spent in half-shadows. What is found in the pattern of
// sampling.h is then smoothed over 5 x 5 pixels with weights 1 2 2 2 1, which weigh the pattern's 16 pixels alike,
// among pixels that show the same piece of surface.
#ifndef MUS_RENDER_LIGHT_BUFFER_H
#define MUS_RENDER_LIGHT_BUFFER_H

#include "render/lighting.h"

typedef struct mus_light_buffer {
  int width, height;
  mus_site *site; // what each pixel's middle sees: filled in by the caller
  mus_lit *raw, *lit;
  unsigned char *answers, *around; // what the rays ahead answered at a pixel, and within 9 x 1 pixels
} mus_light_buffer;

mus_status mus_light_buffer_create(mus_arena *arena, int width, int height, mus_light_buffer *out);
// Fills `lit` from the sites.
void mus_light_buffer_fill(mus_light_buffer *buffer, const mus_world *world, const mus_light_samples *samples);
// The light at a place that is seen at pixel coordinates x, y, from the four pixels around it. 0 when none of them sees
// the same piece of surface.
int mus_light_buffer_at(const mus_light_buffer *buffer, const mus_site *site, float x, float y, mus_lit *out);

#endif
