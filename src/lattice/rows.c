// The choice of instruction sets. See rows.h.
#include "lattice/rows.h"

const mus_lattice_kernels *mus_lattice_kernels_number(int number) {
  const mus_lattice_kernels *found[3] = {&mus_lattice_kernels_plain};
  int count = 1;
#if MUSLIN_X86
  if (__builtin_cpu_supports("avx2"))
    found[count++] = &mus_lattice_kernels_avx2;
  if (count == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    found[count++] = &mus_lattice_kernels_avx512;
#endif
  return number >= 0 && number < count ? found[number] : NULL;
}

// Written by tests and measurements only.
static const mus_lattice_kernels *chosen;

void mus_lattice_kernels_use(const mus_lattice_kernels *kernels) { chosen = kernels; }

const mus_lattice_kernels *mus_lattice_kernels_current(void) {
  const mus_lattice_kernels *widest = chosen;
  for (int k = 0; !chosen && mus_lattice_kernels_number(k); ++k)
    widest = mus_lattice_kernels_number(k);
  return widest;
}
