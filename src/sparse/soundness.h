// A quick look at a symmetric matrix before it is worked with.
#ifndef MUS_SPARSE_SOUNDNESS_H
#define MUS_SPARSE_SOUNDNESS_H

#include "sparse/matrix.h"

// 1 where all values are finite and none differs from its mirror image by more than `allowed` of the largest near it.
// 0 does not say that the whole is worse: mus_max_abs() and mus_asymmetry() find out. Reads the matrix once, about as
// fast as a product does.
int mus_matrix_is_sound(const mus_matrix *a, const mus_transpose *at, double allowed);
// The same, and copies the values in the same pass. Where it is 0, what `to` holds is undefined.
int mus_matrix_take(const mus_matrix *a, const mus_transpose *at, double allowed, double *to);

#if MUSLIN_X86
// Private to sparse/: what soundness.c does for 3x3 blocks, with AVX2.
double mus_mismatch_avx2(const mus_matrix *a, const mus_transpose *at, int begin, int end);
void mus_copy_past_caches_avx2(size_t n, const double *from, double *to);
#endif

#endif
