// Signs of determinants. See predicates.h.
#include "check/predicates.h"

#include <math.h>

#include "check/expansion.h"

// --- two dimensions --------------------------------------------------------------------------------------------------

// Relative rounding errors of the determinants against their permanents (Shewchuk 1997), 2^-53 being that of one
// operation.
static const double rounding = 1.0 / 9007199254740992.0;
#define LINE_ERROR ((3 + 16 * rounding) * rounding)
#define PLANE_ERROR ((7 + 56 * rounding) * rounding)

static int exact_side_of_line(const double a[2], const double b[2], const double c[2]) {
  mus_expansion difference[4], left, right, all;
  for (int k = 0; k < 2; ++k) {
    mus_expansion_subtract(b[k], a[k], &difference[k]);
    mus_expansion_subtract(c[k], a[k], &difference[2 + k]);
  }
  mus_expansion_multiply(&difference[0], &difference[3], &left);
  mus_expansion_multiply(&difference[1], &difference[2], &right);
  mus_expansion_add(&left, -1, &right, &all);
  return mus_expansion_sign(&all);
}

int mus_side_of_line(int axis, const double a[3], const double b[3], const double c[3]) {
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  double left = (b[i] - a[i]) * (c[j] - a[j]), right = (b[j] - a[j]) * (c[i] - a[i]);
  double determinant = left - right, size = fabs(left) + fabs(right), bound = LINE_ERROR * size;
  if (determinant > bound || determinant < -bound)
    return determinant > 0 ? 1 : -1;
  if (size == 0)
    return 0; // each product has a factor that is zero, and differences that come out as zero are zero
  return exact_side_of_line((double[2]){a[i], a[j]}, (double[2]){b[i], b[j]}, (double[2]){c[i], c[j]});
}

// --- three dimensions ------------------------------------------------------------------------------------------------

static int exact_side_of_plane(const double a[3], const double b[3], const double c[3], const double d[3]) {
  mus_expansion u[3], v[3], w[3], sum[4];
  for (int k = 0; k < 3; ++k) {
    mus_expansion_subtract(b[k], a[k], &u[k]);
    mus_expansion_subtract(c[k], a[k], &v[k]);
    mus_expansion_subtract(d[k], a[k], &w[k]);
  }
  sum[0].terms = 0;
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    mus_expansion left, right, minor, term;
    mus_expansion_multiply(&u[i], &v[j], &left);
    mus_expansion_multiply(&u[j], &v[i], &right);
    mus_expansion_add(&left, -1, &right, &minor);
    mus_expansion_multiply(&minor, &w[k], &term);
    mus_expansion_add(&sum[k], 1, &term, &sum[k + 1]);
  }
  return mus_expansion_sign(&sum[3]);
}

int mus_side_of_plane(const double a[3], const double b[3], const double c[3], const double d[3]) {
  double u[3], v[3], w[3], determinant = 0, size = 0;
  for (int k = 0; k < 3; ++k) {
    u[k] = b[k] - a[k];
    v[k] = c[k] - a[k];
    w[k] = d[k] - a[k];
  }
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double left = u[i] * v[j], right = u[j] * v[i];
    determinant += (left - right) * w[k];
    size += (fabs(left) + fabs(right)) * fabs(w[k]);
  }
  double bound = PLANE_ERROR * size;
  if (determinant > bound || determinant < -bound)
    return determinant > 0 ? 1 : -1;
  if (size == 0)
    return 0;
  return exact_side_of_plane(a, b, c, d);
}
