// For AVX2. See rows.h.
#if MUSLIN_X86
#define TABLE mus_lattice_kernels_avx2
#define TABLE_NAME "avx2"
#define WIDTH 32
#include "lattice/rows_table.h"
#else
typedef int mus_lattice_kernels_avx2_not_built;
#endif
