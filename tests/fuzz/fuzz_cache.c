// libFuzzer target for PC2 and MDD: any bytes give a status, what is accepted can be read to its end and is finite, and
// what can be gone on from ends as a file that can be read. The first byte chooses the name and what is done.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/cache.h"

static char folder[64];

static void require(int condition) {
  if (!condition)
    abort();
}

static void clean_up(void) {
  static const char *const names[] = {"a.pc2", "a.mdd", "a.pc2.partial", "a.mdd.partial"};
  char path[96];
  for (int i = 0; i < 4; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    remove(path);
  }
  rmdir(folder);
}

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerInitialize(int *count, char ***arguments) {
  (void)count, (void)arguments;
  snprintf(folder, sizeof folder, "%s/muslin-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  require(mkdtemp(folder) != NULL);
  atexit(clean_up);
  return 0;
}

static void write_file(const char *path, const uint8_t *data, size_t size) {
  FILE *file = fopen(path, "wb");
  require(file != NULL);
  require(fwrite(data, 1, size, file) == size);
  require(fclose(file) == 0);
}

// Reads all frames; returns how many, or -1 when the file is refused.
static int read_all(const char *path) {
  mus_cache_reader *reader = NULL;
  if (mus_cache_open(path, &reader) != MUS_OK)
    return -1;
  const mus_cache_info *info = mus_cache_about(reader);
  int frames = info->frames;
  require(info->points >= 1 && frames >= 0);
  // Without a frame, nothing bounds the points by the file's length.
  double *positions = frames > 0 ? malloc(3 * (size_t)info->points * sizeof *positions) : NULL;
  require(frames == 0 || positions != NULL);
  for (int frame = 0; frame < frames; ++frame)
    if (mus_cache_read(reader, frame, positions) == MUS_OK)
      for (size_t i = 0; i < 3 * (size_t)info->points; ++i)
        require(isfinite(positions[i]));
  free(positions);
  mus_cache_reader_free(reader);
  return frames;
}

static void go_on(const char *path, const mus_cache_format *format) {
  mus_cache_definition definition = {.points = 2, .frames = 5, .frames_per_second = 24};
  mus_cache_writer *writer = NULL;
  if (mus_cache_resume(path, format, &definition, &writer) != MUS_OK)
    return;
  int frames = mus_cache_frames(writer);
  require(frames >= 0 && frames <= 5);
  require(mus_cache_keep(writer, frames) == MUS_OK);
  static const double positions[6] = {1, 2, 3, 4, 5, 6};
  if (frames < 5)
    require(mus_cache_write(writer, positions) == MUS_OK);
  require(mus_cache_finish(writer) == MUS_OK);
  mus_cache_close(writer);
  int there = read_all(path); // the times of an MDD file may not be finite
  require(there == (frames < 5 ? frames + 1 : 5) || there == -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1)
    return 0;
  int mdd = data[0] & 1, growing = data[0] >> 1 & 1, resume = data[0] >> 2 & 1;
  char path[96], given[112];
  snprintf(path, sizeof path, "%s/a.%s", folder, mdd ? "mdd" : "pc2");
  snprintf(given, sizeof given, "%s%s", path, growing ? ".partial" : "");
  write_file(given, data + 1, size - 1);
  if (resume)
    go_on(path, mus_cache_format_at(mdd));
  else
    read_all(given);
  remove(path);
  remove(given);
  return 0;
}
