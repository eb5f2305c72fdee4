// Couplings: C = sum_c (w_c w_c^T) (x) B_c, so block (i, j) of one is w_i w_j B. See couplings.h.
#include "solve/couplings.h"

#include <limits.h>
#include <math.h>

#include "base/error.h"

enum { BLOCK = 3, ENTRIES = 9 };

// Asymmetry and negative minors up to this part of the largest entry (to the minor's power) pass for rounding.
static const double ROUNDING = 1e-8;

static double largest_entry(const double *b) {
  double largest = 0;
  for (int e = 0; e < ENTRIES; ++e)
    largest = fmax(largest, fabs(b[e]));
  return largest;
}

static int is_symmetric(const double *b, double largest) {
  for (int r = 0; r < BLOCK; ++r)
    for (int c = 0; c < r; ++c)
      if (fabs(b[r * BLOCK + c] - b[c * BLOCK + r]) > ROUNDING * largest)
        return 0;
  return 1;
}

// By all principal minors, of the block divided by its largest entry.
static int is_semi_definite(const double *block, double largest) {
  double b[ENTRIES];
  for (int e = 0; e < ENTRIES; ++e)
    b[e] = largest > 0 ? block[e] / largest : 0;
  for (int k = 0; k < BLOCK; ++k) {
    int r = k, c = (k + 1) % BLOCK;
    if (b[r * BLOCK + r] < -ROUNDING)
      return 0;
    if (b[r * BLOCK + r] * b[c * BLOCK + c] - b[r * BLOCK + c] * b[c * BLOCK + r] < -ROUNDING)
      return 0;
  }
  double determinant =
      b[0] * (b[4] * b[8] - b[5] * b[7]) - b[1] * (b[3] * b[8] - b[5] * b[6]) + b[2] * (b[3] * b[7] - b[4] * b[6]);
  return determinant >= -ROUNDING;
}

static mus_status check_nodes(int rows, int number, const mus_coupling *coupling) {
  if (coupling->count < 1 || coupling->count > MUS_COUPLING_NODES_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "coupling %d has %d nodes: 1 to %d are possible", mus_counted(number),
                    coupling->count, MUS_COUPLING_NODES_MAXIMUM);
  if (!coupling->node || !coupling->weight)
    return mus_fail(MUS_BAD_INPUT, "coupling %d has no nodes or weights: they are NULL", mus_counted(number));
  for (int i = 0; i < coupling->count; ++i) {
    if (coupling->node[i] < 0 || coupling->node[i] >= rows)
      return mus_fail(MUS_BAD_INPUT, "coupling %d names node %d, but nodes go from %d to %d", mus_counted(number),
                      mus_counted(coupling->node[i]), mus_counted(0), mus_counted(rows - 1));
    if (!isfinite(coupling->weight[i]))
      return mus_fail(MUS_BAD_INPUT, "coupling %d gives node %d a weight that is not finite", mus_counted(number),
                      mus_counted(coupling->node[i]));
  }
  return MUS_OK;
}

static mus_status check(int rows, int number, const mus_coupling *coupling) {
  mus_status status = check_nodes(rows, number, coupling);
  if (status)
    return status;
  double weight = 0;
  for (int e = 0; e < ENTRIES; ++e)
    if (!isfinite(coupling->block[e]))
      return mus_fail(MUS_BAD_INPUT, "the block of coupling %d holds %g: all values must be finite",
                      mus_counted(number), coupling->block[e]);
  for (int i = 0; i < coupling->count; ++i)
    weight = fmax(weight, fabs(coupling->weight[i]));
  double largest = largest_entry(coupling->block);
  if (!isfinite(weight * weight * largest))
    return mus_fail(MUS_BAD_INPUT, "coupling %d is too strong: its weights times its block are not finite",
                    mus_counted(number));
  if (!is_symmetric(coupling->block, largest))
    return mus_fail(MUS_BAD_INPUT, "the block of coupling %d is not symmetric", mus_counted(number));
  if (!is_semi_definite(coupling->block, largest))
    return mus_fail(MUS_BAD_INPUT, "the block of coupling %d is not positive semi-definite", mus_counted(number));
  return MUS_OK;
}

static int coupling_nodes(const void *self, int term, const int **node) {
  const mus_coupling *coupling = (const mus_coupling *)self + term;
  *node = coupling->node;
  return coupling->count;
}

static void coupling_block(const void *self, int term, int i, int j, double *out) {
  const mus_coupling *coupling = (const mus_coupling *)self + term;
  double weight = coupling->weight[i] * coupling->weight[j];
  for (int r = 0; r < BLOCK; ++r)
    for (int c = 0; c < BLOCK; ++c)
      out[r * BLOCK + c] = weight * (0.5 * (coupling->block[r * BLOCK + c] + coupling->block[c * BLOCK + r]));
}

mus_status mus_couplings_sum(mus_arena *arena, int rows, int count, const mus_coupling *couplings, mus_beyond *out) {
  long long blocks = 0;
  int widest = 1;
  if (count < 0)
    return mus_fail(MUS_BAD_INPUT, "the number of couplings is %d", count);
  for (int k = 0; k < count; ++k) {
    mus_status status = check(rows, k, &couplings[k]);
    if (status)
      return status;
    blocks += MUS_TERM_NODES * MUS_TERM_NODES + couplings[k].count * couplings[k].count;
    widest = couplings[k].count > widest ? couplings[k].count : widest;
  }
  if (blocks > INT_MAX || (long long)count * widest > INT_MAX)
    return mus_fail(MUS_BAD_INPUT, "%d couplings have more blocks than can be counted", count);
  mus_terms terms = {count, couplings, coupling_nodes, coupling_block};
  return mus_beyond_create(arena, rows, BLOCK, &terms, out);
}
