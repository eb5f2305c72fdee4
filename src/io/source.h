// Plain files that are read by offset.
#ifndef MUS_IO_SOURCE_H
#define MUS_IO_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "muslin/status.h"

typedef struct mus_source {
  const char *path; // for error texts; must stay
  int descriptor;
  int open;        // 1: the descriptor is
  uint64_t length; // bytes, when it was opened or last measured
} mus_source;

// MUS_IO_ERROR if it cannot be read or is not a plain file.
mus_status mus_source_open(mus_source *source, const char *path);
// MUS_BAD_INPUT when the file ends before.
mus_status mus_source_read(const mus_source *source, uint64_t offset, void *data, size_t bytes);
// Asks for its length again.
mus_status mus_source_measure(mus_source *source);
// One that is not open is fine.
void mus_source_close(mus_source *source);

// "PATH: byte OFFSET: text", as MUS_BAD_INPUT.
mus_status mus_source_fail(const mus_source *source, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
