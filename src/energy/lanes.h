// Vectors of MUS_LANES numbers as mus_real, one lane an element: what element.h needs of them, and the way between them
// and arrays that hold one element after the other. Included by element.h where MUS_LANES is defined; lanes_run.h says
// who does that.
//
// The vectors are those of gcc and clang: operators work lane by lane, and one number meets a vector as itself in every
// lane.
#ifndef MUS_ENERGY_LANES_H
#define MUS_ENERGY_LANES_H

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

// A square of MUS_LANES vectors, mirrored at its diagonal, and square roots: by the machine's own instructions where
// there are any.
#if MUS_LANES == 8
MUS_ELEMENT mus_real mus_root(mus_real x) { return (mus_real)_mm512_sqrt_pd((__m512d)x); }

MUS_ELEMENT void mus_lanes_mirror(mus_real *a) {
  mus_real pair[8], four[8];
  for (int k = 0; k < 8; k += 2) {
    pair[k] = (mus_real)_mm512_unpacklo_pd((__m512d)a[k], (__m512d)a[k + 1]);
    pair[k + 1] = (mus_real)_mm512_unpackhi_pd((__m512d)a[k], (__m512d)a[k + 1]);
  }
  for (int k = 0; k < 2; ++k)
    for (int half = 0; half < 8; half += 4) {
      four[half + k] =
          (mus_real)_mm512_shuffle_f64x2((__m512d)pair[half + k], (__m512d)pair[half + 2 + k], 0x88); // 0 2, 0 2
      four[half + 2 + k] =
          (mus_real)_mm512_shuffle_f64x2((__m512d)pair[half + k], (__m512d)pair[half + 2 + k], 0xdd); // 1 3, 1 3
    }
  for (int k = 0; k < 2; ++k)
    for (int odd = 0; odd < 2; ++odd) {
      __m512d low = (__m512d)four[2 * odd + k], high = (__m512d)four[4 + 2 * odd + k];
      a[2 * odd + k] = (mus_real)_mm512_shuffle_f64x2(low, high, 0x88);
      a[4 + 2 * odd + k] = (mus_real)_mm512_shuffle_f64x2(low, high, 0xdd);
    }
}
#elif MUS_LANES == 4
MUS_ELEMENT mus_real mus_root(mus_real x) { return (mus_real)_mm256_sqrt_pd((__m256d)x); }

MUS_ELEMENT void mus_lanes_mirror(mus_real *a) {
  __m256d pair[4];
  for (int k = 0; k < 4; k += 2) {
    pair[k] = _mm256_unpacklo_pd((__m256d)a[k], (__m256d)a[k + 1]);
    pair[k + 1] = _mm256_unpackhi_pd((__m256d)a[k], (__m256d)a[k + 1]);
  }
  for (int k = 0; k < 2; ++k) {
    a[k] = (mus_real)_mm256_permute2f128_pd(pair[k], pair[2 + k], 0x20);
    a[2 + k] = (mus_real)_mm256_permute2f128_pd(pair[k], pair[2 + k], 0x31);
  }
}
#else
MUS_ELEMENT mus_real mus_root(mus_real x) {
  for (int l = 0; l < MUS_LANES; ++l)
    x[l] = sqrt(x[l]);
  return x;
}

MUS_ELEMENT void mus_lanes_mirror(mus_real *a) {
  for (int k = 0; k < MUS_LANES; ++k)
    for (int l = 0; l < k; ++l) {
      double here = a[k][l];
      a[k][l] = a[l][k];
      a[l][k] = here;
    }
}
#endif

// The k-th square of n >= MUS_LANES numbers starts here: the last one overlaps the one before.
MUS_ELEMENT int mus_lanes_square(int k, int n) { return k + MUS_LANES < n ? k : n - MUS_LANES; }

// to[k] gets number k of the elements, whose numbers start `stride` from each other; n >= MUS_LANES.
MUS_ELEMENT void mus_lanes_load(const double *from, size_t stride, int n, mus_real *to) {
  for (int k = 0; k < n; k += MUS_LANES) {
    int first = mus_lanes_square(k, n);
    mus_real square[MUS_LANES];
    for (int l = 0; l < MUS_LANES; ++l)
      memcpy(&square[l], from + (size_t)l * stride + first, sizeof *square);
    mus_lanes_mirror(square);
    for (int l = 0; l < MUS_LANES; ++l)
      to[first + l] = square[l];
  }
}

// The other way, for elements whose n numbers follow each other.
MUS_ELEMENT void mus_lanes_store(const mus_real *from, int n, double *to) {
  for (int k = 0; k < n; k += MUS_LANES) {
    int first = mus_lanes_square(k, n);
    mus_real square[MUS_LANES];
    for (int l = 0; l < MUS_LANES; ++l)
      square[l] = from[first + l];
    mus_lanes_mirror(square);
    for (int l = 0; l < MUS_LANES; ++l)
      memcpy(to + l * n + first, &square[l], sizeof *square);
  }
}

#endif
