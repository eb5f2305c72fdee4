// Plain files that are read by offset. See source.h.
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

_Static_assert(sizeof(off_t) >= 8, "caches are larger than 2 GiB");

static mus_status fail_reading(const mus_source *source) {
  return mus_fail(MUS_IO_ERROR, "%.200s: cannot be read (%s): check the file and its permissions", source->path,
                  strerror(errno));
}

mus_status mus_source_open(mus_source *source, const char *path) {
  *source = (mus_source){.path = path};
  struct stat about;
  // Opening a pipe would wait for a writer.
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
    return mus_fail(MUS_IO_ERROR, "%.200s: is not a plain file: give one", path);
  source->descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (source->descriptor < 0)
    return fail_reading(source);
  source->open = 1;
  mus_status status = mus_source_measure(source);
  if (status)
    mus_source_close(source);
  return status;
}

mus_status mus_source_measure(mus_source *source) {
  struct stat about;
  if (fstat(source->descriptor, &about) != 0)
    return fail_reading(source);
  source->length = (uint64_t)about.st_size;
  return MUS_OK;
}

mus_status mus_source_read(const mus_source *source, uint64_t offset, void *data, size_t bytes) {
  char *p = data;
  for (size_t done = 0; done < bytes;) {
    ssize_t got = pread(source->descriptor, p + done, bytes - done, (off_t)(offset + done));
    if (got == 0)
      return mus_source_fail(source, offset + done, "the file is truncated: copy or write it again");
    if (got < 0 && errno != EINTR)
      return fail_reading(source);
    done += got > 0 ? (size_t)got : 0;
  }
  return MUS_OK;
}

void mus_source_close(mus_source *source) {
  if (source->open)
    close(source->descriptor);
  source->open = 0;
}

mus_status mus_source_fail(const mus_source *source, uint64_t offset, const char *format, ...) {
  char text[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return mus_fail(MUS_BAD_INPUT, "%.200s: byte %llu: %s", source->path, (unsigned long long)offset, text);
}
