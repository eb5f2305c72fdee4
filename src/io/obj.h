// Wavefront OBJ (Wavefront Technologies 1995), as far as it describes meshes:
//
//   v x y z ...          a vertex; what follows (weight, colour) is left
//   vt u v ...           texture coordinates
//   f 1/1/1 2/2/2 ...    a face: vertex/texture/normal, all but the first may be missing; negative numbers count back
//   g name, o name       the faces that follow are called so
//   stitch a b c ratio   a seam, as in garments by Codimensional IPC (Li et al. 2021); vertices from 0
//
// Normals, smoothing groups, materials and seams' headings are known and left. Anything else is skipped and counted.
// Vertices may come after the faces that use them.
#ifndef MUS_IO_OBJ_H
#define MUS_IO_OBJ_H

#include "base/scan.h"
#include "io/mesh_file.h"

mus_status mus_obj_scan(mus_scanner *scanner, mus_arena *arena, mus_mesh_file *out);
mus_status mus_obj_write(const char *path, const mus_mesh_file *file);

#endif
