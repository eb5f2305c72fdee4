// Random block patterns and matrices.
#ifndef TESTS_SUPPORT_PATTERNS_H
#define TESTS_SUPPORT_PATTERNS_H

#include <stdint.h>

#include "sparse/matrix.h"

// Rows of `least` ... `most` blocks, every length in turn, at random columns.
mus_pattern random_pattern(mus_arena *arena, int rows, int columns, int least, int most, uint64_t seed);

// Values in [-1, 1) that single precision holds exactly.
mus_matrix random_matrix(mus_arena *arena, const mus_pattern *pattern, int row_block, int column_block, uint64_t seed);
double *random_vector(mus_arena *arena, size_t n, uint64_t seed);

// Ends the test unless the two are the same.
void assert_patterns_equal(const mus_pattern *a, const mus_pattern *b);

#endif
