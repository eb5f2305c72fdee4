// A VTK series for ParaView: cloth.frames/frame_0000.vtu and on, and cloth.pvd, which lists them with their times.
//
// The list is written anew after every frame, beside and renamed, so that it is valid at all times and names whole
// frames only. What a kill leaves of it is made up for when the series is reopened.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "io/cache_format.h"
#include "io/vtu.h"

static const char frames_ending[] = ".frames";

// --- the list --------------------------------------------------------------------------------------------------------

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void put_escaped(mus_output *out, const char *text) {
  for (; *text; ++text) {
    const char *as = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '"' ? "&quot;" : NULL;
    mus_output_bytes(out, as ? as : text, as ? strlen(as) : 1);
  }
}

static void put_frame(mus_output *out, mus_cache_writer *writer, int frame) {
  size_t above = (size_t)(last_part(writer->path) - writer->path);
  mus_output_text(out, "<DataSet timestep=\"");
  mus_output_real(out, (writer->definition.first_frame + frame) / writer->definition.frames_per_second);
  mus_output_text(out, "\" part=\"0\" file=\"");
  put_escaped(out, mus_sequence_frame(writer, frame) + above);
  mus_output_text(out, "\"/>\n");
}

static mus_status write_list(mus_cache_writer *writer, int frames) {
  mus_output out;
  mus_status status = mus_output_open(&out, writer->path);
  mus_output_text(&out, "<?xml version=\"1.0\"?>\n"
                        "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n");
  for (int frame = 0; frame < frames && !status; ++frame)
    put_frame(&out, writer, frame);
  mus_output_text(&out, "</Collection>\n</VTKFile>\n");
  return mus_output_close(&out, status);
}

// Lists that a kill has left beside: cloth.pvd.tmp and the number of a process.
static void remove_unfinished(const mus_cache_writer *writer) {
  const char *name = last_part(writer->path);
  size_t above = (size_t)(name - writer->path), length = strlen(name);
  char path[4096] = ".";
  if (above >= sizeof path)
    return;
  if (above > 0)
    snprintf(path, sizeof path, "%.*s", (int)above, writer->path);
  DIR *folder = opendir(path);
  for (struct dirent *item; folder && (item = readdir(folder));)
    if (strncmp(item->d_name, name, length) == 0 && strncmp(item->d_name + length, ".tmp", 4) == 0)
      unlinkat(dirfd(folder), item->d_name, 0);
  if (folder)
    closedir(folder);
}

// --- the series ------------------------------------------------------------------------------------------------------

static mus_status create(mus_cache_writer *writer) {
  mus_status status = mus_sequence_create(writer);
  remove_unfinished(writer);
  return status ? status : write_list(writer, 0);
}

static mus_status reopen(mus_cache_writer *writer) {
  remove_unfinished(writer);
  return mus_sequence_reopen(writer);
}

// First from the list.
static mus_status keep(mus_cache_writer *writer, int frames) {
  mus_status status = write_list(writer, frames);
  return status ? status : mus_sequence_keep(writer, frames);
}

static mus_status write_frame(mus_cache_writer *writer, const double *positions) {
  const mus_mesh *mesh = writer->definition.mesh;
  mus_grid grid = {0};
  mus_output out;
  if (writer->definition.grid)
    grid = *writer->definition.grid;
  else
    grid = (mus_grid){
        .points = mesh->vertices, .cells = mesh->triangles, .corners = 3, .corner = mesh->triangle, .value_count = 0};
  grid.position = positions;
  const char *path = mus_sequence_frame(writer, writer->frames);
  mus_status status = mus_output_open(&out, path);
  mus_vtu_put(&out, &grid);
  status = mus_output_close(&out, status);
  if (status)
    return status;
  status = write_list(writer, writer->frames + 1);
  if (status)
    unlink(mus_sequence_frame(writer, writer->frames));
  return status;
}

static mus_status sync_all(mus_cache_writer *writer) {
  mus_status status = mus_sequence_sync(writer);
  return status ? status : mus_sequence_sync_path(writer->path, 0);
}

static mus_status finish(mus_cache_writer *writer) {
  mus_status status = mus_sequence_finish(writer);
  return status ? status : mus_sequence_sync_path(writer->path, 0);
}

const mus_cache_format mus_cache_vtu = {.name = "vtu",
                                        .extension = ".pvd",
                                        .folder = frames_ending,
                                        .frame = ".vtu",
                                        .needs_mesh = 1,
                                        .takes_grid = 1,
                                        .create = create,
                                        .reopen = reopen,
                                        .keep = keep,
                                        .write = write_frame,
                                        .sync = sync_all,
                                        .finish = finish,
                                        .close = mus_sequence_close};
