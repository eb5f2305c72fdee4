// Several small matrices at once, as text for those who compile it for more than one machine: lane l of a[e] is entry e
// of matrix l. Every lane is computed by itself and nothing is fused, so that all machines give the same bits.
//
// The vectors are those of gcc and clang: operators work lane by lane, and one number meets a vector as itself in every
// lane.
#ifndef MUS_BASE_SMALL_LANES_H
#define MUS_BASE_SMALL_LANES_H

#include <math.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "base/small.h"

#ifdef __AVX2__
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
enum { SQUARINGS = 7 }; // the power is 2^7

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef long long lanes_truth __attribute__((vector_size(8 * LANES))); // all bits, or none

#define LANES_INLINE static inline __attribute__((always_inline))

#define lanes_select(where, yes, no)                                                                                   \
  ((lanes)(((lanes_truth)(where) & (lanes_truth)(yes)) | (~(lanes_truth)(where) & (lanes_truth)(no))))
#define lanes_larger(a, b) lanes_select((a) > (b), a, b)

LANES_INLINE lanes lanes_all(double x) { return (lanes){0} + x; }

LANES_INLINE lanes lanes_size(lanes x) {
  return (lanes)((lanes_truth)x & ((lanes_truth){0} + 0x7fffffffffffffffLL)); // less the sign
}

#ifdef __AVX2__
LANES_INLINE lanes lanes_root(lanes x) { return (lanes)_mm256_sqrt_pd((__m256d)x); }
LANES_INLINE int lanes_any(lanes_truth where) { return _mm256_movemask_pd((__m256d)where) != 0; }
#else
LANES_INLINE lanes lanes_root(lanes x) {
  for (int l = 0; l < LANES; ++l)
    x[l] = sqrt(x[l]);
  return x;
}

LANES_INLINE int lanes_any(lanes_truth where) {
  long long any = 0;
  for (int l = 0; l < LANES; ++l)
    any |= where[l];
  return any != 0;
}
#endif

LANES_INLINE lanes small_largest_lanes(int count, const lanes *a) {
  lanes largest = {0};
  for (int e = 0; e < count; ++e) {
    lanes size = lanes_size(a[e]);
    largest = lanes_larger(size, largest);
  }
  return largest;
}

// --- 3 x 3 -----------------------------------------------------------------------------------------------------------

// The largest of |t|, |m|^(1/2) and |d|^(1/3): the largest root of x^3 - t x^2 + m x - d is at least a third of it, and
// at most 1.84 times it. The third is seldom the largest, and takes long.
LANES_INLINE lanes small_size_of_roots(lanes t, lanes m, lanes d) {
  lanes root = lanes_root(lanes_size(m)), first = lanes_size(t), third = lanes_size(d);
  lanes size = lanes_larger(first, root);
  lanes_truth more = third > size * size * size;
  if (lanes_any(more))
    for (int l = 0; l < LANES; ++l)
      if (more[l])
        size[l] = cbrt(third[l]);
  return size;
}

// The coefficients of the characteristic polynomials, those above.
LANES_INLINE void small_characteristic(const lanes *a, lanes *t, lanes *m, lanes *d) {
  lanes first = a[4] * a[8] - a[5] * a[7];
  *t = a[0] + a[4] + a[8];
  *m = a[0] * a[4] - a[1] * a[3] + (a[0] * a[8] - a[2] * a[6]) + first;
  *d = a[0] * first - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

// Where numbers are too large, too small or none at all for the lanes, each matrix is treated alone.
LANES_INLINE void small_radii_alone(int n, lanes_truth where, const lanes *a, lanes *radius) {
  for (int l = 0; l < LANES; ++l)
    if (where[l]) {
      double one[MUS_SMALL_MAXIMUM * MUS_SMALL_MAXIMUM];
      for (int e = 0; e < n * n; ++e)
        one[e] = a[e][l];
      (*radius)[l] = mus_small_radius(n, one);
    }
}

LANES_INLINE void small_inverse_roots_alone(int n, lanes_truth where, const lanes *a, lanes *root) {
  for (int l = 0; l < LANES; ++l)
    if (where[l]) {
      double from[MUS_SMALL_MAXIMUM * MUS_SMALL_MAXIMUM], to[MUS_SMALL_MAXIMUM * MUS_SMALL_MAXIMUM];
      for (int e = 0; e < n * n; ++e)
        from[e] = a[e][l];
      mus_small_inverse_root(n, from, to);
      for (int e = 0; e < n * n; ++e)
        root[e][l] = to[e];
    }
}

// Graeffe's method: the polynomial with the squares of the roots follows from the coefficients alone.
LANES_INLINE void small_radii_3(const lanes *a, lanes *radius) {
  const double never_too_small = 1.0048; // the 128th root of 1.84, rounded up
  lanes b[9], t, m, d, sum = {0}, largest = small_largest_lanes(9, a), share = 1 / largest;
  for (int e = 0; e < 9; ++e) {
    b[e] = a[e] * share;
    sum += lanes_size(a[e]);
  }
  small_characteristic(b, &t, &m, &d);
  lanes scale = small_size_of_roots(t, m, d);
  lanes factor = lanes_select(scale > 0, 1 / scale, lanes_all(0));
  t *= factor;
  m *= factor * factor;
  d *= factor * factor * factor;
  for (int step = 0; step < SQUARINGS; ++step) {
    lanes next = t * t - 2 * m;
    m = m * m - 2 * t * d;
    d *= d;
    t = next;
  }
  lanes size = small_size_of_roots(t, m, d);
  for (int step = 0; step < SQUARINGS; ++step)
    size = lanes_root(size);
  *radius = never_too_small * (largest * scale * size);
  lanes_truth alone = ~((largest > 1e-290) & (sum < 1e290)); // NaN fails the comparisons
  if (lanes_any(alone))
    small_radii_alone(3, alone, a, radius);
}

// U = C^(1/2) has invariants x, y and z that follow from those of C, I, II and III:
//   z = III^(1/2),   y = (x^2 - I) / 2,   y^2 = II + 2 z x
// of which Newton's method finds x from above, where it is at most (3 I)^(1/2). By the theorem of Cayley and Hamilton,
//   (x y - z) U = -C^2 + (x^2 - y) C + x z,   z U^-1 = C - x U + y
LANES_INLINE void small_inverse_roots_3(const lanes *a, lanes *root) {
  enum { STEPS = 24 }; // half as far each time until y is what counts, then quadratically
  static const int lower[6] = {0, 3, 4, 6, 7, 8}, mirror[6] = {0, 1, 4, 2, 5, 8};
  lanes c[9], one, two, three, square[6], unit = (a[0] + a[4] + a[8]) / 3, part = 1 / unit;
  for (int e = 0; e < 6; ++e)
    c[lower[e]] = c[mirror[e]] = a[lower[e]] * part;
  small_characteristic(c, &one, &two, &three);
  // by pivots, the determinant keeps digits that its terms cancel
  lanes first = 1 / c[0], left = c[3] * first, below = c[6] * first, second = c[4] - left * c[3],
        rest = c[7] - below * c[3];
  three = c[0] * (second * (c[8] - below * c[6]) - rest * rest);
  lanes z = lanes_root(three), x = lanes_root(3 * one);
  for (int step = 0; step < STEPS; ++step) {
    lanes off = x * x - one;
    lanes value = off * off - 8 * z * x - 4 * two, slope = 4 * x * off - 8 * z;
    lanes change = value / lanes_select(slope > 1e-300, slope, lanes_all(1e-300)); // 0 where C is a multiple of I
    lanes_truth down = change > 0;
    if (!lanes_any(down))
      break;
    x -= lanes_select(down, change, lanes_all(0));
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j)
      square[i * (i + 1) / 2 + j] = c[3 * i] * c[3 * j] + c[3 * i + 1] * c[3 * j + 1] + c[3 * i + 2] * c[3 * j + 2];
  lanes y = (x * x - one) / 2, scale = 1 / (z * lanes_root(unit)), share = 1 / (x * y - z);
  for (int e = 0; e < 6; ++e) {
    double own = e == 0 || e == 2 || e == 5; // on the diagonal
    lanes u = ((x * x - y) * c[lower[e]] - square[e] + own * x * z) * share;
    root[lower[e]] = root[mirror[e]] = (c[lower[e]] - x * u + own * y) * scale;
  }
  lanes_truth alone = ~((three > 1e-14) & (unit > 1e-290) & (unit < 1e290)); // NaN fails the comparisons
  if (lanes_any(alone))
    small_inverse_roots_alone(3, alone, a, root);
}

// --- n x n -----------------------------------------------------------------------------------------------------------

// c = a b
LANES_INLINE void small_multiply_lanes(int n, const lanes *a, const lanes *b, lanes *c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      lanes sum = a[i * n] * b[j];
      for (int k = 1; k < n; ++k)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

// Divides each matrix by its largest entry and returns which that was; those of nothing stay.
LANES_INLINE lanes small_normalise_lanes(int count, lanes *a) {
  lanes largest = small_largest_lanes(count, a), factor = lanes_select(largest > 0, 1 / largest, lanes_all(0));
  for (int e = 0; e < count; ++e)
    a[e] *= factor;
  return largest;
}

// What mus_small_radius() does: rho(A)^2 = rho(A^2), where the largest entry is taken out before each squaring.
LANES_INLINE void small_radii_n(int n, const lanes *a, lanes *radius) {
  lanes power[2][MUS_SMALL_MAXIMUM * MUS_SMALL_MAXIMUM], taken[SQUARINGS + 1], norm = {0}, sum = {0};
  for (int e = 0; e < n * n; ++e) {
    power[0][e] = a[e];
    sum += lanes_size(a[e]);
  }
  for (int step = 0; step < SQUARINGS; ++step) {
    taken[step] = small_normalise_lanes(n * n, power[step % 2]);
    small_multiply_lanes(n, power[step % 2], power[step % 2], power[(step + 1) % 2]);
  }
  lanes *last = power[SQUARINGS % 2];
  taken[SQUARINGS] = small_normalise_lanes(n * n, last);
  for (int e = 0; e < n * n; ++e)
    norm += last[e] * last[e];
  *radius = lanes_root(norm) * taken[SQUARINGS];
  for (int step = SQUARINGS - 1; step >= 0; --step)
    *radius = taken[step] * lanes_root(*radius);
  lanes_truth alone = ~((taken[0] > 1e-290) & (sum < 1e290)); // NaN fails the comparisons
  if (lanes_any(alone))
    small_radii_alone(n, alone, a, radius);
}

// One rotation of Jacobi's method in the lanes that still need it; see mus_small_eigen().
LANES_INLINE void small_rotate_lanes(int n, int p, int q, lanes_truth where, lanes *a, lanes *vectors) {
  lanes off = a[p * n + q], difference = (a[q * n + q] - a[p * n + p]) / (2 * off);
  lanes root = 1 / (lanes_size(difference) + lanes_root(difference * difference + 1));
  lanes tangent = lanes_select(where & (off != 0), lanes_select(difference >= 0, root, -root), lanes_all(0));
  lanes cosine = 1 / lanes_root(tangent * tangent + 1), sine = tangent * cosine;
  for (int k = 0; k < n; ++k) {
    lanes kp = a[k * n + p], kq = a[k * n + q];
    a[k * n + p] = cosine * kp - sine * kq;
    a[k * n + q] = sine * kp + cosine * kq;
  }
  for (int k = 0; k < n; ++k) {
    lanes pk = a[p * n + k], qk = a[q * n + k];
    a[p * n + k] = cosine * pk - sine * qk;
    a[q * n + k] = sine * pk + cosine * qk;
  }
  for (int k = 0; k < n; ++k) {
    lanes kp = vectors[k * n + p], kq = vectors[k * n + q];
    vectors[k * n + p] = cosine * kp - sine * kq;
    vectors[k * n + q] = sine * kp + cosine * kq;
  }
}

// Where what is off the diagonal counts.
LANES_INLINE lanes_truth small_is_full(int n, const lanes *a, lanes total) {
  lanes off = {0};
  for (int p = 0; p < n; ++p)
    for (int q = p + 1; q < n; ++q)
      off += a[p * n + q] * a[p * n + q];
  return off > 1e-32 * total;
}

// As mus_small_inverse_root() does it. Of symmetric matrices, of which all entries are read.
LANES_INLINE void small_inverse_roots_n(int n, const lanes *a, lanes *root) {
  lanes work[MUS_SMALL_MAXIMUM * MUS_SMALL_MAXIMUM], vectors[MUS_SMALL_MAXIMUM * MUS_SMALL_MAXIMUM];
  lanes total = {0}, largest = {0};
  for (int e = 0; e < n * n; ++e) {
    work[e] = a[e];
    vectors[e] = lanes_all(e % (n + 1) == 0);
  }
  lanes size = small_normalise_lanes(n * n, work);
  for (int e = 0; e < n * n; ++e)
    total += work[e] * work[e];
  lanes_truth full = small_is_full(n, work, total);
  for (int sweep = 0; sweep < 30 && lanes_any(full); ++sweep) {
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q)
        small_rotate_lanes(n, p, q, full, work, vectors);
    full = small_is_full(n, work, total);
  }
  for (int k = 0; k < n; ++k)
    largest = lanes_larger(work[k * (n + 1)], largest);
  lanes least = 1e-14 * largest, scale[MUS_SMALL_MAXIMUM];
  for (int k = 0; k < n; ++k)
    scale[k] = 1 / lanes_root(lanes_larger(work[k * (n + 1)], least) * size);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      lanes sum = {0};
      for (int k = 0; k < n; ++k)
        sum += vectors[i * n + k] * scale[k] * vectors[j * n + k];
      root[i * n + j] = sum;
    }
  lanes_truth alone = ~((size > 1e-290) & (size < 1e290)); // NaN fails the comparisons
  if (lanes_any(alone))
    small_inverse_roots_alone(n, alone, a, root);
}

#endif
