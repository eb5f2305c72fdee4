// Words and numbers in pictures, by a small font of strokes: it has every printable ASCII character that scenes use
// (letters, digits, most punctuation), at any size; others leave a gap.
#ifndef MUS_RENDER_TEXT_H
#define MUS_RENDER_TEXT_H

#include "render/picture.h"

// Width in pixels of a text whose capitals are `size` pixels high.
float mus_text_width(const char *text, float size);
// Draws it with its left end at x and its base line at y. The colour is sRGB.
void mus_text_draw(mus_picture *picture, float x, float y, float size, mus_float3 colour, const char *text);

#endif
