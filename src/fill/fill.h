// Solids of tetrahedra from closed surfaces and from built-in shapes, for those who go on with them: muslin/fill.h
// writes them to files.
#ifndef MUS_FILL_FILL_H
#define MUS_FILL_FILL_H

#include "mesh/tetrahedra.h"
#include "muslin/fill.h"

// `shape` is the path of a surface, or the name of a built-in shape. Scaled, without crumbs, in an order that suits
// memory; errors name the file. The options' format is not used.
mus_status mus_fill_shape(mus_arena *arena, const char *shape, int is_file, const mus_fill_options *options,
                          mus_fill_record *record, mus_tetrahedra *out);

#endif
