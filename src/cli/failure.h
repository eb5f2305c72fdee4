// What went wrong, on stderr, and the exit status that goes with it.
#ifndef CLI_FAILURE_H
#define CLI_FAILURE_H

#include "muslin/status.h"

enum {
  CLI_DONE = 0,
  CLI_FAILED = 1,   // at run time: breakdown, no convergence, no memory, disk full
  CLI_BAD_INPUT = 2 // files, options and sizes that make no sense
};

// "program: text" on stderr; returns CLI_BAD_INPUT.
int failure_input(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3)));
int failure_memory(const char *program);
// The library's error text, after `where` (a file's name, or NULL), and the exit status for it. A file that cannot be
// read counts as bad input.
int failure_status(const char *program, const char *where, mus_status status);

#endif
