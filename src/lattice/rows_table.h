// A table of inner loops. The file that includes this says what TABLE and TABLE_NAME are, and is compiled for its
// instruction set.
#include "lattice/rows.h"

#define TEMPLATE "lattice/rows_template.h"
#include "base/both_precisions.h"

const mus_lattice_kernels TABLE = {
    TABLE_NAME,
    {face_deltas, move_faces, cell_deltas, move_cells, gather, face_residuals, cell_residuals},
    {face_deltas_f, move_faces_f, cell_deltas_f, move_cells_f, gather_f, face_residuals_f, cell_residuals_f},
};
