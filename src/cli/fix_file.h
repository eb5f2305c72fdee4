// Constraints as text, one line each, for vertices counted from 1:
//
//     vertex d_1 ... d_block value     direction d may not move freely: d . x = value
//     vertex all x_1 ... x_block       the vertex is held at x
//     # a comment
//
// A vertex may have several lines, up to `block` directions in all.
#ifndef CLI_FIX_FILE_H
#define CLI_FIX_FILE_H

#include "muslin/solver.h"

// Returns 0 or an exit status, after saying on stderr which line is wrong. *list is the caller's to free either way.
int fix_file_read(const char *program, const char *path, int vertices, int block, mus_constraint **list, int *count);

// Moves x (vertices * block) to the nearest point that satisfies the constraints.
void fix_impose(int block, int count, const mus_constraint *list, double *x);

#endif
