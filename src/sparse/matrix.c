// Block sparse matrices: the choice of kernels and the products that deal their rows to threads. See matrix.h.
#include "sparse/matrix.h"

#include <math.h>

#include "base/error.h"
#include "par/par.h"
#include "sparse/kernels.h"

mus_status mus_matrix_create(mus_arena *arena, const mus_pattern *pattern, int row_block, int column_block,
                             mus_matrix *out) {
  *out = (mus_matrix){pattern, row_block, column_block, NULL};
  out->value = mus_arena_alloc(arena, mus_matrix_values(out), sizeof *out->value);
  return out->value ? MUS_OK : mus_fail_memory();
}

mus_status mus_matrix_create_f(mus_arena *arena, const mus_pattern *pattern, int row_block, int column_block,
                               mus_matrix_f *out) {
  size_t values = (size_t)mus_pattern_blocks(pattern) * (size_t)(row_block * column_block);
  *out = (mus_matrix_f){pattern, row_block, column_block, mus_arena_alloc(arena, values, sizeof(float))};
  return out->value ? MUS_OK : mus_fail_memory();
}

void mus_matrix_round(const mus_matrix *from, mus_matrix_f *to) {
  size_t values = mus_matrix_values(from);
  MUS_PARALLEL_FOR_IF(values > MUS_PAR_MINIMUM)
  for (size_t k = 0; k < values; ++k)
    to->value[k] = (float)from->value[k];
}

void mus_matrix_widen(const mus_matrix_f *from, mus_matrix *to) {
  size_t values = mus_matrix_values(to);
  MUS_PARALLEL_FOR_IF(values > MUS_PAR_MINIMUM)
  for (size_t k = 0; k < values; ++k)
    to->value[k] = (double)from->value[k];
}

// --- which instructions ---------------------------------------------------------------------------------------------

const char *mus_instructions_name(mus_instructions which) {
  static const char *const name[MUS_INSTRUCTION_SETS] = {"scalar", "avx2", "avx512"};
  return which >= 0 && which < MUS_INSTRUCTION_SETS ? name[which] : "unknown";
}

int mus_instructions_available(mus_instructions which) {
#if MUSLIN_X86
  if (which == MUS_AVX2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (which == MUS_AVX512)
    return mus_instructions_available(MUS_AVX2) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw");
#endif
  return which == MUS_SCALAR;
}

static const mus_kernels *kernels_of(mus_instructions which) {
#if MUSLIN_X86
  if (which == MUS_AVX2)
    return &mus_kernels_avx2;
  if (which == MUS_AVX512)
    return &mus_kernels_avx512;
#endif
  (void)which;
  return &mus_kernels_scalar;
}

// Set by mus_instructions_use; -1 means the best that the machine has. Written by tests and measurements only.
static int chosen = -1;

// AMD's processors up to Zen 4 split 512-bit operations in two: the products are 5 to 20% slower with them there.
static int prefers_avx2(void) {
#if MUSLIN_X86
  return __builtin_cpu_is("amd");
#else
  return 0;
#endif
}

mus_instructions mus_instructions_current(void) {
  if (chosen >= 0)
    return (mus_instructions)chosen;
  if (mus_instructions_available(MUS_AVX512) && !prefers_avx2())
    return MUS_AVX512;
  return mus_instructions_available(MUS_AVX2) ? MUS_AVX2 : MUS_SCALAR;
}

mus_status mus_instructions_use(mus_instructions which) {
  if (!mus_instructions_available(which))
    return mus_fail(MUS_UNSUPPORTED, "this machine has no %s instructions", mus_instructions_name(which));
  chosen = (int)which;
  return MUS_OK;
}

const mus_kernels *mus_kernels_current(void) { return kernels_of(mus_instructions_current()); }

// --- products -------------------------------------------------------------------------------------------------------

// Products with no more numbers than this stay on one thread: waking the others costs more than it saves.
enum { NUMBERS_MINIMUM = 1 << 15 };

// The first row of one of so many runs, which have about as many blocks each.
static int run_begin(const int *row_start, int rows, int run, int runs) {
  long long goal = (long long)row_start[rows] * run / runs;
  int low = 0, high = run < runs ? rows : 0;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (row_start[middle] < goal)
      low = middle + 1;
    else
      high = middle;
  }
  return run < runs ? low : rows;
}

#define TEMPLATE "sparse/matrix_template.h"
#include "base/both_precisions.h"

double mus_asymmetry(const mus_matrix *a, const mus_transpose *at) {
  int block = a->row_block, blocks = mus_pattern_blocks(a->pattern);
  size_t size = (size_t)(block * block);
  double largest = 0, difference = 0;
  MUS_PARALLEL
  {
    double my_largest = 0, my_difference = 0;
    MUS_SHARE_FOR
    for (int k = 0; k < blocks; ++k) {
      const double *here = a->value + (size_t)k * size, *there = a->value + (size_t)at->source[k] * size;
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < block; ++c) {
          my_largest = fmax(my_largest, fabs(here[r * block + c]));
          my_difference = fmax(my_difference, fabs(here[r * block + c] - there[c * block + r]));
        }
    }
    MUS_ONE_AT_A_TIME
    { // maxima do not depend on order
      largest = fmax(largest, my_largest);
      difference = fmax(difference, my_difference);
    }
  }
  return largest > 0 ? difference / largest : 0;
}
