// A table of inner loops. The file that includes this says what TABLE, TABLE_NAME and WIDTH, the bytes of a vector,
// are, and is compiled for its instruction set.
#include "lattice/rows.h"

#include <string.h>
#if WIDTH > 16
#include <immintrin.h>
#endif

#define LANE_INLINE static inline __attribute__((always_inline))
#define LANES ((int)(WIDTH / sizeof(REAL)))
#define AT(place) (*(const TYPE(lane_vector) *)(place))

#define TEMPLATE "lattice/lanes_template.h"
#include "base/both_precisions.h"

#define TEMPLATE "lattice/rows_template.h"
#include "base/both_precisions.h"

#define TEMPLATE "lattice/band_template.h"
#include "base/both_precisions.h"

const mus_lattice_kernels TABLE = {
    TABLE_NAME,
    {sweep_faces, sweep_cells, gather, face_residuals, cell_residuals, settle_cells, prolong_faces, prolong_cells,
     relax_block},
    {sweep_faces_f, sweep_cells_f, gather_f, face_residuals_f, cell_residuals_f, settle_cells_f, prolong_faces_f,
     prolong_cells_f, relax_block_f},
};
