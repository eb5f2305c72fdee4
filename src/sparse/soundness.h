// A quick look at a symmetric matrix before it is worked with.
#ifndef MUS_SPARSE_SOUNDNESS_H
#define MUS_SPARSE_SOUNDNESS_H

#include "sparse/matrix.h"

// 1 where all values are finite and none differs from its mirror image by more than `allowed` of the largest near it.
// 0 does not say that the whole is worse: mus_max_abs() and mus_asymmetry() find out. Reads the matrix once, about as
// fast as a product does.
int mus_matrix_is_sound(const mus_matrix *a, const mus_transpose *at, double allowed);

#endif
