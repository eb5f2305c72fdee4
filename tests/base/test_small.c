// Small dense matrices against LAPACK, at every size up to the largest and at every scale that doubles have.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/small.h"

enum { MOST = MUS_SMALL_MAXIMUM, ENTRIES = MOST * MOST, SEEDS = 20, TWICE = 2 * MOST };

void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
            const int *lwork, int *info, size_t, size_t);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr, double *wi,
            double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info, size_t,
            size_t);
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *info, size_t,
             size_t);

static const double scales[] = {1, 1e-5, 1e5, 1e-150, 1e150, 1e-170, 1e170, 1e-290, 1e290};
enum { SCALES = sizeof scales / sizeof *scales };

static void fill_random(int count, uint64_t seed, double scale, double *a) {
  for (int k = 0; k < count; ++k)
    a[k] = scale * mus_random(seed, (uint64_t)k);
}

static void symmetrise(int n, double *a) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      a[j * n + i] = a[i * n + j];
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// c = a b, entry by entry
static void multiply(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      long double sum = 0;
      for (int k = 0; k < n; ++k)
        sum += (long double)a[i * n + k] * b[k * n + j];
      c[i * n + j] = (double)sum;
    }
}

static void transpose(int n, const double *a, double *t) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      t[j * n + i] = a[i * n + j];
}

static double largest_difference(int count, const double *a, const double *b) {
  double largest = 0;
  for (int k = 0; k < count; ++k)
    if (!(fabs(a[k] - b[k]) <= largest))
      largest = fabs(a[k] - b[k]);
  return largest;
}

static void set_identity(int n, double *a) {
  for (int k = 0; k < n * n; ++k)
    a[k] = k % (n + 1) == 0;
}

static void products(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; ++n)
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
      double a[ENTRIES], b[ENTRIES], c[ENTRIES], expected[ENTRIES];
      fill_random(n * n, seed, 1, a);
      fill_random(n * n, seed + 100, 1, b);
      mus_small_multiply(n, a, b, c);
      multiply(n, a, b, expected);
      assert_true(largest_difference(n * n, c, expected) <= n * n * DBL_EPSILON);
    }
}

// --- eigenvalues ----------------------------------------------------------------------------------------------------

static void check_eigen(int n, const double *a) {
  double given[ENTRIES], reference[ENTRIES], expected[MOST], values[MOST], vectors[ENTRIES], work[64 * MOST];
  int size = 64 * MOST, info;
  memcpy(reference, a, (size_t)(n * n) * sizeof *a);
  dsyev_("N", "U", &n, reference, &n, expected, work, &size, &info, 1, 1); // rows here are columns there
  assert_int_equal(info, 0);
  double largest = fmax(fabs(expected[0]), fabs(expected[n - 1])), allowed = 16 * n * DBL_EPSILON;
  for (int k = 0; k < n * n; ++k)
    given[k] = k / n >= k % n ? a[k] : NAN; // only the lower triangle may be read
  mus_small_eigen(n, given, values, vectors);

  double transposed[ENTRIES] = {0}, product[ENTRIES], identity[ENTRIES];
  transpose(n, vectors, transposed);
  set_identity(n, identity);
  multiply(n, transposed, vectors, product);
  assert_true(largest_difference(n * n, product, identity) <= allowed);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double residual = -values[j] * vectors[i * n + j];
      for (int k = 0; k < n; ++k)
        residual += a[i * n + k] * vectors[k * n + j];
      assert_true(fabs(residual) <= allowed * largest);
    }
  qsort(values, (size_t)n, sizeof *values, ascending);
  assert_true(largest_difference(n, values, expected) <= allowed * largest);
}

static void eigenvalues_of_random_matrices(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; ++n)
    for (uint64_t seed = 0; seed < SEEDS; ++seed)
      for (int s = 0; s < SCALES; ++s) {
        double a[ENTRIES];
        fill_random(n * n, seed, scales[s], a);
        symmetrise(n, a);
        check_eigen(n, a);
      }
}

static void eigenvalues_of_particular_matrices(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; ++n) {
    double zero[ENTRIES] = {0}, identity[ENTRIES], ones[ENTRIES], graded[ENTRIES], nearly[ENTRIES];
    set_identity(n, identity);
    for (int k = 0; k < n * n; ++k) {
      int i = k / n, j = k % n;
      ones[k] = 1;
      graded[k] = pow(10, -3 * (i + j)) * (i == j ? 1 : 0.3); // scales from 1 to 1e-66
      nearly[k] = (i == j) + 1e-17 * (i + j);                 // rotations by angles that any entry decides
    }
    check_eigen(n, zero);
    check_eigen(n, identity);
    check_eigen(n, ones);
    check_eigen(n, graded);
    check_eigen(n, nearly);
  }
}

// --- inverse roots --------------------------------------------------------------------------------------------------

// V diag(values) V^T for random orthonormal V.
static void with_eigenvalues(int n, uint64_t seed, const double *values, double *a) {
  double random[ENTRIES], unused[MOST], vectors[ENTRIES], scaled[ENTRIES], transposed[ENTRIES];
  fill_random(n * n, seed, 1, random);
  symmetrise(n, random);
  mus_small_eigen(n, random, unused, vectors);
  for (int k = 0; k < n * n; ++k)
    scaled[k] = vectors[k] * values[k % n];
  transpose(n, vectors, transposed);
  multiply(n, scaled, transposed, a);
  symmetrise(n, a);
}

static void inverse_roots(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; ++n)
    for (uint64_t seed = 0; seed < SEEDS; ++seed)
      for (int s = 0; s < SCALES; ++s) {
        double values[MOST], a[ENTRIES], root[ENTRIES], half[ENTRIES], product[ENTRIES], identity[ENTRIES];
        double condition = pow(10, 6 * fabs(mus_random(seed, 999)));
        for (int k = 0; k < n; ++k)
          values[k] = scales[s] * (k == 0 ? 1 : pow(condition, fabs(mus_random(seed + 5, (uint64_t)k))));
        with_eigenvalues(n, seed, values, a);
        mus_small_inverse_root(n, a, root);
        multiply(n, root, a, half);
        multiply(n, half, root, product);
        set_identity(n, identity);
        assert_true(largest_difference(n * n, product, identity) <= 64 * n * DBL_EPSILON * condition);
        transpose(n, root, half);
        double size = 1 / sqrt(scales[s]);
        assert_true(largest_difference(n * n, root, half) <= 16 * DBL_EPSILON * size);
        assert_true(root[0] > 0); // the positive root of the four, eight, ... that there are
        multiply(n, a, root, half);
        multiply(n, root, a, product); // and one that commutes with A
        assert_true(largest_difference(n * n, half, product) <= 64 * n * DBL_EPSILON * condition * sqrt(scales[s]));
      }
}

// Eigenvalues that are zero or negative count as 1e-14 of the largest.
static void inverse_roots_of_singular_matrices(void **state) {
  (void)state;
  for (int n = 2; n <= MOST; ++n) {
    double values[MOST], a[ENTRIES] = {0}, root[ENTRIES];
    for (int k = 0; k < n; ++k) {
      values[k] = k % 3 == 0 ? 4 : k % 3 == 1 ? 0 : -1e-3;
      a[k * n + k] = values[k];
    }
    mus_small_inverse_root(n, a, root);
    for (int k = 0; k < n * n; ++k) {
      double expected = k % (n + 1) != 0 ? 0 : values[k / n] > 0 ? 0.5 : 0.5e7;
      assert_true(fabs(root[k] - expected) <= 1e-12 * expected);
    }
    with_eigenvalues(n, 7, values, a);
    mus_small_inverse_root(n, a, root);
    for (int k = 0; k < n * n; ++k)
      assert_true(fabs(root[k]) < 1e7);
  }
}

// --- spectral radii -------------------------------------------------------------------------------------------------

static const double rounding = 1e-12;

// The spectral radius, and the condition number of the matrix of eigenvectors.
static double true_radius(int n, const double *a, double *condition) {
  double matrix[ENTRIES], real[MOST], imaginary[MOST], v[ENTRIES], work[64 * TWICE];
  double both[TWICE * TWICE], s[TWICE], radius = 0;
  int size = 64 * TWICE, one = 1, info, m = 2 * n;
  transpose(n, a, matrix);
  dgeev_("N", "V", &n, matrix, &n, real, imaginary, work, &one, v, &n, work, &size, &info, 1, 1);
  assert_int_equal(info, 0);
  for (int k = 0; k < n; ++k) {
    radius = fmax(radius, hypot(real[k], imaginary[k]));
    int pair = imaginary[k] != 0, first = pair && imaginary[k] < 0 ? k - 1 : k;
    for (int i = 0; i < n; ++i) { // X + i Y as the real matrix (X -Y; Y X), with the same singular values, each twice
      double x = v[first * n + i], y = pair ? v[(first + 1) * n + i] * (first == k ? 1 : -1) : 0;
      both[k * m + i] = both[(n + k) * m + n + i] = x;
      both[k * m + n + i] = y;
      both[(n + k) * m + i] = -y;
    }
  }
  dgesvd_("N", "N", &m, &m, both, &m, s, work, &one, work, &one, work, &size, &info, 1, 1);
  assert_int_equal(info, 0);
  *condition = s[0] / s[m - 1];
  return radius;
}

static void check_radius(int n, const double *a, double *slack) {
  double condition, expected = true_radius(n, a, &condition), radius = mus_small_radius(n, a);
  *slack = pow(n * condition, 1.0 / 128);
  if (!(radius >= expected * (1 - rounding) && radius <= expected * *slack * (1 + rounding)))
    fail_msg("radius %.17g of %d x %d, not within %.17g ... times %.17g", radius, n, n, expected, *slack);
}

static void radii_of_random_matrices(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; ++n)
    for (uint64_t seed = 0; seed < SEEDS; ++seed)
      for (int s = 0; s < SCALES; ++s) {
        double a[ENTRIES], slack;
        fill_random(n * n, seed, scales[s], a);
        check_radius(n, a, &slack);
        assert_true(slack < 1.15); // a bound that means something
        symmetrise(n, a);
        check_radius(n, a, &slack);
        assert_true(slack < 1.04);
      }
}

// Rotations: all eigenvalues on the unit circle, most of them complex, and no vector that powers favour.
static void radii_of_rotations(void **state) {
  (void)state;
  for (int n = 2; n <= MOST; ++n)
    for (uint64_t seed = 0; seed < SEEDS; ++seed)
      for (int s = 0; s < SCALES; ++s) {
        double a[ENTRIES] = {0}, slack;
        for (int k = 0; k < n; ++k)
          a[k * n + k] = scales[s];
        for (int k = 0; k + 1 < n; k += 2) {
          double angle = 0.8 + mus_random(seed, (uint64_t)k);
          a[k * n + k] = a[(k + 1) * n + k + 1] = scales[s] * cos(angle);
          a[k * n + k + 1] = -(a[(k + 1) * n + k] = scales[s] * sin(angle));
        }
        check_radius(n, a, &slack);
        double radius = mus_small_radius(n, a);
        assert_true(radius >= scales[s] * (1 - rounding) && radius <= scales[s] * 1.02);
      }
}

// || A^128 ||^(1/128) in extended precision, whose range needs no scaling.
static double gelfand(int n, const double *a) {
  long double power[ENTRIES], square[ENTRIES], norm = 0;
  for (int k = 0; k < n * n; ++k)
    power[k] = a[k];
  for (int step = 0; step < 7; ++step) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        square[i * n + j] = 0;
        for (int k = 0; k < n; ++k)
          square[i * n + j] += power[i * n + k] * power[k * n + j];
      }
    memcpy(power, square, sizeof power);
  }
  for (int k = 0; k < n * n; ++k)
    norm += power[k] * power[k];
  return (double)powl(norm, 1.0L / 256);
}

static void radii_are_roots_of_norms_of_powers(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; ++n)
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
      double a[ENTRIES];
      fill_random(n * n, seed, seed % 2 ? 1e-7 : 1e7, a);
      if (seed % 3 == 0)
        for (int k = 0; k < n * n; ++k)
          a[k] *= k / n > k % n ? 1e-6 : 1; // far from normal
      double expected = gelfand(n, a);
      assert_true(fabs(mus_small_radius(n, a) - expected) <= rounding * expected);
    }
}

// Jordan blocks: one eigenvector for n eigenvalues, so that powers grow like those of the radius times a polynomial.
static void radii_of_defective_matrices(void **state) {
  (void)state;
  for (int n = 2; n <= MOST; ++n)
    for (double value = -2; value <= 2; value += 0.5) {
      double a[ENTRIES] = {0};
      for (int k = 0; k < n; ++k) {
        a[k * n + k] = value;
        if (k > 0)
          a[(k - 1) * n + k] = 1;
      }
      double radius = mus_small_radius(n, a), expected = gelfand(n, a);
      assert_true(radius >= fabs(value) * (1 - rounding));
      assert_true(value == 0 ? radius == 0 : fabs(radius - expected) <= rounding * expected);
    }
}

// A tiny eigenvalue beside a large entry off the diagonal, which hides it from the first powers.
static void radii_are_never_too_small(void **state) {
  (void)state;
  for (int exponent = -150; exponent <= 0; exponent += 10) {
    double small = pow(10, exponent), a[] = {small, 1, 0, small};
    double radius = mus_small_radius(2, a), bound = small * pow(128 / small, 1.0 / 128);
    assert_true(radius >= small * (1 - rounding) && radius <= 1.01 * bound);
  }
}

static void radii_of_extreme_matrices(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; ++n) {
    double a[ENTRIES] = {0};
    assert_true(mus_small_radius(n, a) == 0);
    for (int i = 0; i < n; ++i) // nilpotent: nothing on and below the diagonal
      for (int j = i + 1; j < n; ++j)
        a[i * n + j] = 1e8 * mus_random(3, (uint64_t)(i * n + j));
    assert_true(mus_small_radius(n, a) == 0);
    for (int k = 0; k < n * n; ++k)
      a[k] = k % (n + 1) == 0 ? DBL_TRUE_MIN : 0;
    assert_true(mus_small_radius(n, a) >= DBL_TRUE_MIN && mus_small_radius(n, a) <= 2 * DBL_TRUE_MIN);
    for (int k = 0; k < n * n; ++k)
      a[k] = k % (n + 1) == 0 ? DBL_MAX / 2 : 0;
    double radius = mus_small_radius(n, a);
    assert_true(radius >= DBL_MAX / 2 * (1 - rounding) && radius <= DBL_MAX / 2 * 1.05);
  }
}

static void what_is_not_finite_is_told(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; ++n)
    for (int at = 0; at < n * n; ++at) {
      double a[ENTRIES];
      fill_random(n * n, 1, 1, a);
      a[at] = NAN;
      assert_true(isnan(mus_small_radius(n, a)));
      a[(at + 1) % (n * n)] = INFINITY;
      assert_true(isnan(mus_small_radius(n, a)) || n == 1);
      a[at] = -INFINITY;
      assert_true(mus_small_radius(n, a) == INFINITY);
    }
}

// Of lanes of all kinds: at extreme scales, symmetric, rotations, nilpotent, zero, with numbers that are none.
static void make_lane(uint64_t seed, int lane, double *one) {
  static const double odd[] = {0, NAN, INFINITY, 1e-320, 1e300, -1e-200};
  enum { ODD = sizeof odd / sizeof *odd };
  fill_random(9, seed * MUS_SMALL_LANES + (uint64_t)lane, scales[(seed + (uint64_t)lane) % SCALES], one);
  if (lane == 1)
    one[0] = one[3] = one[4] = one[6] = one[7] = one[8] = 0;
  if (lane == 2)
    one[seed % 9] = odd[seed % ODD];
  if (lane == 3)
    memset(one, 0, sizeof(double[9]));
  if (lane == 4)
    symmetrise(3, one);
  if (lane == 5) { // three eigenvalues of the same size, whose sum, and that of all their powers but thirds, is 0
    memset(one, 0, sizeof(double[9]));
    one[1] = one[5] = one[6] = scales[seed % SCALES];
  }
}

static void radii_of_several_are_those_of_each(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    double a[9][MUS_SMALL_LANES], radius[MUS_SMALL_LANES], one[9];
    for (int l = 0; l < MUS_SMALL_LANES; ++l) {
      make_lane(seed, l, one);
      for (int e = 0; e < 9; ++e)
        a[e][l] = one[e];
    }
    mus_small_radii(a, radius);
    for (int l = 0; l < MUS_SMALL_LANES; ++l) {
      make_lane(seed, l, one);
      double expected = mus_small_radius(3, one), largest = 0, sum = 0, condition;
      for (int e = 0; e < 9; ++e) {
        largest = fmax(largest, fabs(one[e]));
        sum += fabs(one[e]);
      }
      if (largest > 1e-290 && sum < 1e290)
        expected = true_radius(3, one, &condition);
      double low = expected - 1e-4 * largest * (expected < 1e-4 * largest),
             high = fmax(1.014 * expected, 1e-4 * largest);
      if (!(radius[l] == expected || (radius[l] >= low && radius[l] <= high) || (isnan(radius[l]) && isnan(expected))))
        fail_msg("radius %.17g of lane %d, not %.17g (seed %d)", radius[l], l, expected, (int)seed);
    }
  }
}

// Eigenvalues up to 16 decades apart, equal ones, and what is not definite.
static void inverse_roots_of_several_are_those_of_each(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    double a[9][MUS_SMALL_LANES], root[9][MUS_SMALL_LANES];
    for (int l = 0; l < MUS_SMALL_LANES; ++l) {
      double one[9], values[3], vectors[9], apart = pow(10, -(double)(seed % 17));
      fill_random(9, seed * MUS_SMALL_LANES + (uint64_t)l, 1, one);
      mus_small_eigen(3, one, values, vectors);
      double value[3] = {1, l % 3 == 0 ? 1 : apart, l % 3 == 1 ? 1 : l % 3 == 2 ? apart : sqrt(apart)};
      if (l == 7 && seed % 5 == 0)
        value[1] = -apart;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          double sum = 0;
          for (int k = 0; k < 3; ++k)
            sum += vectors[3 * i + k] * value[k] * vectors[3 * j + k];
          a[3 * i + j][l] = scales[(seed + (uint64_t)l) % 3] * sum;
        }
    }
    mus_small_inverse_roots(a, root);
    double allowed = 1e-7 + 1e-14 * pow(10, (double)(seed % 17)); // the smallest eigenvalue has no more digits
    for (int l = 0; l < MUS_SMALL_LANES; ++l) {
      double one[9], expected[9], largest = 0;
      for (int e = 0; e < 9; ++e)
        one[e] = a[e][l];
      mus_small_inverse_root(3, one, expected);
      for (int e = 0; e < 9; ++e)
        largest = fmax(largest, fabs(expected[e]));
      for (int e = 0; e < 9; ++e)
        if (!(fabs(root[e][l] - expected[e]) <= allowed * largest))
          fail_msg("entry %d of lane %d is %.17g, not %.17g (seed %d)", e, l, root[e][l], expected[e], (int)seed);
    }
  }
}

// Blocks of 6 x 6, ordinary and extreme ones in turn.
static void radii_and_roots_of_six_are_those_of_each(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    double a[36][MUS_SMALL_LANES], d[36][MUS_SMALL_LANES], radius[MUS_SMALL_LANES], root[36][MUS_SMALL_LANES];
    double one[MUS_SMALL_LANES][36], positive[MUS_SMALL_LANES][36], expected[36], mirrored[36];
    for (int l = 0; l < MUS_SMALL_LANES; ++l) {
      fill_random(36, seed * MUS_SMALL_LANES + (uint64_t)l, scales[(seed + (uint64_t)l) % SCALES], one[l]);
      if (l == 3)
        memset(one[l], 0, sizeof one[l]);
      if (l == 5)
        one[l][seed % 36] = seed % 2 ? NAN : INFINITY;
      fill_random(36, seed * MUS_SMALL_LANES + (uint64_t)l, 1, expected);
      transpose(6, expected, mirrored);
      multiply(6, expected, mirrored, positive[l]);
      for (int e = 0; e < 36; ++e) {
        positive[l][e] = scales[l % 3] * (positive[l][e] + (e % 7 == 0 ? 1e-3 : 0));
        a[e][l] = one[l][e];
        d[e][l] = positive[l][e];
      }
    }
    mus_small_radii_6(a, radius);
    mus_small_inverse_roots_6(d, root);
    for (int l = 0; l < MUS_SMALL_LANES; ++l) {
      double each = mus_small_radius(6, one[l]), largest = 0;
      if (!(radius[l] == each || fabs(radius[l] - each) <= 1e-9 * each || (isnan(radius[l]) && isnan(each))))
        fail_msg("radius %.17g of lane %d, not %.17g (seed %d)", radius[l], l, each, (int)seed);
      mus_small_inverse_root(6, positive[l], expected);
      for (int e = 0; e < 36; ++e)
        largest = fmax(largest, fabs(expected[e]));
      for (int e = 0; e < 36; ++e)
        if (!(fabs(root[e][l] - expected[e]) <= 1e-9 * largest))
          fail_msg("entry %d of lane %d is %.17g, not %.17g (seed %d)", e, l, root[e][l], expected[e], (int)seed);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),
      cmocka_unit_test(eigenvalues_of_random_matrices),
      cmocka_unit_test(eigenvalues_of_particular_matrices),
      cmocka_unit_test(inverse_roots),
      cmocka_unit_test(inverse_roots_of_singular_matrices),
      cmocka_unit_test(radii_of_random_matrices),
      cmocka_unit_test(radii_of_rotations),
      cmocka_unit_test(radii_are_roots_of_norms_of_powers),
      cmocka_unit_test(radii_of_defective_matrices),
      cmocka_unit_test(radii_are_never_too_small),
      cmocka_unit_test(radii_of_extreme_matrices),
      cmocka_unit_test(what_is_not_finite_is_told),
      cmocka_unit_test(radii_of_several_are_those_of_each),
      cmocka_unit_test(inverse_roots_of_several_are_those_of_each),
      cmocka_unit_test(radii_and_roots_of_six_are_those_of_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
