// What is written over a picture. See legend.h.
#include "render/legend.h"

#include <math.h>
#include <stdio.h>

#include "render/colour.h"
#include "render/range.h"
#include "render/text.h"

static const mus_float3 ink = {0.12f, 0.13f, 0.16f}, paper = {1, 1, 1};

// Pixels that the writing's capitals are high: readable in a small picture, in proportion in a large one.
static float letter_size(const mus_picture *picture) { return fmaxf(7, 0.0185f * (float)picture->height); }

static void draw_panel(mus_picture *picture, float left, float top, float right, float bottom, float corner) {
  for (int y = (int)top - 1; y <= (int)bottom + 1; ++y)
    for (int x = (int)left - 1; x <= (int)right + 1; ++x) {
      float dx = fabsf((float)x + 0.5f - (left + right) / 2) - (right - left) / 2 + corner;
      float dy = fabsf((float)y + 0.5f - (top + bottom) / 2) - (bottom - top) / 2 + corner;
      float outside = hypotf(fmaxf(dx, 0), fmaxf(dy, 0)) - corner;
      mus_picture_mix(picture, x, y, paper, 0.62f * mus_clamp(0.5f - outside, 0, 1));
    }
}

static mus_float3 encoded(mus_float3 linear) {
  return mus_v3(mus_srgb_encode(linear.x), mus_srgb_encode(linear.y), mus_srgb_encode(linear.z));
}

static void draw_bar(mus_picture *picture, int left, int top, int width, int height) {
  for (int y = 0; y < height; ++y) {
    mus_float3 colour = encoded(mus_heat_colour(1 - ((float)y + 0.5f) / (float)height));
    for (int x = 0; x < width; ++x)
      mus_picture_mix(picture, left + x, top + y, colour, 1);
  }
}

int mus_legend_ticks(double low, double high, double *first, double *step) {
  double rough = (high - low) / 5, power = pow(10, floor(log10(rough))), ratio = rough / power;
  *step = power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
  *first = ceil(low / *step - 1e-6) * *step;
  int count = (int)floor((high - *first) / *step + 1e-6) + 1;
  return count < 0 ? 0 : count > MUS_TICKS ? MUS_TICKS : count;
}

// Where things are, in pixels.
typedef struct legend_layout {
  float size, margin, left, right, top, bottom; // of letters and panel
  int bar_left, bar_top, bar_width, bar_height;
} legend_layout;

static legend_layout lay_out(const mus_picture *picture, const char *title, float widest) {
  legend_layout at = {.size = letter_size(picture)};
  at.margin = 1.3f * at.size;
  at.bar_width = (int)(1.4f * at.size);
  at.bar_height = (int)(0.5f * (float)picture->height);
  float content = (float)at.bar_width + 0.9f * at.size + widest;
  if (title)
    content = fmaxf(content, mus_text_width(title, at.size));
  at.right = (float)picture->width - at.margin;
  at.left = at.right - content - 2 * at.margin;
  at.bar_left = (int)(at.left + at.margin);
  at.bar_top = (picture->height - at.bar_height) / 2;
  at.top = (float)at.bar_top - at.margin - (title ? 2.4f * at.size : 0);
  at.bottom = (float)(at.bar_top + at.bar_height) + at.margin;
  return at;
}

void mus_legend_draw(mus_picture *picture, const mus_heat_map *heat) {
  double first, step;
  int ticks = mus_legend_ticks(heat->low, heat->high, &first, &step);
  char label[MUS_TICKS][32];
  float widest = 0;
  for (int i = 0; i < ticks; ++i) {
    double value = fabs(first + i * step) < 1e-6 * step ? 0 : first + i * step;
    snprintf(label[i], sizeof label[i], "%.4g", value);
    widest = fmaxf(widest, mus_text_width(label[i], letter_size(picture)));
  }
  legend_layout at = lay_out(picture, heat->title, widest);
  draw_panel(picture, at.left, at.top, at.right, at.bottom, 0.7f * at.size);
  draw_bar(picture, at.bar_left, at.bar_top, at.bar_width, at.bar_height);
  float text_left = (float)(at.bar_left + at.bar_width) + 0.9f * at.size;
  for (int i = 0; i < ticks; ++i) {
    double part = (first + i * step - heat->low) / (heat->high - heat->low);
    float y = (float)(at.bar_top + at.bar_height) - (float)at.bar_height * (float)part;
    for (int x = 0; x < (int)(0.5f * at.size); ++x)
      mus_picture_mix(picture, at.bar_left + at.bar_width + x, (int)(y - 0.5f), ink, 0.6f);
    mus_text_draw(picture, text_left, y + at.size / 2, at.size, ink, label[i]);
  }
  if (heat->title)
    mus_text_draw(picture, at.left + at.margin, (float)at.bar_top - 1.6f * at.size, at.size, ink, heat->title);
}

void mus_key_draw(mus_picture *picture, const char *title, int lines, const mus_key_line *line) {
  float size = letter_size(picture), margin = 1.3f * size, step = 2.2f * size, swatch = 1.4f * size;
  float content = mus_text_width(title, size);
  for (int i = 0; i < lines; ++i)
    content = fmaxf(content, swatch + 0.9f * size + mus_text_width(line[i].text, size));
  float right = (float)picture->width - margin, left = right - content - 2 * margin;
  float height = size + step * (float)lines, top = ((float)picture->height - height) / 2;
  draw_panel(picture, left, top - margin, right, top + height + margin, 0.7f * size);
  left += margin;
  mus_text_draw(picture, left, top + size, size, ink, title);
  for (int i = 0; i < lines; ++i) {
    float base = top + size + step * (float)(i + 1); // of the letters
    for (int y = 0; y < (int)swatch; ++y)
      for (int x = 0; x < (int)swatch; ++x)
        mus_picture_mix(picture, (int)left + x, (int)(base - 1.2f * size) + y, line[i].colour, 1);
    mus_text_draw(picture, left + swatch + 0.9f * size, base, size, ink, line[i].text);
  }
}

void mus_caption_draw(mus_picture *picture, const char *caption) {
  float size = letter_size(picture);
  mus_text_draw(picture, 2 * size, (float)picture->height - 2 * size, size, ink, caption);
}
