// The cycle of levels of affine handles, in both precisions. See affine_state.h.
//
// Vectors hold three coordinates and one unused number a row, so that a row is one vector of the processor.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "multigrid/skinning/affine_state.h"
#include "par/par.h"

enum { F = MUS_FUNCTIONS, UNKNOWNS = 3 * MUS_FUNCTIONS };

int mus_affine_invert(int n, const double *a, double *inverse) {
  double l[UNKNOWNS * UNKNOWNS], column[UNKNOWNS];
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; ++k)
        sum -= l[i * n + k] * l[j * n + k];
      if (i == j && !(sum > 0))
        return 0;
      l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
    }
  for (int c = 0; c < n; ++c) {
    for (int i = 0; i < n; ++i) {
      column[i] = i == c;
      for (int k = 0; k < i; ++k)
        column[i] -= l[i * n + k] * column[k];
      column[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
      for (int k = i + 1; k < n; ++k)
        column[i] -= l[k * n + i] * column[k];
      column[i] /= l[i * n + i];
    }
    for (int i = 0; i <= c; ++i) // symmetric to the last bit
      inverse[i * n + c] = inverse[c * n + i] = column[i];
  }
  return 1;
}

static mus_status not_definite(void) {
  return mus_fail(MUS_BREAKDOWN, "a matrix of Projective Dynamics is not positive definite");
}

#define TEMPLATE "multigrid/skinning/affine_cycle_template.h"
#include "base/both_precisions.h"
