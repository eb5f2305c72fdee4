// Small dense matrices. See small.h.
#include "base/small.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/small_lanes.h"

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

// Four at a time, to and from vectors.
#define IN_LANES(n, to, function)                                                                                      \
  for (int first = 0; first < MUS_SMALL_LANES; first += LANES) {                                                       \
    lanes from[(n) * (n)], result[(n) * (n)];                                                                          \
    for (int e = 0; e < (n) * (n); ++e)                                                                                \
      memcpy(&from[e], &a[e][first], sizeof *from);                                                                    \
    function;                                                                                                          \
    for (int e = 0; e < (to); ++e)                                                                                     \
      memcpy(out + e * MUS_SMALL_LANES + first, &result[e], sizeof *result);                                           \
  }

void mus_small_radii(double a[9][MUS_SMALL_LANES], double radius[MUS_SMALL_LANES]) {
  double *out = radius;
  IN_LANES(3, 1, small_radii_3(from, result))
}

void mus_small_inverse_roots(double a[9][MUS_SMALL_LANES], double root[9][MUS_SMALL_LANES]) {
  double *out = root[0];
  IN_LANES(3, 9, small_inverse_roots_3(from, result))
}

void mus_small_radii_6(double a[36][MUS_SMALL_LANES], double radius[MUS_SMALL_LANES]) {
  double *out = radius;
  IN_LANES(6, 1, small_radii_n(6, from, result))
}

void mus_small_inverse_roots_6(double a[36][MUS_SMALL_LANES], double root[36][MUS_SMALL_LANES]) {
  double *out = root[0];
  IN_LANES(6, 36, small_inverse_roots_n(6, from, result))
}
