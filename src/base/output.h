// Files written under a temporary name and then renamed, so that a failure never leaves a broken one.
//
//   mus_output out;
//   mus_status status = mus_output_open(&out, "mesh.obj.gz");
//   mus_output_text(&out, "v ");
//   mus_output_real(&out, 0.1);
//   return mus_output_close(&out, status);
//
// Nothing between open and close needs checking: the first failure is kept, what comes after it is dropped, and close()
// returns it. A path that ends in .gz is compressed. Symbolic links are followed; devices and pipes, which renaming
// would destroy, are written to directly.
#ifndef MUS_BASE_OUTPUT_H
#define MUS_BASE_OUTPUT_H

#include <locale.h>
#include <stddef.h>

#include "muslin/status.h"

typedef struct mus_output {
  const char *path;      // as the caller gave it, for error texts
  mus_status status;     // of all that was written so far
  char *target;          // where the file goes, symbolic links followed
  char *beside;          // where it is written (target.tmp and the process number); NULL for a device or a pipe
  struct gzFile_s *file; // the file that is written
  char *buffer;
  size_t used;
  locale_t plain, callers; // the C locale, whose decimal sign is a point, and the one that the thread had before
} mus_output;

// Open and close on one thread, which uses the C locale in between. The path must stay; close() is needed in any case.
mus_status mus_output_open(mus_output *out, const char *path);
// The file takes its place when `status` and all writing so far are MUS_OK, and is removed otherwise; returns the first
// failure.
mus_status mus_output_close(mus_output *out, mus_status status);

void mus_output_bytes(mus_output *out, const void *bytes, size_t size);
void mus_output_text(mus_output *out, const char *text);
void mus_output_integer(mus_output *out, long long value);
// With the fewest of 15, 16 or 17 digits that give back the same bits when they are read. Finite numbers only.
void mus_output_real(mus_output *out, double value);
// Binary numbers, least significant byte first; most significant first for `big`. `bytes` is at most 8.
void mus_output_whole_bytes(mus_output *out, int bytes, int big, long long value);
void mus_output_real_bytes(mus_output *out, int big, double value);
void mus_output_single_bytes(mus_output *out, int big, float value);

#endif
