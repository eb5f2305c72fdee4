// A finished picture: eight bits a channel, sRGB, rows from the top.
#ifndef MUS_RENDER_PICTURE_H
#define MUS_RENDER_PICTURE_H

#include "base/vector3.h"
#include "muslin/status.h"

typedef struct mus_picture {
  int width, height;
  unsigned char *pixel; // height * width * (red, green, blue)
} mus_picture;

mus_status mus_picture_create(int width, int height, mus_picture *out);
void mus_picture_free(mus_picture *picture);

// Mixes a colour (sRGB, 0 to 1) into a pixel; places outside the picture are passed over.
void mus_picture_mix(mus_picture *picture, int x, int y, mus_float3 colour, float amount);

// Writes a PNG under a temporary name and renames it, so that a failure leaves the old file or none.
mus_status mus_picture_write_png(const mus_picture *picture, const char *path);

#endif
