// Files of tetrahedra: Gmsh, Medit, legacy VTK and TetGen, read and written.
//
//   gmsh    .msh   versions 2.2 and 4.1, text and binary in either byte order. Regions are physical tags (2.2) or the
//                  tags of volumes (4.1).
//   medit   .mesh  text. Regions are the references of tetrahedra.
//   vtk     .vtk   legacy files, versions 1 to 5.1, text and binary. Regions are the first whole-number scalars of
//   cells. tetgen  .node and .ele beside each other, either of which may be named. Regions are the first attribute.
//   vtu     .vtu   VTK's XML files, binary; written only.
//
// All may be gzip-compressed (.gz). Whatever a file declares, memory grows with what it really holds. Errors name the
// file, the line (in binary files the element) and the remedy. Tetrahedra of ten nodes count as those of their corners;
// elements of other kinds are passed over and counted.
#ifndef MUS_IO_SOLID_FILE_H
#define MUS_IO_SOLID_FILE_H

#include "mesh/tetrahedra.h"

typedef struct mus_solid_file {
  mus_tetrahedra mesh; // regions only where some tetrahedron has one other than 0
  int others;          // elements of other kinds
  int curved;          // tetrahedra of ten nodes
  const char *format;  // "Gmsh 4.1, binary", for instance
} mus_solid_file;

// Tells formats apart by what is in the file, TetGen by its name. Arrays come from the arena; `out` is written on
// success only. Tetrahedra are as in the file: inverted ones, for instance, are for mesh/tetrahedra_check.h.
mus_status mus_solid_file_read(const char *path, mus_arena *arena, mus_solid_file *out);
// The same from memory, for the formats of one file; `name` stands for the path in error texts.
mus_status mus_solid_file_parse(const char *name, const char *text, size_t length, mus_arena *arena,
                                mus_solid_file *out);
// Whether mus_solid_file_read() is for this file, judging by its name and its first bytes, a text with a zero at its
// end.
int mus_solid_file_is(const char *path, const char *first);

// `format`: a name of mus_solid_format_name(), or NULL: the first whose extension the path has. Numbers are written so
// that reading gives the same bits. Written under a temporary name and renamed.
mus_status mus_solid_file_write(const char *path, const char *format, const mus_tetrahedra *mesh);
// MUS_BAD_INPUT, with a list of what there is, where that format, or the path's end, is none.
mus_status mus_solid_file_check_name(const char *path, const char *format);
// "msh", "msh-text", ...; NULL beyond the last.
const char *mus_solid_format_name(int number);

#endif
