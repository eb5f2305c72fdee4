// Tests of what is drawn: whether this build can, pictures as bytes, and others in ffmpeg's place.
#ifndef SUPPORT_DRAWING_H
#define SUPPORT_DRAWING_H

// 0, after saying so, where Embree is not built in.
int drawing_possible(void);

typedef struct image {
  int width, height;
  unsigned char *pixel; // red, green, blue; free() it
} image;

// A PNG file; the test fails when it is none.
image drawing_load(const char *path);

// From now on a shell with this script is the only program that is found, as ffmpeg; with NULL, none is.
void drawing_pretend_ffmpeg(const char *script);
// The programs from before are found again. For cmocka's teardown.
int drawing_real_ffmpeg(void **state);

#endif
