// For every processor. See rows.h.
#define TABLE mus_lattice_kernels_plain
#define TABLE_NAME "plain"
#define WIDTH 16
#include "lattice/rows_table.h"
