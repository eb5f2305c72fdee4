// Light for every pixel of a picture, smooth although few rays were sent.
//
// Two rays a light and pixel go ahead. Where all of those within 9 x 9 pixels arrive, or none does, that is the answer;
// the pixels in between get all samples. So nearly all rays are spent in half-shadows. What is found in the pattern of
// sampling.h is then smoothed over 5 x 5 pixels with weights 1 2 2 2 1, which weigh the pattern's 16 pixels alike,
// among pixels that show the same piece of surface.
#ifndef MUS_RENDER_LIGHT_BUFFER_H
#define MUS_RENDER_LIGHT_BUFFER_H

#include "render/lighting.h"

// A picture's light takes over 100 bytes per pixel, so it is found for a band of rows at a time. What a pixel gets
// depends on no more than MUS_LIGHT_MARGIN rows around it: bands that reach so far beyond the rows that are drawn with
// them give the same bits as all rows at once.
enum { MUS_LIGHT_MARGIN = 8 };

typedef struct mus_light_buffer {
  int width, capacity; // rows that there is memory for
  int top, bottom;     // the rows of the picture that it holds: top ... bottom - 1
  mus_site *site;      // what each pixel's middle sees: filled in by the caller
  mus_lit *raw, *lit;
  unsigned char *answers, *around; // what the rays ahead answered at a pixel, and within 9 x 1 pixels
} mus_light_buffer;

// For bands of so many rows.
mus_status mus_light_buffer_create(mus_arena *arena, int width, int rows, mus_light_buffer *out);
// The place of a pixel of the picture in the arrays.
static inline size_t mus_light_buffer_index(const mus_light_buffer *buffer, int x, int y) {
  return (size_t)(y - buffer->top) * (size_t)buffer->width + (size_t)x;
}
// Fills `lit` from the sites.
void mus_light_buffer_fill(mus_light_buffer *buffer, const mus_world *world, const mus_light_samples *samples);
// The light at a place that is seen at pixel coordinates x, y, from the four pixels around it. 0 when none of them sees
// the same piece of surface.
int mus_light_buffer_at(const mus_light_buffer *buffer, const mus_site *site, float x, float y, mus_lit *out);

#endif
