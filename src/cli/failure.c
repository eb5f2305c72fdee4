// Error texts and exit statuses. See failure.h.
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

int failure_input(const char *program, const char *format, ...) {
  va_list arguments;
  fprintf(stderr, "%s: ", program);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return CLI_BAD_INPUT;
}

int failure_memory(const char *program) {
  fprintf(stderr, "%s: out of memory: use a smaller problem or a machine with more memory\n", program);
  return CLI_FAILED;
}

int failure_status(const char *program, const char *where, mus_status status) {
  if (where)
    fprintf(stderr, "%s: %s: %s\n", program, where, mus_last_error());
  else
    fprintf(stderr, "%s: %s\n", program, mus_last_error());
  return status == MUS_BAD_INPUT || status == MUS_IO_ERROR || status == MUS_UNSUPPORTED ? CLI_BAD_INPUT : CLI_FAILED;
}
