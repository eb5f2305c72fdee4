// PLY (Turk 1994): a header that declares elements and their properties, then the elements, as text or as binary
// numbers of either byte order.
//
// Of the element `vertex`, x, y and z are read, and s and t (u and v, texture_u and texture_v) where they are; of the
// element `face`, the list vertex_indices (or vertex_index) and the list texcoord, two numbers a corner, which comes
// before the vertices' coordinates. Everything else is skipped and counted.
#ifndef MUS_IO_PLY_H
#define MUS_IO_PLY_H

#include <stdbool.h>

#include "base/scan.h"
#include "io/mesh_file.h"

typedef enum mus_ply_format { MUS_PLY_TEXT, MUS_PLY_LITTLE, MUS_PLY_BIG } mus_ply_format;

// Whether the scanner, just opened, stands before a PLY file.
mus_status mus_ply_recognise(mus_scanner *scanner, bool *is_ply);
mus_status mus_ply_scan(mus_scanner *scanner, mus_arena *arena, mus_mesh_file *out);
// Positions as double; texture coordinates with the vertices where each has only one pair, else with the faces.
mus_status mus_ply_write(const char *path, const mus_mesh_file *file, mus_ply_format format);

#endif
