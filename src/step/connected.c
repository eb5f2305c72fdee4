// See connected.h.
#include "step/connected.h"

#include "base/error.h"
#include "base/vector3.h"
#include "par/vector.h"

mus_status mus_connected_parts(const mus_pattern *pattern, mus_arena *arena, int *parts, int **part) {
  mus_arena scratch = {0};
  int *next = mus_arena_alloc(&scratch, (size_t)pattern->rows, sizeof *next), count = 0;
  int *of = mus_arena_alloc(arena, (size_t)pattern->rows, sizeof *of);
  for (int i = 0; i < pattern->rows && of; ++i)
    of[i] = -1;
  for (int i = 0; i < pattern->rows && of && next; ++i) {
    if (of[i] >= 0)
      continue;
    int waiting = 1;
    next[0] = i;
    of[i] = count;
    while (waiting > 0) {
      int from = next[--waiting];
      for (int k = pattern->row_start[from]; k < pattern->row_start[from + 1]; ++k)
        if (of[pattern->column[k]] < 0) {
          of[pattern->column[k]] = count;
          next[waiting++] = pattern->column[k];
        }
    }
    ++count;
  }
  mus_status status = next && of ? MUS_OK : mus_fail_memory();
  mus_arena_clear(&scratch);
  *parts = count;
  *part = of;
  return status;
}

void mus_connected_sums(int rows, int parts, const int *part, const double *mass, const mus_shared_matrix *a,
                        const double *value, double *sums) {
  mus_fill(12 * (size_t)parts, 0, sums);
  for (int i = 0; i < rows; ++i) {
    double *sum = sums + 12 * (size_t)part[i];
    for (int e = 0; e < 3; ++e)
      sum[4 * e] += mass[i];
    if (value)
      mus_add_scaled3(1, value + 3 * (size_t)i, sum + 9);
  }
  for (int n = 0; n < a->count; ++n)
    for (int e = 0; e < 9; ++e)
      sums[12 * (size_t)part[a->block[n].node] + (size_t)e] += a->block[n].value[e];
}

void mus_connected_solve(const double *a, const double *b, double *x) {
  double across[3][3];
  for (int k = 0; k < 3; ++k)
    mus_cross3(a + 3 * ((k + 1) % 3), a + 3 * ((k + 2) % 3), across[k]);
  double determinant = mus_dot3(a, across[0]);
  for (int k = 0; k < 3; ++k)
    x[k] = mus_dot3(across[k], b) / determinant;
}
