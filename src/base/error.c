// Error texts a thread. See error.h.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 512 };
static _Thread_local char text[TEXT_SIZE];

const char *mus_status_name(mus_status status) {
  switch (status) {
  case MUS_OK:
    return "ok";
  case MUS_BAD_INPUT:
    return "bad input";
  case MUS_OUT_OF_MEMORY:
    return "out of memory";
  case MUS_IO_ERROR:
    return "input/output error";
  case MUS_UNSUPPORTED:
    return "unsupported";
  case MUS_BREAKDOWN:
    return "breakdown";
  case MUS_NOT_CONVERGED:
    return "not converged";
  case MUS_STOPPED:
    return "stopped";
  case MUS_DEVICE_FAILED:
    return "device failed";
  }
  return "unknown status";
}

const char *mus_last_error(void) { return text; }

mus_status mus_fail(mus_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return status;
}

mus_status mus_fail_prefix(mus_status status, const char *format, ...) {
  char prefix[TEXT_SIZE], joined[2 * TEXT_SIZE + 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(prefix, sizeof prefix, format, arguments);
  va_end(arguments);
  snprintf(joined, sizeof joined, "%s: %s", prefix, text);
  memcpy(text, joined, sizeof text - 1); // what does not fit is cut; the last byte stays 0
  return status;
}

static _Thread_local int first_index;

int mus_count_from(int first) {
  int before = first_index;
  first_index = first;
  return before;
}

int mus_counted(int index) { return index + first_index; }

mus_status mus_fail_if_null(const void *given, const char *function, const char *name) {
  return given ? MUS_OK : mus_fail(MUS_BAD_INPUT, "%s(): %s is NULL", function, name);
}

mus_status mus_fail_memory(void) {
  return mus_fail(MUS_OUT_OF_MEMORY, "out of memory: use a smaller problem or a machine with more memory");
}
