// Mesh files: OBJ and PLY, read and written, plain or gzip-compressed.
//
// Whatever a file declares, memory grows with what it really holds. Errors name the file, the line (in binary files the
// element) and the remedy. Faces of more than three corners are cut into triangles (mesh/polygon.h).
#ifndef MUS_IO_MESH_FILE_H
#define MUS_IO_MESH_FILE_H

#include "mesh/mesh.h"

// A seam: vertex a is tied to (1 - ratio) b + ratio c.
typedef struct mus_stitch {
  int a, b, c;
  double ratio;
} mus_stitch;

enum { MUS_GROUP_NAME = 64 };
typedef struct mus_group {
  char name[MUS_GROUP_NAME]; // cut where it is longer; "" for faces before the first name
} mus_group;

typedef struct mus_mesh_file {
  // Material coordinates are the file's texture coordinates, in its own unit: mesh/rest.h makes a rest shape of them.
  // NULL unless every corner has some.
  mus_mesh mesh;
  int bare_corners;    // of triangles, without texture coordinates, when others have some
  int groups;          // runs of faces under one name
  mus_group *group;    // groups
  int *triangle_group; // triangles
  int stitches;
  mus_stitch *stitch;
  int skipped;                        // lines (OBJ), or properties and elements (PLY), that say something else
  char first_skipped[MUS_GROUP_NAME]; // the first one's keyword or name
} mus_mesh_file;

// Tells the two formats apart by what is in the file. Arrays come from the arena; `out` is written on success only.
mus_status mus_mesh_file_read(const char *path, mus_arena *arena, mus_mesh_file *out);
// The same from memory; `name` stands for the path in error texts.
mus_status mus_mesh_file_parse(const char *name, const char *text, size_t length, mus_arena *arena, mus_mesh_file *out);

// As the path ends: .obj or .ply (binary), and .gz after that. Numbers are written so that reading gives the same bits.
// Written under a temporary name and renamed. PLY cannot store groups and stitches.
mus_status mus_mesh_file_write(const char *path, const mus_mesh_file *file);
// MUS_BAD_INPUT, naming the path, for what could not be read again.
mus_status mus_mesh_file_check(const char *path, const mus_mesh_file *file);

#endif
