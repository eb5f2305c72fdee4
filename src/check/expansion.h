// Exact arithmetic on sums of floating-point numbers (Shewchuk 1997).
//
// An expansion is a number as the sum of doubles that do not overlap, smallest first, zeros left out: no bit of it is
// lost to rounding. Its sign is that of its last term. Sums and products of a few expansions, which are all that a
// determinant needs, are exact as long as nothing overflows or underflows (see predicates.h).
#ifndef MUS_CHECK_EXPANSION_H
#define MUS_CHECK_EXPANSION_H

#include <float.h>
#include <math.h>

_Static_assert(FLT_EVAL_METHOD == 0, "exact sums rely on every operation being rounded to double precision");

enum { MUS_EXPANSION_TERMS = 192 }; // of a 3 x 3 determinant of differences
typedef struct mus_expansion {
  int terms;
  double term[MUS_EXPANSION_TERMS];
} mus_expansion;

// a + b = result + error, without any rounding (Knuth 1969).
static inline double mus_two_sum(double a, double b, double *error) {
  double sum = a + b, b_part = sum - a, a_part = sum - b_part;
  *error = (a - a_part) + (b - b_part);
  return sum;
}

// The upper half of a number's bits (Veltkamp, in Dekker 1971).
static inline double mus_upper_half(double a) {
  double c = 134217729.0 * a; // 2^27 + 1
  return c - (c - a);
}

// a * b = result + error, without any rounding (Dekker 1971).
static inline double mus_two_product(double a, double b, double *error) {
  double product = a * b, a_high = mus_upper_half(a), b_high = mus_upper_half(b);
  double a_low = a - a_high, b_low = b - b_high;
  *error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
  return product;
}

static inline void mus_expansion_append(mus_expansion *e, double term) {
  if (term != 0)
    e->term[e->terms++] = term;
}

static inline int mus_expansion_sign(const mus_expansion *e) {
  return e->terms == 0 ? 0 : e->term[e->terms - 1] > 0 ? 1 : -1;
}

// out = a - b
static inline void mus_expansion_subtract(double a, double b, mus_expansion *out) {
  double error, high = mus_two_sum(a, -b, &error);
  out->terms = 0;
  mus_expansion_append(out, error);
  mus_expansion_append(out, high);
}

// out = a + sign * b: the terms of both by ascending size, added up one after the other. `out` is neither of them.
static inline void mus_expansion_add(const mus_expansion *a, double sign, const mus_expansion *b, mus_expansion *out) {
  int i = 0, j = 0;
  double sum = 0, error;
  out->terms = 0;
  while (i < a->terms || j < b->terms) {
    int take_a = j == b->terms || (i < a->terms && fabs(a->term[i]) < fabs(b->term[j]));
    double next = take_a ? a->term[i++] : sign * b->term[j++];
    sum = mus_two_sum(sum, next, &error);
    mus_expansion_append(out, error);
  }
  mus_expansion_append(out, sum);
}

// out = factor * a
static inline void mus_expansion_scale(const mus_expansion *a, double factor, mus_expansion *out) {
  double sum = 0, error;
  out->terms = 0;
  for (int i = 0; i < a->terms; ++i) {
    double low, high = mus_two_product(a->term[i], factor, &low);
    double middle = mus_two_sum(sum, low, &error);
    mus_expansion_append(out, error);
    sum = mus_two_sum(high, middle, &error);
    mus_expansion_append(out, error);
  }
  mus_expansion_append(out, sum);
}

// out = a * b, where b has few terms. `out` is neither of them.
static inline void mus_expansion_multiply(const mus_expansion *a, const mus_expansion *b, mus_expansion *out) {
  mus_expansion part, sum;
  out->terms = 0;
  for (int k = 0; k < b->terms; ++k) {
    mus_expansion_scale(a, b->term[k], &part);
    mus_expansion_add(out, 1, &part, &sum);
    out->terms = sum.terms;
    for (int i = 0; i < sum.terms; ++i)
      out->term[i] = sum.term[i];
  }
}

#endif
