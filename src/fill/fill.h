// Solids of tetrahedra from closed surfaces and from built-in shapes, for those who go on with them: muslin/fill.h
// writes them to files.
#ifndef MUS_FILL_FILL_H
#define MUS_FILL_FILL_H

#include "mesh/tetrahedra.h"
#include "muslin/fill.h"

// `shape` is the path of a surface, or the name of a built-in shape. Scaled, without crumbs, in an order that suits
// memory; errors name the file. The options' format is not used. `repairs` receives what was repaired of the surface,
// in words, at most `size` letters with the 0 at their end.
mus_status mus_fill_shape(mus_arena *arena, const char *shape, int is_file, const mus_fill_options *options,
                          size_t size, char *repairs, mus_tetrahedra *out);

// The surface in a mesh file: OBJ, PLY, or glTF as it stands at rest.
mus_status mus_fill_read_surface(mus_arena *arena, const char *path, mus_mesh *out);

#endif
