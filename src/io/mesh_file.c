// Mesh files of either format. See mesh_file.h.
#include "io/mesh_file.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/scan.h"
#include "io/obj.h"
#include "io/ply.h"

static mus_status scan_and_close(mus_scanner *scanner, mus_arena *arena, mus_mesh_file *out) {
  bool is_ply;
  mus_status status = mus_ply_recognise(scanner, &is_ply);
  if (status == MUS_OK)
    status = is_ply ? mus_ply_scan(scanner, arena, out) : mus_obj_scan(scanner, arena, out);
  mus_scan_close(scanner);
  return status;
}

mus_status mus_mesh_file_read(const char *path, mus_arena *arena, mus_mesh_file *out) {
  mus_scanner scanner;
  mus_status status = mus_scan_open_file(&scanner, path);
  return status == MUS_OK ? scan_and_close(&scanner, arena, out) : status;
}

mus_status mus_mesh_file_parse(const char *name, const char *text, size_t length, mus_arena *arena,
                               mus_mesh_file *out) {
  mus_scanner scanner;
  mus_status status = mus_scan_open_text(&scanner, name, text, length);
  return status == MUS_OK ? scan_and_close(&scanner, arena, out) : status;
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

mus_status mus_mesh_file_write(const char *path, const mus_mesh_file *file) {
  if (ends_with(path, ".obj") || ends_with(path, ".obj.gz"))
    return mus_obj_write(path, file);
  if (ends_with(path, ".ply") || ends_with(path, ".ply.gz"))
    return mus_ply_write(path, file, MUS_PLY_LITTLE);
  return mus_fail(MUS_BAD_INPUT, "%.200s: the name says no mesh format: let it end in .obj or .ply, or .gz after that",
                  path);
}

static mus_status fail_number(const char *path, const char *what, size_t number) {
  return mus_fail(MUS_BAD_INPUT, "%.200s: %s %zu of the mesh is not finite: find out where it was made", path, what,
                  number);
}

mus_status mus_mesh_file_check(const char *path, const mus_mesh_file *file) {
  const mus_mesh *mesh = &file->mesh;
  size_t corners = (size_t)mesh->triangles * 3;
  for (size_t i = 0; i < (size_t)mesh->vertices * 3; ++i)
    if (!isfinite(mesh->position[i]))
      return fail_number(path, "vertex", i / 3);
  for (size_t i = 0; mesh->material && i < corners * 2; ++i)
    if (!isfinite(mesh->material[i]))
      return fail_number(path, "the material of triangle", i / 6);
  for (int k = 0; k < file->stitches; ++k)
    if (!isfinite(file->stitch[k].ratio))
      return fail_number(path, "stitch", (size_t)k);
  for (size_t i = 0; i < corners; ++i)
    if (mesh->triangle[i] < 0 || mesh->triangle[i] >= mesh->vertices)
      return mus_fail(MUS_BAD_INPUT, "%.200s: triangle %zu has vertex %d outside 0...%d: correct the mesh", path, i / 3,
                      mesh->triangle[i], mesh->vertices - 1);
  return MUS_OK;
}
