// Which parts of a surface enclose something, and which are mere sheets. Private to fill/.
//
// A part is what is connected by vertices. A closed one encloses something. Others are judged by winding numbers of the
// whole surface beside their triangles: 1 behind a surface that is closed but for small holes, a half on either side of
// a sheet. So patches that enclose something together count, even where they are not connected.
#ifndef MUS_FILL_SOLID_PARTS_H
#define MUS_FILL_SOLID_PARTS_H

#include "fill/filled_surface.h"

typedef struct mus_solid_parts {
  mus_filled_surface *surface; // without the sheets
  int sheets;                  // parts that were left out
  int holes;                   // edges of one triangle that are left
  int inside_out;              // 1: fronts were inside
} mus_solid_parts;

// `repairs` as for mus_filled_surface_create(). MUS_BAD_INPUT where all parts are sheets.
mus_status mus_solid_parts_create(const mus_mesh *mesh, size_t size, char *repairs, mus_solid_parts *out);
void mus_solid_parts_free(mus_solid_parts *parts);

#endif
