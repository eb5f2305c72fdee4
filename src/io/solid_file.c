// Which format a file of tetrahedra has. See solid_file.h.
#include "io/solid_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/solid_parts.h"

// --- reading -------------------------------------------------------------------------------------------------------

static const struct {
  const char *begin;
  mus_status (*scan)(mus_scanner *s, mus_arena *arena, mus_solid_file *out);
} readers[] = {
    {"$MeshFormat", mus_gmsh_scan}, {"MeshVersionFormatted", mus_medit_scan}, {"# vtk DataFile", mus_vtk_scan}};
enum { READERS = sizeof readers / sizeof *readers };

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  if (n > 3 && strcmp(text + n - 3, ".gz") == 0)
    n -= 3;
  return n >= m && memcmp(text + n - m, end, m) == 0;
}

static int is_tetgen(const char *path) { return ends_with(path, ".node") || ends_with(path, ".ele"); }

int mus_solid_file_is(const char *path, const char *first) {
  first += strspn(first, " \t\r\n");
  for (int k = 0; k < READERS; ++k)
    if (strncmp(first, readers[k].begin, strlen(readers[k].begin)) == 0)
      return 1;
  return is_tetgen(path) || ends_with(path, ".msh") || ends_with(path, ".mesh") || ends_with(path, ".vtk");
}

static mus_status scan_and_close(mus_scanner *s, mus_arena *arena, mus_solid_file *out) {
  bool found;
  mus_status status = mus_scan_next(s, &found), failed = MUS_OK;
  for (int k = 0; k < READERS && !status; ++k)
    if (strncmp(s->cursor, readers[k].begin, strlen(readers[k].begin)) == 0) {
      failed = readers[k].scan(s, arena, out);
      mus_scan_close(s);
      return failed;
    }
  if (!status)
    status =
        mus_scan_fail(s, MUS_BAD_INPUT,
                      "this is no file of tetrahedra: give Gmsh (.msh), Medit (.mesh), legacy VTK (.vtk) or TetGen "
                      "(.node and .ele)");
  mus_scan_close(s);
  return status;
}

mus_status mus_solid_file_read(const char *path, mus_arena *arena, mus_solid_file *out) {
  mus_scanner s;
  if (is_tetgen(path))
    return mus_tetgen_read(path, arena, out);
  mus_status status = mus_scan_open_file(&s, path);
  return status ? status : scan_and_close(&s, arena, out);
}

mus_status mus_solid_file_parse(const char *name, const char *text, size_t length, mus_arena *arena,
                                mus_solid_file *out) {
  mus_scanner s;
  mus_status status = mus_scan_open_text(&s, name, text, length);
  return status ? status : scan_and_close(&s, arena, out);
}

// --- writing -------------------------------------------------------------------------------------------------------

static const struct {
  const char *name, *extension;
  void (*write)(mus_output *out, const mus_tetrahedra *mesh, int version, int binary); // NULL: two files
  int version, binary;
} formats[] = {
    {"msh", ".msh", mus_gmsh_write, 4, 1},     {"msh-text", ".msh", mus_gmsh_write, 4, 0},
    {"msh2", ".msh", mus_gmsh_write, 2, 1},    {"msh2-text", ".msh", mus_gmsh_write, 2, 0},
    {"mesh", ".mesh", mus_medit_write, 2, 0},  {"vtk", ".vtk", mus_vtk_write, 3, 1},
    {"vtk-text", ".vtk", mus_vtk_write, 3, 0}, {"vtu", ".vtu", mus_vtu_write, 1, 1},
    {"tetgen", ".node", NULL, 0, 0},           {"tetgen", ".ele", NULL, 0, 0},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *mus_solid_format_name(int number) {
  return number >= 0 && number < FORMATS - 1 ? formats[number].name : NULL; // the last is there for its extension
}

static int find_format(const char *path, const char *format) {
  int k = 0;
  while (k < FORMATS && (!ends_with(path, formats[k].extension) || (format && strcmp(format, formats[k].name) != 0)))
    ++k;
  return k < FORMATS ? k : -1;
}

mus_status mus_solid_file_check_name(const char *path, const char *format) {
  if (find_format(path, format) >= 0)
    return MUS_OK;
  if (!format)
    return mus_fail(
        MUS_BAD_INPUT,
        "%.200s: the name says no format of tetrahedra: let it end in .msh, .mesh, .vtk, .vtu, .node or .ele, or .gz "
        "after that",
        path);
  for (int k = 0; k < FORMATS; ++k)
    if (strcmp(format, formats[k].name) == 0)
      return mus_fail(MUS_BAD_INPUT, "%.200s: files of the format \"%s\" end in %s: name it so", path, format,
                      formats[k].extension);
  return mus_fail(MUS_BAD_INPUT,
                  "\"%.40s\" is not a format: give msh, msh-text, msh2, msh2-text, mesh, vtk, vtk-text, vtu or tetgen",
                  format);
}

mus_status mus_solid_file_write(const char *path, const char *format, const mus_tetrahedra *mesh) {
  mus_status status = mus_solid_file_check_name(path, format);
  for (size_t i = 0; i < (size_t)mesh->vertices * 3 && !status; ++i)
    if (!isfinite(mesh->position[i]))
      status = mus_fail(MUS_BAD_INPUT, "%.200s: vertex %zu of the mesh is not finite: find out where it was made", path,
                        i / 3);
  for (size_t i = 0; i < (size_t)mesh->tetrahedra * 4 && !status; ++i)
    if (mesh->corner[i] < 0 || mesh->corner[i] >= mesh->vertices)
      status = mus_fail(MUS_BAD_INPUT, "%.200s: tetrahedron %zu has vertex %d outside 0...%d: correct the mesh", path,
                        i / 4, mesh->corner[i], mesh->vertices - 1);
  if (status)
    return status;
  int k = find_format(path, format);
  if (!formats[k].write)
    return mus_tetgen_write(path, mesh);
  mus_output out;
  status = mus_output_open(&out, path);
  if (!status)
    formats[k].write(&out, mesh, formats[k].version, formats[k].binary);
  return mus_output_close(&out, status);
}
