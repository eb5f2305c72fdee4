// Output files, written under a temporary name and renamed: a failure leaves the old file, or none, but never a broken
// one. What exists and is not a plain file (a device, a pipe) is written to as it is.
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stddef.h>

// Writes `length` bytes to `path`. Returns 0, or 1 after saying on stderr, after `program`, what went wrong.
int output_write(const char *program, const char *path, const char *text, size_t length);

// "folder/name" from malloc; NULL when memory is short.
char *output_path(const char *folder, const char *name);

#endif
