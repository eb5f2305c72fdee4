// For AVX-512. See rows.h.
#if MUSLIN_X86
#define TABLE mus_lattice_kernels_avx512
#define TABLE_NAME "avx512"
#define WIDTH 64
#include "lattice/rows_table.h"
#else
typedef int mus_lattice_kernels_avx512_not_built;
#endif
