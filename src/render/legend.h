// What is written over a picture: the heat map's bar with its numbers, a key of colours, and a caption.
#ifndef MUS_RENDER_LEGEND_H
#define MUS_RENDER_LEGEND_H

#include "render/picture.h"
#include "render/scene.h"

// At the right edge. The map's range is not empty.
void mus_legend_draw(mus_picture *picture, const mus_heat_map *heat);
// Round numbers within a range for the bar's ticks, about five: the first and the step into the pointers; returns how
// many, at most MUS_TICKS.
enum { MUS_TICKS = 12 };
int mus_legend_ticks(double low, double high, double *first, double *step);
// Colours and what they mean, at the right edge.
typedef struct mus_key_line {
  mus_float3 colour; // sRGB
  const char *text;
} mus_key_line;
void mus_key_draw(mus_picture *picture, const char *title, int lines, const mus_key_line *line);
// In the lower left corner.
void mus_caption_draw(mus_picture *picture, const char *caption);

#endif
