// Files that grow. See partial.h.
#define _XOPEN_SOURCE 700 // realpath
#include "io/partial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/source.h"

enum { BUFFER = 1 << 18 };

// --- errors --------------------------------------------------------------------------------------------------------

static const char *name_of(const mus_partial *file) { return file->settled ? file->path : file->beside; }

static mus_status fail_writing(const mus_partial *file) {
  return mus_fail(MUS_IO_ERROR, "%.200s: cannot be written (%s): check the folder, its permissions and the free space",
                  name_of(file), strerror(errno));
}

static mus_status fail_reading(const mus_partial *file) {
  return mus_fail(MUS_IO_ERROR, "%.200s: cannot be read (%s): check the file and its permissions", name_of(file),
                  strerror(errno));
}

// --- opening -------------------------------------------------------------------------------------------------------

static char *join(mus_arena *arena, const char *a, const char *b) {
  size_t size = strlen(a) + strlen(b) + 1;
  char *joined = mus_arena_alloc(arena, size, 1);
  if (joined)
    snprintf(joined, size, "%s%s", a, b);
  return joined;
}

// Renaming over a symbolic link, a device or a pipe would destroy it: links are followed, the others refused.
static mus_status prepare(mus_partial *file, mus_arena *arena, const char *path, const char *tail) {
  *file = (mus_partial){.tail = tail};
  char *real = realpath(path, NULL);
  file->path = join(arena, real ? real : path, "");
  free(real);
  file->beside = file->path ? join(arena, file->path, ".partial") : NULL;
  file->buffer = file->beside ? mus_arena_alloc(arena, BUFFER, 1) : NULL;
  if (!file->buffer)
    return mus_fail_memory();
  struct stat about;
  if (stat(file->path, &about) == 0 && !S_ISREG(about.st_mode))
    return mus_fail(MUS_BAD_INPUT, "%.200s: is not a plain file: give another name", path);
  return MUS_OK;
}

// Locks die with their process, so a killed run leaves none behind.
static mus_status lock(mus_partial *file) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(file->descriptor, F_SETLK, &all) == 0 || (errno != EACCES && errno != EAGAIN))
    return MUS_OK; // some network file systems have no locks: that is no reason to write nothing
  long owner = fcntl(file->descriptor, F_GETLK, &all) == 0 && all.l_type != F_UNLCK ? (long)all.l_pid : 0;
  return mus_fail(MUS_IO_ERROR, "%.200s: process %ld is writing it: wait for that run or give another folder",
                  name_of(file), owner);
}

static mus_status open_locked(mus_partial *file, const char *name, int flags) {
  int descriptor = open(name, flags | O_RDWR | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return fail_writing(file);
  file->descriptor = descriptor;
  file->open = 1;
  mus_status status = lock(file);
  if (status != MUS_OK)
    mus_partial_close(file);
  return status;
}

mus_status mus_partial_create(mus_partial *file, mus_arena *arena, const char *path, const char *tail) {
  mus_status status = prepare(file, arena, path, tail);
  if (status == MUS_OK)
    status = open_locked(file, file->beside, O_CREAT);
  if (status != MUS_OK)
    return status;
  status = mus_partial_cut(file, 0);
  if (status != MUS_OK)
    mus_partial_abandon(file);
  return status;
}

mus_status mus_partial_reopen(mus_partial *file, mus_arena *arena, const char *path, const char *tail) {
  mus_status status = prepare(file, arena, path, tail);
  if (status != MUS_OK)
    return status;
  if (access(file->beside, F_OK) == 0)
    return open_locked(file, file->beside, 0);
  if (access(file->path, F_OK) != 0)
    return mus_fail(MUS_IO_ERROR, "%.200s: there is nothing to resume, nor under %.200s: start again", path,
                    file->beside);
  file->settled = 1;
  return open_locked(file, file->path, 0);
}

void mus_partial_close(mus_partial *file) {
  if (file->open)
    close(file->descriptor);
  file->open = 0;
}

void mus_partial_abandon(mus_partial *file) {
  if (file->open && !file->settled)
    unlink(file->beside);
  mus_partial_close(file);
}

// --- reading -------------------------------------------------------------------------------------------------------

mus_status mus_partial_length(const mus_partial *file, uint64_t *length) {
  struct stat about;
  if (fstat(file->descriptor, &about) != 0)
    return fail_reading(file);
  *length = (uint64_t)about.st_size;
  return MUS_OK;
}

mus_status mus_partial_read(const mus_partial *file, uint64_t offset, void *data, size_t bytes) {
  mus_source source = {.path = name_of(file), .descriptor = file->descriptor};
  return mus_source_read(&source, offset, data, bytes);
}

mus_status mus_partial_line_end(const mus_partial *file, uint64_t offset, uint64_t *end) {
  char piece[1 << 14];
  for (;;) {
    ssize_t got = pread(file->descriptor, piece, sizeof piece, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fail_reading(file);
    const char *newline = memchr(piece, '\n', (size_t)got);
    *end = offset + (newline ? (uint64_t)(newline - piece) : (uint64_t)got);
    if (newline || got == 0)
      return MUS_OK;
    offset = *end;
  }
}

// --- writing -------------------------------------------------------------------------------------------------------

// 0, or -1 with errno.
static int write_at(const mus_partial *file, uint64_t offset, const char *data, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t put = pwrite(file->descriptor, data + done, bytes - done, (off_t)(offset + done));
    if (put < 0 && errno != EINTR)
      return -1;
    done += put > 0 ? (size_t)put : 0;
  }
  return 0;
}

// A finished file becomes one that grows again.
static mus_status unsettle(mus_partial *file) {
  if (!file->settled)
    return MUS_OK;
  if (rename(file->path, file->beside) != 0)
    return fail_writing(file);
  file->settled = 0;
  return MUS_OK;
}

// Back to the last commit. The tail fits where it has been before.
static mus_status fail_and_go_back(mus_partial *file) {
  mus_status status = fail_writing(file);
  file->used = 0;
  file->at = file->end;
  if (ftruncate(file->descriptor, (off_t)file->end) == 0)
    write_at(file, file->end, file->tail, strlen(file->tail));
  return status;
}

static mus_status flush(mus_partial *file) {
  mus_status status = unsettle(file);
  if (status != MUS_OK)
    return status;
  if (write_at(file, file->at, file->buffer, file->used) != 0)
    return fail_and_go_back(file);
  file->at += file->used;
  file->used = 0;
  return MUS_OK;
}

mus_status mus_partial_put(mus_partial *file, const void *data, size_t bytes) {
  const char *p = data;
  while (bytes > 0) {
    size_t space = BUFFER - file->used, part = bytes < space ? bytes : space;
    memcpy(file->buffer + file->used, p, part);
    file->used += part;
    p += part;
    bytes -= part;
    mus_status status = file->used == BUFFER ? flush(file) : MUS_OK;
    if (status != MUS_OK)
      return status;
  }
  return MUS_OK;
}

mus_status mus_partial_commit(mus_partial *file) {
  uint64_t end = file->at + file->used;
  mus_status status = mus_partial_put(file, file->tail, strlen(file->tail));
  if (status == MUS_OK)
    status = flush(file);
  if (status == MUS_OK)
    file->at = file->end = end;
  return status;
}

mus_status mus_partial_patch(mus_partial *file, uint64_t offset, const void *data, size_t bytes) {
  mus_status status = unsettle(file);
  if (status == MUS_OK && write_at(file, offset, data, bytes) != 0)
    return fail_writing(file);
  return status;
}

mus_status mus_partial_cut(mus_partial *file, uint64_t end) {
  mus_status status = unsettle(file);
  if (status != MUS_OK)
    return status;
  if (ftruncate(file->descriptor, (off_t)end) != 0)
    return fail_writing(file);
  file->used = 0;
  file->at = file->end = end;
  return mus_partial_commit(file);
}

mus_status mus_partial_sync(mus_partial *file) {
  return fsync(file->descriptor) == 0 || errno == EINVAL ? MUS_OK : fail_writing(file);
}

// The new name is on the disk when the folder is. Not every file system can do this, so failing is not an error.
static void sync_folder(const char *path) {
  char folder[4096];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  if (length >= sizeof folder)
    return;
  memcpy(folder, path, length);
  memcpy(folder + length, ".", 2);
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return;
  fsync(descriptor);
  close(descriptor);
}

mus_status mus_partial_settle(mus_partial *file) {
  mus_status status = mus_partial_sync(file);
  if (status != MUS_OK || file->settled)
    return status;
  if (rename(file->beside, file->path) != 0)
    return fail_writing(file);
  file->settled = 1;
  sync_folder(file->path);
  return MUS_OK;
}
