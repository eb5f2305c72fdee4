// A quick look at a symmetric matrix before it is worked with.
#ifndef MUS_SPARSE_SOUNDNESS_H
#define MUS_SPARSE_SOUNDNESS_H

#include "sparse/matrix.h"

// 1 where all values are finite and the matrix is exactly symmetric, as one that was assembled is. Reads it once, about
// as fast as a product does; what is wrong otherwise, mus_max_abs() and mus_asymmetry() find out.
int mus_matrix_is_sound(const mus_matrix *a, const mus_transpose *at);

#endif
