// Formats that are a folder of files, frame_0000.obj and on, one per frame. See cache_format.h.
//
// Each file is written beside and renamed, so every frame that is there is whole; frames are there up to the first that
// is missing. What an earlier, longer run has left behind the last frame is removed when the sequence is finished.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/cache_format.h"

enum { NAME = 32 };

// The path of a frame's file, in writer->frame_path, which is long enough.
char *mus_sequence_frame(mus_cache_writer *writer, int frame) {
  snprintf(writer->frame_path + writer->folder_length, NAME, "/frame_%04d%s", writer->definition.first_frame + frame,
           writer->format->frame);
  return writer->frame_path;
}

// The folder itself, in the same place.
static char *folder_path(mus_cache_writer *writer) {
  writer->frame_path[writer->folder_length] = 0;
  return writer->frame_path;
}

static int is_there(mus_cache_writer *writer, int frame) {
  struct stat about;
  return stat(mus_sequence_frame(writer, frame), &about) == 0 && S_ISREG(about.st_mode);
}

static mus_status fail_folder(const char *path) {
  return mus_fail(MUS_IO_ERROR, "%.200s: cannot be written (%s): check the folder, its permissions and the free space",
                  path, strerror(errno));
}

static mus_status prepare(mus_cache_writer *writer) {
  const char *ending = writer->format->folder;
  size_t before = strlen(writer->path), extension = strlen(writer->format->extension);
  if (before > extension && strcmp(writer->path + before - extension, writer->format->extension) == 0)
    before -= extension;
  writer->folder_length = before + strlen(ending);
  writer->frame_path = mus_arena_alloc(&writer->arena, writer->folder_length + NAME, 1);
  if (!writer->frame_path)
    return mus_fail_memory();
  memcpy(writer->frame_path, writer->path, before);
  strcpy(writer->frame_path + before, ending);
  return MUS_OK;
}

// Files that a kill has left beside: frame_0012.obj.tmp and the number of a process.
static void remove_unfinished(mus_cache_writer *writer) {
  DIR *folder = opendir(folder_path(writer));
  if (!folder)
    return;
  for (struct dirent *item; (item = readdir(folder));) {
    int behind = 0;
    size_t ending = strlen(writer->format->frame);
    if (sscanf(item->d_name, "frame_%*d%n", &behind) == 0 && behind > 0 &&
        strncmp(item->d_name + behind, writer->format->frame, ending) == 0 &&
        strncmp(item->d_name + behind + ending, ".tmp", 4) == 0)
      unlinkat(dirfd(folder), item->d_name, 0);
  }
  closedir(folder);
}

mus_status mus_sequence_create(mus_cache_writer *writer) {
  mus_status status = prepare(writer);
  if (status != MUS_OK)
    return status;
  if (mkdir(folder_path(writer), 0777) != 0 && errno != EEXIST)
    return fail_folder(folder_path(writer));
  remove_unfinished(writer);
  return MUS_OK;
}

mus_status mus_sequence_reopen(mus_cache_writer *writer) {
  mus_status status = prepare(writer);
  if (status != MUS_OK)
    return status;
  while (writer->frames < writer->definition.frames && is_there(writer, writer->frames))
    ++writer->frames;
  if (writer->frames == 0)
    return mus_fail(MUS_IO_ERROR, "%.200s: there is nothing to resume: start again", mus_sequence_frame(writer, 0));
  writer->synced = writer->frames;
  remove_unfinished(writer);
  return MUS_OK;
}

// Removes the frames from `frame` on, up to the first that is missing.
static mus_status remove_from(mus_cache_writer *writer, int frame) {
  int end = frame;
  while (is_there(writer, end))
    ++end;
  // The last one first: a kill on the way leaves no gap.
  while (end-- > frame)
    if (unlink(mus_sequence_frame(writer, end)) != 0)
      return fail_folder(mus_sequence_frame(writer, end));
  return MUS_OK;
}

mus_status mus_sequence_keep(mus_cache_writer *writer, int frames) {
  if (writer->synced > frames)
    writer->synced = frames;
  return remove_from(writer, frames);
}

mus_status mus_sequence_sync_path(const char *path, int flags) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | flags);
  if (descriptor < 0)
    return fail_folder(path);
  mus_status status = fsync(descriptor) == 0 || errno == EINVAL ? MUS_OK : fail_folder(path);
  close(descriptor);
  return status;
}

mus_status mus_sequence_sync(mus_cache_writer *writer) {
  mus_status status = MUS_OK;
  for (; writer->synced < writer->frames && status == MUS_OK; ++writer->synced)
    status = mus_sequence_sync_path(mus_sequence_frame(writer, writer->synced), 0);
  return status == MUS_OK ? mus_sequence_sync_path(folder_path(writer), O_DIRECTORY) : status;
}

mus_status mus_sequence_finish(mus_cache_writer *writer) {
  mus_status status = mus_sequence_sync(writer);
  return status == MUS_OK ? remove_from(writer, writer->frames) : status;
}

void mus_sequence_close(mus_cache_writer *writer) { (void)writer; }
