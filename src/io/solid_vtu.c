// Tetrahedra and their regions as VTK's XML files (.vtu), written only. See solid_file.h.
#include "io/solid_parts.h"
#include "io/vtu.h"

void mus_vtu_write(mus_output *out, const mus_tetrahedra *mesh, int version, int binary) {
  (void)version;
  (void)binary;
  const mus_grid_values region = {.name = "region", .of_cells = 1, .components = 1, .whole = mesh->region};
  mus_vtu_put(out, &(mus_grid){.points = mesh->vertices,
                               .cells = mesh->tetrahedra,
                               .corners = 4,
                               .position = mesh->position,
                               .corner = mesh->corner,
                               .value_count = mesh->region != NULL,
                               .values = &region});
}
