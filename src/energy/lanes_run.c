// The choice of vectors. See lanes_run.h.
#include "energy/lanes_run.h"

const mus_lanes *mus_lanes_of(int lanes) {
#if MUSLIN_X86
  if (lanes == 4 && __builtin_cpu_supports("avx2"))
    return &mus_lanes_4;
  if (lanes == 8 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    return &mus_lanes_8;
#endif
  return lanes == 2 ? &mus_lanes_2 : NULL;
}

const mus_lanes *mus_lanes_longest(void) {
  for (int lanes = 8; lanes > 2; lanes /= 2)
    if (mus_lanes_of(lanes))
      return mus_lanes_of(lanes);
  return &mus_lanes_2;
}
