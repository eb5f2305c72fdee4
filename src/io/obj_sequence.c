// A folder of OBJ files, frame_0000.obj and on, each with the whole mesh: for programs that read nothing else.
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
#include "io/obj.h"

enum { NAME = 32 };

static void frame_name(const mus_cache_writer *writer, int frame, char name[NAME]) {
  snprintf(name, NAME, "frame_%04d.obj", writer->definition.first_frame + frame);
}

// The path of a frame's file, in `path`, which is long enough.
static char *frame_path(const mus_cache_writer *writer, int frame) {
  size_t folder = strlen(writer->path);
  frame_name(writer, frame, writer->frame_path + folder + 1);
  return writer->frame_path;
}

static int is_there(const mus_cache_writer *writer, int frame) {
  struct stat about;
  return stat(frame_path(writer, frame), &about) == 0 && S_ISREG(about.st_mode);
}

static mus_status fail_folder(const char *path) {
  return mus_fail(MUS_IO_ERROR, "%.200s: cannot be written (%s): check the folder, its permissions and the free space",
                  path, strerror(errno));
}

static mus_status prepare(mus_cache_writer *writer) {
  size_t size = strlen(writer->path) + 1 + NAME;
  writer->frame_path = mus_arena_alloc(&writer->arena, size, 1);
  if (!writer->frame_path)
    return mus_fail_memory();
  snprintf(writer->frame_path, size, "%s/", writer->path);
  return MUS_OK;
}

// Files that a kill has left beside: frame_0012.obj.tmp and the number of a process.
static void remove_unfinished(const mus_cache_writer *writer) {
  DIR *folder = opendir(writer->path);
  if (!folder)
    return;
  for (struct dirent *item; (item = readdir(folder));) {
    int frame, behind = 0;
    if (sscanf(item->d_name, "frame_%d.obj.tmp%n", &frame, &behind) == 1 && behind > 0)
      unlinkat(dirfd(folder), item->d_name, 0);
  }
  closedir(folder);
}

static mus_status create(mus_cache_writer *writer) {
  mus_status status = prepare(writer);
  if (status != MUS_OK)
    return status;
  if (mkdir(writer->path, 0777) != 0 && errno != EEXIST)
    return fail_folder(writer->path);
  remove_unfinished(writer);
  return MUS_OK;
}

static mus_status reopen(mus_cache_writer *writer) {
  mus_status status = prepare(writer);
  if (status != MUS_OK)
    return status;
  while (writer->frames < writer->definition.frames && is_there(writer, writer->frames))
    ++writer->frames;
  if (writer->frames == 0)
    return mus_fail(MUS_IO_ERROR, "%.200s: there is nothing to resume: start again", frame_path(writer, 0));
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
    if (unlink(frame_path(writer, end)) != 0)
      return fail_folder(frame_path(writer, end));
  return MUS_OK;
}

static mus_status keep(mus_cache_writer *writer, int frames) {
  if (writer->synced > frames)
    writer->synced = frames;
  return remove_from(writer, frames);
}

static mus_status write_frame(mus_cache_writer *writer, const double *positions) {
  mus_mesh_file file = {.mesh = *writer->definition.mesh};
  file.mesh.position = (double *)positions; // which writing leaves as they are
  return mus_obj_write(frame_path(writer, writer->frames), &file);
}

static mus_status sync_path(const char *path, int flags) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | flags);
  if (descriptor < 0)
    return fail_folder(path);
  mus_status status = fsync(descriptor) == 0 || errno == EINVAL ? MUS_OK : fail_folder(path);
  close(descriptor);
  return status;
}

static mus_status sync_frames(mus_cache_writer *writer) {
  mus_status status = MUS_OK;
  for (; writer->synced < writer->frames && status == MUS_OK; ++writer->synced)
    status = sync_path(frame_path(writer, writer->synced), 0);
  return status == MUS_OK ? sync_path(writer->path, O_DIRECTORY) : status;
}

static mus_status finish(mus_cache_writer *writer) {
  mus_status status = sync_frames(writer);
  return status == MUS_OK ? remove_from(writer, writer->frames) : status;
}

static void close_writer(mus_cache_writer *writer) { (void)writer; }

const mus_cache_format mus_cache_obj = {.name = "obj",
                                        .extension = "",
                                        .needs_mesh = 1,
                                        .create = create,
                                        .reopen = reopen,
                                        .keep = keep,
                                        .write = write_frame,
                                        .sync = sync_frames,
                                        .finish = finish,
                                        .close = close_writer};
