// Small dense matrices. See small.h.
#include "base/small.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { ENTRIES = MUS_SMALL_MAXIMUM * MUS_SMALL_MAXIMUM };

void mus_small_multiply(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      c[i * n + j] = 0;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

// The largest magnitude among the entries; NaN where any is NaN.
static double largest_entry(int count, const double *a) {
  double largest = 0;
  for (int k = 0; k < count; ++k)
    if (!(fabs(a[k]) <= largest) && !isnan(largest))
      largest = fabs(a[k]);
  return largest;
}

// Divides by the power of two next to `largest`, which costs no bits, so that squares neither overflow nor all vanish.
// Returns the power.
static int normalise(int count, double largest, double *a) {
  enum { LOWEST = -1022 }; // the powers below have no inverse
  int exponent = 0;
  frexp(largest, &exponent);
  if (exponent < LOWEST)
    exponent = LOWEST;
  double factor = ldexp(1, -exponent);
  for (int k = 0; k < count; ++k)
    a[k] *= factor;
  return exponent;
}

// Rotates rows and columns p and q of the symmetric `a` so that a_pq vanishes, and the vectors along with them.
static void rotate(int n, int p, int q, double *a, double *vectors) {
  double difference = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  double tangent = (difference >= 0 ? 1 : -1) / (fabs(difference) + sqrt(difference * difference + 1));
  double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
  for (int k = 0; k < n; ++k) {
    double kp = a[k * n + p], kq = a[k * n + q];
    a[k * n + p] = cosine * kp - sine * kq;
    a[k * n + q] = sine * kp + cosine * kq;
  }
  for (int k = 0; k < n; ++k) {
    double pk = a[p * n + k], qk = a[q * n + k];
    a[p * n + k] = cosine * pk - sine * qk;
    a[q * n + k] = sine * pk + cosine * qk;
  }
  for (int k = 0; k < n; ++k) {
    double kp = vectors[k * n + p], kq = vectors[k * n + q];
    vectors[k * n + p] = cosine * kp - sine * kq;
    vectors[k * n + q] = sine * kp + cosine * kq;
  }
}

void mus_small_eigen(int n, const double *a, double *values, double *vectors) {
  double work[ENTRIES];
  double total = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      work[i * n + j] = i >= j ? a[i * n + j] : a[j * n + i];
      vectors[i * n + j] = i == j;
    }
  int exponent = normalise(n * n, largest_entry(n * n, work), work);
  for (int k = 0; k < n * n; ++k)
    total += work[k] * work[k];
  for (int sweep = 0; sweep < 30; ++sweep) { // converges quadratically: six or seven are usual
    double off = 0;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q)
        off += work[p * n + q] * work[p * n + q];
    if (!(off > 1e-32 * total))
      break;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q)
        if (work[p * n + q] != 0)
          rotate(n, p, q, work, vectors);
  }
  for (int i = 0; i < n; ++i)
    values[i] = ldexp(work[i * n + i], exponent);
}

void mus_small_inverse_root(int n, const double *a, double *root) {
  double values[MUS_SMALL_MAXIMUM], vectors[ENTRIES], largest = 0;
  mus_small_eigen(n, a, values, vectors);
  for (int k = 0; k < n; ++k)
    largest = fmax(largest, values[k]);
  for (int k = 0; k < n; ++k)
    values[k] = 1 / sqrt(fmax(values[k], 1e-14 * largest));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k)
        sum += vectors[i * n + k] * values[k] * vectors[j * n + k];
      root[i * n + j] = sum;
    }
}

enum { SQUARINGS = 7 }; // of mus_small_radius()

double mus_small_radius(int n, const double *a) {
  double power[ENTRIES], square[ENTRIES];
  memcpy(power, a, (size_t)(n * n) * sizeof *power);
  double logarithm = 0, weight = 1; // log2 of the radius; what a factor of `power` adds to it
  for (int step = 0;; ++step) {
    double largest = largest_entry(n * n, power);
    if (n == 1 || !(largest > 0) || !isfinite(largest))
      return largest;
    logarithm += weight * normalise(n * n, largest, power);
    if (step == SQUARINGS)
      break;
    mus_small_multiply(n, power, power, square);
    memcpy(power, square, (size_t)(n * n) * sizeof *power);
    weight /= 2;
  }
  double norm = 0;
  for (int k = 0; k < n * n; ++k)
    norm += power[k] * power[k];
  return exp2(logarithm + weight * log2(norm) / 2);
}

// --- several at once -------------------------------------------------------------------------------------------------

enum { LANES = MUS_SMALL_LANES };

// The largest of |t|, |m|^(1/2) and |d|^(1/3): the largest root of x^3 - t x^2 + m x - d is at least a third of it, and
// at most 1.84 times it. The third is seldom the largest, and takes long.
static inline void size_of_roots(const double *t, const double *m, const double *d, double *size) {
  for (int l = 0; l < LANES; ++l) {
    double root = sqrt(fabs(m[l])), first = fabs(t[l]);
    size[l] = first > root ? first : root;
  }
  for (int l = 0; l < LANES; ++l)
    if (fabs(d[l]) > size[l] * size[l] * size[l])
      size[l] = cbrt(fabs(d[l]));
}

// The coefficients of the characteristic polynomials, those above.
static inline void characteristic(double a[9][LANES], double *t, double *m, double *d) {
  for (int l = 0; l < LANES; ++l) {
    double first = a[4][l] * a[8][l] - a[5][l] * a[7][l];
    t[l] = a[0][l] + a[4][l] + a[8][l];
    m[l] = a[0][l] * a[4][l] - a[1][l] * a[3][l] + (a[0][l] * a[8][l] - a[2][l] * a[6][l]) + first;
    d[l] = a[0][l] * first - a[1][l] * (a[3][l] * a[8][l] - a[5][l] * a[6][l]) +
           a[2][l] * (a[3][l] * a[7][l] - a[4][l] * a[6][l]);
  }
}

static inline void largest_lanes(double a[9][LANES], double *largest) {
  for (int l = 0; l < LANES; ++l)
    largest[l] = 0;
  for (int e = 0; e < 9; ++e)
    for (int l = 0; l < LANES; ++l) {
      double size = fabs(a[e][l]);
      largest[l] = size > largest[l] ? size : largest[l];
    }
}

static const double never_too_small = 1.0048; // the 128th root of 1.84, rounded up

// Graeffe's method: the polynomial with the squares of the roots follows from the coefficients alone.
void mus_small_radii(double a[9][LANES], double radius[LANES]) {
  double b[9][LANES], t[LANES], m[LANES], d[LANES], largest[LANES], scale[LANES], size[LANES], sum[LANES] = {0};
  largest_lanes(a, largest);
  for (int e = 0; e < 9; ++e)
    for (int l = 0; l < LANES; ++l) {
      b[e][l] = a[e][l] / largest[l];
      sum[l] += fabs(a[e][l]);
    }
  characteristic(b, t, m, d);
  size_of_roots(t, m, d, scale);
  for (int l = 0; l < LANES; ++l) {
    double factor = scale[l] > 0 ? 1 / scale[l] : 0;
    t[l] *= factor;
    m[l] *= factor * factor;
    d[l] *= factor * factor * factor;
  }
  for (int step = 0; step < SQUARINGS; ++step)
    for (int l = 0; l < LANES; ++l) {
      double next = t[l] * t[l] - 2 * m[l];
      m[l] = m[l] * m[l] - 2 * t[l] * d[l];
      d[l] *= d[l];
      t[l] = next;
    }
  size_of_roots(t, m, d, size);
  for (int step = 0; step < SQUARINGS; ++step)
    for (int l = 0; l < LANES; ++l)
      size[l] = sqrt(size[l]);
  for (int l = 0; l < LANES; ++l)
    radius[l] = never_too_small * (largest[l] * scale[l] * size[l]);
  for (int l = 0; l < LANES; ++l) // NaN fails the comparisons
    if (!(largest[l] > 1e-290 && sum[l] < 1e290)) {
      double one[9];
      for (int e = 0; e < 9; ++e)
        one[e] = a[e][l];
      radius[l] = mus_small_radius(3, one);
    }
}

// U = C^(1/2) has invariants x, y and z that follow from those of C, I, II and III:
//   z = III^(1/2),   y = (x^2 - I) / 2,   y^2 = II + 2 z x
// of which Newton's method finds x from above, where it is at most (3 I)^(1/2). By the theorem of Cayley and Hamilton,
//   (x y - z) U = -C^2 + (x^2 - y) C + x z,   z U^-1 = C - x U + y
void mus_small_inverse_roots(double a[9][LANES], double root[9][LANES]) {
  enum { STEPS = 24 }; // half as far each time until y is what counts, then quadratically
  double c[9][LANES], square[6][LANES], unit[LANES], one[LANES], two[LANES], three[LANES], x[LANES], y[LANES], z[LANES];
  static const int lower[6] = {0, 3, 4, 6, 7, 8}, mirror[6] = {0, 1, 4, 2, 5, 8};
  for (int l = 0; l < LANES; ++l)
    unit[l] = (a[0][l] + a[4][l] + a[8][l]) / 3;
  for (int e = 0; e < 6; ++e)
    for (int l = 0; l < LANES; ++l)
      c[lower[e]][l] = c[mirror[e]][l] = a[lower[e]][l] / unit[l];
  characteristic(c, one, two, three);
  for (int l = 0; l < LANES; ++l) { // by pivots, the determinant keeps digits that its terms cancel
    double left = c[3][l] / c[0][l], below = c[6][l] / c[0][l];
    double second = c[4][l] - left * c[3][l], rest = c[7][l] - below * c[3][l];
    three[l] = c[0][l] * (second * (c[8][l] - below * c[6][l]) - rest * rest);
    z[l] = sqrt(three[l]);
    x[l] = sqrt(3 * one[l]);
  }
  for (int step = 0; step < STEPS; ++step)
    for (int l = 0; l < LANES; ++l) {
      double off = x[l] * x[l] - one[l];
      double value = off * off - 8 * z[l] * x[l] - 4 * two[l], slope = 4 * x[l] * off - 8 * z[l];
      double change = value / (slope > 1e-300 ? slope : 1e-300); // the slope is 0 where C is a multiple of the unit's
      x[l] -= change > 0 ? change : 0;
    }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j)
      for (int l = 0; l < LANES; ++l)
        square[i * (i + 1) / 2 + j][l] =
            c[3 * i][l] * c[3 * j][l] + c[3 * i + 1][l] * c[3 * j + 1][l] + c[3 * i + 2][l] * c[3 * j + 2][l];
  for (int l = 0; l < LANES; ++l)
    y[l] = (x[l] * x[l] - one[l]) / 2;
  for (int e = 0; e < 6; ++e) {
    double own = e == 0 || e == 2 || e == 5; // on the diagonal
    for (int l = 0; l < LANES; ++l) {
      double u = ((x[l] * x[l] - y[l]) * c[lower[e]][l] - square[e][l] + own * x[l] * z[l]) / (x[l] * y[l] - z[l]);
      root[lower[e]][l] = root[mirror[e]][l] = (c[lower[e]][l] - x[l] * u + own * y[l]) / (z[l] * sqrt(unit[l]));
    }
  }
  for (int l = 0; l < LANES; ++l) // NaN fails the comparisons
    if (!(three[l] > 1e-14 && unit[l] > 1e-290 && unit[l] < 1e290)) {
      double from[9], to[9];
      for (int e = 0; e < 9; ++e)
        from[e] = a[e][l];
      mus_small_inverse_root(3, from, to);
      for (int e = 0; e < 9; ++e)
        root[e][l] = to[e];
    }
}
