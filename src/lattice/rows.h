// The inner loops over faces and cells whose stresses are all computed, one table for each instruction set: the same
// text (rows_template.h), compiled for plain processors, AVX2 and AVX-512. All give the same bits.
#ifndef MUS_LATTICE_ROWS_H
#define MUS_LATTICE_ROWS_H

#include "lattice/level.h"

#define TEMPLATE "lattice/rows_types_template.h"
#include "base/both_precisions.h"

typedef struct mus_lattice_kernels {
  const char *name;
  mus_lattice_loops in_double;
  mus_lattice_loops_f in_single;
} mus_lattice_kernels;

extern const mus_lattice_kernels mus_lattice_kernels_plain;
#if MUSLIN_X86
extern const mus_lattice_kernels mus_lattice_kernels_avx2, mus_lattice_kernels_avx512;
#endif

// Those that this machine can run, from the plain ones to the widest; NULL beyond.
const mus_lattice_kernels *mus_lattice_kernels_number(int number);
// What levels use: the widest, unless a test or a measurement says which. NULL: the widest again.
const mus_lattice_kernels *mus_lattice_kernels_current(void);
void mus_lattice_kernels_use(const mus_lattice_kernels *kernels);

#endif
