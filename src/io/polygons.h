// What the readers of mesh files gather: vertices, texture coordinates and faces of any number of corners, and the mesh
// that they make when all is read.
#ifndef MUS_IO_POLYGONS_H
#define MUS_IO_POLYGONS_H

#include <stdbool.h>

#include "base/list.h"
#include "base/scan.h"
#include "io/mesh_file.h"

typedef struct mus_corner {
  int vertex, texture; // from 0; texture is -1 where there is none
} mus_corner;

typedef struct mus_face {
  int corners;
  int group;
  int place; // its line or, in a binary file, its number from 0
} mus_face;

typedef struct mus_polygons {
  const mus_scanner *scanner; // for error texts
  bool has_lines;             // places are lines
  int first;                  // what the file counts from, 0 or 1
  mus_list position;          // three double each
  mus_list texture;           // two double each
  mus_list corner;            // mus_corner, one face after the other
  mus_list face;              // mus_face
  mus_list group;             // mus_group
} mus_polygons;

// All fail when memory is short, and beyond MUS_MESH_MAXIMUM of each.
mus_status mus_polygons_add_position(mus_polygons *p, const double *xyz);
mus_status mus_polygons_add_texture(mus_polygons *p, const double *uv);
mus_status mus_polygons_add_corner(mus_polygons *p, int vertex, int texture);
// A face of the last `corners` corners, in a group called `name`: the last face's, or a new one.
mus_status mus_polygons_add_face(mus_polygons *p, int corners, long long place, const char *name);

// The mesh, with groups. MUS_BAD_INPUT names the face that has a missing corner, or too few of them.
mus_status mus_polygons_build(const mus_polygons *p, mus_arena *arena, mus_mesh_file *out);
void mus_polygons_free(mus_polygons *p);

#endif
