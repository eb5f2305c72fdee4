// Output files, written beside and renamed. See output.h.
#define _XOPEN_SOURCE 700 // realpath
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const char *program, const char *path) {
  fprintf(stderr, "%s: cannot write %s: %s\n", program, path, strerror(errno));
  return 1;
}

// The whole text and its way to the disk, or errno.
static int write_all(int descriptor, const char *text, size_t length) {
  FILE *file = fdopen(descriptor, "w");
  if (!file) {
    close(descriptor);
    return -1;
  }
  int bad = fwrite(text, 1, length, file) != length || fflush(file) != 0;
  int kept = errno;
  bad |= fclose(file) != 0;
  if (bad && kept)
    errno = kept;
  return bad ? -1 : 0;
}

// Replacing a device or a pipe by a file would be worse than a broken one.
static int is_special(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

static int write_directly(const char *program, const char *path, const char *text, size_t length) {
  int descriptor = open(path, O_WRONLY);
  return descriptor < 0 || write_all(descriptor, text, length) ? failed(program, path) : 0;
}

int output_write(const char *program, const char *path, const char *text, size_t length) {
  if (is_special(path))
    return write_directly(program, path, text, length);
  char *linked = realpath(path, NULL); // a symbolic link stays one
  const char *target = linked ? linked : path;
  size_t size = strlen(target) + 8;
  char *beside = malloc(size);
  if (!beside) {
    free(linked);
    errno = ENOMEM;
    return failed(program, path);
  }
  snprintf(beside, size, "%s.XXXXXX", target);
  errno = 0;
  int descriptor = mkstemp(beside);
  int bad = descriptor < 0;
  if (!bad) {
    mode_t mask = umask(0); // mkstemp makes files that only the owner can read
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    bad = write_all(descriptor, text, length) != 0 || rename(beside, target) != 0;
    if (bad) {
      int kept = errno;
      unlink(beside);
      errno = kept;
    }
  }
  free(beside);
  free(linked);
  return bad ? failed(program, path) : 0;
}

char *output_path(const char *folder, const char *name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%s/%s", folder, name);
  return path;
}
