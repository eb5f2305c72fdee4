// Files of tests. See files.h.
#define _XOPEN_SOURCE 700 // nftw
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// In memory where that is possible: waiting for a disk thousands of times takes long.
int files_setup(void **state) {
  char folder[64];
  snprintf(folder, sizeof folder, "%s/muslin-test-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  *state = mkdtemp(folder) ? strdup(folder) : NULL;
  return *state ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place) {
  (void)about, (void)kind, (void)place;
  return remove(path);
}

int files_teardown(void **state) {
  int bad = nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  free(*state);
  return bad;
}

const char *files_path(const void *folder, const char *name) {
  static char paths[4][512];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", (const char *)folder, name);
  return path;
}

int files_exists(const char *path) { return access(path, F_OK) == 0; }

int files_count(const char *folder) {
  DIR *open = opendir(folder);
  int count = 0;
  assert_non_null(open);
  for (struct dirent *entry; (entry = readdir(open));)
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(open);
  return count;
}

files_bytes files_read(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    fail_msg("%s cannot be read", path);
  files_bytes bytes = {0};
  fseek(file, 0, SEEK_END);
  bytes.size = (size_t)ftell(file);
  rewind(file);
  bytes.data = malloc(bytes.size + 1);
  assert_non_null(bytes.data);
  assert_int_equal(fread(bytes.data, 1, bytes.size, file), bytes.size);
  bytes.data[bytes.size] = 0;
  fclose(file);
  return bytes;
}

void files_write(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file)
    fail_msg("%s cannot be written", path);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

void files_assert_bytes(const char *path, const void *expected, size_t size) {
  files_bytes there = files_read(path);
  const unsigned char *want = expected;
  for (size_t i = 0; i < there.size && i < size; ++i)
    if (there.data[i] != want[i])
      fail_msg("%s: byte %zu is %02x instead of %02x", path, i, there.data[i], want[i]);
  if (there.size != size)
    fail_msg("%s: has %zu bytes instead of %zu", path, there.size, size);
  free(there.data);
}

void files_assert_same(const char *path, const char *other) {
  files_bytes expected = files_read(other);
  files_assert_bytes(path, expected.data, expected.size);
  free(expected.data);
}
