// Vectors of MUS_LANES numbers as mus_real, one lane an element: what element.h needs of them, and the way between them
// and arrays that hold one element after the other. Included by element.h where MUS_LANES is defined; lanes_run.h says
// who does that.
//
// The vectors are those of gcc and clang: operators work lane by lane, and one number meets a vector as itself in every
// lane.
#ifndef MUS_ENERGY_LANES_H
#define MUS_ENERGY_LANES_H

#include <string.h>
#if MUS_LANES > 2
#include <immintrin.h>
#endif

typedef double mus_real __attribute__((vector_size(8 * MUS_LANES)));
typedef long long mus_truth __attribute__((vector_size(8 * MUS_LANES))); // all bits, or none
typedef double mus_uniform;

#define mus_select(where, yes, no) mus_lanes_select((mus_truth)(where), yes, no)

MUS_ELEMENT mus_real mus_lanes_select(mus_truth where, mus_real yes, mus_real no) {
  return (mus_real)((where & (mus_truth)yes) | (~where & (mus_truth)no));
}

MUS_ELEMENT mus_real mus_all(mus_uniform x) { return (mus_real){0} + x; }

MUS_ELEMENT mus_real mus_size(mus_real x) {
  return (mus_real)((mus_truth)x & ((mus_truth){0} + 0x7fffffffffffffffLL)); // less the sign
}

// By the machine's own instructions where there are any:
//   mus_root()           square roots
//   mus_any()            whether something holds in any lane
//   mus_lanes_mirror()   a square of MUS_LANES vectors, mirrored at its diagonal
//   mus_lanes_three()    to[k][l] = from[l][k] for k < 3: nothing behind an element's three numbers is touched
#if MUS_LANES == 8
MUS_ELEMENT mus_real mus_root(mus_real x) { return (mus_real)_mm512_sqrt_pd((__m512d)x); }
MUS_ELEMENT int mus_any(mus_truth where) { return _mm512_movepi64_mask((__m512i)where) != 0; }

MUS_ELEMENT void mus_lanes_mirror(mus_real *a) {
  __m512d pair[8], four[8];
  for (int k = 0; k < 8; k += 2) {
    pair[k] = _mm512_unpacklo_pd((__m512d)a[k], (__m512d)a[k + 1]);
    pair[k + 1] = _mm512_unpackhi_pd((__m512d)a[k], (__m512d)a[k + 1]);
  }
  for (int half = 0; half < 8; half += 4)
    for (int k = half; k < half + 2; ++k) {
      four[k] = _mm512_shuffle_f64x2(pair[k], pair[k + 2], 0x88);     // quarters 0 2, 0 2
      four[k + 2] = _mm512_shuffle_f64x2(pair[k], pair[k + 2], 0xdd); // quarters 1 3, 1 3
    }
  for (int k = 0; k < 4; ++k) {
    a[k] = (mus_real)_mm512_shuffle_f64x2(four[k], four[k + 4], 0x88);
    a[k + 4] = (mus_real)_mm512_shuffle_f64x2(four[k], four[k + 4], 0xdd);
  }
}

MUS_ELEMENT void mus_lanes_three(const double *const *from, mus_real *to) {
  __m512d both[4]; // lane k and, in the upper half, lane k + 4
  for (int k = 0; k < 4; ++k)
    both[k] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, from[k])),
                                 _mm256_maskz_loadu_pd(7, from[k + 4]), 1);
  __m512d low01 = _mm512_unpacklo_pd(both[0], both[1]), low23 = _mm512_unpacklo_pd(both[2], both[3]);
  __m512d high01 = _mm512_unpackhi_pd(both[0], both[1]), high23 = _mm512_unpackhi_pd(both[2], both[3]);
  const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                third = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  to[0] = (mus_real)_mm512_permutex2var_pd(low01, first, low23);
  to[1] = (mus_real)_mm512_permutex2var_pd(high01, first, high23);
  to[2] = (mus_real)_mm512_permutex2var_pd(low01, third, low23);
}
#elif MUS_LANES == 4
MUS_ELEMENT mus_real mus_root(mus_real x) { return (mus_real)_mm256_sqrt_pd((__m256d)x); }
MUS_ELEMENT int mus_any(mus_truth where) { return _mm256_movemask_pd((__m256d)where) != 0; }

MUS_ELEMENT void mus_lanes_mirror(mus_real *a) {
  __m256d pair[4];
  for (int k = 0; k < 4; k += 2) {
    pair[k] = _mm256_unpacklo_pd((__m256d)a[k], (__m256d)a[k + 1]);
    pair[k + 1] = _mm256_unpackhi_pd((__m256d)a[k], (__m256d)a[k + 1]);
  }
  for (int k = 0; k < 2; ++k) {
    a[k] = (mus_real)_mm256_permute2f128_pd(pair[k], pair[k + 2], 0x20);
    a[k + 2] = (mus_real)_mm256_permute2f128_pd(pair[k], pair[k + 2], 0x31);
  }
}

MUS_ELEMENT void mus_lanes_three(const double *const *from, mus_real *to) {
  const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
  mus_real square[4];
  for (int k = 0; k < 4; ++k)
    square[k] = (mus_real)_mm256_maskload_pd(from[k], three);
  mus_lanes_mirror(square);
  for (int k = 0; k < 3; ++k)
    to[k] = square[k];
}
#else
MUS_ELEMENT mus_real mus_root(mus_real x) {
  for (int l = 0; l < MUS_LANES; ++l)
    x[l] = sqrt(x[l]);
  return x;
}

MUS_ELEMENT int mus_any(mus_truth where) {
  long long any = 0;
  for (int l = 0; l < MUS_LANES; ++l)
    any |= where[l];
  return any != 0;
}

MUS_ELEMENT void mus_lanes_mirror(mus_real *a) {
  for (int k = 0; k < MUS_LANES; ++k)
    for (int l = 0; l < k; ++l) {
      double here = a[k][l];
      a[k][l] = a[l][k];
      a[l][k] = here;
    }
}

MUS_ELEMENT void mus_lanes_three(const double *const *from, mus_real *to) {
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < MUS_LANES; ++l)
      to[k][l] = from[l][k];
}
#endif

MUS_ELEMENT int mus_all_of(mus_truth where) { return !mus_any(~where); }

// The numbers of elements to where they follow each other, n each; n >= MUS_LANES. Squares of them are mirrored, of
// which the last overlaps the one before.
MUS_ELEMENT void mus_lanes_store(const mus_real *from, int n, double *to) {
  for (int k = 0; k < n; k += MUS_LANES) {
    int first = k + MUS_LANES < n ? k : n - MUS_LANES;
    mus_real square[MUS_LANES];
    for (int l = 0; l < MUS_LANES; ++l)
      square[l] = from[first + l];
    mus_lanes_mirror(square);
    for (int l = 0; l < MUS_LANES; ++l)
      memcpy(to + l * n + first, &square[l], sizeof *square);
  }
}

#endif
