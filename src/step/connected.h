// The connected parts of a pattern, and sums over them, for what keeps momentum in Projective Dynamics: the rows of L
// sum up to masses. Private to step/.
#ifndef MUS_STEP_CONNECTED_H
#define MUS_STEP_CONNECTED_H

#include "base/memory.h"
#include "sparse/shared.h"

// Numbers them: the part of each row. The memory comes from the arena.
mus_status mus_connected_parts(const mus_pattern *pattern, mus_arena *arena, int *parts, int **part);
// The sums of A over each part, 3x3, and of `value`, three numbers a row, unless that is NULL: 12 numbers a part.
void mus_connected_sums(int rows, int parts, const int *part, const double *mass, const mus_shared_matrix *a,
                        const double *value, double *sums);
// x = a^-1 b for a symmetric positive definite 3x3 matrix, by Cramer's rule.
void mus_connected_solve(const double *a, const double *b, double *x);

#endif
