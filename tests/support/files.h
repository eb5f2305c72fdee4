// Files of tests: a folder that is made before a test and removed after it, and whole files as bytes.
#ifndef SUPPORT_FILES_H
#define SUPPORT_FILES_H

#include <stddef.h>

// For cmocka's setup and teardown: *state is the path of an empty folder.
int files_setup(void **state);
int files_teardown(void **state);

// "folder/name"; valid until the fourth call after this one.
const char *files_path(const void *folder, const char *name);
int files_exists(const char *path);
int files_count(const char *folder); // files and folders in it

typedef struct files_bytes {
  unsigned char *data; // with a zero behind it; free() it
  size_t size;
} files_bytes;

// The test fails when the file cannot be read or written.
files_bytes files_read(const char *path);
void files_write(const char *path, const void *data, size_t size);
// The test fails when the file does not hold these bytes.
void files_assert_bytes(const char *path, const void *expected, size_t size);
void files_assert_same(const char *path, const char *other);

#endif
