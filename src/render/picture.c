// A finished picture, and PNG by libpng. See picture.h.
#include "render/picture.h"

#include <png.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "render/range.h"

mus_status mus_picture_create(int width, int height, mus_picture *out) {
  *out = (mus_picture){0};
  if (width < 1 || height < 1 || width > 16384 || height > 16384)
    return mus_fail(MUS_BAD_INPUT, "a picture of %d x %d pixels: give 1 to 16384 each way", width, height);
  out->pixel = mus_alloc_zero((size_t)width * (size_t)height, 3);
  if (!out->pixel)
    return mus_fail_memory();
  out->width = width;
  out->height = height;
  return MUS_OK;
}

void mus_picture_free(mus_picture *picture) {
  mus_free(picture->pixel);
  *picture = (mus_picture){0};
}

static unsigned char mixed(unsigned char from, float to, float amount) {
  float value = (float)from + amount * (255 * mus_clamp(to, 0, 1) - (float)from);
  return (unsigned char)(value + 0.5f);
}

void mus_picture_mix(mus_picture *picture, int x, int y, mus_float3 colour, float amount) {
  if (x < 0 || y < 0 || x >= picture->width || y >= picture->height || !(amount > 0))
    return;
  unsigned char *pixel = &picture->pixel[3 * ((size_t)y * (size_t)picture->width + (size_t)x)];
  pixel[0] = mixed(pixel[0], colour.x, amount);
  pixel[1] = mixed(pixel[1], colour.y, amount);
  pixel[2] = mixed(pixel[2], colour.z, amount);
}

mus_status mus_picture_write_png(const mus_picture *picture, const char *path) {
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)picture->width,
                     .height = (png_uint_32)picture->height,
                     .format = PNG_FORMAT_RGB};
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  void *encoded = mus_alloc(size, 1);
  if (!encoded)
    return mus_fail_memory();
  mus_status status = MUS_OK;
  if (!png_image_write_to_memory(&image, encoded, &size, 0, picture->pixel, 0, NULL))
    status = mus_fail(MUS_IO_ERROR, "%.200s: libpng could not encode the picture: %s", path, image.message);
  if (!status) {
    mus_output file;
    status = mus_output_open(&file, path);
    mus_output_bytes(&file, encoded, size);
    status = mus_output_close(&file, status);
  }
  png_image_free(&image);
  mus_free(encoded);
  return status;
}
